"""Configuration: a YAML file, then the environment, then flags, the later the stronger.

The only reader of the environment. Knows every setting, its unit and its default. An unknown key
or variable is an error that names it.
"""

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator

from verifier.types import MAX_CLAIMS, Limits

SERVER_PREFIX = "GROUNDWIRE_"
CLIENT_PREFIX = "GROUNDWIRE_CLIENT_"
CONFIG_VARIABLE = "GROUNDWIRE_CONFIG"

Positive = Annotated[int, Field(gt=0)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Seconds = Annotated[float, Field(gt=0.0)]


class ConfigError(Exception):
    """The configuration cannot be used; the text names the setting and where it came from."""


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class ServerSettings(_Strict):
    """The settings of `groundwire serve`."""

    listen: str = "127.0.0.1:50051"
    """Address and port of the gRPC server; port 0 takes a free one."""
    allow_plaintext: bool = False
    """Serve without TLS on an address that is not loopback."""
    tls_cert_file: Path | None = None
    """PEM certificate chain of the server; turns TLS on, with tls_key_file."""
    tls_key_file: Path | None = None
    """PEM private key of the server."""
    tls_client_ca_file: Path | None = None
    """PEM certificates that clients' certificates must be signed by; turns mutual TLS on."""
    auth_token: SecretStr | None = None
    """A bearer token that every call but the health check must carry."""
    auth_token_file: Path | None = None
    """A file of bearer tokens, one a line, any of which is accepted."""

    model: str = "smollm2-135m-instruct"
    """The embedded model's name, a local folder, or a hub name such as org/name."""
    backend_name: str = Field(default="local", pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")
    """The name under which requests can ask for this model."""
    cache_dir: Path = Path("~/.cache/groundwire")
    """Where the embedded model is kept once it is prepared."""
    dtype: str = "auto"
    """Data type of the weights: auto, bfloat16, float16 or float32."""
    head_dtype: str = "float32"
    """Data type of the output head; below float32 probabilities move in coarse steps."""
    quantization: str | None = None
    """One of vLLM's quantisation methods; none by default."""
    window_tokens: Positive | None = None
    """Window of the model in tokens; by default the model's own."""
    batch_tokens: Positive = 2048
    """Most tokens that the engine computes in one step."""
    batch_reads: Positive = 64
    """Most prompts that the engine computes in one step."""
    kv_block_tokens: Positive = 32
    """Tokens of one block of the prefix cache; on the CPU a multiple of 32."""
    kv_memory_gib: Annotated[float, Field(gt=0.0)] | None = None
    """GiB for the prefix cache; by default 2 on the CPU and what is left on a GPU."""
    gpu_memory_share: Share = 0.85
    """Share of a GPU's memory that the engine may take."""
    tensor_parallel_size: Positive = 1
    """GPUs that one model is spread over."""
    eager: bool | None = None
    """Run without compiling; by default on the CPU only, where compiling takes minutes."""
    cpu_threads: Positive | None = None
    """Threads that the model computes with on the CPU; by default all cores."""
    hang_timeout_s: Seconds = 15.0
    """Seconds without an answer after which the engine counts as hung."""

    label_mass_floor: Share = 0.05
    """Label mass below which an estimate has no probability."""
    max_claims: Annotated[int, Field(ge=1, le=MAX_CLAIMS)] = MAX_CLAIMS
    """Most claims in one batch."""
    max_claim_tokens: Positive = 512
    """Most tokens in one claim."""
    max_text_characters: Positive = 200_000
    """Most characters in any one text, checked before it is tokenised."""
    max_message_bytes: Annotated[int, Field(ge=1024, le=1 << 30)] = 16 << 20
    """Most bytes in one message, in either direction."""
    max_pending_claims: Positive = 4000
    """Most claims that wait or run at one time; beyond it calls are refused."""
    max_call_s: Seconds = 300.0
    """Most seconds that a call may take, whatever its own deadline."""
    shutdown_grace_s: Annotated[float, Field(ge=0.0)] = 30.0
    """Seconds that calls in flight get to finish when the server stops."""

    metrics_listen: str = "127.0.0.1:9464"
    """Address and port of the Prometheus page; empty turns it off."""
    otlp_endpoint: str | None = None
    """gRPC address of an OpenTelemetry collector, such as http://127.0.0.1:4317."""
    log_level: str = Field(default="info", pattern="^(debug|info|warning|error)$")
    """Least severe lines that are logged: debug, info, warning or error; only debug lines can
    repeat the text of a request."""

    @property
    def limits(self) -> Limits:
        """The limits on one batch, for the domain."""
        return Limits(self.max_claims, self.max_claim_tokens, self.max_text_characters)

    @model_validator(mode="after")
    def _check_together(self) -> "ServerSettings":
        if (self.tls_cert_file is None) != (self.tls_key_file is None):
            raise ValueError("tls_cert_file and tls_key_file need each other: set both or none")
        if self.tls_client_ca_file is not None and self.tls_cert_file is None:
            raise ValueError("tls_client_ca_file needs tls_cert_file and tls_key_file")
        if self.max_pending_claims < self.max_claims:
            raise ValueError(
                f"max_pending_claims ({self.max_pending_claims}) is below max_claims "
                f"({self.max_claims}), so a full batch could never run: raise it"
            )
        return self


class ClientSettings(_Strict):
    """How commands reach a running server."""

    target: str = "127.0.0.1:50051"
    """Address and port of the server."""
    token: SecretStr | None = None
    """The bearer token to send."""
    ca_file: Path | None = None
    """PEM certificates to check the server's with; turns TLS on."""
    cert_file: Path | None = None
    """PEM certificate of this client, for mutual TLS."""
    key_file: Path | None = None
    """PEM private key of this client."""
    allow_plaintext: bool = False
    """Speak without TLS to an address that is not loopback."""
    timeout_s: Seconds = 60.0
    """Seconds that one call may take."""


def load_server_settings(
    flags: Mapping[str, object], environ: Mapping[str, str], config_file: Path | None
) -> ServerSettings:
    """Merge file, environment and flags. `flags` holds only what was given.

    Raises ConfigError.
    """
    path = config_file or (Path(environ[CONFIG_VARIABLE]) if CONFIG_VARIABLE in environ else None)
    variables = {
        name: value
        for name, value in environ.items()
        if name.startswith(SERVER_PREFIX)
        and not name.startswith(CLIENT_PREFIX)
        and name != CONFIG_VARIABLE
    }
    sources = [
        _read_file(path) if path is not None else {},
        _from_variables(variables, SERVER_PREFIX),
        {key: (f"--{key.replace('_', '-')}", value) for key, value in flags.items()},
    ]
    return _merge(ServerSettings, sources)


def load_client_settings(flags: Mapping[str, object], environ: Mapping[str, str]) -> ClientSettings:
    """Merge environment and flags. Raises ConfigError."""
    variables = {name: v for name, v in environ.items() if name.startswith(CLIENT_PREFIX)}
    sources = [
        _from_variables(variables, CLIENT_PREFIX),
        {key: (f"--{key.replace('_', '-')}", value) for key, value in flags.items()},
    ]
    return _merge(ClientSettings, sources)


def read_tokens(settings: ServerSettings) -> tuple[str, ...]:
    """The bearer tokens that the server accepts; empty means that none is asked for.

    Raises ConfigError if the token file cannot be read or holds no token.
    """
    lines = [settings.auth_token.get_secret_value()] if settings.auth_token else []
    if settings.auth_token_file is not None:
        data = read_bytes(settings.auth_token_file, "auth_token_file")
        try:
            lines += data.decode().splitlines()
        except UnicodeDecodeError:
            raise ConfigError(
                f"auth_token_file: {settings.auth_token_file} is not UTF-8 text"
            ) from None
    tokens = [line.strip() for line in lines if line.strip()]
    if not tokens and (settings.auth_token is not None or settings.auth_token_file is not None):
        raise ConfigError("auth_token or auth_token_file is set but holds no token")
    return tuple(tokens)


def read_bytes(path: Path, setting: str) -> bytes:
    """Read a file that a setting names. Raises ConfigError with the setting's name."""
    try:
        return path.expanduser().read_bytes()
    except OSError as error:
        raise ConfigError(f"{setting}: {path} cannot be read: {error.strerror}") from error


def show(settings: BaseModel) -> str:
    """The effective settings as YAML, with secrets hidden."""
    values = settings.model_dump(mode="json")
    return yaml.safe_dump(values, sort_keys=False, allow_unicode=True)


S = TypeVar("S", ServerSettings, ClientSettings)
Source = Mapping[str, tuple[str, object]]
"""Values by key, each with the place that it came from."""


def _read_file(path: Path) -> Source:
    try:
        loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"{path} is not valid YAML: {error}") from error
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        raise ConfigError(f"{path} must hold keys with values, such as 'listen: 127.0.0.1:50051'")
    return {str(key): (f"{key} in {path}", value) for key, value in loaded.items()}


def _from_variables(variables: Mapping[str, str], prefix: str) -> Source:
    return {
        name.removeprefix(prefix).lower(): (f"variable {name}", value)
        for name, value in variables.items()
    }


def _merge(model: type[S], sources: list[Source]) -> S:
    merged: dict[str, tuple[str, object]] = {}
    for source in sources:
        for key, (place, value) in source.items():
            if key not in model.model_fields:
                near = difflib.get_close_matches(key, model.model_fields, n=1)
                hint = f"; did you mean {near[0]}?" if near else ""
                raise ConfigError(f"{place}: there is no setting {key!r}{hint}")
            merged[key] = (place, value)
    try:
        return model.model_validate({key: value for key, (_, value) in merged.items()})
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        key = str(first["loc"][0]) if first["loc"] else ""
        place = f"{merged[key][0]}: " if key in merged else ""
        raise ConfigError(f"{place}{first['msg'].removeprefix('Value error, ')}") from None

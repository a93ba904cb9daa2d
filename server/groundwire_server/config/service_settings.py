"""The settings of the service itself: addresses, models, engines, limits, telemetry."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

import yaml
from pydantic import BeforeValidator, Field, SecretStr, field_validator, model_validator

from groundwire_server.config.setting_types import Positive, Seconds, Share, Strict
from groundwire_verifier.domain.types import MAX_CLAIMS

BackendName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")]

LOCAL = "local"
"""The backend that is the model on this machine."""
CALIBRATION_AUTO, CALIBRATION_OFF = "auto", "off"
PROFILE_AUTO = "auto"


class AddressSettings(Strict):
    """Address and security"""

    listen: str = "127.0.0.1:50051"
    """Address and port of gRPC; port 0 takes a free one. Beyond loopback it needs TLS, or
    allow_plaintext."""
    allow_plaintext: bool = False
    """Serve without TLS on an address that is not loopback, and let secrets and claims leave the
    machine without it."""
    tls_cert_file: Path | None = None
    """PEM certificate chain of the server; turns TLS on, with tls_key_file. Unset: no TLS."""
    tls_key_file: Path | None = None
    """PEM private key of the server. Unset: no TLS."""
    tls_client_ca_file: Path | None = None
    """PEM certificates that sign clients' certificates; turns mutual TLS on. Unset: clients need no
    certificate."""
    auth_token: SecretStr | None = None
    """A bearer token that every call except health checks must carry. Unset: no token, unless
    auth_token_file has some."""
    auth_token_file: Path | None = None
    """A file of such tokens, a line each: as they are, or hashed and with their tenant, as
    `groundwire token new` prints them; # begins a comment."""
    tenants_file: Path | None = None
    """A YAML file of tenants, with weights and quotas. Needs tokens. Unset: all share alike."""


class HttpSettings(Strict):
    """HTTP"""

    http_listen: str | None = None
    """Address and port of HTTP with JSON, with the TLS and the tokens of gRPC. Unset: no HTTP.
    Needs the extra http."""
    http_origins: str | None = None
    """Origins of web pages that may call from a browser, such as https://app.example.org, with
    commas between them; * is any. Unset: none."""
    http_hosts: str | None = None
    """Host names that requests may use for this server, with commas between them; * is any. Unset:
    those of loopback if it listens there without tokens, else any."""


class ModelSettings(Strict):
    """Model"""

    model: str = "auto"
    """An embedded model's name, a local folder, or a hub name such as org/name. auto is base, but
    small on a CPU without AVX-512 VNNI."""
    revision: str | None = Field(default=None, pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$")
    """Commit, tag or branch of a hub model. Unset: the newest. Only a full commit hash (40
    hexadecimal digits) names the same weights at every start."""
    profile: str = PROFILE_AUTO
    """How the model is asked: auto (by its name, or in our own words), a profile, or a .toml file
    of your own."""
    cache_dir: Path = Path("~/.cache/groundwire")
    """The folder of embedded models, calibrations and spending."""
    dtype: Literal["auto", "bfloat16", "float16", "float32"] = "auto"
    """Data type of the weights. auto is the model's own, but float32 on an x86 CPU without
    AVX-512."""
    quantization: str | None = None
    """One of vLLM's quantisation methods, such as fp8_per_tensor on a GPU."""
    window_tokens: Positive | None = None
    """Window of the model in tokens. Unset: the model's own."""
    tensor_parallel_size: Positive = 1
    """GPUs that one model is spread over."""
    gpu_memory_share: Share = 0.85
    """Share of a GPU's memory that the engine may take."""
    calibration: str = CALIBRATION_AUTO
    """auto (the one that fits model and prompt, if there is one), off, or a file."""


class BackendEntry(Strict):
    """An entry of backends"""

    name: BackendName
    """Its name in requests, in backend_type, and in settings such as memory_gate_backend."""
    url: str | None = None
    """Address of an OpenAI-compatible server, up to /v1; beyond loopback https, or allow_plaintext.
    Unset: Anthropic's own, with api anthropic."""
    api: Literal["auto", "chat", "completions", "anthropic"] = "auto"
    """Its API: auto (found by probing it), chat, completions, or anthropic."""
    model: str | None = None
    """The model that answers under `name`."""
    models: tuple[str, ...] = ()
    """Instead of model: models that calls may choose, as NAME:MODEL."""
    window_tokens: Positive | None = None
    """The model's context window in tokens, estimated as one for 3 bytes. Unset: 8192, or 150000
    with api anthropic."""
    key: SecretStr | None = None
    """Its key, or file:PATH. Unset: none is sent."""
    timeout_s: Seconds = 30.0
    """Seconds that one try of a call may take."""
    retries: Annotated[int, Field(ge=0)] = 2
    """How often a call is tried again."""
    parallel: Positive = 8
    """Calls at one time, the most urgent first; half of them for outputs in the background."""
    samples: Positive = 16
    """Answers to sample for a prompt if it gives no log-probabilities."""
    calls_a_day: Positive | None = None
    """Most calls in a day of UTC, retries included. Unset: any number."""
    tokens_a_day: Positive | None = None
    """Most tokens in a day of UTC. Unset: any number."""
    ca_file: Path | None = None
    """PEM certificates of the authorities that it is checked by. Unset: those of the machine."""

    @model_validator(mode="after")
    def _check_models(self) -> "BackendEntry":
        if self.model is not None and self.models:
            raise ValueError(f"{self.name} has model and models: name one of them")
        if not all(self.models) or len(set(self.models)) != len(self.models):
            raise ValueError(f"models of {self.name} has an empty name, or one twice")
        return self


def _listed(given: object) -> object:
    """A variable or a flag holds the list as YAML, of which JSON is a part."""
    if not isinstance(given, str):
        return given
    try:
        return yaml.safe_load(given)
    except yaml.YAMLError:
        raise ValueError(
            "is no list in YAML, such as [{name: big, url: ..., model: ...}]"
        ) from None


class BackendSettings(Strict):
    """Backends"""

    backend_type: str = "configurable"
    """Which backends answer: configurable (the model on this machine and all of backends, chosen by
    operation and by call), local (that model alone), or the name of one of backends alone."""
    backend_default: str | None = None
    """The backend of calls that name none. Unset: the local one, or else the first of backends."""
    backends: Annotated[tuple[BackendEntry, ...], BeforeValidator(_listed)] = ()
    """Servers of models, as a list of entries; in a variable or a flag it is JSON."""

    @field_validator("backends")
    @classmethod
    def _check_names(cls, entries: tuple[BackendEntry, ...]) -> tuple[BackendEntry, ...]:
        names = [entry.name for entry in entries]
        if len(set(names)) != len(names):
            raise ValueError("two entries have one name: choose another")
        return entries


class EngineSettings(Strict):
    """Engine"""

    rare: ClassVar[bool] = True

    load_format: Literal["auto", "dummy"] = "auto"
    """auto reads the weights; dummy makes random ones, to measure speed."""
    batch_tokens: Positive = 2048
    """Most tokens that the engine computes in one step."""
    kv_memory_gib: Annotated[float, Field(gt=0.0)] | None = None
    """GiB for the prefix cache. Unset: on the CPU what 93,000 tokens of the model take, at most 2;
    on a GPU what is left."""
    cpu_threads: Positive | None = None
    """Threads of the model on the CPU. Unset: all cores, up to a container's quota."""


class CacheSettings(Strict):
    """Cache of readings"""

    rare: ClassVar[bool] = True

    result_cache_entries: Annotated[int, Field(ge=0)] = 100_000
    """Readings that this process remembers, some 200 bytes each; 0 remembers none."""
    result_cache_url: SecretStr | None = None
    """Redis or Valkey that shares them, such as redis://127.0.0.1:6379/0, or file:PATH. Needs a
    key; beyond loopback rediss, or allow_plaintext."""
    result_cache_key: SecretStr | None = None
    """The key that signs readings in Redis, or file:PATH: 32 bytes or more, the same on all
    servers."""
    cache_scope: Literal["token", "server"] = "token"
    """Who shares cached prefixes and readings: token (callers of one tenant or token), or server
    (all callers, who can then see by latency what others asked)."""


class LimitSettings(Strict):
    """Limits"""

    rare: ClassVar[bool] = True

    max_claims: Annotated[int, Field(ge=1, le=MAX_CLAIMS)] = MAX_CLAIMS
    """Most claims in one batch, of 2,000 characters each on average."""
    max_text_characters: Positive = 200_000
    """Most characters in any one text."""
    max_message_bytes: Annotated[int, Field(ge=1024, le=1 << 30)] = 16 << 20
    """Most bytes in one message, in either direction."""
    max_pending_claims: Positive = 4000
    """Most claims that wait or run at one time. Never below max_claims."""
    max_pending_calls: Positive = 4000
    """Most calls that wait or run at one time."""
    max_pending_bytes: Positive = 256 << 20
    """Most bytes of requests that wait or run at one time; a request needs several times its size
    in memory. Never below max_message_bytes."""
    max_call_s: Seconds = 300.0
    """Most seconds that a call may take, whatever its own deadline."""
    shutdown_grace_s: Annotated[float, Field(ge=0.0)] = 30.0
    """Seconds that calls in flight get when the server stops."""


class AuditRecordSettings(Strict):
    """Audit record"""

    audit_record_file: Path | None = None
    """A file that gets a line of JSON for each detection, with hashes in place of texts. Each
    server needs its own."""
    audit_record_max_bytes: Annotated[int, Field(ge=1 << 16)] = 100 << 20
    """Bytes from which the next line goes into a new file; at least 64 KiB. Ten are kept."""
    audit_record_otlp: bool = False
    """Send the same lines to otlp_endpoint, as logs."""
    audit_record_key_file: Path | None = None
    """A file with the key of the hashes, 32 bytes or more. Unset: one is made beside
    audit_record_file."""
    audit_record_text: bool = False
    """Write the requests beside their hashes, so that the record can be replayed by itself."""


class TelemetrySettings(Strict):
    """Metrics, traces and logs"""

    metrics_listen: str = "127.0.0.1:9464"
    """Address and port of the Prometheus page, which asks for no token; empty turns it off. Beyond
    loopback it needs allow_plaintext_metrics."""
    allow_plaintext_metrics: bool = False
    """Show the Prometheus page beyond loopback."""
    otlp_endpoint: str | None = None
    """gRPC address of an OpenTelemetry collector for traces and metrics, such as
    http://127.0.0.1:4317; https speaks TLS."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """Least severe lines that are logged; only debug lines can repeat the text of a request."""
    log_format: Literal["text", "json"] = "text"
    """How lines are logged: text, or json, an object a line."""

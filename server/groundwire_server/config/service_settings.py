"""The settings of the service itself: addresses, models, engines, limits, telemetry."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field, SecretStr

from groundwire_server.config.setting_types import Positive, Seconds, Share, Strict
from groundwire_verifier.domain.types import MAX_CLAIMS

CALIBRATION_AUTO, CALIBRATION_OFF = "auto", "off"
PROFILE_AUTO = "auto"


class AddressSettings(Strict):
    """Address and security"""

    listen: str = "127.0.0.1:50051"
    """Address and port of the gRPC server; port 0 takes a free one."""
    allow_plaintext: bool = False
    """Serve without TLS on an address that is not loopback."""
    tls_cert_file: Path | None = None
    """PEM certificate chain of the server; turns TLS on, with tls_key_file. Unset: no TLS."""
    tls_key_file: Path | None = None
    """PEM private key of the server. Unset: no TLS."""
    tls_client_ca_file: Path | None = None
    """PEM certificates that clients' certificates must be signed by; turns mutual TLS on.
    Unset: clients need no certificate."""
    auth_token: SecretStr | None = None
    """A bearer token that every call but the health check must carry. Unset: none is asked for,
    unless auth_token_file holds some."""
    auth_token_file: Path | None = None
    """A file of bearer tokens, a line each, any of which is accepted: hashed and with their tenant,
    as `groundwire token new` prints them, or as they are; # begins a comment. Unset: no file."""
    tenants_file: Path | None = None
    """A YAML file of tenants, with their weights and quotas. Unset: all share alike, and none has a
    quota."""


class HttpSettings(Strict):
    """HTTP"""

    http_listen: str | None = None
    """Address and port of HTTP with JSON, with the TLS and the tokens of gRPC; port 0 takes a free
    one. Unset: no HTTP."""
    http_origins: str | None = None
    """Origins of web pages that browsers may let call, such as https://app.example.org, with commas
    between them; * is any. Unset: no other page."""
    http_hosts: str | None = None
    """Names of this server that requests may be addressed to, with commas between them. Unset:
    those of loopback where it listens there and asks for no token, else any."""


class ModelSettings(Strict):
    """Model"""

    model: str = "smollm2-135m-verifier"
    """The embedded model's name, a local folder, or a hub name such as org/name."""
    revision: str | None = Field(default=None, pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$")
    """Commit, tag or branch of a hub model. Unset: the newest on its main branch.

    A full commit hash (40 hexadecimal digits) names the same weights for ever; what a branch or a
    tag names can change between two starts.
    """
    profile: str = PROFILE_AUTO
    """How the model is asked: auto (by its name, or in our own words), a profile, or a file."""
    backend_name: str = Field(default="local", pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")
    """The name under which requests can ask for this model."""
    cache_dir: Path = Path("~/.cache/groundwire")
    """Where the embedded model is kept once it is prepared."""
    dtype: Literal["auto", "bfloat16", "float16", "float32"] = "auto"
    """Data type of the weights.

    auto is the model's own, but float32 on an x86 CPU without AVX-512, which emulates the others.
    """
    quantization: str | None = None
    """One of vLLM's quantisation methods. Unset: none."""
    window_tokens: Positive | None = None
    """Window of the model in tokens. Unset: the model's own."""
    tensor_parallel_size: Positive = 1
    """GPUs that one model is spread over."""
    gpu_memory_share: Share = 0.85
    """Share of a GPU's memory that the engine may take."""
    calibration: str = CALIBRATION_AUTO
    """auto (the one that fits model and prompt, if there is one), off, or a file."""


class BackendSettings(Strict):
    """Backends"""

    backend_type: Literal["local", "external", "self", "haiku", "configurable"] = "local"
    """What answers: local (the model on this machine), external (external_url), self (the model
    that a call names, of self_models), haiku (Claude Haiku), or configurable (the local model and
    every one of the others that is set up, chosen by operation and by call)."""
    backend_default: str | None = None
    """The backend of calls that name none. Unset: the only one, the first of self_models, or the
    local one beside others."""
    external_url: str | None = None
    """Address of an OpenAI-compatible server, up to /v1, such as http://127.0.0.1:8000/v1.
    Unset: none."""
    external_model: str | None = None
    """The model's name on that server. Unset: none."""
    external_api: Literal["auto", "chat", "completions"] = "auto"
    """How it is asked: auto (what it was found able to do), chat or completions."""
    external_window_tokens: Positive = 8192
    """Its window, counted in pieces of three bytes."""
    external_key: SecretStr | None = None
    """Its key. Unset: external_key_file has it, or none is sent."""
    external_key_file: Path | None = None
    """A file that holds external_key. Unset: no file."""
    self_url: str | None = None
    """Address of an OpenAI-compatible server whose models calls may name, up to /v1. Unset:
    none."""
    self_models: str | None = None
    """The models that calls may name there, as self:MODEL; with commas between them. Unset:
    none."""
    self_api: Literal["auto", "chat", "completions"] = "auto"
    """How they are asked: auto, chat or completions."""
    self_window_tokens: Positive = 8192
    """Their window, counted in pieces of three bytes."""
    self_key: SecretStr | None = None
    """Its key. Unset: self_key_file has it, or none is sent."""
    self_key_file: Path | None = None
    """A file that holds self_key. Unset: no file."""
    haiku_url: str = "https://api.anthropic.com"
    """Address of Anthropic's API."""
    haiku_model: str = "claude-haiku-5-5"
    """The name of the model there."""
    haiku_key: SecretStr | None = None
    """Its key. Unset: haiku_key_file has it."""
    haiku_key_file: Path | None = None
    """A file that holds haiku_key. Unset: no file."""


class EndpointSettings(Strict):
    """Endpoints of backends"""

    rare: ClassVar[bool] = True

    endpoint_timeout_s: Seconds = 30.0
    """Seconds that one try of a call to an endpoint may take."""
    endpoint_retries: Annotated[int, Field(ge=0)] = 2
    """How often a call is tried again that failed or was told to come again."""
    endpoint_parallel: Positive = 8
    """Calls to one endpoint at one time; the most urgent of the others goes next. What nobody waits
    for has half of them at most."""
    endpoint_samples: Positive = 16
    """Answers that are sampled for one prompt where an endpoint tells no log-probabilities."""
    endpoint_calls_a_day: Positive | None = None
    """Most calls to one endpoint in a day of UTC, retries included. Unset: any number."""
    endpoint_tokens_a_day: Positive | None = None
    """Most tokens of one endpoint in a day of UTC. Unset: any number."""
    endpoint_ca_file: Path | None = None
    """PEM certificates that the endpoints' are checked with. Unset: those of the machine."""


class EngineSettings(Strict):
    """Engine"""

    rare: ClassVar[bool] = True

    load_format: Literal["auto", "dummy"] = "auto"
    """auto reads the weights; dummy makes random ones, to measure speed without any."""
    batch_tokens: Positive = 2048
    """Most tokens that the engine computes in one step."""
    kv_memory_gib: Annotated[float, Field(gt=0.0)] | None = None
    """GiB for the prefix cache. Unset: 2 on the CPU, and what is left on a GPU."""
    eager: bool | None = None
    """Run without compiling. Unset: on the CPU only, where compiling takes minutes."""
    cpu_threads: Positive | None = None
    """Threads that the model computes with on the CPU. Unset: all cores, up to a container's
    quota."""
    thread_wait: Literal["auto", "spin", "sleep"] = "auto"
    """How these threads wait for each other: spin, which is the fastest while they have their cores
    to themselves; sleep, which leaves the cores to others; auto sleeps while others take them."""
    hang_timeout_s: Seconds = 15.0
    """Seconds without an answer after which the engine counts as hung; longer where four of its
    longest steps, by its warm-up, take longer."""


class ChunkSettings(Strict):
    """Long contexts"""

    rare: ClassVar[bool] = True

    chunk_tokens: Annotated[int, Field(ge=64)] = 1200
    """Tokens of a chunk, where a request asks for a context that is too long to be split."""
    chunk_overlap_tokens: Annotated[int, Field(ge=0)] = 150
    """Tokens of a chunk that it repeats of the one before."""


class CacheSettings(Strict):
    """Cache of readings"""

    rare: ClassVar[bool] = True

    result_cache_entries: Annotated[int, Field(ge=0)] = 100_000
    """Readings that are remembered in this process, some 200 bytes each; 0 remembers none."""
    result_cache_url: SecretStr | None = None
    """Redis or Valkey that shares readings between servers, such as redis://127.0.0.1:6379/0;
    beyond loopback rediss://, or allow_plaintext. Unset: readings stay in this process."""
    result_cache_url_file: Path | None = None
    """A file that holds result_cache_url, as it may have a password. Unset: no file."""
    result_cache_key: SecretStr | None = None
    """What readings in Redis are signed with, 32 bytes or more; the same on all its servers.
    Unset: result_cache_key_file has it."""
    result_cache_key_file: Path | None = None
    """A file that holds result_cache_key. Unset: no file."""
    cache_scope: Literal["token", "server"] = "token"
    """Who shares cached prefixes and readings: token (callers of one tenant, or with one bearer
    token that is of none; all, where none is asked for) or server (all, who then see by time and
    counts what others asked)."""


class LimitSettings(Strict):
    """Limits"""

    rare: ClassVar[bool] = True

    max_claims: Annotated[int, Field(ge=1, le=MAX_CLAIMS)] = MAX_CLAIMS
    """Most claims in one batch."""
    max_claim_tokens: Positive = 512
    """Most tokens in one claim."""
    max_text_characters: Positive = 200_000
    """Most characters in any one text, checked before it is tokenised."""
    max_message_bytes: Annotated[int, Field(ge=1024, le=1 << 30)] = 16 << 20
    """Most bytes in one message, in either direction."""
    max_sources: Positive = 1000
    """Most sources in one request."""
    max_prompts: Positive = 8000
    """Most prompts that one request may need: three a claim, more with its options; what is left
    may be used to say which source carries a miscited claim."""
    max_claims_characters: Positive = 2_000_000
    """Most characters in all claims of one request."""
    max_evidence_characters: Positive = 10_000_000
    """Most characters in all distinct contexts that one request may need: its evidence, and once
    more each way in which sources are removed from it."""
    max_pending_claims: Positive = 4000
    """Most claims that wait or run at one time; beyond it calls are refused."""
    max_pending_calls: Positive = 4000
    """Most calls that wait or run at one time; beyond it calls are refused."""
    max_pending_bytes: Positive = 256 << 20
    """Most bytes of the requests that wait or run at one time, each of which takes some times its
    bytes of memory; beyond it calls are refused."""
    extract_timeout_s: Seconds = 10.0
    """Seconds of a processor within which a text is split into claims, or evidence into sentences;
    else it is refused."""
    max_call_s: Seconds = 300.0
    """Most seconds that a call may take, whatever its own deadline."""
    shutdown_grace_s: Annotated[float, Field(ge=0.0)] = 30.0
    """Seconds that calls in flight get to finish when the server stops."""


class AuditRecordSettings(Strict):
    """Audit record"""

    audit_record_file: Path | None = None
    """A file that gets a line of JSON for each detection, with hashes in place of texts. Unset:
    none is written."""
    audit_record_max_bytes: Annotated[int, Field(ge=1 << 16)] = 100 << 20
    """Bytes of the file from which the next line goes into a new one."""
    audit_record_max_files: Positive = 10
    """How many such files are kept, the one that is written included; then the oldest goes."""
    audit_record_otlp: bool = False
    """Send the same lines to otlp_endpoint, as logs."""
    audit_record_key_file: Path | None = None
    """A file that holds the key of the hashes, 32 bytes or more. Unset: one is made beside
    audit_record_file, with .key behind its name."""
    audit_record_text: bool = False
    """Write the requests themselves beside their hashes, so that the record can be replayed
    without anything else."""


class TelemetrySettings(Strict):
    """Metrics, traces and logs"""

    metrics_listen: str = "127.0.0.1:9464"
    """Address and port of the Prometheus page, which is plain text and asks for no token; empty
    turns it off."""
    allow_plaintext_metrics: bool = False
    """Show the Prometheus page on an address that is not loopback."""
    otlp_endpoint: str | None = None
    """gRPC address of an OpenTelemetry collector, such as http://127.0.0.1:4317; https:// speaks
    TLS. Unset: no traces."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """Least severe lines that are logged; only debug lines can repeat the text of a request."""
    log_format: Literal["text", "json"] = "text"
    """How lines are logged: text, or json, an object a line."""

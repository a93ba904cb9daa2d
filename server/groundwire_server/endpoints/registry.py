"""From settings to backends and embedders on endpoints: which there are, and what they share.

All models behind one address share its places, its breaker and what may be spent.
"""

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import SecretStr

from groundwire_server.config.credentials import is_loopback
from groundwire_server.config.extras import how_to_install
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import SENDABLE, ConfigError, read_secret
from groundwire_server.endpoints.attempts import AttemptLimits, Attempts
from groundwire_server.endpoints.breaker import CircuitBreaker
from groundwire_server.endpoints.embeddings_api import EndpointEmbedder
from groundwire_server.endpoints.http_client import make_client
from groundwire_server.endpoints.openai_api import Address, OpenAiEndpoint
from groundwire_server.endpoints.spending import Spending
from groundwire_verifier.endpoints.backend import Endpoint, EndpointBackend
from groundwire_verifier.numbers.calibration import Calibration
from groundwire_verifier.scheduling.slots import EndpointSlots

log = logging.getLogger("groundwire.server")

SELF_PREFIX = "self:"
"""Before the name of a model that a call names."""
HAIKU_WINDOW_TOKENS = 150_000
"""Claude Haiku's window, counted in pieces of three bytes."""
LONGEST_PAUSE_S = 10.0
"""Longest wait before a retry. An endpoint that asks for more is not tried again."""
BREAKER_FAILURES, BREAKER_S = 5, 30.0
"""After so many failures in a row an endpoint is left alone for so many seconds; then one call
shows whether it is back."""


def endpoint_backends(
    settings: ServerSettings, calibrations: Callable[[str], Calibration | None]
) -> dict[str, EndpointBackend]:
    """The backends on endpoints that the settings name, by name, not yet started.

    `calibrations` gives the one for an identity, if there is one. Raises ConfigError.
    """
    wanted = settings.backend_type
    every = wanted == "configurable"
    found: dict[str, EndpointBackend] = {}
    if wanted == "external" or (every and settings.external_url is not None):
        found |= _external(settings, calibrations)
    if wanted == "self" or (every and settings.self_url is not None):
        found |= _self(settings, calibrations)
    if wanted == "haiku" or (every and _has_key(settings.haiku_key, settings.haiku_key_file)):
        found |= _haiku(settings, calibrations)
    return found


def _external(
    settings: ServerSettings, calibrations: Callable[[str], Calibration | None]
) -> Mapping[str, EndpointBackend]:
    name = "external"
    if not settings.external_model:
        raise ConfigError("external_model is not set: name the model on external_url")
    url = checked_url(
        f"{name}_url", settings.external_url, allow_plaintext=settings.allow_plaintext
    )
    key = endpoint_key(name, settings.external_key, settings.external_key_file)
    shared = _Shared(settings, name)
    address = Address(name, url, settings.external_model, key)
    endpoint = OpenAiEndpoint(address, shared.client, shared.attempts, settings.external_api)
    window = settings.external_window_tokens
    return {name: _backend(settings, address, endpoint, window, calibrations)}


def _self(
    settings: ServerSettings, calibrations: Callable[[str], Calibration | None]
) -> Mapping[str, EndpointBackend]:
    name = "self"
    models = [model.strip() for model in (settings.self_models or "").split(",")]
    if not all(models) or len(set(models)) != len(models):
        raise ConfigError(
            "self_models has to list the models that calls may name, each once, with commas between"
        )
    url = checked_url(f"{name}_url", settings.self_url, allow_plaintext=settings.allow_plaintext)
    key = endpoint_key(name, settings.self_key, settings.self_key_file)
    shared = _Shared(settings, name)
    found = {}
    for model in models:
        address = Address(name, url, model, key)
        endpoint = OpenAiEndpoint(address, shared.client, shared.attempts, settings.self_api)
        window = settings.self_window_tokens
        found[SELF_PREFIX + model] = _backend(settings, address, endpoint, window, calibrations)
    return found


def _haiku(
    settings: ServerSettings, calibrations: Callable[[str], Calibration | None]
) -> Mapping[str, EndpointBackend]:
    name = "haiku"
    try:
        from groundwire_server.endpoints.anthropic_api import AnthropicEndpoint
    except ImportError as error:
        raise ConfigError(
            f"the backend haiku needs Anthropic's client ({error}): {how_to_install('haiku')}"
        ) from error
    url = checked_url(f"{name}_url", settings.haiku_url, allow_plaintext=settings.allow_plaintext)
    key = endpoint_key(name, settings.haiku_key, settings.haiku_key_file)
    if not key:
        raise ConfigError("haiku_key or haiku_key_file is not set: the backend haiku needs a key")
    shared = _Shared(settings, name)
    address = Address(name, url, settings.haiku_model, key)
    endpoint = AnthropicEndpoint(address, shared.client, shared.attempts)
    return {name: _backend(settings, address, endpoint, HAIKU_WINDOW_TOKENS, calibrations)}


def endpoint_embedder(settings: ServerSettings) -> EndpointEmbedder:
    """The embedder behind `embedding_url`. Raises ConfigError."""
    name = "embedding"
    url = checked_url(
        f"{name}_url", settings.embedding_url, allow_plaintext=settings.allow_plaintext
    )
    key = endpoint_key(name, settings.embedding_key, settings.embedding_key_file)
    shared = _Shared(settings, name)
    address = Address(name, url, settings.embedding_model, key)
    return EndpointEmbedder(address, shared.client, shared.attempts)


class _Shared:
    """What all models behind one address share: connections, places, breaker and spending."""

    def __init__(self, settings: ServerSettings, name: str) -> None:
        self.client = make_client(
            settings.endpoint_parallel, settings.endpoint_timeout_s, settings.endpoint_ca_file
        )
        self.attempts = Attempts(
            name,
            AttemptLimits(settings.endpoint_timeout_s, settings.endpoint_retries, LONGEST_PAUSE_S),
            EndpointSlots(settings.endpoint_parallel),
            CircuitBreaker(BREAKER_FAILURES, BREAKER_S),
            Spending(
                name,
                settings.cache_dir,
                settings.endpoint_calls_a_day,
                settings.endpoint_tokens_a_day,
            ),
        )


def _backend(
    settings: ServerSettings,
    address: Address,
    endpoint: Endpoint,
    window_tokens: int,
    calibrations: Callable[[str], Calibration | None],
) -> EndpointBackend:
    host = urlsplit(address.url).netloc
    log.info("claims and contexts for the backend %s go to %s", address.name, host)
    bounds = (settings.endpoint_calls_a_day, settings.endpoint_tokens_a_day)
    if bounds == (None, None) and not is_loopback(_with_port(address.url)):
        log.warning(
            "nothing bounds what is spent on %s in a day: set endpoint_calls_a_day or "
            "endpoint_tokens_a_day",
            address.name,
        )
    return EndpointBackend(
        address.model,
        address.url,
        endpoint,
        window_tokens=window_tokens,
        samples=settings.endpoint_samples,
        calibrations=calibrations,
    )


def checked_url(setting: str, url: str | None, *, allow_plaintext: bool) -> str:
    """The address of an endpoint, which holds no secret and sends none over a network in plain."""
    if not url:
        raise ConfigError(f"{setting} is not set: give the address of the server, up to /v1")
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_bare = not (parts.username or parts.password or parts.query or parts.fragment)
        _ = parts.port
    except ValueError:
        is_address = is_bare = False
    if not is_address or not is_bare:
        # Not repeated: it may hold a password.
        raise ConfigError(
            f"{setting} is no address such as https://host/v1, without user, query and fragment; "
            "its key has a setting of its own"
        )
    if parts.scheme == "http" and not is_loopback(_with_port(url)) and not allow_plaintext:
        raise ConfigError(
            f"{setting} is not loopback, and without TLS everyone on the network could read its "
            "key, claims and contexts: use https://, or set allow_plaintext"
        )
    return url


def _with_port(url: str) -> str:
    host = urlsplit(url).hostname or ""
    return f"[{host}]:0" if ":" in host else f"{host}:0"


def _has_key(key: SecretStr | None, file: Path | None) -> bool:
    return key is not None or file is not None


def endpoint_key(name: str, key: SecretStr | None, file: Path | None) -> str:
    """The key of an endpoint; empty if none is set. Raises ConfigError, which never repeats it."""
    found = read_secret(f"{name}_key", key, file)
    if found is None:
        return ""
    place, text = found
    if not SENDABLE.fullmatch(text):
        raise ConfigError(
            f"{place} is no key that could be sent: it takes letters, digits and signs of ASCII "
            "without blanks"
        )
    return text

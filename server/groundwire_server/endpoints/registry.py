"""From settings to backends and embedders on endpoints: which there are, and what they share.

All models behind one address share its places, its breaker and what may be spent.
"""

import logging
from collections.abc import Callable
from urllib.parse import urlsplit

from pydantic import SecretStr

from groundwire_server.config.credentials import is_loopback
from groundwire_server.config.extras import how_to_install
from groundwire_server.config.service_settings import BackendEntry
from groundwire_server.config.settings import EVERY, ServerSettings
from groundwire_server.config.sources import SENDABLE, ConfigError, read_secret
from groundwire_server.endpoints.attempts import AttemptLimits, Attempts, CircuitBreaker
from groundwire_server.endpoints.embeddings_api import EndpointEmbedder
from groundwire_server.endpoints.http_client import make_client
from groundwire_server.endpoints.openai_api import Address, OpenAiEndpoint
from groundwire_server.endpoints.spending import Spending
from groundwire_verifier.engine.endpoints.backend import Endpoint, EndpointBackend
from groundwire_verifier.engine.queue.slots import EndpointSlots
from groundwire_verifier.numbers.calibration import Calibration

log = logging.getLogger("groundwire.server")

WINDOW_TOKENS = 8192
ANTHROPIC_WINDOW_TOKENS, ANTHROPIC_URL = 150_000, "https://api.anthropic.com"
"""Windows of models that do not tell theirs, in tokens of an estimated three bytes. Claude Haiku's
is larger, and its address is known."""
LONGEST_PAUSE_S = 10.0
"""Longest wait before a retry. An endpoint that asks for more is not tried again."""
BREAKER_FAILURES, BREAKER_S = 5, 30.0
"""After so many failures in a row an endpoint is left alone for so many seconds; then one call
shows whether it is back."""


def endpoint_backends(
    settings: ServerSettings, calibrations: Callable[[str], Calibration | None]
) -> dict[str, EndpointBackend]:
    """The backends on endpoints that the settings choose, by name, not yet started.

    `calibrations` gives the one for an identity, if there is one. Raises ConfigError.
    """
    found: dict[str, EndpointBackend] = {}
    for entry in settings.backends:
        if settings.backend_type not in (EVERY, entry.name):
            continue
        names = {entry.name: entry.model} if entry.model else {}
        names |= {f"{entry.name}:{model}": model for model in entry.models}
        if not names:
            if entry.name == settings.embedding_backend:
                continue
            raise ConfigError(f"backends: {entry.name} has no model: set model, or models")
        server = _Server(settings, entry)
        for name, model in names.items():
            found[name] = server.backend(model, calibrations)
    return found


def endpoint_embedder(settings: ServerSettings) -> EndpointEmbedder:
    """The embedder of `embedding_backend`. Raises ConfigError."""
    name = settings.embedding_backend
    entry = next((entry for entry in settings.backends if entry.name == name), None)
    if entry is None:
        raise ConfigError(f"embedding_backend: there is no {name!r} in backends")
    server = _Server(settings, entry)
    return EndpointEmbedder(
        server.address(settings.embedding_model), server.client, server.attempts
    )


class _Server:
    """What all models of an entry share: connections, places, breaker and spending."""

    def __init__(self, settings: ServerSettings, entry: BackendEntry) -> None:
        self._entry = entry
        place, is_anthropic = f"backends: {entry.name}", entry.api == "anthropic"
        self._url = checked_url(
            f"{place}: url",
            entry.url or (ANTHROPIC_URL if is_anthropic else None),
            allow_plaintext=settings.allow_plaintext,
        )
        self._key = endpoint_key(f"{place}: key", entry.key)
        if is_anthropic and not self._key:
            raise ConfigError(f"{place}: key is not set, and the api anthropic needs one")
        self.client = make_client(entry.parallel, entry.timeout_s, entry.ca_file)
        self.attempts = Attempts(
            entry.name,
            AttemptLimits(entry.timeout_s, entry.retries, LONGEST_PAUSE_S),
            EndpointSlots(entry.parallel),
            CircuitBreaker(BREAKER_FAILURES, BREAKER_S),
            Spending(entry.name, settings.cache_dir, entry.calls_a_day, entry.tokens_a_day),
        )

    def address(self, model: str) -> Address:
        return Address(self._entry.name, self._url, model, self._key)

    def backend(
        self, model: str, calibrations: Callable[[str], Calibration | None]
    ) -> EndpointBackend:
        """The backend of a model of it. Raises ConfigError."""
        entry = self._entry
        log.info(
            "claims and contexts for the backend %s go to %s",
            entry.name,
            urlsplit(self._url).netloc,
        )
        is_bound = entry.calls_a_day is not None or entry.tokens_a_day is not None
        if not is_bound and not is_loopback(_with_port(self._url)):
            log.warning(
                "nothing bounds what is spent on %s in a day: set its calls_a_day or tokens_a_day",
                entry.name,
            )
        is_anthropic = entry.api == "anthropic"
        return EndpointBackend(
            model,
            self._url,
            self._endpoint(self.address(model)),
            window_tokens=entry.window_tokens
            or (ANTHROPIC_WINDOW_TOKENS if is_anthropic else WINDOW_TOKENS),
            samples=entry.samples,
            calibrations=calibrations,
        )

    def _endpoint(self, address: Address) -> Endpoint:
        if self._entry.api != "anthropic":
            return OpenAiEndpoint(address, self.client, self.attempts, self._entry.api)
        try:
            from groundwire_server.endpoints.anthropic_api import AnthropicEndpoint
        except ImportError as error:
            raise ConfigError(
                f"the backend {address.name} needs Anthropic's client ({error}): "
                f"{how_to_install('haiku')}"
            ) from error
        return AnthropicEndpoint(address, self.client, self.attempts)


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


def endpoint_key(setting: str, key: SecretStr | None) -> str:
    """The key of an endpoint; empty if none is set. Raises ConfigError, which never repeats it."""
    text = read_secret(setting, key)
    if text is None:
        return ""
    if not SENDABLE.fullmatch(text):
        raise ConfigError(
            f"{setting} is no key that could be sent: it takes letters, digits and signs of ASCII "
            "without blanks"
        )
    return text

"""From settings to a result cache: how much is remembered, and which Redis may share it.

Readings in Redis are as good as those of this server only if nobody else can write them, so they
carry a code of a shared key.
"""

import hmac

from groundwire_server.config.credentials import is_loopback
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError, read_secret, read_secret_bytes
from groundwire_server.stores.redis_store import RedisStore
from groundwire_verifier.engine.base import Backend
from groundwire_verifier.engine.reading_store import MemoryStore, ReadingStore, Tiers
from groundwire_verifier.engine.result_cache import ResultCache

MIN_KEY_BYTES = 32
_URL = "result_cache_url"


def make_result_cache(settings: ServerSettings, backend: Backend) -> ResultCache | None:
    """A backend's result cache; None if the settings turn it off. Raises ConfigError."""
    if settings.result_cache_entries == 0:
        return None
    near = MemoryStore(settings.result_cache_entries, settings.cache_ttl.total_seconds())
    store: ReadingStore = near
    url = read_secret(_URL, settings.result_cache_url)
    if url is not None:
        store = Tiers(near, _redis(settings, url))
    return ResultCache(backend, store)


def shared_key(settings: ServerSettings, purpose: str) -> bytes | None:
    """A key of 32 bytes for one purpose, the same on all servers with one `result_cache_key`.

    None if none is set. Raises ConfigError if it is too short, or its file cannot be read.
    """
    key = read_secret_bytes("result_cache_key", settings.result_cache_key)
    if key is None:
        return None
    if len(key) < MIN_KEY_BYTES:
        raise ConfigError(
            f"result_cache_key holds {len(key)} bytes; it takes at least {MIN_KEY_BYTES}, such as "
            "those of `openssl rand -hex 32`"
        )
    return hmac.digest(key, purpose.encode(), "sha256")


def _redis(settings: ServerSettings, url: str) -> RedisStore:
    key = shared_key(settings, "readings")
    if key is None:
        raise ConfigError(
            f"{_URL} needs result_cache_key, the same on all servers that share it: without one, "
            "whoever reaches Redis could make up readings; "
            "`openssl rand -hex 32` makes one"
        )
    try:
        store = RedisStore(url, settings.cache_ttl.total_seconds(), key)
    except ValueError:
        raise ConfigError(f"{_URL} holds no URL of a Redis server") from None
    host = store.plaintext_host
    if host is not None and not is_loopback(f"{host}:0") and not settings.allow_plaintext:
        raise ConfigError(
            f"{_URL} is not loopback, and without TLS everyone on the network could read "
            "its password and the readings: use rediss:// or unix://, or set allow_plaintext"
        )
    return store

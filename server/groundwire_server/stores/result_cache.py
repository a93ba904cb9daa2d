"""From settings to a result cache: how much is remembered, and which Redis may share it.

Readings in Redis are as good as those of this server only if nobody else can write them, so they
carry a code of a shared key.
"""

import hmac

from groundwire_server.config.credentials import is_loopback
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError, read_bytes, read_secret
from groundwire_server.stores.redis_store import RedisStore
from groundwire_verifier.backends.base import Backend
from groundwire_verifier.backends.reading_store import MemoryStore, ReadingStore, Tiers
from groundwire_verifier.backends.result_cache import ResultCache

MIN_KEY_BYTES = 32


def make_result_cache(settings: ServerSettings, backend: Backend) -> ResultCache | None:
    """A backend's result cache; None if the settings turn it off. Raises ConfigError."""
    if settings.result_cache_entries == 0:
        return None
    near = MemoryStore(settings.result_cache_entries, settings.cache_ttl.total_seconds())
    store: ReadingStore = near
    shared = read_secret(
        "result_cache_url", settings.result_cache_url, settings.result_cache_url_file
    )
    if shared is not None:
        store = Tiers(near, _redis(settings, *shared))
    return ResultCache(backend, store)


def shared_key(settings: ServerSettings, purpose: str) -> bytes | None:
    """A key of 32 bytes for one purpose, the same on all servers with one `result_cache_key`.

    None if none is set. Raises ConfigError if it is too short, or its file cannot be read.
    """
    if settings.result_cache_key is not None:
        name, key = "result_cache_key", settings.result_cache_key.get_secret_value().encode()
    elif settings.result_cache_key_file is not None:
        name = "result_cache_key_file"
        key = read_bytes(settings.result_cache_key_file, name)
    else:
        return None
    key = key.strip()
    if len(key) < MIN_KEY_BYTES:
        raise ConfigError(
            f"{name} holds {len(key)} bytes; it takes at least {MIN_KEY_BYTES}, such as those of "
            "`openssl rand -hex 32`"
        )
    return hmac.digest(key, purpose.encode(), "sha256")


def _redis(settings: ServerSettings, setting: str, url: str) -> RedisStore:
    key = shared_key(settings, "readings")
    if key is None:
        raise ConfigError(
            f"{setting} needs result_cache_key or result_cache_key_file, the same on all "
            "servers that share it: without one, whoever reaches Redis could make up readings; "
            "`openssl rand -hex 32` makes one"
        )
    try:
        store = RedisStore(url, settings.cache_ttl.total_seconds(), key)
    except ValueError:
        raise ConfigError(f"{setting} holds no URL of a Redis server") from None
    host = store.plaintext_host
    if host is not None and not is_loopback(f"{host}:0") and not settings.allow_plaintext:
        raise ConfigError(
            f"{setting} is not loopback, and without TLS everyone on the network could read "
            "its password and the readings: use rediss:// or unix://, or set allow_plaintext"
        )
    return store

"""Readings in Redis or Valkey, shared between servers.

An unreachable Redis slows nothing down and loses nothing: a reading that does not come at once is
computed, and after a failure Redis is left alone for a while. Knows redis-py and how a reading is
written. Does not know what a key is made of.
"""

import asyncio
import logging
import struct
import time
from collections.abc import Mapping, Sequence

from redis.asyncio import Redis
from redis.exceptions import RedisError

from verifier.backends.reading_store import StoredReading

TIMEOUT_S = 0.02
"""Longest that a call waits for Redis; a reading takes some ten times as long to compute."""
SEND_TIMEOUT_S = 1.0
"""Longest that readings are on their way to Redis; nobody waits for that."""
PAUSE_S = 5.0
"""How long Redis is left alone after a failure."""
PREFIX = b"groundwire:reading:1:"
_FORM = struct.Struct("<dddI")
_MAX_UNSENT = 4096

log = logging.getLogger("groundwire.server")


class RedisStore:
    """Implements `verifier.backends.reading_store.ReadingStore` with a Redis server."""

    def __init__(self, url: str, ttl_s: float) -> None:
        """Keep readings at `url` for `ttl_s` seconds. Nothing is opened yet.

        Raises ValueError for a text that is no Redis URL.
        """
        self._redis = Redis.from_url(
            url, socket_timeout=1.0, socket_connect_timeout=1.0, retry=None
        )
        self._ttl_ms = max(1, round(ttl_s * 1000))
        self._paused_until_s = 0.0
        self._unsent: dict[bytes, StoredReading] = {}
        self._sending: asyncio.Task[None] | None = None
        self.failures = 0

    async def get(self, keys: Sequence[bytes]) -> dict[bytes, StoredReading]:
        """See the protocol."""
        if self._is_paused():
            return {}
        try:
            async with asyncio.timeout(TIMEOUT_S):
                found = await self._redis.mget([PREFIX + key for key in keys])
        except (RedisError, OSError, TimeoutError) as error:
            self._pause(error)
            return {}
        return {
            key: reading
            for key, value in zip(keys, found, strict=True)
            if isinstance(value, bytes) and (reading := _read(value)) is not None
        }

    def put(self, readings: Mapping[bytes, StoredReading]) -> None:
        """See the protocol. Readings beyond what Redis keeps up with are not sent."""
        if not readings or self._is_paused() or len(self._unsent) >= _MAX_UNSENT:
            return
        self._unsent.update(readings)
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send())

    async def close(self) -> None:
        """See the protocol."""
        if self._sending is not None:
            await asyncio.wait((self._sending,), timeout=TIMEOUT_S)
            self._sending.cancel()
        await self._redis.aclose()

    async def _send(self) -> None:
        """Send what there is, and then what came meanwhile: one message for many readings."""
        while self._unsent:
            readings, self._unsent = self._unsent, {}
            pipe = self._redis.pipeline(transaction=False)
            for key, reading in readings.items():
                pipe.set(PREFIX + key, _written(reading), px=self._ttl_ms)
            try:
                async with asyncio.timeout(SEND_TIMEOUT_S):
                    await pipe.execute()
            except (RedisError, OSError, TimeoutError) as error:
                self._pause(error)
                self._unsent.clear()

    def _is_paused(self) -> bool:
        return time.monotonic() < self._paused_until_s

    def _pause(self, error: Exception) -> None:
        self.failures += 1
        if not self._is_paused():
            # Its type only: the text of an error can hold the address and a password.
            log.warning(
                "the result cache in Redis failed (%s); trying again in %g s",
                type(error).__name__,
                PAUSE_S,
            )
        self._paused_until_s = time.monotonic() + PAUSE_S


def _written(reading: StoredReading) -> bytes:
    return _FORM.pack(reading.yes_nats, reading.no_nats, reading.unsure_nats, reading.prompt_tokens)


def _read(value: bytes) -> StoredReading | None:
    # Another program's value is as good as none.
    if len(value) != _FORM.size:
        return None
    return StoredReading(*_FORM.unpack(value))

"""Readings in Redis or Valkey, shared between servers.

An unreachable Redis slows nothing down and loses nothing: a reading that does not come at once is
computed, and after a failure Redis is left alone for a while. Nor is Redis trusted: an entry counts
only with a code that takes a secret to make, over its key and its numbers, and its name in Redis
takes the secret as well.
"""

import asyncio
import hashlib
import hmac
import logging
import struct
import time
from collections.abc import Mapping, Sequence

from redis.asyncio import Redis, SSLConnection, UnixDomainSocketConnection
from redis.exceptions import RedisError

from groundwire_verifier.domain.types import Bounds
from groundwire_verifier.engine.reading_store import StoredReading
from groundwire_verifier.numbers.intervals import Interval

TIMEOUT_S = 0.02
"""Longest that a call waits for Redis; a reading takes some ten times as long to compute."""
SEND_TIMEOUT_S = 1.0
"""Longest that readings are on their way to Redis; nobody waits for that."""
PAUSE_S = 5.0
"""How long Redis is left alone after a failure."""
PREFIX = b"groundwire:reading:2:"
CODE_BYTES = 32
_EXACT = struct.Struct("<ddd")
_BOUNDED = struct.Struct("<dddddddq")
"""A reading with its bounds, of the probability and of the label mass, and its samples."""
_MAX_UNSENT = 4096
_STRANGE = (RedisError, OSError, TimeoutError, ValueError, TypeError, RecursionError)
"""What comes of a Redis that is away, or answers otherwise than Redis does."""

log = logging.getLogger("groundwire.server")


class RedisStore:
    """Implements `groundwire_verifier.engine.reading_store.ReadingStore` with a Redis server."""

    def __init__(self, url: str, ttl_s: float, secret: bytes) -> None:
        """Keep readings at `url` for `ttl_s` seconds. Nothing is opened yet.

        `secret`, of 1 to 64 bytes, is that of all servers that share them.

        Raises ValueError for a text that is no Redis URL.
        """
        self._redis = Redis.from_url(
            url, socket_timeout=1.0, socket_connect_timeout=1.0, retry=None
        )
        self._secret = secret
        self._ttl_ms = max(1, round(ttl_s * 1000))
        self._paused_until_s = 0.0
        self._unsent: dict[bytes, StoredReading] = {}
        self._sending: asyncio.Task[None] | None = None
        self.failures = 0
        self.refused = 0

    @property
    def plaintext_host(self) -> str | None:
        """Where readings are sent unencrypted; None for TLS and for a socket of this machine."""
        pool = self._redis.connection_pool
        if issubclass(pool.connection_class, (SSLConnection, UnixDomainSocketConnection)):
            return None
        return str(pool.connection_kwargs.get("host", "localhost"))

    async def get(self, keys: Sequence[bytes]) -> dict[bytes, StoredReading]:
        """What Redis knows of these keys; nothing while it does not answer."""
        if self._is_paused():
            return {}
        try:
            async with asyncio.timeout(TIMEOUT_S):
                found = await self._redis.mget([self._name(key) for key in keys])
            pairs = list(zip(keys, found, strict=True))
        except _STRANGE as error:
            self._pause(error)
            return {}
        return {
            key: reading
            for key, value in pairs
            if isinstance(value, bytes) and (reading := self._read(key, value)) is not None
        }

    def put(self, readings: Mapping[bytes, StoredReading]) -> None:
        """Have readings sent. Those beyond what Redis keeps up with are not."""
        if not readings or self._is_paused() or len(self._unsent) >= _MAX_UNSENT:
            return
        self._unsent.update({k: reading for k, reading in readings.items() if reading.is_possible})
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send())

    async def close(self) -> None:
        """Send what is left, within TIMEOUT_S, and close the connections."""
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
                pipe.set(self._name(key), self._written(key, reading), px=self._ttl_ms)
            try:
                async with asyncio.timeout(SEND_TIMEOUT_S):
                    await pipe.execute()
            except _STRANGE as error:
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

    def _name(self, key: bytes) -> bytes:
        return PREFIX + self._code(b"name", key)

    def _code(self, purpose: bytes, data: bytes) -> bytes:
        code = hashlib.blake2b(data, key=self._secret, person=purpose, digest_size=CODE_BYTES)
        return code.digest()

    def _written(self, key: bytes, reading: StoredReading) -> bytes:
        numbers = _packed(reading)
        return numbers + self._code(b"reading", key + numbers)

    def _read(self, key: bytes, value: bytes) -> StoredReading | None:
        """An entry's reading; one that no server of ours wrote for this key is as good as none."""
        numbers, code = value[:-CODE_BYTES], value[-CODE_BYTES:]
        if hmac.compare_digest(code, self._code(b"reading", key + numbers)):
            reading = _unpacked(numbers)
            if reading is not None and reading.is_possible:
                return reading
        self._refuse()
        return None

    def _refuse(self) -> None:
        self.refused += 1
        if self.refused == 1:
            log.warning(
                "the result cache in Redis holds entries that were not written with this "
                "result_cache_key, or are no readings; they are computed anew"
            )


def _packed(reading: StoredReading) -> bytes:
    nats = (reading.yes_nats, reading.no_nats, reading.unsure_nats)
    bounds = reading.bounds
    if bounds is None:
        return _EXACT.pack(*nats)
    probability, mass = bounds.probability, bounds.label_mass
    ranges = (probability.low, probability.high, mass.low, mass.high)
    return _BOUNDED.pack(*nats, *ranges, bounds.samples)


def _unpacked(numbers: bytes) -> StoredReading | None:
    if len(numbers) == _EXACT.size:
        return StoredReading(*_EXACT.unpack(numbers))
    if len(numbers) != _BOUNDED.size:
        return None
    yes, no, unsure, low, high, mass_low, mass_high, samples = _BOUNDED.unpack(numbers)
    try:
        bounds = Bounds(Interval(low, high), Interval(mass_low, mass_high), samples)
    except ValueError:
        return None
    return StoredReading(yes, no, unsure, bounds)

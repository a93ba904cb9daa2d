"""Where readings are kept between calls: the interface, and a store in this process.

A store may lose a reading at any time and never fails: whatever is not there is computed again.
"""

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from groundwire_verifier.domain.types import Bounds

MASS_TOLERANCE = 1e-3
"""How far above 1 the labels' probabilities may add up to, by rounding."""


@dataclass(frozen=True, slots=True)
class StoredReading:
    """What is kept of a reading: the labels' log-probabilities in nats, and their bounds."""

    yes_nats: float
    no_nats: float
    unsure_nats: float
    bounds: Bounds | None = None

    @property
    def is_possible(self) -> bool:
        """Whether a model can have said this. Only UNSURE may have no probability."""
        nats = (self.yes_nats, self.no_nats, self.unsure_nats)
        if not all(map(math.isfinite, nats[:2])):
            return False
        # A NaN is no less than anything, and what is far above 0 has no exponential.
        return all(value <= MASS_TOLERANCE for value in nats) and (
            sum(map(math.exp, nats)) <= 1.0 + MASS_TOLERANCE
        )


class ReadingStore(Protocol):
    """Readings by key."""

    async def get(self, keys: Sequence[bytes]) -> dict[bytes, StoredReading]:
        """What is known of these keys. Raises nothing and does not keep its caller waiting."""

    def put(self, readings: Mapping[bytes, StoredReading]) -> None:
        """Keep readings. Returns at once and raises nothing."""

    async def close(self) -> None:
        """Let go of what the store holds open."""


class MemoryStore:
    """Keeps the `most` readings that were used last, each for `ttl_s` seconds, in this process.

    One takes some 200 bytes.
    """

    def __init__(
        self, most: int, ttl_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most = most
        self._ttl_s = ttl_s
        self._clock = clock
        self._kept: OrderedDict[bytes, tuple[float, StoredReading]] = OrderedDict()

    async def get(self, keys: Sequence[bytes]) -> dict[bytes, StoredReading]:
        """Those of these keys that are kept and not too old; they count as used now."""
        now_s = self._clock()
        found: dict[bytes, StoredReading] = {}
        for key in keys:
            kept = self._kept.get(key)
            if kept is None:
                continue
            until_s, reading = kept
            if until_s <= now_s:
                del self._kept[key]
                continue
            self._kept.move_to_end(key)
            found[key] = reading
        return found

    def put(self, readings: Mapping[bytes, StoredReading]) -> None:
        """Keep readings, in place of those that were not used for longest."""
        until_s = self._clock() + self._ttl_s
        for key, reading in readings.items():
            self._kept[key] = (until_s, reading)
            self._kept.move_to_end(key)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)

    async def close(self) -> None:
        """Nothing is held open."""


class Tiers:
    """A near store before a far one. What the far one knows is kept near as well."""

    def __init__(self, near: ReadingStore, far: ReadingStore) -> None:
        self._near, self._far = near, far

    async def get(self, keys: Sequence[bytes]) -> dict[bytes, StoredReading]:
        """What the near one knows of these keys, and what the far one does of the others."""
        found = await self._near.get(keys)
        missing = [key for key in keys if key not in found]
        if missing:
            fetched = await self._far.get(missing)
            self._near.put(fetched)
            found.update(fetched)
        return found

    def put(self, readings: Mapping[bytes, StoredReading]) -> None:
        """Keep readings in both."""
        self._near.put(readings)
        self._far.put(readings)

    async def close(self) -> None:
        await self._near.close()
        await self._far.close()

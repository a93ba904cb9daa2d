"""A backend that computes each prompt once: what was read before, or is being read, is not again.

Implements `verifier.backends.base.Backend` around another one. A reading is known by the backend's
identity (its weights and prompt) and the prompt's tokens, so by the context, the claim and the
template; a calibration changes no reading. Knows keys and who waits for what. Does not know where
readings are kept, engines, or claims.
"""

import asyncio
import hashlib
import time
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from verifier.backends.base import Backend, OnReading
from verifier.backends.reading_store import ReadingStore, StoredReading
from verifier.backends.wrapped import WrappedBackend
from verifier.types import Prompt, Reading, Readings, Source
from verifier.urgency import Urgency

KEY_BYTES = 32


@dataclass(slots=True)
class CacheCounts:
    """Prompts since the start: found in the store, joined while being computed, and computed."""

    hits: int = 0
    joined: int = 0
    misses: int = 0


@dataclass(slots=True)
class _Work:
    """Prompts that are computed together. It is cancelled when nobody waits for any of them."""

    waiting: int = 0
    task: asyncio.Task[Readings] | None = None


@dataclass(slots=True)
class _Flight:
    """A prompt that is being computed."""

    work: _Work
    reading: asyncio.Future[Reading] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class CachedBackend(WrappedBackend):
    """Remembers the readings of `inner` in `store`."""

    def __init__(self, inner: Backend, store: ReadingStore) -> None:
        """Keep the parts."""
        super().__init__(inner)
        self._store = store
        self._flights: dict[bytes, _Flight] = {}
        self.counts = CacheCounts()

    @property
    def direct(self) -> Backend:
        """The backend without its memory, for calls that ask for fresh readings."""
        return self._inner.direct

    async def close_store(self) -> None:
        """Let go of the store; what it keeps elsewhere stays."""
        await self._store.close()

    async def read(
        self,
        prompts: Sequence[Prompt],
        trace_headers: Mapping[str, str],
        urgency: Urgency,
        on_reading: OnReading | None = None,
    ) -> Readings:
        """Read the labels after each prompt, computing only what nobody has. See the protocol."""
        began_s = time.monotonic()
        keys = [self._key(prompt) for prompt in prompts]
        distinct = dict(zip(keys, prompts, strict=True))
        known = {
            key: _remembered(stored)
            for key, stored in (await self._store.get(list(distinct))).items()
        }
        self.counts.hits += len(known)
        missing = {key: prompt for key, prompt in distinct.items() if key not in known}
        own, flights = self._board(missing, trace_headers, urgency)
        try:
            read = await _collect(keys, known, flights, own, on_reading)
            timed = None if own.task is None else await own.task
        except ExceptionGroup as group:
            raise group.exceptions[0] from group
        finally:
            _leave(flights.values())
        elapsed_s = time.monotonic() - began_s
        return Readings(
            tuple(read[key] for key in keys),
            queue_s=timed.queue_s if timed else 0.0,
            inference_s=timed.inference_s if timed else elapsed_s,
        )

    def _key(self, prompt: Prompt) -> bytes:
        digest = hashlib.blake2b(self.info.identity.encode(), digest_size=KEY_BYTES)
        digest.update(array("I", prompt.token_ids).tobytes())
        return digest.digest()

    def _board(
        self, missing: Mapping[bytes, Prompt], trace_headers: Mapping[str, str], urgency: Urgency
    ) -> tuple[_Work, dict[bytes, _Flight]]:
        """Join the flights that are under way, and start the others together."""
        own = _Work()
        flights: dict[bytes, _Flight] = {}
        mine: dict[bytes, Prompt] = {}
        for key, prompt in missing.items():
            flight = self._flights.get(key)
            if flight is None:
                flight = self._flights[key] = _Flight(own)
                mine[key] = prompt
            flight.work.waiting += 1
            flights[key] = flight
        self.counts.misses += len(mine)
        self.counts.joined += len(flights) - len(mine)
        if mine:
            own.task = asyncio.create_task(self._compute(mine, trace_headers, urgency))
            own.task.add_done_callback(_forget)
        return own, flights

    async def _compute(
        self, prompts: Mapping[bytes, Prompt], trace_headers: Mapping[str, str], urgency: Urgency
    ) -> Readings:
        keys = list(prompts)
        flights = {key: self._flights[key] for key in keys}

        def land(index: int, reading: Reading) -> None:
            key = keys[index]
            self._flights.pop(key, None)
            self._store.put({key: _kept(reading)})
            if not flights[key].reading.done():
                flights[key].reading.set_result(reading)

        try:
            return await self._inner.read(list(prompts.values()), trace_headers, urgency, land)
        except BaseException as error:
            for key, flight in flights.items():
                if self._flights.get(key) is flight:
                    del self._flights[key]
                if flight.reading.done():
                    continue
                if isinstance(error, asyncio.CancelledError):
                    flight.reading.cancel()
                else:
                    flight.reading.set_exception(error)
                    flight.reading.exception()  # nobody has to ask
            raise


def _leave(flights: Iterable[_Flight]) -> None:
    for flight in flights:
        work = flight.work
        work.waiting -= 1
        if work.waiting == 0 and work.task is not None and not work.task.done():
            work.task.cancel()


async def _collect(
    keys: Sequence[bytes],
    known: dict[bytes, Reading],
    flights: Mapping[bytes, _Flight],
    own: _Work,
    on_reading: OnReading | None,
) -> dict[bytes, Reading]:
    """All readings by key; each is told as soon as it is there."""
    places: dict[bytes, list[int]] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, []).append(place)

    def tell(key: bytes, reading: Reading) -> None:
        known[key] = reading
        if on_reading is not None:
            for place in places[key]:
                on_reading(place, reading)

    for key in list(known):
        tell(key, known[key])

    async def wait(key: bytes, flight: _Flight) -> None:
        reading = await asyncio.shield(flight.reading)
        tell(key, reading if flight.work is own else _shared(reading))

    async with asyncio.TaskGroup() as group:
        for key, flight in flights.items():
            group.create_task(wait(key, flight))
    return known


def _forget(task: asyncio.Task[Readings]) -> None:
    """Take a task's error, which those who wait for its flights are told."""
    if not task.cancelled():
        task.exception()


def _kept(reading: Reading) -> StoredReading:
    return StoredReading(
        reading.yes_nats, reading.no_nats, reading.unsure_nats, reading.prompt_tokens
    )


def _remembered(stored: StoredReading) -> Reading:
    return Reading(
        stored.yes_nats,
        stored.no_nats,
        stored.unsure_nats,
        prompt_tokens=stored.prompt_tokens,
        cached_tokens=stored.prompt_tokens,
        source=Source.CACHE,
    )


def _shared(reading: Reading) -> Reading:
    """A reading that another call pays for."""
    return replace(reading, cached_tokens=reading.prompt_tokens, source=Source.CACHE)

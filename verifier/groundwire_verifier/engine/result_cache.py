"""A cache in front of a backend: what was read before, or is being read, is not computed again.

A reading is known by all that it depends on beside its prompt (`BackendInfo.reading_identity`), the
prompt's cache salt, its tokens and its options, so by the context, the claim and the template; a
calibration changes no reading.

A call joins a flight only if that ranks no later than itself, so that it waits no longer than it
would for its own; and whatever ends a flight before its time, its joiners read for themselves, so
that they never get an error that was meant for another.
"""

import asyncio
import hashlib
import itertools
import time
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from groundwire_verifier.domain.tasks import retrieve, task_group
from groundwire_verifier.domain.types import Prompt, Reading, ReadingOrigin, TimedReadings
from groundwire_verifier.domain.urgency import Urgency
from groundwire_verifier.engine.base import Backend, OnReading, Reader
from groundwire_verifier.engine.reading_store import ReadingStore, StoredReading

KEY_BYTES = 32

Tell = Callable[[bytes, Reading], None]
"""Told of each reading, with the key of its prompt."""


@dataclass(slots=True)
class CacheCounts:
    """Prompts since the start: found in the store, joined while being computed, and computed."""

    hits: int = 0
    joined: int = 0
    misses: int = 0


@dataclass(slots=True, eq=False)
class _Rider:
    """A call that waits for some prompts of a flight.

    `finished` gets each of them as it is read, and None when the flight ends before all are.
    """

    keys: tuple[bytes, ...]
    finished: asyncio.Queue[tuple[bytes, Reading] | None] = field(default_factory=asyncio.Queue)

    async def wait(self, tell: Tell) -> set[bytes]:
        """Tell each reading as it finishes; returns the keys of those that never will."""
        left = set(self.keys)
        while left and (finished := await self.finished.get()) is not None:
            left.discard(finished[0])
            tell(*finished)
        return left


@dataclass(slots=True, eq=False)
class _Flight:
    """Prompts that are computed together, and who waits for each that is not there yet.

    It was `abandoned` if one of its prompts was left that nobody waits for.
    """

    rank_s: float
    waiting: dict[bytes, dict[_Rider, None]] = field(default_factory=dict)
    abandoned: bool = False
    task: asyncio.Task[TimedReadings] | None = None

    def join(self, keys: Sequence[bytes]) -> _Rider:
        """A waiter for the readings with these keys, none of which has come yet."""
        rider = _Rider(tuple(keys))
        for key in keys:
            self.waiting.setdefault(key, {})[rider] = None
        return rider


@dataclass(frozen=True, slots=True)
class _CacheRead:
    """What a call wants its prompts read with, and where their readings go."""

    trace_headers: Mapping[str, str]
    urgency: Urgency
    tell: Tell
    timed: list[TimedReadings]
    """What was computed for this call itself; what it joined belongs to other calls."""


class ResultCache:
    """Implements `engine.base.Reader`: remembers the readings of `backend` in `store`.

    What it does not know is read by `reader`, another cache of the backend; by default by the
    backend itself. `counts` are since the start.
    """

    def __init__(self, backend: Backend, store: ReadingStore, reader: Reader | None = None) -> None:
        self._backend = backend
        self._reader = reader or backend
        self._store = store
        self._flights: dict[bytes, _Flight] = {}
        self.counts = CacheCounts()

    async def close_store(self) -> None:
        """Let go of the store; what it keeps elsewhere stays."""
        await self._store.close()

    async def read(
        self,
        prompts: Sequence[Prompt],
        trace_headers: Mapping[str, str],
        urgency: Urgency,
        on_reading: OnReading | None = None,
    ) -> TimedReadings:
        """Read the labels after each prompt, computing only what nobody has."""
        began_s = time.monotonic()
        identity = self._backend.info.reading_identity
        keys = [_key(identity, prompt) for prompt in prompts]
        distinct = dict(zip(keys, prompts, strict=True))
        places: dict[bytes, list[int]] = {}
        for place, key in enumerate(keys):
            places.setdefault(key, []).append(place)
        read: dict[bytes, Reading] = {}

        def tell(key: bytes, reading: Reading) -> None:
            read[key] = reading
            if on_reading is not None:
                for place in places[key]:
                    on_reading(place, reading)

        known = await self._store.get(list(distinct))
        self.counts.hits += len(known)
        for key, stored in known.items():
            tell(key, _remembered(stored, distinct[key]))
        missing = {key: prompt for key, prompt in distinct.items() if key not in known}
        call = _CacheRead(trace_headers, urgency, tell, timed=[])
        if missing:
            await self._fetch(call, missing, joins=True)
        elapsed_s = time.monotonic() - began_s
        return TimedReadings(
            tuple(read[key] for key in keys),
            queue_s=max((own.queue_s for own in call.timed), default=0.0),
            inference_s=max((own.inference_s for own in call.timed), default=elapsed_s),
        )

    async def _fetch(
        self, call: _CacheRead, missing: Mapping[bytes, Prompt], *, joins: bool
    ) -> None:
        """Have all these read and told: by flights that are under way, if it `joins`, or its own.

        Raises what its own flight raises.
        """
        joined: dict[_Flight, list[bytes]] = {}
        mine: dict[bytes, Prompt] = {}
        for key, prompt in missing.items():
            flight = self._flights.get(key) if joins else None
            if flight is None or flight.rank_s > call.urgency.rank_s:
                mine[key] = prompt
            else:
                joined.setdefault(flight, []).append(key)
        self.counts.misses += len(mine)
        self.counts.joined += len(missing) - len(mine)
        riders = {flight: flight.join(keys) for flight, keys in joined.items()}
        try:
            async with task_group() as group:
                for flight, rider in riders.items():
                    group.create_task(self._join(call, missing, flight, rider))
                if mine:
                    await self._start(call, mine)
        finally:
            # A task that is cancelled before it began leaves nothing by itself.
            for flight, rider in riders.items():
                self._leave(flight, rider)

    async def _start(self, call: _CacheRead, prompts: Mapping[bytes, Prompt]) -> None:
        """Compute prompts as a flight that others can join."""
        flight = _Flight(call.urgency.rank_s)
        rider = flight.join(list(prompts))
        for key in prompts:
            other = self._flights.get(key)
            # The one that others can best join: what ranks first.
            if other is None or other.rank_s > flight.rank_s:
                self._flights[key] = flight
        task = flight.task = asyncio.create_task(self._compute(call, flight, prompts))
        task.add_done_callback(lambda _: self._end(flight))
        task.add_done_callback(retrieve)
        try:
            await rider.wait(call.tell)
            call.timed.append(await task)
        finally:
            self._leave(flight, rider)

    async def _compute(
        self, call: _CacheRead, flight: _Flight, prompts: Mapping[bytes, Prompt]
    ) -> TimedReadings:
        keys = list(prompts)

        def finish(index: int, reading: Reading) -> None:
            key = keys[index]
            self._forget(flight, key)
            if reading.reason is None:
                # What says nothing may say more at another time.
                self._store.put({key: _kept(reading)})
            for rider in flight.waiting.pop(key, ()):
                rider.finished.put_nowait((key, reading))

        return await self._reader.read(
            list(prompts.values()), call.trace_headers, call.urgency, finish
        )

    async def _join(
        self, call: _CacheRead, missing: Mapping[bytes, Prompt], flight: _Flight, rider: _Rider
    ) -> None:
        """Take what another call's flight finishes, and read for itself what it does not."""
        lost = await rider.wait(lambda key, reading: call.tell(key, _shared(reading)))
        if lost:
            # What failed for another may fail for each: nobody waits for a second one of those.
            left = {key: prompt for key, prompt in missing.items() if key in lost}
            await self._fetch(call, left, joins=flight.abandoned)

    def _leave(self, flight: _Flight, rider: _Rider) -> None:
        """Wait no longer; a flight that computes what nobody waits for is ended."""
        unwanted = False
        for key in rider.keys:
            riders = flight.waiting.get(key)
            if riders is not None:
                riders.pop(rider, None)
                unwanted = unwanted or not riders
        if unwanted and flight.task is not None:
            flight.abandoned = True
            # Before it is cancelled, which takes a while: nobody may join it any more.
            self._end(flight)
            flight.task.cancel()

    def _end(self, flight: _Flight) -> None:
        """Wake all that still wait: nothing more will finish."""
        waiting, flight.waiting = flight.waiting, {}
        for key in waiting:
            self._forget(flight, key)
        # In the order in which they came: the first is the next to compute what is left.
        for rider in dict.fromkeys(itertools.chain.from_iterable(waiting.values())):
            rider.finished.put_nowait(None)

    def _forget(self, flight: _Flight, key: bytes) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]


def _key(reading_identity: str, prompt: Prompt) -> bytes:
    # One of a fixed length, then one without the end sign: no two pairs read the same.
    known_by = f"{reading_identity}{prompt.cache_salt}\0".encode()
    digest = hashlib.blake2b(known_by, digest_size=KEY_BYTES)
    digest.update(array("I", prompt.token_ids).tobytes())
    return digest.digest()


def _kept(reading: Reading) -> StoredReading:
    return StoredReading(reading.yes_nats, reading.no_nats, reading.unsure_nats, reading.bounds)


def _remembered(stored: StoredReading, prompt: Prompt) -> Reading:
    return Reading(
        stored.yes_nats,
        stored.no_nats,
        stored.unsure_nats,
        prompt_tokens=len(prompt.token_ids),
        cached_tokens=len(prompt.token_ids),
        source=ReadingOrigin.CACHE,
        bounds=stored.bounds,
    )


def _shared(reading: Reading) -> Reading:
    """A reading that another call pays for."""
    return replace(reading, cached_tokens=reading.prompt_tokens, source=ReadingOrigin.CACHE)

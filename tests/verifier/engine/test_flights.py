"""Calls that join, leave, fail and land in any order: who waits for whom, who gets what error."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from groundwire_verifier.domain.errors import DeadlineUnreachableError
from groundwire_verifier.domain.types import Prompt, Reading, ReadingOrigin, TimedReadings
from groundwire_verifier.domain.urgency import Urgency
from groundwire_verifier.engine.base import OnReading
from groundwire_verifier.engine.local import LocalBackend
from groundwire_verifier.engine.reading_store import MemoryStore
from groundwire_verifier.engine.result_cache import ResultCache
from tests.scripted import MODEL, NEVER_HANGS_S, ScriptedEngine

CALLER = "caller"
TURNS = 50
"""Of the event loop, after which everything has happened that nothing else is waited for."""


class ReadFailedError(Exception):
    """What a scripted read ends with; the text is its caller."""


@dataclass(eq=False)
class ScriptedRead:
    """A read that is under way, which a test lands and fails."""

    caller: str
    rank_s: float
    claims: str
    on_reading: OnReading
    left: set[str] = field(default_factory=set)
    done: "asyncio.Future[None]" = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    def land(self, claim: str) -> None:
        self.left.discard(claim)
        self.on_reading(self.claims.index(claim), reading_of(claim))
        if not self.left:
            self.done.set_result(None)

    def fail(self) -> None:
        self.done.set_exception(ReadFailedError(self.caller))

    def refuse(self) -> None:
        self.done.set_exception(DeadlineUnreachableError(0.0, 0.0, float(self.caller)))


class ScriptedReads(LocalBackend):
    """A backend whose reads do nothing by themselves."""

    def __init__(self) -> None:
        super().__init__(MODEL, ScriptedEngine, NEVER_HANGS_S)
        self.running: list[ScriptedRead] = []

    async def read(
        self,
        prompts: Sequence[Prompt],
        trace_headers: Mapping[str, str],
        urgency: Urgency,
        on_reading: OnReading | None = None,
    ) -> TimedReadings:
        assert on_reading is not None
        claims = "".join(chr(prompt.token_ids[0]) for prompt in prompts)
        read = ScriptedRead(trace_headers[CALLER], urgency.rank_s, claims, on_reading, set(claims))
        self.running.append(read)
        try:
            await read.done
        finally:
            self.running.remove(read)
        return TimedReadings(tuple(map(reading_of, claims)), 0.0, 0.0)


def reading_of(claim: str) -> Reading:
    return Reading(-float(ord(claim)), -1.0, -2.0, 1, 0, ReadingOrigin.MODEL)


def caller_of(error: BaseException) -> str:
    if isinstance(error, DeadlineUnreachableError):
        return f"{error.retry_s:.0f}"
    assert isinstance(error, ReadFailedError), error
    return str(error)


def prompt_of(claim: str) -> Prompt:
    return Prompt((ord(claim),), 1, 0)


@dataclass(eq=False)
class Caller:
    """A call on the cache."""

    name: str
    rank_s: float
    claims: str
    told: set[str]
    task: "asyncio.Task[TimedReadings]"

    @property
    def left(self) -> set[str]:
        return set(self.claims) - self.told


class Callers:
    """A cache over scripted reads, and the calls on it. Made within a running loop."""

    def __init__(self, reads: ScriptedReads) -> None:
        self.reads = reads
        self.cache = ResultCache(reads, MemoryStore(100, ttl_s=1000.0))
        self.calls: list[Caller] = []

    @classmethod
    async def begin(cls) -> "Callers":
        reads = ScriptedReads()
        await reads.start()
        return cls(reads)

    async def end(self) -> None:
        for call in self.live:
            call.task.cancel()
        await settled()
        await self.reads.stop()

    def call(self, claims: str, rank_s: float) -> Caller:
        name, told = str(len(self.calls)), set[str]()
        tell: OnReading = lambda place, _: told.add(claims[place])  # noqa: E731
        work = self.cache.read(
            [prompt_of(claim) for claim in claims], {CALLER: name}, Urgency(rank_s), tell
        )
        self.calls.append(Caller(name, rank_s, claims, told, asyncio.create_task(work)))
        return self.calls[-1]

    @property
    def live(self) -> list[Caller]:
        return [call for call in self.calls if not call.task.done()]


async def settled() -> None:
    for _ in range(TURNS):
        await asyncio.sleep(0)


@pytest.fixture
async def callers() -> AsyncIterator[Callers]:
    callers = await Callers.begin()
    yield callers
    await callers.end()


def running(callers: Callers) -> list[tuple[str, str]]:
    """Who reads what."""
    return [(read.caller, "".join(sorted(read.left))) for read in callers.reads.running]


async def test_a_call_that_was_let_in_is_not_refused_for_anothers_deadline(
    callers: Callers,
) -> None:
    first, second = callers.call("a", 1.0), callers.call("a", 2.0)
    await settled()
    callers.reads.running[0].refuse()
    await settled()
    assert isinstance(first.task.exception(), DeadlineUnreachableError)
    assert running(callers) == [(second.name, "a")]


async def test_a_call_is_not_failed_for_another_prompt_of_anothers(callers: Callers) -> None:
    callers.call("ab", 1.0)
    second = callers.call("b", 2.0)
    await settled()
    callers.reads.running[0].fail()
    await settled()
    callers.reads.running[0].land("b")
    assert (await second.task).readings == (reading_of("b"),)


async def test_what_one_lands_the_other_gets_as_shared(callers: Callers) -> None:
    callers.call("a", 1.0)
    second = callers.call("a", 1.0)
    await settled()
    callers.reads.running[0].land("a")
    (reading,) = (await second.task).readings
    assert reading.source is ReadingOrigin.CACHE


async def test_an_urgent_call_reads_for_itself_what_a_later_one_waits_for(
    callers: Callers,
) -> None:
    callers.call("ab", 5.0)
    await settled()
    callers.call("a", 1.0)
    await settled()
    assert running(callers) == [("0", "ab"), ("1", "a")]
    callers.call("a", 2.0)
    await settled()
    assert len(callers.reads.running) == 2, "the third call joins the urgent one"


async def test_a_flight_whose_first_caller_leaves_before_it_began_is_not_joined(
    callers: Callers,
) -> None:
    first = callers.call("a", 1.0)
    await asyncio.sleep(0)
    first.task.cancel()
    second = callers.call("a", 1.0)
    await settled()
    assert running(callers) == [(second.name, "a")]


async def test_a_flight_that_is_being_cancelled_is_not_joined(callers: Callers) -> None:
    first = callers.call("a", 1.0)
    await settled()
    first.task.cancel()
    second = callers.call("a", 1.0)
    await settled()
    assert running(callers) == [(second.name, "a")]


async def test_the_work_goes_on_while_all_of_it_is_waited_for(callers: Callers) -> None:
    first = callers.call("ab", 1.0)
    callers.call("ba", 1.0)
    await settled()
    first.task.cancel()
    await settled()
    assert running(callers) == [("0", "ab")]


async def test_a_prompt_that_nobody_waits_for_is_not_read_beside_one_that_is(
    callers: Callers,
) -> None:
    first = callers.call("abc", 1.0)
    for _ in range(2):
        callers.call("a", 1.0)
    await settled()
    first.task.cancel()
    await settled()
    assert running(callers) == [("1", "a")], "those who are left share one read of what they want"


CLAIMS = st.text("abcd", min_size=1, max_size=4)
PICK = st.integers(min_value=0, max_value=1000)


class Flights(RuleBasedStateMachine):
    """Whatever happens, in whatever order."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.callers = self.loop.run_until_complete(Callers.begin())
        self.left: set[str] = set()

    def teardown(self) -> None:
        try:
            self.loop.run_until_complete(self.finish())
        finally:
            self.loop.run_until_complete(self.callers.end())
            self.loop.close()
        self.check_what_came_back()

    async def finish(self) -> None:
        """Land all that is being read."""
        # The last rule may have left it to the loop to go on.
        await settled()
        while reads := self.readable:
            for claim in sorted(reads[0].left):
                reads[0].land(claim)
            await settled()
        assert self.callers.live == []
        assert self.callers.cache._flights == {}

    @rule(claims=CLAIMS, rank_s=st.integers(0, 3), settles=st.booleans())
    def call(self, claims: str, rank_s: int, settles: bool) -> None:
        async def begin() -> None:
            self.callers.call(claims, rank_s)

        self.loop.run_until_complete(begin())
        self.settle(settles)

    @precondition(lambda self: self.callers.live)
    @rule(pick=PICK, settles=st.booleans())
    def leave(self, pick: int, settles: bool) -> None:
        call = self.callers.live[pick % len(self.callers.live)]
        self.left.add(call.name)
        call.task.cancel()
        self.settle(settles)

    @precondition(lambda self: self.readable)
    @rule(pick=PICK, claim=PICK, settles=st.booleans())
    def land(self, pick: int, claim: int, settles: bool) -> None:
        read = self.readable[pick % len(self.readable)]
        read.land(sorted(read.left)[claim % len(read.left)])
        self.settle(settles)

    @precondition(lambda self: self.readable)
    @rule(pick=PICK, refuses=st.booleans(), settles=st.booleans())
    def fail(self, pick: int, refuses: bool, settles: bool) -> None:
        read = self.readable[pick % len(self.readable)]
        (read.refuse if refuses else read.fail)()
        self.settle(settles)

    @rule()
    def wait(self) -> None:
        self.settle(True)

    @property
    def readable(self) -> list[ScriptedRead]:
        return [read for read in self.callers.reads.running if not read.done.done()]

    def settle(self, settles: bool) -> None:
        self.is_settled = settles
        self.loop.run_until_complete(settled() if settles else asyncio.sleep(0))

    is_settled = True

    @invariant()
    def no_work_runs_for_nobody(self) -> None:
        if not self.is_settled:
            return
        wanted = set().union(*(call.left for call in self.callers.live))
        for read in self.readable:
            assert read.left <= wanted, "a prompt is read that nobody waits for"

    @invariant()
    def nobody_waits_for_what_ranks_later(self) -> None:
        if not self.is_settled:
            return
        for call in self.callers.live:
            for claim in call.left:
                ranks = [read.rank_s for read in self.readable if claim in read.left]
                assert min(ranks) <= call.rank_s, "a call waits for what it would overtake"

    @invariant()
    def check_what_came_back(self) -> None:
        for call in self.callers.calls:
            if not call.task.done() or call.task.cancelled():
                assert not call.task.done() or call.name in self.left
                continue
            error = call.task.exception()
            if error is not None:
                assert caller_of(error) == call.name, "a call got another's error"
                continue
            read = [-reading.yes_nats for reading in call.task.result().readings]
            assert read == [ord(claim) for claim in call.claims]
            assert call.left == set()


Flights.TestCase.settings = settings(max_examples=100, stateful_step_count=25, deadline=None)
TestFlights = Flights.TestCase

"""Which prompt an engine gets next, and which calls are refused."""

import asyncio
import math
import time
from collections.abc import Mapping, Sequence

import pytest

from groundwire_verifier.domain.errors import BackendFailedError, DeadlineUnreachableError
from groundwire_verifier.domain.types import Prompt
from groundwire_verifier.domain.urgency import WHENEVER, Urgency
from groundwire_verifier.engine.queue.dispatcher import Dispatcher
from groundwire_verifier.engine.queue.engine import EngineTurn, TokenReading
from groundwire_verifier.engine.queue.predictions import BELIEVED_S, MIN_STEPS, Predictions
from tests.scripted import WAIT_LIMIT_S, ScriptedEngine

A_TOKEN_S = 0.01


class OneByOne(ScriptedEngine):
    """Takes one prompt at a time into the step that runs and one into the next."""

    def __init__(self) -> None:
        super().__init__()
        self.step_prompts = 1
        self.priorities: list[int] = []

    async def read(
        self,
        prompt_ids: Sequence[int],
        wanted_ids: Sequence[int],
        trace_headers: Mapping[str, str],
        turn: EngineTurn,
        cache_salt: str,
    ) -> TokenReading:
        self.priorities.append(turn.priority)
        return await super().read(prompt_ids, wanted_ids, trace_headers, turn, cache_salt)


@pytest.fixture
def engine() -> OneByOne:
    return OneByOne()


@pytest.fixture
def dispatcher(engine: OneByOne) -> Dispatcher:
    return Dispatcher(engine, [ord("y"), ord("n")], Predictions())


@pytest.fixture
def timed(engine: OneByOne) -> Dispatcher:
    """One that knows how long a token takes."""
    predictions = Predictions()
    shown(predictions, A_TOKEN_S)
    return Dispatcher(engine, [ord("y"), ord("n")], predictions)


def shown(predictions: Predictions, token_s: float) -> None:
    """The engine's last steps took so long for each token."""
    steps = 100 * MIN_STEPS
    began_s = time.monotonic() - steps * 100 * token_s
    predictions.begin(began_s)
    for step in range(steps):
        predictions.done(100, began_s + (step + 1) * 100 * token_s)


def prompts(name: str, count: int, tokens: int = 20) -> list[Prompt]:
    """Prompts that share nothing; a claim is the name and the number."""
    found = []
    for i in range(count):
        claim = f"{name}{i}"
        text = f"{name}{i}".ljust(tokens - 8 - len(claim), ".") + f"\nClaim: {claim}"
        found.append(Prompt(tuple(map(ord, text)), len(claim), 4))
    return found


def begin(
    dispatcher: Dispatcher, asked: list[Prompt], urgency: Urgency = WHENEVER
) -> "asyncio.Task[list[int]]":
    async def read() -> list[int]:
        told: list[int] = []
        await dispatcher.read(asked, {}, urgency, lambda i, _: told.append(i))
        return told

    return asyncio.create_task(read())


async def long_under_way(
    dispatcher: Dispatcher, engine: OneByOne, deadline_s: float
) -> "asyncio.Task[list[int]]":
    """A call of three prompts, of which the engine holds as many as it takes."""
    engine.hold()
    long = begin(dispatcher, prompts("a", 3, tokens=100), due_in(4.0, deadline_s))
    await engine.until(lambda: len(engine.claims) == 2)
    return long


async def before_all_others(dispatcher: Dispatcher, engine: OneByOne) -> "asyncio.Task[list[int]]":
    """A call that ranks first and waits in the engine."""
    engine.hold()
    engine.claims.clear()
    first = begin(dispatcher, prompts("first", 1), due_in(0.0, deadline_s=60.0))
    await engine.until(lambda: engine.claims == ["first0"])
    return first


def due_in(seconds: float, deadline_s: float = math.inf) -> Urgency:
    now_s = time.monotonic()
    return Urgency(now_s + seconds, seconds, now_s + deadline_s)


async def test_what_is_due_first_is_read_first(dispatcher: Dispatcher, engine: OneByOne) -> None:
    engine.hold()
    long = begin(dispatcher, prompts("long", 4), due_in(10.0))
    await engine.until(lambda: len(engine.claims) == 2)
    short = begin(dispatcher, prompts("short", 1), due_in(1.0))
    await asyncio.sleep(0)
    engine.release()
    await asyncio.gather(long, short)
    assert engine.claims == ["long0", "long1", "short0", "long2", "long3"]
    assert engine.priorities[2] < min(engine.priorities[0], engine.priorities[3])


async def test_what_is_urgent_passes_an_engine_that_is_full(
    dispatcher: Dispatcher, engine: OneByOne
) -> None:
    engine.hold()
    engine.step_prompts = 1
    long = begin(dispatcher, prompts("long", 9), due_in(10.0))
    await engine.until(lambda: len(engine.claims) == 2)
    short = begin(dispatcher, prompts("short", 1), due_in(1.0))
    await engine.until(lambda: "short0" in engine.claims)
    engine.release()
    await asyncio.gather(long, short)


async def test_a_short_call_passes_a_long_one_that_is_nearly_due(
    dispatcher: Dispatcher, engine: OneByOne
) -> None:
    engine.hold()
    engine.step_prompts = 1
    now_s = time.monotonic()
    long = begin(dispatcher, prompts("long", 4), Urgency(now_s + 0.1, slack_s=6.9))
    await engine.until(lambda: len(engine.claims) == 2)
    short = begin(dispatcher, prompts("short", 1), Urgency(now_s + 0.6, slack_s=0.6))
    await engine.until(lambda: "short0" in engine.claims)
    assert engine.claims == ["long0", "long1", "short0"]
    engine.release()
    await asyncio.gather(long, short)


async def test_the_engine_gets_no_more_than_it_needs(
    dispatcher: Dispatcher, engine: OneByOne
) -> None:
    engine.hold()
    engine.step_prompts, engine.step_tokens = 100, 30
    task = begin(dispatcher, prompts("a", 20, tokens=20))
    await engine.until(lambda: len(engine.claims) > 0)
    await asyncio.sleep(0.01)
    # Of 20 tokens each, three fill two steps of 30 tokens.
    assert len(engine.claims) == 3
    engine.release()
    await task


async def test_who_leaves_takes_what_waits_along(dispatcher: Dispatcher, engine: OneByOne) -> None:
    engine.hold()
    gone, stays = begin(dispatcher, prompts("gone", 5)), begin(dispatcher, prompts("stays", 2))
    await engine.until(lambda: len(engine.claims) == 2)
    gone.cancel()
    await asyncio.gather(gone, return_exceptions=True)
    engine.release()
    assert len(await stays) == 2
    assert engine.claims == ["gone0", "gone1", "stays0", "stays1"]
    assert engine.cancelled == 2


async def test_an_error_ends_its_own_call_only(dispatcher: Dispatcher, engine: OneByOne) -> None:
    engine.errors["bad1"] = BackendFailedError("broken")
    bad, good = begin(dispatcher, prompts("bad", 3)), begin(dispatcher, prompts("good", 3))
    with pytest.raises(BackendFailedError, match="broken"):
        await bad
    assert len(await good) == 3


async def test_a_call_that_cannot_be_in_time_is_refused_before_it_is_read(
    timed: Dispatcher, engine: OneByOne
) -> None:
    with pytest.raises(DeadlineUnreachableError, match="about 2") as refused:
        await begin(timed, prompts("a", 1, tokens=200), due_in(0.5, deadline_s=1.0))
    assert refused.value.retry_s is None
    assert engine.claims == []
    assert timed.predictions.refused == 1


async def test_a_short_call_is_let_in_at_the_risk_of_a_long_one(
    timed: Dispatcher, engine: OneByOne
) -> None:
    long = await long_under_way(timed, engine, deadline_s=4.0)
    short = begin(timed, prompts("c", 1, tokens=100), due_in(2.5, deadline_s=2.5))
    await engine.until(lambda: "c0" in engine.claims)
    engine.release()
    await asyncio.gather(long, short)


async def test_what_is_cached_costs_little(timed: Dispatcher, engine: OneByOne) -> None:
    asked = prompts("a", 1, tokens=200)
    await begin(timed, asked)
    first = await before_all_others(timed, engine)
    again = begin(timed, asked, due_in(0.5, deadline_s=1.0))
    with pytest.raises(DeadlineUnreachableError):
        await begin(timed, prompts("b", 1, tokens=200), due_in(0.5, deadline_s=1.0))
    engine.release()
    assert await again == [0]
    await first


async def test_a_call_that_passes_all_others_is_let_in_whatever_they_took(
    timed: Dispatcher, engine: OneByOne
) -> None:
    long = await long_under_way(timed, engine, deadline_s=60.0)
    shown(timed.predictions, 100 * A_TOKEN_S)
    short = begin(timed, prompts("b", 1), due_in(1.0, deadline_s=1.0))
    await engine.until(lambda: "b0" in engine.claims)
    engine.release()
    await asyncio.gather(long, short)


async def test_what_an_idle_engine_has_shown_long_ago_refuses_nobody(timed: Dispatcher) -> None:
    asked = prompts("a", 1, tokens=200)
    with pytest.raises(DeadlineUnreachableError):
        await begin(timed, asked, due_in(0.5, deadline_s=1.0))
    timed.predictions.begin(time.monotonic() - 2 * BELIEVED_S)
    assert await begin(timed, asked, due_in(0.5, deadline_s=1.0)) == [0]


async def test_the_predicted_wait_is_that_of_all_tokens_in_the_server(
    timed: Dispatcher, engine: OneByOne
) -> None:
    assert timed.predicted_wait_s() == 0.0
    long = await long_under_way(timed, engine, deadline_s=60.0)

    # Three prompts of 100 tokens, of which one waits here and two are in the engine.
    assert timed.predicted_wait_s() == pytest.approx(3 * 100 * A_TOKEN_S, rel=0.05)
    engine.release()
    await long
    assert timed.predicted_wait_s() == 0.0


async def test_it_learns_from_what_the_engine_does(dispatcher: Dispatcher) -> None:
    for i in range(20):
        await begin(dispatcher, prompts(f"{i}-", 3))
    assert dispatcher.predictions.calls > 0
    assert dispatcher.predictions.actual_s > 0.0


@pytest.mark.parametrize("turns", range(5))
async def test_calls_that_are_given_up_together_leave_the_engine_to_the_next(
    dispatcher: Dispatcher, engine: OneByOne, turns: int
) -> None:
    engine.hold()
    calls = [begin(dispatcher, prompts(f"{name}-", 3)) for name in "abcd"]
    await engine.until(lambda: len(engine.claims) == 2)
    engine.release()
    # In one of these turns of the loop a prompt is through, and the next is given to the engine
    # just before its call is given up.
    for _ in range(turns):
        await asyncio.sleep(0)
    for call in calls:
        call.cancel()
    await asyncio.wait(calls)
    async with asyncio.timeout(WAIT_LIMIT_S):
        assert sorted(await begin(dispatcher, prompts("next", 4))) == [0, 1, 2, 3]

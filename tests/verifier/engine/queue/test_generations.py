"""What an engine writes: few texts at one time, behind reads, and none beyond its deadline."""

import asyncio
import functools
import math
import time

import pytest

from groundwire_verifier.domain.errors import DeadlineUnreachableError
from groundwire_verifier.domain.types import Instruction
from groundwire_verifier.domain.urgency import WHENEVER, Urgency
from groundwire_verifier.engine.queue import generations
from groundwire_verifier.engine.queue.dispatcher import turn_of
from groundwire_verifier.engine.queue.generations import AT_ONCE, MIN_TEXTS, Generations
from groundwire_verifier.engine.queue.predictions import Predictions
from tests.scripted import ScriptedEngine

NOTHING = Instruction(())
LONG_S = 1000.0


def due_in(seconds: float) -> Urgency:
    now_s = time.monotonic()
    return Urgency(now_s + 1.0, 1.0, now_s + seconds)


async def write(texts: Generations, prompt: str, urgency: Urgency = WHENEVER) -> tuple[int, ...]:
    return await texts.write(list(map(ord, prompt)), 4, {}, urgency, NOTHING)


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine()


@pytest.fixture
def texts(engine: ScriptedEngine) -> Generations:
    return Generations(engine, Predictions())


async def test_a_few_are_written_at_one_time_and_then_the_most_urgent(
    engine: ScriptedEngine, texts: Generations
) -> None:
    engine.hold()
    first = [asyncio.create_task(write(texts, f"{i}", due_in(LONG_S))) for i in range(AT_ONCE)]
    await engine.until(lambda: len(engine.written) == AT_ONCE)
    late = asyncio.create_task(write(texts, "late"))
    urgent = asyncio.create_task(write(texts, "urgent", due_in(LONG_S)))
    await asyncio.sleep(0)
    assert len(engine.written) == AT_ONCE
    engine.release()
    await asyncio.gather(*first, late, urgent)
    assert engine.written[AT_ONCE:] == ["urgent", "late"]


async def test_texts_that_nobody_waits_for_leave_half_of_the_places_to_others(
    engine: ScriptedEngine, texts: Generations
) -> None:
    engine.hold()
    # As the passages of a long output in the background, whose time is bounded.
    background = Urgency(math.inf, 0.0, time.monotonic() + LONG_S)
    later = [asyncio.create_task(write(texts, "later", background)) for _ in range(4 * AT_ONCE)]
    await engine.until(lambda: len(engine.written) == AT_ONCE // 2)
    urgent = asyncio.create_task(write(texts, "urgent", due_in(LONG_S)))
    await engine.until(lambda: "urgent" in engine.written)
    assert engine.written == ["later"] * (AT_ONCE // 2) + ["urgent"]
    engine.release()
    await asyncio.gather(urgent, *later)


async def test_every_read_that_somebody_waits_for_goes_before(
    engine: ScriptedEngine, texts: Generations
) -> None:
    urgency = due_in(LONG_S)
    await write(texts, "a text", urgency)
    (turn,) = engine.turns
    assert turn.priority > turn_of(urgency.rank_s + LONG_S, 1.0).priority


async def test_no_step_is_made_small_for_a_text(engine: ScriptedEngine, texts: Generations) -> None:
    await write(texts, "a text", due_in(LONG_S))
    assert engine.turns[0].slack_s == float("inf")


async def test_it_is_stopped_at_the_deadline(engine: ScriptedEngine, texts: Generations) -> None:
    engine.stuck_writing = True
    with pytest.raises(DeadlineUnreachableError):
        await write(texts, "a text", due_in(0.02))
    assert engine.cancelled == 1


async def test_the_wait_for_a_place_ends_at_the_deadline_too(
    engine: ScriptedEngine, texts: Generations
) -> None:
    engine.hold()
    first = [asyncio.create_task(write(texts, f"{i}", due_in(LONG_S))) for i in range(AT_ONCE)]
    await engine.until(lambda: len(engine.written) == AT_ONCE)
    with pytest.raises(DeadlineUnreachableError):
        await write(texts, "a text", due_in(0.02))
    engine.release()
    await asyncio.gather(*first)
    assert "a text" not in engine.written


async def test_what_would_be_late_does_not_begin(
    engine: ScriptedEngine, texts: Generations, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.stuck_writing = True
    for _ in range(MIN_TEXTS):
        with pytest.raises(DeadlineUnreachableError):
            await write(texts, "a text", due_in(0.05))
    with pytest.raises(DeadlineUnreachableError):
        await write(texts, "another", due_in(0.02))
    assert "another" not in engine.written
    # What was learnt long ago may be wrong by now, and only a text can show that.
    monkeypatch.setattr(generations, "BELIEVED_S", 0.0)
    engine.stuck_writing = False
    await write(texts, "a trial", due_in(0.04))
    assert engine.written[-1] == "a trial"


async def test_a_text_without_a_deadline_is_never_refused(
    engine: ScriptedEngine, texts: Generations
) -> None:
    for i in range(MIN_TEXTS + 1):
        await write(texts, f"{i}")
    assert len(engine.written) == MIN_TEXTS + 1


def _has_begun(engine: ScriptedEngine, times: int) -> bool:
    return engine.written.count("left") == times


async def test_a_caller_that_leaves_does_not_make_texts_look_fast(
    engine: ScriptedEngine, texts: Generations
) -> None:
    engine.stuck_writing = True
    for _ in range(MIN_TEXTS):
        with pytest.raises(DeadlineUnreachableError):
            await write(texts, "slow", due_in(0.05))
    for i in range(20):
        left = asyncio.create_task(write(texts, "left", due_in(LONG_S)))
        await engine.until(functools.partial(_has_begun, engine, i + 1))
        left.cancel()
    with pytest.raises(DeadlineUnreachableError):
        await write(texts, "another", due_in(0.02))
    assert "another" not in engine.written

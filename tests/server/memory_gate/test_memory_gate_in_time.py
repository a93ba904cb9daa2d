"""A decision comes in time whatever the backend does: slow, stuck, hung, dead, full, loading.

Most of these calls have no deadline: that they return at all is the gate's doing. No test here
looks at a clock.
"""

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Sequence

import pytest
from grpc import aio

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import memory_gate_pb2 as pb
from tests.scripted import (
    WAIT_LIMIT_S,
    CharacterTokenizer,
    Scripted,
    ScriptedEngine,
    reason_of,
    scripted_server,
)
from tests.scripted_services.detection import believes, documents
from tests.scripted_services.gate import SERVER_LOG, check, decisions_of, fact, lines_of, reasons_of

HEIGHT = "The tower is 330 m high."
TALL, HUGE = "It is tall.", "It is huge."
EVIDENCE = documents(HEIGHT)
SLOW_S = 0.1
ACCEPTED = pb.GATE_DECISION_ACCEPTED
UNVERIFIED = pb.GATE_DECISION_ACCEPTED_UNVERIFIED
GROUNDED = pb.GATE_REASON_GROUNDED
OUT_OF_TIME = pb.GATE_REASON_OUT_OF_TIME
OVERLOADED = pb.GATE_REASON_OVERLOADED
BACKEND_UNAVAILABLE = pb.GATE_REASON_BACKEND_UNAVAILABLE


@pytest.fixture
async def served() -> AsyncIterator[Scripted]:
    """A server whose engine is never through with one fact, as long as it lives."""
    async with scripted_server(memory_gate_enabled=True) as served:
        served.engine.answer = believes({TALL: HEIGHT})
        served.engine.stuck = {HUGE}
        yield served


@pytest.fixture
async def slow() -> AsyncIterator[Scripted]:
    """One prompt at a time, each SLOW_S, which the server has learnt."""
    engine = ScriptedEngine()
    # No prompt has a whole block, so that none is taken for cached.
    engine.block_tokens, engine.step_prompts, engine.read_s = 10_000, 1, SLOW_S
    async with scripted_server(memory_gate_enabled=True, engine=engine) as served:
        for i in range(8):
            await served.batch(f"warm {i}")
        yield served


async def test_a_fact_that_the_engine_is_not_through_with_passes_unverified(
    served: Scripted,
) -> None:
    response = await check(served, [fact(TALL), fact(HUGE, confidence=0.8)], EVIDENCE)
    assert decisions_of(response) == [ACCEPTED, UNVERIFIED]
    assert reasons_of(response) == [GROUNDED, OUT_OF_TIME]
    left = response.facts[1]
    assert left.confidence == 0.4
    assert left.verdict.verdict == detection_pb.VERDICT_NOT_VERIFIED
    assert "0.5 times its confidence" in left.reason_text


async def test_an_engine_that_answers_nothing_leaves_all_facts_unverified(
    served: Scripted,
) -> None:
    served.engine.hang()
    response = await check(served, [fact(TALL), fact(HUGE)], EVIDENCE)
    assert decisions_of(response) == [UNVERIFIED] * 2
    assert reasons_of(response) == [OUT_OF_TIME] * 2


async def test_one_piece_of_evidence_that_is_stuck_keeps_no_other_from_its_decision(
    served: Scripted,
) -> None:
    facts = [fact(HUGE, at=0), fact(TALL, at=1)]
    response = await check(served, facts, documents("A river."), EVIDENCE)
    assert decisions_of(response) == [UNVERIFIED, ACCEPTED]


async def test_a_deadline_of_the_caller_is_kept_with_decisions(served: Scripted) -> None:
    response = await check(served, [fact(TALL), fact(HUGE)], EVIDENCE, timeout_s=2.0)
    assert reasons_of(response) == [GROUNDED, OUT_OF_TIME]


async def test_the_operator_can_give_a_decision_less_time() -> None:
    async with scripted_server(memory_gate_enabled=True, hallucination_timeout="100ms") as served:
        # Well within the time that a decision has by default.
        served.engine.read_s = 0.5
        response = await check(served, [fact(TALL)], EVIDENCE)
    assert decisions_of(response) == [UNVERIFIED]


async def test_a_decision_that_is_due_leaves_nothing_in_the_engine(served: Scripted) -> None:
    await check(served, [fact(HUGE)], EVIDENCE, timeout_s=0.5)
    await served.engine.until(lambda: served.engine.cancelled == 2)
    await served.until_idle()


async def test_an_engine_that_dies_in_the_middle_leaves_the_decisions_that_are_known(
    served: Scripted,
) -> None:
    call = asyncio.ensure_future(check(served, [fact(TALL), fact(HUGE)], EVIDENCE))
    await served.engine.until(lambda: len(served.engine.prompts) == 4)
    await served.batch("what comes later is through, so the first fact is, too")
    served.engine.die()
    assert reasons_of(await call) == [GROUNDED, BACKEND_UNAVAILABLE]


async def test_an_engine_that_dies_before_anything_is_known_is_no_error(served: Scripted) -> None:
    call = asyncio.ensure_future(check(served, [fact(HUGE)], EVIDENCE))
    await served.engine.until(lambda: len(served.engine.prompts) == 2)
    served.engine.die()
    assert reasons_of(await call) == [BACKEND_UNAVAILABLE]
    assert reasons_of(await check(served, [fact(TALL)], EVIDENCE)) == [BACKEND_UNAVAILABLE]


async def test_a_model_that_is_loading_is_no_error() -> None:
    async with scripted_server(memory_gate_enabled=True, loaded=False) as served:
        response = await check(served, [fact(TALL, confidence=0.6)], EVIDENCE)
    assert reasons_of(response) == [BACKEND_UNAVAILABLE]
    assert response.facts[0].confidence == 0.3
    assert (response.run.model, response.run.backend) == ("", "local")


async def test_facts_that_come_behind_too_much_other_work_pass_unverified_at_once(
    slow: Scripted,
) -> None:
    # Single claims are due earlier than many facts.
    others = asyncio.gather(*(slow.batch(f"claim {i}") for i in range(30)))
    await slow.engine.until(lambda: slow.running.calls.admission.pending > 20)
    response = await check(slow, [fact(f"fact {i}") for i in range(4)], EVIDENCE)
    assert decisions_of(response) == [UNVERIFIED] * 4
    assert set(reasons_of(response)) == {OVERLOADED}
    assert not any(claim.startswith("fact ") for claim in slow.engine.claims)
    await others


async def test_facts_go_before_what_can_wait_longer(slow: Scripted) -> None:
    others = asyncio.gather(*(slow.batch(*(f"{k}, {i}" for i in range(20))) for k in range(3)))
    await slow.engine.until(lambda: "0, 0" in slow.engine.claims)
    response = await check(slow, [fact(f"fact {i}") for i in range(5)], EVIDENCE)
    assert UNVERIFIED not in decisions_of(response)
    assert not others.done()
    await others


async def test_of_more_facts_than_can_be_read_in_time_the_first_are_read(slow: Scripted) -> None:
    response = await check(slow, [fact(f"fact {i}") for i in range(40)], EVIDENCE)
    late = [reason == OUT_OF_TIME for reason in reasons_of(response)]
    assert late == sorted(late)
    assert 0 < late.count(False) < len(late)


async def test_facts_for_which_there_is_no_place_pass_unverified() -> None:
    async with scripted_server(
        memory_gate_enabled=True, max_claims=4, max_pending_claims=4
    ) as served:
        served.engine.hold()
        other = asyncio.ensure_future(served.batch("a", "b", "c"))
        await served.engine.until(lambda: len(served.engine.claims) == 3)
        response = await check(served, [fact(TALL), fact(HUGE)], EVIDENCE)
        served.engine.release()
        await other
    assert reasons_of(response) == [OVERLOADED] * 2


class StuckTokenizer(CharacterTokenizer):
    """Is never through with long texts until it is let go, in a thread that nobody can end."""

    def __init__(self) -> None:
        self.entered, self.go = threading.Event(), threading.Event()

    def encode_texts(self, texts: Sequence[str]) -> list[list[int]]:
        if any(len(text) > 4000 for text in texts):
            self.entered.set()
            self.go.wait(WAIT_LIMIT_S)
        return super().encode_texts(texts)


async def test_not_even_a_tokeniser_that_nobody_can_end_delays_a_decision() -> None:
    engine = ScriptedEngine(window_tokens=100_000)
    engine.tokenizer = tokenizer = StuckTokenizer()
    async with scripted_server(memory_gate_enabled=True, engine=engine) as served:
        evidence = documents(HEIGHT * 1000)
        response = await check(served, [fact(TALL)], evidence)
        assert reasons_of(response) == [OUT_OF_TIME]
        # The work goes on, and so it keeps its place.
        assert tokenizer.entered.is_set()
        assert served.running.calls.admission.pending == 1
        tokenizer.go.set()
        # With one thread a second piece of work comes after the first.
        await check(served, [fact(TALL)], evidence)
        assert served.running.calls.admission.pending == 0


async def test_a_server_that_stops_sends_its_callers_elsewhere(served: Scripted) -> None:
    served.running.calls.admission.draining = True
    with pytest.raises(aio.AioRpcError) as caught:
        await check(served, [fact(TALL)], EVIDENCE)
    assert reason_of(caught.value) == "DRAINING"


async def test_a_caller_that_leaves_takes_its_facts_out_of_the_engine(served: Scripted) -> None:
    call = asyncio.ensure_future(check(served, [fact(HUGE)], EVIDENCE))
    await served.engine.until(lambda: len(served.engine.prompts) == 2)
    call.cancel()
    await served.engine.until(lambda: served.engine.cancelled == 2)


async def test_facts_that_are_left_unverified_are_one_line_without_texts(
    served: Scripted, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, SERVER_LOG):
        await check(served, [fact(TALL), fact(HUGE, id="zebra")], EVIDENCE, timeout_s=0.5)
    assert lines_of(caplog) == ["out of time: 1 of 2 facts are unverified"]


async def test_a_bug_is_an_error_and_no_decision(served: Scripted) -> None:
    served.engine.errors = {TALL: ZeroDivisionError("a bug")}
    with pytest.raises(aio.AioRpcError) as caught:
        await check(served, [fact(TALL)], EVIDENCE)
    assert reason_of(caught.value) == "INTERNAL"


async def test_many_pieces_of_evidence_hold_no_other_call_up(served: Scripted) -> None:
    """What answers without the engine is answered many times while a thousand are planned."""
    pieces = [documents(f"{HEIGHT} {k} " + "It stands by the river. " * 30) for k in range(1000)]
    call = asyncio.ensure_future(check(served, [fact(TALL, at=k) for k in range(1000)], *pieces))
    turns = 0
    await served.engine.until(lambda: len(served.engine.prompts) > 0)
    while not call.done():
        await asyncio.wait_for(served.info(), WAIT_LIMIT_S)
        turns += 1
    assert turns > 10
    assert len((await call).facts) == 1000

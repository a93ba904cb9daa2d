"""The post-hoc check of AuditTrace on a real server with a scripted engine."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
from grpc import aio

from groundwire.v1 import trace_audit_pb2 as pb
from groundwire_verifier.checks.traces.derivation import MAX_ANSWER_TOKENS
from tests.scripted import Scripted
from tests.scripted_services.detection import believes
from tests.scripted_services.traces import (
    EVIDENCE_OF,
    MARKER,
    PRICE,
    READ_PRICE,
    STEPS,
    THREE,
    TOTAL,
    audit,
    auditing,
    contexts_of,
    post_hoc,
    statuses,
)

QUESTION = "What do three tickets with a guide cost?"
ANSWER, OTHER = "41 dollars", "46 dollars"
CLAIM = f"Question: {QUESTION} Answer: {ANSWER}"
VALUE = f"The answer is {ANSWER}."
TRIALS = {
    "How many balls": "7",
    "Verin council": "The seat is in Melk Harbour.",
    "taller than": "no",
    "two tickets": "$30",
    "kept by the keeper": "Ada Moreno",
    "second bridge": "200 m",
}


def writes(text: str, *, failed_trials: int = 0) -> Callable[[str], str]:
    """A model that writes this after a trace, and all but some of the trials' answers."""
    right = dict(list(TRIALS.items())[failed_trials:])

    def write(prompt: str) -> str:
        is_trial = any(mark in prompt for mark in TRIALS)
        return next((a for mark, a in right.items() if mark in prompt), "?" if is_trial else text)

    return write


@pytest.fixture
async def reading() -> AsyncIterator[Scripted]:
    async with auditing() as served:
        served.engine.answer = believes({**EVIDENCE_OF, CLAIM: TOTAL, VALUE: TOTAL})
        yield served


@pytest.fixture
async def writing() -> AsyncIterator[Scripted]:
    async with auditing("generation") as served:
        served.engine.answer = believes(EVIDENCE_OF)
        yield served


async def test_the_answer_is_read_with_the_steps_and_without(reading: Scripted) -> None:
    response = await audit(reading, question=QUESTION, answer=ANSWER)
    assert post_hoc(response) == ("FOLLOWS", "STEPS_SUPPORT", "READ")
    assert response.sound
    with_steps, without = contexts_of(reading, CLAIM)
    assert all(step in with_steps and step not in without for step in STEPS)
    assert PRICE not in with_steps
    assert without.count(MARKER) == len(STEPS)
    assert response.post_hoc.verdict.posterior.probability > 0.9


async def test_an_answer_that_the_steps_do_not_lead_to_is_found(reading: Scripted) -> None:
    response = await audit(reading, question=QUESTION, answer=OTHER)
    assert statuses(response) == ["ENTAILED"] * 3
    assert post_hoc(response) == ("MISMATCH", "STEPS_DO_NOT_SUPPORT", "READ")
    assert not response.sound


async def test_an_answer_that_is_only_named_on_the_way_is_found(reading: Scripted) -> None:
    named = "The answer is 36 dollars."
    on_the_way = f"Question: {QUESTION} Answer: 36 dollars"
    steps = (READ_PRICE, "Three tickets: 3 x 12 = 36 dollars.", "With a guide 36 + 5 = 41 dollars.")
    reading.engine.answer = believes({on_the_way: READ_PRICE})
    response = await audit(reading, steps, question=QUESTION, answer="36 dollars")
    assert post_hoc(response) == ("MISMATCH", "OTHER_CONCLUSION", "READ")
    # Of a calculation the conclusion is its result.
    assert "41 dollars." in contexts_of(reading, named)[0]
    assert "36 + 5" not in contexts_of(reading, named)[0]


async def test_a_bare_yes_says_nothing_without_its_question(reading: Scripted) -> None:
    await audit(reading, question="Is it dear?", answer="Yes.")
    assert "Question: Is it dear? Answer: Yes." in reading.engine.claims
    assert not any(claim.startswith("The answer is") for claim in reading.engine.claims)


async def test_an_answer_in_sentences_may_sum_up_several_steps(reading: Scripted) -> None:
    answer = "It is 12 dollars for one, and 41 for all."
    reading.engine.answer = believes({**EVIDENCE_OF, answer: READ_PRICE})
    response = await audit(reading, answer=answer)
    assert post_hoc(response)[0] == "FOLLOWS"


@pytest.mark.parametrize(
    ("answer", "claim"),
    [
        ("41 dollars", "The answer is 41 dollars."),
        ("41 שקלים", "התשובה היא 41 שקלים."),
        ("All of it is 41 dollars.", "All of it is 41 dollars."),
    ],
)
async def test_without_a_question_a_value_is_read_as_the_answer(
    reading: Scripted, answer: str, claim: str
) -> None:
    await audit(reading, answer=answer)
    assert claim in reading.engine.claims


async def test_the_model_writes_the_answer_from_the_steps_alone(writing: Scripted) -> None:
    writing.engine.write = writes("It is $41.00")
    response = await audit(writing, question=QUESTION, answer=ANSWER)
    assert post_hoc(response) == ("FOLLOWS", "SAME_ANSWER", "GENERATION")
    assert response.post_hoc.derived_answer == "It is $41.00"
    assert response.sound
    (prompt,) = writing.engine.written
    assert all(step in prompt for step in STEPS)
    assert QUESTION in prompt
    assert PRICE not in prompt


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("46 dollars", "OTHER_ANSWER"),
        ("UNKNOWN.", "NO_ANSWER_DERIVED"),
        (" \n", "NO_ANSWER_DERIVED"),
    ],
)
async def test_another_derived_answer_or_none_is_a_mismatch(
    writing: Scripted, written: str, reason: str
) -> None:
    writing.engine.write = writes(written)
    response = await audit(writing, question=QUESTION, answer=ANSWER)
    assert post_hoc(response) == ("MISMATCH", reason, "GENERATION")
    assert not response.sound


async def test_what_is_written_is_bounded() -> None:
    written = "41 dollars and so on" * MAX_ANSWER_TOKENS
    async with auditing("generation") as served:
        served.engine.write = writes(written)
        response = await audit(served, answer=ANSWER)
    # Of the scripted model a character is a token.
    assert response.post_hoc.derived_answer == written[:MAX_ANSWER_TOKENS]


async def test_steps_that_assert_nothing_lead_to_no_answer(writing: Scripted) -> None:
    response = await audit(writing, ("I need to find the price.",), answer=ANSWER)
    assert post_hoc(response) == ("MISMATCH", "NO_ANSWER_DERIVED", "UNSPECIFIED")
    assert writing.engine.written == []


async def test_plans_are_no_steps_to_derive_from(writing: Scripted) -> None:
    plan = "I need to find the price."
    await audit(writing, (plan, *STEPS), answer=ANSWER)
    assert plan not in writing.engine.written[0]


async def test_a_model_that_derives_what_is_known_is_trusted_to() -> None:
    async with auditing("auto") as served:
        served.engine.write = writes(ANSWER, failed_trials=1)
        first = await audit(served, answer=ANSWER)
        tried = len(served.engine.written)
        second = await audit(served, answer=ANSWER)
        assert len(served.engine.written) == tried + 1
    assert post_hoc(first) == post_hoc(second) == ("FOLLOWS", "SAME_ANSWER", "GENERATION")


async def test_a_model_that_does_not_is_asked_instead() -> None:
    async with auditing("auto") as served:
        served.engine.answer = believes({**EVIDENCE_OF, CLAIM: TOTAL, VALUE: TOTAL})
        served.engine.write = writes("YES", failed_trials=2)
        response = await audit(served, question=QUESTION, answer=ANSWER)
        await audit(served, question=QUESTION, answer=ANSWER)
        assert len(served.engine.written) == 2
    assert post_hoc(response) == ("FOLLOWS", "STEPS_SUPPORT", "READ")


async def test_a_call_that_leaves_during_the_trial_does_not_end_it() -> None:
    async with auditing("auto") as served:
        served.engine.write = writes(ANSWER)
        served.engine.hold()
        call = asyncio.create_task(audit(served, answer=ANSWER))
        await served.engine.until(
            lambda: len(served.engine.written) == 1 and len(served.engine.prompts) == 2 * len(STEPS)
        )
        call.cancel()
        await served.engine.until(lambda: served.engine.cancelled > 0)
        served.engine.release()
        response = await audit(served, answer=ANSWER)
    assert post_hoc(response)[2] == "GENERATION"
    assert len(served.engine.written) == len(TRIALS) + 1


async def test_a_request_or_a_setting_can_leave_the_check_out(reading: Scripted) -> None:
    response = await audit(reading, answer=ANSWER, check_post_hoc=False)
    assert post_hoc(response) == ("NOT_CHECKED", "NOT_ASKED", "UNSPECIFIED")
    assert response.sound
    async with auditing(trace_auditing_check_post_hoc=False) as off:
        off.engine.answer = reading.engine.answer
        assert post_hoc(await audit(off, answer=ANSWER))[1] == "NOT_ASKED"
        asked = await audit(off, question=QUESTION, answer=ANSWER, check_post_hoc=True)
        assert post_hoc(asked)[0] == "FOLLOWS"


async def test_the_answer_is_checked_without_evidence_too(reading: Scripted) -> None:
    response = await audit(reading, evidence=None, question=QUESTION, answer=ANSWER)
    assert post_hoc(response)[0] == "FOLLOWS"


async def test_a_check_out_of_time_is_not_passed(writing: Scripted) -> None:
    writing.engine.write = writes(ANSWER)
    writing.engine.stuck_writing = True
    response = await audit(writing, answer=ANSWER, timeout_s=2.5)
    assert statuses(response) == ["ENTAILED"] * 3
    assert post_hoc(response) == ("NOT_CHECKED", "OUT_OF_TIME", "UNSPECIFIED")
    assert not response.sound


async def test_an_answer_that_cannot_be_read_is_not_passed(reading: Scripted) -> None:
    answer = f"It costs {'very ' * 150}much."
    response = await audit(reading, answer=answer)
    assert post_hoc(response) == ("NOT_CHECKED", "UNREADABLE", "READ")
    assert not response.sound


async def test_what_is_written_is_kept_under_the_callers_salt() -> None:
    async with auditing("generation", auth_token="secret-token") as served:
        served.engine.write = writes(ANSWER)
        request = pb.AuditTraceRequest(steps=[READ_PRICE, THREE], answer=ANSWER)
        path = "/groundwire.v1.TraceAudit/AuditTrace"
        call: aio.UnaryUnaryMultiCallable[bytes, bytes] = served.channel.unary_unary(path)
        await call(
            request.SerializeToString(), metadata=(("authorization", "Bearer secret-token"),)
        )
        assert served.engine.cache_salts[-1]
        assert "secret" not in served.engine.cache_salts[-1]

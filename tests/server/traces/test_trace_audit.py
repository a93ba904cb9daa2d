"""AuditTrace on a real server with a scripted engine: the steps of a trace, and their evidence."""

import asyncio
import re
import urllib.request
from collections.abc import AsyncIterator, Sequence

import pytest
from grpc import StatusCode, aio

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import trace_audit_pb2 as pb
from groundwire_verifier.domain.errors import BackendFailedError
from groundwire_verifier.domain.types import Prompt, Question
from tests.scripted import Scripted, reason_of, scripted_server, violations_of
from tests.scripted_services.detection import BELIEVED, DOUBTED, believes
from tests.scripted_services.traces import (
    EVIDENCE,
    EVIDENCE_OF,
    GUIDE,
    MARKER,
    PRICE,
    READ_PRICE,
    STEPS,
    THREE,
    TOTAL,
    WRONG_PRICE,
    audit,
    auditing,
    contexts_of,
    reasons,
    statuses,
    stub_of,
)


@pytest.fixture
async def served() -> AsyncIterator[Scripted]:
    async with auditing() as served:
        served.engine.answer = believes(EVIDENCE_OF, frozenset({WRONG_PRICE}))
        yield served


async def test_the_service_is_off_until_it_is_switched_on() -> None:
    async with scripted_server() as served:
        with pytest.raises(aio.AioRpcError) as caught:
            await audit(served)
    assert caught.value.code() is StatusCode.FAILED_PRECONDITION
    assert reason_of(caught.value) == "NOT_ENABLED"
    assert "trace_auditing_enabled" in str(caught.value.details())


async def test_steps_are_carried_by_the_context_and_by_the_steps_before(served: Scripted) -> None:
    response = await audit(served)
    assert statuses(response) == ["ENTAILED"] * 3
    assert not response.HasField("first_unsupported_step")
    assert response.sound


async def test_the_operator_bounds_the_time_of_an_audit() -> None:
    async with auditing(hallucination_timeout="3s") as served:
        served.engine.answer = believes(EVIDENCE_OF)
        served.engine.stuck = {TOTAL}
        response = await audit(served)
    assert statuses(response) == ["ENTAILED", "ENTAILED", "UNVERIFIABLE"]
    assert reasons(response)[2] == "OUT_OF_TIME"


async def test_each_step_has_its_claim_with_p1_p0_and_budget(served: Scripted) -> None:
    response = await audit(served)
    assert [step.content for step in response.steps] == list(STEPS)
    for step in response.steps:
        assert step.claims == 1
        assert step.verdict.posterior.probability > step.verdict.prior.probability
        assert step.verdict.budget.observed_bits >= step.verdict.budget.required_bits
        assert step.reason_text == step.verdict.reason_text


async def test_the_first_step_that_leaves_the_evidence_is_named(served: Scripted) -> None:
    made_up = "A dog is free."
    response = await audit(served, (READ_PRICE, made_up, WRONG_PRICE, THREE))
    assert statuses(response) == ["ENTAILED", "NOT_IN_CONTEXT", "CONTRADICTED", "ENTAILED"]
    assert response.first_unsupported_step == 1
    assert not response.sound


async def test_what_rests_on_a_step_that_is_not_entailed_is_not_either(served: Scripted) -> None:
    response = await audit(served, (WRONG_PRICE, "Then three are 45 dollars.", TOTAL))
    assert statuses(response) == ["CONTRADICTED", "NOT_IN_CONTEXT", "NOT_IN_CONTEXT"]
    # In the end it was judged as if the steps before it were not there.
    assert set(contexts_of(served, WRONG_PRICE)) <= set(contexts_of(served, TOTAL))


async def test_what_is_believed_without_the_evidence_is_not_in_it(served: Scripted) -> None:
    served.engine.answer = lambda _: BELIEVED
    response = await audit(served, (READ_PRICE,))
    assert statuses(response) == ["NOT_IN_CONTEXT"]
    assert response.steps[0].verdict.reason == detection_pb.VERDICT_REASON_HIGH_PRIOR


async def test_the_prior_has_neither_the_context_nor_the_steps_before(served: Scripted) -> None:
    await audit(served)
    with_all, without = contexts_of(served, TOTAL)
    for text in (PRICE, GUIDE, READ_PRICE, THREE):
        assert text in with_all
        assert text not in without
    assert without.count(MARKER) == 4


async def test_steps_stand_behind_the_context_so_that_it_is_computed_once(served: Scripted) -> None:
    await audit(served)
    firsts = [contexts_of(served, step)[0] for step in STEPS]
    assert firsts[0] in firsts[1]
    assert firsts[1] in firsts[2]


async def test_the_ids_of_steps_are_none_of_the_callers_own(served: Scripted) -> None:
    source = detection_pb.Source(id="T1", document=detection_pb.Document(text=PRICE))
    response = await audit(served, evidence=detection_pb.Evidence(sources=[source]))
    assert statuses(response)[0] == "ENTAILED"
    assert "[TT1]" in contexts_of(served, THREE)[0]


async def test_plans_and_questions_assert_nothing_and_harm_no_trace(served: Scripted) -> None:
    steps = ("I need to find the price first.", "What is a ticket?", READ_PRICE)
    response = await audit(served, steps)
    assert statuses(response) == ["UNVERIFIABLE", "UNVERIFIABLE", "ENTAILED"]
    assert reasons(response) == ["PLAN", "NON_ASSERTIVE", "UNSPECIFIED"]
    kind = response.steps[1].non_assertive_reason
    assert kind == detection_pb.NON_ASSERTIVE_REASON_QUESTION
    assert "a question" in response.steps[1].reason_text
    assert response.sound
    assert all(steps[0] not in prompt for prompt in served.engine.prompts)


async def test_a_trace_that_asserts_nothing_is_not_sound(served: Scripted) -> None:
    response = await audit(served, ("What is a ticket?",))
    assert not response.sound
    assert response.rounds == 0


async def test_a_step_is_as_good_as_the_weakest_of_its_claims(served: Scripted) -> None:
    response = await audit(served, (f"Let me see. {READ_PRICE} {WRONG_PRICE} A dog is free.",))
    (step,) = response.steps
    assert (statuses(response), step.claims, step.content) == (["CONTRADICTED"], 3, WRONG_PRICE)


async def test_a_step_that_the_model_does_not_answer_is_unverifiable(served: Scripted) -> None:
    served.engine.answer = lambda prompt: (0.001, 0.001) if THREE in prompt else BELIEVED
    response = await audit(served, (THREE,))
    assert reasons(response) == ["LABEL_MASS_BELOW_FLOOR"]
    assert not response.sound


async def test_a_step_with_too_many_tokens_is_unverifiable(served: Scripted) -> None:
    response = await audit(
        served, (f"The ticket {'very ' * 150}nice costs 12 dollars.", READ_PRICE)
    )
    assert reasons(response) == ["TOO_LONG", "UNSPECIFIED"]
    assert not response.sound


async def test_all_steps_are_read_at_once_where_all_hold(served: Scripted) -> None:
    served.engine.hold()
    work = asyncio.create_task(audit(served))
    await served.engine.until(lambda: len(served.engine.prompts) >= 2 * len(STEPS))
    served.engine.release()
    assert (await work).rounds == 1


async def test_only_what_a_wrong_step_was_evidence_for_is_read_again(served: Scripted) -> None:
    response = await audit(served, (READ_PRICE, WRONG_PRICE, THREE, TOTAL))
    assert statuses(response) == ["ENTAILED", "CONTRADICTED", "ENTAILED", "ENTAILED"]
    assert response.rounds == 2
    assert len(contexts_of(served, READ_PRICE)) == 2
    assert len(contexts_of(served, WRONG_PRICE)) == 2
    assert len(contexts_of(served, TOTAL)) == 4


async def test_without_evidence_no_step_is_judged(served: Scripted) -> None:
    response = await audit(served, evidence=None, answer="41 dollars")
    assert reasons(response) == ["NO_EVIDENCE"] * 3
    assert not response.HasField("first_unsupported_step")
    assert not response.sound


async def test_usage_counts_every_reading_once(served: Scripted) -> None:
    response = await audit(served)
    usage = response.run.usage
    assert usage.distinct_prompts == len(served.engine.prompts) == 2 * len(STEPS)
    assert 0 < usage.minimal_tokens <= usage.prompt_tokens
    assert response.run.model
    assert response.run.backend == "local"


async def test_questions_in_the_evidence_are_listed_and_left_out_on_demand(
    served: Scripted,
) -> None:
    asked = detection_pb.Evidence(context=f"{PRICE} Is it dear?")
    response = await audit(served, evidence=asked)
    assert len(response.run.non_evidence) == 1
    options = detection_pb.VerifyOptions(skip_non_evidence=True)
    response = await audit(served, evidence=asked, options=options)
    assert response.run.skip_non_evidence
    assert "Is it dear?" not in served.engine.prompts[-1]


async def test_a_call_out_of_time_is_answered_with_the_steps_that_are_judged(
    served: Scripted,
) -> None:
    served.engine.stuck = {TOTAL}
    response = await audit(served, timeout_s=2.5)
    assert statuses(response) == ["ENTAILED", "ENTAILED", "UNVERIFIABLE"]
    assert reasons(response)[2] == "OUT_OF_TIME"
    assert not response.sound


async def test_what_was_judged_by_a_step_that_nobody_read_is_not_known(served: Scripted) -> None:
    served.engine.stuck = {THREE}
    response = await audit(served, timeout_s=2.5)
    assert reasons(response) == ["UNSPECIFIED", "OUT_OF_TIME", "OUT_OF_TIME"]


async def test_an_engine_that_fails_leaves_what_was_judged(served: Scripted) -> None:
    served.engine.errors = {TOTAL: BackendFailedError("the engine died")}
    response = await audit(served)
    assert statuses(response) == ["ENTAILED", "ENTAILED", "UNVERIFIABLE"]
    assert reasons(response)[2] == "BACKEND_FAILED"
    assert not response.sound


async def test_an_engine_that_fails_between_two_rounds_leaves_the_first(
    served: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    encode = served.backend.encode

    async def until_it_fails(questions: Sequence[Question]) -> list[Prompt]:
        if served.engine.prompts:
            raise BackendFailedError("the engine died")
        return await encode(questions)

    monkeypatch.setattr(served.backend, "encode", until_it_fails)
    response = await audit(served, (READ_PRICE, WRONG_PRICE, THREE))
    assert statuses(response) == ["ENTAILED", "CONTRADICTED", "UNVERIFIABLE"]
    assert reasons(response)[2] == "BACKEND_FAILED"


async def test_an_engine_that_fails_before_all_is_an_error(served: Scripted) -> None:
    served.engine.hold()
    work = asyncio.create_task(audit(served))
    await served.engine.until(lambda: len(served.engine.prompts) > 0)
    served.engine.die()
    with pytest.raises(aio.AioRpcError) as caught:
        await work
    assert reason_of(caught.value) == "ENGINE_FAILED"


async def test_a_cancelled_call_stops_its_readings_and_gives_its_places_back(
    served: Scripted,
) -> None:
    served.engine.hold()
    work = asyncio.create_task(audit(served))
    await served.engine.until(lambda: len(served.engine.prompts) >= 2 * len(STEPS))
    work.cancel()
    await served.engine.until(lambda: served.engine.cancelled >= 2 * len(STEPS))
    served.engine.release()
    assert (await audit(served)).sound
    assert served.running.calls.admission.pending == 0


@pytest.mark.parametrize(
    ("field", "reason", "request_"),
    [
        ("steps", "EMPTY_BATCH", pb.AuditTraceRequest(evidence=EVIDENCE)),
        ("steps", "TOO_MANY_STEPS", pb.AuditTraceRequest(steps=["x"] * 101, evidence=EVIDENCE)),
        ("steps[1]", "EMPTY_TEXT", pb.AuditTraceRequest(steps=["x", " "], evidence=EVIDENCE)),
        ("steps[0]", "TEXT_TOO_LONG", pb.AuditTraceRequest(steps=["x" * 4001], evidence=EVIDENCE)),
        ("evidence", "INVALID_SOURCE", pb.AuditTraceRequest(steps=["x"])),
        (
            "answer",
            "TEXT_TOO_LONG",
            pb.AuditTraceRequest(steps=["x"], evidence=EVIDENCE, answer="x" * 4001),
        ),
        ("answer", "EMPTY_TEXT", pb.AuditTraceRequest(steps=["x"], evidence=EVIDENCE, answer=" ")),
        (
            "question",
            "TEXT_TOO_LONG",
            pb.AuditTraceRequest(steps=["x"], evidence=EVIDENCE, question="x" * 1001),
        ),
        (
            "options.backend",
            "UNKNOWN_BACKEND",
            pb.AuditTraceRequest(
                steps=["x"], evidence=EVIDENCE, options=detection_pb.VerifyOptions(backend="no")
            ),
        ),
    ],
)
async def test_bad_traces_are_refused_with_their_field(
    served: Scripted, field: str, reason: str, request_: pb.AuditTraceRequest
) -> None:
    with pytest.raises(aio.AioRpcError) as caught:
        await stub_of(served).AuditTrace(request_)
    assert list(violations_of(caught.value)) == [field]
    assert reason_of(caught.value) == reason


async def test_more_claims_than_one_request_may_make_are_refused(served: Scripted) -> None:
    async with auditing(max_claims=3) as small:
        with pytest.raises(aio.AioRpcError) as caught:
            await audit(small, STEPS)
    assert reason_of(caught.value) == "TOO_MANY_CLAIMS"
    assert "3 claims" in violations_of(caught.value)["steps"]


async def test_evidence_that_would_have_to_be_made_too_often_is_refused() -> None:
    async with auditing(limits={"evidence_characters": 200}) as small:
        with pytest.raises(aio.AioRpcError) as caught:
            await audit(small, STEPS)
    assert list(violations_of(caught.value)) == ["steps"]


async def test_a_context_too_long_for_the_model_is_refused_whole() -> None:
    async with auditing(verify_read="whole") as served:
        with pytest.raises(aio.AioRpcError) as caught:
            await audit(served, evidence=detection_pb.Evidence(context="x " * 3000))
        assert served.engine.prompts == []
    assert reason_of(caught.value) == "CONTEXT_TOO_LONG"


async def test_steps_and_answers_are_counted_and_not_told() -> None:
    async with auditing(metrics_listen="127.0.0.1:0") as served:
        served.engine.answer = lambda _: DOUBTED
        await audit(served, answer="41 dollars")
        url = f"http://127.0.0.1:{served.running.metrics_port}/metrics"
        page = await asyncio.to_thread(_page, url)
    for name, status, count in (("steps", "CONTRADICTED", 3), ("answers", "MISMATCH", 1)):
        named = rf'^groundwire_trace_{name}_total{{.*status="{status}".*}} {count}'
        assert re.search(named, page, re.MULTILINE), page
    assert "ticket" not in page


def _page(url: str) -> str:
    with urllib.request.urlopen(url) as page:  # noqa: S310 - our own page
        return str(page.read().decode())

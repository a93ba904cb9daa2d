"""A server with a model that is asked by a profile: which way it reads, and what it refuses."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from grpc import StatusCode, aio

from groundwire.v1 import errors_pb2
from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1 import memory_gate_pb2 as gate_pb
from groundwire.v1 import output_verification_pb2 as output_pb
from groundwire_verifier.domain.types import Profile, Task
from tests.scripted import Scripted, reason_of, scripted_server
from tests.scripted_services import assessment, corpus, gate, outputs, traces
from tests.scripted_services.detection import documents, verify_claims

FACT, TRUE, FALSE = "The tower is 330 m high.", "The tower is high.", "The tower is low."
JUDGE = Profile(
    "judge",
    1,
    prompt="Document: {context}\nAssertion: {claim}\nSo? ",
    answer_prefix="<score>",
    yes=("yes", "Yes"),
    no=("no", "No"),
)
GUARD = replace(JUDGE, name="guard", inverted=True)
RERANKER = replace(JUDGE, name="reranker", task=Task.RELEVANCE)

Answer = Callable[[str], tuple[float, ...]]


def supports(prompt: str) -> tuple[float, ...]:
    """A judge: its yes says that the document has the claim. It gives P(yes) and P(no)."""
    assert prompt.endswith("\nSo? <score>")
    return (0.94, 0.02) if FACT in prompt and TRUE in prompt else (0.06, 0.9)


def finds_ungrounded(prompt: str) -> tuple[float, ...]:
    """A guard: its yes says that the document does not have the claim."""
    yes, no = supports(prompt)
    return no, yes


WAYS = [(JUDGE, supports), (GUARD, finds_ungrounded)]


async def refused(call: object) -> aio.AioRpcError:
    with pytest.raises(aio.AioRpcError) as caught:
        await call  # type: ignore[misc]
    assert caught.value.code() is StatusCode.FAILED_PRECONDITION
    assert reason_of(caught.value) == "UNSUPPORTED_BY_PROFILE"
    return caught.value


@pytest.mark.parametrize(("profile", "answer"), WAYS)
async def test_a_probability_is_of_the_claim_whichever_way_the_model_answers(
    profile: Profile, answer: Answer
) -> None:
    async with scripted_server(profile=profile) as served:
        served.engine.answer = answer
        response = await served.batch(TRUE, FALSE, context=FACT)
    assert [e.probability for e in response.estimates] == pytest.approx([0.94 / 0.96, 0.06 / 0.96])
    assert [e.label_mass for e in response.estimates] == pytest.approx([0.96, 0.96])
    assert response.prompt_version == f"{profile.name}/1"


@pytest.mark.parametrize(("profile", "answer"), WAYS)
async def test_verdicts_are_the_same_whichever_way_the_model_answers(
    profile: Profile, answer: Answer
) -> None:
    async with scripted_server(profile=profile) as served:
        served.engine.answer = answer
        found = await verify_claims(served, {TRUE: ("S0",), FALSE: ("S0",)}, documents(FACT))
    assert [v.verdict for v in found] == [pb.VERDICT_SUPPORTED, pb.VERDICT_UNSUPPORTED]
    # Whether the evidence contradicts it, the model cannot be asked.
    assert not found[1].HasField("stance")
    assert "UNSURE" not in "".join(served.engine.prompts)


async def test_a_guard_that_is_read_as_a_judge_supports_nothing_that_it_calls_grounded() -> None:
    """What the direction is for: the same answers, read the other way, turn round."""
    async with scripted_server(profile=replace(GUARD, inverted=False)) as served:
        served.engine.answer = finds_ungrounded
        response = await served.batch(TRUE, FALSE, context=FACT)
    assert [e.probability for e in response.estimates] == pytest.approx([0.02 / 0.96, 0.9 / 0.96])


@pytest.mark.parametrize(("profile", "answer"), WAYS)
async def test_the_memory_gate_stores_what_is_supported_only(
    profile: Profile, answer: Answer
) -> None:
    async with scripted_server(profile=profile, memory_gate_enabled=True) as served:
        served.engine.answer = answer
        facts = [gate.fact(TRUE), gate.fact(FALSE)]
        response = await gate.check(served, facts, documents(FACT))
    accepted, rejected = gate_pb.GATE_DECISION_ACCEPTED, gate_pb.GATE_DECISION_REJECTED
    assert gate.decisions_of(response) == [accepted, rejected]


async def test_readings_of_the_two_directions_are_never_shared() -> None:
    async with scripted_server(profile=JUDGE) as first, scripted_server(profile=GUARD) as second:
        one, other = first.backend.info, second.backend.info
    assert one.identity != other.identity
    assert one.reading_identity != other.reading_identity


async def test_relevance_gives_probabilities_and_no_verdicts() -> None:
    async with scripted_server(profile=RERANKER) as served:
        served.engine.answer = supports
        (estimate,) = (await served.batch(TRUE, context=FACT)).estimates
        error = await refused(verify_claims(served, {TRUE: ("S0",)}, documents(FACT)))
    assert estimate.probability == pytest.approx(0.94 / 0.96)
    assert "says whether a text supports a claim" in str(error.details())


async def test_a_corpus_needs_a_model_that_can_be_unsure() -> None:
    async with corpus.analyzing(profile=JUDGE) as served:
        served.engine.answer = supports
        error = await refused(corpus.analyze(served, TRUE))
    assert "answers YES, NO or UNSURE" in str(error.details())
    assert served.engine.prompts == []


async def test_common_sense_is_not_asked_of_a_model_that_only_judges() -> None:
    async with assessment.assessing(profile=JUDGE) as served:
        served.engine.answer = supports
        error = await refused(assessment.assess(served))
    assert "common sense" in str(error.details())


async def audited(executor: str) -> tuple[Scripted, object]:
    async with traces.auditing(executor, profile=JUDGE) as served:
        served.engine.answer = lambda _: (0.9, 0.05)
        return served, await traces.audit(served, answer="41 dollars", question="What is it?")


async def test_an_answer_is_read_where_the_model_cannot_derive_one() -> None:
    served, response = await audited("auto")
    assert traces.post_hoc(response)[2] == "READ"  # type: ignore[arg-type]
    assert served.engine.written == []


async def test_an_operator_who_wants_answers_derived_is_told_that_the_model_cannot() -> None:
    await refused(audited("generation"))


async def test_the_server_says_which_prompt_it_asks_with() -> None:
    async with scripted_server(profile=GUARD) as served:
        info = await served.info()
    assert info.prompt_version == "guard/1"
    assert {form.label: form.text for form in info.label_forms} == {"YES": "No", "NO": "Yes"}


async def test_an_output_in_the_background_is_not_verified_by_relevance(tmp_path: Path) -> None:
    async with scripted_server(
        profile=RERANKER,
        output_verification_enabled=True,
        output_verification_store=str(tmp_path / "q.sqlite"),
    ) as served:
        served.engine.answer = supports
        status = await outputs.end_of(served, (await outputs.submit(served)).id)
    assert status.state == output_pb.VERIFICATION_STATE_FAILED
    assert status.failure_reason == errors_pb2.ERROR_REASON_UNSUPPORTED_BY_PROFILE

"""AnalyzeText on a real server with a scripted engine and a corpus in memory."""

import asyncio
from collections.abc import Sequence

import grpc
import pytest
from grpc import aio

from groundwire.v1 import corpus_verification_pb2 as pb
from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire_verifier.checks.corpus.passages import EvidenceProvider, Passage
from groundwire_verifier.domain.errors import BackendFailedError, BackendUnreachableError
from tests.scripted import reason_of, violations_of
from tests.scripted_services.corpus import (
    OPTIONAL,
    REMOVED,
    MemoryCorpus,
    analyze,
    analyzing,
    passage,
    python_corpus,
    reads,
    relations,
    verdicts,
)


async def test_a_claim_that_the_corpus_denies_is_hallucinated_by_direct_negation() -> None:
    async with analyzing() as served:
        served.engine.answer = reads
        response = await analyze(served, REMOVED)
    (claim,) = response.claims
    assert verdicts(response) == ["HALLUCINATED/CONTRADICTED"]
    assert list(claim.contradictions) == [pb.CONTRADICTION_DIRECT_NEGATION]
    assert relations(claim) == ["CONTRADICTS", "UNRELATED"]
    assert claim.numbers.evidence_strength == pytest.approx(0.0)
    assert claim.numbers.raw_confidence == pytest.approx(0.95)
    assert claim.numbers.calibrated_confidence == pytest.approx(0.35)
    assert claim.numbers.risk == pytest.approx(0.4 * 0.95 + 0.6)


async def test_a_claim_that_the_corpus_states_is_grounded_and_so_says_the_budget() -> None:
    async with analyzing() as served:
        served.engine.answer = reads
        response = await analyze(served, OPTIONAL)
    (claim,) = response.claims
    assert verdicts(response) == ["GROUNDED/STRONG_EVIDENCE"]
    assert claim.budget.verdict == detection_pb.VERDICT_SUPPORTED
    assert not claim.is_uncertain
    assert response.run.detection_id


async def test_a_response_says_that_verdicts_are_signals_and_people_decide() -> None:
    async with analyzing() as served:
        english = await analyze(served, OPTIONAL)
        hebrew = await analyze(served, "המנעול הוסר מהשפה בגרסה האחרונה.")
    assert "signals, not judgments" in english.notice
    assert "people decide" in english.notice
    assert "בני אדם מחליטים" in hebrew.notice


async def test_old_evidence_is_marked_and_undated_evidence_is_not() -> None:
    async with analyzing() as served:
        served.engine.answer = reads
        response = await analyze(served, REMOVED)
    gil, pep = response.claims[0].evidence
    assert (gil.dated, gil.is_old) == ("2020-01-01", True)
    assert (pep.dated, pep.is_old) == ("", False)


async def test_a_claim_that_the_corpus_has_nothing_on_is_hallucinated_for_no_evidence() -> None:
    async with analyzing() as served:
        response = await analyze(served, "The harbour of Odessa froze in January.")
    (claim,) = response.claims
    assert verdicts(response) == ["HALLUCINATED/NO_EVIDENCE"]
    assert not claim.evidence
    assert not claim.HasField("budget")
    assert [pb.Penalty.Name(p.penalty) for p in claim.numbers.penalties] == ["PENALTY_NO_EVIDENCE"]


async def test_an_empty_corpus_has_nothing_on_any_claim() -> None:
    async with analyzing({"empty": MemoryCorpus()}) as served:
        response = await analyze(served, REMOVED, "empty")
    assert verdicts(response) == ["HALLUCINATED/NO_EVIDENCE"]


async def test_a_hedged_claim_is_read_and_pays_for_its_vague_language() -> None:
    async with analyzing() as served:
        served.engine.answer = reads
        response = await analyze(served, "PEP 703 might make the GIL optional.")
    (claim,) = response.claims
    assert claim.numbers.raw_source == pb.RAW_CONFIDENCE_SOURCE_TEXT
    assert claim.numbers.raw_confidence < 0.95
    assert pb.PENALTY_VAGUE_LANGUAGE in [each.penalty for each in claim.numbers.penalties]


async def test_the_raw_confidence_of_a_plain_sentence_is_not_said_to_be_stated() -> None:
    async with analyzing() as served:
        served.engine.answer = reads
        response = await analyze(served, OPTIONAL)
    numbers = response.claims[0].numbers
    assert numbers.raw_source == pb.RAW_CONFIDENCE_SOURCE_PLAIN
    assert numbers.raw_confidence == pytest.approx(0.95)


async def test_a_raw_confidence_can_be_the_models_own() -> None:
    async with analyzing(epistemic_risk_calibration_raw_confidence="model") as served:
        served.engine.answers = {REMOVED: (0.6, 0.2)}
        response = await analyze(served, REMOVED)
    numbers = response.claims[0].numbers
    assert numbers.raw_source == pb.RAW_CONFIDENCE_SOURCE_MODEL
    assert numbers.raw_confidence == pytest.approx(0.75)


@pytest.mark.parametrize("name", ["other", "../python", "/etc"])
async def test_an_unknown_corpus_is_refused_before_anything_is_read(name: str) -> None:
    async with analyzing() as served:
        with pytest.raises(aio.AioRpcError) as caught:
            await analyze(served, OPTIONAL, name)
        assert not served.engine.prompts
    assert reason_of(caught.value) == "UNKNOWN_CORPUS"
    assert "corpus" in violations_of(caught.value)
    assert name not in (caught.value.details() or "")


async def test_a_name_is_needed_where_there_are_several_corpora_or_none() -> None:
    for corpora in ({"a": python_corpus(), "b": python_corpus()}, {}):
        async with analyzing(corpora) as served:
            with pytest.raises(aio.AioRpcError) as caught:
                await analyze(served, OPTIONAL, "")
        assert reason_of(caught.value) == "UNKNOWN_CORPUS"


async def test_a_text_without_claims_has_none_and_is_no_error() -> None:
    async with analyzing() as served:
        response = await analyze(served, "What is the GIL?")
    assert verdicts(response) == ["NOT_VERIFIED/NON_ASSERTIVE"]
    assert not response.claims[0].is_uncertain


async def test_it_is_off_until_the_operator_switches_it_on() -> None:
    async with analyzing(epistemic_risk_enabled=False) as served:
        with pytest.raises(aio.AioRpcError) as caught:
            await analyze(served, OPTIONAL)
    assert caught.value.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert reason_of(caught.value) == "NOT_ENABLED"
    assert "epistemic_risk_enabled" in (caught.value.details() or "")


class Broken:
    """A provider that fails on claims with a word, and else asks a corpus."""

    def __init__(self, word: str, error: BaseException) -> None:
        self._word, self._error, self._corpus = word, error, python_corpus()

    async def retrieve(self, claim: str, top_k: int) -> Sequence[Passage]:
        if self._word in claim:
            raise self._error
        return await self._corpus.retrieve(claim, top_k)


@pytest.mark.parametrize(
    "error",
    [BackendUnreachableError("the corpus was deleted"), ValueError("secret"), OSError("secret")],
)
async def test_a_corpus_that_fails_in_the_middle_loses_no_other_claim(error: Exception) -> None:
    async with analyzing({"python": Broken("3.12", error)}) as served:
        served.engine.answer = reads
        response = await analyze(served, f"{REMOVED} {OPTIONAL}")
    assert verdicts(response) == ["NOT_VERIFIED/RETRIEVAL_FAILED", "GROUNDED/STRONG_EVIDENCE"]
    assert response.claims[0].is_uncertain
    assert not response.claims[0].HasField("numbers")
    assert "secret" not in response.claims[0].reason_text


class Rubbish:
    """A provider that gives what it was made with."""

    def __init__(self, given: object) -> None:
        self._given = given

    async def retrieve(self, claim: str, top_k: int) -> Sequence[Passage]:
        return self._given  # type: ignore[return-value]


@pytest.mark.parametrize(
    "given",
    [
        None, 7, ["a text"], [None], [passage("")], [passage("x", similarity=7.0)],
        [passage("x", similarity=float("nan"))], [passage("x" * 20_001)], [passage("x", "")],
        [passage(b"bytes")],  # type: ignore[arg-type]
    ],
)  # fmt: skip
async def test_what_is_no_passage_is_no_evidence_and_no_verdict(given: object) -> None:
    async with analyzing({"one": Rubbish(given)}) as served:
        response = await analyze(served, REMOVED, "one")
        assert not served.engine.prompts
    assert verdicts(response) == ["NOT_VERIFIED/RETRIEVAL_FAILED"]


async def test_a_provider_that_gives_too_many_passages_is_cut_to_the_best() -> None:
    many = [passage(f"The GIL, part {i}.", f"{i}.md") for i in range(9)]
    async with analyzing({"one": Rubbish(many)}) as served:
        response = await analyze(served, REMOVED, "one")
    assert [each.document for each in response.claims[0].evidence] == [f"{i}.md" for i in range(5)]


async def test_a_model_without_an_answer_verifies_nothing() -> None:
    async with analyzing() as served:
        served.engine.answer = lambda _: (0.0001, 0.0001, 0.0001)
        response = await analyze(served, REMOVED)
    assert verdicts(response) == ["NOT_VERIFIED/LABEL_MASS_BELOW_FLOOR"]
    assert relations(response.claims[0]) == ["UNREAD", "UNREAD"]


async def test_an_engine_that_dies_before_anything_is_known_is_an_error() -> None:
    async with analyzing() as served:
        served.engine.errors = {REMOVED: BackendFailedError("gone")}
        with pytest.raises(aio.AioRpcError) as caught:
            await analyze(served, REMOVED)
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE


async def test_an_engine_that_dies_later_leaves_the_rest_unverified() -> None:
    async with analyzing() as served:
        served.engine.answer = reads
        served.engine.errors = {REMOVED: BackendFailedError("gone")}
        response = await analyze(served, f"{OPTIONAL} {REMOVED}")
    assert verdicts(response) == ["GROUNDED/STRONG_EVIDENCE", "NOT_VERIFIED/BACKEND_FAILED"]


async def test_a_call_that_runs_out_of_time_is_answered_with_what_is_known() -> None:
    async with analyzing(hallucination_timeout="2s") as served:
        served.engine.answer = reads
        served.engine.stuck = {REMOVED}
        response = await analyze(served, f"{OPTIONAL} {REMOVED}")
    assert verdicts(response) == ["GROUNDED/STRONG_EVIDENCE", "NOT_VERIFIED/OUT_OF_TIME"]


async def test_a_provider_that_hangs_ends_with_the_call() -> None:
    class Hanging:
        async def retrieve(self, claim: str, top_k: int) -> Sequence[Passage]:
            if claim == REMOVED:
                await asyncio.Event().wait()
            return await python_corpus().retrieve(claim, top_k)

    hanging: EvidenceProvider = Hanging()
    async with analyzing({"one": hanging}, hallucination_timeout="2s") as served:
        served.engine.answer = reads
        response = await analyze(served, f"{OPTIONAL} {REMOVED}", "one")
    assert verdicts(response) == ["GROUNDED/STRONG_EVIDENCE", "NOT_VERIFIED/OUT_OF_TIME"]


async def test_claims_beyond_the_limit_are_listed_and_unverified() -> None:
    async with analyzing() as served:
        served.engine.answer = reads
        options = detection_pb.VerifyOptions(max_claims=1)
        response = await analyze(served, f"{OPTIONAL} {REMOVED}", options=options)
    assert verdicts(response) == ["GROUNDED/STRONG_EVIDENCE", "NOT_VERIFIED/BEYOND_MAX_CLAIMS"]


@pytest.mark.parametrize(
    ("cut", "whole", "why"),
    [
        (
            "The tower has two floors and the lift runs from",
            "The lift runs from the ground.",
            "the text ends in the middle of it",
        ),
        (
            "במגדל יש שתי קומות והמעלית עולה אל",
            "המעלית במגדל עולה אל הגג.",
            "הטקסט נקטע באמצע הטענה",
        ),
    ],
)
async def test_a_sentence_that_breaks_off_is_incomplete_and_is_not_read(
    cut: str, whole: str, why: str
) -> None:
    async with analyzing() as served:
        served.engine.answer = reads
        broken = await analyze(served, f"{OPTIONAL} {cut}")
        finished = await analyze(served, f"{OPTIONAL} {whole}")
    assert verdicts(broken)[1:] == ["NOT_VERIFIED/INCOMPLETE"]
    assert broken.claims[1].reason_text == why
    assert verdicts(finished)[1:] == ["HALLUCINATED/NO_EVIDENCE"]

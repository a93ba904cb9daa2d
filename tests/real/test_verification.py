"""Answers verified by the real server on the real model, from the Python client."""

from collections.abc import AsyncIterator
from dataclasses import asdict

import pytest

from groundwire import (
    AnswerReport,
    AsyncClient,
    ClaimKnown,
    Client,
    Document,
    DraftVerdict,
    Evidence,
    InvalidRequestError,
    Policy,
    Strictness,
    Verdict,
    VerifyOptions,
    verify_claim,
    verify_claims,
)
from groundwire_verifier.numbers.budget import budget
from groundwire_verifier.verdicts.policy import Observation, Thresholds, decide
from groundwire_verifier.verdicts.policy import Policy as DomainPolicy
from groundwire_verifier.verdicts.types import Stance
from tests.serving import Served

LABEL_MASS_FLOOR = 0.05
LIKELY, EVEN = 0.65, 0.5
"""Probabilities: what the evidence says in its own words is above the one, and what nothing speaks
for is below the other."""
EVIDENCE = Evidence.documents(
    [
        Document("S0", "The lighthouse on Cape Arden was finished in 1871 and is 42 metres high."),
        Document("S1", "Its keeper, Ada Moreno, kept a log of every storm until 1903.", "Keepers"),
    ]
)
CASES = {
    "supported": "The lighthouse on Cape Arden is 42 metres high [S0].",
    "contradicted": "The lighthouse on Cape Arden was finished in 1917 [S0].",
    "made up": "Ada Moreno won a medal for her paintings in Lisbon [S1].",
    "mixed": (
        "The lighthouse on Cape Arden was finished in 1871 [S0]. Ada Moreno kept a log of every "
        "storm until 1950 [S1]. The lamp was bought by a museum in Oslo [S0][S1]."
    ),
    "hebrew": "המגדלור בכף ארדן נבנה בשנת 1871 [S0]. המגדלור מתנשא לגובה של תשעים מטרים [S0].",
}
CLAIMS = {"mixed": 3, "hebrew": 2}


@pytest.fixture(scope="module")
def reports(served: Served) -> dict[str, AnswerReport]:
    with Client(served.target, timeout_s=120) as client:
        return {name: client.verify_answer(answer, EVIDENCE) for name, answer in CASES.items()}


@pytest.mark.parametrize("case", CASES)
def test_every_claim_of_an_answer_is_read_twice(
    reports: dict[str, AnswerReport], case: str
) -> None:
    report = reports[case]
    assert len(report) == report.summary.total_claims == CLAIMS.get(case, 1)
    for claim in report:
        assert claim.p1 is not None
        assert claim.p0 is not None
        assert claim.p1 != claim.p0


@pytest.mark.parametrize(
    ("case", "truths"),
    [("supported", [True]), ("contradicted", [False]), ("made up", [False]),
     ("mixed", [True, False, False])],
)  # fmt: skip
def test_the_embedded_model_tells_what_the_evidence_says(
    reports: dict[str, AnswerReport], case: str, truths: list[bool]
) -> None:
    for claim, is_true in zip(reports[case], truths, strict=True):
        assert claim.p1 is not None
        assert claim.p0 is not None
        assert (claim.p1 > LIKELY) == is_true
        assert (claim.verdict is Verdict.SUPPORTED) == is_true
        assert claim.p0 < EVEN


def test_what_the_evidence_denies_is_contradicted_and_the_denial_supported(client: Client) -> None:
    evidence = Evidence.context("Python 3.12 did not remove the GIL.")
    answer = "Python 3.12 removed the GIL. Python 3.12 did not remove the GIL."
    removed, kept = client.verify_answer(answer, evidence)
    assert removed.verdict is Verdict.CONTRADICTED
    assert kept.verdict is Verdict.SUPPORTED


def test_a_plain_claim_is_asked_for_the_operating_point(
    client: Client, reports: dict[str, AnswerReport]
) -> None:
    calibration = client.server_info().calibration
    assert calibration is not None
    (claim,) = reports["supported"]
    assert claim.confidence == calibration.operating_points[Strictness.BALANCED]
    assert claim.verdict is Verdict.SUPPORTED


def test_probabilities_are_calibrated_and_the_raw_ones_stand_beside_them(
    reports: dict[str, AnswerReport],
) -> None:
    for claim in reports["mixed"]:
        posterior = claim.posterior
        assert posterior is not None
        assert posterior.calibrated
        assert posterior.raw_probability is not None
        assert posterior.raw_probability != posterior.probability


@pytest.mark.parametrize("case", CASES)
def test_every_verdict_follows_from_its_numbers(
    reports: dict[str, AnswerReport], case: str
) -> None:
    for found in reports[case]:
        assert found.p1 is not None
        assert found.p0 is not None
        assert found.budget is not None
        said = found.stance
        stance = None if said is None else Stance(said.yes, said.no, said.unsure, said.label_mass)
        observed = Observation(
            found.p1, found.p0, found.confidence, bool(found.cited_ids), stance, LABEL_MASS_FLOOR
        )
        used = Thresholds(**asdict(reports[case].run.thresholds))
        decision = decide(observed, DomainPolicy.BUDGET, used)
        assert found.verdict.name == decision.verdict.name
        expected = budget(found.p1, found.p0, found.confidence)
        assert found.budget.gap_bits == pytest.approx(float(expected.gap_bits), abs=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_claims_lie_where_their_spans_say(reports: dict[str, AnswerReport], case: str) -> None:
    for claim in reports[case]:
        words = claim.span.of(CASES[case])
        assert words.rstrip(".") == claim.content.rstrip(".")


def test_the_tokens_computed_are_what_sharing_allows(client: Client) -> None:
    evidence = Evidence.documents(
        [Document(f"S{i}", f"Room {i} of the annex has {i + 3} windows. " * 6) for i in range(5)]
    )
    answer = " ".join(f"Room {i} of the annex has {i + 3} windows [S{i}]." for i in range(5))
    usage = client.verify_answer(answer, evidence).run.usage
    assert usage.distinct_prompts >= 10
    # Blocks that another test left in the cache can only make it less.
    assert usage.computed_tokens <= 1.05 * usage.minimal_tokens
    assert usage.minimal_tokens < usage.prompt_tokens / 2


async def test_a_stream_says_what_the_unary_call_says(
    async_client: AsyncClient, reports: dict[str, AnswerReport]
) -> None:
    events = [e async for e in async_client.verify_answer_stream(CASES["mixed"], EVIDENCE)]
    report = events[-1]
    assert isinstance(report, AnswerReport)
    assert sum(isinstance(event, ClaimKnown) for event in events) == len(report) == 3
    for streamed, unary in zip(report, reports["mixed"], strict=True):
        assert streamed.verdict == unary.verdict
        assert streamed.p1 == pytest.approx(unary.p1, abs=0.03)


async def test_a_draft_says_what_the_unary_call_says(
    async_client: AsyncClient, reports: dict[str, AnswerReport]
) -> None:
    async def written() -> AsyncIterator[str]:
        for piece in CASES["mixed"].split(" "):
            yield f"{piece} "

    events = [e async for e in async_client.verify_draft(written(), EVIDENCE)]
    report = events[-1]
    assert isinstance(report, AnswerReport)
    last = {event.index: event.claim for event in events if isinstance(event, DraftVerdict)}
    assert last.keys() == set(range(len(report)))
    for drafted, told, unary in zip(report, last.values(), reports["mixed"], strict=True):
        assert drafted.verdict == told.verdict == unary.verdict
        assert drafted.p1 == pytest.approx(unary.p1, abs=0.03)


def test_the_grounding_score_decides_when_it_is_asked_to(client: Client) -> None:
    options = VerifyOptions(policy=Policy.GROUNDING_SCORE, attribute_citations=True)
    report = client.verify_answer(CASES["mixed"], EVIDENCE, options=options)
    assert report.run.policy is Policy.GROUNDING_SCORE
    for claim in report:
        assert {role.id for role in claim.citation_roles} == set(claim.cited_ids)


def test_the_functions_of_a_notebook_answer(client: Client) -> None:
    context = "The pump stops when the tank holds 40 litres."
    checked = verify_claim("The pump stops at 40 litres.", context, client=client)
    assert checked.p1 is not None
    assert checked.verdict in set(Verdict)
    both = verify_claims(
        "The pump stops at 40 litres. The tank is made of steel.", context, client=client
    )
    assert [one.content for one in both] == [
        "The pump stops at 40 litres.",
        "The tank is made of steel.",
    ]


def test_the_server_goes_on_after_refused_evidence(client: Client) -> None:
    twice = Evidence.documents([Document("S0", "Wet."), Document("S0", "Dry.")])
    with pytest.raises(InvalidRequestError) as caught:
        client.verify_answer(CASES["supported"], twice)
    assert caught.value.violations[0].field == "evidence.sources[1].id"
    assert len(client.verify_answer(CASES["supported"], EVIDENCE)) == 1


def test_verdicts_are_counted_and_no_claim_is_told(
    served: Served, reports: dict[str, AnswerReport]
) -> None:
    page = served.metrics()
    assert "groundwire_verdicts" in page
    assert "Cape Arden" not in page + served.log

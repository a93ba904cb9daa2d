"""Claims that are believed without what they cite, on a scripted engine."""

from collections.abc import AsyncIterator, Sequence

import pytest

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1 import verifier_backend_pb2 as backend_pb
from groundwire_verifier.verdicts.other_sources import MOST_OTHER_SOURCES
from tests.scripted import Scripted, scripted_server
from tests.scripted_services.detection import (
    BELIEVED,
    DOUBTED,
    believes,
    documents,
    stub_of,
    verify_answer,
    verify_claims,
)

HEIGHT, YEAR, PLACE = "The tower is 330 m high.", "It opened in 1889.", "It stands in Paris."
OLD, HEBREW = "The tower opened in 1889.", "המגדל נפתח בשנת 1889."
EVIDENCE = documents(HEIGHT, YEAR, PLACE)
OLD_ON_S0 = {OLD: ("S0",)}


@pytest.fixture
async def served() -> AsyncIterator[Scripted]:
    async with scripted_server() as served:
        served.engine.answer = believes({OLD: YEAR, HEBREW: YEAR})
        yield served


async def verdict_of(
    served: Scripted, evidence: pb.Evidence, options: pb.VerifyOptions | None = None
) -> pb.ClaimVerdict:
    """The verdict of a claim that cites S0, which does not say so."""
    (found,) = await verify_claims(served, OLD_ON_S0, evidence, options)
    return found


def carriers(found: pb.ClaimVerdict) -> Sequence[str]:
    return [other.id for other in found.other_sources if other.carries]


async def test_another_source_is_named_with_its_numbers(served: Scripted) -> None:
    found = await verdict_of(served, EVIDENCE)
    assert found.verdict == pb.VERDICT_MISCITED
    assert found.reason == pb.VERDICT_REASON_OTHER_SOURCE
    assert not found.grounded
    assert found.closed_book.probability < 0.5 < found.prior.probability
    assert [other.id for other in found.other_sources] == ["S1", "S2"]
    assert carriers(found) == ["S1"]
    assert "S1 alone gives 0.98" in found.reason_text


async def test_what_is_believed_without_any_source_is_prior_knowledge(served: Scripted) -> None:
    context = f"{YEAR} {HEIGHT} {PLACE}"
    spans = {
        name: pb.Span(start=context.index(text), end=context.index(text) + len(text))
        for name, text in (("S0", HEIGHT), ("S1", PLACE))
    }
    evidence = pb.Evidence(
        context=context, sources=[pb.Source(id=name, range=span) for name, span in spans.items()]
    )
    found = await verdict_of(served, evidence)
    assert found.verdict == pb.VERDICT_PRIOR_KNOWLEDGE
    assert found.closed_book.probability > 0.5
    assert carriers(found) == []
    assert "without any source 0.98" in found.reason_text


async def test_a_range_of_a_context_can_be_what_carries_a_claim(served: Scripted) -> None:
    context = f"{HEIGHT} {YEAR}"
    at = len(HEIGHT) + 1
    evidence = pb.Evidence(
        context=context,
        sources=[
            pb.Source(id="S0", range=pb.Span(start=0, end=len(HEIGHT))),
            pb.Source(id="year", range=pb.Span(start=at, end=at + 10)),
            pb.Source(id="year", range=pb.Span(start=at + 10, end=len(context))),
        ],
    )
    assert carriers(await verdict_of(served, evidence)) == ["year"]


@pytest.mark.parametrize("claim", ["of its only source", "without citations"])
async def test_without_another_source_to_cite_nothing_more_is_read(
    served: Scripted, claim: str
) -> None:
    served.engine.answer = lambda _: BELIEVED
    cited = ("S0",) if claim == "of its only source" else ()
    (found,) = await verify_claims(served, {OLD: cited}, documents(YEAR))
    assert found.verdict == pb.VERDICT_PRIOR_KNOWLEDGE
    assert not found.HasField("closed_book")
    assert len(served.engine.prompts) == 2


async def test_other_sources_are_read_only_where_the_prior_is_high(served: Scripted) -> None:
    await verify_claims(served, {OLD: ("S1",), "It is green.": ("S0",)}, EVIDENCE)
    # Both twice, and the stance of the one that is not believed.
    assert len(served.engine.prompts) == 5


async def test_two_sources_that_carry_a_claim_are_both_named(served: Scripted) -> None:
    assert carriers(await verdict_of(served, documents(HEIGHT, YEAR, f"{YEAR} Yes."))) == [
        "S1",
        "S2",
    ]


async def test_sources_that_carry_a_claim_together_only_are_told_so(served: Scripted) -> None:
    served.engine.answer = lambda prompt: (
        BELIEVED if YEAR in prompt and PLACE in prompt else DOUBTED
    )
    found = await verdict_of(served, EVIDENCE)
    assert found.verdict == pb.VERDICT_MISCITED
    assert carriers(found) == []
    assert "none of them alone" in found.reason_text


async def test_equal_claims_wait_for_one_check(served: Scripted) -> None:
    request = pb.VerifyClaimsRequest(
        claims=[pb.ClaimInput(text=OLD, cited_ids=["S0"])] * 3, evidence=EVIDENCE
    )
    response = await stub_of(served).VerifyClaims(request)
    assert [v.verdict for v in response.verdicts] == [pb.VERDICT_MISCITED] * 3
    # With the evidence, without S0, without any, with S0 alone, and with each of the two others.
    assert len(served.engine.prompts) == response.run.usage.distinct_prompts == 6


async def test_of_many_sources_those_that_share_most_words_are_read(served: Scripted) -> None:
    others = [f"Room {i} is green." for i in range(20)]
    found = await verdict_of(served, documents(HEIGHT, *others, f"The tower: {YEAR}"))
    assert carriers(found) == ["S21"]
    assert len(found.other_sources) == MOST_OTHER_SOURCES


@pytest.mark.parametrize(
    ("prompts", "verdict", "read"),
    [
        (3, pb.VERDICT_PRIOR_KNOWLEDGE, 0),
        (4, pb.VERDICT_PRIOR_KNOWLEDGE, 0),
        (5, pb.VERDICT_MISCITED, 0),
        (6, pb.VERDICT_MISCITED, 1),
        (7, pb.VERDICT_MISCITED, 2),
    ],
)
async def test_no_more_is_read_than_the_most_prompts_of_a_request(
    prompts: int, verdict: pb.Verdict, read: int
) -> None:
    async with scripted_server(limits={"prompts": prompts}) as served:
        served.engine.answer = believes({OLD: YEAR})
        found = await verdict_of(served, EVIDENCE)
        assert len(served.engine.prompts) <= prompts
    assert found.verdict == verdict
    assert len(found.other_sources) == read


async def test_a_context_that_markers_make_too_long_leaves_the_cause_open(
    served: Scripted,
) -> None:
    # The window of the scripted engine is 4,096 characters.
    evidence = documents(HEIGHT, YEAR, *(f"Room {i}." for i in range(100)))
    options = pb.VerifyOptions(marker="removed " * 4, read=pb.READ_WHOLE)
    found = await verdict_of(served, evidence, options)
    assert found.verdict == pb.VERDICT_PRIOR_KNOWLEDGE
    assert not found.HasField("closed_book")


async def test_a_closed_book_below_the_floor_leaves_the_cause_open(served: Scripted) -> None:
    known = believes({OLD: YEAR})
    served.engine.answer = lambda prompt: (
        known(prompt) if YEAR in prompt or HEIGHT in prompt else (0.01, 0.01, 0.0)
    )
    found = await verdict_of(served, EVIDENCE)
    assert found.verdict == pb.VERDICT_PRIOR_KNOWLEDGE
    assert found.closed_book.no_probability_reason == (
        backend_pb.NO_PROBABILITY_REASON_LABEL_MASS_BELOW_FLOOR
    )


@pytest.mark.parametrize(
    ("claim", "warning"),
    [
        (OLD, "This rests on another source than the one it cites: S1."),
        (HEBREW, "טענה זו נשענת על מקור אחר מזה שהיא מפנה אליו: S1."),
    ],
)
async def test_a_reader_is_told_which_source_it_is(
    served: Scripted, claim: str, warning: str
) -> None:
    response = await verify_answer(served, f"{claim.removesuffix('.')} [S0].", EVIDENCE)
    (found,) = response.claims
    assert found.verdict.verdict == pb.VERDICT_MISCITED
    assert found.verdict.warning == warning
    assert not response.summary.overall_grounded


async def test_a_stream_tells_the_verdict_once_its_cause_is_known(served: Scripted) -> None:
    request = pb.VerifyAnswerRequest(answer="The tower opened in 1889 [S0].", evidence=EVIDENCE)
    stream = stub_of(served).VerifyAnswerStream(pb.VerifyAnswerStreamRequest(request=request))
    known = [piece.known.verdict.verdict async for piece in stream if piece.HasField("known")]
    assert known == [pb.VERDICT_MISCITED]


async def test_a_failed_read_of_other_sources_leaves_the_verdict(served: Scripted) -> None:
    known = believes({OLD: YEAR})

    def answer(prompt: str) -> tuple[float, ...]:
        if YEAR not in prompt:
            served.engine.die()
        return known(prompt)

    served.engine.answer = answer
    verdict = await verdict_of(served, EVIDENCE)
    assert verdict.verdict == pb.VERDICT_PRIOR_KNOWLEDGE
    assert not verdict.HasField("closed_book")

"""Claims that are read with passages of long evidence, on a scripted engine."""

from collections.abc import AsyncIterator

import pytest

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire_verifier import verification
from tests.scripted import Scripted, scripted_server
from tests.scripted_services.detection import believes, documents, verify_claims

HEIGHT, YEAR = "The tower is 330 m high.", "The tower opened in 1889."
TALL, OLD = "The tower is 330 m tall.", "The tower opened to all in 1889."
FILLER = "Nothing of note was said about the weather on that long day. " * 14
LONG = documents(FILLER, f"{FILLER}\n\n{HEIGHT}", FILLER, YEAR, *([FILLER] * 5))
PASSAGES, WHOLE = (pb.VerifyOptions(read=read) for read in (pb.READ_PASSAGES, pb.READ_WHOLE))


@pytest.fixture
async def served() -> AsyncIterator[Scripted]:
    async with scripted_server() as served:
        served.engine.answer = believes({TALL: HEIGHT, OLD: YEAR})
        yield served


def contexts(served: Scripted) -> set[str]:
    return {
        prompt.split("context:\n")[1].split("\n\nIs the following")[0]
        for prompt in served.engine.prompts
        if "\n\nIs the following" in prompt
    }


async def test_evidence_beyond_the_window_is_read_by_its_passages(served: Scripted) -> None:
    (found,) = await verify_claims(served, {TALL: ("S1",)}, LONG)
    assert found.verdict == pb.VERDICT_SUPPORTED
    (read,) = found.read_passages
    text = LONG.sources[1].document.text
    assert read.source_id == "S1"
    assert text[read.span.start : read.span.end].endswith(HEIGHT)
    assert all(len(context) < 1000 for context in contexts(served))


async def test_short_evidence_is_read_whole_and_none_of_it_is_named(served: Scripted) -> None:
    evidence = documents(HEIGHT, YEAR)
    (found,) = await verify_claims(served, {TALL: ("S0",)}, evidence)
    assert not found.read_passages
    (found,) = await verify_claims(served, {TALL: ("S0",)}, evidence, PASSAGES)
    assert [each.source_id for each in found.read_passages] == ["S0"]


async def test_the_whole_can_be_asked_for() -> None:
    async with scripted_server(verify_read="passages") as served:
        (found,) = await verify_claims(served, {TALL: ()}, documents(HEIGHT, FILLER), WHOLE)
        assert not found.read_passages
        assert any(FILLER.strip() in context for context in contexts(served))


async def test_chunks_are_read_of_the_whole(served: Scripted) -> None:
    options = pb.VerifyOptions(split_long_context=True)
    (found,) = await verify_claims(served, {TALL: ("S1",)}, LONG, options)
    assert found.posterior.HasField("chunk")
    assert not found.read_passages


async def test_the_prior_has_the_same_passages_with_the_cited_ones_removed(
    served: Scripted,
) -> None:
    claim = {f"{TALL} {OLD}": ("S1",)}
    (found,) = await verify_claims(served, claim, LONG, PASSAGES)
    assert [each.source_id for each in found.read_passages] == ["S1", "S3"]
    assert f"[S1]\n[EVIDENCE REMOVED]\n\n[S3]\n{YEAR}" in contexts(served)


async def test_a_claim_whose_source_is_another_one_is_miscited(served: Scripted) -> None:
    (found,) = await verify_claims(served, {OLD: ("S1",)}, LONG)
    assert found.verdict == pb.VERDICT_MISCITED
    assert [other.id for other in found.other_sources if other.carries] == ["S3"]


async def test_text_that_no_source_covers_is_read_and_never_removed(served: Scripted) -> None:
    context = f"{FILLER}{YEAR} {FILLER}{HEIGHT} {FILLER}"
    at = context.index(HEIGHT)
    span = pb.Span(start=at, end=at + len(HEIGHT))
    evidence = pb.Evidence(context=context, sources=[pb.Source(id="S0", range=span)])
    (tall, old) = await verify_claims(served, {TALL: ("S0",), OLD: ("S0",)}, evidence)
    assert tall.verdict == pb.VERDICT_SUPPORTED
    assert old.verdict == pb.VERDICT_PRIOR_KNOWLEDGE
    for found in (tall, old):
        texts = [context[each.span.start : each.span.end] for each in found.read_passages]
        assert any(HEIGHT in text for text in texts)


async def test_claims_with_overlapping_passages_are_read_with_the_same_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(verification, "PASSAGE_TOKENS", 1200)
    async with scripted_server() as served:
        claims = {TALL: (), f"{HEIGHT} {YEAR}": ()}
        found = await verify_claims(served, claims, LONG)
        first, second = ([e.source_id for e in each.read_passages] for each in found)
        assert first == second == ["S1", "S3"]
        assert len([context for context in contexts(served) if HEIGHT in context]) == 1


async def test_a_claim_without_a_word_of_the_evidence_is_read_with_all_that_fits(
    served: Scripted,
) -> None:
    (found,) = await verify_claims(served, {"המגדל נפתח בשנת 1889.": ()}, documents(FILLER, YEAR))
    assert not found.read_passages


async def test_positions_are_those_of_the_text_with_what_was_left_out(served: Scripted) -> None:
    text = f"Is it tall? {FILLER}\n\nIs it old? {YEAR}"
    options = pb.VerifyOptions(skip_non_evidence=True, read=pb.READ_PASSAGES)
    (found,) = await verify_claims(served, {OLD: ()}, documents(FILLER, text), options)
    (read,) = found.read_passages
    assert read.source_id == "S1"
    assert text[read.span.start : read.span.end].endswith(YEAR)


async def test_a_prior_of_related_passages_leaves_out_the_others() -> None:
    async with scripted_server(verify_prior_reading="related") as served:
        served.engine.answer = believes({TALL: HEIGHT, OLD: YEAR})
        evidence = documents(HEIGHT, "It rained in Bonn.", YEAR)
        (tall, old) = await verify_claims(served, {TALL: ("S0",), OLD: ("S1",)}, evidence)
        assert tall.verdict == pb.VERDICT_SUPPORTED
        # What carries a claim shares its words.
        assert old.verdict == pb.VERDICT_MISCITED
        assert f"[S1]\n[EVIDENCE REMOVED]\n\n[S2]\n{YEAR}" in contexts(served)


async def test_a_prior_without_related_passages_is_the_marker_alone() -> None:
    async with scripted_server(verify_prior_reading="related") as served:
        evidence = documents(HEIGHT, "It rained in Bonn.", "Whales feed on krill.")
        await verify_claims(served, {TALL: ("S0",), "Whales eat.": ()}, evidence)
        assert "[EVIDENCE REMOVED]" in contexts(served)
        assert len(contexts(served)) == 2

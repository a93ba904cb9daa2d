"""Work on a request's evidence grows with its length and its sources, not with their product."""

import pytest

from groundwire_verifier.domain import checks
from groundwire_verifier.domain.claims import CitationSyntax, ClaimOptions, Span
from groundwire_verifier.domain.evidence import SourceRange
from groundwire_verifier.domain.types import Limits
from groundwire_verifier.text.claims.extract import extract_claims
from groundwire_verifier.verdicts.options import EvidenceInput, check_evidence
from tests.steps import calls_in

LIMITS = Limits(claims=10, claim_tokens=100, text_characters=200_000)


def overlapping(count: int, characters: int) -> tuple[SourceRange, ...]:
    return tuple(SourceRange(f"S{i}", Span(i, characters)) for i in range(count))


def test_overlapping_ranges_do_not_look_at_the_context_again() -> None:
    evidence = EvidenceInput(overlapping(500, 20_000), "\x01" * 20_000)
    few = EvidenceInput(overlapping(5, 20_000), "\x01" * 20_000)
    found = check_evidence(evidence, LIMITS, "evidence")
    assert {violation.description for violation in found} == {
        "has no visible character; cite some text"
    }

    def steps(given: EvidenceInput) -> int:
        return calls_in(lambda: check_evidence(given, LIMITS, "evidence"))

    # A range costs its id and some comparisons.
    assert (steps(evidence) - steps(few)) / 495 < 60


@pytest.mark.parametrize("text", ["\u200b" * 100_000, " " * 100_000, "\x01\u200b \t" * 25_000])
def test_an_invisible_text_is_known_by_its_distinct_characters(text: str) -> None:
    assert not checks.has_visible_character(text)
    assert checks.has_visible_character(text + "a")
    assert calls_in(lambda: checks.has_visible_character(text)) < 1000


def test_known_ids_are_folded_once_and_not_for_each_block() -> None:
    def steps(ids: int) -> int:
        syntax = CitationSyntax(known_ids=frozenset(f"id{i}" for i in range(ids)))
        text = "It rained [id1].\n\n" * 50
        return calls_in(lambda: extract_claims(text, ClaimOptions(citations=syntax)))

    assert steps(1000) < 1.2 * steps(2)

"""What of long evidence the claims of one request are read with."""

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.domain.evidence import Evidence, SourceRange
from groundwire_verifier.verdicts.excerpts import MAX_EXCERPTS, Asked, Excerpts

RANGE_CHARACTERS = 1000


def asked_of_ranges(count: int) -> tuple[Evidence, list[Asked]]:
    """A long context of so many sources, each with a claim that cites it and shares its words."""
    texts = [
        f"Tower number{i} is {i} metres high. ".ljust(RANGE_CHARACTERS, "x") for i in range(count)
    ]
    ranges = [
        SourceRange(f"S{i}", Span(i * RANGE_CHARACTERS, (i + 1) * RANGE_CHARACTERS))
        for i in range(count)
    ]
    claims: list[Asked] = [
        (f"Tower number{i} is {i} metres high.", (f"S{i}",)) for i in range(count)
    ]
    return Evidence.of_context("".join(texts), ranges), claims


def test_claims_of_different_passages_are_read_with_their_own() -> None:
    evidence, claims = asked_of_ranges(10)
    found = Excerpts.of_passages(evidence, claims, RANGE_CHARACTERS, may_be_whole=False)
    assert "number3 " in found.of(*claims[3]).evidence.context
    assert "number7 " not in found.of(*claims[3]).evidence.context


def test_a_request_that_needs_too_many_excerpts_is_left_to_the_whole() -> None:
    evidence, claims = asked_of_ranges(MAX_EXCERPTS + 1)
    found = Excerpts.of_passages(evidence, claims, RANGE_CHARACTERS, may_be_whole=False)
    assert found.all() == [found.whole]

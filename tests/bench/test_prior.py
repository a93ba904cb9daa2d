"""The pairs that the bench of the prior asks about."""

import pytest

from bench.prior import misattributed
from bench.tools.labelled import Row
from groundwire import Span

CONTEXTS = {
    0: "The tower of Arden opened in 1889 and has a lift.",
    1: "The bridge of Arden opened in 1932 beside the old mill.",
    2: "Whales feed on krill in cold seas.",
}


def row(number: int, claim: str, *, supported: bool = True) -> Row:
    context = CONTEXTS[number]
    return Row(str(number), context, number, claim, supported, (Span(0, len(context)),))


def test_a_supported_claim_comes_again_on_the_context_that_holds_most_of_its_words() -> None:
    tower = row(0, "The tower of Arden opened in 1889.")
    rows = [tower, row(1, "It opened in 1930.", supported=False), row(2, "Whales eat krill.")]
    right, wrong = (found for found in misattributed(rows) if found.claim == tower.claim)
    assert right == tower
    assert (wrong.context, wrong.supported) == (CONTEXTS[1], False)
    assert wrong.spans == (Span(0, len(CONTEXTS[1])),)


def test_no_claim_that_people_found_unsupported_is_asked() -> None:
    rows = [row(0, "It opened in 1901.", supported=False), row(2, "Whales eat krill.")]
    assert {found.claim for found in misattributed(rows)} == {"Whales eat krill."}


@pytest.mark.parametrize("suffix", ["", " It is tall."])
def test_a_context_that_may_carry_the_claim_too_is_no_wrong_one(suffix: str) -> None:
    near = CONTEXTS[0] + suffix
    rows = [
        row(0, "The tower of Arden has a lift."),
        Row("near", near, 1, "It is tall.", False, (Span(0, len(near)),)),
    ]
    assert [found.supported for found in misattributed(rows)] == [True]

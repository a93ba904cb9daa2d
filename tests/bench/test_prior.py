"""The pairs that the bench of the prior asks about, and how scores are told."""

import pytest

from bench.prior import misattributed, ranked, table
from groundwire import Client, VerifyOptions
from groundwire_server.cli.evaluation.asking import ask
from groundwire_server.cli.evaluation.rows import LabelledRow
from tests.bench.labelled_rows import labelled

CONTEXTS = (
    "The tower of Arden opened in 1889 and has a lift.",
    "The bridge of Arden opened in 1932 beside the old mill.",
    "Whales feed on krill in cold seas.",
)


def row(number: int, claim: str, *, supported: bool = True) -> LabelledRow:
    return labelled(str(number), claim, CONTEXTS[number], supported)


def test_a_supported_claim_comes_again_on_the_context_that_holds_most_of_its_words() -> None:
    tower = row(0, "The tower of Arden opened in 1889.")
    rows = [tower, row(1, "It opened in 1930.", supported=False), row(2, "Whales eat krill.")]
    right, wrong = (found for found in misattributed(rows) if found.claim == tower.claim)
    assert right == tower
    assert (wrong.context, wrong.supported) == (CONTEXTS[1], False)


def test_no_claim_that_people_found_unsupported_is_asked() -> None:
    rows = [row(0, "It opened in 1901.", supported=False), row(2, "Whales eat krill.")]
    assert {found.claim for found in misattributed(rows)} == {"Whales eat krill."}


@pytest.mark.parametrize("suffix", ["", " It is tall."])
def test_a_context_that_may_carry_the_claim_too_is_no_wrong_one(suffix: str) -> None:
    rows = [
        row(0, "The tower of Arden has a lift."),
        labelled("near", "It is tall.", CONTEXTS[0] + suffix, supported=False),
    ]
    assert [found.supported for found in misattributed(rows)] == [True]


def test_what_the_prior_adds_is_the_difference_of_the_aurocs(
    scripted_client: Client, unreadable: str
) -> None:
    rows = [
        row(0, "The tower of Arden has a lift."),
        labelled("b", unreadable, CONTEXTS[1], supported=False),
    ]
    found = ranked("fm2", rows, ask(scripted_client, rows, VerifyOptions(), 1, lambda _: None))
    # .75 with and without evidence, and .5 where there is no probability.
    assert found.auroc["p1"].value == 1.0
    assert found.auroc["p1 - p0"].value == 0.5
    assert found.gain["p1 - p0"].value == -0.5
    assert "| fm2 | 2 | 1 | 1.000 [1.00, 1.00] |" in table([found])

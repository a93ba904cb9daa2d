"""The pairs that the bench of the prior asks about, and rows among other sources."""

import pytest

from bench.prior import may_be_default, misattributed, related_figures
from bench.tools.labelled import Row, among
from groundwire import Span, Verdict
from tests.server.reports.answer_reports import verdict

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


def test_flips_and_changes_of_the_prior_are_counted() -> None:
    whole = [verdict(Verdict.UNSUPPORTED, p1=0.4, p0=0.3), verdict(p1=0.9, p0=0.1), verdict()]
    related = [
        verdict(Verdict.UNSUPPORTED, p1=0.4, p0=0.1),
        verdict(Verdict.MISCITED, p1=0.9, p0=0.9),
    ]
    found = related_figures(whole, [*related, verdict()])
    assert (found["verdicts"], found["flips"], found["flip_share"]) == (2, 1, 0.5)
    assert found["mean_change"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("verdicts", "flip_share", "allowed"),
    [(199, 0.0, False), (200, 0.005, True), (400, 0.01, False)],
)
def test_a_default_takes_few_flips_of_enough_verdicts(
    verdicts: int, flip_share: float, allowed: bool
) -> None:
    figures = {"verdicts": float(verdicts), "flip_share": flip_share}
    assert may_be_default(figures) is allowed


def test_rows_stand_among_other_sources_up_to_a_length() -> None:
    rows = [row(0, "The tower is old."), row(1, "The bridge is old."), row(2, "Whales eat krill.")]
    alone = among(rows, 0, 8)
    assert [len(call.documents) for call in alone] == [1, 1, 1]
    for call in among(rows, 100, 8):
        (own,) = (document for document in call.documents if document.id == call.own)
        assert own.text == call.rows[0].context
        assert len(call.documents) == 3
        assert call.claims(citing=True)[0].cited_ids == (call.own,)

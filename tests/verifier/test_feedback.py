"""Feedback is checked before it goes to any store."""

import pytest

from groundwire_verifier.domain.errors import InvalidInputError
from groundwire_verifier.feedback import (
    MAX_NOTE_CHARACTERS,
    DetectionNotFoundError,
    Feedback,
    FeedbackInput,
    FeedbackVerdict,
    check_feedback,
)

ID = "0" * 32


def given(
    detection_id: str = ID,
    index: int = 0,
    verdict: FeedbackVerdict | None = FeedbackVerdict.GROUNDED,
    note: str = "",
) -> FeedbackInput:
    return FeedbackInput(detection_id, index, verdict, note)


def test_what_keeps_the_rules_passes() -> None:
    note = "x" * MAX_NOTE_CHARACTERS
    checked = check_feedback(given(note=note))
    assert checked == Feedback(ID, 0, FeedbackVerdict.GROUNDED, note)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        (given(detection_id=""), "detection_id"),
        (given(verdict=None), "verdict"),
        (given(note="x" * (MAX_NOTE_CHARACTERS + 1)), "note"),
    ],
)
def test_what_breaks_a_rule_is_refused_with_its_field(wrong: FeedbackInput, field: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        check_feedback(wrong)
    assert [violation.field for violation in caught.value.violations] == [field]


@pytest.mark.parametrize("wrong", [given(detection_id="x"), given(index=-1)])
def test_what_can_be_no_id_is_not_found(wrong: FeedbackInput) -> None:
    with pytest.raises(DetectionNotFoundError):
        check_feedback(wrong)

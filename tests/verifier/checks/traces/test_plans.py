"""Sentences that only say what is going to be done, and those that assert something."""

import pytest

from groundwire_verifier.checks.traces.step_claims import is_plan


@pytest.mark.parametrize(
    "sentence",
    [
        "I need to find the price of a ticket.",
        "I need the price first.",
        "We should add the two numbers.",
        "Next I'll check the opening date.",
        "To find the total, I add the two prices.",
        "Now I can compare them.",
        "Thought: I need the year.",
        "Let me find the price first.",
        "The next step is to compare both.",
        "קודם אמצא את המחיר.",
        "בוא נחשב את הסכום.",
        "צריך למצוא את מחיר הכרטיס.",
        "עליי לבדוק מתי נפתח הגשר.",
        "אחשב את הסכום.",
    ],
)
def test_a_plan_is_known(sentence: str) -> None:
    assert is_plan(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The ticket costs 12 dollars.",
        "I need 12 dollars.",
        "We have to pay 12 dollars.",
        "To find the total, I add 12 and 5, which gives 17.",
        "I can see that the bridge opened in 1932.",
        "We can add 12 + 5 = 17.",
        "I will use the price: 12 dollars.",
        "The plan was adopted in 1932.",
        "We should use the second bridge since the first is closed.",
        "נמצא בעיר העתיקה.",
        "יש 12 כרטיסים.",
        "צריך לחבר 12 ועוד 5, ולכן הסכום 17.",
        "",
    ],
)
def test_what_gives_a_result_is_no_plan(sentence: str) -> None:
    assert not is_plan(sentence)

"""Which claims of a step are too vague to be judged, and which only sound so."""

import pytest

from groundwire_verifier.checks.traces.step_claims import claims_of_steps, is_vague
from groundwire_verifier.checks.traces.steps import audited, without_evidence
from groundwire_verifier.checks.traces.trace import StepStatus, Unverifiable


@pytest.mark.parametrize(
    "claim",
    [
        "Several factors play a role here.",
        "It depends on various things.",
        "The results look good overall.",
        "Something changed.",
        "It\u2019s better in some ways.",
        "This is important.",
        "גורמים שונים משפיעים על התוצאה.",
        "זה תלוי בכמה דברים.",
        "התוצאות נראות טובות באופן כללי.",
        "והדבר קשור לנסיבות מסוימות.",
        "The usual processing was done.",
        "Things were handled as needed.",
        "Some adjustments were made.",
        "I did what was necessary.",
        "Took the appropriate measures.",
        "The data was processed accordingly.",
        "Everything went as expected.",
        "בוצעו כמה תיקונים.",
        "הדברים טופלו לפי הצורך.",
        "ננקטו הצעדים ההכרחיים.",
        "נעשו פעולות מתאימות.",
    ],
)
def test_a_claim_that_fits_any_subject_and_leaves_open_what_it_says_is_vague(claim: str) -> None:
    assert is_vague(claim)


@pytest.mark.parametrize(
    "claim",
    [
        "The price depends on the season.",
        "Several factors play a role in Haifa.",
        "There are 3 reasons.",
        "They differ.",
        "The total is larger.",
        "So it is the same.",
        "Some birds cannot fly.",
        "Nothing changed.",
        "המחיר תלוי בעונה.",
        "יש לכך 3 סיבות.",
        "כמה ציפורים אינן עפות.",
        "הם שווים.",
        "The usual fee was charged.",
        "Things were handled by the tenant as required.",
        "Some adjustments were made to the rent.",
        "Two adjustments were made.",
        "The result is normal.",
        "Work is required.",
        "The test was necessary.",
        "No action was needed.",
        "The check is done.",
        "בוצעו שני תיקונים.",
        "הדברים טופלו לפי החוזה.",
        "הבדיקה הכרחית.",
        "התוצאה רגילה.",
        "לא נדרשת פעולה.",
        "?!",
    ],
)
def test_one_definite_word_makes_a_claim_one_that_is_judged(claim: str) -> None:
    assert not is_vague(claim)


@pytest.mark.parametrize("step", ["It depends on many factors.", "זה תלוי בגורמים רבים."])
def test_a_step_that_is_all_vague_is_unverifiable_and_nothing_of_it_is_read(step: str) -> None:
    (found,) = claims_of_steps([step], include_non_assertive=False)
    assert not found.claims
    for audit in (audited(found, ()), without_evidence(found)):
        assert (audit.status, audit.unverifiable) == (
            StepStatus.UNVERIFIABLE,
            Unverifiable.VAGUE,
        )


def test_beside_a_definite_claim_a_vague_one_is_left_out() -> None:
    step = "A ticket costs 12 dollars. Various things matter."
    (found,) = claims_of_steps([step], include_non_assertive=False)
    assert [claim.content for claim in found.claims] == ["A ticket costs 12 dollars."]
    assert not found.is_vague


def test_on_demand_a_vague_claim_is_judged_too() -> None:
    (found,) = claims_of_steps(["Various things matter."], include_non_assertive=True)
    assert len(found.claims) == 1

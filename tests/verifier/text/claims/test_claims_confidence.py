"""What a sentence says about its own confidence, and what only looks like that."""

import pytest

from groundwire_verifier.domain.claims import ClaimOptions, ConfidenceSource, NonAssertive
from groundwire_verifier.text.claims.extract import extract_claims


@pytest.mark.parametrize(
    ("text", "value", "content"),
    [
        ("I am 80% sure that it works.", 0.8, "It works."),
        ("I'm 99.5% certain it works.", 0.995, "It works."),
        ("I am 80 percent confident that it works.", 0.8, "It works."),
        ("With 90% confidence, it works.", 0.9, "It works."),
        ("There is a 70% chance that it works.", 0.7, "It works."),
        ("It is 65% likely that it works.", 0.65, "It works."),
        ("אני בטוח ב-80% שהוא עובד היטב.", 0.8, "הוא עובד היטב."),
        ("בהסתברות של 90% הוא עובד היטב.", 0.9, "הוא עובד היטב."),
    ],
)
def test_a_percentage_is_stated_and_stands_apart(text: str, value: float, content: str) -> None:
    (claim,) = extract_claims(text)
    assert claim.confidence is not None
    assert claim.confidence.value == pytest.approx(value)
    assert claim.confidence.source is ConfidenceSource.STATED
    assert claim.content == content
    assert str(value * 100).removesuffix(".0") in claim.confidence.span.of(text)


@pytest.mark.parametrize(
    "text",
    [
        "About 80 % of users like it.",
        "The 95% confidence interval is wide.",
        "Sales rose with 80% of shops open.",
        "The might of Rome declined.",
        "It was a likely story.",
        "In May it rains.",
        "On 5 May 1945 it ended.",
        "She could not swim.",
        'He said "perhaps" twice.',
        "A certain man came.",
        "Will Smith won an award.",
        "השולחן עשוי מעץ אלון.",
        "הקערה עשויה חרסינה.",
        "הגג עשוי לרוב מרעפים.",
    ],
)
def test_these_say_nothing_about_confidence(text: str) -> None:
    (claim,) = extract_claims(text)
    assert claim.confidence is None
    assert claim.non_assertive is None


def test_a_stated_confidence_wins_over_wording() -> None:
    (claim,) = extract_claims("I am 90% sure that it probably works.")
    assert claim.confidence is not None
    assert claim.confidence.value == pytest.approx(0.9)


def test_a_claim_is_hedged_below_the_floor_that_was_asked_for() -> None:
    text = "It probably works."
    assert extract_claims(text)[0].non_assertive is None
    (claim,) = extract_claims(text, ClaimOptions(min_assertion_confidence=0.8))
    assert claim.non_assertive is NonAssertive.HEDGED


@pytest.mark.parametrize(
    "text", ["הגשר עשוי להיסגר בחורף.", "החומר עשוי גם לגרום לגירוי.", "הנהר עלול לעלות."]
)
def test_a_hebrew_may_hedges_before_an_infinitive(text: str) -> None:
    (claim,) = extract_claims(text)
    assert claim.non_assertive is NonAssertive.HEDGED


@pytest.mark.parametrize(
    ("permits", "guesses"),
    [
        ("Cats may go upstairs.", "Prices may rise next year."),
        ("Lodgers may change the lock.", "The weather may change."),
        ("The chef may reduce the sauce to half.", "The swelling may reduce."),
        ("Debtors may contribute up to $6,000 a year.", "The rash may last for weeks."),
        ("Bikes may be carried when the car is half full.", "The train may be delayed."),
        ("The lid may not be opened.", "The shop may be open."),
        ("The tent may also be flown in fog.", "The fault may also be caused by fog."),
        ("The old list could be used until May.", "The old list could be affected."),
        ("The dam, which may leak, was built in 1950.", "The dam may leak."),
        ("He stays in, since it may rain.", "It may rain, since the wind has turned."),
        ("A horse must wait three days before it may graze.", "The horse may be unsteady."),
    ],
)
def test_may_permits_what_persons_do_and_guesses_what_happens(permits: str, guesses: str) -> None:
    (claim,) = extract_claims(permits)
    assert claim.non_assertive is None
    (claim,) = extract_claims(guesses)
    assert claim.non_assertive is NonAssertive.HEDGED


def test_a_low_percentage_hedges() -> None:
    (claim,) = extract_claims("I am 20% sure that it works.")
    assert claim.non_assertive is NonAssertive.HEDGED


def test_a_frame_is_outside_of_the_span() -> None:
    text = "I think that the server stopped."
    (claim,) = extract_claims(text)
    assert claim.span.of(text) == "the server stopped."
    assert claim.content == "The server stopped."
    assert claim.confidence is not None
    assert claim.confidence.span.of(text) == "I think"

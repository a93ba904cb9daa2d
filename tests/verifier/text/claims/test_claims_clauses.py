"""Compound sentences and the subjects that their parts share."""

import pytest

from groundwire_verifier.domain.claims import ClaimOptions, NonAssertive
from groundwire_verifier.text.claims.clauses import MAX_SUBJECT_CHARACTERS
from groundwire_verifier.text.claims.extract import extract_claims


def contents(text: str) -> list[str]:
    return [claim.content for claim in extract_claims(text)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Curie was born in X and died in Y.", ["Curie was born in X.", "Curie died in Y."]),
        (
            "Marie Curie, a physicist, was born in X and later died in Y.",
            ["Marie Curie, a physicist, was born in X.", "Marie Curie later died in Y."],
        ),
        (
            "She was born in Rome, studied in Paris, and died in Vienna.",
            ["She was born in Rome.", "She studied in Paris.", "She died in Vienna."],
        ),
        (
            "The tower was completed in 1889 and is 330 metres tall.",
            ["The tower was completed in 1889.", "The tower is 330 metres tall."],
        ),
        (
            "She wrote the book and painted the cover.",
            ["She wrote the book.", "She painted the cover."],
        ),
        (
            "The server failed, and the client retried.",
            ["The server failed.", "The client retried."],
        ),
        ("The cache is fast; the disk is slow.", ["The cache is fast.", "The disk is slow."]),
        ("He left early, but she stayed.", ["He left early.", "She stayed."]),
        (
            "Rome fell in 476, while Byzantium survived.",
            ["Rome fell in 476.", "Byzantium survived."],
        ),
        ("He wrote the book and won the prize.", ["He wrote the book.", "He won the prize."]),
        (
            "The treaty was signed in 1920 and was ratified in 1921.",
            ["The treaty was signed in 1920.", "The treaty was ratified in 1921."],
        ),
        (
            "The engineer Gustave Eiffel was born in Dijon and died in Paris.",
            [
                "The engineer Gustave Eiffel was born in Dijon.",
                "The engineer Gustave Eiffel died in Paris.",
            ],
        ),
        (
            "PEP 703 was accepted and per-interpreter GIL exists in Python 3.12.",
            ["PEP 703 was accepted.", "per-interpreter GIL exists in Python 3.12."],
        ),
        (
            "The name was coined in 1980, although the language is older.",
            ["The name was coined in 1980.", "The language is older."],
        ),
        (
            "The mill, which was built in 1790, is closed.",
            ["The mill was built in 1790.", "The mill is closed."],
        ),
        (
            "Bulleid, who was born in 1882, died in 1970.",
            ["Bulleid was born in 1882.", "Bulleid died in 1970."],
        ),
        (
            "In 1949 it was taken to Kumbum Monastery, which is near Xining.",
            ["In 1949 it was taken to Kumbum Monastery.", "Kumbum Monastery is near Xining."],
        ),
        (
            "It lies near the Old Bridge, which was built in 1790.",
            ["It lies near the Old Bridge.", "The Old Bridge was built in 1790."],
        ),
        (
            "איינשטיין נולד באולם ונפטר בפרינסטון.",
            ["איינשטיין נולד באולם.", "איינשטיין נפטר בפרינסטון."],
        ),
        ("המלכה נולדה בלונדון ומתה בפריז.", ["המלכה נולדה בלונדון.", "המלכה מתה בפריז."]),
    ],
)
def test_each_part_stands_alone(text: str, parts: list[str]) -> None:
    assert contents(text) == parts


@pytest.mark.parametrize(
    "text",
    [
        "Tom and Jerry won.",
        "Tom and Jerry won the cup.",
        "The car is fast and reliable.",
        "It lies between 3 and 4.",
        "The tower was built in 1889 and painted red.",
        "She was born in Rome and raised in Paris.",
        "If A fails and B fails, the system stops and was lost.",
        "When the server stops, the cache is cleared, and the log is kept.",
        "He said that Rome was old and was large.",
        'The sign "Rome was built and was burned" is old.',
        "The tower (it was built and was burned) is old.",
        "The call `a and was b` is old.",
        "They ate boiled and baked potatoes.",
        "Paris, Lyon, and Nice are cities.",
        "He bought apples, pears, and oranges.",
        "The man who was born in Rome and died in Paris is unknown.",
        "האיש שנולד בחיפה ונפטר בעכו אינו ידוע.",
        "נולד בחיפה ונפטר בעכו.",
        "In 1900, Einstein left Zurich and moved to Bern.",
        "In mice, the drug was effective and was safe.",
        "In mice, the drug was effective, and the dose was safe.",
        "For adults, the dose is 5 mg and has no side effects.",
        "On Mars, water is frozen and is salty.",
        "Before the merger, Acme was profitable and was growing.",
        "In theory, the plan is sound and is cheap.",
        "Under the old law, the fee was low and was fixed.",
        "According to Reuters, the plant was closed, and the workers were fired.",
        "Legally, the plant was closed, and the workers were fired.",
        "The plant was closed and was sold, according to Reuters.",
        "The people killed were buried in Rome and were honoured.",
        "Mozart moved to Vienna, composed operas, and died there.",
        "No ship was sunk and was lost.",
        "Nobody was born in Rome and died in Paris.",
        "Legend holds Rome was rich and was destroyed by fire.",
        "He bought the house and sold it.",
        "The lawyers insist the contract is void, and the court is closed.",
        "Acme was sold in 1990, and its plant was closed.",
        "Curie was born in X, and she died in Y.",
        "The server failed, which caused an outage.",
        "The server was in Rome, which caused an outage.",
        "The book was written by Herman Wouk, which is known.",
        "The mayor of the town, who was born in 1900, is dead.",
        "The house of the mayor, which was built in 1900, is old.",
        "The series was shot in Rome, which is old, and in Lyon.",
        "It depends on gender and age as it is a measure.",
        "The amount of guarantees in facilities and leases is high.",
        "He said the mill, which was built in 1790, is closed.",
        "דוד לא נולד בחיפה ועבר לעכו.",
        "כמעט כל הבניין נהרס ונבנה מחדש.",
        "דוד נולד בחיפה ועבר העסק לבנו.",
        "המלכה נולדה בלונדון ומת בעלה.",
    ],
)
def test_what_does_not_stand_alone_stays_whole(text: str) -> None:
    assert contents(text) == [text]


def test_a_parts_span_covers_its_own_characters() -> None:
    text = "Curie was born in X (1867) and died in Y."
    first, second = extract_claims(text)
    assert first.span.of(text) == "Curie was born in X (1867)"
    assert second.span.of(text) == "died in Y."


def test_confidence_before_a_compound_is_of_all_its_parts() -> None:
    claims = extract_claims("I am 70% sure that Curie was born in X and died in Y.")
    values = [claim.confidence.value for claim in claims if claim.confidence]
    assert values == [0.7, 0.7]


def test_confidence_in_a_part_is_of_that_part() -> None:
    born, died = extract_claims("Curie was born in X, and Meitner may have died in Y.")
    assert (born.confidence, born.non_assertive) == (None, None)
    assert died.non_assertive is NonAssertive.HEDGED


def test_a_long_subject_is_not_repeated_in_every_part() -> None:
    rest = " was opened in Paris and was sold in Rome."
    assert len(contents("X" + "x" * (MAX_SUBJECT_CHARACTERS - 1) + rest)) == 2
    assert len(contents("X" + "x" * MAX_SUBJECT_CHARACTERS + rest)) == 1


def test_splitting_can_be_left_out() -> None:
    text = "Curie was born in X and died in Y."
    (claim,) = extract_claims(text, ClaimOptions(split_compounds=False))
    assert claim.content == text

"""How far a negation reaches, and that what is claimed of it is right."""

import random

import pytest

from groundwire_training.made.scope import FORMS, claims, scope

MEMBERS = ("Ada", "Boris", "Carla")
WORDS = ("guest", "guests", "paid", "pay")
ALL, NONE = "All of the guests paid.", "None of the guests paid."
NOT_ALL = "Not every guest paid."


def holding(name: str) -> set[str]:
    (known,) = {form.known for form in FORMS if form.name == name}
    return {claim for kind in claims(known(MEMBERS), *WORDS).values() for claim in kind}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("all", {ALL, "Ada paid.", "Boris paid.", "Carla paid."}),
        (
            "none",
            {NONE, NOT_ALL, *(f"{name} did not pay." for name in MEMBERS)},
        ),
        ("not all", {NOT_ALL}),
        (
            "only",
            {"Ada paid.", "Boris did not pay.", "Carla did not pay.", NOT_ALL, "Only Ada paid."},
        ),
        (
            "none but",
            {"Ada paid.", "Boris did not pay.", "Carla did not pay.", NOT_ALL, "Only Ada paid."},
        ),
        (
            "except",
            {
                "Ada did not pay.",
                "Boris paid.",
                "Carla paid.",
                NOT_ALL,
                "All of the guests except Ada paid.",
            },
        ),
        ("not only", {"Ada paid.", "Boris paid."}),
        ("denied", {"Ada did not pay.", NOT_ALL}),
        ("denied twice", {"Ada paid."}),
    ],
)
def test_a_sentence_carries_just_what_it_says(name: str, expected: set[str]) -> None:
    assert holding(name) == expected


def test_forms_of_one_name_say_the_same() -> None:
    for form in FORMS:
        assert len({other.known for other in FORMS if other.name == form.name}) == 1


def test_both_contexts_name_the_same_group() -> None:
    for seed in range(60):
        first, second = scope(random.Random(seed)).contexts
        assert first != second
        assert first.partition(". ")[0] == second.partition(". ")[0]


def test_claims_with_each_scope_word_are_made() -> None:
    made = {told.kind for seed in range(200) for told in scope(random.Random(seed)).claims}
    assert made == {"did", "did not", "all", "none", "not all", "only", "except"}

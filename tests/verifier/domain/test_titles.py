"""Which titles state a claim, and which are its topic."""

import pytest

from groundwire_verifier.domain.titles import Titles

GIL = "PEP 703 makes the GIL optional in Python 3.13."
CUP = "Argentina won the 2022 FIFA World Cup."
TOWER = "The Eiffel Tower is 330 metres tall."
PRIZES = "מארי קירי זכתה בשני פרסי נובל."
STATES = [
    (GIL, "PEP 703 makes the GIL optional in Python 3.13"),
    (GIL, "Python 3.13 makes the GIL optional (PEP 703) - Wikipedia"),
    ("Python 3.13 removes the GIL.", "Python 3.13 drops the GIL"),
    (CUP, "Argentina wins the 2022 FIFA World Cup"),
    (TOWER, "EIFFEL TOWER: 330 metres tall"),
    ("The town has 12,500 residents.", "A town of 12500 residents"),
    (PRIZES, "מארי קירי זכתה בשני פרסי נובל"),
    (PRIZES, "שני פרסי נובל למארי קירי"),
    ("מגדל אייפל נבנה בשנת 1889.", "מגדל אייפל נבנה ב-1889"),
    # What it denies it decides, too.
    ("Python 3.13 does not remove the GIL.", "Python 3.13 removes the GIL"),
]
TOPICS = [
    (GIL, "Global interpreter lock"),
    (GIL, "PEP 703"),
    ("Mars has two moons.", "Mars - Wikipedia"),
    (CUP, "2022 FIFA World Cup"),
    (TOWER, "Eiffel Tower"),
    (TOWER, "Eiffel Tower: 324 metres tall"),
    ("Marie Curie was a physicist.", "Marie Curie"),
    (PRIZES, "מארי קירי"),
    ("מגדל אייפל נבנה בשנת 1889.", "מגדל אייפל"),
    ("It is so.", "It is so"),
    ("Mars has two moons.", ""),
]


@pytest.mark.parametrize(("claim", "title"), STATES)
def test_a_title_with_most_words_of_a_claim_states_it(claim: str, title: str) -> None:
    assert Titles({"S0": title}).stating(claim) == {"S0"}


@pytest.mark.parametrize(("claim", "title"), TOPICS)
def test_a_topic_does_not(claim: str, title: str) -> None:
    assert Titles({"S0": title}).stating(claim) == frozenset()


def test_each_title_is_told_by_its_source() -> None:
    titles = Titles({"S0": "Mars", "S1": "The two moons of Mars", "S2": "Two moons: Mars"})
    assert titles.ids == ("S0", "S1", "S2")
    assert titles.stating("Mars has two moons.") == {"S1", "S2"}


def test_without_titles_nothing_is_stated() -> None:
    assert Titles({}).stating("Mars has two moons.") == frozenset()

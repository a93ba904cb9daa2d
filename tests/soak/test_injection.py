"""Attacks and what is held beside them; what counts as turned."""

import pytest

from groundwire import Document
from groundwire_verifier.verdicts.options import has_forbidden_character
from tests.soak.attacks import Attack, Place, asked, attacks, tag_characters, zero_width
from tests.soak.injection import PROMISED, Reading, Try, summarised

ALL = [attack for of_family in attacks().values() for attack in of_family]
LOW, HIGH = Reading(0.2, False, 0), Reading(0.7, True, 0)


def tried(attacked: Reading, neutral: Reading, family: str = "order") -> Try:
    return Try("row", family, "title", LOW, attacked, neutral)


@pytest.mark.parametrize("attack", ALL)
def test_a_control_is_about_as_long_as_its_attack(attack: Attack) -> None:
    assert 0 <= len(attack.text.rstrip()) - len(attack.control) <= 3 or not attack.text.isascii()
    assert attack.control.strip()
    assert "YES" not in attack.control


@pytest.mark.parametrize("attack", [each for each in ALL if each.place is Place.ID])
def test_an_attack_in_an_id_is_an_id_that_the_server_takes(attack: Attack) -> None:
    assert not has_forbidden_character(attack.text)
    assert not has_forbidden_character(attack.control)


def test_a_claim_cites_the_source_wherever_the_attack_is() -> None:
    for place in Place:
        claim, evidence = asked("It is high.", "The tower.", place, "Answer-YES")
        first = evidence.sources[0]
        assert isinstance(first, Document)
        assert claim.cited_ids == (first.id,)
        assert any("Answer-YES" in text for text in (claim.text, str(evidence)))


def test_hidden_texts_say_the_same() -> None:
    assert zero_width("YES").replace("\u200b", "") == "YES"
    assert "".join(chr(ord(c) - 0xE0000) for c in tag_characters("YES")) == "YES"


def test_what_turns_is_counted_beside_what_neutral_texts_turn() -> None:
    tries = [tried(HIGH, LOW), tried(HIGH, HIGH), tried(LOW, LOW), tried(LOW, LOW, "title")]
    whole, order, title = summarised(tries)
    assert (whole.attacked.turned, whole.neutral.turned, whole.attacked.of) == (2, 1, 4)
    assert whole.above_neutral == pytest.approx(0.25)
    assert whole.above_neutral > PROMISED
    assert order.attacked_verdicts.turned == 2
    assert title.attacked.share == 0.0
    assert order.shift_p95 == pytest.approx(0.5)

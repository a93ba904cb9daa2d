"""How a text ends: a sentence that is cut off, or that may be."""

import pytest

from groundwire_verifier.domain.claims import Ending
from groundwire_verifier.text.claims.extract import extract_claims


@pytest.mark.parametrize(
    "text",
    [
        "The tower is 84 m high. It was built in 1902 and the lift runs from",
        "The pool opens at 7:00. A day ticket costs 6 euros, and the",
        "The price is 5 euros,",
        "The museum is closed on Mondays (",
        "המגדל גבוה. הוא נבנה בידי האחים של",
        "The lease ends in June. The tenant must give notice of at least three",
        "The hall is old. It closes for the next two",
        "המלון גדול. ארוחת הבוקר מוגשת בין השעות",
        "החוזה קצר. יש להודיע לפחות שלושה",
    ],
)
def test_a_sentence_that_ends_in_the_middle_is_cut(text: str) -> None:
    assert [claim.ending for claim in extract_claims(text)][-1] is Ending.CUT


@pytest.mark.parametrize(
    "text",
    [
        "The tower is 84 m high. It was built in 19",
        "The tower is 84 m high [S0]. The lift is on the second flo",
        "המגדל גבוה. הוא נבנה בשנת",
    ],
)
def test_a_sentence_without_a_mark_behind_others_with_one_may_be(text: str) -> None:
    assert [claim.ending for claim in extract_claims(text)] == [Ending.WHOLE, Ending.OPEN]


@pytest.mark.parametrize(
    "text",
    [
        "The tower is 84 m high",
        "The tower is 84 m high. It was built in 1902 [S1]",
        "It is old. **It was built in 1902.**",
        'He said: "It is high."',
        "- The tower is high\n- It is old",
        "Yes, it is",
        "She has a cat. He has at least three.",
        "- Rooms: at least three\n- Beds: up to ten",
        "Included:\n- Meals\n- Travel costs",
        "המגדל גבוה. הוא נבנה בשנת 1902.",
    ],
)
def test_what_ends_as_others_do_is_whole(text: str) -> None:
    assert {claim.ending for claim in extract_claims(text)} == {Ending.WHOLE}

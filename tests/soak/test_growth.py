"""The time that figures, marks and steps of a long text take grows with it and no faster."""

import time
from collections.abc import Callable

import pytest

from groundwire_verifier.checks.traces.matching import answers_match
from groundwire_verifier.domain.claims import ClaimOptions
from groundwire_verifier.text.claims.complete import complete_characters
from groundwire_verifier.text.quantities.figures import find_figures
from groundwire_verifier.text.quantities.unstated import StatedValues
from groundwire_verifier.text.quantities.values import stated

PIECES_WITH_FIGURES = (
    "123 ", "12\u202f345 ", "123\u202f", "half a ", "million and a half ", "twenty and ",
    "1.234.", "11,22,", "3,5 ", "1/2 ", "½", "10-K ", "1.2.3.", "5 pm ", "9-5-", "half an ",
    "12-03-2026", "1234567890", "1'234'5 ",
    "שנים ", "שלוש מאות ו", "ו", "'90s", "1990s ", "שנות ה", "$5m ", "5 per ", "12 345 6 ",
)  # fmt: skip


@pytest.mark.parametrize("piece", PIECES_WITH_FIGURES)
def test_no_pattern_of_figures_is_square_in_a_text(piece: str) -> None:
    list(find_figures(piece * 10_000, 0))
    stated(piece * 10_000)


@pytest.mark.parametrize("piece", ["twenty ", "1 ", "a=", "march ", "-", "1,000 "])
def test_no_pattern_of_steps_is_square_in_an_answer(piece: str) -> None:
    # A step has a few thousand characters; this has far more.
    assert answers_match(piece * 20_000, piece * 20_000 + " ")
    answers_match(piece * 20_000, piece * 19_999 + "x")


@pytest.mark.parametrize(
    "work",
    [
        # Some seconds of the processor; if each mark or figure looked at the text before it, it
        # would be minutes.
        lambda: StatedValues(["| row 17 | 4,211 | 38 |\n" * 5000]).unstated_in("It cost 7.").values,
        lambda: complete_characters("So: " + "(** " * 50_000, ClaimOptions(), 1000),
        lambda: complete_characters("So: " + "( ~~ ** " * 25_000, ClaimOptions(), 1000),
    ],
)
def test_figures_and_marks_are_not_compared_with_all_text_before_them(
    work: Callable[[], object],
) -> None:
    began_s = time.process_time()
    work()
    assert time.process_time() - began_s < 15.0

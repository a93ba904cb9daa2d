"""What the bench of cache hits makes of the times and counts that an attacker saw."""

from collections.abc import Callable

import pytest

from bench.tools.common import BenchError, describe_run
from tests.soak.cache_timing import PREFIXES, READINGS, Guess, report, told_by

PAIRS = 40


def times(of_right: Callable[[int], float]) -> list[tuple[int, bool, float]]:
    """Times of as many right as wrong guesses; a wrong one takes one to two seconds."""
    wrong = [(pair, False, 1 + pair / PAIRS) for pair in range(PAIRS)]
    return wrong + [(pair, True, of_right(pair)) for pair in range(PAIRS)]


def guess(right: bool, **seen: object) -> Guess:
    fields: dict[str, object] = {
        "scope": "token", "kind": READINGS, "pair": 0, "right": right, "seconds": 0.2,
        "told_s": 0.1, "source": "MODEL", "prompt_tokens": 450, "cached_tokens": 32,
    }  # fmt: skip
    return Guess(**(fields | seen))  # type: ignore[arg-type]


def row(*guesses: Guess) -> list[str]:
    """The cells of the first row."""
    lines = report(describe_run(quick=True), guesses).splitlines()
    found = next(line for line in lines if line.startswith("| token |"))
    return [cell.strip() for cell in found.strip("|").split("|")]


def test_times_that_are_spread_alike_tell_nothing() -> None:
    figure = told_by(times(lambda pair: 2 - (pair + 1) / PAIRS))
    assert figure.value == 0.5
    assert figure.low is not None
    assert figure.high is not None
    assert 0.3 < figure.low < 0.5 < figure.high < 0.7


def test_right_guesses_that_are_always_sooner_tell_all() -> None:
    assert told_by(times(lambda _: 0.1)).value == 1


def test_right_guesses_that_are_always_later_tell_as_much() -> None:
    assert told_by(times(lambda _: 9.0)).value == 0


def test_what_answers_count_stands_beside_the_times() -> None:
    hit = guess(True, seconds=0.002, source="CACHE", cached_tokens=0)
    cells = row(hit, guess(False))
    assert cells[5:] == ["2", "200", "0.0", "32.0", "1 CACHE", "1 MODEL"]


def test_an_answer_that_tells_no_time_has_no_figure_by_it() -> None:
    cells = row(guess(True, told_s=None), guess(False, told_s=None))
    assert cells[4] == ""


def test_guesses_of_two_lengths_are_no_comparison() -> None:
    longer = guess(False, kind=PREFIXES, prompt_tokens=451)
    with pytest.raises(BenchError, match="length"):
        row(guess(True, kind=PREFIXES), longer)

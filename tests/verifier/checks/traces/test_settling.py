"""In which order steps are read, and that the outcome is that of one after the other."""

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire_verifier.checks.traces.audit import BELIEVING_ROUNDS, Settling, StepQuestion
from groundwire_verifier.domain.claims import ConfidenceSource
from groundwire_verifier.verdicts.types import CitationStatus, ClaimVerdict, Reason, Verdict

Holds = Callable[[StepQuestion], bool]


def verdict(*, holds: bool) -> ClaimVerdict:
    return ClaimVerdict(
        verdict=Verdict.SUPPORTED if holds else Verdict.UNSUPPORTED,
        reason=Reason.BUDGET_COVERED if holds else Reason.LOW_POSTERIOR,
        reason_text="",
        grounded=holds,
        warning="",
        citation_status=CitationStatus.NONE,
        cited_ids=(),
        unknown_ids=(),
        confidence=0.95,
        confidence_source=ConfidenceSource.DEFAULT,
    )


def settle(steps: int, holds: Holds) -> tuple[Settling, list[StepQuestion]]:
    """Read until all is settled; all that was read, too."""
    settling, read = Settling([True] * steps), []
    while round_ := settling.next_round():
        for question in round_:
            read.append(question)
            settling.take(question, [verdict(holds=holds(question))])
    return settling, read


def one_by_one(steps: int, holds: Holds) -> list[bool]:
    premises: tuple[int, ...] = ()
    found = []
    for step in range(steps):
        found.append(holds(StepQuestion(step, premises)))
        if found[-1]:
            premises = (*premises, step)
    return found


def test_a_trace_that_holds_takes_one_round() -> None:
    settling, read = settle(10, lambda _: True)
    assert settling.rounds == 1
    assert len(read) == 10


@pytest.mark.parametrize("bad", [{3}, {0}, {9}, {2, 5, 8}])
def test_wrong_steps_take_one_round_more_however_many(bad: set[int]) -> None:
    settling, read = settle(10, lambda question: question.step not in bad)
    last_is_bad = bad == {9}
    assert settling.rounds == (1 if last_is_bad else 2)
    assert len(read) == 10 + (9 - min(bad))


def test_steps_that_assert_nothing_are_not_read() -> None:
    settling = Settling([False, True, False])
    assert settling.next_round() == [StepQuestion(1, ())]


@given(st.integers(1, 12), st.randoms(use_true_random=False))
def test_the_outcome_is_that_of_steps_judged_one_after_the_other(
    steps: int, random: Random
) -> None:
    answers: dict[StepQuestion, bool] = {}

    def holds(question: StepQuestion) -> bool:
        return answers.setdefault(question, random.random() < 0.5)

    settling, read = settle(steps, holds)
    settled = settling.settled()
    assert [bool(settled[i][0].grounded) for i in range(steps)] == one_by_one(steps, holds)
    assert len(read) == len(set(read))


def test_a_trace_that_always_changes_its_mind_costs_a_few_times_its_steps() -> None:
    # Whether a step holds depends on the number of its premises.
    settling, read = settle(60, lambda question: (question.step + len(question.premises)) % 2 == 0)
    assert len(read) <= (BELIEVING_ROUNDS + 1) * 60
    assert len(settling.settled()) == 60


def test_what_was_read_with_a_step_that_is_missing_is_not_settled() -> None:
    settling = Settling([True] * 3)
    first, _, third = settling.next_round()
    settling.take(first, [verdict(holds=True)])
    settling.take(third, [verdict(holds=True)])
    assert list(settling.settled()) == [0]

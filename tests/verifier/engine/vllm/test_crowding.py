"""When a team of threads counts as crowded, and when as alone again."""

import pytest

from groundwire_verifier.engine.vllm.in_engine.crowding import (
    HOLD_S,
    LONGEST_HOLD_S,
    Crowding,
    Look,
)

AFTER_S = 0.25
ALONE = Look(AFTER_S, ran_s=0.40, waited_s=0.01)
BESIDE_OUR_SERVER = Look(AFTER_S, ran_s=0.36, waited_s=0.07)
BESIDE_A_LOOP = Look(AFTER_S, ran_s=0.28, waited_s=0.20)
BESIDE_A_LOOP_OF_ANOTHER_SESSION = Look(AFTER_S, ran_s=0.36, waited_s=0.12)
IDLE = Look(AFTER_S, ran_s=0.001, waited_s=0.01)
QUOTA_SPENT = Look(AFTER_S, ran_s=0.35, waited_s=0.01, quota_spent=1.0)


def looks_until(crowding: Crowding, look: Look, *, crowded: bool, most: int = 2000) -> int:
    """How many such looks it takes to come to that."""
    for number in range(1, most + 1):
        if crowding.is_crowded(look) is crowded:
            return number
    raise AssertionError(f"{look} never came to {crowded}")


def crowded() -> Crowding:
    found = Crowding()
    looks_until(found, BESIDE_A_LOOP, crowded=True)
    return found


@pytest.mark.parametrize("look", [ALONE, BESIDE_OUR_SERVER, IDLE])
def test_a_team_that_has_its_cores_is_not_crowded(look: Look) -> None:
    crowding = Crowding()
    assert not any(crowding.is_crowded(look) for _ in range(200))


@pytest.mark.parametrize("look", [BESIDE_A_LOOP, BESIDE_A_LOOP_OF_ANOTHER_SESSION, QUOTA_SPENT])
def test_a_team_that_loses_its_cores_is_crowded_within_a_second(look: Look) -> None:
    crowding = Crowding()
    for _ in range(40):
        crowding.is_crowded(ALONE)
    assert looks_until(crowding, look, crowded=True) * AFTER_S <= 1.5


def test_a_team_stays_crowded_for_a_while_and_is_alone_after_it() -> None:
    took_s = looks_until(crowded(), ALONE, crowded=False) * AFTER_S
    assert HOLD_S <= took_s <= HOLD_S + 5.0


def test_what_comes_back_at_each_return_is_held_longer_and_longer() -> None:
    crowding, held_s = Crowding(), []
    for _ in range(7):
        looks_until(crowding, QUOTA_SPENT, crowded=True)
        held_s.append(looks_until(crowding, ALONE, crowded=False) * AFTER_S)
    assert held_s == sorted(held_s)
    assert held_s[-1] >= LONGEST_HOLD_S

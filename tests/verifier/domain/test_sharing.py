"""The order that shares the most prefix, and the fewest tokens that sharing allows."""

from hypothesis import given
from hypothesis import strategies as st

from groundwire_verifier.domain.sharing import minimal_tokens, sharing_order
from groundwire_verifier.domain.types import Prompt

BLOCK = 4


def prompt(*ids: int) -> Prompt:
    return Prompt(ids, claim_tokens=0, context_tokens=0)


def computed_in_order(prompts: list[Prompt]) -> int:
    """Tokens that an engine computes that remembers its last prompt only."""
    total, last = 0, tuple[int, ...]()
    for one in prompts:
        ids = one.token_ids
        shared = 0
        while shared + BLOCK < len(ids) and ids[: shared + BLOCK] == last[: shared + BLOCK]:
            shared += BLOCK
        total += len(ids) - shared
        last = ids
    return total


def test_a_part_of_a_block_is_not_shared() -> None:
    assert minimal_tokens([prompt(*range(10)), prompt(*range(7), 9, 9, 9)], BLOCK) == 10 + 6


def test_the_last_token_of_a_prompt_is_always_computed() -> None:
    assert minimal_tokens([prompt(*range(8)), prompt(*range(8))], BLOCK) == 8 + 4


def test_a_block_is_shared_only_behind_the_same_prefix() -> None:
    same_end = [prompt(1, 1, 1, 1, 5, 5, 5, 5, 0), prompt(2, 2, 2, 2, 5, 5, 5, 5, 0)]
    assert minimal_tokens(same_end, BLOCK) == 18


ids = st.lists(st.integers(0, 1), min_size=1, max_size=20)


@given(st.lists(ids, min_size=1, max_size=12, unique_by=tuple))
def test_in_the_sharing_order_the_last_prompt_is_memory_enough(found: list[list[int]]) -> None:
    prompts = [prompt(*one) for one in found]
    ordered = [prompts[i] for i in sharing_order(prompts)]
    assert sorted(p.token_ids for p in prompts) == sorted(p.token_ids for p in ordered)
    assert computed_in_order(ordered) == minimal_tokens(prompts, BLOCK)

"""How prompts share prefixes: the order that shares the most, and the fewest tokens there
can be."""

from collections.abc import Sequence

from groundwire_verifier.domain.types import Prompt


def sharing_order(prompts: Sequence[Prompt]) -> list[int]:
    """The indexes of the prompts such that those with the longest common prefixes are neighbours.

    In lexicographic order every prefix that several prompts share is a run without a gap, so a
    cache of any size has it still when the next prompt comes.
    """
    return sorted(range(len(prompts)), key=lambda i: prompts[i].token_ids)


def minimal_tokens(prompts: Sequence[Prompt], block_tokens: int) -> int:
    """The fewest tokens to compute for these prompts from an empty cache.

    Prefixes are shared in whole blocks, and the last token of a prompt is always computed, since
    its output is what is read.
    """
    # A prefix is known by a number, so that blocks compare without what stands before them.
    numbers: dict[tuple[int, tuple[int, ...]], int] = {}
    total = 0
    # Sorted, a prompt comes before those that it begins, which can take all its blocks.
    for ids in sorted(prompt.token_ids for prompt in prompts):
        prefix, shared = 0, 0
        for start in range(0, len(ids) - block_tokens + 1, block_tokens):
            block = (prefix, ids[start : start + block_tokens])
            if block in numbers and start + block_tokens < len(ids):
                shared = start + block_tokens
            prefix = numbers.setdefault(block, len(numbers) + 1)
        total += len(ids) - shared
    return total

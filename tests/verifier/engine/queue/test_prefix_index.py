"""What an engine's prefix cache holds, against a cache that is simulated naively."""

import random

from groundwire_verifier.domain.sharing import minimal_tokens
from groundwire_verifier.domain.types import Prompt
from groundwire_verifier.engine.queue.dispatcher import PrefixIndex

BLOCK = 4


def prompt(context: list[int], claim: list[int], cache_salt: str = "") -> Prompt:
    return Prompt(tuple(context + claim), len(claim), len(context), cache_salt=cache_salt)


def counted(index: PrefixIndex, prompts: list[Prompt]) -> list[int]:
    return index.uncached_tokens(prompts, index.blocks(prompts))


def learn(index: PrefixIndex, prompts: list[Prompt]) -> None:
    index.add(index.blocks(prompts))


def test_an_empty_cache_shares_only_within_the_call() -> None:
    index = PrefixIndex(BLOCK, 100)
    context = list(range(10))
    assert counted(index, [prompt(context, [100 + i]) for i in range(3)]) == [11, 3, 3]


def test_what_was_sent_is_cached_but_for_the_last_token() -> None:
    index = PrefixIndex(BLOCK, 100)
    whole = prompt(list(range(8)), [])
    learn(index, [whole])
    assert counted(index, [whole]) == [BLOCK]
    assert counted(index, [prompt(list(range(8)), [9])]) == [1]


def test_what_was_sent_with_another_salt_is_not_cached() -> None:
    index = PrefixIndex(BLOCK, 100)
    context = list(range(8))
    learn(index, [prompt(context, [], "one")])
    asked = [prompt(context, [9], salt) for salt in ("one", "another", "another")]
    assert counted(index, asked) == [1, 9, 1]


def test_the_least_recently_used_is_forgotten_from_its_end() -> None:
    index = PrefixIndex(BLOCK, 3)
    first, second = prompt(list(range(8)), [99]), prompt(list(range(50, 58)), [99])
    learn(index, [first])
    learn(index, [second])
    assert counted(index, [second]) == [1]
    assert counted(index, [first]) == [5]


def test_in_sharing_order_it_counts_the_fewest_tokens() -> None:
    draw = random.Random(5)  # noqa: S311 - a fixed draw
    contexts = [[draw.randrange(3) for _ in range(draw.randint(1, 20))] for _ in range(8)]
    prompts = [
        prompt(draw.choice(contexts), [draw.randrange(3) for _ in range(draw.randint(1, 9))])
        for _ in range(60)
    ]
    prompts.sort(key=lambda each: each.token_ids)
    assert sum(counted(PrefixIndex(BLOCK, 10_000), prompts)) == minimal_tokens(prompts, BLOCK)

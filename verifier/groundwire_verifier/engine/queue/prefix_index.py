"""Which prefixes an engine's cache holds, as far as what it was sent can tell.

The engine keeps prefixes in whole blocks and forgets the least recently used. No text is kept: a
block is known by a hash of all tokens up to its end, and of the cache salt before them.
"""

from collections import OrderedDict
from collections.abc import Sequence

from groundwire_verifier.domain.types import Prompt

Blocks = tuple[int, ...]
"""A prompt's whole blocks, each by the hash of the prefix that it ends."""


class PrefixIndex:
    """The blocks of the last prompts, at most `capacity_blocks`. It begins empty."""

    def __init__(self, block_tokens: int, capacity_blocks: int) -> None:
        self._block_tokens = block_tokens
        self._capacity = max(1, capacity_blocks)
        self._known: OrderedDict[int, None] = OrderedDict()

    def blocks(self, prompts: Sequence[Prompt]) -> list[Blocks]:
        """The blocks of each prompt; what neighbours share is hashed once."""
        found: list[Blocks] = []
        before = Prompt((), 0, 0)
        last: Blocks = ()
        for prompt in prompts:
            last = self._continued(last[: self._shared_blocks(before, prompt)], prompt)
            before = prompt
            found.append(last)
        return found

    def uncached_tokens(self, prompts: Sequence[Prompt], blocks: Sequence[Blocks]) -> list[int]:
        """Tokens to compute of each prompt, read in this order; at least one each."""
        own: set[int] = set()
        found = []
        for prompt, known in zip(prompts, blocks, strict=True):
            tokens = len(prompt.token_ids)
            cached = 0
            # The last token is always computed: it is what is read.
            ends = range(self._block_tokens, tokens, self._block_tokens)
            for end, block in zip(ends, known, strict=False):
                if block not in self._known and block not in own:
                    break
                cached = end
            found.append(tokens - cached)
            own.update(known)
        return found

    def add(self, blocks: Sequence[Blocks]) -> None:
        """Take these prompts for cached, the last as the most recently used."""
        for prompt in blocks:
            # The end first: the engine, too, forgets the end of a prefix before its beginning.
            for block in reversed(prompt):
                self._known[block] = None
                self._known.move_to_end(block)
        while len(self._known) > self._capacity:
            self._known.popitem(last=False)

    def clear(self) -> None:
        """Forget everything."""
        self._known.clear()

    def _shared_blocks(self, before: Prompt, prompt: Prompt) -> int:
        """How many blocks a prompt shares with the one before; only the context's are tried."""
        if before.cache_salt != prompt.cache_salt:
            return 0
        shared = min(len(before.token_ids), prompt.context_tokens) // self._block_tokens
        end = shared * self._block_tokens
        return shared if prompt.token_ids[:end] == before.token_ids[:end] else 0

    def _continued(self, known: Blocks, prompt: Prompt) -> Blocks:
        size, ids = self._block_tokens, prompt.token_ids
        blocks = list(known)
        for start in range(len(known) * size, len(ids) - size + 1, size):
            blocks.append(
                hash((blocks[-1] if blocks else prompt.cache_salt, ids[start : start + size]))
            )
        return tuple(blocks)

"""Contexts of exact token lengths and claims, from the shared data set, in a fixed order.

It counts with the model's own tokeniser and prompt, so it can say how much of a batch a prefix
cache may know.
"""

import json
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

from transformers import AutoTokenizer

from bench.tools.common import BenchError, data_file
from groundwire_server.config.settings import ServerSettings
from groundwire_server.models.store import resolve
from groundwire_verifier.domain.prompts import PromptEncoder
from groundwire_verifier.domain.types import LabelForm, Prompt, Question
from groundwire_verifier.engine.hf_tokenizer import FastTokenizer, HfTokenizer
from groundwire_verifier.engine.vllm import BLOCK_TOKENS

DATA_FILE = "factscore.jsonl"
SEED = 20
_CHARACTERS_PER_TOKEN = 8
"""More than any stretch of the corpus has, so that a slice is always long enough."""
_SEPARATOR = re.compile(r"\s*####SPECIAL####SEPARATOR####\s*")
_SENTENCE_START = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_WORD_START = re.compile(r"(?<= )[A-Za-z]")


class Corpus:
    """Real biographies and real claims about them.

    A context is a stretch of the biographies, one after the other, that begins at a sentence. No
    two contexts share a first block, so one that was never handed out is cold for any cache.
    A claim need not be about its context: what a read costs does not depend on its answer.
    """

    def __init__(self, model: str) -> None:
        """Read the data and the tokeniser. Raises MissingDataError."""
        self.model_path = resolve(model, ServerSettings().cache_dir.expanduser(), print)
        # The server wraps the same tokeniser, and checks its markers the same way.
        self._raw = AutoTokenizer.from_pretrained(self.model_path)
        self._tokenizer = HfTokenizer(cast(FastTokenizer, self._raw))
        self.encoder = PromptEncoder.for_tokenizer(self._tokenizer)
        rows = _rows(data_file(DATA_FILE))
        shuffle = random.Random(SEED)  # noqa: S311 - a fixed order, not a secret
        contexts = list(dict.fromkeys(_SEPARATOR.sub(" ", row["context"]) for row in rows))
        shuffle.shuffle(contexts)
        self._text = "\n".join(contexts)
        starts = [match.end() for match in _SENTENCE_START.finditer(self._text)]
        shuffle.shuffle(starts)
        # Once they are used up, contexts begin within sentences: they share no prefix either.
        words = [match.start() for match in _WORD_START.finditer(self._text)]
        shuffle.shuffle(words)
        self._starts: Iterator[int] = iter(starts + words)
        self._openings: set[tuple[int, ...]] = set()
        self._claims = list(dict.fromkeys(row["claim"] for row in rows))
        shuffle.shuffle(self._claims)
        self._next_claim = 0

    def context(self, tokens: int) -> str:
        """A context of exactly `tokens` tokens that was never handed out before."""
        own_in_first_block = BLOCK_TOKENS - len(self.encoder.head) % BLOCK_TOKENS
        for start in self._starts:
            piece = self._text[start : start + tokens * _CHARACTERS_PER_TOKEN]
            (ids,) = self._tokenizer.encode_texts([piece])
            opening = tuple(ids[:own_in_first_block])
            if len(ids) < tokens or opening in self._openings:
                continue
            text = str(self._raw.decode(ids[:tokens], clean_up_tokenization_spaces=False))
            if self._tokenizer.encode_texts([text]) == [ids[:tokens]]:
                self._openings.add(opening)
                return text
        raise BenchError("the data has no more unused contexts: take fewer repeats")

    def claims(self, count: int) -> list[str]:
        """The next `count` distinct claims, from the first again after the last."""
        first, self._next_claim = self._next_claim, self._next_claim + count
        return [self._claims[i % len(self._claims)] for i in range(first, first + count)]

    def prompts(self, claims: Sequence[str], context: str) -> list[Prompt]:
        """The prompts that the server makes of a batch."""
        return self.encoder.encode([Question(claim, context) for claim in claims])

    def label_forms(self) -> tuple[LabelForm, ...]:
        """The label tokens that the server reads."""
        return self.encoder.label_forms()

    def shared_tokens(self, context_tokens: int) -> int:
        """Tokens in the whole blocks that all prompts on one context share."""
        return _whole_blocks(len(self.encoder.head) + context_tokens)

    def most_cached_tokens_cold(self, prompts: Sequence[Prompt]) -> int:
        """The most tokens that a cache can serve to a batch whose context it has never seen.

        The template's head is known, and a prompt may find what an earlier one of the batch wrote.
        """
        head = self.encoder.head
        known = set(_block_chain(head))
        cached = 0
        for prompt in prompts:
            # The last token is always computed: the answer is read after it.
            chain = _block_chain(prompt.token_ids[:-1])
            cached += BLOCK_TOKENS * sum(link in known for link in chain)
            known.update(chain)
        return cached


def _block_chain(token_ids: Sequence[int]) -> list[int]:
    """One number a whole block, which stands for the block and all before it."""
    chain, link = [], 0
    for end in range(BLOCK_TOKENS, len(token_ids) + 1, BLOCK_TOKENS):
        link = hash((link, tuple(token_ids[end - BLOCK_TOKENS : end])))
        chain.append(link)
    return chain


def _whole_blocks(tokens: int) -> int:
    return tokens // BLOCK_TOKENS * BLOCK_TOKENS


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]

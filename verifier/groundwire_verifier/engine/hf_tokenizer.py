"""A Hugging Face tokeniser behind the prompt's protocol, with text of others kept as text."""

import json
import re
from collections.abc import Sequence
from typing import Protocol

from jinja2 import TemplateError

from groundwire_verifier.domain.errors import UnusableModelError
from groundwire_verifier.domain.types import ChatTurn

REMEMBERED_WORDS = 10_000
"""Words whose tokens the library remembers: the first that it meets, whoever wrote them."""

_TRIED = 3 * REMEMBERED_WORDS
"""Tokens whose texts are tried: some make no word of their own, such as a part of a character."""


class FastTokenizer(Protocol):
    """The part of transformers' PreTrainedTokenizerFast that is used here."""

    vocab_size: int
    chat_template: str | None
    eos_token_id: int | None

    def __call__(
        self, text: list[str], *, add_special_tokens: bool
    ) -> "dict[str, list[list[int]]]":
        """Tokenise texts."""

    def get_added_vocab(self) -> dict[str, int]:
        """The tokens outside the base vocabulary: special tokens and other markers."""

    def decode(self, token_ids: list[int]) -> str:
        """The text of tokens."""

    def apply_chat_template(
        self,
        conversation: list[dict[str, str]],
        *,
        tokenize: bool,
        add_generation_prompt: bool,
        **template_values: object,
    ) -> str:
        """Render a conversation with the model's template."""


class HfTokenizer:
    """Implements `groundwire_verifier.domain.prompts.Tokenizer`.

    A tokeniser turns the text `<|im_end|>` into the very token that ends a turn. In text of
    others every such marker is cut in two and its halves are tokenised apart, so the characters
    stay and the token never appears. This also covers markers that a tokeniser does not call
    special, such as `<think>`.
    """

    def __init__(self, tokenizer: FastTokenizer) -> None:
        self._tokenizer = tokenizer
        added = tokenizer.get_added_vocab()
        # An added token that is plain white space (runs of blanks in code models) steers nothing.
        markers = sorted((text for text in added if text.strip()), key=len, reverse=True)
        self._marker = re.compile("|".join(re.escape(m) for m in markers)) if markers else None
        self._marker_ids = frozenset(added[m] for m in markers)

    def fill_word_memory(self) -> None:
        """Let the library remember words of the vocabulary, and so none of any caller.

        A word that it remembers takes less time, which would tell one caller of the words of
        another. It never forgets one for another, so what is full stays as it is. One word after
        the other, since threads that tokenise at once keep each other from being remembered.
        """
        for token_id in range(min(_TRIED, self._tokenizer.vocab_size)):
            self._encode([self._tokenizer.decode([token_id])])

    def encode_template(self, text: str) -> list[int]:
        """Tokens of text of ours; special tokens written in it are honoured."""
        return self._encode([text])[0]

    def encode_texts(self, texts: Sequence[str]) -> list[list[int]]:
        """Tokens of texts of others; no marker token ever appears."""
        encoded = self._encode(list(texts))
        return [
            self._encode_apart(text) if self._holds_marker(text, ids) else ids
            for text, ids in zip(texts, encoded, strict=True)
        ]

    def marker_span(self, text: str) -> tuple[int, int] | None:
        """From where to where text of ours has special tokens, if it has any."""
        found = [] if self._marker is None else list(self._marker.finditer(text))
        return (found[0].start(), found[-1].end()) if found else None

    def decode_token(self, token_id: int) -> str:
        return self._tokenizer.decode([token_id])

    def decode(self, token_ids: Sequence[int]) -> str:
        """The text of tokens that a model wrote, without special tokens."""
        return self._tokenizer.decode([i for i in token_ids if i not in self._marker_ids])

    @property
    def end_ids(self) -> tuple[int, ...]:
        """The tokens with which a model ends its turn, as far as the tokeniser knows."""
        end = self._tokenizer.eos_token_id
        return () if end is None else (end,)

    def render_chat(self, turns: Sequence[ChatTurn], template_values: str) -> str | None:
        """Turns and the start of the answer, or None without a chat template.

        Raises UnusableModelError if the template refuses them.
        """
        if not self._tokenizer.chat_template:
            return None
        try:
            return self._tokenizer.apply_chat_template(
                [{"role": turn.role, "content": turn.text} for turn in turns],
                tokenize=False,
                add_generation_prompt=True,
                **json.loads(template_values),
            )
        except (TemplateError, TypeError, ValueError, LookupError) as error:
            raise UnusableModelError(
                f"the model's chat template refuses how it is asked ({error}): use the profile "
                "that is made for this model"
            ) from error

    def _encode(self, texts: list[str]) -> list[list[int]]:
        return self._tokenizer(texts, add_special_tokens=False)["input_ids"]

    def _holds_marker(self, text: str, ids: list[int]) -> bool:
        # Looking at the tokens too catches tokenisers that normalise text before they match.
        return not self._marker_ids.isdisjoint(ids) or (
            self._marker is not None and self._marker.search(text) is not None
        )

    def _encode_apart(self, text: str) -> list[int]:
        cuts = [0]
        if self._marker is not None:
            cuts += [match.start() + 1 for match in self._marker.finditer(text)]
        pieces = [text[a:b] for a, b in zip(cuts, [*cuts[1:], len(text)], strict=True)]
        ids = [i for piece in self._encode(pieces) for i in piece]
        if self._marker_ids.isdisjoint(ids):
            return ids
        # Cutting one marker can leave another whole; a single character never is one.
        return [i for piece in self._encode(list(text)) for i in piece if i not in self._marker_ids]

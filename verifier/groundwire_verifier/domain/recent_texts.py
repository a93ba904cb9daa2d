"""The texts that were tokenised last, with their tokens: a context is asked about many times.

A text is kept under the cache salt of its caller, since the time that tokenising takes would tell
others what was asked.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence

MAX_CHARACTERS = 2_000_000
"""Of all texts that are kept: some 20 MB with their tokens."""

ENTRY_CHARACTERS = 300
"""What an entry counts besides its text: two million texts of one character took 700 MB."""

BATCH_CHARACTERS = 1_000_000
"""Of the texts that are tokenised at one time: the tokeniser takes some 100 bytes a token then."""

Tokens = tuple[int, ...]
Salted = tuple[str, str]
"""A cache salt, and a text."""


class RecentTexts:
    """Tokenises with `encode`, and keeps at most `max_characters`. Safe to share by threads."""

    def __init__(
        self,
        encode: Callable[[Sequence[str]], list[list[int]]],
        max_characters: int = MAX_CHARACTERS,
    ) -> None:
        self._encode = encode
        self._max_characters = max_characters
        self._characters = 0
        self._kept: OrderedDict[Salted, Tokens] = OrderedDict()
        # One number object for each token of the vocabulary: a number takes four times its place.
        self._one: dict[int, int] = {}
        self._lock = threading.Lock()

    def tokens(self, texts: Sequence[Salted]) -> dict[Salted, Tokens]:
        """The tokens of each text, which is tokenised unless it is known."""
        with self._lock:
            found = {text: self._kept[text] for text in texts if text in self._kept}
            for text in found:
                self._kept.move_to_end(text)
        new = [text for text in dict.fromkeys(texts) if text not in found]
        for batch in _batches(new):
            encoded = self._encode([text for _, text in batch])
            made = {
                salted: tuple(map(self._one.setdefault, ids, ids))
                for salted, ids in zip(batch, encoded, strict=True)
            }
            self._keep(made)
            found |= made
        return found

    def _keep(self, made: dict[Salted, Tokens]) -> None:
        with self._lock:
            for salted, ids in made.items():
                # Another thread may have been first.
                if salted not in self._kept:
                    self._kept[salted] = ids
                    self._characters += len(salted[1]) + ENTRY_CHARACTERS
            while self._characters > self._max_characters:
                (_, text), _ = self._kept.popitem(last=False)
                self._characters -= len(text) + ENTRY_CHARACTERS


def _batches(texts: Sequence[Salted]) -> Iterator[list[Salted]]:
    """The texts in their order, in as few lists as hold BATCH_CHARACTERS each, or one text."""
    batch: list[Salted] = []
    characters = 0
    for salt, text in texts:
        if batch and characters + len(text) > BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
        batch.append((salt, text))
        characters += len(text)
    if batch:
        yield batch

"""The texts that were tokenised last, with their tokens: a context is asked about many times.

Knows texts and a function that tokenises them. Does not know prompts or tokenisers.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence

MAX_CHARACTERS = 2_000_000
"""Of all texts that are kept: some 20 MB with their tokens."""

BATCH_CHARACTERS = 1_000_000
"""Of the texts that are tokenised at one time: the tokeniser takes some 100 bytes a token then."""

Tokens = tuple[int, ...]


class RecentTexts:
    """Tokenises with `encode`, and keeps at most `max_characters`. Safe to share by threads."""

    def __init__(
        self,
        encode: Callable[[Sequence[str]], list[list[int]]],
        max_characters: int = MAX_CHARACTERS,
    ) -> None:
        """Start empty."""
        self._encode = encode
        self._max_characters = max_characters
        self._characters = 0
        self._kept: OrderedDict[str, Tokens] = OrderedDict()
        # One number object for each token of the vocabulary: a number takes four times its place.
        self._one: dict[int, int] = {}
        self._lock = threading.Lock()

    def tokens(self, texts: Sequence[str]) -> dict[str, Tokens]:
        """The tokens of each text, which is tokenised unless it is known."""
        with self._lock:
            found = {text: self._kept[text] for text in texts if text in self._kept}
            for text in found:
                self._kept.move_to_end(text)
        new = [text for text in dict.fromkeys(texts) if text not in found]
        for batch in _batches(new):
            made = {
                text: tuple(map(self._one.setdefault, ids, ids))
                for text, ids in zip(batch, self._encode(batch), strict=True)
            }
            self._keep(made)
            found |= made
        return found

    def _keep(self, made: dict[str, Tokens]) -> None:
        with self._lock:
            for text, ids in made.items():
                # Another thread may have been first.
                if text not in self._kept:
                    self._kept[text] = ids
                    self._characters += len(text)
            while self._characters > self._max_characters:
                text, _ = self._kept.popitem(last=False)
                self._characters -= len(text)


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in their order, in as few lists as hold BATCH_CHARACTERS each, or one text."""
    batch: list[str] = []
    characters = 0
    for text in texts:
        if batch and characters + len(text) > BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
        batch.append(text)
        characters += len(text)
    if batch:
        yield batch

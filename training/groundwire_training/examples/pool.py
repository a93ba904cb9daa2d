"""What an example may borrow from elsewhere: names to swap in, and claims of other contexts."""

import random
import re
from collections.abc import Collection, Sequence

from groundwire_training.data.rows import Row
from groundwire_training.examples.edits import names_in

NEIGHBOURS_COMPARED, NEIGHBOUR_OVERLAP = 60, 0.7

_WORD = re.compile(r"\w+")


class Pool:
    """Claims and names of elsewhere, by language."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows: dict[str, list[Row]] = {"en": [], "he": []}
        for row in rows:
            self._rows.setdefault(row.language, []).append(row)
        names = {name for row in self._rows["en"] for name in names_in(row.claim)}
        self._names = sorted(names)

    @property
    def languages(self) -> tuple[str, ...]:
        """Those of the rows, always the same ones first."""
        return tuple(self._rows)

    def names(self, context: str, rng: random.Random) -> list[str]:
        """Names to swap in: of the context itself, and some of elsewhere."""
        return names_in(context)[:30] + rng.sample(self._names, k=min(10, len(self._names)))

    def neighbour(self, language: str, context: str, rng: random.Random) -> str | None:
        """A claim of another context that shares many words with this one, yet not most of its own.

        One that shares nearly all could be true by accident. None if there is no other.
        """
        known = set(_WORD.findall(context.lower()))
        shares = {
            claim: _share(_WORD.findall(claim.lower()), known)
            for claim in self.claims(language, context, NEIGHBOURS_COMPARED, rng)
        }
        fit = [claim for claim, share in shares.items() if share <= NEIGHBOUR_OVERLAP]
        return max(fit, key=lambda claim: shares[claim], default=None)

    def claims(self, language: str, beside: str, count: int, rng: random.Random) -> list[str]:
        """Claims of other contexts."""
        rows = self._rows[language]
        found = rng.sample(rows, k=min(count + 4, len(rows)))
        return [row.claim for row in found if row.context != beside][:count]


def _share(words: Sequence[str], known: Collection[str]) -> float:
    return sum(word in known for word in words) / max(1, len(words))

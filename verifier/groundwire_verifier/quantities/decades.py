"""The decades that a text names: `the 1990s`, `the late 80s`, `the nineties`, `שנות ה-90`.

Does not compare them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.quantities.number_words import HEBREW_PREFIXES

_IN_WORDS = {
    name: 20 + 10 * at
    for at, names in enumerate(
        (
            "twenties העשרים", "thirties השלושים", "forties הארבעים", "fifties החמישים",
            "sixties השישים הששים", "seventies השבעים", "eighties השמונים", "nineties התשעים",
        )
    )
    for name in names.split()
}  # fmt: skip
_ENGLISH = "|".join(name for name in _IN_WORDS if name.isascii())
_HEBREW = "|".join(name for name in _IN_WORDS if not name.isascii())
_YEAR = r"[12]\d{2}0"
_DECADE = re.compile(
    rf"(?<![\w.,])(?P<year>{_YEAR})(?P<mark>'?)s(?!\w)"
    r"|(?:'|(?<=\bthe )|(?<=\bearly )|(?<=\blate )|(?<=\bmid[ -]))(?P<short>\d0)'?s(?!\w)"
    rf"|(?<!\w)(?P<english>{_ENGLISH})(?!\w)"
    rf"|(?<!\w)[{HEBREW_PREFIXES}]{{0,2}}שנות "
    rf"(?:ה-?(?P<digits>{_YEAR}|\d0)|(?P<hebrew>{_HEBREW}))(?!\w)"
)
_MAY_BE_ONE = re.compile(r"0'?s|ties|שנות ה")
"""Stands in every decade, and is looked for faster."""
_CENTURY = 100
_DECADE_YEARS = 10


@dataclass(frozen=True, slots=True)
class Decade:
    """A decade by its first year, or by that without its century: 1990 or 90.

    `may_be_year` is so of `1990's`, which can be something of that year.
    """

    first: int
    may_be_year: bool
    span: Span

    @property
    def has_century(self) -> bool:
        """Whether it is clear of which century it is."""
        return self.first >= _CENTURY

    @property
    def years(self) -> range:
        """Its years; those of the whole century where it can be meant, as in `the 1900s`."""
        is_century = self.first % _CENTURY == 0
        return range(self.first, self.first + (_CENTURY if is_century else _DECADE_YEARS))

    def is_stated(self, years: set[int], decades: set[int]) -> bool:
        """Whether one of the years lies in it, or one of the decades, given by their first years,
        is it or can be."""
        within = self.years
        begun = within[::_DECADE_YEARS]
        return not (
            years.isdisjoint(within)
            and decades.isdisjoint(begun)
            and decades.isdisjoint(first % _CENTURY for first in begun)
        )


def find_decades(text: str) -> Iterator[Decade]:
    """The decades of a text in lower case with plain quotes, in their order."""
    if _MAY_BE_ONE.search(text) is None:
        return
    for match in _DECADE.finditer(text):
        word = match["english"] or match["hebrew"]
        digits = match["year"] or match["short"] or match["digits"]
        first = _IN_WORDS[word] if word else int(digits)
        yield Decade(first, bool(match["mark"]), Span(*match.span()))

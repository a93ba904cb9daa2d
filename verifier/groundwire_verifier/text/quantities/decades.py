"""The decades and centuries that a text names: `the 1990s`, `the late 80s`, `the nineties`,
`שנות ה-90`, `the nineteenth century`, `המאה ה-19`.

Does not compare them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.text.quantities.number_words import HEBREW_PREFIXES

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
_CENTURIES = {
    name: number
    for number, names in {
        11: "eleventh האחת-עשרה", 12: "twelfth השתים-עשרה השתיים-עשרה",
        13: "thirteenth השלוש-עשרה", 14: "fourteenth הארבע-עשרה", 15: "fifteenth החמש-עשרה",
        16: "sixteenth השש-עשרה", 17: "seventeenth השבע-עשרה", 18: "eighteenth השמונה-עשרה",
        19: "nineteenth התשע-עשרה", 20: "twentieth העשרים", 21: "twenty-first העשרים-ואחת",
    }.items()
    for name in names.split()
}  # fmt: skip
"""Those whose years are looked for: earlier ones are before YEARS."""
_ORDER_WORDS = "|".join(
    name.replace("-", "[ -]") for name in sorted(_CENTURIES, key=len, reverse=True)
)
_ORDER = rf"(?:(?:1[1-9]|20|21)(?:st|nd|rd|th)|(?:{_ORDER_WORDS}))"
_YEAR = r"[12]\d{2}0"
_DECADE = re.compile(
    rf"(?<![\w.,])(?P<year>{_YEAR})(?P<mark>'?)s(?!\w)"
    r"|(?:'|(?<=\bthe )|(?<=\bearly )|(?<=\blate )|(?<=\bmid[ -]))(?P<short>\d0)'?s(?!\w)"
    rf"|(?<!\w)(?P<english>{_ENGLISH})(?!\w)"
    rf"|(?<!\w)[{HEBREW_PREFIXES}]{{0,2}}שנות "
    rf"(?:ה-?(?P<digits>{_YEAR}|\d0)|(?P<hebrew>{_HEBREW}))(?!\w)"
    # Of `18th- and 19th-century` both are one.
    rf"|(?<![\w.,-])(?P<order>{_ORDER})(?=-?(?:(?:,| and| or| to|-)[ ]?{_ORDER}){{0,3}}"
    r"[ -]centur(?:y|ies)(?!\w))"
    rf"|(?<!\w)[{HEBREW_PREFIXES}]{{0,2}}(?:ה?מאה|המאות) (?:ה-?(?P<order_digits>1[1-9]|20|21)"
    rf"|(?P<order_hebrew>{_ORDER_WORDS}))(?!\w)"
)
_MAY_BE_ONE = re.compile(r"0'?s|ties|שנות ה|centur|מאה |מאות ")
"""Stands in every decade and century, and is looked for faster."""
_CENTURY_BEHIND = re.compile("[ -]century")
_CENTURY = 100
_DECADE_YEARS = 10


@dataclass(frozen=True, slots=True)
class Decade:
    """A decade by its first year, or by that without its century: 1990 or 90. A century by its.

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
        order = match["order"] or match["order_digits"] or match["order_hebrew"]
        if order:
            digits = order[:2]
            number = int(digits) if digits.isdecimal() else _CENTURIES[order.replace(" ", "-")]
            behind = _CENTURY_BEHIND.match(text, match.end())
            end = behind.end() if behind else match.end()
            yield Decade((number - 1) * _CENTURY, False, Span(match.start(), end))
            continue
        word = match["english"] or match["hebrew"]
        digits = match["year"] or match["short"] or match["digits"]
        first = _IN_WORDS[word] if word else int(digits)
        yield Decade(first, bool(match["mark"]), Span(*match.span()))

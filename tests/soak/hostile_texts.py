"""A search for texts that keep the claim parser busy for longer than their length explains.

A text is a prefix, a unit that is repeated, and a suffix, all made of fragments that the parser's
patterns look for. It is at fault if its time grows much faster than its length, or if a character
of it costs many times what one of ordinary prose costs, measured in the same process.
"""

import gc
import math
import random
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product

from groundwire_verifier.engine.chunking import sentences_of
from groundwire_verifier.text.claims.extract import extract_claims
from groundwire_verifier.text.claims.non_evidence import find_non_evidence

PROSE = (
    "The Eiffel Tower was built in 1889 and is 330 metres tall [S0]. I think that it may be "
    "closed, but the museum opened later. It has three levels [1, 2].\n\n"
)
SLOW, GROWING = 16.0, 1.6
"""From when a text is at fault: a character's time over one of prose; the growth's exponent."""

WORTH_A_LOOK, STEEP = 6.0, 2.0
"""From when it is looked at again: the first, measured once; a character's time at FOUR_TIMES."""

SHORT, LONG, FOUR_TIMES = 2000, 4000, 16_000
"""Characters of the texts that are tried."""

LINE_CHARACTERS = 299
FLOOR_S = 0.004
"""Less than this is not told from the clock's noise; the text is made longer."""

WORDS = (
    "x", "a ", "A. ", "1", "1,", "0.5 ", "80% ", "S0", "S0-S99,", "and ", ", and ", "but ", "or ",
    "was ", "is ", "was a and ", "used ", ", used ", "runs ", "may ", "might ", "not ", "about ",
    "I think that ", "Note that ", "It is ", "He ", "which ", "to ", "slowly ", "if ", "Do ",
    "א ", "ה", "נולד ", "ונפטר ", 'צה"ל ', "האם ", "תמיד ", "אם, ", "של ", "אולי ", "שימו לב ",
    "Dr. ", "e.g. ", "Source: ", "Sources:\n", "see ", "According to ", "SELECT ", " FROM ",
    "return ", "import a", "def ", "<div", "a_b", "a.b", "a[0]", "f()", "if (", "É", "ß", "İ",
)  # fmt: skip
MARKS = (
    "[", "]", "(", ")", "[1]", "[S0]", "[S0-S99]", "[^1]", "【1】", "【", "[x", "](", "](a)",
    "[a](b)", "[1]: ", "[1]: http://a ", "[^1]: ", "http://", "http://a", "www.", "@", "a@",
    "a@b.c", "`", "```", "``` ", "~~", "**", "*", "_", "__", "- ", "1. ", "# ", "> ", ">", "|",
    "| ", "|---|\n", "---\n", "<br>", "<sup>", "</sup>", "<think>", "</think>", "†", ".", "!",
    "?", "? ", "…", "...", "。", ",", ";", ":", '"', "“", "”", "״", "'", "\u2019", "\u2018", "«",
    "{", "}", "<", "=", "+=", "/", "-", " - ", "\u2013", "%",
)  # fmt: skip
BLANKS = (" ", "\t", "\n", "\n\n", "\r\n", "\x0b", "\u2028", "\u00a0", "\u200f", "\u0301", "\x00")
FRAGMENTS = (*WORDS, *MARKS, *BLANKS)
PREFIXES = ("", "Source: [1]", "[", "(", '"', "http://a", "`", "> ", "[1]: http://a", "A is b")
SUFFIXES = ("", "x.")


@dataclass(frozen=True, slots=True)
class Shape:
    """A text of any length."""

    prefix: str
    unit: str
    suffix: str

    def text(self, characters: int) -> str:
        """A text of so many characters in this shape, the suffix among them."""
        room = max(0, characters - len(self.prefix) - len(self.suffix))
        return self.prefix + (self.unit * (room // len(self.unit) + 1))[:room] + self.suffix

    def __str__(self) -> str:
        """The parts, escaped and cut."""
        shown = (ascii(part) if len(part) < 40 else f"{part[:20]!a}..." for part in self.parts)
        return " ".join(shown)

    @property
    def parts(self) -> tuple[str, str, str]:
        """Prefix, unit, suffix."""
        return self.prefix, self.unit, self.suffix


WORST = {
    "prose": Shape("", PROSE, ""),
    "blanks behind a citation line": Shape("Source: [1]", " ", "x."),
    "paragraphs of underscores": Shape("", "_" * LINE_CHARACTERS + "\n\n", ""),
    "an address that ends in brackets": Shape("http://a", ")", ""),
    "citations alone in their paragraphs": Shape("A tower is tall.", "\n\n[1]", ""),
    "breaks in a quote": Shape("", "> a<br>\n", ""),
    "link titles of quotes": Shape("", "[a]: http://" + "('" * 900 + " " + "x" * 400 + "\n", ""),
    "conjunctions without a verb": Shape("", "and " * 149 + "end. ", ""),
    "conjunctions behind a verb": Shape(
        "", "A was in the city and the " + "and a the " * 40 + ". ", ""
    ),
    "citations of many parts": Shape("A was a" + " and was a" * 70 + ". ", "[1] [2], ", "."),
    "brackets around each citation": Shape("", "a ((((((([1]))))))) ", ""),
    "ranges": Shape("A is b ", "[S0-S99]", "."),
    "list of numbers": Shape("", "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20] a ", "."),
    "quotes without an end": Shape("", "\u201c", ""),
    "tiny sentences": Shape("", "É。", ""),
    "tiny paragraphs": Shape("", "א\n\n", ""),
    "one word": Shape("", "x", ""),
}
"""Texts that took longest for their length, now or before something was done about them."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A shape whose time is not explained by its length.

    `times_prose` is its time over that of prose; `exponent` is 1 where time grows with the length.
    """

    shape: Shape
    parser: str
    characters: int
    seconds: float
    times_prose: float
    exponent: float

    def __str__(self) -> str:
        """In one line."""
        return (
            f"{self.parser} of {self.shape}: {self.seconds:.2f} s for {self.characters:,} "
            f"characters, {self.times_prose:.0f} times prose, exponent {self.exponent:.1f}"
        )


def parse(text: str) -> None:
    """The claims of a text."""
    extract_claims(text)


def cut(text: str) -> None:
    """The sentences of a context."""
    sentences_of(text)


def mark(text: str) -> None:
    """The questions and instructions of evidence."""
    find_non_evidence([text])


PARSERS: dict[str, Callable[[str], object]] = {
    "claims": parse,
    "sentences": cut,
    "non-evidence": mark,
}


def simple_shapes() -> Iterator[Shape]:
    """Every fragment repeated, behind every prefix, and as lines of one fragment."""
    for unit, prefix, suffix in product(FRAGMENTS, PREFIXES, SUFFIXES):
        yield Shape(prefix, unit, suffix)
    for unit in FRAGMENTS:
        line = (unit * LINE_CHARACTERS)[:LINE_CHARACTERS]
        yield Shape("", line.replace("\n", " ") + "\n", "")
        yield Shape("", line.replace("\n", " ") + ".\n\n", "")


def random_shapes(seed: int) -> Iterator[Shape]:
    """Shapes of several fragments, without an end; the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - a fixed choice, not a secret
    while True:
        few, some, most = (
            chance.randint(0, 2),
            chance.choice((1, 2, 2, 3, 4, 8)),
            chance.randint(0, 1),
        )
        prefix, unit, suffix = ("".join(chance.choices(FRAGMENTS, k=k)) for k in (few, some, most))
        yield Shape(prefix, unit, suffix)


def cpu_s(work: Callable[[str], object], shape: Shape, characters: int, repeats: int) -> float:
    """This process's CPU seconds for work on a text of this shape, the least of all repeats."""
    text = shape.text(characters)
    times_s = []
    for _ in range(repeats):
        began_s = time.process_time()
        work(text)
        times_s.append(time.process_time() - began_s)
    return min(times_s)


class Search:
    """Tries shapes on one parser."""

    def __init__(self, parser: str) -> None:
        """Measure how long the claims of prose take, a character."""
        self.parser = parser
        self._work = PARSERS[parser]
        self._prose_s = cpu_s(parse, Shape("", PROSE, ""), LONG, 20) / LONG

    def seconds(self, shape: Shape, characters: int, repeats: int = 1) -> float:
        """CPU seconds for a text of this shape, the least of all repeats."""
        return cpu_s(self._work, shape, characters, repeats)

    def at_first_sight(self, shapes: Iterable[Shape]) -> Iterator[Fault]:
        """Those of many shapes, in short texts, that are at fault."""
        for shape in shapes:
            if self.seconds(shape, SHORT) > WORTH_A_LOOK * self._prose_s * SHORT:
                yield from self.examined(shape)

    def by_growth(self, shapes: Iterable[Shape]) -> Iterator[Fault]:
        """Those of a few shapes, in a text and one that is four times as long."""
        for shape in shapes:
            short_s, long_s = self.seconds(shape, LONG), self.seconds(shape, FOUR_TIMES)
            steep = long_s / FOUR_TIMES > STEEP * short_s / LONG
            if steep or long_s > WORTH_A_LOOK * self._prose_s * FOUR_TIMES:
                yield from self.examined(shape)

    def examined(self, shape: Shape) -> Iterator[Fault]:
        """The shape, if it is at fault in texts that are doubled three times.

        A long text is measured once, and again only if that would put the shape at fault.
        """
        first = SHORT
        while (first_s := self.seconds(shape, first, 3)) < FLOOR_S:
            first *= 2
        last = 2 * first
        while (last_s := self.seconds(shape, last)) < 1.0 and last < 8 * first:
            last *= 2
        for again in range(3):
            exponent = math.log2(last_s / first_s) / math.log2(last / first)
            times_prose = last_s / (self._prose_s * last)
            if exponent <= GROWING and times_prose <= SLOW:
                return
            if again < 2 and last_s < 1.0:
                last_s = min(last_s, self.seconds(shape, last))
        yield Fault(shape, self.parser, last, last_s, times_prose, exponent)


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Its passes over all that came before would be counted as well."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()

"""The rows of the evidence's tables that a claim is read without: those beside the ones it names.

A small model mixes up the rows of a table. `Basic costs 40 euros` reads alike whether `40` stands
in the row `Basic` or in the next one, and reads right where the row `Basic` stands alone. What
compares rows, or counts them, is read with all of them.
"""

from collections import defaultdict
from dataclasses import dataclass

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.domain.evidence import Evidence
from groundwire_verifier.domain.titles import WORD, stem, stems
from groundwire_verifier.text.claims.markup.blocks import BlockKind, find_blocks
from groundwire_verifier.text.claims.tables import subject_of_row
from groundwire_verifier.text.claims.wording.sentence import word_set

MAX_ROWS = 2_000
"""So many rows are looked at; a claim is read with those behind them."""
MAX_CLAIM_CHARACTERS = 600
MIN_DIGITS = 4
"""A row is named by a number with so many digits, such as a year; a shorter one may be any value of
a claim."""

_BEYOND_A_ROW = frozenset(
    map(
        stem,
        word_set(
            "most least only all every each both any none other others another rest than except "
            "but unlike total sum together altogether average mean median rank ranks ranked first "
            "second third fourth last next twice double triple half same equal equally alike like "
            "too either neither best worst more fewer less compared difference between among "
            "across overall many several few "
            "ביותר הכי יותר פחות רק כל כולם שאר אחר אחרת אחרים אחרות היחיד היחידה יחיד יחידה סך "
            "ממוצע ראשון ראשונה שני שנייה אחרון אחרונה כפול חצי מחצית מאשר לעומת זהה זהים בין הפרש "
            "alle nur als einzige meisten andere anderen jeder jede jedes plus moins tous toutes "
            "seul seule autres que más menos todos todas solo sólo único única otros mais più meno "
            "tutti tutte unico altri alleen enige dan meeste ander"
        ),
    )
)
"""With one of these, or with a superlative, a claim may speak of more rows than it names, but for
one that is a part of a name: `First class`."""
_SUPERLATIVES = ("est", "ste", "sten", "ster", "stes")
MIN_SUPERLATIVE_CHARACTERS = 6


@dataclass(frozen=True, slots=True)
class Row:
    """`line` holds the line of the row with its end; `name` the stems of what the row is of."""

    line: Span
    name: frozenset[str]


class Claimed:
    """A claim's words, by their stems, and those of them that speak of more rows than they name."""

    def __init__(self, claim: str) -> None:
        words = {match.group() for match in WORD.finditer(claim[:MAX_CLAIM_CHARACTERS].casefold())}
        self.stems = frozenset(map(stem, words))
        self.beyond = (self.stems & _BEYOND_A_ROW) | {
            stem(word)
            for word in words
            if len(word) >= MIN_SUPERLATIVE_CHARACTERS and word.endswith(_SUPERLATIVES)
        }


@dataclass(frozen=True, slots=True)
class Table:
    """A table with two rows at least. `header` holds its first line and the rule below it."""

    header: Span
    rows: tuple[Row, ...]

    def beside(self, claimed: Claimed) -> list[Row]:
        """The rows beside those that a claim names; none where it names none, or speaks of more."""
        names = {row.name for row in self.rows if row.name and row.name <= claimed.stems}
        named = {name for name in names if not any(name < other for other in names)}
        if not named or claimed.beyond.difference(*named):
            return []
        return [row for row in self.rows if row.name not in named]


def find_tables(evidence: Evidence) -> list[Table]:
    """The tables of the evidence in their order, with at most MAX_ROWS rows in all."""
    found: list[Table] = []
    left = MAX_ROWS
    for passage in evidence.passages:
        text = passage.of(evidence.context)
        if "|" in text and left > 0:
            tables = _tables_in(text, passage.start, left)
            left -= sum(len(table.rows) for table in tables)
            found += tables
    return found


def _tables_in(text: str, start: int, most: int) -> list[Table]:
    found: dict[Span, list[Row]] = defaultdict(list)
    for block in find_blocks(text):
        if block.kind is BlockKind.ROW and block.header is not None and most > 0:
            most -= 1
            name = subject_of_row(block.header.of(text), block.span.of(text))
            found[block.header].append(Row(_line(text, block.span, start), _stems_of(name)))
    return [
        Table(Span(_line(text, header, start).start, rows[0].line.start), tuple(rows))
        for header, rows in found.items()
        if len(rows) > 1
    ]


def _line(text: str, span: Span, at: int) -> Span:
    """The line that holds a span of a text, which stands at `at`, with its end."""
    end = text.find("\n", span.end)
    return Span(at + text.rfind("\n", 0, span.start) + 1, at + (len(text) if end < 0 else end + 1))


def _stems_of(name: str) -> frozenset[str]:
    """The stems by which a claim names a row; none where any value may look like them."""
    found = frozenset(stems(name))
    tells = (len(each) >= MIN_DIGITS if each[0].isdigit() else True for each in found)
    return found if any(tells) else frozenset()

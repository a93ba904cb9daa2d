"""The rows of the evidence's tables that a claim is read without: those beside the ones it names.

A small model mixes up the rows of a table. `Basic costs 40 euros` reads alike whether `40` stands
in the row `Basic` or in the next one, and reads right where the row `Basic` stands alone. So it is
with sentences that say the same of different things: `Basic costs 30 euros. Team costs 40 euros.`
What compares rows, or counts them, is read with all of them.
"""

import re
from collections import defaultdict
from dataclasses import dataclass
from itertools import islice, pairwise

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
MAX_SENTENCE_CHARACTERS = 200
SHARED = 0.5
"""The share of their words that sentences which say the same of different things have in common."""
SENTENCE_END = re.compile(r"[.!?\u2026][\"'\u201d\u2019)\]]*\s+|\n+")

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
_PRONOUNS = word_set(
    "it its he his she her they their this that these those both there then "
    "הוא היא הם הן זה זו אלה אלו שם כך"
)
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
    """Two rows at least, of a table or of sentences that say the same of different things.

    `header` holds a table's first line and the rule below it.
    """

    header: Span | None
    rows: tuple[Row, ...]

    def beside(self, claimed: Claimed) -> list[Row]:
        """The rows beside those that a claim names; none where it names none, or speaks of more.

        It names a row of a table by all words of its name, and a sentence by half of the words that
        are its own. Beside such a sentence are those of whose own words it says none.
        """
        said = claimed.stems
        if self.header is None:
            named = {r.name for r in self.rows if r.name and _share(r.name, said) >= SHARED}
            others = [row for row in self.rows if row.name and row.name.isdisjoint(said)]
        else:
            names = {row.name for row in self.rows if row.name and row.name <= said}
            named = {name for name in names if not any(name < other for other in names)}
            others = [row for row in self.rows if row.name not in named]
        return others if named and not claimed.beyond.difference(*named) else []


def find_tables(evidence: Evidence) -> list[Table]:
    """The tables of the evidence in their order, with at most MAX_ROWS rows in all."""
    found: list[Table] = []
    left = MAX_ROWS
    for passage in evidence.passages:
        text = passage.of(evidence.context)
        if left > 0:
            tables = _tables_in(text, passage.start, left) if "|" in text else []
            tables += _parallels_in(text, passage.start, left)
            left -= sum(len(table.rows) for table in tables)
            found += tables
    return found


def _parallels_in(text: str, start: int, most: int) -> list[Table]:
    """Sentences behind each other that have most of their words in common, but for values.

    None where the sentence behind them begins with a pronoun: it would speak of another one then.
    """
    found: list[Table] = []
    open_: list[tuple[Span, frozenset[str]]] = []
    ends = [match.end() for match in islice(SENTENCE_END.finditer(text), most)]
    for at, end in pairwise((0, *ends, len(text))):
        own = _own_words(text[at:end])
        if open_ and not (own and _are_parallel(open_[0][1], own)):
            if not _refers_back(text[at:end]):
                found += _parallel(open_, start)
            open_ = []
        if own:
            open_.append((Span(at, end), own))
    return found + _parallel(open_, start)


def _own_words(sentence: str) -> frozenset[str]:
    """The stems of a sentence but small numbers; none of a table's row, or of a long one."""
    if len(sentence) > MAX_SENTENCE_CHARACTERS or "|" in sentence:
        return frozenset()
    return frozenset(filter(_tells, stems(sentence)))


def _share(of: frozenset[str], said: frozenset[str]) -> float:
    return len(of & said) / len(of)


def _are_parallel(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= SHARED * max(len(one), len(other))


def _refers_back(sentence: str) -> bool:
    first = WORD.search(sentence.casefold())
    return first is not None and first.group() in _PRONOUNS


def _parallel(sentences: list[tuple[Span, frozenset[str]]], start: int) -> list[Table]:
    shared = frozenset.intersection(*(own for _, own in sentences)) if sentences else frozenset()
    rows = tuple(Row(Span(start + s.start, start + s.end), own - shared) for s, own in sentences)
    return [Table(None, rows)] if sum(bool(row.name) for row in rows) > 1 else []


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
    return found if any(map(_tells, found)) else frozenset()


def _tells(word: str) -> bool:
    return not word[0].isdigit() or len(word) >= MIN_DIGITS

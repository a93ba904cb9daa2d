"""The rows of the evidence's tables that a claim is read without: those beside the one it names.

A small model mixes up the rows of a table. `Basic costs 40 euros` reads alike whether `40` stands
in the row `Basic` or in the next one, and reads right where the row `Basic` stands alone. So a
claim that says the name of a row, values, and no word that the table has not but plain ones is read
with this row. With any other word it may speak of more, and is read with all rows.
"""

from collections import defaultdict
from dataclasses import dataclass

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.domain.evidence import Evidence
from groundwire_verifier.domain.titles import WORD, stem, stems
from groundwire_verifier.text.claims.markup.blocks import Block, BlockKind, find_blocks
from groundwire_verifier.text.claims.tables import subjects_of
from groundwire_verifier.text.claims.wording.sentence import word_set
from groundwire_verifier.text.quantities.figures import find_figures, folded

MAX_ROWS = 500
"""A claim is read with all rows of tables behind so many."""
MAX_COLUMNS = 50
MAX_CLAIM_CHARACTERS = 300

_PLAIN_WORDS = frozenset(
    map(
        stem,
        word_set(
            "the a an of in on at for to with per is are was were be it its has have had do "
            "does did cost costs price priced weigh weighs weight take takes last lasts hold "
            "holds contain contains seat seats allow allows measure measures offer offers "
            "include includes get gets provide provides need needs use uses serve serves open "
            "opens close closes start starts begin begins end ends reach reaches stand stands "
            "amount amounts plan model room של את הוא היא הם הן יש עם עבור מחיר עולה עולים עלה "
            "שוקל שוקלת משקל נמשך נמשכת אורך מכיל מכילה כולל כוללת מאפשר מאפשרת נפתח נפתחת נסגר "
            "נסגרת מתחיל מתחילה פתוח פתוחה דגם מסלול חדר"
        ),
    )
)
"""What a claim may say beside a row's name, the table's headers and values, and numbers."""
_QUALIFYING = word_set(
    "note notes exception exceptions except remark remarks total totals sum all any other others "
    "default every הערה הערות חריגים חריג סך הכל כל אחר אחרים כולם"
)
"""A row with such a name says something of others."""


@dataclass(frozen=True, slots=True)
class Row:
    """`line` holds the line of the row; `name` the stems of what the row is of."""

    line: Span
    name: frozenset[str]


@dataclass(frozen=True, slots=True)
class Table:
    """A table that tells of its rows, with those that have a name and qualify no other.

    `words` are the stems of all that stands in the table.
    """

    rows: tuple[Row, ...]
    words: frozenset[str]

    def beside(self, said: frozenset[str]) -> list[Row]:
        """The rows beside the one that a claim of these stems names; none if it may speak of more.

        A row that shares a word with the claim or with that name stays: `Basic (restated)`.
        """
        named = [row.name for row in self.rows if row.name <= said]
        others = said - self.words - _PLAIN_WORDS
        if len(named) != 1 or not all(word[0].isdigit() for word in others):
            return []
        return [row for row in self.rows if row.name.isdisjoint(said | named[0])]


def said_by(claim: str) -> frozenset[str]:
    """The stems of all words of a claim, also of `not` and `both`, without the units of its
    numbers; none of a long one."""
    if len(claim) > MAX_CLAIM_CHARACTERS:
        return frozenset()
    words, end = [], 0
    for figure in find_figures(claim):
        written = WORD.findall(folded(figure.span.of(claim)))
        words += [claim[end : figure.span.start], *(word for word in written if word[0].isdigit())]
        end = figure.span.end
    return _all_stems(" ".join([*words, claim[end:]]))


def find_tables(evidence: Evidence) -> list[Table]:
    """The tables of the evidence with two rows at least, with MAX_ROWS rows in all at most.

    No range of a source begins or ends in one.
    """
    found: list[Table] = []
    left = MAX_ROWS
    edges = {edge for source in evidence.ranges for edge in (source.span.start, source.span.end)}
    for passage in evidence.passages:
        text = passage.of(evidence.context)
        if "|" not in text:
            continue
        tables: dict[Span, list[Block]] = defaultdict(list)
        for block in find_blocks(text):
            if block.kind is BlockKind.ROW and block.header is not None:
                tables[block.header].append(block)
        for header, blocks in tables.items():
            left -= len(blocks)
            start, end = passage.start + header.start, passage.start + blocks[-1].span.end
            if left >= 0 and len(blocks) > 1 and not any(start < edge < end for edge in edges):
                found += _table(text, passage.start, header, blocks)
    return found


def _table(text: str, start: int, header: Span, blocks: list[Block]) -> list[Table]:
    lines = [block.span.of(text) for block in blocks]
    if header.of(text).count("|") > MAX_COLUMNS:
        return []
    rows = [
        Row(_line(text, block.span, start), frozenset(stems(folded(subject))))
        for block, subject in zip(blocks, subjects_of(header.of(text), lines), strict=True)
        if _names(subject)
    ]
    return [Table(tuple(rows), _all_stems("\n".join((header.of(text), *lines))))]


def _all_stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, _words(text)))


def _words(text: str) -> set[str]:
    return {match.group() for match in WORD.finditer(folded(text).casefold())}


def _names(subject: str) -> bool:
    """Whether a row is named by words of its own, and no note on others."""
    words = _words(subject)
    own = any(not word[0].isdigit() or len(word) == len("2026") for word in stems(subject))
    return own and words.isdisjoint(_QUALIFYING) and not subject.startswith("*")


def _line(text: str, span: Span, at: int) -> Span:
    """The line that holds a span of a text, which stands at `at`."""
    end = text.find("\n", span.end)
    return Span(at + text.rfind("\n", 0, span.start) + 1, at + (len(text) if end < 0 else end))

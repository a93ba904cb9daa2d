"""A row of a table as statements: each value with its row's subject and its column's header.

Knows cells. Does not know what they say, nor citations.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from groundwire_verifier.claims.markup.canvas import Canvas
from groundwire_verifier.claims.wording.sentence import language_of
from groundwire_verifier.domain.claims import Span

MAX_CELL_CHARACTERS = 150
"""A longer subject or header is not repeated, since its row would hold many times the text."""

_COUNTS = frozenset({"#", "no", "nr", "rank", "pos", "position", "place", "מס", "מקום", "דירוג"})
"""Headers of a column that only numbers the rows."""

_PLAIN = frozenset(
    {
        "", "value", "values", "detail", "details", "description", "information", "info", "data",
        "answer", "ערך", "ערכים", "פרטים", "פרט", "תיאור", "מידע", "נתון", "נתונים", "תשובה",
    }
)  # fmt: skip
"""Headers that say nothing of their column."""


@dataclass(frozen=True, slots=True)
class Value:
    """What a row says in one of its cells: `span` holds it, for the first one with the subject.

    `cell` is the value alone, and `content` a sentence that stands alone.
    """

    span: Span
    cell: Span
    content: str


def cells_of(canvas: Canvas) -> list[Span]:
    """The cells of a row, between its pipes; a pipe in code or behind a backslash is none."""
    masked, cells, at = canvas.masked, [], 0
    for i, character in enumerate(masked):
        if character == "|" and masked[i - 1 : i] != "\\":
            cells.append(Span(canvas.start + at, canvas.start + i))
            at = i + 1
    return [*cells, Span(canvas.start + at, canvas.start + len(masked))]


def columns_of(canvas: Canvas) -> tuple[str, ...]:
    """The headers of a table's columns, as its first row has them."""
    return tuple(canvas.content(cell).strip(" :") for cell in cells_of(canvas))


def values_of(canvas: Canvas, columns: Sequence[str]) -> list[Value]:
    """What each cell of a row says; nothing if it is not sure which subject and column it has."""
    cells = cells_of(canvas)
    if len(cells) != len(columns) or len(cells) < 2:
        return []
    contents = [canvas.content(cell).rstrip(" .;,") for cell in cells]
    at = _subject_at(contents, columns)
    subject = contents[at]
    if not any(c.isalnum() for c in subject):
        return []
    if max(map(len, [subject, *columns])) > MAX_CELL_CHARACTERS:
        return []
    values: list[Value] = []
    for i, (cell, content) in enumerate(zip(cells, contents, strict=True)):
        own = canvas.own(cell)
        if i == at or own is None:
            continue
        span = own
        if not values:
            subject_span = canvas.own(cells[at]) or own
            span = Span(min(own.start, subject_span.start), max(own.end, subject_span.end))
        values.append(Value(span, own, _sentence(subject, columns[i], content)))
    return values


def _subject_at(contents: Sequence[str], columns: Sequence[str]) -> int:
    """The first column, or the second where the first only numbers the rows."""
    numbers = columns[0].lower().rstrip(".:") in _COUNTS or (
        not columns[0] and contents[0].isdecimal()
    )
    return 1 if numbers and len(contents) > 2 else 0


def _sentence(subject: str, header: str, value: str) -> str:
    if header.lower() in _PLAIN:
        return f"{subject}: {value}."
    if language_of(subject + header + value) == "he":
        return f"עבור {subject}, הערך של {header} הוא {value}."
    return f"For {subject}, {header} is {value}."

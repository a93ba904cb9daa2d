"""A row of a table as statements: each value with its row's subject and its column's header."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from groundwire_verifier.domain.claims import Languages, Span
from groundwire_verifier.text.claims.markup.canvas import Canvas
from groundwire_verifier.text.claims.wording.sentence import GENERIC, language_of, rules_for

MAX_CELL_CHARACTERS = 150
"""A longer subject or header is not repeated, since its row would hold many times the text."""

_COUNTS = frozenset({"#", "no", "nr", "rank", "pos", "position", "place", "מס", "מקום", "דירוג"})
"""Headers of a column that only numbers the rows."""

_NUMBERS = frozenset({"", "#", "no", "no.", "nr", "nr.", "מס"})
"""Those of them that say nothing of a row: its number is no rank."""

_PLAIN = frozenset(
    {
        "", "value", "values", "detail", "details", "description", "information", "info", "data",
        "answer", "ערך", "ערכים", "פרטים", "פרט", "תיאור", "מידע", "נתון", "נתונים", "תשובה",
    }
)  # fmt: skip
"""Headers that say nothing of their column."""

_ASPECTS = frozenset(
    {
        "feature", "features", "property", "attribute", "aspect", "criterion", "criteria", "spec",
        "specification", "specifications", "characteristic", "metric", "category", "parameter",
        "מאפיין", "מאפיינים", "תכונה", "תכונות", "קריטריון", "היבט", "מדד", "קטגוריה", "פרמטר",
    }
)  # fmt: skip
"""Corners of tables that tell of their columns: the rows are what these have."""

_FIELDS = frozenset({"field", "item", "key", "fact", "facts", "שדה", "פריט", *(_PLAIN - {""})})
"""Headers of a table that tells one thing, a row an attribute."""

_YES, _NO = "✓✔✅☑", "✗✘❌✖✕☒☐"
_VARIANT = "\ufe0f\ufe0e"
"""What chooses how a sign before it is drawn."""

_MARKS = tuple(_YES + _NO)
_DENYING = frozenset(("not", "no", "never", "without", "avoid", "לא", "אין", "אל", "ללא", "בלי"))
_ANSWERS = frozenset(("yes", "no", "כן", "לא"))
_SAYING_YES = frozenset((*_YES, "yes", "true", "כן", "יש"))
_SAYING_NO = frozenset((*_NO, "no", "false", "לא", "אין"))
_DIGITS = re.compile(r"[0-9]+(?:[.,:][0-9]+)*+")
_LETTERS = re.compile(r"[^\W\d_]+(?:\s[^\W\d_]+)*+")


class Subject(Enum):
    """What the values of a table are told of."""

    ROW = "row"
    COLUMN = "column"
    EITHER = "either"


@dataclass(frozen=True, slots=True)
class Columns:
    """The headers of a table's columns, and what the table tells of."""

    headers: tuple[str, ...] = ()
    subject: Subject = Subject.ROW


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


def columns_of(canvas: Canvas, rows: Sequence[str]) -> Columns:
    """A table's columns, as its first row has them; `rows` are some of the others, as written."""
    headers = tuple(canvas.content(cell).strip(" :") for cell in cells_of(canvas))
    return Columns(headers, _subject_of(headers, [row.strip("|").split("|") for row in rows]))


def _subject_of(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> Subject:
    """What a table tells of: its rows, unless its corner is empty or names what columns have.

    Values of one column are alike where rows are told of, and those of one row where columns are.
    """
    corner = headers[0].lower()
    named = corner in _ASPECTS and not (len(headers) == 2 and headers[1].lower() in _PLAIN)
    if (corner and not named) or all(row[0].strip().isdecimal() for row in rows):
        return Subject.ROW
    shapes = [[_shape(cell) for cell in row[1:]] for row in rows if len(row) == len(headers)]
    in_rows = [a == b for row in shapes for a, b in itertools.pairwise(row)]
    in_columns = [
        a == b for one, other in itertools.pairwise(shapes) for a, b in zip(one, other, strict=True)
    ]
    if in_rows and in_columns:
        by_row, by_column = sum(in_rows) / len(in_rows), sum(in_columns) / len(in_columns)
        if by_row != by_column:
            return Subject.COLUMN if by_row > by_column else Subject.ROW
    return Subject.COLUMN if named else Subject.EITHER


def _shape(cell: str) -> str:
    """A value without its digits and letters: `$5` and `$12.50` are alike."""
    value = cell.strip(" *_`").lower()
    if value[:1] in _YES or value[:1] in _NO or value in _ANSWERS:
        return "yes or no"
    return _LETTERS.sub("a", _DIGITS.sub("0", value))


def values_of(canvas: Canvas, columns: Columns, languages: Languages) -> list[Value]:
    """What each cell of a row says; nothing if it is not sure which subject and column it has."""
    headers = columns.headers
    cells = cells_of(canvas)
    if len(cells) != len(headers) or len(cells) < 2:
        return []
    contents = [canvas.content(cell).rstrip(" .;,") for cell in cells]
    at = _subject_at(contents, headers)
    subject = contents[at]
    if not any(c.isalnum() for c in subject):
        return []
    if max(map(len, [subject, *headers])) > MAX_CELL_CHARACTERS:
        return []
    values: list[Value] = []
    for i, (cell, content) in enumerate(zip(cells, contents, strict=True)):
        own = canvas.own(cell) or _mark_in(canvas, cell)
        if i == at or own is None or (i < at and headers[i].lower() in _NUMBERS):
            continue
        span = own
        if not values:
            subject_span = canvas.own(cells[at]) or own
            span = Span(min(own.start, subject_span.start), max(own.end, subject_span.end))
        language = language_of(subject + headers[i] + content, languages)
        stated = _sentence(subject, headers[i], content, columns.subject, language)
        values.append(Value(span, own, stated))
    return values


@dataclass(frozen=True, slots=True)
class Answer:
    """A cell that says yes or no and nothing else, with its labels as they are written.

    `corner` is the header of the column that `row` stands in.
    """

    row: str
    column: str
    corner: str
    says_yes: bool
    written: str


def answers_in(header: str, row: str) -> list[Answer]:
    """The cells of a row that say yes or no; both lines are without the pipes around them."""
    headers, contents = _cells(header), _cells(row)
    if len(headers) != len(contents) or len(headers) < 2:
        return []
    at = _subject_at(contents, headers)
    found = []
    for i, (column, cell) in enumerate(zip(headers, contents, strict=True)):
        word = cell.rstrip(_VARIANT).lower()
        if i != at and word in _SAYING_YES | _SAYING_NO:
            written = f"{contents[at]}, {column}: {cell}"
            found.append(Answer(contents[at], column, headers[at], word in _SAYING_YES, written))
    return found


def subjects_of(header: str, rows: Sequence[str]) -> list[str]:
    """What each row of a table is of, as it is written, if the table tells of its rows.

    Empty for a row whose cells are not those of the header, and for all rows of another table. All
    lines are without the pipes around them.
    """
    headers, contents = _cells(header), [_cells(row) for row in rows]
    fits = [len(row) == len(headers) > 1 for row in contents]
    whole = [row for row, is_fit in zip(contents, fits, strict=True) if is_fit]
    named = {label.lower() for label in headers} & (_ASPECTS | _FIELDS)
    if not whole or named or _subject_of(headers, whole) is not Subject.ROW:
        return [""] * len(rows)
    return [
        row[_subject_at(row, headers)] if is_fit else ""
        for row, is_fit in zip(contents, fits, strict=True)
    ]


def _cells(line: str) -> list[str]:
    return [cell.strip(" *_`:\t") for cell in line.split("|")]


def _mark_in(canvas: Canvas, cell: Span) -> Span | None:
    """A tick or a cross that is all that a cell holds."""
    kept = canvas.kept(cell)
    return kept[0] if kept and canvas.text[kept[0].start] in _YES + _NO else None


def _subject_at(contents: Sequence[str], columns: Sequence[str]) -> int:
    """The first column, or the second where the first only numbers the rows."""
    numbers = columns[0].lower().rstrip(".:") in _COUNTS or (
        not columns[0] and contents[0].isdecimal()
    )
    return 1 if numbers and len(contents) > 2 else 0


def _sentence(row: str, column: str, value: str, subject: Subject, language: str) -> str:
    hebrew = language == "he"
    if column.lower() in _PLAIN:
        end = "" if row.endswith("?") else ":"
        return f"{row}{end} {_answer(value, hebrew=hebrew) or value}."
    name, header = (column, row) if subject is Subject.COLUMN else (row, column)
    answer = _answer(value, hebrew=hebrew)
    if subject is Subject.EITHER or rules_for(language) == GENERIC:
        return f"{name}, {header}: {answer or value}."
    if answer:
        return f"ל{name} יש {header}: {answer}." if hebrew else f"{name} has {header}: {answer}."
    if hebrew:
        return f"עבור {name}, הערך של {header} הוא {value}."
    return f"For {name}, {header} is {value}."


def without_tick(content: str, language: str) -> str:
    """A line with a tick or a cross before it, or behind its label, in words: `✗ Dinner`.

    A tick takes nothing away; what is crossed out is told to be so, unless the line denies itself.
    """
    if content[:1] in _MARKS:
        rest = content[1:].lstrip(_VARIANT + " ")
        denies = not _DENYING.isdisjoint(rest.lower().replace("n't", " not").split())
        if not rest or content[0] in _YES or denies:
            return rest or content
        return f"{rest.rstrip('.')}: {'לא' if language == 'he' else 'no'}"
    if content.isascii():
        return content
    label, mark, value = content.rpartition(": ")
    answer = mark and value[:1] in _MARKS and _answer(value, hebrew=language == "he")
    return f"{label}: {answer}" if answer else content


def _answer(value: str, *, hebrew: bool) -> str:
    """Yes or no in words, with what a mark has behind it: `✓ (beta)`; empty for another value."""
    if value.lower() in _ANSWERS:
        return value.lower()
    if value[:1] in _YES or value[:1] in _NO:
        yes, no = ("כן", "לא") if hebrew else ("yes", "no")
        return f"{yes if value[0] in _YES else no} {value[1:].lstrip(_VARIANT).strip()}".strip()
    return ""

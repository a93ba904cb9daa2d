"""Tables and lists of HTML as those of Markdown, of the same length, so that all positions stay.

A row below a first row of headers is read as in Markdown. A table without one is a list: each row
is a line `name: value`. A paragraph ends where its tag does. Lists in the cells of a table stay as
they are.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.text.claims.markup.inline import RegionKind, find_protected

MIN_HEADED_COLUMNS = 3
"""A table that marks no header has one from so many columns on; one with fewer lists values."""

MAX_GAP_CHARACTERS = 64
"""How far before a cell the end of the one before it is looked for."""

_TABLE = re.compile(r"<table(?:\s[^<>]{0,2000}+)?>", re.IGNORECASE)
_END = re.compile(r"</table\s{0,8}+>", re.IGNORECASE)
_TAG = re.compile(
    r"<(?P<close>/?)(?P<name>[a-z][a-z0-9]{0,15}+)(?:[\s/][^<>]{0,2000}+)?>", re.IGNORECASE
)
_CELLS = ("td", "th")
_LAYOUT = re.compile(r"<(?P<close>/?)(?P<name>ul|ol|li|p)(?:\s[^<>\n]{0,200}+)?>", re.IGNORECASE)
_CLOSING = re.compile(r"</(?:ul|ol|li|p)>", re.IGNORECASE)
_TABLE_LINE = re.compile(r"^[^\n|]{0,1000}+\|[^\n]*+$", re.MULTILINE)


@dataclass(slots=True)
class _Row:
    """A row: where it starts, and its cells' tags with whether each is a header's."""

    start: int
    cells: list[tuple[Span, bool]] = field(default_factory=list)


def as_markdown(text: str) -> str:
    """The text with the tables and lists of HTML as those of Markdown."""
    return _with_lines(_with_pipes(text))


def _with_lines(text: str) -> str:
    # Without another side a tag is what a text speaks of.
    if not _CLOSING.search(text):
        return text
    rows = [Span(*match.span()) for match in _TABLE_LINE.finditer(text)]
    kept = sorted((*_code_in(text), *rows), key=lambda span: span.start)
    characters = list(text)
    depth = region = 0
    for match in _LAYOUT.finditer(text):
        start, end = match.span()
        while region < len(kept) and kept[region].end <= start:
            region += 1
        if region < len(kept) and kept[region].start <= start:
            continue
        name, closes = match["name"].lower(), bool(match["close"])
        if name in ("ul", "ol"):
            depth = max(0, depth - 1) if closes else depth + 1
        mark = "\n" if name == "li" else "\n\n"
        if name == "li" and not closes:
            mark = "\n -" if depth > 1 else "\n- "
        characters[start:end] = mark.ljust(end - start)
    return "".join(characters)


def _code_in(text: str) -> list[Span]:
    return [r.span for r in find_protected(text, Span(0, len(text))) if r.kind is RegionKind.CODE]


def _with_pipes(text: str) -> str:
    if not _TABLE.search(text):
        return text
    code = _code_in(text)
    characters: list[str] | None = None
    at = region = 0
    while match := _TABLE.search(text, at):
        start, at = match.span()
        while region < len(code) and code[region].end <= start:
            region += 1
        if region < len(code) and code[region].start <= start:
            continue
        end = _END.search(text, at)
        span = Span(start, end.end() if end else len(text))
        characters = characters or list(text)
        _write(characters, text, span)
        at = span.end
    return "".join(characters) if characters else text


def open_table(text: str) -> int:
    """Where the first table of HTML begins that does not end; behind the text if all do."""
    at = 0
    while match := _TABLE.search(text, at):
        end = _END.search(text, match.end())
        if end is None:
            return match.start()
        at = end.end()
    return len(text)


def _write(characters: list[str], text: str, table: Span) -> None:
    rows = _rows(characters, text, table)
    headed = _is_headed(rows)
    for number, row in enumerate(rows):
        if headed and number == 1:
            characters[row.start : row.start + 3] = "\n|-"
        for column, (tag, _) in enumerate(row.cells):
            if not column:
                characters[tag.start : tag.start + 2] = "\n|" if headed else "\n-"
            elif headed:
                characters[tag.start + 1] = "|"
            else:
                _put_behind(characters, tag.start, ":" if column == 1 else ",")
    characters[table.start : table.start + 2] = "\n\n"
    if _END.fullmatch(text, text.rfind("<", table.start, table.end), table.end):
        characters[table.end - 2 : table.end] = "\n\n"


def _rows(characters: list[str], text: str, table: Span) -> list[_Row]:
    """The rows of a table, whose tags and lines are blanks from now on."""
    for i in range(table.start, table.end):
        if characters[i] in "\n\r|":
            characters[i] = " "
    rows: list[_Row] = []
    for match in _TAG.finditer(text, table.start, table.end):
        start, end = match.span()
        characters[start:end] = " " * (end - start)
        name = match.group("name").lower()
        if match.group("close"):
            continue
        if name == "tr":
            rows.append(_Row(start))
        elif name in _CELLS and rows:
            rows[-1].cells.append((Span(start, end), name == "th"))
    return [row for row in rows if row.cells]


def _is_headed(rows: Sequence[_Row]) -> bool:
    """Whether the first row has the headers of the others."""
    if len(rows) <= 1:
        return False
    if any(header for row in rows for _, header in row.cells):
        return all(header for _, header in rows[0].cells[1:])
    return len(rows[0].cells) >= MIN_HEADED_COLUMNS


def _put_behind(characters: list[str], at: int, mark: str) -> None:
    """Put a mark behind the last character before `at` that is no space."""
    first = max(0, at - MAX_GAP_CHARACTERS)
    while at > first and characters[at - 1].isspace():
        at -= 1
    characters[at] = mark

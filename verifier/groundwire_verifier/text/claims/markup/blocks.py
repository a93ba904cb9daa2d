"""A text's blocks: paragraphs, list items, headings, table rows, code.

Link and footnote definitions are in no block, nor are list markers, heading marks and the pipes
around a table row.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum

from groundwire_verifier.domain.claims import Span

LINE_MARK_CHARACTERS = 64
"""How far into a line a mark is looked for."""

_QUOTE = re.compile(r"[ \t]{0,3}>[> \t]*")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+")
_ITEM = re.compile(
    r"[ \t]*(?:(?:[-*+•‣◦–●○▪■►]|[0-9]{1,3}[.)]|[A-Za-zא-ת][)])[ \t]+(?:\[[ xX]\][ \t]+)?"
    r"|(?=[✓✔✅☑✗✘❌✖✕☒☐]))"
)
_DEFINITION = re.compile(
    r"[ \t]{0,3}\[\^?[^\[\]\n]{1,60}\]:[ \t]*"
    r"<?(?:[A-Za-z][A-Za-z+.-]{1,12}://|mailto:|www\.|\.{0,2}/|#)\S{0,2000}+[ \t]*+"
    r"(?:[\"'(][^\n]{0,300}+)?$"
)
_FOOTNOTE = re.compile(r"[ \t]{0,3}\[\^[^\[\]\n]{1,60}\]:[ \t]*")
_LISTED = re.compile(r"[ \t]{0,3}\[\d{1,3}\]:[ \t]+\S")
"""An entry of a list of sources under their numbers, which are kept: `[1]: lease.pdf`."""
_BREAK = re.compile(r"<br[ ]?/?>", re.IGNORECASE)
_LABELLED = re.compile(
    r"(?:\*\*|__)[^*_\n]{1,80}(?:\*\*|__)|[^\W_][^:.,;!?\n|*_]{0,40}(?::|[ ][-–—])[ ]\S"
)
"""A line that begins with a label: `**Born:** 1922`, `Born: 1922`."""

_ORDERED = re.compile(r"[ \t]*[0-9]")
_RULE = re.compile(r"[ \t]*+([-*_=])[ \t]*+(?:\1[ \t]*+){2,60}$")
_GRID_RULE = re.compile(r"[ \t]*+\+(?=[-=:]{2})[-=:+]++[ \t]*+$")
"""A border of a grid table: `+-----+---+`, below its header `+=====+===+`."""
_TABLE_RULE = re.compile(r"[ \t]*+(?:\|[ \t]*+)?:?-[-:| \t]*+$")


REFERENCE_TITLES = frozenset(
    {
        "sources", "source", "references", "reference", "bibliography", "citations", "footnotes",
        "works cited", "further reading", "מקורות", "מקור", "ביבליוגרפיה", "הפניות", "הערות שוליים",
    }
)  # fmt: skip
"""Lines behind which a list of sources stands."""


PART_TITLES = frozenset(
    {
        "step", "part", "stage", "phase", "chapter", "section", "timeline", "faq", "overview",
        "comparison", "guide", "recipe", "שלב", "חלק", "פרק", "ציר", "שאלות", "השוואה", "מדריך",
        "מתכון", "צעד",
    }
)  # fmt: skip
"""First words of a title that holds a colon: `Step 2: Support`, `Timeline: The bridge`."""

STEP_TITLES = frozenset(("step", "stage", "phase", "שלב", "צעד"))
"""First words of a title that instructions stand below."""

MAX_TITLE_LINE_CHARACTERS = 40
MIN_FULL_LINE_CHARACTERS = 60
_LINE_ENDS = (".", "!", "?", "…", ":", ";", ",")
_FULL_LINE_ENDS = (".", "!", "?", ":", "]", ")")


def first_word(line: str) -> str:
    """A line's first word in lower case, without marks around it."""
    return line.lstrip("*_# ").partition(" ")[0].rstrip(":*_.").lower()


def names_a_part(line: str) -> bool:
    """Whether a line with a colon is a title, as its first word says."""
    return first_word(line) in PART_TITLES


class BlockKind(Enum):
    """What a block is."""

    PARAGRAPH = "paragraph"
    ITEM = "item"
    HEADING = "heading"
    ROW = "row"
    CODE = "code"
    REFERENCE = "reference"
    """A footnote, or an entry of a list of sources."""


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together. `marks` are the quote marks (`>`) inside its span.

    `header` is the first row of a row's table, if it has one. An item has the column of its text
    as its `indent`, and may be `ordered` by a number.
    """

    kind: BlockKind
    span: Span
    marks: tuple[Span, ...] = ()
    header: Span | None = None
    indent: int = 0
    ordered: bool = False


def find_blocks(text: str) -> list[Block]:
    """Find the blocks of a text, in order; each has at least one character that is no space."""
    reader = _BlockParser(text)
    for line in _lines(text):
        reader.read(line)
    reader.close()
    blocks: Iterable[Block] = reader.blocks
    if "<br" in text.lower():
        blocks = (piece for block in blocks for piece in _at_breaks(text, block))
    return [block for block in blocks if block.span.of(text).strip()]


def _at_breaks(text: str, block: Block) -> Iterator[Block]:
    """The block, cut at `<br>` outside of code."""
    start, end = block.span.start, block.span.end
    if block.kind not in (BlockKind.CODE, BlockKind.ROW):
        ticks, at = 0, start
        for found in _BREAK.finditer(text, start, end):
            ticks += text.count("`", at, found.start())
            at = found.start()
            if ticks % 2 == 0:
                yield _piece(block, Span(start, found.start()))
                start = found.end()
    yield _piece(block, Span(start, end))


def _piece(block: Block, span: Span) -> Block:
    """A part of a block, with the marks in it."""
    first = bisect_left(block.marks, span.start, key=lambda mark: mark.start)
    last = bisect_left(block.marks, span.end, key=lambda mark: mark.start)
    return replace(block, span=span, marks=block.marks[first:last])


def _lines(text: str) -> Iterator[Span]:
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield Span(start, end)
        start = end + 1


class _BlockParser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.blocks: list[Block] = []
        self._kind = BlockKind.PARAGRAPH
        self._open: Span | None = None
        self._lines = 0
        self._marks: list[Span] = []
        self._indent = 0
        self._ordered = False
        self._labelled = False
        self._header: Span | None = None
        self._fence = ""
        self._fence_start = 0
        self._references = False

    def read(self, line: Span) -> None:
        text = self.text
        if self._fence:
            self._read_in_fence(line)
            return
        head = text[line.start : min(line.end, line.start + LINE_MARK_CHARACTERS)].lstrip()
        if head[:1] not in ("|", ">", ":", "-", "+") and "|" not in line.of(text):
            self._header = None
        if not head and not line.of(text).strip():
            self.close()
            return
        if self._reads_title(line):
            return
        if head[:1].isalpha() and head[1:2] != ")":
            if self._open is None:
                self._references = False
            if self._header is not None:
                self._add_row(line)
            else:
                self._continue(line, Span(line.start, line.start))
            return
        self._read_marked(line)

    def _read_marked(self, line: Span) -> None:
        text = self.text
        quote = _QUOTE.match(text, line.start, line.end)
        start = quote.end() if quote else line.start
        head = text[start : min(line.end, start + LINE_MARK_CHARACTERS)]
        whole = text[start : line.end] if len(head) < LINE_MARK_CHARACTERS else head
        if not head.strip() and not text[start : line.end].strip():
            self.close()
        elif fence := _FENCE.match(head):
            self.close()
            self._fence, self._fence_start = fence.group(1), start + fence.start(1)
        elif self._reads_rule(whole):
            self.close()
        elif head.lstrip()[:1] == "[" and self._reads_definition(Span(start, line.end)):
            pass
        elif heading := _HEADING.match(head):
            self._references = False
            self._add(BlockKind.HEADING, Span(start + heading.end(), line.end), strip="# \t")
        elif head.lstrip().startswith("|") or (
            self._header is not None and "|" in text[start : line.end]
        ):
            self._add_row(Span(start, line.end))
        elif item := _ITEM.match(head):
            self.close()
            self._kind = BlockKind.REFERENCE if self._references else BlockKind.ITEM
            self._open, self._lines = Span(start + item.end(), line.end), 1
            self._indent, self._ordered = item.end(), bool(_ORDERED.match(head))
        else:
            self._continue(Span(start, line.end), Span(line.start, start))

    def close(self) -> None:
        """End what is open."""
        if self._fence:
            self.blocks.append(Block(BlockKind.CODE, Span(self._fence_start, len(self.text))))
            self._fence = ""
        elif self._open is not None:
            self.blocks.append(
                Block(
                    self._kind,
                    self._open,
                    tuple(self._marks),
                    indent=self._indent,
                    ordered=self._ordered,
                )
            )
        self._open, self._kind, self._lines, self._marks = None, BlockKind.PARAGRAPH, 0, []
        self._indent, self._ordered, self._labelled = 0, False, False

    def _read_in_fence(self, line: Span) -> None:
        closing = self.text[line.start : line.end].strip(" \t\r>")
        if closing.startswith(self._fence) and not closing.strip(self._fence[0]):
            end = line.start + len(self.text[line.start : line.end].rstrip())
            self.blocks.append(Block(BlockKind.CODE, Span(self._fence_start, end)))
            self._fence = ""

    def _reads_title(self, line: Span) -> bool:
        """A line such as `Sources:` or `## References`."""
        if line.end - line.start > LINE_MARK_CHARACTERS:
            return False
        title = line.of(self.text).strip()
        bare = title.strip("#*_: \t")
        if bare == title or bare.lower() not in REFERENCE_TITLES:
            return False
        self.close()
        at = self.text.find(bare, line.start)
        self.blocks.append(Block(BlockKind.HEADING, Span(at, at + len(bare))))
        self._references = True
        return True

    def _reads_definition(self, line: Span) -> bool:
        """A definition of a link, which says nothing, a footnote, or an entry of a list."""
        text = line.of(self.text)
        if _DEFINITION.match(text.rstrip("\r")):
            self.close()
            return True
        footnote = _FOOTNOTE.match(text)
        if footnote or self._references or _LISTED.match(text):
            self.close()
            start = line.start + (footnote.end() if footnote else 0)
            self._kind, self._open, self._lines = BlockKind.REFERENCE, Span(start, line.end), 1
            return True
        return False

    def _reads_rule(self, line: str) -> bool:
        """A line of dashes: below a heading, below a table's first row, or alone; or of a grid."""
        if _GRID_RULE.match(line):
            self.close()
            if "=" in line and self._header is None:
                self._make_header()
            return True
        if _TABLE_RULE.match(line) and "|" in line and self._opens_table():
            self.close()
            self._make_header()
            return True
        if not _RULE.match(line):
            return False
        if self._open is not None and self._lines == 1 and self._kind is BlockKind.PARAGRAPH:
            title = self._open.of(self.text).rstrip()
            self._kind = (
                BlockKind.PARAGRAPH if title.endswith((".", "!", "?")) else BlockKind.HEADING
            )
        return True

    def _make_header(self) -> None:
        """Let the row that ends here be its table's header."""
        if self.blocks and self.blocks[-1].kind is BlockKind.ROW:
            self._header = self.blocks[-1].span
            self.blocks[-1] = Block(BlockKind.HEADING, self._header)

    def _opens_table(self) -> bool:
        """Whether nothing is open, or one line with pipes, which is then a table's first row."""
        if self._open is None:
            return True
        if self._lines != 1 or "|" not in self._open.of(self.text):
            return False
        self._kind = BlockKind.ROW
        return True

    def _add(self, kind: BlockKind, span: Span, strip: str) -> None:
        self.close()
        inner = span.of(self.text)
        start = span.start + len(inner) - len(inner.lstrip(strip))
        if inner := inner.strip(strip + "\r"):
            self.blocks.append(Block(kind, Span(start, start + len(inner))))

    def _add_row(self, line: Span) -> None:
        """A row without the pipes around it; one beside an empty cell stays."""
        self.close()
        inner = line.of(self.text)
        start = line.start + len(inner) - len(inner.lstrip())
        row = inner.strip()
        if row.startswith("|"):
            start, row = start + 1, row[1:]
        if row.endswith("|") and not row.endswith("\\|"):
            row = row[:-1]
        if row.strip("| \t"):
            self.blocks.append(
                Block(BlockKind.ROW, Span(start, start + len(row)), header=self._header)
            )

    def _continue(self, line: Span, mark: Span) -> None:
        labelled = bool(_LABELLED.match(self.text, line.start, line.end))
        if labelled and self._labelled:
            # Lines that begin with labels are a list without marks.
            self._kind = BlockKind.ITEM
            self.close()
            self._kind = BlockKind.ITEM
        elif self._stands_over(line):
            self.close()
        if self._open is None:
            self._open = line
            self._labelled = labelled
        else:
            self._open = Span(self._open.start, line.end)
            if mark.start < mark.end:
                self._marks.append(mark)
        self._lines += 1

    def _stands_over(self, line: Span) -> bool:
        """Whether what is open is a short line without an end, and this one is a full one, or an
        item, and this one stands above other items: `Included:`."""
        if self._kind is BlockKind.ITEM and self._leads(line):
            return True
        if self._open is None or self._lines != 1:
            return False
        if self._kind is BlockKind.ITEM and self._ends_list(line):
            return True
        if not (self._kind is BlockKind.PARAGRAPH or self._ordered):
            return False
        if self._open.end - self._open.start > MAX_TITLE_LINE_CHARACTERS:
            return False
        title = self._open.of(self.text).strip("*_ \t\r")
        text = self.text[line.start : line.end].rstrip()
        if not title or title.isdigit() or title.endswith(_LINE_ENDS) or len(text) <= len(title):
            return False
        begins = text[:1].isalpha() and not text[:1].islower()
        full = text.endswith(_FULL_LINE_ENDS) or len(text) >= MIN_FULL_LINE_CHARACTERS
        return begins and full and (": " not in title or names_a_part(title))

    def _leads(self, line: Span) -> bool:
        """Whether a line begins at the margin as a sentence does, and ends in a colon."""
        text = line.of(self.text)
        first = text.lstrip("*_")[:1]
        ends = text.rstrip("*_ \t\r").endswith((":", "："))
        return ends and first.isalpha() and not first.islower()

    def _ends_list(self, line: Span) -> bool:
        """Whether a full sentence stands below an item that is too short to go on in it."""
        if self._open is None or self._open.end - self._open.start >= MIN_FULL_LINE_CHARACTERS:
            return False
        item = self._open.of(self.text).strip("*_ \t\r")
        text = line.of(self.text)
        begins = text[:1].isalpha() and not text[:1].islower()
        ends = text.rstrip().endswith((".", "!", "?"))
        return begins and ends and not item.endswith(_LINE_ENDS)


MAX_CHARACTERS = 300
"""How much of a line is looked at."""

MAX_LINES = 200

_SQL = re.compile(r"(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|DROP|ALTER|WITH)\b")
_SQL_CLAUSE = re.compile(r"\b(?:FROM|SET|VALUES|WHERE|TABLE|INDEX|VIEW|AS|DATABASE)\b")
_ASSIGNMENT = re.compile(
    # A name that prose does not have: with an underscore, an index, a member or a call.
    r"[A-Za-z_](?=[^\W_]*+_|\w*+(?:\[\w*+\]|\.\w|\(\)))"
    r"\w*+(?:\(\))?[\w.\[\]]*+\s*+(?:[-+*/|&]?=|:=)"
)
_STATEMENT = re.compile(
    r"(?:import [\w.]+(?: as \w+)?$|from [\w.]+ import |def \w+\(|class \w+[(:]|#include\b|"
    r"(?:const|let|var) \w+ =|return [^.]*+(?<=;)$|\$ \w|</?\w[^<>]*+>$|>>> |SELECT [0-9*])"
)
_CONDITION, _CONDITION_END = "if (", ") {"
_END = re.compile(r"[\w)\]\"'}]\s*+(?:\{|;|=>|\};?|\);)$")
_CLOSERS = re.compile(r"[{}()\];]++")


def looks_like_code(lines: list[str]) -> bool:
    """Whether all of the lines are code, and there is one."""
    shown = [line.strip()[:MAX_CHARACTERS] for line in lines[:MAX_LINES]]
    shown = [line for line in shown if line]
    return bool(shown) and all(_is_code(line) for line in shown)


def _is_code(line: str) -> bool:
    if _ASSIGNMENT.match(line) or _STATEMENT.match(line):
        return True
    if (sql := _SQL.match(line)) and _SQL_CLAUSE.search(line, sql.end()):
        return True
    if line.startswith(_CONDITION) and line.find(_CONDITION_END, len(_CONDITION)) >= 0:
        return True
    ends = _CLOSERS.fullmatch(line) or _END.search(line)
    return bool(ends) and any(c in line for c in "(){}=[]")

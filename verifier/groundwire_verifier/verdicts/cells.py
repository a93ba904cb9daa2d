"""Cells of the sources' tables that answer yes or no otherwise than a claim does.

`Silver includes the sauna` beside a row `Silver` with ✗ under `Sauna` is wrong, however it reads.
Only a claim counts that names a row and a column whole, says that one has the other or has not, and
says hardly anything else. Where a text says it elsewhere in words, too, the model decides.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.domain.titles import STOP_WORDS, WORD, stem, stems
from groundwire_verifier.text.claims.markup.blocks import BlockKind, find_blocks
from groundwire_verifier.text.claims.markup.html import as_markdown
from groundwire_verifier.text.claims.tables import Answer, answers_in
from groundwire_verifier.text.claims.wording.sentence import word_set

MAX_CELLS = 5_000
"""Cells that say yes or no and are looked at; those behind them are not."""
MAX_CLAIM_CHARACTERS = 300
MOST_NAMED = 50
"""Different rows, or columns, that one claim may name whole; of more the model decides."""
MOST_OTHER_WORDS = 2
"""Of a claim that says what something has, beside the row, the column and that."""

_HAVING = word_set(
    "have has include includes including offer offers provide provides support supports come comes "
    "get gets contain contains allow allows use "
    "יש כולל כוללת כוללים מציע מציעה מציעים מגיע מגיעה מספק מספקת תומך תומכת מאפשר מאפשרת"
)
_BEING = word_set("is are yes no lack lacks זמין זמינה קיים קיימת כן לא אין")
_BESIDE = frozenset(
    map(
        stem,
        _HAVING
        | _BEING
        | word_set(
            "available included offered provided supported allowed possible part plan plans tier "
            "edition version model member members membership customer customers user users package "
            "option access free מסלול חבילה תוכנית תכנית דגם גרסה מנוי לקוחות משתמשים"
        ),
    )
)
_DENYING = word_set(
    "not no never neither nor none cannot without nothing lack lacks lacking missing excluded "
    "excludes exclude unavailable disabled off blocked removed dropped "
    "לא אין אינו אינה אינם אינן ללא בלי חסר חסרה חסרים"
)
_TELLING_MORE = word_set(
    "if unless until except but only than before after had was were will would could might should "
    "soon planned optional extra formerly once longer unlike either or "
    "אם אלא רק עד בקרוב בתוספת היה הייתה היו יהיה תהיה או"
)
"""With them a claim says more than yes or no."""

_OF_ANOTHER = word_set("on for to of off from in against")
"""Behind another word they lead to what that is of: `a discount on the sauna`."""

_ANSWERED = re.compile(r"(?<=Answer: )(?:yes|no|כן|לא)[,.]? (?=\w)", re.IGNORECASE)
"""`Yes, it has` says so twice."""
_JOINING = re.compile(r",|&|\b(?:and|both)\b|(?<!\w)\u05d5", re.IGNORECASE)
"""What stands between two rows that a claim names beside each other."""
_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n")


@dataclass(frozen=True, slots=True)
class Cell:
    """An answer with the stems of its row, its column, and the header of its row.

    `place` is where the row stands in its text.
    """

    answer: Answer
    place: Span
    row: frozenset[str]
    column: frozenset[str]
    corner: frozenset[str]


@dataclass(frozen=True, slots=True)
class Tables:
    """The cells of a text that say yes or no, and the stems of each sentence beside its tables."""

    cells: tuple[Cell, ...]
    sentences: tuple[set[str], ...]


def tables_in(text: str) -> Tables:
    """Look through a text."""
    cells: list[Cell] = []
    sentences: list[set[str]] = []
    plain = as_markdown(text)
    blocks = find_blocks(plain)
    headers = {block.header for block in blocks}
    for block in blocks:
        if block.header is not None and len(cells) < MAX_CELLS:
            answers = answers_in(block.header.of(plain), block.span.of(plain))
            named = (_cell(answer, block.span) for answer in answers)
            cells += filter(None, named)
        elif block.span not in headers and block.kind is not BlockKind.ROW:
            sentences += map(stems, _SENTENCE_END.split(block.span.of(plain)))
    return Tables(tuple(cells), tuple(sentences))


class Cells:
    """The cells of some texts that say yes or no; `look` looks through a text."""

    def __init__(self, texts: Sequence[str], look: Callable[[str], Tables] = tables_in) -> None:
        self._texts = [text for text in texts if "|" in text or "<t" in text]
        self._look = look

    def against(self, claim: str) -> Cell | None:
        """A cell that says otherwise, if there is one."""
        if not self._texts or len(claim) > MAX_CLAIM_CHARACTERS:
            return None
        said = _Said(claim)
        tables = [self._look(text) for text in self._texts]
        found = (each for table in tables for each in table.cells)
        named = [each for each in islice(found, MAX_CELLS) if each.row | each.column <= said.stems]
        columns = _widest(each.column for each in named)
        rows = _widest(each.row for each in named if not any(each.row <= c for c in columns))
        is_one = len(rows) * len(columns) == 1
        if not is_one and not _JOINING.search(claim):
            return None
        if not said.is_plain or min(len(rows), len(columns)) != 1 or (said.denies and not is_one):
            return None
        pairs: dict[tuple[frozenset[str], frozenset[str]], list[Cell]] = {}
        for each in named:
            if each.row in rows and each.column in columns:
                pairs.setdefault((each.row, each.column), []).append(each)
        labels = frozenset().union(*rows, *columns, *(each.corner for each in named))
        for (row, column), cells in pairs.items():
            agrees = any(each.answer.says_yes is not said.denies for each in cells)
            is_told = any(row | column <= each for table in tables for each in table.sentences)
            if not agrees and not is_told and said.says_only(labels, column):
                return cells[0]
        return None


class _Said:
    """What a claim says."""

    def __init__(self, claim: str) -> None:
        plain = _ANSWERED.sub("", claim).replace("\u2019", "'")
        self._words = list(WORD.finditer(plain.casefold()))
        self._text = plain
        words = frozenset(match.group() for match in self._words)
        self.stems = stems(plain)
        denials = sum(
            each.group() in _DENYING or each.group().endswith("n't") for each in self._words
        )
        self.denies = denials == 1
        self._has = not _HAVING.isdisjoint(words)
        tells = self._has or not _BEING.isdisjoint(words)
        self.is_plain = denials <= 1 and tells and _TELLING_MORE.isdisjoint(words)

    def says_only(self, labels: frozenset[str], column: frozenset[str]) -> bool:
        """Whether it says hardly more than these labels: `SSO logs` are something else."""
        others = 0
        last, last_is_other = "", False
        for match in self._words:
            word = match.group()
            own = stem(word)
            is_other = not (
                own in labels | _BESIDE or word in STOP_WORDS | _DENYING or word.endswith("n't")
            )
            is_joined = self._text[: match.start()].endswith((" ", "-")) and last in column
            leads = f" {word}" if word in _OF_ANOTHER else ""
            if (is_other and (is_joined or word[0].isdigit())) or (
                last_is_other and leads and self._text[: match.end()].endswith(leads)
            ):
                return False
            others += is_other
            last, last_is_other = own, is_other
        return others <= (MOST_OTHER_WORDS if self._has and not self.denies else 0)


def _cell(answer: Answer, place: Span) -> Cell | None:
    """An answer by its stems; None where its row or its column has no words of its own, such as the
    plan `Free`, or denies by itself: `No ads: yes`."""
    row, column, corner = (
        frozenset(stems(label)) for label in (answer.row, answer.column, answer.corner)
    )
    words = {match.group() for match in WORD.finditer(f"{answer.row} {answer.column}".casefold())}
    is_named = not (row <= _BESIDE or column <= _BESIDE) and words.isdisjoint(_DENYING)
    return Cell(answer, place, row, column, corner) if is_named else None


def _widest(labels: Iterable[frozenset[str]]) -> set[frozenset[str]]:
    """The labels that are no part of another one: `Pro Plus`, and not `Pro`; none of too many."""
    distinct = set(labels)
    if len(distinct) > MOST_NAMED:
        return set()
    return {each for each in distinct if not any(each < other for other in distinct)}

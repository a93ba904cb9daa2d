"""Citations: which brackets name sources, and which ids they name.

Brackets may be values: `The list is [1, 2, 3].`, `Use arr[1] now.` An id that no source has is
read all the same, and never dropped or corrected.
"""

import re
from collections.abc import Sequence
from itertools import chain

from groundwire_verifier.domain.claims import BracketStyle, Citation, CitationSyntax, Span
from groundwire_verifier.text.claims.markup.blocks import REFERENCE_TITLES
from groundwire_verifier.text.claims.markup.inline import Region
from groundwire_verifier.text.claims.wording import citing
from groundwire_verifier.text.claims.wording.english import DETERMINERS, PREPOSITIONS
from groundwire_verifier.text.claims.wording.sentence import word_set

MAX_RANGE = 100
"""The most ids that a range such as `[S0-S9]` stands for. A wider one names its two ends only."""

MAX_BARE_DIGITS = 3
"""A longer number in brackets is no citation, but a year or a quantity, unless it is known."""

_SQUARE = re.compile(r"\[([^\[\]]{1,300})\]")
_LENTICULAR = re.compile(r"【([^【】]{1,300})】")
_ROUND = re.compile(r"\(([^()\[\]\n]{1,300})\)")
_SUPERSCRIPT = re.compile(r"⁽?[⁰¹²³⁴-⁹]{1,4}+⁾?")
_TAGGED = re.compile(r"<(sup)>[ \t]?+\[?+([^\[\]<>\n]{1,300}+)\]?+[ \t]?+</\1>", re.IGNORECASE)
_DIGITS_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_DIGITS = str.maketrans(_DIGITS_RAISED, "0123456789")
_SQUARED = word_set("mm cm dm km ft yd mi мм см дм км")
"""Units that one writes the power of behind a space."""
_CLAUSE_END = re.compile(r"[ \t]{0,4}+(?:$|[.,;:!?)\n])")
_RAISED_END = re.compile(r"(?:[ \t]?[⁰¹²³⁴-⁹]){0,8}+[ \t]{0,4}+(?:$|[.,;:!?)\n])")
_WORD_CHARACTERS = 4
"""A superscript behind a shorter word may be a power of its unit: `m²`."""

_ENTRY = re.compile(r"^[ \t]{0,3}\[(\^?\w{1,16})\]:?[ \t]{1,8}(\S[^\n]{0,256}+)$", re.MULTILINE)
_LIST_TITLE = re.compile(
    rf"^[ \t#*_]{{0,8}}(?:{'|'.join(sorted(REFERENCE_TITLES))})[ \t#*_:]{{0,8}}\r?$",
    re.IGNORECASE | re.MULTILINE,
)
_NUMBERED = re.compile(
    r"^[ \t]{0,3}(?:[-*+•][ \t]{1,3})?\[?(\d{1,3})[\].):]{1,2}[ \t]{1,8}(\S[^\n]{0,256}+)$",
    re.MULTILINE,
)
"""An entry of a list with such a title: `1. lease.pdf`, `- [1] lease.pdf`."""
_SEPARATOR = re.compile(r"[,;،，、]|\s(?:and|or|und|&|ו)\s|\sו[-\u05be\u2013](?=\w)")
_NAMED = re.compile(
    rf"(?<!\w){citing.LOOK}\s(?=\S+\Z)|(?:(?<!\w){citing.BEFORE_SOURCE}\s)?{citing.SOURCE}"
    r"(?:\s?[:：#]\s?|\s)(?=\S)|#(?=\d)",
    re.IGNORECASE,
)
_LOCATOR = re.compile(
    r"(?:pp?|pages?|secs?|sections?|§+|ch|chapters?|lines?|paras?|paragraphs?|figs?|figures?|tables?|"
    r"עמודים|עמוד|עמ['׳]?|סעיף|פרק)[.\s]{0,2}[0-9][\w.\-\u2010-\u2014]{0,16}",
    re.IGNORECASE,
)
"""Where in a source: `[S0, p. 5]`. It is read and left out."""

_FORM = re.compile(r"([^\W\d_]{0,16})([0-9]{1,9})")
_RANGE = re.compile(r"([^\W\d_]{0,16}[0-9]{1,9})\s?[-\u2010-\u2014]\s?([^\W\d_]{0,16}[0-9]{1,9})")
_LINK_TARGET = re.compile(r"\([^()\s]{1,2000}\)")
_LOOSE = re.compile(r"[\w.:/#-]{1,64}")
_NAME_END = re.compile(r"[\s:]+")

WINDOW = 24
"""How many characters before a bracket are looked at."""

_WORD_BEFORE = re.compile(rf"(\w{{1,{WINDOW}}}+)\s{{0,{WINDOW}}}+$")
_NAME_BEFORE = re.compile(rf"\w{{1,{WINDOW}}}+$")
_INDEX = re.compile(r"[.\[]\w")


_DISCLAIMER = re.compile(r"\[([^\[\]\n]{1,60})\]")
_MISSING = word_set(
    "no not none nothing needed missing unknown without unsourced uncited n/a unverified "
    "אין ללא לא חסר חסרה"
)
_OF_SOURCES = _MISSING | word_set(
    "in the a any of from by to context contexts source sources document documents citation "
    "citations reference references text passage passages evidence available applicable found "
    "given provided cited stated mentioned supported covered specified listed required is was are "
    "there this here מקור מקורות במקור במקורות בהקשר במסמך במסמכים הפניה ציטוט אסמכתא מופיע "
    "מופיעה נמצא נמצאה צוין צוינה"
)
"""Words of which a bracket is made that says that there is no source."""


_SPOKEN_ID = r"((?:(?:the )?(?:source|document|מקור) )?([\w.:/#-]{1,64}))"
_SPOKEN = re.compile(
    rf"(?<!\w)(?:{citing.SPOKEN_BEFORE} {_SPOKEN_ID}(?: (?:and |ו-?){_SPOKEN_ID})?"
    rf"|as {_SPOKEN_ID}(?: and {_SPOKEN_ID})?"
    r" (?:says?|states?|shows?|notes?|reports?|describes?|explains?)),",
    re.IGNORECASE,
)
"""A source named without brackets before a statement. What stands before the comma is the id alone:
`According to S1 Motors,` names something else."""

_LAST_ID = _SPOKEN_ID.replace("{1,64}", "{1,64}?")
_SPOKEN_BEHIND = re.compile(
    rf"(?<=[^\s.!?]) {citing.SPOKEN_BEHIND} {_LAST_ID}"
    rf"(?: (?:and |und |et |y |e |en |и |ו-?){_LAST_ID})?"
    r"(?=[.!?]?[^\S\n]{0,2}(?:\n|\Z)|[.!?]\s|,)",
    re.IGNORECASE,
)
"""The same behind a statement: `The river rose, according to S1.`"""


def _entries(text: str) -> list[tuple[str, str]]:
    """The numbers and names of a text's lists of references."""
    titles = [match.end() for match in _LIST_TITLE.finditer(text)]
    numbered = _NUMBERED.findall(text, titles[-1]) if titles else []
    return [*_ENTRY.findall(text), *numbered]


class TooManyIdsError(Exception):
    """The citations of a text, or those of its claims, name more ids than the caller takes."""


def _has_digit(name: str) -> bool:
    return any(map(str.isdigit, name))


class CitationReader:
    """Finds the citations of one text, block by block, until they name more than `max_ids`."""

    def __init__(self, text: str, syntax: CitationSyntax, max_ids: int) -> None:
        self.text = text
        self.syntax = syntax
        self._ids_left = max_ids
        # One tuple for all citations that are written alike: a range stands for many ids.
        self._known: dict[str, tuple[str, ...]] = {}
        known = syntax.known_ids
        # A list of references names sources: `[1]: lease.pdf`.
        self._listed = {
            number.lstrip("^"): named
            for number, name in (_entries(text) if known else ())
            if (named := syntax.named(name.rstrip())) in known and number.lstrip("^") not in known
        }
        self._has_tags = "</" in text
        self._has_digits = any(map(_has_digit, known))
        bracketed = sorted((i for i in known if "[" in i or "]" in i), key=len, reverse=True)
        self._bracketed = (
            re.compile(rf"\[({'|'.join(map(re.escape, bracketed))})\]") if bracketed else None
        )

    def find(self, within: Span, protected: Sequence[Region]) -> list[Citation]:
        """Find the citations in `within`, in order, outside of its protected regions.

        Raises TooManyIdsError.
        """
        text = self.text
        found: list[Citation] = []
        matches = [*_SQUARE.finditer(text, within.start, within.end)]
        if BracketStyle.LENTICULAR in self.syntax.styles:
            matches += _LENTICULAR.finditer(text, within.start, within.end)
        if self.syntax.known_ids and BracketStyle.SQUARE in self.syntax.styles:
            matches += _ROUND.finditer(text, within.start, within.end)
            matches += _SUPERSCRIPT.finditer(text, within.start, within.end)
            if self._has_tags:
                matches += _TAGGED.finditer(text, within.start, within.end)
        if self._bracketed is not None:
            matches += self._bracketed.finditer(text, within.start, within.end)
        regions = iter(protected)
        region = next(regions, None)
        spoken = self._spoken(within)
        for match in sorted(matches, key=lambda m: (m.start(), -m.end())):
            if found and match.start() < found[-1].span.end:
                continue
            while region is not None and region.span.end <= match.start():
                region = next(regions, None)
            linked = region is not None and region.span.start == match.end() - 1
            # An address within brackets may be an id.
            held = region is not None and match.start() < region.span.start < match.end() - 1
            if region is not None and region.span.start < match.end() and not (linked or held):
                continue
            after_citation = bool(found) and found[-1].span.end == match.start()
            ids = self._ids_of(match, after_citation)
            if linked and not self._may_be_linked(match, ids):
                continue
            if held and not self.syntax.known_ids.issuperset(ids):
                continue
            if ids:
                found.append(Citation(Span(*match.span()), ids))
                self._ids_left -= len(ids)
                if self._ids_left < 0:
                    raise TooManyIdsError
        return self._with_spoken(found, spoken, protected) if spoken else found

    def may_speak(self, within: Span) -> bool:
        """Whether sources may be named there without brackets."""
        return self._has_digits and any(
            form.search(self.text, within.start, within.end) for form in (_SPOKEN, _SPOKEN_BEHIND)
        )

    def _spoken(self, within: Span) -> list[Citation]:
        """Sources that a sentence names at its start or its end: `According to S1, the river rose.`

        An id without a digit may be any word, and one that no source has is none.
        """
        if not self._has_digits:
            return []
        found: list[Citation] = []
        forms = (_SPOKEN, _SPOKEN_BEHIND)
        for match in chain(*(each.finditer(self.text, within.start, within.end) for each in forms)):
            before = self.text[max(within.start, match.start() - WINDOW) : match.start()]
            before = before.rstrip(" \t")
            named = [n for n in range(1, match.re.groups + 1, 2) if match.group(n)]
            opens = not before or before.endswith((".", "!", "?", "\n"))
            fits = opens or match.re is _SPOKEN_BEHIND
            if fits and all(self._is_spoken(match.group(n), match.group(n + 1)) for n in named):
                found += [Citation(Span(*match.span(n)), (match.group(n + 1),)) for n in named]
        return found

    def _is_spoken(self, written: str, name: str) -> bool:
        """Whether it names a source. A bare number names one behind a word such as `source`."""
        known = name in self.syntax.known_ids and _has_digit(name)
        return known and (written != name or not name.isdecimal())

    def _with_spoken(
        self, found: list[Citation], spoken: Sequence[Citation], protected: Sequence[Region]
    ) -> list[Citation]:
        """The citations with those that are named on a line where nothing else cites."""
        taken = [*(each.span for each in found), *(region.span for region in protected)]
        lines = {self._line_of(place) for span in taken for place in (span.start, span.end)}
        kept = [each for each in spoken if self._line_of(each.span.start) not in lines]
        self._ids_left -= len(kept)
        if self._ids_left < 0:
            raise TooManyIdsError
        return sorted((*found, *kept), key=lambda citation: citation.span)

    def _line_of(self, place: int) -> int:
        """Where the line of a place begins."""
        return self.text.rfind("\n", 0, place) + 1

    def disclaimers(self, within: Span, protected: Sequence[Region]) -> list[Span]:
        """Brackets that say that there is no source: `[not in the context]`."""
        taken = {region.span.start for region in protected}
        found = []
        for match in _DISCLAIMER.finditer(self.text, within.start, within.end):
            words = match.group(1).casefold().replace(":", " ").split()
            missing = not _MISSING.isdisjoint(words) and _OF_SOURCES.issuperset(words)
            known = match.group(1).strip() in self.syntax.known_ids
            if missing and not known and match.end() - 1 not in taken:
                found.append(Span(*match.span()))
        return found

    def _ids_of(self, match: re.Match[str], after_citation: bool) -> tuple[str, ...]:
        written = match.group()
        ids = self._known.get(written)
        if ids is None:
            ids = self._known[written] = self._read(match)
        if written[0] not in "[【":
            return ids if ids and self._may_cite(match, ids) else ()
        if self._listed:
            ids = tuple(dict.fromkeys(self._listed.get(i, i) for i in ids))
        bare = any(i[0].isdigit() and i not in self.syntax.known_ids for i in ids)
        square = written.startswith("[") and not written.startswith("[^")
        if bare and square and self._is_subscript(match, ids, after_citation):
            return ()
        if square and ids and ids[0].isdecimal() and self._indexes_letter(match):
            return ()
        return ids

    def _may_cite(self, match: re.Match[str], ids: tuple[str, ...]) -> bool:
        """Whether known ids in round brackets, or raised digits, cite: `(1)` may be a number."""
        text = self.text
        before = text[max(0, match.start() - WINDOW) : match.start()]
        if match.re is _TAGGED:
            return True
        if match.group()[0] != "(":
            word = _NAME_BEFORE.search(before)
            last = before[-1:]
            own = word is not None and word.group().isalpha()
            long = own and word is not None and len(word.group()) >= _WORD_CHARACTERS
            return long or last in tuple('.,;:!?"”»)]') or self._ends_behind_space(match, before)
        if before.endswith("]") or not before.strip():
            return False
        if not match.group(1).strip().isdecimal() or not ids[0].isdecimal():
            return True
        found = _WORD_BEFORE.search(before)
        literal = found is not None and found.group(1).lower() in LITERAL_LEADS
        spaced = before[-1:].isspace() or before[-1:] in ".!?"
        return spaced and not literal and bool(_CLAUSE_END.match(text, match.end()))

    def _ends_behind_space(self, match: re.Match[str], before: str) -> bool:
        """Whether raised digits end a clause behind a space: `in 1911 ²`, but not `300 m ²`."""
        word = _NAME_BEFORE.search(before.rstrip(" "))
        if not before.endswith(" ") or not _RAISED_END.match(self.text, match.end()):
            return False
        if word is None or len(word.group()) == 1 or word.group().isdecimal():
            # Behind other raised digits; a short number may have a power.
            return word is not None and (
                set(word.group()) <= set(_DIGITS_RAISED) or len(word.group()) >= _WORD_CHARACTERS
            )
        return word.group().lower() not in _SQUARED

    def _may_be_linked(self, match: re.Match[str], ids: tuple[str, ...]) -> bool:
        """Whether a link's text is a citation: `[S0](http://...)`, but not `see [1](http://...)`."""
        if all(i in self.syntax.known_ids or not i[0].isdigit() for i in ids):
            return True
        before = self.text[max(0, match.start() - WINDOW) : match.start()]
        word = _WORD_BEFORE.search(before)
        return word is None or word.group(1).lower() not in PREPOSITIONS | LITERAL_LEADS

    def _read(self, match: re.Match[str]) -> tuple[str, ...]:
        known = self.syntax.known_ids
        if match.re is _TAGGED:
            return self._all_known(match.group(2).strip())
        if match.group()[0] not in "([【":
            raised = match.group().strip("⁽⁾").translate(_DIGITS)
            return (raised,) if raised in known else ()
        inner = match.group(1).strip()
        if (named := self.syntax.named(inner)) in known:
            return (named,)
        if match.group().startswith("("):
            return self._all_known(inner)
        if match.group().startswith("【"):
            return self._lenticular(inner)
        if inner.startswith("^"):
            allowed = BracketStyle.CARET in self.syntax.styles
            return self._ids(inner[1:], loose=False) if allowed else ()
        if BracketStyle.SQUARE not in self.syntax.styles:
            return ()
        return self._ids(inner, loose=True)

    def _all_known(self, inner: str) -> tuple[str, ...]:
        """The ids of a list, if there are such sources: outside of `[...]` it may be text."""
        named = self.syntax.named(_NAMED.sub("", inner, count=1))
        if named in self.syntax.known_ids:
            return (named,)
        items = [_NAMED.sub("", item.strip(), count=1) for item in _SEPARATOR.split(inner)]
        return tuple(dict.fromkeys(items)) if self.syntax.known_ids.issuperset(items) else ()

    def _lenticular(self, inner: str) -> tuple[str, ...]:
        name, dagger, title = inner.partition("†")
        name, title = name.strip(), self.syntax.named(title.strip())
        if name not in self.syntax.known_ids and title in self.syntax.known_ids:
            return (title,)
        if dagger:
            return (name,) if _LOOSE.fullmatch(name) else ()
        return self._ids(name, loose=True)

    def _ids(self, inner: str, *, loose: bool) -> tuple[str, ...]:
        """The ids of a comma-separated list, or none if it is something else.

        Beside a certain id, `loose` takes any other single word as one.
        """
        ids: list[str] = []
        unread: list[str] = []
        items = [item.strip() for item in _SEPARATOR.split(_NAMED.sub("", inner, count=1))]
        for item in items:
            if ids and _LOCATOR.fullmatch(item):
                continue
            read = self._item(item)
            ids += read or (item,)
            if not read:
                unread.append(item)
        if not unread:
            return tuple(dict.fromkeys(ids))
        certain = any(not i[:1].isdigit() for i in ids if i not in unread)
        words = all(_LOOSE.fullmatch(item) for item in unread)
        return tuple(dict.fromkeys(ids)) if loose and certain and words else ()

    def _item(self, item: str) -> tuple[str, ...]:
        if (named := self.syntax.named(item)) in self.syntax.known_ids:
            return (named,)
        # `[s0]` means the source `S0` but does not name it: the id is kept as it was written.
        if self._is_form(item) or item.casefold() in self.syntax.folded_ids:
            return (item,)
        if (word := _NAMED.match(item)) and self._is_form(item[word.end() :]):
            return (item[word.end() :],)
        name, *where = _NAME_END.split(item, maxsplit=1)
        if where and self._is_form(name) and _LOCATOR.fullmatch(where[0]):
            return (name,)
        match = _RANGE.fullmatch(item)
        return self._range(match.group(1), match.group(2)) if match else ()

    def _is_form(self, item: str) -> bool:
        match = _FORM.fullmatch(item)
        if not match or match.group(1) not in self.syntax.prefixes:
            return False
        return bool(match.group(1)) or len(item) <= MAX_BARE_DIGITS

    def _range(self, first: str, last: str) -> tuple[str, ...]:
        if not self._is_form(first):
            return ()
        prefix = first.rstrip("0123456789")
        low, high = first[len(prefix) :], last
        if last.startswith(prefix):
            high = last[len(prefix) :]
        if not high.isdecimal() or not self._is_form(prefix + high):
            return ()
        count = int(high) - int(low) + 1
        if not 1 <= count <= MAX_RANGE:
            return (first, prefix + high)
        middle = (f"{prefix}{n}" for n in range(int(low) + 1, int(high)))
        return tuple(dict.fromkeys((first, *middle, prefix + high)))

    def _indexes_letter(self, match: re.Match[str]) -> bool:
        """Whether a number stands at a letter that is a variable, and a clause goes on: `x[1] is`,
        `the matrix A[1] is`; not `vitamin C[1] is`, `5 m[1] high`, `il a[1] fini`."""
        text = self.text
        before = text[max(0, match.start() - WINDOW) : match.start()]
        letter = _LETTER.search(before)
        if letter is None or _CLAUSE_END.match(text, match.end()):
            return False
        word, own = (letter["word"] or "").lower(), letter["own"]
        if word in _BEFORE_VARIABLES or before.rpartition("\n")[2] == own:
            return True
        is_word = own in _WORDS_OF_A_LETTER and not "א" <= word[:1] <= "ת"
        return not is_word and not word[:1].isnumeric() and (own.islower() or not word)

    def _is_subscript(
        self, match: re.Match[str], ids: tuple[str, ...], after_citation: bool
    ) -> bool:
        """Whether a bare number in brackets indexes what it stands behind, or is an interval."""
        text = self.text
        before = text[max(0, match.start() - WINDOW) : match.start()]
        after = text[match.end() : match.end() + 3]
        if "0" in ids and len(ids) > 1:
            return True
        if _is_literal(before, text[match.end() : match.end() + WINDOW], several=len(ids) > 1):
            return True
        linked = after[:1] == "(" and _LINK_TARGET.match(text, match.end())
        if (after[:1] == "(" and not linked) or after.lstrip(" ")[:1] == "=":
            return True
        if _INDEX.match(after):
            return True
        if before.endswith("]") and not after_citation:
            return True
        word = _NAME_BEFORE.search(before)
        if word is None:
            return before.endswith((")", "}")) and "0" in ids
        name = word.group()
        plain = name.isalpha() and len(name) > 1 and (name[1:].islower() or name[1:].isupper())
        hebrew = any("א" <= c <= "ת" for c in name)
        return not (plain or hebrew or name.isdecimal()) or "0" in ids


LITERAL_LEADS = word_set("is are was were equals equal contains contain returns return be =")
"""Words that a value follows."""

_CONTAINERS = word_set(
    "list lists vector vectors array arrays tuple tuples interval range sequence matrix tensor "
    "shape values numbers coordinates indices items elements set call element entry variable"
)
_NAMES = word_set("array arrays items values vector matrix buffer params tokens indices elements")
_BEFORE_VARIABLES = (_CONTAINERS | PREPOSITIONS | DETERMINERS) - {"a", "an"}
"""Not `a`: `a B[1] in May` is a mark."""
_LETTER = re.compile(rf"(?:(?P<word>\w{{1,{WINDOW}}}+)[ \t]|(?<![^\s(=,]))(?P<own>[A-Za-z])$")
_WORDS_OF_A_LETTER = frozenset("aeiouy")
"""Words in languages such as French: `il a[1] fini`."""
MAX_NAME_LETTERS = 4
"""A word as short as `arr` may be a variable's name."""

_WORD = re.compile(r"(\w{1,24}+|=)(\s{0,24}+)$")
_SENTENCE_END = re.compile(r"(?:\[[^\[\]]{1,20}\])*[^\S\n]*+(?:$|[.,;:!?)*\n]|[A-Z\u05d0-\u05ea])")


def _is_literal(before: str, after: str, *, several: bool) -> bool:
    """Whether numbers in brackets between `before` and `after` are values and name no source."""
    found = _WORD.search(before)
    if found is None:
        return False
    word, space = found.groups()
    if space:
        return word.lower() in LITERAL_LEADS or (several and word.lower() in _CONTAINERS)
    name = word.isascii() and word.islower() and (len(word) <= MAX_NAME_LETTERS or word in _NAMES)
    return name and not _SENTENCE_END.match(after)

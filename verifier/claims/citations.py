"""Citations: which brackets name sources, and which ids they name.

Knows the ways a citation is written. Does not know which sources exist beyond the ids it is
given: an id that no source has is read all the same, and never dropped or corrected.
"""

import re
from collections.abc import Sequence

from verifier.claims.protected import Region
from verifier.claims.types import BracketStyle, Citation, CitationSyntax, Span

MAX_RANGE = 100
"""The most ids that a range such as `[S0-S9]` stands for. A wider one names its two ends only."""

MAX_BARE_DIGITS = 3
"""A longer number in brackets is no citation, but a year or a quantity, unless it is known."""

_SQUARE = re.compile(r"\[([^\[\]]{1,200})\]")
_LENTICULAR = re.compile(r"【([^【】]{1,200})】")
_SEPARATOR = re.compile(r"[,;،，、]")
_FORM = re.compile(r"([^\W\d_]{0,16})([0-9]{1,9})")
_RANGE = re.compile(r"([^\W\d_]{0,16}[0-9]{1,9})\s?[-\u2010-\u2014]\s?([^\W\d_]{0,16}[0-9]{1,9})")
_LOOSE = re.compile(r"[\w.:/#-]{1,64}")


def find_citations(
    text: str, within: Span, protected: Sequence[Region], syntax: CitationSyntax
) -> list[Citation]:
    """Find the citations of `text` in `within`, in order, outside of its protected regions."""
    reader = _Reader(text, syntax)
    found: list[Citation] = []
    matches = [*_SQUARE.finditer(text, within.start, within.end)]
    if BracketStyle.LENTICULAR in syntax.styles:
        matches += _LENTICULAR.finditer(text, within.start, within.end)
    regions = iter(protected)
    region = next(regions, None)
    for match in sorted(matches, key=lambda m: m.start()):
        while region is not None and region.span.end <= match.start():
            region = next(regions, None)
        if region is not None and region.span.start < match.end():
            continue
        after_citation = bool(found) and found[-1].span.end == match.start()
        ids = reader.read(match, after_citation)
        if ids:
            found.append(Citation(Span(*match.span()), ids))
    return found


class _Reader:
    def __init__(self, text: str, syntax: CitationSyntax) -> None:
        self.text = text
        self.syntax = syntax
        # One tuple for all citations that are written alike: a range stands for many ids.
        self._known: dict[str, tuple[str, ...]] = {}

    def read(self, match: re.Match[str], after_citation: bool) -> tuple[str, ...]:
        written = match.group()
        ids = self._known.get(written)
        if ids is None:
            ids = self._known[written] = self._read(match)
        bare = any(i[0].isdigit() and i not in self.syntax.known_ids for i in ids)
        square = written.startswith("[") and not written.startswith("[^")
        if bare and square and self._is_subscript(match, ids, after_citation):
            return ()
        return ids

    def _read(self, match: re.Match[str]) -> tuple[str, ...]:
        inner = match.group(1).strip()
        if match.group().startswith("【"):
            return self._lenticular(inner)
        if inner.startswith("^"):
            allowed = BracketStyle.CARET in self.syntax.styles
            return self._ids(inner[1:], loose=False) if allowed else ()
        if BracketStyle.SQUARE not in self.syntax.styles:
            return ()
        return self._ids(inner, loose=True)

    def _lenticular(self, inner: str) -> tuple[str, ...]:
        name, dagger, _ = inner.partition("†")
        name = name.strip()
        if dagger:
            return (name,) if _LOOSE.fullmatch(name) else ()
        return self._ids(name, loose=True)

    def _ids(self, inner: str, *, loose: bool) -> tuple[str, ...]:
        """The ids of a comma-separated list, or none if it is something else.

        Beside a certain id, `loose` takes any other single word as one.
        """
        ids: list[str] = []
        unread: list[str] = []
        items = [item.strip() for item in _SEPARATOR.split(inner)]
        for item in items:
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
        if item in self.syntax.known_ids:
            return (item,)
        if self._is_form(item):
            return (item,)
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

    def _is_subscript(
        self, match: re.Match[str], ids: tuple[str, ...], after_citation: bool
    ) -> bool:
        """Whether a bare number in brackets indexes what it stands behind, or is an interval."""
        text = self.text
        before = text[max(0, match.start() - 24) : match.start()]
        after = text[match.end() : match.end() + 3]
        if "0" in ids and len(ids) > 1:
            return True
        if after[:1] == "(" or after.lstrip(" ")[:1] == "=" or re.match(r"[.\[]\w", after):
            return True
        if before.endswith("]") and not after_citation:
            return True
        word = re.search(r"\w+$", before)
        if word is None:
            return before.endswith((")", "}")) and "0" in ids
        name = word.group()
        plain = name.isalpha() and len(name) > 1 and (name[1:].islower() or name[1:].isupper())
        hebrew = any("א" <= c <= "ת" for c in name)
        return not (plain or hebrew or name.isdecimal()) or "0" in ids

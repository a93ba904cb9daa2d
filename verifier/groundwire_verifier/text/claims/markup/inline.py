"""Marks inside of a line: code, addresses and links, which no boundary may cut, and emphasis.

A star that nothing closes is a star.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from groundwire_verifier.domain.claims import Span

ADDRESS_CHARACTERS = 254
"""The longest side of an e-mail address that is looked at."""

LINK_CHARACTERS = 2000
"""The longest target of a link."""

_TICKS = re.compile(r"`+")
_URL = re.compile(r"(?:https?://|ftp://|www\.)[^\s<>\"`\[\]【】]+", re.IGNORECASE)
_LINK = re.compile(rf"\]\([^()\s]{{1,{LINK_CHARACTERS}}}(?:[ \t]\"[^\"\n]{{0,200}}\")?\)")
_LOCAL = re.compile(r"[\w+-][\w.+-]*")
_HOST = re.compile(r"[\w-]++\.(?:[.-]*+\w++)+")


class RegionKind(Enum):
    """What a region is."""

    CODE = "code"
    URL = "url"
    ADDRESS = "address"
    LINK = "link"


@dataclass(frozen=True, slots=True)
class Region:
    """A region and its kind. A link's region is its target, from `](` to `)`."""

    span: Span
    kind: RegionKind


def find_protected(text: str, within: Span) -> list[Region]:
    """Find the regions of `text` in `within`, in order and without overlap; code wins."""
    found = _code(text, within)
    found += [Region(Span(*m.span()), RegionKind.LINK) for m in _matches(_LINK, text, within)]
    for match in _matches(_URL, text, within):
        url = match.group().rstrip(".,;:!?'*_\u2026\u05be")
        if "(" not in url:
            url = url.rstrip(").,;:!?'*_")
        found.append(Region(Span(match.start(), match.start() + len(url)), RegionKind.URL))
    found += _addresses(text, within)
    return _without_overlap(found)


def _matches(pattern: re.Pattern[str], text: str, within: Span) -> Iterator[re.Match[str]]:
    return pattern.finditer(text, within.start, within.end)


def _code(text: str, within: Span) -> list[Region]:
    """Runs of backticks pair with the next run of the same length."""
    runs = [Span(*match.span()) for match in _matches(_TICKS, text, within)]
    partner: dict[int, int] = {}
    upcoming: dict[int, int] = {}
    for i in range(len(runs) - 1, -1, -1):
        length = runs[i].end - runs[i].start
        if length in upcoming:
            partner[i] = upcoming[length]
        upcoming[length] = i
    regions = []
    i = 0
    while i < len(runs):
        if i in partner:
            regions.append(Region(Span(runs[i].start, runs[partner[i]].end), RegionKind.CODE))
            i = partner[i]
        i += 1
    return regions


def _addresses(text: str, within: Span) -> Iterator[Region]:
    at = text.find("@", within.start, within.end)
    while at >= 0:
        before = text[max(within.start, at - ADDRESS_CHARACTERS) : at]
        local = _LOCAL.match(before[::-1])
        host = _HOST.match(text, at + 1, min(within.end, at + ADDRESS_CHARACTERS))
        if local and local.end() and host:
            yield Region(Span(at - local.end(), host.end()), RegionKind.ADDRESS)
        at = text.find("@", at + 1, within.end)


def _without_overlap(found: Iterable[Region]) -> list[Region]:
    regions = sorted(found, key=lambda r: r.span.start)
    code = [r for r in regions if r.kind is RegionKind.CODE]
    ends = [r.span.end for r in code]
    kept = list(code)
    taken_to = 0
    for region in regions:
        place = bisect_right(ends, region.span.start)
        in_code = place < len(code) and code[place].span.start < region.span.end
        if region.kind is not RegionKind.CODE and region.span.start >= taken_to and not in_code:
            kept.append(region)
            taken_to = region.span.end
    return sorted(kept, key=lambda r: r.span.start)


_MARK = re.compile(
    r"\*{1,3}|(?<![\w_])(?!__(?!(?:no|not|never|none|one|all|only|must)__)[a-z][a-z\d_]{0,60}__(?!\w))_{1,3}(?=[^\s_])|(?<=[^\s_])_{1,3}(?![\w_])|~~"
    r"|(?<![\w$\\])\$(?=-?\d[\d.,]{0,20}\$(?![\w$]))|(?<=\d)\$(?![\w$])"
    r"|(?<![\w$\\])(?P<opens>\$)-?\d[\d.,]{0,20}"
    r"(?P<gap>(?:\\[,;: ]|[~ ])?\\(?:mathrm|text|mbox)\{ ?)[^{}$\\\n]{1,20}"
    r"(?P<closes>\}\$)(?![\w$])"
)
"""`__init__` is a name, and `$440$` a number in the marks of mathematics, `$440` an amount. A unit
is in marks of its own there: `$440\\,\\mathrm{m}$`."""


def find_emphasis(text: str, within: Span, taken: Iterable[Span]) -> Iterator[Span]:
    """Find the marks of emphasis of `text` in `within`, outside of `taken`.

    There are two for each pair, and three of a number with its unit.
    """
    if not any(text.find(mark, within.start, within.end) >= 0 for mark in "*_~$"):
        return
    regions = iter(sorted(taken, key=lambda span: span.start))
    region = next(regions, None)
    opened: dict[str, Span] = {}
    for match in _MARK.finditer(text, within.start, within.end):
        start, end = match.span()
        while region is not None and region.end <= start:
            region = next(regions, None)
        if region is not None and region.start < end:
            continue
        before = text[start - 1] if start > within.start else " "
        after = text[end] if end < within.end else " "
        mark = match.group()
        if match["gap"]:
            yield from (Span(*match.span(part)) for part in ("opens", "gap", "closes"))
        elif mark in opened and not before.isspace() and not after.isalnum():
            yield opened.pop(mark)
            yield Span(start, end)
        elif not after.isspace() and not before.isalnum():
            opened[mark] = Span(start, end)

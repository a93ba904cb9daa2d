"""Markdown's emphasis: which stars and underscores mark words and are none of their characters.

Knows how marks pair. Does not know sentences. A star that nothing closes is a star.
"""

import re
from collections.abc import Iterable, Iterator

from groundwire_verifier.domain.claims import Span

_MARK = re.compile(r"\*{1,3}|(?<![\w_])_(?=[^\s_])|(?<=[^\s_])_(?![\w_])|~~")


def find_emphasis(text: str, within: Span, taken: Iterable[Span]) -> Iterator[Span]:
    """Find the marks of emphasis of `text` in `within`, two for each pair, outside of `taken`."""
    if not any(text.find(mark, within.start, within.end) >= 0 for mark in "*_~"):
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
        if mark in opened and not before.isspace() and not after.isalnum():
            yield opened.pop(mark)
            yield Span(start, end)
        elif not after.isspace() and not before.isalnum():
            opened[mark] = Span(start, end)

"""What is written around a citation and means nothing without it: `(see [S0])`, `**[S0]**`.

Knows brackets, emphasis, superscripts, link targets and the words that introduce a source. All
of it is left out of a claim's content together with the citation.
"""

import re
from collections.abc import Sequence

from groundwire_verifier.domain.claims import Citation, Span

WINDOW = 48
"""How far before a citation its wrapping is looked for."""

_NAMES = (
    r"(?:see also|see|sources?|cf\.?|refs?\.?|references?|citations?|cited in|via|per|according to|"
    r"ראו|ראה|מקורות|מקור|לפי)"
)
_OPENINGS = (
    (re.compile(rf"[(（]\s?(?:{_NAMES}\s?:?\s?)?\Z", re.IGNORECASE), re.compile(r"\s?[)）]")),
    (re.compile(r"\[\Z"), re.compile(r"\]")),
    (re.compile(r"\*\*\Z"), re.compile(r"\*\*")),
    (re.compile(r"\*\Z"), re.compile(r"\*")),
    (re.compile(r"_\Z"), re.compile(r"_")),
    (re.compile(r"<sup>\Z"), re.compile(r"</sup>")),
)
_CARET = re.compile(r"\^\Z")
_TARGET = re.compile(r"\([^()\s]{1,2000}+\)")
_BETWEEN = re.compile(r"\s?(?:[,;&،、]|and|or|ו-?|או)?\s?\Z")
_LINE_START = re.compile(r"(?:\A|\n)[ \t>]*+\Z")
_LABEL = re.compile(r"[ \t]?(?::|[-–—](?=\s))[ \t]?")
_SOURCE_LABEL = re.compile(rf"(?:\A|[.!?\n])\s{{0,{WINDOW}}}+({_NAMES}\s?:\s?)\Z", re.IGNORECASE)
_END = re.compile(r"[^\S\n]*+(?:\.[^\S\n]*+)?(?:\n|\Z)")


def cuts_of(text: str, within: Span, citations: Sequence[Citation]) -> list[Span]:
    """The citations of a block as what is cut out of it, in order and without overlap."""
    cuts: list[Span] = []
    for i, run in enumerate(runs := runs_of(text, citations)):
        low = cuts[-1].end if cuts else within.start
        high = runs[i + 1].start if i + 1 < len(runs) else within.end
        cuts.append(_widen(text, run, Span(low, high), within))
    return cuts


def runs_of(text: str, citations: Sequence[Citation]) -> list[Span]:
    """Citations that only a comma or `and` stands between are cut out as one."""
    runs: list[Span] = []
    for citation in citations:
        span = citation.span
        if runs and span.start - runs[-1].end <= 6:
            between = text[runs[-1].end : span.start]
            if "\n" not in between and _BETWEEN.match(between):
                runs[-1] = Span(runs[-1].start, span.end)
                continue
        runs.append(span)
    return runs


def _widen(text: str, run: Span, limits: Span, within: Span) -> Span:
    start, end = run.start, run.end
    for _ in range(4):
        before = text[max(limits.start, start - WINDOW) : start]
        if text[end : end + 1] == "(" and (target := _TARGET.match(text, end, limits.end)):
            end = target.end()
            continue
        for opening, closing in _OPENINGS:
            found = opening.search(before)
            behind = closing.match(text, end, limits.end) if found else None
            if found and behind:
                start, end = start - len(found.group()), behind.end()
                break
        else:
            break
    if _CARET.search(text[max(limits.start, start - 1) : start]):
        start -= 1
    before = text[max(limits.start, start - WINDOW) : start]
    opens = start - len(before) == within.start or "\n" in before
    if opens and _LINE_START.search(before):
        label = _LABEL.match(text, end, limits.end)
        end = label.end() if label else end
    named = _SOURCE_LABEL.search(before)
    whole = named and (named.start() > 0 or start - len(before) == within.start)
    if named and whole and _END.match(text, end, within.end):
        start -= len(named.group(1))
    return Span(start, end)

"""What stands in an answer and is no part of it: thoughts of its model, and text struck out.

A tag that has no other side hides nothing: only where the answer begins with a thought that never
ends, all of it is thought. Tags in code are words about tags.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.text.claims.markup.inline import RegionKind, find_protected

_TAG = re.compile(
    r"<(?P<close>/?)(?:\w{1,16}:)?(?P<name>think(?:ing)?|thoughts?|reasoning|reflection|"
    r"scratch_?pad|ant_?thinking|analysis|chain[_-]of[_-]thought|inner[_-]monologue|internal[_-]monologue)"
    r"(?:\s[^<>\n]{0,200}+)?>"
    r"|(?P<hidden><details\s[^<>\n]{0,200}+>)|(?P<shown></details>)"
    r"|</?(?P<answer>(?:final[_-])?answer|response|output)>"
    r"|(?P<solution><\|(?:begin|end)_of_solution\|>)"
    r"|\[(?P<close_square>/?)think\]|◁(?P<close_wedge>/?)think▷"
    r"|<\|(?P<side>begin|end)_of_thought\|>"
    r"|(?P<channel><\|channel\|>analysis<\|message\|>)"
    r"|(?P<final><\|end\|>(?:<\|start\|>assistant)?(?:<\|channel\|>final<\|message\|>)?)",
    re.IGNORECASE,
)
_STRUCK_TAG = re.compile(r"</?(?:del|strike|s|ins)\b", re.IGNORECASE)
_STRUCK = re.compile(
    r"(?<!~)~~(?!~)|<(?P<close>/?)(?P<name>del|strike|s|ins)(?:\s[^<>\n]{0,200}+)?>", re.IGNORECASE
)
_FENCE = re.compile(r"^[ \t]{0,3}(?:```|~~~)", re.MULTILINE)
_DETAILS = "details"
"""A tag of HTML that holds thoughts only where it says so; its end alone is left as it is."""

_TEXT = re.compile(r"[^\n]")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What is left out of a text, in order: thoughts, tags without another side, struck-out text.

    `thoughts` counts those that hold a letter or a digit: some models write empty ones.
    """

    spans: tuple[Span, ...] = ()
    thoughts: int = 0

    def without(self, text: str) -> str:
        """The text with spaces in their place, so that positions stay."""
        parts, at = [], 0
        for span in self.spans:
            parts += [text[at : span.start], _TEXT.sub(" ", span.of(text))]
            at = span.end
        return "".join([*parts, text[at:]]) if parts else text


@dataclass(frozen=True, slots=True)
class _Tag:
    span: Span
    family: str
    opens: bool


@dataclass(frozen=True, slots=True)
class _End:
    """The next tag that closes this one's family, and whether one that opens it comes first.

    Of tags that open one behind the other, in the middle of a text, only the last one is closed.
    """

    closing: int | None
    opens_again: bool


def find_left_out(text: str) -> LeftOut:
    """What is no part of a text."""
    thoughts = _find_thoughts(text)
    struck = _find_struck(thoughts.without(text))
    if not struck:
        return thoughts
    return LeftOut(tuple(sorted((*thoughts.spans, *struck))), thoughts.thoughts)


def open_thought(text: str) -> int:
    """Where the first thought of a text begins that does not end in it; behind it if none does."""
    opened: dict[str, int] = {}
    for tag in _tags(text):
        if tag.opens:
            opened.setdefault(tag.family, tag.span.start)
        else:
            opened.pop(tag.family, None)
    return min(opened.values(), default=len(text))


def _find_struck(text: str) -> list[Span]:
    """The text between `~~` and `~~`, or in `<del>` or `<s>`, with its marks, outside of code.

    The marks of text that is put in for it (`<ins>`) are found, too.
    """
    if "~~" not in text and not _STRUCK_TAG.search(text):
        return []
    code = [
        region.span
        for region in find_protected(text, Span(0, len(text)))
        if region.kind is RegionKind.CODE
    ]
    found: list[Span] = []
    opened: dict[str, int] = {}
    region = 0
    for match in _STRUCK.finditer(text):
        start, end = match.span()
        while region < len(code) and code[region].end <= start:
            region += 1
        if region < len(code) and code[region].start <= start:
            continue
        name = (match.group("name") or "~~").lower()
        if name == "ins":
            # What stands in it takes the place of what was struck out.
            found.append(Span(start, end))
            continue
        tilde = name == "~~"
        closes = not text[start - 1 : start].isspace() if tilde else bool(match.group("close"))
        first = opened.pop(name, None)
        apart = first is not None and text.find("\n\n", first, start) >= 0
        if closes and first is not None and not apart:
            while found and found[-1].start >= first:
                found.pop()
            found.append(Span(first, end))
        elif not text[end : end + 1].isspace() if tilde else not match.group("close"):
            opened[name] = start
    return found


def _find_thoughts(text: str) -> LeftOut:
    spans: list[Span] = []
    said = 0
    tags = list(_tags(text))
    ends = _ends(tags)
    visible = len(text) - len(text.lstrip()) if tags else 0
    i = 0
    while i < len(tags):
        tag, end = tags[i], ends[i]
        begins = tag.opens and tag.span.start == visible
        whole = end.closing is None and begins
        if tag.opens and end.closing is not None and (begins or not end.opens_again):
            i = end.closing
        elif not whole:
            if tag.family != _DETAILS:
                spans.append(tag.span)
            i += 1
            continue
        last = Span(len(text), len(text)) if whole else tags[i].span
        spans.append(Span(tag.span.start, last.end))
        said += any(map(str.isalnum, text[tag.span.end : last.start]))
        i = len(tags) if whole else i + 1
    return LeftOut(tuple(spans), said)


def _ends(tags: list[_Tag]) -> list[_End]:
    closing: dict[str, int] = {}
    opens: dict[str, bool] = {}
    ends = []
    for i in range(len(tags) - 1, -1, -1):
        family = tags[i].family
        ends.append(_End(closing.get(family), opens.get(family, False)))
        opens[family] = tags[i].opens
        if not tags[i].opens:
            closing[family] = i
    return ends[::-1]


def _tags(text: str) -> Iterator[_Tag]:
    fences = [match.start() for match in _FENCE.finditer(text)]
    fence = line = ticks = 0
    counted = 0
    for match in _TAG.finditer(text):
        start, end = match.span()
        if match.group("hidden") and "reasoning" not in match.group():
            continue
        opens, family = _read(match)
        while fence < len(fences) and fences[fence] <= start:
            fence += 1
        newline = text.rfind("\n", counted, start)
        if newline >= 0:
            line, ticks, counted = newline + 1, 0, newline + 1
        ticks += text.count("`", max(line, counted), start)
        counted = start
        # What closes a thought may stand behind code that the thought leaves open.
        quoted = text[start - 1 : start] == text[end : end + 1] == "`"
        if quoted or (opens and (ticks % 2 or fence % 2)):
            continue
        yield _Tag(Span(start, end), family, opens)


def _read(match: re.Match[str]) -> tuple[bool, str]:
    """Whether a tag opens a thought, and what it can be closed by."""
    if name := match.group("name"):
        return not match.group("close"), name.lower()
    if match.group("answer") or match.group("solution"):
        # What stands in it is the answer: the tag has no other side that matters.
        return False, "answer"
    if match.group("hidden") or match.group("shown"):
        return bool(match.group("hidden")), _DETAILS
    if match.group("channel") or match.group("final"):
        return bool(match.group("channel")), "channel"
    if side := match.group("side"):
        return side.lower() == "begin", "begin"
    wedge = match.group("close_wedge")
    if wedge is not None:
        return not wedge, "wedge"
    return not match.group("close_square"), "square"

"""Where a correction stands in its answer: words that are replaced, clauses, whole sentences.

Markdown keeps its pairs of marks, and what is left out leaves no doubled blank, no comma of its own
and no empty item of a list.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from groundwire_verifier.checks.answers import MAX_TEXT_IDS
from groundwire_verifier.checks.corrections.correction import Edit, EditKind
from groundwire_verifier.checks.corrections.replacements import Change
from groundwire_verifier.checks.explanations.constituents import put
from groundwire_verifier.checks.explanations.in_answer import place_in
from groundwire_verifier.domain.claims import Citation, CitationSyntax, Claim, Span
from groundwire_verifier.text.claims.markup.blocks import Block, BlockKind, find_blocks
from groundwire_verifier.text.claims.markup.boundaries import find_sentences
from groundwire_verifier.text.claims.markup.canvas import Canvas
from groundwire_verifier.text.claims.markup.citations import CitationReader
from groundwire_verifier.text.claims.markup.html import as_markdown
from groundwire_verifier.text.claims.markup.left_out import find_left_out
from groundwire_verifier.text.claims.wording.sentence import language_of

_MARKS = ("**", "__", "`", "(", "[", '"')
_PAIRS = ("()", "**", "__", "``", '""', "\u201c\u201d", "\u00ab\u00bb")
_CITATION = re.compile(r"([\[(【]\^?)([^\[\]()【】]*)([\])】])")
_BREAKS_TITLE = re.compile(r"[\[\]()【】,;]")
_JOINS = re.compile(
    r"\s*(?:;\s*|,?\s+(?:and|but|und|aber|et|mais|y|pero|אבל|אך)\s+|,?\s+\u05d5)", re.IGNORECASE
)
"""What joins a statement to the one before it, which stands without it."""
_WORD = re.compile(r"\w+")
_NEEDS_COMMA = re.compile(
    r"\s*(?:with|at|since|as|because|so|and|but|which|who|none|most|some|both|each|although|though"
    r"|while|where|in which|one of)(?!\w)"
    r"|\s*(?:אבל|אך|כי|שכן|למרות|בעוד|כולל|\u05d5\w+)(?!\w)",
    re.IGNORECASE,
)
"""Behind what is left out between two commas it begins what goes on behind one."""
_WHITE = " \t\r\n"
_BLANKS, _COMMAS, _ENDS = " \t", ",;،", ".!?:…)"
_OPENING = '*_`"\u201c\u200e\u200f\u202a\u202b\u2066\u2067'
"""Marks that may stand before the first word of a sentence."""


class AnswerPlaces:
    """An answer, and where what is edited of its claims stands."""

    def __init__(
        self, answer: str, syntax: CitationSyntax, title_of: Mapping[str, str] | None = None
    ) -> None:
        self._answer = answer
        self._syntax = syntax
        self._title_of = title_of or {}
        self._text = as_markdown(find_left_out(answer).without(answer))
        self._blocks = find_blocks(self._text)
        self._starts = [block.span.start for block in self._blocks]
        self._reader = CitationReader(self._text, syntax, MAX_TEXT_IDS)
        self._sentences: dict[int, list[Span]] = {}

    def replacing(self, claim: Claim, change: Change) -> Span | None:
        """Where the words that are replaced stand just so; None if they do not."""
        place = place_in(self._answer, claim.span, claim.content, change.span)
        words = change.span.of(claim.content)
        return place if place is not None and place.of(self._answer) == words else None

    def leaving_out(self, claim: Claim, cut: Span) -> tuple[Span, str] | None:
        """What to replace by what so that a part of a claim is left out; None if it stands nowhere,
        or holds a citation, or one mark of a pair."""
        place = place_in(self._answer, claim.span, claim.content, _words(claim.content, cut))
        if place is None:
            return None
        place = _with_pairs(self._answer, place, claim.span)
        around = self._answer[place.start - 1 : place.start] + self._answer[place.end :][:1]
        if _unpaired(place.of(self._answer)) or around == "[]":
            return None
        if any(place.overlaps(each.span) for each in claim.citations):
            return None
        return _with_blanks(self._answer, place, claim.span)

    @staticmethod
    def shortened(content: str, cut: Span) -> str:
        """A claim's content without a part, as it then stands in the answer."""
        whole = Span(0, len(content))
        words = _with_pairs(content, _words(content, cut), whole)
        return put(content, *_with_blanks(content, words, whole))

    def recited(
        self, claim: Claim, ids: Mapping[Citation, Sequence[str]]
    ) -> list[tuple[Span, str]]:
        """The citations of a claim with other ids; one without ids is left out.

        Where a citation is written with a title, so are the others that can be cited by theirs.
        Empty if one of them is not written in brackets.
        """
        edits: list[tuple[Span, str]] = []
        for citation, others in ids.items():
            match = _CITATION.fullmatch(citation.span.of(self._answer))
            if match is None:
                return []
            opening, written, closing = match.groups()
            start = citation.span.start
            if not others:
                while start > claim.span.start and self._answer[start - 1] in _BLANKS:
                    start -= 1
            names = self._named(others, written)
            other = f"{opening}{', '.join(names)}{closing}" if names else ""
            edits.append((Span(start, citation.span.end), other))
        return edits

    def _named(self, ids: Sequence[str], written: str) -> Sequence[str]:
        """How to cite these ids in place of what is written: by titles, if that is one."""
        syntax = self._syntax
        if written.strip() in syntax.known_ids or written.strip().casefold() not in syntax.titles:
            return ids
        titles = {id_: self._title_of.get(id_, "").strip() for id_ in ids}
        return [
            title if title.casefold() in syntax.titles and not _BREAKS_TITLE.search(title) else id_
            for id_, title in titles.items()
        ]

    def without(self, claims: Mapping[int, Claim], staying: Sequence[Claim] = ()) -> list[Edit]:
        """What leaves out the sentences of these claims, which are by their index.

        Of a sentence whose first statements are `staying` only those behind them are left out.
        """
        sentences: dict[tuple[int, Span], list[int]] = {}
        for index, claim in claims.items():
            at = bisect_right(self._starts, claim.span.start) - 1
            sentences.setdefault((at, self._sentence(at, claim.span)), []).append(index)
        removed: dict[int, list[tuple[Span, int]]] = {}
        edits: list[Edit] = []
        for (at, sentence), indexes in sentences.items():
            span = self._last_of(sentence, [claims[i] for i in indexes], staying)
            if span is None:
                removed.setdefault(at, []).extend((sentence, i) for i in indexes)
            else:
                edits += _leaves_out(span, "", [(claims[i].span.start, i) for i in indexes])
        whole: dict[int, list[tuple[Span, int]]] = {}
        for at, left_out in sorted(removed.items()):
            block = self._blocks[at]
            runs = list(_runs(left_out))
            left = _left(self._text, block.span, [Span(run[0][0].start, _end(run)) for run in runs])
            if any(map(str.isalnum, left)):
                for run in runs:
                    edits += self._cut(block, run)
            else:
                whole[at] = [sentence for run in runs for sentence in run]
        for first, last in _followers(list(whole)):
            starts = [
                (sentence.start if i else self._line_start(at), claim)
                for at in range(first, last + 1)
                for i, (sentence, claim) in enumerate(whole[at])
            ]
            edits += _leaves_out(self._lines(first, last), "", starts)
        return list(_apart(edits))

    def _last_of(
        self, sentence: Span, left: Sequence[Claim], staying: Sequence[Claim]
    ) -> Span | None:
        """Where the last statements of a sentence stand with the word that joins them to those
        which stay; None if they cannot go without them."""
        stay = [each for each in staying if each.span.overlaps(sentence)]
        first = min(each.span.start for each in left)
        if not stay or max(each.span.end for each in stay) > first:
            return None
        shared = {each.span for claim in stay for each in claim.citations}
        places = [*(each.span for each in stay), *shared]
        start = max(each.end for each in places if each.end <= first)
        ends = [
            each.span.start + len(each.span.of(self._text).rstrip(_ENDS + "*_")) for each in left
        ]
        own = [each.span for claim in left for each in claim.citations]
        span = Span(start, max((*ends, *(each.end for each in own if each not in shared))))
        is_whole = _WORD.findall(stay[0].span.of(self._text)) == _WORD.findall(stay[0].content)
        is_joined = _JOINS.fullmatch(self._text, start, first) is not None
        is_apart = not any(each.overlaps(span) for each in shared)
        goes = is_whole and is_joined and is_apart and not _unpaired(span.of(self._text))
        return span if goes else None

    def _sentence(self, at: int, own: Span) -> Span:
        """The sentence of a block that a claim's characters stand in, or its row."""
        if at not in self._sentences:
            self._sentences[at] = self._sentences_of(self._blocks[at])
        met = [place for place in self._sentences[at] if place.overlaps(own)]
        return Span(met[0].start, met[-1].end) if met else self._blocks[at].span

    def _sentences_of(self, block: Block) -> list[Span]:
        if block.kind is not BlockKind.PARAGRAPH and block.kind is not BlockKind.ITEM:
            return []
        canvas = Canvas.of_block(self._text, block, self._reader)
        return [
            Span(canvas.start + each.start, canvas.start + each.end)
            for each in find_sentences(canvas.masked, language_of(block.span.of(self._text)))
        ]

    def _cut(self, block: Block, run: Sequence[tuple[Span, int]]) -> list[Edit]:
        """Sentences of a block that touch, while others of it stay."""
        start, end = run[0][0].start, _end(run)
        last = self._text[start:end].rstrip()
        if last.endswith(tuple(filter(None, [_unpaired(last)]))):
            # A mark that closes what begins before it stays there.
            start = block.span.start + len(self._text[block.span.start : start].rstrip(_WHITE))
            end = run[0][0].start + len(last)
        elif end < block.span.end:
            while end < block.span.end and self._text[end].isspace():
                end += 1
        else:
            # A mark of a quotation begins its line.
            blank = f"{_WHITE}>" if block.marks else _WHITE
            start = block.span.start + len(self._text[block.span.start : start].rstrip(blank))
        span = Span(start, end)
        starts = [(sentence.start, claim) for sentence, claim in run]
        return _leaves_out(span, _unpaired(span.of(self._text)), starts)

    def _line_start(self, at: int) -> int:
        return self._text.rfind("\n", 0, self._blocks[at].span.start) + 1

    def _lines(self, first: int, last: int) -> Span:
        """The lines of whole blocks with their marks, and an empty one that would be doubled."""
        text, blocks = self._text, self._blocks
        start, end = self._line_start(first), text.find("\n", blocks[last].span.end)
        end = len(text) if end < 0 else end + 1
        beside = blocks[max(0, first - 1) : first] + blocks[last + 1 : last + 2]
        if any(block.span.overlaps(Span(start, end)) for block in beside):
            return Span(blocks[first].span.start, blocks[last].span.end)
        behind = len(text) - len(text[end:].lstrip())
        if behind == len(text):
            return Span(len(text[:start].rstrip()), len(text.rstrip()))
        is_apart = not text[:start].strip() or text[:start].endswith("\n\n")
        return Span(start, text.rfind("\n", 0, behind) + 1 if is_apart else end)


def _leaves_out(span: Span, replacement: str, starts: Sequence[tuple[int, int]]) -> list[Edit]:
    """Edits that leave out a span; `starts` are where the sentence of each claim in it begins."""
    edges = [span.start, *(max(span.start, at) for at, _ in starts[1:]), span.end]
    return [
        Edit(Span(start, end), "" if i else replacement, EditKind.SENTENCE_LEFT_OUT, claim)
        for i, ((start, end), (_, claim)) in enumerate(zip(pairwise(edges), starts, strict=True))
    ]


def _runs(sentences: Iterable[tuple[Span, int]]) -> Iterable[Sequence[tuple[Span, int]]]:
    """The sentences in order, those that touch together; of equal ones the first claim's."""
    runs: list[list[tuple[Span, int]]] = []
    for span, index in sorted(sentences):
        if not runs or span.start > _end(runs[-1]):
            runs.append([(span, index)])
        elif span.start >= _end(runs[-1]):
            runs[-1].append((span, index))
        elif span.end > _end(runs[-1]):
            last, first = runs[-1][-1]
            runs[-1][-1] = Span(last.start, span.end), first
    return runs


def _end(run: Sequence[tuple[Span, int]]) -> int:
    return run[-1][0].end


def _followers(numbers: Sequence[int]) -> Iterable[tuple[int, int]]:
    """The first and the last of each row of numbers that follow each other."""
    starts = [n for n in numbers if n - 1 not in numbers]
    ends = [n for n in numbers if n + 1 not in numbers]
    return zip(starts, ends, strict=True)


def _left(text: str, span: Span, removed: Sequence[Span]) -> str:
    edges = [span.start, *(edge for each in removed for edge in (each.start, each.end)), span.end]
    return "".join(text[start:end] for start, end in list(pairwise(edges))[::2])


def _apart(edits: Iterable[Edit]) -> Iterable[Edit]:
    """The edits in order, none of which reaches into the one before."""
    at = 0
    for edit in sorted(edits, key=lambda each: each.span):
        if edit.span.end > at:
            span = Span(max(at, edit.span.start), edit.span.end)
            yield Edit(span, edit.replacement, edit.kind, edit.claim)
            at = edit.span.end


def _unpaired(text: str) -> str:
    """The marks of markdown and brackets whose other one is not in the text."""
    found = ""
    for mark in _MARKS:
        other = {"(": ")", "[": "]"}.get(mark, mark)
        if other == mark:
            found += mark if text.count(mark) % 2 else ""
        elif text.count(mark) != text.count(other):
            found += mark if text.count(mark) > text.count(other) else other
    return found


def _words(text: str, span: Span) -> Span:
    """The span without the blanks and commas at its ends, nor a bracket that begins before it."""
    words = span.of(text)
    if words.endswith(")") and _unpaired(words) == ")":
        words = words[:-1]
    start = span.start + len(words) - len(words.lstrip(_BLANKS + _COMMAS))
    return Span(start, span.start + len(words.rstrip(_BLANKS + _COMMAS)))


def _with_pairs(text: str, place: Span, own: Span) -> Span:
    """The span with the brackets and marks that stand for nothing without it."""
    start, end = place.start, place.end
    # A claim ends before the marks that close it.
    while own.start < start and text[start - 1] + text[end : end + 1] in _PAIRS:
        start, end = start - 1, end + 1
    return Span(start, end)


def _with_blanks(text: str, place: Span, own: Span) -> tuple[Span, str]:
    """A part of a sentence with the commas and blanks that stand for nothing without it."""
    start, end = place.start, place.end
    before = text[own.start : start].rstrip(_BLANKS)
    behind = text[end : own.end]
    if not before.strip(_OPENING):
        # The first word that is left begins the sentence.
        rest = behind.lstrip(_BLANKS + _COMMAS)
        first = len(behind) - len(rest)
        return Span(start, end + first + 1), rest[:1].upper()
    left = behind.lstrip(_BLANKS)
    if before[-1] in _COMMAS and (not left or left[0] in _COMMAS + _ENDS):
        before = before[:-1].rstrip(_BLANKS)
        if left[:1] and left[0] in _COMMAS and not _NEEDS_COMMA.match(left, 1):
            end += len(behind) - len(left) + 1
    elif left and left != behind and left[0] not in _COMMAS + _ENDS:
        return Span(start, end + len(behind) - len(left)), ""
    return Span(own.start + len(before), end), ""

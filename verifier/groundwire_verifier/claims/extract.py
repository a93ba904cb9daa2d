"""The one entry point: a text into its claims.

Composes blocks, protected regions, citations, sentences, speech acts, confidence and clauses.
Does not judge claims, and knows no sources beyond their ids.

A claim's span holds its own characters. Citations at its ends are outside of it, and so is a
full stop that stands behind a citation (`It returns 42 [S0].`); citations within it are inside
of it. Words that state a confidence about the rest (`I think that ...`) are outside as well.
A citation belongs to the sentence that it stands in or behind; in a paragraph that starts with
one and does not end with one, it belongs to the sentence that it stands before. The citations of
a paragraph that holds nothing else belong to the sentence before it.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice

from groundwire_verifier.claims.attach import attach, share
from groundwire_verifier.claims.clauses import Part, split_clauses
from groundwire_verifier.claims.confidence import Hit, decide, find_confidence
from groundwire_verifier.claims.frames import citation_frame, strip_frame
from groundwire_verifier.claims.markup.blocks import Block, Kind, find_blocks
from groundwire_verifier.claims.markup.canvas import Canvas
from groundwire_verifier.claims.markup.citations import CitationReader, TooManyIdsError
from groundwire_verifier.claims.markup.code import looks_like_code
from groundwire_verifier.claims.markup.sentences import find_sentences
from groundwire_verifier.claims.speech_acts import speech_act
from groundwire_verifier.claims.wording.english_verbs import is_finite
from groundwire_verifier.claims.wording.hebrew import PASTS, PREDICATES, PRONOUNS
from groundwire_verifier.claims.wording.languages import language_of
from groundwire_verifier.claims.wording.words import Sentence, read_words
from groundwire_verifier.domain.claims import Citation, Claim, ClaimOptions, NonAssertive, Span

DEFAULT_OPTIONS = ClaimOptions()
_PREDICATING_HE = PASTS | PREDICATES | PRONOUNS


def extract_claims(text: str, options: ClaimOptions = DEFAULT_OPTIONS) -> tuple[Claim, ...]:
    """Find the claims of a text, in order, with their citations and confidence.

    What asserts nothing (a question, an instruction, code) is a claim too, and says why.
    """
    return tuple(iterate_claims(text, options))


def iterate_claims(
    text: str, options: ClaimOptions = DEFAULT_OPTIONS, max_ids: int = sys.maxsize
) -> Iterator[Claim]:
    """The same, one at a time, for a caller who stops at a limit.

    Raises TooManyIdsError once the text's citations name more than `max_ids` ids, ranges written
    out, or once the claims so far do: a citation may belong to many of them.
    """
    ids_left = max_ids
    for claim in _claims(text, options, max_ids):
        for citation in claim.citations:
            ids_left -= len(citation.ids)
        if ids_left < 0:
            raise TooManyIdsError
        yield claim


def _claims(text: str, options: ClaimOptions, max_ids: int) -> Iterator[Claim]:
    reader = CitationReader(text, options.citations, max_ids)
    held: list[Claim] = []
    loose: list[tuple[Citation, ...]] = []
    for block in find_blocks(text):
        for group in _groups_of_block(text, block, reader, options):
            if isinstance(group, tuple):
                loose.append(group)
                continue
            yield from _with_loose(held, loose)
            held, loose = group, []
    yield from _with_loose(held, loose)


def first_claims(
    text: str, options: ClaimOptions, count: int, max_ids: int
) -> tuple[Claim, ...] | None:
    """The first `count` claims, for a caller who has it done elsewhere.

    None if they cite more than `max_ids` ids.
    """
    try:
        return tuple(islice(iterate_claims(text, options, max_ids), count))
    except TooManyIdsError:
        return None


def _with_loose(claims: list[Claim], loose: list[tuple[Citation, ...]]) -> list[Claim]:
    """The last sentence's claims with the citations of the blocks that hold nothing else.

    The sentence's last claim gets those of all such blocks, its others those of the first one.
    """
    if not (claims and loose):
        return claims
    last = claims[-1]
    if last.non_assertive in (NonAssertive.HEADING, NonAssertive.CODE):
        return claims
    given = [c if c.citations else replace(c, citations=loose[0]) for c in claims[:-1]]
    return [*given, replace(last, citations=(*last.citations, *chain.from_iterable(loose)))]


def _groups_of_block(
    text: str, block: Block, reader: CitationReader, options: ClaimOptions
) -> Iterator[list[Claim] | tuple[Citation, ...]]:
    """The claims of each sentence, or the citations of a block that holds no sentence."""
    inner = block.span.of(text)
    if block.kind is Kind.CODE or looks_like_code(inner.split("\n")):
        yield list(_code(text, block))
        return
    canvas = Canvas.of_block(text, block, reader)
    language = language_of(inner)
    if block.kind is Kind.REFERENCE and not _is_entry(canvas, language):
        block = replace(block, kind=Kind.PARAGRAPH)
    sentences = (
        [Span(0, len(canvas.masked))]
        if block.kind in (Kind.HEADING, Kind.ROW, Kind.REFERENCE)
        else find_sentences(canvas.masked, language)
    )
    pairs = []
    for sentence in sentences:
        place = Span(canvas.start + sentence.start, canvas.start + sentence.end)
        own = canvas.own(place)
        if own is not None:
            pairs.append((place, own))
    if not pairs and canvas.citations:
        yield canvas.citations
    for (place, own), citations in zip(pairs, attach(canvas.citations, pairs), strict=True):
        yield list(_Statement(canvas, block, place, own, citations, options).claims())


def _is_entry(canvas: Canvas, language: str) -> bool:
    """Whether a footnote or an entry of a list of sources asserts nothing, since it has no verb."""
    words = read_words(canvas.masked, Span(0, len(canvas.masked)))
    if language == "he":
        return _PREDICATING_HE.isdisjoint(words.lowers)
    return not any(is_finite(words, i) for i in range(len(words.words)))


def _code(text: str, block: Block) -> Iterator[Claim]:
    lines = block.span.of(text).split("\n")
    if block.kind is Kind.CODE:
        # The opening fence always stands there; the closing one may be missing.
        lines = lines[1:-1] if lines[-1].strip("`~ \t\r>") == "" else lines[1:]
    code = "\n".join(lines).strip()
    inner = block.span.of(text)
    start = block.span.start + len(inner) - len(inner.lstrip())
    if any(c.isalnum() for c in code):
        yield Claim(
            content=code,
            span=Span(start, start + len(inner.strip())),
            citations=(),
            confidence=None,
            non_assertive=NonAssertive.CODE,
            language="en",
        )


@dataclass(frozen=True, slots=True)
class _Statement:
    """One sentence on its way to its claims."""

    canvas: Canvas
    block: Block
    place: Span
    own: Span
    citations: list[Citation]
    options: ClaimOptions

    def claims(self) -> Iterator[Claim]:
        canvas, start = self.canvas, self.canvas.start
        content = canvas.content(Span(self.own.start, self.place.end))
        whole = Claim(
            content=content,
            span=self.own,
            citations=tuple(self.citations),
            confidence=None,
            non_assertive=None,
            language=language_of(content),
        )
        if self.block.kind is Kind.HEADING or self._is_bold_heading():
            yield replace(whole, non_assertive=NonAssertive.HEADING)
            return
        if canvas.is_code(self.own):
            yield replace(whole, non_assertive=NonAssertive.CODE)
            return
        within = Span(self.own.start - start, self.place.end - start)
        sentence = read_words(canvas.masked, within, start)
        hits = find_confidence(sentence)
        first, skip = strip_frame(sentence, hits)
        first = first or citation_frame(sentence, self.citations)
        statement = sentence.from_word(first)
        act = speech_act(statement, whole.language, cited=bool(self.citations))
        if act is None and self.block.kind is Kind.REFERENCE:
            act = NonAssertive.LEAD_IN
        if act is not None:
            yield replace(whole, non_assertive=act)
            return
        if content.endswith(":"):
            whole = replace(whole, content=content.rstrip(": ") + ".")
        if first or skip:
            whole = self._from(whole, statement.words[0].start + skip)
        splits = self.options.split_compounds and self.block.kind is not Kind.ROW
        parts = split_clauses(statement, whole.language) if splits else []
        if len(parts) < 2:
            yield self._with_confidence(whole, hits)
            return
        yield from self._parts(whole, statement, parts, hits, first)

    def _from(self, whole: Claim, start: int) -> Claim:
        """The claim without what stands before `start`."""
        span = self.canvas.widen(Span(start, start))
        span = Span(min(span.start, start), whole.span.end)
        content = self.canvas.content(Span(span.start, self.place.end))
        return replace(whole, span=span, content=_capitalised(content))

    def _parts(
        self,
        whole: Claim,
        statement: Sentence,
        parts: list[Part],
        hits: list[Hit],
        offset: int,
    ) -> Iterator[Claim]:
        spans = [self._span_of(statement, part) for part in parts]
        spans[0] = Span(whole.span.start, spans[0].end)
        spans[-1] = Span(spans[-1].start, whole.span.end)
        shared = share(self.citations, spans, whole.span)
        framing = [hit for hit in hits if hit.last <= offset]
        for part, span, citations in zip(parts, spans, shared, strict=True):
            own = [h for h in hits if offset + part.first <= h.first < offset + part.last]
            content = self._content_of(statement, part, span)
            claim = replace(whole, span=span, content=content, citations=tuple(citations))
            yield self._with_confidence(claim, own or framing)

    def _span_of(self, statement: Sentence, part: Part) -> Span:
        words = statement.words
        start = words[part.first].start
        if part.skip:
            start += part.skip
        else:
            start = self.canvas.widen(Span(start, start)).start
        final = words[part.last - 1]
        last = Span(final.start, final.end)
        end = self.canvas.widen(last).end
        return Span(start, max(end, last.end))

    def _content_of(self, statement: Sentence, part: Part, span: Span) -> str:
        content = self.canvas.content(span)
        if part.subject is not None:
            first, last = part.subject
            words = statement.words
            place = Span(words[first].start, words[last - 1].end)
            subject = self.canvas.content(self.canvas.widen(place))
            if words[last].gap.startswith("."):
                subject += "."
            content = f"{subject} {content}"
        end = "" if content.endswith((".", "!", "…")) else "."
        return _capitalised(content) + end

    def _with_confidence(self, claim: Claim, hits: list[Hit]) -> Claim:
        confidence = decide(hits)
        hedged = confidence is not None and confidence.value < self.options.min_assertion_confidence
        return replace(
            claim,
            confidence=confidence,
            non_assertive=NonAssertive.HEDGED if hedged else None,
        )

    def _is_bold_heading(self) -> bool:
        text = self.own.of(self.canvas.text)
        inner = text[2:-2]
        return (
            self.block.kind is Kind.PARAGRAPH
            and text.startswith("**")
            and text.endswith("**")
            and self.own.start == self.block.span.start
            and self.own.end == self.block.span.end
            and "**" not in inner
            and not inner.rstrip().endswith((".", "!", "?"))
        )


def _capitalised(content: str) -> str:
    word = content.split(maxsplit=1)[0].rstrip(",.").replace("'", "").replace("’", "")
    return content[0].upper() + content[1:] if word.isalpha() and word.islower() else content

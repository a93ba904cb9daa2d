"""How far a text that is still being written is complete, so that its claims can be judged.

A sentence is complete when the next one has begun, with a whole word, or when its paragraph or list
item has ended. None is inside of an open thought, bracket, emphasis, block of code or table: what
comes may still make something else of it.
"""

import re
from collections import Counter
from collections.abc import Sequence

from groundwire_verifier.domain.claims import ClaimOptions
from groundwire_verifier.text.claims.extract import SENTENCE_ENDS, sentence_places
from groundwire_verifier.text.claims.markup.blocks import Block, BlockKind, find_blocks
from groundwire_verifier.text.claims.markup.canvas import Canvas
from groundwire_verifier.text.claims.markup.citations import CitationReader, TooManyIdsError
from groundwire_verifier.text.claims.markup.html import as_markdown, open_table
from groundwire_verifier.text.claims.markup.left_out import find_left_out, open_thought
from groundwire_verifier.text.claims.wording.sentence import language_of

_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
_WORD = re.compile(r"\w\W|\w{12}")
"""The end of a word; some languages write without spaces."""

_PAIRED = re.compile(r"`+|\*\*|~~|[\[(【{“«\])】}”»]")
_OPENERS, _CLOSERS = "[(【{“«", "])】}”»"
_STAYS_OPEN = ":"
"""What a line ends with that says what the next one is."""


def complete_characters(text: str, options: ClaimOptions, max_ids: int) -> int:
    """How many characters of a text hold complete sentences only; 0 if none is.

    A text that cites more than `max_ids` ids is as complete as it gets: no claims come of it.
    """
    shown = as_markdown(find_left_out(text).without(text))
    shown = shown[: min(open_thought(text), open_table(text))]
    blocks = find_blocks(shown)
    if not blocks:
        return 0
    last = blocks[-1]
    if _has_ended(shown, last):
        return last.span.end
    try:
        start = _last_sentence(shown, last, options, max_ids)
    except TooManyIdsError:
        return len(text)
    return _end_before(blocks) if start is None else start


def _has_ended(text: str, block: Block) -> bool:
    """Whether a blank line, or the end of code, stands behind a block that needs nothing below."""
    behind = text[block.span.end :]
    if block.kind is BlockKind.CODE:
        return "\n" in behind
    if block.kind is BlockKind.ROW:
        return bool(_BLANK_LINE.search(behind))
    own = block.span.of(text).rstrip(" \t\r*_`\"”'’)")
    ends = own.endswith(SENTENCE_ENDS) and not own.endswith(_STAYS_OPEN)
    return ends and bool(_BLANK_LINE.search(behind))


def _end_before(blocks: Sequence[Block]) -> int:
    """Where the last block begins, or the table that it is a row of: behind the block before."""
    at = len(blocks) - 1
    while at > 0 and blocks[at].kind is BlockKind.ROW:
        header = blocks[at].header
        above = blocks[at - 1]
        if above.kind is not BlockKind.ROW and above.span != header:
            break
        at -= 1
    return blocks[at - 1].span.end if at > 0 else 0


def _last_sentence(text: str, block: Block, options: ClaimOptions, max_ids: int) -> int | None:
    """Where the last sentence of an open block starts, if another one stands before it."""
    if block.kind not in (BlockKind.PARAGRAPH, BlockKind.ITEM):
        return None
    reader = CitationReader(text, options.citations, max_ids)
    canvas = Canvas.of_block(text, block, reader, options.languages)
    language = language_of(block.span.of(text), options.languages)
    end = block.span.start + _opened_at(block.span.of(text))
    begun = [
        place.start
        for place, _ in sentence_places(canvas, block, language)
        if _WORD.search(text, place.start, end)
    ]
    return begun[-1] if len(begun) > 1 else None


def _opened_at(text: str) -> int:
    """Where the first mark stands that nothing closes yet; behind the text if there is none."""
    opened: list[tuple[str, int]] = []
    count: Counter[str] = Counter()
    for match in _PAIRED.finditer(text):
        mark = match.group()
        # A bracket is closed by one of any kind, as in `[0, 1)`; other marks by themselves.
        partners = tuple(_OPENERS) if mark in _CLOSERS else (mark,)
        if mark not in _OPENERS and any(count[each] for each in partners):
            last = ""
            while last not in partners:
                last, _ = opened.pop()
                count[last] -= 1
        elif mark not in _CLOSERS:
            opened.append((mark, match.start()))
            count[mark] += 1
    return opened[0][1] if opened else len(text)

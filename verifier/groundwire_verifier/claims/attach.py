"""Which sentence a citation belongs to.

Knows places only. A citation belongs to the sentence that it stands in or behind; in a block
that starts with one and does not end with one, to the sentence that it stands before.
"""

from collections.abc import Sequence

from groundwire_verifier.domain.claims import Citation, Span


def attach(
    citations: Sequence[Citation], sentences: Sequence[tuple[Span, Span]]
) -> list[list[Citation]]:
    """Give each sentence its citations.

    `sentences` are pairs: the place up to the next sentence, and the characters of its own.
    """
    given: list[list[Citation]] = [[] for _ in sentences]
    behind: list[list[Citation]] = [[] for _ in sentences]
    leads = False
    at = 0
    for citation in citations:
        while at + 1 < len(sentences) and sentences[at][0].end <= citation.span.start:
            at += 1
        if at >= len(sentences):
            break
        _, own = sentences[at]
        leads = leads or (at == 0 and citation.span.end <= own.start)
        (behind if citation.span.start >= own.end else given)[at].append(citation)
    shift = leads and len(sentences) > 1 and not behind[-1]
    for i, found in enumerate(behind):
        given[i + 1 if shift and i + 1 < len(given) else i] += found
    return [sorted(found, key=lambda c: c.span.start) for found in given]


def share(
    citations: Sequence[Citation], parts: Sequence[Span], sentence: Span
) -> list[list[Citation]]:
    """Give each part of a sentence its citations.

    What stands in or directly behind a part but the last one is that part's own; what stands
    before or behind the whole sentence is of all parts that have none of their own.
    """
    outer = [c for c in citations if not sentence.start <= c.span.start < sentence.end]
    inner = [c for c in citations if sentence.start <= c.span.start < sentence.end]
    bounds = [part.start for part in parts[1:]] + [sentence.end]
    own = []
    first = 0
    for bound in bounds:
        last = first
        while last < len(inner) and inner[last].span.start < bound:
            last += 1
        own.append(inner[first:last])
        first = last
    return [found or list(outer) for found in own]

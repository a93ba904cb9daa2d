"""Citations that are words of their sentence: `[S0] says the tower is tall.`, `the claim in [S0]`.

Knows which verbs tell what a source says, and what a noun has to follow. Without such a citation
the sentence would be none, so it stays in the content.
"""

import re
from collections.abc import Sequence

from groundwire_verifier.claims.markup.citation_places import runs_of
from groundwire_verifier.claims.wording.sentence import word_set
from groundwire_verifier.domain.claims import Citation, Span

SAYING = word_set(
    "says states reports notes shows confirms explains mentions indicates claims agree agrees say "
    "state report note show confirm explain mention indicate"
)
"""Verbs behind which a source's statement stands as a clause."""

_VERB = re.compile(
    r"\s++(?:both |all |also |each )?(?:"
    + "|".join(sorted(SAYING))
    + r"|suggests?|argues?|denies|deny|"
    r"describes?|contradicts?|disputes?|contains?|disagrees?|does|do|did|is|are|was|were|has|have|"
    r"cannot|can|lists?|gives?|provides?|supports?|refers?|covers?)\b"
)
_OBJECT_OF = re.compile(r"\b(?:in|to|of|from|by|per|on|with|and|see|like|than|for)\s{1,8}+$")
"""Words that are nothing without the noun behind them."""


def find_subjects(text: str, within: Span, citations: Sequence[Citation]) -> list[Citation]:
    """The citations that begin a sentence before a verb, or that a preposition leads to.

    A preposition counts only where the sentence goes on behind the citation: at its end, as in
    `what it is made of [S0].`, the preposition is the sentence's own.
    """
    if not citations:
        return []
    found: list[Citation] = []
    at = 0
    for run in runs_of(text, citations):
        members = at
        while at < len(citations) and citations[at].span.end <= run.end:
            at += 1
        before = text[max(within.start, run.start - 4) : run.start].rstrip()
        starts = not before or before.endswith((".", "!", "?"))
        subject = starts and _VERB.match(text, run.end, within.end)
        led = _OBJECT_OF.search(text, max(within.start, run.start - 8), run.start)
        if subject or (led and text[run.end : run.end + 1] == " "):
            found += citations[members:at]
    return found

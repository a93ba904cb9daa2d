"""The questions and instructions in evidence, which a text process finds once for each evidence.

What was found lately is kept: an evidence is asked about many times, and the way to the process and
back takes longer than a verdict that is known. It is kept under the cache salt of its caller, since
the time that it takes would tell others what was asked.
"""

from collections import OrderedDict

from groundwire_server.text_work.pool import TextTimeoutError, TextWorks
from groundwire_verifier.domain.evidence import Evidence, NonEvidence
from groundwire_verifier.domain.tasks import in_thread
from groundwire_verifier.text.claims.non_evidence import find_non_evidence
from groundwire_verifier.verdicts.options import evidence_took_too_long

MAX_CHARACTERS = 2_000_000
"""Of all evidence that is kept."""

RANGE_CHARACTERS = 100
"""What a range of an evidence or a mark counts for: it takes about as much memory."""

Marks = tuple[NonEvidence, ...]


class EvidenceMarks:
    """Marks evidence by `texts`, and keeps the marks of at most `max_characters` of it."""

    def __init__(self, texts: TextWorks, max_characters: int = MAX_CHARACTERS) -> None:
        self._texts = texts
        self._max_characters = max_characters
        self._characters = 0
        self._kept: OrderedDict[tuple[str, Evidence], Marks] = OrderedDict()

    async def of(self, evidence: Evidence, field: str, salt: str) -> Marks:
        """The questions and instructions in evidence that stands in `field`.

        Raises InvalidInputError if that takes too long.
        """
        key = (salt, evidence)
        known = self._kept.get(key)
        if known is not None:
            self._kept.move_to_end(key)
            return known
        try:
            found = await self._texts.for_text(evidence.context).run(
                find_non_evidence, evidence.passage_texts
            )
        except TextTimeoutError as error:
            raise evidence_took_too_long(field, error.limit_s) from None
        marks = await in_thread(evidence.non_evidence, found)
        self._keep(key, marks)
        return marks

    def _keep(self, key: tuple[str, Evidence], marks: Marks) -> None:
        # Another call may have been first.
        if key not in self._kept:
            self._kept[key] = marks
            self._characters += _characters(key[1], marks)
        while self._characters > self._max_characters:
            (_, evidence), dropped = self._kept.popitem(last=False)
            self._characters -= _characters(evidence, dropped)


def _characters(evidence: Evidence, marks: Marks) -> int:
    parts = len(evidence.ranges) + len(evidence.titles) + len(evidence.passages) + len(marks)
    return len(evidence.context) + RANGE_CHARACTERS * parts

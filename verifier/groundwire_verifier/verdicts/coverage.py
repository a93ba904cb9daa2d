"""How much of a text its claims cover, so that nothing of it is left out unseen."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.verdicts.types import AnswerClaim, Verdict

_FREE, _TAKEN = 1, 2
"""A letter or digit that belongs to nothing so far, and any character that does. 0: another one."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """The share of a text, in [0, 1], that was verified; and its lines that no claim touches."""

    verified_share: float
    unclaimed_lines: int


def coverage(text: str, claims: Sequence[AnswerClaim], left_out: Sequence[Span] = ()) -> Coverage:
    """What the claims of a text cover of it; what is `left_out` is no part of it.

    The share is that of verified claims' spans, and 0 for a text without letters and digits. A
    line counts as unclaimed if it holds one, but no part of a claim or of a citation.
    """
    marks = bytearray(map(str.isalnum, text))
    _take(marks, left_out)
    _take(marks, (citation.span for each in claims for citation in each.claim.citations))
    letters = marks.count(_FREE)
    # The verified ones first: where claims overlap, what one of them covers was read.
    _take(marks, (each.claim.span for each in claims if _is_verified(each)))
    left = marks.count(_FREE)
    _take(marks, (each.claim.span for each in claims if not _is_verified(each)))
    return Coverage((letters - left) / letters if letters else 0.0, _unclaimed_lines(text, marks))


def _is_verified(each: AnswerClaim) -> bool:
    return each.verdict is not None and each.verdict.verdict is not Verdict.NOT_VERIFIED


def _take(marks: bytearray, spans: Iterable[Span]) -> None:
    for span in spans:
        marks[span.start : span.end] = bytes([_TAKEN]) * (span.end - span.start)


def _unclaimed_lines(text: str, marks: bytearray) -> int:
    count = start = 0
    for line in text.split("\n"):
        end = start + len(line)
        count += marks.find(_FREE, start, end) >= 0 > marks.find(_TAKEN, start, end)
        start = end + 1
    return count

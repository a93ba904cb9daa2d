"""How much of a text its claims cover, and which of them to look at first."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.verdicts.types import AnswerClaim, ClaimVerdict, Reason, Verdict

_ASSERTS_NOTHING = (Reason.NON_ASSERTIVE, Reason.TOO_SHORT)
_FAULTS = (Verdict.CONTRADICTED, Verdict.MISCITED)


def review_order(claims: Sequence[AnswerClaim]) -> tuple[int, ...]:
    """The indexes of the claims that assert something, by how likely each is wrong.

    A claim that was read comes by 1 - p1; of equal ones first what is contradicted or miscited.
    Claims without a probability follow, in the order of the text. All verdicts stand in one order,
    since a claim that came out SUPPORTED may be likelier wrong than one that did not.
    """
    verdicts = [
        (i, claim.verdict)
        for i, claim in enumerate(claims)
        if claim.verdict is not None and claim.verdict.reason not in _ASSERTS_NOTHING
    ]
    return tuple(i for i, verdict in sorted(verdicts, key=lambda pair: _key(pair[1])))


def _key(verdict: ClaimVerdict) -> tuple[bool, float, bool]:
    p1 = None if verdict.posterior is None else verdict.posterior.probability
    return (p1 is None, p1 or 0.0, verdict.verdict not in _FAULTS)


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

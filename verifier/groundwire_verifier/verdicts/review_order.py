"""Which claims of an answer to look at first: those that are likeliest wrong.

Reads p1 and verdicts. All verdicts stand in one order, since a claim that came out SUPPORTED may be
likelier wrong than one that did not.
"""

from collections.abc import Sequence

from groundwire_verifier.verdicts.types import AnswerClaim, ClaimVerdict, Reason, Verdict

_ASSERTS_NOTHING = (Reason.NON_ASSERTIVE, Reason.TOO_SHORT)
_FAULTS = (Verdict.CONTRADICTED, Verdict.MISCITED)


def review_order(claims: Sequence[AnswerClaim]) -> tuple[int, ...]:
    """The indexes of the claims that assert something, by how likely each is wrong.

    A claim that was read comes by 1 - p1; of equal ones first what is contradicted or miscited.
    Claims without a probability follow, in the order of the text.
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

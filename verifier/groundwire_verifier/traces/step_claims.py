"""What the steps of a trace claim: done elsewhere, in a process that can be killed."""

from collections.abc import Sequence
from dataclasses import dataclass

from groundwire_verifier.claims.extract import extract_claims
from groundwire_verifier.domain.claims import Claim, NonAssertive
from groundwire_verifier.traces.plans import is_plan
from groundwire_verifier.traces.vagueness import is_vague


@dataclass(frozen=True, slots=True)
class StepClaims:
    """What one step claims, or why it claims nothing.

    `claims` assert something definite. Where there are none, `is_vague` says that some are too
    vague; else `non_assertive` is the kind of the step's first sentence, or `is_plan`; neither,
    where it has no words. `result` is what came back of a call of a tool, which claims nothing;
    None: the step is no call.
    """

    text: str
    claims: tuple[Claim, ...]
    non_assertive: NonAssertive | None = None
    is_plan: bool = False
    is_vague: bool = False
    result: str | None = None

    @property
    def premise(self) -> str:
        """What may be concluded from: the step, or what a tool returned; empty if nothing."""
        if self.result is None:
            return self.text.strip() if self.claims else ""
        return f"{self.text}: {self.result.strip()}" if self.result.strip() else ""


def claims_of_steps(
    steps: Sequence[str],
    include_non_assertive: bool,
) -> tuple[StepClaims, ...]:
    """What each step claims; on demand every sentence is a claim, whatever it does."""
    return tuple(_claims_of(step, include_non_assertive=include_non_assertive) for step in steps)


def _claims_of(step: str, *, include_non_assertive: bool) -> StepClaims:
    found = extract_claims(step)
    # Some of them count as talk about the answer or as instructions, too.
    plans = [
        claim.non_assertive is not NonAssertive.QUESTION and is_plan(claim.content)
        for claim in found
    ]
    asserted = [
        claim
        for claim, plan in zip(found, plans, strict=True)
        if include_non_assertive or not (plan or claim.non_assertive)
    ]
    claims = tuple(
        claim for claim in asserted if include_non_assertive or not is_vague(claim.content)
    )
    if claims or asserted or not found:
        return StepClaims(step, claims, is_vague=bool(asserted) and not claims)
    return StepClaims(step, (), None if plans[0] else found[0].non_assertive, is_plan=plans[0])

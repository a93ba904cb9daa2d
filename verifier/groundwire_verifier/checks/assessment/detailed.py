"""Layer 3: the claims of a response, verified with the tools' results as their evidence.

Each result is a source with an id. Where no tool gave anything, each claim is read with the
question and the other claims, and live data is found by the rule of layer 1.
"""

from collections.abc import Sequence
from dataclasses import replace

from groundwire_verifier.checks.answers import AnswerClaims, AnswerInput, choose_claims
from groundwire_verifier.checks.assessment.assessment import Finding, LayerReason, ReasonKind
from groundwire_verifier.checks.assessment.exchange import Exchange
from groundwire_verifier.checks.assessment.heuristics import heuristic_findings
from groundwire_verifier.checks.assessment.patterns import Patterns
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.claims import Claim
from groundwire_verifier.domain.evidence import Document, Evidence
from groundwire_verifier.verdicts.options import (
    MAX_TITLE_CHARACTERS,
    EvidenceInput,
    VerifyOptions,
)
from groundwire_verifier.verdicts.types import ClaimVerdict, Reason, Verdict

MAX_CLAIM_CHARACTERS = 120
"""Of a claim in a reason; the claim itself stands whole in the list of claims."""


def tool_evidence(exchange: Exchange) -> EvidenceInput:
    """What the tools gave, `call-1` and so on, with each call as its title. Failures are none."""
    return EvidenceInput(
        tuple(
            Document(f"call-{number}", call.result, _title(f"{call.name}({call.arguments})"))
            for number, call in enumerate(exchange.tool_calls, start=1)
            if not call.error and checks.has_visible_character(call.result)
        )
    )


def claims_to_verify(
    exchange: Exchange, evidence: EvidenceInput, options: VerifyOptions, found: Sequence[Claim]
) -> AnswerClaims:
    """The claims of a response, and those to verify. What they cite is not the tools' results."""
    answer = AnswerInput(exchange.response, evidence, exchange.question, options=options)
    chosen = choose_claims(answer, [source.id for source in evidence.sources], found)
    return replace(chosen, tasks=tuple(replace(task, cited_ids=()) for task in chosen.tasks))


def spoken_evidence(question: str, texts: Sequence[str], at: int) -> Evidence:
    """What the claim at `at` is read with where no tool gave anything: question, other claims."""
    others = "\n".join(text for text in texts if text != texts[at])
    spoken = {"question": question, "response": others}
    return EvidenceInput(
        tuple(
            Document(name, text)
            for name, text in spoken.items()
            if checks.has_visible_character(text)
        )
    ).build()


def states_live_data(
    exchange: Exchange, texts: Sequence[str], patterns: Patterns
) -> tuple[bool, ...]:
    """Whether each of these claims states live data that no tool gave, by the rule of layer 1."""
    responses = (replace(exchange, response=text) for text in texts)
    found = (heuristic_findings(each, patterns, is_suspected=True) for each in responses)
    return tuple(any(each.kind is ReasonKind.LIVE_DATA for each in findings) for findings in found)


def spoken_findings(
    verdicts: Sequence[ClaimVerdict], texts: Sequence[str], live: Sequence[bool]
) -> tuple[Finding, ...]:
    """A finding for each claim that the rest contradicts, that is live data, or that is unread."""
    found: list[Finding] = []
    for verdict, text, is_live in zip(verdicts, texts, live, strict=True):
        if verdict.verdict is Verdict.CONTRADICTED:
            found.append(Finding(ReasonKind.CLAIM_AGAINST_THE_REST, _shortened(text)))
        if is_live:
            found.append(Finding(ReasonKind.LIVE_DATA, _shortened(text)))
        if verdict.verdict is Verdict.NOT_VERIFIED:
            found.append(Finding(ReasonKind.CLAIM_UNREAD, _shortened(text)))
    return tuple(found)


def detailed_findings(
    verdicts: Sequence[ClaimVerdict], texts: Sequence[str]
) -> tuple[Finding, ...]:
    """A finding for each claim, whose text is given, that is not supported."""
    return tuple(
        Finding(_kind(verdict), _shortened(text))
        for verdict, text in zip(verdicts, texts, strict=True)
        if verdict.verdict is not Verdict.SUPPORTED
    )


def why_unread(verdicts: Sequence[ClaimVerdict]) -> LayerReason | None:
    """Why no claim could be read; None where one could."""
    if any(each.verdict is not Verdict.NOT_VERIFIED for each in verdicts):
        return None
    reasons = {each.reason for each in verdicts}
    if Reason.BACKEND_FAILED in reasons:
        return LayerReason.BACKEND_UNAVAILABLE
    if Reason.OUT_OF_TIME in reasons:
        return LayerReason.OUT_OF_TIME
    return LayerReason.TOO_LONG if reasons == {Reason.TOO_LONG} else LayerReason.NOT_ANSWERED


def _kind(verdict: ClaimVerdict) -> ReasonKind:
    if verdict.verdict is Verdict.CONTRADICTED:
        return ReasonKind.CLAIM_CONTRADICTED
    is_unread = verdict.verdict is Verdict.NOT_VERIFIED
    return ReasonKind.CLAIM_UNREAD if is_unread else ReasonKind.CLAIM_UNSUPPORTED


def _title(text: str) -> str:
    return text if len(text) <= MAX_TITLE_CHARACTERS else text[: MAX_TITLE_CHARACTERS - 1] + "…"


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_CLAIM_CHARACTERS else text[: MAX_CLAIM_CHARACTERS - 1] + "…"

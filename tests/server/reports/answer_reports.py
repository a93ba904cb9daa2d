"""Hand-made reports on answers, for tests of what is shown of them."""

from collections.abc import Sequence
from dataclasses import fields, replace

from groundwire import (
    AnswerClaim,
    AnswerReport,
    AnswerSummary,
    Budget,
    Citation,
    CitationRole,
    CitationStatus,
    ConfidenceSource,
    Document,
    Estimate,
    OtherSource,
    Policy,
    Role,
    Run,
    SharedUsage,
    Source,
    Span,
    Stance,
    Strictness,
    Thresholds,
    Timing,
    Verdict,
    VerdictReason,
    VerifiedClaim,
)
from groundwire_server.reports.content import CheckedAnswer

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</style><style>*{display:none}</style>",
    "{{ 7*7 }}{% raw %}",
    "</div></article><!--",
    "' onclick='alert(1)",
    "&lt;b&gt; &amp;",
)


def estimate(probability: float | None) -> Estimate:
    """A reading with this probability."""
    return Estimate(
        probability=probability,
        raw_probability=probability,
        calibrated=False,
        label_mass=0.97,
        yes_log_probability=-0.1,
        no_log_probability=-2.4,
        source=Source.MODEL,
        no_probability_reason=None,
    )


def verdict(
    kind: Verdict = Verdict.SUPPORTED,
    *,
    p1: float | None = None,
    p0: float | None = None,
    gap: float = -0.5,
    cited: Sequence[str] = (),
    unknown: Sequence[str] = (),
    reason: str = "the reason",
    warning: str = "",
) -> VerifiedClaim:
    """A claim by itself; without p1 and p0 it was not read."""
    is_read = p1 is not None and p0 is not None
    return VerifiedClaim(
        content="the claim",
        verdict=kind,
        reason=VerdictReason.BUDGET_COVERED,
        reason_text=reason,
        grounded=kind is Verdict.SUPPORTED,
        warning=warning,
        citation_status=CitationStatus.UNKNOWN if unknown else CitationStatus.KNOWN,
        cited_ids=tuple(cited),
        unknown_ids=tuple(unknown),
        posterior=estimate(p1) if is_read else None,
        prior=estimate(p0) if is_read else None,
        confidence=0.95,
        confidence_source=ConfidenceSource.REQUEST,
        budget=Budget(2.0, 2.0 - gap, gap, gap > 0, 1.4, 1.7, gap * 0.69) if is_read else None,
        grounding_score=0.7 if is_read else None,
        evidence_use=p1 - p0 if p1 is not None and p0 is not None else None,
        stance=Stance(0.1, 0.8, 0.1, 0.93) if kind is Verdict.CONTRADICTED else None,
        citation_roles=(),
        closed_book=None,
        cited_alone=None,
        prior_title_ids=(),
        unstated_values=(),
        derived_values=(),
        other_sources=(),
        read_passages=(),
        deciding_passages=(),
        unsupported_spans=(),
        conflicts=(),
        explained=False,
    )


def miscited() -> VerifiedClaim:
    """A claim that cites S0 and rests on S1."""
    return replace(
        verdict(Verdict.MISCITED, p1=0.9, p0=0.93, cited=["S0"], reason="S1 alone gives 0.95"),
        closed_book=estimate(0.02),
        cited_alone=estimate(0.03),
        other_sources=(OtherSource("S1", 0.95, True), OtherSource("S2", None, False)),
    )


def claim(
    answer: str, part: str, found: VerifiedClaim, *, content: str = "", language: str = "en"
) -> AnswerClaim:
    """The claim as one about the first place of this part in the answer."""
    start = answer.index(part)
    place = Span(start, start + len(part))
    citations = (Citation(place, found.cited_ids),) if found.cited_ids else ()
    told = {each.name: getattr(found, each.name) for each in fields(VerifiedClaim)}
    return AnswerClaim(
        **(told | {"content": content or part}),
        span=place,
        citations=citations,
        text_confidence=None,
        non_assertive_reason=None,
        language=language,
    )


def checked(
    answer: str,
    claims: Sequence[AnswerClaim] = (),
    *,
    sources: Sequence[Document] = (Document("S0", "The text.", "a.txt"),),
    question: str = "",
    language: str = "en",
    warning: str = "",
) -> CheckedAnswer:
    """An answer with a report on it; its summary counts the claims, none of which is skipped."""
    grounded = sum(each.grounded for each in claims)
    ratio = grounded / len(claims) if claims else 0.0
    summary = AnswerSummary(
        overall_grounded=ratio >= 0.7,
        grounded_claims=grounded,
        total_claims=len(claims),
        grounding_ratio=ratio,
        warning=warning,
        language=language,
        skipped_claims=0,
        unverified=(),
        verified_share=0.999,
        unclaimed_lines=0,
    )
    return CheckedAnswer(
        answer, question, tuple(sources), AnswerReport(tuple(claims), summary, run())
    )


def run() -> Run:
    """What was done."""
    return Run(
        policy=Policy.BUDGET,
        thresholds=Thresholds(0.95, 0.5, 0.1, 0.0, 0.5, 0.15, 0.7, 0.45, 0.7),
        strictness=Strictness.BALANCED,
        model="SmolLM2-135M",
        prompt_version="yes-no/1",
        backend="local",
        usage=SharedUsage(12, 4800, 1900, 1872, 16),
        timing=Timing(0.01, 1.42, 1.47),
    )


def roles() -> tuple[CitationRole, ...]:
    """One citation that carries its claim, and one that could not be read."""
    return (CitationRole("S0", Role.CARRIES, 0.62, 0.55), CitationRole("S1", None, None, None))

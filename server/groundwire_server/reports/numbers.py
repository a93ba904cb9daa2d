"""The numbers of verdicts and of runs as rows of a name and a value, for any report."""

from collections.abc import Iterator
from dataclasses import asdict

from groundwire import (
    AnswerClaim,
    AnswerSummary,
    CitationRole,
    DecidingPassage,
    PassageRelation,
    Run,
    VerifiedClaim,
)
from groundwire_server.reports.phrases import ReportWords

Row = tuple[str, str]


def summary_text(summary: AnswerSummary, words: ReportWords, warning: str = "") -> str:
    """What an answer comes to in numbers; the kinds of what was skipped are in its warning.

    Where the warning stands beside it and says the share that was verified, this does not.
    """
    # Rounded down, so that 100 % is all.
    share = words.verified_share.format(percent=int(summary.verified_share * 100))
    skipped, conflicting = summary.skipped_claims, summary.conflicting_claims
    counts = words.counts_skipping_one if skipped == 1 else words.counts_skipping
    disagree = words.conflicting_one if conflicting == 1 else words.conflicting
    return " ".join(
        (
            (counts if skipped else words.counts).format(
                grounded=summary.grounded_claims, total=summary.total_claims, skipped=skipped
            ),
            *(() if share in warning else (share,)),
            *((disagree.format(count=conflicting),) if conflicting else ()),
        )
    )


def probability(value: float | None) -> str:
    """A probability; a dash where there is none."""
    return "-" if value is None else f"{value:.3f}"


def gap_bits(claim: VerifiedClaim) -> str:
    """The gap with its sign; a dash where there is no budget."""
    return "-" if claim.gap_bits is None else _signed(claim.gap_bits)


def _signed(bits: float) -> str:
    return f"{round(bits, 2) + 0.0:+.2f}"  # + 0.0: no -0.00


def full_reason(claim: AnswerClaim, answer: str, words: ReportWords) -> str:
    """The reason of a verdict, and behind it the values that the evidence does not state, and what
    explains it."""
    values = (
        (words.unstated, unstated_of(claim)),
        (words.derived, derived_of(claim, words)),
        *explanation_rows(claim, answer, words),
    )
    return ". ".join((claim.reason_text, *(f"{name}: {text}" for name, text in values if text)))


def explanation_rows(claim: AnswerClaim, answer: str, words: ReportWords) -> tuple[Row, ...]:
    """What explains a verdict: the words that are not borne out, what decides, who disagrees."""
    wrong = [
        (each.span.of(answer), words.kinds[each.kind])
        for each in claim.unsupported_spans
        if each.kind is not None
    ]
    rows = [(words.not_borne_out, "; ".join(f"{text} ({kind})" for text, kind in wrong))]
    for passage in claim.deciding_passages:
        is_for = passage.relation is PassageRelation.SUPPORTS
        rows.append((words.carried_by if is_for else words.spoken_against, _quoted(passage)))
    for conflict in claim.conflicts:
        newer = f"; {words.newer.format(name=conflict.newer_id)}" if conflict.newer_id else ""
        rows.append((words.disagrees, f"{_quoted(conflict.passage)}{newer}"))
    return tuple((name, text) for name, text in rows if text)


def _quoted(passage: DecidingPassage) -> str:
    source = f"{passage.source_id}: " if passage.source_id else ""
    return f"{source}\u201c{passage.text}\u201d ({probability(passage.probability)})"


def unstated_of(claim: VerifiedClaim) -> str:
    """The values that the evidence does not state; empty if it states all."""
    return "; ".join(claim.unstated_values)


def derived_of(claim: VerifiedClaim, words: ReportWords) -> str:
    """The values that follow from stated ones, each with these; empty if none does."""
    return "; ".join(
        f"{each.value} ({words.operations[each.operation]}: {', '.join(each.operands)})"
        for each in claim.derived_values
    )


def claim_rows(claim: VerifiedClaim, words: ReportWords) -> tuple[Row, ...]:
    """Every number behind the verdict on a claim."""
    return tuple(_claim_rows(claim, words))


def run_rows(run: Run, words: ReportWords) -> tuple[Row, ...]:
    """How claims were verified: policy, model, tokens, time and thresholds."""
    names, usage, timing = words.labels, run.usage, run.timing
    tokens = names["tokens_value"].format(
        prompt=usage.prompt_tokens,
        prompts=usage.distinct_prompts,
        computed=usage.computed_tokens,
        minimal=usage.minimal_tokens,
    )
    rows = [
        (names["policy"], run.policy.value),
        (names["strictness"], "" if run.strictness is None else run.strictness.value),
        (names["model"], run.model),
        (names["backend"], run.backend),
        (names["calibration"], names["uncalibrated"] if run.uncalibrated else ""),
        (names["prompt"], run.prompt_version),
        (names["tokens"], tokens),
        (names["time"], names["seconds"].format(seconds=f"{timing.total_s:.2f}")),
    ]
    thresholds = asdict(run.thresholds).items()
    rows += [(name, f"{value:g}") for name, value in thresholds if value is not None]
    return tuple((name, value) for name, value in rows if value)


def _claim_rows(claim: VerifiedClaim, words: ReportWords) -> Iterator[Row]:
    names, budget, stance = words.labels, claim.budget, claim.stance
    for key, estimate in (("p1", claim.posterior), ("p0", claim.prior)):
        if estimate is not None:
            yield names[key], probability(estimate.probability)
            yield names[f"{key}_mass"], f"{estimate.label_mass:.3f}"
            if estimate.calibrated:
                yield names[f"{key}_raw"], probability(estimate.raw_probability)
    yield (
        names["confidence"],
        f"{claim.confidence:.2f} ({words.stated_by[claim.confidence_source]})",
    )
    if budget is not None:
        yield names["required"], f"{budget.required_bits:.2f}"
        yield names["observed"], f"{budget.observed_bits:.2f}"
        yield names["gap"], gap_bits(claim)
    if claim.evidence_use is not None:
        yield names["use"], f"{claim.evidence_use:+.3f}"
    if claim.grounding_score is not None:
        yield names["score"], f"{claim.grounding_score:.3f}"
    if stance is not None:
        yield names["stance"], f"{stance.yes:.3f} / {stance.no:.3f} / {stance.unsure:.3f}"
        yield names["stance_mass"], f"{stance.label_mass:.3f}"
    for role in claim.citation_roles:
        yield names["role"].format(name=role.id), _role(role, words)
    if claim.closed_book is not None:
        yield names["closed_book"], probability(claim.closed_book.probability)
    if claim.cited_alone is not None:
        yield names["cited_alone"], probability(claim.cited_alone.probability)
    for other in claim.other_sources:
        carries = f", {names['carries']}" if other.carries else ""
        yield names["other_source"].format(name=other.id), probability(other.probability) + carries


def _role(role: CitationRole, words: ReportWords) -> str:
    measured = [
        f"{words.labels[key]} {value:+.3f}"
        for key, value in (("drop", role.drop), ("alone", role.alone))
        if value is not None
    ]
    return ", ".join(["-" if role.role is None else words.roles[role.role], *measured])

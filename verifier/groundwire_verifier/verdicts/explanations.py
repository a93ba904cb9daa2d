"""Verdicts in words: their reasons with the numbers, and warnings for those who read answers.

The words of a language are a file beside this one: another language is another file.
"""

from collections.abc import Mapping, Sequence

from groundwire_verifier.domain.claims import NonAssertive
from groundwire_verifier.verdicts import english, hebrew
from groundwire_verifier.verdicts.policy import Decision, Observation, Policy, Thresholds
from groundwire_verifier.verdicts.types import UNREAD, AnswerSummary, OtherSource, Reason, Verdict
from groundwire_verifier.verdicts.verdict_words import FactReasons, Reasons, Warnings

FALLBACK_LANGUAGE = "en"

WARNINGS: Mapping[str, Warnings] = {"en": english.WARNINGS, "he": hebrew.WARNINGS}
REASONS: Mapping[str, Reasons] = {"en": english.REASONS, "he": hebrew.REASONS}
FACT_REASONS: Mapping[str, FactReasons] = {"en": english.FACT_REASONS, "he": hebrew.FACT_REASONS}

LANGUAGES = tuple(WARNINGS)
"""What a request may choose as the language of its warnings and reasons."""


def claim_warning(
    verdict: Verdict,
    reason: Reason,
    language: str,
    p1: float = 0.0,
    carried_by: Sequence[str] = (),
) -> str:
    """What the reader is told of a claim; empty if there is nothing to warn of.

    `p1` is that of an uncertain claim; `carried_by` are the ids of the sources that a miscited
    claim rests on.
    """
    words = warnings_in(language)
    if reason in (Reason.NON_ASSERTIVE, Reason.TOO_SHORT):
        return ""
    if reason in UNREAD:
        return words.not_checked
    if reason is Reason.UNKNOWN_CITATION:
        return words.unknown_citation
    return {
        Verdict.SUPPORTED: "",
        Verdict.UNCERTAIN: words.uncertain.format(p1=p1),
        Verdict.UNSUPPORTED: words.unsupported,
        Verdict.CONTRADICTED: words.contradicted,
        Verdict.MISCITED: f"{': '.join(filter(None, (words.miscited, ', '.join(carried_by))))}.",
        Verdict.PRIOR_KNOWLEDGE: words.prior_knowledge,
        Verdict.NOT_VERIFIED: words.not_verified,
    }[verdict]


def answer_warning(summary: AnswerSummary, min_grounded_ratio: float) -> str:
    """What the reader is told of an answer; empty if all of it was checked and is grounded, in a
    language that the model's card covers.

    Of one that abstains no more is told than that: nothing in it can be made up.
    """
    words = warnings_in(summary.language)
    if summary.abstained:
        return words.answer_abstains
    bad = summary.total_claims - summary.grounded_claims
    kinds = [
        words.unverified[each.non_assertive or each.reason].of(each.claims)
        for each in summary.unverified
        # What it says is missing was asked for.
        if each.non_assertive is not NonAssertive.ABSENCE
    ]
    if summary.unclaimed_lines:
        kinds.append(words.unclaimed_lines.of(summary.unclaimed_lines))
    parts = []
    if summary.thoughts and not (summary.total_claims or kinds):
        parts.append(words.answer_of_thoughts)
    elif not summary.total_claims:
        parts.append(words.answer_without_claims)
    if not summary.complete:
        parts.append(words.answer_unread)
    if bad:
        is_enough = 0.0 < summary.grounding_ratio >= min_grounded_ratio
        text = words.answer_partly_grounded if is_enough else words.answer_not_grounded
        parts.append(text.format(bad=_bad_text(words, bad, summary)))
    if kinds:
        parts.append(words.left_out.format(kinds=", ".join(kinds)))
        # Rounded down, so that 100 % is all.
        parts.append(words.verified_share.format(percent=int(summary.verified_share * 100)))
    if summary.language_covered is False:
        parts.append(words.language_not_covered.format(language=summary.text_language))
    return " ".join(parts)


def _bad_text(words: Warnings, bad: int, summary: AnswerSummary) -> str:
    """How many of the claims that count are not grounded, and how many more do not count."""
    total = summary.total_claims
    if bad > 1:
        text = words.many_bad.format(bad=bad, total=total)
    else:
        text = words.one_bad.format(total=total) if total > 1 else words.only_bad
    if uncertain := summary.uncertain_claims:
        text = f"{text} {words.of_which_uncertain.format(count=uncertain)}"
    skipped = summary.skipped_claims
    return f"{text}, {words.skipped.of(skipped)}" if skipped else text


def reason_text(
    observed: Observation,
    decision: Decision,
    policy: Policy,
    thresholds: Thresholds,
    others: Sequence[OtherSource] = (),
    *,
    language: str,
    unstated_code: Sequence[str] = (),
    cell_against: str = "",
) -> str:
    """The reason of a verdict that was read, with the probabilities that decided.

    The bits are no part of it: they stand in the verdict's numbers.
    """
    words = reasons_in(language)
    needed = max(observed.confidence, thresholds.min_posterior)
    # Two digits would hide which of two is the larger one.
    digits = 3 if observed.p1 < needed and f"{observed.p1:.2f}" == f"{needed:.2f}" else 2
    p1, p0 = f"{observed.p1:.{digits}f}", f"{observed.p0:.2f}"
    if policy is Policy.GROUNDING_SCORE:
        asked = words.needed_score.format(
            least=f"{thresholds.min_grounding_score:.2f}", score=f"{decision.score:.2f}"
        )
    else:
        with_gap = words.needed_with_gap if thresholds.max_gap_bits else words.needed
        asked = with_gap.format(needed=f"{needed:.{digits}f}", bits=f"{thresholds.max_gap_bits:g}")
    stance, closed_book = observed.stance, observed.closed_book
    p1_range, p0_range = (f"[{each.low:.2f}, {each.high:.2f}]" for each in observed.ranges)
    alone = ", ".join(
        words.alone.format(id=other.id, probability=f"{other.probability:.2f}")
        for other in others
        if other.carries and other.probability is not None
    )
    text = words.decided[decision.reason].format(
        read=words.read.format(p1=p1, p0=p0),
        p1=p1,
        p0=p0,
        not_p1=f"{1 - observed.p1:.2f}",
        not_p0=f"{1 - observed.p0:.2f}",
        p1_range=p1_range,
        p0_range=p0_range,
        asked=asked,
        stance=""
        if stance is None
        else words.stance.format(
            yes=f"{stance.yes:.2f}", no=f"{stance.no:.2f}", unsure=f"{stance.unsure:.2f}"
        ),
        closed_book=""
        if closed_book is None
        else words.closed_book.format(probability=f"{closed_book:.2f}"),
        code=", ".join(unstated_code),
        cell=cell_against,
        least_use=f"{thresholds.min_evidence_use:.2f}",
        carriers=words.carried_by.format(named=alone) if alone else words.carried_by_others,
        cited_alone=f"{observed.cited_alone or 0.0:.2f}",
        named=f": {alone}" if alone else "",
    )
    if decision.reason is Reason.INTERVAL_TOO_WIDE or decision.verdict is not Verdict.UNCERTAIN:
        return text
    return words.not_confirmed.format(why=text)


def unread_text(reason: Reason, detail: str, language: str) -> str:
    """The reason of a claim without a verdict on its evidence.

    `detail` is what it names: ids, a limit, a mass and its floor, or the value of a NonAssertive.
    """
    words = reasons_in(language)
    if reason is Reason.NON_ASSERTIVE:
        detail = words.kinds[NonAssertive(detail)]
    return words.unread[reason].format(detail=detail)


def warnings_in(language: str) -> Warnings:
    """The warnings in a language; in English for one that has none."""
    return WARNINGS.get(language, WARNINGS[FALLBACK_LANGUAGE])


def reasons_in(language: str) -> Reasons:
    """The words of reasons in a language; in English for one that has none."""
    return REASONS.get(language, REASONS[FALLBACK_LANGUAGE])


def fact_reasons_in(language: str) -> FactReasons:
    """The same for decisions on facts."""
    return FACT_REASONS.get(language, FACT_REASONS[FALLBACK_LANGUAGE])

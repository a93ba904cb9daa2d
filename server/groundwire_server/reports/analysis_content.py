"""What every report on an analysis says, as rows of plain text."""

from dataclasses import dataclass

from groundwire import (
    ClaimAnalysis,
    CorpusAnalysis,
    EvidenceVerdict,
    RelatedPassage,
    Relation,
    RelationDecidedBy,
)
from groundwire_server.reports.analysis_words import AnalysisWords
from groundwire_server.reports.content import one_line

Row = tuple[str, str]

SHOWN_CHARACTERS = 240
"""What is shown of a passage that has no sentence of its own."""
GRAVITY = (
    EvidenceVerdict.GROUNDED,
    EvidenceVerdict.NOT_VERIFIED,
    EvidenceVerdict.UNKNOWN,
    EvidenceVerdict.WEAK,
    EvidenceVerdict.HALLUCINATED,
)
"""The verdicts, from the most harmless to the gravest."""


@dataclass(frozen=True, slots=True)
class AnalyzedText:
    """A text with what a corpus has on it."""

    text: str
    analysis: CorpusAnalysis


def verdict_counts(analysis: CorpusAnalysis) -> dict[EvidenceVerdict, int]:
    """How many claims have each verdict. A verdict that no claim has is left out."""
    found = [each.verdict for each in analysis]
    return {verdict: found.count(verdict) for verdict in GRAVITY if verdict in found}


def number_rows(claim: ClaimAnalysis, words: AnalysisWords) -> list[Row]:
    """The numbers of a claim, one under another; empty where it was not verified."""
    rows: list[Row] = []
    if (numbers := claim.numbers) is not None:
        taken = ", ".join(
            f"{words.name(penalty)} {points:.2f}" for penalty, points in numbers.penalties
        )
        steps = words.steps.format(
            raw=f"{numbers.raw_confidence:.2f}",
            source=words.name(numbers.raw_source),
            calibrated=f"{numbers.calibrated_confidence:.2f}",
        )
        rows = [
            (words.risk, f"{numbers.risk:.0%}"),
            (words.confidence, f"{steps}; {words.penalties}: {taken}" if taken else steps),
            (
                words.strength,
                f"{numbers.evidence_strength:.2f} ({words.interval} {numbers.strength_low:.2f} .. "
                f"{numbers.strength_high:.2f})",
            ),
        ]
    if claim.contradictions:
        types = ", ".join(words.name(type_) for type_ in claim.contradictions)
        rows.append((words.contradiction, types))
    if (budget := claim.budget) is not None:
        rows.append((words.budget, f"{budget.verdict}: {one_line(budget.reason_text)}"))
    return rows


@dataclass(frozen=True)
class EvidenceLine:
    """A piece of evidence: its relation, in words too, what it says, and where and when."""

    relation: Relation
    mark: str
    quote: str
    document: str
    dated: str
    rest: str

    @property
    def text(self) -> str:
        """All of it but the mark, where text has no parts."""
        dated = f", {self.dated}" if self.dated else ""
        return f"{self.quote} {self.document}{dated}{self.rest}"


def evidence_lines(claim: ClaimAnalysis, words: AnalysisWords) -> list[EvidenceLine]:
    """A line for each piece of evidence."""
    return [_line(each, words) for each in claim.evidence]


def _line(each: RelatedPassage, words: AnalysisWords) -> EvidenceLine:
    by_rule = each.decided_by is RelationDecidedBy.RULE
    rule = f", {words.name(RelationDecidedBy.RULE)}" if by_rule else ""
    shown = one_line(each.sentence or each.text)
    if len(shown) > SHOWN_CHARACTERS:
        shown = f"{shown[:SHOWN_CHARACTERS]}…"
    told = f" ({one_line(each.dated_by)})" if each.dated_by else ""
    old = f" ({words.old})" if each.is_old else ""
    detail = f": {one_line(each.detail)}" if each.detail else ""
    return EvidenceLine(
        each.relation,
        f"{words.name(each.relation)}{rule}",
        f"“{shown}”",
        one_line(each.document),
        each.dated.isoformat() if each.dated else "",
        f"{told if each.dated else ''}{old}{detail}",
    )

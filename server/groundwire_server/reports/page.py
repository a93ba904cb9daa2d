"""Reports as pages that need nothing else; `pages` makes them."""

from dataclasses import dataclass, replace

from groundwire import AnswerClaim, AnswerReport, EvidenceVerdict, Relation, Verdict
from groundwire_server.reports.analysis_content import (
    AnalyzedText,
    evidence_lines,
    number_rows,
    verdict_counts,
)
from groundwire_server.reports.analysis_words import analysis_words
from groundwire_server.reports.content import (
    CheckedAnswer,
    counts,
    one_line,
    to_review,
    visible,
)
from groundwire_server.reports.correction import corrected_text
from groundwire_server.reports.marks import SourcePiece, cut, cut_source
from groundwire_server.reports.numbers import (
    Row,
    claim_rows,
    derived_of,
    explanation_rows,
    gap_bits,
    probability,
    run_rows,
    summary_text,
    unstated_of,
)
from groundwire_server.reports.pages import REPORTS, page, report_assets
from groundwire_server.reports.phrases import (
    ReportWords,
    outcome,
    source_legends,
    words_for,
)

_ICONS = {
    Verdict.SUPPORTED: "✓",
    Verdict.UNCERTAIN: "~",
    Verdict.UNSUPPORTED: "!",
    Verdict.CONTRADICTED: "✗",
    Verdict.MISCITED: "↪",
    Verdict.PRIOR_KNOWLEDGE: "≈",
    Verdict.NOT_VERIFIED: "?",
    Verdict.UNKNOWN: "?",
}
_ANALYSIS_STYLES = {
    EvidenceVerdict.GROUNDED: "supported",
    EvidenceVerdict.WEAK: "unsupported",
    EvidenceVerdict.HALLUCINATED: "contradicted",
    EvidenceVerdict.NOT_VERIFIED: "not-verified",
    EvidenceVerdict.UNKNOWN: "unknown",
    Relation.SUPPORTS: "supported",
    Relation.WEAK_SUPPORT: "unsupported",
    Relation.CONTRADICTS: "contradicted",
}
_ANALYSIS_ICONS = {
    EvidenceVerdict.GROUNDED: "✓",
    EvidenceVerdict.WEAK: "!",
    EvidenceVerdict.HALLUCINATED: "✗",
}
_CHART_WIDTH = 240
_CHART_MARGIN = 8
_SCALE = _CHART_WIDTH - 2 * _CHART_MARGIN


@dataclass(frozen=True, slots=True)
class Badge:
    """How a verdict looks: its class, its sign and its word."""

    style: str
    icon: str
    word: str


@dataclass(frozen=True, slots=True)
class _Cited:
    """A source as a claim cites it."""

    id: str
    place: int | None
    title: str


@dataclass(frozen=True, slots=True)
class _Chart:
    """Where the probabilities lie on the line, in pixels; None: there is none."""

    p0: float | None
    p1: float | None
    confidence: float | None


@dataclass(frozen=True, slots=True)
class _Claim:
    number: int
    badge: Badge
    content: str
    language: str
    reason: str
    unstated: str
    derived: str
    explanation: tuple[Row, ...]
    warning: str
    cited: tuple[_Cited, ...]
    p1: str
    p0: str
    gap: str
    was_read: bool
    chart: _Chart | None
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class _Source:
    place: int
    id: str
    title: str
    pieces: tuple[SourcePiece, ...]
    cited_by: tuple[_Claim, ...]


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    claims: tuple[_Claim, ...]
    ended: tuple[_Claim, ...]
    is_wrong: bool


def html_report(checked: CheckedAnswer) -> str:
    """The page, in the language of the answer if there are words for it."""
    report = checked.report
    words = words_for(report.summary.language)
    places = {source.id: place for place, source in enumerate(checked.sources, 1)}
    titles = {source.id: one_line(source.title) for source in checked.sources}
    claims = tuple(
        _claim(number, each, checked.answer, words, places=places, titles=titles)
        for number, each in enumerate(report.claims, 1)
    )
    style, script = report_assets()
    return page(
        REPORTS,
        "page.html",
        style,
        script,
        language=words.language,
        direction=words.direction,
        title=words.title,
        words=words,
        summary=report.summary,
        outcome=_outcome(report, words),
        numbers=summary_text(report.summary, words, report.summary.warning),
        question=visible(checked.question),
        claims=claims,
        pieces=_pieces(checked, claims),
        sources=_sources(checked, claims),
        counts=[(badge(verdict, words), count) for verdict, count in counts(report).items()],
        review=[claims[i] for i in to_review(report)],
        corrected=corrected_text(checked, words),
        legends=source_legends(report, words),
        run=run_rows(report.run, words),
        chart_width=_CHART_WIDTH,
        chart_margin=_CHART_MARGIN,
    )


def badge(verdict: Verdict, words: ReportWords) -> Badge:
    """How a verdict looks in one language."""
    style = verdict.value.lower().replace("_", "-")
    return Badge(style, _ICONS[verdict], words.verdicts[verdict])


def _outcome(report: AnswerReport, words: ReportWords) -> Badge:
    head = outcome(report, words)
    return replace(badge(head.verdict, words), word=head.text)


def _claim(
    number: int,
    claim: AnswerClaim,
    answer: str,
    words: ReportWords,
    *,
    places: dict[str, int],
    titles: dict[str, str],
) -> _Claim:
    was_read = claim.posterior is not None or claim.prior is not None
    return _Claim(
        number=number,
        badge=badge(claim.verdict, words),
        content=visible(claim.content),
        language=claim.language,
        reason=visible(claim.reason_text),
        unstated=visible(unstated_of(claim)),
        derived=visible(derived_of(claim, words)),
        explanation=tuple(
            (name, visible(text)) for name, text in explanation_rows(claim, answer, words)
        ),
        warning=visible(claim.warning),
        cited=tuple(_Cited(visible(i), places.get(i), titles.get(i, "")) for i in claim.cited_ids),
        p1=probability(claim.p1),
        p0=probability(claim.p0),
        gap=gap_bits(claim),
        was_read=was_read,
        chart=_Chart(_x(claim.p0), _x(claim.p1), _x(claim.confidence)) if was_read else None,
        rows=tuple((name, visible(value)) for name, value in claim_rows(claim, words)),
    )


def _x(value: float | None) -> float | None:
    return None if value is None else round(_CHART_MARGIN + value * _SCALE, 1)


def _pieces(checked: CheckedAnswer, claims: tuple[_Claim, ...]) -> tuple[_Piece, ...]:
    return tuple(
        _Piece(
            piece.text,
            tuple(claims[i] for i in piece.claims),
            tuple(claims[i] for i in piece.ended),
            piece.is_wrong,
        )
        for piece in cut(visible(checked.answer), checked.report.claims)
    )


def _sources(checked: CheckedAnswer, claims: tuple[_Claim, ...]) -> tuple[_Source, ...]:
    return tuple(
        _Source(
            place=place,
            id=visible(source.id),
            title=one_line(source.title),
            pieces=cut_source(source, checked.report.run.non_evidence, checked.report.claims),
            cited_by=tuple(
                claim for claim in claims if any(cited.place == place for cited in claim.cited)
            ),
        )
        for place, source in enumerate(checked.sources, 1)
    )


def analysis_page(analyzed: AnalyzedText) -> str:
    """The page of an analysis, in the language of the text if there are words for it."""
    analysis = analyzed.analysis
    words = analysis_words(analysis.language)
    claims = [
        {
            "number": number,
            "style": _ANALYSIS_STYLES[claim.verdict],
            "icon": _ANALYSIS_ICONS.get(claim.verdict, "?"),
            "word": words.name(claim.verdict),
            "content": visible(claim.claim.content),
            "language": claim.claim.language,
            "reason": visible(claim.reason_text),
            "is_uncertain": claim.is_uncertain,
            "rows": number_rows(claim, words),
            "evidence": [
                (_ANALYSIS_STYLES.get(line.relation, "not-verified"), line)
                for line in evidence_lines(claim, words)
            ],
            "was_read": claim.numbers is not None,
            "explanation": visible(claim.explanation),
        }
        for number, claim in enumerate(analysis, 1)
    ]
    return page(
        REPORTS,
        "analysis.html",
        report_assets()[0],
        language=words.language,
        direction=words.direction,
        title=words.title,
        words=words,
        notice=analysis.notice,
        corpus=visible(analysis.corpus),
        text=visible(analyzed.text),
        claims=claims,
        counts=[
            (_ANALYSIS_STYLES[verdict], words.name(verdict), count)
            for verdict, count in verdict_counts(analysis).items()
        ],
    )

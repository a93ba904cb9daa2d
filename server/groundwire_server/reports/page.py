"""A report as one page that needs nothing else: no request, no font, no script from elsewhere.

The style and the script hold no data and are the only ones that the page's own policy lets run, by
their hashes. Positions and numbers are all that the script knows of claims.
"""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from groundwire import AnswerClaim, AnswerReport, Verdict
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
from groundwire_server.reports.phrases import (
    Words,
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
    return _template().render(
        words=words,
        summary=report.summary,
        outcome=_outcome(report, words),
        numbers=summary_text(report.summary, words),
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
        style=Markup(style),  # noqa: S704 - files of the package, without data
        script=Markup(script),  # noqa: S704
        policy=page_policy([style], [script]),
    )


@cache
def _template() -> Template:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(_asset("page.html"))


@cache
def _asset(name: str) -> str:
    return resources.files("groundwire_server.reports").joinpath(name).read_text(encoding="utf-8")


def report_assets() -> tuple[str, str]:
    """The style and the script of every report, which hold no data."""
    return _asset("page.css"), _asset("page.js")


def page_policy(styles: Sequence[str], scripts: Sequence[str] = (), *more: str) -> str:
    """What a page may load: these styles and scripts, by their hashes, and nothing else.

    `more` are directives for what else it may do.
    """
    return "; ".join(
        [
            "default-src 'none'",
            f"style-src {_hashes(styles)}",
            f"script-src {_hashes(scripts)}",
            "base-uri 'none'",
            "form-action 'none'",
            *more,
        ]
    )


def _hashes(texts: Sequence[str]) -> str:
    digests = (hashlib.sha256(text.encode()).digest() for text in texts)
    return " ".join(f"'sha256-{base64.b64encode(each).decode()}'" for each in digests) or "'none'"


def badge(verdict: Verdict, words: Words) -> Badge:
    """How a verdict looks in one language."""
    style = verdict.value.lower().replace("_", "-")
    return Badge(style, _ICONS[verdict], words.verdicts[verdict])


def _outcome(report: AnswerReport, words: Words) -> Badge:
    head = outcome(report, words)
    return replace(badge(head.verdict, words), word=head.text)


def _claim(
    number: int,
    claim: AnswerClaim,
    answer: str,
    words: Words,
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
        derived=visible(derived_of(claim)),
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

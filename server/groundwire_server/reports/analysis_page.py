"""An analysis as one page that needs nothing else: no request, no font, no script.

The style is that of the reports on answers, and the page's own policy lets nothing else in.
"""

from functools import cache
from importlib import resources

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from groundwire import EvidenceVerdict, Relation
from groundwire_server.reports.analysis_content import (
    AnalyzedText,
    evidence_lines,
    number_rows,
    verdict_counts,
)
from groundwire_server.reports.analysis_words import analysis_words
from groundwire_server.reports.content import visible
from groundwire_server.reports.page import page_policy

_STYLES = {
    EvidenceVerdict.GROUNDED: "supported",
    EvidenceVerdict.WEAK: "unsupported",
    EvidenceVerdict.HALLUCINATED: "contradicted",
    EvidenceVerdict.NOT_VERIFIED: "not-verified",
    EvidenceVerdict.UNKNOWN: "unknown",
    Relation.SUPPORTS: "supported",
    Relation.WEAK_SUPPORT: "unsupported",
    Relation.CONTRADICTS: "contradicted",
}
_ICONS = {
    EvidenceVerdict.GROUNDED: "✓",
    EvidenceVerdict.WEAK: "!",
    EvidenceVerdict.HALLUCINATED: "✗",
}


def analysis_page(analyzed: AnalyzedText) -> str:
    """The page, in the language of the text if there are words for it."""
    analysis = analyzed.analysis
    words = analysis_words(analysis.language)
    style = _asset("groundwire_server.reports", "page.css")
    claims = [
        {
            "number": number,
            "style": _STYLES[claim.verdict],
            "icon": _ICONS.get(claim.verdict, "?"),
            "word": words.name(claim.verdict),
            "content": visible(claim.claim.content),
            "language": claim.claim.language,
            "reason": visible(claim.reason_text),
            "is_uncertain": claim.is_uncertain,
            "rows": number_rows(claim, words),
            "evidence": [
                (_STYLES.get(line.relation, "not-verified"), line)
                for line in evidence_lines(claim, words)
            ],
            "was_read": claim.numbers is not None,
            "explanation": visible(claim.explanation),
        }
        for number, claim in enumerate(analysis, 1)
    ]
    return _template().render(
        words=words,
        notice=analysis.notice,
        corpus=visible(analysis.corpus),
        text=visible(analyzed.text),
        claims=claims,
        counts=[
            (_STYLES[verdict], words.name(verdict), count)
            for verdict, count in verdict_counts(analysis).items()
        ],
        style=Markup(style),  # noqa: S704 - a file of the package, without data
        policy=page_policy([style]),
    )


@cache
def _template() -> Template:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(_asset("groundwire_server.reports", "analysis.html"))


@cache
def _asset(package: str, name: str) -> str:
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")

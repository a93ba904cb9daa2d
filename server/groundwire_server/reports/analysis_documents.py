"""An analysis as JSON, for programs, and as Markdown, for a ticket.

In Markdown no text of others is read as Markdown or as HTML.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict

from groundwire import ClaimAnalysis
from groundwire_server.reports.analysis_content import (
    AnalyzedText,
    evidence_lines,
    number_rows,
    verdict_counts,
)
from groundwire_server.reports.analysis_words import AnalysisWords, analysis_words
from groundwire_server.reports.content import one_line
from groundwire_server.reports.markdown import escaped


def analysis_json(analyzed: AnalyzedText) -> str:
    """Everything, under the names of the client's types. Spans are characters of "text"."""
    value = {"text": analyzed.text, **asdict(analyzed.analysis)}
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


def analysis_markdown(analyzed: AnalyzedText) -> str:
    """One Markdown document, in the text's language where there are words for it."""
    words = analysis_words(analyzed.analysis.language)
    parts = list(_parts(analyzed, words))
    if words.direction == "rtl":
        parts = ['<div dir="rtl">', *parts, "</div>"]
    return "\n\n".join(parts) + "\n"


def _parts(analyzed: AnalyzedText, words: AnalysisWords) -> Iterator[str]:
    analysis = analyzed.analysis
    yield f"# {words.title}"
    yield f"> **{escaped(one_line(analysis.notice))}**"
    counts = (f"{n} {words.name(verdict)}" for verdict, n in verdict_counts(analysis).items())
    yield f"{words.corpus} {escaped(one_line(analysis.corpus))}: {escaped(', '.join(counts))}"
    for number, claim in enumerate(analysis, 1):
        yield f"## {number}\\. {escaped(one_line(claim.claim.content))}"
        yield "\n".join(_lines(claim, words))


def _lines(claim: ClaimAnalysis, words: AnalysisWords) -> Iterator[str]:
    yield f"- {words.verdict}: **{escaped(words.name(claim.verdict))}**"
    for name, value in number_rows(claim, words):
        yield f"- {escaped(name)}: {escaped(value)}"
    yield f"- {escaped(one_line(claim.reason_text))}"
    if claim.is_uncertain:
        yield f"- **{escaped(words.uncertain)}**"
    for line in evidence_lines(claim, words):
        yield f"  - **{escaped(f'[{line.mark}]')}** {escaped(line.text)}"
    if claim.explanation:
        yield f"- {words.explanation}: {escaped(one_line(claim.explanation))}"

"""Reports in Markdown, for a ticket or a pull request.

No text of others is read as Markdown or as HTML: every character that could mean something is
escaped.
"""

import re
from collections.abc import Iterable, Iterator

from groundwire import AnswerClaim, ClaimAnalysis, Document, Run
from groundwire_server.reports.analysis_content import (
    AnalyzedText,
    evidence_lines,
    number_rows,
    verdict_counts,
)
from groundwire_server.reports.analysis_words import AnalysisWords, analysis_words
from groundwire_server.reports.content import CheckedAnswer, one_line, to_review, visible
from groundwire_server.reports.correction import corrected_text
from groundwire_server.reports.marks import cut, cut_source
from groundwire_server.reports.numbers import (
    full_reason,
    gap_bits,
    probability,
    run_rows,
    summary_text,
)
from groundwire_server.reports.phrases import (
    ReportWords,
    non_evidence_legend,
    outcome,
    words_for,
)

_WORD_JOINER = "\u2060"
_SPECIAL = re.compile(r"([!-/:-@\[-`{-~])")
_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)


def markdown_report(checked: CheckedAnswer) -> str:
    """The report as one Markdown document, in the answer's language where it has words for it."""
    summary = checked.report.summary
    words = words_for(summary.language)
    return _document(_parts(checked, words), words.direction)


def _document(parts: Iterable[str], direction: str) -> str:
    text = "\n\n".join(parts)
    return f'<div dir="rtl">\n\n{text}\n\n</div>\n' if direction == "rtl" else f"{text}\n"


def _parts(checked: CheckedAnswer, words: ReportWords) -> Iterator[str]:
    report, summary = checked.report, checked.report.summary
    yield f"# {words.title}: {outcome(report, words).text}"
    yield summary_text(summary, words, summary.warning)
    if summary.warning:
        yield f"> **{escaped(one_line(summary.warning))}**"
    if order := to_review(report):
        named = (f"{i + 1} **{words.verdicts[report.claims[i].verdict]}**" for i in order)
        yield f"{words.review}: {', '.join(named)}"
    if checked.question:
        yield f"## {words.question}"
        yield _block(escaped(visible(checked.question)))
    yield f"## {words.answer}"
    yield _block(_answer(checked, words))
    if (corrected := corrected_text(checked, words)) is not None:
        yield f"## {words.corrected}"
        if corrected.text:
            yield _block(escaped(corrected.text))
        yield from corrected.notes
        if corrected.edits:
            yield "\n".join(f"- {escaped(each)}" for each in corrected.edits)
    if report.claims:
        yield f"## {words.claims}"
        yield _table(checked, words)
    yield f"## {words.sources}"
    yield "\n".join(line for source in checked.sources for line in _source(source, report.run))
    if legend := non_evidence_legend(report.run, words):
        yield legend
    yield f"## {words.run}"
    rows = run_rows(report.run, words)
    yield "\n".join(f"- {escaped(name)}: {escaped(one_line(value))}" for name, value in rows)


def _source(source: Document, run: Run) -> Iterator[str]:
    yield f"- **{escaped(source.id)}** {escaped(one_line(source.title))}".rstrip()
    for piece in cut_source(source, run.non_evidence):
        if not piece.is_evidence:
            yield f"  - ~~{escaped(one_line(piece.text))}~~"


def _answer(checked: CheckedAnswer, words: ReportWords) -> str:
    claims = checked.report.claims
    parts: list[str] = []
    for piece in cut(visible(checked.answer), claims):
        text = escaped(piece.text)
        parts.append(f"<ins>{text}</ins>" if piece.is_wrong else text)
        parts += [
            f" **\\({index + 1} {words.verdicts[claims[index].verdict]}\\)**"
            for index in piece.ended
        ]
    return "".join(parts)


def _table(checked: CheckedAnswer, words: ReportWords) -> str:
    head = ["", words.claim, words.cites, "p1", "p0", words.labels["gap"], words.reason]
    rows = [head, ["---"] * len(head)]
    rows += [
        _row(i, claim, checked.answer, words) for i, claim in enumerate(checked.report.claims, 1)
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _row(number: int, claim: AnswerClaim, answer: str, words: ReportWords) -> list[str]:
    return [
        f"{number} **{words.verdicts[claim.verdict]}**",
        escaped(one_line(claim.content)),
        escaped(", ".join(claim.cited_ids)),
        probability(claim.p1),
        probability(claim.p0),
        gap_bits(claim),
        escaped(one_line(full_reason(claim, answer, words))),
    ]


def _block(text: str) -> str:
    """A quotation whose lines stay apart, and whose indents make no code of them."""
    lines = _INDENT.sub(lambda match: "&nbsp;" * len(match[0].expandtabs(4)), text).split("\n")
    # A backslash breaks a line, but stands for itself at the end of a paragraph.
    breaks = [bool(line and after) for line, after in zip(lines, [*lines[1:], ""], strict=True)]
    return "\n".join(
        f"> {line}\\" if is_broken else f"> {line}".rstrip()
        for line, is_broken in zip(lines, breaks, strict=True)
    )


def escaped(text: str) -> str:
    """The text with every character escaped that could mean something.

    Forges make links of names and mail addresses whether or not their @ is escaped, so that an
    invisible character stands behind it.
    """
    return _SPECIAL.sub(r"\\\1", text).replace("@", f"@{_WORD_JOINER}")


def analysis_markdown(analyzed: AnalyzedText) -> str:
    """One Markdown document, in the text's language where there are words for it."""
    words = analysis_words(analyzed.analysis.language)
    return _document(_analysis_parts(analyzed, words), words.direction)


def _analysis_parts(analyzed: AnalyzedText, words: AnalysisWords) -> Iterator[str]:
    analysis = analyzed.analysis
    yield f"# {words.title}"
    yield f"> **{escaped(one_line(analysis.notice))}**"
    counts = (f"{n} {words.name(verdict)}" for verdict, n in verdict_counts(analysis).items())
    yield f"{words.corpus} {escaped(one_line(analysis.corpus))}: {escaped(', '.join(counts))}"
    for number, claim in enumerate(analysis, 1):
        yield f"## {number}\\. {escaped(one_line(claim.claim.content))}"
        yield "\n".join(_analysis_lines(claim, words))


def _analysis_lines(claim: ClaimAnalysis, words: AnalysisWords) -> Iterator[str]:
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

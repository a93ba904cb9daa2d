"""Reports for a terminal: an answer with its claims marked, an analysis as cards, an assessment.

Every verdict is a word as well as a colour. An answer's claims are a table; where the columns have
no room, each claim is a few lines instead of a row.
"""

from rich.console import Console, Group
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from groundwire import (
    AnswerClaim,
    ClaimAnalysis,
    EvidenceVerdict,
    LayerReport,
    Relation,
    ResponseAssessment,
    SuggestedAction,
    Verdict,
)
from groundwire_server.reports.analysis_content import (
    AnalyzedText,
    evidence_lines,
    number_rows,
    verdict_counts,
)
from groundwire_server.reports.analysis_words import AnalysisWords, analysis_words
from groundwire_server.reports.content import (
    CheckedAnswer,
    counts,
    one_line,
    to_review,
    visible,
)
from groundwire_server.reports.correction import corrected_text
from groundwire_server.reports.marks import cut, cut_source
from groundwire_server.reports.numbers import full_reason, gap_bits, probability, summary_text
from groundwire_server.reports.phrases import (
    ReportWords,
    non_evidence_legend,
    outcome,
    words_for,
)

TABLE_COLUMNS = 100
"""The narrowest terminal that gets a table."""

_STYLES = {
    Verdict.SUPPORTED: "green",
    Verdict.UNCERTAIN: "bright_black",
    Verdict.UNSUPPORTED: "yellow",
    Verdict.CONTRADICTED: "bold red",
    Verdict.MISCITED: "cyan",
    Verdict.PRIOR_KNOWLEDGE: "blue",
    Verdict.NOT_VERIFIED: "magenta",
    Verdict.UNKNOWN: "magenta",
}


MAX_COLUMNS = 100
"""The widest card."""

_EVIDENCE_STYLES = {
    EvidenceVerdict.GROUNDED: "green",
    EvidenceVerdict.WEAK: "yellow",
    EvidenceVerdict.HALLUCINATED: "bold red",
    EvidenceVerdict.NOT_VERIFIED: "magenta",
    EvidenceVerdict.UNKNOWN: "magenta",
}
_RELATION_STYLES = {
    Relation.SUPPORTS: "green",
    Relation.WEAK_SUPPORT: "yellow",
    Relation.CONTRADICTS: "bold red",
}
_ACTION_STYLES = {
    SuggestedAction.NONE: "green",
    SuggestedAction.VERIFY: "yellow",
    SuggestedAction.WARN: "bold yellow",
    SuggestedAction.BLOCK: "bold red",
    SuggestedAction.UNKNOWN: "magenta",
}


def print_report(checked: CheckedAnswer, console: Console) -> None:
    """Print the report: a table where it fits, else some lines for each claim."""
    summary = checked.report.summary
    words = words_for(summary.language)
    console.print(_answer(checked, words))
    console.print()
    if checked.report.claims:
        if console.width >= TABLE_COLUMNS:
            console.print(_table(checked, words))
        else:
            _print_claims(checked, words, console)
        console.print()
    for source in checked.sources:
        console.print(Text.assemble((source.id, "bold"), " ", one_line(source.title)))
        for piece in cut_source(source, checked.report.run.non_evidence):
            if not piece.is_evidence:
                # The sign is for terminals without styles.
                line = Text.assemble(("~ ", "dim"), (one_line(piece.text), "dim strike"))
                console.print(Padding(line, (0, 0, 0, 2), expand=False))
    if legend := non_evidence_legend(checked.report.run, words):
        console.print(Text(f"~ {legend}", style="dim"))
    console.print(_outcome(checked, words))
    if checked.report.summary.review_order:
        console.print(_review(checked, words))
    if summary.warning:
        console.print(Text(one_line(summary.warning), style="bold"))
    _print_correction(checked, words, console)


def _print_correction(checked: CheckedAnswer, words: ReportWords, console: Console) -> None:
    corrected = corrected_text(checked, words)
    if corrected is None:
        return
    console.print()
    console.print(Text(words.corrected, style="bold"))
    if corrected.text:
        console.print(Text(corrected.text))
    for line in (*corrected.notes, *corrected.edits):
        console.print(Padding(Text(line), (0, 0, 0, 2), expand=False))


def _answer(checked: CheckedAnswer, words: ReportWords) -> Text:
    claims = checked.report.claims
    text = Text()
    for piece in cut(visible(checked.answer), claims):
        style = _STYLES[claims[piece.claims[0]].verdict] if piece.claims else ""
        text.append(piece.text, f"{style} underline" if piece.is_wrong else style)
        for index in piece.ended:
            verdict = claims[index].verdict
            word = words.verdicts[verdict]
            # Braces, since square brackets are citations.
            text.append(" ").append(f"{{{index + 1} {word}}}", f"{_STYLES[verdict]} reverse")
    return text


def _table(checked: CheckedAnswer, words: ReportWords) -> Table:
    table = Table("", "", "p1", "p0", words.labels["gap"], words.claim, words.reason)
    for column in table.columns[:5]:
        column.no_wrap = True
    for column in table.columns[5:]:
        column.overflow = "fold"  # an ellipsis would hide the end of a long word
    for number, claim in enumerate(checked.report.claims, 1):
        table.add_row(
            str(number),
            _word(claim, words),
            *_figures(claim),
            # Text: brackets are no markup.
            Text(one_line(claim.content)),
            Text(one_line(full_reason(claim, checked.answer, words))),
        )
    return table


def _print_claims(checked: CheckedAnswer, words: ReportWords, console: Console) -> None:
    gap = words.labels["gap"]
    for number, claim in enumerate(checked.report.claims, 1):
        p1, p0, bits = _figures(claim)
        console.print(Text.assemble(f"{number} ", _word(claim, words)))
        lines = [
            Text(one_line(claim.content)),
            Text(one_line(full_reason(claim, checked.answer, words))),
        ]
        if claim.posterior is not None or claim.prior is not None:
            lines.insert(1, Text(f"p1 {p1}, p0 {p0}, {gap} {bits}", "bold"))
        for line in lines:
            console.print(Padding(line, (0, 0, 0, 2), expand=False))


def _figures(claim: AnswerClaim) -> tuple[str, str, str]:
    return probability(claim.p1), probability(claim.p0), gap_bits(claim)


def _word(claim: AnswerClaim, words: ReportWords) -> Text:
    return Text(words.verdicts[claim.verdict], _STYLES[claim.verdict])


def _review(checked: CheckedAnswer, words: ReportWords) -> Text:
    """The claims to look at first, by their numbers."""
    claims = checked.report.claims
    named = [Text.assemble(f"{i + 1} ", _word(claims[i], words)) for i in to_review(checked.report)]
    return Text.assemble(f"{words.review}: ", Text(", ").join(named))


def _outcome(checked: CheckedAnswer, words: ReportWords) -> Text:
    report, summary = checked.report, checked.report.summary
    head = outcome(report, words)
    found = counts(report).items()
    shares = ", ".join(f"{count} {words.verdicts[verdict]}" for verdict, count in found)
    took = words.labels["seconds"].format(seconds=f"{report.run.timing.total_s:.1f}")
    run = f"{one_line(report.run.model)}, {took}"
    return Text.assemble(
        (head.text, f"bold {_STYLES[head.verdict]}"),
        f": {summary_text(summary, words, summary.warning)}",
        f" ({shares})" if shares else "",
        f"\n{run}" if report.run.model else "",
    )


def print_cards(analyzed: AnalyzedText, console: Console) -> None:
    """Print a card for each claim of an analysis, the counts and the notice."""
    analysis = analyzed.analysis
    words = analysis_words(analysis.language)
    for number, claim in enumerate(analysis, 1):
        print_card(claim, words, console, number)
    counts = (f"{n} {words.name(verdict)}" for verdict, n in verdict_counts(analysis).items())
    console.print(Text(f"{words.corpus} {one_line(analysis.corpus)}: {', '.join(counts)}"))
    console.print(Text(one_line(analysis.notice), style="bold"))


def print_card(claim: ClaimAnalysis, words: AnalysisWords, console: Console, number: int) -> None:
    style = _EVIDENCE_STYLES[claim.verdict]
    rows = Table.grid(padding=(0, 1))
    rows.add_column(no_wrap=True)
    rows.add_column(overflow="fold")
    rows.add_row(f"{words.verdict}:", Text(words.name(claim.verdict), style))
    for name, value in number_rows(claim, words):
        # Text: brackets are no markup.
        rows.add_row(f"{name}:", Text(value))
    parts: list[Table | Text] = [rows, Text(one_line(claim.reason_text), style="dim")]
    if claim.is_uncertain:
        parts.append(Text(words.uncertain, style="magenta"))
    if claim.numbers is not None:
        parts.append(
            Text(f"\n{words.evidence}:" + ("" if claim.evidence else f" {words.no_evidence}"))
        )
    for line in evidence_lines(claim, words):
        mark = (f"[{line.mark}]", _RELATION_STYLES.get(line.relation, "dim"))
        parts.append(Text.assemble("  ", mark, " ", line.text))
    if claim.explanation:
        parts.append(Text(f"\n{words.explanation}: {one_line(claim.explanation)}"))
    title = Text(f"{number} {one_line(claim.claim.content)}", overflow="fold")
    console.print(
        Panel(
            Group(title, Text(), *parts), border_style=style, width=min(console.width, MAX_COLUMNS)
        )
    )


def print_assessment(found: ResponseAssessment, console: Console) -> None:
    """Print the action of an assessment with its reasons, then a row for each layer."""
    sure = "unknown" if found.confidence is None else f"{found.confidence:.2f}"
    style = _ACTION_STYLES[found.suggested_action]
    console.print(Text.assemble((found.suggested_action, style), f"  confidence {sure}"))
    for reason in found.reasons:
        # Text: brackets in it are no markup.
        console.print(Text(f"- {one_line(reason.text)}"))
    table = Table("layer", "state", "score", "time")
    for layer in found.layers:
        score = "" if layer.score is None else f"{layer.score:.2f}"
        time = f"{1000 * layer.duration_s:.1f} ms" if layer.duration_s else ""
        table.add_row(layer.layer, _state(layer), score, time)
    console.print(table)


def _state(layer: LayerReport) -> str:
    state = str(layer.state) if layer.reason is None else f"{layer.state}: {layer.reason}"
    return f"{state}, {layer.cut_characters:,} characters cut" if layer.cut_characters else state

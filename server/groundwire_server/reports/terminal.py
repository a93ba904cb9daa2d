"""A report for a terminal: the answer with its claims marked, a table, and the outcome.

Every verdict is a word as well as a colour. Where the columns have no room, each claim is a few
lines instead of a row.
"""

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from groundwire import AnswerClaim, Verdict
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
    Words,
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


def _print_correction(checked: CheckedAnswer, words: Words, console: Console) -> None:
    corrected = corrected_text(checked, words)
    if corrected is None:
        return
    console.print()
    console.print(Text(words.corrected, style="bold"))
    if corrected.text:
        console.print(Text(corrected.text))
    for line in (*corrected.notes, *corrected.edits):
        console.print(Padding(Text(line), (0, 0, 0, 2), expand=False))


def _answer(checked: CheckedAnswer, words: Words) -> Text:
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


def _table(checked: CheckedAnswer, words: Words) -> Table:
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


def _print_claims(checked: CheckedAnswer, words: Words, console: Console) -> None:
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


def _word(claim: AnswerClaim, words: Words) -> Text:
    return Text(words.verdicts[claim.verdict], _STYLES[claim.verdict])


def _review(checked: CheckedAnswer, words: Words) -> Text:
    """The claims to look at first, by their numbers."""
    claims = checked.report.claims
    named = [Text.assemble(f"{i + 1} ", _word(claims[i], words)) for i in to_review(checked.report)]
    return Text.assemble(f"{words.review}: ", Text(", ").join(named))


def _outcome(checked: CheckedAnswer, words: Words) -> Text:
    report, summary = checked.report, checked.report.summary
    head = outcome(report, words)
    found = counts(report).items()
    shares = ", ".join(f"{count} {words.verdicts[verdict]}" for verdict, count in found)
    run = f"{one_line(report.run.model)}, {report.run.timing.total_s:.1f} s"
    return Text.assemble(
        (head.text, f"bold {_STYLES[head.verdict]}"),
        f": {summary_text(summary, words)}",
        f" ({shares})" if shares else "",
        f"\n{run}" if report.run.model else "",
    )

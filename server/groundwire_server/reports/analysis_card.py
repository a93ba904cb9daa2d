"""An analysis for a terminal: a card for each claim, and the notice.

Every verdict and relation is a word as well as a colour.
"""

from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from groundwire import ClaimAnalysis, EvidenceVerdict, Relation
from groundwire_server.reports.analysis_content import (
    AnalyzedText,
    evidence_lines,
    number_rows,
    verdict_counts,
)
from groundwire_server.reports.analysis_words import AnalysisWords, analysis_words
from groundwire_server.reports.content import one_line

MAX_COLUMNS = 100

_STYLES = {
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


def print_cards(analyzed: AnalyzedText, console: Console) -> None:
    """Print a card for each claim, the counts and the notice."""
    analysis = analyzed.analysis
    words = analysis_words(analysis.language)
    for number, claim in enumerate(analysis, 1):
        print_card(claim, words, console, number)
    counts = (f"{n} {words.name(verdict)}" for verdict, n in verdict_counts(analysis).items())
    console.print(Text(f"{words.corpus} {one_line(analysis.corpus)}: {', '.join(counts)}"))
    console.print(Text(one_line(analysis.notice), style="bold"))


def print_card(claim: ClaimAnalysis, words: AnalysisWords, console: Console, number: int) -> None:
    """Print the card of one claim."""
    style = _STYLES[claim.verdict]
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

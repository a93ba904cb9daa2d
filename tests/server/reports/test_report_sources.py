"""What reports show of sources: their sentences that are no evidence, struck through."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from groundwire import Document, NonAssertiveReason, NonEvidence, ReadPassage, Span
from groundwire_server.reports.content import CheckedAnswer
from groundwire_server.reports.markdown import markdown_report
from groundwire_server.reports.marks import cut_source
from groundwire_server.reports.page import html_report
from groundwire_server.reports.phrases import WORDS
from groundwire_server.reports.terminal import print_report
from tests.server.reports.answer_reports import checked, claim, verdict

ASKS, SAYS = "Is it <b>open</b>?", "It is open."
SOURCE = Document("S0", f"{SAYS} {ASKS} {SAYS}", "a.txt")
SENTENCE = NonEvidence(
    "S0", Span(len(SAYS) + 1, len(SAYS) + 1 + len(ASKS)), NonAssertiveReason.QUESTION
)
LEGENDS = {False: "The model read them anyway.", True: "The model did not read them."}


def marked(*, skipped: bool = False, language: str = "en") -> CheckedAnswer:
    made = checked("It is open.", sources=[SOURCE], language=language)
    run = replace(made.report.run, non_evidence=(SENTENCE,), skip_non_evidence=skipped)
    return replace(made, report=replace(made.report, run=run))


def printed(answer: CheckedAnswer) -> str:
    console = Console(file=io.StringIO(), width=200, highlight=False, color_system=None)
    print_report(answer, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("skipped", LEGENDS)
def test_every_report_strikes_them_through_and_says_what_became_of_them(*, skipped: bool) -> None:
    answer = marked(skipped=skipped)
    for text, struck in (
        (printed(answer), f"  ~ {ASKS}\n"),
        (markdown_report(answer), "  - ~~Is it \\<b\\>open\\<\\/b\\>\\?~~\n"),
        (html_report(answer), f"{SAYS} <s>Is it &lt;b&gt;open&lt;/b&gt;?</s> {SAYS}</div>"),
    ):
        assert struck in text
        assert LEGENDS[skipped] in text


def test_pieces_are_the_text_once_whatever_spans_a_server_sends() -> None:
    spans = (Span(3, 9), Span(5, 12), Span(4, 6), Span(40, 99), Span(90, 95))
    sentences = [replace(SENTENCE, span=span) for span in spans]
    pieces = cut_source(SOURCE, [*sentences, replace(SENTENCE, source_id="S1")])
    assert "".join(piece.text for piece in pieces) == SOURCE.text


def test_a_page_underlines_the_passages_that_each_claim_was_read_with() -> None:
    first, both = (
        ReadPassage("S0", Span(0, len(SAYS))),
        ReadPassage("S0", Span(0, len(SOURCE.text))),
    )
    answer = checked(
        "It is open. It is.",
        [
            claim("It is open. It is.", "It is open.", replace(verdict(), read_passages=(first,))),
            claim("It is open. It is.", "It is.", replace(verdict(), read_passages=(both,))),
        ],
        sources=[SOURCE],
    )
    page = html_report(answer)
    assert f'<span class="read" data-claims="1 2">{SAYS}</span>' in page
    assert '<span class="read" data-claims="2"> Is it &lt;b' in page
    assert WORDS["en"].passages in page
    assert WORDS["en"].passages not in html_report(checked("It is open.", sources=[SOURCE]))

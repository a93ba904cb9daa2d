"""What reports show of why a claim has its verdict."""

import io
from collections.abc import Callable
from dataclasses import replace

import pytest
from markupsafe import escape
from rich.console import Console

from groundwire import (
    Correction,
    DecidingPassage,
    Document,
    Edit,
    EditKind,
    PassageRelation,
    SourceConflict,
    Span,
    SpanKind,
    UnsupportedSpan,
    Verdict,
)
from groundwire_server.reports.content import CheckedAnswer
from groundwire_server.reports.markdown import markdown_report
from groundwire_server.reports.page import html_report
from groundwire_server.reports.terminal import print_report
from tests.server.reports.answer_reports import HOSTILE, checked, claim, verdict

ANSWER = "It has four wheels. It is red."
SOURCES = (Document("S0", "It has six wheels. It is red."), Document("S1", "It is blue."))
SIX = DecidingPassage("S0", Span(0, 18), "It has six wheels.", PassageRelation.CONTRADICTS, 0.02)
RED = DecidingPassage("S0", Span(19, 29), "It is red.", PassageRelation.SUPPORTS, 0.98)
BLUE = DecidingPassage("S1", Span(0, 11), "It is blue.", PassageRelation.CONTRADICTS, 0.03)


def explained(text: str = "It is blue.", *, language: str = "en") -> CheckedAnswer:
    wrong = replace(
        claim(ANSWER, "It has four wheels.", verdict(Verdict.UNSUPPORTED, p1=0.1, p0=0.1)),
        deciding_passages=(SIX,),
        unsupported_spans=(UnsupportedSpan(Span(7, 11), SpanKind.NUMBER),),
        explained=True,
    )
    right = replace(
        claim(ANSWER, "It is red.", verdict(p1=0.9, p0=0.1)),
        deciding_passages=(RED,),
        conflicts=(SourceConflict(replace(BLUE, text=text), "S1"),),
        explained=True,
    )
    made = checked(ANSWER, [wrong, right], sources=SOURCES, language=language)
    report = replace(made.report, summary=replace(made.report.summary, conflicting_claims=1))
    return replace(made, report=report)


def in_terminal(answer: CheckedAnswer) -> str:
    console = Console(file=io.StringIO(), width=400, color_system="truecolor", force_terminal=True)
    print_report(answer, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("report", [in_terminal, markdown_report, html_report])
def test_a_report_tells_what_decides_what_is_wrong_and_who_disagrees(
    report: Callable[[CheckedAnswer], str],
) -> None:
    # Markdown escapes its own signs.
    text = report(explained()).replace("\\", "")
    for told in (
        "four (number)",
        "Against it",
        "It has six wheels.",
        "Carried by",
        "Another source says otherwise",
        "S1 is newer",
        "Of 1 grounded claim another source says otherwise.",
    ):
        assert told in text


def corrected(replacement: str = "six", *, language: str = "en") -> CheckedAnswer:
    made = explained(language=language)
    summary = replace(made.report.summary, grounded_claims=2, total_claims=2)
    correction = Correction(
        f"It has {replacement} wheels.",
        (
            Edit(
                Span(7, 11),
                replacement,
                EditKind.VALUE_REPLACED,
                0,
                "S0",
                Span(0, 18),
                probability=0.97,
            ),
            Edit(Span(19, 30), "", EditKind.SENTENCE_LEFT_OUT, 1),
        ),
        summary,
        (1,),
    )
    return replace(made, report=replace(made.report, correction=correction))


@pytest.mark.parametrize("report", [in_terminal, markdown_report, html_report])
def test_a_report_shows_the_corrected_answer_with_its_edits(
    report: Callable[[CheckedAnswer], str],
) -> None:
    text = report(corrected()).replace("\\", "")
    for told in (
        "Corrected answer",
        "It has six wheels.",
        "Claim 1, value replaced: “four” → “six” (S0, 0.970)",
        "Claim 2, sentence left out: “It is red.”",
        "2 of 2 claims are grounded",
        "Not all was tried for these claims: 2.",
    ):
        assert told in text
    assert "Corrected answer" not in report(explained())


@pytest.mark.parametrize("report", [in_terminal, markdown_report, html_report])
def test_no_arrow_points_from_the_new_words_to_the_old_in_hebrew(
    report: Callable[[CheckedAnswer], str],
) -> None:
    text = report(corrected(language="he")).replace("\\", "")
    assert "טענה 1, ערך הוחלף: “four”, וכעת “six” (S0, 0.970)" in text
    assert "→" not in text


@pytest.mark.parametrize("text", HOSTILE)
def test_no_corrected_text_is_read_as_html(text: str) -> None:
    page = html_report(corrected(text))
    assert str(escape(text)) in page
    assert text == str(escape(text)) or text not in page


def test_the_words_that_are_wrong_are_marked_in_each_report() -> None:
    assert "<b>four</b>" in html_report(explained())
    assert "<ins>four</ins>" in markdown_report(explained())
    # Underlined, in the colour of its verdict.
    assert "\x1b[4;33mfour\x1b[0m" in in_terminal(explained())


def test_a_claim_that_is_marked_whole_has_no_words_of_its_own() -> None:
    made = explained()
    whole = replace(made.report.claims[0], unsupported_spans=(UnsupportedSpan(Span(0, 19), None),))
    report = replace(made.report, claims=(whole, made.report.claims[1]))
    assert "<b>" not in html_report(replace(made, report=report))


def test_the_page_tells_sentences_against_a_claim_from_those_for_it() -> None:
    page = html_report(explained())
    assert (
        '<span class="decides" data-claims="1" data-against="1">It has six wheels.</span>' in page
    )
    assert '<span class="decides" data-claims="2" data-against="2">It is blue.</span>' in page


def test_a_hebrew_report_tells_it_in_hebrew() -> None:
    page = html_report(explained(language="he"))
    assert "four (מספר)" in page
    assert "על טענה מבוססת אחת מקור אחר אומר אחרת." in page


@pytest.mark.parametrize("text", HOSTILE)
def test_no_sentence_of_a_source_is_markup_of_the_page(text: str) -> None:
    assert f"\u201c{escape(text)}\u201d" in html_report(explained(text))

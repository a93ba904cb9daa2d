"""What reports show of an answer: in a terminal, in Markdown and on a page."""

import base64
import hashlib
import io
import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from html.parser import HTMLParser

import pytest
from rich.console import Console

from groundwire import (
    AnswerClaim,
    CitationRole,
    ConfidenceSource,
    DerivedOperation,
    DerivedValue,
    Document,
    Role,
    Stance,
    Verdict,
)
from groundwire_server.reports.as_json import json_report
from groundwire_server.reports.content import CheckedAnswer
from groundwire_server.reports.markdown import markdown_report
from groundwire_server.reports.marks import cut
from groundwire_server.reports.numbers import claim_rows, run_rows
from groundwire_server.reports.page import html_report
from groundwire_server.reports.phrases import WORDS, words_for
from groundwire_server.reports.terminal import print_report
from groundwire_verifier.verdicts.explanations import warnings_in
from tests.server.reports.answer_reports import (
    HOSTILE,
    checked,
    claim,
    estimate,
    miscited,
    roles,
    run,
    verdict,
)

HEBREW = "הגשר נפתח [S0]."
VOID = {"meta", "link", "img", "input", "br", "hr"}


@dataclass
class Element:
    """An element of a page, with all text inside it."""

    tag: str
    attributes: dict[str, str]
    text: str = ""


@dataclass
class Page(HTMLParser):
    """A page as a browser reads it."""

    elements: list[Element] = field(default_factory=list)
    open: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        for element in self.open:
            element.text += data

    def of(self, tag: str, **attributes: str) -> list[Element]:
        return [
            each
            for each in self.elements
            if each.tag == tag
            and all(value in each.attributes.get(k, "").split() for k, value in attributes.items())
        ]

    def answer(self) -> str:
        (element,) = [e for e in self.elements if e.attributes.get("class") == "text answer"]
        return element.text


def page_of(answer: CheckedAnswer) -> Page:
    page = Page()
    page.feed(html_report(answer))
    page.close()
    assert page.open == [], "elements stay open"
    return page


def printed(answer: CheckedAnswer, width: int) -> str:
    console = Console(file=io.StringIO(), width=width, highlight=False, color_system=None)
    print_report(answer, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def in_wide_terminal(answer: CheckedAnswer) -> str:
    return printed(answer, 200)


def shown_on_a_page(answer: CheckedAnswer) -> str:
    page = page_of(answer)
    (body,), (script,) = page.of("body"), page.of("script")
    return body.text.replace(script.text, "")


def hostile() -> CheckedAnswer:
    """A report in which every text of others is hostile."""
    answer = " ".join(HOSTILE)
    claims = [
        claim(
            answer,
            text,
            verdict(Verdict.UNSUPPORTED, p1=0.2, p0=0.3, cited=[text], reason=text, warning=text),
            language=text,
        )
        for text in HOSTILE
    ]
    sources = [Document(text, text, text) for text in HOSTILE]
    made = checked(answer, claims, sources=sources, question=answer, warning=answer)
    run = replace(made.report.run, model=answer, prompt_version=answer, backend=answer)
    summary = replace(made.report.summary, language=answer)
    return replace(made, report=replace(made.report, run=run, summary=summary))


def overlapping() -> tuple[str, list[AnswerClaim]]:
    answer = "Ada was born in London and in 1815, they say."
    kinds = {
        "Ada was born in London": Verdict.SUPPORTED,
        "Ada was born in London and in 1815": Verdict.CONTRADICTED,
        "London and in 1815, they say": Verdict.UNSUPPORTED,
    }
    return answer, [claim(answer, part, verdict(kind)) for part, kind in kinds.items()]


def test_pieces_are_the_answer_once() -> None:
    answer, claims = overlapping()
    pieces = cut(answer, claims)
    assert "".join(piece.text for piece in pieces) == answer
    assert [(piece.text, piece.claims, piece.ended) for piece in pieces] == [
        ("Ada was born in ", (0, 1), ()),
        ("London", (0, 2, 1), (0,)),
        (" and in 1815", (2, 1), (1,)),
        (", they say", (2,), (2,)),
        (".", (), ()),
    ]


def test_of_equal_spans_the_gravest_verdict_marks() -> None:
    kinds = (Verdict.SUPPORTED, Verdict.CONTRADICTED, Verdict.NOT_VERIFIED)
    (piece,) = cut("Ada", [claim("Ada", "Ada", verdict(kind)) for kind in kinds])
    assert piece.claims == (1, 2, 0)


@pytest.mark.parametrize(
    "answer", ["\n\n  Ada \n\t moved. \n", *HOSTILE, "a\u2028b 😀 \u200fא", "{% if x %}&amp;"]
)
def test_a_page_holds_the_answer_once_and_exactly(answer: str) -> None:
    middle = answer[1:-1]
    page = page_of(checked(answer, [claim(answer, middle, verdict())]))
    assert page.answer() == answer


def test_a_page_holds_an_answer_with_overlapping_claims_once() -> None:
    answer, claims = overlapping()
    page = page_of(checked(answer, claims))
    assert page.answer() == answer
    marks = page.of("mark")
    assert [(mark.attributes["data-claims"], mark.attributes["class"]) for mark in marks] == [
        ("1 2", "supported"),
        ("1 3 2", "supported"),
        ("3 2", "unsupported"),
        ("3", "unsupported"),
    ]
    assert [len(page.of("a", id=f"mark-{number}")) for number in (1, 2, 3)] == [1, 1, 1]


def test_hostile_texts_stay_texts_on_a_page() -> None:
    page = page_of(hostile())
    tame = page_of(checked("a b", [claim("a b", "a", verdict(p1=0.2, p0=0.3))], question="q"))
    assert {each.tag for each in page.elements} <= {each.tag for each in tame.elements} | {"ul"}
    assert (len(page.of("script")), len(page.of("style"))) == (1, 1)
    names = {name for each in page.elements for name in each.attributes}
    assert not {name for name in names if name.startswith("on") or name in ("style", "src")}
    assert page.answer() == " ".join(HOSTILE)
    assert [e.text for e in page.of("p", **{"class": "reason"})] == list(HOSTILE)


def test_a_page_asks_for_nothing_from_elsewhere() -> None:
    page = page_of(hostile())
    links = [e.attributes["href"] for e in page.elements if "href" in e.attributes]
    assert links
    assert all(re.fullmatch(r"#(claim|mark|source)-\d+", link) for link in links)
    (style,) = page.of("style")
    assert "url(" not in style.text
    assert "@import" not in style.text


def test_a_page_lets_only_its_own_style_and_script_run() -> None:
    page = page_of(hostile())
    (meta,) = [e for e in page.of("meta") if "http-equiv" in e.attributes]
    rules = dict(part.split(" ", 1) for part in meta.attributes["content"].split("; "))
    assert rules["default-src"] == "'none'"
    for tag in ("style", "script"):
        (element,) = page.of(tag)
        digest = base64.b64encode(hashlib.sha256(element.text.encode()).digest()).decode()
        assert rules[f"{tag}-src"] == f"'sha256-{digest}'"


def test_a_page_leads_from_a_claim_to_its_sources_and_back() -> None:
    answer = "Ada moved."
    found = verdict(cited=["S1", "S9"], unknown=["S9"])
    sources = [Document("S0", "No.", ""), Document("S1", "Ada moved to Rome.", "ada.txt")]
    page = page_of(checked(answer, [claim(answer, "Ada moved", found)], sources=sources))
    (card,) = page.of("article", id="claim-1")
    assert "S9 (no such source)" in " ".join(card.text.split())
    assert page.of("a", href="#source-1") == []
    assert [link.text for link in page.of("a", href="#source-2")] == ["S1 ada.txt"]
    assert [e.attributes["data-claims"] for e in page.of("article", **{"class": "source"})] == [
        "",
        "1",
    ]


def test_a_page_has_every_number_of_a_claim() -> None:
    found = replace(
        verdict(Verdict.CONTRADICTED, p1=0.03, p0=0.41, gap=1.25),
        citation_roles=roles(),
    )
    (card,) = page_of(checked("Ada", [claim("Ada", "Ada", found)])).of("article", id="claim-1")
    rows = "0.030 0.410 +1.25 0.100 / 0.800 / 0.100 carries the claim, drop +0.620"
    assert all(value in card.text for value in rows.split(" "))


def test_a_page_in_hebrew_runs_from_right_to_left() -> None:
    page = page_of(checked(HEBREW, [claim(HEBREW, "הגשר נפתח", verdict())], language="he"))
    (root,) = page.of("html")
    assert root.attributes == {"lang": "he", "dir": "rtl"}
    assert WORDS["he"].verdicts[Verdict.SUPPORTED] in page.of("article", id="claim-1")[0].text


def test_every_text_of_others_finds_its_own_direction_on_a_page() -> None:
    page = page_of(checked(HEBREW, [claim(HEBREW, "הגשר נפתח", verdict())], question="מתי?"))
    texts = page.of("div", **{"class": "text"}) + page.of("p", **{"class": "text"})
    assert [each.text for each in texts] == ["מתי?", HEBREW, "The text.", "הגשר נפתח"]
    assert all(each.attributes["dir"] == "auto" for each in texts)


def test_control_characters_are_shown() -> None:
    answer = checked("a\0b\x1b[2Jc", [claim("a\0b\x1b[2Jc", "b", verdict())])
    assert page_of(answer).answer() == "a␀b␛[2Jc"
    assert "a␀b {1 supported}␛[2Jc" in printed(answer, 120)
    assert "\x1b" not in markdown_report(answer)


def test_no_text_turns_the_words_around_it() -> None:
    turned = "a\u202eb\u2066c"
    assert page_of(checked(turned, [claim(turned, "b", verdict())])).answer() == "a\ufffdb\ufffdc"


def test_every_language_names_every_number_and_verdict() -> None:
    for words in WORDS.values():
        assert words.labels.keys() == WORDS["en"].labels.keys()
        assert set(words.verdicts) == set(Verdict)


@pytest.mark.parametrize(
    ("language", "skipped", "words"),
    [
        ("en", 0, "3 of 4 claims are grounded in the sources. 99% of the text was verified."),
        ("en", 1, "3 of 4 claims are grounded in the sources, 1 more was not verified. 99% of"),
        ("en", 2, "3 of 4 claims are grounded in the sources, 2 more were not verified. 99% of"),
        ("he", 0, "3 מתוך 4 טענות מבוססות על המקורות. היקף האימות: 99% מהטקסט."),
        ("he", 1, "3 מתוך 4 טענות מבוססות על המקורות, ועוד אחת לא אומתה. היקף"),
        ("he", 2, "3 מתוך 4 טענות מבוססות על המקורות, ועוד 2 לא אומתו. היקף"),
    ],
)
def test_every_report_says_how_much_was_verified_and_skipped(
    language: str, skipped: int, words: str
) -> None:
    made = checked("Ada", language=language)
    # As little as a thousandth short of all is not shown as all.
    summary = replace(
        made.report.summary,
        grounded_claims=3,
        total_claims=4,
        skipped_claims=skipped,
        verified_share=0.999,
    )
    made = replace(made, report=replace(made.report, summary=summary))
    assert words in printed(made, 200)
    assert words in markdown_report(made)
    assert words in page_of(made).of("p", **{"class": "outcome"})[0].text


@pytest.mark.parametrize("language", WORDS)
@pytest.mark.parametrize("report", [in_wide_terminal, markdown_report, html_report])
def test_a_report_says_once_how_much_was_verified(
    report: Callable[[CheckedAnswer], str], language: str
) -> None:
    share = warnings_in(language).verified_share.format(percent=99)
    for warning in (share, ""):
        shown = report(checked("Ada", language=language, warning=warning)).replace("\\", "")
        assert shown.count(share) == 1


HEBREW_AS_IT_IS = {
    "p", "YES", "NO", "UNSURE", "S", "BUDGET", "BALANCED", "SmolLM", "M", "yes", "no", "local",
}  # fmt: skip
"""Latin words of a Hebrew report: ids, names of settings and models, what the model is asked."""


def all_of_a_claim() -> CheckedAnswer:
    """A Hebrew report with everything that a claim can have, and no word of others in Latin."""
    found = replace(
        miscited(),
        content="",
        reason_text="S1 לבדו נותן 0.95",
        stance=Stance(0.1, 0.8, 0.1, 0.93),
        citation_roles=(*roles(), *(CitationRole("S2", role, 0.1, 0.1) for role in Role)),
        derived_values=tuple(DerivedValue("7", each, ("3", "4")) for each in DerivedOperation),
    )
    claims = [
        replace(claim(HEBREW, HEBREW, found, language="he"), verdict=kind, confidence_source=source)
        for kind in Verdict
        for source in ConfidenceSource
    ]
    made = checked(
        HEBREW, claims, sources=[Document("S0", "הגשר נפתח.", "")], question="מתי?", language="he"
    )
    summary = replace(made.report.summary, conflicting_claims=2, skipped_claims=2)
    return replace(made, report=replace(made.report, summary=summary))


@pytest.mark.parametrize("report", [in_wide_terminal, markdown_report, shown_on_a_page])
def test_a_hebrew_report_says_nothing_of_its_own_in_english(
    report: Callable[[CheckedAnswer], str],
) -> None:
    made = all_of_a_claim()
    settings = [name for name, _ in run_rows(made.report.run, words_for("he")) if name.isascii()]
    text = re.sub(r"</?div[^>]*>|&nbsp;|\\", "", report(made))
    text = re.sub("|".join(settings), "", text)
    assert set(re.findall("[A-Za-z]+", text)) - HEBREW_AS_IT_IS == set()


def to_review() -> CheckedAnswer:
    """Three claims, of which the second and then the first are to be looked at first."""
    answer = "Ada. Bob. Eve."
    kinds = {"Ada.": Verdict.UNCERTAIN, "Bob.": Verdict.CONTRADICTED, "Eve.": Verdict.SUPPORTED}
    claims = [claim(answer, part, verdict(kind, p1=0.4, p0=0.3)) for part, kind in kinds.items()]
    made = checked(answer, claims)
    summary = replace(made.report.summary, review_order=(1, 0, 2), uncertain_claims=1)
    return replace(made, report=replace(made.report, summary=summary))


@pytest.mark.parametrize("width", [80, 200])
def test_every_report_lists_what_to_look_at_first(width: int) -> None:
    made, words = to_review(), words_for("en")
    shown = " ".join(printed(made, width).split())
    assert f"{words.review}: 2 contradicted, 1 uncertain, 3 supported" in shown
    assert f"{words.review}: 2 **contradicted**, 1 **uncertain**" in markdown_report(made)
    page = html_report(made)
    header = page[: page.index("</header>")]
    assert words.review in header
    assert re.findall(r"#claim-(\d)", header) == ["2", "1", "3"]
    assert json.loads(json_report(made))["summary"]["review_order"] == [1, 0, 2]


def test_an_uncertain_claim_is_grey_and_counted_apart() -> None:
    made = to_review()
    page = page_of(made)
    counted = [each.text for each in page.of("li")]
    assert counted == ["✓ supported 1", "~ uncertain 1", "✗ contradicted 1"]
    assert page.of("article", **{"class": "uncertain"})
    style = page.of("style")[0].text
    assert ".uncertain { --tone: var(--open); --tint: var(--open-tint);" in style
    assert "(1 supported, 1 uncertain, 1 contradicted)" in printed(made, 200)
    assert "1 **uncertain**" in markdown_report(made)


def test_json_is_the_report() -> None:
    answer, claims = overlapping()
    made = checked(answer, claims, question=HEBREW)
    read = json.loads(json_report(made))
    whole = json.loads(json.dumps(asdict(made.report)))
    assert (read["summary"], read["run"]) == (whole["summary"], whole["run"])
    for told, made_claim in zip(read["claims"], whole["claims"], strict=True):
        assert {name: told[name] for name in made_claim} == made_claim
    assert (read["answer"], read["question"]) == (answer, HEBREW)
    assert read["sources"] == [{"id": "S0", "title": "a.txt", "characters": 9}]


def test_a_narrow_terminal_loses_nothing() -> None:
    long = "x" * 90
    out = printed(checked(long, [claim(long, long, verdict(p1=0.9, p0=0.1))]), 40)
    assert max(len(line) for line in out.splitlines()) <= 40
    assert out.replace("\n", "").replace(" ", "").count("x" * 90) == 2
    assert "p1 0.900, p0 0.100" in out


def test_a_terminal_speaks_the_language_of_the_answer() -> None:
    answer = checked(
        HEBREW, [claim(HEBREW, "הגשר נפתח", verdict())], language="he", warning="זהירות"
    )
    out = printed(answer, 120)
    assert f"הגשר נפתח {{1 {WORDS['he'].verdicts[Verdict.SUPPORTED]}}} [S0]." in out
    assert "זהירות" in out


def test_markdown_holds_no_markup_of_others() -> None:
    out = markdown_report(hostile())
    assert not re.search(r"(?<!\\)<[a-z/!]", out)
    assert not re.search(r"(?<!\\)&lt", out)
    assert "\\{\\{ 7\\*7 \\}\\}" in out


def test_markdown_makes_no_links_of_names_and_mail_addresses() -> None:
    out = markdown_report(checked("Ask @admin or ada@example.org."))
    assert not re.search(r"@\w", out)
    assert "ada" in out


def test_markdown_keeps_the_lines_of_an_answer() -> None:
    out = markdown_report(checked("One.\n    Two | three.\n\n1. Four"))
    assert "> One\\.\\\n> &nbsp;&nbsp;&nbsp;&nbsp;Two \\| three\\.\n>\n> 1\\. Four\n" in out


def test_markdown_in_hebrew_runs_from_right_to_left() -> None:
    assert markdown_report(checked(HEBREW, language="he")).startswith('<div dir="rtl">\n\n# ')


@pytest.mark.parametrize("language", WORDS)
def test_every_report_names_a_wrong_citation_and_the_right_source(language: str) -> None:
    answer = "The bridge opened in 1932 [S0]."
    report = checked(answer, [claim(answer, answer, miscited())], language=language)
    word = words_for(language).verdicts[Verdict.MISCITED]
    console = Console(file=io.StringIO(), width=200)
    print_report(report, console)
    assert isinstance(console.file, io.StringIO)
    for text in (console.file.getvalue(), markdown_report(report), html_report(report)):
        assert word in text
        assert "S1 alone gives 0" in text
    (told,) = json.loads(json_report(report))["claims"]
    assert told["verdict"] == "MISCITED"
    assert told["other_sources"][0] == {"id": "S1", "probability": 0.95, "carries": True}


def test_a_calibrated_probability_has_the_raw_one_beside_it() -> None:
    calibrated = replace(estimate(0.8), raw_probability=0.925, calibrated=True)
    rows = dict(claim_rows(replace(verdict(p1=0.8, p0=0.1), posterior=calibrated), words_for("en")))
    assert rows["p1, with the evidence"] == "0.800"
    assert rows["p1 before calibration"] == "0.925"
    assert "p0 before calibration" not in rows


def test_a_miscited_claim_has_what_each_other_source_gives() -> None:
    rows = dict(claim_rows(miscited(), words_for("en")))
    assert rows["P(true) without any source"] == "0.020"
    assert rows["With the cited sources alone"] == "0.030"
    assert rows["With S1 alone"] == "0.950, carries the claim"
    assert rows["With S2 alone"] == "-"


@pytest.mark.parametrize(
    ("verdicts", "language", "head"),
    [
        ([Verdict.SUPPORTED] * 3, "en", "Grounded"),
        ([Verdict.SUPPORTED] * 4 + [Verdict.UNSUPPORTED], "en", "Grounded"),
        (
            [Verdict.SUPPORTED] * 4 + [Verdict.CONTRADICTED],
            "en",
            "Mostly grounded, 1 claim contradicted",
        ),
        (
            [Verdict.SUPPORTED] * 5 + [Verdict.CONTRADICTED] * 2,
            "en",
            "Mostly grounded, 2 claims contradicted",
        ),
        ([Verdict.SUPPORTED, Verdict.CONTRADICTED], "en", "Not grounded"),
        (
            [Verdict.SUPPORTED] * 4 + [Verdict.CONTRADICTED],
            "he",
            "מבוססת ברובה, טענה אחת נסתרת",
        ),
        (
            [Verdict.SUPPORTED] * 5 + [Verdict.CONTRADICTED] * 2,
            "he",
            "מבוססת ברובה, 2 טענות נסתרות",
        ),
    ],
)
def test_no_report_is_headed_as_plainly_grounded_while_a_claim_is_contradicted(
    verdicts: list[Verdict], language: str, head: str
) -> None:
    answer = " ".join(f"claim{i}" for i in range(len(verdicts)))
    claims = [claim(answer, f"claim{i}", verdict(each)) for i, each in enumerate(verdicts)]
    report = checked(answer, claims, language=language)
    (page_head,) = page_of(report).of("p", **{"class": "outcome"})
    (first, *_) = markdown_report(report).splitlines()[2 if language == "he" else 0 :]
    assert first == f"# {words_for(language).title}: {head}"
    assert f"\n{head}: " in printed(report, 300)
    assert head in page_head.text
    is_green = "supported" in page_head.attributes["class"].split()
    assert is_green is (Verdict.CONTRADICTED not in verdicts)


@pytest.mark.parametrize("language", WORDS)
def test_every_report_names_values_that_the_evidence_does_not_state(language: str) -> None:
    answer = "It cost 50,000."
    sum_of = DerivedValue("62", DerivedOperation.SUM, ("14", "48"))
    found = replace(verdict(), unstated_values=("50k",), derived_values=(sum_of,))
    report = checked(answer, [claim(answer, answer, found)], language=language)
    (body,) = page_of(report).of("body")
    shown = (printed(report, 300), markdown_report(report), body.text)
    for text in shown:
        words, plain = words_for(language), " ".join(text.replace("\\", "").split())
        assert f"{words.unstated}: 50k" in plain
        assert f"{words.derived}: 62 ({words.operations[DerivedOperation.SUM]}: 14, 48)" in plain


@pytest.mark.parametrize(("language", "told"), [("en", "uncalibrated"), ("he", "לא מכויל")])
def test_a_report_says_that_the_model_is_uncalibrated_and_nothing_where_it_is_not(
    language: str, told: str
) -> None:
    words = WORDS[language]
    assert told in dict(run_rows(replace(run(), uncalibrated=True), words)).values()
    assert told not in dict(run_rows(run(), words)).values()

"""Which rows of a table a claim is read with."""

import pytest

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.domain.evidence import Document, Evidence, SourceRange
from groundwire_verifier.verdicts.excerpts import Excerpts
from groundwire_verifier.verdicts.rows import MAX_ROWS

PLANS = (
    "Prices of this year.\n\n"
    "| Plan | Price | Users |\n"
    "|---|---|---|\n"
    "| Basic | 30 euros | 5 |\n"
    "| Pro | 40 euros | 20 |\n"
    "| Pro Plus | 70 euros | 50 |\n"
    "\n"
    "All prices hold for a month."
)
HEBREW = (
    "| מסלול | מחיר | משתמשים |\n|---|---|---|\n| יסוד | 30 שקל | 5 |\n| מורחב | 40 שקל | 20 |\n"
)
SEASONS = "| Year | Visitors |\n|---|---|\n| 2021 | 300 |\n| 2022 | 410 |\n| 2023 | 520 |\n"
SEATS = "| Seat | Price |\n|---|---|\n| First class | 80 |\n| Second class | 50 |\n"


def read(claim: str, *texts: str) -> str:
    """The context that a claim is read with."""
    evidence = Evidence.of_documents([Document(f"S{i}", text) for i, text in enumerate(texts)])
    found = Excerpts.of_rows(evidence, [(claim, ())])
    return found.of(claim, ()).evidence.context


def rows_of(context: str) -> list[str]:
    """The names of the rows in a context."""
    lines = [line.split("|")[1].strip() for line in context.split("\n") if line.startswith("|")]
    return [name for name in lines if not name.startswith("--")][1:]


@pytest.mark.parametrize(
    ("claim", "text", "rows"),
    [
        ("The Basic plan costs 40 euros.", PLANS, ["Basic"]),
        ("With Pro Plus fifty users can work.", PLANS, ["Pro Plus"]),
        ("Pro costs 40 euros.", PLANS, ["Pro"]),
        ("Basic costs as much as Pro.", PLANS, ["Basic", "Pro"]),
        ("מסלול יסוד עולה 40 שקל.", HEBREW, ["יסוד"]),
        ("In 2022 there were 410 visitors.", SEASONS, ["2022"]),
        ("First class costs 80.", SEATS, ["First class"]),
    ],
)
def test_a_claim_is_read_with_the_rows_that_it_names(
    claim: str, text: str, rows: list[str]
) -> None:
    assert rows_of(read(claim, text)) == rows


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("Basic is the cheapest plan.", PLANS),
        ("Only Basic costs 30 euros.", PLANS),
        ("Basic has fewer users than the others.", PLANS),
        ("A month costs 40 euros.", PLANS),
        ("מסלול יסוד הוא הזול ביותר.", HEBREW),
        ("There were 300 visitors.", SEASONS),
        ("The first class that arrived paid 50 for the second class.", PLANS),
    ],
)
def test_a_claim_that_names_no_row_or_compares_rows_is_read_with_all(claim: str, text: str) -> None:
    assert read(claim, text).endswith(text)


@pytest.mark.parametrize(
    ("claim", "text", "left"),
    [
        (
            "Basic costs 40 euros.",
            "Prices: The plan Basic costs 30 euros. The plan Team costs 40 euros. Ask us.",
            "The plan Team costs 40 euros.",
        ),
        (
            "In 2020 the firm sold 40 cars.",
            "In 2019 the firm sold 40 cars.\nIn 2020 the firm sold 30 cars.",
            "In 2019 the firm sold 40 cars.",
        ),
        (
            "המוזיאון נפתח בשבת בשעה 9.",
            "המוזיאון נפתח בשעה 9 ביום ראשון. המוזיאון נפתח בשעה 11 בשבת.",
            "המוזיאון נפתח בשעה 9 ביום ראשון.",
        ),
    ],
)
def test_a_claim_is_read_without_a_sentence_that_says_the_same_of_another_thing(
    claim: str, text: str, left: str
) -> None:
    context = read(claim, text)
    assert left not in context
    assert all(each.strip() in context for each in text.split(left))


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("Basic costs 30 euros.", "The plan Basic costs 30 euros. The plan Basic costs 40 euros."),
        (
            "Basic costs 20 euros.",
            "Plan Basic costs 30 euros. Plan Team costs 40 euros. It is new.",
        ),
        (
            "Basic costs less than Pro.",
            "The plan Basic costs 30 euros. The plan Team costs 40 euros.",
        ),
        ("Team and Basic cost 30.", "The plan Basic costs 30 euros. The plan Team costs 40 euros."),
        (
            "The starter plan costs 40.",
            "The plan Basic costs 30 euros. The plan Team costs 40 euros.",
        ),
        ("Anna came by bus.", "Anna came by bus and stayed. Ben wrote a long letter to his aunt."),
    ],
)
def test_a_claim_is_read_with_sentences_that_may_speak_of_the_same(claim: str, text: str) -> None:
    assert read(claim, text).endswith(text)


def test_the_text_around_a_table_and_other_sources_stay() -> None:
    context = read("Pro costs 40 euros.", "First.", PLANS, "Last.")
    assert context == (
        "[S0]\nFirst.\n\n[S1]\nPrices of this year.\n\n| Plan | Price | Users |\n|---|---|---|\n"
        "| Pro | 40 euros | 20 |\nAll prices hold for a month.\n\n[S2]\nLast."
    )


def test_what_was_read_points_into_the_source() -> None:
    evidence = Evidence.of_context(PLANS, [SourceRange("S7", Span(0, len(PLANS)))])
    claim = "Pro costs 40 euros."
    found = Excerpts.of_rows(evidence, [(claim, ())]).of(claim, ()).read_passages
    assert [each.source_id for each in found] == ["S7"] * 3
    before, row, behind = (each.span.of(PLANS) for each in found)
    assert before.endswith("|---|---|---|")
    assert row == "| Pro | 40 euros | 20 |"
    assert behind == "All prices hold for a month."


def test_of_long_evidence_a_chosen_row_has_its_header_and_no_other_row() -> None:
    filler = "Nothing of note was said about the weather on that long day. " * 40
    evidence = Evidence.of_documents([Document("S0", filler), Document("S1", PLANS)])
    claims = [("Basic costs 40 euros.", ()), ("Pro costs 40 euros.", ())]
    found = Excerpts.of_passages(evidence, claims, 400, may_be_whole=True)
    assert [rows_of(found.of(*claim).evidence.context) for claim in claims] == [["Basic"], ["Pro"]]
    assert "| Plan | Price |" in found.of(*claims[0]).evidence.context


def test_claims_on_one_row_share_what_they_are_read_with() -> None:
    evidence = Evidence.of_documents([Document("S0", PLANS)])
    claims = [("Pro costs 40 euros.", ()), ("Pro is for 20 users.", ()), ("Basic costs 30.", ())]
    found = Excerpts.of_rows(evidence, claims)
    assert found.of(*claims[0]) is found.of(*claims[1])
    assert len(found.all()) == 3


def test_rows_beyond_the_bound_are_read_as_text() -> None:
    rows = "".join(f"| row{chr(97 + i % 26)}{i} | {i} |\n" for i in range(MAX_ROWS + 5))
    context = read("The value of rowb1 is 1.", f"| Name | Value |\n|---|---|\n{rows}")
    assert len(rows_of(context)) == 6

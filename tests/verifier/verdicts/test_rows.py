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
WEIGHTS = '| דגם | משקל |\n|---|---|\n| אלון | 12 ק"ג |\n| ברוש | 40 ק"ג |\n'
SEASONS = "| Year | Visitors |\n|---|---|\n| 2021 | 300 |\n| 2022 | 410 |\n| 2023 | 520 |\n"
SEATS = "| Seat | Price |\n|---|---|\n| Business | 80 |\n| Tourist | 50 |\n"
COMPANY = "| Fact | Value |\n|---|---|\n| Company | Acme |\n| Founder | Ann Lee |\n"
FEATURES = "| Feature | Basic | Pro |\n|---|---|---|\n| Price | 30 | 40 |\n| Seats | 5 | 20 |\n"


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
        ("Basic has 20 users.", PLANS, ["Basic"]),
        ("For Basic, Price is 30 euros.", PLANS, ["Basic"]),
        ("מסלול יסוד עולה 40 שקל.", HEBREW, ["יסוד"]),
        ("במסלול יסוד יש 5 משתמשים.", HEBREW, ["יסוד"]),
        ("אלון שוקל 40 ק״ג.", WEIGHTS, ["אלון"]),
        ("אלון שוקל 40 קילוגרמים.", WEIGHTS, ["אלון"]),
        ("In 2022 Visitors were 410.", SEASONS, ["2022"]),
        ("Business costs 80.", SEATS, ["Business"]),
    ],
)
def test_a_claim_that_says_values_of_a_row_is_read_with_it(
    claim: str, text: str, rows: list[str]
) -> None:
    assert rows_of(read(claim, text)) == rows


def test_a_row_whose_name_shares_a_word_with_the_named_one_stays() -> None:
    text = PLANS.replace("| Basic |", "| Basic (restated) | 35 euros | 5 |\n| Basic |", 1)
    assert rows_of(read("Basic costs 30 euros.", text)) == ["Basic (restated)", "Basic"]


@pytest.mark.parametrize(
    "row", ["| | 20 euros | |", "| 65+ | 250 mg | 1 |", "| * | net | |", "| Exceptions | none | |"]
)
def test_a_row_without_a_name_or_on_others_stays(row: str) -> None:
    context = read("Basic costs 30 euros.", PLANS.replace("| Pro Plus", f"{row}\n| Pro Plus"))
    assert row in context
    assert "| Pro |" not in context


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("Basic is the cheapest plan.", PLANS),
        ("Only Basic costs 30 euros.", PLANS),
        ("Basic alone costs 30 euros.", PLANS),
        ("Basic has fewer users than the others.", PLANS),
        ("Basic does not cost 40 euros.", PLANS),
        ("One plan costs 30 euros: Basic.", PLANS),
        ("Basic costs 30 euros and Pro 40 euros.", PLANS),
        ("Users of Basic pay 40 euros.", PLANS),
        ("A month costs 40 euros.", PLANS),
        ("Der Plan Basic kostet 40 euros.", PLANS),
        ("План Basic самый дешёвый.", PLANS),
        ("מסלול יסוד הוא הזול ביותר.", HEBREW),
        ("מסלול יסוד זול מכל המסלולים.", HEBREW),
        ("מסלול יסוד אינו עולה 40 שקל.", HEBREW),
        ("There were 300 visitors.", SEASONS),
        ("The company Acme was founded by Bob Smith.", COMPANY),
        ("Company is Acme.", COMPANY),
        ("Price of Basic is 30.", FEATURES),
    ],
)
def test_a_claim_that_may_speak_of_more_than_a_row_is_read_with_all(claim: str, text: str) -> None:
    assert read(claim, text).endswith(text)


def test_the_text_around_a_table_and_other_sources_stay() -> None:
    context = read("Basic costs 40 euros.", "First.", PLANS, "Last.")
    assert context == (
        "[S0]\nFirst.\n\n[S1]\nPrices of this year.\n\n| Plan | Price | Users |\n|---|---|---|\n"
        "| Basic | 30 euros | 5 |\nAll prices hold for a month.\n\n[S2]\nLast."
    )


def test_what_was_read_points_into_the_source() -> None:
    evidence = Evidence.of_context(PLANS, [SourceRange("S7", Span(0, len(PLANS)))])
    claim = "Basic costs 40 euros."
    found = Excerpts.of_rows(evidence, [(claim, ())]).of(claim, ()).read_passages
    assert [each.source_id for each in found] == ["S7", "S7"]
    before, behind = (each.span.of(PLANS) for each in found)
    assert before.endswith("|---|---|---|\n| Basic | 30 euros | 5 |")
    assert behind == "All prices hold for a month."


def test_a_table_that_two_sources_share_is_read_whole() -> None:
    half = PLANS.index("| Pro |")
    ranges = [SourceRange("S1", Span(0, half)), SourceRange("S2", Span(half, len(PLANS)))]
    claim = "Basic costs 40 euros."
    found = Excerpts.of_rows(Evidence.of_context(PLANS, ranges), [(claim, ("S2",))])
    assert found.of(claim, ("S2",)) is found.whole


def test_claims_on_one_row_share_what_they_are_read_with() -> None:
    evidence = Evidence.of_documents([Document("S0", PLANS)])
    claims = [("Pro costs 40 euros.", ()), ("Pro has 20 users.", ()), ("Basic costs 30 euros.", ())]
    found = Excerpts.of_rows(evidence, claims)
    assert found.of(*claims[0]) is found.of(*claims[1])
    assert len(found.all()) == 3


def test_a_request_that_needs_too_much_is_read_with_the_whole() -> None:
    rows = "".join(f"| tower{chr(97 + i // 26)}{chr(97 + i % 26)} | {i} |\n" for i in range(400))
    evidence = Evidence.of_documents([Document("S0", f"| Name | Height |\n|---|---|\n{rows}")])
    claims = [(f"tower{chr(97 + i // 26)}{chr(97 + i % 26)} is {i} m.", ()) for i in range(400)]
    assert Excerpts.of_rows(evidence, claims[:9]).of(*claims[0]).read_passages
    assert len(Excerpts.of_rows(evidence, claims).all()) == 1


def test_tables_behind_the_bound_are_read_whole() -> None:
    rows = "".join(f"| tower{chr(97 + i % 26)} | {i} |\n" for i in range(MAX_ROWS))
    big = f"| Name | Height |\n|---|---|\n{rows}"
    assert read("Basic costs 40 euros.", big, PLANS).endswith(PLANS)

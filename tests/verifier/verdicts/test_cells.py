"""Claims that say yes where a cell of a table says no, or no where it says yes."""

import pytest

from groundwire_verifier.domain.claims import as_answer
from groundwire_verifier.verdicts.cells import Cells

GYM = """| Membership | Sauna | Guest pass | Towels |
|---|---|---|---|
| Bronze | ❌ | ✅ | no |
| Silver | ✅ | ❌ | yes |
| Gold | ✓ | ✔ | yes |"""
TRACKS = """| מסלול | ביטול חינם | ליווי אישי |
|---|---|---|
| יסוד | ✗ | לא |
| מורחב | ✓ | ✗ |"""
FEATURES = """| Feature | Basic | Basic Plus |
|---|---|---|
| API access | yes | yes |
| Dedicated server | no | yes |
| Audit log | no | no |
| Support | no | yes |

Since May, Basic has an audit log for admins."""
PLANS = """| Plan | No ads | Export |
|---|---|---|
| Free | ✗ | ✗ |
| Silver | ✓ | ✓ |"""
ORDERS = """| Order | Refundable |
|---|---|
| Tickets | no |
| Deposit | yes |"""
HTML = (
    "<table><tr><th>Plan</th><th>SSO</th></tr><tr><td>Lite</td><td>✗</td></tr>"
    "<tr><td>Pro</td><td>✓</td></tr></table>"
)


@pytest.mark.parametrize(
    ("table", "wrong", "right"),
    [
        (GYM, "Bronze members may use the sauna.", "Silver members may use the sauna."),
        (GYM, "Gold does not include towels.", "Bronze does not include towels."),
        (GYM, "The Silver membership comes with a free guest pass.", "Gold has a guest pass."),
        (GYM, "Gold has Sauna: no.", "Bronze has Sauna: no."),
        (GYM, "Bronze and Gold have a sauna.", "Silver and Gold have a sauna."),
        (TRACKS, "במסלול יסוד יש ביטול חינם.", "במסלול מורחב יש ביטול חינם."),
        (TRACKS, "מסלול מורחב כולל ליווי אישי.", "מסלול יסוד אינו כולל ליווי אישי."),
        (FEATURES, "Basic has a dedicated server.", "Basic Plus has a dedicated server."),
        (FEATURES, "Basic Plus has no API access.", "Basic has API access."),
        (HTML, "Lite offers SSO.", "Pro offers SSO."),
    ],
)
def test_yes_or_no_is_compared_with_the_cell_of_that_row_and_column(
    table: str, wrong: str, right: str
) -> None:
    cells = Cells(["Prices on request.", table])
    assert cells.against(wrong)
    assert not cells.against(right)


@pytest.mark.parametrize(
    ("question", "wrong", "right"),
    [
        ("Does the Bronze membership have a sauna?", "Yes.", "No."),
        ("Does the Silver membership have a sauna?", "No, it has no sauna.", "Yes, it has one."),
        ("Which membership has towels?", "Bronze", "Gold"),
        ("האם במסלול יסוד יש ליווי אישי?", "כן.", "לא."),
    ],
)
def test_a_short_answer_is_compared_with_its_question(
    question: str, wrong: str, right: str
) -> None:
    cells = Cells([GYM, TRACKS])
    assert cells.against(as_answer(question, wrong))
    assert not cells.against(as_answer(question, right))


@pytest.mark.parametrize(
    ("table", "claim"),
    [
        (GYM, "Bronze members pay for the sauna."),
        (GYM, "Bronze members get a discount on the sauna."),
        (GYM, "Bronze had a sauna before the fire."),
        (GYM, "Bronze has a sauna voucher."),
        (GYM, "Bronze has the sauna only on Sundays."),
        (GYM, "Bronze includes 3 visits of the sauna."),
        (GYM, "Silver does not have the sauna or the guest pass."),
        (GYM, "The sauna is closed to Bronze members."),
        (FEATURES, "Basic supports a log."),
        (PLANS, "Silver has no ads."),
        (PLANS, "Silver has free export."),
        (ORDERS, "The deposit for tickets is refundable."),
        (FEATURES, "Basic has an audit log."),
        (TRACKS, "במסלול יסוד יהיה ליווי אישי."),
    ],
)
def test_a_claim_that_says_more_or_something_else_is_left_to_the_model(
    table: str, claim: str
) -> None:
    assert not Cells([table]).against(claim)


def test_tables_that_disagree_are_left_to_the_model() -> None:
    other = GYM.replace("| Bronze | ❌", "| Bronze | ✅")
    assert not Cells([GYM, other]).against("Bronze has a sauna.")


def test_the_cell_is_named_as_it_is_written() -> None:
    cell = Cells([GYM]).against("Bronze has a sauna.")
    assert cell is not None
    assert cell.answer.written == "Bronze, Sauna: ❌"
    assert cell.place.of(GYM).strip() == "Bronze | ❌ | ✅ | no"


def test_of_a_table_with_more_names_than_a_claim_can_mean_the_model_decides() -> None:
    words = [f"w{number}" for number in range(60)]
    head = "| Plan | " + " | ".join(words) + " |"
    table = f"{head}\n|{'---|' * 61}\n| Lite |{' no |' * 60}"
    assert Cells([table]).against("Lite has w1.")
    assert not Cells([table]).against("Lite has " + ", ".join(words[:55]) + ".")

"""The GIL case on a real index, a real server and the real model, and a review of a text."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from examples.gil_demo import analyse, came_out
from groundwire import Client, Contradiction, EvidenceVerdict, Relation, VerifyOptions
from groundwire_server.cli.review import review
from groundwire_server.config.settings import ClientSettings
from tests.serving import Served

ROOT = Path(__file__).parents[3]
HEBREW = "PEP 703 הופך את ה-GIL לאופציונלי."


def test_the_gil_case_comes_out(client: Client) -> None:
    analysis = analyse(client)
    denied, stated = analysis
    assert denied.verdict is EvidenceVerdict.HALLUCINATED
    assert Contradiction.DIRECT_NEGATION in denied.contradictions
    assert stated.verdict is EvidenceVerdict.GROUNDED
    assert came_out(analysis)
    assert stated.budget is not None
    assert stated.budget.grounded


@pytest.mark.parametrize(
    ("claim", "type_"),
    [
        ("Python 3.13 was released in October 2021.", Contradiction.TEMPORAL),
        ("On one thread a free-threaded build is 90 percent slower.", Contradiction.NUMERIC),
        ("PEP 703 was written by Guido Berg.", Contradiction.ENTITY),
    ],
)
def test_another_year_number_or_person_is_told_by_its_type(
    client: Client, claim: str, type_: Contradiction
) -> None:
    (found,) = client.analyze_text(claim, "python")
    assert found.verdict is EvidenceVerdict.HALLUCINATED
    assert type_ in found.contradictions


def test_the_dates_of_documents_mark_old_evidence(client: Client) -> None:
    (found,) = client.analyze_text("Tomatoes want six hours of sun.", "python")
    garden = next(each for each in found.evidence if each.document == "garden.md")
    assert garden.dated is not None
    assert garden.dated.isoformat() == "2021-05-09"
    assert garden.is_old
    assert garden.relation is Relation.SUPPORTS


def test_the_command_analyses_on_the_same_server(served: Served) -> None:
    command = [sys.executable, "-m", "groundwire_server.cli.main", "analyze", HEBREW]
    done = subprocess.run(
        [*command, "--target", served.target, "--markdown"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    assert "בני אדם מחליטים" in done.stdout


async def test_what_a_person_says_in_a_review_is_kept(
    served: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = iter(["n", "the corpus says otherwise"])
    settings = ClientSettings(target=served.target)
    code = await asyncio.to_thread(
        review,
        settings,
        "Python 3.12 completely removed the GIL.",
        "python",
        VerifyOptions(),
        lambda _: next(answers),
        all_claims=True,
    )
    assert code == 0
    assert "1 answers are kept" in capsys.readouterr().out

"""The GIL case on a real index, a real server and the real model, and a review of a text."""

import pytest

from examples.gil_demo import analyse, came_out
from groundwire import Client, Contradiction, EvidenceVerdict, Relation


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

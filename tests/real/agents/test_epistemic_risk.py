"""The GIL case on a real index, a real server and the real model, and a review of a text."""

import pytest

from examples.gil_demo import analyse, came_out
from groundwire import Client, Contradiction, Evidence, EvidenceVerdict, Relation, Verdict


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


OPTIONAL = "PEP 703 makes the GIL optional in CPython."
REMOVED = "Python 3.12 completely removed the GIL."


def test_a_claim_of_the_corpus_is_supported_and_its_denial_is_not(client: Client) -> None:
    report = client.verify_answer(f"{OPTIONAL} {REMOVED}", corpus="python")
    stated, denied = report
    assert stated.verdict is Verdict.SUPPORTED
    assert not denied.grounded
    documents = [source.document for source in report.sources]
    assert {"pep-703.md", "gil.md"} <= set(documents)
    assert [source.id for source in report.sources] == [f"P{i + 1}" for i in range(len(documents))]
    pep = report.sources[documents.index("pep-703.md")]
    assert (str(pep.dated), pep.dated_by) == ("2023-10-24", "front matter")


def test_the_same_passages_as_sources_have_the_same_verdicts(client: Client) -> None:
    report = client.verify_answer(OPTIONAL, corpus="python")
    sent = Evidence.documents([source.text for source in report.sources])
    by_hand = client.verify_answer(OPTIONAL, sent)
    assert [each.verdict for each in report] == [each.verdict for each in by_hand]

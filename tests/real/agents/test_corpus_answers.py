"""Answers by a corpus that the request names: a real index, a real server and the real model."""

from groundwire import Client, Evidence, Verdict

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

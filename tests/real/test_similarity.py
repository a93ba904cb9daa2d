"""Similarity on the real server, beside the reads of the real model: what each of them sees."""

from groundwire import Client, Verdict
from tests.serving import Served

CONTEXT = "The bridge of Arden opened in 1932. It is 503 metres long and carries eight lanes."
RIGHT = "The bridge of Arden opened in 1932."
WRONG = "The bridge of Arden opened in 1871."
ELSEWHERE = "Ada keeps bees in her garden."


def test_similarity_passes_another_year_which_the_reads_do_not(served: Served) -> None:
    with Client(served.target) as client:
        compared = client.check_similarity(f"{RIGHT} {WRONG} {ELSEWHERE}", [CONTEXT])
        read = client.verify_claims([RIGHT, WRONG, ELSEWHERE], CONTEXT)
    assert [each.text for each in compared.unsupported] == [ELSEWHERE]
    assert compared.hallucination_score == 1 / 3
    verdicts = [claim.verdict is Verdict.SUPPORTED for claim in read]
    assert verdicts == [True, False, False]


def test_an_answer_without_a_sentence_has_no_score(served: Served) -> None:
    with Client(served.target) as client:
        assert client.check_similarity("Yes.", [CONTEXT]).hallucination_score is None

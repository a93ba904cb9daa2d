"""What of the evidence moves the real model: a question, and a title that states the claim."""

from collections.abc import Iterator

import pytest

from groundwire import ClaimInput, Client, Document, Evidence, NonAssertiveReason, VerifyOptions
from tests.serving import Served

BELIEVED = 0.5
CASES = {
    "en": (
        "The library in Oxten opened in 1934 and holds 80,000 books.",
        "The library in Oxten holds 80,000 books.",
        "The library in Oxten lends musical instruments.",
        "Does the library in Oxten lend musical instruments?",
    ),
    "he": (
        "הספרייה העירונית נפתחה בשנת 1934 ויש בה 80,000 ספרים.",
        "הספרייה העירונית נפתחה בשנת 1934.",
        "הספרייה העירונית משאילה כלי נגינה.",
        "האם הספרייה העירונית משאילה כלי נגינה?",
    ),
}


@pytest.fixture(scope="module")
def client(served: Served) -> Iterator[Client]:
    with Client(served.target, timeout_s=120) as client:
        yield client


@pytest.mark.parametrize("language", CASES)
def test_a_question_is_told_and_moves_nothing_once_it_is_left_out(
    client: Client, language: str
) -> None:
    text, _, claim, question = CASES[language]
    claims = [ClaimInput(claim, ("S0",))]
    plain = client.verify_claims(claims, Evidence.documents([Document("S0", text)]))
    asking = Evidence.documents([Document("S0", f"{text} {question}")])
    read = client.verify_claims(claims, asking)
    left_out = client.verify_claims(claims, asking, options=VerifyOptions(skip_non_evidence=True))
    assert [each.kind for each in read.run.non_evidence] == [NonAssertiveReason.QUESTION]
    assert left_out[0].p1 == plain[0].p1
    assert plain[0].p1 is not None
    assert plain[0].p1 < BELIEVED
    assert read[0].p1 is not None
    assert read[0].p1 > plain[0].p1


@pytest.mark.parametrize("language", CASES)
def test_a_claim_cannot_be_read_off_the_title_of_its_source(client: Client, language: str) -> None:
    text, claim, *_ = CASES[language]
    evidence = Evidence.documents([Document("S0", text, claim)])
    (found,) = client.verify_claims([ClaimInput(claim, ("S0",))], evidence)
    assert found.prior_title_ids == ("S0",)
    assert found.p0 is not None
    assert found.p0 < BELIEVED
    assert found.grounded

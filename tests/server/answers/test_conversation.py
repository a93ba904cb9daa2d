"""An answer in its conversation, on the real server: what of it is read with which question."""

from collections.abc import AsyncIterator

import pytest
from grpc import aio

from groundwire.v1 import hallucination_detection_pb2 as pb
from tests.scripted import WAIT_LIMIT_S, Scripted, scripted_server, violations_of
from tests.scripted_services.detection import believes, documents, stub_of

PRICE, CHILDREN = "What does a ticket cost?", "And for children?"
EVIDENCE = documents("Tickets: adults 12 euros, children 6 euros. The museum opens at nine.")


@pytest.fixture
async def served() -> AsyncIterator[Scripted]:
    async with scripted_server(limits={"sources": 8}, max_text_characters=1000) as served:
        served.engine.answer = believes({})
        yield served


def user(text: str) -> pb.Turn:
    return pb.Turn(role=pb.TURN_ROLE_USER, text=text)


def assistant(text: str) -> pb.Turn:
    return pb.Turn(role=pb.TURN_ROLE_ASSISTANT, text=text)


async def read(
    served: Scripted, answer: str, *turns: pb.Turn, question: str = ""
) -> tuple[list[str], pb.VerifyAnswerResponse]:
    """The claims as the model read them, each once, and the report."""
    request = pb.VerifyAnswerRequest(
        answer=answer, evidence=EVIDENCE, turns=turns, question=question
    )
    response = await stub_of(served).VerifyAnswer(request, timeout=WAIT_LIMIT_S)
    return list(dict.fromkeys(served.engine.claims)), response


async def test_a_short_answer_to_a_follow_up_is_read_with_both_questions(
    served: Scripted,
) -> None:
    turns = (user(PRICE), assistant("12 euros"), user(CHILDREN))
    claims, response = await read(served, "6 euros", *turns)
    assert claims == [f"Question: {PRICE} {CHILDREN} Answer: 6 euros"]
    assert response.summary.total_claims == 1


async def test_a_short_answer_in_hebrew_is_read_with_both_questions(served: Scripted) -> None:
    claims, response = await read(served, "שישה", user("כמה עולה כרטיס?"), user("ולילדים?"))
    assert claims == ["Question: כמה עולה כרטיס? ולילדים? Answer: שישה"]
    assert response.summary.total_claims == 1


async def test_a_short_answer_without_a_conversation_is_no_claim(served: Scripted) -> None:
    claims, response = await read(served, "6 euros", assistant("12 euros"))
    assert claims == []
    assert response.summary.total_claims == 0


async def test_of_a_longer_answer_only_claims_that_point_back_are_read_with_the_question(
    served: Scripted,
) -> None:
    answer = "It opens at nine. Children pay 6 euros on all days."
    claims, _ = await read(served, answer, user("When does the museum open?"))
    assert claims == [
        "Question: When does the museum open? Answer: It opens at nine.",
        "Children pay 6 euros on all days.",
    ]


async def test_with_a_question_all_claims_are_read_with_it_and_with_what_it_goes_on_with(
    served: Scripted,
) -> None:
    answer = "Children pay 6 euros on all days."
    claims, _ = await read(served, answer, user(PRICE), question=CHILDREN)
    assert claims == [f"Question: {PRICE} {CHILDREN} Answer: {answer}"]


async def test_turns_are_no_evidence(served: Scripted) -> None:
    said = "The museum has three floors."
    served.engine.answer = believes({said: said})
    _, response = await read(served, said, user(said), assistant(said))
    assert not response.summary.overall_grounded


@pytest.mark.parametrize(
    ("turns", "field"),
    [
        ([pb.Turn(text="x")], "turns[0].role"),
        ([user("x"), pb.Turn(role=99, text="x")], "turns[1].role"),  # type: ignore[arg-type]
        ([user("x"), assistant("y" * 1001)], "turns[1].text"),
        ([user("x")] * 9, "turns"),
    ],
)
async def test_bad_turns_are_refused_by_name(
    served: Scripted, turns: list[pb.Turn], field: str
) -> None:
    with pytest.raises(aio.AioRpcError) as caught:
        await read(served, "6 euros", *turns)
    assert list(violations_of(caught.value)) == [field]

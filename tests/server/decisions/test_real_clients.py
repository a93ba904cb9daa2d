"""The clients that people have for the two shapes, against a real server with scripted readings."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import openai
import pytest
import typesafe_sdk
from openai.types.decision import (
    AnswerAnswerResourceChoice,
    AnswerAnswerResourcePredicate,
    AnswerAnswerResourceRefusal,
    AnswerAnswerResourceScore,
)
from typesafe_sdk import AsyncTypeSafeClient, Choice, Noul, RetryPolicy, Score

from tests.scripted import ScriptedEngine, scripted_server

STATE = "I was charged twice. Please refund me."
CHARGED = "The customer was charged twice."
TOKEN = "violet-anvil-7"
NO_RETRY = RetryPolicy(max_retries=0)


@dataclass(frozen=True)
class Clients:
    """Both clients of one server, and its engine."""

    engine: ScriptedEngine
    openai: openai.AsyncOpenAI
    typesafe: AsyncTypeSafeClient
    base: str


@pytest.fixture
async def clients() -> AsyncIterator[Clients]:
    async with scripted_server(http_listen="127.0.0.1:0", auth_token=TOKEN) as served:
        assert served.running.http is not None
        base = f"http://{served.running.http.target}"
        served.engine.answers = {CHARGED: (0.75, 0.05)}
        served.engine.labels = {"A": 0.2, "B": 0.6, "0": 0.3, "1": 0.6}
        async with (
            openai.AsyncOpenAI(api_key=TOKEN, base_url=f"{base}/v1", max_retries=0) as of_openai,
            AsyncTypeSafeClient(
                api_key=TOKEN, base_url=base, model="local", retry=NO_RETRY
            ) as of_typesafe,
        ):
            yield Clients(served.engine, of_openai, of_typesafe, base)


async def test_openai_reads_all_kinds_of_answers(clients: Clients) -> None:
    found = await clients.openai.decisions.create(
        model="local",
        input=[{"role": "user", "content": [{"type": "input_text", "text": STATE}]}],
        questions=[
            {"type": "predicate", "name": "charged", "instructions": CHARGED},
            {
                "type": "choice",
                "instructions": "What about?",
                "choices": [{"value": "billing"}, {"value": False, "description": "nothing"}],
            },
            {
                "type": "score",
                "instructions": "How urgent?",
                "levels": [{"label": "low"}, {"label": "high"}],
            },
        ],
    )
    predicate, choice, score = found.answers
    assert isinstance(predicate, AnswerAnswerResourcePredicate)
    assert predicate.name == "charged"
    assert predicate.probability == pytest.approx(0.9375)
    assert isinstance(choice, AnswerAnswerResourceChoice)
    assert choice.choice is False
    assert [share.value for share in choice.probabilities] == ["billing", False]
    assert isinstance(score, AnswerAnswerResourceScore)
    assert score.score == pytest.approx(2 / 3)
    assert [level.label for level in score.probabilities] == ["low", "high"]
    assert found.model == "scripted-model"
    assert found.usage.total_tokens == found.usage.input_tokens > 0


async def test_openai_reads_no_probability_as_a_refusal(clients: Clients) -> None:
    clients.engine.answers = {CHARGED: (0.01, 0.01)}
    found = await clients.openai.decisions.create(
        model="local",
        input=STATE,
        questions=[{"type": "predicate", "name": "charged", "instructions": CHARGED}],
    )
    (answer,) = found.answers
    assert isinstance(answer, AnswerAnswerResourceRefusal)
    assert answer.name == "charged"


async def test_openai_raises_its_own_errors_with_our_reasons(clients: Clients) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        await clients.openai.decisions.create(model="gpt-6-luna", input=STATE, questions=[])
    assert refused.value.code == "EMPTY_BATCH"
    assert refused.value.param == "questions"
    stranger = clients.openai.with_options(api_key="x")
    with pytest.raises(openai.AuthenticationError) as unknown:
        await stranger.decisions.create(model="local", input=STATE, questions=[])
    assert unknown.value.code == "INVALID_TOKEN"


async def test_typesafe_reads_all_kinds_of_answers(clients: Clients) -> None:
    found = await clients.typesafe.system_one(
        state={"message": STATE},
        questions={
            "charged": Noul(instructions=CHARGED),
            "topic": Choice(instructions="What?", criteria={"billing": None, "other": "rest"}),
            "urgency": Score(instructions="How urgent?", criteria=["low", "high"]),
        },
    )
    assert found.nouls["charged"].noul == pytest.approx(0.9375)
    assert found.choices["topic"].choice == "other"
    assert found.choices["topic"].confidence == pytest.approx(0.6)
    assert found.scores["urgency"].score == pytest.approx(2 / 3)
    assert found.scores["urgency"].legend == {0: "low", 1: "high"}
    assert found.model == "scripted-model"


async def test_typesafe_leaves_out_what_has_no_probability(clients: Clients) -> None:
    clients.engine.labels = {"A": 0.1}
    found = await clients.typesafe.system_one(
        STATE,
        {
            "charged": Noul(instructions=CHARGED),
            "topic": Choice(criteria={"billing": None, "other": None}),
        },
    )
    assert list(found.answers) == ["charged"]


async def test_typesafe_raises_its_own_errors_with_our_words(clients: Clients) -> None:
    with pytest.raises(typesafe_sdk.TypeSafeBadRequestError, match="model: no backend"):
        await clients.typesafe.system_one(STATE, {"a": Noul(instructions=CHARGED)}, model="jev")
    async with AsyncTypeSafeClient(api_key="x", base_url=clients.base, retry=NO_RETRY) as stranger:
        with pytest.raises(typesafe_sdk.TypeSafeAuthenticationError):
            await stranger.system_one(STATE, {"a": Noul(instructions=CHARGED)})

"""The shapes of other engines over HTTP: what is asked, what comes back, and what is refused."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx2
import pytest
from pydantic import JsonValue

from tests.scripted import Scripted, ScriptedEngine, scripted_server

STATE = "I was charged twice. Please refund me."
CHARGED = "The customer was charged twice."
TOKEN = "violet-anvil-7"
MESSAGE_BYTES = 100_000
SYSTEM_ONE, DECISIONS = "/v1/systemone", "/v1/decisions"


@dataclass(frozen=True)
class Door:
    """The HTTP port of a scripted server."""

    served: Scripted
    client: httpx2.AsyncClient

    @property
    def engine(self) -> ScriptedEngine:
        return self.served.engine

    async def post(self, path: str, body: object, status: int = 200) -> dict[str, JsonValue]:
        response = await self.client.post(path, json=body)
        assert response.status_code == status, response.text
        found: dict[str, JsonValue] = response.json()
        return found


@pytest.fixture
async def door() -> AsyncIterator[Door]:
    async with scripted_server(
        http_listen="127.0.0.1:0", auth_token=TOKEN, max_message_bytes=MESSAGE_BYTES
    ) as served:
        assert served.running.http is not None
        headers = {"authorization": f"Bearer {TOKEN}"}
        base = f"http://{served.running.http.target}"
        async with httpx2.AsyncClient(base_url=base, headers=headers) as client:
            yield Door(served, client)


NOUL = {"type": "noul", "instructions": CHARGED}
PREDICATE = {"type": "predicate", "instructions": CHARGED}


async def test_system_one_answers_each_question_under_its_id(door: Door) -> None:
    door.engine.answers = {CHARGED: (0.75, 0.05)}
    door.engine.labels = {"A": 0.2, "B": 0.6, "0": 0.3, "1": 0.6}
    choice = {"type": "choice", "instructions": "What?", "criteria": {"a": None, "b": "late"}}
    score = {"type": "score", "instructions": "How urgent?", "criteria": ["low", {"level": "high"}]}
    body = {"state": STATE, "questions": {"charged": NOUL, "topic": choice, "urgency": score}}
    found = await door.post(SYSTEM_ONE, body)
    answers = found["answers"]
    assert isinstance(answers, dict)
    assert answers["charged"] == {"type": "noul", "noul": pytest.approx(0.9375)}
    assert answers["topic"] == {
        "type": "choice",
        "choice": "b",
        "probabilities": {"a": pytest.approx(0.25), "b": pytest.approx(0.75)},
        "confidence": pytest.approx(0.6),
    }
    assert answers["urgency"] == {
        "type": "score",
        "score": pytest.approx(2 / 3),
        "legend": {"0": "low", "1": {"level": "high"}},
        "probabilities": {"0": pytest.approx(1 / 3), "1": pytest.approx(2 / 3)},
        "confidence": pytest.approx(0.6),
    }
    assert found["diagnostics"] == {
        "charged": {"label_mass": pytest.approx(0.8), "no_probability_reason": None},
        "topic": {"label_mass": pytest.approx(0.8), "no_probability_reason": None},
        "urgency": {"label_mass": pytest.approx(0.9), "no_probability_reason": None},
    }
    assert found["object"] == "structured_decision"
    assert found["model"] == "scripted-model"


async def test_decisions_answers_a_list_in_its_order(door: Door) -> None:
    door.engine.answers = {CHARGED: (0.75, 0.05)}
    door.engine.labels = {"A": 0.2, "B": 0.6, "0": 0.3, "1": 0.6}
    choice = {"type": "choice", "name": "paid", "instructions": "Paid?"}
    choice["choices"] = [{"value": True}, {"value": "unknown", "description": "not said"}]  # type: ignore[assignment]
    score = {"type": "score", "instructions": "How urgent?"}
    score["levels"] = [{"label": "low"}, {"label": "high"}]  # type: ignore[assignment]
    body = {"model": "local", "input": STATE, "questions": [PREDICATE, choice, score]}
    found = await door.post(DECISIONS, body)
    assert found["answers"] == [
        {"type": "predicate", "name": None, "probability": pytest.approx(0.9375)},
        {
            "type": "choice",
            "name": "paid",
            "choice": "unknown",
            "probabilities": [
                {"value": True, "probability": pytest.approx(0.25)},
                {"value": "unknown", "probability": pytest.approx(0.75)},
            ],
            "confidence": pytest.approx(0.6),
        },
        {
            "type": "score",
            "name": None,
            "score": pytest.approx(2 / 3),
            "probabilities": [
                {"value": 0, "label": "low", "probability": pytest.approx(1 / 3)},
                {"value": 1, "label": "high", "probability": pytest.approx(2 / 3)},
            ],
            "confidence": pytest.approx(0.6),
        },
    ]
    assert isinstance(found["usage"], dict)
    assert found["usage"]["total_tokens"] == sum(map(len, door.engine.prompts))


async def test_no_probability_is_a_refusal_in_both_shapes(door: Door) -> None:
    door.engine.answers = {CHARGED: (0.02, 0.01)}
    door.engine.labels = {"A": 0.08}
    choice = {"type": "choice", "criteria": {"a": None, "b": None}}
    one = await door.post(SYSTEM_ONE, {"state": STATE, "questions": {"x": NOUL, "y": choice}})
    assert one["answers"] == {"x": {"type": "refusal"}, "y": {"type": "refusal"}}
    low = "LABEL_MASS_BELOW_FLOOR"
    assert one["diagnostics"] == {
        "x": {"label_mass": pytest.approx(0.03), "no_probability_reason": low},
        "y": {"label_mass": pytest.approx(0.08), "no_probability_reason": low},
    }
    other = await door.post(DECISIONS, {"input": STATE, "questions": [PREDICATE | {"name": "x"}]})
    assert other["answers"] == [{"type": "refusal", "name": "x"}]
    assert other["diagnostics"] == [
        {"label_mass": pytest.approx(0.03), "no_probability_reason": low}
    ]


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (STATE, STATE),
        ([{"role": "user", "content": STATE}], STATE),
        ([{"role": "user", "content": [{"type": "input_text", "text": STATE}]}], STATE),
        ([{"role": "user", "content": [{"type": "input_json", "data": {"a": 1}}]}], '{"a": 1}'),
        (
            [
                {"type": "message", "role": "user", "content": "Weather?"},
                {"type": "function_call", "call_id": "1", "name": "get", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "1", "output": "Rain."},
            ],
            "user: Weather?\n\ncall of get: {}\n\noutput: Rain.",
        ),
    ],
)
async def test_an_input_is_read_as_one_text(door: Door, given: object, read: str) -> None:
    await door.post(DECISIONS, {"input": given, "questions": [PREDICATE]})
    assert door.engine.prompts[0].startswith(f"Given the following context:\n{read}\n\nIs the")


async def test_a_state_of_json_is_read_as_its_text(door: Door) -> None:
    body = {"state": {"subject": "מחיר"}, "instructions": "Be strict.", "questions": {"a": NOUL}}
    await door.post(SYSTEM_ONE, body)
    assert 'context:\n{"subject": "מחיר"}\n\nBe strict.\n\nIs' in door.engine.prompts[0]


CHOICE = {"type": "choice", "criteria": {"a": None, " a ": None}}
LEVELS = {"type": "score", "instructions": "a", "levels": [{"label": "a"}, {"label": "a"}]}
REFUSED: dict[str, tuple[str, object, str, str]] = {
    "an option twice": (
        SYSTEM_ONE,
        {"state": STATE, "questions": {"a": CHOICE}},
        "questions[0].criteria[1]",
        "INVALID_QUESTION",
    ),
    "a level twice": (
        DECISIONS,
        {"input": STATE, "questions": [LEVELS]},
        "questions[0].levels[1].label",
        "INVALID_QUESTION",
    ),
    "no state": (SYSTEM_ONE, {"state": "", "questions": {"a": NOUL}}, "state", "EMPTY_TEXT"),
    "no input": (DECISIONS, {"input": " ", "questions": [PREDICATE]}, "input", "EMPTY_TEXT"),
    "no question": (DECISIONS, {"input": STATE, "questions": []}, "questions", "EMPTY_BATCH"),
    "another model": (
        SYSTEM_ONE,
        {"model": "jev", "state": STATE, "questions": {"a": NOUL}},
        "model",
        "UNKNOWN_BACKEND",
    ),
    "a picture": (
        SYSTEM_ONE,
        {"state": STATE, "questions": {"a": NOUL}, "images": ["x"]},
        "images",
        "MALFORMED_REQUEST",
    ),
    "a salt": (
        DECISIONS,
        {"input": STATE, "questions": [PREDICATE], "prompt_cache_key": "x"},
        "prompt_cache_key",
        "MALFORMED_REQUEST",
    ),
    "a box": (
        SYSTEM_ONE,
        {"state": STATE, "questions": {"a": {"type": "box"}}},
        "questions.a",
        "MALFORMED_REQUEST",
    ),
    "a number for a text": (
        SYSTEM_ONE,
        {"state": STATE, "questions": {"a": NOUL | {"instructions": 1}}},
        "questions.a.noul.instructions.str",
        "MALFORMED_REQUEST",
    ),
}


@pytest.mark.parametrize(("path", "body", "field", "reason"), REFUSED.values(), ids=REFUSED)
async def test_what_cannot_be_asked_is_refused_in_the_form_of_openai(
    door: Door, path: str, body: object, field: str, reason: str
) -> None:
    found = await door.post(path, body, status=400)
    error = found["error"]
    assert isinstance(error, dict)
    assert error["type"] == "invalid_request_error"
    assert (error["param"], error["code"]) == (field, reason)
    assert str(error["message"]).startswith(f"{field}: ")
    assert door.engine.prompts == []


@pytest.mark.parametrize("path", [SYSTEM_ONE, DECISIONS])
async def test_a_call_without_the_token_is_refused(door: Door, path: str) -> None:
    response = await door.client.post(path, json={}, headers={"authorization": "Bearer x"})
    assert response.status_code == 401
    assert response.json()["error"]["code"] == "INVALID_TOKEN"
    assert response.json()["error"]["type"] == "authentication_error"


@pytest.mark.parametrize("data", [b"\xff", b"{", b'{"state": "\\ud800"}', b"[]"])
async def test_a_body_that_is_no_json_is_refused(door: Door, data: bytes) -> None:
    headers = {"content-type": "application/json"}
    response = await door.client.post(SYSTEM_ONE, content=data, headers=headers)
    assert response.status_code == 400
    assert response.json()["error"]["code"] == "MALFORMED_REQUEST"


async def test_what_the_door_itself_refuses_has_the_form_of_openai_too(door: Door) -> None:
    large = await door.client.post(DECISIONS, json={"input": "x" * MESSAGE_BYTES})
    assert large.status_code == 429
    assert large.json()["error"]["type"] == "rate_limit_error"

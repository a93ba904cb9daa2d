"""AuditTrace on chat messages with tool calls, on a real server with a scripted model."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest
from google.protobuf import json_format
from grpc import aio

from groundwire import AsyncClient, StepStatus, UnverifiableReason
from groundwire.v1 import trace_audit_pb2 as pb
from groundwire_server.cli.main import main
from tests.scripted import Scripted, violations_of
from tests.scripted_services.detection import believes
from tests.scripted_services.traces import auditing, contexts_of, statuses, stub_of

Message = dict[str, object]
RESULT = "A ticket costs 12 dollars."
READ = "One ticket is 12 dollars."
MADE_UP = "A dog is free."
ANSWER = "Three tickets cost 36 dollars."


def call(id_: str = "call_1", name: str = "price") -> Message:
    function = {"name": name, "arguments": '{"item": "ticket"}'}
    return {"id": id_, "type": "function", "function": function}


def chat(said: str | None = READ) -> list[Message]:
    return [
        {"role": "system", "content": "You sell tickets."},
        {"role": "user", "content": "What do three tickets cost?"},
        {"role": "assistant", "content": None, "tool_calls": [call()]},
        {"role": "tool", "tool_call_id": "call_1", "content": RESULT},
        {"role": "assistant", "content": said, "tool_calls": [call("call_2", "multiply")]},
        {"role": "tool", "tool_call_id": "call_2", "content": "36"},
        {"role": "assistant", "content": ANSWER},
    ]


@pytest.fixture
async def served() -> AsyncIterator[Scripted]:
    async with auditing() as served:
        served.engine.answer = believes({READ: RESULT, ANSWER: "36"})
        yield served


def request(messages: list[Message], **fields: object) -> pb.AuditTraceRequest:
    """As the HTTP door reads the JSON of OpenAI's API."""
    return json_format.ParseDict({"messages": messages, **fields}, pb.AuditTraceRequest())


async def audit(
    served: Scripted, messages: list[Message], **fields: object
) -> pb.AuditTraceResponse:
    return await stub_of(served).AuditTrace(request(messages, **fields), timeout=20)


async def test_what_the_assistant_says_and_calls_are_steps(served: Scripted) -> None:
    response = await audit(served, chat())
    assert [step.text for step in response.steps] == [
        'price({"item": "ticket"})',
        READ,
        'multiply({"item": "ticket"})',
    ]
    assert statuses(response) == ["UNVERIFIABLE", "ENTAILED", "UNVERIFIABLE"]
    calls = [response.steps[0], response.steps[2]]
    assert {each.unverifiable_reason for each in calls} == {pb.UNVERIFIABLE_REASON_TOOL_CALL}


async def test_what_tools_returned_and_others_said_is_evidence(served: Scripted) -> None:
    await audit(served, chat())
    evidence, _ = contexts_of(served, READ)
    for text in (RESULT, "You sell tickets.", 'price({"item": "ticket"})'):
        assert text in evidence
    assert ANSWER not in evidence


async def test_the_last_message_is_the_answer_and_follows_from_results_too(
    served: Scripted,
) -> None:
    served.engine.answer = lambda prompt: (
        (0.1, 0.85) if "[EVIDENCE REMOVED]" in prompt else (0.97, 0.01)
    )
    response = await audit(served, chat(None))
    assert response.post_hoc.status == pb.POST_HOC_STATUS_FOLLOWS
    assert response.sound
    asked = [prompt for prompt in served.engine.prompts if f"Answer: {ANSWER}" in prompt]
    assert any(RESULT in prompt and "What do three tickets cost?" in prompt for prompt in asked)


async def test_what_no_result_carries_is_not_in_the_context(served: Scripted) -> None:
    response = await audit(served, chat(MADE_UP))
    assert statuses(response)[1] == "NOT_IN_CONTEXT"
    assert response.first_unsupported_step == 1
    assert not response.sound


async def test_a_hebrew_chat_is_read_the_same(served: Scripted) -> None:
    said, result = "כרטיס אחד עולה 12 שקלים.", "מחיר כרטיס: 12 שקלים."
    served.engine.answer = believes({said: result})
    messages: list[Message] = [
        {"role": "user", "content": "כמה עולה כרטיס?"},
        {"role": "assistant", "tool_calls": [call()]},
        {"role": "tool", "tool_call_id": "call_1", "content": result},
        {"role": "assistant", "content": said, "tool_calls": [call("call_2")]},
    ]
    response = await audit(served, messages)
    assert statuses(response) == ["UNVERIFIABLE", "ENTAILED", "UNVERIFIABLE"]
    assert response.post_hoc.reason == pb.POST_HOC_REASON_NO_ANSWER


def changed(index: int, **fields: object) -> list[Message]:
    return [each | fields if i == index else each for i, each in enumerate(chat())]


@pytest.mark.parametrize(
    ("messages", "fields", "field"),
    [
        (changed(0, role="robot"), {}, "messages[0].role"),
        (changed(3, tool_call_id="other"), {}, "messages[3].tool_call_id"),
        (changed(1, tool_calls=[call()]), {}, "messages[1].tool_calls"),
        (
            changed(2, tool_calls=[call(name=" ")]),
            {},
            "messages[2].tool_calls[0].function.name",
        ),
        (chat(), {"steps": ["a"]}, "steps"),
        (chat(), {"evidence": {"context": "a"}}, "evidence.context"),
        ([{"role": "user", "content": "hi"}], {}, "messages"),
        (changed(4, content="a" * 4001), {}, "messages[4].content"),
    ],
)
async def test_messages_that_are_no_trace_are_refused_with_their_field(
    served: Scripted, messages: list[Message], fields: Mapping[str, object], field: str
) -> None:
    with pytest.raises(aio.AioRpcError) as caught:
        await audit(served, messages, **fields)
    assert field in violations_of(caught.value)


async def test_the_python_client_takes_them_as_dicts(served: Scripted) -> None:
    async with AsyncClient(served.running.target) as client:
        parts: Message = {"type": "text", "text": READ}
        found = await client.audit_trace(changed(4, content=[parts]))
        assert [step.text for step in found][1] == READ
        assert found[1].status is StepStatus.ENTAILED
        assert found[0].unverifiable_reason is UnverifiableReason.TOOL_CALL
        assert found[0].is_supported
        for wrong in ({"role": 3}, {"role": "assistant", "tool_calls": [{"id": "a"}]}):
            with pytest.raises(TypeError, match=r"steps\[0\]"):
                await client.audit_trace([wrong])
        with pytest.raises(TypeError, match="not both"):
            await client.audit_trace(["a", {"role": "user"}])  # type: ignore[arg-type]


async def test_the_command_reads_a_file_of_them(
    served: Scripted, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "chat.json"
    target = ("--target", served.running.target)
    file.write_text(json.dumps(chat(MADE_UP)), encoding="utf-8")
    assert await asyncio.to_thread(main, ["trace", str(file), *target]) == 1
    assert f"2. NOT_IN_CONTEXT  {MADE_UP}" in capsys.readouterr().out
    file.write_text(json.dumps({"steps": [READ], "context": RESULT}), encoding="utf-8")
    assert await asyncio.to_thread(main, ["trace", str(file), "--json", *target]) == 0
    assert json.loads(capsys.readouterr().out)["steps"][0]["status"] == "ENTAILED"
    file.write_text('{"step": []}', encoding="utf-8")
    assert await asyncio.to_thread(main, ["trace", str(file), *target]) == 2
    assert "takes a list of chat messages" in capsys.readouterr().err

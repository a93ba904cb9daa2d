"""What the clients make of the assessment of a response, and which ones they refuse."""

import pytest

from groundwire import (
    AssessmentLayer,
    InvalidRequestError,
    SuggestedAction,
    ToolCall,
)
from groundwire.v1 import response_assessment_pb2 as pb
from tests.client.plain_answers import RESPONSE, assessment
from tests.client.scripted import AnyClient, ScriptedServer, settle


async def test_an_assessment_has_the_report_of_each_layer_and_says_its_action(
    client: AnyClient,
) -> None:
    found = await settle(client.assess_response(RESPONSE))
    assert found.layer(AssessmentLayer.COMMON_SENSE) is found.layers[1]
    assert str(found.reasons[0]).startswith("[Heuristic] ")
    assert str(found) == "WARN (confidence 0.75)"


async def test_a_request_has_all_that_was_asked(server: ScriptedServer, client: AnyClient) -> None:
    calls = [
        ToolCall("a", "{}", "", duration_s=0.5),
        ToolCall("b", error="time-out"),
        ToolCall("c"),
    ]
    await settle(
        client.assess_response(
            RESPONSE,
            calls,
            question="q",
            layers=[AssessmentLayer.HEURISTIC],
            language="he",
            backend="main",
            skip_result_cache=True,
        )
    )
    expected = pb.AssessResponseRequest(
        question="q",
        response=RESPONSE,
        tool_calls=[
            pb.ToolCall(name="a", arguments="{}", result=""),
            pb.ToolCall(name="b", error="time-out"),
            pb.ToolCall(name="c"),
        ],
        layers=[pb.ASSESSMENT_LAYER_HEURISTIC],
        language="he",
        backend="main",
        skip_result_cache=True,
    )
    expected.tool_calls[0].duration.FromMilliseconds(500)
    assert server.received[-1].request == expected
    assert [c.WhichOneof("outcome") for c in expected.tool_calls] == ["result", "error", None]


async def test_a_call_with_two_outcomes_and_an_unknown_layer_are_refused_here(
    server: ScriptedServer, client: AnyClient
) -> None:
    for arguments, field in (
        ({"tool_calls": [ToolCall("a", result="x", error="y")]}, "tool_calls[0]"),
        ({"layers": [AssessmentLayer.UNKNOWN]}, "layers[0]"),
        ({"tool_calls": [ToolCall("a", "\ud800")]}, "tool_calls[0].arguments"),
    ):
        with pytest.raises(InvalidRequestError) as caught:
            await settle(client.assess_response(RESPONSE, **arguments))
        assert caught.value.violations[0].field == field
    assert server.received == []


async def test_an_action_that_is_newer_than_the_client_is_not_fine(
    server: ScriptedServer, client: AnyClient
) -> None:
    response = assessment()
    response.suggested_action = 99  # type: ignore[assignment]
    server.script(response)
    found = await settle(client.assess_response(RESPONSE))
    assert found.suggested_action is SuggestedAction.UNKNOWN

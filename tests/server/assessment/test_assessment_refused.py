"""Requests for assessments that are refused whole, before anything is read."""

import json
from pathlib import Path

import grpc
import pytest
from grpc import aio

from groundwire.v1 import response_assessment_pb2 as pb
from groundwire_server.config.sources import ConfigError
from groundwire_server.features.response_assessment import read_patterns
from tests.scripted import WAIT_LIMIT_S, reason_of, scripted_settings, violations_of
from tests.scripted_services.assessment import COLD, WEATHER, assess, assessing, kinds_of, stub_of

Request = pb.AssessResponseRequest
DEEP = "[" * 100_000


def _with_layers(*numbers: int) -> Request:
    """A request with layers that the stubs' types do not allow."""
    return Request(response=COLD, layers=numbers)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("field", "reason", "request_", "words"),
    [
        ("response", "EMPTY_TEXT", Request(), "no visible character"),
        ("response", "EMPTY_TEXT", Request(response=" \n\u200b"), "no visible character"),
        ("response", "TEXT_TOO_LONG", Request(response="x" * 4001), "4,000"),
        ("question", "TEXT_TOO_LONG", Request(response=COLD, question="x" * 1001), "1,000"),
        (
            "tool_calls[0]", "INVALID_TOOL_CALL",
            Request(response=COLD, tool_calls=[pb.ToolCall(name="t")]), "neither a result",
        ),
        (
            "tool_calls[1]", "INVALID_TOOL_CALL",
            Request(response=COLD, tool_calls=[WEATHER, pb.ToolCall(name="t", error=" ")]),
            "without a visible",
        ),
        (
            "tool_calls[0].name", "INVALID_TOOL_CALL",
            Request(response=COLD, tool_calls=[pb.ToolCall(result="x")]), "200",
        ),
        (
            "tool_calls[0].arguments", "INVALID_TOOL_CALL",
            Request(
                response=COLD, tool_calls=[pb.ToolCall(name="t", arguments="{city}", result="x")]
            ),
            "not JSON",
        ),
        (
            "tool_calls[0].arguments", "INVALID_TOOL_CALL",
            Request(
                response=COLD,
                tool_calls=[pb.ToolCall(name="t", arguments=DEEP[:19_000], result="x")],
            ),
            "nested too deeply",
        ),
        (
            "tool_calls[0].result", "TEXT_TOO_LONG",
            Request(response=COLD, tool_calls=[pb.ToolCall(name="t", result="x" * 20_001)]),
            "20,000",
        ),
        (
            "tool_calls", "TEXT_TOO_LONG",
            Request(response=COLD, tool_calls=[pb.ToolCall(name="t", result="x" * 15_000)] * 3),
            "40,000",
        ),
        (
            "tool_calls", "INVALID_TOOL_CALL",
            Request(response=COLD, tool_calls=[WEATHER] * 33), "32",
        ),
        ("layers[0]", "INVALID_OPTION", _with_layers(0), "unknown value"),
        ("layers[1]", "INVALID_OPTION", _with_layers(1, 99), "unknown value"),
        ("layers", "INVALID_OPTION", _with_layers(1, 1), "twice"),
        ("language", "INVALID_OPTION", Request(response=COLD, language="fr"), "en, he"),
        ("backend", "UNKNOWN_BACKEND", Request(response=COLD, backend="no"), "local"),
    ],
)  # fmt: skip
async def test_what_is_wrong_is_refused_with_its_field_and_limit(
    field: str, reason: str, request_: Request, words: str
) -> None:
    async with assessing() as served:
        with pytest.raises(aio.AioRpcError) as caught:
            await stub_of(served).AssessResponse(request_, timeout=WAIT_LIMIT_S)
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert reason_of(caught.value) == reason
        assert words in violations_of(caught.value)[field]
        assert served.engine.prompts == []


async def test_a_result_that_is_empty_is_a_result() -> None:
    async with assessing(loaded=False) as served:
        found = await assess(
            served, COLD, pb.ToolCall(name="t", result=""), layers=[pb.ASSESSMENT_LAYER_HEURISTIC]
        )
    assert kinds_of(found) == ["LIVE_DATA"]


async def test_an_operator_adds_words_by_a_file(tmp_path: Path) -> None:
    path = tmp_path / "words.json"
    path.write_text(json.dumps({"fr": {"weather": ["neige*"], "now": ["en ce moment"]}}))
    text = "Il neige en ce moment."
    layers = [pb.ASSESSMENT_LAYER_HEURISTIC]
    async with assessing(loaded=False) as plain:
        assert kinds_of(await assess(plain, text, layers=layers)) == []
    async with assessing(loaded=False, response_assessment_patterns_file=path) as served:
        assert kinds_of(await assess(served, text, layers=layers)) == ["LIVE_DATA"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "Expecting"),
        ("[]", "object of languages"),
        ('{"fr": []}', "object of categories"),
        ('{"fr": {"sport": []}}', "no such category"),
        ('{"fr": {"now": "x"}}', "list of phrases"),
        ('{"fr": {"now": [3]}}', "not 3"),
        ('{"fr": {"now": ["a*b"]}}', "at its end only"),
        (DEEP, "recursion"),
    ],
)
def test_a_file_of_words_that_cannot_be_used_ends_the_start(
    tmp_path: Path, content: str, words: str
) -> None:
    path = tmp_path / "words.json"
    path.write_text(content)
    with pytest.raises(ConfigError, match="response_assessment_patterns_file") as caught:
        read_patterns(scripted_settings(response_assessment_patterns_file=path))
    assert words in str(caught.value)


def test_a_file_of_words_that_is_not_there_ends_the_start(tmp_path: Path) -> None:
    path = tmp_path / "nothing.json"
    with pytest.raises(ConfigError, match="cannot be read"):
        read_patterns(scripted_settings(response_assessment_patterns_file=path))


@pytest.mark.parametrize(
    "changes",
    [
        {"response_assessment_warn_threshold": 0.9},
        {"response_assessment_verify_threshold": 0.6},
        {f"response_assessment_weight_{n}": 0 for n in ("heuristic", "common_sense", "detailed")},
    ],
)
def test_thresholds_that_fall_and_weights_of_nothing_are_refused(
    changes: dict[str, object],
) -> None:
    with pytest.raises(ValueError, match="response_assessment_"):
        scripted_settings(**changes)

"""`groundwire assess` as a user runs it, against a server without a model that is loaded."""

import io
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from groundwire_server.cli.main import main
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_CONFIG, EXIT_OK
from tests.scripted import scripted_process

Run = Callable[..., tuple[int, str, str]]

COLD = {
    "question": "What is the weather?",
    "response": "It's currently 12 °C with [light] snow.",
}
WEATHER = {"name": "get_weather", "arguments": {"city": "Chamonix"}, "result": {"temp_c": 12}}


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("GROUNDWIRE_")]:
        monkeypatch.delenv(name)


@pytest.fixture(scope="module")
def target() -> Iterator[str]:
    with scripted_process({}, response_assessment_enabled=True) as target:
        yield target


@pytest.fixture
def assess(target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Assess an exchange; gives the exit code, standard output and standard error."""

    def command(exchange: object, *flags: str) -> tuple[int, str, str]:
        file = tmp_path / "exchange.json"
        text = exchange if isinstance(exchange, str) else json.dumps(exchange)
        file.write_text(text, encoding="utf-8")
        code = main(["assess", str(file), "--target", target, *flags])
        done = capsys.readouterr()
        return code, done.out, done.err

    return command


def test_a_response_that_is_doubted_is_told_with_its_reasons(assess: Run) -> None:
    code, out, _ = assess(COLD, "--layers", "heuristic")
    assert code == EXIT_BELOW
    assert out.startswith("WARN  confidence 0.60")
    assert "[Heuristic] live data that no tool call gave: 12 °C" in out
    assert "NOT_ASKED" in out


def test_json_has_all_of_it(assess: Run) -> None:
    code, out, _ = assess(COLD, "--json", "--language", "he")
    found = json.loads(out)
    assert code == EXIT_BELOW
    assert found["reasons"][0]["kind"] == "LIVE_DATA"
    assert found["language"] == "he"
    assert [layer["layer"] for layer in found["layers"]] == [
        "HEURISTIC", "COMMON_SENSE", "DETAILED",
    ]  # fmt: skip
    assert len(found["common_sense"]["answers"]) == 5


def test_a_call_that_gave_the_value_is_fine(assess: Run) -> None:
    code, out, _ = assess({**COLD, "tool_calls": [WEATHER]}, "--layers", "heuristic")
    assert code == EXIT_OK
    assert out.startswith("NONE")


def test_an_exchange_comes_from_stdin_too(
    target: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(COLD)))
    code = main(["assess", "-", "--target", target, "--layers", "heuristic", "--json"])
    assert code == EXIT_BELOW
    assert json.loads(capsys.readouterr().out)["suggested_action"] == "WARN"


@pytest.mark.parametrize(
    ("exchange", "words"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ([], "must be an object"),
        ({"answer": "x"}, "there is no field 'answer'"),
        ({"response": 3}, "response must be a text"),
        ({"response": "x", "tool_calls": {}}, "must be a list"),
        ({"response": "x", "tool_calls": ["x"]}, "tool_calls[0] must be an object"),
        ({"response": "x", "tool_calls": [{"name": 3}]}, "name must be a text"),
        ({"response": "x", "tool_calls": [{"name": "t", "error": 3}]}, "error must be a text"),
        ({"response": "x", "tool_calls": [{**WEATHER, "duration_s": -1}]}, "at least 0"),
        ({"response": "x", "tool_calls": [{"name": "t"}]}, "neither a result nor an error"),
        ({"response": "x", "tool_calls": [{**WEATHER, "arguments": "{"}]}, "is not JSON"),
        ({"response": " "}, "no visible character"),
    ],
)
def test_what_cannot_be_used_is_told_with_its_field(
    assess: Run, exchange: object, words: str
) -> None:
    code, out, err = assess(exchange)
    assert code == EXIT_CONFIG
    assert words in err
    assert out == ""

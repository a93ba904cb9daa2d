"""`groundwire similarity` as a user runs it, on the real MiniLM: output and exit codes."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from groundwire_server.cli.main import main
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_CONFIG, EXIT_OK

Run = Callable[..., tuple[int, str, str]]

TEXT = "A room at the Harbour Inn costs 60 dollars a night."
OTHER = "Whales sing in the deep sea."


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("GROUNDWIRE_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def similarity(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Compare an answer with TEXT; gives the exit code, standard output and standard error."""

    def command(answer: str, *flags: str) -> tuple[int, str, str]:
        turns = [
            {"role": "User", "message": "What does it cost?"},
            {"role": "AI/Chatbot", "message": answer},
        ]
        talk, context = tmp_path / "conversation.json", tmp_path / "context.json"
        talk.write_text(json.dumps({"conversation_turns": turns}), encoding="utf-8")
        context.write_text(json.dumps({"data": {"vector_data": [{"text": TEXT}]}}), "utf-8")
        code = main(["similarity", "--conversation", str(talk), "--context", str(context), *flags])
        return code, *capsys.readouterr()

    return command


def test_it_prints_the_answer_the_claims_and_the_score(similarity: Run) -> None:
    code, out, _ = similarity(f"{TEXT} {OTHER}")
    assert code == EXIT_BELOW
    assert f"AI Answer:\n{TEXT} {OTHER}\n" in out
    assert re.search(rf"^- {re.escape(OTHER)}  \(sim=-?0\.\d{{3}}\)$", out, re.MULTILINE)
    assert out.endswith("\nHallucination score: 0.500\n")
    assert TEXT not in out.partition("Unsupported Claims:")[2]


def test_without_flags_the_files_of_the_working_folder_are_compared(
    similarity: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    named = similarity(f"{TEXT} {OTHER}")
    monkeypatch.chdir(tmp_path)
    assert (main(["similarity"]), *capsys.readouterr()) == named


def test_nothing_to_compare_is_told_and_is_no_pass(similarity: Run) -> None:
    code, out, _ = similarity("Yes. No.")
    assert code == EXIT_BELOW
    assert "Hallucination score: none, since no sentence has 10 characters" in out


def test_json_has_every_sentence(similarity: Run) -> None:
    code, out, _ = similarity(f"{TEXT} {OTHER} Yes.", "--json")
    shown = json.loads(out)
    assert code == EXIT_BELOW
    assert shown["question"] == "What does it cost?"
    assert shown["hallucination_score"] == 0.5
    assert [each["text"] for each in shown["sentences"]] == [TEXT, OTHER]
    assert [each["text"] for each in shown["unsupported_claims"]] == [OTHER]
    assert (shown["short_sentences"], shown["threshold"]) == (1, 0.6)


def test_the_threshold_is_a_flag_or_a_setting(
    similarity: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    near = "The Harbour Inn has rooms for 60 dollars."
    assert similarity(near, "--threshold", "0.01")[0] == EXIT_OK
    assert similarity(near, "--threshold", "0.9999")[0] == EXIT_BELOW
    monkeypatch.setenv("GROUNDWIRE_SIMILARITY_THRESHOLD", "0.9999")
    assert similarity(near)[0] == EXIT_BELOW


@pytest.mark.parametrize(
    ("flag", "data", "words"),
    [
        ("--conversation", "{", "is not JSON, at line 1"),
        ("--conversation", "{}", "conversation_turns is missing"),
        ("--context", "[]", "the context is a list"),
        ("--context", '{"data": {"vector_data": []}}', "holds no text"),
    ],
)
def test_bad_input_names_flag_file_and_key(
    similarity: Run, tmp_path: Path, flag: str, data: str, words: str
) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text(data)
    code, out, err = similarity(TEXT, flag, str(bad))
    assert (code, out) == (EXIT_CONFIG, "")
    assert flag in err
    assert str(bad) in err
    assert words in err

"""The commands as a user runs them: what they print, and their exit codes."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pytest
import yaml

from groundwire import UnavailableError
from groundwire_server.cli import start
from groundwire_server.cli.main import VERSION, main
from groundwire_server.client_connection import connect, failed
from groundwire_server.config.settings import ClientSettings
from groundwire_server.exit_codes import (
    EXIT_BELOW,
    EXIT_CONFIG,
    EXIT_MODEL,
    EXIT_OK,
    EXIT_PIPE_CLOSED,
    EXIT_UNAVAILABLE,
    EXIT_UNFORESEEN,
)
from tests.scripted import MODEL, scripted_process
from tests.serve_process import AWAY
from tests.serving import free_port

BEARER = "violet-anvil-7"
BRACKETS = "[bold]x[/bold] \\[red]y [0]"
HEBREW = "הגשר נבנה"
ANSWERS = {
    "high": (0.9, 0.0),
    "low": (0.1, 0.3),
    "lost": (0.01, 0.0),
    BRACKETS: (0.9, 0.1),
    HEBREW: (0.4, 0.4),
}

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("GROUNDWIRE_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Run a command; gives its exit code, standard output and standard error."""

    def command(*arguments: str | Path) -> tuple[int, str, str]:
        try:
            code = main([str(a) for a in arguments])
        except SystemExit as exit_:
            code = exit_.code if isinstance(exit_.code, int) else -1
        printed = capfd.readouterr()
        return code, printed.out, printed.err

    return command


@pytest.fixture(scope="module")
def target() -> Iterator[str]:
    with scripted_process(ANSWERS) as target:
        yield target


@pytest.fixture
def estimate(run: Run, target: str) -> Run:
    return lambda *arguments: run("estimate", "--target", target, *arguments)


def test_config_show_prints_what_holds_and_hides_secrets(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "groundwire.yaml"
    file.write_text(f"max_claims: 7\nauth_token: {BEARER}\n")
    code, out, err = run("config", "show", "--config", file, "--log-level", "debug")
    settings = yaml.safe_load(out)
    assert (code, err) == (EXIT_OK, "")
    assert (settings["max_claims"], settings["log_level"]) == (7, "debug")
    assert BEARER not in out


PASSWORD_URL = f"https://me:{BEARER}@host.example:7/v1?key={BEARER}"


def test_config_show_prints_no_secret_of_a_backend(run: Run) -> None:
    entry = {"name": "big", "url": PASSWORD_URL, "model": "m", "key": BEARER}
    code, out, err = run("config", "show", "--backends", json.dumps([entry]))
    assert (code, err) == (EXIT_OK, "")
    assert BEARER not in out
    assert yaml.safe_load(out)["backends"][0]["url"] == "https://host.example:7/v1"


@pytest.mark.parametrize(
    "setting",
    ["retrieval_qdrant_url", "otlp_endpoint"],
)
def test_config_show_prints_no_password_of_an_address(run: Run, setting: str) -> None:
    url = PASSWORD_URL
    code, out, err = run("config", "show", f"--{setting.replace('_', '-')}", url)
    assert (code, err) == (EXIT_OK, "")
    assert yaml.safe_load(out)[setting] == "https://host.example:7/v1"


def test_a_password_in_the_collectors_address_is_refused(run: Run) -> None:
    url = f"http://me:{BEARER}@127.0.0.1:4317"
    code, _, err = run("serve", *AWAY, "--otlp-endpoint", url)
    assert code == EXIT_CONFIG
    assert "otlp_endpoint takes an address without user" in err
    assert BEARER not in err


def test_who_names_no_command_is_told_which_there_are(run: Run) -> None:
    code, _, err = run()
    assert code == EXIT_CONFIG
    assert "evaluate  measure how often" in err


def test_a_server_that_is_not_there_is_told_of_with_what_to_do(run: Run) -> None:
    target = f"127.0.0.1:{free_port()}"
    code, _, err = run("estimate", "--target", target, "x")
    assert code == EXIT_UNAVAILABLE
    assert f"no server at {target}" in err
    assert "start one with `groundwire serve`" in err


def test_a_port_of_http_is_told_from_one_without_a_server(
    capsys: pytest.CaptureFixture[str],
) -> None:
    error = UnavailableError("Trying to connect an http1.x server", grpc.StatusCode.UNAVAILABLE)
    assert failed(error, ClientSettings(target="127.0.0.1:8080")) == EXIT_UNAVAILABLE
    assert "this is an HTTP port" in capsys.readouterr().err


def test_plain_text_over_a_network_is_refused_in_the_words_of_flags(run: Run) -> None:
    code, _, err = run("estimate", "--target", "host.example:50051", "x")
    assert code == EXIT_CONFIG
    assert "give --ca-file, or --allow-plaintext" in err


@pytest.mark.parametrize(
    ("target", "example"),
    [
        ("localhost", "localhost:50051"),
        ("localhost:", "localhost:50051"),
        ("[::1]", "[::1]:50051"),
        ("::1", "127.0.0.1:50051"),
        ("dns:///localhost", "127.0.0.1:50051"),
        (":50051", "127.0.0.1:50051"),
        ("", "127.0.0.1:50051"),
    ],
)
def test_an_address_without_host_or_port_is_refused_with_an_example(
    run: Run, target: str, example: str
) -> None:
    code, _, err = run("estimate", "--target", target, "x")
    assert code == EXIT_CONFIG
    assert f"--target: {target!r} lacks a host or a port: give both, such as {example}" in err


@pytest.mark.parametrize(
    "target",
    ["localhost:1", "[::1]:1", "ipv4:127.0.0.1:1", "dns:///localhost:1", "unix:/run/none.sock"],
)
def test_an_address_with_a_port_is_taken(target: str) -> None:
    with connect(ClientSettings(target=target)):
        pass


@pytest.mark.parametrize(
    ("written", "hint"),
    [("--modle", "did you mean --model?"), ("--zzzz", "see `groundwire serve --help`")],
)
def test_an_unknown_flag_is_answered_with_the_nearest(run: Run, written: str, hint: str) -> None:
    code, _, err = run("serve", written, "base")
    assert code == EXIT_CONFIG
    assert f"unknown argument {written}: {hint}" in err


def test_an_endless_flag_is_cut(run: Run) -> None:
    _, _, err = run("serve", "--" + "x" * 100_000)
    assert f"unknown argument --{'x' * 57}…: see" in err
    assert len(err) < 1000


@pytest.mark.parametrize("command", ["config schema", "estimate high --target {}"])
def test_who_stops_reading_ends_a_command_quietly(target: str, command: str) -> None:
    words = command.format(target).split()
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [sys.executable, "-m", "groundwire_server.cli.main", *words],
        stdout=writing, stderr=subprocess.PIPE, check=False,
    )  # fmt: skip
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (EXIT_PIPE_CLOSED, b"")


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_output_is_utf_8_whatever_the_locale(target: str, tmp_path: Path, encoding: str) -> None:
    quoted = "The bridge \u201cOld\u201d was built."
    context = tmp_path / "context.txt"
    context.write_text("x", encoding="utf-8")
    command = [sys.executable, "-m", "groundwire_server.cli.main", "estimate", "--target", target]
    ended = subprocess.run(
        [*command, "--context", str(context), quoted],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    assert ended.returncode == EXIT_OK
    assert quoted in ended.stdout.decode()


def test_a_bug_never_ends_with_the_code_of_a_claim_that_is_not_grounded(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> str:
        raise LookupError("a bug")

    monkeypatch.setattr("groundwire_server.cli.config.show.show", broken)
    code, _, _ = run("config", "show")
    assert code == EXIT_UNFORESEEN


def test_ctrl_c_before_a_command_is_imported_ends_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("groundwire_server.cli.main.main", interrupted)
    assert start() == 130


@pytest.mark.parametrize("value", [[], ["true"]])
def test_a_switch_needs_no_value(run: Run, value: list[str]) -> None:
    _, out, _ = run("config", "show", "--allow-plaintext", *value)
    assert yaml.safe_load(out)["allow_plaintext"] is True


def test_a_wrong_value_is_one_line_with_the_flag(run: Run) -> None:
    code, out, err = run("serve", "--max-claims", "many")
    assert (code, out) == (EXIT_CONFIG, "")
    assert err.startswith(
        "groundwire: configuration: --max-claims: Input should be a valid integer"
    )
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments", [[], ["sing"], ["estimate"], ["config"], ["serve", "--max-claim-s", "7"]]
)
def test_a_wrong_command_line_is_a_usage_error(run: Run, arguments: list[str]) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (EXIT_CONFIG, "")
    assert err.startswith("usage: groundwire")


def test_the_version_is_printed(run: Run) -> None:
    assert run("--version")[:2] == (0, f"groundwire {VERSION}\n")


def test_serve_off_loopback_without_tls_is_refused(run: Run) -> None:
    code, _, err = run("serve", "--listen", "0.0.0.0:0", "--metrics-listen", "")
    assert code == EXIT_CONFIG
    assert "set tls_cert_file and tls_key_file, or allow_plaintext" in err


def test_serve_without_its_model_ends_with_the_reason(run: Run, tmp_path: Path) -> None:
    code, _, err = run(
        "serve", "--listen", "127.0.0.1:0", "--metrics-listen", "", "--model", tmp_path
    )
    assert code == EXIT_MODEL
    assert "holds no config.json" in err


def test_preparing_an_unknown_model_names_the_choices(run: Run, tmp_path: Path) -> None:
    code, _, err = run("model", "prepare", "huge", "--cache-dir", tmp_path)
    assert code == EXIT_MODEL
    assert err.startswith("groundwire: model: 'huge' is not a model.")


def test_estimate_prints_a_table(estimate: Run) -> None:
    code, out, err = estimate("high", "low")
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines()]
    assert (code, err) == (EXIT_OK, "")
    assert ["1.000", "0.900", "high"] in rows
    assert ["0.250", "0.400", "low"] in rows
    assert MODEL in out


def test_estimate_prints_json(estimate: Run) -> None:
    code, out, _ = estimate("low", HEBREW, "low", "--json")
    answer = json.loads(out)
    assert code == EXIT_OK
    assert [e["claim"] for e in answer["estimates"]] == ["low", HEBREW, "low"]
    assert [e["probability"] for e in answer["estimates"]] == pytest.approx([0.25, 0.5, 0.25])
    assert answer["estimates"][0]["source"] == "MODEL"
    assert answer["usage"]["distinct_prompts"] == 2
    assert HEBREW in out


def test_a_claim_without_a_probability_fails_the_command(estimate: Run) -> None:
    code, out, _ = estimate("high", "lost")
    assert code == EXIT_BELOW
    assert "none" in out
    code, out, _ = estimate("lost", "--json")
    assert code == EXIT_BELOW
    assert json.loads(out)["estimates"][0]["probability"] is None


@pytest.mark.parametrize(
    ("bound", "code"), [("0.25", EXIT_OK), ("0.26", EXIT_BELOW), ("0", EXIT_OK), ("1", EXIT_BELOW)]
)
def test_fail_under_bounds_every_claim(estimate: Run, bound: str, code: int) -> None:
    assert estimate("high", "low", "--fail-under", bound)[0] == code


@pytest.mark.parametrize("bound", ["1.5", "-0.1", "nan"])
def test_fail_under_is_a_probability(estimate: Run, bound: str) -> None:
    code, _, err = estimate("high", f"--fail-under={bound}")
    assert code == EXIT_CONFIG
    assert "--fail-under: " in err


@pytest.mark.parametrize("claim", [BRACKETS, HEBREW])
def test_a_claim_is_printed_as_it_is(estimate: Run, claim: str) -> None:
    assert claim in estimate(claim)[1]


def test_the_context_comes_from_a_file_or_from_stdin(
    estimate: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "context.txt"
    file.write_text("Ada moved.", encoding="utf-8")
    _, out, _ = estimate("high", "--json", "--context", file)
    assert json.loads(out)["usage"]["context_tokens"] == len("Ada moved.")
    monkeypatch.setattr("sys.stdin", io.StringIO("Rain."))
    _, out, _ = estimate("high", "--json", "--context", "-")
    assert json.loads(out)["usage"]["context_tokens"] == len("Rain.")


def test_a_context_that_cannot_be_read_is_named(estimate: Run, tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"caf\xe9")
    for name, why in (("none", "cannot be read"), ("latin", "is not UTF-8 text")):
        code, _, err = estimate("high", "--context", tmp_path / name)
        assert code == EXIT_CONFIG
        assert f"--context: {tmp_path / name} {why}" in err


def test_a_refused_request_names_the_field(estimate: Run) -> None:
    code, out, err = estimate("high", " ")
    assert (code, out) == (EXIT_CONFIG, "")
    assert "claims[1]" in err
    code, _, err = estimate("high", "--backend", "large")
    assert code == EXIT_CONFIG
    assert "use one of: local" in err


def test_a_call_that_runs_out_of_time_names_the_flag(estimate: Run) -> None:
    code, _, err = estimate("high", "--timeout-s", "0.000001")
    assert code == EXIT_UNAVAILABLE
    assert err == (
        "groundwire: no answer within 1e-06 s: give it more time with --timeout-s, or send less\n"
    )


def test_what_is_too_large_for_a_message_is_told_with_what_to_do(
    estimate: Run, tmp_path: Path
) -> None:
    context = tmp_path / "context"
    context.write_text("x" * 17 * 1024 * 1024)
    code, _, err = estimate("high", "--context", str(context))
    assert code == EXIT_CONFIG
    assert "a message is too large (" in err
    assert "send less at once" in err


def test_a_missing_token_is_not_worth_another_try(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted_process(ANSWERS, auth_token=BEARER) as target:
        code, _, err = run("estimate", "high", "--target", target)
        assert code == EXIT_CONFIG
        assert f"{target} wants a token: give one with --token or GROUNDWIRE_CLIENT_TOKEN" in err
        _, _, err = run("estimate", "high", "--target", target, "--token", "another")
        assert f"{target} does not know this token: give one with --token" in err
        monkeypatch.setenv("GROUNDWIRE_CLIENT_TOKEN", BEARER)
        assert run("estimate", "high", "--target", target)[0] == EXIT_OK

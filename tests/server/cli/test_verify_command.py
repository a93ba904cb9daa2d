"""`groundwire verify` as a user runs it, against a scripted server: output and exit codes."""

import io
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pytest

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1 import verifier_backend_pb2 as backend_pb
from groundwire_server.cli.main import main
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_CONFIG, EXIT_OK, EXIT_UNAVAILABLE
from tests.client.scripted import ScriptedServer, bad_request, failing

Run = Callable[..., tuple[int, str, str]]

# The scripted server takes each word for a claim, and reads it as its own probability.
GROUNDED, UNGROUNDED = "0.75 0.875", "0.75 0.125 0.25"


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("GROUNDWIRE_")]:
        monkeypatch.delenv(name)


@pytest.fixture(scope="module")
def shared_server() -> Iterator[ScriptedServer]:
    server = ScriptedServer()
    yield server
    server.stop()


@pytest.fixture
def server(shared_server: ScriptedServer) -> ScriptedServer:
    shared_server.received.clear()
    return shared_server


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "source.txt"
    file.write_text("The source.", encoding="utf-8")
    return file


@pytest.fixture
def verify(
    server: ScriptedServer, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Verify an answer; gives the exit code, standard output and standard error."""

    def command(answer: str, *flags: str | Path) -> tuple[int, str, str]:
        file = tmp_path / "answer.md"
        file.write_text(answer, encoding="utf-8")
        given = ["--answer", file, *([] if "--sources" in flags else ["--sources", source])]
        target = [] if "--target" in flags else ["--target", server.target]
        try:
            code = main(["verify", *(str(each) for each in (*given, *target, *flags))])
        except SystemExit as exit_:
            code = exit_.code if isinstance(exit_.code, int) else -1
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return command


def request_of(server: ScriptedServer) -> pb.VerifyAnswerRequest:
    (received,) = server.received
    assert isinstance(received.request, pb.VerifyAnswerStreamRequest)
    return received.request.request


def test_a_grounded_answer_is_a_success(verify: Run) -> None:
    code, out, err = verify(GROUNDED)
    assert (code, err) == (EXIT_OK, "")
    assert "Grounded: 2 of 2 claims" in out
    assert "the warning" in out


def test_an_answer_that_is_not_grounded_is_told_apart(verify: Run) -> None:
    code, out, _ = verify(UNGROUNDED)
    assert code == EXIT_BELOW
    assert "Not grounded: 1 of 3 claims" in out


def test_every_claim_is_printed_with_its_verdict_in_words(verify: Run) -> None:
    out = verify(UNGROUNDED)[1]
    assert "0.75 {1 supported} 0.125 {2 unsupported} 0.25 {3 unsupported}" in " ".join(out.split())


def test_a_terminal_sees_how_far_it_is(verify: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # makes a terminal of stderr for rich
    _, out, err = verify(UNGROUNDED, "--json")
    assert "3/3" in err
    assert json.loads(out)["summary"]["total_claims"] == 3


def test_json_holds_every_number(verify: Run) -> None:
    code, out, _ = verify(UNGROUNDED, "--json", "--question", "How much?")
    report = json.loads(out)
    assert code == EXIT_BELOW
    assert report["answer"] == UNGROUNDED
    assert report["question"] == "How much?"
    first = report["claims"][0]
    assert UNGROUNDED[slice(*first["span"].values())] == first["content"]
    assert first["verdict"] == "SUPPORTED"
    assert first["p1"] == first["posterior"]["probability"] == 0.75
    assert first["gap_bits"] == first["budget"]["gap_bits"] == -0.5
    assert report["summary"]["grounded_claims"] == 1
    assert report["run"]["thresholds"]["min_posterior"] == 0.5


def test_markdown_is_a_report(verify: Run) -> None:
    code, out, _ = verify(GROUNDED, "--markdown")
    assert code == EXIT_OK
    assert out.startswith("# Grounding report: Grounded\n")
    assert "| 1 **supported** | 0\\.75 |" in out


def test_a_page_is_written_beside_what_is_printed(verify: Run, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    code, out, _ = verify(GROUNDED, "--json", "--html", page)
    assert code == EXIT_OK
    assert json.loads(out)["summary"]["overall_grounded"] is True
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_page_that_cannot_be_written_is_known_before_the_call(
    verify: Run, server: ScriptedServer, tmp_path: Path
) -> None:
    code, _, err = verify(GROUNDED, "--html", tmp_path / "none" / "report.html")
    assert code == EXIT_CONFIG
    assert "--html: " in err
    assert server.received == []


def test_the_answer_may_come_from_stdin(verify: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(GROUNDED))
    code, out, _ = verify("0.0", "--answer", "-", "--json")
    assert code == EXIT_OK
    assert json.loads(out)["answer"] == GROUNDED


def test_options_reach_the_server(verify: Run, server: ScriptedServer) -> None:
    verify(
        GROUNDED, "--policy", "grounding-score",
        "--attribute-citations", "--max-claims", "7", "--include-non-assertive",
        "--backend", "large", "--question", "How much?", "--max-contradicted", "0",
        "--strictness", "strict",
    )  # fmt: skip
    request = request_of(server)
    assert request.question == "How much?"
    assert request.options == pb.VerifyOptions(
        policy=pb.POLICY_GROUNDING_SCORE,
        strictness=backend_pb.STRICTNESS_STRICT,
        attribute_citations=True,
        max_claims=7,
        max_contradicted=0,
        include_non_assertive=True,
        backend="large",
        explain=True,
    )


@pytest.mark.parametrize("flags", [(), ("--correct",)])
def test_a_correction_is_asked_for_where_a_flag_says_so(
    flags: tuple[str, ...], verify: Run, server: ScriptedServer
) -> None:
    verify(GROUNDED, *flags)
    assert request_of(server).correct == bool(flags)


def test_without_options_the_servers_hold_and_the_report_is_explained(
    verify: Run, server: ScriptedServer
) -> None:
    verify(GROUNDED)
    assert request_of(server).options == pb.VerifyOptions(explain=True)


def test_a_report_can_do_without_explanations(verify: Run, server: ScriptedServer) -> None:
    verify(GROUNDED, "--no-explain")
    assert request_of(server).options == pb.VerifyOptions()


def test_sources_are_documents_with_the_names_of_their_files(
    verify: Run, server: ScriptedServer, source: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.rst"
    other.write_text("More.")
    verify(GROUNDED, "--sources", source, "--sources", other)
    sources = request_of(server).evidence.sources
    assert [each.id for each in sources] == ["S0", "S1"]
    assert [each.document.title for each in sources] == ["source.txt", "other.rst"]
    assert [each.document.text for each in sources] == ["The source.", "More."]


def test_ids_may_be_names(verify: Run, server: ScriptedServer) -> None:
    verify(GROUNDED, "--ids", "names")
    assert [each.id for each in request_of(server).evidence.sources] == ["source"]


def test_a_refused_request_is_bad_input(verify: Run, server: ScriptedServer) -> None:
    violation = bad_request(**{"request.options.max_claims": "send 1 to 64"})
    server.script(failing(grpc.StatusCode.INVALID_ARGUMENT, "INVALID_OPTION", details=(violation,)))
    code, out, err = verify(GROUNDED, "--max-claims", "0")
    assert (code, out) == (EXIT_CONFIG, "")
    assert "request.options.max_claims: send 1 to 64" in err


def test_a_feature_that_is_off_is_no_reason_to_try_again(
    verify: Run, server: ScriptedServer
) -> None:
    server.script(failing(grpc.StatusCode.FAILED_PRECONDITION, "NOT_ENABLED"))
    code, _, err = verify(GROUNDED)
    assert code == EXIT_CONFIG
    assert err.startswith("groundwire: NOT_ENABLED")


def test_a_server_that_ends_the_stream_early_gives_no_verdict(
    verify: Run, server: ScriptedServer
) -> None:
    server.script(failing(grpc.StatusCode.INTERNAL, "INTERNAL"))
    code, out, err = verify(GROUNDED)
    assert (code, out) == (EXIT_UNAVAILABLE, "")
    assert err.startswith("groundwire: INTERNAL")


@pytest.mark.parametrize("missing", ["--answer", "--sources"])
def test_what_is_not_there_is_named(
    verify: Run, server: ScriptedServer, tmp_path: Path, missing: str
) -> None:
    code, _, err = verify(GROUNDED, missing, tmp_path / "none.txt")
    assert code == EXIT_CONFIG
    assert f"{missing}: {tmp_path / 'none.txt'} cannot be read" in err
    assert server.received == []


def test_a_text_in_place_of_its_file_is_told_apart(verify: Run) -> None:
    code, _, err = verify(GROUNDED, "--answer", "The bridge opened in 1932.")
    assert code == EXIT_CONFIG
    assert "name a file, do not give the text itself" in err


def test_an_answer_or_sources_are_required(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["verify"])
    assert "required: --answer" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["verify", "--answer", "-"])
    assert "one of the arguments --sources --corpus is required" in capsys.readouterr().err

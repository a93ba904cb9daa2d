"""`epistemic-risk index` and `analyze` without a server: a real index, a scripted engine here."""

from collections.abc import Callable
from pathlib import Path

import pytest

from groundwire_server import in_process as module
from groundwire_server.cli.main import epistemic_risk
from groundwire_server.config.settings import ServerSettings
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_CONFIG, EXIT_OK, EXIT_UNAVAILABLE
from groundwire_verifier.engine.local import LocalBackend
from tests.scripted import MODEL, NEVER_HANGS_S, ScriptedEngine
from tests.scripted_services.corpus import GIL, OPTIONAL, PEP, REMOVED, reads

Given = list[ServerSettings]


@pytest.fixture(autouse=True)
def cache_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GROUNDWIRE_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "gil.md").write_text(GIL)
    (folder / "pep, 703.md").write_text(PEP)
    return folder


@pytest.fixture
def served_with(monkeypatch: pytest.MonkeyPatch) -> Given:
    """The settings of each server that was started in this process, on a scripted engine."""
    given: Given = []
    engine = ScriptedEngine()
    engine.answer = reads

    def create(
        settings: ServerSettings, progress: Callable[[str], None]
    ) -> dict[str, LocalBackend]:
        given.append(settings)
        return {"local": LocalBackend(MODEL, lambda: engine, NEVER_HANGS_S)}

    monkeypatch.setattr(module, "create_backends", create)
    return given


def test_a_text_is_analysed_after_its_index_was_made_and_nothing_else(
    documents: Path, served_with: Given, capsys: pytest.CaptureFixture[str]
) -> None:
    assert epistemic_risk(["index", str(documents)]) == EXIT_OK
    assert epistemic_risk(["analyze", REMOVED]) == EXIT_BELOW
    shown = capsys.readouterr().out
    assert "HALLUCINATED" in shown
    assert "DIRECT_NEGATION" in shown
    assert epistemic_risk(["analyze", OPTIONAL]) == EXIT_OK
    assert len(served_with) == 2


def test_before_an_index_is_made_the_error_says_how(
    served_with: Given, capsys: pytest.CaptureFixture[str]
) -> None:
    assert epistemic_risk(["analyze", REMOVED]) == EXIT_CONFIG
    assert "epistemic-risk index DIR" in capsys.readouterr().err
    assert not served_with


def test_an_index_that_is_gone_is_no_verdict(
    documents: Path, cache_dir: Path, capsys: pytest.CaptureFixture[str], served_with: Given
) -> None:
    cache_dir.mkdir()
    (cache_dir / "last-index").write_text(str(documents / "nowhere"))
    assert epistemic_risk(["analyze", REMOVED]) == EXIT_BELOW
    assert "HALLUCINATED" not in capsys.readouterr().out
    assert served_with


def test_a_file_of_settings_holds_and_other_features_stay_off(
    documents: Path, tmp_path: Path, served_with: Given
) -> None:
    epistemic_risk(["index", str(documents)])
    config = tmp_path / "config.yaml"
    config.write_text(
        "retrieval: {top_k: 3}\nverdict: {grounded_threshold: 0.6}\nlisten: 0.0.0.0:1\n"
        f"hallucination: {{enabled: true, feedback: {{enabled: true, file: {tmp_path}/kept}}}}\n"
    )
    assert epistemic_risk(["analyze", OPTIONAL, "--config", str(config)]) == EXIT_OK
    (settings,) = served_with
    assert settings.retrieval_top_k == 3
    assert settings.epistemic_risk_verdict_grounded_threshold == 0.6
    assert settings.listen.startswith("127.0.0.1:")
    assert not (tmp_path / "kept").exists()


def test_a_provider_that_is_not_there_ends_the_analysis_with_the_ways_there_are(
    documents: Path, tmp_path: Path, served_with: Given, capsys: pytest.CaptureFixture[str]
) -> None:
    epistemic_risk(["index", str(documents)])
    config = tmp_path / "config.yaml"
    config.write_text('llm: {provider: "openai", model: "gpt-4o-mini", temperature: 0.0}\n')
    assert epistemic_risk(["analyze", OPTIONAL, "--config", str(config)]) == EXIT_CONFIG
    assert "no package registers 'openai'" in capsys.readouterr().err


@pytest.mark.parametrize("by", ["flag", "variable"])
def test_a_server_that_is_named_is_asked_in_place_of_a_model_here(
    by: str, served_with: Given, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUNDWIRE_CLIENT_TIMEOUT_S", "5")
    target = ["--target", "127.0.0.1:1"] if by == "flag" else []
    if by == "variable":
        monkeypatch.setenv("GROUNDWIRE_CLIENT_TARGET", "127.0.0.1:1")
    assert epistemic_risk(["analyze", REMOVED, *target]) == EXIT_UNAVAILABLE
    assert not served_with


def test_settings_of_a_file_beside_a_server_that_has_its_own_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--target", "127.0.0.1:1", "--config", str(tmp_path / "x")]
    assert epistemic_risk(["analyze", REMOVED, *given]) == EXIT_CONFIG
    assert "leave out --config" in capsys.readouterr().err

"""`groundwire index`, the command, with the real embedder."""

import json
from pathlib import Path

import pytest

from groundwire_server.cli.main import main
from groundwire_server.corpus.index_folder import last_index
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_CONFIG, EXIT_OK


@pytest.fixture(autouse=True)
def cache_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GROUNDWIRE_CACHE_DIR", str(tmp_path / ".cache"))
    return tmp_path / ".cache"


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("The Moon orbits the Earth.", encoding="utf-8")
    (tmp_path / "b.pdf").write_bytes(b"%PDF-1.4 broken")
    return tmp_path


def test_a_folder_is_indexed_and_what_is_left_out_is_said(
    documents: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["index", str(documents)]) == EXIT_OK
    printed = capsys.readouterr()
    assert printed.out == f"{documents / '.groundwire-index'}\n"
    assert "left out: b.pdf: a PDF that is broken (PdfStreamError)" in printed.err
    assert "1 added, 0 changed, 0 removed, 0 as they were; 1 chunks" in printed.err


def test_what_a_name_holds_moves_no_cursor_of_the_terminal(
    documents: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (documents / "b.pdf").rename(documents / "b\x1b]0;evil\x07\x1b[2J.pdf")
    assert main(["index", str(documents)]) == EXIT_OK
    told = capsys.readouterr().err
    assert "evil" in told
    assert "\x1b" not in told
    assert "\x07" not in told


def test_json_tells_everything(documents: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = documents / "elsewhere"
    assert main(["index", str(documents), "--out", str(out), "--json"]) == EXIT_OK
    told = json.loads(capsys.readouterr().out)
    assert (told["index"], told["added"], told["chunks"]) == (str(out), 1, 1)
    assert told["skipped"][0]["name"] == "b.pdf"


def test_a_folder_without_documents_is_no_success(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["index", str(tmp_path)]) == EXIT_BELOW
    assert "holds no document that can be read" in capsys.readouterr().err


def test_other_settings_than_the_index_has_are_a_mistake(
    documents: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["index", str(documents)])
    changed = ["--retrieval-chunk-size", "100", "--retrieval-chunk-overlap", "10"]
    assert main(["index", str(documents), *changed]) == EXIT_CONFIG
    assert "--rebuild" in capsys.readouterr().err
    assert main(["index", str(documents), *changed, "--rebuild"]) == EXIT_OK


def test_the_index_that_was_made_last_is_known(documents: Path, cache_dir: Path) -> None:
    assert last_index(cache_dir) is None
    main(["index", str(documents)])
    assert last_index(cache_dir) == documents / ".groundwire-index"
    main(["index", str(documents), "--out", str(documents / "other")])
    assert last_index(cache_dir) == documents / "other"


def test_a_cache_that_cannot_be_written_costs_the_index_nothing(
    documents: Path, cache_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cache_dir.write_text("a file")
    assert main(["index", str(documents)]) == EXIT_OK
    assert "`analyze` will not find this index by itself" in capsys.readouterr().err


def test_the_file_of_an_analysis_is_read_and_needs_no_provider_yet(documents: Path) -> None:
    config = documents / "config.yaml"
    config.write_text("llm: {provider: openai}\nretrieval: {chunk_size: 64, chunk_overlap: 16}\n")
    assert main(["index", str(documents), "--config", str(config)]) == EXIT_OK
    assert main(["index", str(documents)]) == EXIT_CONFIG  # of another size

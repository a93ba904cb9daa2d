"""The corpora that the settings name: indexes, and what installed packages register."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError
from groundwire_server.corpus.chunk_places import ChunkPlace
from groundwire_server.corpus.corpora import corpus_places, make_corpora
from groundwire_server.corpus.retrieval import CorpusIndex
from tests.server.corpus.corpus_folder import CorpusFolder

EXAMPLE = Path(__file__).parents[3] / "examples" / "evidence_provider"
TERMS = {"GIL": "The GIL is a lock.", "global lock": "A lock of everything.", "heap": "A tree."}


def settings(corpora: str | None, **changes: object) -> ServerSettings:
    given = {"retrieval_corpora": corpora, **changes}
    return ServerSettings.model_validate(given)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example's package, installed into a folder of its own."""
    target = tmp_path / "site"
    subprocess.run(
        [
            *(sys.executable, "-m", "uv", "pip", "install", "--quiet", "--offline"),
            *("--no-deps", "--no-build-isolation", "--target", str(target), str(EXAMPLE)),
        ],
        check=True,
    )
    monkeypatch.syspath_prepend(target)
    glossary = tmp_path / "terms.json"
    glossary.write_text(json.dumps(TERMS), encoding="utf-8")
    monkeypatch.setenv("GLOSSARY", str(glossary))


@pytest.mark.parametrize("named", ["", "a", "a=", "=x", "a=x,a=y", "a=x,", "../a=x", "a b=x"])
def test_what_is_no_name_and_place_is_refused(named: str) -> None:
    with pytest.raises(ConfigError, match="retrieval_corpora takes NAME=PLACE"):
        corpus_places(settings(named))


async def test_an_index_is_found_by_its_folder_of_documents(tmp_path: Path) -> None:
    folder = CorpusFolder(tmp_path, ChunkPlace())
    folder.indexer().run(folder.root, folder.index)
    corpus = make_corpora(settings(f"notes={tmp_path}"))["notes"]
    assert isinstance(corpus, CorpusIndex)
    assert [p.document for p in await corpus.retrieve("Sharks lay eggs.", 5)] == ["sharks.txt"]
    corpus.close()


@pytest.mark.usefixtures("installed")
async def test_a_package_registers_a_provider() -> None:
    corpora = make_corpora(settings("terms=provider:glossary"))
    found = await corpora["terms"].retrieve("The GIL is a global lock, not a heap.", 2)
    assert [(p.document, p.text) for p in found] == [
        ("global lock", "A lock of everything."),
        ("heap", "A tree."),
    ]


@pytest.mark.usefixtures("installed")
def test_a_provider_that_cannot_be_made_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLOSSARY", "/no/such/file")
    with pytest.raises(ConfigError, match=r"'glossary' of terms could not be made.*No such file"):
        make_corpora(settings("terms=provider:glossary"))

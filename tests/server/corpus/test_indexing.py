"""An index that follows its folder, by either store and the real embedder."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from groundwire_server.config.sources import ConfigError
from groundwire_server.corpus import indexing
from groundwire_server.corpus.chunk_places import ChunkPlace
from groundwire_server.corpus.chunks import ChunkSize
from groundwire_server.corpus.documents import SkippedFile
from groundwire_server.corpus.index_folder import IndexBusyError, IndexFolder
from groundwire_server.corpus.indexing import IndexProgress, IndexReport
from groundwire_server.corpus.qdrant_store import connect
from groundwire_verifier.domain.errors import CorpusUnavailableError
from tests.server.corpus.corpus_folder import TEXTS, CorpusFolder, folder
from tests.serving import free_port

__all__ = ["folder"]

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")

SHARKS = "Sharks lay eggs."


def run(folder: CorpusFolder, *, rebuild: bool = False) -> IndexReport:
    return folder.indexer().run(folder.root, folder.index, rebuild=rebuild)


def test_what_is_new_changed_and_gone_is_noticed(folder: CorpusFolder) -> None:
    assert run(folder) == IndexReport(4, 0, 0, 0, 4, ())
    folder.write("sharks.txt", "Bread needs flour and water.")
    folder.write("new.md", "The Moon orbits the Earth.")
    (folder.root / "tower.html").unlink()
    assert run(folder) == IndexReport(1, 1, 1, 2, 4, ())
    assert folder.documents_for(SHARKS) == []
    assert folder.documents_for("Bread is made of flour.") == ["sharks.txt"]
    assert folder.documents_for("The Moon goes around the Earth.") == ["new.md"]
    assert folder.documents_for("The Eiffel Tower was built in 1889.") == []


def test_nothing_is_read_again_that_is_as_it_was(folder: CorpusFolder) -> None:
    run(folder)
    generation = folder.index.current()
    assert run(folder) == IndexReport(0, 0, 0, 4, 4, ())
    assert folder.index.current() == generation


def test_a_document_that_can_no_longer_be_read_is_taken_out_and_named(folder: CorpusFolder) -> None:
    run(folder)
    (folder.root / "sharks.txt").write_bytes(b"\0")
    skipped = (SkippedFile("sharks.txt", "no text: it holds zero bytes"),)
    assert run(folder) == IndexReport(0, 0, 1, 3, 3, skipped)
    assert folder.documents_for(SHARKS) == []


def test_a_shorter_document_leaves_no_chunk_of_the_longer_one(folder: CorpusFolder) -> None:
    folder.write("long.txt", "The whale sings at night. " * 300)
    chunks = run(folder).chunks
    folder.write("long.txt", "The whale sings at night.")
    assert chunks > 5
    assert run(folder).chunks == 5


def test_progress_ends_with_all_files(folder: CorpusFolder) -> None:
    told: list[IndexProgress] = []
    folder.indexer().run(folder.root, folder.index, progress=told.append)
    assert [each.files for each in told] == [0, 1, 2, 3, 4]
    assert told[-1] == IndexProgress(4, 4, 4)


def test_an_empty_folder_is_an_error_and_an_index_that_was_there_holds(
    folder: CorpusFolder,
) -> None:
    run(folder)
    for name in TEXTS:
        (folder.root / name).unlink()
    with pytest.raises(CorpusUnavailableError, match="holds no document that can be read"):
        run(folder)
    assert folder.documents_for("Python has the GIL.") == ["gil.md"]


def test_a_folder_that_is_not_there_is_an_error(folder: CorpusFolder) -> None:
    with pytest.raises(CorpusUnavailableError, match="cannot be read: No such file"):
        folder.indexer().run(folder.root / "none", folder.index)


def test_other_chunks_or_another_embedder_ask_for_a_new_index(folder: CorpusFolder) -> None:
    run(folder)
    other = folder.indexer(ChunkSize(64, 8))
    with pytest.raises(ConfigError, match=r"chunk_size 512, not 64.*--rebuild"):
        other.run(folder.root, folder.index)
    assert other.run(folder.root, folder.index, rebuild=True).added == 4
    assert folder.documents_for(SHARKS) == ["sharks.txt"]


def test_the_other_kind_of_place_asks_for_a_new_index(folder: CorpusFolder) -> None:
    run(folder)
    if folder.place.client is None:
        return
    with pytest.raises(ConfigError, match="lie on a Qdrant server"):
        CorpusFolder(folder.root, ChunkPlace()).indexer().run(folder.root, folder.index)


def test_a_qdrant_server_that_is_away_is_a_clear_error(tmp_path: Path) -> None:
    away = CorpusFolder(tmp_path, ChunkPlace(connect(f"http://127.0.0.1:{free_port()}", "")))
    with pytest.raises(CorpusUnavailableError, match="check retrieval_qdrant_url"):
        run(away)


def test_two_indexers_at_once_are_refused(folder: CorpusFolder) -> None:
    with folder.index.writing(), pytest.raises(IndexBusyError, match="wait for its end"):
        run(folder)


def test_a_run_that_fails_goes_on_where_it_was(
    folder: CorpusFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "CHUNKS_A_WRITE", 1)
    left: list[IndexProgress] = []

    def fail_at_the_third(now: IndexProgress) -> None:
        left.append(now)
        if now.files == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        folder.indexer().run(folder.root, folder.index, progress=fail_at_the_third)
    assert run(folder) == IndexReport(1, 0, 0, 3, 4, ())
    assert folder.documents_for(SHARKS) == ["sharks.txt"]


KILLED = """
import os, signal, sys
from pathlib import Path
from groundwire_server.corpus import indexing
from groundwire_server.corpus.index_folder import IndexFolder
from groundwire_server.corpus.chunk_places import ChunkPlace
from groundwire_server.embedding.minilm import MiniLmEmbedder

indexing.CHUNKS_A_WRITE = 1
def die(now):
    if now.files == 2:
        os.kill(os.getpid(), signal.SIGKILL)
root = Path(sys.argv[1])
indexer = indexing.Indexer(MiniLmEmbedder(1), ChunkPlace())
indexer.run(root, IndexFolder(Path(sys.argv[2])), progress=die)
"""


def test_a_killed_run_goes_on_where_it_was_and_loses_nothing(tmp_path: Path) -> None:
    folder = CorpusFolder(tmp_path, ChunkPlace())
    command = [sys.executable, "-c", KILLED, str(folder.root), str(folder.index.path)]
    killed = subprocess.run(command, env=dict(os.environ), check=False)
    assert killed.returncode == -signal.SIGKILL
    with pytest.raises(CorpusUnavailableError, match="there is no index"):
        folder.corpus().find(SHARKS, 5)
    assert run(folder) == IndexReport(2, 0, 0, 2, 4, ())
    assert folder.documents_for("Python 3.12 has the GIL.") == ["gil.md"]


def test_a_server_keeps_what_it_reads_while_an_index_is_replaced(folder: CorpusFolder) -> None:
    run(folder)
    corpus = folder.corpus()
    assert [p.document for p in corpus.find(SHARKS, 5)] == ["sharks.txt"]
    folder.write("sharks.txt", "Bread needs flour and water.")
    run(folder)
    assert corpus.find(SHARKS, 5) == []
    assert [p.document for p in corpus.find("Bread is made of flour.", 5)] == ["sharks.txt"]
    corpus.close()


def test_old_generations_go(tmp_path: Path) -> None:
    folder = CorpusFolder(tmp_path, ChunkPlace())
    for number in range(4):
        folder.write("sharks.txt", f"A whale is {number} years old.")
        run(folder)
    names = [path.name for path in folder.index.path.iterdir()]
    assert sorted(name for name in names if name.startswith("generation-")) == [
        "generation-3",
        "generation-4",
    ]
    assert IndexFolder.at(folder.root).path == folder.index.path


def test_documents_of_a_folder_that_cannot_be_listed_are_kept(
    folder: CorpusFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder.root / "more").mkdir()
    (folder.root / "sharks.txt").rename(folder.root / "more" / "sharks.txt")
    run(folder)
    scandir = os.scandir

    def refuses(path: str | int) -> object:
        if str(path).endswith("/more"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    with monkeypatch.context() as patched:
        patched.setattr(os, "scandir", refuses)
        report = run(folder)
    assert [each.name for each in report.skipped] == ["more"]
    assert report.removed == 0
    assert folder.documents_for(SHARKS) == ["more/sharks.txt"]


def test_a_run_that_was_killed_before_its_index_held_takes_no_index_from_its_readers(
    tmp_path: Path,
) -> None:
    folder = IndexFolder(tmp_path / "index")
    with folder.writing():
        for _ in range(2):
            folder.begin(None).manifest.touch()
            folder.publish()
        held = folder.current()
        # Killed between the two renames, it leaves a generation that nothing names.
        folder.begin(None).manifest.touch()
        folder.building.folder.rename(folder.path / "generation-3")
        assert folder.current() == held
        folder.begin(None).manifest.touch()
        folder.publish()
    assert held.manifest.is_file()
    assert folder.current().folder.name == "generation-4"
    assert not (folder.path / "generation-3").exists()


def test_an_index_is_on_the_disk_before_anything_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = IndexFolder(tmp_path / "index")
    flushed: list[str] = []
    fsync = os.fsync

    def noted(handle: int) -> None:
        flushed.append(os.readlink(f"/proc/self/fd/{handle}"))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", noted)
    with folder.writing():
        folder.begin(None).manifest.touch()
        folder.publish()
    names = [Path(each).relative_to(tmp_path / "index").as_posix() for each in flushed]
    assert names == ["building/manifest.sqlite", "building", "CURRENT.new", "."]

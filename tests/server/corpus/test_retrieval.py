"""What an index finds for a claim, by either store and the real embedder."""

import asyncio
import shutil
import threading
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import pytest

from groundwire_server.corpus.chunk_places import ChunkPlace
from groundwire_server.corpus.edge_store import EdgeStore
from groundwire_server.corpus.retrieval import CorpusIndex
from groundwire_server.corpus.store import StoredHit, StoredSearch
from groundwire_server.embedding.minilm import MiniLmEmbedder
from groundwire_verifier.checks.corpus.passages import Passage
from groundwire_verifier.domain.errors import CorpusUnavailableError
from tests.scripted import WAIT_LIMIT_S
from tests.server.corpus.corpus_folder import (
    STORES,
    CorpusFolder,
    corpus_folder,
    embedder,
    folder,
)

__all__ = ["folder"]

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")


@pytest.fixture(scope="module", params=STORES)
def indexed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[CorpusFolder]:
    """An index that no test changes."""
    with corpus_folder(request.param, tmp_path_factory.mktemp("indexed")) as folder:
        folder.indexer().run(folder.root, folder.index)
        yield folder


def test_a_passage_says_where_it_stands_and_how_old_it_is(indexed: CorpusFolder) -> None:
    (found,) = indexed.corpus().find("Python 3.12 completely removed the GIL.", 5)
    assert found.similarity is not None
    assert found.similarity > 0.5
    text = "# The GIL\n\nPython 3.12 still has the GIL.\n"
    assert text[found.start : found.end] == found.text
    assert found == Passage(
        id="gil.md#0",
        document="gil.md",
        text=found.text,
        start=found.start,
        end=found.end,
        similarity=found.similarity,
        title="The GIL",
        dated=date(2023, 10, 2),
        dated_by="front matter",
    )


def test_meaning_is_found_without_a_word_in_common(indexed: CorpusFolder) -> None:
    assert indexed.documents_for("Fish can be viviparous") == ["sharks.txt"]


def test_hebrew_is_found_by_its_words_without_their_prefixes(indexed: CorpusFolder) -> None:
    (found,) = indexed.corpus().find("מגדלור חיפה הוקם ב-1934", 5)
    assert (found.document, found.similarity) == ("haifa.txt", None)


def test_one_frequent_word_in_common_is_not_enough(indexed: CorpusFolder) -> None:
    assert indexed.documents_for("הכנסת נבנה מאבן ירושלמית אדומה וחזקה") == []


def test_what_is_far_is_not_found(indexed: CorpusFolder) -> None:
    assert indexed.documents_for("Bread needs flour, water and salt.") == []


def test_words_alone_carry_a_passage_below_the_threshold(indexed: CorpusFolder) -> None:
    (found,) = indexed.corpus(threshold=0.99).find("The Eiffel Tower was built in 1889?", 5)
    assert (found.document, found.similarity) == ("tower.html", None)


def test_no_more_than_asked_for_are_found(indexed: CorpusFolder) -> None:
    assert len(indexed.corpus(threshold=-1.0).find("Python 3.12 has the GIL.", 2)) == 2


async def test_an_index_that_is_deleted_in_the_middle_is_a_clear_error(
    folder: CorpusFolder,
) -> None:
    folder.indexer().run(folder.root, folder.index)
    corpus = folder.corpus()
    assert await corpus.retrieve("Sharks lay eggs.", 5)
    shutil.rmtree(folder.index.path)
    with pytest.raises(CorpusUnavailableError, match=r"corpus notes: .* or no longer: make one"):
        await corpus.retrieve("Sharks lay eggs.", 5)
    folder.indexer().run(folder.root, folder.index)
    assert await corpus.retrieve("Sharks lay eggs.", 5)


def test_an_index_of_another_embedder_says_what_to_do(indexed: CorpusFolder) -> None:
    class Other(MiniLmEmbedder):
        name = "other"

    corpus = CorpusIndex("notes", indexed.index, Other(1), indexed.place, 0.3)
    with pytest.raises(CorpusUnavailableError, match=r"indexed with minilm.* has other: set"):
        corpus.find("x", 5)


def test_a_collection_that_is_gone_is_a_clear_error(folder: CorpusFolder) -> None:
    folder.indexer().run(folder.root, folder.index)
    client = folder.place.client
    if client is None:
        return
    for each in client.get_collections().collections:
        client.delete_collection(each.name)
    with pytest.raises(CorpusUnavailableError, match=r"corpus notes: the collection .* again"):
        folder.corpus().find("x", 5)


@pytest.mark.parametrize("file", ["manifest.sqlite", "chunks"])
def test_a_broken_index_is_a_clear_error(tmp_path: Path, file: str) -> None:
    folder = CorpusFolder(tmp_path, ChunkPlace())
    folder.indexer().run(folder.root, folder.index)
    path = folder.index.current().folder / file
    if path.is_dir():
        shutil.rmtree(path)
    path.write_bytes(b"broken")
    with pytest.raises(CorpusUnavailableError, match="--rebuild"):
        folder.corpus().find("x", 5)
    assert folder.indexer().run(folder.root, folder.index, rebuild=True).added == 4
    assert embedder().name == "minilm-l6-v2-int8"


async def test_searches_that_wait_keep_no_thread_of_asyncio(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()

    def waits(index: CorpusIndex, claim: str, top_k: int) -> Sequence[Passage]:
        go.wait()
        return ()

    monkeypatch.setattr(CorpusIndex, "find", waits)
    corpus = CorpusFolder(tmp_path, ChunkPlace()).corpus()
    searches = [asyncio.create_task(corpus.retrieve("a", 1)) for _ in range(64)]
    await asyncio.sleep(0)
    try:
        assert await asyncio.wait_for(asyncio.to_thread(len, "abc"), WAIT_LIMIT_S) == 3
    finally:
        go.set()
    assert await asyncio.gather(*searches) == [()] * 64


async def test_a_search_that_hangs_keeps_no_other_of_its_corpus_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = CorpusFolder(tmp_path, ChunkPlace())
    folder.indexer().run(folder.root, folder.index)
    corpus = folder.corpus()
    hangs, go = threading.Event(), threading.Event()
    search = EdgeStore.search

    def first_hangs(store: EdgeStore, asked: StoredSearch) -> list[StoredHit]:
        if not hangs.is_set():
            hangs.set()
            go.wait()
        return search(store, asked)

    monkeypatch.setattr(EdgeStore, "search", first_hangs)
    first = asyncio.create_task(corpus.retrieve("the GIL", 1))
    await asyncio.to_thread(hangs.wait, WAIT_LIMIT_S)
    try:
        await asyncio.wait_for(corpus.retrieve("the GIL", 1), WAIT_LIMIT_S)
    finally:
        go.set()
    assert await first == await corpus.retrieve("the GIL", 1)

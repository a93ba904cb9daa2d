"""Makes the index of a folder of documents, or brings it up to date.

A document that has the hash of the last time is not read again. What is done is written down some
hundred chunks at a time, so that a killed run goes on from there.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path

from groundwire_server.config.sources import ConfigError
from groundwire_server.corpus.chunk_places import ChunkPlace
from groundwire_server.corpus.chunks import ChunkSize, chunks
from groundwire_server.corpus.documents import (
    Content,
    CorpusFile,
    FileBytes,
    SkippedFile,
    UnreadableFileError,
    UnreadFolder,
    content_or_reason,
    files_in,
    read_file,
)
from groundwire_server.corpus.index_folder import Generation, IndexFolder
from groundwire_server.corpus.manifest import IndexedDocument, IndexFacts, Manifest
from groundwire_server.corpus.search_words import VERSION as WORDS_VERSION
from groundwire_server.corpus.search_words import WordEncoder
from groundwire_server.corpus.store import Chunk, ChunkStore, EncodedChunk
from groundwire_server.embedding.choice import SpanEmbedder
from groundwire_server.text_work.one_process import OneProcess
from groundwire_server.text_work.pool import TextTimeoutError, TextWorkerError
from groundwire_verifier.domain.errors import CorpusUnavailableError

CHUNKS_A_WRITE = 256
MAX_READ_S = 120.0
"""Of a processor, for one file."""

MAX_READ_BYTES = 2 << 30
"""Of memory, for one file."""


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """How far a run is: files that are done, of how many, and chunks that were made."""

    files: int
    of_files: int
    chunks: int


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What a run did: numbers of documents, all `chunks` that there are, and what was left out."""

    added: int
    changed: int
    removed: int
    unchanged: int
    chunks: int
    skipped: tuple[SkippedFile, ...]


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A document on its way into the index."""

    document: IndexedDocument
    chunks: Sequence[Chunk]


@dataclass(slots=True)
class _Counts:
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    files: int = 0
    chunks: int = 0
    skipped: list[SkippedFile] = field(default_factory=list)


class Indexer:
    """Indexes folders with one embedder, into one kind of place."""

    def __init__(
        self, embedder: SpanEmbedder, place: ChunkPlace, size: ChunkSize | None = None
    ) -> None:
        self._embedder = embedder
        self._place = place
        self._size = size or ChunkSize()
        self._words = WordEncoder()

    def run(
        self,
        root: Path,
        folder: IndexFolder,
        *,
        rebuild: bool = False,
        progress: Callable[[IndexProgress], None] = lambda _: None,
    ) -> IndexReport:
        """Bring the index in `folder` up to date with the documents in `root`.

        The index that was there holds until the new one is whole. Raises ConfigError where it was
        made in another way and `rebuild` is not set, CorpusUnavailableError where there is no
        document, IndexBusyError, and what the embedder and the store raise.
        """
        try:
            found = list(files_in(root))
        except OSError as error:
            raise CorpusUnavailableError(
                f"{root} cannot be read: {error.strerror or error}; name a folder of documents"
            ) from error
        with folder.writing():
            return self._run(found, root, folder, rebuild, progress)

    def _run(
        self,
        found: Sequence[CorpusFile | SkippedFile],
        root: Path,
        folder: IndexFolder,
        rebuild: bool,
        progress: Callable[[IndexProgress], None],
    ) -> IndexReport:
        before = self._facts_of(folder, rebuild)
        generation, facts = self._begin(folder, before, rebuild)
        with closing(Manifest(generation.manifest)) as manifest:
            is_begun = generation.chunks.exists() or bool(manifest.documents())
            make = self._place.open if is_begun else self._place.create
            with closing(make(generation, facts)) as store:
                manifest.begin(facts)
                report = self._update(found, root, manifest, store, progress)
                documents = manifest.documents()
        if before == facts and documents == _documents_of(folder.current()):
            folder.discard()
            return report
        folder.publish()
        if before is not None and before.collection != facts.collection:
            self._place.drop(before)
        return report

    def _update(
        self,
        found: Sequence[CorpusFile | SkippedFile],
        root: Path,
        manifest: Manifest,
        store: ChunkStore,
        progress: Callable[[IndexProgress], None],
    ) -> IndexReport:
        counts = _Counts(skipped=[each for each in found if isinstance(each, SkippedFile)])
        files = [each for each in found if isinstance(each, CorpusFile)]
        with closing(OneProcess(MAX_READ_S, MAX_READ_BYTES)) as process:
            prepared = self._prepared(files, manifest.documents(), counts, progress, process)
            for batch in _batches(prepared):
                self._write(batch, manifest, store)
        if not root.is_dir():
            raise CorpusUnavailableError(
                f"{root} went away while it was indexed; the index that was there holds"
            )
        gone = _gone(files, manifest, counts)
        if len(gone) == len(manifest.documents()):
            raise CorpusUnavailableError(
                f"{root} holds no document that can be read: text, Markdown, HTML and PDF are "
                f"({len(counts.skipped)} left out); an index that was there holds"
            )
        store.remove(gone)
        store.flush()
        manifest.remove(gone)
        store.optimize()
        return IndexReport(
            counts.added,
            counts.changed,
            len(gone),
            counts.unchanged,
            store.count(),
            tuple(counts.skipped),
        )

    def _facts(self, collection: str) -> IndexFacts:
        return IndexFacts(
            embedder=self._embedder.name,
            size=str(self._embedder.size),
            chunk_size=str(self._size.tokens),
            chunk_overlap=str(self._size.overlap),
            words=WORDS_VERSION,
            collection=collection,
        )

    def _facts_of(self, folder: IndexFolder, rebuild: bool) -> IndexFacts | None:
        """What the index that holds was made with; None where there is none."""
        try:
            before = Manifest.facts_in(folder.current().manifest)
        except CorpusUnavailableError:
            return None
        if rebuild:
            return before
        wanted = self._facts(before.collection)
        if before != wanted:
            old, new = asdict(before), asdict(wanted)
            other = [
                f"{name} {old[name]}, not {new[name]}" for name in old if old[name] != new[name]
            ]
            raise ConfigError(
                f"the index in {folder.path} was made with {'; '.join(other)}: set embedding_model "
                "and retrieval_chunk_size as they were, or make it anew with --rebuild"
            )
        return before

    def _begin(
        self, folder: IndexFolder, before: IndexFacts | None, rebuild: bool
    ) -> tuple[Generation, IndexFacts]:
        """The generation to go on with: one that a killed run has left, or a new one."""
        left = folder.building
        if left.manifest.is_file() and not rebuild:
            try:
                facts = Manifest.facts_in(left.manifest)
            except CorpusUnavailableError:
                pass  # it was killed before it began
            else:
                if facts == self._facts(facts.collection):
                    return left, facts
        if before is None or rebuild:
            return folder.begin(None), self._facts(self._place.new_collection())
        return folder.begin(folder.current()), before

    def _prepared(
        self,
        files: Sequence[CorpusFile],
        known: dict[str, IndexedDocument],
        counts: _Counts,
        progress: Callable[[IndexProgress], None],
        process: OneProcess,
    ) -> Iterator[_Prepared]:
        """The documents that are new or changed, in chunks."""
        for number, file in enumerate(files):
            progress(IndexProgress(number, len(files), counts.chunks))
            try:
                read = read_file(file)
                before = known.get(file.name)
                if before is not None and before.sha256 == read.sha256:
                    counts.unchanged += 1
                    continue
                content = _content_of(file, read, process)
            except UnreadableFileError as error:
                counts.skipped.append(SkippedFile(file.name, str(error)))
                continue
            pieces = [
                Chunk(
                    file.name, at, start, end, content.text[start:end], content.title,
                    content.dated, content.dated_by,
                )
                for at, (start, end) in enumerate(
                    chunks(content.text, self._embedder.spans(content.text), self._size)
                )
            ]  # fmt: skip
            counts.added += before is None
            counts.changed += before is not None
            counts.chunks += len(pieces)
            dated = content.dated.isoformat() if content.dated else ""
            yield _Prepared(
                IndexedDocument(file.name, read.sha256, len(pieces), dated, content.dated_by),
                pieces,
            )
        progress(IndexProgress(len(files), len(files), counts.chunks))

    def _write(self, batch: Sequence[_Prepared], manifest: Manifest, store: ChunkStore) -> None:
        """Put documents into the index, in the place of what it has of them."""
        pieces = [chunk for each in batch for chunk in each.chunks]
        store.remove([each.document.name for each in batch])
        for at in range(0, len(pieces), CHUNKS_A_WRITE):
            part = pieces[at : at + CHUNKS_A_WRITE]
            vectors = self._embedder.embed([chunk.text for chunk in part]).tolist()
            words = [self._words.document(f"{chunk.title}\n{chunk.text}") for chunk in part]
            store.write([EncodedChunk(*each) for each in zip(part, vectors, words, strict=True)])
        store.flush()
        manifest.add([each.document for each in batch])


def _documents_of(generation: Generation) -> dict[str, IndexedDocument]:
    with closing(Manifest(generation.manifest)) as manifest:
        return manifest.documents()


def _content_of(file: CorpusFile, read: FileBytes, process: OneProcess) -> Content:
    """The text of a file, read where nothing that it holds can harm. Raises UnreadableFileError."""
    try:
        found = process.run(content_or_reason, file.name, read)
    except TextTimeoutError as error:
        words = f"takes more than {error.limit_s:g} s of a processor to read: split it"
        raise UnreadableFileError(words) from error
    except TextWorkerError as error:
        gib = MAX_READ_BYTES >> 30
        words = f"takes more than {gib} GiB to read, or breaks what reads it ({error}): split it"
        raise UnreadableFileError(words) from error
    if isinstance(found, str):
        raise UnreadableFileError(found)
    return found


def _gone(files: Sequence[CorpusFile], manifest: Manifest, counts: _Counts) -> list[str]:
    """The documents that are no longer there, or can no longer be read."""
    there = {file.name for file in files} - {each.name for each in counts.skipped}
    unread = tuple(f"{each.name}/" for each in counts.skipped if isinstance(each, UnreadFolder))
    return [
        name for name in manifest.documents() if name not in there and not name.startswith(unread)
    ]


def _batches(prepared: Iterator[_Prepared]) -> Iterator[list[_Prepared]]:
    """Documents together until they have CHUNKS_A_WRITE chunks or more."""
    batch: list[_Prepared] = []
    for each in prepared:
        batch.append(each)
        if sum(len(document.chunks) for document in batch) >= CHUNKS_A_WRITE:
            yield batch
            batch = []
    if batch:
        yield batch

"""How well a corpus is searched, and how fast it is indexed: `python -m bench.cases corpus`.

Measured, by the real embedder and the index in the process:

- recall at 5: the share of labelled claims for which a chunk of their own context is among the five
  best, of all contexts of their language's sets. By meaning alone, by words alone, by both fused,
  and as a server finds them, which leaves out what is neither near enough nor has enough words;
- chunks a second that are read, cut, embedded and written, on made-up documents;
- an index of 100,000 chunks of made-up vectors and words: what it takes beside the embedding to
  write it, and to search it.

Not measured: other embedders, a Qdrant server, how the verdicts are.
"""

import argparse
import json
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import numpy as np

from bench.cases.found import Found, Serve
from bench.tools.common import data_file, markdown_table, nearest_rank, say
from groundwire_server.corpus.chunk_places import ChunkPlace
from groundwire_server.corpus.edge_store import EdgeStore
from groundwire_server.corpus.index_folder import IndexFolder
from groundwire_server.corpus.indexing import Indexer
from groundwire_server.corpus.retrieval import CorpusIndex
from groundwire_server.corpus.search_words import WordEncoder
from groundwire_server.corpus.store import Chunk, EncodedChunk, StoredSearch
from groundwire_server.embedding.minilm import MiniLmEmbedder

LANGUAGES = {
    "en": ("fm2", "halueval_qa", "attributionbench", "factscore", "summedits"),
    "he": ("hebnli", "more/heq"),
}
TOP_K = 5
THRESHOLD = 0.3
CLAIMS_OF_SET = 150
WORD_COUNT = 20_000
WORDS_OF_TEXT = 187
"""A little below a chunk of 512 tokens."""
BATCH = 1000
QUERIES = 100


@dataclass(frozen=True, slots=True)
class Recall:
    """Recall at 5 over so many claims, each way in [0, 1]; `found` passages a claim as served."""

    name: str
    claims: int
    meaning: float
    words: float
    fused: float
    served: float
    found: float


@dataclass(frozen=True, slots=True)
class LabelledClaim:
    """A claim, and the document that holds its context."""

    text: str
    document: str


@dataclass(frozen=True, slots=True)
class Speed:
    """Rates are chunks a second, times milliseconds, sizes MB."""

    embedded_chunks: int
    tokens_of_chunk: float
    chunks_a_second: float
    stored_chunks: int
    stored_a_second: float
    optimize_s: float
    index_mb: float
    query_ms: float
    query_p95_ms: float
    threads: int


def add(parser: argparse.ArgumentParser) -> None:
    """How much is indexed."""
    parser.add_argument("--chunks", type=int, default=1000, help="made-up documents to time")
    parser.add_argument("--stored", type=int, default=100_000, help="chunks that are only stored")
    parser.add_argument("--threads", type=int, default=2, help="threads of the embedder")


def measure(arguments: argparse.Namespace, _: Serve) -> Found:
    """Search for every claim, and index what is made up."""
    portion = 10 if arguments.quick else 1
    embedder = MiniLmEmbedder(arguments.threads)
    recalls: list[Recall] = []
    sizes: dict[str, int] = {}
    for language, sets in LANGUAGES.items():
        with tempfile.TemporaryDirectory() as folder:
            found, sizes[language] = _recall(Path(folder), sets, embedder, portion)
            recalls += found
    with tempfile.TemporaryDirectory() as folder:
        speed = _speed(Path(folder), embedder, arguments, portion)
    recall = [asdict(each) for each in recalls]
    data = {"chunks": sizes, "recall": recall, "speed": asdict(speed)}
    return Found("A corpus as evidence", data, ["", *_report(recalls, sizes, speed)])


def _recall(
    folder: Path, sets: Sequence[str], embedder: MiniLmEmbedder, share: int
) -> tuple[list[Recall], int]:
    """Recall of each set, and of all together, in a corpus of all their contexts."""
    claims = {name: _documents(folder, name, share) for name in sets}
    index = IndexFolder(folder / ".index")
    report = Indexer(embedder, ChunkPlace()).run(folder, index)
    say(f"{report.chunks:,} chunks of {report.added:,} contexts")
    corpus = CorpusIndex("bench", index, embedder, ChunkPlace(), THRESHOLD)
    store = EdgeStore.open(index.current().chunks)
    found = [_recall_of(name, claims[name], store, corpus, embedder) for name in sets]
    everything = [claim for each in claims.values() for claim in each]
    found.append(_recall_of("all", everything, store, corpus, embedder))
    return found, report.chunks


def _documents(folder: Path, name: str, share: int) -> list[LabelledClaim]:
    """Write the contexts of a set's dev rows as documents; some of the claims, at random."""
    documents: dict[str, str] = {}
    claims = []
    with data_file(f"{name}.jsonl").open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if row["split"] == "dev":
                document = f"{name.replace('/', '-')}-{len(documents)}.txt"
                document = documents.setdefault(row["context"], document)
                claims.append(LabelledClaim(row["claim"], document))
    for text, document in documents.items():
        (folder / document).write_text(text, encoding="utf-8")
    count = min(len(claims), CLAIMS_OF_SET // share)
    return random.Random(1).sample(claims, count)  # noqa: S311 - the same each time


def _recall_of(
    name: str,
    claims: Sequence[LabelledClaim],
    store: EdgeStore,
    corpus: CorpusIndex,
    embedder: MiniLmEmbedder,
) -> Recall:
    encoder = WordEncoder()
    hits = np.zeros((len(claims), 4))
    passages = 0
    for row, claim in enumerate(claims):
        vector = embedder.embed([claim.text])[0].tolist()
        words = encoder.query(claim.text)
        depth = 4 * TOP_K
        for column, search in enumerate(
            (
                StoredSearch(vector, None, depth, -1.0),
                StoredSearch(None, words, depth, -1.0),
                StoredSearch(vector, words, depth, -1.0),
            )
        ):
            best = store.search(search)[:TOP_K]
            hits[row, column] = any(hit.chunk.document == claim.document for hit in best)
        served = corpus.find(claim.text, TOP_K)
        passages += len(served)
        hits[row, 3] = any(passage.document == claim.document for passage in served)
    meaning, lexical, fused, found = hits.mean(axis=0).tolist()
    return Recall(name, len(claims), meaning, lexical, fused, found, passages / len(claims))


def _speed(
    folder: Path, embedder: MiniLmEmbedder, arguments: argparse.Namespace, share: int
) -> Speed:
    chunks, stored = arguments.chunks // share, arguments.stored // share
    texts = _made_up(chunks)
    root = folder / "documents"
    root.mkdir()
    for number, text in enumerate(texts):
        (root / f"{number}.txt").write_text(text, encoding="utf-8")
    tokens = sum(len(embedder.spans(text)) for text in texts[:50]) / min(50, len(texts))
    index = IndexFolder(folder / "index")
    start_s = time.monotonic()
    report = Indexer(embedder, ChunkPlace()).run(root, index)
    indexing_s = time.monotonic() - start_s
    store = EdgeStore.create(folder / "stored", embedder.size)
    start_s = time.monotonic()
    _store(store, texts, stored)
    writing_s = time.monotonic() - start_s
    store.optimize()
    optimize_s = time.monotonic() - start_s - writing_s
    size = sum(path.stat().st_blocks * 512 for path in (folder / "stored").rglob("*"))
    times = _query_ms(store, texts)
    store.close()
    return Speed(
        report.chunks,
        tokens,
        report.chunks / indexing_s,
        stored,
        stored / writing_s,
        optimize_s,
        size / 1e6,
        median(times),
        nearest_rank(times, 0.95),
        arguments.threads,
    )


def _made_up(count: int) -> list[str]:
    """Documents of about one chunk, of words that are as frequent as in a language."""
    rng = np.random.default_rng(1)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = ["".join(rng.choice(letters, rng.integers(2, 6))) for _ in range(WORD_COUNT)]
    texts = []
    for _ in range(count):
        ranks = np.minimum(rng.zipf(1.3, WORDS_OF_TEXT) - 1, WORD_COUNT - 1)
        chosen = [words[rank] for rank in ranks]
        sentences = [
            " ".join(chosen[at : at + 11]).capitalize() for at in range(0, WORDS_OF_TEXT, 11)
        ]
        texts.append(". ".join(sentences) + ".")
    return texts


def _store(store: EdgeStore, texts: Sequence[str], count: int) -> None:
    """Write so many chunks with made-up vectors, and the words of the texts in turn."""
    rng = np.random.default_rng(2)
    words = [WordEncoder().document(text) for text in texts]
    for start in range(0, count, BATCH):
        vectors = rng.standard_normal((min(BATCH, count - start), 384), dtype=np.float32)
        store.write(
            [
                EncodedChunk(
                    Chunk(f"{start + at}", 0, 0, 1, texts[at % len(texts)], "", None, ""),
                    vector.tolist(),
                    words[(start + at) % len(words)],
                )
                for at, vector in enumerate(vectors)
            ]
        )
        store.flush()


def _query_ms(store: EdgeStore, texts: Sequence[str]) -> list[float]:
    rng = np.random.default_rng(3)
    encoder = WordEncoder()
    times = []
    for number in range(QUERIES):
        claim = " ".join(texts[number % len(texts)].split()[:12])
        vector = rng.standard_normal(384).tolist()
        start_s = time.monotonic()
        store.search(StoredSearch(vector, encoder.query(claim), 4 * TOP_K, -1.0))
        times.append(1000.0 * (time.monotonic() - start_s))
    return times


def _report(recalls: Sequence[Recall], sizes: dict[str, int], speed: Speed) -> list[str]:
    header = ("set", "claims", "meaning", "words", "fused", "as served", "passages a claim")
    rows = [
        (
            each.name,
            str(each.claims),
            *(f"{v:.3f}" for v in (each.meaning, each.words, each.fused, each.served)),
            f"{each.found:.1f}",
        )
        for each in recalls
    ]
    return [
        f"Recall at {TOP_K}, in {sizes['en']:,} English and {sizes['he']:,} Hebrew chunks.",
        "",
        markdown_table(header, rows),
        "",
        f"- {speed.chunks_a_second:.1f} chunks a second of {speed.tokens_of_chunk:.0f} tokens on "
        f"{speed.threads} threads, {speed.embedded_chunks:,} measured: 100,000 in "
        f"{100_000 / speed.chunks_a_second / 3600:.1f} hours",
        f"- {speed.stored_chunks:,} chunks stored beside that: {speed.stored_a_second:,.0f} a "
        f"second, then {speed.optimize_s:.0f} s to optimize; {speed.index_mb:,.0f} MB",
        f"- a search in them: {speed.query_ms:.1f} ms in the median, {speed.query_p95_ms:.1f} ms "
        "at the 95th percentile, the claim's vector not counted",
    ]

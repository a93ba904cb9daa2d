"""How fast sentences are compared with contexts by their embeddings, and where that fails.

Measured: the time of 10,000 sentences from text to score, in this process, as `groundwire
similarity` does it; the AUROC of the largest cosine on the labelled rows of `bench.quality`, beside
that of the p1 in its results; and pairs of claims made by hand, of which one is carried and the
other has another number or name, or denies it, read by a server as well.

Not measured: the service over the wire. Times include whatever else the machine does; the load
average stands beside them.
"""

import argparse
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from bench.cases.found import Found, Serve
from bench.tools.common import ROOT, BenchError, data_file, markdown_table, say
from bench.tools.labelled import MEAN_SETS, MORE_SETS, SETS, read_rows
from bench.tools.serving import server_in_words
from groundwire_server.cli.evaluation.figures import SEED, UNREAD
from groundwire_server.cli.evaluation.rows import LabelledRow
from groundwire_server.embedding.minilm import MiniLmEmbedder
from groundwire_server.similarity import EmbeddingHallucinationDetector
from groundwire_verifier.checks.corpus.passages import Embedder
from groundwire_verifier.checks.similarity.texts import (
    DEFAULT_THRESHOLD,
    MIN_SENTENCE_CHARACTERS,
    nearest,
    passages_of,
    split_into_sentences,
)
from groundwire_verifier.numbers import metrics
from groundwire_verifier.numbers.metrics import Bools, Figure, Floats

CASES = ROOT / "bench" / "data" / "similarity" / "cases.jsonl"
SENTENCES_TIMED, QUICK_SENTENCES = 10_000, 500
CONTEXTS_TIMED = 100
REPEATS = 2
RESAMPLES, QUICK_RESAMPLES = 1000, 100
HEBNLI_ENGLISH = "hebnli, in English"
QUICK_SETS = ("fm2", "hebnli")


@dataclass(frozen=True, slots=True)
class Timed:
    """The seconds of each repeat, with what was compared, and the load before it."""

    sentences: int
    passages: int
    mean_characters: float
    runs_s: tuple[float, ...]
    processor_s: tuple[float, ...]
    loads: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class CaseReading:
    """A case with the cosine and the p1 of its claim that is carried, then of the other one."""

    id: str
    kind: str
    language: str
    context: str
    supported: str
    unsupported: str
    cosines: tuple[float, float]
    p1: tuple[float | None, float | None]


@dataclass(frozen=True, slots=True)
class SetSimilarity:
    """The figures of one set: AUROC of the cosine, and `p1`, that of the reads.

    `supported_told` and `unsupported_told` are the shares of the rows that people labelled so whose
    cosine is at least .60. `best_threshold` has the best balanced accuracy, chosen on
    these rows, so it flatters.
    """

    name: str
    rows: int
    cosine: Figure
    p1: Figure
    word_overlap: Figure
    supported_told: float
    unsupported_told: float
    balanced_accuracy: float
    best_threshold: float
    best_balanced_accuracy: float
    read_balanced_accuracy: float


@dataclass(frozen=True, slots=True)
class Measured:
    """All that a run has found."""

    embedder: str
    server: str
    timed: Timed
    sets: tuple[SetSimilarity, ...]
    cases: tuple[CaseReading, ...]


def time_sentences(embedder: Embedder, wanted: int, repeats: int) -> Timed:
    """How long so many distinct sentences of the shared data take as one answer."""
    rows = [row for name in SETS + MORE_SETS for row in read_rows(name, "train")]
    claims = dict.fromkeys(row.claim for row in rows)
    sentences = dict.fromkeys(split_into_sentences("\n\n".join(claims)))
    long = [each for each in sentences if len(each) >= MIN_SENTENCE_CHARACTERS]
    answer = "\n\n".join(long[:wanted])
    contexts = list(dict.fromkeys(row.context for row in rows if row.context.strip()))
    contexts = contexts[:: max(1, len(contexts) // CONTEXTS_TIMED)][:CONTEXTS_TIMED]
    detector = EmbeddingHallucinationDetector(embedder=embedder)
    compared, runs, processor, loads = 0, [], [], []
    for _ in range(repeats):
        loads.append(os.getloadavg()[0])
        began_s, began_cpu_s = time.monotonic(), time.process_time()
        compared = len(detector.report(answer, contexts).sentences)
        runs.append(time.monotonic() - began_s)
        processor.append(time.process_time() - began_cpu_s)
        say(f"{compared:,} sentences in {runs[-1]:.1f} s")
    passages = sum(len(passages_of(context)) for context in contexts)
    mean = len(answer) / max(compared, 1)
    return Timed(compared, passages, mean, tuple(runs), tuple(processor), tuple(loads))


def compare_sets(
    embedder: Embedder, p1_by_set: Mapping[str, Mapping[str, float | None]], resamples: int
) -> list[SetSimilarity]:
    """The figures of each set, on the rows that the results of bench.quality have."""
    found = []
    for name, p1 in p1_by_set.items():
        rows = [row for row in read_rows(name, "dev") if row.name in p1]
        if len(rows) != len(p1):
            raise BenchError(f"{name}: {len(p1)} rows were read, {len(rows)} of them are there")
        found.append(_compare(embedder, name, rows, p1, resamples))
        say(f"{name}: {len(rows)} rows")
    if "hebnli" in p1_by_set:
        english = _english_of_hebnli(p1_by_set["hebnli"])
        found.append(_compare(embedder, HEBNLI_ENGLISH, english, p1_by_set["hebnli"], resamples))
    return found


def _compare(
    embedder: Embedder,
    name: str,
    rows: Sequence[LabelledRow],
    p1: Mapping[str, float | None],
    resamples: int,
) -> SetSimilarity:
    contexts, claims = [row.context for row in rows], [row.claim for row in rows]
    return compare_set(name, rows, p1, largest_cosines(embedder, contexts, claims), resamples)


def largest_cosines(embedder: Embedder, contexts: Sequence[str], claims: Sequence[str]) -> Floats:
    """The largest cosine of each claim with a passage of its own context, shape (claims,)."""
    passages = {context: passages_of(context) for context in contexts}
    flat = list(dict.fromkeys(passage for each in passages.values() for passage in each))
    place = {passage: i for i, passage in enumerate(flat)}
    passage_vectors, claim_vectors = embedder.embed(flat), embedder.embed(claims)
    found = np.empty(len(claims))
    for i, context in enumerate(contexts):
        rows = [place[passage] for passage in passages[context]]
        similarities, _ = nearest(claim_vectors[i : i + 1], passage_vectors[rows])
        found[i] = similarities[0]
    return found


def compare_set(
    name: str,
    rows: Sequence[LabelledRow],
    p1: Mapping[str, float | None],
    cosines: Floats,
    resamples: int,
) -> SetSimilarity:
    """The figures of a set. `p1` goes by the rows' ids."""
    labels = np.array([row.supported for row in rows], dtype=np.bool_)
    _, contexts = np.unique([row.context for row in rows], return_inverse=True)
    weights = metrics.cluster_weights(contexts.astype(np.int64), resamples, SEED)
    read = np.array([UNREAD if (value := p1[row.name]) is None else value for row in rows])

    def auroc(of: Floats) -> Figure:
        return metrics.interval(metrics.auroc(of, labels), metrics.auroc(of, labels, weights))

    told = cosines >= DEFAULT_THRESHOLD
    best = max(np.unique(cosines), key=lambda least: _balanced(cosines >= least, labels))
    return SetSimilarity(
        name=name,
        rows=len(rows),
        cosine=auroc(cosines),
        p1=auroc(read),
        word_overlap=auroc(np.array([row.word_overlap for row in rows])),
        supported_told=float(told[labels].mean()),
        unsupported_told=float(told[~labels].mean()),
        balanced_accuracy=_balanced(told, labels),
        best_threshold=float(best),
        best_balanced_accuracy=_balanced(cosines >= best, labels),
        read_balanced_accuracy=_balanced(read >= metrics.THRESHOLD, labels),
    )


def _balanced(said: Bools, labels: Bools) -> float:
    return float(metrics.balanced_accuracy(said, labels))


def _english_of_hebnli(ids: Mapping[str, object]) -> list[LabelledRow]:
    """The English originals of the Hebrew rows, so that only the language differs."""
    metas = {}
    for line in data_file("hebnli.jsonl").read_text(encoding="utf-8").splitlines():
        found = json.loads(line)
        metas[found["id"]] = found["meta"]
    return [
        replace(row, context=metas[row.name]["context_en"], claim=metas[row.name]["claim_en"])
        for row in read_rows("hebnli", "dev")
        if row.name in ids
    ]


def read_p1(files: Sequence[Path]) -> dict[str, dict[str, float | None]]:
    """The p1 of each row, by set and id, from results of bench.quality. Raises BenchError."""
    found: dict[str, dict[str, float | None]] = {}
    for file in files:
        try:
            by_set = json.loads(file.read_text(encoding="utf-8"))["rows_by_set"]
            for name, rows in by_set.items():
                found[name] = {row["id"]: row["p1"] for row in rows}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise BenchError(f"{file} is no result of bench.quality: {error!r}") from error
    return found


def read_cases(
    embedder: Embedder, target: str | None, serve: Serve
) -> tuple[list[CaseReading], str]:
    """The cases with their cosines, and with the p1 of a server, which is named."""
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    found = []
    with serve() as client:
        for case in cases:
            pair = [case["supported"], case["unsupported"]]
            cosines = largest_cosines(embedder, [case["context"]] * 2, pair)
            reads = client.verify_claims(pair, case["context"])
            found.append(
                CaseReading(**case, cosines=(cosines[0], cosines[1]), p1=(reads[0].p1, reads[1].p1))
            )
        return found, server_in_words(client.server_info(), target)


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "quality", nargs="+", type=Path, metavar="FILE", help="quality.json of bench.quality"
    )


def measure(arguments: argparse.Namespace, serve: Serve) -> Found:
    """Time sentences, compare sets, read the pairs."""
    quick = arguments.quick
    embedder = MiniLmEmbedder()
    p1_by_set = read_p1(arguments.quality)
    if quick:
        p1_by_set = {name: p1_by_set[name] for name in QUICK_SETS if name in p1_by_set}
    timed = time_sentences(
        embedder, QUICK_SENTENCES if quick else SENTENCES_TIMED, 1 if quick else REPEATS
    )
    sets = compare_sets(embedder, p1_by_set, QUICK_RESAMPLES if quick else RESAMPLES)
    cases, server = read_cases(embedder, arguments.target, serve)
    measured = Measured(embedder.name, server, timed, tuple(sets), tuple(cases))
    return Found("Similarity", asdict(measured), report(measured))


def report(measured: Measured) -> list[str]:
    """All of it as lines of markdown."""
    timed = measured.timed
    return [
        f"- embedder: {measured.embedder}; reads: {measured.server}",
        f"\n## {timed.sentences:,} sentences\n",
        f"Against {timed.passages:,} passages; a sentence has {timed.mean_characters:.0f} "
        "characters in the mean.\n",
        _timed_table(timed),
        "\n## Labelled claims\n",
        "AUROC with the interval of 95 %, by whole contexts. The cosine is that with the nearest "
        "passage of the context; p1 is what bench.quality has read for the same rows.\n",
        _auroc_table(measured.sets),
        f"\nThe share of claims whose cosine is at least {DEFAULT_THRESHOLD:g}, and balanced "
        "accuracy; the best threshold is chosen on the same rows, which flatters it.\n",
        _told_table(measured.sets),
        "\n## Pairs made by hand\n",
        _kinds_table(measured.cases),
        "\n" + _cases_table(measured.cases),
    ]


def _timed_table(timed: Timed) -> str:
    rows = zip(timed.runs_s, timed.processor_s, timed.loads, strict=True)
    shown = [(f"{wall:.1f}", f"{cpu:.1f}", f"{load:.1f}") for wall, cpu, load in rows]
    return markdown_table(("seconds", "seconds of a processor", "load average before"), shown)


def _figure(figure: Figure) -> str:
    if figure.value is None or figure.low is None or figure.high is None:
        return "none"
    return f"{figure.value:.2f} ({figure.low:.2f} to {figure.high:.2f})"


def _auroc_table(sets: Sequence[SetSimilarity]) -> str:
    header = ("set", "rows", "cosine", "word overlap", "p1 of the reads")
    rows = [
        (
            each.name,
            str(each.rows),
            _figure(each.cosine),
            _figure(each.word_overlap),
            "as above" if each.name == HEBNLI_ENGLISH else _figure(each.p1),
        )
        for each in sets
    ]
    return markdown_table(header, [*rows, *_mean_rows(sets)])


def _mean_rows(sets: Sequence[SetSimilarity]) -> list[tuple[str, ...]]:
    """The means over the sets that the docs' figures are means of, and over the others."""
    found = []
    for name, names in (("mean of 5", MEAN_SETS), ("mean of more", MORE_SETS)):
        group = [each for each in sets if each.name in names]
        if len(group) == len(names):
            columns = zip(
                *((each.cosine, each.word_overlap, each.p1) for each in group), strict=True
            )
            values = [np.mean([figure.value for figure in column]) for column in columns]
            rows = str(sum(each.rows for each in group))
            found.append((name, rows, *(f"{value:.2f}" for value in values)))
    return found


def _told_table(sets: Sequence[SetSimilarity]) -> str:
    header = (
        "set", "supported claims", "unsupported claims", "balanced accuracy", "best threshold",
        "with it", "of p1 from .5",
    )  # fmt: skip
    return markdown_table(
        header,
        [
            (
                each.name,
                f"{each.supported_told:.2f}",
                f"{each.unsupported_told:.2f}",
                f"{each.balanced_accuracy:.2f}",
                f"{each.best_threshold:.2f}",
                f"{each.best_balanced_accuracy:.2f}",
                f"{each.read_balanced_accuracy:.2f}",
            )
            for each in sets
        ],
    )


def _kinds_table(cases: Sequence[CaseReading]) -> str:
    """How often each way tells the two claims of a pair apart, by kind and language."""
    header = ("kind", "language", "pairs", "wrong claim from .60", "cosine orders", "p1 orders")
    groups: dict[tuple[str, str], list[CaseReading]] = {}
    for case in cases:
        groups.setdefault((case.kind, case.language), []).append(case)
    return markdown_table(
        header,
        [
            (
                kind,
                language,
                str(len(group)),
                str(sum(case.cosines[1] >= DEFAULT_THRESHOLD for case in group)),
                str(sum(case.cosines[0] > case.cosines[1] for case in group)),
                str(sum(_orders(case.p1) for case in group)),
            )
            for (kind, language), group in groups.items()
        ],
    )


def _orders(p1: tuple[float | None, float | None]) -> bool:
    carried, other = p1
    return carried is not None and other is not None and carried > other


def _cases_table(cases: Sequence[CaseReading]) -> str:
    header = ("kind", "context", "claim that is not carried", "cosine", "p1", "of the carried one")
    return markdown_table(
        header,
        [
            (
                case.kind,
                case.context,
                case.unsupported,
                f"{case.cosines[1]:.3f}",
                _number(case.p1[1]),
                f"{case.cosines[0]:.3f}, {_number(case.p1[0])}",
            )
            for case in cases
        ],
    )


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"

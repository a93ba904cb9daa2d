"""How well the analysis of a text against a corpus tells what the corpus carries from what not.

Two corpora: 60 made claims on nine made documents (`bench/data/epistemic_risk/`), in English and in
Hebrew, of which each is stated, partly true, denied, or has another year, number or person; and the
contexts of the shared data with their claims. Every claim is a text of its own, analysed once.
"""

import argparse
import json
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from bench.cases.found import Found, Serve, share
from bench.tools.common import ROOT, markdown_table, say
from bench.tools.labelled import choose, read_rows
from bench.tools.serving import server_in_words
from groundwire import Client, CorpusAnalysis, EvidenceVerdict, Verdict
from groundwire_server.cli.evaluation.rows import LabelledRow
from groundwire_server.config.settings import ServerSettings
from groundwire_server.corpus.chunk_places import chunk_place
from groundwire_server.corpus.index_folder import IndexFolder
from groundwire_server.corpus.indexing import Indexer
from groundwire_server.embedding.choice import make_embedder
from groundwire_verifier.domain.titles import stems
from groundwire_verifier.numbers.metrics import auroc

DATA = ROOT / "bench" / "data" / "epistemic_risk"
SETS = ("fm2", "summedits", "factscore", "attributionbench", "halueval_qa", "hebnli")
MADE, SHARED = "made", "shared"
CALL_TIMEOUT_S = 600.0
TYPES = {
    "denied": "DIRECT_NEGATION", "year": "TEMPORAL", "number": "NUMERIC", "person": "ENTITY"
}  # fmt: skip
"""The type of contradiction of each kind of made claim that has one."""
GRAVITY = ("GROUNDED", "NOT_VERIFIED", "WEAK", "HALLUCINATED")


@dataclass(frozen=True, slots=True)
class Analysed:
    """What was said of a claim, beside its labels.

    `carried` is whether the corpus carries it; `found` whether a passage of its own document was
    retrieved, None where it has none. The gravest claim of a text stands for it.
    """

    corpus: str
    set: str
    kind: str
    language: str
    develop: bool
    carried: bool
    claim: str
    verdict: str
    strength: float | None
    risk: float | None
    types: list[str]
    by_rule: bool
    uncertain: bool
    budget: str
    found: bool | None
    overlap: float


def add(parser: argparse.ArgumentParser) -> None:
    """How many claims."""
    parser.add_argument("--limit", type=int, default=40, help="claims of each shared set")


def measure(arguments: argparse.Namespace, serve: Serve) -> Found:
    """Analyse every claim once, as a text of its own."""
    limit = 4 if arguments.quick else arguments.limit
    rows = {name: choose(read_rows(name, "dev"), limit) for name in SETS}
    with tempfile.TemporaryDirectory(prefix="groundwire-bench-") as folder:
        shared, owners = write_contexts(Path(folder, "contexts"), rows)
        corpora = {MADE: Path(folder, MADE), SHARED: Path(folder, SHARED)}
        index(DATA / "corpus", corpora[MADE])
        index(shared, corpora[SHARED])
        named = ",".join(f"{name}={place}" for name, place in corpora.items())
        flags = (
            "--epistemic-risk-enabled", "true", "--retrieval-corpora", named,
            # Quality is measured, however loaded the machine is.
            "--hallucination-timeout", "10m", "--max-call-s", str(CALL_TIMEOUT_S),
        )  # fmt: skip
        with serve(*flags) as client:
            server = server_in_words(client.server_info(), arguments.target)
            analysed = [*made(client, arguments.quick), *shared_claims(client, rows, owners)]
    data = {"server": server, "claims": [asdict(each) for each in analysed]}
    lines = [f"- server: {server}; settings: defaults, but epistemic_risk_enabled", ""]
    return Found("Texts against a corpus", data, [*lines, *report(analysed)])


def index(root: Path, place: Path) -> None:
    """Index a folder as `groundwire index` does, with the settings' defaults."""
    settings = ServerSettings()
    Indexer(make_embedder(settings), chunk_place(settings)).run(root, IndexFolder.at(place))


def write_contexts(
    folder: Path, rows: dict[str, list[LabelledRow]]
) -> tuple[Path, dict[tuple[str, str], str]]:
    """Each distinct context as a document; and the document of each set and context."""
    folder.mkdir()
    owners: dict[tuple[str, str], str] = {}
    for name, chosen in rows.items():
        for row in chosen:
            key = (name, row.context)
            if key not in owners:
                owners[key] = f"{name}-{len(owners)}.txt"
                (folder / owners[key]).write_text(row.context, encoding="utf-8")
    return folder, owners


def made(client: Client, quick: bool) -> Iterable[Analysed]:
    lines = (DATA / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    texts = {path: stems(path.read_text(encoding="utf-8")) for path in (DATA / "corpus").iterdir()}
    for line in lines[:: 10 if quick else 1]:
        case = json.loads(line)
        claim = case["claim"]
        analysis = client.analyze_text(claim, MADE)
        overlap = max(_overlap(claim, text) for text in texts.values())
        yield _scored(analysis, MADE, MADE, case["kind"], case["language"],
                      develop=case["develop"], carried=case["kind"] == "supported",
                      claim=claim, own=None, overlap=overlap)  # fmt: skip


def shared_claims(
    client: Client, rows: dict[str, list[LabelledRow]], owners: dict[tuple[str, str], str]
) -> Iterable[Analysed]:
    for name, chosen in rows.items():
        for row in chosen:
            analysis = client.analyze_text(row.claim, SHARED)
            overlap = _overlap(row.claim, stems(row.context))
            yield _scored(analysis, SHARED, name, "", analysis.language, develop=False,
                          carried=row.supported, claim="", own=owners[name, row.context],
                          overlap=overlap)  # fmt: skip
        say(f"{name} is analysed")


def _scored(
    analysis: CorpusAnalysis,
    corpus: str,
    set_: str,
    kind: str,
    language: str,
    *,
    develop: bool,
    carried: bool,
    claim: str,
    own: str | None,
    overlap: float,
) -> Analysed:
    worst = max(analysis, key=lambda each: GRAVITY.index(each.verdict.value))
    numbers = [each.numbers for each in analysis if each.numbers is not None]
    passages = [passage for each in analysis for passage in each.evidence]
    return Analysed(
        corpus=corpus,
        set=set_,
        kind=kind,
        language=language,
        develop=develop,
        carried=carried,
        claim=claim,
        verdict=worst.verdict.value,
        strength=min((each.evidence_strength for each in numbers), default=None),
        risk=max((each.risk for each in numbers), default=None),
        types=[type_.value for each in analysis for type_ in each.contradictions],
        by_rule=any(passage.decided_by.value == "RULE" for passage in passages),
        uncertain=bool(analysis.uncertain),
        budget="" if worst.budget is None else worst.budget.verdict.value,
        found=None if own is None else any(passage.document == own for passage in passages),
        overlap=overlap,
    )


def _overlap(claim: str, words: set[str]) -> float:
    wanted = stems(claim)
    return len(wanted & words) / len(wanted) if wanted else 0.0


def report(analysed: Sequence[Analysed]) -> list[str]:
    groups: dict[str, list[Analysed]] = {}
    for each in analysed:
        names = [each.corpus, f"{each.corpus}, {each.language}"]
        if each.corpus == MADE:
            names += [
                f"{MADE}, {'seen while the rules were made' if each.develop else 'held out'}",
                f"{MADE}: {each.kind}",
            ]
        else:
            names.append(f"{SHARED}: {each.set}")
        for name in names:
            groups.setdefault(name, []).append(each)
    header = ["claims", "number", "carried: GROUNDED", "carried: HALLUCINATED",
              "others: HALLUCINATED", "others: GROUNDED", "AUROC of strength", "of word overlap",
              "budget right", "own document found", "uncertain"]  # fmt: skip
    return [
        "Each claim is a text of its own. Carried claims are those that the corpus states. "
        "Budget right: SUPPORTED exactly for carried claims.",
        "",
        markdown_table(header, [_row(name, chosen) for name, chosen in groups.items()]),
        "",
        "Made claims with a contradiction, by what differs: the share that is HALLUCINATED, of "
        "those the share with the right type, and how many a rule decided.",
        "",
        markdown_table(["kind", "HALLUCINATED", "right type", "by rule"], _types(analysed)),
    ]


def _row(name: str, chosen: Sequence[Analysed]) -> list[str]:
    carried = [each for each in chosen if each.carried]
    others = [each for each in chosen if not each.carried]
    grounded, hallucinated = EvidenceVerdict.GROUNDED.value, EvidenceVerdict.HALLUCINATED.value
    known = [each for each in chosen if each.strength is not None]
    right = ((each.budget == Verdict.SUPPORTED.value) == each.carried for each in chosen)
    return [
        name,
        str(len(chosen)),
        share(each.verdict == grounded for each in carried),
        share(each.verdict == hallucinated for each in carried),
        share(each.verdict == hallucinated for each in others),
        share(each.verdict == grounded for each in others),
        _auroc([(each.carried, each.strength or 0.0) for each in known]),
        _auroc([(each.carried, each.overlap) for each in known]),
        share(right),
        share(each.found for each in chosen if each.found is not None),
        share(each.uncertain for each in chosen),
    ]


def _types(analysed: Sequence[Analysed]) -> list[list[str]]:
    rows = []
    for kind, type_ in TYPES.items():
        of_kind = [each for each in analysed if each.kind == kind]
        wrong = [each for each in of_kind if each.verdict == EvidenceVerdict.HALLUCINATED.value]
        rows.append(
            [
                kind,
                share(each in wrong for each in of_kind),
                share(type_ in each.types for each in wrong),
                share(each.by_rule for each in of_kind),
            ]
        )
    return rows


def _auroc(pairs: Sequence[tuple[bool, float]]) -> str:
    labels = np.array([carried for carried, _ in pairs], dtype=bool)
    if labels.all() or not labels.any():
        return ""
    return f"{auroc(np.array([value for _, value in pairs]), labels):.3f}"

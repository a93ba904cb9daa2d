"""How often each claim of a chatbot's answer is judged right, under both policies.

The answers are written and labelled by hand: `bench/data/chatbot/`. Each is verified once by each
policy, whose readings are the same. A claim is judged right if it is grounded exactly where its
source supports it, and an answer if all of its claims are.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from bench.cases.found import Found, Serve
from bench.tools.common import ROOT, BenchError, markdown_table
from bench.tools.serving import server_in_words
from groundwire import AnswerReport, Client, Document, Evidence, Policy, VerifyOptions
from groundwire_verifier.numbers import metrics

ANSWERS = ROOT / "bench" / "data" / "chatbot" / "answers.jsonl"
POLICIES = (Policy.BUDGET, Policy.GROUNDING_SCORE)
LANGUAGES = ("all", "en", "he")


@dataclass(frozen=True, slots=True)
class LabelledAnswer:
    """An answer; `bench/data/chatbot/README.md` says what each field means."""

    id: str
    language: str
    kind: str
    question: str
    sources: dict[str, str]
    claims: tuple[tuple[str, bool], ...]

    @property
    def text(self) -> str:
        """The answer as a chatbot gives it."""
        return " ".join(text for text, _ in self.claims)


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim of an answer with what each policy says of it.

    `p1` and `p0` are None where the claim was not read.
    """

    answer: str
    language: str
    kind: str
    claim: str
    supported: bool
    p1: float | None
    p0: float | None
    verdict: str
    grounded: dict[str, bool]


def add(_: argparse.ArgumentParser) -> None:
    """No flags of its own."""


def measure(arguments: argparse.Namespace, serve: Serve) -> Found:
    """Verify every answer once by each policy."""
    answers = load_answers()[:: 8 if arguments.quick else 1]
    with serve() as client:
        server = server_in_words(client.server_info(), arguments.target)
        judged = [each for answer in answers for each in _judge(client, answer)]
    data = {"server": server, "claims": [asdict(each) for each in judged]}
    lines = [f"- server: {server}", "", *tables(judged)]
    return Found("Claims of a chatbot's answers", data, lines)


def load_answers(path: Path = ANSWERS) -> list[LabelledAnswer]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        LabelledAnswer(
            row["id"],
            row["language"],
            row["kind"],
            row["question"],
            {source["id"]: source["text"] for source in row["sources"]},
            tuple((claim["text"], claim["supported"]) for claim in row["claims"]),
        )
        for row in rows
    ]


def _judge(client: Client, answer: LabelledAnswer) -> list[Judged]:
    evidence = Evidence.documents([Document(*source) for source in answer.sources.items()])
    reports = {
        policy.value: client.verify_answer(
            answer.text, evidence, question=answer.question, options=VerifyOptions(policy=policy)
        )
        for policy in POLICIES
    }
    return judged_by(answer, reports)


def judged_by(answer: LabelledAnswer, reports: dict[str, AnswerReport]) -> list[Judged]:
    """The claims of the answer's sentences, as each policy's report has them.

    Raises BenchError if the server found other claims than one a sentence.
    """
    if any(len(report) != len(answer.claims) for report in reports.values()):
        raise BenchError(f"{answer.id}: the server does not find one claim a sentence")
    first = reports[POLICIES[0].value]
    return [
        Judged(
            answer.id,
            answer.language,
            answer.kind,
            text,
            supported,
            first[i].p1,
            first[i].p0,
            first[i].verdict.value,
            {name: report[i].grounded for name, report in reports.items()},
        )
        for i, (text, supported) in enumerate(answer.claims)
    ]


def tables(judged: Sequence[Judged]) -> list[str]:
    """How much was judged right, by language and by kind, and the AUROC of p1."""
    kinds = list(dict.fromkeys(each.kind for each in judged))
    groups = [
        (language, [each for each in judged if language in {each.language, LANGUAGES[0]}])
        for language in LANGUAGES
    ] + [(kind, [each for each in judged if each.kind == kind]) for kind in kinds]
    head = ["answers", "claims", "AUROC of p1"]
    for policy in POLICIES:
        head += [f"{policy.value}: claims right", "answers right"]
    rows = [[name, *_row(found)] for name, found in groups if found]
    return [markdown_table(["", *head], rows)]


def _row(found: Sequence[Judged]) -> list[str]:
    read = [(each.p1, each.supported) for each in found if each.p1 is not None]
    both = {supported for _, supported in read}
    scores, labels = np.array([p for p, _ in read]), np.array([s for _, s in read])
    auroc = f"{float(metrics.auroc(scores, labels)):.2f}" if len(both) == 2 else "-"
    row = [str(len({each.answer for each in found})), str(len(found)), auroc]
    for policy in POLICIES:
        right = [(each.answer, each.grounded[policy.value] is each.supported) for each in found]
        wrong = {answer for answer, is_right in right if not is_right}
        total = len({answer for answer, _ in right})
        row += [f"{sum(r for _, r in right)} of {len(right)}", f"{total - len(wrong)} of {total}"]
    return row

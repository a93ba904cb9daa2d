"""How well VerifyAnswer tells the right sentences of whole answers from the wrong ones.

Measured: answers written by hand (`shared/data/answers/answers.jsonl`), each sent with its question
and sources to a running server. A sentence is as good as its worst claim: its score is the least p1
of the claims that touch it, and its verdict the worst of theirs. An answer is as good as its worst
sentence. Sentences that truly say that the sources do not tell are counted apart.

Not measured: time (see bench.pipeline), and which words of a sentence are wrong.
"""

import argparse
import json
import math
import random
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import Enum

import numpy as np

from bench.tools.common import (
    BenchError,
    bench_parser,
    data_file,
    describe_run,
    guarded,
    markdown_table,
    results_folder,
    say,
    write_results,
)
from bench.tools.serving import add_server_flags, client_at, server_in_words
from groundwire import (
    AnswerReport,
    Client,
    Document,
    Evidence,
    Span,
    Verdict,
    VerifyOptions,
)
from groundwire_verifier.numbers import metrics
from groundwire_verifier.numbers.metrics import word_overlap

CALL_TIMEOUT_S = 290.0
MAX_CLAIMS = 64
QUICK_ANSWERS = 8
RESAMPLES, SEED = 1000, 11
REVIEWED_SHARE = 0.2
"""Of the sentences of an answer, worst first: the part that somebody reads again."""
WORST_FIRST = (
    Verdict.CONTRADICTED,
    Verdict.MISCITED,
    Verdict.UNSUPPORTED,
    Verdict.UNCERTAIN,
    Verdict.PRIOR_KNOWLEDGE,
    Verdict.NOT_VERIFIED,
    Verdict.UNKNOWN,
    Verdict.SUPPORTED,
)
UNREAD = "unread"
"""Said of a sentence that no claim with a reading touches."""


class Label(Enum):
    """What the sources say of a sentence, by hand."""

    SUPPORTED = "S"
    CONTRADICTED = "C"
    NOT_STATED = "N"
    TRUE_ABSENCE = "A"
    NOTHING_TO_CHECK = "-"


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """A sentence of an answer. `kinds` say what is wrong in it; `span` is where it stands."""

    text: str
    span: Span
    label: Label
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LabelledAnswer:
    """An answer as it is sent, and what its sentences are."""

    id: str
    language: str
    question: str
    text: str
    documents: tuple[Document, ...]
    sentences: tuple[LabelledSentence, ...]

    @property
    def sources_text(self) -> str:
        return "\n".join(f"{document.title}\n{document.text}" for document in self.documents)


@dataclass(frozen=True, slots=True)
class Judged:
    """A sentence as the server judged it.

    `verdict` is the worst of its claims', or UNREAD. `p1` is the least of its claims', in [0, 1];
    None where no claim of it was read. `overlap` is the share of its words that the sources hold.
    """

    answer: str
    language: str
    label: str
    kinds: tuple[str, ...]
    verdict: str
    p1: float | None
    overlap: float

    @property
    def is_right(self) -> bool:
        """Whether the sources bear it out."""
        return self.label == Label.SUPPORTED.value

    @property
    def is_wrong(self) -> bool:
        """Whether the sources do not bear it out."""
        return self.label in {Label.CONTRADICTED.value, Label.NOT_STATED.value}

    @property
    def doubt(self) -> float:
        """How likely it is wrong: what was not read is the first to look at."""
        return 1.0 if self.p1 is None else 1.0 - self.p1


def main() -> int:
    """Parse the flags, measure, write."""
    parser = bench_parser(
        "bench.answers", "Verdicts of VerifyAnswer on sentences of whole answers."
    )
    add_server_flags(parser)
    parser.add_argument("--limit", type=int, metavar="N", help="so many answers, drawn by a seed")
    return guarded(lambda: _bench(parser.parse_args()))


def _bench(arguments: argparse.Namespace) -> None:
    run = describe_run(arguments.quick)
    answers = read_answers(arguments.limit or (QUICK_ANSWERS if arguments.quick else None))
    judged: list[Judged] = []
    with client_at(arguments.target, arguments.model, CALL_TIMEOUT_S) as client:
        server = server_in_words(client.server_info(), arguments.target)
        for number, answer in enumerate(answers, start=1):
            judged += judge(answer, _verify(client, answer))
            if number % 10 == 0:
                say(f"{number} of {len(answers)} answers")
    folder = results_folder("answers", arguments.out, run)
    data = {"run": asdict(run), "server": server, "sentences": [asdict(each) for each in judged]}
    head = ["# Sentences of whole answers", "", *run.lines(), f"- server: {server}", ""]
    write_results(folder, "answers", data, "\n".join([*head, *report(judged)]))


def _verify(client: Client, answer: LabelledAnswer) -> AnswerReport:
    return client.verify_answer(
        answer.text,
        Evidence.documents(answer.documents),
        question=answer.question,
        options=VerifyOptions(max_claims=MAX_CLAIMS),
    )


def read_answers(limit: int | None) -> list[LabelledAnswer]:
    """The labelled answers, or so many of them. Raises MissingDataError and BenchError."""
    path = data_file("answers/answers.jsonl")
    with path.open(encoding="utf-8") as lines:
        answers = [parse_answer(line) for line in lines]
    if limit is None or limit >= len(answers):
        return answers
    return random.Random(SEED).sample(answers, limit)  # noqa: S311 - a sample, not a secret


def parse_answer(line: str) -> LabelledAnswer:
    """An answer from a line of JSON. Raises BenchError where a sentence stands nowhere in it."""
    row = json.loads(line)
    at = 0
    sentences = []
    for number, each in enumerate(row["sentences"]):
        start = row["answer"].find(each["text"], at)
        if start < 0:
            raise BenchError(f"{row['id']}: sentence {number} does not stand in the answer")
        at = start + len(each["text"])
        kinds = tuple(span["kind"] for span in row["spans"] if span["in"] == number)
        sentences.append(
            LabelledSentence(each["text"], Span(start, at), Label(each["label"]), kinds)
        )
    return LabelledAnswer(
        id=row["id"],
        language=row["lang"],
        question=row["question"] or "",
        text=row["answer"],
        documents=tuple(
            Document(source["id"], source["text"], source.get("title") or "")
            for source in row["sources"]
        ),
        sentences=tuple(sentences),
    )


def judge(answer: LabelledAnswer, verified: AnswerReport) -> list[Judged]:
    """The sentences of an answer that hold something to check, as the report has them."""
    found = []
    for sentence in answer.sentences:
        if sentence.label is Label.NOTHING_TO_CHECK:
            continue
        touching = [
            claim
            for claim in verified
            if claim.span.start < sentence.span.end
            and sentence.span.start < claim.span.end
            and claim.p1 is not None
        ]
        probabilities = [claim.p1 for claim in touching if claim.p1 is not None]
        verdicts = [claim.verdict for claim in touching]
        found.append(
            Judged(
                answer=answer.id,
                language=answer.language,
                label=sentence.label.value,
                kinds=sentence.kinds,
                verdict=min(verdicts, key=_badness).value if verdicts else UNREAD,
                p1=min(probabilities, default=None),
                overlap=word_overlap(sentence.text, answer.sources_text),
            )
        )
    return found


def _badness(verdict: Verdict) -> int:
    return WORST_FIRST.index(verdict)


def report(judged: Sequence[Judged]) -> list[str]:
    """The tables, in markdown."""
    languages = sorted({each.language for each in judged})
    kinds = sorted({kind for each in judged for kind in each.kinds})
    groups = [("all", list(judged))]
    groups += [(name, [e for e in judged if e.language == name]) for name in languages]
    wrong = [
        [kind, str(len(of_kind)), _share(of_kind, _says(Verdict.SUPPORTED)), _verdicts(of_kind)]
        for kind in kinds
        if (of_kind := [each for each in judged if each.is_wrong and kind in each.kinds])
    ]
    return [
        markdown_table(
            [
                "language", "sentences", "AUROC", "word overlap", "false SUPPORTED",
                "recall of SUPPORTED", "right: CONTRADICTED", "right: MISCITED",
                "true absences flagged", "unread", "wrong ones in the first fifth",
            ],
            [[name, *_sentence_row(found)] for name, found in groups if found],
        ),
        "",
        markdown_table(
            ["label", "sentences", "verdicts"],
            [
                [label.name, str(len(found)), _verdicts(found)]
                for label in Label
                if (found := [each for each in judged if each.label == label.value])
            ],
        ),
        "",
        markdown_table(["wrong by", "sentences", "came out SUPPORTED", "verdicts"], wrong),
        "",
        markdown_table(
            ["answers", "with a wrong sentence", "AUROC of the worst", "AUROC of the mean",
             "F1 of \"not all SUPPORTED\"", "F1 of always yes"],
            [_answer_row(judged)],
        ),
    ]  # fmt: skip


def _sentence_row(found: Sequence[Judged]) -> list[str]:
    right, wrong = [e for e in found if e.is_right], [e for e in found if e.is_wrong]
    absences = [e for e in found if e.label == Label.TRUE_ABSENCE.value]
    both = [*right, *wrong]
    return [
        str(len(found)),
        _auroc(both, lambda each: -each.doubt),
        _auroc(both, lambda each: each.overlap),
        _share(wrong, _says(Verdict.SUPPORTED)),
        _share(right, _says(Verdict.SUPPORTED)),
        _share(right, _says(Verdict.CONTRADICTED)),
        _share(right, _says(Verdict.MISCITED)),
        _share(absences, lambda each: each.verdict not in {Verdict.SUPPORTED.value, UNREAD}),
        _share(found, lambda each: each.verdict == UNREAD),
        _first_fifth(both),
    ]


def _answer_row(judged: Sequence[Judged]) -> list[str]:
    groups = list(_by_answer(each for each in judged if each.is_right or each.is_wrong))
    bad = np.array([any(each.is_wrong for each in group) for group in groups])
    worst = np.array([max(each.doubt for each in group) for group in groups])
    means = np.array([np.mean([each.doubt for each in group]) for group in groups])
    flagged = np.array(
        [any(each.verdict != Verdict.SUPPORTED.value for each in group) for group in groups]
    )
    return [
        str(len(groups)),
        str(int(bad.sum())),
        _number(metrics.auroc(worst, bad)),
        _number(metrics.auroc(means, bad)),
        _f1(flagged, bad),
        _f1(np.ones(len(groups), dtype=bool), bad),
    ]


def _by_answer(judged: Iterable[Judged]) -> Iterable[list[Judged]]:
    groups: dict[str, list[Judged]] = {}
    for each in judged:
        groups.setdefault(each.answer, []).append(each)
    return groups.values()


def _first_fifth(found: Sequence[Judged]) -> str:
    """The share of the wrong sentences among the first fifth of each answer, worst first."""
    met = total = 0
    for group in _by_answer(found):
        first = sorted(group, key=lambda each: -each.doubt)
        met += sum(each.is_wrong for each in first[: math.ceil(REVIEWED_SHARE * len(group))])
        total += sum(each.is_wrong for each in group)
    return f"{met / total:.2f} of {total}" if total else "-"


def _says(verdict: Verdict) -> Callable[[Judged], bool]:
    return lambda each: each.verdict == verdict.value


def _share(found: Sequence[Judged], holds: Callable[[Judged], bool]) -> str:
    return f"{sum(map(holds, found)) / len(found):.2f} of {len(found)}" if found else "-"


def _auroc(found: Sequence[Judged], score: Callable[[Judged], float]) -> str:
    """With its 95 % interval over resampled answers."""
    labels = np.array([each.is_right for each in found], dtype=bool)
    if labels.all() or not labels.any():
        return "-"
    scores = np.array([score(each) for each in found])
    _, answers = np.unique([each.answer for each in found], return_inverse=True)
    weights = metrics.cluster_weights(answers, RESAMPLES, SEED)
    figure = metrics.interval(metrics.auroc(scores, labels), metrics.auroc(scores, labels, weights))
    if figure.low is None or figure.high is None:  # one answer has no interval
        return f"{figure.value:.2f}"
    return f"{figure.value:.2f} ({figure.low:.2f} to {figure.high:.2f})"


def _f1(said: metrics.Bools, true: metrics.Bools) -> str:
    hits = int((said & true).sum())
    total = int(said.sum()) + int(true.sum())
    return f"{2 * hits / total:.2f}" if total else "-"


def _verdicts(found: Sequence[Judged]) -> str:
    counts: dict[str, int] = {}
    for each in found:
        counts[each.verdict] = counts.get(each.verdict, 0) + 1
    return ", ".join(f"{counts[name]} {name}" for name in sorted(counts, key=lambda n: -counts[n]))


def _number(value: metrics.Floats) -> str:
    return "-" if math.isnan(float(value)) else f"{float(value):.2f}"


if __name__ == "__main__":
    sys.exit(main())

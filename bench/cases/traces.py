"""How well the audit of traces finds where a trace leaves its evidence, and what does not follow.

The traces are made, and labelled by hand: `bench/data/traces/`. Each is audited once, one after the
other. Scored are the statuses of steps, the first step that is not supported, the answers that do
not follow, and both together.
"""

import argparse
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from bench.cases.found import Found, Serve, share
from bench.tools.common import ROOT, markdown_table
from bench.tools.serving import server_in_words
from groundwire import Client, Evidence, PostHocStatus, StepStatus, TraceAudit

TRACES = ROOT / "bench" / "data" / "traces"
STATUSES = tuple(status.value for status in StepStatus if status is not StepStatus.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Trace:
    """A labelled trace; `bench/data/traces/README.md` says what each label means."""

    id: str
    language: str
    kind: str
    case: str
    question: str
    context: list[str]
    steps: list[str]
    expected: list[str]
    first_unsupported: int | None
    answer: str
    follows: bool


@dataclass(frozen=True, slots=True)
class Scored:
    """What the audit said of a trace, beside its labels."""

    trace: Trace
    found: list[str]
    first: int | None
    follows: bool
    sound: bool
    executor: str
    derived: str
    p1: list[float | None]
    p0: list[float | None]
    rounds: int


def add(_: argparse.ArgumentParser) -> None:
    """No flags of its own."""


def measure(arguments: argparse.Namespace, serve: Serve) -> Found:
    """Audit every trace once."""
    traces = load_traces()[:: 10 if arguments.quick else 1]
    with serve("--trace-auditing-enabled", "true") as client:
        server = server_in_words(client.server_info(), arguments.target)
        scored = [score(trace, _audit(client, trace)) for trace in traces]
    data = {"server": server, "traces": [asdict(each) for each in scored]}
    return Found("Audits of labelled traces", data, [f"- server: {server}", *report(scored)])


def _audit(client: Client, trace: Trace) -> TraceAudit:
    evidence = Evidence.documents(trace.context)
    return client.audit_trace(trace.steps, evidence, answer=trace.answer, question=trace.question)


def load_traces() -> list[Trace]:
    files = sorted(TRACES.glob("*.jsonl"))
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return [Trace(**json.loads(line)) for line in lines]


def score(trace: Trace, audit: TraceAudit) -> Scored:
    """What is compared with the labels."""
    return Scored(
        trace=trace,
        found=[step.status.value for step in audit],
        first=audit.first_unsupported_step,
        follows=audit.post_hoc.status is PostHocStatus.FOLLOWS,
        sound=audit.sound,
        executor="" if audit.post_hoc.executor is None else audit.post_hoc.executor.value,
        derived=audit.post_hoc.derived_answer,
        p1=[step.p1 for step in audit],
        p0=[step.p0 for step in audit],
        rounds=audit.rounds,
    )


def report(scored: Sequence[Scored]) -> list[str]:
    """What was found, and the tables."""
    groups = {"all": list(scored)}
    for each in scored:
        for trait in (each.trace.language, each.trace.kind, each.trace.case):
            groups.setdefault(trait, []).append(each)
    rows = [_row(name, chosen) for name, chosen in groups.items()]
    executors = sorted({each.executor for each in scored if each.executor})
    return [
        f"- the answer was derived by: {', '.join(executors)}",
        f"- traces: {len(scored)}; rounds: {_mean(each.rounds for each in scored):.2f} a trace",
        "",
        "Steps: the share with the right one of four statuses, and with the right side of "
        "ENTAILED. First: the traces whose first unsupported step is right (or rightly none). "
        "Answer: those of which it is rightly said whether the answer follows. Sound: those "
        "rightly called sound or not.",
        "",
        markdown_table(
            ["traces", "number", "steps", "entailed or not", "first", "answer", "sound"], rows
        ),
        "",
        "Steps by label (rows) and by what was found:",
        "",
        markdown_table(["label", *STATUSES], _confusion(scored)),
        "",
        "Of what is to be found, how much is (recall), and of what is found, how much is to be "
        "(precision):",
        "",
        markdown_table(["what", "recall", "precision"], _alarms(scored)),
    ]


def _row(name: str, scored: Sequence[Scored]) -> list[str]:
    pairs = [pair for s in scored for pair in zip(s.trace.expected, s.found, strict=True)]
    entailed = StepStatus.ENTAILED.value
    return [
        name,
        str(len(scored)),
        share(a == b for a, b in pairs),
        share((a == entailed) == (b == entailed) for a, b in pairs),
        share(s.trace.first_unsupported == s.first for s in scored),
        share(s.trace.follows == s.follows for s in scored),
        share((s.trace.case == "good") == s.sound for s in scored),
    ]


def _confusion(scored: Sequence[Scored]) -> list[list[str]]:
    pairs = [pair for s in scored for pair in zip(s.trace.expected, s.found, strict=True)]
    return [[a, *(str(pairs.count((a, b))) for b in STATUSES)] for a in STATUSES]


def _alarms(scored: Sequence[Scored]) -> list[list[str]]:
    bad = {StepStatus.CONTRADICTED.value, StepStatus.NOT_IN_CONTEXT.value}
    pairs = [pair for s in scored for pair in zip(s.trace.expected, s.found, strict=True)]
    kinds = {
        "a step that is not carried": [(a in bad, b in bad) for a, b in pairs],
        "a trace with such a step": [
            (s.trace.first_unsupported is not None, s.first is not None) for s in scored
        ],
        "an answer that does not follow": [(not s.trace.follows, not s.follows) for s in scored],
        "a trace that is not sound": [(s.trace.case != "good", not s.sound) for s in scored],
    }
    return [
        [
            name,
            share(found for wanted, found in flags if wanted),
            share(wanted for wanted, found in flags if found),
        ]
        for name, flags in kinds.items()
    ]


def _mean(values: Iterable[int]) -> float:
    counted = list(values)
    return sum(counted) / max(1, len(counted))

"""How well a response that is made up is told from others, how long each layer takes, and in what
share of the cases the third one runs.

The exchanges are written and labelled by hand: `bench/data/assessment/`. Each is assessed once to
warm up, then read anew so often, one call after the other. The first layer is timed in this process
as well, in time of the processor, on the labelled exchanges and on the longest that are allowed.
"""

import argparse
import json
import statistics
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.cases.found import Found, Serve, share
from bench.tools.common import ROOT, TARGET_BASE_S, TARGET_PER_CLAIM_S, markdown_table
from bench.tools.serving import server_in_words
from groundwire import AssessmentLayer, Client, LayerState, ResponseAssessment, ToolCall
from groundwire_verifier.checks.assessment.exchange import Exchange as ReadExchange
from groundwire_verifier.checks.assessment.exchange import ToolCall as ReadCall
from groundwire_verifier.checks.assessment.heuristics import heuristic_findings
from groundwire_verifier.checks.assessment.patterns import Patterns
from groundwire_verifier.checks.assessment.requests import (
    MAX_RESPONSE_CHARACTERS,
    MAX_RESULT_CHARACTERS,
)

EXCHANGES = ROOT / "bench" / "data" / "assessment" / "exchanges.jsonl"
REPEATS = 3
HEURISTIC_REPEATS = 50
LAYERS = (AssessmentLayer.HEURISTIC, AssessmentLayer.COMMON_SENSE, AssessmentLayer.DETAILED)


@dataclass(frozen=True, slots=True)
class LabelledExchange:
    """An exchange; `bench/data/assessment/README.md` says what each field means."""

    id: str
    language: str
    kind: str
    question: str
    response: str
    tool_calls: list[dict[str, str]]
    made_up: bool


@dataclass(frozen=True, slots=True)
class Assessed:
    """What was said of an exchange. Times are in seconds, of the fastest of the repeats; `reads`
    are the prompts of the second and third layer."""

    exchange: LabelledExchange
    action: str
    confidence: float | None
    reasons: list[str]
    scores: dict[str, float | None]
    states: dict[str, str]
    layer_s: dict[str, float]
    reads: int
    total_s: float

    @property
    def reading_s(self) -> float:
        """The time of the layers that read."""
        return sum(time for layer, time in self.layer_s.items() if layer != "HEURISTIC")

    @property
    def target_s(self) -> float:
        """What these reads may take."""
        return TARGET_BASE_S + TARGET_PER_CLAIM_S * self.reads


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--exchanges",
        type=Path,
        metavar="FILE",
        default=EXCHANGES,
        help="other exchanges, also those with a letter a question of common sense (labels)",
    )


def measure(arguments: argparse.Namespace, serve: Serve) -> Found:
    """Assess every exchange once to warm up, and then REPEATS times."""
    exchanges = load_exchanges(arguments.exchanges)[:: 10 if arguments.quick else 1]
    heuristic_ms = heuristic_times_ms(exchanges, 2 if arguments.quick else HEURISTIC_REPEATS)
    with serve("--response-assessment-enabled", "true") as client:
        server = server_in_words(client.server_info(), arguments.target)
        found = [
            assessed(each, [_assess(client, each) for _ in range(1 + REPEATS)][1:])
            for each in exchanges
        ]
    data = {
        "server": server,
        "heuristic_ms": heuristic_ms,
        "exchanges": [asdict(each) for each in found],
    }
    lines = [f"- server: {server}", *report(found, heuristic_ms)]
    return Found("Assessments of labelled exchanges", data, lines)


def load_exchanges(path: Path = EXCHANGES) -> list[LabelledExchange]:
    """The labelled exchanges of a file.

    Where they have `labels`, a letter for each question of common sense, they are made up if one
    of the answers is a concern.
    """
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        LabelledExchange(
            id=row["id"],
            language=row["language"],
            kind=row.get("kind") or ("with calls" if row.get("tool_calls") else "without calls"),
            question=row["question"],
            response=row["response"],
            tool_calls=row.get("tool_calls", []),
            made_up=row["made_up"] if "made_up" in row else _is_concern(row["labels"]),
        )
        for row in rows
    ]


def _is_concern(labels: str) -> bool:
    """Whether an answer to the questions, in their order, is a concern: N to the first, or Y."""
    return labels[0] == "N" or "Y" in labels[1:]


def heuristic_times_ms(
    exchanges: Sequence[LabelledExchange], repeats: int
) -> dict[str, tuple[float, float]]:
    """The median and the largest time of layer 1 in milliseconds: on the exchanges, on a response
    as long as may be, and on one that is all figures, each beside results as long as may be."""
    patterns = Patterns()
    prose = "The resort has good slopes, and a pass costs $60.50; it is 12.5 °C with snow today. "
    table = "12.5 °C, $60.50, 300 km; "
    result = json.dumps({"hours": [{"temp_c": i / 8, "wind": i % 40} for i in range(500)]})
    calls = (ReadCall("get_weather", "{}", result[:MAX_RESULT_CHARACTERS]),)
    kinds = {
        "the labelled exchanges": [_read(each) for each in exchanges],
        "a response as long as may be": [ReadExchange("", _long(prose), calls)],
        "one that is all figures": [ReadExchange("", _long(table), calls)],
    }
    return {
        name: _times_ms([each for each in given for _ in range(repeats)], patterns)
        for name, given in kinds.items()
    }


def _times_ms(exchanges: Iterable[ReadExchange], patterns: Patterns) -> tuple[float, float]:
    times_s: list[float] = []
    for exchange in exchanges:
        # Of the processor: what else runs here takes no part of it.
        began_s = time.thread_time()
        heuristic_findings(exchange, patterns)
        times_s.append(time.thread_time() - began_s)
    return 1000 * statistics.median(times_s), 1000 * max(times_s)


def _long(text: str) -> str:
    return (text * MAX_RESPONSE_CHARACTERS)[:MAX_RESPONSE_CHARACTERS]


def _read(exchange: LabelledExchange) -> ReadExchange:
    calls = tuple(_read_call(call) for call in exchange.tool_calls)
    return ReadExchange(exchange.question, exchange.response, calls)


def _read_call(call: Mapping[str, str]) -> ReadCall:
    return ReadCall(
        call["name"], call.get("arguments", ""), call.get("result", ""), call.get("error", "")
    )


def _assess(client: Client, exchange: LabelledExchange) -> ResponseAssessment:
    calls = [
        ToolCall(call["name"], call.get("arguments", ""), call.get("result"), call.get("error"))
        for call in exchange.tool_calls
    ]
    return client.assess_response(
        exchange.response, calls, question=exchange.question, skip_result_cache=True
    )


def assessed(exchange: LabelledExchange, found: Sequence[ResponseAssessment]) -> Assessed:
    """What is kept of the repeats of one exchange: the findings are the same in each."""
    first = found[0]
    return Assessed(
        exchange=exchange,
        action=first.suggested_action.value,
        confidence=first.confidence,
        reasons=[reason.text for reason in first.reasons],
        scores={layer.layer.value: layer.score for layer in first.layers},
        states={layer.layer.value: (layer.reason or layer.state).value for layer in first.layers},
        layer_s={
            layer.value: min(each.layer(layer).duration_s for each in found) for layer in LAYERS
        },
        reads=first.run.usage.distinct_prompts,
        total_s=min(each.run.timing.total_s for each in found),
    )


def report(found: Sequence[Assessed], heuristic_ms: dict[str, tuple[float, float]]) -> list[str]:
    """What was found, and the tables."""
    detailed = [each.states["DETAILED"] == LayerState.RAN.value for each in found]
    with_result = [any("result" in c for c in each.exchange.tool_calls) for each in found]
    in_time = [each.reading_s <= each.target_s for each in found]
    return [
        f"- exchanges: {len(found)}; made up: {share(e.exchange.made_up for e in found)}",
        f"- the third layer ran in {share(detailed)}; of the exchanges with a tool's result "
        f"in {share(ran for ran, given in zip(detailed, with_result, strict=True) if given)}",
        f"- layers 2 and 3 within 500 ms + N x 100 ms for their N reads: {share(in_time)}",
        "",
        "Flagged is every action but NONE; warned are WARN and BLOCK.",
        "",
        markdown_table(
            ["kind", "number", "made up", "NONE", "VERIFY", "WARN", "BLOCK", "third layer"],
            _kinds(found),
        ),
        "",
        markdown_table(["what", "recall", "precision"], _alarms(found)),
        "",
        "Times of the server, in ms, of the fastest of "
        f"{REPEATS} calls one after the other, each read anew:",
        "",
        markdown_table(["layer", "runs", "median", "largest"], _times(found)),
        "",
        "Times of the first layer alone, of a processor, in ms:",
        "",
        markdown_table(
            ["on", "median", "largest"],
            [[name, f"{a:.2f}", f"{b:.2f}"] for name, (a, b) in heuristic_ms.items()],
        ),
    ]


def _kinds(found: Sequence[Assessed]) -> list[list[str]]:
    groups = {"all": list(found)}
    for each in found:
        for trait in (each.exchange.language, each.exchange.kind):
            groups.setdefault(trait, []).append(each)
    return [
        [
            name,
            str(len(chosen)),
            str(sum(each.exchange.made_up for each in chosen)),
            *(
                str(sum(each.action == action for each in chosen))
                for action in ("NONE", "VERIFY", "WARN", "BLOCK")
            ),
            str(sum(each.states["DETAILED"] == "RAN" for each in chosen)),
        ]
        for name, chosen in groups.items()
    ]


def _alarms(found: Sequence[Assessed]) -> list[list[str]]:
    kinds = {
        "flagged": [(e.exchange.made_up, e.action != "NONE") for e in found],
        "warned": [(e.exchange.made_up, e.action in ("WARN", "BLOCK")) for e in found],
        "the first layer above .3": [
            (e.exchange.made_up, (e.scores["HEURISTIC"] or 0.0) > 0.3) for e in found
        ],
        "a concern of the second layer": [
            (e.exchange.made_up, (e.scores["COMMON_SENSE"] or 0.0) >= 0.5) for e in found
        ],
    }
    return [
        [
            name,
            share(told for wrong, told in flags if wrong),
            share(wrong for wrong, told in flags if told),
        ]
        for name, flags in kinds.items()
    ]


def _times(found: Sequence[Assessed]) -> list[list[str]]:
    rows = []
    for layer in LAYERS:
        ran = [each for each in found if each.states[layer.value] == LayerState.RAN.value]
        times = sorted(1000 * each.layer_s[layer.value] for each in ran)
        if times:
            middle = statistics.median(times)
            rows.append([layer.value, str(len(times)), f"{middle:.1f}", f"{times[-1]:.1f}"])
    return rows

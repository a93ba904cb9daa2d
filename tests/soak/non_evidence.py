"""How far what is no evidence moves the model, and what the server's answers to it are worth.

Measured: p1 of claims that nothing supports, beside a passage, beside the same with a question or
an order in it, and beside that with `skip_non_evidence`. And p0 of claims that the title states:
with the title as it stood before (a context around ranges, which has no titles) and as it is now.
The cases are made; `non_evidence.jsonl` holds them, ten in English and ten in Hebrew.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import grpc

from bench.tools.common import (
    Run,
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    nearest_rank,
    results_folder,
    write_results,
)
from bench.tools.serving import add_server_flags, server_at
from groundwire import Client
from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1.hallucination_detection_pb2_grpc import HallucinationDetectionStub

CASES = Path(__file__).with_name("non_evidence.jsonl")
LIKELY = 0.5


@dataclass(frozen=True, slots=True)
class Figures:
    """The readings of one case, each in [0, 1]; `marked` says whether both sentences were found."""

    language: str
    p1: float
    p1_question: float
    p1_question_skipped: float
    p1_order: float
    p1_order_skipped: float
    marked: bool
    p0_title_kept: float
    p0_title_removed: float


def main() -> int:
    """Parse the flags, measure, write."""
    parser = bench_parser("tests.soak.non_evidence", "How far what is no evidence moves a reading.")
    add_server_flags(parser)
    arguments = parser.parse_args()
    return guarded(lambda: _bench(arguments))


def _bench(arguments: argparse.Namespace) -> None:
    run = describe_run(arguments.quick)
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    with server_at(arguments.target, arguments.model) as target:
        with Client(target) as client:
            model = client.server_info().model
        with grpc.insecure_channel(target) as channel:
            stub = HallucinationDetectionStub(channel)
            figures = [_figures(stub, case) for case in cases[:: 10 if arguments.quick else 1]]
    folder = results_folder("non-evidence", arguments.out, run)
    data = {"run": asdict(run), "model": model, "cases": [asdict(each) for each in figures]}
    write_results(folder, "non_evidence", data, _report(run, model, figures))


def _figures(stub: HallucinationDetectionStub, case: Mapping[str, str]) -> Figures:
    text, claim = case["text"], case["unsupported"]
    asked, ordered = (f"{text} {case[name]}" for name in ("question", "order"))
    plain = _verify(stub, claim, _document(text))
    question, order = (_verify(stub, claim, _document(each)) for each in (asked, ordered))
    skipped = [_verify(stub, claim, _document(each), skip=True) for each in (asked, ordered)]
    stated = case["stated"]
    heading = f"[S0] {stated}\n"
    place = pb.Span(start=len(heading), end=len(heading) + len(text))
    kept = pb.Evidence(context=heading + text, sources=[pb.Source(id="S0", range=place)])
    return Figures(
        language=case["language"],
        p1=_p1(plain),
        p1_question=_p1(question),
        p1_question_skipped=_p1(skipped[0]),
        p1_order=_p1(order),
        p1_order_skipped=_p1(skipped[1]),
        marked=all(each.run.non_evidence for each in skipped),
        p0_title_kept=_p0(_verify(stub, stated, kept)),
        p0_title_removed=_p0(_verify(stub, stated, _document(text, stated))),
    )


def _document(text: str, title: str = "") -> pb.Evidence:
    return pb.Evidence(sources=[pb.Source(id="S0", document=pb.Document(text=text, title=title))])


def _verify(
    stub: HallucinationDetectionStub, claim: str, evidence: pb.Evidence, *, skip: bool = False
) -> pb.VerifyClaimsResponse:
    return stub.VerifyClaims(
        pb.VerifyClaimsRequest(
            claims=[pb.ClaimInput(text=claim, cited_ids=["S0"])],
            evidence=evidence,
            options=pb.VerifyOptions(skip_non_evidence=skip),
        )
    )


def _p1(response: pb.VerifyClaimsResponse) -> float:
    return response.verdicts[0].posterior.probability


def _p0(response: pb.VerifyClaimsResponse) -> float:
    return response.verdicts[0].prior.probability


def _report(run: Run, model: str, figures: Sequence[Figures]) -> str:
    rows = []
    for language in ("en", "he"):
        own = [each for each in figures if each.language == language]
        without = [each.p1 for each in own]
        for name, read, skipped in (
            ("question", [e.p1_question for e in own], [e.p1_question_skipped for e in own]),
            ("order", [e.p1_order for e in own], [e.p1_order_skipped for e in own]),
        ):
            rows.append([language, name, *_moves(without, read), *_moves(without, skipped)])
    titles = [
        [
            language,
            f"{nearest_rank([e.p0_title_kept for e in own], 0.5):.2f}",
            f"{nearest_rank([e.p0_title_removed for e in own], 0.5):.2f}",
            f"{sum(e.p0_title_kept >= LIKELY for e in own)} of {len(own)}",
            f"{sum(e.p0_title_removed >= LIKELY for e in own)} of {len(own)}",
        ]
        for language in ("en", "he")
        for own in [[each for each in figures if each.language == language]]
    ]
    read_header = ["language", "sentence", "median move", "largest", "p1 from 0.5 on"]
    lines = [
        "# What is no evidence, and titles that state a claim",
        "",
        *run.lines(),
        f"- model: {model}",
        f"- cases with both sentences found: {sum(e.marked for e in figures)} of {len(figures)}",
        "",
        "How far a question or an order in the passage moves p1 of an unsupported claim, as it is "
        "read and with `skip_non_evidence`.",
        "",
        markdown_table([*read_header, "skipped: median", "largest", "p1 from 0.5 on"], rows),
        "",
        "p0 of a claim that the title states, with the title kept and removed.",
        "",
        markdown_table(
            ["language", "kept: median p0", "removed: median p0", "kept: p0 from 0.5 on",
             "removed: p0 from 0.5 on"],
            titles,
        ),
    ]  # fmt: skip
    return "\n".join(lines)


def _moves(before: Sequence[float], after: Sequence[float]) -> list[str]:
    moves = [b - a for a, b in zip(before, after, strict=True)]
    likely = sum(each >= LIKELY for each in after) - sum(each >= LIKELY for each in before)
    largest = max(moves, key=abs)
    return [f"{nearest_rank(moves, 0.5):+.3f}", f"{largest:+.3f}", f"{likely:+d}"]


if __name__ == "__main__":
    sys.exit(main())

"""What the real model says of claims with wrong citations, and of claims that no source carries.

The claims of citations.json are of four kinds: `miscited`, on a source that says nothing of them
while another one does; `cited` rightly; `common_knowledge` of which no source says anything; and
`prior_knowledge`, which stands in text that is never removed, since no source covers it: the
embedded model believes nothing without any text. Every fourth group is read: more tell the same.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1.hallucination_detection_pb2_grpc import HallucinationDetectionStub
from tests.serving import Served

GROUPS: list[Mapping[str, Any]] = json.loads(
    Path(__file__).with_name("citations.json").read_text(encoding="utf-8")
)[::4]
KINDS = ("miscited", "cited", "common_knowledge", "prior_knowledge")
TIMEOUT_S = 120.0


@dataclass(frozen=True)
class Judged:
    """A claim with the sources that carry it, and its verdict on the real model."""

    claim: str
    carried_by: Sequence[str]
    verdict: pb.ClaimVerdict

    @property
    def carriers(self) -> Sequence[str]:
        return [other.id for other in self.verdict.other_sources if other.carries]


@pytest.fixture(scope="module")
def judged(served: Served) -> Mapping[str, list[Judged]]:
    found: dict[str, list[Judged]] = {kind: [] for kind in KINDS}
    with grpc.insecure_channel(served.target) as channel:
        stub = HallucinationDetectionStub(channel)
        for group in GROUPS:
            cases = [(kind, case) for kind in KINDS for case in group.get(kind, ())]
            request = pb.VerifyClaimsRequest(
                claims=[pb.ClaimInput(text=c["claim"], cited_ids=c["cited"]) for _, c in cases],
                evidence=evidence_of(group),
            )
            verdicts = stub.VerifyClaims(request, timeout=TIMEOUT_S).verdicts
            for (kind, case), verdict in zip(cases, verdicts, strict=True):
                found[kind].append(Judged(case["claim"], case.get("carried_by", ()), verdict))
    return found


def evidence_of(group: Mapping[str, Any]) -> pb.Evidence:
    """Documents, or, behind text that no source covers, ranges of a context."""
    texts: Mapping[str, str] = group["sources"]
    if "uncited_text" not in group:
        return pb.Evidence(
            sources=[
                pb.Source(id=name, document=pb.Document(text=text)) for name, text in texts.items()
            ]
        )
    context = " ".join([group["uncited_text"], *texts.values()])
    return pb.Evidence(
        context=context,
        sources=[
            pb.Source(
                id=name,
                range=pb.Span(start=context.index(text), end=context.index(text) + len(text)),
            )
            for name, text in texts.items()
        ],
    )


def told(judged: Sequence[Judged], verdict: pb.Verdict) -> int:
    return sum(each.verdict.verdict == verdict for each in judged)


def test_miscited_claims_are_told_so_and_their_sources_named(
    judged: Mapping[str, list[Judged]],
) -> None:
    right = [
        each
        for each in judged["miscited"]
        if each.verdict.verdict == pb.VERDICT_MISCITED and each.carriers == each.carried_by
    ]
    assert len(judged["miscited"]) == 8
    assert len(right) >= 6


def test_what_stands_in_no_source_is_told_as_prior_knowledge(
    judged: Mapping[str, list[Judged]],
) -> None:
    known = judged["prior_knowledge"]
    assert len(known) == 4
    assert told(known, pb.VERDICT_PRIOR_KNOWLEDGE) >= 3
    assert told(known, pb.VERDICT_MISCITED) == 0


def test_a_right_citation_is_no_wrong_one(judged: Mapping[str, list[Judged]]) -> None:
    assert told(judged["cited"], pb.VERDICT_SUPPORTED) == len(judged["cited"])


def test_common_knowledge_is_neither_grounded_nor_miscited(
    judged: Mapping[str, list[Judged]],
) -> None:
    known = judged["common_knowledge"]
    assert told(known, pb.VERDICT_SUPPORTED) == told(known, pb.VERDICT_MISCITED) == 0


def test_a_right_citation_stays_right_beside_chunks_that_overlap_it(served: Served) -> None:
    verdicts: list[pb.ClaimVerdict] = []
    with grpc.insecure_channel(served.target) as channel:
        stub = HallucinationDetectionStub(channel)
        for group in GROUPS:
            for case in group.get("cited", ()):
                again = " ".join(group["sources"][i] for i in case["cited"])
                sources = {**group["sources"], "again": f"As was said before. {again}"}
                request = pb.VerifyClaimsRequest(
                    claims=[pb.ClaimInput(text=case["claim"], cited_ids=case["cited"])],
                    evidence=evidence_of({"sources": sources}),
                )
                verdicts += stub.VerifyClaims(request, timeout=TIMEOUT_S).verdicts
    assert verdicts
    for verdict in verdicts:
        assert verdict.verdict == pb.VERDICT_SUPPORTED, verdict.reason_text

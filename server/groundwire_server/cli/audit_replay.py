"""`groundwire audit replay`: whether the same requests get the same verdicts today.

Each is sent to a running server again, past its result cache; an output goes as an answer.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

import grpc
from google.protobuf.message import Message

from groundwire import GroundwireError
from groundwire._wire.failures import failure
from groundwire.v1 import corpus_verification_pb2 as corpus_pb
from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import memory_gate_pb2 as gate_pb
from groundwire.v1 import output_verification_pb2 as output_pb
from groundwire.v1 import response_assessment_pb2 as assessment_pb
from groundwire.v1 import trace_audit_pb2 as trace_pb
from groundwire.v1 import verifier_backend_pb2 as backend_pb
from groundwire.v1.corpus_verification_pb2_grpc import CorpusVerificationStub
from groundwire.v1.hallucination_detection_pb2_grpc import HallucinationDetectionStub
from groundwire.v1.memory_gate_pb2_grpc import MemoryGateStub
from groundwire.v1.response_assessment_pb2_grpc import ResponseAssessmentStub
from groundwire.v1.trace_audit_pb2_grpc import TraceAuditStub
from groundwire_server.cli import flags
from groundwire_server.client_connection import Connection, connect, connected, failed
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_CONFIG, EXIT_OK
from groundwire_server.features.outputs.output_messages import as_answer
from groundwire_server.features.response_assessment import outcomes_of
from groundwire_server.records.audit_file import (
    REQUESTS,
    AuditedDetection,
    AuditedVerdict,
    read_audit,
    read_requests,
)
from groundwire_server.records.audit_lines import Hasher
from groundwire_server.records.audit_record import key_beside, read_key

Request = TypeVar("Request")
Response = TypeVar("Response")

UNREAD = frozenset({"OUT_OF_TIME", "BACKEND_FAILED"})
"""Reasons that say nothing of the inputs: nobody has read the claim, then or today."""


@dataclass(frozen=True, slots=True)
class _Today:
    """What a request gets today, in the form of the record."""

    verdicts: Mapping[int, AuditedVerdict]
    outcomes: tuple[str, ...]
    made_with: dict[str, object]

    @property
    def backend(self) -> str:
        return str(self.made_with["backend"])


@dataclass(slots=True)
class _Tally:
    same: int = 0
    different: int = 0
    without_request: int = 0
    unknown: int = 0
    unread: int = 0
    largest_shift: float = 0.0


def add(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="FILE", help="files of the audit record")
    add(
        "--inputs",
        type=Path,
        metavar="FILE",
        help="the requests, where the record has hashes only: JSON lines with method and request",
    )
    add(
        "--key",
        type=Path,
        metavar="FILE",
        help="the key of the hashes; by default the first file with .key behind its name",
    )
    flags.add_client_settings(parser)


def run(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Replay and print what differs.

    Raises ConfigError if a file cannot be used or the connection is misconfigured.
    """
    settings = flags.client(arguments, environment)
    files = [read_audit(file) for file in arguments.files]
    detections = [each for file in files for each in file.detections]
    torn = [place for file in files for place in file.torn]
    given = _given(arguments)
    tally = _Tally()
    try:
        with connect(settings) as client, connected(settings) as connection:
            infos = cache(lambda backend: client.server_info(backend=backend))
            for then in detections:
                if then.method not in REQUESTS:
                    tally.unknown += 1
                    continue
                request = given.get((_base(then.method), then.request_hash), then.request)
                if request is None:
                    tally.without_request += 1
                    continue
                today = _ask(connection, request, str(then.made_with["backend"]))
                today.made_with["identity"] = infos(today.backend).identity
                _compare(then, today, tally)
    except GroundwireError as error:
        return failed(error, settings)
    print(
        f"{len(detections)} detections: {tally.same} the same, {tally.different} different, "
        f"{tally.without_request} without their request, {tally.unread} that nobody has read, "
        f"{tally.unknown} of calls that this version cannot replay; "
        f"the largest shift of a probability is {tally.largest_shift:.6f}",
        file=sys.stderr,
    )
    for place in torn:
        print(f"{place} is not JSON, and was left out", file=sys.stderr)
    if tally.different:
        return EXIT_BELOW
    is_whole = tally.same == len(detections) > 0 and not torn
    return EXIT_OK if is_whole else EXIT_CONFIG


def _given(arguments: argparse.Namespace) -> dict[tuple[str, str], Message]:
    """The requests of the file of inputs, by method and hash."""
    if arguments.inputs is None:
        return {}
    path = arguments.key or key_beside(arguments.files[0])
    hasher = Hasher(read_key(path, "--key"))
    return {
        (_base(method), hasher.message(request)): request
        for method, request in read_requests(arguments.inputs)
    }


def _base(method: str) -> str:
    return method.removesuffix("Stream")


def _compare(then: AuditedDetection, today: _Today, tally: _Tally) -> None:
    """Count a detection, and print it if it differs."""
    reasons = (v.reason for v in (*then.verdicts.values(), *today.verdicts.values()))
    if not UNREAD.isdisjoint(reasons):
        tally.unread += 1
        return
    differences = [
        f"verdict {index}: {before.verdict}/{before.reason} then, {_shown(after)} today "
        f"(p1 {_number(before.p1)} to {_number(after.p1 if after else None)}, "
        f"p0 {_number(before.p0)} to {_number(after.p0 if after else None)})"
        for index, before in then.verdicts.items()
        if (after := today.verdicts.get(index)) is None or after.verdict != before.verdict
    ]
    differences += [
        f"verdict {index}: none then, {_shown(after)} today"
        for index, after in today.verdicts.items()
        if index not in then.verdicts
    ]
    if then.outcomes != today.outcomes and not differences:
        differences.append(
            f"outcomes: {_joined(then.outcomes)} then, {_joined(today.outcomes)} today"
        )
    for index, before in then.verdicts.items():
        if (after := today.verdicts.get(index)) is not None:
            shifts = _shifts(before, after)
            tally.largest_shift = max(tally.largest_shift, *shifts)
    if not differences:
        tally.same += 1
        return
    tally.different += 1
    print(f"{then.id} {then.method}")
    for line in [*differences, *_explanations(then, today)]:
        print(f"  {line}")


def _explanations(then: AuditedDetection, today: _Today) -> Iterator[str]:
    for name, value in today.made_with.items():
        before = then.made_with.get(name)
        if before != value:
            yield f"{name}: {before} then, {value} today"


def _shifts(before: AuditedVerdict, after: AuditedVerdict) -> tuple[float, float]:
    pairs = ((before.p1, after.p1), (before.p0, after.p0))
    first, second = (0.0 if a is None or b is None else abs(a - b) for a, b in pairs)
    return first, second


def _shown(verdict: AuditedVerdict | None) -> str:
    return "none" if verdict is None else f"{verdict.verdict}/{verdict.reason}"


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.4f}"


def _joined(outcomes: Iterable[str]) -> str:
    return ", ".join(outcomes) or "none"


def _ask(connection: Connection, request: Message, backend: str) -> _Today:
    """Send a request again, so that the model reads it, and take what comes back apart.

    `backend` is who answered it then.
    """
    if isinstance(request, output_pb.SubmitVerificationRequest):
        request = _as_answer(request, backend)
    asking: Mapping[type[Message], Callable[..., _Today]] = {
        detection_pb.VerifyClaimsRequest: _ask_claims,
        detection_pb.VerifyAnswerRequest: _ask_answer,
        gate_pb.CheckFactsRequest: _ask_facts,
        trace_pb.AuditTraceRequest: _ask_trace,
        assessment_pb.AssessResponseRequest: _ask_response,
        corpus_pb.AnalyzeTextRequest: _ask_corpus,
    }
    return asking[type(request)](connection, request)


def _ask_claims(connection: Connection, request: detection_pb.VerifyClaimsRequest) -> _Today:
    request.options.skip_result_cache = True
    stub = HallucinationDetectionStub(connection.channel)
    claims = _call(connection, stub.VerifyClaims, request)
    return _Today(_verdicts(enumerate(claims.verdicts)), (), _made_with(claims.run))


def _ask_answer(connection: Connection, request: detection_pb.VerifyAnswerRequest) -> _Today:
    request.options.skip_result_cache = True
    stub = HallucinationDetectionStub(connection.channel)
    report = _call(connection, stub.VerifyAnswer, request)
    found = _verdicts((i, claim.verdict) for i, claim in enumerate(report.claims))
    kept = {i: verdict for i, verdict in found.items() if verdict.reason not in _SKIPPED}
    return _Today(kept, (), _made_with(report.run))


def _ask_facts(connection: Connection, request: gate_pb.CheckFactsRequest) -> _Today:
    request.skip_result_cache = True
    facts = _call(connection, MemoryGateStub(connection.channel).CheckFacts, request)
    return _Today(
        _verdicts((i, fact.verdict) for i, fact in enumerate(facts.facts)),
        tuple(
            f"{gate_pb.GateDecision.Name(fact.decision).removeprefix('GATE_DECISION_')}/"
            f"{gate_pb.GateReason.Name(fact.reason).removeprefix('GATE_REASON_')}"
            for fact in facts.facts
        ),
        _made_with(facts.run),
    )


def _ask_trace(connection: Connection, request: trace_pb.AuditTraceRequest) -> _Today:
    request.options.skip_result_cache = True
    audit = _call(connection, TraceAuditStub(connection.channel).AuditTrace, request)
    judged = {i: step.verdict for i, step in enumerate(audit.steps) if _has_one(step)}
    if _has_one(audit.post_hoc):
        judged[len(audit.steps)] = audit.post_hoc.verdict
    statuses = [trace_pb.StepStatus.Name(step.status)[12:] for step in audit.steps]
    answer_status = trace_pb.PostHocStatus.Name(audit.post_hoc.status)[16:]
    return _Today(_verdicts(judged.items()), (*statuses, answer_status), _made_with(audit.run))


def _ask_response(connection: Connection, request: assessment_pb.AssessResponseRequest) -> _Today:
    request.skip_result_cache = True
    stub = ResponseAssessmentStub(connection.channel)
    assessed = _call(connection, stub.AssessResponse, request)
    found = _verdicts((i, claim.verdict) for i, claim in enumerate(assessed.claims))
    kept = {i: verdict for i, verdict in found.items() if verdict.reason not in _SKIPPED}
    return _Today(kept, outcomes_of(request, assessed), _made_with(assessed.run))


def _ask_corpus(connection: Connection, request: corpus_pb.AnalyzeTextRequest) -> _Today:
    request.options.skip_result_cache = True
    analysis = _call(connection, CorpusVerificationStub(connection.channel).AnalyzeText, request)
    read = {i: c.budget for i, c in enumerate(analysis.claims) if c.HasField("budget")}
    outcomes = tuple(
        f"{corpus_pb.EvidenceVerdict.Name(claim.verdict)[17:]}/"
        f"{corpus_pb.EvidenceReason.Name(claim.reason)[16:]}"
        for claim in analysis.claims
    )
    return _Today(_verdicts(read.items()), outcomes, _made_with(analysis.run))


def _as_answer(
    request: output_pb.SubmitVerificationRequest, backend: str
) -> detection_pb.VerifyAnswerRequest:
    """What has the same verdicts, and leaves no result on the server.

    It names the backend of then: where outputs name none, it may be another than that of answers.
    """
    answer = as_answer(request)
    answer.options.backend = answer.options.backend or backend
    return answer


_SKIPPED = frozenset({"NON_ASSERTIVE", "TOO_SHORT", "BEYOND_MAX_CLAIMS"})
"""Reasons of claims of an answer that were not to be verified, of which there is no record."""


def _call(
    connection: Connection,
    method: "grpc.UnaryUnaryMultiCallable[Request, Response]",
    request: Request,
) -> Response:
    """The answer to a request. Raises GroundwireError."""
    try:
        return method(request, timeout=connection.timeout_s, metadata=connection.metadata)
    except grpc.RpcError as error:
        raise failure(error) from error


def _verdicts(found: Iterable[tuple[int, detection_pb.ClaimVerdict]]) -> dict[int, AuditedVerdict]:
    return {
        index: AuditedVerdict(
            detection_pb.Verdict.Name(verdict.verdict).removeprefix("VERDICT_"),
            detection_pb.VerdictReason.Name(verdict.reason).removeprefix("VERDICT_REASON_"),
            _probability(verdict.posterior),
            _probability(verdict.prior),
        )
        for index, verdict in found
    }


def _has_one(place: trace_pb.StepAudit | trace_pb.PostHoc) -> bool:
    return place.HasField("verdict")


def _probability(estimate: backend_pb.Estimate) -> float | None:
    return estimate.probability if estimate.HasField("probability") else None


def _made_with(run: detection_pb.Run) -> dict[str, object]:
    """What may explain a verdict, as `AuditLines` names it."""
    strictness = backend_pb.Strictness.Name(run.strictness).removeprefix("STRICTNESS_")
    return {
        "backend": run.backend,
        "model": run.model or None,
        "prompt_version": run.prompt_version,
        "settings.policy": detection_pb.Policy.Name(run.policy).removeprefix("POLICY_"),
        "settings.strictness": strictness if run.strictness else None,
        **{f"settings.{field.name}": value for field, value in run.thresholds.ListFields()},
        "settings.skip_non_evidence": run.skip_non_evidence,
    }

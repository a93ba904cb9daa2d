"""`groundwire audit replay`: whether the same requests get the same verdicts today.

Each is sent to a running server again, past its result cache; an output goes as an answer.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from google.protobuf.message import Message

from groundwire import Client, GroundwireError
from groundwire._wire.calls import Call
from groundwire.v1 import corpus_verification_pb2 as corpus_pb
from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import memory_gate_pb2 as gate_pb
from groundwire.v1 import output_verification_pb2 as output_pb
from groundwire.v1 import response_assessment_pb2 as assessment_pb
from groundwire.v1 import trace_audit_pb2 as trace_pb
from groundwire.v1 import verifier_backend_pb2 as backend_pb
from groundwire_server.cli import flags
from groundwire_server.client_connection import connect, failed
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_CONFIG, EXIT_OK
from groundwire_server.features.detection.messages import prefix_of
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

UNREAD = frozenset({"OUT_OF_TIME", "BACKEND_FAILED"})
"""Reasons that say nothing of the inputs: nobody has read the claim, then or today."""

_SKIPPED = frozenset({"NON_ASSERTIVE", "TOO_SHORT", "BEYOND_MAX_CLAIMS"})
"""Reasons of claims of an answer that were not to be verified, of which there is no record."""


@dataclass(frozen=True, slots=True)
class _Today:
    """What a request gets today, in the form of the record."""

    verdicts: Mapping[int, AuditedVerdict]
    outcomes: tuple[str, ...]
    made_with: dict[str, object]

    @property
    def backend(self) -> str:
        return str(self.made_with["backend"])


@dataclass(frozen=True, slots=True)
class _Replay:
    """How a request is asked again: its method, the response, and what the record has of that."""

    method: str
    response: type[Message]
    judged: Callable[[Any], Iterable[tuple[int, detection_pb.ClaimVerdict]]]
    outcomes: Callable[[Any, Any], Iterable[str]] = lambda _request, _response: ()


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
        with connect(settings) as client:
            infos = cache(lambda backend: client.server_info(backend=backend))
            for then in detections:
                if then.method not in REQUESTS:
                    tally.unknown += 1
                    continue
                request = given.get((_base(then.method), then.request_hash), then.request)
                if request is None:
                    tally.without_request += 1
                    continue
                today = _ask(client, request, str(then.made_with["backend"]))
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


def _of_claims(response: Any) -> Iterator[tuple[int, detection_pb.ClaimVerdict]]:  # noqa: ANN401
    """The verdicts of the claims of a text, but for those of which there is no record."""
    for index, each in enumerate(response.claims):
        if _name(each.verdict, "reason") not in _SKIPPED:
            yield index, each.verdict


_REPLAYS: Mapping[type[Message], _Replay] = {
    detection_pb.VerifyClaimsRequest: _Replay(
        "HallucinationDetection/VerifyClaims",
        detection_pb.VerifyClaimsResponse,
        lambda found: enumerate(found.verdicts),
    ),
    detection_pb.VerifyAnswerRequest: _Replay(
        "HallucinationDetection/VerifyAnswer", detection_pb.VerifyAnswerResponse, _of_claims
    ),
    gate_pb.CheckFactsRequest: _Replay(
        "MemoryGate/CheckFacts",
        gate_pb.CheckFactsResponse,
        lambda found: enumerate(fact.verdict for fact in found.facts),
        lambda _, found: (_both(fact, "decision") for fact in found.facts),
    ),
    trace_pb.AuditTraceRequest: _Replay(
        "TraceAudit/AuditTrace",
        trace_pb.AuditTraceResponse,
        # The answer stands behind the last step.
        lambda found: _set(enumerate((*found.steps, found.post_hoc)), "verdict"),
        lambda _, found: (_name(each, "status") for each in (*found.steps, found.post_hoc)),
    ),
    assessment_pb.AssessResponseRequest: _Replay(
        "ResponseAssessment/AssessResponse",
        assessment_pb.AssessResponseResponse,
        _of_claims,
        outcomes_of,
    ),
    corpus_pb.AnalyzeTextRequest: _Replay(
        "CorpusVerification/AnalyzeText",
        corpus_pb.AnalyzeTextResponse,
        lambda found: _set(enumerate(found.claims), "budget"),
        lambda _, found: (_both(claim, "verdict") for claim in found.claims),
    ),
}


def _ask(client: Client, request: Message, backend: str) -> _Today:
    """Send a request again, so that the model reads it, and take what comes back apart.

    `backend` is who answered it then. Raises GroundwireError.
    """
    if isinstance(request, output_pb.SubmitVerificationRequest):
        request = _as_answer(request, backend)
    asked: Any = request
    options = asked.options if "options" in request.DESCRIPTOR.fields_by_name else asked
    options.skip_result_cache = True
    replay = _REPLAYS[type(request)]
    call: Call[Any, Any] = Call(replay.method, request, replay.response, lambda found: found)
    found = client._run(call, None)
    verdicts = {index: _verdict(each) for index, each in replay.judged(found)}
    return _Today(verdicts, tuple(replay.outcomes(request, found)), _made_with(found.run))


def _as_answer(
    request: output_pb.SubmitVerificationRequest, backend: str
) -> detection_pb.VerifyAnswerRequest:
    """What has the same verdicts, and leaves no result on the server.

    It names the backend of then: where outputs name none, it may be another than that of answers.
    """
    answer = as_answer(request)
    answer.options.backend = answer.options.backend or backend
    return answer


def _set(
    found: Iterable[tuple[int, Any]], field: str
) -> Iterator[tuple[int, detection_pb.ClaimVerdict]]:
    """The verdicts in this field, where there is one."""
    return ((index, getattr(each, field)) for index, each in found if each.HasField(field))


def _verdict(verdict: detection_pb.ClaimVerdict) -> AuditedVerdict:
    return AuditedVerdict(
        _name(verdict, "verdict"),
        _name(verdict, "reason"),
        _probability(verdict.posterior),
        _probability(verdict.prior),
    )


def _both(message: Message, field: str) -> str:
    """What is decided, and why."""
    return f"{_name(message, field)}/{_name(message, 'reason')}"


def _name(message: Message, field: str) -> str:
    """The name of a field's value without the prefix of its enum."""
    enum: Any = message.DESCRIPTOR.fields_by_name[field].enum_type
    name = enum.values_by_number[getattr(message, field)].name
    return str(name).removeprefix(prefix_of(enum))


def _probability(estimate: backend_pb.Estimate) -> float | None:
    return estimate.probability if estimate.HasField("probability") else None


def _made_with(run: detection_pb.Run) -> dict[str, object]:
    """What may explain a verdict, as `AuditLines` names it."""
    return {
        "backend": run.backend,
        "model": run.model or None,
        "prompt_version": run.prompt_version,
        "settings.policy": _name(run, "policy"),
        "settings.strictness": _name(run, "strictness") if run.strictness else None,
        **{f"settings.{field.name}": value for field, value in run.thresholds.ListFields()},
        "settings.skip_non_evidence": run.skip_non_evidence,
    }

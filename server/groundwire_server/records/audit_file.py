"""Lines of the audit record, and requests to replay them with, from files."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from google.protobuf import json_format
from google.protobuf.message import Message

from groundwire.v1 import corpus_verification_pb2 as corpus_pb
from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import memory_gate_pb2 as gate_pb
from groundwire.v1 import output_verification_pb2 as output_pb
from groundwire.v1 import response_assessment_pb2 as assessment_pb
from groundwire.v1 import trace_audit_pb2 as trace_pb
from groundwire_server.config.sources import ConfigError
from groundwire_server.records.audit_lines import LINE_VERSION

REQUESTS: Mapping[str, type[Message]] = {
    "VerifyClaims": detection_pb.VerifyClaimsRequest,
    "VerifyAnswer": detection_pb.VerifyAnswerRequest,
    "VerifyAnswerStream": detection_pb.VerifyAnswerRequest,
    "VerifyDraft": detection_pb.VerifyAnswerRequest,
    "CheckFacts": gate_pb.CheckFactsRequest,
    "AuditTrace": trace_pb.AuditTraceRequest,
    "AssessResponse": assessment_pb.AssessResponseRequest,
    "AnalyzeText": corpus_pb.AnalyzeTextRequest,
    "SubmitVerification": output_pb.SubmitVerificationRequest,
}
"""What each method was asked, which for a stream is what it asks about."""


@dataclass(frozen=True, slots=True)
class AuditedVerdict:
    """A verdict as it was; p1 and p0 in [0, 1], None where there was none."""

    verdict: str
    reason: str
    p1: float | None
    p0: float | None


@dataclass(frozen=True, slots=True)
class AuditedDetection:
    """A detection as it was.

    `request` is None where the line does not have all of it, or is of a method that is not in
    REQUESTS.
    """

    id: str
    method: str
    request_hash: str
    request: Message | None
    verdicts: Mapping[int, AuditedVerdict]
    outcomes: tuple[str, ...]
    made_with: Mapping[str, object]
    """What may explain another verdict: model, prompt, settings, by their names."""


@dataclass(frozen=True, slots=True)
class AuditFile:
    """The detections of a record, in their order.

    `torn` are the places of lines that are no JSON, such as what a machine left that went down in
    the middle of a line.
    """

    detections: Sequence[AuditedDetection]
    torn: Sequence[str]


def read_audit(path: Path) -> AuditFile:
    """What a record says. Raises ConfigError that names the line."""
    torn: list[str] = []
    return AuditFile(list(_detections(path, torn)), torn)


def read_lines(path: Path, torn: list[str]) -> Iterator[tuple[str, dict[str, object]]]:
    """The lines of a record with their places, one after the other.

    The places of those that are no JSON go to `torn`. Raises ConfigError, such as for a line of
    another version.
    """
    for place, found in _objects(path):
        if found is None:
            torn.append(place)
            continue
        version = found.get("version")
        if version != LINE_VERSION:
            raise ConfigError(
                f"{place}: the version is {version!r}; this command reads {LINE_VERSION}"
            )
        yield place, found


def _detections(path: Path, torn: list[str]) -> Iterator[AuditedDetection]:
    for place, found in read_lines(path, torn):
        try:
            yield _detection(found)
        except (KeyError, TypeError, ValueError, json_format.ParseError) as error:
            raise ConfigError(f"{place} is no line of an audit record: {error!r}") from error


def read_requests(path: Path) -> Iterator[tuple[str, Message]]:
    """Methods and requests from JSON lines with `method` and `request`. Raises ConfigError."""
    for place, found in _objects(path):
        if found is None:
            raise ConfigError(f"{place} is not JSON")
        method = found.get("method")
        if not isinstance(method, str) or method not in REQUESTS:
            raise ConfigError(f"{place}: method must be one of: {', '.join(REQUESTS)}")
        try:
            yield method, _request(method, found.get("request"))
        except (TypeError, json_format.ParseError) as error:
            raise ConfigError(f"{place}: request is no {method} request: {error}") from error


def _objects(path: Path) -> Iterator[tuple[str, dict[str, object] | None]]:
    """The objects of a file with their places; None for a line that is not JSON."""
    try:
        with path.open(encoding="utf-8", errors="replace") as lines:
            for number, line in enumerate(lines, start=1):
                place = f"{path}, line {number}"
                try:
                    found = json.loads(line)
                except (ValueError, RecursionError):
                    yield place, None
                    continue
                if not isinstance(found, dict):
                    raise ConfigError(f"{place} is not a JSON object")
                yield place, found
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error


def _request(method: str, found: object) -> Message:
    if not isinstance(found, dict):
        raise TypeError("it is no object")
    return json_format.ParseDict(found, REQUESTS[method]())


def _detection(found: dict[str, object]) -> AuditedDetection:
    method, verdicts, outcomes = found["method"], found["verdicts"], found["outcomes"]
    settings = found["settings"]
    if not isinstance(method, str):
        raise TypeError("method must be a string")
    if not isinstance(verdicts, list) or not isinstance(outcomes, list):
        raise TypeError("verdicts and outcomes must be lists")
    if not isinstance(settings, dict):
        raise TypeError("settings must be an object")
    is_whole = method in REQUESTS and not found.get("without_texts_of")
    given = found.get("request") if is_whole else None
    return AuditedDetection(
        id=str(found["id"]),
        method=method,
        request_hash=str(found["request_hash"]),
        request=None if given is None else _request(method, given),
        verdicts={
            int(each["index"]): AuditedVerdict(
                str(each["verdict"]), str(each["reason"]), each["p1"], each["p0"]
            )
            for each in verdicts
        },
        outcomes=tuple(map(str, outcomes)),
        made_with={
            **{name: found[name] for name in ("model", "backend", "prompt_version", "identity")},
            **{f"settings.{name}": value for name, value in settings.items()},
        },
    )

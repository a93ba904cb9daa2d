"""A detection as a line of the audit record: numbers and names, with hashes in place of texts.

A plain hash of a short claim could be found by trying claims, so the hashes need a key, which is
the operator's.
"""

import hashlib
import hmac
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from google.protobuf import json_format
from google.protobuf.message import Message

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import memory_gate_pb2 as gate_pb
from groundwire.v1 import output_verification_pb2 as output_pb
from groundwire.v1 import response_assessment_pb2 as assessment_pb
from groundwire.v1 import trace_audit_pb2 as trace_pb
from groundwire_server.records.detections import Detection, Judged
from groundwire_verifier.checks.traces.derivation import DERIVATION_VERSION, DERIVATION_WORDING_ID
from groundwire_verifier.domain.prompts import prompt_wording_id
from groundwire_verifier.domain.types import BackendInfo, Estimate
from groundwire_verifier.numbers.calibration import Calibration
from groundwire_verifier.verdicts.options import VerifyOptions
from groundwire_verifier.verification import prompt_versions

LINE_VERSION = 1
"""Of the form of a line: a change that readers have to know of needs a new one."""

Line = dict[str, object]

_PROMPT_WORDING_ID = prompt_wording_id()


@dataclass(frozen=True, slots=True)
class Hasher:
    """Hashes of texts and messages with the operator's key: HMAC-SHA-256, in hex."""

    key: bytes

    def text(self, text: str) -> str:
        return hmac.digest(self.key, text.encode(), hashlib.sha256).hex()

    def message(self, message: Message) -> str:
        """The hash of all that is set in a message."""
        data = message.SerializeToString(deterministic=True)
        return hmac.digest(self.key, data, hashlib.sha256).hex()


@dataclass(frozen=True, slots=True)
class AuditLines:
    """Makes lines. `server` are settings that decide beside those of a request.

    `revisions` has that of the model by the name of its backend. `has_text` writes requests, too.
    """

    hasher: Hasher
    server_version: str
    server: Mapping[str, object]
    revisions: Mapping[str, str]
    has_text: bool

    def line(self, detection: Detection, at_s: float) -> bytes:
        """The line of a detection that was made at this time, in seconds since 1970."""
        done, info = detection.verification, detection.verification.info
        question = _question(detection.request)
        line: Line = {
            "version": LINE_VERSION,
            "id": detection.call.id,
            "time": datetime.fromtimestamp(at_s, UTC).isoformat(timespec="milliseconds"),
            "method": detection.call.method,
            "caller_hash": self.hasher.text(detection.owner),
            "server_version": self.server_version,
            "backend": done.backend,
            "model": done.model or None,
            "revision": self.revisions.get(done.backend),
            "identity": None if info is None else info.identity,
            "reading_identity": None if info is None else info.reading_identity,
            "calibration": None if info is None else _calibration(info.calibration),
            "prompt_version": prompt_versions(done),
            "prompt_wording_id": _prompt_wording_id(info),
            "derivation_version": DERIVATION_VERSION,
            "derivation_wording_id": DERIVATION_WORDING_ID,
            "settings": {**self.server, **self._options(done.options)},
            "cut_short": None if done.cut_short is None else done.cut_short.name,
            "request_hash": self.hasher.message(detection.request),
            "question_hash": self.hasher.text(question) if question else None,
            "verdicts": [self._verdict(judged, done.titles) for judged in detection.judged],
            "outcomes": detection.outcomes,
        }
        if self.has_text:
            line["request"] = json_format.MessageToDict(
                _without_rejected(detection), preserving_proto_field_name=True
            )
            line["without_texts_of"] = sorted(detection.rejected)
            names = [name for each in detection.judged for name in _sources(each, done.titles)]
            line["source_names"] = {self.hasher.text(name): name for name in names}
        return f"{json.dumps(line, ensure_ascii=False)}\n".encode()

    def is_of(self, line: bytes, owner: str, ids: frozenset[str] | None) -> bool:
        """Whether a line is of one of these detections of an owner, or of any where it is None."""
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            return False
        return (
            isinstance(found, dict)
            and found.get("caller_hash") == self.hasher.text(owner)
            and (ids is None or found.get("id") in ids)
        )

    def _verdict(self, judged: Judged, titles: Mapping[str, str]) -> Line:
        verdict, budget = judged.verdict, judged.verdict.budget
        why = verdict.explanation
        return {
            "index": judged.index,
            "claim_hash": self.hasher.text(verdict.claim),
            "evidence_hash": self.hasher.text(verdict.context) if verdict.context else None,
            "verdict": verdict.verdict.name,
            "reason": verdict.reason.name,
            "grounded": verdict.grounded,
            "confidence": verdict.confidence,
            **_probabilities("p1", verdict.posterior),
            **_probabilities("p0", verdict.prior),
            "gap_bits": None if budget is None else _finite(budget.gap_bits),
            "unstated_values": len(verdict.unstated_values),
            "span_kinds": None
            if why is None
            else sorted({each.kind.name for each in why.spans if each.kind is not None}),
            "source_hashes": [self.hasher.text(name) for name in _sources(judged, titles)],
        }

    def _options(self, options: VerifyOptions) -> Line:
        strictness = options.strictness
        return {
            "policy": options.policy.name,
            "strictness": None if strictness is None else strictness.name,
            "marker_hash": self.hasher.text(options.marker),
            **asdict(options.thresholds),
            "skip_non_evidence": options.skip_non_evidence,
            "split_long_context": options.split_long_context,
        }


def _question(request: Message) -> str:
    """The question that a request's answer answers; empty where there is none."""
    match request:
        case (
            detection_pb.VerifyAnswerRequest()
            | output_pb.SubmitVerificationRequest()
            | assessment_pb.AssessResponseRequest()
            | trace_pb.AuditTraceRequest()
        ):
            return request.question.strip()
    return ""


def _sources(judged: Judged, titles: Mapping[str, str]) -> list[str]:
    """The sources that a claim cites, or that its explanation names: the title, or else the id."""
    verdict = judged.verdict
    why = () if verdict.explanation is None else verdict.explanation.passages
    told = (*why, *(conflict.passage for conflict in verdict.conflicts))
    ids = dict.fromkeys((*verdict.cited_ids, *(passage.source_id for passage in told)))
    return list(dict.fromkeys(titles.get(i, i) for i in ids if i))


def _without_rejected(detection: Detection) -> Message:
    """Its request without the texts of facts that are not to be stored."""
    if not isinstance(detection.request, gate_pb.CheckFactsRequest):
        return detection.request
    kept = gate_pb.CheckFactsRequest()
    kept.CopyFrom(detection.request)
    for index in detection.rejected:
        kept.facts[index].ClearField("text")
    return kept


def _prompt_wording_id(info: BackendInfo | None) -> str:
    """Of a profile's own prompt all that the profile says."""
    if info is None or info.profile.is_in_own_words:
        return _PROMPT_WORDING_ID
    return info.profile.digest


def _probabilities(name: str, estimate: Estimate | None) -> Line:
    return {
        name: None if estimate is None else estimate.probability,
        f"{name}_raw": None if estimate is None else estimate.raw_probability,
        f"{name}_label_mass": None if estimate is None else estimate.label_mass,
    }


def _calibration(calibration: Calibration | None) -> Line | None:
    if calibration is None:
        return None
    points = {strictness.name: value for strictness, value in calibration.operating_points.items()}
    # Without curves of concerns it keeps the id that it had before there were any.
    concerns = sorted(calibration.concerns.items(), key=lambda item: item[0])
    return {
        "id": hashlib.sha256(
            repr((calibration.curve, sorted(points.items()), *concerns)).encode()
        ).hexdigest(),
        "rows": calibration.rows,
        "operating_points": points,
    }


def _finite(value: float) -> float | None:
    """JSON has no infinity, which a budget may have."""
    return value if math.isfinite(value) else None

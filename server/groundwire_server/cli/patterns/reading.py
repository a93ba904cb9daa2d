"""Detections as patterns count them, from the lines of audit records or from a feedback file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import groupby
from pathlib import Path

from groundwire_server.access.callers import Caller
from groundwire_server.cli.patterns.tally import SeenClaim, SeenDetection
from groundwire_server.config.sources import ConfigError
from groundwire_server.records.audit_file import read_lines
from groundwire_server.records.audit_lines import Hasher
from groundwire_server.records.audit_record import read_key
from groundwire_server.records.feedback_store import KeptRow, read_kept
from groundwire_verifier.checks.feedback import FeedbackStoreError, FeedbackVerdict
from groundwire_verifier.verdicts.types import Reason, SpanKind, Verdict

MISSED = "missed: a person says not grounded"
NOT_BORNE_OUT = "not borne out"
UNSTATED_VALUE = "unstated value"
_BY_REASON = {
    Reason.UNKNOWN_CITATION.name: "unknown citation",
    Reason.FALSE_ABSENCE.name: "false absence",
    Reason.UNSTATED_CODE.name: "unstated code",
}
_BY_VERDICT = {
    Verdict.CONTRADICTED.name: "contradiction",
    Verdict.MISCITED.name: "miscitation",
    Verdict.PRIOR_KNOWLEDGE.name: "prior knowledge",
}
_VALUES = {SpanKind.NUMBER.name, SpanKind.DATE.name}
_SQLITE = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which detections are read: from a day to a day, both included, and of one tenant.

    `key` is the file of the record's key, which is read for a tenant only.
    """

    since: date | None
    until: date | None
    tenant: str | None
    key: Path

    def has(self, at: datetime) -> bool:
        """Whether it was made in the time."""
        day = at.date()
        return (self.since is None or day >= self.since) and (
            self.until is None or day <= self.until
        )


def is_feedback_file(path: Path) -> bool:
    """Whether a file is one of SQLite, as that of the feedback is. Raises ConfigError."""
    try:
        with path.open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error


def read_record(path: Path, wanted: Wanted, torn: list[str]) -> Iterator[SeenDetection]:
    """The detections of an audit record, line by line; places of lines that are no JSON go to
    `torn`. Raises ConfigError that names the line."""
    caller = None
    if wanted.tenant is not None:
        caller = Hasher(read_key(wanted.key, "--key")).text(Caller(wanted.tenant).owner)
    for place, found in read_lines(path, torn):
        try:
            if caller is not None and found["caller_hash"] != caller:
                continue
            at = datetime.fromisoformat(_text(found["time"])).astimezone(UTC)
            if wanted.has(at):
                yield _detection(found, at)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise ConfigError(f"{place} is no line of an audit record: {error!r}") from error


def _detection(found: Mapping[str, object], at: datetime) -> SeenDetection:
    verdicts = found["verdicts"]
    if not isinstance(verdicts, list):
        raise TypeError("verdicts must be a list")
    request, names = found.get("request"), found.get("source_names")
    # Both stand there with audit_record_text only. Records of before have neither hash.
    question = request.get("question") if isinstance(request, dict) else found.get("question_hash")
    claims = [_claim(each, names if isinstance(names, dict) else {}) for each in verdicts]
    judged = tuple(claim for claim in claims if claim is not None)
    return SeenDetection(
        id=_text(found["id"]),
        at=at,
        model=_text(found["model"] or ""),
        question=" ".join(_text(question or "").split()),
        claims=judged,
        unread=len(claims) - len(judged),
    )


def _claim(found: Mapping[str, object], names: Mapping[str, object]) -> SeenClaim | None:
    """A verdict of a line; None for one that nobody has read."""
    verdict, reason = _text(found["verdict"]), _text(found["reason"])
    if verdict == Verdict.NOT_VERIFIED.name and reason != Reason.UNKNOWN_CITATION.name:
        return None
    is_wrong = not found["grounded"]
    mass = found["p1_label_mass"]
    if mass is not None and not (isinstance(mass, float | int) and 0.0 <= mass <= 1.0):
        raise ValueError("p1_label_mass must be in [0, 1]")
    spans = [_text(kind) for kind in _list(found.get("span_kinds"))]
    has_unstated = bool(found.get("unstated_values"))
    return SeenClaim(
        is_wrong,
        _kinds(verdict, reason, spans, has_unstated=has_unstated) if is_wrong else (),
        tuple(_text(names.get(_text(i), i)) for i in _list(found.get("source_hashes"))),
        mass,
    )


def _kinds(
    verdict: str, reason: str, spans: Sequence[str], *, has_unstated: bool
) -> tuple[str, ...]:
    """What is wrong with a claim: by its verdict, and by the words that are not borne out."""
    kinds = [kind.lower() for kind in spans]
    if has_unstated and _VALUES.isdisjoint(spans):
        kinds.append(UNSTATED_VALUE)
    known = _BY_REASON.get(reason) or _BY_VERDICT.get(verdict)
    return tuple(kinds if known is None else [known, *kinds]) or (NOT_BORNE_OUT,)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} must be a string")
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{value!r:.40} holds half a character") from None
    return value


def _list(value: object) -> list[object]:
    if value is not None and not isinstance(value, list):
        raise TypeError(f"{value!r:.40} must be a list")
    return value or []


def read_feedback(path: Path, wanted: Wanted) -> Iterator[SeenDetection]:
    """The detections of a feedback file, one after the other. Raises ConfigError.

    What a person says of a claim goes before its verdict. There is no label mass in it, and of
    sources and questions nothing but texts, which are left alone.
    """
    owner = None if wanted.tenant is None else Caller(wanted.tenant).owner
    try:
        for _, rows in groupby(read_kept(path, owner), key=lambda row: row.detection_id):
            kept = list(rows)
            first, at = kept[0], datetime.fromtimestamp(kept[0].at_s, UTC)
            if wanted.has(at):
                claims = tuple(claim for row in kept if (claim := _kept_claim(row)) is not None)
                unread = len(kept) - len(claims)
                yield SeenDetection(first.detection_id, at, first.model, "", claims, unread)
    except FeedbackStoreError as error:
        raise ConfigError(str(error)) from error


def _kept_claim(row: KeptRow) -> SeenClaim | None:
    """A claim by what a person says of it, or by its verdict; None where neither says anything."""
    is_supported = row.verdict == Verdict.SUPPORTED.name
    match row.said:
        case FeedbackVerdict.GROUNDED:
            return SeenClaim(is_wrong=False, kinds=())
        case FeedbackVerdict.NOT_GROUNDED if is_supported:
            return SeenClaim(is_wrong=True, kinds=(MISSED,))
    if is_supported:
        return SeenClaim(is_wrong=False, kinds=())
    if row.said is None and row.verdict == Verdict.NOT_VERIFIED.name:
        return None
    return SeenClaim(is_wrong=True, kinds=_kinds(row.verdict, "", (), has_unstated=False))

"""The audit record: from settings to the places that its lines go to.

Each place has a thread of its own, so that one that hangs keeps no line from the other.
"""

import os
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import Protocol

from groundwire_server.config.feature_settings import ResponseAssessmentSettings
from groundwire_server.config.service_settings import LOCAL
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError, read_bytes
from groundwire_server.records.audit_lines import AuditLines, Hasher
from groundwire_server.records.detections import Detection
from groundwire_server.records.rotating_file import OWNER_ONLY, RotatingFile
from groundwire_server.records.worker import Worker
from groundwire_verifier.checks.feedback import ErasureError
from groundwire_verifier.domain.estimates import LABEL_MASS_FLOOR

MAX_FILES = 10
"""Of the record, the one that is written included."""
MIN_KEY_BYTES = 32
AUDIT_EVENT = "groundwire.audit"
_OF_ASSESSMENTS = set(ResponseAssessmentSettings.model_fields) - {
    f"response_assessment_{name}" for name in ("enabled", "backend")
}


class Place(Protocol):
    """Where lines go."""

    def write(self, line: bytes) -> None:
        """Write a line, which ends with a line break. Raises OSError if it cannot be."""

    def close(self) -> None:
        """Let go of it."""


class AuditRecord:
    """Writes a line for each detection to all places, off the event loop."""

    def __init__(self, lines: AuditLines, places: Mapping[str, Place]) -> None:
        self._lines = lines
        self._places = [(Worker(name), place) for name, place in places.items()]

    @property
    def workers(self) -> Sequence[Worker]:
        """Those that write, for metrics."""
        return [worker for worker, _ in self._places]

    def take(self, detection: Detection) -> None:
        size_bytes = detection.size_bytes
        # The threads share it: hashing the texts is most of the work. Two that come at the same
        # moment both make it, which is the same line.
        line = cache(partial(self._lines.line, detection, time.time()))
        for worker, place in self._places:
            worker.hand_over(partial(_write, place, line), size_bytes)

    async def erase(self, owner: str, ids: frozenset[str] | None) -> int:
        """Delete the lines of detections of an owner from all files, or all where it is None.

        Gives their number. Raises ErasureError. A collector keeps what it was sent.
        """
        erased = 0
        for worker, place in self._places:
            if isinstance(place, RotatingFile):
                try:
                    erased += await worker.run(
                        partial(
                            place.erase,
                            lambda line: self._lines.is_of(line, owner, ids),
                        )
                    )
                except OSError as error:
                    raise ErasureError(f"the audit record: {error.strerror}") from error
        return erased

    async def close(self) -> None:
        """Write what is left, and let go of all places."""
        for worker, place in self._places:
            await worker.close()
            place.close()


def _write(place: Place, line: Callable[[], bytes]) -> None:
    place.write(line())


def make_audit_record(settings: ServerSettings, version: str) -> AuditRecord | None:
    """The record of the settings; None if they want none. Raises ConfigError."""
    makers: dict[str, Callable[[], Place]] = {}
    path = settings.audit_record_file
    if path is not None:
        file = partial(
            RotatingFile,
            path.expanduser(),
            settings.audit_record_max_bytes,
            MAX_FILES,
        )
        makers["audit_file"] = partial(_opened, file, path)
    if settings.audit_record_otlp and settings.otlp_endpoint is not None:
        # Late: only who asks for it pays for its imports.
        from groundwire_server.records.otlp_logs import OtlpLogs

        makers["audit_otlp"] = partial(OtlpLogs, settings.otlp_endpoint, version, AUDIT_EVENT)
    if not makers:
        return None
    lines = AuditLines(
        Hasher(_key(settings)),
        version,
        {
            "label_mass_floor": LABEL_MASS_FLOOR,
            **settings.model_dump(mode="json", include=_OF_ASSESSMENTS),
            **{f"gate_{name}": value for name, value in asdict(settings.gate_rules).items()},
        },
        {LOCAL: settings.revision} if settings.revision else {},
        settings.audit_record_text,
    )
    return AuditRecord(lines, {name: make() for name, make in makers.items()})


def key_beside(path: Path) -> Path:
    """Where the key of a record lies that has no file of its own in the settings."""
    return path.with_name(f"{path.name}.key")


def read_key(path: Path, setting: str) -> bytes:
    """The key in a file. Raises ConfigError if it cannot be read or is too short."""
    key = read_bytes(path, setting).strip()
    if len(key) < MIN_KEY_BYTES:
        raise ConfigError(
            f"{setting}: {path} holds {len(key)} bytes; it takes at least {MIN_KEY_BYTES}, such as "
            "those of `openssl rand -hex 32`"
        )
    return key


def _key(settings: ServerSettings) -> bytes:
    named = settings.audit_record_key_file
    if named is not None:
        return read_key(named, "audit_record_key_file")
    assert settings.audit_record_file is not None, "the settings are checked together"  # noqa: S101
    path = key_beside(settings.audit_record_file.expanduser())
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, OWNER_ONLY)
    except FileExistsError:
        return read_key(path, "audit_record_file")
    except OSError as error:
        raise ConfigError(f"audit_record_file: {path} cannot be made: {error.strerror}") from error
    with os.fdopen(file, "w") as made:
        made.write(f"{secrets.token_hex(MIN_KEY_BYTES)}\n")
    return read_key(path, "audit_record_file")


def _opened(file: Callable[[], RotatingFile], path: Path) -> RotatingFile:
    try:
        return file()
    except BlockingIOError as error:
        raise ConfigError(
            f"audit_record_file: {path} is that of another server: give each its own"
        ) from error
    except OSError as error:
        raise ConfigError(
            f"audit_record_file: {path} cannot be written: {error.strerror}"
        ) from error

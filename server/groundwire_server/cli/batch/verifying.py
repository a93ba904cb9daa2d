"""One row of a batch job, verified: its report, or why there is none.

Knows the Python client, and which of its errors are a row's own. Does not know files.
"""

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from groundwire import (
    AnswerReport,
    Client,
    DeadlineExceededError,
    ErrorReason,
    Evidence,
    FieldViolation,
    InternalError,
    InvalidRequestError,
    ResourceExhaustedError,
    RpcFailedError,
    ServerBusyError,
    ServerInfo,
    ServerState,
    VerdictReason,
    VerifyOptions,
)
from groundwire_server.cli.batch.rows import Row
from groundwire_server.cli.batch.tally import Result
from groundwire_server.cli.reports.as_json import json_value
from groundwire_server.cli.reports.content import CheckedAnswer

TRIES = 2
"""How often a row may run out of time while the server lives."""

LONGEST_BUSY_S = 600.0
"""Seconds for which a server may be too busy for one row; then the job ends."""

PAUSE_S = 1.0
"""Between two tries where a busy server does not say when to come again."""

PROBE_S = 30.0
"""Seconds for a server to say that it lives."""

NO_CLAIM = "NO_CLAIM"
"""The reason of a row whose answer holds no claim that counts."""

OF_THE_JOB = frozenset({ErrorReason.UNKNOWN_BACKEND, ErrorReason.INVALID_OPTION})
"""Reasons that would be the same for every row."""


class LostServerError(Exception):
    """The server answers nobody in time, or its engine has failed."""


class RowVerifier:
    """Verifies rows by a client, which threads may share."""

    def __init__(self, client: Client, options: VerifyOptions, timeout_s: float) -> None:
        """Asks the server what it is. Raises GroundwireError."""
        self._client = client
        self._options = options
        self._timeout_s = timeout_s
        info = client.server_info(backend=options.backend)
        self.versions = versions_of(info, options.backend)

    def verify(self, row: Row, stopped: threading.Event) -> Result:
        """The result of a row. Once it is `stopped`, it waits for no busy server.

        Raises GroundwireError or LostServerError where no row can be verified, such as without a
        server or a token.
        """
        try:
            report = self._report(row, stopped)
        except (InvalidRequestError, ResourceExhaustedError, InternalError) as error:
            if error.reason in OF_THE_JOB:
                raise
            return self._result(row, None, _said(error))
        except DeadlineExceededError as error:
            return self._result(row, None, _said(error))
        return self._result(row, report, _wanting(report))

    def _report(self, row: Row, stopped: threading.Event) -> AnswerReport:
        tries, gives_up_s = 0, time.monotonic() + LONGEST_BUSY_S
        while True:
            try:
                report = self._client.verify_answer(
                    row.answer,
                    Evidence.documents(row.sources),
                    question=row.question,
                    options=self._options,
                    timeout_s=self._timeout_s,
                )
            except ServerBusyError as error:
                pause_s = error.retry_after_s or PAUSE_S
                is_over = time.monotonic() + pause_s > gives_up_s
                if is_over or error.reason == ErrorReason.SPENDING_LIMIT:
                    raise
                if stopped.wait(pause_s):
                    raise
            except DeadlineExceededError:
                tries += 1
                self._raise_if_dead()
                if tries == TRIES:
                    raise
            else:
                unread = {each.reason for each in report.summary.unverified}
                if VerdictReason.BACKEND_FAILED in unread:
                    raise LostServerError("the engine failed in the middle of an answer")
                tries += 1
                if VerdictReason.OUT_OF_TIME not in unread or tries == TRIES:
                    return report

    def _raise_if_dead(self) -> None:
        """A server that answers nobody is no matter of the row that waited for it."""
        try:
            info = self._client.server_info(timeout_s=PROBE_S)
        except RpcFailedError as error:
            raise LostServerError(f"calls run out of time, and then: {error}") from error
        if info.state is not ServerState.SERVING:
            raise LostServerError(f"calls run out of time, and the server is {info.state}")

    def _result(
        self, row: Row, report: AnswerReport | None, error: Mapping[str, object] | None
    ) -> Result:
        told = None
        if report is not None:
            told = json_value(CheckedAnswer(row.answer, row.question, row.sources, report))
        return {
            "row": row.number,
            "id": row.id,
            "report": told,
            "error": error,
            "versions": self.versions,
        }


def versions_of(info: ServerInfo, backend: str) -> Mapping[str, str]:
    """What a result is made with, by its names. Two results with other ones may differ."""
    calibration = info.calibration
    return {
        "server": info.server_version,
        "backend": backend or next(iter(info.backends), ""),
        "model": info.model,
        "identity": info.identity,
        "dtype": info.dtype,
        "prompt": info.prompt_version,
        "calibration": f"{calibration.method} of {calibration.rows} rows" if calibration else "",
    }


def versions_in(result: Result) -> Mapping[str, str]:
    """What a result says that it is made with. Raises TypeError for what is no result."""
    versions = result["versions"]
    if not isinstance(versions, dict):
        raise TypeError("versions must be an object")
    return versions


def _wanting(report: AnswerReport) -> Mapping[str, object] | None:
    """Why a report says less than it should; None where it does not."""
    if not report.summary.total_claims:
        return _error(NO_CLAIM, "nothing of the answer is a claim to verify")
    if any(each.reason == VerdictReason.OUT_OF_TIME for each in report.summary.unverified):
        return _error(VerdictReason.OUT_OF_TIME, "claims were not read in the time of a call")
    return None


def _said(error: RpcFailedError) -> Mapping[str, object]:
    violations = error.violations if isinstance(error, InvalidRequestError) else ()
    return _error(error.reason or error.code.name, error.message, violations)


def _error(
    reason: str, message: str, violations: Sequence[FieldViolation] = ()
) -> Mapping[str, object]:
    return {
        "reason": reason,
        "message": message,
        "fields": [asdict(each) for each in violations],
    }

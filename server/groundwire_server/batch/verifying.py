"""One row of a batch job, verified: its report, or why there is none."""

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
    InvalidResponseError,
    ResourceExhaustedError,
    RpcFailedError,
    ServerBusyError,
    ServerInfo,
    ServerState,
    UnavailableError,
    VerdictReason,
    VerifyOptions,
)
from groundwire_server.batch.rows import Row
from groundwire_server.batch.tally import Result
from groundwire_server.reports.as_json import json_value
from groundwire_server.reports.content import CheckedAnswer

TRIES = 2
"""How often a row may run out of time while the server lives, or fail while others are read."""

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

OF_THE_BACKEND = frozenset({ErrorReason.BACKEND_REFUSED, ErrorReason.BACKEND_UNREACHABLE})
"""Reasons that may be those of one row, such as of a text that an endpoint refuses, or of all."""

INVALID_RESPONSE = "INVALID_RESPONSE"
"""The reason of a row whose answer breaks the contract."""

OF_THE_SERVER = frozenset(
    {
        *OF_THE_BACKEND,
        INVALID_RESPONSE,
        ErrorReason.DEADLINE_EXCEEDED,
        ErrorReason.INTERNAL,
        VerdictReason.BACKEND_FAILED,
    }
)
"""Reasons of a row that, at many rows in a row, are those of the server."""

PLAIN_CLAIM, PLAIN_CONTEXT = "The house has two floors.", "The house has two floors and a garden."
"""What a backend that works reads, whatever it makes of a row."""


class LostServerError(Exception):
    """The server answers nobody in time, or its backend reads nothing."""


class LostEngineError(LostServerError):
    """The engine, or the whole server, went away while rows were under way: one may be the cause.

    `rows` are those that were.
    """

    rows: tuple[Row, ...] = ()


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
            report = self._report(row, Patience(stopped))
        except (InvalidRequestError, ResourceExhaustedError, InternalError) as error:
            if error.reason in OF_THE_JOB:
                raise
            return self._result(row, None, _said(error))
        except DeadlineExceededError as error:
            return self._result(row, None, _said(error))
        except UnavailableError as error:
            if error.reason not in OF_THE_BACKEND:
                raise _lost(error) from error
            return self._result(row, None, _said(error))
        except InvalidResponseError as error:
            return self._result(row, None, _error(INVALID_RESPONSE, str(error)))
        return self._result(row, report, wanting(report))

    def given_up(self, row: Row) -> Result:
        """The result of a row that the engine has not survived too often."""
        message = "the engine failed each time that it was read"
        return self._result(row, None, _error(ErrorReason.ENGINE_FAILED, message))

    def _report(self, row: Row, patience: "Patience") -> AnswerReport:
        tries = 0
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
                patience.wait(error)
                continue
            except DeadlineExceededError:
                self._raise_if_dead()
                tries += 1
                if tries == TRIES:
                    raise
                continue
            except UnavailableError as error:
                if error.reason not in OF_THE_BACKEND:
                    raise
                tries += self._read_plainly(patience)
                if tries >= TRIES:
                    raise
                continue
            unread = {each.reason for each in report.summary.unverified}
            if VerdictReason.BACKEND_FAILED in unread:
                tries += self._read_plainly(patience)
            elif VerdictReason.OUT_OF_TIME in unread:
                tries += 1
            else:
                return report
            if tries >= TRIES:
                return report

    def _read_plainly(self, patience: "Patience") -> bool:
        """Whether the failure of a row was its own: a plain claim is read at once.

        No: the backend was only busy. Raises LostServerError if nothing is read.
        """
        self._raise_if_dead()
        at_once = True
        while True:
            try:
                self._client.estimate(
                    PLAIN_CLAIM,
                    PLAIN_CONTEXT,
                    backend=self._options.backend,
                    skip_result_cache=True,
                    timeout_s=self._timeout_s,
                )
            except ServerBusyError as error:
                patience.wait(error)
                at_once = False
            except RpcFailedError as error:
                raise _lost(error) from error
            else:
                return at_once

    def _raise_if_dead(self) -> None:
        """A server that answers nobody is no matter of the row that waited for it."""
        try:
            info = self._client.server_info(timeout_s=PROBE_S)
        except RpcFailedError as error:
            raise _lost(error) from error
        if info.state is ServerState.FAILED:
            raise LostEngineError("a row failed, and the server's engine has failed")
        if info.state is not ServerState.SERVING:
            raise LostServerError(f"a row failed, and the server is {info.state}")

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


class Patience:
    """For how long a row waits while the server is busy."""

    def __init__(self, stopped: threading.Event) -> None:
        self._stopped = stopped
        self._gives_up_s = time.monotonic() + LONGEST_BUSY_S

    def wait(self, error: ServerBusyError) -> None:
        """Return when the server may be asked again; raises the error if it is not to be."""
        pause_s = error.retry_after_s or PAUSE_S
        is_over = time.monotonic() + pause_s > self._gives_up_s
        if is_over or error.reason == ErrorReason.SPENDING_LIMIT or self._stopped.wait(pause_s):
            raise error


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


def failure_in(result: Result) -> str | None:
    """What failed at a row, where that may have been the server; None where it was not."""
    error = result["error"]
    if not isinstance(error, dict) or error["reason"] not in OF_THE_SERVER:
        return None
    return f"{error['reason']}: {error['message']}"


def wanting(report: AnswerReport) -> Mapping[str, object] | None:
    """Why a report says less than it should; None where it does not."""
    if not report.summary.total_claims:
        return _error(NO_CLAIM, "nothing of the answer is a claim to verify")
    unread = {each.reason for each in report.summary.unverified}
    if VerdictReason.BACKEND_FAILED in unread:
        return _error(VerdictReason.BACKEND_FAILED, "the backend gave no answer to some claims")
    if VerdictReason.OUT_OF_TIME in unread:
        return _error(VerdictReason.OUT_OF_TIME, "claims were not read in the time of a call")
    return None


def _lost(error: RpcFailedError) -> LostServerError:
    """What a call that nobody answers is for the job. A server may be gone without a word."""
    is_gone = isinstance(error, UnavailableError) and error.reason in (
        None,
        ErrorReason.ENGINE_FAILED,
    )
    return (LostEngineError if is_gone else LostServerError)(str(error))


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

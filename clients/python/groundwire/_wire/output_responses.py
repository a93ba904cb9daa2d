"""Reads how far a verification is out of a response. Raises InvalidResponseError.

Nothing fails open: a result that is flagged or not against its own numbers is
refused. Knows nothing of channels.
"""

import sys
from math import isfinite

from groundwire._wire.responses import by_number, require
from groundwire._wire.verification_responses import answer_report
from groundwire.errors import ErrorReason, InvalidResponseError
from groundwire.outputs import (
    FormatViolation,
    SkipReason,
    VerificationState,
    VerificationStatus,
    VerifiedOutput,
)
from groundwire.v1 import errors_pb2
from groundwire.v1 import output_verification_pb2 as pb

_STATES = by_number(VerificationState, pb.VerificationState.items(), "VERIFICATION_STATE_")
_SKIPS = by_number(SkipReason, pb.SkipReason.items(), "SKIP_REASON_")
_REASONS = {
    number: name.removeprefix("ERROR_REASON_") for name, number in errors_pb2.ErrorReason.items()
}

AnyResponse = (
    pb.SubmitVerificationResponse | pb.GetVerificationResponse | pb.WatchVerificationResponse
)


def verification_status(response: AnyResponse, own_id: str | None = None) -> VerificationStatus:
    """Reads the status in a response; None: of an id that is new."""
    require(response, "status")
    status = response.status
    if not status.id or own_id not in (None, status.id):
        raise InvalidResponseError(f"the status of {status.id!r}, which was not asked for")
    state = _STATES.get(status.state, VerificationState.UNKNOWN)
    if status.HasField("result") != (state is VerificationState.DONE):
        raise InvalidResponseError(f"{state} with a result, or without one")
    return VerificationStatus(
        id=status.id,
        state=state,
        read_claims=status.read_claims,
        total_claims=status.total_claims,
        skip_reason=(
            _SKIPS.get(status.skip_reason, SkipReason.UNKNOWN) if status.skip_reason else None
        ),
        failure_reason=(
            _REASONS.get(status.failure_reason, ErrorReason.INTERNAL)
            if status.failure_reason
            else ""
        ),
        state_text=status.state_text,
        result=_result(status.result) if state is VerificationState.DONE else None,
    )


def check_ended(last: VerificationStatus | None) -> None:
    """Refuses a stream that ended with this status, if more should have followed."""
    if last is None or last.state in (VerificationState.QUEUED, VerificationState.RUNNING):
        raise InvalidResponseError("the stream ended before the verification did")


def _result(message: pb.VerifiedOutput) -> VerifiedOutput:
    require(message, "report")
    risk, threshold = message.risk_bits, message.flag_threshold_bits
    if not (risk >= 0.0 and isfinite(risk)) or message.flagged != (risk > threshold):
        raise InvalidResponseError(f"flagged is {message.flagged} at {risk} of {threshold} bits")
    return VerifiedOutput(
        # Who asks by an id need not know how long the response was.
        report=answer_report(message.report, sys.maxsize),
        format_violations=tuple(
            FormatViolation(each.pointer, each.description) for each in message.format_violations
        ),
        risk_bits=risk,
        unread_claims=message.unread_claims,
        flagged=message.flagged,
        flag_threshold_bits=threshold,
        instruction=message.instruction,
    )

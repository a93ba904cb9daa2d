"""The calls that have an output verified in the background, and tell how far that is."""

import sys
from collections.abc import Iterable, Mapping
from math import isfinite

from groundwire._calls.answers import read_report
from groundwire._calls.inputs import sent_extract_options, sent_turns, sent_verify_options
from groundwire._wire.calls import Call, StreamCall
from groundwire._wire.fields import (
    checked_option,
    checked_text,
    require,
)
from groundwire._wire.reading import read, reads
from groundwire.errors import ErrorReason, InvalidResponseError
from groundwire.inputs import Document, ExtractOptions, VerifyOptions
from groundwire.outputs import (
    JsonFormat,
    ListFormat,
    StatedFormat,
    Turn,
    VerificationState,
    VerificationStatus,
    VerifiedOutput,
)
from groundwire.v1 import errors_pb2
from groundwire.v1 import output_verification_pb2 as pb

_REASONS = {
    number: name.removeprefix("ERROR_REASON_") for name, number in errors_pb2.ErrorReason.items()
}

_AnyResponse = (
    pb.SubmitVerificationResponse | pb.GetVerificationResponse | pb.WatchVerificationResponse
)


def submit_verification(
    response: str,
    turns: Iterable[Turn],
    documents: Mapping[str, str] | Iterable[Document],
    *,
    stated: StatedFormat | None,
    question: str,
    extract: ExtractOptions | None,
    options: VerifyOptions | None,
) -> Call[pb.SubmitVerificationResponse, VerificationStatus]:
    """An output to verify in the background. Raises as `extract_claims`."""
    given = (
        [Document(key, text) for key, text in documents.items()]
        if isinstance(documents, Mapping)
        else documents
    )
    request = pb.SubmitVerificationRequest(
        response=checked_text("response", response),
        turns=sent_turns("turns", turns),
        documents=[
            pb.ConversationDocument(
                id=checked_text(f"documents[{index}].id", document.id),
                text=checked_text(f"documents[{index}].text", document.text),
                title=checked_text(f"documents[{index}].title", document.title),
            )
            for index, document in enumerate(given)
        ],
        format=None if stated is None else _format("format", stated),
        question=checked_text("question", question),
        extract=sent_extract_options("extract", extract),
        options=sent_verify_options("options", options),
    )
    return Call(
        "OutputVerification/SubmitVerification", request, pb.SubmitVerificationResponse, _status
    )


def get_verification(id: str) -> Call[pb.GetVerificationResponse, VerificationStatus]:
    """How far a verification is. Raises InvalidRequestError for text that is not Unicode."""
    request = pb.GetVerificationRequest(id=checked_text("id", id))
    return Call(
        "OutputVerification/GetVerification",
        request,
        pb.GetVerificationResponse,
        lambda response: _status(response, id),
    )


def watch_verification(id: str) -> StreamCall[pb.WatchVerificationResponse, VerificationStatus]:
    """How far it is at each change. Raises as `get_verification`."""
    request = pb.WatchVerificationRequest(id=checked_text("id", id))
    return StreamCall(
        "OutputVerification/WatchVerification",
        request,
        pb.WatchVerificationResponse,
        lambda: _ChangesReader(id),
    )


def _format(path: str, stated: StatedFormat) -> pb.StatedFormat:
    most = checked_option(f"{path}.max_characters", stated.max_characters)
    match stated.kind:
        case JsonFormat(schema):
            json = pb.JsonFormat(schema=checked_text(f"{path}.json.schema", schema))
            return pb.StatedFormat(json=json, max_characters=most)
        case ListFormat(fewest, largest):
            items = pb.ListFormat(
                min_items=checked_option(f"{path}.list.min_items", fewest),
                max_items=checked_option(f"{path}.list.max_items", largest),
            )
            return pb.StatedFormat(list=items, max_characters=most)
    return pb.StatedFormat(max_characters=most)


def _status(response: _AnyResponse, own_id: str | None = None) -> VerificationStatus:
    """Reads the status in a response; None: of an id that is new."""
    require(response, "status")
    status = response.status
    if not status.id or own_id not in (None, status.id):
        raise InvalidResponseError(f"the status of {status.id!r}, which was not asked for")
    reason = status.failure_reason
    found = read(
        VerificationStatus,
        status,
        failure_reason=_REASONS.get(reason, ErrorReason.INTERNAL) if reason else "",
    )
    if (found.result is not None) != (found.state is VerificationState.DONE):
        raise InvalidResponseError(f"{found.state} with a result, or without one")
    return found


class _ChangesReader:
    """Reads the changes of one verification, and refuses a stream that ends before it does."""

    def __init__(self, own_id: str) -> None:
        self._own_id = own_id
        self._last: VerificationStatus | None = None

    def read(self, response: pb.WatchVerificationResponse) -> tuple[VerificationStatus]:
        self._last = _status(response, self._own_id)
        return (self._last,)

    def end(self) -> tuple[()]:
        last = self._last
        if last is None or last.state in (VerificationState.QUEUED, VerificationState.RUNNING):
            raise InvalidResponseError("the stream ended before the verification did")
        return ()


@reads(VerifiedOutput)
def _result(message: pb.VerifiedOutput) -> VerifiedOutput:
    require(message, "report")
    risk, threshold = message.risk_bits, message.flag_threshold_bits
    if not (risk >= 0.0 and isfinite(risk)):
        raise InvalidResponseError(f"a risk_bits of {risk}")
    if message.flagged != (risk > threshold):
        raise InvalidResponseError(f"flagged is {message.flagged} at {risk} of {threshold} bits")
    # Who asks by an id need not know how long the response was.
    return read(VerifiedOutput, message, report=read_report(message.report, sys.maxsize))

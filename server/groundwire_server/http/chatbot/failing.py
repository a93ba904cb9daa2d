"""Why an answer was not checked, in the chatbot's shape, with the fields that the chatbot knows.

Knows both names of each field: that of the request, and that of the message which it became.
"""

import re

from google.rpc import error_details_pb2
from starlette.responses import JSONResponse, Response

from groundwire_server.http.chatbot.shape import CheckError, FieldFault, HallucinationCheckFailure
from groundwire_server.http.failures import Failure

_SOURCES = re.compile(r"^evidence(\.sources)?")
_DOCUMENT = re.compile(r"(?<=\])\.document\b")


def refused(failure: Failure) -> Response:
    """The response of a call that failed so."""
    body = HallucinationCheckFailure(success=False, error=check_error(failure))
    return JSONResponse(
        body.model_dump(mode="json"),
        status_code=failure.http_status,
        headers=dict(failure.headers()),
    )


def check_error(failure: Failure) -> CheckError:
    """The failure in the chatbot's words."""
    violations = failure.detail(error_details_pb2.BadRequest).field_violations
    message = failure.message
    if violations and (path := violations[0].field):
        # The text of an error begins with its first field.
        message = own_field(path) + message.removeprefix(path)
    fields = tuple(
        FieldFault(field=own_field(each.field), message=each.description) for each in violations
    )
    retry = failure.detail(error_details_pb2.RetryInfo)
    is_told = retry.HasField("retry_delay")
    return CheckError(
        reason=failure.reason,
        message=message,
        field=next((each.field for each in fields if each.field), None),
        fields=fields,
        retry_after_s=retry.retry_delay.ToMilliseconds() / 1000 if is_told else None,
    )


def own_field(path: str) -> str:
    """A field of VerifyAnswerRequest as the chatbot calls it.

    `evidence.sources[1].document.text` is its `sources[1].text`.
    """
    return _DOCUMENT.sub("", _SOURCES.sub("sources", path))

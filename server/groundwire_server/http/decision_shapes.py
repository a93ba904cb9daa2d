"""What the two shapes share: contents as text, options, diagnostics, and their form of errors.

Knows the contract's answers. Does not know the name of a field of either shape.
"""

import json
from collections.abc import Callable, Iterable

from pydantic import BaseModel, ConfigDict, JsonValue
from starlette.responses import JSONResponse, Response

from groundwire.v1 import decisions_pb2 as pb
from groundwire.v1 import verifier_backend_pb2 as backend_pb
from groundwire_server.http.failures import Failure

Content = str | dict[str, JsonValue] | list[JsonValue]
"""A text, or JSON that is read as one."""


class Shape(BaseModel):
    """A part of a request. What it does not know is refused, and nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True)


def text_of(content: Content | None) -> str:
    """A content as the model reads it."""
    if content is None or isinstance(content, str):
        return content or ""
    return json.dumps(content, ensure_ascii=False)


def options(named: Iterable[tuple[str, str]]) -> list[pb.DecisionOption]:
    """Options of their names and descriptions."""
    return [pb.DecisionOption(name=name, description=text) for name, text in named]


def is_refused(answer: pb.DecisionAnswer) -> bool:
    """Whether the model could not answer."""
    if answer.HasField("predicate"):
        return not answer.predicate.HasField("probability")
    return not answer.options.probabilities


def diagnostics(answer: pb.DecisionAnswer) -> dict[str, JsonValue]:
    """How much of the next token fell on the labels, and why there is no answer."""
    read = answer.predicate if answer.HasField("predicate") else answer.options
    name = backend_pb.NoProbabilityReason.Name(read.no_probability_reason)
    why = name.removeprefix("NO_PROBABILITY_REASON_") if read.no_probability_reason else None
    return {"label_mass": read.label_mass, "no_probability_reason": why}


def refusing(renamed: Callable[[str], str]) -> Callable[[Failure], Response]:
    """How a shape tells of failures: in the form of OpenAI, as all engines with these shapes do.

    `code` is our reason. Fields are `renamed` from those of the contract.
    """

    def refuse(failure: Failure) -> Response:
        status = failure.http_status
        wrong = [(renamed(field), text) for field, text in failure.violations]
        lines = [f"{field}: {text}" if field else text for field, text in wrong]
        error: dict[str, JsonValue] = {
            "message": "; ".join(lines) or failure.message,
            "type": _TYPES.get(status, "server_error" if status >= SERVER_ERRORS else _INVALID),
            "param": next((field for field, _ in wrong if field), None),
            "code": failure.reason,
        }
        return JSONResponse({"error": error}, status, dict(failure.headers()))

    return refuse


SERVER_ERRORS = 500
_INVALID = "invalid_request_error"
_TYPES = {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error"}
"""By status; what is not here is one of these two: the server's, or an invalid request."""

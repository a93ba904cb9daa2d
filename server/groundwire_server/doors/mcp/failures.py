"""The text of a failed call for an agent: the reason, the field, the limit, and what to do."""

import re
from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from groundwire import (
    ErrorReason,
    GroundwireError,
    InvalidRequestError,
    InvalidResponseError,
    RpcFailedError,
    UnavailableError,
)
from groundwire_server.doors.failures import wrong_fields

Fields = Sequence[tuple[re.Pattern[str], str]]

_FIELDS: Fields = (
    (re.compile(r"^request\."), ""),
    (re.compile(r"^evidence(\[\d+\])?\.sources"), "sources"),
    (re.compile(r"^evidence(\[\d+\])?(\.context)?$"), "sources"),
    (re.compile(r"^(sources\[\d+\])\.document"), r"\1"),
)
"""From the fields of the contract to the arguments of the tools."""

_FIXES: Mapping[str, str] = {
    ErrorReason.LOADING: "a start takes about half a minute: call again in ten seconds",
    ErrorReason.NOT_ENABLED: (
        "tell the user: the setting goes into the server's file of settings, or, behind GROUNDWIRE_"
        " and in capitals, into its environment; it holds from the next start on"
    ),
    ErrorReason.INVALID_TOKEN: (
        "tell the user: over stdio the token is GROUNDWIRE_CLIENT_TOKEN in the environment of"
        " `groundwire mcp`; over HTTP the client sends the header 'Authorization: Bearer TOKEN'"
    ),
    ErrorReason.ENGINE_FAILED: "tell the user to start the server again",
    ErrorReason.DEADLINE_EXCEEDED: (
        "send less, or tell the user to give `groundwire mcp` a larger --timeout-s"
    ),
}
_NO_SERVER = (
    "no server answers: tell the user to start one with `groundwire serve`, to name its address"
    " with `groundwire mcp --target ADDRESS`, or to run one inside with `groundwire mcp"
    " --in-process`"
)


def failure_text(error: GroundwireError, fields: Fields = ()) -> str:
    """An error of a call in words, behind its reason.

    `fields` are those of the contract that the tool has under other names, beside those of all.
    """
    if isinstance(error, InvalidRequestError) and error.violations:
        wrong = (
            f"{_argument(each.field, (*_FIELDS, *fields))}: {each.description}"
            for each in error.violations
        )
        return f"{error.reason or error.code.name}: {'; '.join(wrong)}"
    if isinstance(error, UnavailableError) and error.reason is None:
        return f"UNAVAILABLE: {_NO_SERVER}"
    if isinstance(error, InvalidResponseError):
        return f"INVALID_RESPONSE: the server's answer breaks the contract: {error}"
    if isinstance(error, RpcFailedError) and (fix := _FIXES.get(error.reason or error.code.name)):
        return f"{error}; {fix}"
    return str(error)


def _argument(field: str, names: Fields) -> str:
    for known, ours in names:
        field = known.sub(ours, field)
    return field


def arguments_text(error: ValidationError) -> str:
    """What is wrong with the arguments of a call, without what was sent."""
    wrong = wrong_fields(error, "the tool has no such argument; leave it out")
    words = "; ".join(f"{field}: {what}" for field, what in wrong)
    return f"{ErrorReason.MALFORMED_REQUEST}: {words}"

"""What is fuzzed of the code that reads bytes: requests, JSON, settings, files of people.

As in `text_targets`, a target raises for anything but what the code declares.
"""

import json
import tempfile
from collections.abc import Callable
from datetime import date
from functools import cache
from pathlib import Path

from google.protobuf import message_factory
from google.protobuf.message import Message
from pydantic import TypeAdapter, ValidationError

from groundwire.v1 import (
    corpus_verification_pb2,
    feedback_pb2,
    hallucination_detection_pb2,
    memory_gate_pb2,
    output_verification_pb2,
    response_assessment_pb2,
    similarity_pb2,
    trace_audit_pb2,
    verifier_backend_pb2,
)
from groundwire_server.config.sources import ConfigError, load_server_settings, show
from groundwire_server.corpus.documents import (
    FileBytes,
    UnreadableFileError,
    content_of,
)
from groundwire_server.doors.json_messages import from_json, to_json
from groundwire_server.doors.mcp import arguments
from groundwire_server.features.declarations import field_limits
from groundwire_server.models.labelled_file import read_labelled
from groundwire_server.models.profiles.choice import read_profile
from groundwire_server.rpc.status import MalformedRequestError
from groundwire_server.rpc.wire import limited
from groundwire_server.text_work.json_schema import schema_differences, schema_fault
from groundwire_verifier.domain.errors import InvalidInputError
from tests.soak.fuzz.text_targets import LIMITS, text_of

_CONTRACT = (
    corpus_verification_pb2,
    feedback_pb2,
    hallucination_detection_pb2,
    memory_gate_pb2,
    output_verification_pb2,
    response_assessment_pb2,
    similarity_pb2,
    trace_audit_pb2,
    verifier_backend_pb2,
)
_FIELD_LIMITS = field_limits(LIMITS)
_TODAY = date(2026, 1, 1)
_TOOL_ARGUMENTS = (
    arguments.VerifyClaim,
    arguments.VerifyClaims,
    arguments.VerifyAnswer,
    arguments.AuditTrace,
    arguments.CheckFacts,
    arguments.AssessResponse,
    arguments.SearchCorpus,
)


def methods() -> dict[str, type[Message]]:
    """The type of the request of each method of the contract, by the method's path."""
    return {
        f"/{service.full_name}/{method.name}": message_factory.GetMessageClass(method.input_type)
        for module in _CONTRACT
        for service in module.DESCRIPTOR.services_by_name.values()
        for method in service.methods
    }


@cache
def _requests() -> tuple[type[Message], ...]:
    return tuple(methods().values())


def _chosen(data: bytes) -> tuple[type[Message], bytes]:
    """Which request an input is one of: its first byte says so."""
    known = _requests()
    return known[data[0] % len(known) if data else 0], data[1:]


def request_bytes(data: bytes) -> None:
    """The bytes of a request: what is parsed has the limits, all else names its fault."""
    kind, body = _chosen(data)
    try:
        found = limited(kind.FromString, _FIELD_LIMITS)(body)
    except (InvalidInputError, MalformedRequestError) as refused:
        assert str(refused)
        return
    assert limited(kind.FromString, _FIELD_LIMITS)(found.SerializeToString()) == found


def request_json(data: bytes) -> None:
    """The same as JSON, by the HTTP door."""
    kind, body = _chosen(data)
    try:
        found = from_json(body, kind).message
    except MalformedRequestError as refused:
        assert refused.description
        return
    assert found is not None
    assert from_json(to_json(found), kind).message == found


def shapes(data: bytes) -> None:
    """JSON as the arguments of tools."""
    for shape in _TOOL_ARGUMENTS:
        try:
            TypeAdapter(shape).validate_json(data)
        except ValidationError as refused:
            assert refused.errors(include_input=False, include_url=False, include_context=False)


def schema(data: bytes) -> None:
    """A JSON Schema of a request, and a value that is held against it."""
    text = text_of(data)
    # A pattern can take for ever; the server's process for it is killed, this one is not.
    if len(text) < 2000 and "attern" not in text and not schema_fault(text):
        for value in ("1", '{"a": [1, "x", null]}', text):
            assert all(each.description for each in schema_differences(value, text))


def _content(name: str, data: bytes) -> None:
    try:
        found = content_of(name, FileBytes(data, "", _TODAY))
    except UnreadableFileError as refused:
        assert str(refused)
        return
    assert found.dated is not None
    assert len(found.title) <= max(1000, 10 * len(data))


def html(data: bytes) -> None:
    """A web page of a corpus."""
    _content("a.html", data)


def markdown(data: bytes) -> None:
    """A Markdown file of a corpus, with its front matter."""
    _content("a.md", data)


def pdf(data: bytes) -> None:
    """A PDF of a corpus."""
    _content("a.pdf", data)


def _from_file(read: Callable[[Path], object], data: bytes) -> None:
    path = _folder() / "input"
    path.write_bytes(data)
    try:
        read(path)
    except ConfigError as refused:
        assert str(refused)


@cache
def _folder() -> Path:
    # In memory where there is such a place: it is written for each input.
    place = Path("/dev/shm")  # noqa: S108 - the folder in it is a new one
    return Path(tempfile.mkdtemp(prefix="groundwire-fuzz-", dir=place if place.is_dir() else None))


def settings(data: bytes) -> None:
    """A file of settings, and variables: each line `NAME=value` of its text is one, too."""
    _from_file(lambda path: show(load_server_settings({}, {}, path)), data)
    lines = (line.partition("=") for line in text_of(data).splitlines()[:20])
    variables = {f"GROUNDWIRE_{name.upper()}": value for name, sign, value in lines if sign}
    try:
        load_server_settings({}, variables, None)
    except ConfigError as refused:
        assert str(refused)


def profile(data: bytes) -> None:
    """A profile of a model of somebody else."""
    _from_file(lambda path: json.dumps(read_profile(path).profile.digest), data)


def labelled_rows(data: bytes) -> None:
    """Rows of a file of labelled claims."""
    _from_file(read_labelled, data)


REQUEST_TARGETS = {
    "request_bytes": request_bytes,
    "request_json": request_json,
    "shapes": shapes,
    "schema": schema,
    "html": html,
    "markdown": markdown,
    "pdf": pdf,
    "settings": settings,
    "profile": profile,
    "labelled_rows": labelled_rows,
}

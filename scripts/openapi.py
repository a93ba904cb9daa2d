#!/usr/bin/env python3
"""Writes the OpenAPI document of the HTTP door, from the contract and from the JSON routes.

`scripts/generate` runs it: `openapi.py PLUGIN DOCUMENT`. grpc-gateway's plugin describes methods
that have a `google.api.http` rule. Ours are where Connect has them, which needs no word in the
contract: so the rules are put into the descriptors that the plugin gets, and nowhere else. What is
Connect's own is added here: its errors, its streams, its headers.
"""

import inspect
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from google.api import annotations_pb2
from google.protobuf.compiler import plugin_pb2
from google.protobuf.descriptor_pb2 import FileDescriptorSet, MethodDescriptorProto
from pydantic import BaseModel, JsonValue
from pydantic.json_schema import JsonSchemaMode

from groundwire_server.access.callers import CacheScope
from groundwire_server.doors.http.application import ROUTES
from groundwire_server.doors.json_calls import JsonRoute
from groundwire_server.doors.upstream import Upstream
from groundwire_server.rpc.admission import Admission
from groundwire_server.rpc.calls import Calls
from groundwire_server.rpc.dispatch import Dispatch
from groundwire_server.rpc.health import Health
from groundwire_server.rpc.telemetry import Telemetry, TelemetryConfig
from groundwire_server.rpc.wire import FieldLimits, MessageLimits

Object = dict[str, JsonValue]

ROOT = Path(__file__).resolve().parents[1]
SCHEMA = "#/components/schemas/"
ERROR = "connect.Error"
JSON, STREAM = "application/json", "application/connect+json"

INFO: Object = {
    "title": "Groundwire",
    "version": "v1",
    "description": (
        "Says how well claims are grounded in the evidence that they cite. Every method of the "
        "gRPC services is here, by the rules of the Connect protocol: POST a JSON object. "
        "The fields may be left out unless they say that they are required."
    ),
    "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
}
TIMEOUT: Object = {
    "name": "Connect-Timeout-Ms",
    "in": "header",
    "description": "Milliseconds that the caller waits, of at most ten digits.",
    "schema": {"type": "string", "pattern": "^[0-9]{1,10}$"},
}
ERROR_SCHEMA: Object = {
    "type": "object",
    "description": "Why a call failed, as Connect tells it.",
    "required": ["code", "message"],
    "properties": {
        "code": {"type": "string", "description": "gRPC's code, such as invalid_argument."},
        "message": {"type": "string", "description": "What is wrong, for people."},
        "details": {
            "type": "array",
            "description": (
                "google.rpc.ErrorInfo with the reason, of ErrorReason in the contract; "
                "google.rpc.BadRequest with the fields; google.rpc.RetryInfo with when to come "
                "again."
            ),
            "items": {
                "type": "object",
                "required": ["type", "value"],
                "properties": {
                    "type": {"type": "string", "description": "The name of the message."},
                    "value": {"type": "string", "description": "Its bytes in base64, unpadded."},
                    "debug": {"type": "object", "description": "The same as JSON."},
                },
            },
        },
    },
}
FAILED: Object = {
    "description": "The call failed.",
    "content": {JSON: {"schema": {"$ref": SCHEMA + ERROR}}},
}


_ALIVE: Object = {"description": "OK", "content": {"text/plain": {"schema": {"type": "string"}}}}
PROBES: Object = {
    "/healthz": {
        "get": {
            "tags": ["Probes"],
            "summary": "Whether the server answers",
            "description": "For balancers. It needs no token, and takes any host name.",
            "operationId": "healthz",
            "security": [{}],
            "responses": {"200": _ALIVE},
        }
    },
    "/readyz": {
        "get": {
            "tags": ["Probes"],
            "summary": "Whether the server serves",
            "description": (
                "For balancers: 503 while the model is being loaded and while the server stops. It "
                "needs no token, and takes any host name."
            ),
            "operationId": "readyz",
            "security": [{}],
            "responses": {"200": _ALIVE, "503": {**_ALIVE, "description": "NOT_SERVING"}},
        }
    },
}


def main(plugin: str, document: str) -> None:
    """Write the document, or raise CalledProcessError after protoc or the plugin has said why."""
    contract = _contract()
    paths: Object = {}
    schemas: Object = {ERROR: ERROR_SCHEMA}
    for part in _described(contract, plugin):
        paths |= _object(part["paths"])
        schemas |= _object(_object(part["components"])["schemas"])
    streams = set(_streams(contract))
    for path, item in paths.items():
        _finish(_object(_object(item)["post"]), is_stream=path in streams)
    schemas.pop("google.rpc.Status")
    _close_requests(paths, schemas)
    for route in _json_routes():
        paths[route.path] = {"post": _json_operation(route, schemas)}
    paths |= PROBES
    whole: Object = {
        "openapi": "3.1.0",
        "info": INFO,
        "security": [{}, {"token": []}],
        "paths": dict(sorted(paths.items())),
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "parameters": {"timeout": TIMEOUT},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }
    Path(document).write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n")


def _object(value: JsonValue) -> Object:
    if not isinstance(value, dict):
        raise TypeError(f"the plugin has {type(value).__name__} where an object was")
    return value


def _contract() -> FileDescriptorSet:
    """The files of the contract, with their comments."""
    folder = ROOT / "proto"
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.proto"))
    with tempfile.NamedTemporaryFile() as found:
        flags = ["--include_imports", "--include_source_info", f"-o{found.name}"]
        command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{ROOT / 'proto'}", *flags, *names]
        subprocess.run(command, check=True)
        return FileDescriptorSet.FromString(found.read())


def _methods(contract: FileDescriptorSet) -> Iterator[tuple[str, MethodDescriptorProto]]:
    """Those that HTTP has: it has no streams of requests."""
    for file in contract.file:
        for service in file.service:
            for method in service.method:
                if not method.client_streaming:
                    yield f"/{file.package}.{service.name}/{method.name}", method


def _streams(contract: FileDescriptorSet) -> Iterator[str]:
    return (path for path, method in _methods(contract) if method.server_streaming)


def _described(contract: FileDescriptorSet, plugin: str) -> Iterator[Object]:
    """What the plugin makes of each file."""
    for path, method in _methods(contract):
        rule = method.options.Extensions[annotations_pb2.http]
        rule.post, rule.body = path, "*"
    ours = [file.name for file in contract.file if file.name.startswith("groundwire/")]
    request = plugin_pb2.CodeGeneratorRequest(file_to_generate=ours, proto_file=contract.file)
    done = subprocess.run(
        [plugin], input=request.SerializeToString(), stdout=subprocess.PIPE, check=True
    )
    for file in plugin_pb2.CodeGeneratorResponse.FromString(done.stdout).file:
        yield json.loads(file.content)


def _finish(operation: Object, *, is_stream: bool) -> None:
    """Give an operation what Connect has of its own."""
    text = str(operation["summary"])
    operation["summary"] = " ".join(text.partition(". ")[0].rstrip(".").split())
    operation["description"] = text
    operation["parameters"] = [{"$ref": "#/components/parameters/timeout"}]
    responses = _object(operation["responses"])
    responses["default"] = FAILED
    if not is_stream:
        return
    answer = _object(responses["200"])
    content = _object(answer["content"])
    shape = _object(_object(_object(_object(content[JSON])["schema"])["properties"])["result"])
    answer["content"] = {STREAM: {"schema": shape}}
    request = _object(operation["requestBody"])
    request["content"] = {STREAM: _object(request["content"])[JSON]}
    operation["description"] = (
        f"{text}\n\nThe request and each message of the response stand in an envelope of Connect: "
        "a byte of flags, four of the length, the message. Clients of Connect and gRPC-Web do that."
    )


def _close_requests(paths: Object, schemas: Object) -> None:
    """Say of what only requests hold that it takes no other fields. An answer may get more."""
    operations = [_object(_object(item)["post"]) for item in paths.values()]
    asked = _reached([operation["requestBody"] for operation in operations], schemas)
    told = _reached([operation["responses"] for operation in operations], schemas)
    for name in asked - told:
        if "properties" in (schema := _object(schemas[name])):
            schema["additionalProperties"] = False
    for operation in operations:
        for media in _object(_object(operation["requestBody"])["content"]).values():
            schema = _object(_object(media)["schema"])
            if "$ref" not in schema:
                schema["additionalProperties"] = False


def _reached(start: Sequence[JsonValue], schemas: Object) -> set[str]:
    """The schemas that these refer to, by way of others, too."""
    found: set[str] = set()
    waiting = list(start)
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            name = str(value.get("$ref", "")).removeprefix(SCHEMA)
            if name in schemas and name not in found:
                found.add(name)
                waiting.append(schemas[name])
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    return found


def _json_routes() -> list[JsonRoute]:
    """The routes whose shapes are not those of the contract."""
    telemetry = Telemetry(TelemetryConfig("", "", None), lambda: False)
    calls = Calls(Admission(1, 1, 1), telemetry, 1.0, CacheScope())
    dispatch = Dispatch(calls, MessageLimits(FieldLimits({}, 1, {}), 1, {}), Health(()))
    found = [route for routes in ROUTES for route in routes(Upstream(dispatch, (), None, 1))]
    telemetry.close()
    return [route for route in found if isinstance(route, JsonRoute)]


def _content(
    model: type[BaseModel], schemas: Object, mode: JsonSchemaMode = "serialization"
) -> Object:
    """JSON of a model, whose schemas are put to the others."""
    schema = model.model_json_schema(ref_template=SCHEMA + "{model}", mode=mode)
    schemas |= schema.pop("$defs", {})
    schemas[model.__name__] = schema
    return {JSON: {"schema": {"$ref": SCHEMA + model.__name__}}}


def _json_operation(route: JsonRoute, schemas: Object) -> Object:
    name = route.model.__name__
    text = inspect.cleandoc(route.model.__doc__ or name)
    return {
        "tags": ["Shapes of others"],
        "summary": text.partition(". ")[0].rstrip("."),
        "description": text,
        "operationId": name,
        "parameters": [{"$ref": "#/components/parameters/timeout"}],
        "requestBody": {"required": True, "content": _content(route.model, schemas, "validation")},
        "responses": {
            "200": {"description": "The answer.", "content": _content(route.told, schemas)},
            "default": {
                "description": "The call failed, as this shape tells it.",
                "content": _content(route.failed, schemas),
            },
        },
    }


if __name__ == "__main__":
    main(*sys.argv[1:])

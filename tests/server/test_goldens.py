"""What the program says to every method and command, as it was recorded in `goldens/`.

    python -m tests.server.test_goldens

records it anew: a diff of these files is what a change does to those who call it. What differs from
one run to the next, times and ids that are drawn, is left out. The OpenAPI document and the list of
reflection have tests of their own.
"""

import argparse
import asyncio
import importlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format, message_factory
from google.protobuf.descriptor import FileDescriptor, MethodDescriptor
from google.protobuf.message import Message
from grpc import aio
from grpc_status import rpc_status

from groundwire_server.cli.config.schema import config_schema
from groundwire_server.cli.main import groundwire
from tests.scripted import WAIT_LIMIT_S, Scripted, scripted_server
from tests.scripted_services.corpus import python_corpus
from tests.soak.fuzz.wire_server import everything_on

GOLDENS = Path(__file__).with_name("goldens")
MOST_BYTES = 400_000
WIDTH = "100"
"""Characters of a line of help."""
CONTRACT = (
    "corpus_verification", "feedback", "hallucination_detection", "memory_gate",
    "output_verification", "response_assessment", "similarity", "trace_audit", "verifier_backend",
)  # fmt: skip
DRAWN = {"detectionId", "id", "identity"}
"""Fields whose values are drawn: kept as a mark, and sent where a request asks for them by `$`."""
TIMES = {"google.protobuf.Duration", "google.protobuf.Timestamp"}
STATED, DENIED, UNKNOWN = (0.95, 0.03, 0.02), (0.03, 0.95, 0.02), (0.2, 0.3, 0.5)


def read(prompt: str) -> tuple[float, ...]:
    """A model that knows what its evidence states word for word, and nothing else."""
    evidence, _, claim = prompt.partition("\nClaim: ")
    text = claim.partition(".")[0]
    if text in evidence:
        return STATED
    return DENIED if text.replace("530", "330") in evidence else UNKNOWN


def methods() -> dict[str, MethodDescriptor]:
    """Every method of the contract, by `Service/Method`."""
    files: list[FileDescriptor] = [
        importlib.import_module(f"groundwire.v1.{name}_pb2").DESCRIPTOR for name in CONTRACT
    ]
    services = [service for file in files for service in file.services_by_name.values()]
    return {f"{s.name}/{m.name}": m for s in services for m in s.methods}


def settled(value: Any) -> Any:  # noqa: ANN401 - what JSON holds
    """JSON without what differs between runs: durations, moments, drawn ids."""
    if isinstance(value, list):
        return [settled(each) for each in value]
    if isinstance(value, float):
        # The last digits are another machine's business.
        return round(value, 5)
    if not isinstance(value, dict):
        return value
    return {
        key: f"${key}" if key in DRAWN and isinstance(inner, str) else settled(inner)
        for key, inner in value.items()
    }


def without_times(message: Message) -> None:
    """Clear every duration and timestamp."""
    for field, value in message.ListFields():
        if field.message_type is None or field.message_type.GetOptions().map_entry:
            continue
        if field.message_type.full_name in TIMES:
            message.ClearField(field.name)
            continue
        for inner in value if field.is_repeated else [value]:
            without_times(inner)


def drawn(value: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - what JSON holds
    """The drawn ids in an answer, by the name of their field."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in DRAWN and isinstance(inner, str):
                yield key, inner
            yield from drawn(inner)
    elif isinstance(value, list):
        for each in value:
            yield from drawn(each)


async def call(served: Scripted, method: MethodDescriptor, asked: list[Message]) -> list[Message]:
    """What a method answers, one message or a stream of them. Raises AioRpcError."""
    service, channel = method.containing_service, served.channel
    kind: Any = message_factory.GetMessageClass(method.output_type)
    if method.client_streaming:
        way: Any = channel.stream_stream
    else:
        way = channel.unary_stream if method.server_streaming else channel.unary_unary
    stub = way(
        f"/{service.full_name}/{method.name}",
        request_serializer=type(asked[0]).SerializeToString,
        response_deserializer=kind.FromString,
    )
    running = stub(asked if method.client_streaming else asked[0], timeout=WAIT_LIMIT_S)
    if method.server_streaming:
        return [message async for message in running]
    return [await running]


async def answers() -> list[object]:
    """Every kept request with what is answered, as JSON, in their order."""
    known, ids, found = methods(), dict[str, str](), list[object]()
    with tempfile.TemporaryDirectory() as folder:
        async with scripted_server(
            corpora={"notes": python_corpus()},
            **everything_on(Path(folder)),  # type: ignore[arg-type]
        ) as served:
            served.engine.answer = read
            served.engine.write = lambda _: "Yes."
            for name, asked in json.loads((GOLDENS / "requests.json").read_text("utf-8")):
                text = json.dumps(asked)
                for key, value in ids.items():
                    text = text.replace(f"${key}", value)
                kind = message_factory.GetMessageClass(known[name].input_type)
                each = json.loads(text)
                pieces = each if known[name].client_streaming else [each]
                requests = [json_format.ParseDict(piece, kind()) for piece in pieces]
                said: list[object] = []
                try:
                    messages = await call(served, known[name], requests)
                except aio.AioRpcError as error:
                    status: Any = rpc_status.from_call(error)
                    messages = [] if status is None else [status]
                    said.append(error.code().name)
                for message in messages[-1:]:
                    ids |= dict(drawn(json_format.MessageToDict(message)))
                    without_times(message)
                    said.append(settled(json_format.MessageToDict(message)))
                found.append([name, asked, *said])
    return found


def helps(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The help of a command, and of all below it."""
    yield parser.format_help()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from helps(command)


async def goldens() -> Mapping[str, str]:
    """The records by the names of their files."""
    # One JSON value a paragraph, so that a diff shows which answer is another.
    found = json.dumps(await answers(), indent=1, ensure_ascii=False, sort_keys=True)
    schema = json.dumps(config_schema(), ensure_ascii=False).replace("}, ", "},\n")
    # Several commands take the settings of a server: each section stands here once.
    sections = dict.fromkeys("\n\n".join(helps(groundwire())).split("\n\n"))
    return {
        "answers.json": found + "\n",
        "schema.json": schema + "\n",
        "help.txt": "\n\n".join(sections),
    }


async def test_what_the_program_says_is_what_was_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", WIDTH)
    said = await goldens()
    assert {name: (GOLDENS / name).read_text("utf-8") for name in said} == said


def test_every_method_is_asked() -> None:
    asked = json.loads((GOLDENS / "requests.json").read_text("utf-8"))
    assert {name for name, _ in asked} == methods().keys()


def test_the_records_are_small() -> None:
    assert sum(file.stat().st_size for file in GOLDENS.iterdir()) < MOST_BYTES


if __name__ == "__main__":
    os.environ["COLUMNS"] = WIDTH
    for golden, text in asyncio.run(goldens()).items():
        (GOLDENS / golden).write_text(text, "utf-8")

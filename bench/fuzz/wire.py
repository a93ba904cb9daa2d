"""A real server under requests that nobody would send: `python -m bench.fuzz --wire`.

The server runs in a process of its own on an engine that is scripted, since what is asked here is
whether the server stands, not what the model says. Bytes go to every method of the contract. Each
answer must be a message or an error that the contract names; INTERNAL and UNKNOWN are faults, as
is a server that grows or ends. Knows the transport. Does not know how inputs are made.
"""

import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import grpc
import psutil
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from bench.fuzz.mutation import TOKENS, mutated
from bench.fuzz.request_targets import methods
from bench.tools.common import ROOT
from bench.tools.serving import family_of, memory_mib

CALL_TIMEOUT_S = 5.0
DEPTH = 4
WARM_CALLS = 2000
"""After so many, caches and pools are filled: from there memory is compared."""
MOST_FAULTS = 20
FAULTS = {"INTERNAL", "UNKNOWN", "DATA_LOSS", "CANCELLED"}
_PLAIN_SHARE = 0.4
_NUMBERS = (0, 1, 2, 3, 100, -1, 2**31 - 1, -(2**31))
_REALS = (0.0, 0.5, 1.0, -1.0, 1e308, float("nan"), float("inf"))


@dataclass(frozen=True, slots=True)
class WireFigures:
    """What came of the calls: how many ended with each status, and the server's memory in MiB.

    `warm_mib` is that after WARM_CALLS, or the last where there were fewer.
    `faults` are the first inputs whose answer is none that the contract names.
    """

    calls: int
    statuses: dict[str, int]
    warm_mib: float
    last_mib: float
    faults: tuple[tuple[str, str, bytes], ...]


def made_message(kind: type[Message], chance: random.Random) -> Message:
    """A message with some of its fields set, to fragments and to values at the edges."""
    made = kind()
    _fill(made, chance, DEPTH)
    return made


def _fill(message: Message, chance: random.Random, depth: int) -> None:
    described: Descriptor = message.DESCRIPTOR  # type: ignore[assignment] # the C one is alike
    for field in described.fields:
        if chance.random() < 0.5:
            continue
        if field.message_type is not None:
            if depth == 0 or field.message_type.full_name.startswith("google.protobuf."):
                continue
            if field.is_repeated:
                for _ in range(chance.choice((1, 1, 2, 5))):
                    _fill(getattr(message, field.name).add(), chance, depth - 1)
            else:
                inner = getattr(message, field.name)
                inner.SetInParent()
                _fill(inner, chance, depth - 1)
        elif field.is_repeated:
            values = [_value(field, chance) for _ in range(chance.choice((1, 2, 4)))]
            getattr(message, field.name).extend(values)
        else:
            setattr(message, field.name, _value(field, chance))


def _value(  # noqa: PLR0911 - one for each kind of field
    field: FieldDescriptor, chance: random.Random
) -> object:
    if field.enum_type is not None:
        return chance.choice([value.number for value in field.enum_type.values] + [999])
    match field.cpp_type:
        case FieldDescriptor.CPPTYPE_STRING:
            if field.type == FieldDescriptor.TYPE_BYTES:
                return chance.randbytes(4)
            words = b"".join(chance.choices(TOKENS, k=chance.choice((1, 2, 6)))).decode()
            return chance.choice(("S0", "The tower is 330 m high [S0].", "local", words, words))
        case FieldDescriptor.CPPTYPE_BOOL:
            return chance.random() < 0.5
        case FieldDescriptor.CPPTYPE_DOUBLE | FieldDescriptor.CPPTYPE_FLOAT:
            return chance.choice(_REALS)
        case FieldDescriptor.CPPTYPE_UINT32 | FieldDescriptor.CPPTYPE_UINT64:
            return abs(chance.choice(_NUMBERS))
        case _:
            return chance.choice(_NUMBERS)


def inputs(seeds: Sequence[bytes], chance: random.Random) -> Iterator[tuple[str, bytes]]:
    """Methods with bytes for them, without an end: whole messages, and such with changes."""
    known = methods()
    paths = sorted(known)
    changed = mutated(seeds, chance)
    while True:
        path = chance.choice(paths)
        whole = made_message(known[path], chance).SerializeToString()
        if chance.random() < _PLAIN_SHARE:
            yield path, whole
        elif chance.random() < 0.7:
            yield path, next(mutated([whole], chance))
        else:
            yield path, next(changed)


def attack(
    made: Iterator[tuple[str, bytes]], calls: int, is_over: Callable[[], bool]
) -> WireFigures:
    """Start a server, make the calls one after the other, and look at its memory."""
    command = [sys.executable, "-m", "tests.scripted", "[{}, {}]"]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        with grpc.insecure_channel(process.stdout.readline().strip()) as channel:
            found = _calls(channel, psutil.Process(process.pid), made, calls, is_over)
        process.stdin.close()
    return found


def _calls(
    channel: grpc.Channel,
    server: psutil.Process,
    made: Iterator[tuple[str, bytes]],
    calls: int,
    is_over: Callable[[], bool],
) -> WireFigures:
    statuses: Counter[str] = Counter()
    faults: list[tuple[str, str, bytes]] = []
    warm = 0.0
    for done, (path, data) in enumerate(made, start=1):
        status = _status(channel, path, data)
        statuses[status] += 1
        if status in FAULTS and len(faults) < MOST_FAULTS:
            faults.append((path, status, data))
        if done == WARM_CALLS:
            warm = memory_mib(family_of(server))
        if done == calls or is_over():
            break
    last = memory_mib(family_of(server))
    return WireFigures(statuses.total(), dict(statuses), warm or last, last, tuple(faults))


def _status(channel: grpc.Channel, path: str, data: bytes) -> str:
    try:
        call: grpc.UnaryStreamMultiCallable[bytes, bytes] = channel.unary_stream(path)
        for _ in call(data, timeout=CALL_TIMEOUT_S):
            pass
    except grpc.RpcError as error:
        return str(error.code().name)
    return "OK"

"""`python -m tests.hostile.client TARGET`: sends what an attacker would, and says what came back.

A process of its own, so that what it costs to be hostile slows nobody else in the tests. Writes a
JSON object a line: the case, the code, the reason, and whether it was one of those wanted. Ends by
itself.
"""

import asyncio
import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace

import grpc
from google.rpc import error_details_pb2
from grpc_reflection.v1alpha import reflection_pb2
from grpc_status import rpc_status

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1 import verifier_backend_pb2 as backend_pb
from tests.hostile.raw_http2 import raw_peer

DETECTION = "/groundwire.v1.HallucinationDetection/"
BACKEND = "/groundwire.v1.VerifierBackend/"
TIMEOUT_S = 60.0
TEXT_CHARACTERS = 200_000
"""The longest text that the server takes by default."""
FLOOD_CALLS, FLOOD_BYTES = 8, 8 << 20
ROUNDS = 2
SILENT_PEERS = 20
CANCELLED_CALLS, CANCELLED_AFTER_S = 12, 0.2
QUEUED_CALLS = 6
JOINED_AFTER_S = 0.05

EXTRACT, ANSWER = f"{DETECTION}ExtractClaims", f"{DETECTION}VerifyAnswer"
STREAM, CLAIMS = f"{DETECTION}VerifyAnswerStream", f"{DETECTION}VerifyClaims"
BATCH = f"{BACKEND}BatchEstimate"
REFLECTION = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"


@dataclass(frozen=True, slots=True)
class Attack:
    """One message, and the codes with which a server may answer it."""

    name: str
    method: str
    message: bytes
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came back; `reason` is that of the ErrorInfo, or empty."""

    case: str
    code: str
    reason: str
    wanted: bool


def delimited(number: int, payload: bytes) -> bytes:
    """A length-delimited field with this number."""
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def varint(value: int) -> bytes:
    """An unsigned base-128 varint."""
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*found, value))


def attacks() -> Iterator[Attack]:
    """Messages that each once held a server, most of them for seconds to minutes."""
    refused, taken = ("INVALID_ARGUMENT",), ("OK", "INVALID_ARGUMENT", "RESOURCE_EXHAUSTED")
    blanks = "Source: [1]" + " " * (TEXT_CHARACTERS - 20) + "x."
    yield Attack("blanks behind a citation", EXTRACT, _text(blanks), taken)
    underscores = "\n".join(["_" * 300] * 600)
    yield Attack("underscores that look like code", EXTRACT, _text(underscores), taken)
    opened = "[" * (TEXT_CHARACTERS - 10)
    yield Attack("open brackets", EXTRACT, _text(opened), taken)
    cited = "The tower is high [" + ", ".join(["S1"] * 40_000) + "]."
    yield Attack("ids without end", EXTRACT, _text(cited[:TEXT_CHARACTERS]), taken)
    ranges = " ".join(["It is so [1-99]."] * (TEXT_CHARACTERS // 20))
    yield Attack("ranges of ids", EXTRACT, _text(ranges), taken)
    styles = delimited(3, delimited(1, b"\x01" * (256 << 10)))
    yield Attack("packed styles", EXTRACT, _text("The tower is high.") + styles, refused)
    ids = delimited(2, b"") * (512 << 10)
    yield Attack("empty source ids", EXTRACT, _text("The tower is high.") + ids, refused)
    sources = delimited(2, delimited(1, delimited(3, b"")) * (256 << 10))
    yield Attack("empty ranges", CLAIMS, delimited(1, delimited(1, b"A claim.")) + sources, refused)
    claims = delimited(1, b"") * (512 << 10) + delimited(1, b"\xff")
    yield Attack("empty claims and a bad byte", BATCH, claims, refused)
    yield Attack("another range for each claim", CLAIMS, _ranges(), refused)
    answer = pb.VerifyAnswerRequest(
        answer="The tower is high. " * (TEXT_CHARACTERS // 19),
        evidence=pb.Evidence(context="The tower is high. " * (TEXT_CHARACTERS // 19)),
    )
    yield Attack("an answer of 10,000 claims", ANSWER, answer.SerializeToString(), refused)
    nonsense = bytes(range(256)) * 4096
    yield Attack("a megabyte of nonsense", BATCH, nonsense, refused)


def _text(text: str) -> bytes:
    return pb.ExtractClaimsRequest(text=text).SerializeToString()


def _ranges() -> bytes:
    """1,000 claims that each cite another range of the longest context."""
    step = TEXT_CHARACTERS // 1000
    sources = [
        pb.Source(id=f"S{i}", range=pb.Span(start=i * step, end=i * step + step // 2))
        for i in range(1000)
    ]
    request = pb.VerifyClaimsRequest(
        claims=[pb.ClaimInput(text=f"Claim {i}.", cited_ids=[f"S{i}"]) for i in range(1000)],
        evidence=pb.Evidence(context="a word " * (TEXT_CHARACTERS // 7), sources=sources),
    )
    return request.SerializeToString()


def send(channel: grpc.Channel, attack: Attack) -> Outcome:
    """Send one message and wait for the answer."""
    call: Callable[..., bytes] = channel.unary_unary(attack.method)
    try:
        call(attack.message, timeout=TIMEOUT_S)
    except grpc.RpcError as error:
        return _outcome(attack.name, attack.codes, error)
    return Outcome(attack.name, "OK", "", "OK" in attack.codes)


def _outcome(case: str, codes: tuple[str, ...], error: grpc.RpcError) -> Outcome:
    status = rpc_status.from_call(error)
    info = error_details_pb2.ErrorInfo()
    reasons = [info.reason for detail in (status.details if status else ()) if detail.Unpack(info)]
    code = str(error.code().name)
    return Outcome(case, code, reasons[0] if reasons else "", code in codes)


def flood(channel: grpc.Channel) -> list[Outcome]:
    """Many large messages at one time: some are served, the others are told to come back."""
    message = backend_pb.BatchEstimateRequest(claims=["A claim."], context="a" * FLOOD_BYTES)
    attack = Attack(
        "a flood of large messages",
        BATCH,
        message.SerializeToString(),
        ("INVALID_ARGUMENT", "RESOURCE_EXHAUSTED"),
    )
    with ThreadPoolExecutor(FLOOD_CALLS) as threads:
        return list(threads.map(lambda _: send(channel, attack), range(FLOOD_CALLS)))


def cancel(channel: grpc.Channel) -> Outcome:
    """Long texts whose callers leave: their places are free for who comes next."""
    calls = _long_texts(channel, CANCELLED_CALLS)
    time.sleep(CANCELLED_AFTER_S)
    for call in calls:
        call.cancel()
    return send(channel, _short_text("a text after many that were left"))


def queue(channel: grpc.Channel) -> Outcome:
    """More long texts than are split at one time: a short one does not wait for them."""
    calls = _long_texts(channel, QUEUED_CALLS)
    outcome = send(channel, _short_text("a short text beside a queue of long ones"))
    behind = not any(call.done() for call in calls[1:])
    for call in calls:
        call.cancel()
    return replace(outcome, wanted=outcome.wanted and behind)


def join(channel: grpc.Channel) -> Outcome:
    """A caller who joins a reading, the first of whose callers leaves."""
    message = backend_pb.BatchEstimateRequest(
        claims=[f"The tower has {i} floors." for i in range(20)],
        context="It is a high tower. " * 50,
    ).SerializeToString()
    estimate: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(BATCH)
    first = estimate.future(message)
    time.sleep(JOINED_AFTER_S)
    joined = estimate.future(message, timeout=TIMEOUT_S)
    first.cancel()
    return Outcome(
        "a reading whose first caller leaves", joined.code().name, "", not joined.exception()
    )


async def never_read(target: str, outcome: Callable[[], Outcome]) -> Outcome:
    """Peers that make no room for what comes, and ones whose requests never end."""
    answer = pb.VerifyAnswerRequest(
        answer="The tower is high.", evidence=pb.Evidence(context="The tower is high.")
    )
    asked = pb.VerifyAnswerStreamRequest(request=answer).SerializeToString()
    reflected = reflection_pb2.ServerReflectionRequest(list_services="").SerializeToString()
    async with contextlib.AsyncExitStack() as stack:
        for _ in range(SILENT_PEERS):
            peer = await stack.enter_async_context(raw_peer(target))
            peer.call(1, "/grpc.health.v1.Health/Watch", b"")
            peer.call(3, REFLECTION, reflected)
            peer.call(5, STREAM, asked)
            peer.call(7, BATCH, None)
        return await asyncio.to_thread(outcome)


def _long_texts(channel: grpc.Channel, count: int) -> list["grpc.Future[bytes]"]:
    long = _text("The tower is high (see [1]); it opened in 1889, or so. " * 3600)
    extract: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(EXTRACT)
    return [extract.future(long) for _ in range(count)]


def _short_text(name: str) -> Attack:
    return Attack(name, EXTRACT, _text("The tower is high."), ("OK",))


def main() -> int:
    """Attack once a line comes in, and say how it went; 1 for an answer that is not wanted."""
    target = sys.argv[1]
    made = list(attacks())
    # What it costs to make the messages is nobody's waiting.
    print("ready", flush=True)
    sys.stdin.readline()
    wanted = True
    with grpc.insecure_channel(target) as channel:
        for outcome in (o for _ in range(ROUNDS) for o in outcomes(made, channel, target)):
            wanted &= outcome.wanted
            print(json.dumps(asdict(outcome)), flush=True)
        # Last, and once: these are readings as everybody's, which take their time.
        joined = join(channel)
        print(json.dumps(asdict(joined)), flush=True)
    return 0 if wanted and joined.wanted else 1


def outcomes(made: Sequence[Attack], channel: grpc.Channel, target: str) -> Iterator[Outcome]:
    """What comes of each attack, one after the other."""
    for attack in made:
        yield send(channel, attack)
    yield from flood(channel)
    yield cancel(channel)
    yield queue(channel)
    beside = _short_text("a call beside peers that never read")
    yield asyncio.run(never_read(target, lambda: send(channel, beside)))


if __name__ == "__main__":
    sys.exit(main())

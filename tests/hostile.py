"""`python -m tests.hostile TARGET`: sends what an attacker would, and says what came back.

A process of its own, so that what it costs to be hostile slows nobody else in the tests. Writes a
JSON object a line: the case, the code, the reason, and whether it was one of those wanted. Ends by
itself.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass

import grpc
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from grpc_status import rpc_status

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1 import verifier_backend_pb2 as backend_pb

DETECTION = "/groundwire.v1.HallucinationDetection/"
BACKEND = "/groundwire.v1.VerifierBackend/"
TIMEOUT_S = 60.0
TEXT_CHARACTERS = 200_000
"""The longest text that the server takes by default."""
FLOOD_CALLS, FLOOD_BYTES = 40, 8 << 20
SILENT_PEERS = 20
CANCELLED_CALLS, CANCELLED_AFTER_S = 12, 0.2

EXTRACT, ANSWER = f"{DETECTION}ExtractClaims", f"{DETECTION}VerifyAnswer"
STREAM, CLAIMS = f"{DETECTION}VerifyAnswerStream", f"{DETECTION}VerifyClaims"
BATCH = f"{BACKEND}BatchEstimate"


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
    long = _text("The tower is high (see [1]); it opened in 1889, or so. " * 3600)
    extract: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(EXTRACT)
    calls = [extract.future(long) for _ in range(CANCELLED_CALLS)]
    time.sleep(CANCELLED_AFTER_S)
    for call in calls:
        call.cancel()
    after = Attack(
        "a text after many that were left", EXTRACT, _text("The tower is high."), ("OK",)
    )
    return send(channel, after)


def never_read(target: str) -> Outcome:
    """Peers that ask for streams and never read what comes."""
    with grpc.insecure_channel(target) as channel:
        watching = [
            health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest())
            for _ in range(SILENT_PEERS)
        ]
        asked = iter([reflection_pb2.ServerReflectionRequest(list_services="")] * SILENT_PEERS)
        reflecting = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo(asked)
        text = _text("The tower is high.")
        outcome = send(
            channel, Attack("a call beside peers that never read", EXTRACT, text, ("OK",))
        )
        for call in (*watching, reflecting):
            call.cancel()
    return outcome


def main() -> int:
    """Attack, and say how it went; 1 if an answer was not one of those wanted."""
    target = sys.argv[1]
    wanted = True
    with grpc.insecure_channel(target) as channel:
        for outcome in outcomes(channel, target):
            wanted &= outcome.wanted
            print(json.dumps(asdict(outcome)), flush=True)
    return 0 if wanted else 1


def outcomes(channel: grpc.Channel, target: str) -> Iterator[Outcome]:
    """What comes of each attack, one after the other."""
    for attack in attacks():
        yield send(channel, attack)
    yield from flood(channel)
    yield cancel(channel)
    yield never_read(target)


if __name__ == "__main__":
    sys.exit(main())

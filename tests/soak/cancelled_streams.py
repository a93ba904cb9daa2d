"""What a server keeps of streams that their callers cancel.

    python -m tests.soak.cancelled_streams --streams 200000

Serves with an engine that never answers, so that each stream is cancelled while it is read, some
before the server has seen them. Exits with 1 if the server's process has grown by 16 MiB or more.
Takes minutes, so this is no part of the gate.
"""

import argparse
import asyncio
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import grpc
from grpc import aio

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1.hallucination_detection_pb2_grpc import HallucinationDetectionStub
from groundwire_verifier.scheduling.engine import EngineTurn, TokenReading
from tests.scripted import ScriptedEngine, scripted_server

if TYPE_CHECKING:
    from groundwire.v1.hallucination_detection_pb2_grpc import HallucinationDetectionAsyncStub

MOST_GROWTH_MIB = 16.0
WARM_UP_STREAMS = 5_000
AT_ONCE = 32
STEPS = 10
REQUEST = pb.VerifyAnswerStreamRequest(
    request=pb.VerifyAnswerRequest(
        answer="The tower is 330 m high. It was built in 1889.",
        evidence=pb.Evidence(context="The tower, built in 1889, is 330 m high."),
    )
)


class SilentEngine(ScriptedEngine):
    """Once it `is_silent`, it answers nothing and remembers nothing."""

    is_silent = False

    async def read(
        self,
        prompt_ids: Sequence[int],
        wanted_ids: Sequence[int],
        trace_headers: Mapping[str, str],
        turn: EngineTurn,
        cache_salt: str,
    ) -> TokenReading:
        if self.is_silent:
            await asyncio.Event().wait()
        return await super().read(prompt_ids, wanted_ids, trace_headers, turn, cache_salt)


def resident_mib(process_id: int) -> float:
    """Memory of a process that is in RAM."""
    lines = Path(f"/proc/{process_id}/status").read_text(encoding="ascii").splitlines()
    (size,) = (line.split()[1] for line in lines if line.startswith("VmRSS:"))
    return int(size) / 1024


async def cancel(stub: "HallucinationDetectionAsyncStub", streams: int) -> None:
    """Begin so many streams and leave each: one of ten at once, the others once it is begun."""
    left = iter(range(streams))

    async def caller() -> None:
        for number in left:
            call = stub.VerifyAnswerStream(REQUEST)
            if number % 10:
                await call.initial_metadata()
            call.cancel()

    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(caller())


async def measure(target: str, server_id: int, streams: int) -> float:
    """MiB that the server has grown by, after it was warm."""
    async with aio.insecure_channel(target) as channel:
        stub = HallucinationDetectionStub(channel)
        await cancel(stub, WARM_UP_STREAMS)
        begin = found = resident_mib(server_id)
        print(f"{WARM_UP_STREAMS:>8,} streams  {begin:.1f} MiB", flush=True)
        for step in range(1, STEPS + 1):
            await cancel(stub, streams // STEPS)
            found = resident_mib(server_id)
            count = WARM_UP_STREAMS + step * streams // STEPS
            print(f"{count:>8,} streams  {found:.1f} MiB", flush=True)
    return found - begin


async def serve() -> None:
    """Serve until standard input ends."""
    engine = SilentEngine()
    async with scripted_server(engine=engine) as served:
        engine.is_silent = True
        print(served.running.target, flush=True)
        await asyncio.to_thread(sys.stdin.read)


def main(arguments: Sequence[str]) -> int:
    """Run the server beside the callers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=200_000)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.serve:
        asyncio.run(serve())
        return 0
    command = [sys.executable, "-m", "tests.soak.cancelled_streams", "--serve"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        target = server.stdout.readline().strip()
        grown = asyncio.run(measure(target, server.pid, options.streams))
        server.stdin.close()
    print(f"grpcio {grpc.__version__}: {options.streams:,} streams, {grown:+.1f} MiB")
    return int(grown >= MOST_GROWTH_MIB)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

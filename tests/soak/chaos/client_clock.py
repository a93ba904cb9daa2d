"""The wall clock of the client jumps an hour, forward and back, in the middle of calls and streams.

    python -m tests.soak.chaos.client_clock TARGET

is the client, in a process of its own, whose clock libfaketime moves; the server's stays. A line on
its stdin is a round, by its title; on its stdout are a line where the calls begin, and what became
of them. They must end as they would without a jump: whole, or at their deadline where nobody
answers, which is a span of time.
"""

import asyncio
import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from bench.tools.common import BenchError
from groundwire import AsyncClient
from tests.soak.chaos.asking import CALL_S, ask, ask_blocking, until_whole
from tests.soak.chaos.claims import LATEST_S, Tally, chance_of
from tests.soak.chaos.clock import HOUR, Clock, library_of, stuck
from tests.soak.chaos.served import (
    WHOLE,
    Event,
    Round,
    Tools,
    most,
    own_process,
    record,
    serving,
)

BLOCKING = 3
"""Calls of the client that blocks, beside those of the other."""
END_S = 10.0


@asynccontextmanager
async def _scene(tools: Tools) -> AsyncIterator[Round]:
    library, clock = library_of(tools), Clock(tools.folder / "clock")
    with serving({}) as served, client_of(served.target, clock.environment(library)) as client:

        async def one(tally: Tally, chance: random.Random) -> None:
            places = [place for place in (-HOUR, 0, HOUR) if place != clock.ahead_s]
            await asyncio.to_thread(begin, client, f"Arden{tally.rounds}")
            await asyncio.sleep(chance.uniform(0.0, LATEST_S))
            clock.jump(chance.choice(places))
            found = json.loads(await asyncio.to_thread(line_of, client))
            tally.outcomes.update(Counter(found["outcomes"]))
            tally.faults += found["faults"]
            for name, value in found["figures"].items():
                most(tally, name, value)
            if abs(found["time"] - time.time() - clock.ahead_s) > HOUR / 2:
                raise BenchError("the clock of the client did not jump: libfaketime does not work")

        yield one


@contextmanager
def client_of(target: str, environment: dict[str, str]) -> Iterator["subprocess.Popen[str]"]:
    """A client of this target with these variables."""
    with own_process("client_clock", target, environment, stdin=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            assert process.stdin is not None
            # It ends where nothing more is asked.
            process.stdin.close()
            try:
                process.wait(END_S)
            except subprocess.TimeoutExpired:
                process.kill()


def begin(client: "subprocess.Popen[str]", title: str) -> None:
    """Have it make the calls of a round; returns as they begin."""
    assert client.stdin is not None
    client.stdin.write(f"{title}\n")
    client.stdin.flush()
    line_of(client)


def line_of(client: "subprocess.Popen[str]") -> str:
    """The next line that it says. Raises BenchError if it has ended."""
    assert client.stdout is not None
    if not (line := client.stdout.readline()):
        raise BenchError("the client has ended")
    return line


async def _rounds(target: str) -> None:
    async with AsyncClient(target) as client:
        while title := (await asyncio.to_thread(sys.stdin.readline)).strip():
            tally = Tally(title)
            print("begun", flush=True)
            await asyncio.gather(
                ask(tally, client, title, chance_of(title)),
                stuck(tally, client),
                _blocking(tally, target, title),
            )
            await until_whole(tally, client)
            print(json.dumps({**tally.as_json(), "time": time.time()}), flush=True)


async def _blocking(tally: Tally, target: str, title: str) -> None:
    asked = (ask_blocking(target, f"{title} b{number}", CALL_S) for number in range(BLOCKING))
    record(tally, await asyncio.gather(*asked), WHOLE)


EVENTS = (Event("the clock of the client jumps by an hour", _scene),)

if __name__ == "__main__":
    asyncio.run(_rounds(sys.argv[1]))

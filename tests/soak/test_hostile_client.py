"""One client's hostility does not become another's waiting."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import count

from groundwire import Client
from tests.hostile.client import Outcome
from tests.serving import Served

CONTEXT = "The kettle holds two litres and is made of steel."
QUIET_CALLS = 60
MIN_ATTACKED_CALLS = 20
TIMES_QUIET = 4.0
"""The attacks need processors, too: on two cores 1.6 to 3.1 were seen. A server that one message
can hold keeps others waiting for seconds, which is a hundred times as long as they need."""
ATTEMPTS = 3
"""Another job on the machine may spoil one; a server that can be held fails them all."""
ATTACK_LIMIT_S = 300.0


def p95(seconds: list[float]) -> float:
    return sorted(seconds)[int(0.95 * len(seconds))]


def attacked(target: str, timed: Callable[[], float]) -> tuple[float, float, list[Outcome]]:
    """The p95 of calls in seconds, quiet and beside the attacks, and what came of these."""
    # What it costs to be hostile is paid on another machine: here it gets what is left.
    command = ["nice", "-n", "19", sys.executable, "-m", "tests.hostile.client", target]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as hostile:
        assert hostile.stdin is not None
        assert hostile.stdout is not None
        assert hostile.stdout.readline() == "ready\n"
        quiet_s = [timed() for _ in range(QUIET_CALLS)]
        print(file=hostile.stdin, flush=True)
        attacked_s: list[float] = []
        began_s = time.monotonic()
        while hostile.poll() is None or len(attacked_s) < MIN_ATTACKED_CALLS:
            attacked_s.append(timed())
            assert time.monotonic() - began_s < ATTACK_LIMIT_S, "the attacks do not end"
        outcomes = [Outcome(**json.loads(line)) for line in hostile.stdout]
    return p95(quiet_s), p95(attacked_s), outcomes


def test_a_hostile_client_does_not_slow_another_down(served: Served, client: Client) -> None:
    numbers = count()

    def timed() -> float:
        """A claim that nobody has asked yet, so that it is read, and a text to split."""
        began_s = time.monotonic()
        client.estimate(f"The kettle weighs {next(numbers)} grams.", CONTEXT)
        client.extract_claims("The kettle is made of steel [S0].")
        return time.monotonic() - began_s

    timed()
    ratios: list[float] = []
    while len(ratios) < ATTEMPTS and min(ratios, default=TIMES_QUIET + 1) > TIMES_QUIET:
        quiet_s, attacked_s, outcomes = attacked(served.target, timed)
        assert outcomes
        assert [outcome for outcome in outcomes if not outcome.wanted] == []
        ratios.append(attacked_s / quiet_s)
    assert min(ratios) <= TIMES_QUIET, ratios

"""One client's hostility does not become another's waiting."""

import json
import subprocess
import sys
import time
from itertools import count

from groundwire import Client
from tests.serving import Served

CONTEXT = "The kettle holds two litres and is made of steel."
QUIET_CALLS = 60
MIN_ATTACKED_CALLS = 20
TIMES_QUIET = 2.0
ATTACK_LIMIT_S = 300.0


def p95(seconds: list[float]) -> float:
    return sorted(seconds)[int(0.95 * len(seconds))]


def test_a_hostile_client_does_not_slow_another_down(served: Served, client: Client) -> None:
    numbers = count()

    def timed() -> float:
        """A claim that nobody has asked yet, so that it is read, and a text to split."""
        began_s = time.monotonic()
        client.estimate(f"The kettle weighs {next(numbers)} grams.", CONTEXT)
        client.extract_claims("The kettle is made of steel [S0].")
        return time.monotonic() - began_s

    command = [sys.executable, "-m", "tests.hostile", served.target]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as hostile:
        assert hostile.stdin is not None
        assert hostile.stdout is not None
        assert hostile.stdout.readline() == "ready\n"
        timed()
        quiet_s = [timed() for _ in range(QUIET_CALLS)]
        print(file=hostile.stdin, flush=True)
        attacked_s: list[float] = []
        began_s = time.monotonic()
        while hostile.poll() is None or len(attacked_s) < MIN_ATTACKED_CALLS:
            attacked_s.append(timed())
            assert time.monotonic() - began_s < ATTACK_LIMIT_S, "the attacks do not end"
        outcomes = [json.loads(line) for line in hostile.stdout]

    assert outcomes
    assert [outcome for outcome in outcomes if not outcome["wanted"]] == []
    assert p95(attacked_s) <= TIMES_QUIET * p95(quiet_s)

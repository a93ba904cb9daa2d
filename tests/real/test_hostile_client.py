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
        began_s = time.monotonic()
        # A claim that nobody has asked yet, so that it is read.
        client.estimate(f"The kettle weighs {next(numbers)} grams.", CONTEXT)
        return time.monotonic() - began_s

    timed()
    quiet_s = [timed() for _ in range(QUIET_CALLS)]
    # What it costs to be hostile is paid on another machine; here it gets what is left.
    command = ["nice", "-n", "19", sys.executable, "-m", "tests.hostile", served.target]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as hostile:
        attacked_s: list[float] = []
        began_s = time.monotonic()
        while hostile.poll() is None or len(attacked_s) < MIN_ATTACKED_CALLS:
            attacked_s.append(timed())
            assert time.monotonic() - began_s < ATTACK_LIMIT_S, "the attacks do not end"
        assert hostile.stdout is not None
        outcomes = [json.loads(line) for line in hostile.stdout]

    assert outcomes
    assert [outcome for outcome in outcomes if not outcome["wanted"]] == []
    assert p95(attacked_s) <= TIMES_QUIET * p95(quiet_s)

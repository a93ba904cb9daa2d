"""Threads of the libgomp that torch brings, which spin or sleep while they wait for each other.

They run in a process of their own, in which a thread that spins never gives up by itself. So it
sleeps because of the switch alone, however long a test is kept from its core.
"""

import json
import os
import subprocess
import sys
from importlib import util
from pathlib import Path

import pytest

VERIFIER = Path(__file__).parents[4] / "verifier"
REGIONS = 50
SCRIPT = """
import ctypes, json, os, sys, threading
from pathlib import Path
from groundwire_verifier.engine.vllm.in_engine.spinning import Spinning

TASKS, REGIONS = Path("/proc/self/task"), int(sys.argv[1])
openmp = ctypes.CDLL(None)
openmp.GOMP_parallel.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint]
nothing = ctypes.cast(openmp.omp_get_thread_num, ctypes.c_void_p)
before = set(os.listdir(TASKS))
openmp.GOMP_parallel(nothing, None, 2, 0)
(worker,) = set(os.listdir(TASKS)) - before
usual = len(os.listdir(TASKS))

def sleeps():
    lines = (TASKS / worker / "status").read_text().splitlines()
    return int(next(l for l in lines if l.startswith("voluntary")).split()[1])

def asleep_after_each():
    began = sleeps()
    for _ in range(REGIONS):
        seen = sleeps()
        openmp.GOMP_parallel(nothing, None, 2, 0)
        for _ in range(int(sys.argv[2])):
            if sleeps() > seen:
                break
    return sleeps() - began

spinning = Spinning(2)
found = []
for on in (True, False, True, False):
    spinning.turn(on=on)
    spinning.turn(on=on)
    while on and len(os.listdir(TASKS)) > usual:
        pass
    found.append([spinning.is_on, asleep_after_each()])
print(json.dumps(found))
"""


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="on one core threads never spin")
def test_threads_sleep_after_every_region_while_they_are_to_and_never_else() -> None:
    torch = util.find_spec("torch")
    assert torch is not None
    assert torch.origin is not None
    (openmp,) = Path(torch.origin).parent.glob("lib/libgomp*.so*")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(REGIONS), "200"],
        env={
            **os.environ,
            "PYTHONPATH": str(VERIFIER),
            "LD_PRELOAD": str(openmp),
            "OMP_NUM_THREADS": "2",
            "OMP_WAIT_POLICY": "ACTIVE",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    (first, awake), (off, slept), (again, awake_again), (_, slept_again) = json.loads(done.stdout)
    assert (first, off, again) == (True, False, True)
    assert (awake, awake_again) == (0, 0)
    # The last region of all may not have come to its sleep.
    assert min(slept, slept_again) >= REGIONS - 1


def test_another_library_is_left_alone() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from groundwire_verifier.engine.vllm.in_engine.spinning import Spinning; Spinning(2)",
        ],
        env={**os.environ, "PYTHONPATH": str(VERIFIER), "LD_PRELOAD": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "the library of OpenMP is not libgomp" in done.stderr

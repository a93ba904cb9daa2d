"""Ctrl-C while the real engine loads: no process and no variable of it is left behind."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.serving import serving

ROOT = Path(__file__).parents[3]
EXIT_TIMEOUT_S = 120.0
LOOK_S = 0.05

SCRIPT = """
import gc, json, os, psutil, signal
from groundwire_server.config.settings import ServerSettings
from groundwire_server.in_process import in_process

# Who starts the tests in the background may have had SIGINT ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
before = dict(os.environ)
try:
    with in_process(ServerSettings(kv_memory_gib=0.5, window_tokens=2048, batch_tokens=512)):
        print("it served", flush=True)
except KeyboardInterrupt:
    left = [" ".join(p.cmdline()) for p in psutil.Process().children(recursive=True)]
    same = dict(os.environ) == before and gc.get_freeze_count() == 0
    print(json.dumps({"left": left, "same": same}), flush=True)
"""


def imports(children: list[psutil.Process]) -> bool:
    """Whether the process is there that imports vLLM for the engine."""
    return any("forkserver" in " ".join(child.cmdline()) for child in children)


def has_engine(children: list[psutil.Process]) -> bool:
    return any(child.name().startswith("VLLM") for child in children)


def children_when(
    process: "subprocess.Popen[str] | subprocess.Popen[bytes]",
    reached: Callable[[list[psutil.Process]], bool],
) -> list[psutil.Process]:
    """All processes below one, as soon as they say that a moment of its start is reached."""
    parent = psutil.Process(process.pid)
    while process.poll() is None:
        try:
            children: list[psutil.Process] = parent.children(recursive=True)
            if reached(children):
                return children
        except psutil.Error:
            pass  # one of them has just ended
        try:
            process.wait(LOOK_S)
        except subprocess.TimeoutExpired:
            continue
    raise AssertionError("it ended before that moment")


def test_ctrl_c_while_a_server_in_this_process_loads_leaves_nothing() -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GROUNDWIRE_")}
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        started = children_when(process, imports)
        process.send_signal(signal.SIGINT)
        printed, _ = process.communicate(timeout=EXIT_TIMEOUT_S)
    found = json.loads(printed)
    # Python's own, of which each process has one that ends with it.
    assert [line for line in found["left"] if "resource_tracker" not in line] == []
    assert found["same"]
    assert psutil.wait_procs(started, EXIT_TIMEOUT_S)[1] == []


@pytest.mark.parametrize(
    ("number", "moment"), [(signal.SIGTERM, imports), (signal.SIGINT, has_engine)]
)
def test_a_signal_while_the_server_loads_leaves_no_process(
    number: signal.Signals, moment: Callable[[list[psutil.Process]], bool]
) -> None:
    with serving(wait=False) as served:
        started = children_when(served.process, moment)
        served.process.send_signal(number)
        assert served.process.wait(EXIT_TIMEOUT_S) == 0
        assert psutil.wait_procs(started, EXIT_TIMEOUT_S)[1] == []

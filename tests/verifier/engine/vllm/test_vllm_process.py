"""The process that engines are forked of: it is ours alone, and ends when it is told to."""

import gc
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import forkserver, spawn
from pathlib import Path

import psutil
import pytest

from groundwire_verifier.engine.vllm import process as vllm_process
from groundwire_verifier.engine.vllm.process import EngineOrigin, no_collection, without_script


@pytest.fixture
def origin(monkeypatch: pytest.MonkeyPatch) -> Iterator[EngineOrigin]:
    """One that imports nothing of weight."""
    monkeypatch.setattr(vllm_process, "_IMPORTING", "json")
    origin = EngineOrigin()
    yield origin
    origin.end()


def process_of(server: forkserver.ForkServer) -> psutil.Process:
    return psutil.Process(server._forkserver_pid)  # type: ignore[attr-defined]


def test_it_ends_when_it_is_told_to_and_is_reaped(origin: EngineOrigin) -> None:
    process = process_of(origin._server)
    assert process in psutil.Process().children()
    origin.end()
    assert not process.is_running()
    origin.end()


def test_none_is_started_again_once_it_was_ended(origin: EngineOrigin) -> None:
    origin.end()
    before = psutil.Process().children()
    with pytest.raises(RuntimeError, match="ended before it was forked"):
        origin._fork([])
    assert psutil.Process().children() == before


def test_it_is_not_the_one_that_all_share(origin: EngineOrigin) -> None:
    forkserver.ensure_running()
    shared = process_of(forkserver._forkserver)
    try:
        assert shared != process_of(origin._server)
        origin.end()
        assert shared.is_running()
    finally:
        forkserver._forkserver._stop()  # type: ignore[attr-defined]


def test_imports_leave_a_collector_that_works() -> None:
    with no_collection():
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.unfreeze()


def test_it_ends_though_the_file_of_its_socket_was_swept_away(origin: EngineOrigin) -> None:
    process = process_of(origin._server)
    Path(origin._server._forkserver_address).unlink()  # type: ignore[attr-defined]
    origin.end()
    assert not process.is_running()


def test_a_signal_to_the_whole_group_ends_it_not(origin: EngineOrigin) -> None:
    process = process_of(origin._server)
    for number in (signal.SIGTERM, signal.SIGINT):
        process.send_signal(number)
        (blocked,) = re.findall(r"SigBlk:\s*(\w+)", Path(f"/proc/{process.pid}/status").read_text())
        assert int(blocked, 16) & 1 << number - 1
    assert process.is_running()


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_a_process_that_is_started_does_not_run_the_script_anew(
    tmp_path: Path, method: str
) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from multiprocessing import get_context\n"
        "from groundwire_verifier.engine.vllm.process import without_script\n"
        'print("the script", flush=True)\n'
        "with without_script():\n"
        f"    engine = get_context({method!r}).Process(target=print, args=('the engine',))\n"
        "    engine.start()\n"
        "engine.join()\n"
    )
    done = subprocess.run(
        (sys.executable, script), capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.splitlines() == ["the script", "the engine"]
    assert done.stderr == ""


def test_a_process_of_another_thread_has_the_script_meanwhile() -> None:
    with ThreadPoolExecutor(1) as other:
        whole = spawn.get_preparation_data("a pool")
        with without_script():
            here = spawn.get_preparation_data("the engine")
            meanwhile = other.submit(spawn.get_preparation_data, "a pool").result()
    assert here.keys() < whole.keys() == meanwhile.keys()

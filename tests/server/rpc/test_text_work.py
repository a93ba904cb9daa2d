"""Text work in its processes: what ends them, what does not, and who waits for whom."""

import asyncio
import contextlib
import gc
import logging
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
import uvloop

from groundwire_server.text_work import pool as text_work
from groundwire_server.text_work.pool import TextTimeoutError, TextWork, TextWorkerError
from tests.hostile.hostile_work import backtrack
from tests.scripted import WAIT_LIMIT_S

SHORT_S = 0.2


@pytest.fixture
async def patient() -> AsyncIterator[TextWork]:
    """One process, whose work may take longer than any test."""
    work = TextWork(1, WAIT_LIMIT_S)
    yield work
    await work.close()


@pytest.fixture
async def strict() -> AsyncIterator[TextWork]:
    """One process, whose work may take SHORT_S."""
    work = TextWork(1, SHORT_S)
    yield work
    await work.close()


async def until_all_work(work: TextWork) -> None:
    """Wait, some turns of the loop, until no process is idle."""
    while work.pids:  # noqa: ASYNC110 - a turn of the loop is all it takes
        await asyncio.sleep(0)


def test_it_works_on_a_loop_of_another_make() -> None:
    async def group() -> int:
        work = TextWork(1, WAIT_LIMIT_S)
        try:
            return await work.run(os.getpgrp)
        finally:
            await work.close()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert runner.run(group()) != os.getpgrp()


async def test_a_process_that_dies_before_it_has_work_is_started_again(
    patient: TextWork, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = asyncio.create_subprocess_exec
    killed: list[int] = []

    async def start_killed(*arguments: str, **options: int) -> asyncio.subprocess.Process:
        process = await start(*arguments, **options)  # type: ignore[arg-type]
        if len(killed) < text_work.STARTS - 1:
            process.kill()
            killed.append(process.pid)
        return process

    monkeypatch.setattr(asyncio, "create_subprocess_exec", start_killed)
    assert await patient.run(os.getpid) not in killed
    assert len(killed) == text_work.STARTS - 1


async def test_it_imports_the_parser_and_neither_server_nor_engine(patient: TextWork) -> None:
    loaded = await patient.run(eval, "sorted(__import__('sys').modules)")
    assert "groundwire_verifier.text.claims.extract" in loaded
    assert {"grpc", "vllm", "numpy", "groundwire_server.app"}.isdisjoint(loaded)


async def test_what_takes_too_long_is_ended_and_its_process_replaced(strict: TextWork) -> None:
    pid = await strict.run(os.getpid)
    with pytest.raises(TextTimeoutError, match=r"more than 0\.2 s"):
        await strict.run(backtrack)
    assert not psutil.pid_exists(pid)
    assert await strict.run(str.upper, "next") == "NEXT"


async def test_a_cancelled_work_is_ended_before_another_takes_its_slot(patient: TextWork) -> None:
    for _ in range(3):
        pid = await patient.run(os.getpid)
        call = asyncio.create_task(patient.run(backtrack))
        await until_all_work(patient)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        other = await patient.run(os.getpid)
        assert other != pid
        assert not psutil.pid_exists(pid)


async def test_what_the_work_of_a_caller_that_left_raises_is_not_logged(
    patient: TextWork, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    end = text_work._Worker.end

    async def fails(worker: text_work._Worker) -> None:
        await end(worker)
        raise OSError("Ada moved")

    await patient.run(os.getpid)
    monkeypatch.setattr(text_work._Worker, "end", fails)
    call = asyncio.create_task(patient.run(backtrack))
    await until_all_work(patient)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await patient.run(os.getpid)  # the slot is free again, so the first work has ended
    monkeypatch.undo()
    del call
    gc.collect()
    assert "Ada" not in caplog.text


async def test_a_process_that_dies_fails_its_work_alone(patient: TextWork) -> None:
    with pytest.raises(TextWorkerError, match="send the text in parts"):
        await patient.run(os._exit, 1)
    assert await patient.run(str.upper, "next") == "NEXT"


async def test_a_process_that_died_idle_fails_nothing(patient: TextWork) -> None:
    pid = await patient.run(os.getpid)
    os.kill(pid, signal.SIGKILL)
    # Until it is gone, which the server has still to hear of.
    with contextlib.suppress(ChildProcessError):
        await asyncio.to_thread(os.waitid, os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert await patient.run(os.getpid) != pid


async def test_a_bug_tells_its_type_and_place_but_not_its_text(
    patient: TextWork, caplog: pytest.LogCaptureFixture
) -> None:
    pid = await patient.run(os.getpid)
    with caplog.at_level(logging.DEBUG), pytest.raises(TextWorkerError) as caught:
        await patient.run(float, "Ada moved")
    assert "ValueError" in str(caught.value)
    assert "worker.py" in caplog.text
    assert "Ada" not in str(caught.value) + caplog.text
    assert await patient.run(os.getpid) == pid


async def test_signals_for_the_server_do_not_end_it(patient: TextWork) -> None:
    pid = await patient.run(os.getpid)
    assert os.getpgid(pid) != os.getpgid(0)
    for number in (signal.SIGINT, signal.SIGTERM):
        os.kill(pid, number)
    assert await patient.run(os.getpid) == pid


SERVER = """
import asyncio, os
from groundwire_server.text_work.pool import TextWork
from tests.hostile.hostile_work import backtrack

async def main():
    work = TextWork(2, {limit_s})
    busy, idle = await asyncio.gather(*(work.run(os.getpid) for _ in range(2)))
    asyncio.create_task(work.run(backtrack))
    while len(work.pids) == 2:
        await asyncio.sleep(0)
    print(*{{busy, idle}}, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


def test_a_server_that_is_killed_outright_leaves_no_process() -> None:
    root = Path(__file__).resolve().parents[3]
    # What they work on would end them long after the test.
    command = [sys.executable, "-c", SERVER.format(limit_s=10 * WAIT_LIMIT_S)]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        pids = [int(pid) for pid in server.stdout.readline().split()]
        server.kill()
    assert len(pids) == 2
    processes = [psutil.Process(pid) for pid in pids if psutil.pid_exists(pid)]
    _, alive = psutil.wait_procs(processes, WAIT_LIMIT_S)
    assert not alive

"""Time that counts, and the wish to end."""

import os
import signal
import subprocess
import sys

import pytest

from groundwire_training.clock import RunClock


def test_it_is_asked_to_end_by_a_signal() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with RunClock() as clock:
        states = [clock.ended]
        signal.raise_signal(signal.SIGTERM)
        states.append(clock.ended)
    assert states == [False, True]
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_lap_begins_where_the_last_one_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([10.0, 12.0, 15.0])
    monkeypatch.setattr("groundwire_training.clock.time.monotonic", lambda: next(times))
    clock = RunClock()
    assert [clock.lap_s(), clock.lap_s()] == [2.0, 3.0]


def test_what_was_spent_stopped_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    # It began at 10, was stopped, went on at 1000, and the lap ended at 1001.
    times = iter([10.0, 1000.0, 1001.0])
    monkeypatch.setattr("groundwire_training.clock.time.monotonic", lambda: next(times))
    with RunClock() as clock:
        signal.raise_signal(signal.SIGCONT)
        assert clock.lap_s() == 1.0


def test_a_stopped_process_is_told_that_it_goes_on() -> None:
    code = (
        "from groundwire_training.clock import RunClock\n"
        "clock = RunClock().__enter__()\n"
        "clock._lap_began_s = 0.0\n"
        "print('ready', flush=True)\n"
        "input()\n"
        "print(clock._lap_began_s > 0.0)"
    )
    with subprocess.Popen(
        (sys.executable, "-c", code), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        os.kill(child.pid, signal.SIGSTOP)
        os.waitpid(child.pid, os.WUNTRACED)
        os.kill(child.pid, signal.SIGCONT)
        out, _ = child.communicate("\n")
        assert out == "True\n"

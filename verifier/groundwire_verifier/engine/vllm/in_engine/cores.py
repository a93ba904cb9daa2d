"""What Linux tells of the cores that threads of this process had, and of its container's quota."""

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from groundwire_verifier.engine.vllm.in_engine.crowding import Look

TASKS = Path("/proc/self/task")
CGROUPS = Path("/sys/fs/cgroup")
LOOKS_BETWEEN_CHOICES = 20
LEAST_RAN_NS = 250_000_000
"""What the busiest threads have to run between two choices, in sum, to be chosen."""

_NS = 1e-9


class Team:
    """The busiest threads of this process, looked at every now and then."""

    def __init__(self, threads: int) -> None:
        """`threads` is how many compute together."""
        self._threads = threads
        self._looks = 0
        self._ran_ns: dict[str, int] = {}
        self._chosen: dict[str, tuple[int, int]] = {}
        self._quota = quota_file()
        self._periods = self._read_quota()
        self._at_s = time.monotonic()

    def look(self) -> Look:
        """What happened since the last look."""
        if self._looks % LOOKS_BETWEEN_CHOICES == 0:
            self._choose()
        self._looks += 1
        ran_ns = waited_ns = 0
        for task, (ran, waited) in self._chosen.items():
            times = _times_ns(task)
            if times is not None:
                ran_ns += times[0] - ran
                waited_ns += times[1] - waited
                self._chosen[task] = times
        periods, self._periods = self._periods, self._read_quota()
        passed, spent = (new - old for new, old in zip(self._periods, periods, strict=True))
        at_s, self._at_s = self._at_s, time.monotonic()
        return Look(
            after_s=self._at_s - at_s,
            ran_s=ran_ns * _NS,
            waited_s=waited_ns * _NS,
            quota_spent=spent / passed if passed > 0 else 0.0,
        )

    def _choose(self) -> None:
        """Take the threads that ran longest since the last choice; all others are read no more.

        While next to nothing ran, the ones from before stay: the busiest of an idle process are
        those that look after it, and would hide the first seconds of what comes next.
        """
        before, now = self._ran_ns, dict(_all_times_ns())
        self._ran_ns = {task: ran for task, (ran, _) in now.items()}
        gained = {task: ran - before.get(task, 0) for task, (ran, _) in now.items()}
        busiest = sorted(gained, key=gained.__getitem__, reverse=True)[: self._threads]
        if self._chosen and sum(gained[task] for task in busiest) < LEAST_RAN_NS:
            return
        self._chosen = {task: self._chosen.get(task, now[task]) for task in busiest}

    def _read_quota(self) -> tuple[int, int]:
        """Periods of the quota so far, and those of them in which it was spent."""
        if self._quota is None:
            return 0, 0
        with contextlib.suppress(OSError):
            lines = dict(line.split() for line in self._quota.read_text().splitlines())
            return int(lines.get("nr_periods", 0)), int(lines.get("nr_throttled", 0))
        return 0, 0


def quota_file() -> Path | None:
    """The file that counts the periods of this process's quota; None where there is none."""
    for folder in _groups("cpu"):
        file = folder / "cpu.stat"
        with contextlib.suppress(OSError):
            if "nr_periods" in file.read_text():
                return file
    return None


def quota_cores() -> float | None:
    """How many cores the container's quota pays for, the least of its group and of those around it;
    None where there is none."""
    found = []
    for folder in _groups("cpu"):
        with contextlib.suppress(OSError, ValueError):
            if (limit := folder / "cpu.max").exists():
                quota, period = limit.read_text().split()
            else:
                quota, period = (
                    (folder / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period")
                )
            if int(quota) > 0:
                found.append(int(quota) / int(period))
    return min(found, default=None)


def memory_limit_bytes() -> int | None:
    """The memory that the container may have, by the same rule; None where nothing bounds it."""
    found = []
    for folder in _groups("memory"):
        for name in ("memory.max", "memory.limit_in_bytes"):
            with contextlib.suppress(OSError, ValueError):
                found.append(int((folder / name).read_text()))
    least = min(found, default=None)
    # Version 1 writes the largest number that there is for no limit.
    return None if least is None or least >= 1 << 62 else least


def _groups(controller: str) -> Iterator[Path]:
    """The folders of this process's control group, its own first and then those around it."""
    for controllers, group in _own_groups():
        if controllers and controller not in controllers.split(","):
            continue
        # Within a container its own group may be mounted in place of all of them.
        for top in (CGROUPS / controllers, CGROUPS):
            own = top / group.lstrip("/")
            while own != top:
                yield own
                own = own.parent
            yield top


def _own_groups() -> Iterator[tuple[str, str]]:
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, group = line.split(":", 2)
        yield controllers, group


def _all_times_ns() -> Iterator[tuple[str, tuple[int, int]]]:
    for task in os.listdir(TASKS):
        times = _times_ns(task)
        if times is not None:
            yield task, times


def _times_ns(task: str) -> tuple[int, int] | None:
    """How long a thread ran and how long it was ready without a core; None where it has ended."""
    try:
        ran, waited, _ = (TASKS / task / "schedstat").read_text().split()
    except OSError:
        return None
    return int(ran), int(waited)

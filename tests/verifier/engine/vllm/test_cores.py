"""What is read of the cores that threads had, and of a container's quota."""

import threading
from pathlib import Path

import pytest

from groundwire_verifier.engine.vllm.in_engine import cores

V2 = {"cpu.stat": "usage_usec 1\nnr_periods 10\nnr_throttled 4\n"}
V1 = {"cpu.stat": "nr_periods 10\nnr_throttled 4\n", "cpu.cfs_period_us": "100000\n"}


def group(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder / "cpu.stat"


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        (V2 | {"cpu.max": "150000 100000\n"}, 1.5),
        (V2 | {"cpu.max": "max 100000\n"}, None),
        (V1 | {"cpu.cfs_quota_us": "200000\n"}, 2.0),
        (V1 | {"cpu.cfs_quota_us": "-1\n"}, None),
        (V2, None),
        ({}, None),
    ],
)
def test_a_quota_is_read_in_both_versions_of_control_groups(
    files: dict[str, str], wanted: float | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    group(tmp_path, files)
    monkeypatch.setattr(cores, "CGROUPS", tmp_path)
    assert cores.quota_cores() == wanted


def test_the_least_limit_on_the_way_up_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    around = tmp_path / "around"
    monkeypatch.setattr(cores, "CGROUPS", tmp_path)
    monkeypatch.setattr(cores, "_own_groups", lambda: [("", "around/pod")])
    group(around / "pod", V2 | {"cpu.max": "400000 100000\n", "memory.max": "max\n"})
    group(around, V2 | {"cpu.max": "150000 100000\n", "memory.max": "1073741824\n"})
    assert cores.quota_cores() == 1.5
    assert cores.memory_limit_bytes() == 1 << 30


def test_the_share_of_spent_periods_is_that_since_the_last_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = group(tmp_path, V2)
    monkeypatch.setattr(cores, "CGROUPS", tmp_path)
    team = cores.Team(1)
    file.write_text("nr_periods 20\nnr_throttled 9\n")
    assert team.look().quota_spent == 0.5
    assert team.look().quota_spent == 0.0


def test_threads_that_computed_are_still_looked_at_after_an_idle_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cores, "TASKS", tmp_path)

    def ran(task: str, ns: int) -> None:
        (tmp_path / task).mkdir(exist_ok=True)
        (tmp_path / task / "schedstat").write_text(f"{ns} 0 1\n")

    ran("computing", 10**10)
    ran("looking", 10**6)
    team = cores.Team(1)
    for look in range(3 * cores.LOOKS_BETWEEN_CHOICES):
        ran("looking", 10**6 * (look + 2))
        team.look()
    ran("computing", 11 * 10**9)
    assert team.look().ran_s == pytest.approx(1.0)


def test_a_look_counts_the_busiest_threads_of_this_process_from_the_last_look_on() -> None:
    end = threading.Event()

    def compute() -> None:
        while not end.is_set():
            sum(range(1000))

    threads = [threading.Thread(target=compute) for _ in range(2)]
    team = cores.Team(2)
    team.look()
    for thread in threads:
        thread.start()
    try:
        ran_s = max(team.look().ran_s for _ in range(3 * cores.LOOKS_BETWEEN_CHOICES) if spin())
    finally:
        end.set()
        for thread in threads:
            thread.join()
    assert ran_s > 0.0


def spin() -> bool:
    return bool(sum(range(10_000)))

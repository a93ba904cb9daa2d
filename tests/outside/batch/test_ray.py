"""A batch job on a Ray cluster of two nodes, with the real model; a worker or its engine is killed.

The nodes are two sets of processes on this machine. Needs the model, and some minutes.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from ray.cluster_utils import Cluster

MOST_DIFFERENCE = 0.01
"""By how much P(YES) may differ between two runs: what batches of another make-up do to rounding,
in float32. In bfloat16 it is up to .016 near .5."""

NODES = 2
START_LIMIT_S, RUN_LIMIT_S, LOOK_S = 240.0, 480.0, 0.2
SETTINGS = "cpu_threads: 1\nkv_memory_gib: 0.5\n"
ACTOR = "ShardVerifier"

SUBJECTS = ("lighthouse", "bridge", "mill", "castle", "harbour", "chapel", "tunnel", "theatre")
ROWS = [
    {
        "id": f"{subject}-{row}",
        "answer": f"The {subject} was finished in {1800 + number} [S0]. It has {row} doors [S1]. "
        f"Ada Moreno paid for the {subject} {row} times.",
        "sources": [
            f"The {subject} of Arden was finished in {1800 + number}, after {number + 3} years.",
            f"It has {row % 3} doors. Its keeper was Ada Moreno. " * 6,
        ],
    }
    for row in range(16)
    for number, subject in enumerate(SUBJECTS)
]
"""As they come, those with the same sources far apart."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "num_gpus": 0})
    for _ in range(NODES - 1):
        cluster.add_node(num_cpus=1, num_gpus=0)
    cluster.wait_for_nodes()
    yield cluster
    cluster.shutdown()


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("job") / "rows.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS), encoding="utf-8")
    file.with_name("settings.yaml").write_text(SETTINGS, encoding="utf-8")
    return file


def command(rows: Path, out: Path, *flags: str) -> list[str]:
    """The command of the job."""
    program = [sys.executable, "-m", "groundwire_server.cli.main", "run", str(rows)]
    given = ["--out", str(out), "--config", str(rows.with_name("settings.yaml")), "--json"]
    return [*program, *given, *flags]


@pytest.fixture(scope="module")
def single(rows: Path) -> dict[int, dict[str, object]]:
    """The results of one process."""
    out = rows.with_name("single.jsonl")
    subprocess.run(command(rows, out), check=True, timeout=RUN_LIMIT_S)
    return results(out)


def results(out: Path) -> dict[int, dict[str, object]]:
    """The results by their rows, each of which is there once."""
    found = [json.loads(line) for line in out.read_bytes().splitlines()]
    by_row = {each["row"]: each for each in found}
    assert len(by_row) == len(found)
    return by_row


def actors() -> list[int]:
    """The processes of actors that hold a verifier."""
    named = {p.pid: " ".join(p.info["cmdline"] or ()) for p in psutil.process_iter(["cmdline"])}
    return [pid for pid, name in named.items() if name.startswith("ray::") and ACTOR in name]


def until(process: "subprocess.Popen[str]", condition: object, limit_s: float) -> None:
    """Look until the condition holds, while the process lives."""
    assert callable(condition)
    for _ in range(int(limit_s / LOOK_S)):
        if condition():
            return
        with suppress(subprocess.TimeoutExpired):
            process.wait(LOOK_S)
            raise AssertionError("the job ended before it could be disturbed")
    raise AssertionError("the job did not come so far in time")


def claims_of(result: Mapping[str, object]) -> list[Mapping[str, object]]:
    """The claims of a result's report."""
    report = result["report"]
    assert isinstance(report, dict), result["error"]
    claims: list[Mapping[str, object]] = report["claims"]
    return claims


def engine_of(actor: int) -> int:
    """The process of its engine, the largest of those that it has started."""
    started = psutil.Process(actor).children(recursive=True)
    largest: int = max(started, key=lambda process: process.memory_info().rss).pid
    return largest


@pytest.mark.parametrize("killed", ["worker", "engine"])
def test_a_job_in_which_something_is_killed_has_the_results_of_one_process(
    cluster: Cluster, rows: Path, single: dict[int, dict[str, object]], killed: str
) -> None:
    out = rows.with_name(f"{killed}.jsonl")
    with subprocess.Popen(
        command(rows, out, "--ray", cluster.address), stdout=subprocess.PIPE, text=True
    ) as process:
        # Each on its own node, which has one CPU to give.
        until(process, lambda: len(actors()) == NODES, START_LIMIT_S)
        until(process, lambda: out.exists() and out.stat().st_size > 0, START_LIMIT_S)
        actor = actors()[0]
        os.kill(actor if killed == "worker" else engine_of(actor), signal.SIGKILL)
        told, _ = process.communicate(timeout=RUN_LIMIT_S)
    assert process.returncode == 0
    found = results(out)
    assert found.keys() == single.keys() == set(range(1, len(ROWS) + 1))
    assert json.loads(told)["rows"] == len(ROWS)
    worst = 0.0
    for number, result in found.items():
        alone = single[number]
        assert (result["id"], result["versions"]) == (alone["id"], alone["versions"])
        pairs = list(zip(claims_of(result), claims_of(alone), strict=True))
        for here, there in pairs:
            assert (here["content"], here["verdict"]) == (there["content"], there["verdict"])
            for name in ("p1", "p0"):
                one, other = here[name], there[name]
                assert (one is None) == (other is None)
                if isinstance(one, float) and isinstance(other, float):
                    worst = max(worst, abs(one - other))
    print(f"P(YES) differs by at most {worst:.2g}")
    assert worst <= MOST_DIFFERENCE

"""Results that survive a kill, a full disk and another run."""

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from groundwire_server.exit_codes import EXIT_CONFIG, EXIT_OK, EXIT_UNAVAILABLE
from tests.client.scripted import Hold, ScriptedServer
from tests.server.cli.batch.rows_to_run import Run, lines_of, row, write
from tests.server.cli.batch.test_run_command import BEFORE_ROWS, plainly, verified

ANSWERS = ["0.5", "0.25", "0.75", "0.125", "0.875", "0.625"]


def rows_file(tmp_path: Path) -> Path:
    """Six rows on two sources, by turns."""
    rows = [row(answer, f"Source {i % 2}.", id=i) for i, answer in enumerate(ANSWERS)]
    return write(tmp_path / "rows.jsonl", rows)


def without_times(results: list[dict[str, object]]) -> list[str]:
    """The results in the order of their rows."""
    return sorted(json.dumps(each, sort_keys=True) for each in results)


def test_a_killed_job_goes_on_without_doing_a_row_twice_or_losing_one(
    run: Run, server: ScriptedServer, out: Path, tmp_path: Path
) -> None:
    file, hold = rows_file(tmp_path), Hold()
    server.script(*BEFORE_ROWS, plainly, plainly, plainly, hold)
    given = ("--out", out, "--target", server.target, "--parallel", "1")
    command = (sys.executable, "-m", "groundwire_server.cli.main", "run", file, *given)
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        assert hold.entered.wait(60)
        os.kill(process.pid, signal.SIGKILL)
    assert hold.given_up.wait(60)
    kept = out.read_bytes()
    done = {each["row"] for each in lines_of(out)}
    # The last of them may not have been written when the next one was asked for.
    assert done in ({1, 3}, {1, 3, 5})
    # As if it had been killed in the middle of a line.
    out.write_bytes(kept + b'{"row": 2, "id": 1, "rep')
    server.received.clear()
    assert run(file)[0] == EXIT_OK
    assert out.read_bytes().startswith(kept)
    assert sorted(verified(server)) == sorted(
        answer for number, answer in enumerate(ANSWERS, start=1) if number not in done
    )
    resumed = lines_of(out)
    out.unlink()
    out.with_name(f"{out.name}.job.json").unlink()
    run(file)
    assert without_times(resumed) == without_times(lines_of(out))


def test_a_full_disk_ends_the_job_without_a_torn_line(
    run: Run, server: ScriptedServer, out: Path, tmp_path: Path
) -> None:
    file = rows_file(tmp_path)
    run(file)
    whole = lines_of(out)
    limit = len(out.read_bytes()) // 2
    out.unlink()
    out.with_name(f"{out.name}.job.json").unlink()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
        code, _, told = run(file)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert code == EXIT_UNAVAILABLE
    assert "File too large" in told
    assert out.read_bytes().endswith(b"}\n")
    assert 0 < len(lines_of(out)) < len(ANSWERS)
    assert run(file)[0] == EXIT_OK
    assert without_times(lines_of(out)) == without_times(whole)


def test_a_file_of_something_else_is_left_alone(run: Run, out: Path, tmp_path: Path) -> None:
    out.write_text("the only copy of something\n")
    code, _, told = run(rows_file(tmp_path))
    assert code == EXIT_CONFIG
    assert "not of a batch job" in told
    assert out.read_text() == "the only copy of something\n"


def test_rows_that_have_changed_are_another_job(run: Run, out: Path, tmp_path: Path) -> None:
    run(rows_file(tmp_path))
    kept = out.read_bytes()
    code, _, told = run(write(tmp_path / "rows.jsonl", [row()]))
    assert code == EXIT_CONFIG
    assert "the input has changed" in told
    assert out.read_bytes() == kept


def test_other_options_are_another_job(run: Run, tmp_path: Path) -> None:
    file = rows_file(tmp_path)
    run(file)
    code, _, told = run(file, "--max-claims", "1")
    assert code == EXIT_CONFIG
    assert "max_claims None" in told


def test_another_model_cannot_go_on(
    run: Run, server: ScriptedServer, out: Path, tmp_path: Path
) -> None:
    file = rows_file(tmp_path)
    run(file)
    job = out.with_name(f"{out.name}.job.json")
    job.write_text(job.read_text().replace('"tiny"', '"large"'))
    out.write_bytes(b"".join(out.read_bytes().splitlines(keepends=True)[:3]))
    code, _, told = run(file)
    assert code == EXIT_CONFIG
    assert "model 'large', and not 'tiny'" in told
    assert len(lines_of(out)) == 3


def test_a_line_that_is_no_result_is_named(run: Run, out: Path, tmp_path: Path) -> None:
    file = rows_file(tmp_path)
    run(file)
    lines = out.read_bytes().splitlines(keepends=True)
    out.write_bytes(b"".join([*lines[:2], b"{}\n", *lines[2:]]))
    code, _, told = run(file)
    assert code == EXIT_CONFIG
    assert "line 3 is no result" in told


@pytest.mark.usefixtures("server")
def test_two_runs_cannot_write_one_file(run: Run, out: Path, tmp_path: Path) -> None:
    from groundwire_server.batch.output import Output

    with Output(out):
        code, _, told = run(rows_file(tmp_path))
    assert code == EXIT_CONFIG
    assert "another run writes" in told

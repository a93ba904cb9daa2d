"""`groundwire serve` as a supervisor has it: standard error, signals, the last words."""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator

import psutil
import pytest

from groundwire_server.exit_codes import EXIT_CONFIG, EXIT_OK
from tests.serve_process import ENTRY, WAIT_S, clean_environment, serve_command, serve_process


@pytest.fixture
def full_pipe() -> Iterator[int]:
    """The end of a pipe that takes no byte more, and that nobody reads."""
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    os.write(writing, bytes(4096))
    yield writing
    os.close(reading)
    os.close(writing)


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_a_log_that_nobody_reads_holds_nothing_up(full_pipe: int, log_format: str) -> None:
    with serve_process("--log-format", log_format, stderr=full_pipe) as served:
        assert served.state() == "NOT_SERVING"
        assert served.stop() == EXIT_OK


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--max-claims", "many"), "--max-claims: Input should be a valid integer"),
        (("--listen", "192.0.2.1:5", "--allow-plaintext"), "listen: 192.0.2.1:5 cannot be used"),
    ],
)
def test_under_json_all_that_is_printed_are_lines_of_json(
    flags: tuple[str, ...], words: str
) -> None:
    ended = subprocess.run(
        serve_command("--metrics-listen", "", *flags),
        env=clean_environment({"GROUNDWIRE_LOG_FORMAT": "json"}),
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )
    lines = [json.loads(line) for line in ended.stderr.splitlines()]
    assert ended.returncode == EXIT_CONFIG
    assert words in lines[-1]["message"]


FIRST = """
import sys

class Tell:
    def find_spec(self, name, path=None, target=None):
        if name == "groundwire_server.cli.main":
            print("importing", flush=True)

sys.meta_path.insert(0, Tell())
sys.argv = ["groundwire", *sys.argv[1:]]
from groundwire_server.cli import start
sys.exit(start())
"""


def test_the_first_process_of_a_container_ends_when_it_is_told_to_in_its_first_seconds() -> None:
    alone = ["unshare", "--map-root-user", "--pid", "--fork"]
    if shutil.which("unshare") is None or subprocess.run([*alone, "true"], check=False).returncode:
        pytest.skip("this machine gives no namespace of processes")
    command = [*alone, sys.executable, "-c", FIRST, *serve_command()[3:]]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=clean_environment()) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"importing\n"
            (first,) = psutil.Process(process.pid).children()
            first.send_signal(signal.SIGTERM)
            _, left = psutil.wait_procs([first], WAIT_S)
            for each in left:
                each.kill()
            assert process.wait(WAIT_S) == 128 + signal.SIGTERM
        finally:
            process.kill()


def test_a_hangup_ends_no_server() -> None:
    with serve_process() as served:
        served.state()
        served.process.send_signal(signal.SIGHUP)
        assert served.state() == "NOT_SERVING"
        assert served.stop() == EXIT_OK


def test_a_collector_that_is_away_is_no_failure() -> None:
    with serve_process("--otlp-endpoint", "http://127.0.0.1:9") as served:
        served.state()
        assert served.stop() == EXIT_OK


def test_a_home_that_is_not_there_costs_an_endpoint_nothing() -> None:
    homeless = ["unshare", "--user", "--map-user=54321"]  # of whom no file knows a home
    if (
        shutil.which("unshare") is None
        or subprocess.run([*homeless, "true"], check=False).returncode
    ):
        pytest.skip("this machine gives no namespace of users")
    without = [*homeless, "env", "-u", "HOME"]
    with serve_process(before=without) as served:
        assert served.state() == "NOT_SERVING"
    bounded = json.dumps([{**ENTRY, "calls_a_day": 9}])
    ended = subprocess.run(
        [*without, *serve_command("--backends", bounded, "--metrics-listen", "")],
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )
    assert ended.returncode == EXIT_CONFIG
    assert "cache_dir: ~/.cache/groundwire lies in a home folder" in ended.stderr

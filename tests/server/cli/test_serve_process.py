"""`groundwire serve` as a supervisor has it: standard error, signals, the last words."""

import fcntl
import json
import os
import subprocess
from collections.abc import Iterator

import pytest

from groundwire_server.exit_codes import EXIT_CONFIG, EXIT_OK
from tests.serve_process import WAIT_S, clean_environment, serve_command, serve_process


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

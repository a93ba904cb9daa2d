"""The examples in docs/doors.md#http-and-json do what the page says."""

import asyncio
import json
import re
import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from groundwire_server.doors.failures import HTTP_STATUSES
from tests.server.http.door import Door, http_server

PAGE = (Path(__file__).parents[3] / "docs" / "doors.md").read_text(encoding="utf-8")
EXAMPLES = [block for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL) if "curl" in block]


@pytest.fixture(name="door", scope="module")
async def shared_door() -> AsyncIterator[Door]:
    """One server for all tests here, none of which changes it."""
    async with http_server() as door:
        yield door


def test_the_page_has_examples() -> None:
    assert len(EXAMPLES) >= 6


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not on PATH")
@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
async def test_an_example_is_answered_with_json(door: Door, example: str, tmp_path: Path) -> None:
    command = example.replace("http://127.0.0.1:8080", f"http://{door.target}")
    done = await asyncio.to_thread(
        subprocess.run,
        ["bash", "-euc", command],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "TOKEN": "any"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    answer = done.stdout or written_to(tmp_path)
    assert ("code" in json.loads(answer)) is ('" "' in example)


def written_to(folder: Path) -> str:
    (path,) = folder.iterdir()
    return path.read_text()


def test_every_status_that_an_error_can_have_is_on_the_page() -> None:
    rows = dict(re.findall(r"^\| ([0-9, ]+) \| (.*?) \|", PAGE, re.MULTILINE))
    told = {int(status) for statuses in rows for status in statuses.split(", ")}
    ours = {"UNAUTHENTICATED", "INVALID_ARGUMENT", "NOT_FOUND", "RESOURCE_EXHAUSTED", "UNAVAILABLE"}
    ours |= {"FAILED_PRECONDITION", "DEADLINE_EXCEEDED"}
    assert {status for code, status in HTTP_STATUSES.items() if code.name in ours} <= told

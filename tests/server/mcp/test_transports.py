"""The door as agents reach it: a process on stdin and stdout, and a port of its own."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client

from groundwire_server.cli.main import main
from groundwire_server.doors.http import mcp_tools
from groundwire_server.doors.upstream import LARGE_BYTES
from groundwire_server.exit_codes import EXIT_CONFIG
from tests.scripted import scripted_process
from tests.server.access.test_quotas import ONE_IN_1000_S, Guarded
from tests.server.http.door import Door, http_server, reason_in
from tests.server.mcp.agents import (
    HEIGHT,
    SOURCE,
    command,
    error_of,
    url_of,
    web_agent,
)

BEARER = "violet-anvil-7-and-more"
ASKED = {"claim": HEIGHT, "sources": [SOURCE]}


@pytest.fixture(scope="module")
def target() -> Iterator[str]:
    """A server that asks for a token, in a process of its own."""
    with scripted_process({HEIGHT: (0.9, 0.05)}, auth_token=BEARER) as target:
        yield target


@pytest.fixture
async def door() -> AsyncIterator[Door]:
    async with http_server() as door:
        door.served.engine.answers = {HEIGHT: (0.9, 0.05)}
        yield door


async def test_a_process_on_stdin_and_stdout_answers_with_the_token_of_its_environment(
    target: str,
) -> None:
    started = command("--target", target, GROUNDWIRE_CLIENT_TOKEN=BEARER)
    told: list[str | None] = []

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)

    async with Client(started) as client:
        result = await client.call_tool("verify_claim", ASKED)
        answer = await client.call_tool(
            "verify_answer", {"answer": HEIGHT, "sources": [SOURCE]}, progress_callback=progress
        )
    assert result.structured_content["p1"] == pytest.approx(0.9 / 0.95)
    assert answer.structured_content["total_claims"] == 1
    assert told[0] == "the answer makes 1 claims"
    assert len(told) == 2


def test_stdout_has_only_the_protocol_and_bytes_that_are_no_text_cost_their_call_alone(
    target: str,
) -> None:
    begin: dict[str, object] = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    bad = {"name": "verify_claim", "arguments": {"claim": "BAD", "sources": [SOURCE]}}
    good = {"name": "verify_claim", "arguments": ASKED}
    messages: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": begin},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": bad},
        {"id": 3, "method": "tools/call", "params": good},
    ]
    lines = [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in messages]
    started = command("--target", target, GROUNDWIRE_CLIENT_TOKEN=BEARER)
    with subprocess.Popen(
        [started.command, *started.args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=started.env,
        cwd=started.cwd,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for line in lines:
            process.stdin.write(line.replace(b"BAD", b"caf\xe9") + b"\n")
        process.stdin.flush()
        answers: dict[int, dict[str, Any]] = {}
        while len(answers) < 3:
            answer = json.loads(process.stdout.readline())
            answers[answer["id"]] = answer["result"]
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait(30) == 0
    assert answers[2]["isError"]
    assert "MALFORMED_REQUEST: a text is not valid UTF-8" in answers[2]["content"][0]["text"]
    assert not answers[3].get("isError")


def test_a_client_that_is_killed_ends_the_process_without_an_error(target: str) -> None:
    started = command("--target", target)
    line = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'
    with subprocess.Popen(
        [started.command, *started.args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=started.env,
        cwd=started.cwd,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write(line)
        process.stdin.close()
        told = process.stderr.read().decode()
        assert process.wait(30) == 0, told
    assert "Traceback" not in told


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_port_answers_and_tells_progress(door: Door, mode: str) -> None:
    told: list[str] = []

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        # On a busy machine it may wait a second before that, and says so.
        if message is not None and not message.startswith("waiting for the server"):
            told.append(message)

    async with web_agent(url_of(door), mode=mode) as client:
        result = await client.call_tool(
            "verify_answer", {"answer": HEIGHT, "sources": [SOURCE]}, progress_callback=progress
        )
    assert result.structured_content["total_claims"] == 1
    assert told[0] == "the answer makes 1 claims"


async def test_a_call_that_waits_says_so_each_second(door: Door) -> None:
    waited = asyncio.Event()

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        assert message is not None
        if message.startswith("waiting for the server"):
            waited.set()

    door.served.engine.hold()
    async with web_agent(url_of(door)) as client:
        call = asyncio.create_task(
            client.call_tool("verify_claim", ASKED, progress_callback=progress)
        )
        await asyncio.wait_for(waited.wait(), 20)
        door.served.engine.release()
        assert not (await call).is_error


async def test_each_client_calls_with_its_own_token() -> None:
    async with http_server(auth_token=BEARER) as door:
        async with web_agent(url_of(door), {"Authorization": f"Bearer {BEARER}"}) as client:
            result = await client.call_tool("verify_claim", ASKED)
        headers = [{"authorization": "Bearer x"}, {}]
        refused = [await door.post("/mcp", {}, header) for header in headers]
    assert not result.is_error
    assert [(each.status_code, reason_in(each)) for each in refused] == [
        (401, "INVALID_TOKEN"),
        (401, "INVALID_TOKEN"),
    ]


async def test_a_call_of_a_tool_is_one_of_its_tenant(tmp_path: Path) -> None:
    given = Guarded(tmp_path, f"tenants: {{acme: {{calls_per_s: {ONE_IN_1000_S}}}}}")
    acme, zeta = ({"authorization": f"Bearer {token}"} for token in (given.acme, given.zeta))
    async with http_server(**given.settings) as door:
        async with web_agent(url_of(door), acme) as client:
            results = [await client.call_tool("verify_claim", ASKED) for _ in range(2)]
        async with web_agent(url_of(door), zeta) as client:
            other = await client.call_tool("verify_claim", ASKED)
    assert (results[0].is_error, other.is_error) == (False, False)
    assert error_of(results[1]).startswith("QUOTA_EXCEEDED: tenant acme")


async def test_without_its_packages_the_http_door_has_no_tools(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mcp_tools, "MCP_PACKAGE", "no_such_package")
    async with http_server() as door:
        assert (await door.post("/mcp", {})).status_code == 404


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_client_that_leaves_the_port_cancels_its_call(door: Door, mode: str) -> None:
    engine = door.served.engine
    engine.hold()
    async with web_agent(url_of(door), mode=mode) as client:
        call = asyncio.create_task(client.call_tool("verify_claim", ASKED))
        await engine.until(lambda: HEIGHT in engine.claims)
        call.cancel()
    await engine.until(lambda: engine.cancelled > 0)
    engine.release()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Content-Type": "text/plain"}, 400),
    ],
)
async def test_a_page_elsewhere_cannot_use_the_port(
    door: Door, headers: dict[str, str], status: int
) -> None:
    sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient() as http:
        answer = await http.post(url_of(door), content=b"{}", headers={**sent, **headers})
    assert answer.status_code == status


@pytest.mark.parametrize("spare", [0, LARGE_BYTES])
async def test_a_body_of_too_many_values_is_refused_before_any_is_made(
    door: Door, spare: int
) -> None:
    head = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    few = b"[" + b"[]," * 20_000 + b"[]]" + b" " * spare
    refused = await door.http.post("/mcp", content=few, headers=head)
    assert "more than" not in refused.text
    many = b"[" + b"[]," * 26_000 + b"[]]" + b" " * spare
    refused = await door.http.post("/mcp", content=many, headers=head)
    assert refused.status_code == 400
    assert "more than 25,000 values" in refused.json()["message"]


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_no_stream_is_opened_that_would_wait_for_nothing_and_hold_the_end_up(
    door: Door, method: str
) -> None:
    header = {"accept": "text/event-stream"}
    async with door.http.stream(method, mcp_tools.PATH, headers=header) as response:
        assert (response.status_code, response.headers["allow"]) == (405, "POST")


async def test_a_body_that_is_no_text_is_refused(door: Door) -> None:
    sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient() as http:
        answer = await http.post(url_of(door), content=b'{"a": "\xff"}', headers=sent)
    assert answer.status_code == 400


def test_without_its_packages_the_command_says_which_extra_it_needs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "groundwire_server.cli.mcp.serving", None)
    assert main(["mcp"]) == EXIT_CONFIG
    assert "[mcp]'" in capsys.readouterr().err

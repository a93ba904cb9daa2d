"""The door as agents reach it: a process on stdin and stdout, and a port of its own."""

import asyncio
import json
import shutil
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client

from groundwire_server import app
from groundwire_server.cli.main import main
from groundwire_server.config.settings import ClientSettings
from groundwire_server.config.sources import ConfigError
from groundwire_server.exit_codes import EXIT_CONFIG
from groundwire_server.mcp import upstream
from groundwire_server.mcp import web as web_module
from groundwire_server.mcp.command import McpArguments, run_mcp
from groundwire_server.mcp.door import make_server
from groundwire_server.mcp.upstream import elsewhere
from groundwire_server.mcp.web import PATH, WebAddress, WebServer
from tests.certificates import Pair, is_shown, make_pair
from tests.scripted import VERSION, WAIT_LIMIT_S, Scripted, scripted_process, scripted_server
from tests.server.access.test_quotas import Guarded
from tests.server.mcp.agents import (
    HEIGHT,
    SOURCE,
    command,
    error_of,
    settings_of,
    web,
    web_agent,
)

BEARER, OTHER = "violet-anvil-7", "amber-kettle-2"
ASKED = {"claim": HEIGHT, "sources": [SOURCE]}


@pytest.fixture(scope="module")
def target() -> Iterator[str]:
    """A server that asks for a token, in a process of its own."""
    with scripted_process({HEIGHT: (0.9, 0.05)}, auth_token=BEARER) as target:
        yield target


@pytest.fixture
async def served() -> AsyncIterator[Scripted]:
    async with scripted_server() as served:
        served.engine.answers = {HEIGHT: (0.9, 0.05)}
        yield served


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
async def test_a_port_answers_and_tells_progress(served: Scripted, mode: str) -> None:
    told: list[str | None] = []

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)

    async with web(served.running.target) as url, web_agent(url, mode=mode) as client:
        result = await client.call_tool(
            "verify_answer", {"answer": HEIGHT, "sources": [SOURCE]}, progress_callback=progress
        )
    assert result.structured_content["total_claims"] == 1
    assert told[0] == "the answer makes 1 claims"


async def test_a_call_that_waits_says_so_each_second(served: Scripted) -> None:
    waited = asyncio.Event()

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        assert message is not None
        if message.startswith("waiting for the server"):
            waited.set()

    served.engine.hold()
    async with web(served.running.target) as url, web_agent(url) as client:
        call = asyncio.create_task(
            client.call_tool("verify_claim", ASKED, progress_callback=progress)
        )
        await asyncio.wait_for(waited.wait(), 20)
        served.engine.release()
        assert not (await call).is_error


async def test_each_clients_own_token_goes_on_to_the_server() -> None:
    async with scripted_server(auth_token=BEARER) as served, web(served.running.target) as url:
        results = []
        for headers in ({"Authorization": f"Bearer {BEARER}"}, {"Authorization": "Bearer x"}, {}):
            async with web_agent(url, headers) as client:
                results.append(await client.call_tool("verify_claim", ASKED))
    assert not results[0].is_error
    assert error_of(results[1]).startswith("INVALID_TOKEN: ")
    assert error_of(results[2]).startswith("INVALID_TOKEN: ")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_client_that_leaves_the_port_cancels_its_call(served: Scripted, mode: str) -> None:
    served.engine.hold()
    async with web(served.running.target) as url:
        async with web_agent(url, mode=mode) as client:
            call = asyncio.create_task(client.call_tool("verify_claim", ASKED))
            await served.engine.until(lambda: HEIGHT in served.engine.claims)
            call.cancel()
        await served.engine.until(lambda: served.engine.cancelled > 0)
        served.engine.release()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Content-Type": "text/plain"}, 400),
    ],
)
async def test_a_page_elsewhere_cannot_use_the_port(
    served: Scripted, headers: dict[str, str], status: int
) -> None:
    sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    async with web(served.running.target) as url, httpx2.AsyncClient() as http:
        answer = await http.post(url, content=b"{}", headers={**sent, **headers})
    assert answer.status_code == status


@pytest.mark.parametrize("host", ["LOCALHOST", "localhost.", "LocalHost.:1"])
async def test_case_and_a_last_dot_of_its_name_do_not_count(served: Scripted, host: str) -> None:
    sent = {"Content-Type": "text/plain", "Host": host}
    async with web(served.running.target) as url, httpx2.AsyncClient() as http:
        answer = await http.post(url, content=b"{}", headers=sent)
    assert answer.status_code == 400  # for its body, not 421 for its host


@pytest.mark.parametrize(
    ("body", "status"), [(b'{"a": "\xff"}', 400), (b" " * (16 * 1024 * 1024 + 1), 413)]
)
async def test_a_body_that_is_no_text_or_too_large_is_refused(
    served: Scripted, body: bytes, status: int
) -> None:
    sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    async with web(served.running.target) as url, httpx2.AsyncClient() as http:
        answer = await http.post(url, content=body, headers=sent)
    assert answer.status_code == status


@pytest.mark.parametrize(
    ("listen", "hosts", "error"),
    [
        ("0.0.0.0:0", (), "is not loopback, and without TLS everyone on the network could read"),
        ("8080", (), "is no address: give host and port"),
        ("127.0.0.1:x", (), "is no address: give host and port"),
    ],
)
def test_an_address_that_would_be_open_unprotected_is_refused(
    listen: str, hosts: tuple[str, ...], error: str
) -> None:
    address = WebAddress(listen, hosts, None, None, allow_plaintext=False)
    with pytest.raises(ConfigError, match=error):
        address.check()


async def test_a_body_that_trickles_in_has_an_end(
    served: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_module, "RECEIVE_TIMEOUT_S", 0.2)
    async with web(served.running.target) as url:
        address = httpx2.URL(url)
        reader, writer = await asyncio.open_connection(address.host, address.port)
        head = f"POST {PATH} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        head += "accept: application/json, text/event-stream\r\ncontent-length: 100\r\n\r\n{"
        writer.write(head.encode())
        async with asyncio.timeout(WAIT_LIMIT_S):
            told = await reader.read(1 << 16)
        writer.close()
    assert b" 200 " not in told.partition(b"\r\n")[0]


async def test_many_calls_of_one_agent_do_not_keep_another_from_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "MAX_CALLS_OF_CONNECTION", 2)
    monkeypatch.setattr(upstream, "MAX_CALLS_OF_CONNECTION", 2)
    given = Guarded(tmp_path, "tenants: {acme: {}}")
    acme, zeta = ({"authorization": f"Bearer {token}"} for token in (given.acme, given.zeta))
    async with (
        scripted_server(**given.settings) as served,  # type: ignore[arg-type]
        web(served.running.target) as url,
        web_agent(url, acme) as first,
        web_agent(url, zeta) as second,
    ):
        served.engine.stuck_at.add("a sturdy stone")
        stuck = {"claim": "It is a sturdy stone.", "sources": [SOURCE]}
        held = [asyncio.create_task(first.call_tool("verify_claim", stuck)) for _ in range(3)]
        calls = served.running.admission.calls
        async with asyncio.timeout(20):
            while calls.pending < len(held):  # noqa: ASYNC110 - until the server has them
                await asyncio.sleep(0.01)
            assert not (await second.call_tool("verify_claim", ASKED)).is_error
        for call in held:
            call.cancel()
        await asyncio.gather(*held, return_exceptions=True)


def test_a_public_address_needs_the_name_that_clients_reach_it_by() -> None:
    address = WebAddress("0.0.0.0:0", (), None, None, allow_plaintext=True)
    with pytest.raises(ConfigError, match="give --http-host"):
        address.check()


def test_a_token_of_this_process_is_not_lent_to_whoever_reaches_the_port() -> None:
    address = WebAddress("127.0.0.1:0", (), None, None, allow_plaintext=False)
    with pytest.raises(ConfigError, match="each client sends its own"):
        run_mcp(settings_of("127.0.0.1:1", token=BEARER), McpArguments(address, None))


def test_a_port_in_use_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        listen = f"127.0.0.1:{taken.getsockname()[1]}"
        address = WebAddress(listen, (), None, None, allow_plaintext=False)
        with pytest.raises(ConfigError, match=f"--http-listen: {listen} cannot be used"):
            run_mcp(ClientSettings(), McpArguments(address, None))


def test_without_its_packages_the_command_says_which_extra_it_needs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "groundwire_server.mcp.command", None)
    assert main(["mcp"]) == EXIT_CONFIG
    assert "[mcp]'" in capsys.readouterr().err


async def test_a_new_certificate_of_its_port_is_taken_without_a_restart(
    served: Scripted, tmp_path: Path
) -> None:
    old, new = make_pair(tmp_path, "old"), make_pair(tmp_path, "new")
    address = WebAddress("127.0.0.1:0", (), old.cert, old.key, allow_plaintext=False)
    async with elsewhere(settings_of(served.running.target), None) as upstream:
        server = WebServer(make_server(upstream, VERSION), address)
        serving = asyncio.create_task(server.serve())
        target = server.url.removeprefix("https://").removesuffix(PATH)
        assert await is_shown(old, target)
        shutil.copy(old.cert, tmp_path / "first")
        shutil.copy(new.cert, old.cert)
        shutil.copy(new.key, old.key)
        for _ in range(2):
            server.rotated.look()
        assert await is_shown(new, target)
        assert not await is_shown(Pair(tmp_path / "first", old.key), target)
        server.stop()
        await serving


def test_that_everyone_has_the_certificate_of_the_process_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    address = WebAddress("127.0.0.1:0", (), None, None, allow_plaintext=False)
    files = {"cert_file": tmp_path / "nowhere", "key_file": tmp_path / "nowhere"}
    with pytest.raises(ConfigError):
        run_mcp(settings_of("127.0.0.1:1", **files), McpArguments(address, None))
    assert "cert_file is set: everyone who reaches the port" in caplog.text

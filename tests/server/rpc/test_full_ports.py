"""A port that has all of its connections: the log says so, and how often."""

import asyncio
import contextlib
import importlib
import sys

import grpc
import pytest

from groundwire_server.rpc import full_ports
from groundwire_server.rpc.full_ports import grpc_connections, tell_of_full
from tests.hostile.raw_http2 import SETTINGS, raw_peer
from tests.scripted import WAIT_LIMIT_S, scripted_server
from tests.server.http.door import http_server


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [each for each in caplog.messages if "connections are taken" in each]


@pytest.mark.parametrize("setting", ["listen", "http_listen"])
async def test_the_log_names_a_port_once_it_is_full_and_no_peer(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, setting: str
) -> None:
    # Servers of other tests in this process may still have some.
    most = grpc_connections() + 2
    monkeypatch.setattr("groundwire_server.config.addresses.MAX_CONNECTIONS", most)
    monkeypatch.setattr(full_ports, "LOOK_EVERY_S", 0.01)
    async with http_server() as door, contextlib.AsyncExitStack() as opened:
        assert door.served.running.http is not None
        ports = {"listen": door.served.running.target, "http_listen": door.target}
        await door.served.batch("a")
        await door.http.get("/healthz")
        await asyncio.sleep(10 * full_ports.LOOK_EVERY_S)
        assert told(caplog) == []
        for _ in range(most - 1):
            if setting == "listen":
                peer = await opened.enter_async_context(raw_peer(ports[setting]))
                await peer.until(SETTINGS)
            else:
                host, _, port = ports[setting].rpartition(":")
                _, writer = await asyncio.open_connection(host, int(port))
                opened.callback(writer.close)
        async with asyncio.timeout(WAIT_LIMIT_S):
            while not told(caplog):
                await door.served.batch("a")
    assert told(caplog)[0].startswith(f"{setting}: all {most} connections are taken")
    assert "127.0.0.1" not in told(caplog)[0]


async def test_a_port_that_stays_full_is_one_line_a_minute(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(full_ports, "LOOK_EVERY_S", 0.0)
    watching = asyncio.create_task(tell_of_full({"listen": lambda: 5}, 5))
    for _ in range(100):
        await asyncio.sleep(0)
    watching.cancel()
    assert len(told(caplog)) == 1


@pytest.mark.parametrize("error", [KeyError("ref"), ValueError("no JSON"), RuntimeError("gone")])
async def test_a_look_that_fails_is_one_line_and_the_last(
    caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    def failing() -> int:
        raise error

    await tell_of_full({"listen": failing}, 5)
    assert [each for each in caplog.messages if "cannot be counted" in each] == caplog.messages
    assert len(caplog.messages) == 1


async def test_a_server_whose_grpc_counts_no_connections_starts_and_answers(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delitem(sys.modules, full_ports.__name__)
    monkeypatch.delattr(grpc._cython, "cygrpc")
    monkeypatch.setitem(sys.modules, "grpc._cython.cygrpc", None)
    again = importlib.import_module(full_ports.__name__)
    monkeypatch.setattr("groundwire_server.app.tell_of_full", again.tell_of_full)
    monkeypatch.setattr("groundwire_server.app.grpc_connections", again.grpc_connections)
    async with scripted_server() as served:
        await served.batch("a")
    assert len([each for each in caplog.messages if "cannot be counted" in each]) == 1

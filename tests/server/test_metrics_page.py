"""The metrics port: its page, true probes, and an end that no collector can spoil."""

import asyncio
import socket
import threading
import time
from pathlib import Path

import httpx
import pytest

from groundwire_server.cli.health import health
from groundwire_server.config.addresses import bound_sockets
from groundwire_server.config.settings import ClientSettings, ServerSettings
from groundwire_server.exit_codes import EXIT_OK, EXIT_UNAVAILABLE
from groundwire_server.rpc.telemetry import Telemetry, TelemetryConfig
from tests.certificates import make_pair
from tests.scripted import WAIT_LIMIT_S, Scripted, scripted_server
from tests.server.http.door import http_server


async def status(address: str, path: str) -> int:
    async with httpx.AsyncClient(base_url=f"http://{address}", timeout=WAIT_LIMIT_S) as client:
        return (await client.get(path)).status_code


def page_of(served: Scripted) -> str:
    return f"127.0.0.1:{served.running.metrics_port}"


async def test_probes_are_answered_by_what_the_server_does() -> None:
    async with http_server(metrics_listen="127.0.0.1:0", loaded=False) as door:
        for address in (page_of(door.served), door.target):
            assert await status(address, "/livez") == 200
            assert await status(address, "/readyz") == 503
        assert await status(door.target, "/healthz") == 200
        door.served.running.set_serving(True)
        for address in (page_of(door.served), door.target):
            assert await status(address, "/readyz") == 200
        # For balancers, whose port is the door's.
        assert await status(door.target, "/healthz") == 200
        assert await status(page_of(door.served), "/healthz") == 404
        assert await status(page_of(door.served), "/metrics") == 200
        assert await status(page_of(door.served), "/") == 404


async def test_a_probe_goes_by_any_name() -> None:
    async with http_server(http_hosts="proxy.example") as door:
        for path in ("/healthz", "/livez", "/readyz"):
            assert (await door.http.get(path, headers={"host": "10.0.0.7"})).status_code == 200


async def test_a_server_that_stands_still_is_not_live(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("groundwire_server.app.PROBE_TIMEOUT_S", 0.05)
    async with scripted_server(metrics_listen="127.0.0.1:0") as served:
        found: list[int] = []

        def probe() -> None:
            with httpx.Client(timeout=WAIT_LIMIT_S) as client:
                for path in ("/livez", "/readyz"):
                    found.append(client.get(f"http://{page_of(served)}{path}").status_code)

        thread = threading.Thread(target=probe)
        thread.start()
        thread.join()  # in the event loop
    assert found == [503, 503]


async def test_one_connection_too_many_ends_the_oldest_and_probes_are_answered(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("groundwire_server.rpc.metrics_page.MAX_CONNECTIONS", 2)
    async with scripted_server(metrics_listen="127.0.0.1:0") as served:
        peers = []
        for _ in range(2):
            peers.append(await asyncio.open_connection("127.0.0.1", served.running.metrics_port))
            peers[-1][1].write(b"GET /metrics HTTP/1.1\r\n")
        assert await status(page_of(served), "/livez") == 200
        async with asyncio.timeout(WAIT_LIMIT_S):
            assert await peers[0][0].read() == b""
        for _, writer in peers:
            writer.close()
    assert "Traceback" not in capfd.readouterr().err


async def test_who_sends_nothing_to_the_page_loses_the_connection(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("groundwire_server.rpc.metrics_page._Quiet.timeout", 0.1)
    async with scripted_server(metrics_listen="127.0.0.1:0") as served:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.running.metrics_port)
        async with asyncio.timeout(WAIT_LIMIT_S):
            assert await reader.read() == b""
        writer.close()
    assert "Traceback" not in capfd.readouterr().err


async def test_a_collector_that_is_away_spoils_no_end(caplog: pytest.LogCaptureFixture) -> None:
    away = socket.create_server(("127.0.0.1", 0))  # takes connections and says nothing
    endpoint = f"http://127.0.0.1:{away.getsockname()[1]}"
    began_s = time.monotonic()
    with away:
        telemetry = Telemetry(TelemetryConfig("1", "127.0.0.1:0", endpoint), lambda: True)
        telemetry.record_refusal("QUEUE_FULL")
        with telemetry.span("a span", {}):
            pass
        await asyncio.to_thread(telemetry.close)
    assert "otlp_endpoint: the last metrics and spans were not sent" in caplog.text
    assert time.monotonic() - began_s < WAIT_LIMIT_S


@pytest.mark.parametrize("variable", ["http_proxy", "grpc_proxy"])
async def test_the_health_command_asks_the_server_of_its_own_settings(
    monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "http://127.0.0.1:9")
    async with scripted_server(metrics_listen="127.0.0.1:0") as served:
        for own in (
            ServerSettings(metrics_listen=page_of(served)),
            ServerSettings(metrics_listen="", listen=served.running.target),
        ):
            assert await asyncio.to_thread(health, ClientSettings(), own) == EXIT_OK
        served.running.set_serving(False)
        for own in (
            ServerSettings(metrics_listen=page_of(served)),
            ServerSettings(metrics_listen="", listen=served.running.target),
        ):
            assert await asyncio.to_thread(health, ClientSettings(), own) == EXIT_UNAVAILABLE


async def test_the_health_command_takes_the_name_of_a_certificate(
    tmp_path: Path,
) -> None:
    pair = make_pair(tmp_path, "server", names="DNS:groundwire.example")
    async with scripted_server(tls_cert_file=pair.cert, tls_key_file=pair.key) as served:
        own = ServerSettings(
            metrics_listen="",
            listen=served.running.target,
            tls_cert_file=pair.cert,
            tls_key_file=pair.key,
        )
        named = ClientSettings(server_name="groundwire.example")
        assert await asyncio.to_thread(health, ClientSettings(), own) == EXIT_UNAVAILABLE
        assert await asyncio.to_thread(health, named, own) == EXIT_OK


def test_localhost_is_both_families_on_one_port() -> None:
    opened = bound_sockets("metrics_listen", "localhost:0")
    try:
        assert {each.family for each in opened} >= {socket.AF_INET}
        assert len({each.getsockname()[1] for each in opened}) == 1
        hosts = {found[4][0] for found in socket.getaddrinfo("localhost", 1)}
        assert {each.getsockname()[0] for each in opened} == hosts
    finally:
        for each in opened:
            each.close()

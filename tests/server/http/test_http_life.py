"""The HTTP port's life: opened as safely as gRPC's, drained with the server, or not opened."""

import asyncio
import contextlib
import logging
import socket
import ssl
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from groundwire_server.config.addresses import HANDSHAKE_TIMEOUT_S
from groundwire_server.config.credentials import exposures
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError
from groundwire_server.rpc.reception import RECEIVE_TIMEOUT_S
from tests.certificates import Pair, is_shown, make_pair
from tests.scripted import WAIT_LIMIT_S, scripted_server
from tests.server.http.door import BATCH, Door, http_server, reason_in

BODY = {"claims": ["a"]}
SHORT_S = 0.3


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Pair]:
    folder = tmp_path_factory.mktemp("tls")
    return {name: make_pair(folder, name) for name in ("server", "client", "stranger")}


@pytest.fixture
async def mutual(pairs: dict[str, Pair]) -> AsyncIterator[Door]:
    """A server that asks for a client certificate."""
    async with http_server(
        tls_cert_file=pairs["server"].cert,
        tls_key_file=pairs["server"].key,
        tls_client_ca_file=pairs["client"].cert,
    ) as door:
        yield door


async def test_it_is_off_until_it_is_switched_on() -> None:
    async with scripted_server() as served:
        assert served.running.http is None


async def test_it_has_the_tls_of_grpc(mutual: Door, pairs: dict[str, Pair]) -> None:
    trusted = ssl.create_default_context(cafile=str(pairs["server"].cert))
    trusted.load_cert_chain(pairs["client"].cert, pairs["client"].key)
    async with httpx.AsyncClient(verify=trusted, timeout=WAIT_LIMIT_S) as client:
        response = await client.post(f"https://{mutual.target}{BATCH}", json=BODY)
    assert response.status_code == 200


@pytest.mark.parametrize("who", ["stranger", None])
async def test_who_shows_no_known_certificate_gets_no_answer(
    mutual: Door, pairs: dict[str, Pair], who: str | None
) -> None:
    trusted = ssl.create_default_context(cafile=str(pairs["server"].cert))
    if who is not None:
        trusted.load_cert_chain(pairs[who].cert, pairs[who].key)
    async with httpx.AsyncClient(verify=trusted, timeout=WAIT_LIMIT_S) as client:
        with pytest.raises(httpx.TransportError):
            await client.post(f"https://{mutual.target}{BATCH}", json=BODY)
    assert mutual.served.engine.claims == []


async def test_plain_text_off_the_machine_is_refused_with_the_ways_out() -> None:
    with pytest.raises(ConfigError, match=r"http_listen: 0\.0\.0\.0:0 .*tls_cert_file") as caught:
        async with http_server(http_listen="0.0.0.0:0"):
            pass
    assert "allow_plaintext" in str(caught.value)


def test_an_address_that_everyone_reaches_is_told_of() -> None:
    settings = ServerSettings(http_listen="0.0.0.0:8080", allow_plaintext=True)
    (line,) = exposures(settings, ())
    assert line.startswith("everyone who reaches 0.0.0.0:8080 may call")


@pytest.mark.parametrize(
    "address", ["127.0.0.1:nine", "127.0.0.1", "127.0.0.1:99999", "127.0.0.1:-1"]
)
async def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(ConfigError, match=f"http_listen: {address}"):
        async with http_server(http_listen=address, allow_plaintext=True):
            pass


async def test_a_port_that_is_taken_is_named(door: Door) -> None:
    with pytest.raises(ConfigError, match=f"http_listen: {door.target} cannot be used"):
        async with http_server(http_listen=door.target):
            pass


WITHOUT_CONNECT = """
import asyncio, sys

class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "connectrpc":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Block())

from groundwire_server.config.sources import ConfigError
from tests.scripted import scripted_server

async def main():
    try:
        async with scripted_server(http_listen="127.0.0.1:0"):
            pass
    except ConfigError as error:
        print(error)

asyncio.run(main())
"""


def test_without_its_packages_it_says_what_to_install() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_CONNECT],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout.startswith("http_listen needs packages that are not installed")
    assert "[http]'" in done.stdout


async def test_a_call_in_flight_is_finished_and_none_is_taken_after_it() -> None:
    async with http_server() as door:
        engine = door.served.engine
        engine.hold()
        call = asyncio.ensure_future(door.post(BATCH, BODY))
        await engine.until(lambda: engine.claims == ["a"])
        draining = asyncio.ensure_future(door.served.running.drain(WAIT_LIMIT_S))
        await _until_refused(door)
        engine.release()
        assert (await call).status_code == 200
        await draining


async def test_a_call_that_outlasts_the_grace_is_ended() -> None:
    async with http_server() as door:
        engine = door.served.engine
        engine.hold()
        call = asyncio.ensure_future(door.post(BATCH, BODY))
        await engine.until(lambda: engine.claims == ["a"])
        await door.served.running.drain(0.0)
        with pytest.raises(httpx.TransportError):
            _raise_if_told(await call)
        engine.release()


async def test_while_the_model_loads_calls_are_refused_with_the_reason() -> None:
    async with scripted_server(loaded=False, http_listen="127.0.0.1:0") as served:
        assert served.running.http is not None
        url = f"http://{served.running.http.target}{BATCH}"
        async with httpx.AsyncClient(timeout=WAIT_LIMIT_S) as client:
            response = await client.post(url, json=BODY)
    assert (response.status_code, reason_in(response)) == (503, "LOADING")


async def test_responses_are_not_held_back(door: Door) -> None:
    http = door.served.running.http
    assert http is not None
    assert {each.proto for each in http.listening} == {socket.IPPROTO_TCP}


async def test_an_idle_connection_outlasts_the_60_s_of_balancers(door: Door) -> None:
    http = door.served.running.http
    assert http is not None
    assert http._server.config.timeout_keep_alive > 60


async def test_what_sweeps_old_files_away_finds_nothing_of_a_running_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    async with http_server() as door:
        # Nobody else can enter by a file that is not there, either.
        assert found(tmp_path) == []
        # By a connection that is opened only now, as each is again after ten minutes.
        assert (await door.post(BATCH, BODY)).status_code == 200


async def test_half_a_request_does_not_hold_the_end_up() -> None:
    async with http_server() as door:
        host, _, port = door.target.rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        head = f"POST {BATCH} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n"
        writer.write(f"{head}content-length: 100\r\n\r\n{{".encode())
        await writer.drain()
        # The request before it is answered, so that this one has come.
        assert (await door.post(BATCH, BODY)).status_code == 200
        began_s = asyncio.get_running_loop().time()
    assert asyncio.get_running_loop().time() - began_s < RECEIVE_TIMEOUT_S / 2
    told = await reader.read()
    assert b"HTTP/1.1 503" in told
    assert b"the server is stopping" in told
    writer.close()


Peer = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def connected(door: Door, sent: str = "", source: str = "127.0.0.1") -> Peer:
    """A connection from an address, over which so much of a request has been sent."""
    host, _, port = door.target.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port), local_addr=(source, 0))
    writer.write(sent.encode())
    await writer.drain()
    return reader, writer


async def ended(peer: Peer) -> bytes:
    """What comes over a connection until it ends."""
    reader, writer = peer
    async with asyncio.timeout(WAIT_LIMIT_S):
        try:
            return await reader.read()
        except ConnectionError:
            return b""
        finally:
            writer.close()


async def test_one_connection_too_many_ends_the_one_that_has_had_no_request_for_longest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("groundwire_server.config.addresses.MAX_CONNECTIONS", 3)
    async with http_server() as door:
        engine = door.served.engine
        engine.hold()
        call = asyncio.ensure_future(door.post(BATCH, BODY))
        await engine.until(lambda: engine.claims == ["a"])
        # Half a head is no request.
        oldest = await connected(door, "POST / HTTP/1.1\r\n")
        other = await connected(door)
        newest = await connected(door, "GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n")
        assert await ended(oldest) == b""
        assert (await newest[0].readline()).startswith(b"HTTP/1.1 200")
        engine.release()
        assert (await call).status_code == 200
        for _, writer in (other, newest):
            writer.close()


async def test_while_all_connections_are_busy_one_more_is_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("groundwire_server.config.addresses.MAX_CONNECTIONS", 1)
    async with http_server() as door:
        engine = door.served.engine
        engine.hold()
        call = asyncio.ensure_future(door.post(BATCH, BODY))
        await engine.until(lambda: engine.claims == ["a"])
        more = await connected(door)
        assert await ended(more) == b""
        engine.release()
        assert (await call).status_code == 200


@pytest.mark.parametrize("is_secured", [False, True])
async def test_a_burst_of_connections_ends_within_the_limit(
    monkeypatch: pytest.MonkeyPatch, pairs: dict[str, Pair], is_secured: bool
) -> None:
    monkeypatch.setattr("groundwire_server.config.addresses.MAX_CONNECTIONS", 10)
    async with http_server(**(secured(pairs) if is_secured else {})) as door:
        for _ in range(3):
            # The kernel takes them all before the server's loop has a turn.
            burst = [dialled(door) for _ in range(100)]
            async with asyncio.timeout(WAIT_LIMIT_S):
                left = burst
                while len(left) > 10:
                    await asyncio.sleep(0.01)
                    left = [each for each in left if is_open(each)]
            # None is ended that has a place.
            await asyncio.sleep(SHORT_S)
            assert [each for each in left if is_open(each)] == left
            assert len(left) == 10
            for each in burst:
                each.close()


async def test_who_speaks_no_tls_makes_place_for_who_does(
    monkeypatch: pytest.MonkeyPatch, pairs: dict[str, Pair]
) -> None:
    monkeypatch.setattr("groundwire_server.config.addresses.MAX_CONNECTIONS", 10)
    async with http_server(**secured(pairs)) as door:
        silent = [dialled(door) for _ in range(50)]
        trusted = ssl.create_default_context(cafile=str(pairs["server"].cert))
        async with httpx.AsyncClient(verify=trusted, timeout=WAIT_LIMIT_S) as client:
            response = await client.post(f"https://{door.target}{BATCH}", json=BODY)
        assert response.status_code == 200
        for each in silent:
            each.close()


@pytest.mark.parametrize("sent", ["", "GET / HTTP/1.1\r\n\r\n"])
async def test_a_handshake_that_is_not_done_in_time_or_fails_ends_the_connection(
    monkeypatch: pytest.MonkeyPatch, pairs: dict[str, Pair], sent: str
) -> None:
    monkeypatch.setattr("groundwire_server.doors.listen.HANDSHAKE_TIMEOUT_S", SHORT_S)
    async with http_server(**secured(pairs)) as door:
        assert b"HTTP" not in await ended(await connected(door, sent))


async def test_a_handshake_that_is_not_done_does_not_hold_the_end_up(
    pairs: dict[str, Pair],
) -> None:
    async with http_server(**secured(pairs)) as door:
        silent = await connected(door)
        # The one after it is answered, so that this one is taken.
        assert await is_shown(pairs["server"], door.target)
        began_s = asyncio.get_running_loop().time()
    assert asyncio.get_running_loop().time() - began_s < HANDSHAKE_TIMEOUT_S / 2
    assert await ended(silent) == b""


def secured(pairs: dict[str, Pair]) -> dict[str, object]:
    """Settings of a server with TLS."""
    return {"tls_cert_file": pairs["server"].cert, "tls_key_file": pairs["server"].key}


def dialled(door: Door) -> socket.socket:
    """A connection that says nothing."""
    host, _, port = door.target.rpartition(":")
    peer = socket.create_connection((host, int(port)))
    peer.setblocking(False)
    return peer


def is_open(peer: socket.socket) -> bool:
    """Whether the server has not ended it."""
    try:
        return peer.recv(1, socket.MSG_PEEK) != b""
    except BlockingIOError:
        return True
    except ConnectionError:
        return False


@pytest.mark.parametrize("sent", ["", "POST / HTTP/1.1\r\nhost: local"])
async def test_who_sends_no_whole_head_loses_the_connection(
    monkeypatch: pytest.MonkeyPatch, sent: str
) -> None:
    monkeypatch.setattr("groundwire_server.doors.listen.KEEP_ALIVE_S", SHORT_S)
    async with http_server() as door:
        assert await ended(await connected(door, sent)) == b""


async def test_a_request_that_takes_longer_than_an_idle_connection_may_keeps_its_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("groundwire_server.doors.listen.KEEP_ALIVE_S", SHORT_S)
    async with http_server() as door:
        engine = door.served.engine
        engine.hold()
        call = asyncio.ensure_future(door.post(BATCH, BODY))
        await engine.until(lambda: engine.claims == ["a"])
        # It goes after as long as the other one would.
        assert await ended(await connected(door)) == b""
        engine.release()
        assert (await call).status_code == 200


async def test_who_reads_nothing_loses_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("groundwire_server.doors.listen.WRITE_TIMEOUT_S", SHORT_S)
    async with http_server() as door:
        host, _, port = door.target.rpartition(":")
        with socket.create_connection((host, int(port))) as peer:
            # What the kernel keeps for it is full before the pages are.
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            head = "GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n"
            peer.setblocking(False)
            http = door.served.running.http
            assert http is not None
            async with asyncio.timeout(WAIT_LIMIT_S):
                with contextlib.suppress(ConnectionError):
                    while True:
                        await asyncio.get_running_loop().sock_sendall(peer, head.encode())


async def test_a_body_that_trickles_in_has_one_time_for_all_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("groundwire_server.doors.edge.RECEIVE_TIMEOUT_S", SHORT_S)
    async with http_server() as door:
        head = f"POST {BATCH} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        peer = await connected(door, f"{head}content-length: 1000000\r\n\r\n")
        told = asyncio.create_task(ended(peer))
        while not told.done():
            peer[1].write(b" ")
            await asyncio.wait((told,), timeout=SHORT_S / 10)
        assert told.result().startswith(b"HTTP/1.1 504")


async def test_one_unfinished_body_too_many_ends_the_oldest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("groundwire_server.rpc.reception.MAX_UNFINISHED", 2)
    async with http_server() as door:
        head = f"POST {BATCH} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        begun = f"{head}content-length: 100\r\n\r\n{{"
        peers = [await connected(door, begun) for _ in range(3)]
        told = await ended(peers[0])
        assert told.startswith(b"HTTP/1.1 429")
        assert b"2 of at most 2 requests that have not come whole" in told
        # One that comes whole is answered beside those that do not.
        assert (await door.post(BATCH, BODY)).status_code == 200
        for _, writer in peers[1:]:
            writer.close()


async def test_who_has_many_unfinished_bodies_ends_none_of_another_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("groundwire_server.rpc.reception.MAX_UNFINISHED", 2)
    async with http_server() as door:
        head = f"POST {BATCH} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        begun = f"{head}content-length: 100\r\n\r\n{{"
        kept = await connected(door, begun, "127.0.0.2")
        peers = [await connected(door, begun) for _ in range(2)]
        assert (await ended(peers[0])).startswith(b"HTTP/1.1 429")
        for _, writer in (kept, peers[1]):
            writer.close()


def test_connections_that_cannot_be_taken_are_one_line_a_minute(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.ERROR, "asyncio"):
        asyncio.run(_log_accepts())
    told = [record for record in caplog.records if "file descriptors" in record.getMessage()]
    assert len(told) == 1
    assert told[0].exc_info is None


async def _log_accepts() -> None:
    async with http_server():
        for _ in range(1000):
            asyncio.get_running_loop().call_exception_handler(
                {"message": "socket.accept() out of system resource", "exception": OSError()}
            )


def found(folder: Path) -> list[Path]:
    return list(folder.iterdir())


def _raise_if_told(response: httpx.Response) -> None:
    """A call that is ended may have been told so."""
    assert response.status_code in {499, 500, 503}
    raise httpx.TransportError("told")


async def _until_refused(door: Door) -> None:
    """Return once the port takes no connection any more."""
    host, _, port = door.target.rpartition(":")
    async with asyncio.timeout(WAIT_LIMIT_S):
        while True:
            try:
                _, writer = await asyncio.open_connection(host, int(port))
            except OSError:
                return
            writer.close()

"""Tokens, quotas and certificates that change under a running server."""

import asyncio
import logging
import shutil
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import httpx
import pytest
from grpc import aio

from groundwire import TLS, AsyncClient, UnavailableError
from groundwire_server.access import logins
from tests.certificates import Pair, is_shown, make_pair
from tests.scripted import WAIT_LIMIT_S, Scripted, reason_of, scripted_server
from tests.scripted_services.metrics import total
from tests.scripted_services.tenants import make_tokens, replace

BATCH = "groundwire.v1.VerifierBackend/BatchEstimate"


def look(served: Scripted) -> None:
    """As often as it takes to see that a file has changed and is written to no more."""
    served.running.rotation.look()
    served.running.rotation.look()


async def code(served: Scripted, token: str) -> grpc.StatusCode:
    """How a call with a token ends."""
    try:
        await served.batch("a", token=token)
    except aio.AioRpcError as error:
        return error.code()
    return grpc.StatusCode.OK


class TestTokens:
    """The token file."""

    async def test_a_new_token_is_taken_and_one_that_is_gone_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "tokens"
        (old,) = make_tokens(path, "acme")
        async with scripted_server(auth_token_file=path) as served:
            (new,) = make_tokens(path, "acme")
            look(served)
            assert await code(served, new) is grpc.StatusCode.OK
            assert await code(served, old) is grpc.StatusCode.UNAUTHENTICATED

    async def test_a_call_that_is_in_goes_on_without_its_token(self, tmp_path: Path) -> None:
        path = tmp_path / "tokens"
        (old,) = make_tokens(path, "acme")
        async with scripted_server(auth_token_file=path) as served:
            served.engine.hold()
            held = asyncio.create_task(served.batch("a", token=old))
            await served.engine.until(lambda: served.engine.claims == ["a"])
            make_tokens(path, "acme")
            look(served)
            served.engine.release()
            assert len((await held).estimates) == 1

    @pytest.mark.parametrize("text", ["", "# none\n", "sha256:half", "two words\n", None])
    async def test_a_file_that_cannot_be_used_opens_to_nobody_and_closes_to_nobody(
        self, tmp_path: Path, text: str | None, caplog: pytest.LogCaptureFixture
    ) -> None:
        path = tmp_path / "tokens"
        (token,) = make_tokens(path, "acme")
        async with scripted_server(auth_token_file=path, metrics_listen="127.0.0.1:0") as served:
            if text is None:
                path.unlink()
            else:
                replace(path, text)
            look(served)
            assert await code(served, token) is grpc.StatusCode.OK
            assert await code(served, "") is grpc.StatusCode.UNAUTHENTICATED
            assert "the tokens stay as they were" in caplog.text
            name = "groundwire_reloads_total"
            assert await total(served, name, files="tokens", result="refused") == 1
            assert await total(served, "groundwire_files_stale", files="tokens") == 1
            make_tokens(path, "acme")
            look(served)
            assert await total(served, name, files="tokens", result="taken") == 1
            assert await total(served, "groundwire_files_stale", files="tokens") == 0

    async def test_no_token_is_logged(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        path = tmp_path / "tokens"
        plain = "violet-anvil-7"
        replace(path, f"{plain}\n")
        with caplog.at_level(logging.DEBUG):
            async with scripted_server(auth_token_file=path) as served:
                await served.batch("a", token=plain)
                replace(path, f"{plain}\nbad {plain}\n")
                look(served)
                assert await code(served, plain + "x") is grpc.StatusCode.UNAUTHENTICATED
        assert "`groundwire token new`" in caplog.text
        assert plain not in caplog.text


async def test_wrong_tokens_are_counted_by_door(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    make_tokens(path, "acme")
    settings = {"http_listen": "127.0.0.1:0", "metrics_listen": "127.0.0.1:0"}
    async with scripted_server(auth_token_file=path, **settings) as served:  # type: ignore[arg-type]
        with pytest.raises(aio.AioRpcError) as caught:
            await served.batch("a", token="wrong")
        assert reason_of(caught.value) == "INVALID_TOKEN"
        url = f"http://{http(served)}"
        async with httpx.AsyncClient(base_url=url, timeout=WAIT_LIMIT_S) as client:
            assert (await client.post(f"/{BATCH}", json={})).status_code == 401
        for door in ("grpc", "http"):
            assert await total(served, "groundwire_logins_failed_total", door=door) == 1


async def test_a_peer_that_is_often_wrong_waits_and_a_right_token_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logins, "FREE_FAILURES", 0)
    for name in ("FIRST_PAUSE_S", "LONGEST_PAUSE_S"):
        monkeypatch.setattr(logins, name, 1000.0)
    path = tmp_path / "tokens"
    (token,) = make_tokens(path, "acme")
    async with scripted_server(
        auth_token_file=path, http_listen="127.0.0.1:0", shutdown_grace_s=0.1
    ) as served:
        with pytest.raises(aio.AioRpcError) as caught:
            await served.batch("a", token="wrong", timeout_s=0.3)
        assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        async with httpx.AsyncClient(base_url=f"http://{http(served)}", timeout=0.3) as client:
            with pytest.raises(httpx.ReadTimeout):
                await client.post(f"/{BATCH}", json={})
        assert await code(served, token) is grpc.StatusCode.OK


async def test_quotas_that_change_hold_from_then_on(tmp_path: Path) -> None:
    tokens, tenants = tmp_path / "tokens", tmp_path / "tenants.yaml"
    (token,) = make_tokens(tokens, "acme")
    replace(tenants, "tenants: {acme: {}}")
    async with scripted_server(auth_token_file=tokens, tenants_file=tenants) as served:
        await served.batch("a", token=token)
        replace(tenants, "tenants: {acme: {calls_per_s: 0.001}}")
        look(served)
        await served.batch("b", token=token)
        assert await code(served, token) is grpc.StatusCode.RESOURCE_EXHAUSTED
        replace(tenants, "tenants: {acme: {calls_per_s: none}}")
        look(served)
        assert await code(served, token) is grpc.StatusCode.RESOURCE_EXHAUSTED
        replace(tenants, "tenants: {}")
        look(served)
        assert await code(served, token) is grpc.StatusCode.OK


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Pair]:
    folder = tmp_path_factory.mktemp("tls")
    return {name: make_pair(folder, name) for name in ("old", "new", "client", "client2")}


def install(pair: Pair, folder: Path) -> None:
    """Put a certificate and its key where the server reads them."""
    shutil.copy(pair.cert, folder / "cert.pem")
    shutil.copy(pair.key, folder / "key.pem")


def tls_settings(folder: Path) -> dict[str, object]:
    return {"tls_cert_file": folder / "cert.pem", "tls_key_file": folder / "key.pem"}


@pytest.fixture
async def secured(pairs: dict[str, Pair], tmp_path: Path) -> AsyncIterator[Scripted]:
    """A server with the old certificate, for gRPC and HTTP."""
    install(pairs["old"], tmp_path)
    settings = {**tls_settings(tmp_path), "http_listen": "127.0.0.1:0"}
    async with scripted_server(**settings) as served:  # type: ignore[arg-type]
        yield served


def http(served: Scripted) -> str:
    """Where the HTTP port is."""
    assert served.running.http is not None
    return served.running.http.target


def trusting(served: Scripted, pair: Pair, own: Pair | None = None) -> AsyncClient:
    """A client for servers with this certificate, on a connection of its own."""
    files = {} if own is None else {"cert_file": own.cert, "key_file": own.key}
    tls = TLS(ca_file=pair.cert, **files)
    options = (("grpc.enable_retries", 0), ("grpc.use_local_subchannel_pool", 1))
    return AsyncClient(served.running.target, tls=tls, timeout_s=20, options=options)


async def answers(client: AsyncClient) -> bool:
    try:
        await client.estimate("a")
    except UnavailableError:
        return False
    return True


class TestCertificates:
    """The server's own, and what those of clients are signed by."""

    async def test_new_connections_get_the_new_one_and_old_ones_go_on(
        self, secured: Scripted, pairs: dict[str, Pair], tmp_path: Path
    ) -> None:
        async with trusting(secured, pairs["old"]) as before:
            assert await answers(before)
            secured.engine.hold()
            held = asyncio.create_task(before.estimate("held"))
            await secured.engine.until(lambda: "held" in secured.engine.claims)
            install(pairs["new"], tmp_path)
            look(secured)
            secured.engine.release()
            assert (await held).probability is not None
            assert await answers(before)
            for name, is_trusted in (("new", True), ("old", False)):
                async with trusting(secured, pairs[name]) as client:
                    assert await answers(client) is is_trusted

    async def test_http_has_the_new_one_too(
        self, secured: Scripted, pairs: dict[str, Pair], tmp_path: Path
    ) -> None:
        assert await is_shown(pairs["old"], http(secured))
        install(pairs["new"], tmp_path)
        look(secured)
        assert await is_shown(pairs["new"], http(secured))
        assert not await is_shown(pairs["old"], http(secured))

    async def test_a_certificate_without_its_key_is_not_taken(
        self, secured: Scripted, pairs: dict[str, Pair], tmp_path: Path
    ) -> None:
        shutil.copy(pairs["new"].cert, tmp_path / "cert.pem")
        look(secured)
        async with trusting(secured, pairs["old"]) as client:
            assert await answers(client)
        assert await is_shown(pairs["old"], http(secured))
        shutil.copy(pairs["new"].key, tmp_path / "key.pem")
        look(secured)
        async with trusting(secured, pairs["new"]) as client:
            assert await answers(client)

    async def test_who_signs_certificates_of_clients_can_change(
        self, pairs: dict[str, Pair], tmp_path: Path
    ) -> None:
        install(pairs["old"], tmp_path)
        signers = tmp_path / "clients.pem"
        shutil.copy(pairs["client"].cert, signers)
        settings = {
            **tls_settings(tmp_path), "tls_client_ca_file": signers, "http_listen": "127.0.0.1:0"
        }  # fmt: skip
        async with scripted_server(**settings) as served:  # type: ignore[arg-type]
            shutil.copy(pairs["client2"].cert, signers)
            look(served)
            for name, is_known in (("client2", True), ("client", False)):
                async with trusting(served, pairs["old"], pairs[name]) as client:
                    assert await answers(client) is is_known
                assert await http_answers(served, pairs["old"], pairs[name]) is is_known
            async with trusting(served, pairs["old"]) as client:
                assert not await answers(client)
            assert not await http_answers(served, pairs["old"], None)


async def http_answers(served: Scripted, server: Pair, own: Pair | None) -> bool:
    """Whether a new connection of HTTP with this certificate of the client is answered."""
    tls = ssl.create_default_context(cafile=str(server.cert))
    if own is not None:
        tls.load_cert_chain(own.cert, own.key)
    url = f"https://{http(served)}"
    async with httpx.AsyncClient(base_url=url, verify=tls, timeout=WAIT_LIMIT_S) as client:
        try:
            return (await client.post(f"/{BATCH}", json={"claims": ["a"]})).status_code == 200
        except httpx.TransportError:
            return False

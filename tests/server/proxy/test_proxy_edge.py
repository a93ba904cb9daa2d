"""Who is let in, what goes upstream, what is bounded, and what the command refuses."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from groundwire_server.access import rotation
from groundwire_server.cli.main import main
from groundwire_server.config.access import new_token
from groundwire_server.doors.proxy import door, grounds
from groundwire_server.doors.proxy.grounds import KINDS
from tests.certificates import is_shown, make_pair
from tests.scripted import WAIT_LIMIT_S, Scripted
from tests.scripted_services.chat import JSON_HEADERS, Said, whole
from tests.server.proxy.proxied import RAG, SOURCE, TOWER, Proxied, proxying

CHAT = "/chat/completions"


@pytest.fixture(scope="module")
async def proxied(served: Scripted) -> AsyncIterator[Proxied]:
    async with proxying(served) as proxied:
        yield proxied


async def test_models_pass_with_their_headers(proxied: Proxied) -> None:
    listed = b'{"object":"list","data":[{"id":"some-model"}]}'
    proxied.chat.said = Said([listed], headers=JSON_HEADERS | {"x-ratelimit": "9"})
    response = await proxied.http.get("/models", params={"api-version": "1"})
    assert (response.content, response.headers["x-ratelimit"]) == (listed, "9")
    assert proxied.chat.requests[-1].path == "/v1/models?api-version=1"
    assert [each.id async for each in proxied.openai.models.list()] == ["some-model"]


async def test_the_key_of_the_client_goes_upstream_and_headers_of_the_hop_do_not(
    proxied: Proxied,
) -> None:
    proxied.chat.said = whole(TOWER)
    own = {
        "authorization": "Bearer sk-mine", "x-request-id": "r1", "connection": "keep-alive, x-hop",
        "x-hop": "1", "te": "trailers", "keep-alive": "timeout=5", "accept-encoding": "gzip",
    }  # fmt: skip
    await proxied.http.post(CHAT, json={"messages": [RAG]}, headers=own)
    headers = proxied.chat.requests[-1].headers
    assert (headers["authorization"], headers["x-request-id"]) == ("Bearer sk-mine", "r1")
    assert headers["accept-encoding"] == "identity"
    assert headers["host"] == httpx.URL(proxied.chat.url).netloc.decode()
    assert headers.keys().isdisjoint(("x-hop", "te", "keep-alive"))


async def test_no_cookie_of_one_client_goes_with_the_request_of_another(proxied: Proxied) -> None:
    said = whole(TOWER)
    proxied.chat.said = Said(said.parts, headers={**said.headers, "set-cookie": "session=secret"})
    response = await proxied.post()
    assert response.headers["set-cookie"] == "session=secret"
    proxied.http.cookies.clear()
    await proxied.post()
    assert "cookie" not in proxied.chat.requests[-1].headers


async def test_a_key_of_a_file_replaces_that_of_the_client(
    served: Scripted, tmp_path: Path
) -> None:
    file = tmp_path / "key"
    file.write_text("sk-of-the-operator\n")
    async with proxying(served, key_file=file) as proxied:
        await proxied.http.post(CHAT, json={}, headers={"authorization": "Bearer sk-mine"})
        assert proxied.chat.requests[-1].headers["authorization"] == "Bearer sk-of-the-operator"


async def test_a_proxy_with_tokens_lets_in_only_who_has_one_and_passes_none_on(
    served: Scripted, tmp_path: Path
) -> None:
    token, line = new_token("")
    tokens, key = tmp_path / "tokens", tmp_path / "key"
    tokens.write_text(f"# those of the shop\n{line}\n")
    key.write_text("sk-of-the-operator\n")
    for key_file, upstream in ((key, "Bearer sk-of-the-operator"), (None, None)):
        async with proxying(served, key_file=key_file, token_file=tokens) as proxied:
            proxied.chat.said = whole(TOWER)
            asked = len(proxied.served.engine.claims)
            for headers in ({}, {"authorization": "Bearer sk-of-the-operator"}):
                for refused in (
                    await proxied.http.post(CHAT, json={"messages": [RAG]}, headers=headers),
                    await proxied.http.get("/models", headers=headers),
                ):
                    assert refused.status_code == 401
                    assert refused.json()["error"]["code"] == "UNAUTHENTICATED"
            assert not proxied.chat.requests
            assert len(proxied.served.engine.claims) == asked
            own = {"authorization": f"Bearer {token}"}
            response = await proxied.http.post(CHAT, json={"messages": [RAG]}, headers=own)
            assert response.headers["x-groundwire"] == "GROUNDED"
            assert proxied.chat.requests[-1].headers.get("authorization") == upstream
            probe = await proxied.http.get(proxied.url.removesuffix("/v1") + "/livez")
            assert probe.status_code == 200


@pytest.mark.parametrize("stream", [True, False])
async def test_a_client_that_never_takes_its_reply_loses_its_place(
    served: Scripted, monkeypatch: pytest.MonkeyPatch, stream: bool
) -> None:
    monkeypatch.setattr(door, "SEND_TIMEOUT_S", 0.3)
    async with proxying(served, parallel=1) as proxied:
        # More than what sockets hold.
        if stream:
            piece = {"choices": [{"index": 0, "delta": {"content": "x" * 60_000}}]}
            event = b"data: " + json.dumps(piece).encode() + b"\n\n"
            said = Said([event] * 300, headers={"content-type": "text/event-stream"})
        else:
            said = Said([b'{"choices": [], "more": "', b"x" * 15_000_000, b'"}'])
        proxied.chat.said = said
        assert (await proxied.http.get("/models")).status_code == 200
        address = httpx.URL(proxied.url)
        _, writer = await asyncio.open_connection(address.host, address.port, limit=1000)
        body = json.dumps({"messages": [RAG], "stream": stream}).encode()
        head = f"POST /v1{CHAT} HTTP/1.1\r\nhost: {address.host}\r\ncontent-length: {len(body)}\r\n"
        writer.write(head.encode() + b"content-type: application/json\r\n\r\n" + body)
        async with asyncio.timeout(WAIT_LIMIT_S):
            while (await proxied.http.get("/models")).status_code != 429:
                pass
            while (await proxied.http.get("/models")).status_code != 200:
                pass
        writer.transport.abort()


async def test_a_request_of_too_many_values_is_refused_before_any_is_made(
    proxied: Proxied, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "MAX_REQUEST_VALUES", 1000)
    count = len(proxied.chat.requests)
    for body in (b'{"messages": [' + b"[]," * 1001 + b"[]]}", b'{"a": [' + b"1," * 1001 + b"1]}"):
        response = await proxied.http.post(CHAT, content=body, headers=JSON_HEADERS)
        assert response.status_code == 400
        assert "more than 1,000 values" in response.json()["error"]["message"]
    assert len(proxied.chat.requests) == count


async def test_the_tokens_of_a_proxy_are_read_again_when_their_file_changes(
    served: Scripted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rotation, "LOOK_EVERY_S", 0.02)
    (token, line), (_, other) = new_token(""), new_token("")
    tokens = tmp_path / "tokens"
    tokens.write_text(line)
    own = {"authorization": f"Bearer {token}"}
    async with proxying(served, token_file=tokens) as proxied:
        assert (await proxied.http.get("/models", headers=own)).status_code == 200
        tokens.write_text(other + "\n")
        async with asyncio.timeout(WAIT_LIMIT_S):
            while (await proxied.http.get("/models", headers=own)).status_code != 401:
                pass


async def test_a_proxy_with_a_certificate_speaks_tls_and_takes_a_new_one(
    served: Scripted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rotation, "LOOK_EVERY_S", 0.02)
    own, new = make_pair(tmp_path, "own"), make_pair(tmp_path, "new")
    async with proxying(served, pair=own) as proxied:
        proxied.chat.said = whole(TOWER)
        assert (await proxied.post()).headers["x-groundwire"] == "GROUNDED"
        target = httpx.URL(proxied.url).netloc.decode()
        with pytest.raises(httpx.RemoteProtocolError):
            await proxied.http.get(f"http://{target}/livez")
        new.cert.replace(own.cert)
        new.key.replace(own.key)
        async with asyncio.timeout(WAIT_LIMIT_S):
            while not await is_shown(own, target):
                pass


def test_a_proxy_with_a_certificate_may_listen_beyond_loopback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pair = make_pair(tmp_path, "own")
    tls = ["--listen-cert-file", str(pair.cert), "--listen-key-file", str(pair.key)]
    # An address that nobody here has: it is refused by the machine, not by the proxy.
    flags = ["proxy", "--upstream", "http://127.0.0.1:1/v1", "--listen", "192.0.2.1:0"]
    assert main([*flags, *tls]) == 2
    assert "not loopback" not in capsys.readouterr().err
    assert main([*flags, *tls[:2]]) == 2
    assert "need each other" in capsys.readouterr().err
    pair.key.write_text("no key")
    assert main([*flags, *tls]) == 2
    told = capsys.readouterr().err
    assert "--listen-cert-file and --listen-key-file cannot be used together" in told


def test_a_key_of_the_operator_is_not_lent_to_a_network_without_tokens(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key, empty = tmp_path / "key", tmp_path / "empty"
    key.write_text("sk-of-the-operator\n")
    empty.write_text("# none yet\n")
    flags = ["proxy", "--upstream", "http://127.0.0.1:1/v1", "--upstream-key-file", str(key)]
    assert main([*flags, "--listen", "0.0.0.0:0", "--allow-plaintext"]) == 2
    assert "give --token-file" in capsys.readouterr().err
    assert main([*flags, "--token-file", str(empty)]) == 2
    assert "holds no token" in capsys.readouterr().err


@pytest.mark.parametrize("keeps", [False, True])
async def test_fields_of_evidence_go_upstream_only_where_they_are_kept(
    served: Scripted, keeps: bool
) -> None:
    async with proxying(served, keep_fields=keeps) as proxied:
        proxied.chat.said = whole(TOWER)
        fields = {"documents": [{"text": SOURCE}], "sources": ["x"], "temperature": 0}
        response = await proxied.post({"role": "user", "content": "How high?"}, **fields)
        assert response.json()["groundwire"]["status"] == "GROUNDED"
        body = proxied.chat.requests[-1].body
        assert {"documents", "sources"} & body.keys() == (
            fields.keys() - {"temperature"} if keeps else set()
        )
        assert body["temperature"] == 0


async def test_without_such_fields_the_body_goes_upstream_as_it_is(proxied: Proxied) -> None:
    odd = b'{"messages": [],  "seed":1.0, "a":1,"a":2}'
    await proxied.http.post(CHAT, content=odd, headers=JSON_HEADERS)
    assert proxied.chat.requests[-1].headers["content-length"] == str(len(odd))


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"\xff", b"[" * 100_000, '{"a":1}'.encode("utf-16")]
)
async def test_a_body_that_is_no_json_object_is_refused(proxied: Proxied, body: bytes) -> None:
    count = len(proxied.chat.requests)
    response = await proxied.http.post(CHAT, content=body, headers=JSON_HEADERS)
    assert response.status_code == 400
    assert "JSON object" in response.json()["error"]["message"]
    assert len(proxied.chat.requests) == count


async def test_more_tags_than_may_be_are_refused_by_name(
    proxied: Proxied, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grounds, "MAX_TAGS", 1)
    response = await proxied.post()
    assert response.status_code == 400
    assert "more than 1 tags" in response.json()["error"]["message"]


@pytest.mark.parametrize("status", [301, 307, 308])
async def test_a_redirect_that_leads_past_the_proxy_is_neither_followed_nor_passed_on(
    proxied: Proxied, status: int
) -> None:
    proxied.chat.said = Said([], status, {"location": "http://127.0.0.1:9/v1/chat/completions"})
    for response in (await proxied.post(), await proxied.http.get("/models")):
        assert response.status_code == 502
        assert response.json()["error"]["code"] == "UPSTREAM_REDIRECTS"
        assert "location" not in response.headers


async def test_a_reply_of_another_kind_of_success_is_verified(proxied: Proxied) -> None:
    proxied.chat.said = Said(whole(TOWER).parts, 201, JSON_HEADERS)
    response = await proxied.post()
    assert (response.status_code, response.headers["x-groundwire"]) == (201, "GROUNDED")


async def test_a_query_that_no_address_can_have_is_refused(proxied: Proxied) -> None:
    host, _, port = httpx.URL(proxied.url).netloc.decode().partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"GET /v1/models?a#b HTTP/1.1\r\nHost: {host}\r\n".encode())
    writer.write(b"Connection: close\r\n\r\n")
    answer = await reader.read()
    writer.close()
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"query" in answer


async def test_what_a_form_of_a_web_page_could_send_is_refused(proxied: Proxied) -> None:
    response = await proxied.http.post(CHAT, content=b"{}", headers={"content-type": "text/plain"})
    assert response.status_code == 415


async def test_a_name_that_is_not_ours_is_refused(proxied: Proxied) -> None:
    response = await proxied.http.get("/models", headers={"host": "evil.example"})
    assert (response.status_code, response.json()["error"]["code"]) == (421, "MISDIRECTED")


@pytest.mark.parametrize("announced", [False, True])
async def test_a_body_beyond_the_limit_is_refused(
    proxied: Proxied, monkeypatch: pytest.MonkeyPatch, announced: bool
) -> None:
    monkeypatch.setattr(door, "MAX_REQUEST_BYTES", 100)

    async def parts() -> AsyncIterator[bytes]:
        for _ in range(3):
            yield b" " * 50

    content = b" " * 150 if announced else parts()
    response = await proxied.http.post(CHAT, content=content, headers=JSON_HEADERS)
    assert response.status_code == 413
    assert "100 bytes" in response.json()["error"]["message"]


async def test_a_body_that_does_not_come_is_given_up(
    proxied: Proxied, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "RECEIVE_TIMEOUT_S", 0.1)
    host, _, port = httpx.URL(proxied.url).netloc.decode().partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"POST /v1{CHAT} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 9\r\n\r\n".encode())
    assert b" 408 " in await reader.readline()
    writer.close()


async def test_a_body_that_does_not_come_keeps_nobody_out(served: Scripted) -> None:
    async with proxying(served, parallel=1) as proxied:
        assert (await proxied.post()).status_code == 200
        host, _, port = httpx.URL(proxied.url).netloc.decode().partition(":")
        _, writer = await asyncio.open_connection(host, int(port))
        head = f"POST /v1{CHAT} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 9\r\n\r\n{{"
        writer.write(head.encode())
        await writer.drain()
        for _ in range(3):
            assert (await proxied.post()).status_code == 200
        writer.close()


async def test_requests_beyond_the_places_are_told_to_come_again(served: Scripted) -> None:
    async with proxying(served, parallel=1) as proxied:
        proxied.chat.hold()
        first = asyncio.create_task(proxied.post())
        await proxied.chat.until(lambda: len(proxied.chat.requests) == 1)
        second = await proxied.post()
        assert (second.status_code, second.headers["retry-after"]) == (429, "1")
        proxied.chat.release()
        assert (await first).status_code == 200
        assert (await proxied.post()).status_code == 200


async def test_a_client_that_leaves_frees_its_place_and_the_upstream(served: Scripted) -> None:
    async with proxying(served, parallel=1) as proxied:
        proxied.chat.hold()
        first = asyncio.create_task(proxied.post())
        await proxied.chat.until(lambda: len(proxied.chat.requests) == 1)
        first.cancel()
        await proxied.chat.until(lambda: proxied.chat.gone == 1)
        proxied.chat.release()
        async with asyncio.timeout(20):
            while (await proxied.post()).status_code == 429:
                pass


async def test_an_upstream_that_is_not_there_is_a_bad_gateway(served: Scripted) -> None:
    async with proxying(served) as proxied:
        proxied.chat.close()
        response = await proxied.post()
        assert (response.status_code, response.json()["error"]["code"]) == (
            502,
            "UPSTREAM_UNREACHABLE",
        )


async def test_one_that_says_nothing_at_all_is_given_up(served: Scripted) -> None:
    async with proxying(served, silence_s=0.3) as proxied:
        proxied.chat.hold()
        response = await proxied.post()
        assert (response.status_code, response.json()["error"]["code"]) == (504, "UPSTREAM_STALLED")


@pytest.mark.parametrize(("fails_closed", "status"), [(False, 200), (True, 503)])
async def test_a_proxy_is_ready_without_its_server_unless_it_fails_closed(
    served: Scripted, fails_closed: bool, status: int
) -> None:
    async with proxying(served, target="127.0.0.1:1", fails_closed=fails_closed) as proxied:
        origin = proxied.url.removesuffix("/v1")
        ready = await proxied.http.get(f"{origin}/readyz")
        assert (ready.status_code, ready.text) == (status, "UNCHECKED\n")
        assert (await proxied.http.get(f"{origin}/healthz")).text == "OK\n"


async def test_a_proxy_whose_server_serves_is_ready(proxied: Proxied) -> None:
    ready = await proxied.http.get(f"{proxied.url.removesuffix('/v1')}/readyz")
    assert (ready.status_code, ready.text) == (200, "OK\n")


async def test_another_path_is_told_what_there_is(proxied: Proxied) -> None:
    response = await proxied.http.post("/embeddings", json={})
    assert response.status_code == 404
    assert "/v1/chat/completions" in response.json()["error"]["message"]


async def test_no_text_and_no_key_is_logged(
    served: Scripted, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG, logger="groundwire")

    def fails(*_: object) -> None:
        raise ValueError(f"{SOURCE} is wrong")

    async with proxying(served, target="127.0.0.1:1", timeout_s=2) as proxied:
        proxied.chat.said = whole(TOWER)
        await proxied.openai.chat.completions.create(
            model="m", messages=[{"role": "user", "content": RAG["content"]}]
        )
        caplog.set_level(logging.INFO, logger="groundwire")
        monkeypatch.setattr(door, "grounds", fails)
        response = await proxied.post()
        assert response.status_code == 500
    for secret in (SOURCE, TOWER, "sk-of-the-client"):
        assert secret not in caplog.text
        assert secret not in json.dumps(response.json())


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--upstream", "127.0.0.1:8000"], "--upstream is no address"),
        (["--upstream", "ftp://127.0.0.1/v1"], "--upstream is no address"),
        (["--upstream", "http://me:secret@127.0.0.1/v1"], "--upstream is no address"),
        (["--upstream", "http://192.0.2.1/v1"], "--upstream is not loopback"),
        (["--upstream", "http://127.0.0.1:1/v1", "--listen", "0.0.0.0:0"], "--listen: 0.0.0.0"),
        (["--upstream", "http://127.0.0.1:1/v1", "--listen", "nowhere"], "--listen: nowhere"),
        (
            ["--upstream", "http://127.0.0.1:1/v1", "--token-file", "/no/such"],
            "--token-file: /no/such cannot be read",
        ),
        (
            ["--upstream", "http://127.0.0.1:1/v1", "--upstream-key-file", "/no/such"],
            "--upstream-key-file: /no/such cannot be read",
        ),
    ],
)
def test_settings_that_cannot_be_used_are_refused(
    flags: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["proxy", *flags]) == 2
    told = capsys.readouterr().err
    assert words in told
    assert "secret" not in told


def test_every_kind_of_evidence_can_be_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["proxy", "--help"])
    assert "{" + ",".join(KINDS) + "}" in capsys.readouterr().out

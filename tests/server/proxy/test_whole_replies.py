"""Replies that are one object, through the proxy."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.scripted import Scripted
from tests.scripted_services.chat import JSON_HEADERS, Said, pieces, whole
from tests.server.proxy.proxied import (
    HEBREW,
    RAG,
    SOURCE,
    TOWER,
    WRONG,
    Proxied,
    proxying,
    report_of,
)

WITHOUT_CURL = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not on PATH")


@pytest.fixture(scope="module")
async def proxied(served: Scripted) -> AsyncIterator[Proxied]:
    async with proxying(served) as proxied:
        yield proxied


async def told(proxied: Proxied, *contents: str | None, **fields: object) -> dict[str, Any]:
    """What the proxy says of a reply."""
    proxied.chat.said = whole(*contents)
    response = await proxied.post(**fields)
    assert response.status_code == 200
    found: dict[str, Any] = response.json()["groundwire"]
    assert response.headers["x-groundwire"] == found["status"]
    return found


@pytest.mark.parametrize("text", [TOWER, HEBREW])
async def test_a_reply_that_its_sources_bear_out_is_grounded(proxied: Proxied, text: str) -> None:
    found = await told(proxied, text)
    assert (found["status"], found["grounded"], found["reason"]) == ("GROUNDED", True, None)
    (choice,) = found["choices"]
    (claim,) = choice["hallucination_check"]["claims"]
    assert (claim["verdict"], claim["start"], claim["reason"]) == ("SUPPORTED", 0, "BUDGET_COVERED")
    assert choice["detection_id"]


async def test_a_reply_that_they_do_not_is_not(proxied: Proxied) -> None:
    found = await told(proxied, f"{TOWER} {WRONG}")
    assert (found["status"], found["grounded"]) == ("NOT_GROUNDED", False)
    (choice,) = found["choices"]
    claims = choice["hallucination_check"]["claims"]
    assert [each["grounded"] for each in claims] == [True, False]
    assert f"{TOWER} {WRONG}"[claims[1]["start"] :].startswith("The bridge")
    assert choice["warning"]


async def test_a_claim_that_cites_a_blank_source_is_not_grounded(proxied: Proxied) -> None:
    documents = [{"id": "b.pdf", "text": " "}]
    found = await told(proxied, f"{TOWER[:-1]} [b.pdf].", documents=documents)
    (claim,) = found["choices"][0]["hallucination_check"]["claims"]
    assert (claim["reason"], found["grounded"]) == ("UNKNOWN_CITATION", False)
    assert (await told(proxied, f"{TOWER[:-1]} [S0].", documents=documents))["grounded"]


async def test_every_choice_is_verified(proxied: Proxied) -> None:
    found = await told(proxied, TOWER, WRONG, n=2)
    assert [each["status"] for each in found["choices"]] == ["GROUNDED", "NOT_GROUNDED"]
    assert found["status"] == "NOT_GROUNDED"


async def test_choices_beyond_the_eighth_are_said_to_be_unchecked(proxied: Proxied) -> None:
    found = await told(proxied, *[TOWER] * 9, n=9)
    assert [each["status"] for each in found["choices"]] == ["GROUNDED"] * 8 + ["UNCHECKED"]
    assert (found["status"], found["reason"]) == ("UNCHECKED", "TOO_MANY_CHOICES")


async def test_without_evidence_a_reply_is_marked_as_such(proxied: Proxied) -> None:
    proxied.chat.said = whole(TOWER)
    response = await proxied.post({"role": "user", "content": "How high is it?"})
    found = response.json()["groundwire"]
    assert (found["status"], found["grounded"]) == ("NO_EVIDENCE", False)
    assert found["choices"][0]["hallucination_check"] is None


async def test_a_reply_that_only_calls_tools_has_no_text(proxied: Proxied) -> None:
    calls = [{"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    proxied.chat.said = whole(None, tool_calls=calls)
    response = await proxied.post()
    assert response.json()["groundwire"]["status"] == "NO_TEXT"
    assert response.json()["choices"][0]["message"]["tool_calls"] == calls


async def test_the_reply_itself_stays_byte_for_byte(proxied: Proxied) -> None:
    odd = b'{ "id":"a",  "big":1e400, "far":0.10000000000000000001, "choices":[] }\n'
    proxied.chat.said = Said([odd], headers=JSON_HEADERS)
    response = await proxied.post()
    assert response.content.startswith(odd.rstrip()[:-1] + b',"groundwire":{')
    assert json.loads(response.content)["groundwire"]["status"] == "NO_TEXT"


@pytest.mark.parametrize(
    "garbage", [b"", b"<html>", b"[]", b'{"choices":{}}', b"\xff\xfe", b"[" * 9999]
)
async def test_garbage_passes_and_is_marked(proxied: Proxied, garbage: bytes) -> None:
    proxied.chat.said = Said([garbage + b" "], headers=JSON_HEADERS)
    response = await proxied.post()
    assert (response.status_code, response.headers["x-groundwire"]) == (200, "UNCHECKED")
    assert response.content.startswith(garbage.rstrip(b"}"))


@pytest.mark.parametrize("name", ["x-groundwire", "X-Groundwire"])
async def test_what_an_upstream_says_of_the_check_does_not_pass(
    proxied: Proxied, name: str
) -> None:
    said = whole(WRONG)
    proxied.chat.said = Said(said.parts, headers={**said.headers, name: "GROUNDED"})
    response = await proxied.post()
    assert response.headers.get_list("x-groundwire") == ["NOT_GROUNDED"]


async def test_halves_of_characters_in_sources_and_replies_keep_no_reply_from_its_check(
    proxied: Proxied,
) -> None:
    half = "\ud83d"
    source = {"id": f"a{half}", "title": f"A{half}", "text": f"{SOURCE} {half}"}
    proxied.chat.said = whole(f"{TOWER} {half}")
    response = await proxied.http.post(
        "/chat/completions",
        # As JavaScript writes it.
        content=json.dumps(
            {
                "model": "some-model",
                "documents": [source, f"{half} It is old."],
                "messages": [{"role": "user", "content": f"How high is it? {half}"}],
            }
        ),
        headers=JSON_HEADERS,
    )
    assert response.json()["groundwire"]["status"] == "GROUNDED"
    assert response.json()["choices"][0]["message"]["content"] == f"{TOWER} {half}"


async def test_errors_of_the_upstream_pass_unchanged(proxied: Proxied) -> None:
    body = b'{"error":{"message":"no such model","code":404}}'
    headers = JSON_HEADERS | {"x-request-id": "r1", "retry-after": "7"}
    proxied.chat.said = Said([body], 404, headers)
    response = await proxied.post()
    assert (response.status_code, response.content) == (404, body)
    assert (response.headers["x-request-id"], response.headers["retry-after"]) == ("r1", "7")


async def test_a_reply_that_breaks_off_is_an_error(proxied: Proxied) -> None:
    proxied.chat.said = Said([b'{"choices":'], headers=JSON_HEADERS, end="cut")
    response = await proxied.post()
    assert response.status_code == 502
    assert response.json()["error"]["code"] == "UPSTREAM_CUT_OFF"
    # OpenAI's clients would ask twice more.
    assert response.headers["x-should-retry"] == "false"


async def test_a_reply_that_is_too_long_is_an_error(
    proxied: Proxied, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groundwire_server.doors.proxy.answering.MAX_REPLY_BYTES", 100)
    proxied.chat.said = whole(TOWER * 10)
    response = await proxied.post()
    assert (response.status_code, response.json()["error"]["code"]) == (502, "UPSTREAM_UNREADABLE")


async def test_a_compressed_reply_passes_and_is_marked(proxied: Proxied) -> None:
    headers = JSON_HEADERS | {"content-encoding": "br"}
    proxied.chat.said = Said([b"\x0b\x02\x80{}\x03"], headers=headers)
    async with proxied.http.stream(
        "POST", "/chat/completions", json={"messages": [RAG]}
    ) as response:
        raw = b"".join([part async for part in response.aiter_raw()])
    assert (raw, response.headers["x-groundwire"]) == (b"\x0b\x02\x80{}\x03", "UNCHECKED")


async def test_openais_client_reads_the_report(proxied: Proxied) -> None:
    proxied.chat.said = whole(TOWER)
    reply = await proxied.openai.chat.completions.create(
        model="some-model", messages=[{"role": "user", "content": RAG["content"]}]
    )
    assert reply.choices[0].message.content == TOWER
    assert reply.model_extra is not None
    assert reply.model_extra["groundwire"]["grounded"] is True


async def test_what_is_not_grounded_is_replaced_where_replies_are_blocked(served: Scripted) -> None:
    async with proxying(served, blocks=True) as proxied:
        proxied.chat.said = whole(f"{TOWER} {WRONG} {HEBREW}", WRONG)
        response = await proxied.post(n=2)
        texts = [each["message"]["content"] for each in response.json()["choices"]]
        assert texts == [f"{TOWER} [withheld] {HEBREW}", "[withheld]"]
        proxied.chat.said = whole(TOWER)
        assert (await proxied.post()).json()["choices"][0]["message"]["content"] == TOWER


@pytest.mark.parametrize(
    ("said", "seen"),
    [
        (f"The tower is **440** m high. {WRONG}", "The tower is **330** m high. [withheld]"),
        ("המגדל נפתח בשנת 1850.", HEBREW),
        (f"{WRONG} {TOWER} [S7]", f"[withheld] {TOWER} [S0]"),
        (f"According to [S7], t{TOWER[1:]}", f"According to [S0], t{TOWER[1:]}"),
        (f"- {TOWER}\n- {WRONG}\n", f"- {TOWER}\n- [withheld]\n"),
        # Of one of its statements nothing is left, so that nothing of its sentence is put right.
        ("The tower is 440 m high and it has nine arches.", "[withheld]"),
    ],
)
async def test_what_can_be_put_right_is_where_replies_are_corrected(
    served: Scripted, said: str, seen: str
) -> None:
    async with proxying(served, blocks=True, corrects=True) as proxied:
        proxied.chat.said = whole(said)
        reply = (await proxied.post()).json()
    assert reply["choices"][0]["message"]["content"] == seen
    (choice,) = reply["groundwire"]["choices"]
    # What is known is that of the reply as the model wrote it.
    assert choice["status"] == "NOT_GROUNDED"
    assert choice["correction"]["edits"]


async def test_without_block_a_correction_is_only_told(served: Scripted) -> None:
    async with proxying(served, corrects=True) as proxied:
        proxied.chat.said = whole("The tower is 440 m high.")
        reply = (await proxied.post()).json()
    assert reply["choices"][0]["message"]["content"] == "The tower is 440 m high."
    (choice,) = reply["groundwire"]["choices"]
    assert choice["correction"]["corrected_answer"] == TOWER


@pytest.mark.parametrize(("asked", "seen"), [(TOWER, "Yes."), (WRONG, "[withheld]")])
async def test_a_short_answer_is_shown_only_where_it_is_grounded(
    served: Scripted, asked: str, seen: str
) -> None:
    async with proxying(served, blocks=True) as proxied:
        proxied.chat.said = whole("Yes.")
        question = {"role": "user", "content": f"Is it true? {asked}"}
        response = await proxied.post(question, documents=[SOURCE])
        assert response.json()["choices"][0]["message"]["content"] == seen


@WITHOUT_CURL
@pytest.mark.parametrize("is_stream", [False, True])
async def test_curl_gets_a_reply_with_its_report(proxied: Proxied, is_stream: bool) -> None:
    proxied.chat.said = Said(pieces(HEBREW)) if is_stream else whole(HEBREW)
    body = json.dumps({"messages": [RAG], "stream": is_stream})
    curl = await asyncio.create_subprocess_exec(
        "curl", "-sSN", f"{proxied.url}/chat/completions", "-H", "content-type: application/json",
        "-d", body, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    said, _ = await curl.communicate()
    report = report_of(said) if is_stream else json.loads(said)["groundwire"]
    assert (curl.returncode, report["status"]) == (0, "GROUNDED")

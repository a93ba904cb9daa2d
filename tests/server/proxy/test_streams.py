"""Streamed replies through the proxy, from an upstream that may misbehave."""

import asyncio
import codecs
import json
from collections.abc import AsyncIterator, Mapping, Sequence

import httpx
import openai
import pytest

from groundwire_server.doors.proxy import answering, event_stream
from groundwire_server.doors.proxy.replies import Hidden, Veil
from tests.scripted import Scripted
from tests.scripted_services.chat import DONE, Said, piece, pieces, whole
from tests.server.proxy.proxied import (
    HEBREW,
    RAG,
    TOWER,
    WRONG,
    Proxied,
    proxying,
    report_of,
    text_of,
    values_of,
)

NO_SERVER = "127.0.0.1:1"


@pytest.fixture(scope="module")
async def proxied(served: Scripted) -> AsyncIterator[Proxied]:
    async with proxying(served) as proxied:
        yield proxied


async def streamed(proxied: Proxied, said: Said, **fields: object) -> bytes:
    """All that the proxy sends of a stream."""
    proxied.chat.said = said
    response = await proxied.post(stream=True, **fields)
    assert response.status_code == 200
    return response.content


async def test_a_stream_passes_byte_for_byte_with_the_report_before_its_end(
    proxied: Proxied,
) -> None:
    parts = [b": ping\r\n\r\n", *pieces(f"{TOWER} ", HEBREW)]
    body = await streamed(proxied, Said(parts))
    before, after = b"".join(parts[:-1]), parts[-1]
    assert body.startswith(before)
    assert body.endswith(after)
    assert report_of(body[len(before) :])["status"] == "GROUNDED"


@pytest.mark.parametrize("size", [1, 2, 7, 100])
async def test_however_it_is_cut_up(proxied: Proxied, size: int) -> None:
    stream = b"".join(pieces(f"{TOWER} ", WRONG)).replace(b"\n", b"\r\n")
    body = await streamed(
        proxied, Said([stream[i : i + size] for i in range(0, len(stream), size)])
    )
    assert body.startswith(stream[: -len(DONE) - 2])
    report = report_of(body.replace(b"\r\n", b"\n"))
    assert report["status"] == "NOT_GROUNDED"
    claims = report["choices"][0]["hallucination_check"]["claims"]
    assert [each["grounded"] for each in claims] == [True, False]


async def test_pieces_pass_before_the_next_ones_are_there(proxied: Proxied) -> None:
    proxied.chat.hold()
    proxied.chat.said = Said(pieces(TOWER))
    body = {"stream": True, "messages": [RAG]}
    async with proxied.http.stream("POST", "/chat/completions", json=body) as response:
        parts = response.aiter_bytes()
        first = await anext(parts)
        assert piece(TOWER).startswith(first)
        proxied.chat.release()
        rest = b"".join([part async for part in parts])
    assert rest.endswith(DONE)


async def test_the_evidence_is_read_while_the_model_still_thinks(proxied: Proxied) -> None:
    proxied.chat.hold()
    proxied.chat.said = Said([b"".join(pieces(TOWER))])
    proxied.served.engine.prompts.clear()
    asking = asyncio.create_task(proxied.post(stream=True))
    await proxied.served.engine.until(lambda: bool(proxied.served.engine.prompts))
    assert not asking.done()
    proxied.chat.release()
    assert report_of((await asking).content)["status"] == "GROUNDED"


async def test_tool_calls_log_probabilities_usage_and_refusals_pass(proxied: Proxied) -> None:
    odd = [
        piece(delta={"role": "assistant", "content": ""}),
        piece(delta={"tool_calls": [{"index": 0, "function": {"arguments": "{"}}]}),
        piece(delta={"refusal": "I cannot"}, logprobs={"content": []}),
        piece(finish_reason="tool_calls"),
        b'data: {"choices":[],"usage":{"total_tokens":1}}\n\n',
    ]
    body = await streamed(proxied, Said([*odd, DONE]))
    assert body.startswith(b"".join(odd))
    assert report_of(body)["status"] == "NO_TEXT"


async def test_the_mark_that_a_stream_may_begin_with_hides_no_text(proxied: Proxied) -> None:
    first, *others = pieces(WRONG)
    body = await streamed(proxied, Said([codecs.BOM_UTF8 + first, *others]))
    assert report_of(body.removeprefix(codecs.BOM_UTF8))["status"] == "NOT_GROUNDED"


async def test_usage_that_comes_without_choices_keeps_no_stream_from_its_check(
    proxied: Proxied,
) -> None:
    usage = b'data: {"usage":{"total_tokens":1}}\n\n'
    body = await streamed(proxied, Said([usage, *pieces(TOWER)]))
    assert report_of(body)["status"] == "GROUNDED"
    assert values_of(body)[1]["id"] == values_of(body)[-1]["id"]


async def test_each_choice_of_a_stream_is_verified(proxied: Proxied) -> None:
    parts = [
        piece(index=1, delta={"content": WRONG[:9]}),
        piece(TOWER[:5]),
        piece(index=1, delta={"content": WRONG[9:]}),
        piece(TOWER[5:]),
        *(piece(index=i, finish_reason="stop") for i in (0, 1)),
    ]
    report = report_of(await streamed(proxied, Said([*parts, DONE]), n=2))
    found = {each["index"]: each["status"] for each in report["choices"]}
    assert found == {0: "GROUNDED", 1: "NOT_GROUNDED"}


@pytest.mark.parametrize("end", [b"", b"data: [DONE]", b"data: [DONE]\n"])
async def test_a_stream_may_end_without_a_blank_line_or_a_last_event(
    proxied: Proxied, end: bytes
) -> None:
    parts = [part for part in pieces(TOWER, end=end) if part]
    body = await streamed(proxied, Said(parts))
    assert report_of(body)["status"] == "GROUNDED"
    assert body.endswith(end)


async def test_a_stream_that_breaks_off_is_marked_and_ends_with_an_error(proxied: Proxied) -> None:
    parts = [piece(f"{TOWER} "), b'data: {"choi']
    body = await streamed(proxied, Said(parts, end="cut"))
    assert body.startswith(parts[0])
    report = report_of(body)
    assert (report["status"], report["reason"]) == ("UNCHECKED", "UPSTREAM_CUT_OFF")
    # What came of it was verified all the same.
    assert report["choices"][0]["status"] == "GROUNDED"
    assert values_of(body)[-1]["error"]["code"] == "UPSTREAM_CUT_OFF"
    assert DONE not in body


async def test_so_is_one_that_ends_in_the_middle_of_a_reply(proxied: Proxied) -> None:
    body = await streamed(proxied, Said([piece(TOWER)]))
    assert report_of(body)["reason"] == "UPSTREAM_CUT_OFF"


async def test_and_one_that_falls_silent(served: Scripted) -> None:
    async with proxying(served, silence_s=0.3) as proxied:
        body = await streamed(proxied, Said([piece(TOWER)], end="stalls"))
        assert body.startswith(piece(TOWER))
        assert report_of(body)["reason"] == "UPSTREAM_STALLED"
        await proxied.chat.until(lambda: proxied.chat.gone == 1)
        assert "error" in values_of(body)[-1]
        # The proxy lives on.
        assert report_of(await streamed(proxied, Said(pieces(TOWER))))["status"] == "GROUNDED"


@pytest.mark.parametrize(
    "garbage",
    [
        b"data: {nothing\n\n",
        b"data: []\n\n",
        b"\x00\xff\n\n" + b"data: \xff\n\n",
        b'data: {"error":{"message":"out of memory"}}\n\n',
        b'data: {"error":{"message":"out of memory"},"usage":{}}\n\n',
        b'data: {"usage":{},"delta":{"content":"It is 9 m high."}}\n\n',
        b'data: {"choices":[{"index":"a"}]}\n\n',
        b'data: {"choices":[{"delta":{"content":7}}]}\n\n',
    ],
)
async def test_garbage_in_a_stream_passes_and_is_marked(proxied: Proxied, garbage: bytes) -> None:
    body = await streamed(proxied, Said([garbage, *pieces(TOWER)]))
    assert body.startswith(garbage + piece(TOWER))
    values = [each for each in body.split(b"\n\n") if b'"groundwire"' in each]
    report = json.loads(values[0].removeprefix(b"data: "))["groundwire"]
    assert (report["status"], report["reason"]) == ("UNCHECKED", "UPSTREAM_UNREADABLE")
    assert body.endswith(DONE)


async def test_garbage_that_breaks_off_is_marked_as_broken_off(proxied: Proxied) -> None:
    body = await streamed(proxied, Said([b"data: []\n\n", piece(TOWER)], end="cut"))
    assert values_of(body)[-1]["error"]["code"] == "UPSTREAM_CUT_OFF"


@pytest.mark.parametrize(
    "last",
    [piece(HEBREW).replace(b"\n\n", b"")[:-20], piece(HEBREW)[:90] + b"\xd7", b"data: []\n\n"],
)
async def test_a_stream_that_ends_with_what_cannot_be_read_has_broken_off(
    proxied: Proxied, last: bytes
) -> None:
    body = await streamed(proxied, Said([piece(f"{TOWER} "), last]))
    rest = body.replace(last, b"")
    assert report_of(rest)["reason"] == "UPSTREAM_CUT_OFF"
    assert values_of(rest)[-1]["error"]["code"] == "UPSTREAM_CUT_OFF"


async def test_a_reply_that_is_no_stream_though_one_was_asked_for_is_checked(
    proxied: Proxied,
) -> None:
    proxied.chat.said = whole(TOWER)
    response = await proxied.post(stream=True)
    assert response.json()["groundwire"]["status"] == "GROUNDED"


async def test_so_does_an_event_that_is_too_long(
    proxied: Proxied, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "MAX_EVENT_BYTES", 1000)
    endless = b"data: " + b"x" * 3000
    body = await streamed(proxied, Said([piece(TOWER), endless, endless]))
    assert body.startswith(piece(TOWER) + endless + endless + b"\n\n")
    assert report_of(body[len(piece(TOWER)) + 2 * len(endless) :])["status"] == "UNCHECKED"


async def test_without_evidence_a_stream_is_marked_as_such(proxied: Proxied) -> None:
    proxied.chat.said = Said(pieces(TOWER))
    response = await proxied.post({"role": "user", "content": "How high?"}, stream=True)
    assert report_of(response.content)["status"] == "NO_EVIDENCE"


async def test_openais_client_reads_a_stream_with_its_report(proxied: Proxied) -> None:
    proxied.chat.said = Said(pieces(f"{TOWER} ", HEBREW))
    chunks = await proxied.openai.chat.completions.create(
        model="some-model",
        messages=[{"role": "user", "content": RAG["content"]}],
        stream=True,
    )
    # Many applications take the first choice of each piece without a look.
    pairs = [(chunk.choices[0].delta.content or "", chunk.model_extra) async for chunk in chunks]
    assert "".join(text for text, _ in pairs) == f"{TOWER} {HEBREW}"
    last = pairs[-1][1]
    assert last is not None
    assert last["groundwire"]["grounded"] is True


async def test_openais_helper_for_streams_bears_the_report(proxied: Proxied) -> None:
    proxied.chat.said = Said(pieces(TOWER))
    async with proxied.openai.chat.completions.stream(
        model="some-model", messages=[{"role": "user", "content": RAG["content"]}]
    ) as stream:
        completion = await stream.get_final_completion()
    assert completion.choices[0].message.content == TOWER
    assert completion.choices[0].finish_reason == "stop"


async def test_openais_client_raises_at_the_end_of_a_broken_stream(proxied: Proxied) -> None:
    proxied.chat.said = Said([piece(TOWER)], end="cut")
    chunks = await proxied.openai.chat.completions.create(
        model="some-model",
        messages=[{"role": "user", "content": RAG["content"]}],
        stream=True,
    )
    with pytest.raises(openai.APIError, match="before the reply was whole"):
        _ = [chunk async for chunk in chunks]


async def test_a_client_that_leaves_ends_the_upstreams_stream_and_the_check(
    proxied: Proxied,
) -> None:
    proxied.chat.hold()
    proxied.chat.said = Said(pieces(f"{TOWER} {WRONG} ", HEBREW))
    engine, gone = proxied.served.engine, proxied.chat.gone
    engine.hold()
    engine.prompts.clear()
    cancelled = engine.cancelled
    body = {"stream": True, "messages": [RAG]}
    async with proxied.http.stream("POST", "/chat/completions", json=body) as response:
        # Kept: the connection closes with it.
        parts = response.aiter_bytes()
        await anext(parts)
        await engine.until(lambda: bool(engine.prompts))
    await proxied.chat.until(lambda: proxied.chat.gone > gone)
    await engine.until(lambda: engine.cancelled > cancelled)
    engine.release()
    proxied.chat.release()


async def test_a_server_that_is_down_leaves_the_chat_unchecked(served: Scripted) -> None:
    async with proxying(served, target=NO_SERVER, timeout_s=5) as proxied:
        parts = pieces(TOWER)
        body = await streamed(proxied, Said(parts))
        assert body.startswith(b"".join(parts[:-1]))
        report = report_of(body)
        assert (report["status"], report["reason"]) == ("UNCHECKED", "UNAVAILABLE")
        assert report["grounded"] is False
        assert body.endswith(DONE)


async def test_so_does_one_that_takes_too_long(served: Scripted) -> None:
    async with proxying(served, timeout_s=0.5) as proxied:
        proxied.served.engine.hold()
        report = report_of(await streamed(proxied, Said(pieces(TOWER))))
        proxied.served.engine.release()
        assert (report["status"], report["reason"]) == ("UNCHECKED", "DEADLINE_EXCEEDED")


@pytest.mark.parametrize("stream", [False, True])
async def test_a_proxy_that_fails_closed_lets_no_such_reply_through(
    served: Scripted, stream: bool
) -> None:
    async with proxying(
        served, target=NO_SERVER, timeout_s=5, fails_closed=True, blocks=True
    ) as proxied:
        if stream:
            body = await streamed(proxied, Said(pieces(TOWER)))
            assert TOWER.encode() not in body
            error = values_of(body)[-1]
            assert DONE not in body
        else:
            response = await proxied.post()
            assert response.status_code == 502
            error = response.json()
        assert error["error"]["code"] == "UNAVAILABLE"
        assert error["groundwire"]["status"] == "UNCHECKED"


async def test_where_replies_are_blocked_what_is_not_grounded_is_replaced(served: Scripted) -> None:
    async with proxying(served, blocks=True) as proxied:
        words = f"{TOWER} {WRONG} {HEBREW}".split(" ")
        contents = [f"{word} " for word in words[:-1]] + words[-1:]
        tokens = {"logprobs": {"content": ["arches."]}, "token_ids": [7777]}
        parts = [piece(each, **(tokens if each == "arches. " else {})) for each in contents]
        body = await streamed(proxied, Said([*parts, piece(finish_reason="stop"), DONE]))
        assert text_of(body) == f"{TOWER} [withheld] {HEBREW}"
        shown = body.partition(b'"groundwire"')[0]
        assert b"arches" not in shown
        assert b"7777" not in shown
        assert report_of(body)["status"] == "NOT_GROUNDED"


@pytest.mark.parametrize("size", [1, 3, 1000])
async def test_a_stream_has_the_corrected_sentence_in_its_place(
    served: Scripted, size: int
) -> None:
    said = f"{HEBREW} The tower is 440 m high. {WRONG} {HEBREW}"
    async with proxying(served, blocks=True, corrects=True) as proxied:
        cut = [said[at : at + size] for at in range(0, len(said), size)]
        body = await streamed(proxied, Said(pieces(*cut)))
    assert text_of(body) == f"{HEBREW} {TOWER} [withheld] {HEBREW}"
    assert report_of(body)["status"] == "NOT_GROUNDED"


async def test_what_comes_before_a_sentence_that_is_corrected_is_shown_at_once(
    served: Scripted,
) -> None:
    async with proxying(served, blocks=True, corrects=True) as proxied:
        proxied.chat.hold()
        wrong = "The tower is 470 m high. The river "
        proxied.chat.said = Said([piece(f"{HEBREW} "), piece(wrong), b"".join(pieces("rose."))])
        served.engine.prompts.clear()
        body = {"stream": True, "messages": [RAG]}
        async with proxied.http.stream("POST", "/chat/completions", json=body) as response:
            parts = response.aiter_bytes()
            assert text_of(await anext(parts)) == f"{HEBREW} "
            await served.engine.until(lambda: "470 m" in "".join(served.engine.prompts))
            proxied.chat.release()
            rest = b"".join([part async for part in parts])
    assert text_of(rest) == f"{TOWER} [withheld]"


async def test_while_a_report_is_awaited_the_text_is_not_looked_at_for_each_piece(
    served: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Veil] = []

    def counted(
        texts: Mapping[int, str], hidden: Mapping[int, Sequence[Hidden]], notice: str
    ) -> Veil:
        made.append(Veil(texts, hidden, notice))
        return made[-1]

    monkeypatch.setattr(answering, "Veil", counted)
    async with proxying(served, blocks=True, corrects=True) as proxied:
        proxied.chat.hold()
        rest = f" {HEBREW}" * 20
        proxied.chat.said = Said([piece("The tower is 440 m high. "), *pieces(*rest)])
        body = {"stream": True, "messages": [RAG]}
        served.engine.prompts.clear()
        async with proxied.http.stream("POST", "/chat/completions", json=body) as response:
            await served.engine.until(lambda: "440 m" in "".join(served.engine.prompts))
            proxied.chat.release()
            shown = b"".join([part async for part in response.aiter_bytes()])
    assert text_of(shown).startswith(TOWER)
    assert len(made) <= 3


async def test_where_a_correction_does_not_come_in_time_the_notice_is_shown(
    served: Scripted,
) -> None:
    async with proxying(served, blocks=True, corrects=True, timeout_s=1.5) as proxied:
        # The right sentence is never read.
        served.engine.stuck_at = {"330 m tall"}
        body = await streamed(proxied, Said(pieces(f"The tower is 440 m tall. {HEBREW}")))
        served.engine.stuck_at = set()
    assert text_of(body) == f"[withheld] {HEBREW}"
    assert report_of(body)["status"] == "NOT_GROUNDED"


async def test_a_character_whose_halves_come_apart_keeps_no_stream_from_its_check(
    served: Scripted,
) -> None:
    async with proxying(served, blocks=True, fails_closed=True) as proxied:
        halves = [piece("\ud83d"), piece("\ude00 ")]
        body = await streamed(proxied, Said([piece(f"{TOWER} "), *halves, *pieces(HEBREW)]))
    assert report_of(body)["status"] == "GROUNDED"
    assert text_of(body) == f"{TOWER} \ud83d\ude00 {HEBREW}"


UNREADABLE = {
    "an index that is no number": piece(WRONG, index="0"),
    "a text that is an object": piece(delta={"content": [{"text": {"value": WRONG}}]}),
    "a part that is no object": piece(delta={"content": [WRONG]}),
    "two lines that make no JSON": piece(WRONG).replace(b', "', b'\ndata: , "', 1)[:-3] + b"]\n\n",
    "too long": b"data: " + WRONG.encode() * 100 + b"\n\n",
}


@pytest.mark.parametrize("odd", UNREADABLE.values(), ids=list(UNREADABLE))
@pytest.mark.parametrize("closed", [True, False])
async def test_what_cannot_be_read_is_not_shown_before_the_end_where_replies_are_blocked(
    served: Scripted, monkeypatch: pytest.MonkeyPatch, odd: bytes, *, closed: bool
) -> None:
    monkeypatch.setattr(event_stream, "MAX_EVENT_BYTES", 1000)
    async with proxying(served, blocks=True, fails_closed=closed) as proxied:
        proxied.chat.hold()
        served.engine.prompts.clear()
        said = Said([odd, piece(f"{TOWER} "), piece("The river "), b"".join(pieces("rose."))])
        asking = asyncio.create_task(streamed(proxied, said))
        # By then what comes before it could have been shown.
        await served.engine.until(lambda: TOWER in "".join(served.engine.prompts))
        proxied.chat.release()
        body = await asking
    assert (odd in body) is not closed
    assert b"UPSTREAM_UNREADABLE" in body


async def test_a_sentence_is_shown_as_soon_as_it_is_verified(served: Scripted) -> None:
    async with proxying(served, blocks=True) as proxied:
        proxied.chat.hold()
        proxied.chat.said = Said(
            [piece(f"{TOWER} "), piece(WRONG[:9]), b"".join(pieces(WRONG[9:]))]
        )
        body = {"stream": True, "messages": [RAG]}
        async with proxied.http.stream("POST", "/chat/completions", json=body) as response:
            parts = response.aiter_bytes()
            seen = await anext(parts)
            assert text_of(seen) == f"{TOWER} "
            proxied.chat.release()
            rest = b"".join([part async for part in parts])
        assert text_of(rest) == "[withheld]"


async def test_what_is_known_to_be_wrong_is_not_shown_where_the_report_fails(
    served: Scripted,
) -> None:
    async with proxying(served, blocks=True, timeout_s=0.5) as proxied:
        proxied.chat.hold()
        proxied.chat.said = Said(
            [piece(f"{TOWER} "), piece(f"{WRONG} The river "), b"".join(pieces("rose."))]
        )
        body = {"stream": True, "messages": [RAG]}
        async with proxied.http.stream("POST", "/chat/completions", json=body) as response:
            parts = response.aiter_bytes()
            # By now both sentences have their verdict, and the piece of the second is not over.
            assert text_of(await anext(parts)) == f"{TOWER} "
            proxied.served.engine.hold()
            proxied.chat.release()
            rest = b"".join([part async for part in parts])
        proxied.served.engine.release()
    assert report_of(rest)["status"] == "UNCHECKED"
    assert text_of(rest) == "[withheld] The river rose."


async def test_without_evidence_nothing_is_held_back(served: Scripted) -> None:
    async with proxying(served, blocks=True) as proxied:
        proxied.chat.said = Said(pieces(TOWER))
        response = await proxied.post({"role": "user", "content": "How high?"}, stream=True)
        assert response.content.startswith(piece(TOWER))


async def test_a_blocked_stream_beyond_what_is_held_is_unchecked(
    served: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groundwire_server.doors.proxy.answering.MAX_REPLY_BYTES", 1000)
    async with proxying(served, blocks=True, fails_closed=True, timeout_s=0.5) as proxied:
        proxied.served.engine.hold()
        body = await streamed(proxied, Said(pieces(*["The river rose and rose "] * 20)))
        proxied.served.engine.release()
    assert text_of(body) == ""
    assert values_of(body)[-1]["groundwire"]["reason"] == "UPSTREAM_UNREADABLE"


async def test_a_silent_client_of_raw_http_is_served(proxied: Proxied) -> None:
    proxied.chat.said = Said(pieces(TOWER))
    host, _, port = httpx.URL(proxied.url).netloc.decode().partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    body = json.dumps({"stream": True, "messages": [RAG]}).encode()
    head = (
        f"POST /v1/chat/completions HTTP/1.0\r\nHost: {host}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    writer.write(head.encode() + body)
    answer = await reader.read()
    writer.close()
    assert answer.startswith(b"HTTP/1.1 200")
    assert answer.endswith(DONE)

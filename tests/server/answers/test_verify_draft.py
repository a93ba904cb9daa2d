"""VerifyDraft on a real server with a scripted engine: an answer that is verified as it comes."""

import asyncio
import contextlib
import dataclasses
import json
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from pathlib import Path

import pytest
from google.protobuf import json_format
from grpc import StatusCode, aio

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire_server.rpc import reception
from groundwire_server.rpc.admission import PendingLimit
from groundwire_server.rpc.dispatch import STREAM_ROOM_BYTES
from groundwire_verifier import verification
from tests.scripted import (
    WAIT_LIMIT_S,
    Scripted,
    reason_of,
    retry_s_of,
    scripted_server,
    violations_of,
)
from tests.scripted_services.detection import believes, documents, stub_of, verify_answer
from tests.scripted_services.tenants import make_tokens

HEIGHT, YEAR = "The tower is 330 m high.", "It opened in 1889."
EVIDENCE = documents(HEIGHT, YEAR)
TALL, OLD = "The tower is 330 metres high.", "The tower opened in 1850."
PAINTED = "The tower was painted by Monet."
HEBREW = "המגדל מתנשא לגובה של 330 מטרים."
LATE = "המגדל נפתח בשנת 1850."
READ_AHEAD = "The evidence is here."

TEXTS = {
    "citations": f"{TALL} [S0] {OLD} [S1] It is painted brown [S7]. Is it in Paris? Red.",
    "markdown": (
        f"# The tower\n\n{TALL} [S0]\n\n- **Height:** 330 m [S0]\n- {OLD} [S1]\n\n"
        "| Fact | Value |\n| --- | --- |\n| Height | 330 m |\n| Year | 1850 |\n\n"
        f"```\nprint('high. Very.')\n```\n\n{PAINTED} Done."
    ),
    "thoughts": f"<think>It may be low. Or 9 m? {OLD}</think>\n\n{TALL} [S0] 🗼👩‍🎨 {PAINTED} 🎉",
    "brackets": (
        f"The tower (see e.g. Smith. And Jones. {OLD}) is 330 m high. {OLD} Dr. Eiffel knew."
    ),
    "hebrew": f'{HEBREW} [S0] {LATE} [S1] ד"ר כהן בנה אותו.\n\n- {HEBREW}\n\nסוף הדבר.',  # noqa: RUF001
    "references": f"{TALL}[^1] {OLD}[^2]\n\nSources:\n\n[^1]: S0\n[^2]: S1",
    "cut off": f"{TALL} [S0] The tower opened in the",
    "short": "**330 m**",
    "marks": f"\u200f{HEBREW}\u200f הו\u05bcא גבוה. Cafe\u0301.\r\n\r\n{TALL}\u0301 🇮🇱 {OLD}",
}
CUTS: dict[str, Callable[[str], Sequence[str]]] = {
    "each character": list,
    "whole": lambda text: [text],
    "words": lambda text: [f" {word}" if i else word for i, word in enumerate(text.split(" "))],
    "seven": lambda text: [text[at : at + 7] for at in range(0, len(text), 7)],
}


@pytest.fixture
async def served() -> AsyncIterator[Scripted]:
    async with scripted_server() as served:
        evidence_of = {TALL: HEIGHT, HEBREW: HEIGHT, READ_AHEAD: HEIGHT}
        served.engine.answer = believes(evidence_of, frozenset({OLD, LATE}))
        yield served


Piece = pb.VerifyDraftRequest
Draft = aio.StreamStreamCall[pb.VerifyDraftRequest, pb.VerifyDraftResponse]


def started(request: pb.VerifyAnswerRequest | None = None, **fields: object) -> Piece:
    asked = request or pb.VerifyAnswerRequest(evidence=EVIDENCE)
    return Piece(start=pb.DraftStart(request=asked, **fields))  # type: ignore[arg-type]


def written(text: str) -> Piece:
    return Piece(text=text)


END = Piece(end=pb.DraftEnd())


def pieces(texts: Iterable[str], start: Piece | None = None) -> list[Piece]:
    return [start or started(), *map(written, texts), END]


async def drafted(
    served: Scripted, sent: Iterable[Piece], token: str = ""
) -> list[pb.VerifyDraftResponse]:
    """All responses to these pieces, of which the first is answered before the others are sent."""
    metadata = (("authorization", f"Bearer {token}"),) if token else ()
    call = stub_of(served).VerifyDraft(timeout=WAIT_LIMIT_S, metadata=metadata)
    first, *others = sent
    await call.write(first)
    responses = [await call.read()]
    for piece in others:
        await call.write(piece)
    await call.done_writing()
    while (response := await call.read()) is not aio.EOF:
        responses.append(response)
    return [each for each in responses if isinstance(each, pb.VerifyDraftResponse)]


def events(responses: Iterable[pb.VerifyDraftResponse]) -> list[str]:
    return [str(response.WhichOneof("event")) for response in responses]


def plain(report: pb.VerifyAnswerResponse) -> object:
    """A report without what it cost, and by which way each reading came."""

    def without(value: object) -> object:
        if isinstance(value, dict):
            kept = value.items()
            return {key: without(each) for key, each in kept if key not in ("run", "source")}
        return [without(each) for each in value] if isinstance(value, list) else value

    return without(json_format.MessageToDict(report))


async def next_of(call: Draft, event: str) -> pb.VerifyDraftResponse:
    """The next response of a kind."""
    async with asyncio.timeout(WAIT_LIMIT_S):
        while True:
            response = await call.read()
            assert isinstance(response, pb.VerifyDraftResponse)
            if response.WhichOneof("event") == event:
                return response


@pytest.mark.parametrize("cut", CUTS.values(), ids=list(CUTS))
@pytest.mark.parametrize("text", TEXTS.values(), ids=list(TEXTS))
async def test_the_report_is_that_of_verify_answer(
    served: Scripted, text: str, cut: Callable[[str], Sequence[str]]
) -> None:
    request = pb.VerifyAnswerRequest(evidence=EVIDENCE, question="How high is it?")
    responses = await drafted(served, pieces(cut(text), started(request)))
    whole = await verify_answer(served, text, EVIDENCE, question="How high is it?")
    assert plain(responses[-1].report) == plain(whole)
    assert events(responses)[0] == "ready"


@pytest.mark.parametrize("text", TEXTS.values(), ids=list(TEXTS))
async def test_the_last_verdict_of_each_claim_is_that_of_the_report(
    served: Scripted, text: str
) -> None:
    responses = await drafted(served, pieces(text))
    told = [each.verdict for each in responses if each.HasField("verdict")]
    last = {each.index: each.claim for each in told}
    report = responses[-1].report
    assert {i: plain_verdict(each) for i, each in last.items() if i < len(report.claims)} == {
        i: plain_verdict(each) for i, each in enumerate(report.claims)
    }


def plain_verdict(claim: pb.AnswerClaim) -> tuple[object, ...]:
    span = claim.claim.span
    return claim.claim.content, span.start, span.end, claim.verdict.verdict, claim.verdict.reason


async def test_a_verdict_comes_while_the_text_is_still_being_written(served: Scripted) -> None:
    call = stub_of(served).VerifyDraft(timeout=WAIT_LIMIT_S)
    await call.write(started())
    await next_of(call, "ready")
    await call.write(written(f"{TALL} [S0] The next"))
    assert (await next_of(call, "verdict")).verdict.claim.verdict.grounded
    await call.write(written(" one "))
    settled = (await next_of(call, "settled")).settled
    assert settled.characters == len(f"{TALL} [S0] ")
    await call.write(written("is short."))
    await call.write(END)
    report = (await next_of(call, "report")).report
    assert len(report.claims) == 2
    assert await call.read() is aio.EOF


async def test_the_evidence_is_read_before_the_first_text(served: Scripted) -> None:
    call = stub_of(served).VerifyDraft(timeout=WAIT_LIMIT_S)
    await call.write(started())
    await next_of(call, "ready")
    assert served.engine.claims == [READ_AHEAD]
    ahead = served.engine.prompts[0].partition("\n\nIs the following")[0]
    await call.write(written(f"{TALL} The next one."))
    await next_of(call, "verdict")
    call.cancel()
    assert any(prompt.startswith(ahead) for prompt in served.engine.prompts[1:])


async def test_the_report_reads_only_what_was_not_read_before(served: Scripted) -> None:
    call = stub_of(served).VerifyDraft(timeout=WAIT_LIMIT_S)
    await call.write(started())
    await call.write(written(f"{TALL} [S0] {OLD} [S1] The next"))
    await call.write(written(" one "))
    while (await next_of(call, "settled")).settled.characters < len(f"{TALL} [S0] {OLD} [S1] "):
        pass
    read = len(served.engine.prompts)
    await call.write(written("is short."))
    await call.write(END)
    await next_of(call, "report")
    assert {TALL, OLD}.isdisjoint(served.engine.claims[read:])
    assert served.engine.claims[read:]


FAIRS = {
    "english": (
        ("The fair has nine stalls.", "The fair began in spring.", "The bridge is made of oak."),
        (
            "At the market fair there were nine stalls and one tent.",
            "In spring the market fair with the nine stalls began early.",
            "The old bridge over the river is made of oak and has no rail.",
            "Nobody has counted the geese that sit on the village green.",
        ),
    ),
    "hebrew": (
        (
            "ביריד של השוק יש תשעה דוכנים.",
            "היריד של השוק התחיל באביב.",
            "הגשר הישן בנוי כולו מעץ אלון.",
        ),
        (
            "ביריד השוק היו תשעה דוכנים ואוהל אחד.",
            "באביב התחיל היריד של השוק עם תשעה דוכנים, מוקדם מאוד.",
            "הגשר הישן מעל הנהר בנוי מעץ אלון ואין לו מעקה משני הצדדים.",
            "איש לא ספר את האווזים שיושבים על כר הדשא באמצע הכפר הקטן.",
        ),
    ),
}


async def read_behind_the_end(
    served: Scripted, sentences: Sequence[str], evidence: pb.Evidence
) -> list[str]:
    """What the engine reads once the last sentence is there, all before which are settled."""
    text, at = " ".join(sentences), 0
    call = stub_of(served).VerifyDraft(timeout=WAIT_LIMIT_S)
    await call.write(started(pb.VerifyAnswerRequest(evidence=evidence)))
    for count in range(1, len(sentences)):
        whole = len(" ".join(sentences[:count])) + 1
        # The next word tells that a sentence is over.
        word = text.index(" ", whole) + 1
        await call.write(written(text[at:word]))
        at = word
        while (await next_of(call, "settled")).settled.characters < whole:
            pass
    read = len(served.engine.prompts)
    await call.write(written(text[at:]))
    await call.write(END)
    assert len((await next_of(call, "report")).report.claims) == len(sentences)
    assert len(served.engine.prompts) == len(set(served.engine.prompts))
    return served.engine.prompts[read:]


@pytest.mark.parametrize("passage_tokens", [100, 200, 8192])
@pytest.mark.parametrize(("sentences", "sources"), FAIRS.values(), ids=list(FAIRS))
async def test_behind_the_end_only_the_last_claim_is_read(
    sentences: Sequence[str],
    sources: Sequence[str],
    passage_tokens: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(verification, "PASSAGE_TOKENS", passage_tokens)
    async with scripted_server() as served:
        read = await read_behind_the_end(served, sentences, documents(*sources))
        assert read
        assert [prompt for prompt in read if f"Claim: {sentences[-1]}" not in prompt] == []


async def test_a_draft_that_asks_for_new_readings_shares_none_with_others() -> None:
    async with scripted_server(result_cache_entries=100) as served:
        options = pb.VerifyOptions(skip_result_cache=True)
        await verify_answer(served, TALL, EVIDENCE)
        read = len(served.engine.prompts)
        request = pb.VerifyAnswerRequest(evidence=EVIDENCE)
        await drafted(served, pieces([TALL], started(request)))
        assert served.engine.claims[read:] == [READ_AHEAD]
        request.options.CopyFrom(options)
        await drafted(served, pieces([TALL], started(request)))
        assert TALL in served.engine.claims[read + 1 :]


async def test_references_at_the_end_send_a_verdict_again(served: Scripted) -> None:
    text = f"{TALL} The tower stands. \n\n"
    call = stub_of(served).VerifyDraft(timeout=WAIT_LIMIT_S)
    await call.write(started())
    await call.write(written(text + "Now"))
    first = (await next_of(call, "verdict")).verdict
    second = (await next_of(call, "verdict")).verdict
    assert (first.index, second.index, len(second.claim.claim.citations)) == (0, 1, 0)
    call.cancel()
    responses = await drafted(served, [started(), written(text), written("[S7]"), END])
    last = [each.verdict.claim for each in responses if each.HasField("verdict")][-1]
    assert last.verdict.reason == pb.VERDICT_REASON_UNKNOWN_CITATION
    assert last == responses[-1].report.claims[1]


async def test_it_stops_at_the_first_contradicted_claim(served: Scripted) -> None:
    text = f"{TALL} [S0] {OLD} [S1] And then "
    call = stub_of(served).VerifyDraft(timeout=WAIT_LIMIT_S)
    await call.write(started(stop_at_contradicted=True))
    await call.write(written(text))
    stop = (await next_of(call, "stop")).stop
    assert (stop.reason, stop.index) == (pb.DRAFT_STOP_REASON_CONTRADICTED, 1)
    assert stop.characters == len(text)
    report = (await next_of(call, "report")).report
    assert await call.read() is aio.EOF
    assert await call.code() is StatusCode.OK
    assert plain(report) == plain(await verify_answer(served, text, EVIDENCE))


async def test_without_the_option_it_goes_on(served: Scripted) -> None:
    responses = await drafted(served, pieces([f"{OLD} [S1] ", f"{TALL} [S0] ", "And then."]))
    assert "stop" not in events(responses)


async def test_it_stops_when_too_few_claims_are_grounded(served: Scripted) -> None:
    call = stub_of(served).VerifyDraft(timeout=WAIT_LIMIT_S)
    await call.write(started(min_share_grounded=0.5))
    await call.write(written(f"{TALL} [S0] {PAINTED} And then "))
    settled = (await next_of(call, "settled")).settled
    assert settled.characters > len(TALL)
    await call.write(written(f"it rained all day. {PAINTED} "))
    await call.write(written("The end "))
    stop = (await next_of(call, "stop")).stop
    assert stop.reason == pb.DRAFT_STOP_REASON_SHARE_GROUNDED
    await next_of(call, "report")


async def test_enough_grounded_claims_do_not_stop_it(served: Scripted) -> None:
    text = f"{TALL} [S0] {TALL} [S0] {PAINTED} And then "
    start = started(min_share_grounded=0.5)
    assert "stop" not in events(await drafted(served, pieces([text], start)))


@pytest.mark.parametrize(
    ("sent", "reason", "field"),
    [
        ([written(TALL)], "MALFORMED_REQUEST", "start"),
        ([END], "MALFORMED_REQUEST", "start"),
        ([started(), started()], "MALFORMED_REQUEST", "start"),
        ([started(), Piece()], "MALFORMED_REQUEST", "piece"),
        ([started(), written(TALL)], "MALFORMED_REQUEST", "end"),
        ([started(), written(" "), END], "EMPTY_TEXT", "text"),
        ([started(), END], "EMPTY_TEXT", "text"),
        ([started(pb.VerifyAnswerRequest())], "INVALID_SOURCE", "start.request.evidence"),
        (
            [started(pb.VerifyAnswerRequest(evidence=EVIDENCE, answer="A"))],
            "INVALID_OPTION",
            "start.request.answer",
        ),
        (
            [started(pb.VerifyAnswerRequest(corpus="notes"))],
            "INVALID_OPTION",
            "start.request.corpus",
        ),
        ([started(min_share_grounded=1.5)], "INVALID_OPTION", "start.min_share_grounded"),
    ],
)
async def test_pieces_that_make_no_draft_are_refused_by_name(
    served: Scripted, sent: list[Piece], reason: str, field: str
) -> None:
    with pytest.raises(aio.AioRpcError) as raised:
        await drafted(served, sent)
    assert raised.value.code() is StatusCode.INVALID_ARGUMENT
    assert reason_of(raised.value) == reason
    assert list(violations_of(raised.value)) == [field]


async def test_too_much_text_over_all_pieces_is_refused() -> None:
    async with scripted_server(max_text_characters=1000) as served:
        await drafted(served, pieces([TALL + " ", "x" * (1000 - len(TALL) - 1)]))
        with pytest.raises(aio.AioRpcError) as raised:
            await drafted(served, [started(), written("x" * 600), written("y" * 401)])
        assert reason_of(raised.value) == "TEXT_TOO_LONG"
        found = violations_of(raised.value)
        assert list(found) == ["text"]
        assert "1,001" in found["text"]
        assert "1,000" in found["text"]


async def test_a_client_that_stalls_is_ended_and_holds_no_places(
    served: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reception, "IDLE_TIMEOUT_S", 0.2)
    call = stub_of(served).VerifyDraft(timeout=WAIT_LIMIT_S)
    await call.write(started())
    await next_of(call, "ready")
    assert served.running.calls.admission.claims.pending == 0
    with pytest.raises(aio.AioRpcError) as raised:
        await next_of(call, "report")
    assert raised.value.code() is StatusCode.DEADLINE_EXCEEDED
    assert "nothing came for 0.2 s" in str(raised.value.details())
    assert served.running.calls.admission.calls.pending == 0


async def test_the_deadline_bounds_the_whole_draft(served: Scripted) -> None:
    call = stub_of(served).VerifyDraft(timeout=1.0)
    await call.write(started())
    with pytest.raises(aio.AioRpcError) as raised:
        await next_of(call, "report")
    assert raised.value.code() is StatusCode.DEADLINE_EXCEEDED


async def test_a_cancelled_draft_ends_its_work(served: Scripted) -> None:
    call = stub_of(served).VerifyDraft(timeout=WAIT_LIMIT_S)
    await call.write(started())
    await next_of(call, "ready")
    served.engine.hold()
    await call.write(written(f"{TALL} [S0] The next one "))
    await served.engine.until(lambda: TALL in served.engine.claims)
    call.cancel()
    await served.engine.until(lambda: served.engine.cancelled > 0)
    served.engine.release()
    await served.running.drain(WAIT_LIMIT_S)
    assert served.running.calls.admission.claims.pending == 0
    assert served.running.calls.admission.calls.pending == 0


async def test_the_end_does_not_wait_for_what_is_being_read_twice(served: Scripted) -> None:
    call = stub_of(served).VerifyDraft(timeout=WAIT_LIMIT_S)
    await call.write(started())
    await next_of(call, "ready")
    served.engine.hold()
    await call.write(written(f"{TALL} [S0] The next one "))
    await served.engine.until(lambda: TALL in served.engine.claims)
    await call.write(written("is short."))
    await call.write(END)
    await served.engine.until(lambda: "The next one is short." in served.engine.claims)
    served.engine.release()
    await next_of(call, "report")
    read = [prompt for prompt in served.engine.prompts if f"Claim: {TALL}" in prompt]
    assert len(read) == len(set(read))


async def test_a_draft_that_was_let_in_finishes_while_the_server_stops(served: Scripted) -> None:
    call = stub_of(served).VerifyDraft(timeout=WAIT_LIMIT_S)
    await call.write(started())
    await next_of(call, "ready")
    draining = asyncio.create_task(served.running.drain(WAIT_LIMIT_S))
    await asyncio.sleep(0)
    await call.write(written(f"{TALL} [S0]"))
    await call.write(END)
    assert (await next_of(call, "report")).report.summary.overall_grounded
    await draining


async def test_one_connection_has_a_bounded_number_of_drafts(
    served: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reception, "STREAMS_OF_CONNECTION", 1)
    first = stub_of(served).VerifyDraft(timeout=WAIT_LIMIT_S)
    await first.write(started())
    await next_of(first, "ready")
    with pytest.raises(aio.AioRpcError) as raised:
        await drafted(served, pieces([TALL]))
    assert reason_of(raised.value) == "QUEUE_FULL"
    await verify_answer(served, TALL, EVIDENCE)
    await first.write(written(TALL))
    await first.write(END)
    await next_of(first, "report")
    await drafted(served, pieces([TALL]))


async def test_the_larger_a_message_may_be_the_fewer_drafts_a_connection_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reception, "STREAM_BYTES_OF_CONNECTION", 2 << 20)
    async with scripted_server(max_message_bytes=1 << 20) as served:
        stub = stub_of(served)
        begun = [stub.VerifyDraft(timeout=WAIT_LIMIT_S) for _ in range(2)]
        for call in begun:
            await call.write(started())
            await next_of(call, "ready")
        with pytest.raises(aio.AioRpcError) as raised:
            await drafted(served, pieces([TALL]))
        assert reason_of(raised.value) == "QUEUE_FULL"
        for call in begun:
            call.cancel()


async def test_a_draft_whose_text_comes_keeps_its_place_before_one_that_waits(
    served: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reception, "MAX_UNFINISHED", 2)

    async def begun() -> Draft:
        call = stub_of(served).VerifyDraft(timeout=WAIT_LIMIT_S)
        await call.write(started())
        await next_of(call, "ready")
        return call

    writes, waits = await begun(), await begun()
    await writes.write(written(f"{TALL} [S0] The next one "))
    await next_of(writes, "verdict")
    new = await begun()
    with pytest.raises(aio.AioRpcError) as raised:
        await next_of(waits, "report")
    assert raised.value.code() is StatusCode.RESOURCE_EXHAUSTED
    assert reason_of(raised.value) == "QUEUE_FULL"
    assert retry_s_of(raised.value) > 0.0
    for call in (writes, new):
        await call.write(written("is short."))
        await call.write(END)
        await next_of(call, "report")


@pytest.mark.parametrize("have_tokens", [True, False], ids=["tenants", "connections"])
async def test_who_has_many_drafts_that_wait_ends_none_of_somebody_else(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, have_tokens: bool
) -> None:
    monkeypatch.setattr(reception, "MAX_UNFINISHED", 3)
    tokens = make_tokens(tmp_path / "tokens", "acme", "zeta", "acme")
    settings = {"auth_token_file": tmp_path / "tokens"} if have_tokens else {}
    async with contextlib.AsyncExitStack() as opened:
        served = await opened.enter_async_context(scripted_server(**settings))  # type: ignore[arg-type]
        options = [("grpc.use_local_subchannel_pool", 1)]
        other = await opened.enter_async_context(
            aio.insecure_channel(served.running.target, options)
        )
        # With tokens both callers share one connection, and who has many drafts has two.
        again = served.channel if have_tokens else other

        async def begun(channel: aio.Channel, token: str) -> Draft:
            metadata = (("authorization", f"Bearer {token}"),) if have_tokens else ()
            stub = stub_of(dataclasses.replace(served, channel=channel))
            call = stub.VerifyDraft(timeout=WAIT_LIMIT_S, metadata=metadata)
            await call.write(started())
            await next_of(call, "ready")
            return call

        thinks = await begun(served.channel, tokens[1])
        oldest = await begun(other, tokens[0])
        kept = [await begun(other, tokens[0]), await begun(again, tokens[2])]
        with pytest.raises(aio.AioRpcError) as raised:
            await next_of(oldest, "report")
        assert reason_of(raised.value) == "QUEUE_FULL"
        for call in (thinks, *kept):
            await call.write(written(TALL))
            await call.write(END)
            await next_of(call, "report")


async def test_the_text_of_all_drafts_together_is_bounded(served: Scripted) -> None:
    room = served.running.calls.admission.bytes
    first, second = (stub_of(served).VerifyDraft(timeout=WAIT_LIMIT_S) for _ in range(2))
    for call in (first, second):
        await call.write(started())
        await next_of(call, "ready")
    with room.hold(room.limit - room.pending - STREAM_ROOM_BYTES):
        await first.write(written(f"{TALL} [S0] The next one "))
        await next_of(first, "verdict")
        await second.write(written("x"))
        with pytest.raises(aio.AioRpcError) as raised:
            await next_of(second, "report")
    assert raised.value.code() is StatusCode.RESOURCE_EXHAUSTED
    assert reason_of(raised.value) == "QUEUE_FULL"
    await first.write(END)
    await next_of(first, "report")
    assert await first.read() is aio.EOF
    assert room.pending == 0


async def test_drafts_that_wait_keep_no_other_call_of_their_connection_out(
    served: Scripted,
) -> None:
    # Half of them do not even begin.
    waiting = [stub_of(served).VerifyDraft(timeout=WAIT_LIMIT_S) for _ in range(40)]
    for call in waiting[:20]:
        await call.write(started())
        await next_of(call, "ready")
    await verify_answer(served, TALL, EVIDENCE)
    for call in waiting:
        call.cancel()


async def test_each_claim_takes_one_place_however_often_it_is_looked_at(served: Scripted) -> None:
    call = stub_of(served).VerifyDraft(timeout=WAIT_LIMIT_S)
    await call.write(started())
    await next_of(call, "ready")
    before = served.running.calls.admission.claims.taken
    await call.write(written(f"{TALL} [S0] The next one "))
    await next_of(call, "settled")
    await call.write(written("is short."))
    await call.write(END)
    await next_of(call, "report")
    assert served.running.calls.admission.claims.taken - before == 2


async def test_a_full_server_leaves_claims_to_the_report() -> None:
    async with scripted_server(max_pending_claims=2, max_claims=2) as served:
        call = stub_of(served).VerifyDraft(timeout=WAIT_LIMIT_S)
        await call.write(started())
        await next_of(call, "ready")
        with served.running.calls.admission.claims.hold(2):
            await call.write(written(f"{TALL} [S0] The next one "))
            await call.write(written("is"))
            await served.engine.until(lambda: served.running.calls.admission.claims.pending == 2)
        await call.write(written(" short."))
        await call.write(END)
        assert len((await next_of(call, "report")).report.claims) == 2


async def test_a_look_that_a_full_server_refused_comes_again_without_more_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refused = asyncio.Event()
    hold = PendingLimit.hold

    def told(places: PendingLimit, amount: int) -> contextlib.AbstractContextManager[None]:
        if places.pending + amount > places.limit:
            refused.set()
        return hold(places, amount)

    async with scripted_server(max_pending_claims=2, max_claims=2) as served:
        call = stub_of(served).VerifyDraft(timeout=WAIT_LIMIT_S)
        await call.write(started())
        await next_of(call, "ready")
        monkeypatch.setattr(PendingLimit, "hold", told)
        with served.running.calls.admission.claims.hold(2):
            await call.write(written(f"{TALL} [S0] The next one "))
            await asyncio.wait_for(refused.wait(), WAIT_LIMIT_S)
        assert (await next_of(call, "verdict")).verdict.claim.claim.content == TALL
        call.cancel()


async def test_a_draft_needs_a_token_and_shares_nothing_with_another_one(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text("violet-anvil-7\namber-kettle-3\n")
    async with scripted_server(auth_token_file=tokens, result_cache_entries=100) as served:
        with pytest.raises(aio.AioRpcError) as raised:
            await drafted(served, pieces([TALL]))
        assert raised.value.code() is StatusCode.UNAUTHENTICATED
        assert not served.engine.prompts
        for token in ("violet-anvil-7", "amber-kettle-3"):
            assert (await drafted(served, pieces([TALL]), token))[-1].HasField("report")
        assert served.engine.claims.count(TALL) == 4
        assert len(set(served.engine.cache_salts[-6:])) == 2


async def test_a_draft_is_kept_once(tmp_path: Path) -> None:
    record = tmp_path / "audit.jsonl"
    async with scripted_server(audit_record_file=record, audit_record_text=True) as served:
        await drafted(served, pieces([f"{TALL} [S0] The next one ", "is short."]))
    (line,) = record.read_text("utf-8").splitlines()
    kept = json.loads(line)
    assert kept["method"] == "VerifyDraft"
    assert f"{TALL} [S0] The next one is short." in line

"""How a reply of the upstream becomes the reply of the proxy: passed on, checked, or held back."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from http import HTTPStatus

import httpx2
from starlette.responses import JSONResponse, Response
from starlette.types import Send

from groundwire_server.doors.proxy.checking import Checked, Checking, Fault, Status
from groundwire_server.doors.proxy.event_stream import DONE, Event, EventCutter
from groundwire_server.doors.proxy.replies import (
    MAX_REPLY_BYTES,
    Hidden,
    Json,
    Reply,
    ReplyPart,
    UnreadableError,
    Veil,
    parsed,
)
from groundwire_server.doors.proxy.upstream import Headers, end_to_end

BUSY_RETRY_S = 1

_HEADERS: Mapping[int, Mapping[str, str]] = {
    # OpenAI's clients would have the upstream write all of it again, twice.
    HTTPStatus.BAD_GATEWAY: {"x-should-retry": "false"},
    HTTPStatus.GATEWAY_TIMEOUT: {"x-should-retry": "false"},
    HTTPStatus.TOO_MANY_REQUESTS: {"retry-after": str(BUSY_RETRY_S)},
    # What is left of the request is not read.
    HTTPStatus.UNAUTHORIZED: {"connection": "close", "www-authenticate": "Bearer"},
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: {"connection": "close"},
    HTTPStatus.REQUEST_TIMEOUT: {"connection": "close"},
}


class RefusedError(Exception):
    """A request gets no reply. `more` stands beside the error."""

    def __init__(
        self, status: int, code: str, message: str, more: Mapping[str, object] | None = None
    ) -> None:
        super().__init__(message)
        self._status = status
        self._body = error_body(code, message) | dict(more or {})

    def response(self) -> Response:
        """The text that the client gets."""
        return JSONResponse(self._body, self._status, _HEADERS.get(self._status))


def error_body(code: str, message: str) -> dict[str, object]:
    """An error as OpenAI's clients read it."""
    error = {"message": message, "type": "groundwire_proxy", "param": None, "code": code}
    return {"error": error}


FIELD, HEADER = "groundwire", b"x-groundwire"
"""Where a reply says what is known of it, and where one that is no stream says its status."""

EVENT_STREAM = "text/event-stream"
_EVENT_ENDS = (b"\n\n", b"\r\n\r\n", b"\r\r")
_BROKEN = {
    Fault.UPSTREAM_CUT_OFF: "the upstream ended its stream before the reply was whole",
    Fault.UPSTREAM_STALLED: "the upstream sent nothing for too long",
}
_NOT_VERIFIED = "the reply could not be verified, and this proxy lets no such reply through"


@dataclass(frozen=True, slots=True)
class Treatment:
    """What becomes of replies."""

    blocks: bool
    """They are held back until they are verified; what is not grounded is replaced by `notice`."""
    notice: str
    corrects: bool
    """One that is not grounded is put right, if it can be; with `blocks` that is what is shown."""
    fails_closed: bool
    """One that could not be verified fails."""


@dataclass(frozen=True, slots=True)
class _Held:
    """An event that is held back."""

    raw: bytes
    piece: Json
    passages: Sequence[ReplyPart]


async def pass_on(response: httpx2.Response, send: Send, *extra: tuple[bytes, bytes]) -> None:
    """Send a response as it comes. One that breaks off does so for the client, too."""
    headers = [*_kept(response, b"date"), *extra]
    await _start(send, response.status_code, headers)
    try:
        async for part in _stream(response):
            await _send(send, part)
    except httpx2.TransportError:
        return
    await _end(send)


class Answering:
    """Makes the reply to one request."""

    def __init__(self, checking: Checking, treatment: Treatment) -> None:
        self._checking = checking
        self._treatment = treatment
        self._holds = treatment.blocks and checking.has_evidence

    async def whole(self, response: httpx2.Response, send: Send) -> None:
        """Send a reply that is one object, with what is known of it. Raises RefusedError."""
        data = await _read(response)
        reply = Reply()
        try:
            body = parsed(data)
            passages = reply.read(body, "message")
        except UnreadableError:
            checked = Checked((), Fault.UPSTREAM_UNREADABLE)
        else:
            checked = await self._checking.result(reply, None)
            if self._veil(reply, checked.hidden()).cover(passages):
                data = json.dumps(body).encode()
            data = _with_field(data, checked, is_empty=not body)
        if self._is_refused(checked):
            more = {FIELD: checked.as_json()}
            raise RefusedError(HTTPStatus.BAD_GATEWAY, checked.reason or "", _NOT_VERIFIED, more)
        headers = [
            *_kept(response, b"date", b"content-length"),
            (b"content-length", str(len(data)).encode()),
            (HEADER, checked.status.encode()),
        ]
        await _start(send, response.status_code, headers)
        await _send(send, data)
        await _end(send)

    async def streamed(self, response: httpx2.Response, send: Send) -> None:
        """Send a reply piece by piece, and behind the last one what is known of it."""
        await _start(send, response.status_code, _kept(response, b"date", b"content-length"))
        stream = _Streamed(self._checking, holds=self._holds)
        async with asyncio.TaskGroup() as tasks:
            # It has all that is held, one piece behind the other; here nothing is sent meanwhile.
            releasing = tasks.create_task(self._release(stream, send))
            async with aclosing(_events(response)) as events:
                async for event in events:
                    if passing := stream.take(event):
                        await _send(send, passing)
                    if stream.is_over:
                        break
            stream.is_over = True
            checked = await self._checking.result(stream.reply, stream.fault)
            self._checking.moved.set()
            await releasing
        await self._finish(stream, checked, send)

    async def _release(self, stream: "_Streamed", send: Send) -> None:
        """Send what is held as it is settled, until only the report can tell what comes next."""
        moved = self._checking.moved
        while not (stream.is_over or stream.awaits_report):
            await moved.wait()
            moved.clear()
            if shown := self._shown(stream):
                await _send(send, shown)

    def _shown(self, stream: "_Streamed") -> bytes:
        """What can be shown by now of what is held."""
        veil: Veil | None = None
        shown = bytearray()
        while not stream.is_over and stream.is_settled:
            # One for all: it takes the whole text, and nothing is settled meanwhile.
            veil = veil or self._veil(stream.reply, None)
            if self._treatment.corrects and veil.meets(stream.held[0].passages):
                # What stands in its place comes with the report: no more is looked for until then.
                stream.awaits_report = True
                break
            shown += self._uncovered(stream, veil)
        return bytes(shown)

    def _uncovered(self, stream: "_Streamed", veil: Veil) -> bytes:
        """What is shown of the piece that is held first."""
        first = stream.held.popleft()
        stream.last = _event_of(first.piece) if veil.cover(first.passages) else first.raw
        return stream.last

    async def _finish(self, stream: "_Streamed", checked: Checked, send: Send) -> None:
        """Send what is still held, what is known of the reply, and its end."""
        if self._is_refused(checked):
            body = error_body(checked.reason or "", _NOT_VERIFIED) | {FIELD: checked.as_json()}
            await _send(send, _event_of(body, stream.last))
            await _end(send)
            return
        veil = self._veil(stream.reply, checked.hidden())
        while stream.held:
            await _send(send, self._uncovered(stream, veil))
        await _send(send, _event_of(_report_piece(stream.reply, checked), stream.last))
        fault = stream.fault
        broken = error_body(fault, _BROKEN[fault]) if fault in _BROKEN else None
        await _send(send, stream.done if broken is None else _event_of(broken))
        await _end(send)

    def _is_refused(self, checked: Checked) -> bool:
        return self._treatment.fails_closed and checked.status is Status.UNCHECKED

    def _veil(self, reply: Reply, known: Mapping[int, Sequence[Hidden]] | None) -> Veil:
        """What is hidden by what is `known` at the end, or so far."""
        texts = {choice: reply.text(choice) for choice in reply.choices}
        if not self._holds:
            hidden: Mapping[int, Sequence[Hidden]] = {}
        elif known is not None:
            hidden = known
        else:
            hidden = {each: self._checking.hidden(each, text) for each, text in texts.items()}
        return Veil(texts, hidden, self._treatment.notice)


class _Streamed:
    """What has come of a streamed reply. If it `holds`, all of it is held back."""

    def __init__(self, checking: Checking, *, holds: bool) -> None:
        self.reply = Reply()
        self.held: deque[_Held] = deque()
        self.done = b""
        """The event that ended the stream; empty: none has."""
        self.last = _EVENT_ENDS[0]
        """The event that was sent last."""
        self.is_over = False
        self.awaits_report = False
        """Nothing more of what is held can be shown before the report."""
        self._checking = checking
        self._holds = holds
        self._held_bytes = 0
        self._fault: Fault | None = None
        self._is_left = False
        """Its end is not looked for any more."""

    @property
    def fault(self) -> Fault | None:
        """What befell the stream, which has ended. That it broke off says more than that a part of
        it could not be read."""
        has_end = self.done or self.reply.is_finished or self._is_left
        return self._fault if has_end else Fault.UPSTREAM_CUT_OFF

    @property
    def is_settled(self) -> bool:
        """Whether the piece that is held first can be shown. None is, once one cannot be read."""
        return (
            self._fault is None
            and bool(self.held)
            and all(
                each.span.end <= self._checking.settled(each.choice)
                for each in self.held[0].passages
            )
        )

    def take(self, event: Event | Fault) -> bytes:
        """What can be passed on, now that this has come."""
        if isinstance(event, Fault):
            self._end(event)
            return b""
        if event.data == DONE:
            self.done, self.is_over = event.raw, True
            return b""
        held = _Held(event.raw, {}, ())
        if event.data is None:
            self._fault, self._is_left = Fault.UPSTREAM_UNREADABLE, True
        elif event.data:
            try:
                held = self._read(event.raw, event.data)
            except UnreadableError:
                self._fault = Fault.UPSTREAM_UNREADABLE
        if not self._holds:
            self.last = event.raw
            return event.raw
        self.held.append(held)
        self._held_bytes += len(event.raw)
        if self._held_bytes > MAX_REPLY_BYTES:
            self._end(Fault.UPSTREAM_UNREADABLE)
        self._checking.moved.set()
        return b""

    def _read(self, raw: bytes, data: bytes) -> _Held:
        """An event with what it says, which is verified from now on. Raises UnreadableError."""
        piece = parsed(data)
        passages = self.reply.read(piece, "delta")
        for each in passages:
            self._checking.add(each.choice, each.text)
        return _Held(raw, piece, passages)

    def _end(self, fault: Fault) -> None:
        self._fault = fault
        self._is_left = self.is_over = True


async def _events(response: httpx2.Response) -> AsyncGenerator[Event | Fault]:
    """The events of a stream, and last what befell it, if anything did.

    An event that was cut off is left out: nobody could read it.
    """
    cutter = EventCutter()
    try:
        async for part in _stream(response):
            for event in cutter.cut(part):
                yield event
    except httpx2.TransportError as error:
        is_silence = isinstance(error, httpx2.TimeoutException)
        yield Fault.UPSTREAM_STALLED if is_silence else Fault.UPSTREAM_CUT_OFF
        return
    rest = cutter.rest()
    if rest.raw:
        yield rest


async def _read(response: httpx2.Response) -> bytes:
    """The whole body. Raises RefusedError."""
    data = bytearray()
    try:
        async for part in _stream(response):
            data += part
            if len(data) > MAX_REPLY_BYTES:
                words = f"the upstream's reply is beyond {MAX_REPLY_BYTES:,} bytes: ask for less"
                raise RefusedError(HTTPStatus.BAD_GATEWAY, Fault.UPSTREAM_UNREADABLE, words)
    except httpx2.TimeoutException:
        fault, status = Fault.UPSTREAM_STALLED, HTTPStatus.GATEWAY_TIMEOUT
        raise RefusedError(status, fault, _BROKEN[fault]) from None
    except httpx2.TransportError:
        fault = Fault.UPSTREAM_CUT_OFF
        raise RefusedError(HTTPStatus.BAD_GATEWAY, fault, _BROKEN[fault]) from None
    return bytes(data)


def _stream(response: httpx2.Response) -> httpx2.AsyncByteStream:
    assert isinstance(response.stream, httpx2.AsyncByteStream)  # noqa: S101 - by the transport
    return response.stream


def _kept(response: httpx2.Response, *dropped: bytes) -> Headers:
    """The upstream's headers that go on to the client; what it says of a check does not."""
    return [
        (name.lower(), value)
        for name, value in end_to_end(response.headers.raw)
        if name.lower() not in (HEADER, *dropped)
    ]


def _with_field(data: bytes, checked: Checked, *, is_empty: bool) -> bytes:
    """A JSON object with a field more behind the others, which stay as they are."""
    comma = b"" if is_empty else b","
    told = json.dumps(checked.as_json()).encode()
    return data.rstrip()[:-1] + comma + b'"' + FIELD.encode() + b'":' + told + b"}"


def _report_piece(reply: Reply, checked: Checked) -> Json:
    """What is known of a streamed reply, as one more piece of it.

    It has a choice, though that says nothing: many clients take the first without a look.
    """
    nothing = {"index": 0, "delta": {}, "logprobs": None, "finish_reason": None}
    kind = {"object": "chat.completion.chunk", "choices": [nothing]}
    return reply.head | kind | {FIELD: checked.as_json()}


def _event_of(value: Json, after: bytes = _EVENT_ENDS[0]) -> bytes:
    """An event with a JSON value. `after` is what was sent before, which may not have ended."""
    gap = b"" if after.endswith(_EVENT_ENDS) else b"\n\n"
    return gap + b"data: " + json.dumps(value).encode() + b"\n\n"


async def _start(send: Send, status: int, headers: Headers) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})


async def _send(send: Send, part: bytes) -> None:
    await send({"type": "http.response.body", "body": part, "more_body": True})


async def _end(send: Send) -> None:
    await send({"type": "http.response.body", "body": b"", "more_body": False})

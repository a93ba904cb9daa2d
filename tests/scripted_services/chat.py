"""A chat endpoint on loopback that a test scripts, one that streams and can misbehave."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tests.scripted_services.endpoint import Request, ScriptedServer

JSON_HEADERS = {"content-type": "application/json"}
STREAM_HEADERS = {"content-type": "text/event-stream; charset=utf-8"}
DONE = b"data: [DONE]\n\n"


@dataclass(frozen=True)
class Said:
    """What is answered: these parts, one after the other, and how the body ends."""

    parts: Sequence[bytes]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: STREAM_HEADERS)
    end: Literal["whole", "cut", "stalls"] = "whole"


def piece(content: str | None = None, **fields: object) -> bytes:
    """An event of a stream, as vLLM sends it. `fields` are those of its choice."""
    choice = {"index": 0, "delta": {"content": content} if content else {}, "finish_reason": None}
    value = {
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "some-model",
        "choices": [choice | fields],
    }  # fmt: skip
    return f"data: {json.dumps(value)}\n\n".encode()


def pieces(*contents: str, end: bytes = DONE) -> list[bytes]:
    """A stream that says this and stops."""
    return [*map(piece, contents), piece(finish_reason="stop"), end]


def whole(*contents: str | None, **fields: object) -> Said:
    """A reply that is one object, with a choice for each content."""
    choices = [
        {
            "index": i,
            "message": {"role": "assistant", "content": content} | fields,
            "logprobs": None,
            "finish_reason": "stop",
        }
        for i, content in enumerate(contents)
    ]
    value = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "some-model"}
    return Said([json.dumps(value | {"choices": choices}).encode()], headers=JSON_HEADERS)


class ScriptedChat(ScriptedServer):
    """Says `said` to each request. `hold` keeps back the last part of each reply."""

    def __init__(self) -> None:
        super().__init__()
        self.said = whole("Hello.")

    async def _answer(
        self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        said = self.said
        named = "".join(f"{k}: {v}\r\n" for k, v in said.headers.items())
        start = f"HTTP/1.1 {said.status} Scripted\r\n{named}transfer-encoding: chunked\r\n\r\n"
        writer.write(start.encode())
        for number, part in enumerate(said.parts, 1):
            if number == len(said.parts) and not await self._is_released(reader):
                return False
            writer.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
            await writer.drain()
        if said.end == "stalls":
            await reader.read()
            self._left()
        if said.end == "whole":
            writer.write(b"0\r\n\r\n")
            await writer.drain()
        return said.end == "whole"

    async def _is_released(self, reader: asyncio.StreamReader) -> bool:
        """Wait for `release`; False if the peer has left before that."""
        if self._open.is_set():
            return True
        leaving = asyncio.ensure_future(reader.read())
        opening = asyncio.ensure_future(self._open.wait())
        await asyncio.wait((leaving, opening), return_when=asyncio.FIRST_COMPLETED)
        is_open = opening.done()
        for task in (leaving, opening):
            task.cancel()
        if not is_open:
            self._left()
        return is_open


@contextlib.asynccontextmanager
async def scripted_chat() -> AsyncIterator[ScriptedChat]:
    """A running one."""
    chat = ScriptedChat()
    async with chat.running():
        yield chat

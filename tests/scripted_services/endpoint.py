"""An HTTP server on loopback that a test scripts: an endpoint that can misbehave."""

import asyncio
import contextlib
import json
import math
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from groundwire_server.config.service_settings import BackendEntry

WAIT_LIMIT_S = 20.0
YES_AND_NO = {"YES": 0.6, " no": 0.3, "maybe": 0.05}


def settings_on(
    url: str, name: object = "external", model: object = "some-model", **changes: object
) -> dict[str, Any]:
    """The settings of a server with a backend there that is asked once.

    Those of `changes` that an entry of `backends` has are the entry's.
    """
    own = {key: changes.pop(key) for key in BackendEntry.model_fields.keys() & changes.keys()}
    entry = {"name": name, "url": url, "model": model, "retries": 0} | own
    return {"backends": [entry], **changes}


@dataclass(frozen=True)
class Request:
    """What was asked."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, object]

    @property
    def text(self) -> str:
        """The prompt, by whichever API it came."""
        messages = self.body.get("messages")
        if isinstance(messages, list):
            return str(messages[0]["content"])
        return str(self.body.get("prompt", ""))

    @property
    def wants_log_probabilities(self) -> bool:
        return bool(self.body.get("logprobs"))


@dataclass(frozen=True)
class Reply:
    """What is answered.

    With `cut` the connection ends after so many bytes of the body, with `hangs` nothing is ever
    sent, and the connection stays open.
    """

    body: bytes = b"{}"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None
    hangs: bool = False


Script = Callable[[Request], Reply]


def ln(share: float) -> float:
    return math.log(share) if share > 0.0 else -9999.0


def as_json(value: object, **changes: object) -> Reply:
    return Reply(json.dumps(value).encode(), **changes)  # type: ignore[arg-type]


def listed(request: Request, tokens: Mapping[str, float], usage: object = None) -> Reply:
    """These next tokens with these probabilities, in the form of the API that was asked."""
    nats = {text: ln(share) for text, share in tokens.items()}
    return listed_nats(request, nats, usage)


def listed_nats(request: Request, nats: Mapping[str, float], usage: object = None) -> Reply:
    if request.path.endswith("chat/completions"):
        tops = [{"token": text, "logprob": value} for text, value in nats.items()]
        choice: dict[str, object] = {
            "message": {"content": "YES"},
            "logprobs": {"content": [{"token": "YES", "logprob": -1.0, "top_logprobs": tops}]},
        }
    else:
        choice = {"text": "YES", "logprobs": {"top_logprobs": [nats]}}
    return as_json({"choices": [choice], "usage": usage})


def answered(request: Request, *answers: str, usage: object = None) -> Reply:
    """These sampled answers, without any log-probability."""
    if request.path.endswith("chat/completions"):
        choices: list[object] = [{"message": {"content": answer}} for answer in answers]
    else:
        choices = [{"text": answer} for answer in answers]
    return as_json({"choices": choices, "usage": usage})


def believing(request: Request) -> Reply:
    """YES_AND_NO, with log-probabilities where they are asked for."""
    if request.wants_log_probabilities:
        return listed(request, YES_AND_NO)
    count = request.body.get("n", 1)
    assert isinstance(count, int)
    return answered(request, *["YES"] * count)


def sampling(*answers: str) -> Script:
    """An endpoint without log-probabilities, whose samples are these in turn, one a call."""
    turn = 0

    def script(request: Request) -> Reply:
        nonlocal turn
        if request.wants_log_probabilities:
            return Reply(status=400)
        turn += 1
        return answered(request, answers[(turn - 1) % len(answers)])

    return script


def _nothing() -> None:
    pass


class ScriptedServer:
    """Answers requests on one connection after the other, and remembers what was asked.

    `gone` is how many peers gave up on a reply. `hold` keeps replies back until `release`, and
    `close` takes no connections any more.
    """

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[Request] = []
        self.gone = 0
        self.close: Callable[[], None] = _nothing
        self._open = asyncio.Event()
        self._open.set()
        self._changed = asyncio.Event()

    def hold(self) -> None:
        self._open.clear()

    def release(self) -> None:
        self._open.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(WAIT_LIMIT_S):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while await self._answer(await self._asked(reader), reader, writer):
                pass
        writer.close()

    async def _asked(self, reader: asyncio.StreamReader) -> Request:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        first, *lines = head.rstrip().split("\r\n")
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        request = Request(first.split()[1], headers, json.loads(body or b"{}"))
        self.requests.append(request)
        self._changed.set()
        return request

    async def _answer(
        self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Answer one request; False if the connection ends with it."""
        raise NotImplementedError

    def _left(self) -> None:
        self.gone += 1
        self._changed.set()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve on a free port of loopback."""
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.close = server.close
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        try:
            yield
        finally:
            self.release()
            server.close()


class ScriptedEndpoint(ScriptedServer):
    """Answers each request by `script`. `most_at_once` is how many were there at one time."""

    def __init__(self) -> None:
        super().__init__()
        self.script: Script = believing
        self.most_at_once = 0
        self._at_once = 0

    async def _answer(
        self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            await self._open.wait()
            reply = self.script(request)
            if reply.hangs:
                await reader.read()  # until the peer gives up
                self._left()
                return False
        finally:
            self._at_once -= 1
        sent = {"content-type": "application/json", "content-length": str(len(reply.body))}
        text = "".join(f"{k}: {v}\r\n" for k, v in (sent | dict(reply.headers)).items())
        writer.write(f"HTTP/1.1 {reply.status} Scripted\r\n{text}\r\n".encode())
        writer.write(reply.body[: reply.cut])
        await writer.drain()
        return reply.cut is None


@contextlib.asynccontextmanager
async def scripted_endpoint() -> AsyncIterator[ScriptedEndpoint]:
    """A running one."""
    endpoint = ScriptedEndpoint()
    async with endpoint.running():
        yield endpoint

"""What tests of the proxy share: a scripted upstream, a real server, and the proxy between them."""

import contextlib
import json
import ssl
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import openai

from groundwire_server.config.settings import ClientSettings
from groundwire_server.doors.proxy.answering import Treatment
from groundwire_server.doors.proxy.command import ProxyArguments, serving_proxy
from tests.certificates import Pair
from tests.scripted import WAIT_LIMIT_S, Scripted, scripted_server
from tests.scripted_services.chat import ScriptedChat, scripted_chat
from tests.scripted_services.detection import BELIEVED, CANNOT_SAY, DOUBTED, start_texts

TOWER = "The tower is 330 m high."
WRONG = "The bridge has nine arches."
HEBREW = "המגדל נפתח בשנת 1889."
SOURCE = "It rises to 330 m. נפתח לקהל בשנת 1889."
NOTICE = "[withheld]"
RAG = {"role": "user", "content": f'<document id="S0">{SOURCE}</document>\nTell me of it.'}


def _answer(prompt: str) -> tuple[float, ...]:
    """Believes what SOURCE says while it is in the context, whatever was asked before."""
    context, _, question = prompt.partition("\n\nIs the following")
    if not question:
        return CANNOT_SAY
    known = (TOWER in question and "330 m" in context) or (HEBREW in question and "1889" in context)
    return BELIEVED if known else DOUBTED


@dataclass(frozen=True)
class Proxied:
    """A proxy, and what stands around it."""

    url: str
    http: httpx.AsyncClient
    openai: openai.AsyncOpenAI
    chat: ScriptedChat
    served: Scripted

    async def post(self, *messages: Mapping[str, object], **fields: object) -> httpx.Response:
        """Ask with these messages, by default RAG."""
        body = {"model": "some-model", "messages": messages or [RAG], **fields}
        return await self.http.post("/chat/completions", json=body)


@contextlib.asynccontextmanager
async def believing_server() -> AsyncIterator[Scripted]:
    """A server that believes what SOURCE says."""
    async with scripted_server() as served:
        served.engine.answer = _answer
        await start_texts(served)
        yield served


@contextlib.asynccontextmanager
async def proxying(
    served: Scripted,
    *,
    target: str | None = None,
    key_file: Path | None = None,
    token_file: Path | None = None,
    pair: Pair | None = None,
    silence_s: float = WAIT_LIMIT_S,
    timeout_s: float = WAIT_LIMIT_S,
    evidence: tuple[str, ...] = ("tools", "blocks", "fields"),
    keep_fields: bool = False,
    blocks: bool = False,
    corrects: bool = False,
    fails_closed: bool = False,
    parallel: int = 8,
) -> AsyncIterator[Proxied]:
    """A proxy, a client of `served` or of the server at `target`."""
    async with contextlib.AsyncExitStack() as stack:
        chat = await stack.enter_async_context(scripted_chat())
        arguments = ProxyArguments(
            upstream=chat.url,
            upstream_key_file=key_file,
            upstream_silence_s=silence_s,
            listen="127.0.0.1:0",
            cert_file=pair.cert if pair else None,
            key_file=pair.key if pair else None,
            token_file=token_file,
            evidence=evidence,
            keep_fields=keep_fields,
            treatment=Treatment(
                blocks=blocks, notice=NOTICE, corrects=corrects, fails_closed=fails_closed
            ),
            parallel=parallel,
        )
        settings = ClientSettings(target=target or served.running.target, timeout_s=timeout_s)
        server = await stack.enter_async_context(serving_proxy(settings, arguments))
        url = f"{'https' if pair else 'http'}://{server.target}/v1"
        trusted = ssl.create_default_context(cafile=pair.cert if pair else None)
        http = await stack.enter_async_context(
            httpx.AsyncClient(base_url=url, timeout=30, verify=trusted)
        )
        own = openai.AsyncOpenAI(base_url=url, api_key="sk-of-the-client", max_retries=0)
        yield Proxied(url, http, await stack.enter_async_context(own), chat, served)


def values_of(body: bytes) -> list[dict[str, Any]]:
    """The JSON values of a stream's events."""
    datas = [each.removeprefix(b"data: ") for each in body.split(b"\n\n") if each.strip()]
    return [json.loads(each) for each in datas if each.startswith(b"{")]


def text_of(body: bytes) -> str:
    """What the first choice of a stream says."""
    choices = [each["choices"][0] for each in values_of(body) if each.get("choices")]
    return "".join(each["delta"].get("content") or "" for each in choices if each["index"] == 0)


def report_of(body: bytes) -> dict[str, Any]:
    """What a stream says of itself, in the one event that does."""
    (report,) = (each["groundwire"] for each in values_of(body) if "groundwire" in each)
    return dict(report)

"""The proxy between OpenAI's client and vLLM's own server, with the real Groundwire server."""

from collections.abc import AsyncIterator

import openai
import pytest

from groundwire_server.config.settings import ClientSettings
from groundwire_server.doors.proxy.answering import Treatment
from groundwire_server.doors.proxy.command import ProxyArguments, serving_proxy
from tests.real.engine.vllm_server import MODEL, needs_vllm_server
from tests.serving import Served

pytestmark = needs_vllm_server

KNOWN = ("GROUNDED", "NOT_GROUNDED")
ASKED = '<document id="S0">The tower is 330 m high.</document> How high is the tower?'


@pytest.fixture
async def asking(vllm_server: str, served: Served) -> AsyncIterator[openai.AsyncOpenAI]:
    """OpenAI's client, whose base URL is the proxy's."""
    arguments = ProxyArguments(
        upstream=vllm_server,
        upstream_key_file=None,
        upstream_silence_s=300.0,
        listen="127.0.0.1:0",
        cert_file=None,
        key_file=None,
        token_file=None,
        evidence=("tools", "blocks", "fields"),
        keep_fields=False,
        treatment=Treatment(blocks=False, notice="", corrects=False, fails_closed=False),
        parallel=8,
    )
    settings = ClientSettings(target=served.target, timeout_s=120.0)
    async with (
        serving_proxy(settings, arguments) as server,
        openai.AsyncOpenAI(base_url=f"http://{server.target}/v1", api_key="none") as client,
    ):
        yield client


async def test_its_replies_are_checked_whole_and_as_a_stream(asking: openai.AsyncOpenAI) -> None:
    assert [each.id async for each in asking.models.list()] == [MODEL]
    reply = await asking.chat.completions.create(
        model=MODEL, messages=[{"role": "user", "content": ASKED}], max_tokens=12, n=2, seed=1
    )
    assert reply.model_extra is not None
    statuses = [each["status"] for each in reply.model_extra["groundwire"]["choices"]]
    assert len(statuses) == 2
    assert set(statuses) <= {*KNOWN}
    chunks = await asking.chat.completions.create(
        model=MODEL,
        messages=[{"role": "user", "content": ASKED}],
        max_tokens=12,
        stream=True,
        stream_options={"include_usage": True},
    )
    told = [chunk async for chunk in chunks]
    assert any(chunk.usage is not None for chunk in told)
    assert told[-1].model_extra is not None
    assert told[-1].model_extra["groundwire"]["status"] in KNOWN


async def test_its_errors_pass(asking: openai.AsyncOpenAI) -> None:
    with pytest.raises(openai.NotFoundError, match="no-such-model"):
        await asking.chat.completions.create(
            model="no-such-model", messages=[{"role": "user", "content": ASKED}]
        )

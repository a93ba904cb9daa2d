"""Calls that come when the engine has too much to do: what they are told, and what is counted."""

import asyncio
import re
import urllib.request
from collections.abc import AsyncIterator

import grpc
import pytest
from grpc import aio

from tests.scripted import Scripted, ScriptedEngine, reason_of, retry_s_of, scripted_server

SLOW_S = 0.1


@pytest.fixture
async def slow() -> AsyncIterator[Scripted]:
    """One prompt at a time, each SLOW_S, which the server has learnt."""
    engine = ScriptedEngine()
    # No prompt has a whole block, so that none is taken for cached.
    engine.block_tokens, engine.step_prompts, engine.read_s = 10_000, 1, SLOW_S
    async with scripted_server(metrics_listen="127.0.0.1:0", engine=engine) as served:
        for i in range(8):
            await served.batch(f"warm {i}")
        yield served


async def test_a_call_that_takes_longer_than_it_has_is_refused_at_once(slow: Scripted) -> None:
    seen = len(slow.engine.claims)
    with pytest.raises(aio.AioRpcError) as refused:
        await slow.batch(*(f"claim {i}" for i in range(40)), timeout_s=0.5)
    assert refused.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert reason_of(refused.value) == "DEADLINE_EXCEEDED"
    assert "send a smaller batch" in str(refused.value.details())
    assert len(slow.engine.claims) == seen


async def test_behind_others_a_call_is_told_when_to_try_again(slow: Scripted) -> None:
    others = asyncio.create_task(slow.batch(*(f"first {i}" for i in range(20))))
    await slow.engine.until(lambda: "first 0" in slow.engine.claims)
    with pytest.raises(aio.AioRpcError) as refused:
        await slow.batch(*(f"second {i}" for i in range(30)), timeout_s=3.4)
    assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert reason_of(refused.value) == "OVERLOADED"
    assert 0.1 < retry_s_of(refused.value) < 3.0
    await others


async def test_the_foresight_is_on_the_metrics_page(slow: Scripted) -> None:
    await slow.batch("another")
    url = f"http://127.0.0.1:{slow.running.metrics_port}/metrics"
    text = await asyncio.to_thread(_page, url)
    for name in ("calls", "actual", "absolute_error", "refused"):
        assert re.search(rf"^groundwire_prediction_{name}\w*{{.*}} \d", text, re.MULTILINE), text
    # What replicas are scaled by.
    assert re.search(r"^groundwire_predicted_wait_seconds{.*} 0\.0$", text, re.MULTILINE), text


def _page(url: str) -> str:
    with urllib.request.urlopen(url) as page:  # noqa: S310 - our own page
        return str(page.read().decode())

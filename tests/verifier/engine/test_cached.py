"""The cache in front of a backend: what is computed, who waits for whom, and what is not lost."""

import asyncio
import math
from functools import partial

import pytest

from groundwire_verifier.domain.errors import BackendFailedError
from groundwire_verifier.domain.prompts import PromptEncoder
from groundwire_verifier.domain.types import Prompt, Question, ReadingOrigin, TimedReadings
from groundwire_verifier.domain.urgency import WHENEVER, Tenant, Urgency
from groundwire_verifier.engine.local import LocalBackend
from groundwire_verifier.engine.reading_store import MemoryStore, StoredReading, Tiers
from groundwire_verifier.engine.result_cache import ResultCache
from tests.scripted import MODEL, NEVER_HANGS_S, WAIT_LIMIT_S, CharacterTokenizer, ScriptedEngine


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine()


@pytest.fixture
def cache(backend: LocalBackend) -> ResultCache:
    return ResultCache(backend, MemoryStore(100, ttl_s=60.0))


def prompts(*claims: str, context: str = "", cache_salt: str = "") -> list[Prompt]:
    encoder = PromptEncoder.for_tokenizer(CharacterTokenizer())
    return encoder.encode([Question(claim, context, cache_salt=cache_salt) for claim in claims])


async def held(
    cache: ResultCache, engine: ScriptedEngine, *claims: str
) -> "asyncio.Task[TimedReadings]":
    """A read whose prompts wait in the engine."""
    engine.hold()
    seen = len(engine.claims)
    task = asyncio.create_task(cache.read(prompts(*claims), {}, WHENEVER))
    await engine.until(lambda: len(engine.claims) == seen + len(claims))
    return task


async def joined(cache: ResultCache, count: int) -> None:
    async with asyncio.timeout(WAIT_LIMIT_S):
        while cache.counts.joined < count:  # noqa: ASYNC110 - counts tell nobody
            await asyncio.sleep(0)


async def test_another_context_is_another_prompt(
    cache: ResultCache, engine: ScriptedEngine
) -> None:
    await cache.read(prompts("a", context="x"), {}, WHENEVER)
    await cache.read(prompts("a", context="y"), {}, WHENEVER)
    assert engine.claims == ["a", "a"]


async def test_another_salt_shares_neither_readings_nor_flights(
    cache: ResultCache, engine: ScriptedEngine
) -> None:
    first = await held(cache, engine, "a")
    second = asyncio.create_task(cache.read(prompts("a", cache_salt="s"), {}, WHENEVER))
    await engine.until(lambda: engine.claims == ["a", "a"])
    engine.release()
    await first
    assert [r.source for r in (await second).readings] == [ReadingOrigin.MODEL]
    await cache.read(prompts("a", cache_salt="t"), {}, WHENEVER)
    assert engine.claims == ["a", "a", "a"]


async def test_other_numerics_or_weights_share_nothing(engine: ScriptedEngine) -> None:
    store = MemoryStore(100, ttl_s=60.0)
    asked = []
    for weights, numerics in (("w", "bf16"), ("w", "fp32"), ("v", "bf16"), ("w", "bf16")):
        engine.numerics = numerics
        local = LocalBackend(MODEL, lambda: engine, NEVER_HANGS_S, partial(str, weights))
        await local.start()
        engine.claims.clear()
        await ResultCache(local, store).read(prompts("a"), {}, WHENEVER)
        asked.append(len(engine.claims))
        await local.stop()
    assert asked == [1, 1, 1, 0]


async def test_the_data_type_is_no_part_of_what_a_calibration_is_for(
    engine: ScriptedEngine,
) -> None:
    found = []
    for numerics in ("bf16", "fp32"):
        engine.numerics = numerics
        backend = LocalBackend(MODEL, lambda: engine, NEVER_HANGS_S, lambda: "weights")
        await backend.start()
        found.append(backend.info)
        await backend.stop()
    assert found[0].identity == found[1].identity
    assert found[0].reading_identity != found[1].reading_identity


async def test_a_call_that_leaves_does_not_take_the_work_of_others_along(
    cache: ResultCache, engine: ScriptedEngine
) -> None:
    first = await held(cache, engine, "a")
    second = asyncio.create_task(cache.read(prompts("a"), {}, WHENEVER))
    await joined(cache, 1)
    first.cancel()
    await asyncio.wait([first])
    assert engine.cancelled == 0
    engine.release()
    assert len((await second).readings) == 1


async def test_what_another_call_has_joined_is_paid_for_though_its_own_call_left(
    cache: ResultCache, engine: ScriptedEngine
) -> None:
    paid: list[int] = []
    urgency = Urgency(math.inf, tenant=Tenant("acme", spend=paid.append))
    (prompt,) = prompts("a")
    engine.hold()
    first = asyncio.create_task(cache.read([prompt], {}, urgency))
    await engine.until(lambda: engine.claims == ["a"])
    second = asyncio.create_task(cache.read([prompt], {}, urgency))
    await joined(cache, 1)
    first.cancel()
    engine.release()
    (shared,) = (await second).readings
    assert shared.cached_tokens == len(prompt.token_ids)
    # The engine tells of one token that it knew.
    assert paid == [len(prompt.token_ids) - 1]


async def test_work_that_nobody_waits_for_is_cancelled(
    cache: ResultCache, engine: ScriptedEngine
) -> None:
    first = await held(cache, engine, "a")
    second = asyncio.create_task(cache.read(prompts("a"), {}, WHENEVER))
    await joined(cache, 1)
    first.cancel()
    second.cancel()
    await engine.until(lambda: engine.cancelled == 1)
    engine.release()
    await cache.read(prompts("a"), {}, WHENEVER)
    assert engine.claims == ["a", "a"]


async def test_an_error_reaches_all_who_wait_and_is_not_remembered(
    cache: ResultCache, engine: ScriptedEngine
) -> None:
    engine.errors["a"] = BackendFailedError("no")
    for _ in range(2):
        with pytest.raises(BackendFailedError):
            await cache.read(prompts("a"), {}, WHENEVER)
    del engine.errors["a"]
    assert len((await cache.read(prompts("a"), {}, WHENEVER)).readings) == 1


class TestMemoryStore:
    A, B, C = (StoredReading(-n, -2.0, -3.0) for n in (1.0, 2.0, 3.0))

    async def test_it_forgets_after_its_time(self) -> None:
        now = [0.0]
        store = MemoryStore(10, ttl_s=5.0, clock=lambda: now[0])
        store.put({b"a": self.A})
        now[0] = 4.9
        assert await store.get([b"a"]) == {b"a": self.A}
        now[0] = 5.0
        assert await store.get([b"a"]) == {}

    async def test_it_keeps_what_was_used_last(self) -> None:
        store = MemoryStore(2, ttl_s=5.0)
        store.put({b"a": self.A, b"b": self.B})
        await store.get([b"a"])
        store.put({b"c": self.C})
        assert set(await store.get([b"a", b"b", b"c"])) == {b"a", b"c"}

    async def test_what_the_far_store_knows_is_kept_near(self) -> None:
        near, far = MemoryStore(2, ttl_s=5.0), MemoryStore(2, ttl_s=5.0)
        far.put({b"a": self.A})
        assert await Tiers(near, far).get([b"a", b"b"]) == {b"a": self.A}
        assert await near.get([b"a"]) == {b"a": self.A}

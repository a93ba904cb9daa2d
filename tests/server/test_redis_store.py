"""Readings in a real Redis: shared, forgotten in time, and never in the way."""

import asyncio
import math
import struct
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from groundwire_server.stores import redis_store
from groundwire_server.stores.redis_store import CODE_BYTES, PREFIX, RedisStore
from groundwire_verifier.domain.types import Bounds
from groundwire_verifier.engine.reading_store import StoredReading
from groundwire_verifier.numbers.intervals import Interval
from tests.redis_server import RunningRedis, running_redis
from tests.serving import free_port

KEY, OTHER = b"\x00a" * 16, b"\xffb" * 16
READING = StoredReading(-0.1, -2.5, float("-inf"))
SECRET, ANOTHER_SECRET = b"s" * 32, b"t" * 32


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RunningRedis]:
    with running_redis(tmp_path) as running:
        yield running


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    # Speed is not what these tests are about, and the machine may be busy.
    monkeypatch.setattr(redis_store, "TIMEOUT_S", 5.0)


@pytest.fixture
async def store(redis: RunningRedis) -> AsyncIterator[RedisStore]:
    store = RedisStore(redis.url, 60.0, SECRET)
    yield store
    await store.close()


async def written(store: RedisStore) -> None:
    """Wait until all that was put is in Redis."""
    assert store._sending is not None
    await store._sending


async def test_what_one_server_puts_another_gets(redis: RunningRedis, store: RedisStore) -> None:
    store.put({KEY: READING})
    await written(store)
    another = RedisStore(redis.url, 60.0, SECRET)
    assert await another.get([OTHER, KEY]) == {KEY: READING}
    await another.close()


async def test_what_is_put_one_by_one_goes_in_few_messages(
    redis: RunningRedis, store: RedisStore
) -> None:
    keys = [bytes([i]) * 32 for i in range(200)]
    for key in keys:
        store.put({key: READING})
        await asyncio.sleep(0)
    await written(store)
    assert len(await store.get(keys)) == len(keys)
    # The commands go through few connections, where one for each of them would be 200.
    assert redis.plain.info("clients")["connected_clients"] <= 3


async def test_a_reading_that_is_not_exact_is_shared_with_its_bounds(
    redis: RunningRedis, store: RedisStore
) -> None:
    bounds = Bounds(Interval(0.25, 0.75), Interval(0.5, 1.0), samples=16)
    reading = StoredReading(-0.5, -1.5, -math.inf, bounds)
    store.put({KEY: reading})
    await written(store)
    assert await store.get([KEY]) == {KEY: reading}


async def test_bounds_that_are_none_make_an_entry_of_no_use(
    redis: RunningRedis, store: RedisStore
) -> None:
    store.put({KEY: READING})
    await written(store)
    name = store._name(KEY)
    for numbers in (
        struct.pack("<dddddddq", -0.5, -1.5, -3.0, 0.75, 0.25, 0.5, 1.0, 16),
        struct.pack("<dddddddq", -0.5, -1.5, -3.0, math.nan, 0.25, 0.5, 1.0, 16),
        struct.pack("<dddd", -0.5, -1.5, -3.0, 0.75),
        b"",
    ):
        redis.plain.set(name, numbers + store._code(b"reading", KEY + numbers))
        assert await store.get([KEY]) == {}


async def test_a_reading_is_kept_for_its_time(redis: RunningRedis, store: RedisStore) -> None:
    store.put({KEY: READING})
    await written(store)
    assert 0 < redis.plain.pttl(store._name(KEY)) <= 60_000


class TestAnEntryThatWasNotWrittenForItsKey:
    """It counts as none, is counted, and is logged once without what it holds."""

    @pytest.fixture
    async def name(self, store: RedisStore) -> bytes:
        """Where the reading of KEY is kept."""
        store.put({KEY: READING})
        await written(store)
        return store._name(KEY)

    async def refused(self, store: RedisStore, *keys: bytes) -> None:
        before = store.refused
        assert await store.get(keys) == {}
        assert store.refused == before + len(keys)

    @pytest.mark.parametrize(
        "value",
        [
            b"something else",
            b"",
            struct.pack("<ddd", 50.0, -50.0, -50.0),
            struct.pack("<ddd", 50.0, -50.0, -50.0) + bytes(CODE_BYTES),
        ],
    )
    async def test_one_of_another_program(
        self, redis: RunningRedis, store: RedisStore, name: bytes, value: bytes
    ) -> None:
        redis.plain.set(name, value)
        await self.refused(store, KEY)

    async def test_one_of_which_any_bit_was_changed(
        self, redis: RunningRedis, store: RedisStore, name: bytes
    ) -> None:
        entry = redis.plain.get(name)
        assert isinstance(entry, bytes)
        for i in range(8 * len(entry)):
            changed = bytearray(entry)
            changed[i // 8] ^= 1 << i % 8
            redis.plain.set(name, bytes(changed))
            await self.refused(store, KEY)

    async def test_one_that_was_moved(
        self, redis: RunningRedis, store: RedisStore, name: bytes
    ) -> None:
        redis.plain.rename(name, store._name(OTHER))
        await self.refused(store, OTHER)

    async def test_one_of_another_secret(
        self, redis: RunningRedis, store: RedisStore, name: bytes
    ) -> None:
        other = RedisStore(redis.url, 60.0, ANOTHER_SECRET)
        redis.plain.rename(name, other._name(KEY))
        await self.refused(other, KEY)
        await other.close()

    @pytest.mark.parametrize(
        "nats",
        [
            (50.0, -50.0, -50.0),
            (0.1, -2.5, -3.0),
            (-0.1, -0.1, -3.0),
            (math.nan, -1.0, -1.0),
            (-1.0, math.nan, -1.0),
            (-1.0, -1.0, math.nan),
            (-math.inf, -1.0, -1.0),
            (-1.0, -math.inf, -1.0),
            (-1.0, -1.0, math.inf),
        ],
    )
    async def test_one_that_no_model_can_have_said(
        self, redis: RunningRedis, store: RedisStore, nats: tuple[float, float, float]
    ) -> None:
        impossible = StoredReading(*nats)
        redis.plain.set(store._name(KEY), store._written(KEY, impossible))
        await self.refused(store, KEY)
        store.put({OTHER: impossible})
        await written(store)
        assert redis.plain.exists(store._name(OTHER)) == 0

    async def test_the_log_has_one_line_without_the_entry(
        self,
        redis: RunningRedis,
        store: RedisStore,
        name: bytes,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        redis.plain.set(name, b"planted")
        for _ in range(3):
            await self.refused(store, KEY)
        (record,) = caplog.records
        assert "result_cache_key" in record.getMessage()
        assert "planted" not in record.getMessage()


async def test_what_was_asked_cannot_be_told_from_the_names(
    redis: RunningRedis, store: RedisStore
) -> None:
    store.put({KEY: READING})
    await written(store)
    (name,) = redis.plain.keys()
    assert isinstance(name, bytes)
    assert name.startswith(PREFIX)
    assert KEY not in name


async def test_a_redis_that_dies_costs_one_failure(redis: RunningRedis, store: RedisStore) -> None:
    store.put({KEY: READING})
    await written(store)
    redis.kill()
    for _ in range(100):
        assert await store.get([KEY]) == {}
        store.put({KEY: READING})
    assert store.failures == 1


async def test_a_redis_that_hangs_is_not_waited_for(
    redis: RunningRedis, store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_store, "TIMEOUT_S", 0.01)
    with redis.frozen():
        for _ in range(100):
            assert await store.get([KEY]) == {}
    assert store.failures == 1


async def test_a_redis_that_is_started_again_is_used_again(
    redis: RunningRedis, store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put({KEY: READING})
    await written(store)
    redis.kill()
    assert await store.get([KEY]) == {}
    redis.start_again()
    # Not before its pause is over.
    assert await store.get([KEY]) == {}
    monkeypatch.setattr(store, "_paused_until_s", 0.0)
    store.put({KEY: READING})
    await written(store)
    assert await store.get([KEY]) == {KEY: READING}
    assert store.failures == 1


async def test_a_redis_that_was_never_there_is_no_error() -> None:
    store = RedisStore(f"redis://127.0.0.1:{free_port()}", 60.0, SECRET)
    store.put({KEY: READING})
    assert await store.get([KEY]) == {}
    await store.close()


@pytest.mark.parametrize("answer", [b"*1\r\n" * 5000, b"*0\r\n", b":7\r\n"])
async def test_a_redis_that_answers_strangely_is_left_alone(answer: bytes) -> None:
    async def answers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(1 << 16):
            # Whatever a client says of itself first is taken.
            writer.write(answer)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(answers, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    # Without a word on connecting, so that the first answer is that of MGET.
    store = RedisStore(f"redis://127.0.0.1:{port}?lib_name=&lib_version=", 60.0, SECRET)
    assert await store.get([KEY]) == {}
    assert store.failures == 1
    await store.close()
    server.close()
    await server.wait_closed()

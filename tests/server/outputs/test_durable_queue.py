"""The queue by itself: what is accepted is done once, whatever happens to its store."""

import asyncio
import contextlib
import secrets
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from groundwire_server.durable_queue import queue as durable
from groundwire_server.durable_queue.queue import DurableQueue
from groundwire_server.durable_queue.queued_work import Bounds, Stage, Work
from groundwire_server.durable_queue.store import StoreInUseError, open_store
from groundwire_verifier.domain.errors import QueueUnavailableError
from tests.postgres import Postgres
from tests.scripted import WAIT_LIMIT_S
from tests.small_disk import fill, small_disk


@pytest.fixture(autouse=True)
def heals_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durable, "HEAL_S", 0.1)
    monkeypatch.setattr(durable, "RETRY_START_S", 0.1)


BACKENDS = ("local", "endpoint")


async def echo(_: str, text: str, __: float) -> str:
    return f"done {text}"


class FirstNever:
    """Work that comes to no end when it is begun first, and is done when it is begun again."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()

    async def __call__(self, _: str, text: str, __: float) -> str:
        if self.begun.is_set():
            return text
        self.begun.set()
        return await asyncio.Future()


@contextlib.asynccontextmanager
async def queue_at(
    address: str | Path,
    work: Work = echo,
    *,
    results: int = 1000,
    begins: bool = True,
    backends: Sequence[str] = BACKENDS,
) -> AsyncIterator[DurableQueue]:
    queue = DurableQueue(open_store(str(address)), work, Bounds(1000.0, results), backends)
    await queue.start()
    if begins:
        for backend in backends:
            queue.begin(backend)
    try:
        yield queue
    finally:
        await queue.close()


async def until_done(queue: DurableQueue, key: str) -> str:
    async with asyncio.timeout(WAIT_LIMIT_S):
        while True:
            try:
                found = await queue.find(key)
            except QueueUnavailableError:
                continue
            assert found is not None
            assert found.stage is not Stage.LOST
            if found.result is not None:
                return found.result


async def test_what_is_not_done_at_the_end_is_done_after_the_next_start(tmp_path: Path) -> None:
    begun = asyncio.Event()

    async def never(_: str, __: str, ___: float) -> str:
        begun.set()
        await asyncio.Event().wait()
        return ""

    async with queue_at(tmp_path / "q.sqlite", never) as queue:
        for i in range(4):
            await queue.add(f"key-{i}", "local", f"text {i}")
        await begun.wait()
    async with queue_at(tmp_path / "q.sqlite") as queue:
        for i in range(4):
            assert await until_done(queue, f"key-{i}") == f"done text {i}"


@pytest.mark.parametrize("is_taken", [False, True], ids=["waiting", "taken"])
async def test_an_upgrade_finishes_what_it_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_taken: bool
) -> None:
    begun = asyncio.Event()

    async def never(_: str, __: str, ___: float) -> str:
        begun.set()
        return await asyncio.Future()

    async with queue_at(tmp_path / "q.sqlite", never, begins=is_taken) as queue:
        await queue.add("key", "local", "text")
        if is_taken:
            await begun.wait()
    monkeypatch.setattr(durable, "APPLICATION_VERSION", "outputs-3")
    async with queue_at(tmp_path / "q.sqlite") as queue:
        assert await until_done(queue, "key") == "done text"
        await queue.add("after", "local", "text")
        assert await until_done(queue, "after") == "done text"


async def test_a_server_that_never_begins_does_not_use_up_a_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(durable, "MAX_RECOVERIES", 1)
    store = tmp_path / "q.sqlite"
    async with queue_at(store) as queue:
        # From now on the store knows the queue, and any start could take from it.
        await queue.add("first", "local", "text")
        await until_done(queue, "first")
    for i in range(3):
        async with queue_at(store, begins=False) as queue:
            if i == 0:
                await queue.add("key", "local", "text")
            while queue.pieces == 0:  # noqa: ASYNC110 - until its store was looked after
                await asyncio.sleep(0)
            assert (found := await queue.find("key")) is not None
            assert found.stage is Stage.WAITING
    async with queue_at(store) as queue:
        assert await until_done(queue, "key") == "done text"


async def test_what_is_for_a_backend_that_has_not_begun_waits_and_uses_up_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(durable, "MAX_RECOVERIES", 1)
    store = tmp_path / "q.sqlite"
    for life in range(3):
        async with queue_at(store, begins=False) as queue:
            if life == 0:
                await queue.add("waits", "local", "text")
            queue.begin("endpoint")
            await queue.add(f"quick-{life}", "endpoint", "text")
            assert await until_done(queue, f"quick-{life}") == "done text"
            assert (found := await queue.find("waits")) is not None
            assert found.stage is Stage.WAITING
    async with queue_at(store) as queue:
        assert await until_done(queue, "waits") == "done text"


async def test_a_piece_for_a_backend_that_is_no_more_is_done_by_the_default(tmp_path: Path) -> None:
    async with queue_at(tmp_path / "q.sqlite", begins=False) as queue:
        await queue.add("key", "endpoint", "text")
    async with queue_at(tmp_path / "q.sqlite", backends=("local",)) as queue:
        assert await until_done(queue, "key") == "done text"


async def test_a_piece_that_is_handed_out_again_has_a_result(
    tmp_path: Path,
) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow(_: str, text: str, __: float) -> str:
        begun.set()
        await go_on.wait()
        return text

    async with queue_at(tmp_path / "q.sqlite", slow) as queue:
        await queue.add("key", "local", "text")
        await begun.wait()
        # As the start of another server on the same database does.
        client = queue._client
        assert client is not None
        await asyncio.to_thread(client.resume_workflow, "key", queue_name=f"{durable.QUEUES}-local")
        while (found := await queue.find("key")) is None or found.stage is not Stage.TAKEN:
            pass
        go_on.set()
        assert await until_done(queue, "key") == "text"


async def test_the_oldest_results_go_first(tmp_path: Path) -> None:
    async with queue_at(tmp_path / "q.sqlite", results=1) as queue:
        for key in ("first", "second"):
            await queue.add(key, "local", "text")
            while (found := await queue.find(key)) is not None and found.result is None:
                pass
        async with asyncio.timeout(WAIT_LIMIT_S):
            while await queue.find("first") is not None:
                pass


async def test_what_one_backend_keeps_waiting_is_not_in_the_way_of_another(tmp_path: Path) -> None:
    async def waits(key: str, text: str, _: float) -> str:
        if key.startswith("slow"):
            await asyncio.Event().wait()
        return text

    async with queue_at(tmp_path / "q.sqlite", waits) as queue:
        for i in range(4):
            await queue.add(f"slow-{i}", "endpoint", "text")
        await queue.add("quick", "local", "text")
        assert await until_done(queue, "quick") == "text"


async def test_a_full_disk_refuses_new_work_until_there_is_room_again(tmp_path: Path) -> None:
    held = asyncio.Event()

    async def work(_: str, text: str, __: float) -> str:
        await held.wait()
        return text[:100]

    with small_disk(tmp_path / "disk") as disk:
        async with queue_at(disk / "q.sqlite", work) as queue:
            await queue.add("before", "local", "text")
            while (found := await queue.find("before")) is None or found.stage is Stage.WAITING:
                pass
            ballast = disk / "ballast"
            fill(ballast)
            with pytest.raises(QueueUnavailableError, match="no space is left"):
                await queue.add("lost", "local", secrets.token_hex(200_000))
            # What was accepted is read meanwhile, and its result finds no room, either.
            held.set()
            assert await queue.find("lost") is None
            ballast.unlink()
            await queue.add("after", "local", "text")
            assert await until_done(queue, "after") == "text"
            assert await until_done(queue, "before") == "text"


async def test_a_database_that_stops_and_comes_back_loses_nothing(postgres: Postgres) -> None:
    held = asyncio.Event()

    async def work(_: str, text: str, __: float) -> str:
        await held.wait()
        return text

    async with queue_at(postgres.url, work) as queue:
        await queue.add("before", "local", "text")
        while (found := await queue.find("before")) is None or found.stage is Stage.WAITING:
            pass
        await asyncio.to_thread(postgres.stop)
        with pytest.raises(QueueUnavailableError):
            await queue.add("lost", "local", "text")
        held.set()
        await asyncio.to_thread(postgres.start)
        assert await until_done(queue, "before") == "text"
        await queue.add("after", "local", "text")
        assert await until_done(queue, "after") == "text"
        assert await queue.find("lost") is None


async def test_what_another_server_has_left_is_finished(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = FirstNever()
    monkeypatch.setattr(durable, "ELSEWHERE_S", 0.0)
    async with queue_at(postgres.url, work) as queue:
        await queue.add("key", "local", "text")
        await work.begun.wait()
        # As if it had been handed to a server that is gone.
        queue._running.pop("key")
        assert await until_done(queue, "key") == "text"


async def test_what_was_lost_is_done_again_though_the_clock_went_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = FirstNever()
    async with queue_at(tmp_path / "q.sqlite", work) as queue:
        await queue.add("key", "local", "text")
        await work.begun.wait()
        day_before = SimpleNamespace(time=lambda: time.time() - 24 * 3600.0)
        monkeypatch.setattr(durable, "time", day_before)
        # As if its result could not be kept.
        queue._running.pop("key")
        assert await until_done(queue, "key") == "text"


async def test_a_database_that_another_server_uses_is_refused(postgres: Postgres) -> None:
    other = open_store(postgres.url)
    await asyncio.to_thread(other.own)
    with pytest.raises(StoreInUseError, match="another server uses this database: give each its"):
        async with queue_at(postgres.url):
            pass
    # Its lock goes with its connection, however it ends.
    other.close()
    async with queue_at(postgres.url) as queue:
        await queue.add("key", "local", "text")
        assert await until_done(queue, "key") == "done text"
        with contextlib.closing(open_store(postgres.url)) as third, pytest.raises(StoreInUseError):
            await asyncio.to_thread(third.own)


async def test_a_server_starts_without_its_database_and_takes_work_once_it_is_there(
    postgres: Postgres,
) -> None:
    await asyncio.to_thread(postgres.stop)
    async with queue_at(postgres.url) as queue:
        with pytest.raises(QueueUnavailableError):
            await queue.add("lost", "local", "text")
        await asyncio.to_thread(postgres.start)
        async with asyncio.timeout(WAIT_LIMIT_S):
            while True:
                try:
                    await queue.add("key", "local", "text")
                except QueueUnavailableError:
                    await asyncio.sleep(0)
                else:
                    break
        assert await until_done(queue, "key") == "done text"


def test_nothing_of_dbos_is_imported_before_it_is_needed() -> None:
    code = "import sys, groundwire_server.app; sys.exit('dbos' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

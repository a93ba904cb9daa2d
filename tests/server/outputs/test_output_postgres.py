"""Outputs of a whole server whose store is a PostgreSQL that goes away and comes back."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest
from grpc import aio

from groundwire.v1 import output_verification_pb2 as pb
from groundwire_server.durable_queue import queue as durable
from tests.postgres import Postgres
from tests.scripted import WAIT_LIMIT_S, Scripted, ScriptedEngine, reason_of, scripted_server
from tests.scripted_services.outputs import end_of, get, submit

DONE = pb.VERIFICATION_STATE_DONE


@pytest.fixture(autouse=True)
def heals_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durable, "HEAL_S", 0.1)
    monkeypatch.setattr(durable, "RETRY_START_S", 0.1)


@contextlib.asynccontextmanager
async def serving(database: Postgres, engine: ScriptedEngine) -> AsyncIterator[Scripted]:
    async with scripted_server(
        engine=engine,
        output_verification_enabled=True,
        output_verification_store=database.url,
        shutdown_grace_s=0.0,
    ) as served:
        yield served


async def test_an_output_outlives_its_database_s_stop_while_clients_go_on(
    postgres: Postgres,
) -> None:
    engine = ScriptedEngine()
    async with serving(postgres, engine) as served:
        engine.hold()
        accepted = await submit(served)
        await engine.until(lambda: bool(engine.claims))
        await asyncio.to_thread(postgres.stop)
        with pytest.raises(aio.AioRpcError) as refused:
            await submit(served)
        engine.release()
        # What needs no store is answered as ever.
        assert len((await served.batch("It rained.")).estimates) == 1
        await asyncio.to_thread(postgres.start)
        status = await end_when_back(served, accepted.id)
        again = await submit_when_back(served)
        assert (await end_of(served, again.id)).state == DONE
    assert reason_of(refused.value) == "QUEUE_UNAVAILABLE"
    assert status.state == DONE


async def test_the_next_server_on_a_database_finishes_what_it_found(postgres: Postgres) -> None:
    engine = ScriptedEngine()
    async with serving(postgres, engine) as served:
        engine.hold()
        accepted = [await submit(served) for _ in range(3)]
        await engine.until(lambda: bool(engine.claims))
    async with serving(postgres, ScriptedEngine()) as served:
        ends = [await end_of(served, status.id) for status in accepted]
    assert [status.state for status in ends] == [DONE] * 3


async def end_when_back(served: Scripted, own_id: str) -> pb.VerificationStatus:
    """The final status, once the store can be asked for it."""
    async with asyncio.timeout(WAIT_LIMIT_S):
        while True:
            try:
                status = await get(served, own_id)
            except aio.AioRpcError as error:
                if reason_of(error) != "QUEUE_UNAVAILABLE":
                    raise
                continue
            if status.state in {DONE, pb.VERIFICATION_STATE_FAILED}:
                return status


async def submit_when_back(served: Scripted) -> pb.VerificationStatus:
    """Submit, once the store takes something."""
    async with asyncio.timeout(WAIT_LIMIT_S):
        while True:
            try:
                return await submit(served)
            except aio.AioRpcError as error:
                if reason_of(error) != "QUEUE_UNAVAILABLE":
                    raise

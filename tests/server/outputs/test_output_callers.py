"""Outputs and those who submit them: whose they are, who is skipped, and what of them is kept."""

import asyncio
import contextlib
import logging
import re
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
from grpc import aio

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import output_verification_pb2 as pb
from groundwire.v1.hallucination_detection_pb2_grpc import HallucinationDetectionStub
from groundwire_server.config.sources import ConfigError
from groundwire_server.durable_queue import queue
from groundwire_server.durable_queue.store import open_store
from groundwire_server.text_work import pool
from tests.collector import Collector
from tests.scripted import WAIT_LIMIT_S, Scripted, ScriptedEngine, reason_of, scripted_server
from tests.scripted_services.detection import believes
from tests.scripted_services.metrics import page_of
from tests.scripted_services.outputs import (
    RIVER,
    TOWER,
    end_of,
    get,
    result_of,
    submit,
    until,
    user,
    watched,
)
from tests.small_disk import fill, small_disk

SECRET = "zebra-4711"


@pytest.fixture(autouse=True)
def heals_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "HEAL_S", 0.1)


@contextlib.asynccontextmanager
async def serving(folder: Path, **changes: object) -> AsyncIterator[Scripted]:
    async with scripted_server(
        output_verification_enabled=True,
        output_verification_store=str(folder / "store" / "q.sqlite"),
        **changes,  # type: ignore[arg-type]
    ) as served:
        yield served


async def test_another_caller_does_not_find_it(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text("the-first-token-4711\nthe-second-token-4712\n")
    async with serving(
        tmp_path,
        auth_token_file=str(tokens),
        # Who shares caches is another question.
        cache_scope="server",
    ) as served:
        status = await submit(served, token="the-first-token-4711")
        assert (await get(served, status.id, "the-first-token-4711")).id == status.id
        with pytest.raises(aio.AioRpcError) as refused:
            await get(served, status.id, "the-second-token-4712")
    assert reason_of(refused.value) == "NOT_FOUND"


async def test_the_operator_says_from_how_many_bits_an_output_is_flagged(tmp_path: Path) -> None:
    async with serving(tmp_path, output_verification_flag_threshold_bits=100.0) as served:
        served.engine.answer = believes({})
        result = await result_of(served)
    assert result.flag_threshold_bits == 100.0
    assert 0.5 < result.risk_bits < 100.0
    assert not result.flagged


async def test_under_load_outputs_are_skipped_first_and_counted(tmp_path: Path) -> None:
    engine = ScriptedEngine()
    async with serving(
        tmp_path,
        engine=engine,
        output_verification_max_queued=1,
        max_claims=40,
        max_pending_claims=40,
        metrics_listen="127.0.0.1:0",
    ) as served:
        engine.hold()
        calls = asyncio.create_task(served.batch(*(f"claim {i}" for i in range(20))))
        await engine.until(lambda: len(engine.claims) == 20)
        overloaded = await submit(served)
        engine.release()
        await calls
        engine.hold()
        queued, full = await submit(served), await submit(served)
        page = await page_of(served)
        again = await get(served, full.id)
        engine.release()
        last = await end_of(served, queued.id)
    skipped = pb.VERIFICATION_STATE_SKIPPED
    assert (overloaded.state, overloaded.skip_reason) == (skipped, pb.SKIP_REASON_OVERLOADED)
    assert (full.state, full.skip_reason) == (skipped, pb.SKIP_REASON_QUEUE_FULL)
    assert again == full
    assert full.state_text
    assert last.state == pb.VERIFICATION_STATE_DONE
    for reason in ("OVERLOADED", "QUEUE_FULL"):
        counted = rf'^groundwire_outputs_total{{event="skipped".*reason="{reason}"}} 1.0$'
        assert re.search(counted, page, re.MULTILINE), page


async def test_outputs_that_come_at_once_do_not_overrun_the_queue(tmp_path: Path) -> None:
    engine = ScriptedEngine()
    async with serving(tmp_path, engine=engine, output_verification_max_queued=1) as served:
        engine.hold()
        statuses = await asyncio.gather(*(submit(served) for _ in range(8)))
        engine.release()
    states = [status.state for status in statuses]
    assert states.count(pb.VERIFICATION_STATE_QUEUED) == 1
    assert states.count(pb.VERIFICATION_STATE_SKIPPED) == 7


async def test_a_schema_that_takes_for_ever_is_in_nobodys_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "WORK_LIMIT_S", WAIT_LIMIT_S)
    schema = '{"pattern": "^(a+)+$"}'
    stated = pb.StatedFormat(json=pb.JsonFormat(schema=schema))
    async with serving(tmp_path) as served:
        status = await submit(served, f'"{"a" * 60}!"', format=stated)
        await until(served, status.id, pb.VERIFICATION_STATE_RUNNING)
        stub = HallucinationDetectionStub(served.channel)
        request = detection_pb.ExtractClaimsRequest(text=TOWER)
        assert (await stub.ExtractClaims(request, timeout=WAIT_LIMIT_S)).claims
        assert (await get(served, status.id)).state == pb.VERIFICATION_STATE_RUNNING


async def test_the_span_of_an_output_has_the_id_of_its_detection(
    tmp_path: Path, collector: Collector
) -> None:
    collector.spans.clear()
    async with serving(tmp_path, otlp_endpoint=collector.endpoint) as served:
        wanted = (await result_of(served)).report.run.detection_id
    marked = {
        span.name: attribute.value.string_value
        for span in collector.spans
        for attribute in span.attributes
        if attribute.key == "groundwire.detection_id"
    }
    assert marked == {"groundwire.output": wanted}


async def until_gone(served: Scripted, own_id: str) -> None:
    async with asyncio.timeout(WAIT_LIMIT_S):
        while True:
            await get(served, own_id)


async def test_texts_lie_in_a_file_of_this_user_only_until_they_are_old(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    folder = tmp_path / "store"
    async with serving(tmp_path, output_verification_retention="3s") as served:
        status = await submit(served, f"{TOWER} {SECRET}.", user(SECRET))
        assert (await end_of(served, status.id)).state == pb.VERIFICATION_STATE_DONE
        modes = {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
        assert modes == {0o600}
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        with pytest.raises(aio.AioRpcError) as refused:
            await until_gone(served, status.id)
    assert reason_of(refused.value) == "NOT_FOUND"
    assert SECRET not in caplog.text
    assert not any(SECRET.encode() in path.read_bytes() for path in folder.iterdir())


async def test_without_a_setting_outputs_lie_in_the_users_own_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    async with scripted_server(output_verification_enabled=True) as served:
        status = await submit(served)
        assert (await end_of(served, status.id)).state == pb.VERIFICATION_STATE_DONE
    store = tmp_path / ".local" / "share" / "groundwire" / "outputs.sqlite"
    assert stat.S_IMODE(store.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "address", ["mysql://user:SECRET@host/db", "postgresql://user:SECRET@host", "redis://SECRET"]
)
def test_an_address_that_cannot_be_used_is_not_repeated(address: str) -> None:
    with pytest.raises(ConfigError, match="output_verification_store") as refused:
        open_store(address)
    assert "SECRET" not in str(refused.value)


@pytest.mark.parametrize("query", ["", "?sslmode=prefer"])
def test_texts_leave_the_machine_in_plain_text_only_where_that_is_allowed(query: str) -> None:
    address = f"postgresql://user@db.example/outputs{query}"
    with pytest.raises(ConfigError, match="sslmode=verify-full"):
        open_store(address)
    open_store(address, allow_plaintext=True).close()
    open_store("postgresql://user@db.example/outputs?sslmode=verify-full").close()
    open_store("postgresql://user@127.0.0.1/outputs").close()


async def test_what_the_engine_died_on_is_finished_by_the_next_one(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        served.engine.answer = believes({TOWER: TOWER, RIVER: RIVER})
        served.engine.stuck.add(RIVER)
        status = await submit(served, f"{TOWER} {RIVER}")
        async for seen in watched(served, status.id):
            if seen.read_claims:
                break
        served.engine.die()
        async for seen in watched(served, status.id):
            if "put off" in seen.state_text:
                break
        assert seen.state == pb.VERIFICATION_STATE_QUEUED
    async with serving(tmp_path) as served:
        served.engine.answer = believes({TOWER: TOWER, RIVER: RIVER})
        last = await end_of(served, status.id)
    verdicts = [claim.verdict.verdict for claim in last.result.report.claims]
    assert verdicts == [detection_pb.VERDICT_SUPPORTED, detection_pb.VERDICT_UNSUPPORTED]


async def test_a_full_disk_under_the_queue_refuses_outputs_and_nothing_else(
    tmp_path: Path,
) -> None:
    with small_disk(tmp_path / "disk") as disk:
        async with serving(disk) as served:
            ballast = disk / "ballast"
            fill(ballast)
            long = user(" ".join(f"Line {i}." for i in range(5000)))
            with pytest.raises(aio.AioRpcError) as refused:
                await submit(served, TOWER, long)
            assert (await served.batch("claim")).estimates
            ballast.unlink()
            status = await submit(served, TOWER)
            assert (await end_of(served, status.id)).state == pb.VERIFICATION_STATE_DONE
    assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
    assert reason_of(refused.value) == "QUEUE_UNAVAILABLE"


async def test_a_store_that_cannot_be_written_is_refused_at_start() -> None:
    with pytest.raises(ConfigError, match=r"output_verification_store: /proc/nowhere"):
        async with scripted_server(
            output_verification_enabled=True, output_verification_store="/proc/nowhere/q.sqlite"
        ):
            pass


async def test_the_address_of_a_store_is_read_from_a_file_and_its_password_not_told(
    tmp_path: Path,
) -> None:
    file = tmp_path / "store"
    file.write_text("postgresql://user:secret@10.0.0.1/outputs\n")
    with pytest.raises(ConfigError, match="output_verification_store") as refused:
        async with scripted_server(
            output_verification_enabled=True, output_verification_store=f"file:{file}"
        ):
            pass
    assert "sslmode" in str(refused.value)
    assert "secret" not in str(refused.value)


async def test_without_its_packages_it_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "jsonschema", None)
    with pytest.raises(ConfigError, match=r"\[queue\]"):
        async with serving(tmp_path):
            pass

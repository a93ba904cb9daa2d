"""Quotas of tenants on a real server: who is refused, what it is told, and who is not."""

import asyncio
from pathlib import Path

import grpc
import httpx
import pytest
from google.rpc import error_details_pb2
from grpc import aio
from grpc_status import rpc_status

from groundwire_server.config.sources import ConfigError
from tests.scripted import (
    WAIT_LIMIT_S,
    Scripted,
    ScriptedEngine,
    reason_of,
    retry_s_of,
    scripted_server,
)
from tests.scripted_services.metrics import page_of, total
from tests.scripted_services.tenants import make_tokens, replace

ONE_IN_1000_S = 0.001
"""A rate at which nothing more comes back while a test runs."""


class Guarded:
    """Tokens of two tenants and their quotas, as settings of a server."""

    def __init__(self, folder: Path, quotas: str) -> None:
        self.tenants = folder / "tenants.yaml"
        self.tokens = folder / "tokens"
        self.acme, self.zeta, self.unknown = make_tokens(self.tokens, "acme", "zeta", "unknown")
        replace(self.tenants, quotas)
        self.settings: dict[str, object] = {
            "auth_token_file": self.tokens,
            "tenants_file": self.tenants,
        }


async def refused(served: Scripted, token: str, *claims: str) -> aio.AioRpcError:
    with pytest.raises(aio.AioRpcError) as caught:
        await served.batch(*claims, token=token)
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert reason_of(caught.value) == "QUOTA_EXCEEDED"
    return caught.value


def quota_of(error: aio.AioRpcError) -> dict[str, str]:
    """What the ErrorInfo says of the quota."""
    status, info = rpc_status.from_call(error), error_details_pb2.ErrorInfo()
    assert status is not None
    assert status.details[0].Unpack(info)
    return dict(info.metadata)


@pytest.mark.parametrize("quota", ["calls_per_s", "claims_per_s", "tokens_per_s"])
async def test_a_tenant_beyond_its_rate_is_told_which_and_when_to_come_again(
    tmp_path: Path, quota: str
) -> None:
    given = Guarded(tmp_path, f"tenants: {{acme: {{{quota}: {ONE_IN_1000_S}}}}}")
    async with scripted_server(**given.settings) as served:  # type: ignore[arg-type]
        await served.batch("first", token=given.acme)
        error = await refused(served, given.acme, "second")
        assert quota_of(error) == {"quota": quota, "limit": "0.001"}
        assert retry_s_of(error) > 500.0
        assert f"tenant acme has used its {quota}, which is 0.001" in str(error.details())
        assert served.engine.claims == ["first"]


async def test_the_tokens_of_one_tenant_have_one_quota(tmp_path: Path) -> None:
    given = Guarded(tmp_path, f"tenants: {{acme: {{calls_per_s: {ONE_IN_1000_S}}}}}")
    first, second = make_tokens(given.tokens, "acme", "acme")
    async with scripted_server(**given.settings) as served:  # type: ignore[arg-type]
        await served.batch("first", token=first)
        await refused(served, second, "second")


async def test_another_tenant_is_served_meanwhile(tmp_path: Path) -> None:
    given = Guarded(tmp_path, f"tenants: {{acme: {{calls_per_s: {ONE_IN_1000_S}}}, zeta: {{}}}}")
    async with scripted_server(**given.settings) as served:  # type: ignore[arg-type]
        await served.batch("first", token=given.acme)
        await refused(served, given.acme, "second")
        for number in range(5):
            await served.batch(f"zeta {number}", token=given.zeta)


async def test_tenants_that_are_not_named_have_each_the_defaults(tmp_path: Path) -> None:
    given = Guarded(tmp_path, f"defaults: {{calls_per_s: {ONE_IN_1000_S}}}")
    async with scripted_server(**given.settings) as served:  # type: ignore[arg-type]
        for token in (given.zeta, given.unknown):
            await served.batch("first", token=token)
            await refused(served, token, "second")


async def test_a_call_larger_than_a_rate_comes_in_and_is_paid_for_afterwards(
    tmp_path: Path,
) -> None:
    given = Guarded(tmp_path, f"tenants: {{acme: {{claims_per_s: {ONE_IN_1000_S}}}}}")
    async with scripted_server(**given.settings) as served:  # type: ignore[arg-type]
        await served.batch("a", "b", "c", token=given.acme)
        # Three were used of one, so the next one is there after three seconds of a thousand each.
        assert retry_s_of(await refused(served, given.acme, "d")) > 2500.0


async def test_what_the_engine_reads_for_a_call_that_is_left_is_paid_for(tmp_path: Path) -> None:
    given = Guarded(tmp_path, f"tenants: {{acme: {{tokens_per_s: {ONE_IN_1000_S}}}}}")
    async with scripted_server(**given.settings) as served:  # type: ignore[arg-type]
        engine = served.engine
        engine.hold()
        left = asyncio.create_task(served.batch("a", context="long " * 100, token=given.acme))
        await engine.until(lambda: engine.claims == ["a"])
        left.cancel()
        await engine.until(lambda: engine.cancelled == 1)
        engine.release()
        # Its tokens are in the engine's cache now, which costs nothing.
        error = await refused(served, given.acme, "a")
        assert quota_of(error)["quota"] == "tokens_per_s"
        assert retry_s_of(error) > 500_000.0
        assert engine.claims == ["a"]


async def test_a_tenant_holds_its_share_of_the_places_and_others_the_rest(tmp_path: Path) -> None:
    given = Guarded(tmp_path, "tenants: {acme: {queue_share: 0.5}}")
    most = {"max_claims": 4, "max_pending_claims": 4}
    async with scripted_server(**given.settings, **most) as served:  # type: ignore[arg-type]
        served.engine.hold()
        held = asyncio.create_task(served.batch("a", "b", token=given.acme))
        await served.engine.until(lambda: len(served.engine.claims) == 2)
        error = await refused(served, given.acme, "c")
        assert quota_of(error) == {"quota": "queue_share", "limit": "0.5"}
        other = asyncio.create_task(served.batch("d", "e", token=given.zeta))
        await served.engine.until(lambda: len(served.engine.claims) == 4)
        served.engine.release()
        assert [len((await call).estimates) for call in (held, other)] == [2, 2]
        # Its places are free again.
        await served.batch("f", token=given.acme)


async def test_over_http_it_is_429_with_the_time_to_wait(tmp_path: Path) -> None:
    given = Guarded(tmp_path, f"tenants: {{acme: {{calls_per_s: {ONE_IN_1000_S}}}}}")
    async with scripted_server(http_listen="127.0.0.1:0", **given.settings) as served:  # type: ignore[arg-type]
        assert served.running.http is not None
        path = f"http://{served.running.http.target}/groundwire.v1.VerifierBackend/BatchEstimate"
        async with httpx.AsyncClient(timeout=WAIT_LIMIT_S) as client:
            header = {"authorization": f"Bearer {given.acme}"}
            first, second = [
                await client.post(path, json={"claims": ["a"]}, headers=header) for _ in range(2)
            ]
    assert (first.status_code, second.status_code) == (200, 429)
    assert "QUOTA_EXCEEDED" in second.text
    assert int(second.headers["retry-after"]) > 500


async def test_a_backlog_of_one_tenant_does_not_stand_before_another(tmp_path: Path) -> None:
    """Counted in what the engine reads first; how it bounds the 95th percentile, the tests of
    scheduling show."""
    given = Guarded(tmp_path, "tenants: {acme: {}, zeta: {}}")
    before = {
        who: await reads_before(given, token)
        for who, token in (("another", given.zeta), ("itself", given.acme))
    }
    assert before["another"] <= 10
    assert before["itself"] > 50


async def reads_before(given: Guarded, token: str) -> int:
    """What is read before the last claim of a call with a token, behind 20 calls of acme.

    The engine reads one prompt at a time, and each is a step.
    """
    engine = ScriptedEngine()
    engine.block_tokens, engine.step_prompts, engine.step_tokens = 10_000, 1, 500
    async with scripted_server(engine=engine, **given.settings) as served:  # type: ignore[arg-type]
        engine.hold()
        calls = [
            asyncio.create_task(served.batch(*(f"{i}.{j}" for j in range(4)), token=given.acme))
            for i in range(20)
        ]
        await until_queued(served, 20)
        seen = len(engine.claims)
        calls.append(
            asyncio.create_task(served.batch("late", "later", "still", "last", token=token))
        )
        await until_queued(served, 21)
        engine.release()
        await asyncio.gather(*calls)
    return engine.claims.index("last") - seen


async def until_queued(served: Scripted, calls: int) -> None:
    queue = served.backend._ready().dispatcher
    async with asyncio.timeout(WAIT_LIMIT_S):
        while sum(len(lane.calls) for lane in queue._lanes.by_key.values()) < calls:  # noqa: ASYNC110
            await asyncio.sleep(0)


class TestMetrics:
    """What the page says of tenants."""

    async def test_it_names_the_tenants_of_the_file_and_calls_all_others_one(
        self, tmp_path: Path
    ) -> None:
        given = Guarded(tmp_path, f"tenants: {{acme: {{calls_per_s: {ONE_IN_1000_S}}}}}")
        async with scripted_server(metrics_listen="127.0.0.1:0", **given.settings) as served:  # type: ignore[arg-type]
            await served.batch("a", "b", token=given.acme)
            await refused(served, given.acme, "c")
            for token in (given.zeta, given.unknown):
                await served.batch("a", token=token)
            page = await page_of(served)
            for tenant, claims in (("acme", 2), ("other", 2)):
                name = "groundwire_tenant_claims_total"
                assert await total(served, name, tenant=tenant) == claims
                assert await total(served, "groundwire_tenant_tokens_total", tenant=tenant) > 0
                name = "groundwire_tenant_pending_claims"
                assert await total(served, name, tenant=tenant) == 0
            name = "groundwire_tenant_refusals_total"
            assert await total(served, name, tenant="acme", quota="calls_per_s") == 1
            name = "groundwire_tenant_call_duration_seconds_count"
            assert await total(served, name, tenant="acme", code="OK") == 1
            assert await total(served, name, tenant="other", code="OK") == 2
        for hidden in ("zeta", "unknown", given.acme, given.zeta):
            assert hidden not in page

    async def test_without_tokens_it_knows_no_tenant(self) -> None:
        async with scripted_server(metrics_listen="127.0.0.1:0") as served:
            await served.batch("a")
            assert "tenant" not in await page_of(served)


async def test_quotas_without_tokens_are_refused_at_the_start(tmp_path: Path) -> None:
    replace(tmp_path / "tenants.yaml", "tenants: {acme: {}}")
    with pytest.raises(ConfigError, match=r"tenants_file is set, .* set auth_token_file"):
        async with scripted_server(tenants_file=tmp_path / "tenants.yaml"):
            pass

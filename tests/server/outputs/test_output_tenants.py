"""Outputs of tenants: what they use of the queue and of their tokens, which others do not feel."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from grpc import aio

from groundwire.v1 import output_verification_pb2 as pb
from groundwire_server.features.outputs import output_verification
from tests.scripted import Scripted, reason_of, scripted_server
from tests.scripted_services.metrics import total
from tests.scripted_services.outputs import TOWER, end_of, submit
from tests.scripted_services.tenants import make_tokens, replace


class Tenants:
    """Two tenants, and servers that verify their outputs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.acme, self.zeta = make_tokens(folder / "tokens", "acme", "zeta")

    @contextlib.asynccontextmanager
    async def served(self, quota: str, **changes: object) -> AsyncIterator[Scripted]:
        """A server with a quota of acme."""
        replace(self.folder / "tenants.yaml", f"tenants: {{acme: {{{quota}}}}}")
        async with scripted_server(
            output_verification_enabled=True,
            output_verification_store=str(self.folder / "store" / "q.sqlite"),
            output_verification_max_queued=4,
            auth_token_file=self.folder / "tokens",
            tenants_file=self.folder / "tenants.yaml",
            metrics_listen="127.0.0.1:0",
            **changes,  # type: ignore[arg-type]
        ) as served:
            yield served


@pytest.fixture
def tenants(tmp_path: Path) -> Tenants:
    return Tenants(tmp_path)


async def test_a_tenant_has_its_share_of_the_queue_and_others_the_rest(tenants: Tenants) -> None:
    async with tenants.served("queue_share: 0.5") as served:
        served.engine.hold()
        mine = [await submit(served, token=tenants.acme) for _ in range(2)]
        with pytest.raises(aio.AioRpcError) as caught:
            await submit(served, token=tenants.acme)
        assert reason_of(caught.value) == "QUOTA_EXCEEDED"
        other = await submit(served, token=tenants.zeta)
        assert other.state == pb.VERIFICATION_STATE_QUEUED
        served.engine.release()
        for status in mine:
            await end_of(served, status.id, tenants.acme)
        # Its places are free again.
        again = await submit(served, token=tenants.acme)
        assert again.state == pb.VERIFICATION_STATE_QUEUED


async def test_outputs_of_a_tenant_that_come_at_once_do_not_overrun_its_share(
    tenants: Tenants,
) -> None:
    stated = pb.StatedFormat(json=pb.JsonFormat(schema='{"type": "string"}'))
    async with tenants.served("queue_share: 0.5") as served:
        served.engine.hold()
        came = await asyncio.gather(
            *(submit(served, token=tenants.acme, format=stated) for _ in range(4)),
            return_exceptions=True,
        )
        other = await submit(served, token=tenants.zeta)
        served.engine.release()
    refused = [each for each in came if isinstance(each, aio.AioRpcError)]
    assert [reason_of(error) for error in refused] == ["QUOTA_EXCEEDED"] * 2
    assert other.state == pb.VERIFICATION_STATE_QUEUED


async def test_large_outputs_of_a_tenant_leave_others_their_bytes_of_the_queue(
    tenants: Tenants, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = f"{TOWER} " * 200
    monkeypatch.setattr(output_verification, "MAX_QUEUED_BYTES", 20_000)
    async with tenants.served("queue_share: 0.5") as served:
        served.engine.hold()
        mine = await submit(served, large, token=tenants.acme)
        with pytest.raises(aio.AioRpcError) as caught:
            await submit(served, large, token=tenants.acme)
        assert reason_of(caught.value) == "QUOTA_EXCEEDED"
        other = await submit(served, large, token=tenants.zeta)
        served.engine.release()
        await end_of(served, mine.id, tenants.acme)
        again = await submit(served, large, token=tenants.acme)
    queued = pb.VERIFICATION_STATE_QUEUED
    assert [each.state for each in (mine, other, again)] == [queued] * 3


async def test_what_is_computed_in_the_background_is_its_tenants(tenants: Tenants) -> None:
    async with tenants.served("tokens_per_s: 0.001") as served:
        status = await submit(served, token=tenants.acme)
        assert (await end_of(served, status.id, tenants.acme)).state == pb.VERIFICATION_STATE_DONE
        name = "groundwire_tenant_tokens_total"
        assert await total(served, name, tenant="acme") > 0
        assert await total(served, name, tenant="other") == 0
        with pytest.raises(aio.AioRpcError) as caught:
            await submit(served, token=tenants.acme)
        assert reason_of(caught.value) == "QUOTA_EXCEEDED"
        await submit(served, token=tenants.zeta)

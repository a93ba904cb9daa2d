"""Tenants by way of HTTP, whose callers all have one way to the server."""

import asyncio
from pathlib import Path

import pytest

from groundwire_server import app
from tests.scripted_services.metrics import total
from tests.server.access.test_quotas import ONE_IN_1000_S, Guarded
from tests.server.http.door import BACKEND, BATCH, http_server, reason_in


async def test_many_calls_of_a_tenant_keep_neither_others_nor_probes_from_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "MAX_CALLS_OF_CONNECTION", 2)
    given = Guarded(tmp_path, "tenants: {acme: {queue_share: 0.5}}")
    acme, zeta = ({"authorization": f"Bearer {token}"} for token in (given.acme, given.zeta))
    async with http_server(max_pending_calls=8, **given.settings) as door:
        engine = door.served.engine
        engine.hold()
        bodies = [{"claims": [f"claim {i}"]} for i in range(4)]
        held = [asyncio.create_task(door.post(BATCH, body, acme)) for body in bodies]
        await engine.until(lambda: len(engine.claims) == 4)
        beyond = await door.post(BATCH, {"claims": ["one more"]}, acme)
        other = await door.post(f"{BACKEND}/GetServerInfo", {}, zeta)
        probe = await door.post("/grpc.health.v1.Health/Check", {})
        engine.release()
        done = await asyncio.gather(*held)
    assert reason_in(beyond) == "QUOTA_EXCEEDED"
    assert [each.status_code for each in (other, probe, *done)] == [200] * 6


@pytest.mark.parametrize("path", [BATCH, "/v1/hallucination-check"])
async def test_json_that_cannot_be_read_is_a_call_of_its_tenant(tmp_path: Path, path: str) -> None:
    given = Guarded(tmp_path, f"defaults: {{calls_per_s: {ONE_IN_1000_S}}}")
    acme, zeta = ({"authorization": f"Bearer {token}"} for token in (given.acme, given.zeta))
    async with http_server(**given.settings) as door:
        first, second = [await door.post(path, ["no object"], acme) for _ in range(2)]
        other = await door.post(BATCH, {"claims": ["a"]}, zeta)
        again = await door.post(path, ["no object"], zeta)
    assert (first.status_code, other.status_code) == (400, 200)
    for refused in (second, again):
        assert refused.status_code == 429
        assert "QUOTA_EXCEEDED" in refused.text
        assert int(refused.headers["retry-after"]) > 500


async def test_what_is_open_to_all_is_a_call_of_nobody(tmp_path: Path) -> None:
    given = Guarded(tmp_path, f"defaults: {{calls_per_s: {ONE_IN_1000_S}}}")
    async with http_server(**given.settings) as door:
        probes = [await door.post("/grpc.health.v1.Health/Check", {}) for _ in range(3)]
    assert [probe.status_code for probe in probes] == [200] * 3


async def test_what_the_door_refuses_is_counted_for_its_tenant(tmp_path: Path) -> None:
    given = Guarded(tmp_path, f"tenants: {{acme: {{calls_per_s: {ONE_IN_1000_S}}}}}")
    acme = {"authorization": f"Bearer {given.acme}"}
    async with http_server(metrics_listen="127.0.0.1:0", **given.settings) as door:
        for path in ("/v1/hallucination-check", BATCH):
            await door.post(path, ["no object"], acme)
        for path in (BATCH, "/grpc.health.v1.Health/Check"):
            await door.post(path, ["no object"])
        name = "groundwire_tenant_call_duration_seconds_count"
        for code in ("INVALID_ARGUMENT", "RESOURCE_EXHAUSTED"):
            assert await total(door.served, name, tenant="acme", code=code) == 1
        assert await total(door.served, name) == 2

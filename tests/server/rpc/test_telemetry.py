"""What operators see of calls: their latency target, which backends serve, and ids that join."""

import json
import logging
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from groundwire_server.records.log_lines import formatter
from groundwire_server.rpc import telemetry
from tests.collector import Collector
from tests.scripted import Scripted, scripted_server
from tests.scripted_services.detection import documents, verify_answer
from tests.scripted_services.metrics import total
from tests.scripted_services.outputs import result_of

SHARE = "groundwire_call_target_share"


def with_outputs(folder: Path, **changes: object) -> AbstractAsyncContextManager[Scripted]:
    """A server that verifies outputs in the background."""
    store = str(folder / "outputs.sqlite")
    return scripted_server(
        output_verification_enabled=True,
        output_verification_store=store,
        **changes,  # type: ignore[arg-type]
    )


async def within(served: Scripted, share: str, **labels: str) -> float:
    """Calls that took at most this share of their target."""
    return await total(served, f"{SHARE}_bucket", le=share, **labels)


async def test_calls_are_measured_by_their_latency_target_and_their_claims() -> None:
    async with scripted_server(metrics_listen="127.0.0.1:0") as served:
        await served.batch("one")
        await served.batch("one", "two", "three")
        await served.batch(*(f"claim {i}" for i in range(65)))
        bands = [
            await total(served, f"{SHARE}_count", method="BatchEstimate", claims=claims)
            for claims in ("0-1", "2-4", "5-16", "17-64", "65-")
        ]
        all_within = await within(served, "+Inf")
    assert bands == [1, 1, 0, 0, 1]
    assert all_within == 3


async def test_a_call_that_takes_longer_than_its_target_is_told_from_one_that_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with scripted_server(metrics_listen="127.0.0.1:0") as served:
        monkeypatch.setattr(telemetry, "target_s", lambda claims: 1000.0 * claims)
        await served.batch("in time", "too")
        monkeypatch.setattr(telemetry, "target_s", lambda _: 1e-6)
        await served.batch("late")
        in_time = await within(served, "1.0"), await within(served, "+Inf")
    assert in_time == (1, 2)


async def test_what_nobody_waits_for_has_no_target(tmp_path: Path) -> None:
    async with with_outputs(tmp_path, metrics_listen="127.0.0.1:0") as served:
        await result_of(served)
        assert await total(served, "groundwire_verdicts_total") > 0
        assert await total(served, f"{SHARE}_count") == 0


async def test_the_page_says_whether_a_backend_serves() -> None:
    name = "groundwire_backend_serving"
    async with scripted_server(metrics_listen="127.0.0.1:0", loaded=False) as served:
        before = await total(served, name, backend="local")
        await served.backend.start()
        after = await total(served, name, backend="local")
        served.engine.die()
        await served.backend.wait_failed()
        failed = await total(served, name, backend="local")
    assert (before, after, failed) == (0, 1, 0)


@pytest.mark.parametrize("form", ["text", "json"])
async def test_a_line_that_is_logged_for_a_call_has_the_ids_of_its_span(
    collector: Collector, caplog: pytest.LogCaptureFixture, form: str
) -> None:
    collector.spans.clear()
    caplog.handler.setFormatter(formatter(form))
    with caplog.at_level(logging.INFO):
        async with scripted_server(otlp_endpoint=collector.endpoint) as served:
            await verify_answer(served, "The river rose.", documents("It rose."))
    (line,) = [line for line in caplog.text.splitlines() if "groundwire.detections" in line]
    (call,) = [span for span in collector.spans if span.name.endswith("VerifyAnswer")]
    ids = {"trace_id": call.trace_id.hex(), "span_id": call.span_id.hex()}
    if form == "json":
        assert ids.items() <= json.loads(line).items()
    else:
        assert line.endswith(f" trace_id={ids['trace_id']} span_id={ids['span_id']}")


async def test_work_in_the_background_links_to_the_call_that_asked_for_it(
    collector: Collector, tmp_path: Path
) -> None:
    collector.spans.clear()
    async with with_outputs(tmp_path, otlp_endpoint=collector.endpoint) as served:
        await result_of(served)
    (call,) = [span for span in collector.spans if span.name.endswith("SubmitVerification")]
    (work,) = [span for span in collector.spans if span.name == "groundwire.output"]
    (link,) = work.links
    assert (link.trace_id, link.span_id) == (call.trace_id, call.span_id)
    # It has a trace of its own: what waits for hours in a queue is no part of the call's time.
    assert (work.parent_span_id, work.trace_id != call.trace_id) == (b"", True)

"""What is counted of assessments, on the Prometheus page."""

from tests.scripted_services.assessment import COLD, OTHER_WEATHER, assess, assessing, think
from tests.scripted_services.metrics import total


async def test_actions_and_layers_are_counted() -> None:
    async with assessing(metrics_listen="127.0.0.1:0") as served:
        think(served)
        await assess(served, COLD, OTHER_WEATHER)
        await assess(served, "Les Gets has gentle slopes.")
        actions = await total(served, "groundwire_assessments_total")
        ran = await total(
            served, "groundwire_assessment_layers_total", layer="DETAILED", state="RAN"
        )
        skipped = await total(
            served, "groundwire_assessment_layers_total", layer="DETAILED", reason="NOT_FLAGGED"
        )
        timed = await total(
            served, "groundwire_assessment_layer_duration_seconds_count", layer="HEURISTIC"
        )
    assert (actions, ran, skipped, timed) == (2, 1, 1, 2)

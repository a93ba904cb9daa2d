"""What bench.latency computes for more cores than it was measured on."""

import dataclasses

import pytest

from bench.latency import COLD, Measured, Sample, report, seconds_per_token, summarise
from bench.tools.common import describe_run

S_PER_TOKEN = 0.002


def call(context_tokens: int, claims: int) -> Sample:
    tokens = context_tokens + 30 * claims
    inference_s = 0.05 + S_PER_TOKEN * tokens
    return Sample(COLD, context_tokens, claims, inference_s + 0.01, 0, 0, inference_s, tokens, 0)


def measured(samples: list[Sample], cores: int = 2) -> Measured:
    run = describe_run(quick=False)
    run = dataclasses.replace(run, machine=dataclasses.replace(run.machine, cores=cores))
    return Measured(run, "a server", summarise(samples), 1.0, seconds_per_token(samples))


def test_more_cores_share_the_tokens_and_nothing_else() -> None:
    found = measured([call(100, 1), call(300, 10), call(1200, 32)])
    assert found.s_per_token == pytest.approx(S_PER_TOKEN)
    for cell in found.cells:
        shared_s = S_PER_TOKEN * cell.computed_tokens
        assert found.on_cores(cell, 2) == cell.p95_s
        assert found.on_cores(cell, 4) == pytest.approx(0.06 + shared_s / 2)
        assert found.on_cores(cell, 8) == pytest.approx(0.06 + shared_s / 4)


def test_the_report_says_which_cells_more_cores_would_keep_in_time() -> None:
    text = report(measured([call(600, 1), call(100, 1), call(2400, 1)]))
    assert "computed, not measured" in text
    assert "| cold | 600 | 1 | 630 | **1,320** | **690** | 375 |" in text


def test_no_figure_is_computed_for_fewer_cores_than_were_measured() -> None:
    text = report(measured([call(600, 1), call(100, 1)], cores=6))
    assert "| computed tokens | 6 cores | 8 cores |" in text

"""The made record has its patterns, and the bench counts those found and those missed."""

import json
from pathlib import Path

from bench.patterns import called_drifting, find_planted, made_record, report_on


def test_all_that_is_planted_in_a_small_record_is_found_but_not_in_half_of_it(
    tmp_path: Path,
) -> None:
    lines = [f"{json.dumps(line)}\n" for line in made_record(2_000)]
    whole, half = tmp_path / "whole.jsonl", tmp_path / "half.jsonl"
    whole.write_text("".join(lines))
    half.write_text("".join(lines[:1_000]))
    assert [each.what for each in find_planted(report_on(whole)) if not each.found] == []
    missed = [each.what for each in find_planted(report_on(half)) if not each.found]
    assert missed == [
        "week in which the share falls, alone",
        "week in which the label mass falls, alone",
    ]


def test_a_share_that_falls_is_called_drift_and_one_that_stays_is_not() -> None:
    assert called_drifting(0.3, 3, 2_000).found == 3
    assert called_drifting(0.0, 3, 2_000).found == 0

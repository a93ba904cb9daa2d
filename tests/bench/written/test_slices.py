"""Figures by kind, language and length."""

import json
from dataclasses import replace

import pytest

from bench.tools.quality_figures import Figures
from bench.tools.written.figures import (
    KINDS,
    slices_of,
)
from bench.tools.written.kinds import KIND_GROUPS

RIGHT = Figures(
    "a", 0, True, 0.5, p1=0.9, p0=0.1, verdict="SUPPORTED", contradicted=False, kind="number",
    language="de", context_characters=700,
)  # fmt: skip
WRONG = replace(RIGHT, id="b", context=1, supported=False, p1=0.2, verdict="CONTRADICTED")


def test_no_kind_is_in_two_groups() -> None:
    groups = json.loads(KIND_GROUPS.read_text(encoding="utf-8"))
    kinds = [kind for group in groups.values() for kind in group]
    assert len(kinds) == len(set(kinds))


def test_a_slice_says_what_its_rows_are_told() -> None:
    told = [
        RIGHT,
        replace(RIGHT, id="c", context=2, verdict="UNSUPPORTED"),
        replace(WRONG, contradicted=True),
        replace(WRONG, id="d", context=3, contradicted=False),
        replace(WRONG, id="e", context=4, verdict="SUPPORTED", contradicted=True),
    ]
    (found,) = slices_of({"a set": told}, 50)[KINDS]
    assert (found.name, found.rows, found.supported) == ("number", 5, 2)
    assert found.auroc.value == 1.0
    assert found.overlap_auroc.value == 0.5
    assert found.recall == pytest.approx(1 / 2)
    assert found.false_supported == pytest.approx(1 / 3)
    assert (found.contradicted, found.not_borne, found.against) == (2, 1.0, 0.5)

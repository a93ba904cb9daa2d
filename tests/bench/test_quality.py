"""The quality bench: what it asks, and what it tells."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench.quality import main
from bench.tools.common import EXIT_FAILED, EXIT_OK
from bench.tools.labelled import MEAN_SETS
from bench.tools.written.twins import KIND_GROUPS, kind_groups

KIND, GROUP = next(iter(kind_groups().items()))


class Bench:
    """Runs the bench on rows of our own, in the place of the shared data."""

    def __init__(self, folder: Path, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder, self._target, self._monkeypatch = folder, target, monkeypatch
        (folder / "data").mkdir()
        monkeypatch.setenv("GROUNDWIRE_SHARED", str(folder))
        self.out = folder / "out"

    def run(self, *sets: str, rows: list[dict[str, object]]) -> int:
        for name in sets:
            lines = [json.dumps({"split": "dev", "meta": {}, **row}) + "\n" for row in rows]
            (self._folder / "data" / f"{name}.jsonl").write_text("".join(lines), "utf-8")
        flags = ["--target", self._target, "--sets", *sets, "--out", str(self.out)]
        self._monkeypatch.setattr("sys.argv", ["quality", *flags])
        return main()

    @property
    def found(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.out / "quality.json").read_text("utf-8"))
        return found

    @property
    def text(self) -> str:
        return (self.out / "quality.md").read_text("utf-8")


@pytest.fixture
def bench(tmp_path: Path, scripted_target: str, monkeypatch: pytest.MonkeyPatch) -> Bench:
    return Bench(tmp_path, scripted_target, monkeypatch)


def rows(count: int = 12, **more: object) -> list[dict[str, object]]:
    return [
        {"id": f"r{i}", "context": f"Context {i}.", "claim": f"Statement {i}.", "label": i % 2}
        | more
        for i in range(count)
    ]


def test_no_kind_is_in_two_groups_and_the_groups_are_few() -> None:
    groups = json.loads(KIND_GROUPS.read_text(encoding="utf-8"))
    kinds = [kind for group in groups.values() for kind in group]
    assert len(kinds) == len(set(kinds))
    assert len(groups) <= 20


def test_figures_stand_by_set_by_group_of_kinds_and_by_language(bench: Bench) -> None:
    meta = {"kind": KIND, "lang": "de-en"}
    assert bench.run("hebnli", "fm2", rows=rows(meta=meta)) == EXIT_OK
    assert [each["name"] for each in bench.found["sets"]] == ["hebnli", "fm2"]
    assert [(each["name"], each["rows"]) for each in bench.found["kinds"]] == [(GROUP, 24)]
    assert [each["name"] for each in bench.found["languages"]] == ["source and claim differ"]
    assert "| fm2 | 12 | 6 |" in bench.text
    assert f"| {GROUP} | 24 | 12 |" in bench.text


def test_a_set_without_languages_has_its_own(bench: Bench) -> None:
    assert bench.run("hebnli", "fm2", rows=rows()) == EXIT_OK
    assert {each["name"] for each in bench.found["languages"]} == {"he", "en"}


def test_the_mean_needs_all_of_its_sets(bench: Bench) -> None:
    assert bench.run("fm2", "hebnli", rows=rows(4)) == EXIT_OK
    assert "mean AUROC" not in bench.text
    assert bench.run(*MEAN_SETS, "hebnli", rows=rows(4)) == EXIT_OK
    # The scripted engine reads all claims alike.
    assert "equal weights: p1 0.500" in bench.text


def test_a_row_without_a_probability_is_named_and_the_bench_goes_on(
    bench: Bench, unreadable: str
) -> None:
    lost: dict[str, object] = {"id": "x", "context": "C.", "claim": unreadable, "label": 0}
    assert bench.run("fm2", rows=[*rows(4), lost]) == EXIT_OK
    assert "- NOT_VERIFIED, LABEL_MASS_BELOW_FLOOR: x" in bench.text


def test_a_run_in_which_nothing_was_verified_fails(bench: Bench, unreadable: str) -> None:
    claims: list[dict[str, object]] = [
        {"id": f"x{label}", "context": "C.", "claim": unreadable, "label": label}
        for label in (0, 1)
    ]
    assert bench.run("fm2", rows=claims) == EXIT_FAILED


def test_the_results_hold_no_text(bench: Bench) -> None:
    assert bench.run("hebnli", rows=rows(6)) == EXIT_OK
    assert [row["id"] for row in bench.found["rows_by_set"]["hebnli"]] == [
        f"r{i}" for i in range(6)
    ]
    assert {path.name for path in bench.out.iterdir()} == {
        "quality.json",
        "quality.md",
        "quality.html",
    }
    for path in bench.out.iterdir():
        text = path.read_text("utf-8")
        assert "Statement" not in text
        assert "Context 1" not in text

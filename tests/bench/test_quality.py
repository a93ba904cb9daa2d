"""The quality bench: what it asks, what it counts, and what it tells."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from bench.quality import ask, main
from bench.tools.labelled import Row, calls_for
from bench.tools.quality_figures import (
    DIFFERENCE,
    FAILED,
    GAP,
    P1,
    Figures,
    SetFigures,
    scores_of,
    summarise,
)
from groundwire import Client, Span

RESAMPLES = 50


def row(identity: str, claim: str, context: str, number: int = 0, supported: bool = True) -> Row:
    return Row(identity, context, number, claim, supported, (Span(0, len(context)),))


def read(
    identity: str, supported: bool, p1: float, p0: float, context: int = 0, *, gap: float = 0.5
) -> Figures:
    verdict = ("SUPPORTED", "BUDGET_COVERED")
    return Figures(identity, context, supported, 0.5, p1, p0, p1, gap, 0.9, 0.8, *verdict)


def figures_of(rows: Sequence[Figures]) -> SetFigures:
    (found,), _ = summarise({"fm2": rows}, RESAMPLES)
    return found


def test_figures_are_those_of_the_server_in_the_order_of_the_rows(
    scripted_client: Client, unreadable: str
) -> None:
    rows = [
        row("a", "The sky is blue.", "The sky was blue."),
        row("b", unreadable, "The sky was blue.", supported=False),
    ]
    found = ask(scripted_client, "fm2", calls_for(rows, 10))

    assert [(f.id, f.supported, f.error) for f in found] == [("a", True, None), ("b", False, None)]
    assert found[0].p1 == found[0].p0 == pytest.approx(0.75)
    assert found[0].label_mass_p1 == pytest.approx(0.8)
    assert found[0].gap_bits is not None
    assert found[0].word_overlap == pytest.approx(3 / 4)
    assert (found[1].p1, found[1].verdict) == (None, "NOT_VERIFIED")
    assert found[1].reason == "LABEL_MASS_BELOW_FLOOR"


def test_a_call_that_fails_keeps_its_rows_with_the_error(scripted_client: Client) -> None:
    rows = [
        row("a", "First.", "word " * 100_000),
        row("b", "Second.", "word " * 100_000),
        row("c", "The sky is blue.", "The sky was blue.", 1, supported=False),
    ]
    found = ask(scripted_client, "fm2", calls_for(rows, 10))
    figures = figures_of(found)

    assert [f.id for f in found] == ["a", "b", "c"]
    assert figures.rows == 3
    assert figures.read == 1
    assert figures.verdicts[FAILED] == (2, 0)
    ((error, ids),) = figures.errors.items()
    assert error.startswith("CONTEXT_TOO_LONG")
    assert ids == ("a", "b")


def test_a_row_without_a_probability_counts_as_a_half_and_not_as_supported() -> None:
    lost = Figures("a", 0, True, 0.5, error="UNAVAILABLE: gone")
    scores = scores_of([lost])
    assert (scores[P1][0], scores[DIFFERENCE][0]) == (0.5, 0.0)
    # KL(.95 || .5) in bits, since nothing is observed.
    assert scores[GAP][0] == pytest.approx(-0.7136, abs=1e-4)

    figures = figures_of([lost, read("b", False, 0.1, 0.1, 1)])
    assert figures.balanced_accuracy.value == 0.5
    assert figures.brier == pytest.approx((0.25 + 0.01) / 2)
    assert figures.means["p1_supported"] is None
    assert figures.means["p1_unsupported"] == pytest.approx(0.1)


def test_what_the_prior_adds_is_the_difference_of_the_aurocs() -> None:
    rows = [read("a", True, 0.6, 0.1, 0), read("b", False, 0.7, 0.7, 1)]
    figures = figures_of(rows)
    assert figures.auroc[P1].value == 0.0
    assert figures.auroc[DIFFERENCE].value == 1.0
    assert figures.auroc_gain[DIFFERENCE].value == 1.0


def test_the_bench_runs_against_a_server_and_keeps_no_text(
    scripted_target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    rows = [
        {"id": f"r{i}", "context": f"Context {i}.", "claim": f"Statement {i}.", "label": i % 2}
        for i in range(6)
    ]
    lines = [json.dumps({**r, "split": "dev", "meta": {}}) + "\n" for r in rows]
    (data / "hebnli.jsonl").write_text("".join(lines), "utf-8")
    monkeypatch.setenv("GROUNDWIRE_SHARED", str(tmp_path))
    out = tmp_path / "out"
    monkeypatch.setattr(
        "sys.argv", ["quality", "--target", scripted_target, "--sets", "hebnli", "--out", str(out)]
    )

    assert main() == 0

    text = (out / "quality.json").read_text("utf-8")
    found = json.loads(text)["rows_by_set"]["hebnli"]
    assert [r["id"] for r in found] == [f"r{i}" for i in range(6)]
    assert "Statement" not in text
    assert "Context 1" not in text
    assert {p.name for p in out.iterdir()} == {
        "quality.json",
        "quality.md",
        "reliability.png",
        "risk_coverage.png",
    }

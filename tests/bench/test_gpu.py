"""What the bench on a GPU measures first, how its minutes are shared out, and what it reports."""

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

import bench.gpu.__main__ as program
from bench.gpu.measuring import OURS, Alone, Loaded, alone, at_rate
from bench.gpu.plan import BF16, FP8, Budget, Cell, setups
from bench.gpu.report import Result, Row, operations, report
from bench.load import OK, Sample
from bench.tools.common import BenchError, describe_run
from bench.tools.contenders import CallFailedError, Contender, Cost
from bench.tools.corpus import Corpus
from bench.tools.shapes import SHAPES, layer_weights

SETUP = setups(["8B"], [BF16])[0]
CELL = Cell(1000, 16)


class Clock:
    """A clock that is set by hand."""

    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


class Numbered:
    """Stands for the corpus: contexts and claims are numbers."""

    def __init__(self, model: str = "") -> None:
        self.model = model
        self.handed_out: list[str] = []

    def context(self, tokens: int) -> str:
        self.handed_out.append(f"{len(self.handed_out)}: {tokens} tokens")
        return self.handed_out[-1]

    def claims(self, count: int) -> list[str]:
        return [f"claim {i}" for i in range(count)]


class Way:
    """Stands for a server: answers after so many seconds, or not at all."""

    def __init__(self, seconds: float = 0.0, *, fails: bool = False) -> None:
        self.seconds, self.fails, self.contexts = seconds, fails, list[str]()

    async def ask(self, claims: Sequence[str], context: str, timeout_s: float) -> Cost:
        self.contexts.append(context)
        await asyncio.sleep(self.seconds)
        if self.fails:
            raise CallFailedError("HTTP 500")
        return Cost(prompt_tokens=400, cached_tokens=100)


def measured(**ways: Way) -> Alone:
    given = {name: cast(Contender, way) for name, way in ways.items()}
    return asyncio.run(alone(given, cast(Corpus, Numbered()), CELL, repeats=3))


class Bench:
    """The program on a machine of the test's: `servers` are the ways to ask, or why none start."""

    def __init__(self, patch: pytest.MonkeyPatch, folder: Path) -> None:
        self.servers: dict[str, Mapping[str, Way] | BenchError] = {}
        self._folder = folder
        self._patch = patch
        patch.setenv("HF_HUB_OFFLINE", "1")
        patch.setattr(program, "has_cpu_build", lambda: False)
        patch.setattr(program, "write_shape", lambda shape, folder: shape)
        patch.setattr(program, "Corpus", Numbered)
        patch.setattr(program, "both_servers", self._both_servers)

    def run(self, *flags: str) -> tuple[int, dict[str, Any]]:
        """Its exit code and its result."""
        arguments = ["bench.gpu", "--quick", "--out", str(self._folder), *flags]
        self._patch.setattr(sys, "argv", arguments)
        code = program.main()
        return code, json.loads((self._folder / "gpu.json").read_text(encoding="utf-8"))

    @contextlib.asynccontextmanager
    async def _both_servers(
        self, corpus: Numbered, quantization: str | None, _start_timeout_s: float
    ) -> AsyncIterator[Mapping[str, Way]]:
        servers = self.servers.get(
            f"{corpus.model} {quantization}", {OURS: Way(), "scoring": Way()}
        )
        if isinstance(servers, BenchError):
            raise servers
        yield servers


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Bench:
    return Bench(monkeypatch, tmp_path)


def measured_in(result: Mapping[str, Any]) -> list[tuple[str, str, int, int]]:
    return [(*row["setup"].values(), *row["cell"].values()) for row in result["rows"]]


def row(p95_s: float = 0.06, goodput: Loaded | None = None) -> Row:
    figures = Alone(12, 0.05, p95_s, 1500.0, "scoring", 1.25)
    return Row(SETUP, CELL, figures, goodput, goodput)


def sample(latency_s: float, at_s: float = 0.0, outcome: str = OK) -> Sample:
    return Sample(at_s, 1, 300, 0.6, latency_s, outcome, 400, 100)


def test_nothing_begins_once_the_time_is_over() -> None:
    clock = Clock()
    budget = Budget(600.0, clock)
    share = budget.share(1)
    share.started()
    clock.now_s += 599.0
    assert share.is_open()
    clock.now_s += 1.0
    assert not share.is_open()
    assert not budget.has_room_for_a_start()


def test_a_setup_gets_an_equal_share_of_what_is_left() -> None:
    clock = Clock()
    share = Budget(600.0, clock).share(6)
    clock.now_s += 40.0
    assert share.started() == 40.0
    clock.now_s += 59.0
    assert share.is_open()
    clock.now_s += 1.0
    assert not share.is_open()


def test_servers_that_would_start_too_late_are_not_started() -> None:
    clock = Clock()
    budget = Budget(600.0, clock)
    clock.now_s += 70.0
    budget.started(70.0)
    clock.now_s += 450.0
    assert budget.has_room_for_a_start()
    clock.now_s += 10.0
    assert not budget.has_room_for_a_start()


def test_a_token_takes_two_operations_a_weight_and_what_it_looks_back_on() -> None:
    shape = SHAPES["8B"]
    linear = 2.0 * layer_weights(shape)
    a_token_back = 4.0 * shape.heads * shape.head_width * shape.layers
    # The context's look back on half of it in the mean, and the claims' on all.
    expected = 1200 * linear + (1000 * 500 + 200 * 1000) * a_token_back
    assert operations(shape, 1000, 1200.0) == pytest.approx(expected)
    assert operations(shape, 1000, 0.0) == 0.0


def test_an_unknown_gpu_has_no_share_and_the_report_tells() -> None:
    run = describe_run(quick=False)
    result = Result(replace(run, machine=replace(run.machine, gpus="Tesla T4")), [row()])
    assert "| - | - | 1.25 (scoring) |" in report(result)
    assert "left out: share of peak: that of Tesla T4 is not known" in report(result)


def test_the_ratio_is_to_the_faster_way_to_ask_vllm() -> None:
    found = measured(groundwire=Way(), completions=Way(0.5), scoring=Way(0.02))
    assert found.other == "scoring"
    assert found.ratio is not None
    assert found.computed_tokens == 300


def test_a_call_of_ours_that_fails_stops_the_cell() -> None:
    with pytest.raises(BenchError, match="context 1,000, N = 16"):
        measured(groundwire=Way(fails=True))


def test_goodput_counts_the_time_until_the_last_answer() -> None:
    found = at_rate(2.0, 1.0, [sample(0.2), sample(0.5, 0.5), sample(3.0, 1.0)])
    assert found.goodput == pytest.approx(2 / 4.0)
    assert found.answered_s == pytest.approx(3 / 4.0)


def test_the_program_measures_the_first_cells_of_every_model_and_type(machine: Bench) -> None:
    code, result = machine.run("--shapes", "tiny", "0.6B")
    assert code == 0
    setups_in_order = [("tiny", BF16), ("0.6B", BF16), ("0.6B", FP8), ("tiny", FP8)]
    assert measured_in(result) == [(*s, 300, n) for s in setups_in_order for n in (1, 64)]
    assert all(row["loaded"] and row["other_loaded"] for row in result["rows"])
    assert result["left_out"] == []


def test_servers_that_do_not_start_are_told_and_the_next_ones_measured(machine: Bench) -> None:
    machine.servers["tiny None"] = BenchError("no memory\nand a long log")
    code, result = machine.run("--shapes", "tiny", "0.6B", "--types", BF16)
    assert code == 0
    assert measured_in(result) == [("0.6B", BF16, 300, 1), ("0.6B", BF16, 300, 64)]
    assert result["left_out"] == ["tiny bf16: no memory"]


def test_without_time_nothing_is_begun_and_the_bench_fails(machine: Bench) -> None:
    code, result = machine.run("--shapes", "tiny", "--minutes", "0")
    assert code == 1
    assert result["rows"] == []
    assert result["left_out"] == [f"tiny {each}: no time was left" for each in (BF16, FP8)]

"""What the load bench tells, as markdown and as plots.

Knows how figures are named. Does not know how they were taken.
"""

from collections.abc import Sequence
from pathlib import Path

from bench.load_figures import ATTAINED, OVERLOAD, Step, Sweep
from bench.tools.common import Run, markdown_table

RULES = f"""\
A call with N claims has to be answered within 500 ms + N x 100 ms of the moment it was due, which
is its deadline, too; one that is refused or ends late has missed. Calls arrive as a Poisson process
and are sent whether or not earlier ones are done. Goodput: calls a second that met their target.
The knee: the highest rate at which at least {ATTAINED:.0%} did. Kept: goodput at {OVERLOAD:g} times
the knee's rate, as a share of the knee's. The lengths of contexts come equally often. Latencies are
of answered calls. Prediction error: how far the times of calls that were let in were from what was
foreseen of them, in sum, as a share of these times. Cached: the share of prompt tokens from the
prefix cache; a way that does not tell has none. Memory: that of the bench and all its servers, at
the end of the rate."""


def report(run: Run, sweeps: Sequence[Sweep]) -> str:
    """The whole result as markdown."""
    lines = ["# Goodput under calls that arrive at random", "", *run.lines(), ""]
    header = ["way", "mix", "kind", "knee, calls/s", "goodput there", "best goodput", "kept"]
    header += ["prediction error"]
    lines += [markdown_table(header, map(_knee, sweeps))]
    for sweep in sweeps:
        lines += ["", f"## {sweep.way}: {sweep.mix}, {_kind(sweep)}", "", _steps(sweep)]
    return "\n".join([*lines, "", RULES])


def draw(sweeps: Sequence[Sweep], folder: Path) -> None:
    """Write load.png: goodput and attained share against the offered rate."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for sweep in sweeps:
        offered = [step.offered for step in sweep.steps]
        name = f"{sweep.way}: {sweep.mix}, {_kind(sweep)}"
        left.plot(offered, [step.goodput for step in sweep.steps], marker="o", label=name)
        right.plot(offered, [step.attained for step in sweep.steps], marker="o", label=name)
    left.axline((0, 0), slope=1, color="0.7", linestyle="--")
    left.set(xlabel="offered, calls/s", ylabel="goodput, calls/s")
    right.axhline(ATTAINED, color="0.7", linestyle="--")
    right.set(xlabel="offered, calls/s", ylabel="share that met its target", ylim=(0, 1.02))
    left.legend(fontsize=8)
    figure.savefig(folder / "load.png", dpi=130)
    plt.close(figure)


def _knee(sweep: Sweep) -> list[str]:
    knee, kept = sweep.knee, sweep.kept
    best = max(step.goodput for step in sweep.steps)
    attained = max(step.attained for step in sweep.steps)
    return [
        sweep.way,
        sweep.mix,
        _kind(sweep),
        f"none: at best {attained:.1%}" if knee is None else f"{knee.rate:.2f}",
        "-" if knee is None else f"{knee.goodput:.2f}",
        f"{best:.2f}",
        "-" if kept is None else f"{kept:.0%}",
        "-" if sweep.prediction_error is None else f"{sweep.prediction_error:.0%}",
    ]


def _steps(sweep: Sweep) -> str:
    header = ["rate", "calls", "met", "goodput", "p50", "p95", "p99", "by N", "outcomes"]
    header += ["tokens computed", "cached", "memory"]
    steps = [*sweep.steps, *([sweep.overload] if sweep.overload else [])]
    return markdown_table(header, [_step(step) for step in steps])


def _step(step: Step) -> list[str]:
    times = ["-" if s is None else f"{s * 1000:,.0f} ms" for s in step.quantiles_s.values()]
    by_size = ", ".join(
        f"{n}: {share:.0%}"
        + (f" (p95 {step.p95_s_by_claims[n] * 1000:,.0f} ms)" if n in step.p95_s_by_claims else "")
        for n, share in step.attained_by_claims.items()
    )
    outcomes = ", ".join(f"{name} {count}" for name, count in step.outcomes.items())
    return [
        f"{step.rate:.2f}",
        str(step.calls),
        f"{step.attained:.1%}",
        f"{step.goodput:.2f}",
        *times,
        by_size,
        outcomes,
        f"{step.computed_tokens:,}",
        f"{step.cached_share:.0%}",
        f"{step.memory_mib:,.0f} MiB",
    ]


def _kind(sweep: Sweep) -> str:
    lengths = ", ".join(map(str, sweep.context_tokens))
    return f"{'warm' if sweep.warm else 'cold'}, contexts of {lengths}"

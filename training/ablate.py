"""`python -m training.ablate --out DIR`: what each ingredient of the recipe is worth.

Goes on from one adapter with the whole recipe, with each ingredient left out, and with gold alone,
for the same number of tokens and with the same seed. All are scored on the same dev questions. From
the base model, the first few 100,000 tokens learn the answer's form and show little else. Goes on
where a killed run stopped. Writes `ablation.json` and `ablation.md`. Knows runs and scores. Does
not know a model.
"""

import argparse
import json
import sys
from collections.abc import Collection
from dataclasses import asdict
from pathlib import Path

from bench.common import describe_run
from training.evaluate import Scores, evaluate, questions
from training.recipe import INGREDIENTS
from training.train import LEARNING_RATE, Plan, Run, keep_memory
from training.trees import Tree

START, WHOLE, GOLD_ALONE = "the start", "whole recipe", "all but gold"
_, *MADE = INGREDIENTS
MEASURED = ("fm2", "halueval_qa", "attributionbench", "factscore", "summedits")
"""The sets of the mean, as in `bench.quality`."""


def main() -> int:
    """Train and score each, and write the table."""
    keep_memory()
    parser = argparse.ArgumentParser(prog="python -m training.ablate", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--start", type=Path, metavar="DIR", help="an adapter to go on from")
    parser.add_argument("--tokens", type=int, default=150_000, help="of each run")
    parser.add_argument("--learning-rate", type=float, default=LEARNING_RATE)
    parser.add_argument("--rows", type=int, default=200, help="dev rows of each set")
    parser.add_argument("--without", nargs="+", choices=MADE, default=MADE, metavar="NAME")
    arguments = parser.parse_args()
    trees = questions("dev", arguments.rows)
    runs: dict[str, Collection[str]] = {WHOLE: (), GOLD_ALONE: MADE}
    runs |= {name: (name,) for name in arguments.without}
    found: dict[str, Scores] = {}
    if arguments.start is not None:
        arguments.out.mkdir(parents=True, exist_ok=True)
        found[START] = _scored(arguments.out / "start.json", arguments.start, trees)
    for name, without in runs.items():
        folder: Path = arguments.out / name.replace(" ", "-")
        adapter = _trained(folder, arguments, without)
        found[name] = _scored(folder / "scores.json", adapter, trees)
        _write(found, arguments)
    return 0


def _trained(folder: Path, arguments: argparse.Namespace, without: Collection[str]) -> Path:
    """The adapter of a run in this folder, trained as far as it is not yet."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "scores.json").exists():
        plan = Plan(
            minutes=0.0,
            tokens=arguments.tokens,
            learning_rate=arguments.learning_rate,
            without=without,
            start=arguments.start,
        )
        Run(plan, folder).train()
    return folder / "adapter"


def _scored(kept: Path, adapter: Path, trees: list[Tree]) -> Scores:
    if not kept.exists():
        kept.write_text(json.dumps(asdict(evaluate(adapter, trees)), indent=2), encoding="utf-8")
    return Scores(**json.loads(kept.read_text(encoding="utf-8")))


def _write(found: dict[str, Scores], arguments: argparse.Namespace) -> None:
    data = {
        "run": asdict(describe_run(quick=False)),
        "tokens": arguments.tokens,
        "scores": {name: asdict(scores) for name, scores in found.items()},
    }
    out: Path = arguments.out
    (out / "ablation.json").write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    (out / "ablation.md").write_text(table(found, arguments.tokens), encoding="utf-8")


def table(found: dict[str, Scores], tokens: int) -> str:
    """The scores in Markdown: AUROC of each set, and how often the ingredient itself is right."""
    whole = found[WHOLE]
    sets = list(whole.auroc)
    lines = [
        f"AUROC on dev rows after {tokens} tokens of each run; rows: "
        + ", ".join(f"{name} {count}" for name, count in whole.rows.items()),
        "",
        "| without | mean of five | " + " | ".join(sets) + " | answered right, of it | with it |",
        "| --- |" + " --- |" * (len(sets) + 3),
    ]
    for name, scores in found.items():
        mean = sum(scores.auroc[s] for s in MEASURED) / len(MEASURED)
        of_sets = " | ".join(f"{scores.auroc[s]:.3f}" for s in sets)
        own = [f"{each.right[name]:.3f}" if name in each.right else "" for each in (scores, whole)]
        lines.append(f"| {name} | {mean:.3f} | {of_sets} | {own[0]} | {own[1]} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())

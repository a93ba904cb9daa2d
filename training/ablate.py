"""`python -m training.ablate --out DIR`: what each ingredient of the recipe is worth.

Trains the whole recipe and the recipe less each ingredient, all for the same number of minutes and
with the same seed, and scores them on the same dev questions. Goes on where a killed run stopped.
Writes `ablation.json` and `ablation.md`. Knows runs and scores. Does not know a model.
"""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from bench.common import describe_run
from training.evaluate import Scores, evaluate, questions
from training.recipe import INGREDIENTS
from training.train import Plan, Run

WHOLE = "whole recipe"
MEASURED = ("fm2", "halueval_qa", "attributionbench", "factscore", "summedits")
"""The sets of the mean, as in `bench.quality`."""


def main() -> int:
    """Train and score each, and write the table."""
    parser = argparse.ArgumentParser(prog="python -m training.ablate", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--minutes", type=float, default=10.0, help="of each run")
    parser.add_argument("--contexts", type=int, default=60, help="dev contexts of each set")
    parser.add_argument(
        "--without", nargs="+", choices=INGREDIENTS, default=INGREDIENTS[1:], metavar="NAME"
    )
    arguments = parser.parse_args()
    trees = questions("dev", arguments.contexts)
    found: dict[str, Scores] = {}
    for without in ("", *arguments.without):
        folder: Path = arguments.out / (without or "whole")
        scored = folder / "scores.json"
        if not scored.exists():
            folder.mkdir(parents=True, exist_ok=True)
            Run(Plan(arguments.minutes, without=without), folder).train()
            scores = evaluate(folder / "adapter", trees)
            scored.write_text(json.dumps(asdict(scores), indent=2), encoding="utf-8")
        found[without or WHOLE] = Scores(**json.loads(scored.read_text(encoding="utf-8")))
        _write(found, arguments.out, arguments.minutes)
    return 0


def _write(found: dict[str, Scores], out: Path, minutes: float) -> None:
    run = describe_run(quick=False)
    data = {
        "run": asdict(run),
        "minutes": minutes,
        "scores": {k: asdict(v) for k, v in found.items()},
    }
    (out / "ablation.json").write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    (out / "ablation.md").write_text(table(found, minutes), encoding="utf-8")


def table(found: dict[str, Scores], minutes: float) -> str:
    """The scores in Markdown: AUROC of each set, and how often the ingredient itself is right."""
    whole = found[WHOLE]
    sets = list(whole.auroc)
    lines = [
        f"AUROC on dev rows after {minutes:g} minutes of training each; rows: "
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

"""What each ingredient of the recipe is worth.

Goes on from one adapter with the whole recipe, with each ingredient left out, and with some left
out together, for the same number of tokens and with the same seed. All are asked the same dev
questions. From the base model, the first few 100,000 tokens learn the answer's form and show little
else; an adapter that knows an ingredient does not forget it in as many. Goes on where a killed run
stopped. Writes `ablation.json` and `ablation.md`.
"""

import argparse
import json
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from bench.tools.common import describe_run
from groundwire_training.embedded.choice import Choice, add_choice, run_in
from groundwire_training.embedded.evaluate import answers, questions
from groundwire_training.embedded.scores import Answers, Lost, Scores, lost, scores
from groundwire_training.examples.recipe import INGREDIENTS
from groundwire_training.examples.trees import Tree
from groundwire_training.memory import keep_memory
from groundwire_training.run import LEARNING_RATE, SEED, Plan
from groundwire_verifier.numbers.metrics import Figure

START, WHOLE = "the start", "whole recipe"
_, *MADE = INGREDIENTS
ANSWERS = "answers.npz"


def main() -> int:
    """Train and score each, and write the table."""
    keep_memory()
    parser = argparse.ArgumentParser(
        prog="python -m groundwire_training.embedded.ablate", description=__doc__
    )
    add_choice(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--start", type=Path, metavar="DIR", help="an adapter to go on from")
    parser.add_argument("--tokens", type=int, default=150_000, help="of each run")
    parser.add_argument("--learning-rate", type=float, default=LEARNING_RATE)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--rows", type=int, default=200, help="dev rows of each set")
    for option, text in (
        ("--without", "left out one at a time"),
        ("--together", "left out at once"),
    ):
        parser.add_argument(
            option, nargs="*", choices=MADE, default=MADE, metavar="NAME", help=f"{text}; all"
        )
    arguments = parser.parse_args()
    choice = Choice(arguments.model, arguments.base)
    trees = questions("dev", arguments.rows)
    left_out = runs(arguments.without, arguments.together)
    found: dict[str, Answers] = {}
    for name, without in left_out.items():
        folder: Path = arguments.out / name.replace(" ", "-")
        adapter = _trained(folder, choice, arguments, without)
        found[name] = _answers(folder, choice, adapter, trees)
        _write(found, left_out, arguments)
    if arguments.start is not None:
        found[START] = _answers(arguments.out, choice, arguments.start, trees)
        _write(found, left_out, arguments)
    return 0


def runs(without: Sequence[str], together: Sequence[str]) -> dict[str, Sequence[str]]:
    """What each run leaves out, by the run's name."""
    found: dict[str, Sequence[str]] = {WHOLE: ()}
    if together:
        found[" and ".join(together)] = together
    return found | {name: (name,) for name in without}


def _trained(
    folder: Path, choice: Choice, arguments: argparse.Namespace, without: Collection[str]
) -> Path:
    """The adapter of a run in this folder, trained as far as it is not yet."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / ANSWERS).exists():
        plan = Plan(
            minutes=0.0,
            tokens=arguments.tokens,
            learning_rate=arguments.learning_rate,
            seed=arguments.seed,
            without=without,
            start=arguments.start,
        )
        if not run_in(folder, plan, choice).train():
            raise KeyboardInterrupt
    return folder / "adapter"


def _answers(folder: Path, choice: Choice, adapter: Path, trees: list[Tree]) -> Answers:
    """What an adapter says to the questions, read as far as it is not yet."""
    kept = folder / ANSWERS
    if not kept.exists():
        partial = folder / f"part-{ANSWERS}"
        np.savez_compressed(partial, **asdict(answers(choice.base(), adapter, trees)))
        partial.replace(kept)
    with np.load(kept) as found:
        return Answers(**found)


def _write(
    found: Mapping[str, Answers],
    left_out: Mapping[str, Sequence[str]],
    arguments: argparse.Namespace,
) -> None:
    compared = compare(found, left_out)
    data = {
        "run": asdict(describe_run(quick=False)),
        "tokens": arguments.tokens,
        "learning_rate": arguments.learning_rate,
        "scores": {name: asdict(mine) for name, (mine, _) in compared.items()},
        "lost": {name: asdict(less) for name, (_, less) in compared.items()},
    }
    out: Path = arguments.out
    (out / "ablation.json").write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    run = f"Each run: {arguments.tokens} tokens, learning rate {arguments.learning_rate}.\n\n"
    (out / "ablation.md").write_text(run + table(compared), encoding="utf-8")


def compare(
    found: Mapping[str, Answers], left_out: Mapping[str, Sequence[str]]
) -> dict[str, tuple[Scores, Lost]]:
    """What each run has, and has lost against the whole recipe."""
    whole = found[WHOLE]
    return {
        name: (scores(given), lost(given, whole, left_out.get(name, ())))
        for name, given in found.items()
    }


def table(compared: Mapping[str, tuple[Scores, Lost]]) -> str:
    """What each run has and has lost against the whole recipe, in Markdown.

    A line for each run, and one for each of several ingredients that it left out.
    """
    whole, _ = compared[WHOLE]
    lines = [
        "Dev rows: " + ", ".join(f"{name} {count}" for name, count in whole.rows.items()),
        "",
        "| without | mean AUROC of five | lost | loss (nats) | more | its questions "
        "| right, without it | right, with it | lost |",
        "| --- |" + " --- |" * 8,
    ]
    for name, (mine, less) in compared.items():
        cells = [name, f"{mine.mean_auroc:.3f}", _interval(less.mean_auroc)]
        cells += [f"{mine.loss_nats:.3f}", _interval(less.loss_nats)]
        own = [
            [str(whole.asked[x]), f"{mine.right[x]:.2f}", f"{whole.right[x]:.2f}", _interval(part)]
            for x, part in less.right.items()
        ]
        if len(own) == 1:
            lines.append(_line(cells + own[0]))
            continue
        lines.append(_line(cells + [""] * 4))
        lines += [
            _line([f"of these {x}", *[""] * 4, *more])
            for x, more in zip(less.right, own, strict=True)
        ]
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _interval(found: Figure) -> str:
    if found.value is None or found.low is None or found.high is None:
        return "not known"
    return f"{found.value:+.3f} ({found.low:+.3f} to {found.high:+.3f})"


if __name__ == "__main__":
    sys.exit(main())

"""Train the adapter of an embedded verifier.

Reads the shared data's train split, goes on where a killed run stopped, and writes the adapter
with its curve, checkpoints and their dev scores. `groundwire_training.run` has the loop.
"""

import argparse
import sys
from pathlib import Path

from groundwire_training.embedded.choice import Choice, add_choice, run_in
from groundwire_training.embedded.sets import DATA_SETS, HEBNLI_ENGLISH
from groundwire_training.examples.recipe import EXCHANGES, INGREDIENTS
from groundwire_training.memory import keep_memory
from groundwire_training.run import LEARNING_RATE, MAX_TOKENS, SEED, Plan


def main() -> int:
    """Train until the limit."""
    keep_memory()
    arguments = _parser().parse_args()
    plan = Plan(
        arguments.minutes,
        arguments.tokens,
        arguments.max_tokens,
        arguments.learning_rate,
        arguments.seed,
        arguments.without,
        arguments.start,
        arguments.rank,
        arguments.decay_share,
        arguments.score_every,
        arguments.compile,
        arguments.exchanges,
        arguments.frozen_layers,
        arguments.checkpointing,
    )
    choice = Choice(
        arguments.model, arguments.base, arguments.written, dict(arguments.passes or ())
    )
    run_in(arguments.out, plan, choice).train()
    return 0


def _set_passes(text: str) -> tuple[str, float]:
    """A set's name and how often it is learnt, from NAME=TIMES."""
    name, _, times = text.partition("=")
    if name not in {each.name for each in (*DATA_SETS, HEBNLI_ENGLISH)}:
        raise argparse.ArgumentTypeError(f"{name} is no set; embedded/sets.py has them")
    return name, float(times)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m groundwire_training.embedded.train", description=__doc__
    )
    add_choice(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the run's folder")
    parser.add_argument("--minutes", type=float, default=110.0, help="length of the whole run")
    parser.add_argument("--tokens", type=int, help="length in tokens, instead")
    parser.add_argument("--max-tokens", type=int, default=MAX_TOKENS, help="tokens of a batch")
    parser.add_argument("--learning-rate", type=float, default=LEARNING_RATE)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--start", type=Path, metavar="DIR", help="an adapter to go on from")
    parser.add_argument("--rank", type=int, help="of the adapter; the one to go on from is widened")
    parser.add_argument(
        "--decay-share", type=float, default=1.0, help="the last part, where the rate falls to 0"
    )
    parser.add_argument(
        "--score-every", type=int, metavar="TOKENS", help="keep and score the adapter so often"
    )
    parser.add_argument("--compile", action="store_true", help="for a run of more than minutes")
    parser.add_argument(
        "--exchanges", type=float, default=EXCHANGES, help="for each context of the rows"
    )
    parser.add_argument(
        "--checkpointing", action="store_true", help="compute layers twice to save memory"
    )
    parser.add_argument(
        "--frozen-layers", type=int, default=0, metavar="N", help="so many first ones do not learn"
    )
    parser.add_argument(
        "--written",
        type=float,
        default=1.0,
        metavar="TIMES",
        help="the passes of the written sets, which are too hard for a beginner: .25 from the base",
    )
    parser.add_argument(
        "--passes",
        type=_set_passes,
        nargs="+",
        metavar="SET=TIMES",
        help="how often single sets are learnt while the mix is gone through once",
    )
    parser.add_argument(
        "--without", nargs="+", choices=INGREDIENTS, default=(), help="ingredients to leave out"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())

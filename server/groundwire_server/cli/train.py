"""`groundwire train`: a verifier of one's own, which groundwire-training makes."""

import argparse
from collections.abc import Mapping
from pathlib import Path

from groundwire_server.cli import flags
from groundwire_server.cli.flags import above, whole
from groundwire_server.config.extras import how_to_install_training
from groundwire_server.config.sources import ConfigError, expanded


def add(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add = parser.add_argument
    add(
        "--base",
        metavar="MODEL",
        help="the model to start from: an embedded verifier, or the folder of a causal model; "
        "default: the server's model",
    )
    add(
        "--data",
        type=Path,
        required=True,
        metavar="FILE_OR_FOLDER",
        help="labelled claims: JSON lines with context, claim, and label 1 (supported) or 0",
    )
    add("--out", type=Path, required=True, metavar="FOLDER", help="the folder to write")
    length = parser.add_mutually_exclusive_group()
    add_length = length.add_argument
    add_length("--passes", type=above(0.0), default=2.0, help="passes over the rows; default: 2")
    add_length("--tokens", type=whole(1), help="train on this many tokens, instead of --passes")
    add_length("--minutes", type=above(0.0), help="train this many minutes, instead of --passes")
    add("--rank", type=whole(1), help="rank of the adapter; default: 16")
    add("--learning-rate", type=above(0.0), default=2e-4, help="the highest; default: 2e-4")
    add("--seed", type=int, default=1, help="of the order of rows; default: 1")
    add("--max-tokens", type=whole(100), default=2500, help="tokens of a batch; default: 2500")
    add(
        "--max-context-tokens",
        type=whole(16),
        default=3072,
        help="longer contexts are left out; default: 3072",
    )
    add(
        "--frozen-layers",
        type=whole(0),
        default=0,
        metavar="N",
        help="leave the first N layers unchanged",
    )
    add(
        "--exchanges",
        type=above(0.0, or_equal=True),
        default=0.1,
        metavar="SHARE",
        help="exchanges with questions of an assessment to mix in, for each context; default: 0.1",
    )
    add(
        "--rehearsal",
        type=_share,
        metavar="SHARE",
        help="share of the contexts from the shipped mix, against forgetting; default: 0.3 for an "
        "embedded verifier, 0 for another base",
    )
    add(
        "--without",
        nargs="+",
        default=(),
        metavar="NAME",
        help="ingredients of the recipe to leave out",
    )
    add(
        "--checkpointing",
        choices=("auto", "on", "off"),
        default="auto",
        help="compute layers twice to save memory; auto: if a GPU is short of it",
    )
    add("--compile", action="store_true", help="compile the model: faster after some minutes")
    add("--cache-dir", dest="setting_cache_dir", metavar="DIR", help="the server's cache_dir")
    parser.set_defaults(config=None)


def _share(text: str) -> float:
    """A number from 0 to below 1."""
    value = float(text)
    if not 0.0 <= value < 1.0:
        raise argparse.ArgumentTypeError(f"{text} is not from 0 to below 1")
    return value


def run(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Train, or go on."""
    try:
        from groundwire_training.command import TrainArguments, train
    except ImportError as error:
        raise ConfigError(
            f"train needs groundwire-training, and the extra cpu or gpu ({error}): "
            f"{how_to_install_training()}"
        ) from error

    settings = flags.server(arguments, environment)
    return train(
        TrainArguments(
            base=arguments.base or settings.model,
            data=arguments.data,
            out=arguments.out,
            cache_dir=expanded(settings.cache_dir, "cache_dir"),
            passes=arguments.passes,
            tokens=arguments.tokens,
            minutes=arguments.minutes,
            rank=arguments.rank,
            learning_rate=arguments.learning_rate,
            seed=arguments.seed,
            max_tokens=arguments.max_tokens,
            max_context_tokens=arguments.max_context_tokens,
            frozen_layers=arguments.frozen_layers,
            exchanges=arguments.exchanges,
            rehearsal=arguments.rehearsal,
            without=tuple(arguments.without),
            checkpointing={"on": True, "off": False}.get(arguments.checkpointing),
            compiled=arguments.compile,
        )
    )

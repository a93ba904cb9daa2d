"""`groundwire estimate`: asks a running server and prints a table or JSON."""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from groundwire import (
    BatchResult,
    Estimate,
    GroundwireError,
)
from groundwire_server.cli import flags
from groundwire_server.cli.source_files import read_text
from groundwire_server.client_connection import connect, failed
from groundwire_server.config.sources import ConfigError
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_OK


def add(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("claims", nargs="+", metavar="CLAIM", help="a statement to judge")
    parser.add_argument(
        "--context", type=Path, metavar="FILE", help="the evidence as a text file; - for stdin"
    )
    flags.add_backend(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--fail-under",
        type=float,
        metavar="P",
        help="exit with 1 if a claim's probability is, or may be, below P, in [0, 1]",
    )
    flags.add_client_settings(parser)


def run(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Ask about claims and print what comes back.

    Raises ConfigError if the context file cannot be read or the connection is misconfigured.
    """
    settings = flags.client(arguments, environment)
    claims, fail_under = arguments.claims, arguments.fail_under
    if fail_under is not None and not 0.0 <= fail_under <= 1.0:
        raise ConfigError(f"--fail-under: {fail_under:g} is not in [0, 1]")
    context = "" if arguments.context is None else read_text("--context", arguments.context)
    try:
        with connect(settings) as client:
            result = client.batch_estimate(claims, context, backend=arguments.backend)
    except GroundwireError as error:
        return failed(error, settings)
    if arguments.json:
        print(json.dumps(_as_json(claims, result), ensure_ascii=False, indent=2))
    else:
        _print_table(claims, result)
    below = any(_is_below(value, fail_under) for value in result.estimates)
    return EXIT_BELOW if below else EXIT_OK


def _is_below(value: Estimate, fail_under: float | None) -> bool:
    # Where it was not read exactly, the least that it can be counts.
    known = value.probability if value.min_probability is None else value.min_probability
    return known is None or (fail_under is not None and known < fail_under)


def _as_json(claims: Sequence[str], result: BatchResult) -> dict[str, object]:
    return {
        "model": result.model,
        "prompt_version": result.prompt_version,
        "backend": result.backend,
        "estimates": [
            {
                "claim": claim,
                "probability": value.probability,
                "raw_probability": value.raw_probability,
                "calibrated": value.calibrated,
                "label_mass": value.label_mass,
                "yes_log_probability": value.yes_log_probability,
                "no_log_probability": value.no_log_probability,
                "source": value.source,
                "no_probability_reason": value.no_probability_reason,
                "min_probability": value.min_probability,
                "max_probability": value.max_probability,
                "max_label_mass": value.max_label_mass,
                "samples": value.samples,
            }
            for claim, value in zip(claims, result.estimates, strict=True)
        ],
        "usage": {
            "prompt_tokens": result.usage.prompt_tokens,
            "cached_tokens": result.usage.cached_tokens,
            "context_tokens": result.usage.context_tokens,
            "distinct_prompts": result.usage.distinct_prompts,
        },
        "timing_s": {
            "queue": result.timing.queue_s,
            "inference": result.timing.inference_s,
            "total": result.timing.total_s,
        },
    }


def _print_table(claims: Sequence[str], result: BatchResult) -> None:
    table = Table("P(YES)", "label mass", "claim")
    for claim, value in zip(claims, result.estimates, strict=True):
        probability = "none" if value.probability is None else f"{value.probability:.3f}"
        if value.min_probability is not None and value.max_probability is not None:
            probability += f" ({value.min_probability:.3f} to {value.max_probability:.3f})"
        # Text: brackets in a claim are no markup.
        table.add_row(probability, f"{value.label_mass:.3f}", Text(claim))
    console = Console()
    console.print(table)
    console.print(
        f"{result.model}, prompt {result.prompt_version}; {result.usage.prompt_tokens} tokens, "
        f"{result.usage.cached_tokens} of them cached; {result.timing.total_s * 1000:.0f} ms",
        highlight=False,
    )

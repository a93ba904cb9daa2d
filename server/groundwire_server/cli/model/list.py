"""`groundwire model list`: which models there are, what each costs, how good it is."""

import argparse
from collections.abc import Mapping

from groundwire_server.cli import flags
from groundwire_server.exit_codes import EXIT_OK
from groundwire_server.models.model_card import read_figures
from groundwire_server.models.store import ModelEntry, ModelState, list_models

add = flags.add_cache_dir


def run(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Print what is known of each."""
    for entry in list_models(flags.cache_dir(arguments, environment)):
        print(model_text(entry))
    return EXIT_OK


def model_text(entry: ModelEntry) -> str:
    """What is known of one model; a figure that nobody measured is left out."""
    model = entry.model
    found = read_figures(model.card)
    disk_bytes = (
        entry.size_bytes if entry.state is ModelState.PREPARED else model.prepared_size_bytes
    )
    costs = [f"disk {disk_bytes / 1e6:,.0f} MB"]
    if found.memory:
        costs.append(f"memory of the server {found.memory.mib:,} MiB")
    if found.one_claim:
        costs.append(f"one claim on 200 words on two cores {found.one_claim.ms:,} ms")
    if model.int8_of:
        costs[0] += f" beside {model.original.name}, which it is made from"
    known = [f"licence {model.licence}"]
    if found.languages:
        known.insert(0, f"languages: {', '.join(found.languages)}")
    lines = [f"{model.short_name or '-':<9} {model.name}, {entry.state.value}", "; ".join(costs)]
    if found.accuracy:
        lines.append(
            f"{found.accuracy.false_supported:.0%} of unsupported claims and "
            f"{found.accuracy.recall:.0%} of supported ones come out SUPPORTED"
        )
    elif not model.adapter:
        lines.append("untrained: it cannot verify until it is tuned")
    return "\n          ".join((*lines, "; ".join(known)))

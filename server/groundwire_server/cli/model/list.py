"""`groundwire model list`: which models there are, what each costs, how good it is."""

import argparse
from collections.abc import Mapping

from groundwire_server.cli import flags
from groundwire_server.exit_codes import EXIT_OK
from groundwire_server.models.figures import read_figures
from groundwire_server.models.store import ModelEntry, ModelState, list_models

add = flags.add_cache_dir

UNKNOWN = "not measured"


def run(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Print what is known of each."""
    for entry in list_models(flags.cache_dir(arguments, environment)):
        print(model_text(entry))
    return EXIT_OK


def model_text(entry: ModelEntry) -> str:
    """What is known of one model, in four lines; it says of a figure if nobody measured it."""
    model = entry.model
    found = read_figures(model.adapter)
    disk_bytes = (
        entry.size_bytes if entry.state is ModelState.PREPARED else model.prepared_size_bytes
    )
    memory = f"{found.memory.mib:,} MiB" if found.memory else UNKNOWN
    one_claim = f"{found.one_claim.ms:,} ms" if found.one_claim else UNKNOWN
    if found.accuracy:
        accuracy = (
            f"{found.accuracy.false_supported:.0%} of unsupported claims and "
            f"{found.accuracy.recall:.0%} of supported ones come out SUPPORTED"
        )
    else:
        accuracy = UNKNOWN if model.adapter else "untrained: it cannot verify until it is tuned"
    return (
        f"{model.short_name or '-':<6} {model.name}, {entry.state.value}\n"
        f"       disk {disk_bytes / 1e6:,.0f} MB; memory of the server {memory}; one claim on 200 "
        f"words on two cores {one_claim}\n"
        f"       {accuracy}\n"
        f"       languages: {', '.join(found.languages) or UNKNOWN}; licence {model.licence}"
    )

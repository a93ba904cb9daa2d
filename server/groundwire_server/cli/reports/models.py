"""The table of `groundwire model list`: which models there are, what each costs, how good it is."""

from collections.abc import Sequence

from rich.table import Table

from groundwire_server.models.figures import read_figures
from groundwire_server.models.store import ModelEntry, ModelState

UNKNOWN = "not measured"
UNTRAINED = "untrained"


def model_table(entries: Sequence[ModelEntry]) -> Table:
    """One row a model; a figure that nobody measured is said to be none."""
    table = Table(
        "name", "model", "disk", "memory", "1 claim, 200 words, 2 cores",
        "false SUPPORTED, recall", "languages", "state",
        title="What each costs and how often it is right at the strictness balanced",
    )  # fmt: skip
    for entry in entries:
        table.add_row(*_row(entry))
    return table


def _row(entry: ModelEntry) -> tuple[str, ...]:
    model = entry.model
    found = read_figures(model.adapter)
    right = UNKNOWN if model.adapter else UNTRAINED
    if found.accuracy:
        right = f"{found.accuracy.false_supported:.0%}, {found.accuracy.recall:.0%}"
    is_prepared = entry.state is ModelState.PREPARED
    disk_bytes = entry.size_bytes if is_prepared else model.prepared_size_bytes
    return (
        model.short_name or "",
        model.name,
        f"{disk_bytes / 1e6:,.0f} MB",
        f"{found.memory.mib:,} MiB" if found.memory else UNKNOWN,
        f"{found.one_claim.ms} ms" if found.one_claim else UNKNOWN,
        right,
        ", ".join(found.languages) or (UNKNOWN if model.adapter else UNTRAINED),
        entry.state.value,
    )

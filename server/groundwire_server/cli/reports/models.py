"""The table of `groundwire model list`: which models there are, what each costs, how good it is."""

from collections.abc import Sequence

from rich.table import Table

from groundwire_server.models.figures import read_figures
from groundwire_server.models.store import ModelEntry, ModelState

UNKNOWN = "not measured"
UNTRAINED = "untrained"
NAMES = (
    "full name", "state", "disk", "memory", "1 claim on 200 words, 2 cores",
    "false SUPPORTED, recall", "languages",
)  # fmt: skip
"""What is said of each, at the strictness `balanced`."""


def model_table(entries: Sequence[ModelEntry]) -> Table:
    """One column a model; a figure that nobody measured is said to be none."""
    table = Table("what")
    for entry in entries:
        table.add_column(entry.model.short_name or "", overflow="fold")
    for cells in zip(NAMES, *map(_column, entries), strict=True):
        table.add_row(*cells)
    return table


def _column(entry: ModelEntry) -> tuple[str, ...]:
    model = entry.model
    found = read_figures(model.adapter)
    right = UNKNOWN if model.adapter else UNTRAINED
    if found.accuracy:
        right = f"{found.accuracy.false_supported:.0%}, {found.accuracy.recall:.0%}"
    is_prepared = entry.state is ModelState.PREPARED
    disk_bytes = entry.size_bytes if is_prepared else model.prepared_size_bytes
    return (
        model.name,
        entry.state.value,
        f"{disk_bytes / 1e6:,.0f} MB",
        f"{found.memory.mib:,} MiB" if found.memory else UNKNOWN,
        f"{found.one_claim.ms} ms" if found.one_claim else UNKNOWN,
        right,
        ", ".join(found.languages) or UNKNOWN,
    )

"""Labelled rows for tests of benches."""

import json

from groundwire_server.cli.evaluation.rows import LabelledRow, row_of


def labelled(
    id: str, claim: str, context: str, supported: bool = True, **more: object
) -> LabelledRow:
    """A row as a file would hold it."""
    row = {"id": id, "claim": claim, "context": context, "label": int(supported), **more}
    return row_of(1, json.dumps(row).encode())

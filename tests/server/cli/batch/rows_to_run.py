"""What the tests of batch jobs share: rows, the command, and a look at its results."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

Run = Callable[..., tuple[int, str, str]]
"""The command with a file, an output and flags; its exit code, standard output and error."""


def row(
    answer: str = "0.75 0.875", source: str = "The source.", **more: object
) -> dict[str, object]:
    """A row. The scripted server takes each word for a claim, and reads it as its probability."""
    return {"answer": answer, "sources": [source], **more}


def write(path: Path, rows: Sequence[object]) -> Path:
    """A file of rows; a str or bytes is a line as it is."""
    lines = [
        each
        if isinstance(each, bytes)
        else (each if isinstance(each, str) else json.dumps(each, ensure_ascii=False)).encode()
        for each in rows
    ]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def lines_of(path: Path) -> list[dict[str, object]]:
    """The objects in a file of JSON lines."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def rejected(out: Path) -> list[tuple[object, object]]:
    """Row and field of what was rejected."""
    found = lines_of(out.with_name(f"{out.name}.rejected.jsonl"))
    return [(each["row"], each["field"]) for each in found]

"""The kept inputs: a file a target in `tests/soak/fuzz/corpus/`, an input a line.

A line is a JSON object with `text`, or with `base64` where the bytes are no UTF-8.
"""

import base64
import json
from collections.abc import Iterable
from pathlib import Path

CORPUS = Path(__file__).with_name("corpus")


def read_corpus(target: str, folder: Path = CORPUS) -> list[bytes]:
    """The inputs of a target; none where it has no file."""
    path = folder / f"{target}.jsonl"
    if not path.exists():
        return []
    return [_bytes(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def write_corpus(target: str, inputs: Iterable[bytes], folder: Path = CORPUS) -> None:
    """Keep these inputs of a target, each once, the shortest first."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = sorted(set(inputs), key=lambda data: (len(data), data))
    lines = [json.dumps(_line(data)) + "\n" for data in kept]
    (folder / f"{target}.jsonl").write_text("".join(lines), encoding="utf-8")


def _line(data: bytes) -> dict[str, str]:
    try:
        return {"text": data.decode("utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def _bytes(line: dict[str, str]) -> bytes:
    return line["text"].encode() if "text" in line else base64.b64decode(line["base64"])

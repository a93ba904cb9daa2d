#!/usr/bin/env python3
"""Writes the calls of the blocking Python client from those of the client for asyncio.

`scripts/generate` runs it. With a folder as argument it writes there instead.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "clients" / "python" / "groundwire" / "_clients"
BLOCKING = SOURCES / "blocking"
NAMES = ("agents.py", "detectors.py", "verifier.py")

# In this order, in the docstrings as well.
CHANGES = (
    (r"\basync (?=def|for|with)", ""),
    (r"\bawait ", ""),
    (r"(?<=import )asyncio$|\basyncio(?=\.)", "time"),
    (r"\bAsyncGenerator\[(\w+), None\]", r"Generator[\1, None, None]"),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\baclos(?=e|ing)", "clos"),
)
REST = re.compile(r"async|\bawait|__a(?:iter|next|enter|exit)__", re.IGNORECASE)


def blocking(name: str) -> str:
    """The generated file. Raises ValueError for a source that CHANGES does not fully cover."""
    text = (SOURCES / name).read_text()
    for pattern, replacement in CHANGES:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    if rest := REST.search(text):
        line = text.count("\n", 0, rest.start()) + 1
        raise ValueError(f"{SOURCES / name}:{line}: no rule in CHANGES for {rest.group()!r}")
    header = f"# Made by scripts/blocking_client.py from ../{name}.\n"
    ordered = _ruff(name, header + text, "check", "--quiet", "--select=I", "--fix")
    return _ruff(name, ordered, "format")


def _ruff(name: str, text: str, *arguments: str) -> str:
    done = subprocess.run(
        (sys.executable, "-m", "ruff", *arguments, f"--stdin-filename={BLOCKING / name}", "-"),
        cwd=ROOT,
        input=text,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


def main(folder: Path) -> None:
    """Write every file into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        (folder / name).write_text(blocking(name))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else BLOCKING)

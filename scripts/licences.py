#!/usr/bin/env python3
"""Writes docs/licences.md: the licence of every package that the server is shipped with.

`.venv/bin/python scripts/licences.py` after a change of requirements/cpu.in. What a package says of
itself is read where it is installed; a licence that is not in ALLOWED fails the tests until a
person has read it. Nothing is fetched. Knows names of licences. Gives no legal advice.
"""

import re
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "licences.md"
LOCK = ROOT / "requirements" / "cpu.txt"

ALLOWED = frozenset(
    {
        "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD", "BSD-2-Clause", "BSD-3-Clause",
        "BSL-1.0", "CC0-1.0", "CNRI-Python", "ISC", "MIT", "MIT-0", "MIT-CMU", "MPL-2.0",
        "NVIDIA", "PSF-2.0",
    }
)  # fmt: skip
"""Licences that a person has read. MPL-2.0 asks for the source of its own files only, which PyPI
has. NVIDIA is that of the CUDA libraries, which PyPI's torch links: they may be used and passed on
as they are, and are never called on a machine without a GPU."""

READ_BY_HAND = {"oss-harmony": "Apache-2.0", "setuptools": "MIT"}
"""What the licence file of a package says whose metadata names none."""

_NAMES = {
    "Apache Software License": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "Apache 2.0 License": "Apache-2.0",
    "BSD License": "BSD",
    "3-Clause BSD License": "BSD-3-Clause",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "LicenseRef-NVIDIA-Proprietary": "NVIDIA",
    "NVIDIA Proprietary Software": "NVIDIA",
}
_JOINED = re.compile(r" (?:AND|OR) ")
_CLASSIFIER = "License :: "


def shipped() -> list[str]:
    """The names of the packages that the server is shipped with, in order."""
    return re.findall(r"^([a-z0-9-]+)==", LOCK.read_text(encoding="utf-8"), re.MULTILINE)


def licences_of(name: str) -> tuple[str, ...]:
    """The licences that an installed package names, the same name for the same licence.

    Empty where it names none. Raises metadata.PackageNotFoundError.
    """
    if name in READ_BY_HAND:
        return (READ_BY_HAND[name],)
    told = metadata.metadata(name)
    classifiers = [
        each.rpartition(" :: ")[2]
        for each in told.get_all("Classifier") or []
        if each.startswith(_CLASSIFIER)
    ]
    if name.startswith("nvidia-"):
        classifiers = ["NVIDIA"] if "Other/Proprietary License" in classifiers else []
    expression, plain = (
        next(iter(told.get_all(field) or []), "") for field in ("License-Expression", "License")
    )
    said = expression or " AND ".join(classifiers) or plain
    first = said.strip().partition("\n")[0]
    return tuple(sorted({_NAMES.get(each, each) for each in _JOINED.split(first) if each}))


def page() -> str:
    """The page as it has to be."""
    by_licence: dict[str, list[str]] = {}
    for name in shipped():
        by_licence.setdefault(", ".join(licences_of(name)), []).append(name)
    rows = [f"| {found} | {', '.join(by_licence[found])} |" for found in sorted(by_licence)]
    lines = [
        "# Licences",
        "",
        "Groundwire is under [Apache-2.0](../LICENSE). This is what the packages say of themselves "
        "that `requirements/cpu.txt` installs with the server, "
        f"{sum(map(len, by_licence.values()))} of them. `scripts/licences.py` writes this page; a "
        "test compares it, and refuses a licence that nobody has read. Where a package names more "
        "than one, it may ask for all or leave the choice: its own file says which.",
        "",
        "| licence | packages |",
        "| --- | --- |",
        *rows,
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

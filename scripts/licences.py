#!/usr/bin/env python3
"""Writes THIRD_PARTY.md: the licence of every package that the project is shipped with.

    .venv/bin/python -m scripts.licences                  # after a change of requirements/
    .venv/bin/python -m scripts.licences --report FILE    # and of what is not installed here

What a package says of itself is read where it is installed, or in the report of `pip install
--dry-run --ignore-installed --no-deps --report FILE`, or stays what the page has for that version.
A licence that is not in ALLOWED fails the tests until a person has read it. Nothing is fetched.
Gives no legal advice.
"""

import argparse
import json
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "THIRD_PARTY.md"
GO = ROOT / "clients" / "go"
SETS = {
    "cpu": "The server on a CPU, `requirements/cpu.txt`",
    "gpu": "On a GPU beside these, `requirements/gpu.txt`",
    "extras": "The extras beside the CPU's, `requirements/extras.txt`",
    "go": "The Go client, `clients/go/go.mod`",
}
"""What is shipped, and what the page calls it."""

ALLOWED = frozenset(
    {
        "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD", "BSD-2-Clause",
        "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "CNRI-Python", "ISC",
        "LGPL-2.1-only", "LGPL-3.0-only", "MIT", "MIT-0", "MIT-CMU", "MPL-2.0", "NVIDIA",
        "PSF-2.0", "Repoze", "Unlicense",
    }
)  # fmt: skip
"""Licences that a person has read. Repoze is a BSD licence that asks for a notice of changes.
MPL-2.0 asks for the source of its own files only, which PyPI has. NVIDIA is that of the CUDA
libraries, which PyPI's torch links: they may be used and passed on as they are, and are never
called on a machine without a GPU. The LGPL asks that a user can put another build in the place of
the library, and can get its source: each is a package of its own that is installed as it is."""

READ_BY_HAND = {
    "cuda-toolkit": "NVIDIA",  # a list of NVIDIA's packages, without files of its own
    "oss-harmony": "Apache-2.0",
    "quack-kernels": "Apache-2.0",
    "setuptools": "MIT",
    "supervisor": "Repoze",
    "torchcodec": "BSD-3-Clause",
}
"""What the licence file of a package says whose metadata name none, or none of these names."""

_NAMES = {
    "Apache": "Apache-2.0",
    "Apache 2": "Apache-2.0",
    "Apache License": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "Apache 2.0 License": "Apache-2.0",
    "BSD License": "BSD",
    "3-Clause BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "OSI Approved": "",
    "Python Software Foundation License": "PSF-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
    "LicenseRef-NVIDIA-Proprietary": "NVIDIA",
    "NVIDIA Proprietary Software": "NVIDIA",
}
_JOINED = re.compile(r" (?:AND|OR) ")
_CLASSIFIER = "License :: "
_LOCKED = re.compile(
    r"^([a-z0-9-]+)==(\S+)(?: ; [^\\\n]*[^\\\n ])?((?: \\\n +--hash=sha256:\w+)*)", re.MULTILINE
)
_REQUIRED = re.compile(r"^(?:require )?\s*([a-z0-9./-]+) (v[\w.+-]+)", re.MULTILINE)
_ROW = re.compile(r"^\| ([^|]+) \| ([^|]+ [^|]+) \|$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Package:
    """A package of a lock, with the SHA-256 of each wheel, or Go's sum of a module."""

    name: str
    version: str
    hashes: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


def shipped(name: str) -> list[Package]:
    """What one of SETS names, in order."""
    if name == "go":
        required = _REQUIRED.findall((GO / "go.mod").read_text(encoding="utf-8"))
        lines = map(str.split, (GO / "go.sum").read_text(encoding="utf-8").splitlines())
        sums = {(path, version): text for path, version, text in lines}
        return [Package(path, text, (sums[path, text],)) for path, text in sorted(required)]
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    return [
        Package(package, version, tuple(re.findall(r"sha256:(\w+)", hashes)))
        for package, version, hashes in _LOCKED.findall(text)
    ]


def licences_of(package: Package) -> tuple[str, ...] | None:
    """The licences that a package names that is installed here; none if this version is not."""
    if "/" in package.name:
        cache = os.environ.get("GOMODCACHE") or Path.home() / "go" / "pkg" / "mod"
        path = Path(cache, f"{package.name}@{package.version}", "LICENSE")
        return _of_text(path.read_text(encoding="utf-8")) if path.is_file() else None
    try:
        told = metadata.metadata(package.name)
    except metadata.PackageNotFoundError:
        return None
    return _named(package.name, told.json) if told["Version"] == package.version else None


def _of_text(text: str) -> tuple[str, ...]:
    if "Apache License" in text:
        return ("Apache-2.0",)
    return ("BSD-3-Clause",) if "Neither the name" in text else ()


def _named(name: str, told: dict[str, Any]) -> tuple[str, ...]:
    """The licences that metadata name, the same name for the same licence; maybe none."""
    if name in READ_BY_HAND:
        return (READ_BY_HAND[name],)
    found = [
        each.rpartition(" :: ")[2]
        for each in told.get("classifier", ())
        if each.startswith(_CLASSIFIER)
    ]
    if name.startswith("nvidia-") and "Other/Proprietary License" in found:
        found = ["NVIDIA"]
    classified = " AND ".join(filter(None, (_NAMES.get(each, each) for each in found)))
    said = told.get("license_expression") or classified or told.get("license") or ""
    first = said.strip().partition("\n")[0]
    return tuple(sorted({_NAMES.get(each, each) for each in _JOINED.split(first) if each}))


def on_page() -> dict[str, tuple[str, ...]]:
    """What the page has, by package and version."""
    found: dict[str, tuple[str, ...]] = {}
    for licences, packages in _ROW.findall(PAGE.read_text(encoding="utf-8")):
        found |= dict.fromkeys(packages.split(", "), tuple(licences.split(", ")))
    return found


def reported(path: Path) -> dict[str, tuple[str, ...]]:
    """What a report of pip has, by package and version."""
    found = {}
    for told in (each["metadata"] for each in json.loads(path.read_text())["install"]):
        name = re.sub(r"[-_.]+", "-", told["name"]).lower()
        found[f"{name} {told['version']}"] = _named(name, told)
    return found


def licences(packages: Iterable[Package], reports: Sequence[Path] = ()) -> dict[str, str]:
    """The licences of each package, joined.

    Raises KeyError for one that is neither installed nor in a report nor on the page.
    """
    known = on_page()
    for path in reports:
        known |= reported(path)
    here = {str(each): licences_of(each) for each in packages}
    return {key: ", ".join(known[key] if each is None else each) for key, each in here.items()}


def page(reports: Sequence[Path] = ()) -> str:
    """The page as it has to be."""
    lines = [
        "# Licences",
        "",
        "Groundwire is under [Apache-2.0](LICENSE). This is what the packages say of themselves "
        "that are installed with it. `scripts/licences.py` writes this page; a test compares it, "
        "and refuses a licence that nobody has read. Where a package names more than one, it may "
        "ask for all or leave the choice: its own file says which. Two kinds ask for more than a "
        "notice: the LGPL (pycountry on a GPU; psycopg, which the queue has for PostgreSQL, and "
        "whose wheel holds libpq), that others can exchange the library and have its source, and "
        "NVIDIA's, that its libraries are passed on as they are. Extras of the Python client for "
        "frameworks are not locked and not listed.",
    ]
    above: set[str] = set()
    for name, title in SETS.items():
        by_licence: dict[str, list[str]] = {}
        for key, found in licences(shipped(name), reports).items():
            if key not in above:
                by_licence.setdefault(found, []).append(key)
        above |= {str(each) for each in shipped("cpu")}
        lines += ["", f"## {title}", "", f"{sum(map(len, by_licence.values()))} packages.", ""]
        lines += ["| licence | packages |", "| --- | --- |"]
        lines += [f"| {found} | {', '.join(by_licence[found])} |" for found in sorted(by_licence)]
    return "\n".join((*lines, ""))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", type=Path, action="append", default=[], help="pip's, or more")
    PAGE.write_text(page(parser.parse_args().report), encoding="utf-8")

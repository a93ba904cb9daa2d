#!/usr/bin/env python3
"""Installs the wheels into an empty environment with pip alone, and asks the server a claim.

    python3.11 scripts/check_install.py [--keep FOLDER]

It runs `make wheels` and the two commands of docs/deployment.md, says what they downloaded and
wrote, starts `groundwire serve` with the model `small`, and has the client verify one claim. It
downloads gigabytes, so this is no part of `make test`.
"""

import argparse
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
INSTALL = "pip install --no-cache-dir --progress-bar off --no-deps --require-hashes -r"
BYTES = {"kB": 1e3, "MB": 1e6, "GB": 1e9}
ASK = """
import sys
from groundwire import Client
with Client(sys.argv[1]) as client:
    client.wait_until_serving(timeout_s=600)
    (claim,) = client.verify_answer("The tower is 330 m high.", "The tower is 330 m high.")
    print(claim.content, claim.verdict, f"p1 = {claim.p1:.3f}, p0 = {claim.p0:.3f}")
"""


def main() -> int:
    """Install, serve, ask; 1 if a command failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--keep", type=Path, help="a new folder for the environment, which stays")
    keep = parser.parse_args().keep
    with tempfile.TemporaryDirectory(prefix="groundwire-install-") as temporary:
        folder = keep.resolve() if keep else Path(temporary)
        try:
            check(folder)
        except subprocess.CalledProcessError as error:
            print(f"{error.cmd[0]} ended with {error.returncode}", file=sys.stderr)
            return 1
    return 0


def check(folder: Path) -> None:
    """Do all of it in a folder, where no program of this checkout's environment is used."""
    run("make", "wheels", f"PYTHON={sys.executable}", cwd=ROOT)
    run(sys.executable, "-m", "venv", str(folder))
    began_s = time.monotonic()
    python = str(folder / "bin" / "python")
    said = run(python, "-m", *INSTALL.split(), str(ROOT / "requirements" / "cpu.txt"))
    sizes = re.findall(r"Downloading \S+ \(([\d.]+) ([kMG]B)\)", said)
    downloaded = sum(float(number) * BYTES[unit] for number, unit in sizes) / 1e9
    wheels = [str(wheel) for wheel in sorted((ROOT / "dist").glob("groundwire*.whl"))]
    run(python, "-m", "pip", "install", "--no-deps", *wheels)
    taken_s = time.monotonic() - began_s
    written = sum(each.stat().st_blocks for each in folder.rglob("*")) * 512 / 1e9
    print(f"{len(sizes)} packages: {downloaded:.2f} GB downloaded, {written:.1f} GB on the disk")
    print(f"{taken_s:.0f} s to install")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    serve = (str(folder / "bin" / "groundwire"), "serve", "--model", "small", "--listen", address)
    quiet = os.environ | {"GROUNDWIRE_METRICS_LISTEN": ""}
    with subprocess.Popen(serve, cwd=folder, env=quiet, stderr=subprocess.DEVNULL) as server:
        try:
            began_s = time.monotonic()
            print(run(python, "-c", ASK, address, cwd=folder).strip())
            print(f"{time.monotonic() - began_s:.0f} s from the start to the verdict")
        finally:
            server.terminate()


def run(*command: str, cwd: Path | None = None) -> str:
    """What a command prints. Raises CalledProcessError; standard error is the terminal's."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return subprocess.run(
        command, cwd=cwd, env=environment, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Builds the image of Dockerfile.cpu, starts it, and asks it a claim over gRPC and over HTTP.

    .venv/bin/python scripts/check_image.py [--certificates FILE] [--again] [--model small]

It needs root, buildah and debootstrap, and no registry of images: a Debian made here stands for the
base image, in which everything else is done as the file says. `--certificates` are the authorities
of a proxy that stands before the index of packages. `--again` takes the image that is there. The
default model is downloaded and converted at the start; `--model small` is in the image. The folder
is `build/image`, some 13 GB; it takes some minutes, so this is no part of `make test`.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from groundwire import Client

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "build" / "image"
DEBIAN, BASE, IMAGE, CONTAINER = OUT / "debian", "base", "groundwire", "groundwire-check"
PACKAGES = "python3,python3-venv,python3-pip,ca-certificates"
AUTHORITIES = "etc/ssl/certs/ca-certificates.crt"
ANSWER = "The tower is 330 m high [S0]."
SOURCE = "The tower is 330 m high."
START_LIMIT_S = 900
GRPC, HTTP = "127.0.0.1:50251", "127.0.0.1:8251"
SETTINGS = {
    "GROUNDWIRE_LISTEN": GRPC,
    "GROUNDWIRE_HTTP_LISTEN": HTTP,
    "GROUNDWIRE_METRICS_LISTEN": "127.0.0.1:9651",
}


def main() -> int:
    """Build, start, ask; 1 if a command failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--certificates", type=Path, help="a PEM file for pip and uv to trust")
    parser.add_argument("--again", action="store_true", help="take the image that was built before")
    parser.add_argument("--model", default="auto", help="what it serves")
    arguments = parser.parse_args()
    missing = [name for name in ("buildah", "debootstrap") if shutil.which(name) is None]
    if missing or os.geteuid():
        print(f"needs root, and on the path: {' '.join(missing)}", file=sys.stderr)
        return 2
    try:
        if not arguments.again:
            make_base(arguments.certificates)
            build()
        serve_and_ask(arguments.model)
    except subprocess.CalledProcessError as error:
        print(f"{' '.join(map(str, error.cmd))} ended with {error.returncode}", file=sys.stderr)
        return 1
    return 0


def buildah(*arguments: str | Path) -> str:
    """What buildah prints; its own store of images is in the folder."""
    command = ("buildah", "--root", OUT / "store", "--storage-driver", "overlay", *arguments)
    return run(*command).strip()


def run(*command: str | Path) -> str:
    """What a command prints. Raises CalledProcessError; standard error is the terminal's."""
    environment = os.environ | {"BUILDAH_ISOLATION": "chroot"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


def make_base(certificates: Path | None) -> None:
    """An image of a Debian with Python, in place of the one that Dockerfile.cpu names."""
    OUT.mkdir(parents=True, exist_ok=True)
    if not (DEBIAN / "usr" / "bin" / "python3").exists():
        shutil.rmtree(DEBIAN, ignore_errors=True)
        flags = ("--variant=minbase", f"--include={PACKAGES}")
        run("debootstrap", *flags, "bookworm", DEBIAN)
    if certificates:
        shutil.copyfile(certificates, DEBIAN / AUTHORITIES)
    container = buildah("from", "scratch")
    buildah("add", container, DEBIAN, "/")
    if certificates:
        for name in ("PIP_CERT", "SSL_CERT_FILE"):
            buildah("config", "--env", f"{name}=/{AUTHORITIES}", container)
    buildah("commit", "--rm", container, BASE)


def build() -> None:
    """The image, by Dockerfile.cpu but for its base."""
    file = (ROOT / "Dockerfile.cpu").read_text(encoding="utf-8")
    file, found = re.subn(r"^FROM .*$", f"FROM localhost/{BASE}", file, flags=re.MULTILINE)
    if found != 1:
        raise ValueError(f"Dockerfile.cpu has {found} lines with FROM, not one")
    changed = OUT / "Dockerfile"
    changed.write_text(file, encoding="utf-8")
    began_s = time.monotonic()
    flags = ("--ignorefile", ".dockerignore", "--format", "docker")
    said = buildah("build", *flags, "-f", changed, "-t", IMAGE, ".")
    (OUT / "build.log").write_text(said, encoding="utf-8")
    print(f"built in {time.monotonic() - began_s:.0f} s", flush=True)


def serve_and_ask(model: str) -> None:
    """Starts the image by its own entry point and user, and asks a claim through both doors."""
    buildah("from", "--pull-never", "--name", CONTAINER, IMAGE)
    try:
        config = json.loads(buildah("inspect", CONTAINER))["Docker"]["config"]
        print(f"as {config['User']}: {' '.join(config['Entrypoint'])}", flush=True)
        settings = SETTINGS | {"GROUNDWIRE_MODEL": model}
        variables = [f"--env={name}={value}" for name, value in settings.items()]
        command = ("buildah", "--root", OUT / "store", "--storage-driver", "overlay", "run",
                   *variables, CONTAINER, "--", *config["Entrypoint"])  # fmt: skip
        began_s = time.monotonic()
        with (
            (OUT / "serve.log").open("wb") as log,
            subprocess.Popen(
                command,
                env=os.environ | {"BUILDAH_ISOLATION": "chroot"},
                stdout=log,
                stderr=log,
                start_new_session=True,
            ) as server,
        ):
            try:
                ask_over_grpc(began_s)
                ask_over_http()
                buildah("run", *variables, CONTAINER, "--", *config["Healthcheck"]["Test"][1:])
                print("its health check passes")
            finally:
                os.killpg(server.pid, 15)
    finally:
        buildah("rm", CONTAINER)


def ask_over_grpc(began_s: float) -> None:
    """One claim, as soon as the server serves."""
    with Client(GRPC) as client:
        client.wait_until_serving(timeout_s=START_LIMIT_S)
        print(f"serves after {time.monotonic() - began_s:.0f} s")
        (claim,) = client.verify_answer(ANSWER, SOURCE)
        print(f"gRPC: {claim.content} {claim.verdict} p1 = {claim.p1:.3f}, p0 = {claim.p0:.3f}")


def ask_over_http() -> None:
    """The same claim by the chatbot's call."""
    body = {"answer": ANSWER, "sources": [{"id": "S0", "text": SOURCE}]}
    request = urllib.request.Request(
        f"http://{HTTP}/v1/hallucination-check",
        json.dumps(body).encode(),
        {"content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310
        print(f"HTTP: {response.status} {response.read().decode()}")


if __name__ == "__main__":
    sys.exit(main())

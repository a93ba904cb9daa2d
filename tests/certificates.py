"""Certificates for tests of TLS, made by openssl."""

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Pair:
    """A self-signed certificate for 127.0.0.1, and its key."""

    cert: Path
    key: Path


def make_pair(folder: Path, name: str) -> Pair:
    pair = Pair(folder / f"{name}.pem", folder / f"{name}.key")
    request = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    subject = ["-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(pair.key), "-out", str(pair.cert)]
    subprocess.run([*request.split(), *subject, *files], check=True, capture_output=True)
    return pair

"""Certificates for tests of TLS, made by openssl."""

import asyncio
import ssl
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Pair:
    """A self-signed certificate, for 127.0.0.1 unless it is made for other names, and its key."""

    cert: Path
    key: Path


def make_pair(folder: Path, name: str, names: str = "IP:127.0.0.1") -> Pair:
    pair = Pair(folder / f"{name}.pem", folder / f"{name}.key")
    request = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    subject = ["-subj", f"/CN={name}", "-addext", f"subjectAltName={names}"]
    files = ["-keyout", str(pair.key), "-out", str(pair.cert)]
    subprocess.run([*request.split(), *subject, *files], check=True, capture_output=True)
    return pair


async def is_shown(pair: Pair, target: str) -> bool:
    """Whether a new connection to `host:port` is shown this certificate."""
    host, _, port = target.rpartition(":")
    anyone = ssl.create_default_context()
    anyone.check_hostname, anyone.verify_mode = False, ssl.CERT_NONE
    _, writer = await asyncio.open_connection(host, int(port), ssl=anyone)
    found = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    writer.close()
    return bool(found == ssl.PEM_cert_to_DER_cert(pair.cert.read_text()))

"""What lies between client and server: a real Toxiproxy."""

import json
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.tools.common import BenchError
from bench.tools.serving import free_address
from tests.soak.chaos.served import NotHereError

START_TIMEOUT_S = 10.0
UP, DOWN = "upstream", "downstream"

Toxic = tuple[str, str, Mapping[str, int]]
"""Its kind, which way it acts, and its numbers, as Toxiproxy names them."""


@dataclass(frozen=True, slots=True)
class Proxy:
    """One address of a Toxiproxy, and what is done to it."""

    api: str
    name: str
    target: str

    def poison(self, toxics: Sequence[Toxic]) -> None:
        """Do these things to all connections from now on."""
        for number, (kind, stream, numbers) in enumerate(toxics):
            toxic = {"name": f"t{number}", "type": kind, "stream": stream, "attributes": numbers}
            _send(f"{self.api}/proxies/{self.name}/toxics", "POST", toxic)

    def cure(self, toxics: Sequence[Toxic]) -> None:
        """Do them no more."""
        for number in range(len(toxics)):
            _send(f"{self.api}/proxies/{self.name}/toxics/t{number}", "DELETE")

    def remove(self) -> None:
        """Close the address and its connections."""
        _send(f"{self.api}/proxies/{self.name}", "DELETE")


@dataclass(slots=True)
class Toxiproxy:
    """A Toxiproxy that runs."""

    api: str
    made: int = 0

    def to(self, target: str) -> Proxy:
        """A new address that leads to a target."""
        self.made += 1
        name = f"p{self.made}"
        wanted = {"name": name, "listen": "127.0.0.1:0", "upstream": target, "enabled": True}
        return Proxy(self.api, name, str(_send(f"{self.api}/proxies", "POST", wanted)["listen"]))


@contextmanager
def toxiproxy(binary: Path | None) -> Iterator[Toxiproxy]:
    """A Toxiproxy of our own. Raises NotHereError."""
    if binary is None or not binary.is_file():
        raise NotHereError(
            "Toxiproxy is not here: build it by `GOBIN=DIR go install "
            "github.com/Shopify/toxiproxy/v2/cmd/server@latest`, and give --toxiproxy DIR/server"
        )
    host, _, port = free_address().rpartition(":")
    command = [str(binary), "-host", host, "-port", port]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=quiet, stderr=quiet)
    try:
        api = f"http://{host}:{port}"
        _until_it_answers(api)
        yield Toxiproxy(api)
    finally:
        process.terminate()
        process.wait()


def _until_it_answers(api: str) -> None:
    end_s = time.monotonic() + START_TIMEOUT_S
    while True:
        try:
            _send(f"{api}/proxies", "GET")
        except urllib.error.URLError:
            if time.monotonic() > end_s:
                raise BenchError("Toxiproxy did not start") from None
            time.sleep(0.02)
        else:
            return


def _send(url: str, method: str, data: Mapping[str, object] | None = None) -> dict[str, object]:
    body = None if data is None else json.dumps(data).encode()
    request = urllib.request.Request(url, body, method=method)  # noqa: S310 - our own, on loopback
    with urllib.request.urlopen(request, timeout=START_TIMEOUT_S) as answer:  # noqa: S310
        text = answer.read()
    return dict(json.loads(text)) if text else {}

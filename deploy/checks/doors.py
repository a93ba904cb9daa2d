"""Asks servers through the Envoy of the chart: gRPC, HTTP, and output verification on PostgreSQL.

    python -m deploy.checks.doors --envoy ENVOY --helm HELM     (as for deploy.checks.chart)

Envoy runs with what helm renders, with the addresses of two servers here in place of the cluster's
names. The servers are real, with a scripted engine and no model; one has output verification on a
PostgreSQL (apt: postgresql), and is the only one that may be asked for it. Exits with 1 if an
answer is not as it should be.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from deploy.checks.chart import CHART, PLAIN
from groundwire import Client, Turn, TurnRole, VerificationState
from tests.postgres import postgres_on
from tests.scripted import scripted_process
from tests.serving import free_port
from tests.soak.replicas.parts import endpoints, socket_address

READY_S, POLL_S, TIMEOUT_S = 30.0, 0.1, 30.0
TEXT = "The tower is 330 m high."
CHECK = "/v1/hallucination-check"
GET = "/groundwire.v1.OutputVerification/GetVerification"
VALUES = {
    **PLAIN,
    "outputVerification": {"storeSecret": "outputs"},
    "networkPolicy": {"egress": [{"ports": [{"port": 5432, "protocol": "TCP"}]}]},
}


def rendered(helm: str, folder: Path) -> dict[str, Any]:
    """Envoy's configuration in the chart with output verification."""
    values = folder / "values.yaml"
    values.write_text(yaml.safe_dump(VALUES), encoding="utf-8")
    command = (helm, "template", "groundwire", str(CHART), "-f", str(values))
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    (config,) = (
        each["data"]["envoy.yaml"]
        for each in yaml.safe_load_all(text)
        if each and each["kind"] == "ConfigMap"
    )
    found: dict[str, Any] = yaml.safe_load(config)
    return found


@contextmanager
def envoy(binary: str, config: dict[str, Any], addresses: dict[str, str]) -> Iterator[None]:
    """An Envoy with these addresses in place of those of listeners and clusters, by their names."""
    resources = config["static_resources"]
    for listener in resources["listeners"]:
        listener["address"] = socket_address(addresses[f"listen {listener['name']}"])
    for cluster in resources["clusters"]:
        cluster["load_assignment"]["endpoints"] = endpoints([addresses[cluster["name"]]])
    config["admin"]["address"] = socket_address(addresses["admin"])
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        yaml.safe_dump(config, file)
        file.flush()
        command = (binary, "-c", file.name, "--disable-hot-restart", "--log-level", "warning")
        with subprocess.Popen(command) as process:
            try:
                yield
            finally:
                process.terminate()


def asked(address: str, path: str, body: object | None = None) -> tuple[int, str]:
    """Status and text of an answer over HTTP; 0 and why where there is none."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        f"http://{address}{path}", data, {"content-type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:  # noqa: S310
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except urllib.error.URLError as error:
        return 0, str(error)


def problems(grpc: str, http: str) -> list[str]:
    """What is wrong with the answers through Envoy."""
    found: list[str] = []
    until_s = time.monotonic() + READY_S
    while asked(http, "/readyz")[0] != 200 and time.monotonic() < until_s:  # noqa: PLR2004
        time.sleep(POLL_S)
    with Client(grpc, timeout_s=TIMEOUT_S) as client:
        client.wait_until_serving(READY_S)
        (claim,) = client.verify_answer(TEXT, TEXT)
        print(f"gRPC: {claim.content} {claim.verdict}")
        status, text = asked(http, CHECK, {"answer": TEXT, "sources": [{"id": "S", "text": TEXT}]})
        print(f"HTTP: {status} {text[:80]}")
        if '"claims":[{' not in text.replace(" ", ""):
            found.append(f"HTTP: {status} {text}")
        status, text = asked(http, "/")
        if "<html" not in text:
            found.append(f"the page at /: {status} {text[:200]}")
        submitted = client.submit_verification(TEXT, [Turn(TurnRole.TOOL, TEXT, id="search")])
        *_, last = client.watch_verification(submitted.id)
        print(f"output verification: {last.state}")
        if last.state is not VerificationState.DONE:
            found.append(f"output verification: {last.state_text}")
        status, text = asked(http, GET, {"id": submitted.id})
        print(f"the same over HTTP: {status}, done: {'DONE' in text}")
        if "DONE" not in text:
            found.append(f"output verification over HTTP: {status} {text}")
    return found


def main() -> int:
    """Check all; 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--envoy", default="envoy", help="the program")
    parser.add_argument("--helm", default="helm", help="the program")
    arguments = parser.parse_args()
    ports = ("listen calls", "listen http", "listen operations", "admin", "http", "outputs-http")
    addresses = {name: f"127.0.0.1:{free_port()}" for name in ports}
    with (
        tempfile.TemporaryDirectory(prefix="groundwire-doors-") as folder,
        postgres_on() as database,
        scripted_process({}, http_listen=addresses["http"]) as reader,
        scripted_process(
            {},
            http_listen=addresses["outputs-http"],
            output_verification_enabled=True,
            output_verification_store=database.url,
        ) as keeper,
    ):
        addresses |= {"replicas": reader, "outputs": keeper}
        with envoy(arguments.envoy, rendered(arguments.helm, Path(folder)), addresses):
            found = problems(addresses["listen calls"], addresses["listen http"])
    print("\n".join(found) or "the doors are right")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())

"""Asks a real Prometheus, which reads a real server, for all that dashboard and alerts ask for.

    python -m deploy.checks.dashboard      (needs `prometheus` and `promtool` on the path)

Each expression of the dashboard has to give a number. Each alert has to be evaluated without an
error, and each metric that it chooses by its labels has to be there, but for what NEVER_HERE names.
Exits with 1 if one does not. Is no part of the gate: it takes two minutes, with a model.
"""

import contextlib
import json
import math
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

import yaml

from deploy.checks.calls import TEXTS, be_refused, call_everything, full_server
from tests.serving import free_port

ROOT = Path(__file__).resolve().parents[2]
BOARD = ROOT / "deploy" / "grafana" / "groundwire.json"
ALERTS = ROOT / "deploy" / "prometheus" / "alerts.yml"

GRAFANAS = {"$instance": ".*", "$__rate_interval": "30m"}
"""What Grafana would put in. The range is longer than the check, since a quantile needs calls."""

NEVER_HERE = ('groundwire_call_errors_total{reason="INTERNAL"}',)
"""What no call can bring about: bugs."""

SELECTOR = re.compile(r"(?:groundwire|process)_\w+(?:\{[^}]*\})?")
SCRAPES, ROUNDS = 3, 2
TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Prometheus:
    """A Prometheus that runs, at its address."""

    address: str

    def ask(self, path: str, **parameters: str) -> object:
        """The data of an answer of its API. Raises OSError, and ValueError where it refuses."""
        url = f"{self.address}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url, timeout=TIMEOUT_S) as response:  # noqa: S310
                return json.load(response)["data"]
        except urllib.error.HTTPError as error:
            if error.code >= HTTPStatus.INTERNAL_SERVER_ERROR:
                # It is not ready yet.
                raise
            raise ValueError(error.read().decode()) from None

    def numbers(self, expression: str) -> list[float]:
        """What an expression gives now, by series; what is not a number is left out."""
        data = self.ask("query", query=expression)
        assert isinstance(data, dict)
        found = data["result"]
        # A scalar is a pair and no list of series.
        values = [found] if data["resultType"] == "scalar" else [s["value"] for s in found]
        return [n for _, text in values if not math.isnan(n := float(text))]

    def wait_for(self, expression: str) -> None:
        """Return once an expression gives something. Raises TimeoutError."""
        until_s = time.monotonic() + TIMEOUT_S
        while time.monotonic() < until_s:
            with contextlib.suppress(OSError):
                if self.numbers(expression):
                    return
            time.sleep(0.2)
        raise TimeoutError(f"nothing came of {expression}")

    def ask_after(self, expression: str) -> str:
        """What is wrong with the answer to an expression; empty if it gives a number."""
        try:
            return "" if self.numbers(expression) else "no number"
        except ValueError as error:
            return str(error)


@contextlib.contextmanager
def reading(server: str, folder: Path) -> Iterator[Prometheus]:
    """A Prometheus that reads a server's page each second, and knows our alerts."""
    config = folder / "prometheus.yml"
    job = {
        "job_name": "groundwire",
        "scrape_interval": "1s",
        "static_configs": [{"targets": [server]}],
    }
    every = {"evaluation_interval": "1s"}
    config.write_text(
        yaml.safe_dump({"global": every, "rule_files": [str(ALERTS)], "scrape_configs": [job]})
    )
    address = f"127.0.0.1:{free_port()}"
    command = [
        "prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address={address}", "--log.level=error",
    ]  # fmt: skip
    with subprocess.Popen(command) as process:
        try:
            yield Prometheus(f"http://{address}")
        finally:
            process.terminate()


def asked_for(expression: str) -> str:
    """An expression with what Grafana puts in."""
    for name, value in GRAFANAS.items():
        expression = expression.replace(name, value)
    return expression


def expressions() -> Iterator[tuple[str, str]]:
    """Every expression of the dashboard, with the title of its panel."""
    for panel in json.loads(BOARD.read_text(encoding="utf-8"))["panels"]:
        for target in panel.get("targets", ()):
            yield panel["title"], asked_for(target["expr"])


def selectors() -> Iterator[tuple[str, str]]:
    """Each metric that an alert chooses, by its labels, with the alert's name."""
    (group,) = yaml.safe_load(ALERTS.read_text(encoding="utf-8"))["groups"]
    for rule in group["rules"]:
        yield from ((rule["alert"], found) for found in SELECTOR.findall(rule["expr"]))


def rules_that_fail(prometheus: Prometheus) -> Mapping[str, str]:
    """Alerts that Prometheus could not evaluate, with its words."""
    data = prometheus.ask("rules")
    assert isinstance(data, dict)
    rules = [rule for group in data["groups"] for rule in group["rules"]]
    assert rules, "Prometheus has no rules"
    return {r["name"]: r["lastError"] for r in rules if r["health"] != "ok"}


def main() -> int:
    """Print what was asked and what came of it. Returns the exit code."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="groundwire-check-")))
        served, client = stack.enter_context(full_server(folder))
        prometheus = stack.enter_context(
            reading(served.metrics_url.removeprefix("http://").removesuffix("/metrics"), folder)
        )
        for number in range(ROUNDS):
            call_everything(client)
            be_refused(client, served.target)
            # A rate needs two scrapes, and the calls of the next round have to come between them.
            prometheus.wait_for(f"timestamp(up) > {time.time() + SCRAPES}")
            print(f"round {number + 1} of {ROUNDS} is read", flush=True)
        asked = [(title, text, prometheus.ask_after(text)) for title, text in expressions()]
        chosen = [
            (alert, text, prometheus.ask_after(text))
            for alert, text in sorted(set(selectors()))
            if text not in NEVER_HERE
        ]
        failing = rules_that_fail(prometheus)
        told = [text for text in TEXTS if text in served.metrics()]
    for title, text, fault in (*asked, *chosen):
        print(f"{fault or 'ok':10} {title}: {text}")
    print(f"{len(asked)} expressions of the dashboard, {len(chosen)} metrics of alerts, without: "
          f"{', '.join(NEVER_HERE)}")  # fmt: skip
    print(f"alerts that fail: {failing or 'none'}; texts of requests on the page: {told or 'none'}")
    return 1 if failing or told or any(fault for _, _, fault in (*asked, *chosen)) else 0


if __name__ == "__main__":
    sys.exit(main())

"""What dashboard and alerts ask for is on the real server's page, after calls of every kind."""

import json
import re
from pathlib import Path

import yaml
from prometheus_client.parser import text_string_to_metric_families

from deploy.checks.calls import call_everything
from groundwire import Client
from tests.serving import Served

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
PROMETHEUS_OWN = {"instance", "job"}
SELECTOR = re.compile(r"\b((?:groundwire|process)_\w+)(?:\{([^}]*)\})?")
MATCHED = re.compile(r"(\w+)\s*(?:=~|!=|=)")
GROUPED = re.compile(r"by \(([^)]*)\)")


def expressions() -> list[str]:
    board = json.loads((DEPLOY / "grafana" / "groundwire.json").read_text(encoding="utf-8"))
    (group,) = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yml").read_text())["groups"]
    shown = [target["expr"] for panel in board["panels"] for target in panel.get("targets", ())]
    return shown + [rule["expr"] for rule in group["rules"] if rule["alert"] != "GroundwireDown"]


def asked_for(expression: str) -> set[tuple[str, str]]:
    """Metrics with the labels by which they are chosen or summed, and once without any."""
    grouped = {label for by in GROUPED.findall(expression) for label in re.findall(r"\w+", by)}
    return {
        (metric, label)
        for metric, chosen in SELECTOR.findall(expression)
        for label in ({"", *MATCHED.findall(chosen)} | grouped) - PROMETHEUS_OWN
    }


def test_every_metric_and_label_that_is_asked_for_is_there(served: Served, client: Client) -> None:
    call_everything(client)
    samples = [
        sample
        for family in text_string_to_metric_families(served.metrics())
        for sample in family.samples
    ]
    there = {(sample.name, label) for sample in samples for label in {"", *sample.labels}}
    for expression in expressions():
        assert asked_for(expression), expression
        assert asked_for(expression) - there == set(), expression

"""The alert rules: promtool's own tests, and a runbook for each."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "deploy" / "prometheus"
(GROUP,) = yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"]
ALERTS = {rule["alert"]: rule for rule in GROUP["rules"]}
TESTED = yaml.safe_load((FOLDER / "alerts_test.yml").read_text())["tests"]
RUNBOOKS = (ROOT / "docs" / "operating.md").read_text()


@pytest.mark.parametrize("command", ["check rules alerts.yml", "test rules alerts_test.yml"])
def test_promtool_finds_the_rules_right(command: str) -> None:
    if shutil.which("promtool") is None:
        pytest.skip("promtool is not on the path: it comes with Prometheus (apt: prometheus)")
    done = subprocess.run(
        ["promtool", *command.split()], cwd=FOLDER, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("alert", ALERTS)
def test_an_alert_is_tested_to_fire_and_not_to_fire(alert: str) -> None:
    expected = [
        bool(case["exp_alerts"])
        for test in TESTED
        for case in test["alert_rule_test"]
        if case["alertname"] == alert
    ]
    assert set(expected) == {True, False}


@pytest.mark.parametrize("alert", ALERTS)
def test_an_alert_has_a_runbook_that_says_what_it_means_and_what_to_do(alert: str) -> None:
    assert ALERTS[alert]["annotations"]["runbook"] == f"docs/operating.md#{alert.lower()}"
    section = re.split(r"^##", RUNBOOKS.partition(f"### {alert}\n")[2], flags=re.MULTILINE)[0]
    assert re.findall(r"^\*\*(.+?)\*\*", section, re.MULTILINE) == ["Means", "Look at", "Do"]

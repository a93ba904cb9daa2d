"""The chatbot's check on the real model over HTTP: the cases that n8n runs, in both languages."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serving import Served

WORKFLOW = Path(__file__).parents[3] / "examples" / "n8n" / "test-cases.json"
WARNINGS = {"English": "Much of this answer", "Hebrew": "חלקים רבים בתשובה"}


def cases_node() -> dict[str, Any]:
    """The node of the workflow that holds sources and cases."""
    nodes = {node["name"]: node for node in json.loads(WORKFLOW.read_text())["nodes"]}
    found: dict[str, Any] = json.loads(nodes["Cases"]["parameters"]["jsonOutput"])
    return found


CASES = cases_node()


@pytest.mark.parametrize("case", CASES["cases"], ids=lambda case: case["name"])
def test_each_claim_is_flagged_as_the_workflow_expects(
    served: Served, http_target: str, case: dict[str, Any]
) -> None:
    body = {"answer": case["answer"], "sources": CASES["sources"][case["language"]]}
    url = f"http://{http_target}/v1/hallucination-check"
    found = httpx.post(url, json=body, timeout=120).json()
    claims = found["hallucination_check"]["claims"]
    assert [claim["grounded"] for claim in claims] == case["expected"]
    assert all(0 <= claim[name] <= 1 for claim in claims for name in ("p1", "p0", "confidence"))
    whole = found["hallucination_check"]["overall_grounded"], found["warning"]
    if all(case["expected"]):
        assert whole == (True, None)
    else:
        assert whole[0] is False
        assert whole[1].startswith(WARNINGS[case["language"]])

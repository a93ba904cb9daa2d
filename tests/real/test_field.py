"""What people reported of checks like this one, on the real model: `shared/field/cases.json`.

What the form of an input decides is asserted: which claims there are, what they cite, what is told
of them. What the model has to read is printed, by kind: which came out right, and which did not.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import httpx
import pytest

from groundwire import (
    AnswerClaim,
    AnswerReport,
    AssessmentLayer,
    ClaimInput,
    Client,
    Document,
    Evidence,
    SuggestedAction,
    ToolCall,
    Verdict,
)
from tests.conftest import SHARED
from tests.server.mcp.agents import agent
from tests.serving import Served

FILE = SHARED / "field" / "cases.json"
ANSWERS = ("gRPC VerifyAnswer", "HTTP POST /v1/hallucination-check", "MCP verify_answer")
"""Doors to the same report; what differs between them has tests of its own."""

OTHERS = {"FC-34", "FC-35", "FC-36", "FC-39"}
"""What needs a server, a chart, a stream or a corpus of its own: `test_pending`, `test_replicas`,
`test_serve_process` and `test_comparison` have them."""

Case = dict[str, Any]
Checks = Iterator[tuple[str, bool]]
"""What was checked, and whether it was right."""


def cases() -> Iterator[tuple[str, Case]]:
    """All cases and their twins, each by a name."""
    for case in json.loads(FILE.read_text("utf-8")):
        yield case["id"], case
        for i, twin in enumerate(case.get("twins", ())):
            yield f"{case['id']}, twin {i + 1}", {**case, **twin}


def is_run_here(case: Case) -> bool:
    given = case["input"]
    whole = case["door"] in ANSWERS and "answer" in given and bool(given.get("sources"))
    return case["id"] not in OTHERS and (whole or case["door"].startswith("gRPC VerifyClaims"))


def sources_of(given: Case) -> Evidence:
    sources = given["sources"]
    return Evidence.documents(
        [
            Document(each["id"], each["text"])
            for each in (json.loads(sources) if isinstance(sources, str) else sources)
            if each["text"].strip()
        ]
    )


def counted_of(report: AnswerReport) -> list[AnswerClaim]:
    return [each for each in report if each.reason not in ("NON_ASSERTIVE", "TOO_SHORT")]


def paired(wanted: Case, claims: Sequence[AnswerClaim]) -> Iterator[tuple[Case, AnswerClaim]]:
    """What is wanted of each claim: of the one that holds a text, or of the one at its place."""
    for i, want in enumerate(wanted.get("claims", ())):
        part = want.get("text_contains", "")
        yield from [(want, c) for c in (claims if part else claims[i : i + 1]) if part in c.content]


def by_form(wanted: Case, report: AnswerReport) -> Checks:
    """What no reading decides."""
    counted = counted_of(report)
    if "total_claims" in wanted:
        yield "claims", report.summary.total_claims == wanted["total_claims"]
    for reason in wanted.get("no_reason", ()):
        yield f"no {reason}", reason not in [claim.reason for claim in report.claims]
    if wanted.get("distinct_spans"):
        yield "spans", len({claim.span for claim in counted}) == len(counted)
    if "flagged_text" in wanted:
        named = [value for claim in report.claims for value in claim.unstated_values]
        yield "named", wanted["flagged_text"] in named
    if "machine_readable" in wanted:
        yield "abstained", report.summary.abstained
    for want, claim in paired(wanted, counted):
        if "text" in want:
            yield "text", claim.content.rstrip(".") == want["text"]
        for field in ("cited_ids", "unknown_ids"):
            if field in want:
                yield field, list(getattr(claim, field)) == want[field]
        if "unstated_values" in want:
            yield "unstated", list(claim.unstated_values) == want["unstated_values"]
        if want.get("reason") == "UNKNOWN_CITATION":
            yield "reason", claim.reason == want["reason"]


def by_reading(wanted: Case, report: AnswerReport | list[Verdict]) -> Checks:
    """What the model decides."""
    if isinstance(report, AnswerReport):
        pairs = [(want, claim.verdict) for want, claim in paired(wanted, counted_of(report))]
        if isinstance(wanted.get("overall_grounded"), bool):
            yield "grounded", report.overall_grounded == wanted["overall_grounded"]
        if "response_names_source" in wanted:
            named = [each.passage.source_id for claim in report for each in claim.conflicts]
            yield "source that disagrees", named == [wanted["response_names_source"]]
        for never in wanted.get("no_verdict", ()):
            yield "verdict", never not in [claim.verdict for claim in report]
    else:
        pairs = list(zip(wanted["claims"], report, strict=True))
    for want, verdict in pairs:
        if "verdict_in" in want:
            yield "verdict", verdict in want["verdict_in"]
        if "verdict_not_in" in want:
            yield "verdict", verdict not in want["verdict_not_in"]


@pytest.fixture(scope="module")
def field(served: Served) -> dict[str, tuple[Case, AnswerReport | list[Verdict]]]:
    if not FILE.is_file():
        pytest.skip(f"no cases at {FILE}: put the folder there or set GROUNDWIRE_SHARED")
    found: dict[str, tuple[Case, AnswerReport | list[Verdict]]] = {}
    with Client(served.target, timeout_s=300) as client:
        for name, case in cases():
            given = case["input"]
            if not is_run_here(case):
                continue
            if "claims" in given:
                claims = [ClaimInput(text) for text in given["claims"]]
                result = client.verify_claims(claims, given["context"])
                found[name] = case, [claim.verdict for claim in result]
                continue
            found[name] = (
                case,
                client.verify_answer(
                    given["answer"], sources_of(given), question=given.get("question", "")
                ),
            )
    return found


def test_what_no_reading_decides_is_right(
    field: dict[str, tuple[Case, AnswerReport | list[Verdict]]],
) -> None:
    wrong = [
        f"{name}: {what}"
        for name, (case, report) in field.items()
        if isinstance(report, AnswerReport)
        for what, right in by_form(case["expected"], report)
        if not right
    ]
    assert wrong == []


def test_what_the_model_decides_is_told(
    field: dict[str, tuple[Case, AnswerReport | list[Verdict]]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    kinds: dict[str, list[str]] = defaultdict(list)
    wrong: dict[str, list[str]] = defaultdict(list)
    for name, (case, report) in field.items():
        checks = by_reading(case["expected"], report)
        kinds[case["door"]].append(name)
        if faults := sorted({what for what, right in checks if not right}):
            wrong[case["door"]].append(f"{name} ({', '.join(faults)})")
    elsewhere = sorted({case["id"] for _, case in cases() if not is_run_here(case)})
    with capsys.disabled():
        print(f"\nfield cases on the real model; not run here: {', '.join(elsewhere)}")
        for kind, names in kinds.items():
            right = len(names) - len(wrong[kind])
            told = f"; not right: {', '.join(wrong[kind])}" if wrong[kind] else ""
            print(f"  {kind}: {right} of {len(names)} right{told}")
    assert sum(map(len, kinds.values())) == sum(is_run_here(case) for _, case in cases())
    assert sum(map(len, wrong.values())) < len(field) / 2


def input_of(case_id: str) -> Case:
    if not FILE.is_file():
        pytest.skip(f"no cases at {FILE}: put the folder there or set GROUNDWIRE_SHARED")
    (case,) = [case for name, case in cases() if name == case_id]
    found: Case = case["input"]
    return found


@pytest.mark.parametrize("case", ["FC-27", "FC-29"])
def test_a_value_that_differs_from_a_tools_is_no_reason_to_do_nothing(
    case: str, served: Served
) -> None:
    given = input_of(case)
    calls = [ToolCall(**each) for each in given["tool_calls"]]
    heuristic = [AssessmentLayer.HEURISTIC] if "layers" in given else []
    with Client(served.target, timeout_s=120) as client:
        assessment = client.assess_response(
            given["response"], calls, question=given["question"], layers=heuristic
        )
    assert assessment.suggested_action != SuggestedAction.NONE


async def test_an_agent_may_send_its_sources_as_a_string(served: Served) -> None:
    arguments = input_of("FC-30")["arguments"]
    native = arguments | {"sources": json.loads(arguments["sources"])}
    async with agent(served.target, timeout_s=60.0) as client:
        results = [await client.call_tool("verify_answer", each) for each in (arguments, native)]
    assert not results[0].is_error
    claims = [result.structured_content["claims"] for result in results]
    assert [c["verdict"] for c in claims[0]] == [c["verdict"] for c in claims[1]]


def test_a_blank_source_is_told_and_the_rest_is_checked(http_target: str, served: Served) -> None:
    given = input_of("FC-45")
    address = f"http://{http_target}/v1/hallucination-check"
    body = {"answer": given["answer"], "sources": given["sources"]}
    response = httpx.post(address, json=body, timeout=60)
    assert response.status_code == 200
    assert response.json()["skipped_sources"] == ["S0"]
    assert response.json()["hallucination_check"]["total_claims"] == 1

    response = httpx.post(address, json=body | {"sources": []}, timeout=60)
    assert response.status_code == 200
    assert not response.json()["hallucination_check"]["overall_grounded"]


def test_an_offset_is_told_in_code_points(http_target: str, served: Served) -> None:
    text = input_of("FC-38")["text"]
    with Client(served.target, timeout_s=60) as client:
        assert client.extract_claims(text)[1].span.start == 32
    url = f"http://{http_target}/groundwire.v1.HallucinationDetection/ExtractClaims"
    response = httpx.post(url, json={"text": text}, timeout=60)
    assert response.json()["claims"][1]["span"]["start"] == 32


def test_markup_in_an_answer_comes_back_as_text(http_target: str, served: Served) -> None:
    tag = '<script src="w.js"></script>'
    body = {
        "answer": f"The widget is loaded with {tag} [S0].",
        "sources": [{"id": "S0", "text": f"Load the widget with {tag}."}],
    }
    page = httpx.post(
        f"http://{http_target}/v1/hallucination-check",
        json=body,
        headers={"accept": "text/html"},
        timeout=60,
    )
    assert page.status_code == 200
    assert "&lt;script src=" in page.text

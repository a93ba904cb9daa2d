"""A report as JSON, as rows, and as what a notebook shows."""

import importlib.util
import json
from dataclasses import replace
from datetime import date

import pytest

from groundwire import RetrievedSource, Span
from groundwire_server.reports.as_json import json_value
from tests.client.scripted import AnyClient, settle
from tests.server.reports.answer_reports import checked, claim, verdict

HOSTILE = '<img src=x onerror="alert(1)"> & so on'
ADA = claim("Ada", "Ada", verdict(p1=0.9, p0=0.2))
CLAIMS = [ADA, replace(ADA, content=HOSTILE)]
REPORT = checked("Ada", CLAIMS).report
DATED = RetrievedSource("P1", "a.md", "", "A text.", Span(0, 7), 0.5, date(2026, 11, 27), "name")


def test_a_report_is_a_dict_that_json_takes_with_p1_p0_and_bits_of_each_claim() -> None:
    report = replace(REPORT, sources=(DATED,))
    found = json.loads(json.dumps(report.to_dict()))
    assert list(found) == ["claims", "summary", "run", "extraction", "sources", "correction"]
    first = found["claims"][0]
    assert [first[key] for key in ("content", "verdict", "p1", "p0", "gap_bits")] == [
        *("Ada", CLAIMS[0].verdict, CLAIMS[0].p1, CLAIMS[0].p0, CLAIMS[0].gap_bits)
    ]
    assert first["budget"]["required_bits"] == CLAIMS[0].required_bits
    assert found["sources"][0]["dated"] == "2026-11-27"


def test_the_command_line_writes_the_claims_of_the_same_dict() -> None:
    assert json_value(checked("Ada", CLAIMS))["claims"] == REPORT.to_dict()["claims"]


async def test_verified_claims_are_a_dict_too(client: AnyClient) -> None:
    result = await settle(client.verify_claims(["0.75", "0.25"], "context"))
    found = json.loads(json.dumps(result.to_dict()))
    assert [each["p1"] for each in found["claims"]] == [0.75, 0.25]
    assert found["run"]["model"] == result.run.model


def test_a_notebook_shows_every_claim_and_runs_nothing_of_it() -> None:
    page = REPORT._repr_html_()
    assert page.count("<tr>") == len(CLAIMS) + 1
    assert "The answer is " in page
    assert f"{CLAIMS[0].p1:.2f}" in page
    assert "<img" not in page
    assert "&lt;img" in page


def test_the_direction_of_a_text_in_a_notebook_is_its_own() -> None:
    hebrew = replace(CLAIMS[0], content="המגדל גבוה")
    assert 'dir="auto" style="text-align: start">המגדל גבוה<' in (
        replace(REPORT, claims=(hebrew,))._repr_html_()
    )


def test_without_pandas_a_data_frame_says_what_to_install() -> None:
    if importlib.util.find_spec("pandas") is not None:
        pytest.skip("pandas is installed here")
    with pytest.raises(ImportError, match=r"to_pandas needs pandas.*pip install pandas"):
        REPORT.to_pandas()

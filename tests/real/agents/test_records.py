"""Feedback and the audit record on the real model: what is kept is what was read."""

import json
from pathlib import Path

import pytest

from groundwire import Client, Evidence, FeedbackVerdict, VerifyResult
from groundwire_server.cli.main import main
from tests.serving import Served

CLAIMS = ["The well is eleven metres deep.", "The well is dry in summer."]
CONTEXT = "The well is eleven metres deep and was dug in 1911."


def verified(client: Client) -> VerifyResult:
    return client.verify_claims(CLAIMS, Evidence.documents([CONTEXT]))


def lines_of(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_feedback_becomes_rows_that_have_what_the_model_has_read(
    client: Client, records: Path, tmp_path: Path
) -> None:
    result = verified(client)
    said = (FeedbackVerdict.GROUNDED, FeedbackVerdict.NOT_GROUNDED)
    for index, verdict in enumerate(said):
        client.record_feedback(result.detection_id, index, verdict)
    out, file = tmp_path / "rows.jsonl", records / "feedback.sqlite"
    assert main(["feedback", "export", "--out", str(out), "--feedback-file", str(file)]) == 0
    rows = [row for row in lines_of(out) if row["detection_id"] == result.detection_id]
    assert [(row["claim"], row["label"]) for row in rows] == [(CLAIMS[0], 1), (CLAIMS[1], 0)]
    assert [row["p1"] for row in rows] == [claim.p1 for claim in result]
    # Read again with the context of the row, a claim has the same p1, but for what another batch
    # moves in half precision.
    context = str(rows[0]["context"])
    again = client.batch_estimate(CLAIMS, context, skip_result_cache=True)
    assert [estimate.probability for estimate in again.estimates] == [
        pytest.approx(claim.p1, abs=0.03) for claim in result
    ]


def test_the_same_requests_have_the_same_verdicts_today(
    client: Client, served: Served, records: Path, tmp_path: Path
) -> None:
    result = verified(client)
    # Written soon after the answer; the next call is answered after that.
    record = tmp_path / "audit.jsonl"
    while not (
        mine := [
            line for line in lines_of(records / "audit.jsonl") if line["id"] == result.detection_id
        ]
    ):
        verified(client)
    record.write_text(f"{json.dumps(mine[0])}\n")
    request = {
        "claims": [{"text": text} for text in CLAIMS],
        "evidence": {"sources": [{"id": "S0", "document": {"text": CONTEXT}}]},
    }
    inputs = tmp_path / "inputs.jsonl"
    inputs.write_text(json.dumps({"method": "VerifyClaims", "request": request}))
    key = records / "audit.jsonl.key"
    arguments = ["audit", "replay", str(record), "--inputs", str(inputs), "--key", str(key)]
    assert main([*arguments, "--target", served.target]) == 0
    assert f"detection id={result.detection_id} method=VerifyClaims" in served.log

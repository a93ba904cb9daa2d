"""The rows of a claim's numbers."""

from dataclasses import replace

from groundwire_server.cli.reports.numbers import claim_rows
from groundwire_server.cli.reports.phrases import words_for
from tests.server.reports.answer_reports import estimate, miscited, verdict

WORDS = words_for("en")


def test_a_calibrated_probability_has_the_raw_one_beside_it() -> None:
    calibrated = replace(estimate(0.8), raw_probability=0.925, calibrated=True)
    rows = dict(claim_rows(replace(verdict(p1=0.8, p0=0.1), posterior=calibrated), WORDS))
    assert rows["p1, with the evidence"] == "0.800"
    assert rows["p1 before calibration"] == "0.925"
    assert "p0 before calibration" not in rows


def test_without_a_calibration_there_is_one_probability() -> None:
    names = [name for name, _ in claim_rows(verdict(p1=0.8, p0=0.1), WORDS)]
    assert not any("calibration" in name for name in names)


def test_a_miscited_claim_has_what_each_other_source_gives() -> None:
    rows = dict(claim_rows(miscited(), WORDS))
    assert rows["P(true) without any source"] == "0.020"
    assert rows["With S1 alone"] == "0.950, carries the claim"
    assert rows["With S2 alone"] == "-"

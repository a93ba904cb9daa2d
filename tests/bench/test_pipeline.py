"""The pipeline bench: the check of its calls, its figures, and what it tells."""

from dataclasses import replace

import pytest

from bench import pipeline
from bench.pipeline import (
    ANSWER,
    COLD,
    KINDS,
    OTHER,
    SAME,
    STREAM,
    Measured,
    Plan,
    Sample,
    Session,
    check,
    report,
    summarise,
)
from bench.tools.answers import CLAIMS, Visit
from bench.tools.common import BenchError, describe_run
from bench.tools.operations import OperationCell
from groundwire import AnswerReport, Client, Document, Evidence, SharedUsage

SOURCES = tuple(Document(f"S{i}", f"The mill number {i} stands on a hill.") for i in range(5))
ANSWERS = tuple(
    " ".join(f"The mill number {i} is {word} and well kept [S{i // 2}]." for i in range(10))
    for word in ("old", "new")
)


@pytest.fixture
def answered(scripted_client: Client) -> AnswerReport:
    return scripted_client.verify_answer(ANSWERS[0], Evidence.documents(SOURCES))


def with_tokens(answered: AnswerReport, computed: int, minimal: int) -> AnswerReport:
    usage = SharedUsage(20, 9000, computed, minimal, block_tokens=16)
    return replace(answered, run=replace(answered.run, usage=usage))


def test_a_call_whose_claims_were_all_read_passes(answered: AnswerReport) -> None:
    check(with_tokens(answered, 1000, 1000), COLD)
    check(with_tokens(answered, 1200, 1000), COLD)
    check(with_tokens(answered, 500, 1000), OTHER)


def test_a_claim_that_is_missing_or_was_not_read_stops_the_bench(answered: AnswerReport) -> None:
    with pytest.raises(BenchError, match="found 9 claims"):
        check(replace(answered, claims=answered.claims[1:]), COLD)
    first = answered.claims[0]
    unread = replace(first, prior=None)
    with pytest.raises(BenchError, match="read 9"):
        check(replace(answered, claims=(unread, *answered.claims[1:])), COLD)


def test_a_call_that_is_not_as_cold_or_warm_as_meant_stops_the_bench(
    answered: AnswerReport,
) -> None:
    with pytest.raises(BenchError, match="knew its sources"):
        check(with_tokens(answered, 900, 1000), COLD)
    for kind in (OTHER, SAME):
        with pytest.raises(BenchError, match="had forgotten"):
            check(with_tokens(answered, 1000, 1000), kind)


def test_each_visit_is_cold_and_then_twice_warm_in_both_forms(
    scripted_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[str] = []
    visit = Visit(SOURCES, ANSWERS)
    # The scripted engine has no cache to be cold or warm.
    monkeypatch.setattr(pipeline, "check", lambda _, kind: checked.append(kind))
    samples = Session(scripted_client, lambda: visit, Plan(visits=2, limit_s=60)).measure()

    assert [s.kind for s in samples] == list(KINDS) * 4
    assert checked == list(KINDS) * 6
    assert sorted(s.form for s in samples) == [ANSWER] * 6 + [STREAM] * 6
    for sample in samples:
        assert sample.prompts == 2 * CLAIMS
        assert sample.minimal_tokens <= sample.prompt_tokens
        if sample.form == ANSWER:
            assert sample.first_verdict_s is None
        else:
            assert sample.first_verdict_s is not None
            assert sample.first_verdict_s <= sample.elapsed_s


def sample(form: str, kind: str, elapsed_s: float, first_s: float | None = None) -> Sample:
    return Sample(
        form, kind, elapsed_s, first_s, elapsed_s, 0.0, elapsed_s, 5, 25, 9000, 3000, 2000
    )


def test_the_target_is_held_or_missed_at_the_p95() -> None:
    samples = [sample(ANSWER, COLD, 1.0) for _ in range(19)] + [sample(ANSWER, COLD, 9.0)]
    (cell,) = summarise(samples, CLAIMS)
    assert (cell.p50_s, cell.p95_s, cell.max_s) == (1.0, 1.0, 9.0)
    assert (cell.target_s, cell.is_within_target) == (1.5, True)
    (cell,) = summarise([*samples, sample(ANSWER, COLD, 9.0)], CLAIMS)
    assert not cell.is_within_target


def test_the_report_tells_times_first_verdicts_and_tokens() -> None:
    samples = [sample(ANSWER, COLD, 2.0), sample(STREAM, COLD, 1.2, 0.5)]
    cells = summarise(samples, CLAIMS)
    submit = OperationCell("submit", "cold", 20, 0.01, 0.03, 0.02, is_within_target=False, read=1.0)
    text = report(Measured(describe_run(quick=True), "a server", CLAIMS, 5, cells, (submit,), 1.0))

    assert "p95 within 500 ms + 10 x 100 ms in 1 of 2 cells" in text
    assert "| submit | cold | 20 | 10 | 30 | 20 | **no** | 100% |" in text
    assert (
        "| VerifyAnswer | cold | 1,500 | 2,000 | 2,000 | 2,000 | 1 | **no** | - | - | 0 |" in text
    )
    assert "| 1 | yes | 500 | 500 | 0 |" in text
    assert "| 25.0 | 9,000 | 3,000 | 33% | 2,000 | 1.50 | 5.0 |" in text

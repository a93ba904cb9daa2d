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
    Plan,
    Sample,
    Session,
    check,
)
from bench.tools.answers import CLAIMS, Visit
from bench.tools.common import BenchError
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

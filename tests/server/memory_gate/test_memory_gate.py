"""CheckFacts on a real server with a scripted engine: decisions, settings, limits, what is told."""

import asyncio
import logging
import re
import urllib.request
from collections.abc import AsyncIterator

import pytest
from grpc import StatusCode, aio

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import memory_gate_pb2 as pb
from tests.scripted import Scripted, reason_of, scripted_server, violations_of
from tests.scripted_services.detection import believes, documents
from tests.scripted_services.gate import SERVER_LOG, check, decisions_of, fact, lines_of, reasons_of

HEIGHT, YEAR = "The tower is 330 m high.", "It opened in 1889."
TALL, OLD, GREEN, WIDE = "It is tall.", "It is old.", "It is green.", "It is wide."
EVIDENCE = documents(HEIGHT, YEAR)
ACCEPTED, REJECTED = pb.GATE_DECISION_ACCEPTED, pb.GATE_DECISION_REJECTED
UNSUPPORTED = pb.GATE_DECISION_ACCEPTED_UNSUPPORTED


def answers(served: Scripted) -> Scripted:
    served.engine.answer = believes({TALL: HEIGHT, OLD: YEAR}, frozenset({GREEN}))
    return served


@pytest.fixture
async def served() -> AsyncIterator[Scripted]:
    async with scripted_server(memory_gate_enabled=True, metrics_listen="127.0.0.1:0") as served:
        yield answers(served)


async def test_a_gate_that_is_off_names_the_setting_that_switches_it_on() -> None:
    async with scripted_server() as served:
        with pytest.raises(aio.AioRpcError) as caught:
            await check(served, [fact(TALL)], EVIDENCE)
    assert caught.value.code() is StatusCode.FAILED_PRECONDITION
    assert reason_of(caught.value) == "NOT_ENABLED"
    assert "memory_gate_enabled" in str(caught.value.details())


async def test_the_operator_chooses_the_backend_of_the_gate() -> None:
    async with scripted_server(memory_gate_enabled=True, memory_gate_backend="far") as served:
        with pytest.raises(aio.AioRpcError) as caught:
            await check(served, [fact(TALL)], EVIDENCE)
    # There is only one here, so that the choice shows as an error.
    assert reason_of(caught.value) == "UNKNOWN_BACKEND"


async def test_more_facts_than_a_batch_may_have_are_several_batches() -> None:
    async with scripted_server(memory_gate_enabled=True, hallucination_batch_size=2) as served:
        answers(served)
        facts = [fact(text) for text in (GREEN, TALL, WIDE, OLD, TALL)]
        response = await check(served, facts, EVIDENCE)
    assert decisions_of(response) == [REJECTED, ACCEPTED, REJECTED, ACCEPTED, ACCEPTED]


async def test_each_fact_has_a_decision_in_its_order_under_its_own_id(served: Scripted) -> None:
    facts = [fact(GREEN, id="c"), fact(TALL, id="a"), fact(WIDE, id="b"), fact(OLD)]
    response = await check(served, facts, EVIDENCE)
    assert [each.id for each in response.facts] == ["c", "a", "b", ""]
    assert decisions_of(response) == [REJECTED, ACCEPTED, REJECTED, ACCEPTED]
    assert reasons_of(response) == [
        pb.GATE_REASON_CONTRADICTED,
        pb.GATE_REASON_GROUNDED,
        pb.GATE_REASON_FACT_NOT_GROUNDED,
        pb.GATE_REASON_GROUNDED,
    ]


async def test_a_grounded_fact_keeps_the_confidence_that_it_states(served: Scripted) -> None:
    response = await check(served, [fact(TALL, confidence=0.6), fact(TALL)], EVIDENCE)
    assert [each.confidence for each in response.facts] == [0.6, 0.95]
    assert [each.verdict.confidence for each in response.facts] == [0.6, 0.95]


async def test_a_gap_that_the_settings_allow_lowers_the_confidence() -> None:
    async with scripted_server(memory_gate_enabled=True, verify_max_gap_bits=3.0) as served:
        served.engine.answer = lambda p: (0.7, 0.3) if HEIGHT in p else (0.1, 0.9)
        (found,) = (await check(served, [fact(TALL)], documents(HEIGHT))).facts
    budget = found.verdict.budget
    assert found.decision == ACCEPTED
    assert found.confidence == pytest.approx(budget.observed_bits / budget.required_bits)
    assert found.confidence < 0.95


async def test_a_fact_below_the_least_confidence_is_rejected_for_that() -> None:
    async with scripted_server(memory_gate_enabled=True, memory_gate_min_confidence=0.5) as served:
        response = await check(answers(served), [fact(TALL, confidence=0.4), fact(TALL)], EVIDENCE)
    assert decisions_of(response) == [REJECTED, ACCEPTED]
    assert response.facts[0].reason == pb.GATE_REASON_BELOW_MIN_CONFIDENCE


async def test_unsupported_facts_pass_marked_where_the_operator_lets_them() -> None:
    async with scripted_server(
        memory_gate_enabled=True,
        memory_gate_reject_unsupported=False,
        memory_gate_min_confidence=0.5,
    ) as served:
        facts = [fact(WIDE), fact(TALL, confidence=0.4), fact(GREEN), fact(TALL, cited=["S9"])]
        response = await check(answers(served), facts, EVIDENCE)
    assert decisions_of(response) == [UNSUPPORTED, UNSUPPORTED, REJECTED, UNSUPPORTED]
    assert reasons_of(response) == [
        pb.GATE_REASON_FACT_NOT_GROUNDED,
        pb.GATE_REASON_BELOW_MIN_CONFIDENCE,
        pb.GATE_REASON_CONTRADICTED,
        pb.GATE_REASON_FACT_NOT_GROUNDED,
    ]
    assert [each.confidence for each in response.facts] == [0.0, 0.4, 0.0, 0.0]


async def test_a_fact_that_cites_a_source_that_is_not_there_is_not_grounded(
    served: Scripted,
) -> None:
    (found,) = (await check(served, [fact(TALL, cited=["S0", "S9"])], EVIDENCE)).facts
    assert (found.decision, found.reason) == (REJECTED, pb.GATE_REASON_FACT_NOT_GROUNDED)
    assert "S9" in found.reason_text


async def test_a_fact_that_the_model_cannot_judge_is_not_grounded(served: Scripted) -> None:
    served.engine.answer = lambda _: (0.01, 0.01, 0.0)
    response = await check(served, [fact(TALL)], EVIDENCE)
    assert decisions_of(response) == [REJECTED]


async def test_a_fact_that_rests_on_another_source_is_rejected_and_the_source_is_named(
    served: Scripted,
) -> None:
    (found,) = (await check(served, [fact(OLD, cited=["S0"])], EVIDENCE)).facts
    assert found.decision == REJECTED
    assert found.verdict.verdict == detection_pb.VERDICT_MISCITED
    assert "S1 alone" in found.reason_text


async def test_a_fact_that_two_sources_state_is_stored_with_the_confidence_of_what_it_cites(
    served: Scripted,
) -> None:
    evidence = documents(YEAR, f"As said: {YEAR}", HEIGHT)
    response = await check(served, [fact(OLD, confidence=0.9, cited=["S0"])], evidence)
    (found,) = response.facts
    assert found.verdict.reason == detection_pb.VERDICT_REASON_CORROBORATED
    assert found.verdict.budget.observed_bits < 0.01
    assert (found.decision, found.confidence) == (ACCEPTED, 0.9)


async def test_the_gate_goes_by_the_budget_whatever_policy_is_set() -> None:
    async with scripted_server(memory_gate_enabled=True, verify_policy="grounding_score") as served:
        # Scores well, and gives a fraction of the bits that a confidence of .99 asks for.
        served.engine.answer = lambda p: (0.75, 0.25) if HEIGHT in p else (0.1, 0.9)
        response = await check(served, [fact(TALL, confidence=0.99)], documents(HEIGHT))
    assert decisions_of(response) == [REJECTED]
    assert response.run.policy == detection_pb.POLICY_BUDGET


async def test_facts_of_one_call_are_judged_by_different_evidence(served: Scripted) -> None:
    facts = [fact(TALL, at=0), fact(OLD, at=0), fact(OLD, at=1), fact(TALL, at=1)]
    response = await check(served, facts, documents(HEIGHT), documents(YEAR))
    assert decisions_of(response) == [ACCEPTED, REJECTED, ACCEPTED, REJECTED]
    assert not any(HEIGHT in p and YEAR in p for p in served.engine.prompts)


async def test_the_run_has_what_all_pieces_of_evidence_cost(served: Scripted) -> None:
    response = await check(
        served, [fact(TALL, at=0), fact(OLD, at=1)], documents(HEIGHT), documents(YEAR)
    )
    assert response.run.usage.distinct_prompts == len(served.engine.prompts) == 4
    assert response.run.usage.prompt_tokens == sum(map(len, served.engine.prompts))
    assert (response.run.model, response.run.backend) == ("scripted-model", "local")


@pytest.mark.parametrize(
    ("request_", "field", "reason"),
    [
        (pb.CheckFactsRequest(evidence=[EVIDENCE]), "facts", "EMPTY_BATCH"),
        (pb.CheckFactsRequest(facts=[fact(TALL)]), "evidence", "INVALID_SOURCE"),
        (
            pb.CheckFactsRequest(facts=[fact(TALL), fact(" ")], evidence=[EVIDENCE]),
            "facts[1].text",
            "EMPTY_CLAIM",
        ),
        (
            pb.CheckFactsRequest(facts=[fact(TALL, confidence=1.5)], evidence=[EVIDENCE]),
            "facts[0].confidence",
            "INVALID_OPTION",
        ),
        (
            pb.CheckFactsRequest(facts=[fact(TALL, at=1)], evidence=[EVIDENCE]),
            "facts[0].evidence_index",
            "INVALID_SOURCE",
        ),
        (
            pb.CheckFactsRequest(facts=[fact(TALL, at=-1)], evidence=[EVIDENCE]),
            "facts[0].evidence_index",
            "INVALID_SOURCE",
        ),
        (
            pb.CheckFactsRequest(facts=[fact(TALL, id="x" * 257)], evidence=[EVIDENCE]),
            "facts[0].id",
            "INVALID_OPTION",
        ),
        (
            pb.CheckFactsRequest(facts=[fact(TALL, cited=["x" * 257])], evidence=[EVIDENCE]),
            "facts[0].cited_ids[0]",
            "INVALID_SOURCE",
        ),
        (
            pb.CheckFactsRequest(facts=[fact(TALL)], evidence=[EVIDENCE, detection_pb.Evidence()]),
            "evidence[1]",
            "INVALID_SOURCE",
        ),
        (
            pb.CheckFactsRequest(facts=[fact("x" * 600)], evidence=[EVIDENCE]),
            "facts[0].text",
            "CLAIM_TOO_LONG",
        ),
        (
            pb.CheckFactsRequest(facts=[fact(TALL)], evidence=[EVIDENCE], backend="none"),
            "backend",
            "UNKNOWN_BACKEND",
        ),
        (
            pb.CheckFactsRequest(facts=[fact(TALL)] * 1001, evidence=[EVIDENCE]),
            "facts",
            "TOO_MANY_CLAIMS",
        ),
        (
            pb.CheckFactsRequest(facts=[fact(TALL)], evidence=[EVIDENCE] * 1001),
            "evidence",
            "INVALID_SOURCE",
        ),
        (
            pb.CheckFactsRequest(facts=[fact(TALL, cited=["S0"] * 101)], evidence=[EVIDENCE]),
            "facts[0].cited_ids",
            "INVALID_SOURCE",
        ),
    ],
)
async def test_a_request_that_breaks_a_rule_is_refused_whole_and_names_the_field(
    served: Scripted, request_: pb.CheckFactsRequest, field: str, reason: str
) -> None:
    with pytest.raises(aio.AioRpcError) as caught:
        await check(served, request_.facts, *request_.evidence, backend=request_.backend)
    assert caught.value.code() is StatusCode.INVALID_ARGUMENT
    assert reason_of(caught.value) == reason
    assert field in violations_of(caught.value)
    assert served.engine.prompts == []


async def test_evidence_that_is_read_whole_and_is_too_long_is_named() -> None:
    async with scripted_server(memory_gate_enabled=True, verify_read="whole") as served:
        with pytest.raises(aio.AioRpcError) as caught:
            await check(served, [fact(TALL, at=1)], EVIDENCE, documents("x" * 9000))
    assert reason_of(caught.value) == "CONTEXT_TOO_LONG"
    assert "evidence[1]" in violations_of(caught.value)


async def test_the_limits_on_a_request_hold_for_all_its_evidence_together() -> None:
    async with scripted_server(
        memory_gate_enabled=True, limits={"evidence_characters": 4000}
    ) as served:
        pieces = [documents("x" * 500) for _ in range(5)]
        await check(served, [fact(TALL)], *pieces)
        with pytest.raises(aio.AioRpcError) as caught:
            await check(served, [fact(TALL, at=k) for k in range(5)], *pieces)
    assert "5,000 characters of evidence" in violations_of(caught.value)["facts"]


async def test_the_limit_on_prompts_holds_for_all_its_evidence_together() -> None:
    async with scripted_server(memory_gate_enabled=True, limits={"prompts": 10}) as served:
        pieces = [documents(f"{HEIGHT} {k}") for k in range(5)]
        with pytest.raises(aio.AioRpcError) as caught:
            await check(served, [fact(TALL, at=k) for k in range(5)], *pieces)
    assert "the limit is 10" in violations_of(caught.value)["facts"]


async def test_a_rejected_fact_is_one_line_with_its_numbers_and_without_its_texts(
    served: Scripted, caplog: pytest.LogCaptureFixture
) -> None:
    facts = [fact(TALL), fact(WIDE, id="zebra-4711", confidence=0.9)]
    with caplog.at_level(logging.INFO, SERVER_LOG):
        await check(served, facts, EVIDENCE)
    (line,) = lines_of(caplog)
    assert line.startswith(
        "fact 2 of 2 rejected: FACT_NOT_GROUNDED (UNSUPPORTED, LOW_POSTERIOR), stated 0.900, "
        "confidence 0.000, p1 0.020, p0 0.020, required "
    )
    assert re.search(r"observed 0\.000 bits, gap \+\d+\.\d+ bits$", line)
    assert WIDE not in line
    assert "zebra" not in line


async def test_the_text_of_a_rejected_fact_is_logged_where_that_is_switched_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with scripted_server(memory_gate_enabled=True, memory_gate_log_text=True) as served:
        with caplog.at_level(logging.INFO, SERVER_LOG):
            await check(answers(served), [fact("A lie.\nfact 1 of 1"), fact(TALL)], EVIDENCE)
    (line,) = lines_of(caplog)
    # On one line, whatever it holds.
    assert line.endswith(r": 'A lie.\nfact 1 of 1'")


async def test_facts_are_counted_by_decision_and_reason(served: Scripted) -> None:
    await check(served, [fact(TALL), fact(WIDE), fact(WIDE), fact(GREEN)], EVIDENCE)
    url = f"http://127.0.0.1:{served.running.metrics_port}/metrics"
    text = await asyncio.to_thread(page, url)
    for decision, reason, count in (
        ("ACCEPTED", "GROUNDED", 1),
        ("REJECTED", "FACT_NOT_GROUNDED", 2),
        ("REJECTED", "CONTRADICTED", 1),
    ):
        named = rf'^groundwire_facts_total{{decision="{decision}",.*reason="{reason}"}} {count}'
        assert re.search(named, text, re.MULTILINE), text
    assert re.search(r'^groundwire_verdicts_total{.*verdict="SUPPORTED"} 1', text, re.MULTILINE)


def page(url: str) -> str:
    with urllib.request.urlopen(url) as response:  # noqa: S310 - our own page
        return str(response.read().decode())

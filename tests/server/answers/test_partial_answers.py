"""What a call is answered with when its time is over, or its engine fails, before all was read."""

import asyncio
import logging
import re
import urllib.request
from collections.abc import AsyncIterator

import pytest
from grpc import StatusCode, aio

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire_verifier.domain import urgency
from groundwire_verifier.domain.urgency import MOST_ANSWER_SHARE, Arrival
from tests.scripted import WAIT_LIMIT_S, Scripted, ScriptedEngine, reason_of, scripted_server
from tests.scripted_services.detection import believes, documents, start_texts, stub_of

HEIGHT, YEAR = "The tower is 330 m high.", "It opened in 1889."
EVIDENCE = documents(HEIGHT, YEAR)
TALL, OLD, HUGE = "The tower is 330 metres high.", "The tower opened in 1889.", "The tower is huge."
REQUEST = pb.VerifyAnswerRequest(answer=f"{TALL} [S0] {OLD} [S1] {HUGE} [S0]", evidence=EVIDENCE)
CLAIMS = pb.VerifyClaimsRequest(
    claims=[pb.ClaimInput(text=text, cited_ids=["S0"]) for text in (TALL, HUGE)],
    evidence=EVIDENCE,
)
TIMEOUT_S = 2.0
SLOW_S = 0.1
OUT_OF_TIME = pb.VERDICT_REASON_OUT_OF_TIME
BACKEND_FAILED = pb.VERDICT_REASON_BACKEND_FAILED
READ = pb.VERDICT_REASON_BUDGET_COVERED


@pytest.fixture
def time_to_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of a call's time is kept for its answer, which takes its while on a busy machine."""
    monkeypatch.setattr(urgency, "ANSWER_FIXED_S", TIMEOUT_S)
    monkeypatch.setattr(urgency, "MOST_ANSWER_SHARE", 0.5)


@pytest.fixture
async def stuck(time_to_answer: None) -> AsyncIterator[Scripted]:
    """A server whose engine is never through with one claim, as long as it lives."""
    async with scripted_server(metrics_listen="127.0.0.1:0") as served:
        served.engine.answer = believes({TALL: HEIGHT, OLD: YEAR})
        served.engine.stuck = {HUGE}
        await start_texts(served)
        yield served


@pytest.fixture
async def slow() -> AsyncIterator[Scripted]:
    """One prompt at a time, each SLOW_S, which the server has learnt."""
    engine = ScriptedEngine()
    # No prompt has a whole block, so that none is taken for cached.
    engine.block_tokens, engine.step_prompts, engine.read_s = 10_000, 1, SLOW_S
    async with scripted_server(engine=engine) as served:
        for i in range(8):
            await served.batch(f"warm {i}")
        yield served


def reasons_of(report: pb.VerifyAnswerResponse) -> list[pb.VerdictReason]:
    return [claim.verdict.reason for claim in report.claims]


def many_claims(count: int) -> pb.VerifyAnswerRequest:
    answer = " ".join(f"The tower has {100 + i} steps inside [S0]." for i in range(count))
    options = pb.VerifyOptions(max_claims=count)
    return pb.VerifyAnswerRequest(answer=answer, evidence=EVIDENCE, options=options)


async def died(served: Scripted, verdicts: int) -> None:
    """Let the engine die once so many claims are read."""
    await served.engine.until(lambda: len(served.engine.claims) == 2 * (verdicts + 1))
    served.engine.die()


async def test_an_answer_comes_before_its_deadline_with_what_is_known(stuck: Scripted) -> None:
    report = await stub_of(stuck).VerifyAnswer(REQUEST, timeout=TIMEOUT_S)
    assert reasons_of(report) == [READ, READ, OUT_OF_TIME]
    left = report.claims[2].verdict
    assert left.verdict == pb.VERDICT_NOT_VERIFIED
    assert left.warning == "This was not checked."
    assert left.reason_text == "not read before the call had to be answered"


async def test_a_claim_whose_stance_is_not_told_in_time_is_judged_without_it(
    stuck: Scripted,
) -> None:
    stuck.engine.stuck, stuck.engine.stuck_at = set(), {"UNSURE"}
    report = await stub_of(stuck).VerifyAnswer(REQUEST, timeout=TIMEOUT_S)
    assert reasons_of(report) == [READ, READ, pb.VERDICT_REASON_LOW_POSTERIOR]
    assert not report.claims[2].verdict.HasField("stance")


async def test_what_was_left_unread_keeps_an_answer_from_being_grounded(stuck: Scripted) -> None:
    summary = (await stub_of(stuck).VerifyAnswer(REQUEST, timeout=TIMEOUT_S)).summary
    assert (summary.grounded_claims, summary.total_claims, summary.skipped_claims) == (2, 2, 1)
    assert not summary.overall_grounded
    assert list(summary.unverified) == [pb.UnverifiedClaims(reason=OUT_OF_TIME, claims=1)]
    assert "not checked in full" in summary.warning
    assert "1 statement for which there was no time" in summary.warning


@pytest.mark.usefixtures("time_to_answer")
async def test_the_servers_own_limit_is_a_deadline_too() -> None:
    async with scripted_server(max_call_s=TIMEOUT_S) as served:
        served.engine.answer = believes({TALL: HEIGHT, OLD: YEAR})
        served.engine.stuck = {HUGE}
        await start_texts(served)
        report = await stub_of(served).VerifyAnswer(REQUEST)
        assert reasons_of(report) == [READ, READ, OUT_OF_TIME]


async def test_claims_are_answered_in_time_as_well(stuck: Scripted) -> None:
    response = await stub_of(stuck).VerifyClaims(CLAIMS, timeout=TIMEOUT_S)
    assert [verdict.reason for verdict in response.verdicts] == [READ, OUT_OF_TIME]


async def test_a_call_that_is_answered_in_time_leaves_nothing_in_the_engine(
    stuck: Scripted,
) -> None:
    await stub_of(stuck).VerifyAnswer(REQUEST, timeout=TIMEOUT_S)
    await stuck.engine.until(lambda: stuck.engine.cancelled == 2)
    await stuck.until_idle()


async def test_as_long_as_nothing_is_known_a_call_has_all_of_its_time(stuck: Scripted) -> None:
    stuck.engine.stuck = {TALL, OLD, HUGE}
    with pytest.raises(aio.AioRpcError) as caught:
        await stub_of(stuck).VerifyAnswer(REQUEST, timeout=TIMEOUT_S)
    assert caught.value.code() is StatusCode.DEADLINE_EXCEEDED


async def test_an_engine_that_dies_leaves_the_verdicts_that_are_known(stuck: Scripted) -> None:
    call = stub_of(stuck).VerifyAnswerStream(pb.VerifyAnswerStreamRequest(request=REQUEST))
    unary = asyncio.ensure_future(stub_of(stuck).VerifyAnswer(REQUEST))
    events = []
    async for event in call:
        events.append(event)
        if len(events) == 3:
            await stuck.engine.until(lambda: len(stuck.engine.prompts) == 12)
            # What comes later is answered: so is all that can be of the calls before.
            await stuck.batch("Is all read that can be?")
            stuck.engine.die()
    assert reasons_of(events[-1].report) == [READ, READ, BACKEND_FAILED]
    assert reasons_of(await unary) == [READ, READ, BACKEND_FAILED]


async def test_an_engine_that_dies_before_anything_is_known_is_an_error(stuck: Scripted) -> None:
    stuck.engine.stuck = {TALL, OLD, HUGE}
    call = asyncio.ensure_future(stub_of(stuck).VerifyAnswer(REQUEST, timeout=WAIT_LIMIT_S))
    await stuck.engine.until(lambda: len(stuck.engine.prompts) == 6)
    stuck.engine.die()
    with pytest.raises(aio.AioRpcError) as caught:
        await call
    assert reason_of(caught.value) == "ENGINE_FAILED"


async def test_a_stream_ends_with_a_report_that_has_each_verdict_that_it_sent(
    stuck: Scripted,
) -> None:
    request = pb.VerifyAnswerStreamRequest(request=REQUEST)
    call = stub_of(stuck).VerifyAnswerStream(request, timeout=TIMEOUT_S)
    events = [event async for event in call]
    assert [e.WhichOneof("event") for e in events] == ["found", "known", "known", "known", "report"]
    report = events[-1].report
    sent = {event.known.index: event.known.verdict for event in events[1:-1]}
    assert sent == dict(enumerate(claim.verdict for claim in report.claims))
    assert reasons_of(report) == [READ, READ, OUT_OF_TIME]


@pytest.mark.usefixtures("time_to_answer")
async def test_a_call_that_never_fits_is_read_from_its_first_claim_on(slow: Scripted) -> None:
    report = await stub_of(slow).VerifyAnswer(many_claims(20), timeout=20 * SLOW_S)
    late = [reason == OUT_OF_TIME for reason in reasons_of(report)]
    assert late == sorted(late)
    assert 0 < late.count(False) < len(late)


async def test_claims_are_read_one_after_the_other_from_the_first_on(slow: Scripted) -> None:
    seen = len(slow.engine.claims)
    await stub_of(slow).VerifyAnswer(many_claims(6))
    read = slow.engine.claims[seen:]
    assert read == [f"The tower has {100 + i} steps inside." for i in range(6) for _ in range(2)]


async def test_a_claim_that_is_asked_about_twice_does_not_wait_for_those_behind_it(
    stuck: Scripted,
) -> None:
    # Whose second question would come behind the claim that is never read would never be known.
    stuck.engine.step_prompts = 1
    stuck.engine.answer = believes({}, contradicted=frozenset({OLD}))
    request = pb.VerifyAnswerStreamRequest(request=REQUEST)
    call = stub_of(stuck).VerifyAnswerStream(request, timeout=WAIT_LIMIT_S)
    known: dict[int, pb.VerdictReason] = {}
    async for event in call:
        if event.HasField("known"):
            known[event.known.index] = event.known.verdict.reason
        if len(known) == 2:
            call.cancel()
            break
    assert known == {0: pb.VERDICT_REASON_LOW_POSTERIOR, 1: pb.VERDICT_REASON_MODEL_SAYS_NO}


async def test_a_call_of_which_not_even_the_first_claim_fits_is_refused(slow: Scripted) -> None:
    seen = len(slow.engine.claims)
    with pytest.raises(aio.AioRpcError) as caught:
        await stub_of(slow).VerifyAnswer(many_claims(20), timeout=1.2 * SLOW_S)
    assert caught.value.code() is StatusCode.DEADLINE_EXCEEDED
    assert len(slow.engine.claims) == seen


async def test_a_call_that_is_late_behind_others_is_told_when_to_try_again(slow: Scripted) -> None:
    await stub_of(slow).VerifyAnswer(many_claims(5))
    batches = [[f"batch {k}, claim {i}" for i in range(20)] for k in range(3)]
    others = asyncio.gather(*(slow.batch(*batch) for batch in batches))
    await slow.engine.until(lambda: batches[0][0] in slow.engine.claims)
    with pytest.raises(aio.AioRpcError) as caught:
        await stub_of(slow).VerifyAnswer(many_claims(24), timeout=45 * SLOW_S)
    assert reason_of(caught.value) == "OVERLOADED"
    await others


async def test_unread_claims_are_counted_by_their_reason(stuck: Scripted) -> None:
    await stub_of(stuck).VerifyAnswer(REQUEST, timeout=TIMEOUT_S)
    url = f"http://127.0.0.1:{stuck.running.metrics_port}/metrics"
    page = await asyncio.to_thread(_page, url)
    named = r'^groundwire_verdicts_total{.*reason="OUT_OF_TIME".*} 1'
    assert re.search(named, page, re.MULTILINE), page


async def test_an_answer_that_was_cut_short_is_one_line_in_the_log_without_texts(
    stuck: Scripted, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "groundwire.server"):
        await stub_of(stuck).VerifyAnswer(REQUEST, timeout=TIMEOUT_S)
    assert caplog.messages == ["out of time: answered with 1 of 3 claims unread"]


@pytest.mark.parametrize("allowed_s", [0.0, 0.01, 0.3, 1.0, 120.0])
def test_what_is_kept_for_the_answer_is_small_and_never_more_than_there_is(
    allowed_s: float,
) -> None:
    arrival = Arrival(100.0, 100.0 + allowed_s)
    for claims in (1, 1000):
        kept_s = arrival.deadline_s - arrival.answer_by_s(claims)
        assert 0.0 <= kept_s <= MOST_ANSWER_SHARE * allowed_s + 1e-9
    assert arrival.deadline_s - arrival.answer_by_s(1000) <= 0.3 + 1e-9


def _page(url: str) -> str:
    with urllib.request.urlopen(url) as page:  # noqa: S310 - our own page
        return str(page.read().decode())

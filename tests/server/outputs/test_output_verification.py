"""Outputs on a real server with a scripted engine: what comes out, and what is refused."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial

import grpc
import pytest
from grpc import aio

from groundwire.v1 import errors_pb2
from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import output_verification_pb2 as pb
from groundwire_verifier.domain.errors import BackendBusyError
from tests.scripted import Scripted, reason_of, scripted_server, violations_of
from tests.scripted_services.detection import believes
from tests.scripted_services.outputs import (
    RIVER,
    TOWER,
    assistant,
    documents,
    end_of,
    get,
    result_of,
    stub_of,
    submit,
    tool,
    until,
    user,
    watched,
)

HEBREW = "המגדל נבנה בשנת אלף תשע מאות ועשרים."


@pytest.fixture(scope="module")
async def serving(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Scripted]:
    async with scripted_server(
        output_verification_enabled=True,
        output_verification_store=str(tmp_path_factory.mktemp("outputs") / "q.sqlite"),
        hallucination_timeout="300ms",
        claim_extractor_backend="local",
        # Evidence can be too long then.
        verify_read="whole",
    ) as served:
        yield served


@pytest.fixture
async def served(serving: Scripted) -> AsyncIterator[Scripted]:
    """The server with an engine that believes what its evidence says."""
    engine = serving.engine
    engine.prompts.clear()
    engine.claims.clear()
    engine.answer = believes({TOWER: TOWER, RIVER: RIVER, HEBREW: HEBREW})
    yield serving
    engine.errors.clear()
    engine.stuck.clear()
    engine.release()


def verdicts_of(result: pb.VerifiedOutput) -> list["detection_pb.Verdict"]:
    return [claim.verdict.verdict for claim in result.report.claims]


async def test_a_report_says_that_a_model_found_its_claims(served: Scripted) -> None:
    served.engine.write = lambda _: json.dumps({"claims": [{"quote": TOWER, "claim": TOWER}]})
    by_model = detection_pb.ExtractOptions(extractor=detection_pb.EXTRACTOR_MODEL)
    report = (await result_of(served, extract=by_model)).report
    assert report.extraction == detection_pb.Extraction(
        extractor=detection_pb.EXTRACTOR_MODEL, backend="local", model="scripted-model"
    )
    served.engine.write = lambda _: "I cannot do that."
    report = (await result_of(served, extract=by_model)).report
    assert report.extraction.fallback == detection_pb.EXTRACTOR_FALLBACK_MALFORMED


async def test_a_grounded_output_has_no_risk_and_nothing_to_correct(served: Scripted) -> None:
    result = await result_of(served)
    assert verdicts_of(result) == [detection_pb.VERDICT_SUPPORTED]
    assert (result.risk_bits, result.flagged, result.instruction) == (0.0, False, "")
    assert result.report.summary.overall_grounded


async def test_an_output_that_is_not_grounded_is_flagged_and_says_what_to_correct(
    served: Scripted,
) -> None:
    result = await result_of(served, f"{TOWER} {RIVER}")
    assert verdicts_of(result)[1] == detection_pb.VERDICT_UNSUPPORTED
    budget = result.report.claims[1].verdict.budget
    assert result.risk_bits == pytest.approx(budget.required_bits + budget.observed_bits)
    assert result.flagged
    assert result.risk_bits > result.flag_threshold_bits == 0.5
    assert RIVER in result.instruction
    assert TOWER not in result.instruction


@pytest.mark.parametrize(
    "turn",
    [user(TOWER), tool(TOWER), detection_pb.Turn(role=detection_pb.TURN_ROLE_SYSTEM, text=TOWER)],
)
async def test_what_others_say_is_evidence(served: Scripted, turn: detection_pb.Turn) -> None:
    # One short claim alone would be read with what the user has said.
    result = await result_of(served, f"{TOWER} {TOWER}", assistant("Hello."), turn)
    assert set(verdicts_of(result)) == {detection_pb.VERDICT_SUPPORTED}


async def test_what_the_agent_has_said_itself_is_no_evidence(served: Scripted) -> None:
    result = await result_of(served, TOWER, tool("Nothing was found."), assistant(TOWER))
    assert verdicts_of(result) == [detection_pb.VERDICT_UNSUPPORTED]


async def test_a_short_response_is_read_with_what_the_user_asked_last(served: Scripted) -> None:
    turns = (user("How high is the tower?"), user("And the dome?"), tool("The dome: 80 m."))
    result = await result_of(served, "80 m", *turns)
    assert set(served.engine.claims) == {
        "Question: How high is the tower? And the dome? Answer: 80 m"
    }
    assert result.report.summary.total_claims == 1


async def test_a_claim_that_begins_with_a_pronoun_is_read_with_the_last_question(
    served: Scripted,
) -> None:
    await result_of(served, "היא נפתחה בשנת 1931. הגשר ארוך.", user("מתי נפתחה התחנה?"), tool("x"))
    assert set(served.engine.claims) == {
        "Question: מתי נפתחה התחנה? Answer: היא נפתחה בשנת 1931.",
        "הגשר ארוך.",
    }


async def test_documents_and_tools_are_cited_by_their_ids(served: Scripted) -> None:
    result = await result_of(
        served,
        f"{TOWER[:-1]} [call-7]. {RIVER[:-1]} [D2].",
        tool(TOWER, id="call-7", name="search"),
        documents=documents({"D2": RIVER}),
    )
    assert [list(c.verdict.cited_ids) for c in result.report.claims] == [["call-7"], ["D2"]]
    assert set(verdicts_of(result)) == {detection_pb.VERDICT_SUPPORTED}


async def test_a_source_that_is_not_there_is_a_risk_and_is_named(served: Scripted) -> None:
    result = await result_of(served, f"{TOWER[:-1]} [S9].")
    assert result.report.claims[0].verdict.unknown_ids == ["S9"]
    assert 0.0 < result.risk_bits < 1.0
    assert "[S9]" in result.instruction


async def test_the_instruction_is_in_the_language_of_the_output(served: Scripted) -> None:
    result = await result_of(served, HEBREW)
    assert result.instruction.startswith("תקן את התשובה האחרונה שלך")


async def test_a_violation_of_the_format_is_told_and_does_not_flag(served: Scripted) -> None:
    stated = pb.StatedFormat(list=pb.ListFormat(min_items=3, max_items=3))
    result = await result_of(served, TOWER, format=stated)
    (violation,) = result.format_violations
    assert "at least 3" in violation.description
    assert violation.description in result.instruction
    assert not result.flagged


async def test_a_json_output_is_held_against_its_schema(served: Scripted) -> None:
    schema = '{"type":"object","properties":{"floors":{"type":"integer"}}}'
    stated = pb.StatedFormat(json=pb.JsonFormat(schema=schema))
    result = await result_of(served, '{"floors": "two"}', format=stated)
    assert [v.pointer for v in result.format_violations] == ["/floors"]


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ('{"$ref": "http://127.0.0.1:1/other.json"}', "never fetched"),
        ('{"type": "nothing"}', "not a JSON Schema"),
        ("{", "not JSON"),
    ],
)
async def test_a_schema_that_cannot_be_used_is_refused(
    served: Scripted, schema: str, said: str
) -> None:
    with pytest.raises(aio.AioRpcError) as refused:
        await submit(served, format=pb.StatedFormat(json=pb.JsonFormat(schema=schema)))
    assert said in violations_of(refused.value)["format.json.schema"]


@pytest.mark.parametrize(
    ("field", "request_"),
    [
        ("response", pb.SubmitVerificationRequest(response=" ", turns=[user(TOWER)])),
        ("turns", pb.SubmitVerificationRequest(response=TOWER, turns=[assistant(TOWER)])),
        ("turns[1].role", pb.SubmitVerificationRequest(turns=[user(TOWER), detection_pb.Turn()])),
        (
            "turns[0].id",
            pb.SubmitVerificationRequest(
                response=TOWER, turns=[tool(RIVER, id="D")], documents=documents({"D": TOWER})
            ),
        ),
        (
            "documents[0].text",
            pb.SubmitVerificationRequest(response=TOWER, documents=documents({"D": " "})),
        ),
        (
            "options.backend",
            pb.SubmitVerificationRequest(
                response=TOWER,
                turns=[user(TOWER)],
                options=detection_pb.VerifyOptions(backend="nobody"),
            ),
        ),
    ],
)
async def test_a_bad_request_is_refused_with_its_field(
    served: Scripted, field: str, request_: pb.SubmitVerificationRequest
) -> None:
    with pytest.raises(aio.AioRpcError) as refused:
        await stub_of(served).SubmitVerification(request_)
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert list(violations_of(refused.value)) == [field]


@pytest.mark.parametrize("own_id", ["", "0" * 32, "nothing", "a" * 1000])
async def test_an_unknown_id_is_not_found(served: Scripted, own_id: str) -> None:
    with pytest.raises(aio.AioRpcError) as refused:
        await get(served, own_id)
    assert refused.value.code() is grpc.StatusCode.NOT_FOUND
    assert reason_of(refused.value) == "NOT_FOUND"


async def test_progress_is_streamed_until_the_result(served: Scripted) -> None:
    served.engine.stuck.add(RIVER)
    status = await submit(served, f"{TOWER} {RIVER}")
    seen = [each async for each in watched(served, status.id)]
    running = [s for s in seen if s.state == pb.VERIFICATION_STATE_RUNNING]
    assert (running[-1].read_claims, running[-1].total_claims) in [(1, 2), (2, 2)]
    assert seen[-1].state == pb.VERIFICATION_STATE_DONE
    assert await get(served, status.id) == seen[-1]


async def test_claims_that_nobody_read_in_time_are_not_verified(served: Scripted) -> None:
    served.engine.stuck.add(RIVER)
    result = await result_of(served, f"{TOWER} {RIVER}")
    assert verdicts_of(result) == [
        detection_pb.VERDICT_SUPPORTED,
        detection_pb.VERDICT_NOT_VERIFIED,
    ]
    assert result.report.claims[1].verdict.reason == detection_pb.VERDICT_REASON_OUT_OF_TIME
    assert (result.unread_claims, result.risk_bits) == (1, 0.0)


async def test_without_any_claim_read_in_time_none_is_verified(served: Scripted) -> None:
    served.engine.stuck.add(TOWER)
    result = await result_of(served)
    assert verdicts_of(result) == [detection_pb.VERDICT_NOT_VERIFIED]
    assert result.unread_claims == 1


async def test_what_others_may_have_kept_from_being_read_is_tried_again(
    served: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groundwire_server.features.outputs.output_work.FIRST_PAUSE_S", 0.05)
    served.engine.stuck.add(TOWER)
    status = await submit(served)
    await served.engine.until(lambda: TOWER in served.engine.claims)
    # It is gone again when the time of the output is up.
    await served.batch("urgent")
    async for waiting in watched(served, status.id):
        if "put off" in waiting.state_text:
            served.engine.stuck.clear()
    assert waiting.state == pb.VERIFICATION_STATE_DONE
    assert verdicts_of(waiting.result) == [detection_pb.VERDICT_SUPPORTED]


async def test_a_backend_that_limits_its_rate_puts_it_off_until_it_answers(
    served: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groundwire_server.features.outputs.output_work.FIRST_PAUSE_S", 0.05)
    served.engine.errors[TOWER] = BackendBusyError("too many requests", 0.05)
    status = await submit(served)
    async for waiting in watched(served, status.id):
        if "too many requests" in waiting.state_text:
            assert waiting.state == pb.VERIFICATION_STATE_QUEUED
            served.engine.errors.clear()
    last = await end_of(served, status.id)
    assert verdicts_of(last.result) == [detection_pb.VERDICT_SUPPORTED]


async def test_what_the_backend_can_never_read_fails_and_says_why(served: Scripted) -> None:
    status = await submit(served, TOWER, user(f"{TOWER} " * 300))
    last = await end_of(served, status.id)
    assert last.state == pb.VERIFICATION_STATE_FAILED
    assert last.failure_reason == errors_pb2.ERROR_REASON_CONTEXT_TOO_LONG
    assert "tokens" in last.state_text


async def test_what_is_refused_in_the_background_is_named_as_in_the_request(
    served: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groundwire_verifier.checks.answers.MAX_EXTRACTED_CLAIMS", 0)
    last = await end_of(served, (await submit(served)).id)
    assert last.state == pb.VERIFICATION_STATE_FAILED
    assert last.state_text.startswith("response: ")


async def test_a_bug_fails_one_output_and_no_other(
    served: Scripted, caplog: pytest.LogCaptureFixture
) -> None:
    served.engine.errors[RIVER] = RuntimeError(RIVER)
    last = await end_of(served, (await submit(served, RIVER)).id)
    assert last.failure_reason == errors_pb2.ERROR_REASON_INTERNAL
    assert RIVER not in last.state_text + caplog.text
    assert (await result_of(served)).report.summary.overall_grounded


async def test_while_others_wait_none_is_begun(served: Scripted) -> None:
    served.engine.hold()
    calls = asyncio.create_task(served.batch(*(f"claim {i}" for i in range(32))))
    await served.engine.until(lambda: len(served.engine.claims) == 32)
    status = await submit(served)
    waiting = await until(served, status.id, pb.VERIFICATION_STATE_QUEUED)
    async for waiting in watched(served, status.id):
        if waiting.state_text:
            break
    assert "go first" in waiting.state_text
    assert TOWER not in served.engine.claims
    served.engine.release()
    await calls
    assert (await end_of(served, status.id)).state == pb.VERIFICATION_STATE_DONE


async def test_a_call_that_someone_waits_for_passes_an_output(served: Scripted) -> None:
    served.engine.hold()
    served.engine.step_prompts, before = 1, served.engine.step_prompts
    try:
        status = await submit(served, f"{TOWER} {RIVER}")
        # Two steps ahead are the output's, and the rest of it waits.
        await served.engine.until(lambda: len(served.engine.claims) == 2)
        call = asyncio.create_task(served.batch("urgent"))
        await served.engine.until(lambda: "urgent" in served.engine.claims)
        assert RIVER not in served.engine.claims
        served.engine.release()
        await call
        assert (await end_of(served, status.id)).state == pb.VERIFICATION_STATE_DONE
    finally:
        served.engine.step_prompts = before


@pytest.mark.parametrize(
    "ask", [submit, partial(get, own_id="0" * 32), partial(end_of, own_id="0")]
)
async def test_switched_off_it_says_so(ask: Callable[[Scripted], Awaitable[object]]) -> None:
    async with scripted_server() as served:
        with pytest.raises(aio.AioRpcError) as refused:
            await ask(served)
    assert refused.value.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert reason_of(refused.value) == "NOT_ENABLED"
    assert "output_verification_enabled" in str(refused.value.details())

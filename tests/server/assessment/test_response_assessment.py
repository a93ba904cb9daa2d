"""AssessResponse on a real server with a scripted model: the layers, and what follows."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator

import grpc
import pytest
from grpc import aio

from groundwire.v1 import feedback_pb2 as feedback_pb
from groundwire.v1 import response_assessment_pb2 as pb
from groundwire_verifier.checks.assessment.assess import READ_CHARACTERS
from groundwire_verifier.checks.assessment.assessment import ReasonKind
from groundwire_verifier.checks.assessment.common_sense import CommonSense
from groundwire_verifier.checks.assessment.requests import MAX_RESULT_CHARACTERS
from groundwire_verifier.checks.assessment.scores import KIND_WEIGHTS
from tests.scripted import Scripted, ScriptedEngine, reason_of, scripted_server
from tests.scripted_services.assessment import (
    COLD,
    LAYERS,
    OTHER_WEATHER,
    QUESTION,
    WEATHER,
    action_of,
    assess,
    assessing,
    kinds_of,
    states_of,
    think,
)
from tests.scripted_services.metrics import total

HEURISTIC, COMMON_SENSE, DETAILED = LAYERS
ADVICE = "Les Gets and Morzine have gentle slopes and good ski schools."
BAD = {
    CommonSense.LIVE_DATA_WITHOUT_CALL: (0.95, 0.02),
    CommonSense.FABRICATED: (0.8, 0.15),
}


@pytest.fixture
async def served() -> AsyncIterator[Scripted]:
    async with assessing() as served:
        think(served)
        yield served


async def test_a_response_that_nobody_doubts_needs_nothing(served: Scripted) -> None:
    found = await assess(served, ADVICE, question="Which resorts are good for beginners?")
    assert action_of(found) == "NONE"
    assert not found.is_likely_hallucination
    assert found.confidence < 0.1
    assert list(found.reasons) == []
    assert states_of(found) == ["RAN", "RAN", "NOT_FLAGGED"]
    assert found.common_sense.verdict == pb.COMMON_SENSE_VERDICT_OK
    assert found.common_sense.makes_logical_sense
    assert not found.common_sense.has_contradictions
    assert found.user_text == pb.UserText()


async def test_live_data_without_a_call_is_warned_of_by_all_three_layers(served: Scripted) -> None:
    think(served, BAD)
    found = await assess(served)
    assert action_of(found) == "WARN"
    assert found.is_likely_hallucination
    assert kinds_of(found) == ["LIVE_DATA", "LIVE_DATA_WITHOUT_CALL", "FABRICATED", "LIVE_DATA"]
    assert [reason.text.partition("]")[0] for reason in found.reasons] == [
        "[Heuristic", "[Common Sense", "[Common Sense", "[Detailed",
    ]  # fmt: skip
    assert states_of(found) == ["RAN", "RAN", "RAN"]
    assert found.common_sense.verdict == pb.COMMON_SENSE_VERDICT_LIKELY_FABRICATED
    assert list(found.common_sense.concerns) == [
        pb.ASSESSMENT_REASON_KIND_LIVE_DATA_WITHOUT_CALL,
        pb.ASSESSMENT_REASON_KIND_FABRICATED,
    ]
    assert f"Confidence: {round(100 * found.confidence)}%" in found.user_text.badge
    assert "12 °C" in found.user_text.text


async def test_the_confidence_is_the_weighted_mean_of_the_layers_that_ran(served: Scripted) -> None:
    think(served, BAD)
    found = await assess(served)
    heuristic, sense, detailed = (layer.score for layer in found.layers)
    assert heuristic == pytest.approx(0.6)
    assert sense == pytest.approx(0.95 / 0.97)
    assert found.confidence == pytest.approx(0.3 * heuristic + 0.5 * sense + 0.2 * detailed)
    fewer = await assess(served, layers=[HEURISTIC, COMMON_SENSE])
    assert fewer.confidence == pytest.approx((0.3 * heuristic + 0.5 * sense) / 0.8)


async def test_a_call_that_gave_the_value_leaves_nothing_to_say(served: Scripted) -> None:
    found = await assess(served, COLD, WEATHER)
    assert action_of(found) == "NONE"
    assert found.layers[0].score == 0.0
    assert states_of(found) == ["RAN", "RAN", "NOT_FLAGGED"]


async def test_a_call_that_gave_another_value_is_blocked_where_the_layers_agree(
    served: Scripted,
) -> None:
    think(served, BAD, {"12 °C": (0.02, 0.95)})
    found = await assess(served, COLD, OTHER_WEATHER)
    assert action_of(found) == "BLOCK"
    assert "VALUE_DIFFERS" in kinds_of(found)
    assert "CLAIM_CONTRADICTED" in kinds_of(found)
    assert found.layers[2].score == 1.0
    assert found.user_text.hides_response
    assert found.user_text.badge == "Hidden"
    (claim,) = found.claims
    assert claim.claim.content == COLD
    assert claim.verdict.posterior.probability < 0.1


async def test_one_layer_alone_never_blocks(served: Scripted) -> None:
    think(served, BAD)
    found = await assess(served, COLD, layers=[COMMON_SENSE])
    assert found.confidence > 0.8
    assert action_of(found) == "WARN"


async def test_the_five_questions_are_read_together_on_one_prefix(served: Scripted) -> None:
    served.engine.hold()
    call = asyncio.create_task(assess(served, COLD, WEATHER, layers=[COMMON_SENSE]))
    await served.engine.until(lambda: len(served.engine.prompts) == len(CommonSense))
    served.engine.release()
    await call
    prefixes = {p.partition("\n\nJudge the response")[0] for p in served.engine.prompts}
    assert len(prefixes) == 1
    assert WEATHER.result in prefixes.pop()


async def test_the_third_layer_reads_the_results_as_sources_with_ids(served: Scripted) -> None:
    think(served, BAD, {"12 °C": (0.97, 0.02)})
    found = await assess(served, COLD, OTHER_WEATHER)
    assert states_of(found) == ["RAN", "RAN", "RAN"]
    read = [p for p in served.engine.prompts if "\nClaim: " in p]
    heading = '[call-1] get_weather({"city": "Chamonix"})\n' + OTHER_WEATHER.result
    assert any(heading in prompt for prompt in read)


async def test_a_call_that_failed_is_evidence_for_nothing(served: Scripted) -> None:
    failed = pb.ToolCall(name="get_weather", error="12 °C: time-out")
    found = await assess(served, COLD, failed)
    assert kinds_of(found) == ["LIVE_DATA", "LIVE_DATA"]
    assert not any("time-out" in p for p in served.engine.prompts if "\nClaim: " in p)


SUMMER = "July is the best month for skiing. Two metres of fresh powder cover the slopes in winter."
WHEN = "When is the best time to ski in the Alps?"
SUMMER_HE = "יולי הוא החודש הטוב ביותר לסקי. בחורף מכסים את המדרונות שני מטרים של שלג."


def claim_prompts(served: Scripted) -> list[str]:
    return [prompt for prompt in served.engine.prompts if "\nClaim: " in prompt]


async def test_without_a_tool_result_each_claim_is_read_with_the_question_and_the_other_claims(
    served: Scripted,
) -> None:
    think(served, {CommonSense.MAKES_SENSE: (0.05, 0.9)})
    found = await assess(served, SUMMER, question=WHEN)
    assert states_of(found) == ["RAN", "RAN", "RAN"]
    with_evidence = [p for p in claim_prompts(served) if "[EVIDENCE REMOVED]" not in p]
    first, second = (claim.claim.content for claim in found.claims)
    for own, other in ((first, second), (second, first)):
        (prompt,) = {p for p in with_evidence if own in p.rpartition("\nClaim: ")[2]}
        evidence = prompt.rpartition("\nClaim: ")[0]
        assert WHEN in evidence
        assert other in evidence
        assert own not in evidence


@pytest.mark.parametrize(
    ("response", "said", "against"),
    [
        (SUMMER, "July", "the rest of the response says otherwise: July is the best month"),
        (SUMMER_HE, "יולי", "המשך התשובה אומרים אחרת: יולי הוא החודש"),
    ],
)
async def test_a_claim_that_the_rest_contradicts_is_confirmed_by_the_third_layer(
    served: Scripted, response: str, said: str, against: str
) -> None:
    think(served, {CommonSense.FABRICATED: (0.75, 0.2)}, {said: (0.02, 0.95)})
    found = await assess(served, response, question=WHEN)
    assert found.layers[2].score == 1.0
    assert kinds_of(found)[-1] == "CLAIM_AGAINST_THE_REST"
    assert against in found.reasons[-1].text
    assert action_of(found) == "WARN"


async def test_bad_advice_is_a_number_to_the_first_layer_and_live_data_to_the_third(
    served: Scripted,
) -> None:
    think(served, {CommonSense.MAKES_SENSE: (0.05, 0.9)})
    found = await assess(served, "July is perfect: 2 metres of fresh powder.", question=WHEN)
    first, _, third = (layer.score for layer in found.layers)
    assert (first, third) == pytest.approx((0.1, 0.6))
    assert kinds_of(found) == ["NUMBER", "MAKES_NO_SENSE", "LIVE_DATA"]
    assert action_of(found) == "WARN"


@pytest.mark.parametrize("response", [SUMMER, SUMMER_HE])
async def test_claims_that_nothing_supports_or_contradicts_count_half(
    served: Scripted, response: str
) -> None:
    think(served, {CommonSense.FABRICATED: (0.75, 0.2)})
    sense, unsure = served.engine.answer, (0.02, 0.03, 0.9)
    served.engine.answer = lambda prompt: unsure if "\nClaim: " in prompt else sense(prompt)
    found = await assess(served, response, question=WHEN)
    assert found.layers[2].score == 0.5
    assert not any(kind.startswith("CLAIM") for kind in kinds_of(found))


async def test_live_data_without_a_call_is_confirmed_by_rule_and_never_hidden_for_it(
    served: Scripted,
) -> None:
    think(served, BAD | {CommonSense.LIVE_DATA_WITHOUT_CALL: (0.99, 0.001)}, {"12": (0.9, 0.05)})
    found = await assess(served)
    assert found.layers[2].score == pytest.approx(0.6)
    assert "live data" in found.reasons[-1].text
    assert found.reasons[-1].layer == DETAILED
    assert action_of(found) == "WARN"


async def test_a_question_that_the_model_does_not_answer_is_never_fine(served: Scripted) -> None:
    think(served, {CommonSense.FABRICATED: (0.001, 0.001)})
    found = await assess(served, ADVICE)
    assert found.common_sense.verdict == pb.COMMON_SENSE_VERDICT_QUESTIONABLE
    assert kinds_of(found) == ["NOT_ANSWERED"]
    assert [answer.answered for answer in found.common_sense.answers] == [True] * 4 + [False]
    assert found.common_sense.answers[4].concern == 0.5
    assert action_of(found) == "VERIFY"


async def test_the_first_layer_needs_no_model_that_is_loaded() -> None:
    async with assessing(loaded=False) as served:
        found = await assess(served, layers=[HEURISTIC])
    assert states_of(found) == ["RAN", "NOT_ASKED", "NOT_ASKED"]
    assert kinds_of(found) == ["LIVE_DATA"]
    assert found.confidence == found.layers[0].score


async def test_layers_that_need_a_model_fail_by_name_while_it_loads() -> None:
    async with assessing(loaded=False) as served:
        found = await assess(served, ADVICE, WEATHER)
    assert states_of(found) == ["RAN", "BACKEND_UNAVAILABLE", "BACKEND_UNAVAILABLE"]
    assert action_of(found) == "VERIFY"
    assert found.confidence == 0.0
    assert not found.HasField("common_sense")


async def test_a_dead_engine_fails_its_layers_and_not_the_call(served: Scripted) -> None:
    served.engine.die()
    found = await assess(served, COLD)
    assert states_of(found) == ["RAN", "BACKEND_UNAVAILABLE", "BACKEND_UNAVAILABLE"]
    assert action_of(found) == "WARN"
    again = await assess(served, COLD, layers=[HEURISTIC])
    assert states_of(again) == ["RAN", "NOT_ASKED", "NOT_ASKED"]


async def test_where_no_layer_could_run_nothing_is_known(served: Scripted) -> None:
    served.engine.die()
    found = await assess(served, COLD, layers=[COMMON_SENSE])
    assert not found.HasField("confidence")
    assert action_of(found) == "VERIFY"


async def test_a_model_that_is_too_slow_is_named_before_the_deadline(served: Scripted) -> None:
    served.engine.stuck_at.add("Judge the response")
    found = await assess(served, COLD, timeout_s=2.5)
    assert states_of(found) == ["RAN", "OUT_OF_TIME", "OUT_OF_TIME"]


async def test_a_full_server_names_what_it_could_not_read() -> None:
    async with assessing(max_claims=4, max_pending_claims=4) as served:
        served.engine.hold()
        first = asyncio.create_task(served.batch("a", "b", "c", "d"))
        await served.engine.until(lambda: len(served.engine.prompts) == 4)
        found = await assess(served, ADVICE)
        served.engine.release()
        await first
    assert states_of(found) == ["RAN", "BUSY", "BUSY"]


async def test_a_long_exchange_is_read_in_part_and_says_so() -> None:
    async with assessing(engine=ScriptedEngine(READ_CHARACTERS + 2000)) as served:
        think(served)
        long = pb.ToolCall(name="search", result="snow " * (MAX_RESULT_CHARACTERS // 5))
        found = await assess(served, COLD, WEATHER, long)
        sense = next(p for p in served.engine.prompts if "Judge the response" in p)
    assert found.layers[1].cut_characters > MAX_RESULT_CHARACTERS - READ_CHARACTERS
    assert WEATHER.result in sense
    assert COLD in sense
    assert len(sense) < READ_CHARACTERS + 2000


async def test_what_does_not_fit_into_the_window_fails_its_layer_by_name(served: Scripted) -> None:
    # Of the scripted model a character is a token, and its window has 4,096.
    found = await assess(served, ADVICE, pb.ToolCall(name="search", result="snow " * 1500))
    assert states_of(found)[1] == "TOO_LONG"
    assert action_of(found) == "VERIFY"


async def test_reasons_and_texts_are_in_the_language_of_the_response(served: Scripted) -> None:
    think(served, BAD)
    hebrew = await assess(served, "כרגע 12 מעלות צלזיוס ויורד שלג בשאמוני.")
    assert hebrew.language == "he"
    assert "נתונים עדכניים" in hebrew.reasons[0].text
    assert hebrew.reasons[0].text.startswith("[Heuristic] ")
    assert "רמת ביטחון: " in hebrew.user_text.badge
    english = await assess(served, "כרגע 12 מעלות צלזיוס ויורד שלג בשאמוני.", language="en")
    assert english.language == "en"
    assert "live data" in english.reasons[0].text


async def test_thresholds_and_weights_are_settings() -> None:
    async with assessing(
        response_assessment_weight_heuristic=1.0,
        response_assessment_weight_common_sense=0.0,
        response_assessment_warn_threshold=0.55,
        response_assessment_block_threshold=0.6,
    ) as served:
        think(served, BAD)
        found = await assess(served)
    assert found.confidence == pytest.approx(KIND_WEIGHTS[ReasonKind.LIVE_DATA])
    assert action_of(found) == "BLOCK"


async def test_it_is_off_until_it_is_switched_on() -> None:
    async with scripted_server() as off:
        with pytest.raises(aio.AioRpcError) as caught:
            await assess(off)
    assert caught.value.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert reason_of(caught.value) == "NOT_ENABLED"
    assert "response_assessment_enabled" in str(caught.value.details())


async def test_each_layer_is_logged_and_the_call_at_its_end_without_a_text(
    served: Scripted, caplog: pytest.LogCaptureFixture
) -> None:
    think(served, BAD)
    with caplog.at_level(logging.INFO, "groundwire.detections"):
        found = await assess(served, COLD, OTHER_WEATHER)
    lines = [r.getMessage() for r in caplog.records if r.name.endswith("detections")]
    assert [line.partition(" ")[0] for line in lines] == ["assessment_layer"] * 3 + ["detection"]
    assert all(f"id={found.run.detection_id}" in line for line in lines)
    assert [line.partition("layer=")[2].partition(" ")[0] for line in lines[:3]] == [
        "HEURISTIC", "COMMON_SENSE", "DETAILED",
    ]  # fmt: skip
    assert f"confidence={found.confidence:.6g}" in lines[3]
    assert not any("Chamonix" in line or "12 °C" in line for line in lines)


async def test_a_claim_of_the_third_layer_takes_feedback(tmp_path: object) -> None:
    from groundwire.v1.feedback_pb2_grpc import FeedbackStub

    async with assessing(
        feedback_enabled=True, feedback_file=f"{tmp_path}/feedback.sqlite"
    ) as served:
        think(served, BAD)
        found = await assess(served, COLD, OTHER_WEATHER)
        request = feedback_pb.RecordFeedbackRequest(
            detection_id=found.run.detection_id,
            verdict=feedback_pb.FEEDBACK_VERDICT_NOT_GROUNDED,
        )
        kept = await FeedbackStub(served.channel).RecordFeedback(request, timeout=20)
    assert not kept.replaced


async def test_an_assessment_stands_in_the_audit_record(tmp_path: object) -> None:
    path = f"{tmp_path}/audit.jsonl"
    async with assessing(audit_record_file=path) as served:
        think(served, BAD)
        found = await assess(served, COLD, OTHER_WEATHER)
    with open(path, encoding="utf-8") as lines:  # noqa: ASYNC230
        (line,) = map(json.loads, lines)
    assert line["id"] == found.run.detection_id
    assert line["method"] == "AssessResponse"
    assert line["outcomes"][0] == action_of(found)
    assert line["settings"]["response_assessment_warn_threshold"] == 0.5
    assert QUESTION not in json.dumps(line)


async def test_actions_and_layers_are_counted() -> None:
    async with assessing(metrics_listen="127.0.0.1:0") as served:
        think(served)
        await assess(served, COLD, OTHER_WEATHER)
        await assess(served, "Les Gets has gentle slopes.")
        actions = await total(served, "groundwire_assessments_total")
        ran = await total(
            served, "groundwire_assessment_layers_total", layer="DETAILED", state="RAN"
        )
        skipped = await total(
            served, "groundwire_assessment_layers_total", layer="DETAILED", reason="NOT_FLAGGED"
        )
        timed = await total(
            served, "groundwire_assessment_layer_duration_seconds_count", layer="HEURISTIC"
        )
    assert (actions, ran, skipped, timed) == (2, 1, 1, 2)

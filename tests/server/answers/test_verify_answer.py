"""ExtractClaims and VerifyAnswer, unary and streamed, on a real server with a scripted engine."""

import asyncio
import gc
from collections.abc import AsyncIterator

import pytest
from grpc import StatusCode, aio

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire_server.features.detection.answering import Answering
from tests.scripted import WAIT_LIMIT_S, Scripted, reason_of, scripted_server, violations_of
from tests.scripted_services.detection import (
    believes,
    documents,
    start_texts,
    stub_of,
    verify_answer,
)

HEIGHT, YEAR = "The tower is 330 m high.", "It opened in 1889."
EVIDENCE = documents(HEIGHT, YEAR)
TALL, OLD = "The tower is 330 metres high.", "The tower opened in 1850."
HEBREW = "המגדל מתנשא לגובה של 330 מטרים."
ANSWER = (
    "The tower is 330 metres high [S0]. The tower opened in 1850 [S1]. "
    "The tower was painted by Monet [S7]. Is the tower in Paris today? Red."
)


@pytest.fixture
async def served() -> AsyncIterator[Scripted]:
    async with scripted_server() as served:
        evidence_of = {TALL: HEIGHT, HEBREW: HEIGHT}
        served.engine.answer = believes(evidence_of, frozenset({OLD}))
        yield served


def verdicts_of(response: pb.VerifyAnswerResponse) -> list[tuple[str, str]]:
    return [
        (pb.Verdict.Name(c.verdict.verdict)[8:], pb.VerdictReason.Name(c.verdict.reason)[15:])
        for c in response.claims
    ]


async def test_each_claim_of_an_answer_gets_its_verdict_and_place(served: Scripted) -> None:
    response = await verify_answer(served, ANSWER, EVIDENCE)
    assert verdicts_of(response) == [
        ("SUPPORTED", "BUDGET_COVERED"),
        ("CONTRADICTED", "MODEL_SAYS_NO"),
        ("NOT_VERIFIED", "UNKNOWN_CITATION"),
        ("NOT_VERIFIED", "NON_ASSERTIVE"),
        ("NOT_VERIFIED", "TOO_SHORT"),
    ]
    spans = [c.claim.span for c in response.claims]
    assert [ANSWER[span.start : span.end] for span in spans][:2] == [
        "The tower is 330 metres high",
        "The tower opened in 1850",
    ]


async def test_the_summary_counts_what_was_asked_for(served: Scripted) -> None:
    summary = (await verify_answer(served, ANSWER, EVIDENCE)).summary
    assert (summary.grounded_claims, summary.total_claims, summary.skipped_claims) == (1, 3, 2)
    assert summary.grounding_ratio == pytest.approx(1 / 3)
    assert not summary.overall_grounded
    assert "2 of 3" in summary.warning


async def test_a_grounded_answer_names_all_that_was_not_read(served: Scripted) -> None:
    answer = (
        f"# The floors of the tower\n\n{TALL} [S0]\n\nOpen the door.\n\n"
        "Perhaps the tower has 12 floors. Red.\n\n"
        '[1]: http://a.example "The tower fell down in 1990"\n'
    )
    summary = (await verify_answer(served, answer, EVIDENCE)).summary
    assert summary.overall_grounded
    assert summary.grounding_ratio == 1.0
    assert [
        (
            pb.VerdictReason.Name(each.reason)[15:],
            pb.NonAssertiveReason.Name(each.non_assertive_reason)[21:],
            each.claims,
        )
        for each in summary.unverified
    ] == [
        ("NON_ASSERTIVE", "INSTRUCTION", 1),
        ("NON_ASSERTIVE", "HEDGED", 1),
        ("NON_ASSERTIVE", "HEADING", 1),
        ("TOO_SHORT", "UNSPECIFIED", 1),
    ]
    assert summary.unclaimed_lines == 1
    assert summary.warning == (
        "Not checked: 1 instruction, 1 hedged statement, 1 heading, 1 short statement, "
        "1 line without a statement. 19% of the text was verified."
    )


@pytest.mark.parametrize("answer", ["Oslen", "42", "Yes.", "B)", "כן", "**Oslen**"])
async def test_a_short_answer_is_read_with_its_question(served: Scripted, answer: str) -> None:
    response = await verify_answer(served, answer, EVIDENCE, question="How high is it?")
    assert response.summary.total_claims == 1
    assert served.engine.claims[0].startswith("Question: How high is it? Answer: ")
    alone = await verify_answer(served, answer, EVIDENCE)
    assert alone.summary.total_claims == 0


@pytest.mark.parametrize(
    ("answer", "question"),
    [
        ("Yes. The tower has a lift.", "Is it 330 m high?"),
        ("כן. במגדל יש מעלית.", "האם גובהו 330 מטר?"),
        ("Nein. Der Turm hat einen Aufzug.", "Ist er 330 m hoch?"),
    ],
)
async def test_a_yes_or_no_before_other_statements_is_read_with_its_question(
    served: Scripted, answer: str, question: str
) -> None:
    response = await verify_answer(served, answer, EVIDENCE, question=question)
    assert response.summary.total_claims == 2
    said = answer.partition(" ")[0]
    assert f"Question: {question} Answer: {said}" in served.engine.claims
    alone = await verify_answer(served, answer, EVIDENCE)
    assert alone.summary.total_claims == 1


async def test_a_thought_lowers_no_share_and_is_counted(served: Scripted) -> None:
    response = await verify_answer(
        served, f"<think>It may be low. Or 9 m?</think>{TALL} [S0]", EVIDENCE
    )
    assert verdicts_of(response) == [("SUPPORTED", "BUDGET_COVERED")]
    summary = response.summary
    assert (summary.overall_grounded, summary.thoughts, summary.warning) == (True, 1, "")
    assert summary.verified_share == 1.0


async def test_only_thoughts_ground_nothing_and_the_warning_says_so(served: Scripted) -> None:
    summary = (await verify_answer(served, f"<think>{TALL} [S0]", EVIDENCE)).summary
    assert (summary.overall_grounded, summary.total_claims, summary.thoughts) == (False, 0, 1)
    assert summary.warning == "This is what the model thought: there is no answer in it."


async def test_a_sentence_that_is_cut_off_is_not_read_and_not_grounded(served: Scripted) -> None:
    response = await verify_answer(served, f"{TALL} [S0] The tower opened in the", EVIDENCE)
    assert verdicts_of(response)[1] == ("NOT_VERIFIED", "INCOMPLETE")
    assert (response.summary.overall_grounded, response.summary.total_claims) == (False, 2)
    assert "1 statement that is cut off" in response.summary.warning


async def test_a_sentence_that_may_be_cut_off_is_never_contradicted(served: Scripted) -> None:
    cut = OLD.removesuffix(".")
    served.engine.answer = believes({TALL: HEIGHT}, frozenset({OLD, cut}))
    assert verdicts_of(await verify_answer(served, f"{TALL} [S0] {OLD}", EVIDENCE))[1] == (
        "CONTRADICTED",
        "MODEL_SAYS_NO",
    )
    response = await verify_answer(served, f"{TALL} {cut}", EVIDENCE)
    assert verdicts_of(response)[1] == ("NOT_VERIFIED", "INCOMPLETE")
    assert not response.claims[1].verdict.grounded


ABSENT = "The notes do not say when the tower opened."
ASKED = "The sources say when the tower opened."


async def test_an_answer_abstains_that_states_nothing_else(served: Scripted) -> None:
    response = await verify_answer(served, f"I am sorry. {ABSENT}", EVIDENCE)
    assert served.engine.claims == [ASKED, ASKED]
    summary = response.summary
    assert (summary.abstained, summary.overall_grounded, summary.total_claims) == (True, False, 0)
    assert summary.warning == "This answer says that the sources do not answer the question."


async def test_an_answer_that_abstains_and_states_is_judged_by_that(served: Scripted) -> None:
    summary = (await verify_answer(served, f"{TALL} [S0] {ABSENT}", EVIDENCE)).summary
    assert (summary.abstained, summary.overall_grounded, summary.total_claims) == (False, True, 1)
    summary = (await verify_answer(served, f"{OLD} [S1] {ABSENT}", EVIDENCE)).summary
    assert (summary.abstained, summary.overall_grounded, summary.total_claims) == (False, False, 1)


async def test_what_the_sources_do_say_is_no_absence(served: Scripted) -> None:
    served.engine.answer = believes({TALL: HEIGHT, ASKED: YEAR})
    response = await verify_answer(served, f"{TALL} [S0] {ABSENT}", EVIDENCE)
    assert verdicts_of(response)[1] == ("CONTRADICTED", "FALSE_ABSENCE")
    verdict = response.claims[1].verdict
    assert verdict.posterior.probability < 0.5 < verdict.prior.probability
    assert (response.summary.total_claims, response.summary.overall_grounded) == (2, False)


async def test_an_absence_that_nobody_could_check_grounds_nothing(served: Scripted) -> None:
    options = pb.VerifyOptions(max_claims=1)
    response = await verify_answer(served, f"{TALL} [S0] {ABSENT}", EVIDENCE, options=options)
    assert verdicts_of(response)[1] == ("NOT_VERIFIED", "BEYOND_MAX_CLAIMS")
    assert (response.summary.overall_grounded, response.summary.abstained) == (False, False)


async def test_an_answer_is_not_grounded_while_claims_are_unread(served: Scripted) -> None:
    answer = f"{TALL} [S0] " * 10 + f"{OLD} [S1] " * 200
    options = pb.VerifyOptions(max_claims=10)
    summary = (await verify_answer(served, answer, EVIDENCE, options=options)).summary
    assert (summary.grounded_claims, summary.total_claims, summary.skipped_claims) == (10, 10, 200)
    assert not summary.overall_grounded
    assert 0.0 < summary.verified_share < 0.1
    assert summary.warning == (
        "This answer was not checked in full. Not checked: 200 statements beyond the maximum. "
        "5% of the text was verified."
    )


async def test_an_answer_needs_a_grounded_claim_whatever_share_is_asked_for(
    served: Scripted,
) -> None:
    options = pb.VerifyOptions(thresholds=pb.Thresholds(min_grounded_ratio=0.0))
    false = await verify_answer(served, f"{OLD} [S1]", EVIDENCE, options=options)
    assert not false.summary.overall_grounded
    mixed = await verify_answer(served, f"{OLD} [S1] {TALL} [S0]", EVIDENCE, options=options)
    assert mixed.summary.overall_grounded


async def test_a_reader_of_hebrew_is_warned_in_hebrew(served: Scripted) -> None:
    answer = f"{HEBREW} [S0] המגדל נפתח בשנת 1850 בעיר ליון. [S1]"
    response = await verify_answer(served, answer, EVIDENCE)
    assert verdicts_of(response)[0] == ("SUPPORTED", "BUDGET_COVERED")
    assert response.summary.language == "he"
    assert response.summary.warning == (
        "חלקים רבים בתשובה דורשים בדיקה: טענה אחת מתוך 2 אינה מבוססת על המקורות."
    )
    assert "המקורות" in response.claims[1].verdict.warning


async def test_a_request_chooses_the_language_of_all_warnings(served: Scripted) -> None:
    response = await verify_answer(served, f"{OLD} [S1]", EVIDENCE, language="he")
    assert response.summary.language == "he"
    assert response.summary.warning.startswith("חלקים רבים בתשובה דורשים בדיקה")
    assert response.claims[0].verdict.warning == "המקורות אומרים אחרת."
    assert response.claims[0].claim.language == "en"


async def test_a_language_without_warnings_is_refused(served: Scripted) -> None:
    with pytest.raises(aio.AioRpcError) as caught:
        await verify_answer(served, ANSWER, EVIDENCE, language="fr")
    assert reason_of(caught.value) == "INVALID_OPTION"
    assert violations_of(caught.value) == {
        "language": "is no language of warnings; use one of: en, he"
    }


async def test_a_reader_of_hebrew_is_told_what_was_not_read(served: Scripted) -> None:
    answer = f"# המגדל הגבוה\n\n{HEBREW} [S0] האם הוא אדום? האם הוא כחול?"
    summary = (await verify_answer(served, answer, EVIDENCE)).summary
    assert summary.overall_grounded
    assert summary.warning == "ללא בדיקה: 2 שאלות, כותרת אחת. היקף האימות: 45% מהטקסט."


async def test_an_answer_without_claims_is_not_grounded(served: Scripted) -> None:
    response = await verify_answer(served, "How can I help you today?", EVIDENCE)
    assert not response.summary.overall_grounded
    assert response.summary.total_claims == 0
    assert response.summary.warning
    assert served.engine.prompts == []


async def test_claims_beyond_the_most_are_listed_as_unchecked(served: Scripted) -> None:
    options = pb.VerifyOptions(max_claims=1)
    response = await verify_answer(served, f"{TALL} [S0] {OLD} [S1]", EVIDENCE, options=options)
    assert verdicts_of(response) == [
        ("SUPPORTED", "BUDGET_COVERED"),
        ("NOT_VERIFIED", "BEYOND_MAX_CLAIMS"),
    ]
    assert response.claims[1].verdict.warning
    assert response.summary.warning
    assert not response.summary.complete


LONG = f"{TALL} [S0] " * 40


async def test_an_answer_of_forty_claims_is_read_whole_and_can_be_grounded(
    served: Scripted,
) -> None:
    summary = (await verify_answer(served, LONG, EVIDENCE)).summary
    assert summary.total_claims == 40
    assert summary.overall_grounded
    assert summary.complete


async def test_what_is_beyond_sixty_four_claims_is_listed_and_keeps_an_answer_from_being_grounded(
    served: Scripted,
) -> None:
    response = await verify_answer(served, f"{LONG} {LONG}", EVIDENCE)
    reasons = [reason for _, reason in verdicts_of(response)]
    assert reasons == ["BUDGET_COVERED"] * 64 + ["BEYOND_MAX_CLAIMS"] * 16
    assert response.summary.grounding_ratio == 1.0
    assert not response.summary.overall_grounded
    assert not response.summary.complete


async def test_a_server_that_takes_fewer_claims_verifies_no_more_of_an_answer() -> None:
    async with scripted_server(max_claims=8) as served:
        served.engine.answer = believes({TALL: HEIGHT})
        summary = (await verify_answer(served, LONG, EVIDENCE)).summary
    assert (summary.total_claims, summary.complete) == (8, False)


async def test_a_request_and_an_operator_say_how_many_contradictions_an_answer_may_have() -> None:
    answer = f"{TALL} [S0] " * 3 + f"{OLD} [S1]"

    nothing, none = pb.VerifyOptions(), pb.VerifyOptions(max_contradicted=0)
    one = pb.VerifyOptions(max_contradicted=1)
    by_threshold = pb.VerifyOptions(thresholds=pb.Thresholds(max_contradicted=0))
    for setting, options, grounded in (
        (None, nothing, True),
        (None, none, False),
        (None, one, True),
        (None, by_threshold, False),
        (0, nothing, False),
        (0, one, True),
    ):
        async with scripted_server(verify_max_contradicted=setting) as served:
            served.engine.answer = believes({TALL: HEIGHT}, frozenset({OLD}))
            response = await verify_answer(served, answer, EVIDENCE, options=options)
        assert response.summary.grounding_ratio == 0.75
        assert response.summary.overall_grounded is grounded
        used = response.run.thresholds
        assert used.HasField("max_contradicted") is (setting is not None or options != nothing)


async def test_non_assertive_and_short_claims_are_verified_on_request(served: Scripted) -> None:
    options = pb.VerifyOptions(include_non_assertive=True, min_claim_characters=0)
    response = await verify_answer(served, "Is it? It is red.", EVIDENCE, options=options)
    assert {verdict for verdict, _ in verdicts_of(response)} == {"UNSUPPORTED"}


@pytest.mark.parametrize("answer", ["Born: 1922", "- Cost: $5", "It is red."])
async def test_a_short_statement_is_verified(served: Scripted, answer: str) -> None:
    response = await verify_answer(served, answer, EVIDENCE)
    assert verdicts_of(response) == [("UNSUPPORTED", "LOW_POSTERIOR")]


async def test_a_name_alone_is_too_short_to_be_verified(served: Scripted) -> None:
    response = await verify_answer(served, "- Paris\n- Rome\n", EVIDENCE)
    assert verdicts_of(response) == [("NOT_VERIFIED", "TOO_SHORT")] * 2


async def test_a_stated_confidence_is_what_the_budget_asks_for(served: Scripted) -> None:
    response = await verify_answer(served, f"I am 80% sure that {TALL} [S0]", EVIDENCE)
    (claim,) = response.claims
    assert claim.verdict.confidence == claim.claim.confidence == 0.8
    assert claim.verdict.confidence_source == pb.CONFIDENCE_SOURCE_STATED


async def test_a_claim_is_read_as_an_answer_to_its_question(served: Scripted) -> None:
    await verify_answer(served, TALL, EVIDENCE, question="How tall is it?")
    assert any(
        f"\nClaim: Question: How tall is it? Answer: {TALL}" in p for p in served.engine.prompts
    )


async def test_a_claim_with_too_many_tokens_stays_unverified_and_counts(served: Scripted) -> None:
    long = "The tower is " + "very " * 120 + "high."
    response = await verify_answer(served, f"{long} {TALL} [S0]", EVIDENCE)
    assert verdicts_of(response)[0] == ("NOT_VERIFIED", "TOO_LONG")
    assert response.summary.total_claims == 2


async def test_a_source_with_any_id_can_be_cited(served: Scripted) -> None:
    source = pb.Source(id="handbook", document=pb.Document(text=HEIGHT))
    response = await verify_answer(served, f"{TALL} [handbook]", pb.Evidence(sources=[source]))
    assert list(response.claims[0].verdict.cited_ids) == ["handbook"]
    assert response.claims[0].verdict.verdict == pb.VERDICT_SUPPORTED


async def test_the_stream_sends_claims_then_verdicts_then_the_report(served: Scripted) -> None:
    request = pb.VerifyAnswerStreamRequest(
        request=pb.VerifyAnswerRequest(answer=ANSWER, evidence=EVIDENCE)
    )
    events = [event async for event in stub_of(served).VerifyAnswerStream(request)]
    assert [e.WhichOneof("event") for e in events] == ["found", "known", "known", "known", "report"]
    found, report = events[0].found.claims, events[-1].report
    assert [c.HasField("verdict") for c in found] == [False, False, False, True, True]
    known = {e.known.index: e.known.verdict for e in events[1:-1]}
    assert known == {i: report.claims[i].verdict for i in range(3)}
    unary = await verify_answer(served, ANSWER, EVIDENCE)
    assert list(report.claims) == list(unary.claims)
    assert report.summary == unary.summary


async def test_a_verdict_is_sent_while_others_are_read(served: Scripted) -> None:
    waiting = asyncio.Event()
    read = served.engine.read

    async def slow(prompt: list[int], *rest: object) -> object:
        if OLD in "".join(map(chr, prompt)):
            await waiting.wait()
        return await read(prompt, *rest)  # type: ignore[arg-type]

    served.engine.read = slow  # type: ignore[method-assign, assignment]
    request = pb.VerifyAnswerRequest(answer=f"{TALL} [S0] {OLD} [S1]", evidence=EVIDENCE)
    call = stub_of(served).VerifyAnswerStream(pb.VerifyAnswerStreamRequest(request=request))
    events = aiter(call)
    assert [(await anext(events)).WhichOneof("event") for _ in range(2)] == ["found", "known"]
    waiting.set()
    assert [event.WhichOneof("event") async for event in events] == ["known", "report"]


async def test_a_client_that_leaves_a_stream_stops_its_readings(served: Scripted) -> None:
    served.engine.hold()
    request = pb.VerifyAnswerRequest(answer=ANSWER, evidence=EVIDENCE)
    call = stub_of(served).VerifyAnswerStream(pb.VerifyAnswerStreamRequest(request=request))
    await call.read()
    await served.engine.until(lambda: len(served.engine.prompts) == 4)
    call.cancel()
    await served.engine.until(lambda: served.engine.cancelled == 4)
    await served.until_idle()


async def test_what_the_readings_of_a_stream_raise_when_it_is_left_is_not_logged(
    served: Scripted, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    async def fails(*_: object, **__: object) -> None:
        try:
            began.set()
            await asyncio.Event().wait()
        finally:
            ended.set()
            raise ValueError("Ada moved")

    monkeypatch.setattr(Answering, "read_answer", fails)
    request = pb.VerifyAnswerRequest(answer=ANSWER, evidence=EVIDENCE)
    call = stub_of(served).VerifyAnswerStream(pb.VerifyAnswerStreamRequest(request=request))
    await call.read()
    async with asyncio.timeout(WAIT_LIMIT_S):
        await began.wait()
        call.cancel()
        await ended.wait()
        await served.running.drain(WAIT_LIMIT_S)
    gc.collect()
    assert "Ada" not in caplog.text


async def test_a_deadline_ends_a_stream_with_its_reason(served: Scripted) -> None:
    # All of its time is for what the engine is to hold.
    await start_texts(served)
    served.engine.hold()
    request = pb.VerifyAnswerRequest(answer=ANSWER, evidence=EVIDENCE)
    call = stub_of(served).VerifyAnswerStream(
        pb.VerifyAnswerStreamRequest(request=request), timeout=2.0
    )
    with pytest.raises(aio.AioRpcError) as caught:
        _ = [event async for event in call]
    assert caught.value.code() is StatusCode.DEADLINE_EXCEEDED
    await served.engine.until(lambda: served.engine.cancelled == 4)


async def test_an_engine_that_dies_ends_a_stream_with_its_reason(served: Scripted) -> None:
    served.engine.hold()
    request = pb.VerifyAnswerRequest(answer=ANSWER, evidence=EVIDENCE)
    call = stub_of(served).VerifyAnswerStream(pb.VerifyAnswerStreamRequest(request=request))
    events = aiter(call)
    await anext(events)
    await served.engine.until(lambda: len(served.engine.prompts) == 4)
    served.engine.die()
    with pytest.raises(aio.AioRpcError) as caught:
        _ = [event async for event in events]
    assert reason_of(caught.value) == "ENGINE_FAILED"


async def test_errors_of_a_stream_name_the_field_within_its_request(served: Scripted) -> None:
    request = pb.VerifyAnswerStreamRequest(request=pb.VerifyAnswerRequest(answer="Red."))
    with pytest.raises(aio.AioRpcError) as caught:
        _ = [event async for event in stub_of(served).VerifyAnswerStream(request)]
    assert reason_of(caught.value) == "INVALID_SOURCE"
    assert list(violations_of(caught.value)) == ["request.evidence"]


@pytest.mark.parametrize(
    ("field", "request_"),
    [
        ("answer", pb.VerifyAnswerRequest(answer=" ", evidence=EVIDENCE)),
        (
            "question",
            pb.VerifyAnswerRequest(answer="x", evidence=EVIDENCE, question="x" * 1001),
        ),
        (
            "extract.citation_prefixes",
            pb.VerifyAnswerRequest(
                answer="x", evidence=EVIDENCE, extract=pb.ExtractOptions(citation_prefixes=["]"])
            ),
        ),
        (
            "extract.min_assertion_confidence",
            pb.VerifyAnswerRequest(
                answer="x", evidence=EVIDENCE, extract=pb.ExtractOptions(min_assertion_confidence=2)
            ),
        ),
        (
            "extract.citation_prefixes",
            pb.VerifyAnswerRequest(
                answer="x",
                evidence=EVIDENCE,
                extract=pb.ExtractOptions(citation_prefixes=["x" * 17]),
            ),
        ),
        (
            "extract.citation_styles[0]",
            pb.VerifyAnswerRequest(
                answer="x",
                evidence=EVIDENCE,
                extract=pb.ExtractOptions(citation_styles=[pb.CITATION_STYLE_UNSPECIFIED]),
            ),
        ),
    ],
)
async def test_bad_answers_are_refused_with_their_field(
    served: Scripted, field: str, request_: pb.VerifyAnswerRequest
) -> None:
    with pytest.raises(aio.AioRpcError) as caught:
        await stub_of(served).VerifyAnswer(request_)
    assert list(violations_of(caught.value)) == [field]


async def test_a_text_that_cites_too_many_ids_is_refused_with_the_limit(served: Scripted) -> None:
    text = "It rained all day [S1-S100]. " * 201
    with pytest.raises(aio.AioRpcError) as caught:
        await stub_of(served).ExtractClaims(pb.ExtractClaimsRequest(text=text))
    assert reason_of(caught.value) == "TEXT_TOO_LONG"
    assert "20,000 ids" in violations_of(caught.value)["text"]
    with pytest.raises(aio.AioRpcError) as caught:
        await verify_answer(served, text, EVIDENCE)
    assert "20,000 ids" in violations_of(caught.value)["answer"]


async def test_claims_are_extracted_while_the_model_loads() -> None:
    async with scripted_server(loaded=False) as served:
        request = pb.ExtractClaimsRequest(text=ANSWER)
        response = await stub_of(served).ExtractClaims(request)
        assert len(response.claims) == 5
        assert response.language == "en"
        with pytest.raises(aio.AioRpcError) as caught:
            await verify_answer(served, ANSWER, EVIDENCE)
        assert reason_of(caught.value) == "LOADING"


async def test_a_stream_that_cannot_be_run_fails_before_its_first_message() -> None:
    async with scripted_server(loaded=False) as served:
        request = pb.VerifyAnswerRequest(answer=ANSWER, evidence=EVIDENCE)
        call = stub_of(served).VerifyAnswerStream(pb.VerifyAnswerStreamRequest(request=request))
        with pytest.raises(aio.AioRpcError) as caught:
            await anext(aiter(call))
        assert reason_of(caught.value) == "LOADING"


async def test_extraction_takes_styles_and_prefixes(served: Scripted) -> None:
    text = "It rained all day [doc3]. It snowed all night 【1】."
    options = pb.ExtractOptions(
        citation_styles=[pb.CITATION_STYLE_SQUARE], citation_prefixes=["doc"]
    )
    request = pb.ExtractClaimsRequest(text=text, options=options)
    first, second = (await stub_of(served).ExtractClaims(request)).claims
    assert [list(c.ids) for c in first.citations] == [["doc3"]]
    assert list(second.citations) == []


async def test_the_servers_settings_are_the_defaults_of_a_request() -> None:
    async with scripted_server(verify_policy="grounding_score", verify_min_posterior=0.4) as served:
        response = await verify_answer(served, TALL, EVIDENCE)
        assert response.run.policy == pb.POLICY_GROUNDING_SCORE
        assert response.run.thresholds.min_posterior == 0.4


async def test_a_text_of_too_many_claims_is_refused(served: Scripted) -> None:
    request = pb.ExtractClaimsRequest(text="It rained.\n\n" * 10_001)
    with pytest.raises(aio.AioRpcError) as caught:
        await stub_of(served).ExtractClaims(request)
    assert reason_of(caught.value) == "TOO_MANY_CLAIMS"
    assert list(violations_of(caught.value)) == ["text"]


async def test_short_sentences_of_a_dense_script_are_long_enough(served: Scripted) -> None:
    answer = "青溪桥建于1931年。桥长503米。桥上禁止停车。是。桥在哪里？"  # noqa: RUF001
    response = await verify_answer(served, answer, EVIDENCE)
    assert [reason for _, reason in verdicts_of(response)] == [
        "LOW_POSTERIOR",
        "LOW_POSTERIOR",
        "LOW_POSTERIOR",
        "TOO_SHORT",
        "NON_ASSERTIVE",
    ]


@pytest.mark.parametrize(("short", "grounded"), [("是。", False), ("Red.", True), ("כן.", True)])
async def test_what_is_too_short_in_a_script_without_rules_grounds_nothing(
    served: Scripted, short: str, grounded: bool
) -> None:
    summary = (await verify_answer(served, f"{TALL} [S0]\n\n{short}", EVIDENCE)).summary
    assert (summary.grounded_claims, summary.overall_grounded) == (1, grounded)

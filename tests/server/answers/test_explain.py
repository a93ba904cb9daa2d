"""Why claims have their verdicts, on a scripted engine."""

from collections.abc import AsyncIterator, Callable

import pytest

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire_verifier.checks.explanations import explaining
from groundwire_verifier.domain.tasks import AnswerLimit
from groundwire_verifier.domain.urgency import Arrival
from tests.scripted import WAIT_LIMIT_S, Scripted, scripted_server
from tests.scripted_services.detection import (
    CANNOT_SAY,
    CONTRADICTS,
    DOUBTED,
    believes,
    documents,
    stub_of,
    verify_answer,
    verify_claims,
)

HEIGHT, YEAR, PLACE = "The tower is 330 m high.", "It opened in May 1889.", "It stands in Paris."
EXPLAIN = pb.VerifyOptions(explain=True)
WRONG = "The tower stands in Paris because of a bet."
RIGHT = "The tower stands in Paris."
CAUSE = "because of a bet"
ON_PARIS = "The tower stands in Paris today."
ON_ROME = "The tower stands in Rome today."


def reads(*carried: tuple[str, str], against: str = "") -> Callable[[str], tuple[float, ...]]:
    """A model that believes a claim by the text beside it; `against` speaks against all claims."""
    told = believes(dict(carried))

    def answer(prompt: str) -> tuple[float, ...]:
        _, asks, _ = prompt.partition("\n\nIs the following")
        if not asks:
            return CONTRADICTS if against and against in prompt else CANNOT_SAY
        return told(prompt)

    return answer


@pytest.fixture
async def served() -> AsyncIterator[Scripted]:
    async with scripted_server() as served:
        yield served


async def explained(served: Scripted, claim: str, *texts: str) -> pb.ClaimVerdict:
    (found,) = await verify_claims(served, {claim: ()}, documents(*texts), EXPLAIN)
    return found


def spans_of(text: str, verdict: pb.ClaimVerdict) -> list[tuple[str, str]]:
    return [
        (text[each.span.start : each.span.end], pb.SpanKind.Name(each.kind))
        for each in verdict.unsupported_spans
    ]


async def test_the_sentence_that_carries_a_claim_is_told_with_its_place(served: Scripted) -> None:
    served.engine.answer = reads((HEIGHT, HEIGHT))
    text = f"{PLACE} {HEIGHT}"
    found = await explained(served, HEIGHT, text, YEAR)
    (passage,) = found.deciding_passages
    assert (passage.source_id, passage.text) == ("S0", HEIGHT)
    assert text[passage.span.start : passage.span.end] == HEIGHT
    assert passage.relation == pb.PASSAGE_RELATION_SUPPORTS
    assert passage.probability > 0.9
    assert found.explained


async def test_of_a_contradicted_claim_the_sentence_is_told_that_contradicts(
    served: Scripted,
) -> None:
    served.engine.answer = reads(against=ON_ROME)
    found = await explained(served, RIGHT, f"{HEIGHT} {ON_ROME}")
    assert found.verdict == pb.VERDICT_CONTRADICTED
    (passage,) = found.deciding_passages
    assert passage.text == ON_ROME
    assert passage.relation == pb.PASSAGE_RELATION_CONTRADICTS


@pytest.mark.parametrize(("alone", "told"), [((0.1, 0.3, 0.6), [ON_PARIS]), ((0.3, 0.1, 0.6), [])])
async def test_where_no_sentence_contradicts_by_itself_the_nearest_one_is_told(
    served: Scripted, alone: tuple[float, ...], told: list[str]
) -> None:
    def answer(prompt: str) -> tuple[float, ...]:
        if "\n\nIs the following" in prompt:
            return DOUBTED
        if HEIGHT in prompt:
            return CONTRADICTS if ON_PARIS in prompt else (0.2, 0.1, 0.7)
        return alone

    served.engine.answer = answer
    found = await explained(served, RIGHT, f"{HEIGHT} {ON_PARIS}")
    assert found.verdict == pb.VERDICT_CONTRADICTED
    assert [each.text for each in found.deciding_passages] == told


async def test_no_sentence_makes_a_claim_look_better_than_its_verdict(served: Scripted) -> None:
    def answer(prompt: str) -> tuple[float, ...]:
        # Alone the sentence carries the claim, and beside the other one it does not.
        return (0.97, 0.02, 0.0) if HEIGHT not in prompt else (0.02, 0.97, 0.0)

    served.engine.answer = answer
    found = await explained(served, RIGHT, f"{HEIGHT} {ON_PARIS}")
    assert not found.grounded
    assert found.explained
    assert not found.deciding_passages


async def test_a_value_that_differs_speaks_against_a_claim_by_rule(served: Scripted) -> None:
    served.engine.answer = reads()
    found = await explained(served, "The tower is 440 m high.", HEIGHT)
    assert [each.text for each in found.deciding_passages] == [HEIGHT]


async def test_the_part_without_which_the_claim_is_borne_out_is_marked(served: Scripted) -> None:
    served.engine.answer = reads((RIGHT, ON_PARIS))
    found = await explained(served, WRONG, ON_PARIS)
    assert spans_of(WRONG, found) == [(CAUSE, "SPAN_KIND_CAUSE")]


async def test_a_claim_of_which_nothing_can_be_singled_out_is_marked_whole(
    served: Scripted,
) -> None:
    served.engine.answer = reads()
    found = await explained(served, WRONG, HEIGHT)
    assert spans_of(WRONG, found) == [(WRONG, "SPAN_KIND_UNSPECIFIED")]


async def test_what_is_borne_out_has_no_words_marked(served: Scripted) -> None:
    served.engine.answer = reads((RIGHT, ON_PARIS))
    assert spans_of(RIGHT, await explained(served, RIGHT, ON_PARIS)) == []


async def test_a_value_that_no_source_states_is_marked_first(served: Scripted) -> None:
    claim = "The tower is 440 m high because of a bet."
    served.engine.answer = reads()
    found = await explained(served, claim, HEIGHT)
    assert spans_of(claim, found) == [("440 m", "SPAN_KIND_NUMBER")]


async def test_a_value_of_a_claim_that_is_borne_out_is_listed_and_not_marked(
    served: Scripted,
) -> None:
    claim = "The tower is 440 m high."
    served.engine.answer = reads((claim, HEIGHT))
    found = await explained(served, claim, HEIGHT)
    assert (found.grounded, list(found.unstated_values)) == (True, ["440 m"])
    assert not found.unsupported_spans


async def test_the_words_of_an_answer_stand_in_the_answer(served: Scripted) -> None:
    served.engine.answer = reads((RIGHT, ON_PARIS), (HEIGHT, HEIGHT))
    answer = f"{HEIGHT} **The tower** stands in Paris [S0] because of a bet."
    report = await verify_answer(served, answer, documents(ON_PARIS, HEIGHT), options=EXPLAIN)
    assert spans_of(answer, report.claims[1].verdict) == [(CAUSE, "SPAN_KIND_CAUSE")]
    assert spans_of(answer, report.claims[0].verdict) == []


@pytest.mark.parametrize(
    ("claim", "source", "borne_out", "cause"),
    [
        (
            "The jug holds 750 ml because it is old.",
            "The jug holds 0.75 litres.",
            "The jug holds 0.75 litres.",
            "because it is old",
        ),
        (
            'הכד מכיל 750 מ"ל בגלל גילו.',
            "הכד מכיל 0.75 ליטר.",
            "הכד מכיל 0.75 ליטר.",
            "בגלל גילו",
        ),
    ],
)
async def test_a_part_is_left_out_of_the_words_that_the_verdict_was_read_in(
    served: Scripted, claim: str, source: str, borne_out: str, cause: str
) -> None:
    served.engine.answer = reads((borne_out, source))
    found = await explained(served, claim, source)
    assert spans_of(claim, found) == [(cause, "SPAN_KIND_CAUSE")]
    assert not [asked for asked in served.engine.claims if "750" in asked]


async def test_a_sentence_of_a_source_is_read_in_the_words_of_the_verdict(
    served: Scripted,
) -> None:
    claim, source = "The jug holds 750 ml.", "The jug holds 0.75 litres."
    served.engine.answer = reads((source, source))
    found = await explained(served, claim, f"{PLACE} {source}", YEAR)
    assert [each.text for each in found.deciding_passages] == [source]
    assert claim not in served.engine.claims


async def test_hebrew_words_are_singled_out_too(served: Scripted) -> None:
    right, place = "המגדל עומד בפריז.", "המגדל עומד בפריז מזמן."
    wrong = "המגדל עומד בפריז בגלל התערבות."
    served.engine.answer = reads((right, place))
    found = await explained(served, wrong, place)
    assert spans_of(wrong, found) == [("בגלל התערבות", "SPAN_KIND_CAUSE")]


async def test_a_source_that_says_otherwise_is_named_and_changes_no_verdict(
    served: Scripted,
) -> None:
    served.engine.answer = reads((RIGHT, ON_PARIS), against=ON_ROME)
    texts = f"As of 5 March 2021. {ON_PARIS}", f"As of 6 March 2021. {ON_ROME}"
    found = await explained(served, RIGHT, *texts)
    assert (found.verdict, found.grounded) == (pb.VERDICT_SUPPORTED, True)
    (conflict,) = found.conflicts
    assert (conflict.passage.source_id, conflict.passage.text) == ("S1", ON_ROME)
    assert conflict.newer_id == "S1"


@pytest.mark.parametrize(
    ("claim", "carrier", "other"),
    [
        (
            "The Kite tent weighs 3.1 kg.",
            "Catalogue 2023: the Kite tent weighs 3.1 kg.",
            "Revision 2026: the Kite tent now weighs 2.8 kg.",
        ),
        (
            "The hall opens at 9 am.",
            "The hall opens at 9:00.",
            "New hours: the hall opens at 10:00.",
        ),
        ("The hall has three floors.", "It has three floors.", "The hall has four floors."),
        ("The hall opened on 3 May 2019.", "3 May 2019", "The hall opened on 4 May 2019."),
        ("הכרטיס עולה 30 שקלים.", "מחיר: 30 שקלים", "מחיר מעודכן: הכרטיס עולה 35 שקלים."),
        (
            "Staff get 28 days of leave.",
            "HR handbook 2024: staff get 28 days of leave a year.",
            "HR handbook 2026: staff get 30 days of leave a year.",
        ),
        ("The tour lasts 90 minutes.", "90 minutes", "Since spring the tour lasts 75 minutes."),
        ("הסיור נמשך 90 דקות.", "90 דקות", "החל ממאי הסיור נמשך 75 דקות."),
        ("The bar is open on Sundays.", "open on Sundays", "The bar is closed on Sundays."),
        ("Dogs are allowed in the park.", "Dogs may.", "Dogs are forbidden in the park."),
        ("Lockers are included.", "Lockers too.", "Lockers are not included."),
        ("החנות פתוחה בשבת.", "פתוח", "החנות סגורה בשבת."),
        ("The lease ends on 30 June.", "30 June", "The lease ends on 31 July."),
        ("הסיור נמשך 90 דקות.", "90 דקות", "נכון ליוני 2026, הסיור נמשך שעתיים."),
        ("Le bureau ouvre le lundi.", "Le lundi.", "Le bureau n'ouvre pas le lundi."),
        ("Die Frist beträgt 30 Tage.", "30 Tage", "Ab Mai beträgt die Frist jetzt 20 Tage."),
        ("L'ufficio non chiude a luglio.", "Mai chiuso.", "L'ufficio chiude a luglio."),
        ("O prazo é de 30 dias.", "30 dias", "O prazo é de 15 dias."),
        ("Срок составляет 30 дней.", "30 дней", "Срок составляет 15 дней."),
        ("La tienda no cerró nunca.", "Nunca cerró.", "La tienda cerró."),
        ("Le bureau n'a jamais fermé.", "Jamais fermé.", "Le bureau a fermé."),
        ("A 5 kg parcel costs 12 euros.", "12 euros for 5 kg", "A 5 kg parcel costs 20 euros."),
        (
            "The hall is open until 5 pm.",
            "The hall is open until 5 pm.",
            "The hall is open until 6 pm.",
        ),
        ("החנות פתוחה עד 18:00.", "החנות פתוחה עד 18:00.", "החנות פתוחה עד 19:00."),
        (
            "Groups have up to 40 guests.",
            "Groups have up to 40 guests.",
            "Groups have up to 60 guests.",
        ),
    ],
)
async def test_a_source_with_another_value_is_named_without_asking(
    claim: str, carrier: str, other: str, served: Scripted
) -> None:
    served.engine.answer = reads((claim, carrier))
    report = await verify_answer(served, claim, documents(carrier, other))
    (found,) = [each.verdict for each in report.claims]
    assert found.verdict == pb.VERDICT_SUPPORTED
    assert [each.passage.source_id for each in found.conflicts] == ["S1"]
    assert report.summary.conflicting_claims == 1
    assert not report.summary.unexplained_claims


@pytest.mark.parametrize(
    ("claim", "other"),
    [
        ("A ticket costs 12 euros.", "A ticket for children costs 6 euros."),
        ("The Kite tent weighs 3.1 kg.", "The Kite XL tent weighs 2.8 kg."),
        ("The road is 5 km long.", "The road is 5,000 m long."),
        ("The hall opens at 9 am.", "On Sundays the hall opens at 10 am."),
        ("The fee is 20 euros.", "The fee is 25 euros. For members the fee is 20 euros."),
        ("הכרטיס עולה 30 שקלים.", "כרטיס ילד עולה 15 שקלים."),
        ("The bar is open on Sundays.", "The bar is closed on Mondays."),
        ("The bar was opened in 1990.", "The bar was closed in 1990."),
        ("Dogs are allowed in the park.", "Dogs are forbidden in the lake."),
        ("Staff get 28 days of leave.", "Since May trainees get 30 days of leave."),
        ("החנות פתוחה בשבת.", "החנות סגורה בחג."),
        ("The lease ends on 14 June.", "The lease ends on 2026-06-14."),
        ("The tour lasts 14 days.", "The tour lasts two weeks."),
        ("Le bureau n'ouvre pas le lundi.", "Le bureau n'ouvre pas le mardi."),
        ("O prazo é de 30 dias.", "O prazo para membros é de 15 dias."),
        ("In May 2024 the mine gave 40 tonnes.", "In June 2024 the mine gave 52 tonnes."),
        ("A 5 kg parcel costs 12 euros.", "A 10 kg parcel costs 20 euros."),
        ("במאי 2024 היו 40 שריפות.", "ביוני 2024 היו 52 שריפות."),
        ("The price is 5 euros.", "Adult ticket: 7 euros"),
        ("Das Fest im Mai hat 40 Gäste.", "Das Fest hat 52 Gäste."),
        ("Le bureau n'ouvre que le lundi.", "Le bureau ouvre le lundi."),
        ("The trail is 9 km long.", "The trail is over 8 km long."),
        ("The trail is 9 km long.", "The trail is > 8 km long."),
        ("The mine has 40 workers.", "The mine has more than thirty workers."),
        ("המסלול נמשך 9 שעות.", "המסלול נמשך מעל 8 שעות."),
        # What asks says nothing.
        ("The trail is 9 km long.", "Is the trail 12 km long?"),
    ],
)
async def test_another_value_of_something_else_is_no_conflict(
    claim: str, other: str, served: Scripted
) -> None:
    served.engine.answer = reads((claim, claim))
    report = await verify_answer(served, claim, documents(claim, other))
    assert [each.verdict.verdict for each in report.claims] == [pb.VERDICT_SUPPORTED]
    assert not report.claims[0].verdict.conflicts


@pytest.mark.parametrize(("time_is_over", "named"), [(True, 0), (False, 1)])
async def test_sources_with_another_value_are_looked_for_until_the_time_is_over(
    served: Scripted,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    time_is_over: bool,
    named: int,
) -> None:
    if time_is_over:
        monkeypatch.setattr(Arrival, "answer_by_s", lambda self, claims: self.at_s)
        monkeypatch.setattr(AnswerLimit, "begin", lambda self: None)
    served.engine.answer = reads((HEIGHT, HEIGHT), (YEAR, YEAR))
    other = f"{HEIGHT.replace('330', '300')} {YEAR.replace('1889', '1890')}"
    report = await verify_answer(served, f"{HEIGHT} {YEAR}", documents(f"{HEIGHT} {YEAR}", other))
    assert [each.verdict.verdict for each in report.claims] == [pb.VERDICT_SUPPORTED] * 2
    assert report.summary.conflicting_claims == named
    lost = "of 2 claims it was not looked for sources with another value"
    assert (lost in caplog.text) == time_is_over


@pytest.mark.parametrize(
    ("claim", "source", "names"),
    [
        ("The dose is 4 tablets a day.", "The dose is 4 tablets a day.", ["S1"]),
        ("The dose is 4 tablets a day.", "The dose is small.", []),
    ],
)
async def test_sources_disagree_on_a_claim_that_is_not_supported_where_one_states_it(
    claim: str, source: str, names: list[str], served: Scripted
) -> None:
    served.engine.answer = reads()
    other = "The dose is 6 tablets a day."
    report = await verify_answer(served, claim, documents(source, other))
    (found,) = [each.verdict for each in report.claims]
    assert found.verdict == pb.VERDICT_UNSUPPORTED
    assert [each.passage.source_id for each in found.conflicts] == names
    assert report.summary.conflicting_claims == 0


async def test_a_source_on_another_matter_is_no_conflict(served: Scripted) -> None:
    served.engine.answer = reads((RIGHT, ON_PARIS), against="bakery")
    found = await explained(served, RIGHT, ON_PARIS, "The bakery in Rome opens at six.")
    assert not found.conflicts


async def test_the_summary_counts_conflicts_and_what_was_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(explaining, "MAX_READS", 0)
    async with scripted_server() as served:
        served.engine.answer = reads((RIGHT, ON_PARIS), against=ON_ROME)
        answer = f"{RIGHT} The river flows because of rain."
        report = await verify_answer(
            served, answer, documents(ON_PARIS, ON_ROME, "The river is long."), options=EXPLAIN
        )
    assert report.summary.conflicting_claims == 1
    assert report.summary.unexplained_claims == 1
    assert [each.verdict.explained for each in report.claims] == [True, False]
    # Nothing was read of its words, so that nothing is said of them.
    assert not report.claims[1].verdict.unsupported_spans


async def test_passages_and_readings_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explaining, "MAX_PASSAGES", 2)
    monkeypatch.setattr(explaining, "MAX_READS", 1)
    text = " ".join(f"The tower number {i} stands in Paris." for i in range(9))
    async with scripted_server() as served:
        served.engine.answer = reads()
        await verify_claims(served, {WRONG: ()}, documents(text))
        before = len(served.engine.prompts)
        await verify_claims(served, {WRONG: ()}, documents(text), EXPLAIN)
        # Two passages, each with two questions, and one reading of the claim without a part.
        assert len(served.engine.prompts) == 2 * before + 2 * 2 + 1


async def test_with_explain_off_nothing_more_is_read(served: Scripted) -> None:
    served.engine.answer = reads((RIGHT, ON_PARIS))
    evidence = documents(ON_PARIS, HEIGHT)
    await verify_claims(served, {RIGHT: ()}, evidence)
    prompts = list(served.engine.prompts)
    served.engine.prompts.clear()
    (found,) = await verify_claims(served, {RIGHT: ()}, evidence, pb.VerifyOptions())
    assert (served.engine.prompts, len(prompts)) == (prompts, 2)
    assert not found.explained
    served.engine.prompts.clear()
    await verify_claims(served, {RIGHT: ()}, evidence, EXPLAIN)
    # The same first, and what explains behind it.
    assert served.engine.prompts[: len(prompts)] == prompts
    assert len(served.engine.prompts) > len(prompts)


async def test_what_explains_counts_in_the_run(served: Scripted) -> None:
    served.engine.answer = reads((RIGHT, ON_PARIS))
    request = pb.VerifyClaimsRequest(
        claims=[pb.ClaimInput(text=RIGHT)], evidence=documents(ON_PARIS), options=EXPLAIN
    )
    response = await stub_of(served).VerifyClaims(request, timeout=WAIT_LIMIT_S)
    assert response.run.usage.distinct_prompts == len(set(served.engine.prompts))


async def test_at_the_deadline_the_verdicts_come_without_what_is_not_read(
    served: Scripted,
) -> None:
    served.engine.answer = reads((RIGHT, f"{HEIGHT} {ON_PARIS}"))
    # The passage alone is never read.
    served.engine.stuck_at = {f"[S0]\n{ON_PARIS}"}
    request = pb.VerifyClaimsRequest(
        claims=[pb.ClaimInput(text=RIGHT)],
        evidence=documents(f"{HEIGHT} {ON_PARIS}"),
        options=EXPLAIN,
    )
    response = await stub_of(served).VerifyClaims(request, timeout=2.0)
    (found,) = response.verdicts
    assert found.verdict == pb.VERDICT_SUPPORTED
    assert not found.explained


async def test_an_engine_that_dies_while_it_explains_costs_no_verdict(served: Scripted) -> None:
    served.engine.answer = reads((RIGHT, f"{HEIGHT} {ON_PARIS}"))
    served.engine.stuck_at = {f"[S0]\n{ON_PARIS}"}
    request = pb.VerifyClaimsRequest(
        claims=[pb.ClaimInput(text=RIGHT)],
        evidence=documents(f"{HEIGHT} {ON_PARIS}"),
        options=EXPLAIN,
    )
    call = stub_of(served).VerifyClaims(request, timeout=WAIT_LIMIT_S)
    await served.engine.until(
        lambda: any(f"[S0]\n{ON_PARIS}" in prompt for prompt in served.engine.prompts)
    )
    served.engine.die()
    (found,) = (await call).verdicts
    assert found.verdict == pb.VERDICT_SUPPORTED
    assert not found.explained


async def test_a_stream_explains_in_its_report(served: Scripted) -> None:
    served.engine.answer = reads((RIGHT, ON_PARIS))
    request = pb.VerifyAnswerStreamRequest(
        request=pb.VerifyAnswerRequest(answer=WRONG, evidence=documents(ON_PARIS), options=EXPLAIN)
    )
    events = [
        event async for event in stub_of(served).VerifyAnswerStream(request, timeout=WAIT_LIMIT_S)
    ]
    assert not events[-2].known.verdict.unsupported_spans
    (claim,) = events[-1].report.claims
    assert spans_of(WRONG, claim.verdict) == [(CAUSE, "SPAN_KIND_CAUSE")]


async def test_a_claim_that_was_not_read_is_not_explained(served: Scripted) -> None:
    (found,) = await verify_claims(served, {RIGHT: ("S9",)}, documents(ON_PARIS), EXPLAIN)
    assert found.verdict == pb.VERDICT_NOT_VERIFIED
    assert not found.deciding_passages
    assert not found.explained

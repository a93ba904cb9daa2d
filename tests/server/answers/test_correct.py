"""Answers put right, on a scripted engine."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace

import pytest

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire_verifier.checks.answers import AnswerClaims
from groundwire_verifier.checks.corrections import correcting, leaning
from groundwire_verifier.checks.corrections.leaning import Leaning, Made
from groundwire_verifier.domain.tasks import AnswerLimit
from groundwire_verifier.domain.urgency import Arrival
from tests.scripted import WAIT_LIMIT_S, Scripted, scripted_server
from tests.scripted_services.detection import (
    BELIEVED,
    CANNOT_SAY,
    DOUBTED,
    believes,
    documents,
    stub_of,
    verify_answer,
)

HEIGHT, PLACE = "The tower is 330 m high.", "The tower stands in Paris."
ON_HEIGHT = "Measured in 2022, the tower is 330 m high."
ON_PLACE = "The tower stands in Paris by the river."


def reads(*carried: tuple[str, str]) -> Callable[[str], tuple[float, ...]]:
    """A model that believes these claims by the text beside them, and knows of nothing else."""
    told = believes(dict(carried))
    return lambda prompt: told(prompt) if "\n\nIs the following" in prompt else CANNOT_SAY


@pytest.fixture
async def served() -> AsyncIterator[Scripted]:
    async with scripted_server() as served:
        yield served


async def corrected(
    served: Scripted, answer: str, *texts: str, **fields: str
) -> pb.VerifyAnswerResponse:
    return await verify_answer(served, answer, documents(*texts), correct=True, **fields)


def kinds(report: pb.VerifyAnswerResponse) -> list[str]:
    return [
        pb.EditKind.Name(each.kind).removeprefix("EDIT_KIND_") for each in report.correction.edits
    ]


def applied(answer: str, report: pb.VerifyAnswerResponse) -> str:
    """The answer with the edits made one by one, from its end."""
    for edit in reversed(report.correction.edits):
        answer = answer[: edit.span.start] + edit.replacement + answer[edit.span.end :]
    return answer


@pytest.mark.parametrize(
    ("wrong", "right", "source", "kind"),
    [
        ("The tower is 440 m high.", HEIGHT, ON_HEIGHT, "VALUE_REPLACED"),
        (
            "The hall opened on 3 May 2019.",
            "The hall opened on 4 May 2019.",
            "The hall opened on 4 May 2019 at noon.",
            "VALUE_REPLACED",
        ),
        (
            "The museum opened on 3 May 2019.",
            "The museum opened on 4 May 2019.",
            "The museum that the town built beside the river opened on 4 May\n2019 at noon.",
            "VALUE_REPLACED",
        ),
        (
            "The play was written by Bo Lindemann.",
            "The play was written by Ada Kern.",
            "As all know, the play was written by Ada Kern.",
            "NAME_REPLACED",
        ),
        (
            "All members may vote.",
            "Most members may vote.",
            "Most members may vote by letter.",
            "WORD_REPLACED",
        ),
        (
            "You must bring a lamp.",
            "You should bring a lamp.",
            "For the cave you should bring a lamp.",
            "WORD_REPLACED",
        ),
        (
            "The seat has been confirmed.",
            "The seat has not been confirmed.",
            "So far the seat has not been confirmed.",
            "WORD_REPLACED",
        ),
        (
            "The hall does not open on Sunday.",
            "The hall does open on Sunday.",
            "The hall does open on Sunday at ten.",
            "WORD_REPLACED",
        ),
        (
            "הכרטיס עולה 30 שקלים.",
            "הכרטיס עולה 35 שקלים.",
            "מחיר: הכרטיס עולה 35 שקלים.",
            "VALUE_REPLACED",
        ),
        (
            "החבר חייב להצביע היום.",
            "החבר רשאי להצביע היום.",
            "לפי התקנון החבר רשאי להצביע היום.",
            "WORD_REPLACED",
        ),
    ],
)
async def test_what_is_wrong_is_replaced_by_what_the_source_has_in_its_place(
    wrong: str, right: str, source: str, kind: str, served: Scripted
) -> None:
    served.engine.answer = reads((right, source))
    report = await corrected(served, wrong, f"{PLACE} {source}")
    correction = report.correction
    assert correction.corrected_answer == applied(wrong, report) == right
    assert kinds(report) == [kind]
    (edit,) = correction.edits
    assert edit.source_id == "S0"
    assert f"{PLACE} {source}"[edit.source_span.start : edit.source_span.end] == source
    assert edit.probability > 0.9
    assert (correction.summary.grounded_claims, correction.summary.total_claims) == (1, 1)
    assert not report.summary.grounded_claims


async def test_what_does_not_come_out_supported_is_not_put_in(served: Scripted) -> None:
    # The model believes nothing but the other sentence.
    served.engine.answer = reads((PLACE, ON_PLACE))
    report = await corrected(served, f"{PLACE} The tower is 440 m high.", f"{ON_PLACE} {ON_HEIGHT}")
    assert report.correction.corrected_answer == PLACE
    assert kinds(report) == ["SENTENCE_LEFT_OUT"]
    assert not report.correction.edits[0].HasField("probability")
    assert report.correction.summary.overall_grounded


async def test_what_the_model_knows_without_the_evidence_is_no_correction(served: Scripted) -> None:
    def answer(prompt: str) -> tuple[float, ...]:
        asks = "\n\nIs the following" in prompt
        return BELIEVED if asks and "330 m" in prompt.rpartition("Claim:")[2] else DOUBTED

    served.engine.answer = answer
    report = await corrected(served, "The tower is 440 m high.", ON_HEIGHT)
    assert report.correction.corrected_answer == ""


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (
            "**The tower** stands in Paris because of a bet [S0].",
            "**The tower** stands in Paris [S0].",
        ),
        (
            "**The tower stands in Paris because of a bet** [S0].",
            "**The tower stands in Paris** [S0].",
        ),
        (
            "**Because of a bet, the tower stands in Paris.** [S0]",
            "**The tower stands in Paris.** [S0]",
        ),
        (
            "- The tower **stands in Paris** (*because of a bet*) [S0].",
            "- The tower **stands in Paris** [S0].",
        ),
    ],
)
async def test_the_clause_that_is_not_borne_out_is_left_out(
    wrong: str, right: str, served: Scripted
) -> None:
    served.engine.answer = reads((PLACE, ON_PLACE), (PLACE[0].lower() + PLACE[1:], ON_PLACE))
    report = await corrected(served, wrong, ON_PLACE)
    assert report.correction.corrected_answer == right
    assert kinds(report) == ["CLAUSE_LEFT_OUT"]


async def test_a_name_that_another_claim_shares_is_not_replaced(served: Scripted) -> None:
    born, died = "Bella Stern was born in Warsaw.", "Anna Kern died in Passy."
    served.engine.answer = reads((born, born), (died, died))
    report = await corrected(served, "Anna Kern was born in Warsaw and died in Passy.", born, died)
    assert "Bella" not in report.correction.corrected_answer


@pytest.mark.parametrize(
    "wrong",
    [
        "The tower is **440** m high.",
        "The tower is [440 m](http://a.b/c_d) high.",
        "1. According to [S0], the tower is 440 m high.",
        "| Thing | Height |\n|---|---|\n| The tower | 440 m |\n",
        "The tower is __440 m__ high.",
        "The tower is $440$ m high.",
        r"The tower is $440\,\mathrm{m}$ high.",
        "🗼 e\u0301 The tower is 440\nm high [S0].",
        "- \u202bהמגדל מתנשא לגובה **440** מטרים.\u202c\n- The tower is `440 m` high.",
    ],
)
async def test_a_value_in_markup_is_replaced_and_the_markup_stays(
    wrong: str, served: Scripted
) -> None:
    def answer(prompt: str) -> tuple[float, ...]:
        context, asks, question = prompt.partition("\n\nIs the following")
        return BELIEVED if asks and "330" in context and "440" not in question else DOUBTED

    served.engine.answer = answer
    report = await corrected(served, wrong, f"{ON_HEIGHT} המגדל מתנשא לגובה 330 מטרים.")
    assert report.correction.corrected_answer == wrong.replace("440", "330")
    assert set(kinds(report)) == {"VALUE_REPLACED"}


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("The tower, built by monks, stands in Paris.", "The tower stands in Paris."),
        ("Because of a bet, the tower stands in Paris.", "The tower stands in Paris."),
        ("The tower (a gift) stands in Paris.", "The tower stands in Paris."),
        ("The tower stands in Paris (*because of a bet*).", "The tower stands in Paris."),
        (
            "The tower stands in Paris, built by monks, with a view.",
            "The tower stands in Paris, with a view.",
        ),
        ("The tower stands in Paris,&nbsp;built by monks.", "The tower stands in Paris."),
        ("המגדל עומד בפריז בגלל התערבות.", "המגדל עומד בפריז."),
    ],
)
async def test_a_clause_that_is_left_out_leaves_neither_blanks_nor_commas(
    wrong: str, right: str, served: Scripted
) -> None:
    known = f"{right[:-1]} מזמן." if "המגדל" in right else ON_PLACE
    served.engine.answer = reads((right, known), (right[0].lower() + right[1:], known))
    report = await corrected(served, wrong, known)
    assert report.correction.corrected_answer == right


@pytest.mark.parametrize(
    "wrong",
    [
        "The pool is open if it rains.",
        "The pool is not open on Mondays.",
        "All pools open at noon.",
    ],
)
async def test_no_clause_is_left_out_without_which_more_is_said(
    wrong: str, served: Scripted
) -> None:
    def answer(prompt: str) -> tuple[float, ...]:
        _, asks, question = prompt.partition("\n\nIs the following")
        short = question.partition("\nClaim: ")[2] and wrong not in question
        return BELIEVED if asks and short and "pools here" in prompt else DOUBTED

    served.engine.answer = answer
    report = await corrected(served, wrong, "There are pools here.")
    assert "CLAUSE_LEFT_OUT" not in kinds(report)


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        (f"{PLACE} The tower is blue. It is closed.", PLACE),
        (f"{PLACE[:-1]}, and the hall is blue [S0].", f"{PLACE[:-1]} [S0]."),
        (f"The tower is blue. {PLACE}", PLACE),
        (f"- {PLACE}\n- The tower is blue.\n", f"- {PLACE}\n"),
        (f"- The tower is blue. [S0]\n- {PLACE}\n", f"- {PLACE}\n"),
        (f"{PLACE}\n\nThe tower is blue.\n\nThe tower is green.", PLACE),
        (f"1. The tower is blue.\n2. {PLACE}", f"2. {PLACE}"),
        (f"**The tower is blue. {PLACE}**", f"**{PLACE}**"),
        (f"> The tower is blue.\n> {PLACE}", f"> {PLACE}"),
        (f"{PLACE} [S0] The tower is blue [S0].", f"{PLACE} [S0]"),
        ("המגדל כחול מאוד מאוד. המגדל עומד בפריז.", "המגדל עומד בפריז."),
    ],
)
async def test_a_sentence_that_is_left_out_leaves_no_mark_behind(
    answer: str, left: str, served: Scripted
) -> None:
    hebrew = "המגדל עומד בפריז."
    served.engine.answer = reads((PLACE, ON_PLACE), (hebrew, hebrew))
    report = await corrected(served, answer, f"{ON_PLACE} {hebrew}")
    assert report.correction.corrected_answer == applied(answer, report) == left
    assert set(kinds(report)) == {"SENTENCE_LEFT_OUT"}


async def test_the_citation_of_a_miscited_claim_becomes_the_right_one(served: Scripted) -> None:
    served.engine.answer = reads((PLACE, ON_PLACE))
    answer = f"{PLACE[:-1]} [S0]."
    report = await corrected(served, answer, "The bakery opens at six.", ON_PLACE)
    assert report.claims[0].verdict.verdict == pb.VERDICT_MISCITED
    assert report.correction.corrected_answer == f"{PLACE[:-1]} [S1]."
    assert kinds(report) == ["CITATION_CHANGED"]
    assert report.correction.edits[0].source_id == "S1"
    assert report.correction.summary.grounded_claims == 1


async def test_an_id_that_no_source_has_becomes_that_of_the_one_that_carries(
    served: Scripted,
) -> None:
    served.engine.answer = reads((PLACE, ON_PLACE))
    report = await corrected(served, f"{PLACE} [S7]", "The bakery opens at six.", ON_PLACE)
    assert report.correction.corrected_answer == f"{PLACE} [S1]"


async def test_what_is_supported_stays_as_it_is(served: Scripted) -> None:
    served.engine.answer = reads((PLACE, ON_PLACE))
    report = await corrected(served, PLACE, ON_PLACE)
    assert report.correction.corrected_answer == PLACE
    assert not report.correction.edits
    assert report.correction.summary == report.summary


async def test_what_holds_alone_and_not_in_the_answer_is_left_out(served: Scripted) -> None:
    asked: list[str] = []

    def answer(prompt: str) -> tuple[float, ...]:
        claim = prompt.rpartition("Claim: ")[2].removesuffix("\nAnswer:")
        asked.append(claim)
        told = reads((HEIGHT, ON_HEIGHT), (PLACE, ON_PLACE))(prompt)
        # It is believed once: with the evidence, and without.
        return told if claim != HEIGHT or asked.count(HEIGHT) <= 2 else DOUBTED

    served.engine.answer = answer
    request = pb.VerifyAnswerRequest(
        answer=f"{PLACE} The tower is 440 m high.",
        evidence=documents(f"{ON_PLACE} {ON_HEIGHT}"),
        options=pb.VerifyOptions(skip_result_cache=True),
        correct=True,
    )
    report = await stub_of(served).VerifyAnswer(request, timeout=WAIT_LIMIT_S)
    assert report.correction.corrected_answer == PLACE
    assert kinds(report) == ["SENTENCE_LEFT_OUT"]
    assert report.correction.summary.overall_grounded


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        (
            "The tower is 440 m high. It opened in 1887 and has 5 lifts. Entry costs $12.",
            ("The tower is 330 m high. It opened in 1889.", "It has 8 lifts. Entry costs $15."),
        ),
        (
            "גובה המגדל הוא 440 מטרים. הכרטיס עולה 30 שקלים ביום רביעי.",
            ("גובה המגדל הוא 330 מטרים. הכרטיס עולה 35 שקלים.", "המגדל נפתח ב-1889."),
        ),
        (
            "The tower opened on 3 May 2020. It was drawn by Bo Lindemann. Guests come on 9 June.",
            (
                '"tower": "opened", "date": "2021-06-15"',
                "Drawn by Ada Kern, built by Bo Lindemann. On 9 June staff, guests on 15 June.",
            ),
        ),
        (
            "המחיר עלה לשלושים שקלים. לקורס נרשמו חמש בנות. המופע נסגר במאי.",
            ("המחיר עלה ל-40 שקלים. לקורס נרשמו שלושה. המופע נסגר ביוני.",),
        ),
        ("המגדל נפתח ב-3 במאי 2020.", ('"tower": "opened", "date": "2021-06-15"',)),
        (
            "Ivo Brandt repaired the leaking boiler in hall 7. All tenants with a dog pay 9 euros.",
            (
                "HV-3 | Boiler leaking, hall 7 | Done | Low | Mia Solberg",
                "Boilers are seen 4 times. Some owners with a dog pay 12 euros, others 15 euros.",
            ),
        ),
        (
            "לקורס נרשמו שתי בנות ועשרים ואחד בנים. המבוגרים משלמים 9 שקלים.",
            ("לקורס נרשמו שלושה בנים וארבעים בנות.", "הילדים משלמים 12 שקלים, המבוגרים 15 שקלים."),
        ),
    ],
)
async def test_nothing_is_invented(answer: str, texts: tuple[str, ...], served: Scripted) -> None:
    served.engine.answer = reads()
    doubted = {
        each.claim.content
        for each in (await verify_answer(served, answer, documents(*texts))).claims
    }

    def gullible(prompt: str) -> tuple[float, ...]:
        """It believes everything beside the sources but what stood there first."""
        _, asks, _ = prompt.partition("\n\nIs the following")
        claim = prompt.rpartition("Claim: ")[2].removesuffix("\nAnswer:")
        with_evidence = any(text in prompt for text in texts)
        return BELIEVED if asks and with_evidence and claim not in doubted else DOUBTED

    served.engine.answer = gullible
    report = await corrected(served, answer, *texts)
    again = await verify_answer(served, report.correction.corrected_answer, documents(*texts))
    assert report.correction.edits
    assert not [value for each in again.claims for value in each.verdict.unstated_values]
    names = [e for e in report.correction.edits if e.kind == pb.EDIT_KIND_NAME_REPLACED]
    assert all(any(each.replacement in text for text in texts) for each in names)


async def test_with_correct_off_nothing_more_is_read(served: Scripted) -> None:
    served.engine.answer = reads((HEIGHT, ON_HEIGHT))
    answer, evidence = "The tower is 440 m high.", documents(ON_HEIGHT)
    plain = await verify_answer(served, answer, evidence)
    prompts = list(served.engine.prompts)
    served.engine.prompts.clear()
    off = await verify_answer(served, answer, evidence, correct=False)
    assert served.engine.prompts == prompts
    assert not off.HasField("correction")
    assert off.run.usage.distinct_prompts == plain.run.usage.distinct_prompts == len(prompts)
    served.engine.prompts.clear()
    on = await verify_answer(served, answer, evidence, correct=True)
    assert served.engine.prompts[: len(prompts)] == prompts
    assert on.run.usage.distinct_prompts == len(set(served.engine.prompts))


async def test_at_the_deadline_what_is_known_comes_with_what_was_not_tried(
    served: Scripted,
) -> None:
    served.engine.answer = reads((HEIGHT, ON_HEIGHT))
    # No candidate with the right height is ever read.
    served.engine.stuck_at = {HEIGHT}
    request = pb.VerifyAnswerRequest(
        answer=f"{PLACE} The tower is 440 m high.",
        evidence=documents(f"{ON_PLACE} {ON_HEIGHT}"),
        correct=True,
    )
    report = await stub_of(served).VerifyAnswer(request, timeout=3.0)
    assert list(report.correction.untried_claims)
    assert report.correction.corrected_answer == applied(request.answer, report)
    assert "440" not in report.correction.corrected_answer


async def test_candidates_are_not_looked_for_once_the_time_is_over(
    served: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    served.engine.answer = reads((PLACE, ON_PLACE), (HEIGHT, ON_HEIGHT))
    monkeypatch.setattr(Arrival, "answer_by_s", lambda self, claims: self.at_s)
    monkeypatch.setattr(AnswerLimit, "begin", lambda self: None)
    answer = f"{PLACE} The tower is 440 m high."
    report = await verify_answer(served, answer, documents(f"{ON_PLACE} {ON_HEIGHT}"), correct=True)
    assert list(report.correction.untried_claims) == [1]
    assert report.correction.corrected_answer == PLACE


async def test_a_stream_corrects_in_its_report(served: Scripted) -> None:
    served.engine.answer = reads((HEIGHT, ON_HEIGHT))
    request = pb.VerifyAnswerStreamRequest(
        request=pb.VerifyAnswerRequest(
            answer="The tower is 440 m high.", evidence=documents(ON_HEIGHT), correct=True
        )
    )
    events = [
        event async for event in stub_of(served).VerifyAnswerStream(request, timeout=WAIT_LIMIT_S)
    ]
    assert events[-1].report.correction.corrected_answer == HEIGHT


async def test_a_long_answer_has_a_bound_on_what_is_tried(served: Scripted) -> None:
    served.engine.answer = reads()
    answer = " ".join(f"The tower number {i} is {i}00 m high." for i in range(20, 80))
    texts = [f"The tower number {i} is {i}50 m high." for i in range(20, 80)]
    evidence = documents(" ".join(texts))
    options = pb.VerifyOptions(explain=True)
    await verify_answer(served, answer, evidence, options=options)
    before = len(served.engine.prompts)
    report = await verify_answer(served, answer, evidence, options=options, correct=True)
    assert len(served.engine.prompts) - 2 * before <= 96
    assert report.correction.untried_claims


BORN, DIED = "Bella Stern was born in 1900.", "She died in 1950."
WAR, THEN = "The war began in May.", "That year the war began."
BORN_HE, DIED_HE = "בלה שטרן נולדה בשנת 1900.", "היא נפטרה בשנת 1950."


@pytest.mark.parametrize(
    ("answer", "carried", "left"),
    [
        # What she did was said of somebody else.
        (f"Anna Kern was born in 1900. {DIED}", (BORN, DIED), ""),
        (f"Anna Kern was born in 1900. {WAR} {DIED}", (BORN, WAR, DIED), WAR),
        # In one sentence with the new name it holds.
        (f"Anna Kern was born in 1900. {DIED}", (BORN, DIED, f"{BORN} {DIED}"), f"{BORN} {DIED}"),
        # A value in the sentence before says the same of the same.
        (f"Bella Stern was born in 1910. {DIED}", (BORN, DIED), f"{BORN} {DIED}"),
        # A sentence may be placed by the value before it.
        (
            f"Bella Stern was born in 1910. {THEN}",
            (BORN, THEN),
            "",
        ),
        (
            f"Bella Stern was born in 1910. {THEN}",
            (BORN, THEN, f"{BORN} {THEN}"),
            f"{BORN} {THEN}",
        ),
        # It may speak of a thing that was named before.
        (f"Anna Kern was born in 1900. {WAR}", (BORN, WAR), WAR),
        (f"Anna Kern was born in 1900. {WAR}", (BORN, WAR, f"{BORN} {WAR}"), f"{BORN} {WAR}"),
        # A sentence with a name of its own leans on nothing.
        (
            "Anna Kern was born in 1900. Dora Levi died in 1950.",
            (BORN, "Dora Levi died in 1950."),
            f"{BORN} Dora Levi died in 1950.",
        ),
        ("Anna Kern was born in 1900. Died in 1950.", (BORN, "Died in 1950."), ""),
        (f"חנה כהן נולדה בשנת 1900. {DIED_HE}", (BORN_HE, DIED_HE), ""),
        ("חנה כהן נולדה בשנת 1900. נפטרה בשנת 1950.", (BORN_HE, "נפטרה בשנת 1950."), ""),
        (
            f"חנה כהן נולדה בשנת 1900. {DIED_HE}",
            (BORN_HE, DIED_HE, f"{BORN_HE} {DIED_HE}"),
            f"{BORN_HE} {DIED_HE}",
        ),
        # What is left out gives its pronoun to the sentence before.
        (
            f"Dora Levi lives in Rome. The weather was bad in 1900. {DIED}",
            ("Dora Levi lives in Rome.", DIED),
            "Dora Levi lives in Rome.",
        ),
        (
            f"Dora Levi lives in Rome. Nobody was there in 1900. {DIED}",
            ("Dora Levi lives in Rome.", DIED, f"Dora Levi lives in Rome. {DIED}"),
            f"Dora Levi lives in Rome. {DIED}",
        ),
    ],
)
async def test_what_a_pronoun_means_does_not_change_unseen(
    answer: str, carried: tuple[str, ...], left: str, served: Scripted
) -> None:
    source = f"{BORN} {WAR} A woman, Anna Kern, died in 1950. Dora Levi. {BORN_HE}"

    def read(prompt: str) -> tuple[float, ...]:
        claim = prompt.rpartition("Claim: ")[2].removesuffix("\nAnswer:")
        return BELIEVED if claim in carried and source in prompt else DOUBTED

    served.engine.answer = read
    report = await corrected(served, answer, source)
    assert report.correction.corrected_answer == left


async def test_a_pronoun_behind_what_is_left_out_means_what_the_question_names(
    served: Scripted,
) -> None:
    served.engine.answer = lambda prompt: (
        BELIEVED if "1950" in prompt.rpartition("Claim: ")[2] and "ship" in prompt else DOUBTED
    )
    report = await corrected(served, f"She went to sea. {DIED}", "A ship.", question="And Anna?")
    assert report.correction.corrected_answer == DIED


async def test_what_misleads_and_cannot_be_left_out_is_not_shown(
    served: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leaning_on(found: AnswerClaims, made: Sequence[Made]) -> list[Leaning]:
        """Claims that are read in other words than in the answer."""
        return [
            replace(each, claim=replace(each.claim, content=f"The rules: {each.claim.content}"))
            for each in leaning.leaning_on(found, made)
        ]

    monkeypatch.setattr(correcting, "leaning_on", leaning_on)
    served.engine.answer = reads((DIED, "A ship."))
    answer = f"The tower is blue. {DIED}"
    report = await corrected(served, answer, "A ship.")
    assert report.correction.corrected_answer == answer
    assert not report.correction.edits

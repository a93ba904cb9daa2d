"""Questions over one state, asked of a real server with scripted readings."""

import re
from collections.abc import AsyncIterator

import httpx2
import pytest
from grpc import StatusCode, aio

from groundwire.v1 import decisions_pb2 as pb
from groundwire.v1 import verifier_backend_pb2 as backend_pb
from groundwire.v1.decisions_pb2_grpc import DecisionsStub
from tests.scripted import (
    WAIT_LIMIT_S,
    Scripted,
    reason_of,
    scripted_server,
    violations_of,
)

STATE = "I was charged twice. Please refund me."
CHARGED = "The customer was charged twice."


@pytest.fixture
async def served() -> AsyncIterator[Scripted]:
    async with scripted_server(max_claims=8) as served:
        yield served


def predicate(text: str = CHARGED, name: str = "") -> pb.DecisionQuestion:
    return pb.DecisionQuestion(name=name, instructions=text, predicate=pb.PredicateQuestion())


def choice(
    *names: str, labels: pb.OptionLabels = pb.OPTION_LABELS_UNSPECIFIED
) -> pb.DecisionQuestion:
    options = [pb.DecisionOption(name=name) for name in names]
    return pb.DecisionQuestion(
        instructions="What is it about?", choice=pb.ChoiceQuestion(options=options, labels=labels)
    )


def score(*names: str) -> pb.DecisionQuestion:
    levels = [pb.DecisionOption(name=name) for name in names]
    return pb.DecisionQuestion(instructions="How urgent?", score=pb.ScoreQuestion(levels=levels))


async def decide(
    served: Scripted, *questions: pb.DecisionQuestion, state: str = STATE, instructions: str = ""
) -> pb.DecideResponse:
    request = pb.DecideRequest(state=state, questions=questions, instructions=instructions)
    return await DecisionsStub(served.channel).Decide(request, timeout=WAIT_LIMIT_S)


async def refused(
    served: Scripted, *questions: pb.DecisionQuestion, state: str = STATE
) -> dict[str, str]:
    """The fields that a request is refused for, with what is wrong, for the reason below."""
    with pytest.raises(aio.AioRpcError) as caught:
        await decide(served, *questions, state=state)
    assert caught.value.code() is StatusCode.INVALID_ARGUMENT
    return {"": reason_of(caught.value)} | violations_of(caught.value)


async def test_a_predicate_is_read_exactly_as_a_claim_on_the_state_is(served: Scripted) -> None:
    served.engine.answers = {CHARGED: (0.75, 0.05)}
    (answer,) = (await decide(served, predicate(name="charged"))).answers
    (estimate,) = (await served.batch(CHARGED, context=STATE)).estimates
    assert answer.name == "charged"
    assert answer.predicate == estimate
    assert len(set(served.engine.prompts)) == 1


async def test_a_choice_has_the_shares_of_its_letters(served: Scripted) -> None:
    served.engine.labels = {"A": 0.2, "B": 0.6}
    (answer,) = (await decide(served, choice("billing", "delivery"))).answers
    options = answer.options
    assert list(options.probabilities) == pytest.approx([0.25, 0.75])
    assert options.likeliest == 1
    assert options.label_mass == pytest.approx(0.8)
    assert options.confidence == pytest.approx(0.6)
    assert not options.HasField("score")
    (prompt,) = served.engine.prompts
    assert (
        "letter of one option only.\nQuestion: What is it about?\nA: billing\nB: delivery" in prompt
    )


async def test_a_score_is_the_mean_of_its_levels(served: Scripted) -> None:
    served.engine.labels = {"0": 0.1, "1": 0.2, "2": 0.5}
    (answer,) = (await decide(served, score("low", "middle", "high"))).answers
    assert answer.options.score == pytest.approx((0.2 + 2 * 0.5) / 0.8)
    assert answer.options.likeliest == 2


async def test_names_can_be_read_in_place_of_letters(served: Scripted) -> None:
    served.engine.labels = {"b": 0.3, "d": 0.6}
    question = choice("billing", "delivery", labels=pb.OPTION_LABELS_NAMES)
    (answer,) = (await decide(served, question)).answers
    assert list(answer.options.probabilities) == pytest.approx([1 / 3, 2 / 3])


async def test_names_that_start_with_one_token_are_refused_and_letters_are_the_remedy(
    served: Scripted,
) -> None:
    served.engine.labels = {"A": 0.9}
    names = ("refund", "refusal")
    found = await refused(served, predicate(), choice(*names, labels=pb.OPTION_LABELS_NAMES))
    assert found[""] == "INVALID_QUESTION"
    assert "option 1 starts with the same token as option 0" in found["questions[1]"]
    assert "OPTION_LABELS_LETTERS" in found["questions[1]"]
    (answer,) = (await decide(served, choice(*names))).answers
    assert answer.options.likeliest == 0


@pytest.mark.parametrize("name", ["!", "\u2764"])
async def test_a_name_without_a_letter_or_digit_first_is_refused(
    served: Scripted, name: str
) -> None:
    found = await refused(served, choice("yes", name, labels=pb.OPTION_LABELS_NAMES))
    assert "option 1 does not start with a token of letters" in found["questions[0]"]


@pytest.mark.parametrize("mass", [0.0, 0.08, 0.49])
async def test_less_than_half_of_the_mass_on_options_is_no_answer(
    served: Scripted, mass: float
) -> None:
    served.engine.labels = {"A": mass}
    (answer,) = (await decide(served, choice("billing", "delivery"))).answers
    options = answer.options
    assert options.no_probability_reason == backend_pb.NO_PROBABILITY_REASON_LABEL_MASS_BELOW_FLOOR
    assert not options.probabilities
    assert not options.HasField("likeliest")
    assert options.confidence == 0.0
    assert options.label_mass == pytest.approx(mass)


async def test_a_predicate_below_the_floor_is_no_answer(served: Scripted) -> None:
    served.engine.answers = {CHARGED: (0.02, 0.01)}
    (answer,) = (await decide(served, predicate())).answers
    assert not answer.predicate.HasField("probability")
    reason = backend_pb.NO_PROBABILITY_REASON_LABEL_MASS_BELOW_FLOOR
    assert answer.predicate.no_probability_reason == reason


async def test_one_question_without_an_answer_leaves_the_others_theirs(served: Scripted) -> None:
    served.engine.labels = {"A": 0.1}
    answers = (await decide(served, choice("billing", "delivery"), predicate())).answers
    assert answers[0].options.no_probability_reason
    assert answers[1].predicate.HasField("probability")


async def test_all_questions_of_a_request_share_the_state_as_their_prefix(served: Scripted) -> None:
    await decide(
        served, predicate(), choice("a", "b"), score("low", "high"), instructions="Be kind."
    )
    prefix = f"Given the following context:\n{STATE}\n\nBe kind.\n\n"
    assert len(served.engine.prompts) == 3
    assert all(prompt.startswith(prefix) for prompt in served.engine.prompts)


async def test_equal_questions_are_read_once_and_answered_each(served: Scripted) -> None:
    response = await decide(served, predicate(name="one"), predicate(name="two"))
    assert [answer.name for answer in response.answers] == ["one", "two"]
    assert response.answers[0].predicate == response.answers[1].predicate
    assert response.usage.distinct_prompts == len(served.engine.prompts) == 1


async def test_what_counts_as_true_and_false_is_read_with_the_statement(served: Scripted) -> None:
    asked = pb.PredicateQuestion(true_when="An upset\nmessage", false_when="A calm one")
    await decide(served, pb.DecisionQuestion(instructions="Is it angry?", predicate=asked))
    assert "Claim: Is it angry?\nYES: An upset message\nNO: A calm one" in served.engine.prompts[0]


async def test_a_line_break_in_an_option_makes_no_option(served: Scripted) -> None:
    await decide(served, choice("a\nB: b", "c"))
    assert "A: a B: b\nB: c" in served.engine.prompts[0]


@pytest.mark.parametrize(
    ("question", "field", "words"),
    [
        (predicate(" "), "questions[0]", "asks nothing"),
        (pb.DecisionQuestion(instructions="What?"), "questions[0]", "is of no kind"),
        (predicate(name="x" * 201), "questions[0].name", "the limit is 200"),
        (choice("a"), "questions[0].choice.options", "holds 1; send 2 to 26"),
        (score("low"), "questions[0].score.levels", "holds 1; send 2 to 10"),
        (choice("a", "b", " a "), "questions[0].choice.options[2].name", "that of option 0"),
        (score("low", " "), "questions[0].score.levels[1].name", "no visible character"),
    ],
)
async def test_a_question_that_cannot_be_asked_is_refused(
    served: Scripted, question: pb.DecisionQuestion, field: str, words: str
) -> None:
    found = await refused(served, question)
    assert found.pop("") == "INVALID_QUESTION"
    assert list(found) == [field]
    assert words in found[field]
    assert served.engine.prompts == []


@pytest.mark.parametrize(
    ("questions", "state", "field", "reason"),
    [
        ((), STATE, "questions", "EMPTY_BATCH"),
        ((predicate(),), " ", "state", "EMPTY_TEXT"),
        ((predicate(),), "x" * 5000, "state", "CONTEXT_TOO_LONG"),
        ((predicate("x" * 600),), STATE, "questions[0]", "TEXT_TOO_LONG"),
    ],
)
async def test_a_request_beyond_a_limit_is_refused_with_its_field(
    served: Scripted,
    questions: tuple[pb.DecisionQuestion, ...],
    state: str,
    field: str,
    reason: str,
) -> None:
    found = await refused(served, *questions, state=state)
    assert found.pop("") == reason
    assert list(found) == [field]
    assert "split_long_context" not in found[field]


async def test_an_unknown_kind_of_labels_is_refused(served: Scripted) -> None:
    found = await refused(served, choice("a", "b", labels=7))  # type: ignore[arg-type]
    assert found[""] == "INVALID_OPTION"
    assert "questions[0].choice.labels" in found


async def test_answers_are_remembered_for_the_words_that_were_read() -> None:
    async with scripted_server(result_cache_entries=100) as served:
        served.engine.labels = {"A": 0.2, "B": 0.6}
        first = (await decide(served, choice("a", "b"))).answers[0].options
        again = (await decide(served, choice("a", "b"))).answers[0].options
        assert len(served.engine.prompts) == 1
        assert again.source == backend_pb.ESTIMATE_SOURCE_CACHE
        assert list(again.probabilities) == list(first.probabilities)


async def test_questions_are_counted_by_whether_they_were_answered() -> None:
    async with scripted_server(metrics_listen="127.0.0.1:0") as served:
        served.engine.labels = {"A": 0.1}
        await decide(served, predicate(), choice("billing", "delivery"))
        url = f"http://127.0.0.1:{served.running.metrics_port}/metrics"
        async with httpx2.AsyncClient() as client:
            page = (await client.get(url)).text
    for kind, answered in (("predicate", "true"), ("options", "false")):
        counted = rf'^groundwire_decisions_total{{answered="{answered}",.*kind="{kind}".*}} 1\.0$'
        assert re.search(counted, page, re.MULTILINE)
    # The label mass of options is another thing than that of YES and NO.
    assert re.search(r"^groundwire_label_mass\w*_count{.*} 1\.0$", page, re.MULTILINE)

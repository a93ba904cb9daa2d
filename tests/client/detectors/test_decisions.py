"""What the clients make of answers to questions over a state, and which ones they refuse."""

from collections.abc import Callable, Iterator, Mapping

import grpc
import pytest

from groundwire import (
    Choice,
    Client,
    DecisionResult,
    Estimate,
    InvalidRequestError,
    InvalidResponseError,
    NoProbabilityReason,
    Option,
    OptionLabels,
    OptionsAnswer,
    Predicate,
    Score,
    Source,
)
from groundwire.decisions import Question
from groundwire.v1 import decisions_pb2 as pb
from groundwire.v1 import verifier_backend_pb2 as backend_pb
from groundwire.v1.decisions_pb2_grpc import DecisionsServicer, add_DecisionsServicer_to_server
from tests.client.scripted import TIMING, USAGE, AnyClient, estimate, settle
from tests.client.scripted_detection import DetectionServer

QUESTIONS: Mapping[str, Question] = {
    "twice": Predicate("It was twice.", true_when="two", false_when="one"),
    "topic": Choice("What about?", ("billing", Option("delivery", "late")), OptionLabels.NAMES),
    "urgency": Score("How urgent?", ("low", "high")),
}
Change = Callable[[pb.DecideResponse], object]


def decide_response() -> pb.DecideResponse:
    """The plain answers to QUESTIONS."""
    choice = pb.OptionsAnswer(
        probabilities=[0.25, 0.75],
        likeliest=1,
        confidence=0.6,
        label_mass=0.8,
        source=backend_pb.ESTIMATE_SOURCE_CACHE,
    )
    score = pb.OptionsAnswer(
        probabilities=[0.5, 0.5],
        likeliest=0,
        score=0.5,
        confidence=0.4,
        label_mass=0.8,
        source=backend_pb.ESTIMATE_SOURCE_MODEL,
    )
    return pb.DecideResponse(
        answers=[
            pb.DecisionAnswer(name="twice", predicate=estimate("0.75")),
            pb.DecisionAnswer(name="topic", options=choice),
            pb.DecisionAnswer(name="urgency", options=score),
        ],
        usage=USAGE,
        timing=TIMING,
        model="tiny",
        backend="main",
    )


class DecisionsServer(DetectionServer, DecisionsServicer):
    """As DetectionServer; it decides, too."""

    def _add_services(self, server: grpc.Server) -> None:
        super()._add_services(server)
        add_DecisionsServicer_to_server(self, server)

    def Decide(self, request: pb.DecideRequest, context: grpc.ServicerContext) -> pb.DecideResponse:
        return self._answer(request, context, decide_response())


@pytest.fixture
def server() -> Iterator[DecisionsServer]:
    server = DecisionsServer()
    yield server
    server.stop()


async def test_each_question_has_its_answer_by_its_name(
    server: DecisionsServer, client: AnyClient
) -> None:
    result = await settle(client.decide("A state.", QUESTIONS, instructions="Be strict."))
    assert isinstance(result, DecisionResult)
    assert list(result) == list(QUESTIONS)
    predicate, choice, score = (result[name] for name in QUESTIONS)
    assert isinstance(predicate, Estimate)
    assert predicate.probability == 0.75
    assert choice == OptionsAnswer(
        {"billing": 0.25, "delivery": 0.75}, "delivery", None, 0.6, 0.8, Source.CACHE, None
    )
    assert isinstance(score, OptionsAnswer)
    assert (score.choice, score.score) == ("low", 0.5)
    assert (result.model, result.backend, result.usage.distinct_prompts) == ("tiny", "main", 2)


async def test_the_request_says_all_that_was_asked(
    server: DecisionsServer, client: AnyClient
) -> None:
    await settle(client.decide("A state.", QUESTIONS, backend="other", skip_result_cache=True))
    levels = [pb.DecisionOption(name="low"), pb.DecisionOption(name="high")]
    options = [
        pb.DecisionOption(name="billing"),
        pb.DecisionOption(name="delivery", description="late"),
    ]
    assert server.received[0].request == pb.DecideRequest(
        state="A state.",
        questions=[
            pb.DecisionQuestion(
                name="twice",
                instructions="It was twice.",
                predicate=pb.PredicateQuestion(true_when="two", false_when="one"),
            ),
            pb.DecisionQuestion(
                name="topic",
                instructions="What about?",
                choice=pb.ChoiceQuestion(options=options, labels=pb.OPTION_LABELS_NAMES),
            ),
            pb.DecisionQuestion(
                name="urgency", instructions="How urgent?", score=pb.ScoreQuestion(levels=levels)
            ),
        ],
        backend="other",
        skip_result_cache=True,
    )


async def test_a_question_without_an_answer_says_why(
    server: DecisionsServer, client: AnyClient
) -> None:
    response = decide_response()
    reason = backend_pb.NO_PROBABILITY_REASON_LABEL_MASS_BELOW_FLOOR
    response.answers[1].options.CopyFrom(
        pb.OptionsAnswer(
            label_mass=0.08,
            source=backend_pb.ESTIMATE_SOURCE_MODEL,
            no_probability_reason=reason,
        )
    )
    server.script(response)
    answer = (await settle(client.decide("A state.", QUESTIONS)))["topic"]
    expected = NoProbabilityReason.LABEL_MASS_BELOW_FLOOR
    assert answer == OptionsAnswer({}, None, None, 0.0, 0.08, Source.MODEL, expected)


BREACHES: dict[str, tuple[Change, str]] = {
    "an answer too few": (lambda m: m.answers.pop(), "2 answers"),
    "another name": (lambda m: setattr(m.answers[0], "name", "x"), "3 answers"),
    "another kind": (
        lambda m: m.answers[0].options.CopyFrom(m.answers[1].options),
        "no predicate",
    ),
    "shares beyond 1": (
        lambda m: m.answers[1].options.probabilities.__setitem__(0, 0.5),
        "1.25 together",
    ),
    "a share too few": (lambda m: m.answers[1].options.probabilities.pop(), "1 shares"),
    "another likeliest": (
        lambda m: setattr(m.answers[1].options, "likeliest", 0),
        "option 0 is not the likeliest",
    ),
    "no likeliest": (lambda m: m.answers[1].options.ClearField("likeliest"), "option None"),
    "another score": (lambda m: setattr(m.answers[2].options, "score", 0.9), "the score is 0.9"),
    "no score": (lambda m: m.answers[2].options.ClearField("score"), "without its shares"),
    "a choice's score": (
        lambda m: setattr(m.answers[1].options, "score", 0.75),
        "a score or an option",
    ),
    "no shares": (lambda m: m.answers[1].options.ClearField("probabilities"), "none with them"),
    "a reason for none": (
        lambda m: setattr(m.answers[1].options, "no_probability_reason", 1),
        "a reason for none",
    ),
    "a mass above 1": (lambda m: setattr(m.answers[1].options, "label_mass", 1.5), "label mass"),
}


@pytest.mark.parametrize(("change", "words"), BREACHES.values(), ids=BREACHES)
def test_answers_that_break_the_contract_are_refused(
    server: DecisionsServer, change: Change, words: str
) -> None:
    response = decide_response()
    change(response)
    server.script(response)
    with Client(server.target) as client, pytest.raises(InvalidResponseError, match=words):
        client.decide("A state.", QUESTIONS)


def test_a_text_that_is_no_unicode_is_not_sent(server: DecisionsServer) -> None:
    with Client(server.target) as client, pytest.raises(InvalidRequestError) as caught:
        client.decide("A state.", {"a": Choice("b", ("c", "\ud800"))})
    assert caught.value.violations[0].field == "questions[0].choice.options[1].name"
    assert not server.received


def test_one_text_is_no_list_of_options(server: DecisionsServer) -> None:
    with Client(server.target) as client, pytest.raises(TypeError, match="many options"):
        client.decide("A state.", {"a": Choice("b", "cd")})  # type: ignore[arg-type]

"""The Decisions service: questions over a state to the use case, and its answers to a response.

Knows the contract and the order of a call: admit, plan, read. Exceptions pass through to the
interceptors.
"""

import asyncio
import time
from collections.abc import Iterable

from groundwire.v1 import decisions_pb2 as pb
from groundwire.v1 import decisions_pb2_grpc as pb_grpc
from groundwire_server.rpc.calls import Calls, Context
from groundwire_server.rpc.services import messages
from groundwire_server.rpc.services.detection_requests import choice_of
from groundwire_verifier.decisions.decide import Decider
from groundwire_verifier.decisions.types import (
    Choice,
    DecisionInput,
    DecisionQuestion,
    Decisions,
    Option,
    OptionLabels,
    OptionsAnswer,
    Predicate,
    Score,
)
from groundwire_verifier.domain.errors import InvalidInputError, InvalidReason, Violation
from groundwire_verifier.domain.types import Estimate


class DecisionsService(pb_grpc.DecisionsServicer):
    """Answers the call of the contract."""

    def __init__(self, decider: Decider, calls: Calls) -> None:
        self._decider = decider
        self._calls = calls

    async def Decide(  # noqa: N802 - named by the contract
        self, request: pb.DecideRequest, context: Context
    ) -> pb.DecideResponse:
        """Answer questions over one state."""
        calls = self._calls
        arrival = calls.arrival()
        count = len(request.questions)
        with calls.admission.admit(count):
            asked = _input(request)
            with calls.telemetry.plan_span(count):
                salt = calls.cache_scope.salt()
                plan = await self._decider.plan(asked, salt)
            with calls.telemetry.read_span(plan, len(plan.prompts)) as headers:
                decisions = await self._decider.read(
                    plan,
                    headers,
                    arrival.urgency(count),
                    skip_result_cache=request.skip_result_cache,
                )
        # After the answer, which nobody should wait longer for.
        asyncio.get_running_loop().call_soon(calls.telemetry.record_decisions, decisions)
        return _response(asked, decisions, time.monotonic() - arrival.at_s)


def _input(request: pb.DecideRequest) -> DecisionInput:
    """What a request asks. Raises InvalidInputError for a question of no kind."""
    return DecisionInput(
        state=request.state,
        questions=tuple(
            DecisionQuestion(each.instructions, _asked(each, f"questions[{i}]"), each.name)
            for i, each in enumerate(request.questions)
        ),
        instructions=request.instructions,
        backend=request.backend,
    )


def _asked(question: pb.DecisionQuestion, at: str) -> Predicate | Choice | Score:
    match question.WhichOneof("question"):
        case "predicate":
            return Predicate(question.predicate.true_when, question.predicate.false_when)
        case "score":
            return Score(_options(question.score.levels))
        case "choice":
            number = question.choice.labels or pb.OPTION_LABELS_LETTERS
            labels = choice_of(OptionLabels, pb.OptionLabels, number, f"{at}.choice.labels")
            return Choice(_options(question.choice.options), labels)
    words = "is of no kind; set predicate, choice or score"
    raise InvalidInputError([Violation(at, InvalidReason.INVALID_QUESTION, words)])


def _options(options: Iterable[pb.DecisionOption]) -> tuple[Option, ...]:
    return tuple(Option(each.name, each.description) for each in options)


def _response(asked: DecisionInput, decisions: Decisions, total_s: float) -> pb.DecideResponse:
    return pb.DecideResponse(
        answers=[
            _answer(question, answer)
            for question, answer in zip(asked.questions, decisions.answers, strict=True)
        ],
        usage=messages.usage(decisions.usage),
        timing=messages.timing(decisions.queue_s, decisions.inference_s, total_s),
        model=decisions.model,
        backend=decisions.backend,
    )


def _answer(question: DecisionQuestion, answer: Estimate | OptionsAnswer) -> pb.DecisionAnswer:
    if isinstance(answer, Estimate):
        return pb.DecisionAnswer(name=question.name, predicate=messages.estimate(answer))
    return pb.DecisionAnswer(
        name=question.name,
        options=pb.OptionsAnswer(
            probabilities=answer.probabilities,
            likeliest=answer.likeliest,
            score=answer.expected if isinstance(question.asked, Score) else None,
            confidence=answer.confidence,
            label_mass=answer.label_mass,
            source=messages.SOURCES[answer.source],
            no_probability_reason=messages.REASONS[answer.reason],
        ),
    )

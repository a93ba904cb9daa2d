"""The call that asks questions over one state. Raises InvalidResponseError.

Nothing fails open: shares that do not add up, or an answer of another kind than its question, are
refused. Knows nothing of channels.
"""

import math
from collections.abc import Iterable, Mapping

from groundwire._calls.estimates import (
    read_estimate,
    read_reason,
    read_source,
    read_timing,
    read_usage,
)
from groundwire._wire.calls import Call
from groundwire._wire.fields import checked_text, names_of, require, sent_name, share
from groundwire.decisions import (
    Answer,
    Choice,
    DecisionResult,
    Option,
    OptionLabels,
    OptionsAnswer,
    Predicate,
    Question,
    Score,
)
from groundwire.errors import InvalidResponseError
from groundwire.v1 import decisions_pb2 as pb

_LABELS = names_of(OptionLabels, pb.OptionLabels.keys(), "OPTION_LABELS_")
_TOLERANCE = 1e-6


def decide(
    state: str,
    questions: Mapping[str, Question],
    instructions: str,
    backend: str,
    *,
    skip_result_cache: bool,
) -> Call[pb.DecideResponse, DecisionResult]:
    """Questions over one state. Raises InvalidRequestError for text that is not Unicode."""
    request = pb.DecideRequest(
        state=checked_text("state", state),
        questions=[
            _question(f"questions[{i}]", name, question)
            for i, (name, question) in enumerate(questions.items())
        ],
        instructions=checked_text("instructions", instructions),
        backend=checked_text("backend", backend),
        skip_result_cache=skip_result_cache,
    )
    return Call(
        "Decisions/Decide",
        request,
        pb.DecideResponse,
        lambda response: _decision_result(response, questions),
    )


def _decision_result(
    response: pb.DecideResponse, questions: Mapping[str, Question]
) -> DecisionResult:
    """The answers to these questions."""
    require(response, "usage", "timing")
    names = [answer.name for answer in response.answers]
    if names != list(questions):
        raise InvalidResponseError(f"{len(names)} answers that are not those of the questions")
    return DecisionResult(
        answers={
            answer.name: _answer(answer, question)
            for answer, question in zip(response.answers, questions.values(), strict=True)
        },
        usage=read_usage(response.usage),
        timing=read_timing(response.timing),
        model=response.model,
        backend=response.backend,
    )


def _question(path: str, name: str, question: Question) -> pb.DecisionQuestion:
    message = pb.DecisionQuestion(
        name=checked_text(f"{path}.name", name),
        instructions=checked_text(f"{path}.instructions", question.instructions),
    )
    match question:
        case Predicate():
            message.predicate.true_when = checked_text(
                f"{path}.predicate.true_when", question.true_when
            )
            message.predicate.false_when = checked_text(
                f"{path}.predicate.false_when", question.false_when
            )
            message.predicate.SetInParent()
        case Choice():
            options = _options(f"{path}.choice.options", question.options)
            labels = sent_name(f"{path}.choice.labels", question.labels, _LABELS)
            message.choice.CopyFrom(pb.ChoiceQuestion(options=options, labels=labels))
        case Score():
            levels = _options(f"{path}.score.levels", question.levels)
            message.score.CopyFrom(pb.ScoreQuestion(levels=levels))
    return message


def _options(path: str, options: Iterable[str | Option]) -> list[pb.DecisionOption]:
    if isinstance(options, str):
        raise TypeError(f"{path} must be many options, not one text")
    return [
        pb.DecisionOption(
            name=checked_text(f"{path}[{i}].name", option.name),
            description=checked_text(f"{path}[{i}].description", option.description),
        )
        for i, option in enumerate(map(_as_option, options))
    ]


def _as_option(option: str | Option) -> Option:
    return Option(option) if isinstance(option, str) else option


def _answer(message: pb.DecisionAnswer, question: Question) -> Answer:
    kind = "predicate" if isinstance(question, Predicate) else "options"
    if message.WhichOneof("answer") != kind:
        raise InvalidResponseError(f"an answer that is no {kind}")
    if isinstance(question, Predicate):
        return read_estimate(message.predicate)
    options = question.levels if isinstance(question, Score) else question.options
    return _options_answer(
        message.options,
        [_as_option(option).name for option in options],
        scored=isinstance(question, Score),
    )


def _options_answer(message: pb.OptionsAnswer, names: list[str], *, scored: bool) -> OptionsAnswer:
    shares = [share("probability", each) for each in message.probabilities]
    answered = bool(shares)
    likeliest = message.likeliest if message.HasField("likeliest") else None
    score = message.score if message.HasField("score") else None
    if answered:
        if len(shares) != len(names) or not math.isclose(sum(shares), 1.0, abs_tol=_TOLERANCE):
            raise InvalidResponseError(f"{len(shares)} shares of {sum(shares)} together")
        if likeliest is None or likeliest != shares.index(max(shares)):
            raise InvalidResponseError(f"option {likeliest} is not the likeliest by the shares")
    mean = sum(i * each for i, each in enumerate(shares)) if answered and scored else None
    if (score is None) != (mean is None) or (likeliest is None) == answered:
        raise InvalidResponseError("a score or an option without its shares, or none with them")
    if score is not None and mean is not None and not math.isclose(score, mean, abs_tol=1e-6):
        raise InvalidResponseError(f"the score is {score}, by the shares {mean}")
    return OptionsAnswer(
        probabilities=dict(zip(names, shares, strict=answered)),
        choice=None if likeliest is None else names[likeliest],
        score=score,
        confidence=share("confidence", message.confidence),
        label_mass=share("label mass", message.label_mass),
        source=read_source(message.source),
        no_probability_reason=read_reason(message.no_probability_reason, answered=answered),
    )

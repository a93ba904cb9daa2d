"""`POST /v1/decisions`: a list of questions over an input, as OpenAI has it.

Knows that shape and the contract. Nothing is decided here.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field, JsonValue
from starlette.routing import BaseRoute

from groundwire.v1 import decisions_pb2 as pb
from groundwire.v1.decisions_pb2_grpc import DecisionsStub
from groundwire_server.http.decision_shapes import (
    Shape,
    diagnostics,
    is_refused,
    options,
    refusing,
    text_of,
)
from groundwire_server.http.json_calls import JsonCall, json_route
from groundwire_server.http.upstream import Upstream

PATH = "/v1/decisions"


class DecisionText(Shape):
    """A text."""

    type: Literal["input_text", "output_text"]
    text: str

    def as_text(self) -> str:
        """What is read of it."""
        return self.text


class DecisionJson(Shape):
    """JSON, which is read as text."""

    type: Literal["input_json"]
    data: dict[str, JsonValue] | list[JsonValue]

    def as_text(self) -> str:
        """What is read of it."""
        return text_of(self.data)


Part = Annotated[DecisionText | DecisionJson, Field(discriminator="type")]
Parts = str | list[Part]


class DecisionMessage(Shape):
    """A message of a conversation."""

    type: Literal["message"] = "message"
    role: Literal["user", "developer", "system", "assistant"]
    content: Parts

    def as_text(self) -> str:
        """What is read of it, with who said it."""
        return f"{self.role}: {_joined(self.content)}"


class DecisionCall(Shape):
    """A call of a tool."""

    type: Literal["function_call"]
    call_id: str
    name: str
    arguments: str

    def as_text(self) -> str:
        """What is read of it."""
        return f"call of {self.name}: {self.arguments}"


class DecisionCallOutput(Shape):
    """What a tool gave."""

    type: Literal["function_call_output"]
    call_id: str
    output: Parts

    def as_text(self) -> str:
        """What is read of it."""
        return f"output: {_joined(self.output)}"


class DecisionPredicate(Shape):
    """Whether a statement is true."""

    type: Literal["predicate"]
    instructions: Parts
    name: str | None = None

    def message(self) -> pb.DecisionQuestion:
        """The question in the contract."""
        question = _question(self)
        question.predicate.SetInParent()
        return question

    def answered(self, answer: pb.DecisionAnswer) -> dict[str, JsonValue]:
        """Its answer in this shape."""
        return {"probability": answer.predicate.probability}


class DecisionOption(Shape):
    """An option, which may be true or false."""

    value: str | bool
    description: str = ""


class DecisionChoice(Shape):
    """One of some options."""

    type: Literal["choice"]
    instructions: Parts
    choices: list[DecisionOption]
    name: str | None = None

    def message(self) -> pb.DecisionQuestion:
        """The question in the contract."""
        question = _question(self)
        named = ((_name_of(choice.value), choice.description) for choice in self.choices)
        question.choice.options.extend(options(named))
        question.choice.SetInParent()
        return question

    def answered(self, answer: pb.DecisionAnswer) -> dict[str, JsonValue]:
        """Its answer in this shape."""
        read, values = answer.options, [choice.value for choice in self.choices]
        return {
            "choice": values[read.likeliest],
            "probabilities": [
                {"value": value, "probability": share}
                for value, share in zip(values, read.probabilities, strict=True)
            ],
            "confidence": read.confidence,
        }


class DecisionLevel(Shape):
    """A level."""

    label: str
    description: str = ""


class DecisionScore(Shape):
    """One of some levels, from 0."""

    type: Literal["score"]
    instructions: Parts
    levels: list[DecisionLevel]
    name: str | None = None

    def message(self) -> pb.DecisionQuestion:
        """The question in the contract."""
        question = _question(self)
        question.score.levels.extend(
            options((each.label, each.description) for each in self.levels)
        )
        question.score.SetInParent()
        return question

    def answered(self, answer: pb.DecisionAnswer) -> dict[str, JsonValue]:
        """Its answer in this shape."""
        read = answer.options
        return {
            "score": read.score,
            "probabilities": [
                {"value": i, "label": level.label, "probability": share}
                for i, (level, share) in enumerate(
                    zip(self.levels, read.probabilities, strict=True)
                )
            ],
            "confidence": read.confidence,
        }


Question = Annotated[
    DecisionPredicate | DecisionChoice | DecisionScore, Field(discriminator="type")
]


class DecisionsRequest(Shape):
    """Answers a list of questions over an input. `model` is a backend, or left out."""

    model: str | None = None
    input: str | list[DecisionMessage | DecisionCall | DecisionCallOutput]
    questions: list[Question]


def routes(upstream: Upstream) -> Sequence[BaseRoute]:
    """The one route."""

    async def answer(call: JsonCall[DecisionsRequest, pb.DecideRequest]) -> Mapping[str, JsonValue]:
        response = await DecisionsStub(call.channel).Decide(call.wanted, **call.options)
        return _response(response, call.body.questions)

    return [
        json_route(PATH, DecisionsRequest, answer, upstream, refusing(_renamed), message=_request)
    ]


def _request(body: DecisionsRequest) -> pb.DecideRequest:
    return pb.DecideRequest(
        state=_state(body.input),
        questions=[question.message() for question in body.questions],
        backend=body.model or "",
    )


def _state(given: str | list[DecisionMessage | DecisionCall | DecisionCallOutput]) -> str:
    """An input as one text. What a user alone has said is read as it is."""
    match given:
        case str():
            return given
        case [DecisionMessage(role="user", content=content)]:
            return _joined(content)
        case _:
            return "\n\n".join(item.as_text() for item in given)


def _joined(parts: Parts) -> str:
    return parts if isinstance(parts, str) else "\n".join(part.as_text() for part in parts)


def _name_of(value: str | bool) -> str:
    return value if isinstance(value, str) else str(value).lower()


def _question(question: DecisionPredicate | DecisionChoice | DecisionScore) -> pb.DecisionQuestion:
    return pb.DecisionQuestion(
        name=question.name or "", instructions=_joined(question.instructions)
    )


def _response(response: pb.DecideResponse, questions: Sequence[Question]) -> dict[str, JsonValue]:
    usage = response.usage
    return {
        "model": response.model,
        "answers": [
            _answer(question, answer)
            for question, answer in zip(questions, response.answers, strict=True)
        ],
        "usage": {
            "input_tokens": usage.prompt_tokens,
            "input_tokens_details": {"cached_tokens": usage.cached_tokens, "cache_write_tokens": 0},
            # Nothing is written: the label is read where an answer would begin.
            "output_tokens": 0,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage.prompt_tokens,
        },
        "diagnostics": [diagnostics(answer) for answer in response.answers],
    }


def _answer(question: Question, answer: pb.DecisionAnswer) -> dict[str, JsonValue]:
    if is_refused(answer):
        return {"type": "refusal", "name": question.name}
    return {"type": question.type, "name": question.name, **question.answered(answer)}


def _renamed(field: str) -> str:
    """A field of the contract as this shape has it."""
    field = field.replace(".choice.options", ".choices").replace(".score.levels", ".levels")
    field = re.sub(r"(\.choices\[\d+\])\.name", r"\1.value", field)
    field = re.sub(r"(\.levels\[\d+\])\.name", r"\1.label", field)
    return {"state": "input", "backend": "model"}.get(field, field)

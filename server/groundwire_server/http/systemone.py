"""`POST /v1/systemone`: questions by their ids over one state, as TypeSafe, vLLM and llama.cpp do.

Knows that shape and the contract. Nothing is decided here.
"""

import re
import time
import uuid
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field, JsonValue
from starlette.routing import BaseRoute

from groundwire.v1 import decisions_pb2 as pb
from groundwire.v1.decisions_pb2_grpc import DecisionsStub
from groundwire_server.http.decision_shapes import (
    Content,
    Shape,
    diagnostics,
    is_refused,
    options,
    refusing,
    text_of,
)
from groundwire_server.http.json_calls import JsonCall, json_route
from groundwire_server.http.upstream import Upstream

PATH = "/v1/systemone"


class SystemOneCriteria(Shape):
    """What counts as yes, and what as no."""

    true: Content | None = None
    false: Content | None = None


class SystemOneNoul(Shape):
    """Yes or no."""

    type: Literal["noul"]
    instructions: Content | None = None
    criteria: SystemOneCriteria | None = None

    def message(self, name: str) -> pb.DecisionQuestion:
        """The question in the contract."""
        criteria = self.criteria or SystemOneCriteria()
        return pb.DecisionQuestion(
            name=name,
            instructions=text_of(self.instructions),
            predicate=pb.PredicateQuestion(
                true_when=text_of(criteria.true), false_when=text_of(criteria.false)
            ),
        )

    def answered(self, answer: pb.DecisionAnswer) -> dict[str, JsonValue]:
        """Its answer in this shape."""
        return {"noul": answer.predicate.probability}


class SystemOneChoice(Shape):
    """One of some options."""

    type: Literal["choice"]
    instructions: Content | None = None
    criteria: dict[str, Content | None]

    def message(self, name: str) -> pb.DecisionQuestion:
        """The question in the contract."""
        named = ((option, text_of(text)) for option, text in self.criteria.items())
        return pb.DecisionQuestion(
            name=name,
            instructions=text_of(self.instructions),
            choice=pb.ChoiceQuestion(options=options(named)),
        )

    def answered(self, answer: pb.DecisionAnswer) -> dict[str, JsonValue]:
        """Its answer in this shape."""
        read, names = answer.options, list(self.criteria)
        return {
            "choice": names[read.likeliest],
            "probabilities": dict(zip(names, read.probabilities, strict=True)),
            "confidence": read.confidence,
        }


class SystemOneScore(Shape):
    """One of some levels, from 0."""

    type: Literal["score"]
    instructions: Content | None = None
    criteria: list[Content]

    def message(self, name: str) -> pb.DecisionQuestion:
        """The question in the contract."""
        levels = options((text_of(level), "") for level in self.criteria)
        return pb.DecisionQuestion(
            name=name,
            instructions=text_of(self.instructions),
            score=pb.ScoreQuestion(levels=levels),
        )

    def answered(self, answer: pb.DecisionAnswer) -> dict[str, JsonValue]:
        """Its answer in this shape."""
        read = answer.options
        return {
            "score": read.score,
            "legend": {str(i): level for i, level in enumerate(self.criteria)},
            "probabilities": {str(i): share for i, share in enumerate(read.probabilities)},
            "confidence": read.confidence,
        }


Question = Annotated[SystemOneNoul | SystemOneChoice | SystemOneScore, Field(discriminator="type")]


class SystemOneRequest(Shape):
    """Answers questions over one state, by their ids. `model` is a backend, or left out."""

    model: str | None = None
    state: Content
    questions: dict[str, Question]
    instructions: str | None = None


def routes(upstream: Upstream) -> Sequence[BaseRoute]:
    """The one route."""

    async def answer(call: JsonCall[SystemOneRequest, pb.DecideRequest]) -> Mapping[str, JsonValue]:
        response = await DecisionsStub(call.channel).Decide(call.wanted, **call.options)
        return _response(response, call.body.questions)

    return [
        json_route(PATH, SystemOneRequest, answer, upstream, refusing(_renamed), message=_request)
    ]


def _request(body: SystemOneRequest) -> pb.DecideRequest:
    return pb.DecideRequest(
        state=text_of(body.state),
        questions=[question.message(name) for name, question in body.questions.items()],
        instructions=body.instructions or "",
        backend=body.model or "",
    )


def _response(
    response: pb.DecideResponse, questions: Mapping[str, Question]
) -> dict[str, JsonValue]:
    answers = {answer.name: answer for answer in response.answers}
    return {
        "id": f"decision-{uuid.uuid4().hex}",
        "object": "structured_decision",
        "created": int(time.time()),
        "model": response.model,
        "answers": {name: _answer(questions[name], answer) for name, answer in answers.items()},
        # Nothing is written: the label is read where an answer would begin.
        "usage": {"input_tokens": response.usage.prompt_tokens, "output_tokens": 0},
        "diagnostics": {name: diagnostics(answer) for name, answer in answers.items()},
    }


def _answer(question: Question, answer: pb.DecisionAnswer) -> dict[str, JsonValue]:
    if is_refused(answer):
        # Clients that do not know it leave it out, and never take it for an answer.
        return {"type": "refusal"}
    return {"type": question.type, **question.answered(answer)}


def _renamed(field: str) -> str:
    """A field of the contract as this shape has it; questions are counted from 0."""
    field = re.sub(r"\.(choice\.options|score\.levels)(\[\d+\]\.name)?", r".criteria\2", field)
    field = field.replace(".name", "").replace(".predicate", ".criteria")
    return "model" if field == "backend" else field

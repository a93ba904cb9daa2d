"""What each tool of the MCP door takes, as an agent reads it in the tool's JSON Schema.

Limits are the server's to check. An argument that a tool does not have is refused. Some clients
write null for what they leave out, and JSON text in place of an array or an object; both are read.
"""

from typing import Annotated, Literal, get_origin

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import from_json

from groundwire import ClaimInput, Document, Evidence, FactInput, ToolCall, Turn, TurnRole
from groundwire.traces import ChatMessage


class Arguments(BaseModel):
    """The arguments of a tool, or a part of them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _as_agents_send_it(cls, sent: object) -> object:
        """Nulls count as left out, and a list or an object may come as JSON text."""
        given = _unpacked(sent)
        if not isinstance(given, dict):
            return given
        lists = {
            name for name, field in cls.model_fields.items() if get_origin(field.annotation) is list
        }
        return {
            name: _unpacked(value) if name in lists else value
            for name, value in given.items()
            if value is not None
        }


def _unpacked(sent: object) -> object:
    """The array or object that a JSON text holds; what was sent where it holds none."""
    if not isinstance(sent, str):
        return sent
    try:
        held: object = from_json(sent)
    except ValueError:
        return sent
    return held if isinstance(held, list | dict) else sent


class Source(Arguments):
    """A text that claims are judged by."""

    text: Annotated[str, Field(description="The text, as the answer's author saw it.")]
    id: Annotated[
        str,
        Field(
            description="The id by which claims cite it, such as S0: one line of at most 256"
            " characters. Left out: S and the place in the list, from S0."
        ),
    ] = ""
    title: Annotated[str, Field(description="Its title, on one line. Left out: none.")] = ""


class Claim(Arguments):
    """A statement to verify."""

    text: Annotated[str, Field(description="One statement that stands by itself.")]
    cited_ids: Annotated[list[str], Field(description="The ids of the sources that it cites.")] = []
    confidence: Annotated[
        float | None,
        Field(
            description="How sure it is stated, in [0, 1]; the evidence has to pay for it. Left"
            " out: as the server is set."
        ),
    ] = None

    def as_input(self) -> ClaimInput:
        """The same for the client."""
        return ClaimInput(self.text, tuple(self.cited_ids), self.confidence)


class Fact(Claim):
    """A statement that is to be stored in a memory."""

    id: Annotated[str, Field(description="Your own id, which comes back with the decision.")] = ""

    def as_fact(self) -> FactInput:
        """The same for the client."""
        return FactInput(self.text, self.id, self.confidence, tuple(self.cited_ids))


class Call(Arguments):
    """A call of a tool that was made for a response. It has a result or an error, and not both."""

    name: Annotated[str, Field(description="The tool's name.")]
    arguments: Annotated[str, Field(description="Its arguments as JSON text.")] = ""
    result: Annotated[str | None, Field(description="What it returned: text, or JSON as text.")] = (
        None
    )
    error: Annotated[str | None, Field(description="What it failed with.")] = None
    duration_s: Annotated[
        float | None, Field(description="How long it took, in seconds.", ge=0)
    ] = None

    def as_call(self) -> ToolCall:
        """The same for the client."""
        return ToolCall(self.name, self.arguments, self.result, self.error, self.duration_s)


Sources = Annotated[
    list[Source],
    Field(description="The evidence: the texts that the statements are to be judged by."),
]
Explain = Annotated[
    bool,
    Field(
        description="Say why each statement has its verdict: the sentence that decides, the words"
        " that the sources do not bear out, and sources that disagree. It takes longer. Left out:"
        " no."
    ),
]
Question = Annotated[str, Field(description="The question that was answered. Left out: none.")]


class SaidBefore(Arguments):
    """A turn of the conversation before an answer."""

    role: Annotated[
        Literal["system", "user", "assistant", "tool"], Field(description="Who speaks.")
    ]
    text: Annotated[str, Field(description="What is said.")]

    def as_turn(self) -> Turn:
        """The same for the client."""
        return Turn(TurnRole(self.role.upper()), self.text)


class VerifyClaim(Arguments):
    """What verify_claim takes."""

    claim: Annotated[str, Field(description="One statement that stands by itself.")]
    sources: Sources
    cited_ids: Annotated[
        list[str],
        Field(description="The ids of the sources that it cites. Left out: it cites none."),
    ] = []
    confidence: Annotated[
        float | None,
        Field(
            description="How sure it is stated, in [0, 1]; the evidence has to pay for it. Left"
            " out: as the server is set."
        ),
    ] = None
    explain: Explain = False


class VerifyClaims(Arguments):
    """What verify_claims takes."""

    claims: Annotated[list[Claim], Field(description="The statements, at least one.")]
    sources: Sources
    explain: Explain = False


class VerifyAnswer(Arguments):
    """What verify_answer takes."""

    answer: Annotated[
        str, Field(description="The answer as it would be shown, with its citations, as in [S0].")
    ]
    sources: Sources = []
    corpus: Annotated[
        str,
        Field(description="A corpus of the server, whose passages are the evidence, not sources."),
    ] = ""
    question: Question = ""
    turns: Annotated[
        list[SaidBefore],
        Field(
            description="The conversation before the answer, in order. It is no evidence: a short"
            " answer, a claim that begins with a pronoun and a question that goes on with another"
            " are understood by it. Left out: none."
        ),
    ] = []
    explain: Explain = False
    correct: Annotated[
        bool,
        Field(
            description="Put the answer right, too: correction has it. It takes longer. Left out:"
            " no."
        ),
    ] = False


class Function(Arguments):
    """What a tool call of a chat calls."""

    model_config = ConfigDict(extra="ignore")

    name: Annotated[str, Field(description="The name of the tool.")]
    arguments: Annotated[str, Field(description="Its arguments, as JSON text.")] = ""


class MessageCall(Arguments):
    """A tool call of a message."""

    model_config = ConfigDict(extra="ignore")

    id: Annotated[str, Field(description="Its id, which the message with its result names.")] = ""
    function: Function


class Message(Arguments):
    """A message of a chat, in the shape of OpenAI's API. What else it has is not read."""

    model_config = ConfigDict(extra="ignore")

    role: Annotated[
        Literal["system", "developer", "user", "assistant", "tool"],
        Field(description="Who speaks."),
    ]
    content: Annotated[str, Field(description="What is said, or what a tool returned.")] = ""
    tool_calls: Annotated[list[MessageCall], Field(description="What the assistant calls.")] = []
    tool_call_id: Annotated[
        str, Field(description="With the role tool: the id of the call whose result this is.")
    ] = ""


class AuditTrace(Arguments):
    """What audit_trace takes."""

    steps: Annotated[
        list[str],
        Field(description="The steps of reasoning, in order. Left out: those of messages."),
    ] = []
    messages: Annotated[
        list[Message],
        Field(
            description="A chat in place of steps, in order. What the assistant says and calls are"
            " steps; what tools return and others say is evidence. Left out: none."
        ),
    ] = []
    sources: Sources = []
    answer: Annotated[
        str, Field(description="The final answer, to check that it follows. Left out: none.")
    ] = ""
    question: Question = ""

    @model_validator(mode="after")
    def _has_one_of_both(self) -> "AuditTrace":
        if bool(self.steps) == bool(self.messages):
            raise ValueError("takes steps or messages: give one of them")
        return self

    @property
    def trace(self) -> list[str] | list[ChatMessage]:
        """The steps or the messages, for the client."""
        chat: list[ChatMessage] = [message.model_dump() for message in self.messages]
        return self.steps or chat


class CheckFacts(Arguments):
    """What check_facts takes."""

    facts: Annotated[list[Fact], Field(description="The facts to store, at least one.")]
    sources: Sources


class AssessResponse(Arguments):
    """What assess_response takes."""

    response: Annotated[str, Field(description="The response that would be shown to the user.")]
    tool_calls: Annotated[
        list[Call],
        Field(description="The tool calls that were made for it, in order. Left out: none."),
    ] = []
    question: Annotated[str, Field(description="What the user asked. Left out: not known.")] = ""


class SearchCorpus(Arguments):
    """What search_corpus takes."""

    query: Annotated[str, Field(description="What to look for: a question or a statement.")]
    corpus: Annotated[
        str, Field(description="The corpus by its name on the server. Left out: the only one.")
    ] = ""
    max_passages: Annotated[
        int | None,
        Field(description="The most passages to find, 1 to 100. Left out: as the server is set."),
    ] = None


def evidence_of(sources: list[Source]) -> Evidence:
    """The sources for the client. Those without an id have S and their place."""
    return Evidence.documents(
        [
            Document(source.id or f"S{index}", source.text, source.title)
            for index, source in enumerate(sources)
        ]
    )

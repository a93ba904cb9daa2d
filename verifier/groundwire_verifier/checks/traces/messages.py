"""A list of chat messages with tool calls as a trace: steps, evidence, question and answer.

What the assistant says is a step, and so is each call of a tool, which asserts nothing. What
anybody else says, and what a tool returned, is evidence. The last message, if the assistant's and
without calls, is the answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from groundwire_verifier.checks.answers import MAX_QUESTION_CHARACTERS
from groundwire_verifier.checks.outputs.conversation import Conversation, Role, Turn
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.errors import InvalidReason, Violation
from groundwire_verifier.domain.evidence import Document
from groundwire_verifier.verdicts.options import MAX_TITLE_CHARACTERS

ROLES = {role.value: role for role in Role} | {"developer": Role.SYSTEM}


@dataclass(frozen=True, slots=True)
class ChatCall:
    """A call of a tool: the id that its result names, the tool, and its arguments as JSON."""

    id: str
    name: str
    arguments: str = ""

    @property
    def text(self) -> str:
        """The call as it is shown, of MAX_TITLE_CHARACTERS at the most."""
        whole = " ".join(f"{self.name}({self.arguments})".split())
        cut = len(whole) > MAX_TITLE_CHARACTERS
        return f"{whole[: MAX_TITLE_CHARACTERS - 1]}…" if cut else whole


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message. `call_id` is that of the call whose result a message of the role tool is."""

    role: str
    text: str
    calls: tuple[ChatCall, ...] = ()
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a trace, which stands in `field` of the request.

    `result` is what came back of a call of a tool; None: the step is no call.
    """

    text: str
    field: str
    result: str | None = None


@dataclass(frozen=True, slots=True)
class ChatTrace:
    """What messages say of a trace. `sources` are their evidence, an empty text is none."""

    steps: tuple[Step, ...]
    sources: tuple[Document, ...]
    question: str
    answer: str


def check_messages(messages: Sequence[ChatMessage]) -> list[Violation]:
    """What is wrong with the form of messages, in the field `messages`."""
    found: list[Violation] = []
    known: set[str] = set()
    for i, message in enumerate(messages):
        if message.role not in ROLES:
            text = f"is {message.role[:40]!r}; use one of: {', '.join(ROLES)}"
            found.append(Violation(f"messages[{i}].role", InvalidReason.INVALID_OPTION, text))
        if message.calls and message.role != Role.ASSISTANT.value:
            text = "stand in a message that is not the assistant's: only the assistant calls tools"
            found.append(
                Violation(f"messages[{i}].tool_calls", InvalidReason.INVALID_TOOL_CALL, text)
            )
        for j, call in enumerate(message.calls):
            known.add(call.id)
            if not checks.has_visible_character(call.name):
                text = "has no visible character; send the name of the tool"
                path = f"messages[{i}].tool_calls[{j}].function.name"
                found.append(Violation(path, InvalidReason.INVALID_TOOL_CALL, text))
        if message.role == Role.TOOL.value and message.call_id not in known:
            text = "is that of no call before this message; send the id of the call"
            path = f"messages[{i}].tool_call_id"
            found.append(Violation(path, InvalidReason.INVALID_TOOL_CALL, text))
    return found


def chat_trace(messages: Sequence[ChatMessage], documents: Sequence[Document]) -> ChatTrace:
    """The trace of messages that `check_messages` passed, with documents beside them."""
    last = messages[-1]
    answers = last.role == Role.ASSISTANT.value and not last.calls
    titles = {call.id: call.text for message in messages for call in message.calls}
    results = {m.call_id: m.text for m in messages if m.role == Role.TOOL.value}
    turns = tuple(Turn(ROLES[m.role], m.text, name=titles.get(m.call_id, "")) for m in messages)
    asked = [m.text for m in messages if m.role == Role.USER.value]
    question = asked[-1] if asked and len(asked[-1]) <= MAX_QUESTION_CHARACTERS else ""
    steps: list[Step] = []
    for i, message in enumerate(messages[:-1] if answers else messages):
        if message.role != Role.ASSISTANT.value:
            continue
        if checks.has_visible_character(message.text):
            steps.append(Step(message.text, f"messages[{i}].content"))
        steps += [
            Step(call.text, f"messages[{i}].tool_calls[{j}]", results.get(call.id, ""))
            for j, call in enumerate(message.calls)
        ]
    return ChatTrace(
        steps=tuple(steps),
        sources=Conversation(turns, tuple(documents)).sources,
        question=question,
        answer=last.text if answers and checks.has_visible_character(last.text) else "",
    )

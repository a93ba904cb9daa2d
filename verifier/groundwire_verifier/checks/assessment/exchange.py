"""An exchange as a model reads it: what was asked, which tools were called, what was answered."""

from dataclasses import dataclass

from groundwire_verifier.domain.types import TextPart

QUESTION_LEAD = "User's question: "
CALLS_LEAD = "\n\nTool calls:"
NO_CALLS = "\n\nTool calls: none"
RESPONSE_LEAD = "\n\nResponse: "


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that was made for a response.

    `arguments` is JSON, `result` what came back, as text. `error` is what it failed with; empty
    where it did not. `duration_s` are seconds, None where nobody knows.
    """

    name: str
    arguments: str = ""
    result: str = ""
    error: str = ""
    duration_s: float | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """A user's question, the response to it, and the tool calls between them, in their order."""

    question: str
    response: str
    tool_calls: tuple[ToolCall, ...] = ()


def exchange_parts(exchange: Exchange) -> tuple[TextPart, ...]:
    """The exchange as a model reads it, our words apart from those of others."""
    parts = [TextPart(QUESTION_LEAD, True), TextPart(exchange.question, False)]
    parts.append(TextPart(CALLS_LEAD if exchange.tool_calls else NO_CALLS, True))
    for call in exchange.tool_calls:
        outcome = f"failed: {call.error}" if call.error else call.result
        parts += [
            TextPart("\n- ", True),
            TextPart(f"{call.name}({call.arguments})", False),
            TextPart(" -> ", True),
            TextPart(outcome, False),
        ]
    return (*parts, TextPart(RESPONSE_LEAD, True), TextPart(exchange.response, False))


def exchange_text(exchange: Exchange) -> str:
    """The same as one text, which is the context of every question about it."""
    return "".join(part.text for part in exchange_parts(exchange))

"""What an exchange has to keep to, and the part of a long one that is read.

A text itself is never repeated.
"""

from collections.abc import Collection
from dataclasses import replace

from groundwire_verifier.checks.answers import MAX_QUESTION_CHARACTERS
from groundwire_verifier.checks.assessment.assessment import AssessmentInput
from groundwire_verifier.checks.assessment.exchange import Exchange, ToolCall, exchange_text
from groundwire_verifier.checks.assessment.tool_values import is_json
from groundwire_verifier.checks.assessment.user_texts import LANGUAGES
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.errors import InvalidReason, Violation

MAX_TOOL_CALLS = 32
MAX_RESPONSE_CHARACTERS = 4000
MAX_RESULT_CHARACTERS = 20_000
"""Most characters of one result, error or arguments of a tool call."""
MAX_EXCHANGE_CHARACTERS = 40_000
"""Most characters of question, tool calls and response together."""
MAX_NAME_CHARACTERS = 200
CUT_MARK = " […]"


def check_exchange(asked: AssessmentInput, backends: Collection[str]) -> None:
    """Check a request whole, as far as that needs no model. Raises InvalidInputError."""
    exchange = asked.exchange
    found = checks.characters(exchange.response, MAX_RESPONSE_CHARACTERS, "response")
    if not found and not checks.has_visible_character(exchange.response):
        words = "has no visible character; send the response"
        found.append(Violation("response", InvalidReason.EMPTY_TEXT, words))
    found += checks.characters(exchange.question, MAX_QUESTION_CHARACTERS, "question")
    calls = exchange.tool_calls
    if len(calls) > MAX_TOOL_CALLS:
        words = f"holds {len(calls)} calls; the limit is {MAX_TOOL_CALLS}: send the last ones"
        found.append(_tool_call("tool_calls", words))
    for i, call in enumerate(calls[:MAX_TOOL_CALLS]):
        found += _call(call, f"tool_calls[{i}]")
    size = len(exchange_text(exchange))
    if size > MAX_EXCHANGE_CHARACTERS and not found:
        words = (
            f"have {size:,} characters with question and response; the limit is "
            f"{MAX_EXCHANGE_CHARACTERS:,}: send fewer calls, or shorter results"
        )
        found.append(Violation("tool_calls", InvalidReason.TEXT_TOO_LONG, words))
    if len(set(asked.layers)) < len(asked.layers):
        words = "names a layer twice; name each once"
        found.append(Violation("layers", InvalidReason.INVALID_OPTION, words))
    if asked.language and asked.language not in LANGUAGES:
        words = f"is no language of these texts; use one of: {', '.join(LANGUAGES)}"
        found.append(Violation("language", InvalidReason.INVALID_OPTION, words))
    if asked.backend:
        found += checks.backend(asked.backend, backends)
    checks.raise_any(found)


def cut_to(exchange: Exchange, most: int) -> tuple[Exchange, int]:
    """The exchange in about `most` characters, and how many of the tools' results are left out.

    Each result keeps its beginning; the longest lose most. Nothing else is cut.
    """
    over = len(exchange_text(exchange)) - most
    if over <= 0:
        return exchange, 0
    sizes = sorted(len(call.result) for call in exchange.tool_calls)
    left = max(0, sum(sizes) - over)
    keep = 0
    for i, size in enumerate(sizes):
        # What short results do not use, longer ones may.
        keep = min(size, left // (len(sizes) - i))
        left -= keep
    cut = 0
    calls: list[ToolCall] = []
    for call in exchange.tool_calls:
        if len(call.result) > keep:
            cut += len(call.result) - keep
            call = replace(call, result=call.result[:keep] + CUT_MARK)  # noqa: PLW2901
        calls.append(call)
    return replace(exchange, tool_calls=tuple(calls)), cut


def _call(call: ToolCall, at: str) -> list[Violation]:
    found = checks.characters(call.arguments, MAX_RESULT_CHARACTERS, f"{at}.arguments")
    found += checks.characters(call.result, MAX_RESULT_CHARACTERS, f"{at}.result")
    found += checks.characters(call.error, MAX_RESULT_CHARACTERS, f"{at}.error")
    if len(call.name) > MAX_NAME_CHARACTERS or not checks.has_visible_character(call.name):
        words = f"has {len(call.name)} characters; send 1 to {MAX_NAME_CHARACTERS}, one visible"
        found.append(_tool_call(f"{at}.name", words))
    if call.arguments and not found and not is_json(call.arguments):
        words = "is not JSON, or nested too deeply; send the arguments as one JSON value"
        found.append(_tool_call(f"{at}.arguments", words))
    return found


def _tool_call(field: str, words: str) -> Violation:
    return Violation(field, InvalidReason.INVALID_TOOL_CALL, words)

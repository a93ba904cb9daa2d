"""An exchange out of a JSON file: a question, a response, and the tool calls between them."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from groundwire import ToolCall
from groundwire_server.cli.source_files import read_text
from groundwire_server.config.sources import ConfigError

FIELDS = ("question", "response", "tool_calls")
_CALL_FIELDS = ("name", "arguments", "result", "error", "duration_s")


@dataclass(frozen=True, slots=True)
class ExchangeFile:
    """What stands in the file. An empty question is none."""

    question: str
    response: str
    tool_calls: tuple[ToolCall, ...]


def read_exchange(path: Path) -> ExchangeFile:
    """The exchange in a file; "-" is stdin. Raises ConfigError."""
    return exchange_in(read_json(path), str(path))


def read_json(path: Path) -> object:
    """The JSON value in a file; "-" is stdin. Raises ConfigError."""
    text = read_text("", path)
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is not JSON: {error}") from error
    return found


def exchange_in(found: object, at: str) -> ExchangeFile:
    """The exchange in a JSON value; `at` is its place in words. Raises ConfigError."""
    fields = _object(found, at, FIELDS)
    calls = fields.get("tool_calls", [])
    if not isinstance(calls, list):
        raise ConfigError(f"{at}: tool_calls must be a list")
    return ExchangeFile(
        question=text_in(fields, "question", at),
        response=text_in(fields, "response", at),
        tool_calls=tuple(_call(call, f"{at}: tool_calls[{i}]") for i, call in enumerate(calls)),
    )


def _call(found: object, at: str) -> ToolCall:
    fields = _object(found, at, _CALL_FIELDS)
    result, error = fields.get("result"), fields.get("error")
    if error is not None and not isinstance(error, str):
        raise ConfigError(f"{at}: error must be a text")
    duration_s = fields.get("duration_s")
    if duration_s is not None and not (
        isinstance(duration_s, int | float) and 0 <= duration_s < float("inf")
    ):
        raise ConfigError(f"{at}: duration_s must be a number of seconds, at least 0")
    return ToolCall(
        name=text_in(fields, "name", at),
        arguments=_as_text(fields["arguments"]) if "arguments" in fields else "",
        # What a tool returned as JSON null is a result, too.
        result=None if "result" not in fields else _as_text(result),
        error=error,
        duration_s=duration_s,
    )


def _object(found: object, at: str, names: Collection[str]) -> dict[str, object]:
    if not isinstance(found, dict):
        raise ConfigError(f"{at} must be an object")
    unknown = next((key for key in found if key not in names), None)
    if unknown is not None:
        raise ConfigError(f"{at}: there is no field {unknown!r}; use: {', '.join(names)}")
    return found


def text_in(fields: Mapping[str, object], name: str, at: str) -> str:
    """A text of an object; `at` is its place in words. Empty if left out. Raises ConfigError."""
    value = fields.get(name, "")
    if not isinstance(value, str):
        raise ConfigError(f"{at}: {name} must be a text")
    return value


def _as_text(value: object) -> str:
    """A text as it is, and any other JSON value as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

"""The form that a response was asked to have, and how it differs from that. Rules, no model.

A JSON Schema is checked by whoever has a checker for one.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from groundwire_verifier.domain.errors import InvalidReason, Violation

MAX_SCHEMA_CHARACTERS = 50_000
MAX_FORMAT_VIOLATIONS = 20

_ITEM = re.compile(
    r"(\s*)(?:[-*+\u2022\u25aa\u2013]|\(?(?:\d{1,4}|[A-Za-z\u05d0-\u05ea])[.)])\s+\S"
)
_FENCE = re.compile(r"\s*(```|~~~)")


@dataclass(frozen=True, slots=True)
class JsonFormat:
    """One JSON value. `schema` is the text of a JSON Schema; empty: any value."""

    schema: str = ""


@dataclass(frozen=True, slots=True)
class ListFormat:
    """A list with so many items; `max_items` None: any number."""

    min_items: int = 1
    max_items: int | None = None


@dataclass(frozen=True, slots=True)
class StatedFormat:
    """What a response was asked to be; None: anything."""

    kind: JsonFormat | ListFormat | None = None
    max_characters: int | None = None


@dataclass(frozen=True, slots=True)
class FormatViolation:
    """One way in which a response differs. `pointer` is a JSON pointer; empty: as a whole."""

    pointer: str
    description: str


def check_format(stated: StatedFormat, field: str) -> list[Violation]:
    """What is wrong with a format that stands in `field`, but for the rules of its schema."""
    found: list[Violation] = []

    def refuse(path: str, text: str) -> None:
        found.append(Violation(f"{field}.{path}", InvalidReason.INVALID_OPTION, text))

    if stated.max_characters is not None and stated.max_characters < 1:
        refuse("max_characters", f"is {stated.max_characters}; it must be at least 1")
    match stated.kind:
        case JsonFormat(schema) if len(schema) > MAX_SCHEMA_CHARACTERS:
            limit = f"{MAX_SCHEMA_CHARACTERS:,}"
            refuse("json.schema", f"has {len(schema):,} characters; the limit is {limit}")
        case ListFormat(fewest, most):
            if fewest < 1:
                refuse("list.min_items", f"is {fewest}; it must be at least 1")
            if most is not None and most < max(fewest, 1):
                refuse("list.max_items", f"is {most}; it must be at least min_items")
    return found


def differences(text: str, stated: StatedFormat) -> Iterator[FormatViolation]:
    """How a response differs from its format, but for what a schema says."""
    if stated.max_characters is not None and len(text) > stated.max_characters:
        size, limit = f"{len(text):,}", f"{stated.max_characters:,}"
        yield FormatViolation("", f"it has {size} characters, where at most {limit} were asked for")
    match stated.kind:
        case JsonFormat():
            yield from _json_differences(text)
        case ListFormat(fewest, most):
            count = count_items(text)
            if count < fewest:
                text = f"it is a list of {count} items, where at least {fewest} were asked for"
                yield FormatViolation("", text)
            elif most is not None and count > most:
                text = f"it is a list of {count} items, where at most {most} were asked for"
                yield FormatViolation("", text)


def count_items(text: str) -> int:
    """The items of the outermost list in a text; 0 if there is none."""
    indents = [len(found[1]) for line in text.splitlines() if (found := _ITEM.match(line))]
    return indents.count(min(indents)) if indents else 0


def _json_differences(text: str) -> Iterator[FormatViolation]:
    if _FENCE.match(text):
        yield FormatViolation("", "it is not a JSON value: there is a code fence around it")
        return
    try:
        json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        yield FormatViolation("", f"it is not a JSON value: {error.msg} at {place}")
    except ValueError as error:
        yield FormatViolation("", f"it is not a JSON value: {error}")
    except RecursionError:
        yield FormatViolation("", "it is not a readable JSON value: it is nested too deeply")


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")

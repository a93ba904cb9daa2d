"""A result within what an agent can read, since clients cut or refuse what is longer."""

import json
from collections.abc import Mapping

from pydantic import JsonValue

from groundwire_server.doors.mcp.results import Found, Result

MAX_BYTES = 40_000
"""The most of a text, and of structured content, as UTF-8: tokenisers make a token of two bytes of
such JSON at least, so that 20,000 tokens hold it."""


def shortened(result: Result, *, is_text: bool) -> dict[str, JsonValue]:
    """A result in at most MAX_BYTES of JSON, its summary first, with what was left out counted.

    What needs to be done comes before what holds; the text leaves out what holds altogether.
    """
    dumped: dict[str, JsonValue] = result.model_dump(mode="json", exclude={"left_out"})
    lists = {name: items for name, items in dumped.items() if isinstance(items, list)}
    summary = {name: value for name, value in dumped.items() if name not in lists}
    fine = {
        (name, index)
        for name, items in result
        if name in lists
        for index, item in enumerate(items)
        if isinstance(item, Found) and item.needs_nothing
    }
    places = [(name, index) for name, items in lists.items() for index in range(len(items))]
    room_bytes = MAX_BYTES - _size_bytes({**summary, "left_out": dict.fromkeys(lists, len(places))})
    kept = set()
    for name, index in sorted(places, key=fine.__contains__):
        size_bytes = _size_bytes(lists[name][index])
        if size_bytes <= room_bytes and not (is_text and (name, index) in fine):
            kept.add((name, index))
            room_bytes -= size_bytes
    shown = {
        name: [item for index, item in enumerate(items) if (name, index) in kept]
        for name, items in lists.items()
    }
    left_out: Mapping[str, JsonValue] = {
        name: len(items) - len(shown[name])
        for name, items in lists.items()
        if len(shown[name]) < len(items)
    }
    return {**summary, "left_out": {**left_out}, **shown}


def as_text(value: JsonValue) -> str:
    """JSON in as few bytes as can be."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _size_bytes(value: JsonValue) -> int:
    """With the comma behind it, and the name of a list before it."""
    return len(as_text(value).encode()) + 1

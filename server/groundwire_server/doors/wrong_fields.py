"""Which fields of a JSON request are wrong, and what to send instead. Repeats nothing of it."""

from collections.abc import Mapping

from pydantic import ValidationError

_WRONG: Mapping[str, str] = {
    "missing": "is missing; send it",
    "list_type": "is no list; send a JSON array",
    "model_type": "is no object; send a JSON object",
    "model_attributes_type": "is no object; send a JSON object",
    "string_type": "is no text; send a JSON string",
}
_UNKNOWN = "extra_forbidden"


def wrong_fields(error: ValidationError, unknown: str) -> list[tuple[str, str]]:
    """Each field as `claims[0].text`, with what is wrong.

    `unknown` is the text for a field that the call does not have. Such fields come first: where one
    is misspelt, the right one is missing, too.
    """
    found = error.errors(include_url=False, include_input=False, include_context=False)
    words = {**_WRONG, _UNKNOWN: unknown}
    return [
        (_path(each["loc"]), words.get(each["type"], each["msg"]))
        for each in sorted(found, key=lambda each: each["type"] != _UNKNOWN)
    ]


def _path(place: tuple[int | str, ...]) -> str:
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return "".join(parts).removeprefix(".")

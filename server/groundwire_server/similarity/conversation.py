"""A conversation and its context, as chatbots export them, from JSON files."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

MAX_FILE_BYTES = 64 << 20
"""A file beyond it is refused before it is read: it would take some times its bytes of memory."""

ANSWER_ROLE = "AI/Chatbot"
USER_ROLE = "User"
TURNS_KEY = "conversation_turns"
MESSAGE_KEY = "message"

_SURROGATE = re.compile("[\ud800-\udfff]")


class ConversationError(ValueError):
    """A file, or what is in it, cannot be used; the text names the file or key, and the fix."""


def load_json(path: str | Path) -> object:
    """What a JSON file holds. Raises ConversationError."""
    try:
        size = Path(path).stat().st_size
        if size > MAX_FILE_BYTES:
            raise ConversationError(
                f"{path} has {size:,} bytes; the limit is {MAX_FILE_BYTES:,}: split it"
            )
        data = Path(path).read_bytes()
    except OSError as error:
        raise ConversationError(f"{path} cannot be read: {error.strerror}") from error
    try:
        return json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ConversationError(
            f"{path} is not UTF-8 text, at byte {error.start}: save it as UTF-8"
        ) from error
    except json.JSONDecodeError as error:
        raise ConversationError(
            f"{path} is not JSON, at line {error.lineno}, column {error.colno}: {error.msg}"
        ) from error
    except RecursionError:
        raise ConversationError(f"{path} is nested too deeply: export it anew") from None


def extract_context_texts(context_json: object) -> list[str]:
    """The texts of `data.vector_data[].text`, in their order; empty ones are left out.

    Raises ConversationError where a key is missing or of a wrong type, or where no text is left.
    """
    data = _member(_object(context_json, "the context"), "data", "")
    vectors = _member(_object(data, "data"), "vector_data", "data.")
    texts = [
        _text(entry, "text", f"data.vector_data[{i}]")
        for i, entry in enumerate(_list(vectors, "data.vector_data"))
    ]
    found = [text for text in texts if text.strip()]
    if not found:
        raise ConversationError(
            "data.vector_data holds no text: export the texts that the answer was given"
        )
    return found


def extract_ai_answer(conversation_json: object) -> str:
    """The message of the last turn of the role `AI/Chatbot`. Raises ConversationError."""
    return _last_of(_turns(conversation_json), ANSWER_ROLE)


def extract_last_user_question(conversation_json: object) -> str:
    """The last message of the user before the last turn of the role `AI/Chatbot`.

    It is the last of the conversation where there is no such turn. Raises ConversationError.
    """
    turns = _turns(conversation_json)
    places = [i for i, turn in enumerate(turns) if _has_role(turn, i, ANSWER_ROLE)]
    end = places[-1] if places else len(turns)
    return _last_of(turns[:end], USER_ROLE)


def _last_of(turns: Sequence[object], role: str) -> str:
    for i in reversed(range(len(turns))):
        if _has_role(turns[i], i, role):
            message = _text(turns[i], MESSAGE_KEY, f"{TURNS_KEY}[{i}]")
            if not message.strip():
                raise ConversationError(f"{TURNS_KEY}[{i}].{MESSAGE_KEY} is empty: give the text")
            return message
    raise ConversationError(f"{TURNS_KEY} holds no turn of the role {role!r}: add it, or its role")


def _turns(conversation_json: object) -> Sequence[object]:
    """The turns of a conversation, which may be the list alone."""
    if isinstance(conversation_json, list):
        return conversation_json
    turns = _member(_object(conversation_json, "the conversation"), TURNS_KEY, "")
    return _list(turns, TURNS_KEY)


def _has_role(turn: object, index: int, role: str) -> bool:
    return _text(turn, "role", f"{TURNS_KEY}[{index}]").strip().casefold() == role.casefold()


def _text(entry: object, key: str, path: str) -> str:
    found = _member(_object(entry, path), key, f"{path}.")
    if not isinstance(found, str):
        raise ConversationError(f"{path}.{key} is {_kind(found)}: it must be a text")
    if _SURROGATE.search(found):
        raise ConversationError(f"{path}.{key} holds half of a surrogate pair: fix the text")
    return found


def _member(found: dict[str, object], key: str, path: str) -> object:
    if key not in found:
        raise ConversationError(f"{path}{key} is missing: add it, or give another file")
    return found[key]


def _object(found: object, path: str) -> dict[str, object]:
    if not isinstance(found, dict):
        raise ConversationError(f"{path} is {_kind(found)}: it must be an object")
    return found


def _list(found: object, path: str) -> Sequence[object]:
    if not isinstance(found, list):
        raise ConversationError(f"{path} is {_kind(found)}: it must be a list")
    return found


def _kind(found: object) -> str:
    """What a value of JSON is, in words."""
    match found:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list():
            return "a list"
        case _:
            return "an object"

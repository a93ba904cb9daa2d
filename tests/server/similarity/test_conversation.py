"""Conversations and contexts from files: what is taken, and what an error names."""

from pathlib import Path

import pytest

from groundwire_server.similarity import (
    ConversationError,
    extract_ai_answer,
    extract_context_texts,
    extract_last_user_question,
    load_json,
)
from groundwire_server.similarity import conversation as module

EXAMPLES = Path(__file__).parents[3] / "examples" / "similarity"


def turn(role: object, message: object) -> dict[str, object]:
    return {"turn": 1, "sender_id": 7, "role": role, "message": message, "created_at": "2025"}


def conversation(*turns: object) -> dict[str, object]:
    return {"chat_id": 1, "conversation_turns": list(turns)}


def context(*texts: object) -> dict[str, object]:
    return {"status": "success", "data": {"vector_data": [{"id": 1, "text": t} for t in texts]}}


TALK = conversation(
    turn("User", "first question"),
    turn("AI/Chatbot", "first answer"),
    turn("User", "second question"),
    turn("AI/Chatbot", "second answer"),
    turn("User", "thank you"),
)


def test_the_answer_is_that_of_the_last_turn_of_the_chatbot() -> None:
    assert extract_ai_answer(TALK) == "second answer"


def test_the_question_is_the_users_last_one_before_it() -> None:
    assert extract_last_user_question(TALK) == "second question"


def test_a_list_of_turns_alone_is_a_conversation() -> None:
    assert extract_ai_answer([turn("ai/chatbot", "yes")]) == "yes"


def test_the_texts_of_a_context_keep_their_order_and_empty_ones_go() -> None:
    assert extract_context_texts(context("a", " ", "b")) == ["a", "b"]


def test_the_examples_are_read_as_they_are() -> None:
    talk = load_json(EXAMPLES / "conversation.json")
    assert extract_last_user_question(talk) == "Where can I stay near the clinic?"
    assert extract_ai_answer(talk).startswith("Guests of the clinic")
    assert len(extract_context_texts(load_json(EXAMPLES / "context.json"))) == 3


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ("text", "the conversation is a text: it must be an object"),
        (None, "the conversation is null"),
        ({}, "conversation_turns is missing: add it"),
        ({"conversation_turns": {}}, "conversation_turns is an object: it must be a list"),
        (conversation(), "no turn of the role 'AI/Chatbot'"),
        (conversation(turn("User", "a")), "no turn of the role 'AI/Chatbot'"),
        (conversation(3), r"conversation_turns\[0\] is a number: it must be an object"),
        (conversation({"message": "a"}), r"conversation_turns\[0\]\.role is missing"),
        (conversation(turn(True, "a")), r"conversation_turns\[0\]\.role is true or false"),
        (conversation({"role": "AI/Chatbot"}), r"conversation_turns\[0\]\.message is missing"),
        (conversation(turn("AI/Chatbot", 4)), r"conversation_turns\[0\]\.message is a number"),
        (conversation(turn("AI/Chatbot", " ")), r"conversation_turns\[0\]\.message is empty"),
        (conversation(turn("AI/Chatbot", "\ud800")), r"\.message holds half of a surrogate"),
    ],
)
def test_a_conversation_without_an_answer_names_the_key_and_the_fix(
    found: object, words: str
) -> None:
    with pytest.raises(ConversationError, match=words):
        extract_ai_answer(found)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ([], "the context is a list: it must be an object"),
        ({}, "data is missing"),
        ({"data": []}, "data is a list: it must be an object"),
        ({"data": {}}, r"data\.vector_data is missing"),
        ({"data": {"vector_data": "a"}}, r"data\.vector_data is a text: it must be a list"),
        (context(), "holds no text"),
        (context("", " "), "holds no text"),
        (context("a", None), r"data\.vector_data\[1\]\.text is null: it must be a text"),
        ({"data": {"vector_data": [{"id": 1}]}}, r"data\.vector_data\[0\]\.text is missing"),
        ({"data": {"vector_data": [["a"]]}}, r"data\.vector_data\[0\] is a list"),
    ],
)
def test_a_context_without_texts_names_the_key_and_the_fix(found: object, words: str) -> None:
    with pytest.raises(ConversationError, match=words):
        extract_context_texts(found)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not JSON, at line 1"),
        (b'{"a": 1,\n}', "not JSON, at line 2"),
        (b"\xff\xfe{}", "not UTF-8 text, at byte 0"),
        (b"[" * 200_000, "nested too deeply"),
    ],
)
def test_a_file_that_is_no_json_is_named_with_the_place(
    tmp_path: Path, data: bytes, words: str
) -> None:
    path = tmp_path / "talk.json"
    path.write_bytes(data)
    with pytest.raises(ConversationError, match=words) as caught:
        load_json(path)
    assert str(path) in str(caught.value)


def test_a_huge_file_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_FILE_BYTES", 10)
    path = tmp_path / "talk.json"
    path.write_text("[" + "1," * 10 + "1]")
    with pytest.raises(ConversationError, match="has 23 bytes; the limit is 10: split it"):
        load_json(path)

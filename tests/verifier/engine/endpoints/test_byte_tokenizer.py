"""Text as pieces of bytes, and back."""

from hypothesis import given
from hypothesis import strategies as st

from groundwire_verifier.domain.prompts import PromptEncoder
from groundwire_verifier.domain.types import Question, Template
from groundwire_verifier.engine.endpoints.byte_tokenizer import ByteTokenizer, text_of

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@given(st.lists(texts, min_size=1))
def test_texts_in_pieces_come_back_whole_however_they_are_joined(parts: list[str]) -> None:
    tokenizer = ByteTokenizer(is_chat=True)
    pieces = [piece for part in parts for piece in tokenizer.encode_template(part)]
    assert text_of(pieces) == "".join(parts)


def test_a_prompt_is_the_question_as_text() -> None:
    encoder = PromptEncoder.for_tokenizer(ByteTokenizer(is_chat=False))
    (prompt,) = encoder.encode([Question("המגדל גבוה.", "The tower is 330 m high.")])
    assert text_of(prompt.token_ids) == (
        "Given the following context:\nThe tower is 330 m high.\n\n"
        "Is the following claim true? Answer YES or NO.\nClaim: המגדל גבוה.\nAnswer:"
    )


def test_a_turn_has_no_lead_for_the_answer() -> None:
    encoder = PromptEncoder.for_tokenizer(ByteTokenizer(is_chat=True))
    (prompt,) = encoder.encode([Question("A.", "B.", Template.YES_NO_UNSURE)])
    assert text_of(prompt.token_ids).endswith("if it does not say.\nClaim: A.")


def test_marks_of_turns_in_a_text_of_others_are_broken_up() -> None:
    tokenizer = ByteTokenizer(is_chat=True)
    marks = [
        "<|im_end|>",
        "</s>",
        "[/INST]",
        "<start_of_turn>",
        "<<SYS>>",
        "<|eot_id|>",
        "</think>",
        "<\uff5cUser\uff5c>",
        "<\uff5cend▁of▁sentence\uff5c>",
        "<bos>",
        "<eos>",
        "<end_of_utterance>",
        "[SYSTEM_PROMPT]",
        "[/TOOL_RESULTS]",
        "<tool_call>",
    ]
    for mark, pieces in zip(marks, tokenizer.encode_texts(marks), strict=True):
        text = text_of(pieces)
        assert mark not in text
        assert text.replace("\u2060", "") == mark


def test_other_texts_are_left_as_they_are() -> None:
    tokenizer = ByteTokenizer(is_chat=True)
    text = "If a < b | c then [see 1] [S0] [INSTITUTE] <b>bold</b> <bosun> and x <y> 3."
    assert text_of(tokenizer.encode_texts([text])[0]) == text

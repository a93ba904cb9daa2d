"""Thoughts and struck-out text in an answer: left out, with all positions kept."""

import pytest

from groundwire_verifier.text.claims.extract import extract_claims
from groundwire_verifier.text.claims.markup.left_out import find_left_out

THOUGHT = "The fee could be 12 euros. Let me check S1."
ANSWER = "The pool opens at 7:00 [S0]. A ticket costs 6 euros [S1]."


def contents(text: str) -> list[str]:
    return [claim.content for claim in extract_claims(text)]


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("<think>", "</think>"),
        ("<THINKING>", "</thinking>"),
        ('<reasoning effort="high">', "</reasoning>"),
        ("<thought>", "</thought>"),
        ("<seed:think>", "</seed:think>"),
        ("[THINK]", "[/THINK]"),
        ("◁think▷", "◁/think▷"),
        ("<|begin_of_thought|>", "<|end_of_thought|>"),
        ('<details type="reasoning" done="true">', "</details>"),
        (
            "<|channel|>analysis<|message|>",
            "<|end|><|start|>assistant<|channel|>final<|message|>",
        ),
    ],
)
def test_a_thought_is_no_part_of_the_answer(opening: str, closing: str) -> None:
    text = f"{opening}\n{THOUGHT}\n{closing}\n{ANSWER}"
    claims = extract_claims(text)
    assert [claim.content for claim in claims] == contents(ANSWER)
    assert [claim.span.of(text) for claim in claims] == [
        "The pool opens at 7:00",
        "A ticket costs 6 euros",
    ]
    assert find_left_out(text).thoughts == 1


def test_a_hebrew_thought_is_left_out_too() -> None:
    text = "<think>אולי המוזיאון נפתח בשעה 9.</think>המוזיאון נפתח בשעה 7."
    assert contents(text) == ["המוזיאון נפתח בשעה 7."]


def test_thoughts_between_sentences_are_left_out() -> None:
    text = f"The pool is open.\n<think>{THOUGHT}</think>\nIt costs 6 euros.<think>Why?</think>"
    assert contents(text) == ["The pool is open.", "It costs 6 euros."]
    assert find_left_out(text).thoughts == 2


def test_code_that_a_thought_leaves_open_does_not_hide_its_end() -> None:
    text = f"<think>\n```py\nprint(`x\n</think>\n{ANSWER}"
    assert contents(text) == contents(ANSWER)


def test_an_empty_thought_is_none() -> None:
    text = f"<think>\n\n</think>\n\n{ANSWER}"
    assert contents(text) == contents(ANSWER)
    assert find_left_out(text).thoughts == 0


@pytest.mark.parametrize("text", [f"<think>{THOUGHT}", f"\n <thinking>\n{THOUGHT}\n\n{ANSWER}"])
def test_an_answer_that_begins_with_a_thought_without_an_end_is_all_thought(text: str) -> None:
    assert contents(text) == []
    assert find_left_out(text).thoughts == 1


@pytest.mark.parametrize(
    "text",
    [
        "The pool is open. <think> It costs 6 euros.",
        "The pool is open.</think> It costs 6 euros.",
        "The pool is open.\n</reasoning>\nIt costs 6 euros. <think>",
        "<answer>The pool is open. It costs 6 euros.</answer>",
        "The pool is open. <think> It costs 6 euros. <think>nine?</think>",
        "המאגר פתוח.",
    ],
)
def test_a_tag_without_its_other_side_hides_nothing(text: str) -> None:
    expected = ["The pool is open.", "It costs 6 euros."] if text.isascii() else ["המאגר פתוח."]
    assert contents(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The tag `<think>` opens a thought and `</think>` closes it.",
        "It is in a block.\n\n```\n<think>\n```\n\nThe pool is open.",
        "<details><summary>More</summary>The pool is open.</details>",
    ],
)
def test_a_tag_in_code_or_one_that_folds_text_is_no_thought(text: str) -> None:
    assert find_left_out(text).spans == ()


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("The day ticket costs ~~$59~~ $49.", "The day ticket costs $49."),
        ("The fee is <del>12</del> <ins>9</ins> euros.", "The fee is 9 euros."),
        ("The gate opens at <s>8:00</s> 9:00.", "The gate opens at 9:00."),
        ("Members pay ~~20~~ **15** euros.", "Members pay 15 euros."),
        ("הכרטיס עולה ~~59~~ 49 שקלים.", "הכרטיס עולה 49 שקלים."),
    ],
)
def test_text_that_is_struck_out_is_gone(text: str, content: str) -> None:
    (claim,) = extract_claims(text)
    assert claim.content == content


def test_a_sentence_that_is_struck_out_is_no_claim() -> None:
    assert contents("~~The pool opens at 9:00.~~ It opens at 7:00.") == ["It opens at 7:00."]


@pytest.mark.parametrize(
    "text",
    [
        "The loss was ~~5 percent in May.",
        "It ran from ~~ 5 to ~~ 6 degrees.",
        "The mark `~~x~~` strikes a word out.",
        "The tag <del> strikes a word out.",
        "It rose ~~5 percent.\n\nIt fell~~ in June.",
    ],
)
def test_a_mark_that_strikes_nothing_out_hides_nothing(text: str) -> None:
    assert find_left_out(text).spans == ()

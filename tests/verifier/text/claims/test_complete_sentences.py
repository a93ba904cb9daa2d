"""How far a text that is still being written is complete."""

import pytest

from groundwire_verifier.domain.claims import CitationSyntax, Claim, ClaimOptions
from groundwire_verifier.text.claims.complete import complete_characters
from groundwire_verifier.text.claims.extract import extract_claims

OPTIONS = ClaimOptions(citations=CitationSyntax(known_ids=frozenset(("lease [v2]",))))
MOST_IDS = 1000


def complete(text: str) -> str:
    """The part of a text that is complete."""
    return text[: complete_characters(text, OPTIONS, MOST_IDS)]


@pytest.mark.parametrize(
    ("whole", "rest"),
    [
        ("The tower is high. ", "It opened "),
        ("The tower is high [S0]. ", "It opened "),
        ("It is high. [S0] ", "It opened "),
        ("It is 42. [S0][S1] ", "It opened "),
        ("המגדל גבוה. ", "הוא נפתח "),
        ("המגדל גבוה [S0]. ", "הוא נפתח "),
        ("塔高三百三十米。", "它建于一八八九年，由埃菲尔设计。"),
        ("- It is high.", "\n- It "),
        ("- It is high", "\n- It "),
        ("It is high.", "\n\n"),
        ("# The tower", "\n\nIt "),
        ("| a | b |\n|---|---|\n| 1 | 2 ", "|\n\n"),
        ("```\nhigh. Very.\n```", "\n"),
        ("<think>Is it? It is. No</think>It is high. ", "It opened "),
        ("It is **very high.** ", "It opened "),
        ("It is high (as Smith. Jones say). ", "It opened "),
    ],
)
def test_a_sentence_is_complete_when_the_next_begins_or_its_block_has_ended(
    whole: str, rest: str
) -> None:
    assert complete(whole + rest) == whole


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The tower is high",
        "The tower is high.",
        "The tower is high. ",
        "The tower is high. I",
        "The tower is high. [S0",
        "The tower is high. [S0] ",
        "המגדל גבוה. ה",
        "Dr. Smith ",
        "It costs 3.5 ",
        "- It is high",
        "- It is high\n- ",
        "The facts:\n\n",
        "The facts\n\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 ",
        "```\nhigh. Very. Long.\n\nYes. No. ",
        "<think>Is it? It is. No. Yes. It ",
        "It is **very high. It opened. And ",
        "It is high (as Smith. Jones. And Brown ",
        "<table><tr><td>It is high.</td><td>It opened.</td></tr>\n\nYes. ",
    ],
)
def test_what_may_still_change_is_not_complete(text: str) -> None:
    assert complete(text) == ""


def test_what_stands_before_an_open_thought_is_complete() -> None:
    assert complete("It is high. It opened. <think>Did it? It did. ") == "It is high. "
    assert complete("It is high. It opened. <think>Did it?</think> And so ").endswith("</think> ")


def test_a_text_that_cites_too_much_is_complete_so_that_this_is_found() -> None:
    text = "It is high [S0-S99]. It opened [S0-S99]. "
    assert complete_characters(text, OPTIONS, 50) == len(text)


TEXTS = (
    "The tower is 330 m high [S0]. It opened in 1889 [S1-S2]. Dr. Smith (see e.g. Foo. And Bar) "
    "built it, and it cost 7.8 million. Is it in Paris? Yes.\n\n- **Height:** 330 m [S0]\n- It "
    "weighs 10,100 t. It is brown.\n\nThe facts:\n\n1. It stands.\n2. It does not move.\n",
    "# The tower\n\n| Fact | Value |\n| --- | --- |\n| Height | 330 m |\n\nSo it is high. "
    "`a. b` is code.\n\n```\nx = 1. Not. This.\n```\n\n> It was said. It is so.\n\nThe end.",
    'המגדל מתנשא לגובה של 330 מטרים [S0]. ד"ר כהן בנה אותו. הוא נפתח בשנת 1889.\n\n'
    "- הוא חום.\n- הוא כבד [S1].\n\nסוף הדבר.",
)


def known(claims: tuple[Claim, ...], end: int) -> list[tuple[str, tuple[str, ...]]]:
    return [(claim.content, claim.cited_ids) for claim in claims if claim.span.end <= end]


@pytest.mark.parametrize("text", TEXTS)
def test_claims_of_complete_sentences_stay_as_they_are(text: str) -> None:
    whole = extract_claims(text, OPTIONS)
    found = 0
    for end in range(len(text)):
        at = complete_characters(text[:end], OPTIONS, MOST_IDS)
        assert known(extract_claims(text[:end], OPTIONS), at) == known(whole, at)
        found = max(found, len(known(whole, at)))
    assert found >= len(whole) - 2

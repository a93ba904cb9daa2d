"""Where a correction stands in its answer, and what is left of it."""

import re
from random import Random

import pytest

from groundwire_verifier.checks.corrections.correction import edited
from groundwire_verifier.checks.corrections.edited_text import AnswerPlaces
from groundwire_verifier.domain.claims import CitationSyntax, Claim, ClaimOptions, Span
from groundwire_verifier.text.claims.extract import extract_claims

SYNTAX = CitationSyntax()
_EMPTY_ITEM = re.compile(r"^[ \t>]*(?:[-*+]|\d+[.)])[ \t]*$", re.MULTILINE)


def without(answer: str, *wrong: str) -> str:
    """The answer without the sentences of the claims that hold one of these words."""
    claims = extract_claims(answer)
    chosen = {
        i: each for i, each in enumerate(claims) if any(word in each.content for word in wrong)
    }
    edits = AnswerPlaces(answer, SYNTAX).without(chosen)
    assert {edit.claim for edit in edits} <= chosen.keys()
    return edited(answer, tuple(edits))


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ("It is red. It is blue. It is old.", "It is red. It is old."),
        ("It is red.\nIt is blue.\nIt is old.", "It is red.\nIt is old."),
        ("It is red.\n\nIt is blue.\n\nIt is old.", "It is red.\n\nIt is old."),
        ("- It is red.\n- It is blue.\n- It is old.", "- It is red.\n- It is old."),
        ("1. It is red.\n   - It is blue.\n2. It is old.", "1. It is red.\n2. It is old."),
        ("- It is red. It is blue.\n- It is old.", "- It is red.\n- It is old."),
        ("> It is blue.\n\nIt is old.", "It is old."),
        ("> It is red. It is blue.", "> It is red."),
        ("It is **red**. It is **blue** [S0].", "It is **red**."),
        ("**It is red. It is blue.** It is old.", "**It is red.** It is old."),
        ("It is red (it is blue).", ""),
        ("It is blue. [S0] It is old. [S1]", "It is old. [S1]"),
        ("It is red and it is blue. It is old.", "It is old."),
        ("# Colours\n\nIt is blue.\n\n## Age\n\nIt is old.", "# Colours\n\n## Age\n\nIt is old."),
        ("המגדל אדום מאוד. It is blue. המגדל ישן.", "המגדל אדום מאוד. המגדל ישן."),
    ],
)
def test_a_sentence_goes_with_all_that_stands_for_nothing_without_it(
    answer: str, left: str
) -> None:
    assert without(answer, "blue") == left


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ("The tower opened in 1887 and was painted blue.", "The tower opened in 1887."),
        ("The tower is red, and the hall is blue [S0][S1].", "The tower is red [S0][S1]."),
        ("- The **tower** opened in 1887 but was blue.\n", "- The **tower** opened in 1887.\n"),
        (
            "**The tower opened in 1887 and was painted blue.** It is old.",
            "**The tower opened in 1887.** It is old.",
        ),
        # The first statement would be no sentence, or what is wrong comes first.
        ("The mill, which was built in 1790, is blue.", ""),
        ("The hall is blue, and the tower is red [S0].", ""),
    ],
)
def test_of_a_sentence_whose_first_statements_stay_only_the_last_go(answer: str, left: str) -> None:
    claims = dict(enumerate(extract_claims(answer)))
    wrong = {i: each for i, each in claims.items() if "blue" in each.content}
    staying = [each for i, each in claims.items() if i not in wrong]
    assert edited(answer, tuple(AnswerPlaces(answer, SYNTAX).without(wrong, staying))) == left


def test_a_row_goes_whole_and_its_table_stays() -> None:
    table = "| Region | Sold |\n|---|---|\n| North | 4 |\n| South | 9 |\n"
    assert without(table, "South") == "| Region | Sold |\n|---|---|\n| North | 4 |\n"


def test_each_claim_has_an_edit_of_its_own() -> None:
    answer = "- It is red.\n- It is blue.\n"
    claims = dict(enumerate(extract_claims(answer)))
    edits = AnswerPlaces(answer, SYNTAX).without(claims)
    assert [edit.claim for edit in edits] == [0, 1]
    assert [edit.span.of(answer) for edit in edits] == ["- It is red.\n", "- It is blue."]


def test_each_claim_of_a_paragraph_that_goes_whole_has_an_edit_of_its_own() -> None:
    answer = "It is red. It is blue.\n\nIt is old."
    claims = dict(enumerate(extract_claims(answer)[:2]))
    edits = AnswerPlaces(answer, SYNTAX).without(claims)
    assert [edit.claim for edit in edits] == [0, 1]
    assert [edit.span.of(answer) for edit in edits] == ["It is red. ", "It is blue.\n\n"]


def test_whatever_is_left_out_no_empty_item_and_no_overlap_stays() -> None:
    random = Random(7)  # noqa: S311 - the same answers each time
    parts = ("It is {}.", "**It is {}.** [S0]", "It is {} and it is old.", "המגדל {} מאוד.")
    leads = ("- ", "1. ", "> ", "", "  - ", "| a | b |\n|---|---|\n| x | 4 |\n\n")
    for _ in range(300):
        lines = [
            random.choice(leads)
            + " ".join(random.choice(parts).format(n) for n in range(random.randint(1, 3)))
            for _ in range(random.randint(1, 5))
        ]
        answer = random.choice(("\n", "\n\n")).join(lines)
        claims = dict(enumerate(extract_claims(answer)))
        chosen = {i: each for i, each in claims.items() if random.random() < 0.5}
        edits = AnswerPlaces(answer, SYNTAX).without(chosen)
        at = 0
        for edit in edits:
            assert at <= edit.span.start < edit.span.end <= len(answer)
            at = edit.span.end
        left = edited(answer, tuple(edits))
        assert not _EMPTY_ITEM.search(left), (answer, left)
        if len(chosen) == len(claims):
            assert not re.search(r"It is|מאוד", left), (answer, left)


def _claim(answer: str) -> Claim:
    return extract_claims(answer)[0]


def test_a_citation_is_written_as_it_was() -> None:
    for answer, right in (
        ("It is red [S0].", "It is red [S2]."),
        ("It is red[^1].", "It is red[^S2]."),
        ("It is red【1】.", "It is red【S2】."),
        ("It is red [S0][S1].", "It is red [S2]."),
    ):
        claim = _claim(answer)
        new = {each: ("S2",) if i == 0 else () for i, each in enumerate(claim.citations)}
        text = answer
        for span, other in reversed(AnswerPlaces(answer, SYNTAX).recited(claim, new)):
            text = text[: span.start] + other + text[span.end :]
        assert text == right


TITLE_OF = {"S0": "lease.md", "S1": "House rules", "S2": "Rates, 2026", "S3": "חוזה"}
TITLES = CitationSyntax(
    known_ids=frozenset(TITLE_OF), titles={title.casefold(): id_ for id_, title in TITLE_OF.items()}
)


@pytest.mark.parametrize(
    ("answer", "right_id", "right"),
    [
        ("It is red [lease.md].", "S1", "It is red [House rules]."),
        ("It is red [Lease.md].", "S3", "It is red [חוזה]."),
        ("הוא אדום [חוזה].", "S0", "הוא אדום [lease.md]."),
        # This title would be read as two names.
        ("It is red [lease.md].", "S2", "It is red [S2]."),
        ("It is red [S0].", "S1", "It is red [S1]."),
    ],
)
def test_a_source_that_is_cited_by_its_title_makes_way_for_another_title(
    answer: str, right_id: str, right: str
) -> None:
    (claim,) = extract_claims(answer, ClaimOptions(citations=TITLES))
    places = AnswerPlaces(answer, TITLES, TITLE_OF)
    ((span, other),) = places.recited(claim, {claim.citations[0]: (right_id,)})
    assert answer[: span.start] + other + answer[span.end :] == right


def test_words_are_not_replaced_across_marks() -> None:
    answer = "It has **four** big wheels."
    claim = _claim(answer)
    places = AnswerPlaces(answer, SYNTAX)
    at = claim.content.index("four big")
    assert places.leaving_out(claim, Span(at, at + len("four big"))) is None
    assert places.leaving_out(claim, Span(at, at + len("four"))) is not None

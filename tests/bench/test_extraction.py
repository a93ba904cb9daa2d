"""How labelled answers are read, and how claims are scored against them."""

import json
from pathlib import Path

import pytest

from bench.extraction import (
    ASSERTION,
    CUT,
    DEVELOP,
    HELD_OUT,
    INSIDE,
    LOST,
    OWN,
    PARTS,
    Answer,
    Assertion,
    Other,
    by_kind,
    by_part,
    confusion,
    figures,
    parse_answers,
    place,
    read_part,
    report,
    score,
)
from bench.tools.common import BenchError
from groundwire_verifier.domain.claims import Claim, NonAssertive

TEXT = "Hello! The tower is tall and the bridge is long. Is it old?"
TALL, LONG = "The tower is tall", "the bridge is long"


def labelled() -> Answer:
    tall, long, hello, old = place(TEXT, [TALL, LONG, "Hello!", "Is it old?"])
    return Answer(
        id="a",
        part=DEVELOP,
        language="en",
        kind="prose",
        text=TEXT,
        assertions=(Assertion(tall), Assertion(long)),
        others=(Other(hello, "lead_in"), Other(old, "question")),
    )


def claim(text: str, reason: NonAssertive | None = None) -> Claim:
    (span,) = place(TEXT, [text])
    return Claim(text, span, (), None, reason, "en")


def outcomes(*claims: Claim, answer: Answer | None = None) -> tuple[str, ...]:
    return score(answer or labelled(), claims).outcomes


def test_each_assertion_may_have_a_claim_of_its_own() -> None:
    assert outcomes(claim(TALL), claim(LONG)) == (OWN, OWN)


def test_one_claim_is_the_own_one_of_one_assertion_only() -> None:
    assert sorted(outcomes(claim(f"{TALL} and {LONG}."))) == [INSIDE, OWN]


def test_a_claim_that_could_serve_two_is_left_to_the_one_that_has_no_other() -> None:
    assert outcomes(claim(f"{TALL} and {LONG}."), claim(LONG)) == (OWN, OWN)


def test_less_than_half_of_an_assertion_is_a_cut_and_nothing_is_lost() -> None:
    assert outcomes(claim("The tower")) == (OWN, LOST)
    assert outcomes(claim("The")) == (CUT, LOST)


def test_what_is_no_assertion_to_the_parser_is_lost() -> None:
    assert outcomes(claim(TALL, NonAssertive.QUESTION), claim(LONG)) == (LOST, OWN)
    assert outcomes(claim(TALL, NonAssertive.HEDGED), claim(LONG)) == (LOST, OWN)


def test_a_span_is_taken_by_a_claim_that_holds_no_assertion() -> None:
    assert score(labelled(), [claim("Hello!"), claim("Is it old?")]).taken == (True, True)
    assert score(labelled(), [claim("Hello!", NonAssertive.LEAD_IN)]).taken == (False, False)
    assert score(labelled(), [claim(f"Hello! {TALL}")]).taken == (False, False)


def test_figures_count_by_part_language_and_kind() -> None:
    found = [score(labelled(), [claim(TALL), claim("Hello!")])]
    group = figures(found, "all")
    assert (group.assertions, group.own, group.lost) == (2, 1, 1)
    assert (group.others, group.taken) == (2, 1)
    assert [each.name for each in by_part(found)] == ["develop", "develop, en"]
    assert [each.name for each in by_kind(found, DEVELOP)] == ["prose"]
    assert confusion(found, DEVELOP)["lead_in", ASSERTION] == 1
    assert confusion(found, HELD_OUT) == {}
    assert "Worst: prose." in report(found)


@pytest.mark.parametrize(
    "row",
    [{}, {"answer": 1}, {"answer": "x", "assertions": [{"text": "y"}], "other": []}],
)
def test_a_line_that_is_no_answer_is_told_with_its_number(
    tmp_path: Path, row: dict[str, object]
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(json.dumps({"id": "a", "language": "en", "kind": "x", **row}) + "\n", "utf-8")
    with pytest.raises(BenchError, match="line 1"):
        parse_answers(path, DEVELOP)


def test_no_answer_is_in_both_parts() -> None:
    develop, held_out = ({answer.text for answer in read_part(part)} for part in PARTS)
    assert develop.isdisjoint(held_out)

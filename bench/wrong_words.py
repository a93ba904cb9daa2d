"""Whole answers and single sentences of which it is known which words are wrong."""

import json
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bench.answers import SEED, LabelledAnswer, read_answers
from bench.tools.common import data_file
from groundwire import Document, Span

ANSWERS, EDITS = "whole answers", "edits"
CHECKED = {"S", "C", "N"}
_SOURCE_ID = "S1"
_MARKS = re.compile(r"[\W_]*\Z")


@dataclass(frozen=True, slots=True)
class WrongWords:
    """Words of an answer that are wrong, by hand; `passage` is the sentence that tells."""

    span: Span
    kind: str
    source_id: str = ""
    passage: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """An answer of a set, and what is known of it.

    `conflicts` has `sentence/source` of each source that disagrees, and `fixed` where each sentence
    stands with what it should be.
    """

    set_name: str
    answer: LabelledAnswer
    wrong: Sequence[WrongWords]
    conflicts: set[str]
    fixed: Sequence[tuple[Span, str]]


def read_cases(limit: int | None) -> list[Case]:
    """All cases, or so many of each set, the sets by turns. Raises MissingDataError, BenchError."""
    sets = [_answers(limit), _edits(limit)]
    placed = [(number, each) for cases in sets for number, each in enumerate(cases)]
    return [each for _, each in sorted(placed, key=lambda pair: pair[0])]


def _answers(limit: int | None) -> list[Case]:
    with data_file("answers/answers.jsonl").open(encoding="utf-8") as lines:
        rows = {row["id"]: row for row in map(json.loads, lines)}
    found = []
    for answer in read_answers(limit):
        row = rows[answer.id]
        starts = [sentence.span.start for sentence in answer.sentences]
        texts = [sentence.text for sentence in answer.sentences]
        for each in row["spans"]:
            texts[each["in"]] = texts[each["in"]].replace(each["text"], each["fix"], 1)
        wrong = [
            WrongWords(Span(place, place + len(each["text"])), each["kind"], each["by"],
                       each["passage"])
            for each in row["spans"]
            if (place := answer.text.find(each["text"], starts[each["in"]])) >= 0
        ]  # fmt: skip
        conflicts = {f"{starts[each['in']]}/{each['id']}" for each in row["conflicts"]}
        fixed = [
            (sentence.span, text)
            for sentence, text in zip(answer.sentences, texts, strict=True)
            if sentence.label.value in CHECKED
        ]
        found.append(Case(ANSWERS, answer, wrong, conflicts, fixed))
    return found


def _edits(limit: int | None) -> list[Case]:
    """Right sentences in which one place was made wrong, of those that have their right twin.

    That is the one on the same text from which they differ least; nothing tells the wrong words but
    the difference.
    """
    with data_file("more/bump.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    rights: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if row["label"] == 1:
            rights[row["context"]].append(row["claim"])
    found = []
    for row in rows:
        claim, twins = row["claim"], rights[row["context"]]
        if row["label"] == 1 or not twins:
            continue
        place, twin = min(
            ((differing(claim, twin), twin) for twin in twins),
            key=lambda pair: pair[0].end - pair[0].start,
        )
        words = place.of(claim).split()
        if not words or 2 * len(words) > len(claim.split()):
            continue
        source = Document(id=_SOURCE_ID, text=row["context"])
        answer = LabelledAnswer(row["id"], "en", "", claim, (source,), ())
        kind = row["meta"]["reasoning"].removesuffix(" Error").casefold()
        whole = [(Span(0, len(claim)), twin)]
        found.append(Case(EDITS, answer, [WrongWords(place, kind)], set(), whole))
    if limit is None or limit >= len(found):
        return found
    return random.Random(SEED).sample(found, limit)  # noqa: S311 - a sample, not a secret


def differing(text: str, other: str) -> Span:
    """The words of a text between those that both texts begin and end with, without marks behind
    them."""
    places = [match.span() for match in re.finditer(r"\S+", text)]
    ours, theirs = text.split(), other.split()
    first = _alike(ours, theirs)
    last = _alike(ours[first:][::-1], theirs[first:][::-1])
    if first + last == len(ours):
        return Span(0, 0)
    start, end = places[first][0], places[len(ours) - 1 - last][1]
    marks = _MARKS.search(text, start, end)
    return Span(start, end if marks is None else max(start, marks.start()))


def _alike(ours: Iterable[str], theirs: Iterable[str]) -> int:
    """How many words two rows of words begin with that are the same."""
    count = 0
    for one, other in zip(ours, theirs, strict=False):
        if one != other:
            break
        count += 1
    return count

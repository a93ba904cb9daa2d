"""Questions of retrieval as the pipeline bench asks them: five sources, and two answers of ten
claims on them, from the shared data in a fixed order.

A source is a stretch of a real biography. Of the two claims that an answer makes on it, one is a
sentence of it, if there is one that makes a single claim, and the rest is what a language model
wrote of the same person: some are supported, and some are not. Every claim cites its source. Each
answer is made so that the rules for claims find exactly ten in it.
"""

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.tools.common import BenchError, data_file
from groundwire import Document
from groundwire_verifier.domain.claims import CitationSyntax, ClaimOptions
from groundwire_verifier.text.claims.extract import extract_claims

DATA_FILE = "factscore.jsonl"
SOURCES = 5
CLAIMS_PER_SOURCE = 2
CLAIMS = SOURCES * CLAIMS_PER_SOURCE
ANSWERS = 2
SEED = 20
LEAST_CHARACTERS, GOAL_CHARACTERS, MOST_CHARACTERS = 240, 420, 540
"""Characters of a source, which ends with the sentence that reaches a goal below
GOAL_CHARACTERS: about 60 to 150 tokens."""
LEAST_CLAIM_CHARACTERS, MOST_CLAIM_CHARACTERS = 20, 200
LEAST_SENTENCE_WORDS = 5
_LIST = re.compile(r"\.:| - ")
_SEPARATOR = re.compile(r"\s*####SPECIAL####SEPARATOR####\s*")
_SENTENCE_START = re.compile(r"(?<=[.!?])(?<!\b\d\.)(?<!\b[A-Z]\.)\s+(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Visit:
    """Sources that no other visit has, and the answers on them."""

    sources: tuple[Document, ...]
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Source:
    """A stretch of a biography with the claims that can be made on it, for each answer."""

    topic: str
    text: str
    claims: tuple[list[str], ...]


class Answers:
    """Visits, none of which shares a source with another one."""

    def __init__(self, path: Path | None = None) -> None:
        """Read the data. Raises MissingDataError."""
        shuffle = random.Random(SEED)  # noqa: S311 - a fixed order, not a secret
        self._topics = [
            list(_sources(topic, text, facts, shuffle))
            for topic, (text, facts) in _biographies(path or data_file(DATA_FILE)).items()
        ]
        self._shuffle = shuffle

    def visit(self) -> Visit:
        """The next visit: sources about five people. Raises BenchError when the data is used up."""
        while True:
            # Those with the most sources left first, so that the data lasts.
            self._shuffle.shuffle(self._topics)
            self._topics.sort(key=len, reverse=True)
            chosen = self._topics[:SOURCES]
            if len(chosen) < SOURCES or not chosen[-1]:
                raise BenchError("the data has no more unused sources: take fewer repeats")
            sources = [topic.pop() for topic in chosen]
            self._shuffle.shuffle(sources)
            visit = _visit(sources)
            if all(_has_its_claims(answer) for answer in visit.answers):
                return visit


def _visit(sources: Sequence[_Source]) -> Visit:
    documents = [Document(f"S{i}", s.text, s.topic) for i, s in enumerate(sources)]
    answers = (
        " ".join(
            _cited(claim, f"S{i}") for i, source in enumerate(sources) for claim in source.claims[n]
        )
        for n in range(ANSWERS)
    )
    return Visit(tuple(documents), tuple(answers))


def _biographies(path: Path) -> dict[str, tuple[str, list[str]]]:
    """The text on each topic and the facts that were written of it."""
    found: dict[str, tuple[str, list[str]]] = {}
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            text = _SEPARATOR.sub(" ", row["context"])
            found.setdefault(row["meta"]["topic"], (text, []))[1].append(row["claim"])
    return found


def _sources(
    topic: str, text: str, facts: Sequence[str], shuffle: random.Random
) -> Iterator[_Source]:
    written = [fact for fact in dict.fromkeys(facts) if _is_one_claim(fact)]
    shuffle.shuffle(written)
    for sentences in _stretches(_prose(text), shuffle):
        own = [sentence for sentence in sentences if _is_one_claim(sentence)][:ANSWERS]
        missing = ANSWERS * CLAIMS_PER_SOURCE - len(own)
        if missing > len(written):
            return
        claims = [*own, *(written.pop() for _ in range(missing))]
        # Dealt out in turn, so that each answer gets one of the sentences.
        yield _Source(topic, " ".join(sentences), tuple(claims[n::ANSWERS] for n in range(ANSWERS)))


def _prose(text: str) -> list[str]:
    """The sentences of a text, without headings and lists."""
    sentences = _SENTENCE_START.split(" ".join(text.split()))
    return [s for s in sentences if len(s.split()) >= LEAST_SENTENCE_WORDS and not _LIST.search(s)]


def _stretches(sentences: Sequence[str], shuffle: random.Random) -> Iterator[list[str]]:
    """Consecutive sentences of a source's length; none is in two stretches."""
    stretch: list[str] = []
    goal = shuffle.randint(LEAST_CHARACTERS, GOAL_CHARACTERS)
    for sentence in sentences:
        stretch.append(sentence)
        characters = len(" ".join(stretch))
        if characters > MOST_CHARACTERS:
            stretch = [sentence] if len(sentence) <= MOST_CHARACTERS else []
        elif characters >= goal:
            yield stretch
            stretch, goal = [], shuffle.randint(LEAST_CHARACTERS, GOAL_CHARACTERS)


def _cited(claim: str, source_id: str) -> str:
    return f"{claim.rstrip('.')} [{source_id}]."


def _is_one_claim(text: str) -> bool:
    fits = LEAST_CLAIM_CHARACTERS <= len(text) <= MOST_CLAIM_CHARACTERS
    return fits and text.endswith(".") and _citations(_cited(text, "S0")) == [("S0",)]


def _has_its_claims(answer: str) -> bool:
    wanted = [(f"S{i}",) for i in range(SOURCES) for _ in range(CLAIMS_PER_SOURCE)]
    return _citations(answer) == wanted


def _citations(text: str) -> list[tuple[str, ...]] | None:
    """What each claim of a text cites; None if one of them is skipped or states a confidence."""
    syntax = CitationSyntax(known_ids=frozenset(f"S{i}" for i in range(SOURCES)))
    claims = extract_claims(text, ClaimOptions(citations=syntax))
    if any(c.non_assertive is not None or c.confidence is not None for c in claims):
        return None
    if any(len(c.content) < LEAST_CLAIM_CHARACTERS - 4 for c in claims):
        return None
    return [tuple(i for citation in c.citations for i in citation.ids) for c in claims]

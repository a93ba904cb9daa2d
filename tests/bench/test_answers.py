"""The answers that the pipeline bench sends."""

import json
from pathlib import Path

import pytest

from bench.tools.answers import CLAIMS, SOURCES, Answers, Visit
from bench.tools.common import BenchError
from groundwire_verifier.text.claims.extract import extract_claims

TOPICS = [f"Person {letter}" for letter in "ABCDE"]
PLACES = ("Rome", "Paris", "Oslo", "Lima", "Cairo", "Tokyo")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Five biographies of enough sentences for a few sources each."""
    path = tmp_path / "facts.jsonl"
    with path.open("w", encoding="utf-8") as lines:
        for topic in TOPICS:
            context = " ".join(
                f"In {1900 + i} {topic} moved to a small town near {place} for a new post."
                for i, place in enumerate(PLACES * 4)
            )
            for i, place in enumerate(PLACES):
                claim = f"{topic} lived in {place} for {i + 2} years."
                row = {"context": context, "claim": claim, "meta": {"topic": topic}}
                lines.write(json.dumps(row) + "\n")
    return path


def all_visits(answers: Answers) -> list[Visit]:
    visits = []
    while True:
        try:
            visits.append(answers.visit())
        except BenchError:
            return visits


def test_an_answer_has_two_claims_on_each_of_its_sources_in_order(file: Path) -> None:
    for visit in all_visits(Answers(file)):
        assert [source.id for source in visit.sources] == [f"S{i}" for i in range(SOURCES)]
        for answer in visit.answers:
            claims = extract_claims(answer)
            assert len(claims) == CLAIMS
            cited = [i for claim in claims for citation in claim.citations for i in citation.ids]
            assert cited == [f"S{i}" for i in range(SOURCES) for _ in range(2)]

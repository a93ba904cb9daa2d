"""Labelled exchanges: each with an answer to every question of common sense.

In JSON lines: `question`, `response`, `tool_calls`, `language`, `domain`, and `labels`, a letter
for each question of CommonSense in their order: Y, N or U as the label begins, - where nobody
knows.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from groundwire_verifier.checks.assessment.common_sense import labels_of
from groundwire_verifier.checks.assessment.exchange import Exchange, ToolCall
from groundwire_verifier.domain.types import Label


@dataclass(frozen=True, slots=True)
class AssessmentCase:
    """An exchange and the answers to the questions of CommonSense, in their order.

    None stands for a question whose answer nobody knows.
    """

    exchange: Exchange
    answers: tuple[Label | None, ...]
    language: str
    domain: str = ""


def read_cases(path: Path) -> list[AssessmentCase]:
    """The cases of a file. Raises OSError, KeyError or ValueError."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        calls = tuple(ToolCall(**call) for call in case.get("tool_calls", ()))
        exchange = Exchange(case["question"], case["response"], calls)
        answers = labels_of(case["labels"])
        found.append(AssessmentCase(exchange, answers, case["language"], case["domain"]))
    return found

"""`groundwire similarity`: compares the answer of a conversation with its context."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from groundwire_server.cli import flags
from groundwire_server.config.sources import ConfigError
from groundwire_server.embedding.choice import make_embedder
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_OK, EXIT_UNAVAILABLE
from groundwire_server.similarity.conversation import (
    ConversationError,
    extract_ai_answer,
    extract_context_texts,
    extract_last_user_question,
    load_json,
)
from groundwire_server.similarity.detector import EmbeddingHallucinationDetector
from groundwire_verifier.checks.similarity.texts import SimilarityReport
from groundwire_verifier.domain.errors import BackendUnavailableError

Found = TypeVar("Found")

NOTE = "similarity is no verdict: another number or name, or a denial, is as near; verify reads it"


def add(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add = parser.add_argument
    add(
        "--conversation",
        type=Path,
        default=Path("conversation.json"),
        metavar="FILE",
        help="the last turn of the role AI/Chatbot is the answer; default: conversation.json",
    )
    add(
        "--context",
        type=Path,
        default=Path("context.json"),
        metavar="FILE",
        help="the texts of data.vector_data[].text; default: context.json",
    )
    add(
        "--threshold",
        "--similarity-threshold",
        dest="setting_similarity_threshold",
        metavar="COSINE",
        help="a sentence counts as supported from this cosine on, in [0, 1], sensibly .55 to .70; "
        "default: the setting similarity_threshold, .60",
    )
    add("--json", action="store_true", help="print JSON")
    add("--config", type=Path, metavar="FILE", help="a YAML file of settings")


def run(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Compare and print the report. Raises ConfigError."""
    settings = flags.server(arguments, environment)
    conversation = _of_file("--conversation", arguments.conversation, load_json)
    context = _of_file("--context", arguments.context, load_json)
    answer = _in_file("--conversation", arguments.conversation, extract_ai_answer, conversation)
    question = _question(conversation)
    texts = _in_file("--context", arguments.context, extract_context_texts, context)
    detector = EmbeddingHallucinationDetector(embedder=make_embedder(settings))
    try:
        report = detector.report(answer, texts, settings.similarity_threshold)
    except BackendUnavailableError as error:
        print(f"groundwire: embeddings: {error}", file=sys.stderr)
        return EXIT_UNAVAILABLE
    if arguments.json:
        print(_as_json(question, answer, report, detector.embedder.name))
    else:
        _print(question, answer, report)
    return EXIT_OK if report.sentences and not report.unsupported else EXIT_BELOW


def _of_file(flag: str, path: Path, read: Callable[[Path], object]) -> object:
    try:
        return read(path)
    except ConversationError as error:
        raise ConfigError(f"{flag}: {error}") from error


def _in_file(flag: str, path: Path, extract: Callable[[object], Found], found: object) -> Found:
    try:
        return extract(found)
    except ConversationError as error:
        raise ConfigError(f"{flag}: {path}: {error}") from error


def _question(conversation: object) -> str | None:
    """The question, which is only shown: an answer without one can be compared as well."""
    try:
        return extract_last_user_question(conversation)
    except ConversationError:
        return None


def _print(question: str | None, answer: str, report: SimilarityReport) -> None:
    if question is not None:
        print(f"Question:\n{question}\n")
    print(f"AI Answer:\n{answer}\n")
    print("Unsupported Claims:")
    for each in report.unsupported:
        print(f"- {each.sentence.text}  (sim={each.similarity:.3f})")
    if not report.unsupported:
        print("none")
    score = report.hallucination_score
    if score is None:
        print("\nHallucination score: none, since no sentence has 10 characters or more")
    else:
        print(f"\nHallucination score: {score:.3f}")
    print(f"groundwire: {NOTE}", file=sys.stderr)


def _as_json(question: str | None, answer: str, report: SimilarityReport, embedder: str) -> str:
    sentences = [
        {
            "text": each.sentence.text,
            "start": each.sentence.span.start,
            "end": each.sentence.span.end,
            "similarity": each.similarity,
            "context_index": each.context_index,
            "supported": each.supported,
        }
        for each in report.sentences
    ]
    shown = {
        "question": question,
        "answer": answer,
        "hallucination_score": report.hallucination_score,
        "unsupported_claims": [each for each in sentences if not each["supported"]],
        "sentences": sentences,
        "short_sentences": report.short,
        "threshold": report.threshold,
        "embedder": embedder,
        "note": NOTE,
    }
    return json.dumps(shown, ensure_ascii=False, indent=2)

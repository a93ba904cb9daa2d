"""What questions have to keep to before anything of them is tokenised.

Knows limits and field names. A text itself is never repeated.
"""

from collections.abc import Collection, Sequence

from groundwire_verifier.decisions.types import (
    MAX_LEVELS,
    MAX_NAME_CHARACTERS,
    MAX_OPTIONS,
    MIN_OPTIONS,
    Choice,
    DecisionInput,
    DecisionQuestion,
    Option,
    Predicate,
)
from groundwire_verifier.decisions.wording import context_of, option_names, question_text
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.errors import (
    InvalidReason,
    UnreadableOptionError,
    Violation,
)
from groundwire_verifier.domain.types import Limits


def check_input(asked: DecisionInput, limits: Limits, backends: Collection[str]) -> None:
    """Check a request whole, as far as that needs no model. Raises InvalidInputError."""
    found = checks.visible_text(asked.state, limits, "state")
    if not found:
        found += checks.context(context_of(asked), limits, "instructions")
    questions = asked.questions
    if not questions:
        words = "is empty; send at least one question"
        found.append(Violation("questions", InvalidReason.EMPTY_BATCH, words))
    if len(questions) > limits.claims:
        words = f"holds {len(questions)} questions; the limit is {limits.claims}: split the request"
        found.append(Violation("questions", InvalidReason.TOO_MANY_CLAIMS, words))
    for i, question in enumerate(questions[: limits.claims]):
        found += _question(question, limits, f"questions[{i}]")
    if not found:
        found += checks.claims_characters(map(question_text, questions), limits, "questions")
        found += checks.prompts(len(questions), limits, "questions")
    if asked.backend:
        found += checks.backend(asked.backend, backends)
    checks.raise_any(found)


def check_tokens(tokens: Sequence[int], limits: Limits) -> None:
    """No question may have too many tokens with its options. Raises InvalidInputError."""
    checks.raise_any(
        [
            Violation(
                f"questions[{i}]",
                InvalidReason.TEXT_TOO_LONG,
                checks.too_long(
                    count, limits.claim_tokens, "tokens", "the question or its options"
                ),
            )
            for i, count in enumerate(tokens)
            if count > limits.claim_tokens
        ]
    )


def unreadable(error: UnreadableOptionError, index: int) -> Violation:
    """What is wrong with the question at `index`, whose options a model cannot tell apart."""
    why = (
        "does not start with a token of letters or digits"
        if error.other is None
        else f"starts with the same token as option {error.other}"
    )
    words = (
        f"cannot be told by its first token: option {error.index} {why} in the model's tokeniser; "
        "ask with letters (OPTION_LABELS_LETTERS)"
    )
    return _invalid(f"questions[{index}]", words)


def without_tokeniser(index: int) -> Violation:
    """What is wrong with a choice or a score for a model on an endpoint."""
    words = (
        "has options, and the backend is a model on an endpoint, whose tokeniser is not known; ask "
        "predicates, or another backend"
    )
    return _invalid(f"questions[{index}]", words)


def _question(question: DecisionQuestion, limits: Limits, at: str) -> list[Violation]:
    asked = question.asked
    found: list[Violation] = []
    if len(question.name) > MAX_NAME_CHARACTERS:
        words = checks.too_long(len(question.name), MAX_NAME_CHARACTERS, "characters", "it")
        found.append(_invalid(f"{at}.name", words))
    if isinstance(asked, Predicate):
        texts = (question.instructions, asked.true_when, asked.false_when)
        if not any(map(checks.has_visible_character, texts)):
            found.append(_invalid(at, "asks nothing; send the statement in instructions"))
    elif isinstance(asked, Choice):
        found += _options(asked.options, MAX_OPTIONS, f"{at}.choice.options")
    else:
        found += _options(asked.levels, MAX_LEVELS, f"{at}.score.levels")
    if not found and (size := len(question_text(question))) > limits.text_characters:
        words = checks.too_long(size, limits.text_characters, "characters", "it or its options")
        found.append(Violation(at, InvalidReason.TEXT_TOO_LONG, words))
    return found


def _options(options: Sequence[Option], most: int, at: str) -> list[Violation]:
    if not MIN_OPTIONS <= len(options) <= most:
        return [_invalid(at, f"holds {len(options)}; send {MIN_OPTIONS} to {most}")]
    names = option_names(options)
    found: list[Violation] = []
    for i, name in enumerate(names):
        if not checks.has_visible_character(name):
            words = "has no visible character; send what the option is called"
            found.append(_invalid(f"{at}[{i}].name", words))
        elif name in names[:i]:
            words = f"is that of option {names.index(name)}, too; name each differently"
            found.append(_invalid(f"{at}[{i}].name", words))
    return found


def _invalid(field: str, words: str) -> Violation:
    return Violation(field, InvalidReason.INVALID_QUESTION, words)

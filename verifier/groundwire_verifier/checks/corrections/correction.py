"""An answer with edits after which its sources bear it out."""

from dataclasses import dataclass
from enum import Enum

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.verdicts.types import AnswerSummary


class EditKind(Enum):
    """What an edit does."""

    VALUE_REPLACED = "value replaced"
    NAME_REPLACED = "name replaced"
    WORD_REPLACED = "word replaced"
    REWRITTEN = "rewritten"
    CLAUSE_LEFT_OUT = "clause left out"
    CITATION_CHANGED = "citation changed"
    SENTENCE_LEFT_OUT = "sentence left out"


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of an answer: `replacement` stands in place of `span`.

    `claim` is the index of the claim that it corrects. `source_span` is the sentence of the source
    that carries it, as sent, and `probability` that of the claim with the edit, in [0, 1]; both are
    None where nothing carries it, since something is left out.
    """

    span: Span
    replacement: str
    kind: EditKind
    claim: int
    source_id: str = ""
    source_span: Span | None = None
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class Correction:
    """An answer put right. `edits` are in its order and do not overlap.

    `summary` is that of the corrected answer; None where the time ended before it was verified.
    `untried` are the indexes of claims for which not all was tried.
    """

    text: str
    edits: tuple[Edit, ...]
    summary: AnswerSummary | None
    untried: tuple[int, ...]


def edited(text: str, edits: tuple[Edit, ...]) -> str:
    """The text with all edits made; they are in its order and do not overlap."""
    pieces: list[str] = []
    at = 0
    for edit in edits:
        pieces += [text[at : edit.span.start], edit.replacement]
        at = edit.span.end
    return "".join((*pieces, text[at:]))

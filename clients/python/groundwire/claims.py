"""What is found in a text: claims with their places, citations and confidence.

Positions are Unicode code points, which are the characters of a Python str, half-open.
Probabilities and confidences are in [0, 1]. Languages are BCP 47 tags, "en" or "he".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import overload

from groundwire._wire.fields import Share


class ConfidenceSource(StrEnum):
    """Where a confidence is from."""

    STATED = "STATED"
    """A number in the text, such as "80 % sure"."""
    INFERRED = "INFERRED"
    """The wording, such as "probably"."""
    REQUEST = "REQUEST"
    """The request."""
    DEFAULT = "DEFAULT"
    """The server's default for claims that state none."""
    UNKNOWN = "UNKNOWN"


class NonAssertiveReason(StrEnum):
    """Why a claim asserts nothing that evidence could support."""

    QUESTION = "QUESTION"
    INSTRUCTION = "INSTRUCTION"
    """An instruction. One that holds a figure, a flag, a path or a name is read all the same,
    unless the server's `verify_instructions` is off."""
    HEDGED = "HEDGED"
    """Its confidence is below `ExtractOptions.min_assertion_confidence`."""
    CODE = "CODE"
    """Code. It is read as such an instruction is."""
    HEADING = "HEADING"
    LEAD_IN = "LEAD_IN"
    """Talk about the answer: a greeting, or a line that announces what follows."""
    ABSENCE = "ABSENCE"
    """It says that the sources do not say something, or that the answer does not know."""
    UNKNOWN = "UNKNOWN"


class Extractor(StrEnum):
    """A way to find the claims of a text."""

    RULES = "RULES"
    """Rules, without a model."""
    MODEL = "MODEL"
    """A model writes the claims, with pronouns resolved, and each is traced to the text; the rules
    put back what it leaves out, and take over where it fails."""
    UNKNOWN = "UNKNOWN"


class ExtractorFallback(StrEnum):
    """Why the rules found the claims where a model was to."""

    BACKEND_FAILED = "BACKEND_FAILED"
    """The model's backend gave no answer: it is loading, failed or refused."""
    OUT_OF_TIME = "OUT_OF_TIME"
    """The model was not done in its time, or would not have been."""
    TOO_LONG = "TOO_LONG"
    """The text is too long for the model."""
    CUT_SHORT = "CUT_SHORT"
    """The model's answer was cut short."""
    MALFORMED = "MALFORMED"
    """The model's answer did not have the form that it was asked for."""
    NOTHING_TRACED = "NOTHING_TRACED"
    """The model wrote no claim that could be traced to the text."""
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class Extraction:
    """How the claims of a text were found."""

    extractor: Extractor = Extractor.RULES
    """Who found them."""
    fallback: ExtractorFallback | None = None
    """Why the rules did where a model was asked for; None: otherwise."""
    dropped_claims: int = 0
    """Claims of the model that were dropped, since they could not be traced to the text."""
    restored_claims: int = 0
    """Assertions that the model left out and the rules put back; they are among the claims."""
    backend: str = ""
    """The name of the backend that was asked; empty: none was."""
    model: str = ""
    """The name of its model; empty: none was asked."""


@dataclass(frozen=True, slots=True)
class Span:
    """A range of characters of a text, never empty."""

    start: int
    """The first character, from 0."""
    end: int
    """The character after the last one, above `start`."""

    def of(self, text: str) -> str:
        """The characters themselves, cut from the text that the span belongs to."""
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Citation:
    """A citation as it stands in the text."""

    span: Span
    """Where it is."""
    ids: tuple[str, ...]
    """The ids that it names, ranges written out."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of a text."""

    content: str
    """The statement to judge: it stands alone and holds no citation. It need not appear in the
    text, since a subject that two claims of a sentence share is repeated in both, and since a claim
    that a model found has the model's wording."""
    span: Span
    """Where the claim's own characters are in the text."""
    citations: tuple[Citation, ...]
    """Its citations, in order."""
    confidence: Share
    """How sure it is, in [0, 1]: what the text says, or else the confidence of claims that state
    none."""
    confidence_source: ConfidenceSource
    """Where the confidence is from."""
    non_assertive_reason: NonAssertiveReason | None
    """Why it asserts nothing that evidence could support; None: it is an assertion."""
    language: str
    """The language as a BCP 47 tag."""

    @property
    def stated_confidence(self) -> float | None:
        """`confidence` as far as the text itself says so; None: it does not."""
        own = (ConfidenceSource.STATED, ConfidenceSource.INFERRED)
        return self.confidence if self.confidence_source in own else None

    @property
    def cited_ids(self) -> tuple[str, ...]:
        """The distinct ids of all its citations, in order."""
        return tuple(dict.fromkeys(i for citation in self.citations for i in citation.ids))


@dataclass(frozen=True, slots=True)
class ExtractResult(Sequence[Claim]):
    """The answer to `extract_claims`: a sequence of claims in the order of the text."""

    claims: tuple[Claim, ...]
    """The claims, those that assert nothing included."""
    language: str
    """The text's language as a BCP 47 tag."""
    extraction: Extraction = Extraction()
    """How the claims were found."""
    rules: str = ""
    """By which rules: "en", "he", or "generic" for all other languages. Empty from an older
    server."""

    def __len__(self) -> int:
        return len(self.claims)

    @overload
    def __getitem__(self, index: int) -> Claim: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Claim, ...]: ...

    def __getitem__(self, index: int | slice) -> Claim | tuple[Claim, ...]:
        return self.claims[index]

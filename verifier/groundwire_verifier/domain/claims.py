"""What is found in a text: spans, citations, claims.

Positions are code points of the text that was given, half-open.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Characters `start` to `end` (exclusive) of a text."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The characters of `text` in this span."""
        return text[self.start : self.end]

    def overlaps(self, other: "Span") -> bool:
        """Whether both, neither of which is empty, have a character in common."""
        return self.start < other.end and other.start < self.end


class NonAssertive(Enum):
    """Why a claim asserts nothing that evidence could support."""

    QUESTION = "a question"
    INSTRUCTION = "an instruction"
    HEDGED = "hedged: its confidence is below the floor of an assertion"
    CODE = "code"
    HEADING = "a heading"
    LEAD_IN = "talk about the answer: a greeting, or a line that announces what follows"
    ABSENCE = "that the sources do not say something"


class Ending(Enum):
    """How a claim ends where the text ends: a text may be cut off in the middle of a sentence."""

    WHOLE = "with an end, or with more behind it"
    OPEN = "without a mark, unlike the sentences before it"
    CUT = "with a word that is nothing without the next one"


class ConfidenceSource(Enum):
    """Where a claim's confidence comes from; only the first two are found in a text."""

    STATED = "a number in the claim"
    INFERRED = "the claim's wording"
    REQUEST = "the request"
    DEFAULT = "the server's default"


@dataclass(frozen=True, slots=True)
class Confidence:
    """How sure a claim is: `value` in [0, 1], and the words that say so.

    `span` is empty where no words do: the request or the server chose it.
    """

    value: float
    source: ConfidenceSource
    span: Span


class BracketStyle(Enum):
    """How a citation is written."""

    SQUARE = "[S0]"
    CARET = "[^1]"
    LENTICULAR = "【1】"


def as_answer(question: str, answer: str) -> str:
    """A claim that needs its question, in the form in which question answering data states it."""
    return f"Question: {question.strip()} Answer: {answer.strip()}"


@dataclass(frozen=True, slots=True)
class CitationSyntax:
    """What counts as a citation.

    An id is one of `prefixes` and digits, or one of `known_ids`: the ids of the caller's sources.
    An id of the first form is read whether or not such a source exists.
    """

    styles: frozenset[BracketStyle] = frozenset(BracketStyle)
    prefixes: tuple[str, ...] = ("S", "")
    known_ids: frozenset[str] = frozenset()
    titles: Mapping[str, str] = field(default_factory=dict)
    """The ids of sources by their titles, which cite as well, without case."""
    folded_ids: frozenset[str] = field(init=False)
    """`known_ids` without their case: made once, since each block of a text looks into them."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "folded_ids", frozenset(i.casefold() for i in self.known_ids))

    def named(self, name: str) -> str:
        """The id that a name stands for: that of the source with this title, or the name itself."""
        return name if name in self.known_ids else self.titles.get(name.casefold(), name)


@dataclass(frozen=True, slots=True)
class Languages:
    """The languages of a text as BCP 47 tags: of what is in Latin letters, and in others.

    Hebrew letters are Hebrew whatever these say.
    """

    latin: str = "en"
    other: str = "und"


@dataclass(frozen=True, slots=True)
class ClaimOptions:
    """How a text is read. A claim with less than `min_assertion_confidence` is hedged."""

    citations: CitationSyntax = CitationSyntax()
    min_assertion_confidence: float = 0.6
    split_compounds: bool = True
    languages: Languages = Languages()


@dataclass(frozen=True, slots=True)
class Citation:
    """A citation as written, such as `[S0-S2]`, and the ids that it names, in order."""

    span: Span
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of a text.

    `content` is what is judged: a statement that stands alone, without citations. It need not
    appear in the text, since a shared subject is repeated in it. `span` is where the claim's own
    characters are. `confidence` is None where the text says nothing about it, until the default
    is filled in. Of an ABSENCE `missing` is the claim that the sources say what it says they do
    not; empty where it does not tell what that is.
    """

    content: str
    span: Span
    citations: tuple[Citation, ...]
    confidence: Confidence | None
    non_assertive: NonAssertive | None
    language: str
    ending: Ending = Ending.WHOLE
    missing: str = ""

    @property
    def cited_ids(self) -> tuple[str, ...]:
        """The distinct ids of all citations, in order."""
        return tuple(dict.fromkeys(i for citation in self.citations for i in citation.ids))

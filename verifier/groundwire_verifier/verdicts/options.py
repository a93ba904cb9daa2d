"""What a caller may choose for a verification, with the defaults, and the rules they keep."""

import math
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field
from enum import Enum

from groundwire_verifier.domain import checks
from groundwire_verifier.domain.claims import Confidence, ConfidenceSource, Span
from groundwire_verifier.domain.errors import InvalidInputError, InvalidReason, Violation
from groundwire_verifier.domain.evidence import (
    DEFAULT_MARKER,
    Document,
    Evidence,
    SourceRange,
)
from groundwire_verifier.domain.types import Limits
from groundwire_verifier.numbers.calibration import Strictness
from groundwire_verifier.verdicts.policy import Policy, Thresholds

MIN_CLAIM_CHARACTERS = 8
"""By default. `Cost: $5` says something that evidence can bear out; a name or a number alone, such
as `Paris.`, mostly does not."""
PASSAGE_TOKENS = 1500
"""Of the passages that a claim is read with, at most: the models that ship learnt nothing from
longer contexts. What is shorter is read whole."""
MAX_VERIFIED_CLAIMS = 64
"""Of an answer, by default: longer ones are rare, and cost what several cost."""
MAX_MARKER_CHARACTERS = 200
MAX_ID_CHARACTERS = 256
MAX_TITLE_CHARACTERS = 500
MAX_CITED_IDS = 100
"""Most ids that one claim of a request may cite."""


class Read(Enum):
    """How much of its evidence a claim is read with.

    AUTO is PASSAGES where the evidence has more tokens than the passages of a claim may have. Where
    it is shorter, a claim that says values of one row of a table is read without the rows beside
    it. It is WHOLE where the evidence may be split into chunks.
    """

    AUTO = "auto"
    PASSAGES = "passages"
    WHOLE = "whole"


class PriorReading(Enum):
    """What of the evidence that stays p0 is read with: what shares words with the claim, or all."""

    RELATED = "related"
    WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """How claims are verified. `max_claims` and `min_claim_characters` are for answers.

    `verify_instructions` has instructions and code read that hold something to check.
    `strictness` is the operating point that the default confidence is of; None if it is of none.
    `confidence_source` says who chose the default confidence: REQUEST or DEFAULT. `explain` asks
    why each claim has its verdict.
    """

    policy: Policy = Policy.BUDGET
    thresholds: Thresholds = field(default_factory=Thresholds)
    strictness: Strictness | None = None
    confidence_source: ConfidenceSource = ConfidenceSource.DEFAULT
    marker: str = DEFAULT_MARKER
    attribute_citations: bool = False
    max_claims: int = MAX_VERIFIED_CLAIMS
    min_claim_characters: int = MIN_CLAIM_CHARACTERS
    include_non_assertive: bool = False
    verify_instructions: bool = True
    backend: str = ""
    skip_result_cache: bool = False
    split_long_context: bool = False
    skip_non_evidence: bool = False
    read: Read = Read.AUTO
    prior_reading: PriorReading = PriorReading.WHOLE
    explain: bool = False

    @property
    def plain_confidence(self) -> Confidence:
        """The confidence of a claim that states none."""
        return Confidence(self.thresholds.default_confidence, self.confidence_source, Span(0, 0))


@dataclass(frozen=True, slots=True)
class EvidenceInput:
    """Evidence as a caller sends it: documents, or a context with ranges."""

    sources: tuple[Document | SourceRange, ...] = ()
    context: str = ""

    def build(self) -> Evidence:
        """The evidence; only for an input that `check_evidence` passed."""
        documents = [s for s in self.sources if isinstance(s, Document)]
        if documents:
            return Evidence.of_documents(documents)
        ranges = [s for s in self.sources if isinstance(s, SourceRange)]
        return Evidence.of_context(self.context, ranges)


def check_options(
    options: VerifyOptions, limits: Limits, backends: Collection[str], name: str
) -> list[Violation]:
    """What is wrong with options that stand in the field `name`."""
    found: list[Violation] = []
    if options.backend:
        found += checks.backend(options.backend, backends, f"{name}.backend")
    at = f"{name}.thresholds"
    shares = asdict(options.thresholds)
    gap_bits, contradicted = shares.pop("max_gap_bits"), shares.pop("max_contradicted")
    found += checks.shares({f"{at}.{threshold}": value for threshold, value in shares.items()})
    if not (gap_bits >= 0.0 and math.isfinite(gap_bits)):
        found.append(_option(f"{at}.max_gap_bits", f"is {gap_bits:g}; it must be at least 0"))
    if contradicted is not None and contradicted < 0:
        text = f"is {contradicted}; it must be at least 0, or left out"
        found.append(_option(f"{at}.max_contradicted", text))
    if len(options.marker) > MAX_MARKER_CHARACTERS:
        text = f"has {len(options.marker)} characters; the limit is {MAX_MARKER_CHARACTERS}"
        found.append(_option(f"{name}.marker", text))
    if not 1 <= options.max_claims <= limits.claims:
        text = f"is {options.max_claims}; it must be in [1, {limits.claims}]"
        found.append(_option(f"{name}.max_claims", text))
    if options.min_claim_characters < 0:
        text = f"is {options.min_claim_characters}; it must be at least 0"
        found.append(_option(f"{name}.min_claim_characters", text))
    return found


def check_evidence(evidence: EvidenceInput, limits: Limits, name: str) -> list[Violation]:
    """What is wrong with evidence that stands in the field `name`."""
    sources, context = evidence.sources, evidence.context
    if not sources and not context:
        return [_source(name, "holds nothing; send documents, or a context")]
    if len(sources) > limits.sources:
        text = f"holds {len(sources)} sources; the limit is {limits.sources}: send fewer"
        return [_source(f"{name}.sources", text)]
    found = checks.context(context, limits, f"{name}.context")
    if not sources and not found:
        found += checks.visible_text(context, limits, f"{name}.context")
    visible = checks.VisibleOffsets(context)
    ids: set[str] = set()
    fits = not found
    for i, source in enumerate(sources):
        path = f"{name}.sources[{i}]"
        found += _check_id(source.id, f"{path}.id")
        if isinstance(source, Document):
            if context:
                text = "is a document beside a context; send ranges of the context, or no context"
                found.append(_source(path, text))
            if source.id in ids:
                text = "has the id of an earlier document; give each its own"
                found.append(_source(f"{path}.id", text))
            found += _check_document(source, limits, f"{path}.document")
        elif not 0 <= source.span.start < source.span.end <= len(context):
            text = f"is no range of the context, which has {len(context):,} characters"
            found.append(_source(f"{path}.range", text))
        elif fits and not visible.any_in(source.span):
            found.append(_source(f"{path}.range", "has no visible character; cite some text"))
        ids.add(source.id)
    joined = sum(len(s.text) + len(s.title) for s in sources if isinstance(s, Document))
    if joined > limits.text_characters:
        text = f"have {joined:,} characters together; the limit is {limits.text_characters:,}"
        found.append(_source(f"{name}.sources", f"{text}: send fewer or shorter ones"))
    return found


def evidence_took_too_long(field: str, limit_s: float) -> InvalidInputError:
    """The error of evidence, in `field`, to split which takes over `limit_s` seconds of work."""
    words = (
        f"takes more than {limit_s:g} s of a processor, the limit, to be split into sentences: "
        "send less of it"
    )
    return InvalidInputError((Violation(field, InvalidReason.TEXT_TOO_LONG, words),))


def _check_document(document: Document, limits: Limits, path: str) -> list[Violation]:
    found: list[Violation] = []
    if len(document.text) > limits.text_characters or not checks.has_visible_character(
        document.text
    ):
        found += checks.visible_text(document.text, limits, f"{path}.text")
    if len(document.title) > MAX_TITLE_CHARACTERS:
        text = f"has {len(document.title)} characters; the limit is {MAX_TITLE_CHARACTERS}"
        found.append(_source(f"{path}.title", text))
    return found


def has_forbidden_character(source_id: str) -> bool:
    """Whether an id has a character with which it could never be cited, or a blank at an end."""
    return not source_id.isprintable() or source_id != source_id.strip()


def check_cited_ids(ids: Sequence[str], path: str, least: int = 0) -> list[Violation]:
    """No id that is cited, or counts as one, may be longer than that of any source.

    One that is to be found in a text has a character at `least`.
    """
    limit = f"the limit is {MAX_ID_CHARACTERS}"
    return [
        _source(
            f"{path}[{i}]", f"has {len(value):,} characters; {limit if value else 'leave it out'}"
        )
        for i, value in enumerate(ids)
        if not least <= len(value) <= MAX_ID_CHARACTERS
    ]


def _check_id(value: str, path: str) -> list[Violation]:
    if not value or len(value) > MAX_ID_CHARACTERS:
        text = f"has {len(value):,} characters; send 1 to {MAX_ID_CHARACTERS}"
        return [_source(path, text)]
    if has_forbidden_character(value):
        text = "holds a control character, or white space at an end or other than a space"
        return [_source(path, f"{text}; leave it out")]
    return []


def _option(path: str, text: str) -> Violation:
    return Violation(path, InvalidReason.INVALID_OPTION, text)


def _source(path: str, text: str) -> Violation:
    return Violation(path, InvalidReason.INVALID_SOURCE, text)

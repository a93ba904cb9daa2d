"""What a caller passes: evidence, claims, and how claims are found and verified.

Positions are characters, half-open. None leaves a value to the server.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from groundwire._wire.fields import Share
from groundwire.claims import Extractor
from groundwire.results import Strictness


@dataclass(frozen=True, slots=True)
class Document:
    """A source with its own text."""

    id: str
    """The id by which claims cite it, such as "S0": 1 to 64 characters, none of them white
    space, a bracket, a comma or a control character. Distinct among the documents."""
    text: str
    """Its text: at least one visible character, at most `Limits.max_text_characters`."""
    title: str = ""
    """Its title, on one line. It is shown to the model above the text and stays when the text
    is removed. Empty: none."""


@dataclass(frozen=True, slots=True)
class SourceRange:
    """A range of a context that can be cited. Ranges with one id are cited together."""

    id: str
    """The id by which claims cite it, as `Document.id`."""
    start: int
    """The first character in the context, from 0."""
    end: int
    """The character after the last one, above `start`."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What claims are judged by. Make it with `Evidence.documents` or `Evidence.context`."""

    sources: tuple[Document, ...] | tuple[SourceRange, ...]
    """The sources, at most `Limits.max_sources` of them: either documents, which are joined in
    their order, or ranges of the context. Empty: the context is one source as a whole."""
    context_text: str = ""
    """The text that the ranges point into; empty when the sources are documents."""

    @classmethod
    def documents(cls, documents: Mapping[str, str] | Iterable[Document | str]) -> "Evidence":
        """Evidence of several documents.

        Args:
            documents: the documents; or their texts by id; or their texts alone, which get the
                ids S0, S1, and so on, by their place. One str is a TypeError.
        """
        if isinstance(documents, str):
            raise TypeError("documents must be many texts, not one: use Evidence.context()")
        if isinstance(documents, Mapping):
            return cls(tuple(Document(key, text) for key, text in documents.items()))
        return cls(
            tuple(
                document if isinstance(document, Document) else Document(f"S{index}", document)
                for index, document in enumerate(documents)
            )
        )

    @classmethod
    def context(cls, text: str, ranges: Iterable[SourceRange] = ()) -> "Evidence":
        """Evidence of one text.

        Args:
            text: the context, at most `Limits.max_text_characters` characters.
            ranges: its parts that can be cited; none: the whole text is one source.
        """
        return cls(tuple(ranges), text)


@dataclass(frozen=True, slots=True)
class ClaimInput:
    """A claim to verify."""

    text: str
    """The statement: at least one visible character, at most `Limits.max_claim_tokens` tokens."""
    cited_ids: tuple[str, ...] = ()
    """The ids of the sources that it cites. Empty: it cites none, and the prior is read with
    every source removed."""
    confidence: float | None = None
    """How sure it is stated, in [0, 1]; None: `Thresholds.default_confidence`."""


class CitationStyle(StrEnum):
    """A way to write a citation. IDS is one id, several with commas between, or a range."""

    SQUARE = "SQUARE"
    """[IDS]"""
    CARET = "CARET"
    """[^IDS]"""
    LENTICULAR = "LENTICULAR"
    """Corner brackets: U+3010 IDS U+3011."""


@dataclass(frozen=True, slots=True)
class ExtractOptions:
    """How a text is split into claims."""

    citation_styles: tuple[CitationStyle, ...] = ()
    """The citation styles that count; empty: all."""
    citation_prefixes: tuple[str, ...] = ()
    """What may stand before the number of an id, at most 16 prefixes of at most 16 characters
    each; an empty one is a bare number. No prefixes: "S" and the empty one. The ids of the
    request's own sources are always known, whatever they look like."""
    min_assertion_confidence: float | None = None
    """A claim whose confidence is below it, in [0, 1], is marked as hedged; None: 0.6."""
    keep_compounds: bool = False
    """Keep sentences whole instead of splitting those that make several claims."""
    extractor: Extractor | None = None
    """Who finds the claims; None: the server's choice, the rules unless its settings say otherwise.
    `Extractor.MODEL` raises NotEnabledError where the server's operator has named no model."""
    known_ids: tuple[str, ...] = ()
    """Ids and titles that cite as those of the request's own sources do, such as those of a
    document in which nothing could be read. A claim that cites one without a source in the request
    is not grounded."""


class Policy(StrEnum):
    """A rule that says when a claim is grounded."""

    BUDGET = "BUDGET"
    """Grounded is what is supported: the evidence pays for the stated confidence in bits, and
    the model did not believe the claim without it."""
    GROUNDING_SCORE = "GROUNDING_SCORE"
    """Grounded is what scores above `Thresholds.min_grounding_score` while its evidence is used."""
    UNKNOWN = "UNKNOWN"


class Read(StrEnum):
    """How much of its evidence a claim is read with."""

    AUTO = "AUTO"
    """Passages where the evidence has more tokens than the server gives to the passages of a claim,
    by default 1,500. Where it has not, all, or all but the rows of a table beside the one whose
    values a claim says."""
    PASSAGES = "PASSAGES"
    """The passages that can matter for the claim, found by its words: at least one of each source
    that it cites."""
    WHOLE = "WHOLE"
    """All of the evidence."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The numbers behind a verdict.

    In a request, None takes the server's value. In a result none of them is None unless it says
    so.
    """

    default_confidence: Share | None = None
    """The confidence, in [0, 1], of claims that state none. Default: the operating point of
    `VerifyOptions.strictness`, 0.95 where the model's calibration has none, or 0.5 without one."""
    min_posterior: Share | None = None
    """p1 from which the evidence speaks for a claim, in [0, 1]. Default 0.5, or the operating
    point in use where that is lower."""
    prior_margin: Share | None = None
    """A claim whose p0 is at or above its confidence less this margin, in [0, 1], is prior
    knowledge, or miscited, if its p1 speaks for it. Default 0.1."""
    max_gap_bits: float | None = None
    """The gap in bits that is still supported, at least 0. Default 0."""
    min_contradiction: Share | None = None
    """P(NO) among YES, NO and UNSURE from which a claim whose p1 is below `min_posterior` is
    contradicted, in [0, 1]. Default: what the model's calibration chose, else 0.5."""
    min_evidence_use: Share | None = None
    """p1 - p0 above which evidence counts as used, in [0, 1]. Also what a citation has to
    carry. Default 0.15."""
    score_bonus_posterior: Share | None = None
    """Grounding score: the posterior above which a claim gets its bonus, in [0, 1].
    Default 0.7."""
    min_grounding_score: Share | None = None
    """Grounding score: the score above which a claim is grounded, in [0, 1]. Default 0.45."""
    min_grounded_ratio: Share | None = None
    """The share of grounded claims, in [0, 1], from which an answer is grounded as a whole.
    0: from the first grounded one. Default 0.7."""
    max_unsupported_posterior: Share | None = None
    """The p1 up to which a claim without enough evidence is unsupported, in [0, 1]; above it such a
    claim is uncertain. Default: what the model's calibration chose, else 0.5. In a result None from
    an older server."""
    min_miscitation: Share | None = None
    """p0 less the closed-book probability above which a claim that other sources carry is miscited,
    in [0, 1]; up to it such a claim is uncertain. Default: what the model's calibration chose, else
    0.15. In a result None from an older server."""
    max_contradicted: int | None = None
    """The most contradicted claims with which an answer is still grounded, at least 0.
    `VerifyOptions.max_contradicted` goes before it. In a result None: any number."""


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """How claims are verified. All left out: the server's defaults."""

    policy: Policy | None = None
    """The rule for "grounded"; None: the budget."""
    thresholds: Thresholds | None = None
    """Thresholds that differ from the server's."""
    strictness: Strictness | None = None
    """The operating point that claims without a confidence are asked for; None: the server's, by
    default balanced. `Thresholds.default_confidence` goes before it."""
    marker: str | None = None
    """What stands in the place of removed evidence, at most 200 characters; None: the server's, by
    default "[EVIDENCE REMOVED]"."""
    attribute_citations: bool = False
    """Say of each citation of a claim whether the claim stands on it. Costs up to two more
    prompts for each source that the claim cites."""
    max_claims: int | None = None
    """The most claims to verify, 1 to `Limits.max_claims`; the rest is listed as skipped, and the
    answer is then not grounded. None: the server's, by default 64, for an answer;
    `Limits.max_claims` for claims."""
    max_contradicted: int | None = None
    """The most contradicted claims with which an answer is still grounded, at least 0; 0: one of
    them fails it. None: `Thresholds.max_contradicted`, or the server's, by default any number."""
    min_claim_characters: int | None = None
    """Claims with fewer characters are skipped; at least 0. None: the server's, by default 8,
    for an answer; 0 for claims."""
    include_non_assertive: bool = False
    """Verify non-assertive claims, too. `verify_claims` always does."""
    backend: str = ""
    """One of `ServerInfo.backends`; empty: the server's default."""
    skip_result_cache: bool = False
    """Compute every reading anew, whatever the server's result cache holds."""
    split_long_context: bool = False
    """Read evidence that is too long in chunks; every estimate is that of the chunk which supports
    the claim most, and names it in `Estimate.chunk`."""
    skip_non_evidence: bool | None = None
    """Leave the sentences in `Run.non_evidence` out of what the model reads; what stands around
    them is then read without them. None: the server's, by default False."""
    read: Read | None = None
    """How much of the evidence each claim is read with; None: the server's, by default AUTO."""
    explain: bool = False
    """Say why each claim has its verdict: `VerifiedClaim.deciding_passages`, `unsupported_spans`
    and `conflicts`. Read when the verdicts are there, of which it changes none; of a stream they
    stand in its report. `verify_claims` and `verify_answer` do it; elsewhere it has no effect."""

"""What comes back for many claims and for an answer, whole or piece by piece.

Counts are claims or tokens; ratios are in [0, 1].
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING, overload

from groundwire._tables import data_frame, html_table
from groundwire._wire.fields import Cosine, Share
from groundwire.claims import Claim, Extraction, NonAssertiveReason, Span
from groundwire.inputs import Policy, Thresholds
from groundwire.results import Strictness, Timing
from groundwire.verdicts import AnswerClaim, Verdict, VerdictReason, VerifiedClaim

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, slots=True)
class SharedUsage:
    """The tokens of a call whose prompts share prefixes."""

    distinct_prompts: int
    """Distinct prompts that were read."""
    prompt_tokens: int
    """Tokens of these prompts, before any sharing."""
    computed_tokens: int
    """Tokens that the engine computed: `prompt_tokens` less those from its cache."""
    minimal_tokens: int
    """The fewest tokens that an engine with an empty cache could compute: each shared prefix
    once, in whole blocks of `block_tokens`."""
    block_tokens: int
    """Tokens of one block of the engine's prefix cache."""


@dataclass(frozen=True, slots=True)
class NonEvidence:
    """A sentence of the evidence that asks or instructs."""

    source_id: str
    """The source that it stands in; of a context with ranges the first one that has a part of it,
    or empty."""
    span: Span
    """Where it stands: in the document's text, or in the context."""
    kind: NonAssertiveReason
    """Whether it is a question or an instruction."""


@dataclass(frozen=True, slots=True)
class RetrievedSource:
    """A passage of a corpus that claims were judged by."""

    id: str
    """The id under which it was read, such as "P1"."""
    document: str
    """Its document: the path in the corpus, or what an evidence provider calls it."""
    title: str
    """The document's title; empty: it has none."""
    text: str
    """The text that was read."""
    span: Span
    """Where it stands in the document's text."""
    similarity: Cosine | None
    """Cosine of the vectors of passage and claim, in [-1, 1]; None: it was found by its words."""
    dated: date | None
    """The day of the document, if it is known."""
    dated_by: str
    """What told that day, such as `front matter` or `file time`."""


@dataclass(frozen=True, slots=True)
class Run:
    """How claims were verified: policy, model, tokens and time."""

    policy: Policy
    """The policy that decided."""
    thresholds: Thresholds
    """The thresholds that were used, all of them."""
    strictness: Strictness | None
    """The operating point that `Thresholds.default_confidence` is of; None: a request or a setting
    chose a number, or the calibration has no such point."""
    model: str
    """The name of the model that answered; empty if nothing was read."""
    prompt_version: str
    """The version of the prompts, such as `yes-no/1`."""
    backend: str
    """The name of the backend that answered."""
    usage: SharedUsage
    """The tokens of all its prompts."""
    timing: Timing
    """Where the server's time went, in seconds."""
    non_evidence: tuple[NonEvidence, ...] = ()
    """The sentences of the evidence that are questions or instructions, and so evidence for
    nothing: the first 10,000 of them, in the order of the sources."""
    skip_non_evidence: bool = False
    """Whether these sentences, all of them, were left out of what the model read."""
    detection_id: str = ""
    """The id of what this call found, which the server's log, traces and audit record have, too,
    and which `record_feedback` takes; empty: the server is older than these ids."""
    uncalibrated: bool = False
    """Whether the model that read has no calibration."""


@dataclass(frozen=True, slots=True)
class VerifyResult(Sequence[VerifiedClaim]):
    """The answer to `verify_claims`: a sequence of the claims, each with its verdict."""

    claims: tuple[VerifiedClaim, ...]
    """The claims in the order of the request."""
    run: Run
    """How they were verified."""

    @property
    def detection_id(self) -> str:
        """The id of what this call found: `Run.detection_id`."""
        return self.run.detection_id

    def to_dict(self) -> dict[str, object]:
        """All of it as JSON holds it, for `json.dumps`."""
        return {"claims": [each.to_dict() for each in self.claims], "run": asdict(self.run)}

    def to_pandas(self) -> "DataFrame":
        """A row a claim, in their order. Raises ImportError without pandas."""
        return data_frame(self.claims)

    def _repr_html_(self) -> str:
        grounded = sum(each.grounded for each in self.claims)
        return html_table(self.claims, f"{grounded} of {len(self)} claims are grounded")

    def __len__(self) -> int:
        return len(self.claims)

    @overload
    def __getitem__(self, index: int) -> VerifiedClaim: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[VerifiedClaim, ...]: ...

    def __getitem__(self, index: int | slice) -> VerifiedClaim | tuple[VerifiedClaim, ...]:
        return self.claims[index]


@dataclass(frozen=True, slots=True)
class UnverifiedClaims:
    """How many claims of an answer are not verified for one reason."""

    reason: VerdictReason
    """The reason, one of those of `Verdict.NOT_VERIFIED`."""
    non_assertive_reason: NonAssertiveReason | None
    """With `VerdictReason.NON_ASSERTIVE`: what they are instead of assertions. Else None."""
    claims: int
    """How many, at least 1."""


@dataclass(frozen=True, slots=True)
class AnswerSummary:
    """The report on an answer as a whole."""

    overall_grounded: bool
    """Whether `grounding_ratio` is at least `Thresholds.min_grounded_ratio`, at least one claim is
    grounded, no more than `Thresholds.max_contradicted` are contradicted, and none is left unread
    (`complete`). It speaks for the claims that count; what else there is stands in `unverified`,
    `unclaimed_lines` and `warning`."""
    grounded_claims: int
    """Claims that are grounded."""
    total_claims: int
    """Claims that count: all but those that were skipped. A claim with an unknown citation,
    without a reading or with too many tokens counts and is not grounded."""
    grounding_ratio: Share
    """grounded_claims / total_claims, in [0, 1]; 0 without claims."""
    warning: str
    """A warning for the reader in the answer's language, which names with their numbers what is
    not grounded and every kind of what was not verified. Empty when every claim was verified and
    is grounded, no line is unclaimed, and the model's card covers the language."""
    language: str
    """The answer's language as a BCP 47 tag."""
    skipped_claims: int
    """Claims that were skipped or left unread, each with its reason."""
    unverified: tuple[UnverifiedClaims, ...]
    """Every claim that is `Verdict.NOT_VERIFIED`, counted by its reason, each reason once."""
    verified_share: Share
    """The share of the answer's text, in [0, 1], that verified claims cover: of the letters and
    digits outside of citations, those within the span of a claim with another verdict than
    `Verdict.NOT_VERIFIED`."""
    unclaimed_lines: int
    """Lines of the answer with a letter or a digit and without any part of a claim or of a
    citation, such as the address that a link leads to."""
    uncertain_claims: int = 0
    """Claims that are `Verdict.UNCERTAIN`. They count, and are not grounded."""
    review_order: tuple[int, ...] = ()
    """The indexes of the claims that assert something, likeliest wrong first, whatever their
    verdicts are: by 1 - p1, of equal ones those that are contradicted or miscited first. Claims
    without p1 follow in the order of the text. Empty from an older server."""
    thoughts: int = 0
    """Thoughts of a reasoning model in the answer, such as `<think> ... </think>`. They are no part
    of it, and no claim is in them."""
    complete: bool = False
    """Whether no claim was left unread: beyond `VerifyOptions.max_claims`, out of time, or since
    the server's engine failed. False from an older server, which does not say it."""
    abstained: bool = False
    """Whether the answer abstains: it says that the sources do not answer, and nothing else that
    counts. Nothing in it is made up, and `overall_grounded` is False."""
    plain_instructions: int = 0
    """Instructions that were not read, since they hold nothing to check ("Open the door.")."""
    text_language: str = ""
    """The language of most of the answer's text as a BCP 47 tag, whatever language the warnings are
    in. Empty from an older server."""
    rules: str = ""
    """By which rules the claims of that language were found: "en", "he", or "generic" for all
    others. Empty from an older server."""
    language_covered: bool | None = None
    """Whether the card of the server's model names that language; None: nobody knows."""
    conflicting_claims: int = 0
    """Claims that are SUPPORTED while another source says otherwise. They count as grounded. 0
    unless `VerifyOptions.explain` asks."""
    unexplained_claims: int = 0
    """Claims that were read and are not explained whole: the time or the 64 readings of an
    answer ended first. 0 unless `VerifyOptions.explain` asks."""


class EditKind(StrEnum):
    """What an edit does."""

    VALUE_REPLACED = "VALUE_REPLACED"
    """A number, an amount, a date or a time is replaced."""
    NAME_REPLACED = "NAME_REPLACED"
    """A name is replaced."""
    WORD_REPLACED = "WORD_REPLACED"
    """A small word is replaced, put in or left out: "all", "not", "must", "before"."""
    CLAUSE_LEFT_OUT = "CLAUSE_LEFT_OUT"
    """A part of a sentence is left out."""
    CITATION_CHANGED = "CITATION_CHANGED"
    """The cited id is changed, or the right one is added."""
    SENTENCE_LEFT_OUT = "SENTENCE_LEFT_OUT"
    """A sentence, or a row of a table, is left out with its citations."""
    REWRITTEN = "REWRITTEN"
    """A claim is written anew by the model of its backend, if that can write."""
    UNKNOWN = "UNKNOWN"
    """A newer server sent one that this client does not know."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of an answer."""

    span: Span
    """What is replaced, in the answer as it was sent. Where a sentence is left out it has the
    blanks, the line end and the mark of a list item that go with it."""
    replacement: str
    """What stands there instead; empty: nothing."""
    kind: EditKind
    """What it does."""
    claim_index: int
    """The index of the claim that it corrects, in `AnswerReport.claims`."""
    source_id: str = ""
    """The source whose sentence carries it; empty where something is left out, and of a context
    where no range has the sentence."""
    source_span: Span | None = None
    """That sentence: in the document's text, or in the context. None where something is left
    out."""
    probability: Share | None = None
    """The probability of the claim with this edit, in [0, 1]; None where its sentence is left
    out."""


@dataclass(frozen=True, slots=True)
class Correction:
    """An answer put right. Each claim that was edited, and not left out, is SUPPORTED with its
    edits."""

    corrected_answer: str
    """The answer with all edits made; empty: nothing of it could stay."""
    edits: tuple[Edit, ...]
    """In the order of the answer, without overlap; none: no claim had to be corrected, or none that
    was read."""
    summary: AnswerSummary | None
    """The corrected answer, verified as the answer was. None: the time ended, or the engine failed,
    before that could begin."""
    untried_claims: tuple[int, ...] = ()
    """The indexes of claims for which not all was tried: the time, or the readings of one answer,
    ended first."""


@dataclass(frozen=True, slots=True)
class AnswerReport(Sequence[AnswerClaim]):
    """The answer to `verify_answer`: a sequence of the answer's claims with their verdicts."""

    claims: tuple[AnswerClaim, ...]
    """All claims of the answer, in its order, the skipped ones included."""
    summary: AnswerSummary
    """The answer as a whole."""
    run: Run
    """How they were verified."""
    extraction: Extraction = Extraction()  # noqa: RUF009 - frozen
    """How they were found."""
    sources: tuple[RetrievedSource, ...] = ()
    """The passages that they were judged by, where the request named a corpus."""
    correction: Correction | None = None
    """The answer put right; None unless `correct` asks."""

    @property
    def overall_grounded(self) -> bool:
        """Whether the answer is grounded as a whole: `AnswerSummary.overall_grounded`."""
        return self.summary.overall_grounded

    @property
    def grounding_ratio(self) -> float:
        """The share of the claims that are grounded: `AnswerSummary.grounding_ratio`."""
        return self.summary.grounding_ratio

    @property
    def contradicted_claims(self) -> int:
        """How many claims are `Verdict.CONTRADICTED`."""
        return sum(claim.verdict is Verdict.CONTRADICTED for claim in self.claims)

    @property
    def warning(self) -> str:
        """A warning for the reader, or an empty text: `AnswerSummary.warning`."""
        return self.summary.warning

    @property
    def worst_first(self) -> tuple[AnswerClaim, ...]:
        """The claims that assert something, likeliest wrong first: `AnswerSummary.review_order`."""
        return tuple(self.claims[i] for i in self.summary.review_order)

    @property
    def detection_id(self) -> str:
        """The id of what this call found: `Run.detection_id`."""
        return self.run.detection_id

    def to_dict(self) -> dict[str, object]:
        """All of it as JSON holds it, for `json.dumps`. Days are texts such as "2026-11-27"."""
        return {
            "claims": [each.to_dict() for each in self.claims],
            "summary": asdict(self.summary),
            "run": asdict(self.run),
            "extraction": asdict(self.extraction),
            "sources": [
                asdict(each) | {"dated": each.dated and each.dated.isoformat()}
                for each in self.sources
            ],
            "correction": None if self.correction is None else asdict(self.correction),
        }

    def to_pandas(self) -> "DataFrame":
        """A row a claim, in the order of the answer. Raises ImportError without pandas."""
        return data_frame(self.claims)

    def _repr_html_(self) -> str:
        summary = self.summary
        whole = "grounded" if summary.overall_grounded else "not grounded"
        counts = f"{summary.grounded_claims} of {summary.total_claims} claims"
        return html_table(self.claims, f"The answer is {whole}: {counts}. {summary.warning}")

    def __len__(self) -> int:
        return len(self.claims)

    @overload
    def __getitem__(self, index: int) -> AnswerClaim: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[AnswerClaim, ...]: ...

    def __getitem__(self, index: int | slice) -> AnswerClaim | tuple[AnswerClaim, ...]:
        return self.claims[index]


@dataclass(frozen=True, slots=True)
class ClaimsFound:
    """The first piece of a streamed report: the claims, before any of them is read."""

    claims: tuple[Claim, ...]
    """All claims in the order of the answer, those that will be skipped included."""


@dataclass(frozen=True, slots=True)
class ClaimKnown:
    """A piece of a streamed report: one claim, now with its verdict.

    Each claim has one. Those of claims that are skipped come first, and at once.
    """

    index: int
    """Its index in `ClaimsFound.claims`, from 0."""
    claim: AnswerClaim
    """The claim with its verdict, as the report will hold it."""


AnswerEvent = ClaimsFound | ClaimKnown | AnswerReport
"""One piece of a streamed report: the claims first, then each claim as its verdict becomes known,
in any order, and the whole report last."""


@dataclass(frozen=True, slots=True)
class DraftVerdict:
    """A piece of what is known of a draft: one claim, with its verdict by what is written so far.

    It holds until another one comes for its index, or the report, which alone counts.
    """

    index: int
    """Its index among the claims of the text so far, from 0."""
    claim: AnswerClaim
    """The claim with its verdict."""


@dataclass(frozen=True, slots=True)
class DraftSettled:
    """A piece of what is known of a draft: how far it is verified."""

    characters: int
    """All claims that begin before this character of the text have their verdicts. Sentences end
    there, so that the text before it can be shown."""


class DraftStopReason(StrEnum):
    """Why a draft is not verified any further."""

    CONTRADICTED = "CONTRADICTED"
    """A claim is CONTRADICTED."""
    SHARE_GROUNDED = "SHARE_GROUNDED"
    """Too few of its claims are grounded."""
    UNKNOWN = "UNKNOWN"
    """The server is newer than this client."""


@dataclass(frozen=True, slots=True)
class DraftStop:
    """A piece of what is known of a draft: it is not verified any further. The report follows."""

    reason: DraftStopReason
    """Why."""
    index: int
    """The index of the claim whose verdict stopped it."""
    characters: int
    """How many characters of the text the report is on."""


DraftEvent = DraftVerdict | DraftSettled | DraftStop | AnswerReport
"""One piece of what is known of a draft. The report is the last one."""

"""The use case of a corpus: each claim of a text, the evidence for it, and what that makes of it.

Claims go their ways beside each other: retrieval, a read of each passage, the numbers, and the
budget on all passages together. Nothing fails open: what could not be found or read is
NOT_VERIFIED.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from groundwire_verifier.answers import AnswerClaims
from groundwire_verifier.claims.wording.confidence_words import PLAIN
from groundwire_verifier.corpus.comparison import compare
from groundwire_verifier.corpus.passages import EvidenceProvider, Passage
from groundwire_verifier.corpus.reading import (
    MOST_PROMPTS_BESIDE_PASSAGES,
    ClaimReader,
    ClaimTooLongError,
    CorpusCall,
    ReadEvidence,
)
from groundwire_verifier.corpus.relations import RelationRules, relate
from groundwire_verifier.corpus.retrieval import RetrievalFailedError, retrieved
from groundwire_verifier.corpus.risk import RiskRules, decide, is_uncertain, risk_numbers
from groundwire_verifier.corpus.risk_texts import reason_text, unverified_text
from groundwire_verifier.corpus.types import (
    ClaimAnalysis,
    CorpusAnalysis,
    EvidenceReason,
    EvidenceVerdict,
    RawConfidenceSource,
    RelatedPassage,
    Relation,
)
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.claims import Claim, ConfidenceSource
from groundwire_verifier.domain.errors import (
    BackendUnavailableError,
    DeadlineUnreachableError,
    VerifierError,
)
from groundwire_verifier.domain.threads import in_thread
from groundwire_verifier.domain.types import Limits
from groundwire_verifier.estimation import Estimator
from groundwire_verifier.verdicts.options import VerifyOptions
from groundwire_verifier.verdicts.questions import ClaimTask
from groundwire_verifier.verdicts.types import Reason
from groundwire_verifier.verification import Verifier, end_by


@dataclass(frozen=True, slots=True)
class CorpusRules:
    """The operator's rules: what a passage is to a claim, what that is worth, how many are found.

    `top_k` is the most passages of one claim, at least 1. With `asks_model` the raw confidence of a
    claim that states none is the model's own.
    """

    relations: RelationRules = RelationRules()  # noqa: RUF009 - frozen
    risk: RiskRules = RiskRules()  # noqa: RUF009 - frozen
    top_k: int = 5
    asks_model: bool = False


@dataclass(frozen=True, slots=True)
class AnalysisInput:
    """The claims of a text and the day it is; see `choose_claims` for what is to be read."""

    found: AnswerClaims
    options: VerifyOptions
    today: date


class CorpusAnalyzer:
    """Analyses texts with a `Verifier`, whose reads, cache and limits are those of every claim."""

    def __init__(self, estimator: Estimator, verifier: Verifier, rules: CorpusRules) -> None:
        self._estimator = estimator
        self._verifier = verifier
        self.rules = rules

    async def analyze(
        self, asked: AnalysisInput, provider: EvidenceProvider, call: CorpusCall
    ) -> CorpusAnalysis:
        """What a corpus has on each claim.

        Once one claim has been read it returns by `call.answer_by_s`, and when the engine fails.
        Until then it raises BackendUnavailableError or DeadlineUnreachableError, and goes on.

        Raises InvalidInputError where so many claims need more prompts than one request may have.
        """
        found = asked.found
        check_prompts(len(found.tasks), self.rules.top_k, self._verifier.limits)
        reader = ClaimReader(self._estimator, self._verifier, asked.options, call)
        reader.check_profile()
        work = _Work(reader, self.rules, asked, provider, call.answer_by_s)
        await work.run()
        claims = [
            work.analyses.get(i) or _left_out(each.claim, _reason_left(found, i, work.reason))
            for i, each in enumerate(found.claims)
        ]
        verdicts = [each.budget for each in claims if each.budget is not None]
        cut_short = work.reason_cut if len(work.analyses) < len(found.tasks) else None
        return CorpusAnalysis(
            claims=tuple(claims),
            verification=await work.reader.spent(verdicts, cut_short),
            language=found.language,
        )


def check_prompts(claims: int, top_k: int, limits: Limits) -> None:
    """Refuse a text whose claims need more prompts than one request may have."""
    count = claims * (top_k + MOST_PROMPTS_BESIDE_PASSAGES)
    checks.raise_any(checks.prompts(count, limits, "options.max_claims"))


class _Work:
    """The claims of one call on their way. `analyses` has those that are known, by their index."""

    def __init__(
        self,
        reader: ClaimReader,
        rules: CorpusRules,
        asked: AnalysisInput,
        provider: EvidenceProvider,
        answer_by_s: float,
    ) -> None:
        self.reader = reader
        self.analyses: dict[int, ClaimAnalysis] = {}
        self._rules = rules
        self._asked = asked
        self._provider = provider
        self._answer_by_s = answer_by_s
        self._limit = asyncio.timeout(None)
        self._error: VerifierError | None = None

    @property
    def reason(self) -> EvidenceReason:
        """Why claims are missing."""
        failed = isinstance(self._error, BackendUnavailableError)
        return EvidenceReason.BACKEND_FAILED if failed else EvidenceReason.OUT_OF_TIME

    @property
    def reason_cut(self) -> Reason:
        """The same for the log and the counters."""
        return Reason[self.reason.name]

    async def run(self) -> None:
        """Analyse all claims, or as many as there is time for."""
        found = self._asked.found
        try:
            async with self._limit, asyncio.TaskGroup() as group:
                for i, task in zip(found.indexes, found.tasks, strict=True):
                    # What a text cites are its own sources, and no documents of a corpus.
                    asked = replace(task, cited_ids=())
                    group.create_task(self._one(i, found.claims[i].claim, asked))
        except TimeoutError:
            if not self._limit.expired():
                raise
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from errors
        has_read = any(each.numbers is not None for each in self.analyses.values())
        if self._error is not None and not has_read:
            raise self._error

    async def _one(self, index: int, claim: Claim, task: ClaimTask) -> None:
        try:
            analysis, passages = await self._analysed(claim, task)
            self.analyses[index] = analysis
            if self._limit.when() is None:
                # Only now there is something to answer with.
                end_by(self._limit, self._answer_by_s)
            if passages and analysis.numbers is not None:
                budget = await self.reader.budget(task, passages)
                self.analyses[index] = replace(analysis, budget=budget)
        except (BackendUnavailableError, DeadlineUnreachableError) as error:
            self._error = self._error or error

    async def _analysed(
        self, claim: Claim, task: ClaimTask
    ) -> tuple[ClaimAnalysis, tuple[Passage, ...]]:
        rules = self._rules
        try:
            passages = await retrieved(self._provider, task.text, rules.top_k)
            stated = _stated(claim)
            asks_model = stated is None and rules.asks_model
            read = await self.reader.read(task.text, passages, alone=asks_model)
        except RetrievalFailedError as error:
            return _left_out(claim, EvidenceReason.RETRIEVAL_FAILED, str(error)), ()
        except ClaimTooLongError:
            return _left_out(claim, EvidenceReason.TOO_LONG), ()
        evidence = await in_thread(self._related, task.text, passages, read)
        raw, source = stated, RawConfidenceSource.TEXT
        if stated is None:
            raw, source = PLAIN, RawConfidenceSource.PLAIN
        if asks_model:
            raw, source = read.raw, RawConfidenceSource.MODEL
        return _judged(claim, evidence, raw, source, rules.risk), passages

    def _related(
        self, claim: str, passages: Sequence[Passage], read: ReadEvidence
    ) -> tuple[RelatedPassage, ...]:
        rules, today = self._rules.relations, self._asked.today
        return tuple(
            relate(
                passage,
                compare(claim, passage.text, passage.title),
                stance,
                rules,
                is_old=rules.is_old(passage, today),
            )
            for passage, stance in zip(passages, read.stances, strict=True)
        )


def _judged(
    claim: Claim,
    evidence: tuple[RelatedPassage, ...],
    raw: float | None,
    source: RawConfidenceSource,
    rules: RiskRules,
) -> ClaimAnalysis:
    """What the evidence makes of a claim. Without an answer on any of it nothing is known."""
    unread = [each for each in evidence if each.relation is Relation.UNREAD]
    if raw is None or (evidence and len(unread) == len(evidence)):
        reason = EvidenceReason.LABEL_MASS_BELOW_FLOOR
        return replace(_left_out(claim, reason), evidence=evidence)
    numbers = risk_numbers(evidence, raw, source, rules, is_vague=_is_vague(claim))
    verdict, why = decide(evidence, numbers, rules)
    if (
        unread
        and verdict is EvidenceVerdict.HALLUCINATED
        and why is not EvidenceReason.CONTRADICTED
    ):
        # What was not read may be what carries it.
        reason = EvidenceReason.LABEL_MASS_BELOW_FLOOR
        return replace(_left_out(claim, reason), evidence=evidence)
    return ClaimAnalysis(
        claim=claim,
        verdict=verdict,
        reason=why,
        reason_text=reason_text(why, evidence, numbers, rules),
        is_uncertain=is_uncertain(verdict, numbers.strength_interval, rules),
        evidence=evidence,
        numbers=numbers,
    )


def _stated(claim: Claim) -> float | None:
    """The confidence that the text states by a number or a word; None for a plain sentence."""
    stated = claim.confidence
    if stated is not None and stated.source in (ConfidenceSource.STATED, ConfidenceSource.INFERRED):
        return stated.value
    return None


def _is_vague(claim: Claim) -> bool:
    """Whether the text hedges a claim: its words state less than a plain sentence does."""
    stated = claim.confidence
    return (
        stated is not None and stated.source is ConfidenceSource.INFERRED and stated.value < PLAIN
    )


def _left_out(claim: Claim, reason: EvidenceReason, detail: str = "") -> ClaimAnalysis:
    return ClaimAnalysis(
        claim=claim,
        verdict=EvidenceVerdict.NOT_VERIFIED,
        reason=reason,
        reason_text=unverified_text(reason, detail),
        is_uncertain=reason not in _BY_CHOICE,
    )


_BY_CHOICE = (EvidenceReason.NON_ASSERTIVE, EvidenceReason.TOO_SHORT)


def _reason_left(found: AnswerClaims, index: int, unread: EvidenceReason) -> EvidenceReason:
    """Why a claim has no analysis: it was not to be read, or the call ended before."""
    verdict = found.claims[index].verdict
    return unread if verdict is None else EvidenceReason[verdict.reason.name]

"""The use case of a corpus: each claim of a text, the evidence for it, and what that makes of it.

Claims go their ways beside each other: retrieval, a read of each passage, the numbers, and the
budget on all passages together. Nothing fails open: what could not be found or read is
NOT_VERIFIED.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from groundwire_verifier.checks.answers import AnswerClaims
from groundwire_verifier.checks.corpus.comparison import compare
from groundwire_verifier.checks.corpus.findings import (
    ClaimAnalysis,
    CorpusAnalysis,
    EvidenceReason,
    EvidenceVerdict,
    RawConfidenceSource,
    RelatedPassage,
    Relation,
)
from groundwire_verifier.checks.corpus.passages import (
    EvidenceProvider,
    Passage,
    RetrievalFailedError,
    retrieved,
)
from groundwire_verifier.checks.corpus.relations import is_old, relate
from groundwire_verifier.checks.corpus.risk import RiskRules, decide, is_uncertain, risk_numbers
from groundwire_verifier.checks.corpus.risk_words import reason_text, unverified_text
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.claims import Claim, ConfidenceSource
from groundwire_verifier.domain.errors import (
    BackendUnavailableError,
    DeadlineUnreachableError,
    InvalidInputError,
)
from groundwire_verifier.domain.estimates import estimates_of
from groundwire_verifier.domain.evidence import Document, Evidence
from groundwire_verifier.domain.prompts import require
from groundwire_verifier.domain.tasks import in_thread, task_group
from groundwire_verifier.domain.types import Limits, Question, Template
from groundwire_verifier.estimation import EncodedFields
from groundwire_verifier.session import Session
from groundwire_verifier.text.claims.wording.confidence_words import PLAIN
from groundwire_verifier.verdicts.judging import stance_of
from groundwire_verifier.verdicts.options import MAX_TITLE_CHARACTERS, VerifyOptions
from groundwire_verifier.verdicts.questions import ClaimTask
from groundwire_verifier.verdicts.types import ClaimVerdict, Reason, Stance
from groundwire_verifier.verification import VerificationInput

MOST_PROMPTS_BESIDE_PASSAGES = 4
"""The raw probability, and what the budget of one claim may ask."""

_FIELDS = EncodedFields("corpus", "text")


@dataclass(frozen=True, slots=True)
class ReadEvidence:
    """What the model says of a claim: on each passage, None where it gave no answer; and alone.

    `raw` is P(YES) without any evidence, in [0, 1]; None where it was not asked for, or the label
    mass is below the floor.
    """

    stances: tuple[Stance | None, ...]
    raw: float | None


class ClaimTooLongError(InvalidInputError):
    """A claim with more tokens than a claim may have."""


class ClaimReader:
    """Reads the claims of one call."""

    def __init__(self, session: Session, options: VerifyOptions) -> None:
        self.session = session
        # Passages are cut to a size, but several of them may be more than a small model takes.
        self.options = replace(options, split_long_context=True, skip_non_evidence=False)
        self._estimator = session.verifier.estimator
        self._backend = options.backend or self._estimator.default

    def check_profile(self) -> None:
        """Refuse a model that cannot say what a passage is to a claim.

        Raises UnsupportedByProfileError or BackendUnavailableError.
        """
        require(self._estimator.backends[self._backend].info.profile, [Template.YES_NO_UNSURE])

    async def read(self, claim: str, passages: Sequence[Passage], *, alone: bool) -> ReadEvidence:
        """What the model says of a claim on each passage and, where that is wanted, alone.

        Raises ClaimTooLongError, BackendUnavailableError or DeadlineUnreachableError.
        """
        backend = self._estimator.backends[self._backend]
        info = backend.info
        salt = self.session.cache_salt
        on_passages = [
            Question(claim, passage.text, Template.YES_NO_UNSURE, splits=True, cache_salt=salt)
            for passage in passages
        ]
        by_itself = Question(claim, "", Template.YES_NO, splits=True, cache_salt=salt)
        questions = [*on_passages, *([by_itself] if alone else [])]
        if not questions:
            return ReadEvidence((), None)
        prompts = await self._estimator.encode(backend, info, questions, _FIELDS)
        limits = self._estimator.limits
        if found := checks.claim_tokens({0: prompts[-1].claim_tokens}, limits, lambda _: "text"):
            raise ClaimTooLongError(found)
        done = await self.session.ask(
            self._backend, prompts, skip_result_cache=self.options.skip_result_cache
        )
        readings = done.readings
        floor = self._estimator.label_mass_floor
        raw = estimates_of(readings[-1:], floor, info.calibration) if alone else []
        stances = map(stance_of, readings[: len(passages)])
        return ReadEvidence(
            tuple(
                stance if reading.reason is None and stance.label_mass >= max(floor, 1e-9) else None
                for stance, reading in zip(stances, readings, strict=False)
            ),
            raw[0].probability if raw else None,
        )

    async def budget(self, task: ClaimTask, passages: Sequence[Passage]) -> ClaimVerdict:
        """The verdict of the budget on all passages together. Raises as `Verifier.read`."""
        documents = [
            Document(f"S{i}", passage.text, passage.title[:MAX_TITLE_CHARACTERS])
            for i, passage in enumerate(passages)
        ]
        batch = VerificationInput(
            (task,), Evidence.of_documents(documents), self.options, "corpus", "text"
        )
        plan = await self.session.plan(batch)
        done = await self.session.read(plan, urgency=self.session.urgency.of_follow_up())
        return done.verdicts[0]


@dataclass(frozen=True, slots=True)
class CorpusRules:
    """The operator's rules: what the passages of a claim are worth, and how many are found.

    `top_k` is the most passages of one claim, at least 1. With `asks_model` the raw confidence of a
    claim that states none is the model's own.
    """

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

    def __init__(self, rules: CorpusRules) -> None:
        self.rules = rules

    async def analyze(
        self, asked: AnalysisInput, provider: EvidenceProvider, session: Session
    ) -> CorpusAnalysis:
        """What a corpus has on each claim.

        Once one claim has been read it returns by the session's time, and when the engine fails.
        Until then it raises BackendUnavailableError or DeadlineUnreachableError, and goes on.

        Raises InvalidInputError where so many claims need more prompts than one request may have.
        """
        found = asked.found
        check_prompts(len(found.tasks), self.rules.top_k, session.verifier.limits)
        reader = ClaimReader(session, asked.options)
        reader.check_profile()
        work = _Work(reader, self.rules, asked, provider)
        await work.run()
        claims = [
            work.analyses.get(i) or _left_out(each.claim, _reason_left(found, i, session.reason))
            for i, each in enumerate(found.claims)
        ]
        verdicts = [each.budget for each in claims if each.budget is not None]
        cut_short = session.reason if len(work.analyses) < len(found.tasks) else None
        return CorpusAnalysis(
            claims=tuple(claims),
            verification=await session.result(verdicts, reader.options, cut_short),
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
    ) -> None:
        self.analyses: dict[int, ClaimAnalysis] = {}
        self._reader = reader
        self._session = reader.session
        self._rules = rules
        self._asked = asked
        self._provider = provider

    async def run(self) -> None:
        """Analyse all claims, or as many as there is time for."""
        found, session = self._asked.found, self._session
        async with session.limit, task_group() as group:
            for i, task in zip(found.indexes, found.tasks, strict=True):
                # What a text cites are its own sources, and no documents of a corpus.
                asked = replace(task, cited_ids=())
                group.create_task(self._one(i, found.claims[i].claim, asked))
        has_read = any(each.numbers is not None for each in self.analyses.values())
        if session.error is not None and not has_read:
            raise session.error

    async def _one(self, index: int, claim: Claim, task: ClaimTask) -> None:
        try:
            analysis, passages = await self._analysed(claim, task)
            self.analyses[index] = analysis
            self._session.limit.begin()
            if passages and analysis.numbers is not None:
                budget = await self._reader.budget(task, passages)
                self.analyses[index] = replace(analysis, budget=budget)
        except (BackendUnavailableError, DeadlineUnreachableError) as error:
            self._session.keep(error)

    async def _analysed(
        self, claim: Claim, task: ClaimTask
    ) -> tuple[ClaimAnalysis, tuple[Passage, ...]]:
        rules = self._rules
        try:
            passages = await retrieved(self._provider, task.text, rules.top_k)
            stated = _stated(claim)
            asks_model = stated is None and rules.asks_model
            read = await self._reader.read(task.text, passages, alone=asks_model)
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
        return tuple(
            relate(
                passage,
                compare(claim, passage.text, passage.title),
                stance,
                is_old=is_old(passage, self._asked.today),
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
        reason_text=reason_text(why, evidence, numbers, rules, claim.language),
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
        reason_text=unverified_text(reason, detail, claim.language),
        is_uncertain=reason not in _BY_CHOICE,
    )


_BY_CHOICE = (EvidenceReason.NON_ASSERTIVE, EvidenceReason.TOO_SHORT)


def _reason_left(found: AnswerClaims, index: int, unread: Reason) -> EvidenceReason:
    """Why a claim has no analysis: it was not to be read, or the call ended before."""
    verdict = found.claims[index].verdict
    return EvidenceReason[(unread if verdict is None else verdict.reason).name]

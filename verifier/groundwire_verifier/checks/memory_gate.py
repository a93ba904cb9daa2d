"""The use case of the memory gate: facts and their evidence in, a decision on each in time.

Facts with the same evidence are read batch after batch, beside those with other evidence. Whatever
happens to the reading, there is a decision on every fact when it is due.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from groundwire_verifier.domain import checks
from groundwire_verifier.domain.claims import ConfidenceSource
from groundwire_verifier.domain.errors import (
    BackendUnavailableError,
    DeadlineUnreachableError,
    InvalidReason,
    VerifierError,
    Violation,
)
from groundwire_verifier.domain.evidence import Document, Evidence, NonEvidence
from groundwire_verifier.domain.tasks import all_of, retrieve
from groundwire_verifier.domain.types import Limits
from groundwire_verifier.session import Session
from groundwire_verifier.text.claims.wording.sentence import language_of
from groundwire_verifier.verdicts.facts import (
    CUT_SHORT,
    FactDecision,
    GateReason,
    GateRules,
    decide_fact,
    leave_unverified,
)
from groundwire_verifier.verdicts.options import (
    EvidenceInput,
    VerifyOptions,
    check_cited_ids,
    check_evidence,
)
from groundwire_verifier.verdicts.policy import Policy
from groundwire_verifier.verdicts.questions import ClaimTask
from groundwire_verifier.verdicts.types import ClaimVerdict
from groundwire_verifier.verification import Verification, VerificationInput

DECISION_TIMEOUT_S = 2.0
"""How long a decision may take, by default."""

MAX_FACT_ID_CHARACTERS = 256


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact as a caller sends it. `confidence` is in [0, 1], or None where it states none.

    `evidence_index` says which piece of evidence it is judged by. The caller's `id` is checked
    here, and else means nothing.
    """

    text: str
    id: str = ""
    confidence: float | None = None
    cited_ids: tuple[str, ...] = ()
    evidence_index: int = 0


@dataclass(frozen=True, slots=True)
class FactsInput:
    """Facts to decide on, as a caller sends them; the options name the backend."""

    facts: tuple[Fact, ...]
    evidence: tuple[EvidenceInput, ...]
    options: VerifyOptions


@dataclass(frozen=True, slots=True)
class CheckedFacts:
    """The decisions, in the order of the facts.

    `verification` has their verdicts, and what those batches cost that were read in time.
    """

    decisions: tuple[FactDecision, ...]
    verification: Verification


class NoPlaceError(VerifierError):
    """There is no place for a batch now."""


def check_facts(given: FactsInput, limits: Limits, backends: Collection[str]) -> None:
    """Check a request whole, as far as that needs no model. Raises InvalidInputError."""
    facts, evidence, options = given.facts, given.evidence, given.options
    found = checks.backend(options.backend, backends)
    found += checks.claims([fact.text for fact in facts], limits, _fact_text, "facts")
    for i, fact in enumerate(facts):
        found += _check_fact(fact, len(evidence), f"facts[{i}]")
    if not evidence:
        text = "holds nothing; send what the facts are judged by"
        found.append(Violation("evidence", InvalidReason.INVALID_SOURCE, text))
    for k, piece in enumerate(evidence):
        found += check_evidence(piece, limits, f"evidence[{k}]")
    checks.raise_any(found)
    # Each batch is checked by itself when it is planned; this is about all of them together.
    versions: dict[int, set[frozenset[str]]] = {}
    for fact in facts:
        versions.setdefault(fact.evidence_index, set()).add(frozenset(fact.cited_ids))
    size = sum(_characters(evidence[k]) * (1 + len(cited)) for k, cited in versions.items())
    checks.raise_any(checks.evidence_characters(size, limits, "facts"))


class MemoryGate:
    """Decides on the facts of one request, which are read in its `session`, batch by batch.

    It takes an input that `check_facts` passed. `rules` are the operator's. A batch has at most
    `batch_size` facts. `places` holds so many places for reads, or raises NoPlaceError. `marks`
    gives the sentences of evidence that are none; its errors name a field.
    """

    def __init__(
        self,
        given: FactsInput,
        rules: GateRules,
        batch_size: int,
        session: Session,
        *,
        places: Callable[[int], AbstractContextManager[None]],
        marks: Callable[[Evidence, str], Awaitable[tuple[NonEvidence, ...]]],
    ) -> None:
        # The rule of the gate is about bits, whatever decides on claims elsewhere.
        self._options = replace(given.options, policy=Policy.BUDGET)
        self._rules = rules
        self._session = session
        self._places = places
        self._marks = marks
        self._tasks = tuple(self._task(fact) for fact in given.facts)
        self._indexes: dict[int, list[int]] = {}
        for i, fact in enumerate(given.facts):
            self._indexes.setdefault(fact.evidence_index, []).append(i)
        self._batch_size = batch_size
        self._evidence = given.evidence
        self._decisions: dict[int, FactDecision] = {}
        self._planning = asyncio.Lock()
        self._prompts = 0

    async def decide(self, decide_by_s: float) -> CheckedFacts:
        """A decision on every fact by `decide_by_s`, on the monotonic clock, whatever is read then.

        What goes on after that is cancelled, and not waited for. Raises InvalidInputError, and what
        its session raises that says nothing of the backend.
        """
        work = asyncio.create_task(self._read_all())
        work.add_done_callback(retrieve)
        try:
            await asyncio.wait((work,), timeout=max(0.0, decide_by_s - time.monotonic()))
            if work.done():
                work.result()
        finally:
            work.cancel()
        self._leave(range(len(self._tasks)), GateReason.OUT_OF_TIME)
        decisions = tuple(self._decisions[i] for i in range(len(self._tasks)))
        verdicts = [decision.verdict for decision in decisions]
        cut_short = next((v.reason for v in verdicts if v.reason in CUT_SHORT), None)
        result = await self._session.result(verdicts, self._options, cut_short)
        return CheckedFacts(decisions, result)

    async def _read_all(self) -> None:
        await all_of(self._read_piece(piece) for piece in self._indexes)

    async def _read_piece(self, piece: int) -> None:
        """All facts on one piece of evidence, the first ones first."""
        indexes = self._indexes[piece]
        for start in range(0, len(indexes), self._batch_size):
            batch = indexes[start : start + self._batch_size]
            if (reason := await self._read_batch(piece, batch)) is not None:
                self._leave(indexes, reason)
                return

    async def _read_batch(self, piece: int, indexes: Sequence[int]) -> GateReason | None:
        """Why facts of it were left, so that those behind it are, too; None if all were read."""

        def known(task: int, verdict: ClaimVerdict) -> None:
            i = indexes[task]
            language = self._tasks[i].language
            self._decisions.setdefault(i, decide_fact(verdict, self._rules, language))

        limits = self._session.verifier.limits
        try:
            with contextlib.ExitStack() as places:
                # One after the other: a thousand small batches at once would hold the event loop.
                async with self._planning:
                    places.enter_context(self._places(len(indexes)))
                    batch = self._batch(piece, indexes)
                    if batch.options.skip_non_evidence:
                        marks = await self._marks(batch.evidence, batch.evidence_field)
                        batch = replace(batch, non_evidence=marks)
                    plan = await self._session.plan(batch)
                    self._prompts += sum(len(prompt.parts) for prompt in plan.prompts)
                    checks.raise_any(checks.prompts(self._prompts, limits, "facts"))
                read = await self._session.read(plan, known)
                return None if read.cut_short is None else CUT_SHORT[read.cut_short]
        except NoPlaceError:
            return GateReason.OVERLOADED
        except DeadlineUnreachableError as error:
            # Others are in the way if it would be in time later.
            return GateReason.OUT_OF_TIME if error.retry_s is None else GateReason.OVERLOADED
        except BackendUnavailableError:
            return GateReason.BACKEND_UNAVAILABLE

    def _batch(self, piece: int, indexes: Sequence[int]) -> VerificationInput:
        """The facts at these indexes, which share a piece of evidence."""
        return VerificationInput(
            tasks=tuple(self._tasks[i] for i in indexes),
            evidence=self._evidence[piece].build(),
            options=self._options,
            evidence_field=f"evidence[{piece}]",
            prompts_field="facts",
            claim_field=lambda task: _fact_text(indexes[task]),
        )

    def _leave(self, indexes: Iterable[int], reason: GateReason) -> None:
        """Decide on those of these facts that nobody has read."""
        for i in indexes:
            if i not in self._decisions:
                self._decisions[i] = leave_unverified(self._tasks[i], reason)

    def _task(self, fact: Fact) -> ClaimTask:
        confidence, source = fact.confidence, ConfidenceSource.REQUEST
        if confidence is None:
            confidence = self._options.thresholds.default_confidence
            source = self._options.confidence_source
        cited_ids = tuple(dict.fromkeys(fact.cited_ids))
        return ClaimTask(fact.text, cited_ids, confidence, source, language_of(fact.text))


def _check_fact(fact: Fact, pieces: int, path: str) -> list[Violation]:
    found = check_cited_ids(fact.cited_ids, f"{path}.cited_ids")
    if fact.confidence is not None:
        found += checks.shares({f"{path}.confidence": fact.confidence})
    if len(fact.id) > MAX_FACT_ID_CHARACTERS:
        text = f"has {len(fact.id):,} characters; the limit is {MAX_FACT_ID_CHARACTERS}"
        found.append(Violation(f"{path}.id", InvalidReason.INVALID_OPTION, text))
    if not 0 <= fact.evidence_index < pieces and pieces:
        text = (
            f"is {fact.evidence_index}; evidence holds {pieces}: send an index in [0, {pieces - 1}]"
        )
        found.append(Violation(f"{path}.evidence_index", InvalidReason.INVALID_SOURCE, text))
    return found


def _characters(evidence: EvidenceInput) -> int:
    documents = (s for s in evidence.sources if isinstance(s, Document))
    return len(evidence.context) + sum(len(d.text) + len(d.title) for d in documents)


def _fact_text(index: int) -> str:
    return f"facts[{index}].text"

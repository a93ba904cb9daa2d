"""What the model says of one claim and its passages: a choice on each, a raw probability,
a budget."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from groundwire_verifier.corpus.passages import Passage
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.errors import InvalidInputError
from groundwire_verifier.domain.estimates import estimates_of
from groundwire_verifier.domain.evidence import Document, Evidence
from groundwire_verifier.domain.prompts import require
from groundwire_verifier.domain.types import Question, Template
from groundwire_verifier.estimation import EncodedFields, shifts_of
from groundwire_verifier.session import Session
from groundwire_verifier.verdicts.judging import stance_of
from groundwire_verifier.verdicts.options import MAX_TITLE_CHARACTERS, VerifyOptions
from groundwire_verifier.verdicts.questions import ClaimTask
from groundwire_verifier.verdicts.types import ClaimVerdict, Stance
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
        raw = (
            estimates_of(readings[-1:], floor, info.calibration, await shifts_of(info, [by_itself]))
            if alone
            else []
        )
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

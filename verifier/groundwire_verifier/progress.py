"""A plan of verification, and how far it is read: which readings are there, what they complete.

Does not read anything itself.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from groundwire_verifier.domain.evidence import Evidence, NonEvidence
from groundwire_verifier.domain.sharing import minimal_tokens
from groundwire_verifier.domain.types import BackendInfo, Prompt, Reading, Template
from groundwire_verifier.estimation import EncodedFields
from groundwire_verifier.verdicts.judging import (
    ClaimReadings,
    Judge,
    SourceEstimates,
    unread_verdict,
)
from groundwire_verifier.verdicts.looks import Looks
from groundwire_verifier.verdicts.options import VerifyOptions
from groundwire_verifier.verdicts.other_sources import (
    FEWEST_PROMPTS,
    MOST_OTHER_SOURCES,
    OtherSources,
    SourceQuestions,
)
from groundwire_verifier.verdicts.questions import ClaimQuestions, ClaimTask
from groundwire_verifier.verdicts.types import ClaimVerdict, Reason, Verdict

OnVerdict = Callable[[int, ClaimVerdict], None]
"""Told of each verdict, with the index of its claim, as soon as it is known."""


@dataclass(frozen=True, slots=True)
class VerificationPlan:
    """A valid batch, ready to be read: its prompts, and what each claim asked of them.

    A claim that is not read has its verdict already.
    `order` is that of the prompts that are read in any case: those of the first claim come first.
    `spare_prompts` is how many more, on other sources, the limits leave to it. `evidence` is all
    that may be read, and `looks` are those into it.
    """

    backend: str
    info: BackendInfo
    options: VerifyOptions
    tasks: tuple[ClaimTask, ...]
    asked: tuple[ClaimQuestions | ClaimVerdict, ...]
    prompts: tuple[Prompt, ...]
    templates: tuple[Template, ...]
    order: tuple[int, ...]
    non_evidence: tuple[NonEvidence, ...]
    other_sources: OtherSources
    spare_prompts: int
    fields: EncodedFields
    evidence: Evidence
    looks: Looks
    cache_salt: str

    @property
    def prompt_tokens(self) -> int:
        """Tokens of the prompts that are read at once, before any sharing."""
        parts = (part for i in self.order for part in self.prompts[i].parts)
        return sum(len(part.token_ids) for part in parts)


@dataclass(frozen=True, slots=True)
class SharedUsage:
    """Tokens of a batch whose prompts share prefixes; see the contract's SharedUsage."""

    distinct_prompts: int
    prompt_tokens: int
    computed_tokens: int
    minimal_tokens: int
    block_tokens: int

    @classmethod
    def of(cls, readings: Mapping[Prompt, Reading], block_tokens: int) -> "SharedUsage":
        """What these prompts cost. Takes a while where they are many."""
        read = [part for prompt in readings for part in prompt.parts]
        tokens = sum(reading.prompt_tokens for reading in readings.values())
        cached = sum(reading.cached_tokens for reading in readings.values())
        return cls(
            distinct_prompts=len(read),
            prompt_tokens=tokens,
            computed_tokens=tokens - cached,
            minimal_tokens=minimal_tokens(read, block_tokens),
            block_tokens=block_tokens,
        )


@dataclass(frozen=True, slots=True)
class SourceCheck:
    """A claim to be read without any source, with those that it cites alone and with others alone,
    in at most so many prompts."""

    claim: int
    most_prompts: int


@dataclass(frozen=True, slots=True)
class FollowUps:
    """What has to be read now that more is known: stance prompts, and claims on other sources."""

    stances: list[int] = field(default_factory=list)
    source_checks: list[SourceCheck] = field(default_factory=list)


class Progress:
    """Which readings are there, and which claims they complete."""

    def __init__(self, plan: VerificationPlan, judge: Judge, on_verdict: OnVerdict | None) -> None:
        self._plan = plan
        self._judge = judge
        self._on_verdict = on_verdict
        self._readings: dict[int, Reading] = {}
        self._said = ClaimReadings()
        self._verdicts: dict[int, ClaimVerdict] = {}
        self.has_read_a_claim = False
        self._asked: dict[int, ClaimQuestions] = {}
        self._missing: dict[int, set[int]] = {}
        self._claims_of: dict[int, list[int]] = {}
        self._spare_prompts = plan.spare_prompts
        self._checked: dict[ClaimTask, list[int]] = {}
        self._of_sources: dict[Prompt, Reading] = {}
        for claim, asked in enumerate(plan.asked):
            if isinstance(asked, ClaimVerdict):
                self._tell(claim, asked)
                continue
            self._asked[claim] = asked
            self._missing[claim] = set(asked.first)
            for prompt in self._missing[claim]:
                self._claims_of.setdefault(prompt, []).append(claim)

    def unread(self) -> list[int]:
        """The claims without a verdict, in their order."""
        return [claim for claim in self._asked if claim not in self._verdicts]

    def first_prompts(self, claims: Collection[int]) -> list[int]:
        """What has to be read of these claims in any case, and is not yet, in the order to read."""
        wanted = {prompt for claim in claims for prompt in self._missing[claim]}
        return [prompt for prompt in self._plan.order if prompt in wanted]

    def leave_unread(self, reason: Reason) -> None:
        """End with what is known.

        A claim whose stance or other sources nobody read is judged without them. The others are not
        verified, for this reason.
        """
        for task in list(self._checked):
            self.sources_unknown(task)
        for claim in self.unread():
            task = self._plan.tasks[claim]
            if self._missing[claim]:
                self._tell(claim, unread_verdict(task, reason, ""))
            else:
                self._tell(claim, self._judge.verdict(task, self._asked[claim], self._said))

    def known(self, prompt: int, reading: Reading) -> FollowUps:
        """Take a reading; return what has to be read now."""
        self._readings[prompt] = reading
        self._judge.take(prompt, self._plan.templates[prompt], reading, self._said)
        wanted = FollowUps()
        for claim in self._claims_of.pop(prompt, ()):
            asked = self._asked[claim]
            self._missing[claim].discard(prompt)
            if self._missing[claim]:
                continue
            self.has_read_a_claim = True
            stance = asked.stance
            if (
                stance is None
                or stance in self._readings
                or not self._judge.asks_for_stance(asked, self._said)
            ):
                self._finish(claim, asked, wanted)
                continue
            # Equal claims wait for one stance.
            if stance not in self._claims_of:
                wanted.stances.append(stance)
            self._claims_of.setdefault(stance, []).append(claim)
        return wanted

    def sources_known(
        self,
        task: ClaimTask,
        asked: SourceQuestions,
        prompts: Sequence[Prompt],
        readings: Sequence[Reading],
    ) -> None:
        """Take what other sources say of a claim, and finish it and its equals."""
        self._of_sources.update(zip(prompts, readings, strict=True))
        self._finish_checked(task, self._judge.source_estimates(asked, readings))

    def sources_unknown(self, task: ClaimTask) -> None:
        """Finish a claim and its equals whose other sources cannot be read."""
        self._finish_checked(task, None)

    def _finish_checked(self, task: ClaimTask, sources: SourceEstimates | None) -> None:
        for claim in self._checked.pop(task):
            verdict = self._judge.verdict(task, self._asked[claim], self._said, sources)
            self._tell(claim, verdict)

    def _finish(self, claim: int, asked: ClaimQuestions, wanted: FollowUps) -> None:
        task = self._plan.tasks[claim]
        verdict = self._judge.verdict(task, asked, self._said)
        others = self._plan.other_sources.of(task)
        if verdict.verdict is not Verdict.PRIOR_KNOWLEDGE or not others:
            self._tell(claim, verdict)
        elif task in self._checked:
            # Equal claims wait for one check.
            self._checked[task].append(claim)
        elif self._spare_prompts >= FEWEST_PROMPTS:
            count = min(len(others), MOST_OTHER_SOURCES)
            most = min(self._spare_prompts, FEWEST_PROMPTS + count)
            self._spare_prompts -= most
            self._checked[task] = [claim]
            wanted.source_checks.append(SourceCheck(claim, most))
        else:
            self._tell(claim, verdict)

    def _tell(self, claim: int, verdict: ClaimVerdict) -> None:
        self._verdicts[claim] = verdict
        if self._on_verdict is not None:
            self._on_verdict(claim, verdict)

    def verdicts(self) -> tuple[ClaimVerdict, ...]:
        """One a claim, in their order, when all have theirs."""
        return tuple(self._verdicts[claim] for claim in range(len(self._plan.asked)))

    def readings(self) -> dict[Prompt, Reading]:
        """What was read, with all that was asked later."""
        read = {self._plan.prompts[i]: reading for i, reading in self._readings.items()}
        return read | self._of_sources

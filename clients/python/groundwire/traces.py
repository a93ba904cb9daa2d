"""The audit of a chain of reasoning: its steps with their statuses, and its answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias, overload

from groundwire.claims import NonAssertiveReason
from groundwire.reports import Run
from groundwire.verdicts import VerifiedClaim

ChatMessage: TypeAlias = Mapping[str, object]
"""A chat message in the shape of OpenAI's API: `role`, `content`, `tool_calls`, `tool_call_id`."""


class StepStatus(StrEnum):
    """What is known of a step."""

    ENTAILED = "ENTAILED"
    """The context, or steps before that are entailed, carry all that it asserts."""
    CONTRADICTED = "CONTRADICTED"
    """The context, or steps before that are entailed, say otherwise."""
    NOT_IN_CONTEXT = "NOT_IN_CONTEXT"
    """It asserts what is in neither, be it true or not."""
    UNVERIFIABLE = "UNVERIFIABLE"
    """Nothing is known of it; `AuditedStep.unverifiable_reason` says why."""
    UNKNOWN = "UNKNOWN"


class UnverifiableReason(StrEnum):
    """Why nothing is known of a step."""

    NON_ASSERTIVE = "NON_ASSERTIVE"
    """It asserts nothing; `AuditedStep.non_assertive_reason` has the kind."""
    PLAN = "PLAN"
    """It only says what is going to be done."""
    NO_EVIDENCE = "NO_EVIDENCE"
    """The call had no context."""
    LABEL_MASS_BELOW_FLOOR = "LABEL_MASS_BELOW_FLOOR"
    """The model put too little probability on YES and NO."""
    TOO_LONG = "TOO_LONG"
    """It makes a claim of more than `Limits.max_claim_tokens` tokens."""
    OUT_OF_TIME = "OUT_OF_TIME"
    """It was not read before the call had to be answered."""
    BACKEND_FAILED = "BACKEND_FAILED"
    """It was not read before the server's engine died or hung."""
    INTERVAL_TOO_WIDE = "INTERVAL_TOO_WIDE"
    """A backend that samples leaves open on which side of the bar it lies."""
    TOO_FEW_SAMPLES = "TOO_FEW_SAMPLES"
    """Too few samples of a backend were an answer."""
    VAGUE = "VAGUE"
    """It is too vague to be judged."""
    TOOL_CALL = "TOOL_CALL"
    """It is the call of a tool, which asserts nothing; what came back is evidence."""
    UNKNOWN = "UNKNOWN"


class PostHocStatus(StrEnum):
    """Whether an answer follows from the steps."""

    FOLLOWS = "FOLLOWS"
    """The steps lead to this answer."""
    MISMATCH = "MISMATCH"
    """They lead to another answer, or to none: the answer was found without them."""
    NOT_CHECKED = "NOT_CHECKED"
    """Nothing is known."""
    UNKNOWN = "UNKNOWN"


class PostHocReason(StrEnum):
    """How a post-hoc status came about."""

    SAME_ANSWER = "SAME_ANSWER"
    """FOLLOWS: what was derived from the steps is this answer."""
    OTHER_ANSWER = "OTHER_ANSWER"
    """MISMATCH: what was derived from the steps is another answer."""
    NO_ANSWER_DERIVED = "NO_ANSWER_DERIVED"
    """MISMATCH: nothing can be derived from the steps."""
    STEPS_SUPPORT = "STEPS_SUPPORT"
    """FOLLOWS: read with the steps as its evidence, the answer is supported."""
    STEPS_DO_NOT_SUPPORT = "STEPS_DO_NOT_SUPPORT"
    """MISMATCH: read with the steps as its evidence, it is not."""
    OTHER_CONCLUSION = "OTHER_CONCLUSION"
    """MISMATCH: the steps support it, and the last of them does not by itself."""
    NO_ANSWER = "NO_ANSWER"
    """NOT_CHECKED: the call had no answer."""
    NOT_ASKED = "NOT_ASKED"
    """NOT_CHECKED: the check was not asked for."""
    UNREADABLE = "UNREADABLE"
    """NOT_CHECKED: the model does not answer YES or NO, or the texts are too long for it."""
    OUT_OF_TIME = "OUT_OF_TIME"
    """NOT_CHECKED: not done before the call had to be answered."""
    BACKEND_FAILED = "BACKEND_FAILED"
    """NOT_CHECKED: the server's engine died or hung."""
    UNKNOWN = "UNKNOWN"


class PostHocExecutor(StrEnum):
    """Who derived the answer from the steps."""

    GENERATION = "GENERATION"
    """The model wrote it, seeing the steps alone, and a tolerant matcher compared the two."""
    READ = "READ"
    """The model was asked whether the answer is true, with the steps and without them."""
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True, repr=False)
class AuditedStep:
    """A step, what is known of it, and every number behind that. Prints as one line."""

    text: str
    """The step as it was sent, or as it was read from the messages."""
    status: StepStatus
    """What is known of it."""
    unverifiable_reason: UnverifiableReason | None
    """Why, where it is UNVERIFIABLE; else None."""
    reason_text: str
    """The same in words, with the numbers: Hebrew for a Hebrew step, else English."""
    claims: int
    """Claims that the step makes; it is as good as the weakest of them."""
    content: str
    """The claim that decided; empty if the step makes none."""
    verdict: VerifiedClaim | None
    """What is known of that claim; None: the step makes none, or there was no context."""
    non_assertive_reason: NonAssertiveReason | None
    """What the step is instead of an assertion; None: it is one, or a plan."""

    @property
    def p1(self) -> float | None:
        """The probability with the evidence, in [0, 1]; None where there is none."""
        return None if self.verdict is None else self.verdict.p1

    @property
    def p0(self) -> float | None:
        """The probability without the context and the steps before, in [0, 1]; None: not read."""
        return None if self.verdict is None else self.verdict.p0

    @property
    def required_bits(self) -> float | None:
        """The bits that the step's confidence asks its evidence for; None without a budget."""
        return None if self.verdict is None else self.verdict.required_bits

    @property
    def observed_bits(self) -> float | None:
        """The bits that its evidence gave; None without a budget."""
        return None if self.verdict is None else self.verdict.observed_bits

    @property
    def gap_bits(self) -> float | None:
        """`required_bits` less `observed_bits`; None without a budget."""
        return None if self.verdict is None else self.verdict.gap_bits

    @property
    def budget_gap(self) -> float | None:
        """`gap_bits`, by the name that SPEC-08.32 has for it."""
        return self.gap_bits

    @property
    def is_supported(self) -> bool:
        """Whether it is entailed, or asserts nothing that could be: it harms no trace."""
        return self.status is StepStatus.ENTAILED or self.unverifiable_reason in (
            UnverifiableReason.NON_ASSERTIVE,
            UnverifiableReason.PLAN,
            UnverifiableReason.TOOL_CALL,
        )

    def __str__(self) -> str:
        return f"{self.status} {self.text!r}: {self.reason_text}"

    def __repr__(self) -> str:
        return f"<{self}>"


@dataclass(frozen=True, slots=True)
class PostHoc:
    """Whether the answer follows from the steps alone."""

    status: PostHocStatus
    """The result."""
    reason: PostHocReason
    """How it came about."""
    reason_text: str
    """The same in words: Hebrew for a Hebrew answer, else English."""
    executor: PostHocExecutor | None
    """Who derived the answer; None: nobody did."""
    derived_answer: str
    """With GENERATION, what was derived from the steps; empty if nothing was."""
    verdict: VerifiedClaim | None
    """With READ, the answer with its p1 (with the steps) and p0 (without them); with
    OTHER_CONCLUSION those of the last step alone."""


@dataclass(frozen=True, slots=True)
class TraceAudit(Sequence[AuditedStep]):
    """The answer to `audit_trace`: a sequence of the steps, and the trace as a whole."""

    steps: tuple[AuditedStep, ...]
    """The steps in their order."""
    first_unsupported_step: int | None
    """The index of the first step at which the trace leaves its evidence, from 0: the first that is
    CONTRADICTED or NOT_IN_CONTEXT. None: no step that could be read does."""
    post_hoc: PostHoc
    """Whether the answer follows from the steps."""
    sound: bool
    """Whether every step is entailed or asserts nothing, at least one is entailed, and the answer
    follows, where that was to be checked. False whenever something could not be read."""
    run: Run
    """How it was done, and what it cost."""
    rounds: int
    """Times that steps were read."""

    @property
    def detection_id(self) -> str:
        """The id of what this call found: `Run.detection_id`."""
        return self.run.detection_id

    def __len__(self) -> int:
        return len(self.steps)

    @overload
    def __getitem__(self, index: int) -> AuditedStep: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[AuditedStep, ...]: ...

    def __getitem__(self, index: int | slice) -> AuditedStep | tuple[AuditedStep, ...]:
        return self.steps[index]

"""What is said of a trace: each step's status, the post-hoc check, and every number behind them."""

from dataclasses import dataclass, field
from enum import Enum

from groundwire_verifier.checks.traces.messages import Step
from groundwire_verifier.checks.traces.step_claims import StepClaims
from groundwire_verifier.domain.claims import NonAssertive
from groundwire_verifier.domain.evidence import Evidence
from groundwire_verifier.verdicts.options import EvidenceInput, VerifyOptions
from groundwire_verifier.verdicts.types import ClaimVerdict
from groundwire_verifier.verification import Verification


class StepStatus(Enum):
    """What is known of a step."""

    ENTAILED = "entailed"
    CONTRADICTED = "contradicted"
    NOT_IN_CONTEXT = "not in context"
    UNVERIFIABLE = "unverifiable"


class Unverifiable(Enum):
    """Why nothing is known of a step."""

    NON_ASSERTIVE = "asserts nothing"
    PLAN = "a plan"
    VAGUE = "too vague"
    TOOL_CALL = "a call of a tool"
    NO_EVIDENCE = "no evidence"
    LABEL_MASS_BELOW_FLOOR = "label mass below the floor"
    TOO_LONG = "too long"
    OUT_OF_TIME = "out of time"
    BACKEND_FAILED = "backend failed"
    INTERVAL_TOO_WIDE = "interval too wide"
    TOO_FEW_SAMPLES = "too few samples"


ASSERTS_NOTHING = frozenset({Unverifiable.NON_ASSERTIVE, Unverifiable.PLAN, Unverifiable.TOOL_CALL})
"""Steps that are not verified since there is nothing to verify: they harm no trace."""


class PostHocStatus(Enum):
    """Whether an answer follows from the steps."""

    FOLLOWS = "follows"
    MISMATCH = "mismatch"
    NOT_CHECKED = "not checked"


class PostHocReason(Enum):
    """How a post-hoc status came about."""

    SAME_ANSWER = "same answer"
    OTHER_ANSWER = "other answer"
    NO_ANSWER_DERIVED = "no answer derived"
    STEPS_SUPPORT = "steps support"
    STEPS_DO_NOT_SUPPORT = "steps do not support"
    OTHER_CONCLUSION = "other conclusion"
    NO_ANSWER = "no answer"
    NOT_ASKED = "not asked"
    UNREADABLE = "unreadable"
    OUT_OF_TIME = "out of time"
    BACKEND_FAILED = "backend failed"


class Executor(Enum):
    """Who derives an answer from the steps."""

    GENERATION = "generation"
    READ = "read"


@dataclass(frozen=True, slots=True)
class TraceInput:
    """A trace to audit, as a caller sends it. Without evidence only its answer is checked."""

    steps: tuple[Step, ...]
    evidence: EvidenceInput
    question: str = ""
    answer: str = ""
    options: VerifyOptions = field(default_factory=VerifyOptions)
    check_post_hoc: bool = True


@dataclass(frozen=True, slots=True)
class Trace:
    """A trace that is checked, with what its steps claim. None for `evidence`: there is none."""

    steps: tuple[StepClaims, ...]
    evidence: Evidence | None
    question: str
    answer: str
    options: VerifyOptions
    check_post_hoc: bool

    @property
    def claims(self) -> int:
        """How many claims the audit may read, with the answer."""
        return sum(len(step.claims) for step in self.steps) + 1


@dataclass(frozen=True, slots=True)
class StepAudit:
    """A step with its status; `unverifiable` is set exactly if it is UNVERIFIABLE.

    `content` is the claim that decided, and `verdict` what is known of it; it is None where the
    step makes no claim, or there is no evidence.
    """

    status: StepStatus
    unverifiable: Unverifiable | None
    reason_text: str
    claims: int
    content: str = ""
    verdict: ClaimVerdict | None = None
    non_assertive: NonAssertive | None = None


@dataclass(frozen=True, slots=True)
class PostHoc:
    """Whether the answer follows from the steps.

    `derived` is what GENERATION wrote, `verdict` what READ made of the answer.
    """

    status: PostHocStatus
    reason: PostHocReason
    reason_text: str
    executor: Executor | None = None
    derived: str = ""
    verdict: ClaimVerdict | None = None


@dataclass(frozen=True, slots=True)
class TraceAudit:
    """The audit of a trace.

    `first_unsupported` is the index of the first step that is CONTRADICTED or NOT_IN_CONTEXT.
    `verification` has the verdicts behind the statuses, and what all of it cost.
    """

    steps: tuple[StepAudit, ...]
    first_unsupported: int | None
    post_hoc: PostHoc
    sound: bool
    rounds: int
    verification: Verification

"""What can go wrong in the domain, as one tree.

Each error stands under the one that it is a kind of:

    VerifierError
    ├── InvalidInputError        the request is wrong: fields, limits, what to do
    ├── UnusableModelError       the model cannot be asked YES/NO questions; found at start
    ├── TooManyPromptsError      chunks beyond the limit; becomes an InvalidInputError
    ├── PromptTooLongError       what is to be written about does not fit into the window
    ├── DeadlineUnreachableError the answer would come too late
    ├── QueueUnavailableError    work cannot be kept now, so none was accepted
    ├── UnsupportedByProfileError  the model answers other questions than what is asked for needs
    └── BackendUnavailableError  no answer can be had now
        ├── BackendLoadingError  not yet
        ├── BackendFailedError   never again: the process has to be restarted
        ├── BackendBusyError     not before some time has passed
        │   └── SpendingLimitError   not before the next day
        ├── BackendUnreachableError  what was tried failed; another try may not
        │   └── ImplausibleAnswerError   what came back cannot be true
        ├── CorpusUnavailableError   a corpus cannot be read: gone, empty, of another model
        └── BackendRefusedError  not before the operator changes something
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

MAX_VIOLATIONS = 20
"""How many violations one error lists at most."""


class InvalidReason(StrEnum):
    """Why an input is refused; the names are those of the contract's ErrorReason."""

    EMPTY_BATCH = "EMPTY_BATCH"
    TOO_MANY_CLAIMS = "TOO_MANY_CLAIMS"
    EMPTY_CLAIM = "EMPTY_CLAIM"
    CLAIM_TOO_LONG = "CLAIM_TOO_LONG"
    CONTEXT_TOO_LONG = "CONTEXT_TOO_LONG"
    UNKNOWN_BACKEND = "UNKNOWN_BACKEND"
    EMPTY_TEXT = "EMPTY_TEXT"
    TEXT_TOO_LONG = "TEXT_TOO_LONG"
    INVALID_SOURCE = "INVALID_SOURCE"
    INVALID_OPTION = "INVALID_OPTION"
    TOO_MANY_STEPS = "TOO_MANY_STEPS"
    INVALID_TOOL_CALL = "INVALID_TOOL_CALL"
    UNKNOWN_CORPUS = "UNKNOWN_CORPUS"


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that is wrong with an input.

    `field` is a path such as `claims[17]`; `description` names the limit and the fix and never
    repeats the text itself.
    """

    field: str
    reason: InvalidReason
    description: str


class VerifierError(Exception):
    """Base of everything the domain raises on purpose."""


class InvalidInputError(VerifierError):
    """The input breaks a rule.

    `violations` holds at least one and at most MAX_VIOLATIONS, in the order of the fields.
    """

    def __init__(self, violations: Sequence[Violation]) -> None:
        """The message names the first violation, and how many more there are."""
        first = violations[0]
        more = f" (and {len(violations) - 1} more)" if len(violations) > 1 else ""
        super().__init__(f"{first.field}: {first.description}{more}")
        self.violations = tuple(violations[:MAX_VIOLATIONS])


class UnusableModelError(VerifierError):
    """The model or its tokeniser cannot be read for YES and NO."""


class DeadlineUnreachableError(VerifierError):
    """The answer would likely come after the call's deadline.

    Times in seconds: what the call has left, when it would be done, and after how long it would be
    in time; `retry_s` is None where it never would. `fitting_share`, in [0, 1], is about how much
    of the call could be answered in time.
    """

    def __init__(self, left_s: float, predicted_s: float, retry_s: float | None) -> None:
        advice = (
            "allow more time or send a smaller batch"
            if retry_s is None
            else f"try again in {retry_s:.2f} s, allow more time, or send a smaller batch"
        )
        super().__init__(
            f"answering takes about {predicted_s:.2f} s as things stand, and the call has "
            f"{left_s:.2f} s; {advice}"
        )
        self.fitting_share = max(0.0, left_s) / max(predicted_s, left_s, 1e-9)
        self.retry_s = retry_s


class TooManyPromptsError(VerifierError):
    """Contexts that are read in chunks would need `count` prompts or more."""

    def __init__(self, count: int) -> None:
        super().__init__(f"needs {count:,} prompts or more")
        self.count = count


class PromptTooLongError(VerifierError):
    """An instruction that does not fit into the model's window beside what it is to write."""

    def __init__(self, tokens: int, limit: int) -> None:
        super().__init__(f"{tokens:,} tokens, where the model's window leaves {limit:,}")


class QueueUnavailableError(VerifierError):
    """The store of what is done in the background cannot be used now. Nothing was changed."""


class UnsupportedByProfileError(VerifierError):
    """What is asked for needs questions that the model of a profile was not made for."""

    def __init__(self, profile: str, needed: str) -> None:
        super().__init__(
            f"this needs a model that {needed}; that of the profile {profile} does not: name "
            "another backend, or serve a model with the profile instruct"
        )


class BackendUnavailableError(VerifierError):
    """The backend gives no answer now."""


class BackendLoadingError(BackendUnavailableError):
    """The backend is still loading its model."""


class BackendFailedError(BackendUnavailableError):
    """The backend's engine is dead or hangs."""


class BackendBusyError(BackendUnavailableError):
    """The backend takes no more now; it may in `retry_s` seconds."""

    def __init__(self, message: str, retry_s: float) -> None:
        super().__init__(message)
        self.retry_s = retry_s


class SpendingLimitError(BackendBusyError):
    """What may be spent on the backend in a day is spent."""


class BackendUnreachableError(BackendUnavailableError):
    """The backend gave no answer that can be used, however often it was tried."""


class ImplausibleAnswerError(BackendUnreachableError):
    """The backend answered what cannot be true, such as a probability above 1."""


class BackendRefusedError(BackendUnavailableError):
    """The backend refuses what it is asked, and will until its operator changes something."""


class CorpusUnavailableError(BackendUnavailableError):
    """A corpus cannot be read; the text says which, why, and what fixes it."""

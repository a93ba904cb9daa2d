"""The one interface behind which a model answers."""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Protocol

from groundwire_verifier.domain.types import (
    BackendInfo,
    Instruction,
    Prompt,
    Question,
    Reading,
    TimedReadings,
)
from groundwire_verifier.domain.urgency import Urgency

OnReading = Callable[[int, Reading], None]
"""Told of each reading, with the index of its prompt, as soon as it is known."""


class BackendState(Enum):
    """The life of a backend: loading, serving, and, if its engine dies or hangs, failed."""

    LOADING = "loading"
    SERVING = "serving"
    FAILED = "failed"


class Reader(Protocol):
    """What prompts can be read with: a backend, or the cache in front of one."""

    async def read(
        self,
        prompts: Sequence[Prompt],
        trace_headers: Mapping[str, str],
        urgency: Urgency,
        on_reading: OnReading | None = None,
    ) -> TimedReadings:
        """Read the labels after each prompt, all submitted together, in their order.

        `trace_headers` is the caller's trace context in W3C form, or empty. Cancelling the call
        stops its work in the engine. The tenant pays for what is computed as it comes, also if
        nobody waits for it any more. Raises BackendUnavailableError, or DeadlineUnreachableError if
        the answer would come too late.
        """


class Backend(Reader, Protocol):
    """A model that is asked YES/NO questions. Each read is computed."""

    @property
    def model(self) -> str:
        """The model's name; known before it is loaded."""

    @property
    def state(self) -> BackendState:
        """Where in its life the backend is."""

    @property
    def info(self) -> BackendInfo:
        """What was loaded. Raises BackendUnavailableError unless SERVING."""

    async def start(self) -> None:
        """Load the model and warm it up; SERVING when it returns.

        Raises UnusableModelError or BackendFailedError.
        """

    async def encode(self, questions: Sequence[Question]) -> list[Prompt]:
        """Turn questions into prompts, in their order, off the event loop.

        Raises BackendUnavailableError, or UnsupportedByProfileError for a question that the model
        cannot be asked.
        """

    async def generate(
        self,
        instruction: Instruction,
        most_tokens: int,
        trace_headers: Mapping[str, str],
        urgency: Urgency,
    ) -> str:
        """What the model writes in at most `most_tokens` tokens, the likeliest each time.

        It is read after all that is only read. Cancelling the call stops it in the engine. Raises
        BackendUnavailableError, PromptTooLongError, UnsupportedByProfileError for a model that only
        judges, or DeadlineUnreachableError: at once if it would likely not be done by the deadline,
        or at the deadline.
        """

    async def wait_failed(self) -> str:
        """Return, with the cause in words, when the engine has died or hangs; else never."""

    async def stop(self) -> None:
        """Release the model. Reads in flight fail with BackendFailedError."""

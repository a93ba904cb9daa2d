"""The answer that a model derives from steps alone, and whether a model can derive any."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from groundwire_verifier.checks.traces.matching import answers_match
from groundwire_verifier.domain.prompts import wording_id
from groundwire_verifier.domain.tasks import retrieve
from groundwire_verifier.domain.types import Instruction, TextPart
from groundwire_verifier.domain.urgency import Urgency
from groundwire_verifier.engine.base import Backend
from groundwire_verifier.session import NO_HEADERS

DERIVATION_VERSION = "derive/1"
"""A change of the wording below needs a new version."""

_LEAD = "Given the following steps of a calculation or an argument:\n"
_ASK = (
    "\n\nWhich answer do these steps lead to? Use nothing but the steps. Write the answer alone, "
    "in a few words. If they lead to no answer, write UNKNOWN."
)
_QUESTION = "\nThe question was: "
MAX_ANSWER_TOKENS = 48
"""Most tokens that a model writes for an answer of its own."""
DERIVATION_WORDING_ID = wording_id(_LEAD, _ASK, _QUESTION)
_NONE = ("unknown", "לא ידוע")


class ExecutorChoice(Enum):
    """Who derives answers: AUTO has the model show first that it can."""

    AUTO = "auto"
    GENERATION = "generation"
    READ = "read"


@dataclass(frozen=True, slots=True)
class _Trial:
    question: str
    steps: tuple[str, ...]
    answer: str


_TRIALS = (
    _Trial(
        "How many balls are in the box?",
        ("There are 3 red balls in the box.", "There are 4 blue balls in the box.", "3 + 4 = 7."),
        "7",
    ),
    _Trial(
        "Where is the seat of the Verin council?",
        ("The Verin council sits in the capital of Ostra.", "That capital is Melk Harbour."),
        "Melk Harbour",
    ),
    _Trial(
        "Is the north tower taller than the south tower?",
        ("The north tower is 40 metres tall.", "The south tower is 55 metres tall."),
        "No",
    ),
    _Trial(
        "What do two tickets cost?",
        ("One ticket costs 15 dollars.", "Two tickets cost 2 x 15 = 30 dollars."),
        "30 dollars",
    ),
    _Trial(
        "Who wrote the log of 1903?",
        ("The log of 1903 was kept by the keeper.", "The keeper in 1903 was Ada Moreno."),
        "Ada Moreno",
    ),
    _Trial(
        "How long is the second bridge?",
        ("The first bridge is 120 metres long.", "The second bridge is 80 metres longer.",
         "120 + 80 = 200."),
        "200 metres",
    ),
)  # fmt: skip
_MOST_FAILED_TRIALS = 1


class Deriver:
    """Derives answers with backends by their names."""

    def __init__(self, backends: Mapping[str, Backend], choice: ExecutorChoice) -> None:
        self._backends = backends
        self._choice = choice
        self._trials: dict[str, asyncio.Task[bool]] = {}

    async def can_derive(self, backend: str, urgency: Urgency) -> bool:
        """Whether a backend is to derive answers: by the choice, or by what it has shown.

        It is tried once, on answers that are known, when it is first asked for: all calls that
        come meanwhile wait for that, and it goes on when they leave. A model that only answers the
        question of its profile is not tried. Raises BackendUnavailableError.
        """
        if self._choice is not ExecutorChoice.AUTO:
            return self._choice is ExecutorChoice.GENERATION
        if not self._backends[backend].info.profile.is_in_own_words:
            return False
        trial = self._trials.get(backend)
        if trial is None or (trial.done() and (trial.cancelled() or trial.exception())):
            trial = asyncio.create_task(self._passes_trials(backend, urgency.of_follow_up()))
            trial.add_done_callback(retrieve)
            self._trials[backend] = trial
        return await asyncio.shield(trial)

    async def derive(
        self,
        backend: str,
        question: str,
        steps: Sequence[str],
        urgency: Urgency,
        *,
        cache_salt: str = "",
        trace_headers: Mapping[str, str] = NO_HEADERS,
    ) -> str:
        """The answer that the steps lead to; empty if the model names none.

        Raises BackendUnavailableError, PromptTooLongError, or UnsupportedByProfileError.
        """
        parts = [
            TextPart(_LEAD, is_ours=True),
            TextPart("\n".join(step.strip() for step in steps), is_ours=False),
            TextPart(_ASK, is_ours=True),
        ]
        if question.strip():
            parts += [
                TextPart(_QUESTION, is_ours=True),
                TextPart(question.strip(), is_ours=False),
            ]
        instruction = Instruction(tuple(parts), cache_salt)
        written = await self._backends[backend].generate(
            instruction, MAX_ANSWER_TOKENS, trace_headers, urgency
        )
        line = next(iter(written.strip().splitlines()), "").strip()
        return "" if line.casefold().strip(" .!\"'") in _NONE else line

    async def _passes_trials(self, backend: str, urgency: Urgency) -> bool:
        failed = 0
        for trial in _TRIALS:
            derived = await self.derive(backend, trial.question, trial.steps, urgency)
            failed += not answers_match(derived, trial.answer)
            if failed > _MOST_FAILED_TRIALS:
                return False
        return True

"""The use case: questions over one state in, probabilities out, or none with a reason.

All questions of a request share the state as their prefix, and are read together. A predicate is a
claim on the state, with the same prompt, calibration and cache. Knows the order of a call. Does not
know transports.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from groundwire_verifier.decisions.rules import (
    check_input,
    check_tokens,
    unreadable,
    without_tokeniser,
)
from groundwire_verifier.decisions.types import (
    MIN_OPTION_MASS,
    DecisionInput,
    Decisions,
    OptionsAnswer,
)
from groundwire_verifier.decisions.wording import as_read, context_of
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.errors import InvalidInputError, UnreadableOptionError
from groundwire_verifier.domain.estimates import estimates_of
from groundwire_verifier.domain.types import (
    Estimate,
    NoProbabilityReason,
    Prompt,
    Question,
    Reading,
)
from groundwire_verifier.domain.urgency import Urgency
from groundwire_verifier.estimation import (
    EncodedFields,
    EstimationPlan,
    Estimator,
    shifts_of,
    usage_of,
)
from groundwire_verifier.numbers.calibration import Calibration

_FIELDS = EncodedFields("state", "questions", can_split=False)


@dataclass(frozen=True, slots=True)
class Decider:
    """Answers questions with an `Estimator`: its backends, caches, limits and label mass floor."""

    estimator: Estimator

    async def plan(self, asked: DecisionInput, cache_salt: str) -> EstimationPlan:
        """Check a request whole and tokenise it. Nothing is read yet.

        What is remembered for one `cache_salt` is used for no other.

        Raises InvalidInputError, or BackendUnavailableError while there is no model.
        """
        estimator = self.estimator
        check_input(asked, estimator.limits, estimator.backends)
        name = asked.backend or estimator.default
        backend = estimator.backends[name]
        info = backend.info
        context = context_of(asked)
        questions = [as_read(question, context, cache_salt) for question in asked.questions]
        if not info.label_forms:
            with_options = (i for i, question in enumerate(questions) if question.options)
            checks.raise_any([without_tokeniser(i) for i in with_options])
        distinct = list(dict.fromkeys(questions))
        try:
            prompts = await estimator.encode(backend, info, distinct, _FIELDS)
        except UnreadableOptionError as error:
            raise InvalidInputError([unreadable(error, _asking(questions, error))]) from None
        number = {question: i for i, question in enumerate(distinct)}
        prompt_of_claim = tuple(number[q] for q in questions)
        check_tokens([prompts[i].claim_tokens for i in prompt_of_claim], estimator.limits)
        shifts = await shifts_of(info, distinct)
        return EstimationPlan(name, info, tuple(prompts), prompt_of_claim, shifts)

    async def read(
        self,
        plan: EstimationPlan,
        trace_headers: Mapping[str, str],
        urgency: Urgency,
        *,
        skip_result_cache: bool = False,
    ) -> Decisions:
        """Read a plan's prompts and give one answer a question.

        Raises BackendUnavailableError or DeadlineUnreachableError.
        """
        estimator = self.estimator
        done = await estimator.read_prompts(
            plan.backend, plan.prompts, trace_headers, urgency, skip_result_cache=skip_result_cache
        )
        floor, calibration = estimator.label_mass_floor, plan.info.calibration
        answers = [
            _answer(prompt, reading, floor, calibration, shift)
            for prompt, reading, shift in zip(
                plan.prompts, done.readings, plan.shifts_nats, strict=True
            )
        ]
        return Decisions(
            answers=tuple(answers[i] for i in plan.prompt_of_claim),
            usage=usage_of(plan, done.readings),
            queue_s=done.queue_s,
            inference_s=done.inference_s,
            model=plan.info.model,
            backend=plan.backend,
        )


def _asking(questions: Sequence[Question], error: UnreadableOptionError) -> int:
    """The index of the question whose options cannot be read."""
    return next(i for i, question in enumerate(questions) if question.options == error.options)


def _answer(
    prompt: Prompt,
    reading: Reading,
    floor: float,
    calibration: Calibration | None,
    shift_nats: float,
) -> Estimate | OptionsAnswer:
    if not prompt.option_ids:
        return estimates_of([reading], floor, calibration, shift_nats)[0]
    nats = np.array(reading.option_nats)
    total = float(np.logaddexp.reduce(nats))
    mass = min(1.0, float(np.exp(total)))
    reason = reading.reason
    if reason is None and mass < max(floor, MIN_OPTION_MASS):
        reason = NoProbabilityReason.LABEL_MASS_BELOW_FLOOR
    shares = np.exp(nats - total) if reason is None else ()
    return OptionsAnswer(tuple(map(float, shares)), mass, reading.source, reason)

"""The use case of claims by a model: a text with the claims of the rules in, traced claims out.

Whatever goes wrong, the claims of the rules are there already, and the result says why they were
taken.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from groundwire_verifier.backends.base import Backend
from groundwire_verifier.domain.claims import Claim, NonAssertive, Span
from groundwire_verifier.domain.errors import (
    BackendUnavailableError,
    PromptTooLongError,
    VerifierError,
)
from groundwire_verifier.domain.tasks import all_of
from groundwire_verifier.domain.threads import in_thread
from groundwire_verifier.domain.urgency import Urgency
from groundwire_verifier.model_claims.answers import read_answer
from groundwire_verifier.model_claims.extraction import (
    Extracted,
    Extraction,
    Extractor,
    Fallback,
    UnusableAnswerError,
)
from groundwire_verifier.model_claims.tracing import Traced, trace
from groundwire_verifier.model_claims.wording import AskedText, instruction_of

PASSAGE_CHARACTERS = 1200
"""About as many of a text are asked about at one time; a sentence is never cut."""
BEFORE_CHARACTERS = 400
"""What a model is shown of the text before a passage, for the names in it."""
MAX_PASSAGES = 16
MAX_WRITTEN_TOKENS = 1024
"""Most tokens that a model writes for one passage."""

_ASSERTING = (None, NonAssertive.HEDGED)


@dataclass(frozen=True, slots=True)
class ExtractionCall:
    """How a model is asked. Nothing is shared with another `cache_salt`."""

    cache_salt: str
    trace_headers: Mapping[str, str]
    urgency: Urgency


class ModelExtractor:
    """Asks the model of one of `backends`, by their names.

    `backend` is the one that is asked. It has at most `timeout_s` for a text, and never more than
    half of the time that the call has left: the rest is for reading the claims.
    """

    def __init__(self, backends: Mapping[str, Backend], backend: str, timeout_s: float) -> None:
        self._backends = backends
        self._name = backend
        self._timeout_s = timeout_s

    async def extract(
        self, text: str, question: str, by_rules: Sequence[Claim], call: ExtractionCall
    ) -> Extracted:
        """The claims of a text, of which the rules have found these."""
        places = passages(text, by_rules)
        if not places:
            return self._taken(Traced(tuple(by_rules), 0, 0, 0))
        if len(places) > MAX_PASSAGES:
            return self._by_rules(by_rules, Fallback.TOO_LONG)
        try:
            answers = await self._ask(text, question, places, call)
            written = list(zip(places, map(read_answer, answers), strict=True))
        except (VerifierError, TimeoutError) as error:
            return self._by_rules(by_rules, _why(error))
        traced = await in_thread(trace, text, question, by_rules, written)
        if not traced.traced:
            return self._by_rules(by_rules, Fallback.NOTHING_TRACED, traced.dropped)
        return self._taken(traced)

    async def _ask(
        self, text: str, question: str, places: Sequence[Span], call: ExtractionCall
    ) -> list[str]:
        """What the model writes of each passage. The first failure ends all."""
        backend = self._backends[self._name]
        now_s = time.monotonic()
        within_s = min(self._timeout_s, (call.urgency.deadline_s - now_s) / 2)
        urgency = replace(call.urgency, deadline_s=now_s + within_s)
        instructions = [
            instruction_of(_passage(text, place), question, call.cache_salt) for place in places
        ]
        # The backend keeps to the time; that holds whether or not it does.
        async with asyncio.timeout(max(0.0, within_s)):
            return await all_of(
                backend.generate(each, MAX_WRITTEN_TOKENS, call.trace_headers, urgency)
                for each in instructions
            )

    def _taken(self, traced: Traced) -> Extracted:
        return Extracted(
            traced.claims,
            Extraction(
                Extractor.MODEL, None, traced.dropped, traced.restored, self._name, self._model
            ),
        )

    def _by_rules(self, claims: Sequence[Claim], why: Fallback, dropped: int = 0) -> Extracted:
        return Extracted(
            tuple(claims), Extraction(Extractor.RULES, why, dropped, 0, self._name, self._model)
        )

    @property
    def _model(self) -> str:
        return self._backends[self._name].model


def passages(text: str, by_rules: Sequence[Claim]) -> list[Span]:
    """The parts of a text that assert something, each of whole claims and of about one size."""
    found: list[Span] = []
    start, asserts = 0, False
    for claim in sorted(by_rules, key=lambda claim: claim.span.start):
        if claim.span.end - start > PASSAGE_CHARACTERS and claim.span.start > start:
            if asserts:
                found.append(Span(start, claim.span.start))
            start, asserts = claim.span.start, False
        asserts = asserts or claim.non_assertive in _ASSERTING
    return [*found, Span(start, len(text))] if asserts else found


def _why(error: VerifierError | TimeoutError) -> Fallback:
    match error:
        case UnusableAnswerError():
            return error.fallback
        case BackendUnavailableError():
            return Fallback.BACKEND_FAILED
        case PromptTooLongError():
            return Fallback.TOO_LONG
        case _:
            return Fallback.OUT_OF_TIME


def _passage(text: str, place: Span) -> AskedText:
    return AskedText(place.of(text), text[max(0, place.start - BEFORE_CHARACTERS) : place.start])

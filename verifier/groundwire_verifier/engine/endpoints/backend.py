"""A model behind an endpoint as a backend: its probe, its readings, and what they are worth.

Log-probabilities are read where the endpoint tells them; else answers are sampled and counted.
"""

import asyncio
import hashlib
import json
import logging
import math
import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from groundwire_verifier.domain.errors import (
    BackendBusyError,
    BackendLoadingError,
    BackendRefusedError,
    BackendUnavailableError,
    BackendUnreachableError,
    DeadlineUnreachableError,
    ImplausibleAnswerError,
    PromptTooLongError,
    UnusableModelError,
)
from groundwire_verifier.domain.prompts import PromptEncoder
from groundwire_verifier.domain.tasks import all_of, in_thread
from groundwire_verifier.domain.types import (
    INSTRUCT,
    BackendInfo,
    Bounds,
    Instruction,
    JsonForm,
    Label,
    LabelNats,
    NoProbabilityReason,
    Prompt,
    Question,
    Reading,
    ReadingOrigin,
    TimedReadings,
)
from groundwire_verifier.domain.urgency import Urgency
from groundwire_verifier.engine.base import BackendState, OnReading
from groundwire_verifier.engine.endpoints.byte_tokenizer import ByteTokenizer, text_of
from groundwire_verifier.engine.endpoints.top_tokens import ListedToken, read_labels
from groundwire_verifier.numbers.calibration import Calibration
from groundwire_verifier.numbers.intervals import wilson

_FIRST_WORD = re.compile(r"[^\W\d_]+")

MOST_TOKENS = 100_000_000
"""What a usage can say at most; more is none."""

FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0
"""How long an endpoint is left alone that could not be probed; each time twice as long."""

log = logging.getLogger("groundwire.backends")


def label_of(answer: str) -> Label | None:
    """The label that an answer begins with, whatever its case and its marks; None for any other."""
    word = _FIRST_WORD.search(answer)
    found = word.group().upper() if word else ""
    return next((label for label in Label if label.value == found), None)


def count_labels(answers: Sequence[str]) -> tuple[LabelNats, Bounds]:
    """What these answers, at least one, say of the labels, and in which range the truth lies.

    The probability is the center of its Wilson interval of 95 %, so it is never 0 or 1. An answer
    that is no label takes part of the label mass.
    """
    counts = Counter(label_of(answer) for answer in answers)
    total, yes, no = len(answers), counts[Label.YES], counts[Label.NO]
    probability = wilson(yes, yes + no)
    mass = (yes + no) / total
    nats = LabelNats(
        _ln(mass * probability.center),
        _ln(mass * (1.0 - probability.center)),
        _ln(counts[Label.UNSURE] / total),
    )
    return nats, Bounds(probability, wilson(yes + no, total), samples=total)


def _ln(share: float) -> float:
    return math.log(share) if share > 0.0 else -math.inf


@dataclass(frozen=True, slots=True)
class Abilities:
    """What an endpoint was found able to do.

    `api` names the calls that work. It lists up to `top_tokens` likely tokens; 0 means that it
    tells no log-probabilities. One call gives up to `samples_a_call` answers. `is_chat` says that
    it puts its own template around a text.
    """

    api: str
    is_chat: bool
    top_tokens: int
    samples_a_call: int = 1


@dataclass(frozen=True, slots=True)
class EndpointUsage:
    """What an endpoint says that a call cost; None for what it does not say."""

    prompt_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """The most likely next tokens after a text."""

    tokens: tuple[ListedToken, ...]
    usage: EndpointUsage


@dataclass(frozen=True, slots=True)
class Sampled:
    """Answers to a text, one or more."""

    answers: tuple[str, ...]
    usage: EndpointUsage


class Endpoint(Protocol):
    """What the backend needs from a model elsewhere. All calls raise BackendUnavailableError.

    Calls bound their own time, tries and number, and take the turn that an urgency gives them. Of
    one that is cancelled after it was sent they have its tenant pay what it may have cost.
    """

    async def probe(self) -> Abilities:
        """Find out what the endpoint can do.

        Raises BackendRefusedError if it never will, as things are set up.
        """

    async def list_tokens(self, text: str, urgency: Urgency) -> Listing:
        """The most likely next tokens after a text."""

    async def sample(self, text: str, count: int, urgency: Urgency) -> Sampled:
        """Up to `count` answers, at most as many as one call gives, at temperature 1."""

    async def write(
        self, text: str, most_tokens: int, urgency: Urgency, form: JsonForm | None = None
    ) -> str:
        """What the model writes to a text in at most `most_tokens`, the likeliest if it can choose.

        It may be empty, and has the `form` only if the endpoint can hold to one.
        """

    async def close(self) -> None:
        """Let go of its connections."""


@dataclass(frozen=True, slots=True)
class _Probed:
    """What is known once the endpoint has answered."""

    abilities: Abilities
    encoder: PromptEncoder
    info: BackendInfo


class EndpointBackend:
    """Implements `groundwire_verifier.engine.base.Backend` with a model behind an endpoint.

    `place` tells the endpoint from others, and is a part of the identity; nobody can know whether
    the weights behind it change. `window_tokens` is counted in pieces of `ByteTokenizer`.
    `calibrations` gives the calibration for an identity, if there is one; it may block. `pause`
    waits between two probes. `samples` answers are sampled for a prompt where the endpoint tells no
    log-probabilities.
    """

    def __init__(
        self,
        model: str,
        place: str,
        endpoint: Endpoint,
        *,
        window_tokens: int,
        samples: int,
        calibrations: Callable[[str], Calibration | None] = lambda identity: None,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.model = model
        self._place = place
        self._endpoint = endpoint
        self._window_tokens = window_tokens
        self._samples = samples
        self._calibrations = calibrations
        self._pause = pause
        self._probed: _Probed | None = None
        self._refusal: str | None = None
        self._ended = asyncio.Event()

    @property
    def state(self) -> BackendState:
        """LOADING until the probe is through, FAILED when the endpoint refused it."""
        if self._refusal is not None:
            return BackendState.FAILED
        return BackendState.LOADING if self._probed is None else BackendState.SERVING

    @property
    def info(self) -> BackendInfo:
        """What was found. Raises BackendUnavailableError unless SERVING."""
        return self._ready().info

    async def start(self) -> None:
        """Probe the endpoint, again and again as long as it cannot be reached.

        Raises UnusableModelError if it refuses.
        """
        pause_s = FIRST_PAUSE_S
        while True:
            try:
                abilities = await self._endpoint.probe()
                break
            except BackendRefusedError as error:
                self._refusal = str(error)
                raise UnusableModelError(str(error)) from error
            except BackendUnavailableError as error:
                wait_s = pause_s
                if isinstance(error, BackendBusyError):
                    wait_s = max(wait_s, error.retry_s)
                log.warning("%s; trying again in %g s", error, round(wait_s, 1))
                await self._pause(wait_s)
                pause_s = min(2.0 * pause_s, LONGEST_PAUSE_S)
        encoder = PromptEncoder.for_tokenizer(ByteTokenizer(is_chat=abilities.is_chat))
        info = await in_thread(self._describe, abilities, encoder)
        self._probed = _Probed(abilities, encoder, info)
        how = (
            f"lists up to {abilities.top_tokens} of its most likely tokens"
            if abilities.top_tokens
            else f"tells no log-probabilities: {self._samples} answers are sampled a prompt"
        )
        log.info("%s (%s) %s", self.model, abilities.api, how)

    async def encode(self, questions: Sequence[Question]) -> list[Prompt]:
        """Cut questions into pieces, in a thread."""
        return await in_thread(self._ready().encoder.encode, questions)

    async def read(
        self,
        prompts: Sequence[Prompt],
        trace_headers: Mapping[str, str],
        urgency: Urgency,
        on_reading: OnReading | None = None,
    ) -> TimedReadings:
        """Read the labels after each prompt. The trace stays here.

        Raises BackendUnavailableError.
        """
        probed = self._ready()
        began_s = time.monotonic()

        async def read(index: int, prompt: Prompt) -> Reading:
            reading = await self._read(probed.abilities, prompt, urgency)
            if on_reading is not None:
                on_reading(index, reading)
            return reading

        readings = await all_of(read(i, prompt) for i, prompt in enumerate(prompts))
        return TimedReadings(
            tuple(readings),
            queue_s=0.0,
            inference_s=time.monotonic() - began_s,
        )

    async def generate(
        self,
        instruction: Instruction,
        most_tokens: int,
        trace_headers: Mapping[str, str],
        urgency: Urgency,
    ) -> str:
        """Have the endpoint write, at most until the deadline. The trace stays here."""
        ids = await in_thread(self._ready().encoder.encode_instruction, instruction)
        limit = self._window_tokens - most_tokens
        if len(ids) > limit:
            raise PromptTooLongError(len(ids), limit)
        urgency.tenant.pay(len(ids) + most_tokens)
        paid = replace(urgency, tenant=replace(urgency.tenant, spend=None))
        left_s = urgency.deadline_s - time.monotonic()
        try:
            async with asyncio.timeout(None if math.isinf(left_s) else left_s):
                return await self._endpoint.write(text_of(ids), most_tokens, paid, instruction.form)
        except TimeoutError:
            raise DeadlineUnreachableError(0.0, max(0.0, left_s), None) from None

    async def wait_failed(self) -> str:
        """Return when it is stopped only: what an endpoint fails at it may do again."""
        await self._ended.wait()
        return "the backend was stopped"

    async def stop(self) -> None:
        """Close the connections; reads in flight fail."""
        self._ended.set()
        await self._endpoint.close()

    def _ready(self) -> _Probed:
        if self._refusal is not None:
            raise BackendRefusedError(self._refusal)
        if self._probed is None:
            raise BackendLoadingError(
                f"the endpoint of {self.model} has not answered yet; try again in some seconds"
            )
        return self._probed

    def _describe(self, abilities: Abilities, encoder: PromptEncoder) -> BackendInfo:
        how = [
            self._place, self.model, abilities.api, bool(abilities.top_tokens),
            list(encoder.head), {t.value: ids for t, ids in encoder.middles.items()},
            list(encoder.tail),
        ]  # fmt: skip
        identity = _sha256(json.dumps(how))
        # Another list, or another number of samples, gives another interval.
        samples = 0 if abilities.top_tokens else self._samples
        return BackendInfo(
            model=self.model,
            identity=identity,
            reading_identity=_sha256(f"{identity} {abilities.top_tokens} {samples}"),
            calibration=self._calibrations(identity),
            window_tokens=self._window_tokens,
            dtype="",
            profile=INSTRUCT,
            label_forms=(),
            overhead_tokens=encoder.overhead_tokens,
            block_tokens=1,
            samples=samples,
            writes=True,
        )

    async def _read(self, abilities: Abilities, prompt: Prompt, urgency: Urgency) -> Reading:
        text = text_of(prompt.token_ids)
        if not abilities.top_tokens:
            return await self._count(abilities, prompt, text, urgency)
        listing = await self._endpoint.list_tokens(text, urgency)
        tokens, cached = _tokens(prompt, listing.usage)
        urgency.tenant.pay(tokens - cached)
        try:
            nats, bounds = read_labels(listing.tokens)
        except ImplausibleAnswerError as error:
            raise ImplausibleAnswerError(
                f"the endpoint of {self.model} gave no usable answer: {error}"
            ) from None
        return Reading(
            *(nats.yes, nats.no, nats.unsure), tokens, cached, ReadingOrigin.MODEL, bounds=bounds
        )

    async def _count(
        self, abilities: Abilities, prompt: Prompt, text: str, urgency: Urgency
    ) -> Reading:
        """A reading of sampled answers. Those that failed count for nothing, empty for no label.

        Less than half of them is no probability.
        """
        each = max(1, abilities.samples_a_call)
        wanted = self._samples
        sizes = [min(each, wanted - begun) for begun in range(0, wanted, each)]

        async def sample(size: int) -> Sampled:
            sampled = await self._endpoint.sample(text, size, urgency)
            # At once: the others may be left.
            tokens, cached = _tokens(prompt, sampled.usage)
            urgency.tenant.pay(tokens - cached)
            return sampled

        outcomes = await _all([sample(size) for size in sizes])
        came = [outcome for outcome in outcomes if isinstance(outcome, Sampled)]
        errors = [outcome for outcome in outcomes if isinstance(outcome, BackendUnavailableError)]
        answers = [answer for sampled in came for answer in sampled.answers]
        if not any(answers):
            if errors:
                raise errors[0]
            raise BackendUnreachableError(f"the endpoint of {self.model} gave no answer")
        nats, bounds = count_labels(answers)
        counts = [_tokens(prompt, sampled.usage) for sampled in came]
        too_few = 2 * sum(map(bool, answers)) < self._samples
        return Reading(
            *(nats.yes, nats.no, nats.unsure),
            sum(tokens for tokens, _ in counts),
            sum(cached for _, cached in counts),
            ReadingOrigin.SAMPLING,
            bounds=bounds,
            reason=NoProbabilityReason.TOO_FEW_SAMPLES if too_few else None,
        )


async def _all(
    samples: Sequence[Awaitable[Sampled]],
) -> list[Sampled | BackendUnavailableError]:
    """All outcomes, failures among them; anything else that is raised ends the others."""

    async def outcome(sample: Awaitable[Sampled]) -> Sampled | BackendUnavailableError:
        try:
            return await sample
        except BackendUnavailableError as error:
            return error

    return await all_of(map(outcome, samples))


def _tokens(prompt: Prompt, usage: EndpointUsage) -> tuple[int, int]:
    """Tokens of the prompt, and those of them from a cache.

    By what the endpoint says, or by our own pieces where it says nothing or what cannot be.
    """
    told = usage.prompt_tokens
    known = told is not None and 0 < told <= MOST_TOKENS
    tokens = told if told is not None and known else len(prompt.token_ids)
    return tokens, min(max(usage.cached_tokens or 0, 0), tokens)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()

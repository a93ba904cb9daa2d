"""A model on this machine as a backend: its loading, its readings, and the watch over its life."""

import asyncio
import contextlib
import hashlib
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from groundwire_verifier.domain.errors import (
    BackendFailedError,
    BackendLoadingError,
    PromptTooLongError,
    UnusableModelError,
)
from groundwire_verifier.domain.labels import label_log_probabilities
from groundwire_verifier.domain.prompts import PromptEncoder
from groundwire_verifier.domain.tasks import in_thread, within
from groundwire_verifier.domain.types import (
    INSTRUCT,
    BackendInfo,
    Instruction,
    LabelForm,
    Profile,
    Prompt,
    Question,
    Reading,
    ReadingOrigin,
    TimedReadings,
)
from groundwire_verifier.domain.urgency import WHENEVER, Urgency
from groundwire_verifier.engine.base import BackendState, OnReading
from groundwire_verifier.engine.loading import load_engine
from groundwire_verifier.engine.queue.dispatcher import Dispatcher
from groundwire_verifier.engine.queue.engine import Engine, TokenReading
from groundwire_verifier.engine.queue.generations import Generations
from groundwire_verifier.engine.queue.predictions import Predictions
from groundwire_verifier.numbers.calibration import Calibration

PROBE_INTERVAL_S = 0.5
WARM_UP_PROMPTS = 8
WARM_UP_WORDS = 200
WARM_UP_TIMEOUT_S = 180.0
SILENT_STEPS = 4.0
"""How many of its longest steps an engine may be silent for. Other work may slow it down."""

MIN_WINDOW_TOKENS = 128
ENCODED_ON_THE_LOOP = 4000
"""Characters of distinct texts that are tokenised on the event loop: 1 ms here at most, and a
thread would cost a part of that again."""


def unknown_weights() -> str:
    """An id of weights of which nothing is known: it is that of no others."""
    return f"unknown:{secrets.token_hex(16)}"


@dataclass(frozen=True, slots=True)
class _Loaded:
    """What exists once the model is there."""

    engine: Engine
    encoder: PromptEncoder
    info: BackendInfo
    dispatcher: Dispatcher
    generations: Generations


class LocalBackend:
    """Implements `groundwire_verifier.engine.base.Backend` with an engine of its own.

    `load` makes the engine; it may block and is called in a thread; `give_up` may be called while
    it runs, and means that nobody waits for the engine any more. The engine counts as hung when
    it answers no probe for `hang_timeout_s`, or for SILENT_STEPS of its longest steps at the speed
    of its warm-up, whichever is longer: it answers between two steps, and a slow one is not hung.
    Time in which this event loop stood still, and could hear no answer, does not count.
    `weights_id` tells the loaded weights from all others; it may block and is called in a thread.
    `calibrations` gives the calibration for an identity, if there is one. `profile` says how it is
    asked, `languages` are those that its card names, and
    `writes` says that it can write sentences. `predictions` are counted up while it
    serves.
    """

    def __init__(
        self,
        model: str,
        load: Callable[[], Engine],
        hang_timeout_s: float,
        weights_id: Callable[[], str] = unknown_weights,
        calibrations: Callable[[str], Calibration | None] = lambda identity: None,
        *,
        give_up: Callable[[], None] = lambda: None,
        profile: Profile = INSTRUCT,
        languages: tuple[str, ...] = (),
        writes: bool = False,
    ) -> None:
        self.model = model
        self._languages = languages
        self._writes = writes
        self._profile = profile
        self._load = load
        self._give_up = give_up
        self._silence_s = hang_timeout_s
        self._weights_id = weights_id
        self._calibrations = calibrations
        self.predictions = Predictions()
        self._state = BackendState.LOADING
        self._engine: Engine | None = None
        self._loaded: _Loaded | None = None
        self._cause = ""
        self._failed = asyncio.Event()
        self._at_work: set[asyncio.Timeout] = set()
        self._watch: asyncio.Task[None] | None = None

    @property
    def state(self) -> BackendState:
        """LOADING until `start` is through, FAILED when the engine has died or hangs."""
        return self._state

    @property
    def info(self) -> BackendInfo:
        """What was loaded. Raises BackendUnavailableError unless SERVING."""
        return self._ready().info

    def predicted_wait_s(self) -> float | None:
        """Seconds that a call which came now would wait behind all others; None if not known."""
        return None if self._loaded is None else self._loaded.dispatcher.predicted_wait_s()

    async def start(self) -> None:
        """Load the model, find its labels and warm it up; then watch over it.

        Raises UnusableModelError or BackendFailedError.
        """
        engine = self._engine = await load_engine(self._load, self._give_up)
        try:
            weights_id = await asyncio.to_thread(self._weights_id)
            self._loaded = self._describe(engine, weights_id)
            step_s = await self._warm_up_in_time(self._loaded)
            self._silence_s = max(self._silence_s, round(SILENT_STEPS * step_s, 1))
            # Only now: the first steps may take longer than the watch would wait for.
            self._watch = asyncio.create_task(self._watch_engine(engine))
            self._watch.add_done_callback(self._watch_ended)
        except BaseException:
            await self._end_engine()
            # Only now, and with no wait before the raise: who waits for both sees the reason.
            self._fail("the model could not be started")
            raise
        self._state = BackendState.SERVING

    async def encode(self, questions: Sequence[Question]) -> list[Prompt]:
        """Tokenise questions, in a thread unless they are short."""
        encode = self._ready().encoder.encode
        texts = {q.context for q in questions} | {q.claim for q in questions}
        if sum(map(len, texts)) <= ENCODED_ON_THE_LOOP:
            return encode(questions)
        return await in_thread(encode, questions)

    async def read(
        self,
        prompts: Sequence[Prompt],
        trace_headers: Mapping[str, str],
        urgency: Urgency,
        on_reading: OnReading | None = None,
    ) -> TimedReadings:
        """Read the labels after each prompt, in the turn that `urgency` gives the call.

        Raises BackendUnavailableError, also when the engine fails meanwhile, or
        DeadlineUnreachableError.
        """
        return await self._read(self._ready(), prompts, trace_headers, urgency, on_reading)

    async def generate(
        self,
        instruction: Instruction,
        most_tokens: int,
        trace_headers: Mapping[str, str],
        urgency: Urgency,
    ) -> str:
        """Write, beside what is read and behind it."""
        loaded = self._ready()
        ids = await in_thread(loaded.encoder.encode_instruction, instruction)
        limit = loaded.info.window_tokens - most_tokens
        if len(ids) > limit:
            raise PromptTooLongError(len(ids), limit)
        urgency.tenant.pay(len(ids) + most_tokens)
        async with self._until_it_fails():
            written = await loaded.generations.write(
                ids, most_tokens, trace_headers, urgency, instruction
            )
        return loaded.encoder.tokenizer.decode(written)

    async def wait_failed(self) -> str:
        """Return the cause when the engine has died or hangs."""
        await self._failed.wait()
        return self._cause

    async def clear_cache(self) -> None:
        """Forget all cached prefixes, so that the next read is cold. For measurements."""
        loaded = self._ready()
        await loaded.engine.clear_cache()
        loaded.dispatcher.forget_cache()

    async def stop(self) -> None:
        """End the engine; reads in flight fail."""
        self._fail("the model was stopped")
        await self._end_engine()

    def _describe(self, engine: Engine, weights_id: str) -> _Loaded:
        encoder = PromptEncoder.for_tokenizer(engine.tokenizer, self._profile)
        forms = encoder.label_forms()
        least = encoder.overhead_tokens + MIN_WINDOW_TOKENS
        if engine.window_tokens < least:
            raise UnusableModelError(
                f"a window of {engine.window_tokens} tokens is too small: the prompt alone takes "
                f"{encoder.overhead_tokens}; set window_tokens to at least {least}"
            )
        identity = encoder.identity(weights_id)
        info = BackendInfo(
            model=self.model,
            identity=identity,
            reading_identity=_sha256(f"{identity} {engine.numerics}"),
            calibration=self._calibrations(identity),
            window_tokens=engine.window_tokens,
            dtype=engine.dtype,
            profile=self._profile,
            label_forms=forms,
            overhead_tokens=encoder.overhead_tokens,
            block_tokens=engine.block_tokens,
            languages=self._languages,
            writes=self._writes,
        )
        dispatcher = Dispatcher(engine, [form.token_id for form in forms], self.predictions)
        return _Loaded(engine, encoder, info, dispatcher, Generations(engine, self.predictions))

    async def _end_engine(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
        engine, self._engine = self._engine, None
        if engine is not None:
            await asyncio.to_thread(engine.shutdown)

    async def _warm_up_in_time(self, loaded: _Loaded) -> float:
        try:
            return await within(WARM_UP_TIMEOUT_S, self._warm_up(loaded))
        except TimeoutError:
            raise BackendFailedError(
                f"the model did not warm up within {WARM_UP_TIMEOUT_S:g} s"
            ) from None

    async def _warm_up(self, loaded: _Loaded) -> float:
        """The seconds of the engine's longest step, by what it has shown."""
        # The first step of each shape is many times slower than the next ones.
        context = " ".join(["warm"] * WARM_UP_WORDS)
        for count in (1, WARM_UP_PROMPTS):
            questions = [Question(f"Claim {i}.", context) for i in range(count)]
            prompts = loaded.encoder.encode(questions)
            read = await self._read(loaded, prompts, {}, WHENEVER)
        await loaded.engine.clear_cache()
        loaded.dispatcher.forget()
        computed = sum(r.prompt_tokens - r.cached_tokens for r in read.readings)
        return read.inference_s / max(computed, 1) * loaded.engine.step_tokens

    def _ready(self) -> _Loaded:
        if self._state is BackendState.FAILED:
            raise BackendFailedError(self._cause)
        if self._loaded is None or self._state is BackendState.LOADING:
            raise BackendLoadingError("the model is being loaded; try again in some seconds")
        return self._loaded

    async def _read(
        self,
        loaded: _Loaded,
        prompts: Sequence[Prompt],
        trace_headers: Mapping[str, str],
        urgency: Urgency,
        on_reading: OnReading | None = None,
    ) -> TimedReadings:
        submitted_s = time.monotonic()
        async with self._until_it_fails():
            done = await _read_all(loaded, prompts, trace_headers, urgency, on_reading)
        return _timed(done, submitted_s)

    @contextlib.asynccontextmanager
    async def _until_it_fails(self) -> AsyncIterator[None]:
        """Engine work, which ends with BackendFailedError as soon as the engine fails."""
        limit = asyncio.timeout(None)
        try:
            async with limit:
                self._at_work.add(limit)
                yield
        except TimeoutError:
            if not limit.expired():
                raise
            raise BackendFailedError(self._cause) from None
        finally:
            self._at_work.discard(limit)

    async def _watch_engine(self, engine: Engine) -> None:
        # The engine answers between two steps, however many prompts wait.
        while True:
            await asyncio.sleep(PROBE_INTERVAL_S)
            try:
                await within(self._silence_s, engine.ping())
            except TimeoutError:
                return self._fail(f"the engine hangs: no answer for {self._silence_s:g} s")
            except BackendFailedError as error:
                return self._fail(str(error))

    def _watch_ended(self, watch: asyncio.Task[None]) -> None:
        # An engine that nobody watches is as good as lost.
        if not watch.cancelled() and (error := watch.exception()) is not None:
            self._fail(f"the watch over the engine failed: {type(error).__name__}")

    def _fail(self, cause: str) -> None:
        if self._state is not BackendState.FAILED:
            self._state = BackendState.FAILED
            self._cause = cause
            self._failed.set()
            for limit in self._at_work:
                limit.reschedule(asyncio.get_running_loop().time())


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


async def _read_all(
    loaded: _Loaded,
    prompts: Sequence[Prompt],
    trace_headers: Mapping[str, str],
    urgency: Urgency,
    on_reading: OnReading | None,
) -> list[tuple[Reading, TokenReading]]:
    done: dict[int, tuple[Reading, TokenReading]] = {}

    def take(index: int, output: TokenReading) -> None:
        reading = _to_reading(prompts[index], output, loaded.info.label_forms)
        done[index] = reading, output
        if on_reading is not None:
            on_reading(index, reading)

    await loaded.dispatcher.read(prompts, trace_headers, urgency, take)
    return [done[i] for i in range(len(prompts))]


def _to_reading(prompt: Prompt, output: TokenReading, forms: Sequence[LabelForm]) -> Reading:
    log_probs = np.array([output.log_probs_nats], dtype=np.float64)
    yes, no, unsure = label_log_probabilities(log_probs, forms)[0]
    return Reading(
        yes_nats=float(yes),
        no_nats=float(no),
        unsure_nats=float(unsure),
        prompt_tokens=len(prompt.token_ids),
        cached_tokens=output.cached_tokens,
        source=ReadingOrigin.MODEL,
    )


def _timed(done: Sequence[tuple[Reading, TokenReading]], submitted_s: float) -> TimedReadings:
    first_s = min(output.scheduled_s for _, output in done)
    last_s = max(output.done_s for _, output in done)
    return TimedReadings(
        readings=tuple(reading for reading, _ in done),
        queue_s=max(0.0, first_s - submitted_s),
        inference_s=max(0.0, last_s - first_s),
    )

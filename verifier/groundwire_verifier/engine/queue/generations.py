"""What an engine writes: a few texts at one time, behind all that it reads, and in time or not.

A text is written token by token, for seconds, where a prompt is read in one step. So it gets a
later turn in the engine than any read, it is stopped at its deadline, and one that would likely not
be done by then is refused before it begins.
"""

import asyncio
import contextlib
import math
import time
from collections.abc import Iterator, Mapping, Sequence

from groundwire_verifier.domain.errors import DeadlineUnreachableError
from groundwire_verifier.domain.types import Instruction
from groundwire_verifier.domain.urgency import Urgency
from groundwire_verifier.engine.queue.engine import Engine, EngineTurn
from groundwire_verifier.engine.queue.predictions import BELIEVED_S, Predictions
from groundwire_verifier.engine.queue.slots import EndpointSlots

AT_ONCE = 4
"""Texts that are written at one time: each takes a token of every step, and its own cache.

Half of them at most are texts that nobody waits for, see `EndpointSlots`.
"""

FADING = 0.8
"""How much of its weight a text keeps at each later one."""

MIN_TEXTS = 3
"""Below it nothing is foreseen."""

_BEHIND_READS = 2**61
"""Above the priority of every read that somebody waits for: those are milliseconds on a clock."""
_LAST = 2**62 - 1


class Generations:
    """Has one engine write. `predictions` know how fast it reads."""

    def __init__(self, engine: Engine, predictions: Predictions) -> None:
        self._engine = engine
        self._predictions = predictions
        self._places = EndpointSlots(AT_ONCE)
        self._texts = self._running = 0
        # Weighted sums over the last texts: of 1, and of their seconds by the tokens that they may
        # have, of which most use a part.
        self._weight = self._seconds_a_token = 0.0
        self._learnt_s = 0.0

    async def write(
        self,
        prompt_ids: Sequence[int],
        most_tokens: int,
        trace_headers: Mapping[str, str],
        urgency: Urgency,
        instruction: Instruction,
    ) -> tuple[int, ...]:
        """The tokens that the engine writes. See `Engine.generate`; its turn is by `urgency`.

        Raises DeadlineUnreachableError, or what the engine raises.
        """
        came_s = time.monotonic()
        left_s = urgency.deadline_s - came_s
        self._raise_if_late(len(prompt_ids), most_tokens, urgency)
        try:
            async with (
                asyncio.timeout(None if math.isinf(left_s) else left_s),
                self._places.place(urgency),
            ):
                # The wait for the place may have been long.
                self._raise_if_late(len(prompt_ids), most_tokens, urgency)
                with self._learning(most_tokens, urgency.deadline_s):
                    return await self._engine.generate(
                        prompt_ids,
                        most_tokens,
                        trace_headers,
                        _turn(urgency),
                        instruction.cache_salt,
                        form=instruction.form,
                    )
        except TimeoutError:
            raise DeadlineUnreachableError(0.0, time.monotonic() - came_s, None) from None

    def _raise_if_late(self, prompt_tokens: int, most_tokens: int, urgency: Urgency) -> None:
        now_s = time.monotonic()
        left_s = urgency.deadline_s - now_s
        foreseen_s = self._predictions.seconds(prompt_tokens, self._engine.step_tokens) or 0.0
        if self._texts >= MIN_TEXTS:
            foreseen_s += most_tokens * self._seconds_a_token / self._weight
        # Refused texts teach nothing: now and then one has to show how long it takes.
        is_trial = not self._running and now_s - self._learnt_s > BELIEVED_S
        if left_s <= 0.0 or (foreseen_s > left_s and not is_trial):
            self._predictions.refused += 1
            raise DeadlineUnreachableError(max(0.0, left_s), foreseen_s, None)

    @contextlib.contextmanager
    def _learning(self, most_tokens: int, deadline_s: float) -> Iterator[None]:
        """Learn how long a text takes: what ends at its deadline takes at least so long.

        A caller who leaves before tells nothing.
        """
        began_s = time.monotonic()
        self._running += 1
        is_whole = False
        try:
            yield
            is_whole = True
        finally:
            self._running -= 1
            now_s = time.monotonic()
            if is_whole or now_s >= deadline_s:
                self._texts += 1
                self._learnt_s = now_s
                self._weight = FADING * self._weight + 1.0
                seconds_a_token = (now_s - began_s) / most_tokens
                self._seconds_a_token = FADING * self._seconds_a_token + seconds_a_token


def _turn(urgency: Urgency) -> EngineTurn:
    """After all reads, and among texts by rank. No step is made small for it."""
    if math.isinf(urgency.rank_s):
        return EngineTurn(_LAST, math.inf)
    return EngineTurn(_BEHIND_READS + round(urgency.rank_s * 1000), math.inf)

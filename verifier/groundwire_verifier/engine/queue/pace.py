"""How many tokens an engine's step may compute, so that a call that comes meanwhile is in time.

A step cannot be interrupted: what arrives waits for the one that runs, and is computed in the next.
Large steps are cheap and small ones prompt, so a step is as large as the most urgent calls of the
last seconds allow, at the speed that the engine has shown. Where none came, it is bounded too: a
token far into a long context costs many times that of a short one, and an engine whose steps take
tens of seconds answers nobody, and looks hung.
"""

import math
from collections import deque

from groundwire_verifier.engine.queue.predictions import Speed

STEP_SHARE = 0.4
"""Of what a call can wait for, the part that a step may take: a call may wait for most of one step,
is computed in the next one, and needs some time outside of the engine."""

AS_URGENT = 1.2
"""Slacks of which one is at most so many times the other count as the same."""

STRETCH = 2.0
"""How many times as long a step may be if that answers a call that is as urgent as any."""

LONGEST_STEP_S = 2.0
"""Of a step that nobody waits behind: what comes meanwhile waits so long at most. Not before a step
has taken longer is anything held back."""

LEAST_SLACK_S = 0.25
REMEMBERED_S = 10.0
LEAST_TOKENS = 64
MIN_STEPS = 4


class LeastSlack:
    """The least slack of the calls that came in the last seconds."""

    def __init__(self) -> None:
        self._came: deque[tuple[float, float]] = deque()

    def came(self, slack_s: float, now_s: float) -> None:
        """A call came that can wait for `slack_s` in all."""
        slack_s = max(slack_s, LEAST_SLACK_S)
        # Who came before and could wait for longer says nothing any more.
        while self._came and self._came[-1][1] >= slack_s:
            self._came.pop()
        self._came.append((now_s, slack_s))

    def seconds(self, now_s: float) -> float:
        """The least of them; infinite if none came."""
        while self._came and now_s - self._came[0][0] > REMEMBERED_S:
            self._came.popleft()
        return self._came[0][1] if self._came else math.inf


class Pace:
    """The size of the next step. `most_tokens`, the engine's own limit, until it has seen some."""

    def __init__(self, most_tokens: int, block_tokens: int) -> None:
        self._most = most_tokens
        self._block = block_tokens
        self._urgent = LeastSlack()
        self._steps = 0
        self._bound = most_tokens
        self._speed = Speed()

    def arrived(self, slack_s: float, now_s: float) -> None:
        """Count a prompt that came; its call can wait for `slack_s` seconds in all."""
        self._urgent.came(slack_s, now_s)

    def took(self, tokens: int, seconds: float) -> None:
        """Learn from a step of so many tokens that took so many seconds."""
        if tokens <= 0 or seconds <= 0.0:
            return
        if seconds > LONGEST_STEP_S:
            self._bound = max(LEAST_TOKENS, self._in_blocks(tokens * LONGEST_STEP_S / seconds))
        elif seconds < LONGEST_STEP_S / 2:
            self._bound = min(self._most, 2 * self._bound)
        # By its share of the time: a long step is not worth more than a short one.
        self._speed.took(tokens, seconds, 1.0 / seconds**2)
        self._steps += 1

    def forget(self) -> None:
        """Forget all steps, such as those that were slow only once."""
        self._steps = 0
        self._bound = self._most
        self._speed = Speed()

    def tokens(self, now_s: float) -> int:
        """The most tokens of the next step: whole blocks, at least LEAST_TOKENS."""
        least_s = self._urgent.seconds(now_s)
        if math.isinf(least_s) or self._steps < MIN_STEPS:
            return self._bound
        step_s, token_s = self._speed.step_and_token_s()
        wanted = (STEP_SHARE * least_s - step_s) / token_s
        return min(self._bound, max(LEAST_TOKENS, self._in_blocks(wanted)))

    def stretched(self, tokens: int, wanted: int, slack_s: float, now_s: float) -> int:
        """`tokens`, or as many as `wanted`, which would answer a call of this slack at once."""
        least_s = self._urgent.seconds(now_s)
        urgent = not math.isinf(least_s) and slack_s <= AS_URGENT * least_s
        return (
            min(wanted, self._bound) if urgent and tokens < wanted <= STRETCH * tokens else tokens
        )

    def _in_blocks(self, tokens: float) -> int:
        """Whole blocks of so many tokens, at most those of the largest step."""
        return int(min(tokens, self._most)) // self._block * self._block

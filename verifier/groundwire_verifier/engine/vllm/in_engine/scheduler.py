"""vLLM's scheduler with steps that an urgent call does not have to wait long for, on the CPU.

There a step takes as long as its tokens do, up to seconds, where a GPU takes milliseconds. This
sizes each step by `pace`, and lets a prompt that is more urgent than a long one under way into the
next step. It runs in the engine's process.
"""

import math
import time
from typing import Any

from vllm.v1.core.sched.output import SchedulerOutput
from vllm.v1.core.sched.scheduler import Scheduler
from vllm.v1.request import Request

from groundwire_verifier.engine.queue.pace import Pace

SLACK_S = "groundwire_slack_s"
"""The name of a request's slack among vLLM's extra arguments."""

LONG_CHUNK = 1024
"""Most tokens of one prompt in a step. Its attention grows with their square, which no step before
has shown; what is behind them is bounded by the pace."""


class PacedScheduler(Scheduler):  # type: ignore[misc]
    """Implements vLLM's scheduler interface, and takes vLLM's own arguments."""

    max_num_scheduled_tokens: int

    def __init__(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401 - vLLM's own
        super().__init__(*arguments, **named)
        self._most_tokens = self.max_num_scheduled_tokens
        self._pace = Pace(self._most_tokens, self.block_size)
        self._began_s = 0.0

    def add_request(self, request: Request) -> None:
        """Take a request, and note how urgent it is."""
        self._pace.arrived(_slack_s(request), time.monotonic())
        super().add_request(request)

    def schedule(self, throttle_prefills: bool = False) -> SchedulerOutput:
        """Choose what the next step computes."""
        self._began_s = time.monotonic()
        # What runs goes first in vLLM, in its order, cut short by what the urgent ones need.
        self.running.sort(key=lambda request: request.priority)
        tokens = self._step_tokens()
        urgent = min(self._urgent_tokens(), tokens // 2)
        self.scheduler_config.long_prefill_token_threshold = min(LONG_CHUNK, tokens - urgent)
        self.max_num_scheduled_tokens = tokens
        try:
            return super().schedule(throttle_prefills)
        finally:
            self.max_num_scheduled_tokens = self._most_tokens

    def update_from_output(self, scheduler_output: SchedulerOutput, *rest: Any) -> Any:  # noqa: ANN401
        """Learn how long the step took, unless it only wrote: a token of each prompt.

        Hundreds of such steps in a row would say nothing of how long a token of a prompt takes.
        """
        tokens = scheduler_output.total_num_scheduled_tokens
        if tokens > len(scheduler_output.num_scheduled_tokens):
            self._pace.took(tokens, time.monotonic() - self._began_s)
        return super().update_from_output(scheduler_output, *rest)

    def reset_prefix_cache(self, *arguments: Any, **named: Any) -> bool:  # noqa: ANN401
        """Forget the steps, too: the first ones, after which it is called, were slow only once."""
        self._pace.forget()
        return bool(super().reset_prefix_cache(*arguments, **named))

    def _step_tokens(self) -> int:
        """Most tokens of this step: by the pace, or as many as the first prompt still needs."""
        tokens = self._pace.tokens(self._began_s)
        if tokens < self._most_tokens and (self.running or self.waiting):
            first = self.running[0] if self.running else self.waiting.peek_request()
            wanted = self._tokens_left(first)
            tokens = self._pace.stretched(tokens, wanted, _slack_s(first), self._began_s)
        return tokens

    def _tokens_left(self, request: Request) -> int:
        """Tokens to compute until a request is answered."""
        cached = request.num_computed_tokens
        if not cached:
            _, cached, _ = self.kv_cache_manager.get_computed_blocks(request)
        return int(request.num_tokens - cached)

    def _urgent_tokens(self) -> int:
        """Tokens to compute of those that wait and are more urgent than all that runs."""
        if not self.running or not self.waiting:
            return 0
        limit = min(request.priority for request in self.running)
        tokens = 0
        for request in self.waiting:
            if request.priority >= limit or tokens >= self._most_tokens:
                break
            tokens += self._tokens_left(request)
        return tokens


def _slack_s(request: Request) -> float:
    """What the request's call could wait for in all; infinite where nobody waits."""
    return float((request.sampling_params.extra_args or {}).get(SLACK_S, math.inf))

"""What every call of every service goes through: its time, its place, its span.

Knows deadlines and admission. Does not know what a call does.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

from google.protobuf.message import Message
from grpc import aio

from server.admission import Admission
from server.callers import CacheScope
from server.status import CallTimeoutError
from server.telemetry import Telemetry
from verifier.urgency import Arrival

Context = aio.ServicerContext[Message, Message]


@dataclass(frozen=True, slots=True)
class Calls:
    """What services need to run calls. `max_call_s` bounds a call in seconds."""

    admission: Admission
    telemetry: Telemetry
    max_call_s: float
    cache_scope: CacheScope

    def cache_salt(self, context: Context) -> str:
        """What is remembered of a call is used for calls with the same salt only."""
        return self.cache_scope.salt(context.invocation_metadata())

    @contextlib.asynccontextmanager
    async def bounded(self, context: Context) -> AsyncIterator[Arrival]:
        """Bound the work inside by the call's deadline and the server's own limit.

        Gives the call's times.

        Raises CallTimeoutError.
        """
        # Unset, gRPC gives no deadline; a call never runs longer than the server's own limit.
        remaining_s = context.time_remaining()
        began_s = time.monotonic()
        limit_s = self.max_call_s
        left_s = limit_s if remaining_s is None else min(remaining_s, limit_s)
        try:
            async with asyncio.timeout(left_s):
                yield Arrival(began_s, began_s + left_s)
        except TimeoutError:
            raise CallTimeoutError(
                f"the call took longer than the {left_s:.3g} s that it had; "
                "allow more time or send a smaller batch"
            ) from None

    @contextlib.contextmanager
    def plan_span(self, claims: int) -> Iterator[None]:
        """A span around the tokenising of so many claims."""
        with self.telemetry.span("groundwire.plan", {"groundwire.claims": claims}):
            yield

    @contextlib.contextmanager
    def read_span(
        self, backend: str, distinct_prompts: int, prompt_tokens: int
    ) -> Iterator[dict[str, str]]:
        """A span around the model's work; gives the trace headers for it."""
        attributes: dict[str, str | int] = {
            "groundwire.backend": backend,
            "groundwire.distinct_prompts": distinct_prompts,
            "groundwire.prompt_tokens": prompt_tokens,
        }
        with self.telemetry.span("groundwire.read", attributes):
            yield self.telemetry.trace_headers()

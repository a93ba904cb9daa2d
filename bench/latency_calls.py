"""The calls of the latency bench: their order, their times, and the check that each was what it was
meant to be.

Knows the client and the corpus. Does not know how results are told.
"""

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass

from bench.common import BenchError, say
from bench.corpus import Corpus
from bench.latency_report import COLD, WARM, Sample
from groundwire import BatchResult, Client

SEED = 1


@dataclass(frozen=True, slots=True)
class Plan:
    """What is called how often. A visit is a cold call and then warm calls on its context.

    `visits` and `warm_calls` (in one visit) go by context length. After `limit_s` no visit begins.
    """

    claims: tuple[int, ...]
    visits: Mapping[int, int]
    warm_calls: Mapping[int, int]
    limit_s: float

    def order(self) -> list[tuple[int, int]]:
        """Context length and batch size of every visit, shuffled with a fixed seed."""
        cells = [
            (context_tokens, claims)
            for context_tokens, visits in self.visits.items()
            for claims in self.claims
            for _ in range(visits)
        ]
        random.Random(SEED).shuffle(cells)  # noqa: S311 - a fixed order, not a secret
        return cells


class Session:
    """One run of a plan against one server."""

    def __init__(self, client: Client, corpus: Corpus, plan: Plan) -> None:
        """Keep the parts."""
        self._client = client
        self._corpus = corpus
        self._plan = plan

    def measure(self) -> list[Sample]:
        """Call the server as planned. Raises BenchError when a call was not what was planned."""
        self._warm_up()
        order = self._plan.order()
        samples: list[Sample] = []
        end_s = time.monotonic() + self._plan.limit_s
        for number, (context_tokens, claims) in enumerate(order):
            if time.monotonic() > end_s:
                say(f"the time is up: {number} of {len(order)} visits were made")
                break
            samples += self._visit(context_tokens, claims)
            if number % 20 == 19:
                say(f"{number + 1} of {len(order)} visits")
        return samples

    def _warm_up(self) -> None:
        # The first call of each shape is slower than the next ones; these are not counted.
        for context_tokens in (min(self._plan.visits), max(self._plan.visits)):
            for claims in (min(self._plan.claims), max(self._plan.claims)):
                self._visit(context_tokens, claims)

    def _visit(self, context_tokens: int, claims: int) -> list[Sample]:
        context = self._corpus.context(context_tokens)
        kinds = [COLD] + [WARM] * self._plan.warm_calls[context_tokens]
        return [self._call(kind, context, context_tokens, claims) for kind in kinds]

    def _call(self, kind: str, context: str, context_tokens: int, count: int) -> Sample:
        claims = self._corpus.claims(count)
        began_s = time.perf_counter()
        result = self._client.batch_estimate(claims, context)
        elapsed_s = time.perf_counter() - began_s
        self._check(kind, result, claims, context, context_tokens)
        return Sample(
            kind=kind,
            context_tokens=context_tokens,
            claims=count,
            elapsed_s=elapsed_s,
            server_s=result.timing.total_s,
            queue_s=result.timing.queue_s,
            inference_s=result.timing.inference_s,
            prompt_tokens=result.usage.prompt_tokens,
            cached_tokens=result.usage.cached_tokens,
        )

    def _check(
        self, kind: str, result: BatchResult, claims: list[str], context: str, context_tokens: int
    ) -> None:
        usage = result.usage
        if usage.context_tokens != context_tokens or usage.distinct_prompts != len(claims):
            raise BenchError(
                f"the server counts {usage.context_tokens} tokens in a context of "
                f"{context_tokens}: it serves another model; name it with --model"
            )
        if kind == COLD:
            most = self._corpus.most_cached_tokens_cold(self._corpus.prompts(claims, context))
            if usage.cached_tokens > most:
                raise BenchError(
                    f"a cold call had {usage.cached_tokens} cached tokens, more than the {most} "
                    "that its own prompts can share: the server knew the context"
                )
        else:
            least = len(claims) * self._corpus.shared_tokens(context_tokens)
            if usage.cached_tokens < least:
                raise BenchError(
                    f"a warm call had {usage.cached_tokens} cached tokens of at least {least}: "
                    "the server had forgotten the context"
                )

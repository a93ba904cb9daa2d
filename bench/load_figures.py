"""The figures of a load run: how many calls met their target at each rate, and the knee.

Knows samples. Does not know how they were taken.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.load_calls import OK, Sample
from bench.tools.common import nearest_rank

ATTAINED = 0.99
"""The share of calls that have to meet their target."""

OVERLOAD = 3.0
"""Times the knee's rate, to see what is left of the goodput."""


@dataclass(frozen=True, slots=True)
class Step:
    """One rate of a sweep.

    `offered` and `goodput` are calls a second: those that arrived, and those that met their target.
    The quantiles are of the latencies of answered calls, in seconds; None where none was answered.
    `memory_mib` is that of the bench and its servers at the end.
    """

    rate: float
    seconds: float
    calls: int
    offered: float
    goodput: float
    attained: float
    quantiles_s: Mapping[str, float | None]
    outcomes: Mapping[str, int]
    attained_by_claims: Mapping[int, float]
    p95_s_by_claims: Mapping[int, float]
    computed_tokens: int
    cached_share: float
    memory_mib: float


@dataclass(frozen=True, slots=True)
class Sweep:
    """All rates of one mix, cold or warm, through one way, and then a multiple of the knee's.

    `prediction_error` is how far the times of the calls that were let in were from what was
    foreseen, as a share of these times; None for a way that foresees nothing.
    """

    way: str
    mix: str
    warm: bool
    context_tokens: tuple[int, ...]
    steps: tuple[Step, ...]
    overload: Step | None = None
    prediction_error: float | None = None

    @property
    def kept(self) -> float | None:
        """Goodput under overload as a share of the knee's; None where one of them is missing."""
        knee = self.knee
        return self.overload.goodput / knee.goodput if self.overload and knee else None

    @property
    def knee(self) -> Step | None:
        """The highest rate at which enough calls met their target; None where none did."""
        held = [step for step in self.steps if step.attained >= ATTAINED]
        return max(held, key=lambda step: step.rate, default=None)


def step_of(
    rate: float, seconds: float, samples: Sequence[Sample], memory_mib: float = 0.0
) -> Step:
    """The figures of one rate."""
    answered = [sample.latency_s for sample in samples if sample.outcome == OK]
    met = sum(sample.met for sample in samples)
    prompt = sum(sample.prompt_tokens for sample in samples)
    cached = sum(sample.cached_tokens for sample in samples)
    sizes = sorted({sample.claims for sample in samples})
    latencies_s = {
        size: [s.latency_s for s in samples if s.claims == size and s.outcome == OK]
        for size in sizes
    }
    return Step(
        rate=rate,
        seconds=seconds,
        calls=len(samples),
        offered=len(samples) / seconds,
        goodput=met / seconds,
        attained=met / max(1, len(samples)),
        quantiles_s={
            name: nearest_rank(answered, share) if answered else None
            for name, share in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))
        },
        outcomes=dict(Counter(sample.outcome for sample in samples).most_common()),
        attained_by_claims={
            size: sum(s.met for s in samples if s.claims == size)
            / sum(s.claims == size for s in samples)
            for size in sizes
        },
        p95_s_by_claims={n: nearest_rank(own, 0.95) for n, own in latencies_s.items() if own},
        computed_tokens=prompt - cached,
        cached_share=cached / max(1, prompt),
        memory_mib=memory_mib,
    )

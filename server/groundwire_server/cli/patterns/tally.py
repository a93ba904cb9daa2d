"""What comes up most among the claims of many detections, by period; no more is kept of them than
counts, and of each thing the newest detections."""

import heapq
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime

from groundwire_server.config.sources import ConfigError
from groundwire_verifier.numbers.drift import Values

MOST_PERIODS = 400
MOST_THINGS = 10_000
"""Sources, questions or models that are counted at one time: beyond it those with the fewest wrong
claims are forgotten, once they are twice as many."""
MOST_ROWS = 20
"""Ids of detections that are kept of each thing, the newest."""


@dataclass(frozen=True, slots=True)
class SeenClaim:
    """A claim that was judged. `kinds` are of its errors; one that is right has none.

    `label_mass`, in [0, 1], is None where it is not known. `sources` are names or hashes.
    """

    is_wrong: bool
    kinds: tuple[str, ...]
    sources: tuple[str, ...] = ()
    label_mass: float | None = None


@dataclass(frozen=True, slots=True)
class SeenDetection:
    """A detection as patterns count it, made at `at` in UTC.

    `question` is its text or hash, empty without one. `unread` counts claims that nobody has read.
    """

    id: str
    at: datetime
    model: str
    question: str
    claims: tuple[SeenClaim, ...]
    unread: int = 0


@dataclass(slots=True)
class Thing:
    """How often one kind, source, question or model comes up: claims, and those that are wrong.

    `by_period` has the wrong claims of each period. `rows` are the newest detections with one, as a
    heap by their time.
    """

    claims: int = 0
    wrong: int = 0
    by_period: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    rows: list[tuple[datetime, str]] = field(default_factory=list)
    detections: int = 0
    """Detections with a wrong claim of it."""

    def add(self, period: str, seen: SeenDetection, *, claims: int, wrong: int) -> None:
        self.claims += claims
        if not wrong:
            return
        self.wrong += wrong
        self.by_period[period] += wrong
        self.detections += 1
        push = heapq.heappush if len(self.rows) < MOST_ROWS else heapq.heappushpop
        push(self.rows, (seen.at, seen.id))

    @property
    def ids(self) -> list[str]:
        """Its newest detections, the newest first."""
        return [detection_id for _, detection_id in sorted(self.rows, reverse=True)]


@dataclass(slots=True)
class Things:
    """All of one sort, by their names."""

    by_name: dict[str, Thing] = field(default_factory=lambda: defaultdict(Thing))
    forgotten: int = 0

    def add(self, name: str, period: str, seen: SeenDetection, *, claims: int, wrong: int) -> None:
        """Count the claims of a detection under a name."""
        self.by_name[name].add(period, seen, claims=claims, wrong=wrong)
        if len(self.by_name) > 2 * MOST_THINGS:
            kept = dict(self.most(MOST_THINGS))
            self.forgotten += len(self.by_name) - len(kept)
            self.by_name = defaultdict(Thing, kept)

    @property
    def has_wrong(self) -> bool:
        return any(thing.wrong for thing in self.by_name.values())

    def most(self, count: int) -> list[tuple[str, Thing]]:
        """Those with the most wrong claims; of equal ones those with the fewest claims first."""
        return heapq.nsmallest(
            count, self.by_name.items(), key=lambda each: (-each[1].wrong, each[1].claims, each[0])
        )


@dataclass(slots=True)
class Period:
    """A week or a day. `shares` are the shares of grounded claims of its detections, `masses` the
    mean label masses."""

    detections: int = 0
    claims: int = 0
    wrong: int = 0
    unread: int = 0
    shares: Values = field(default_factory=Values)
    masses: Values = field(default_factory=Values)


class Tally:
    """Counts detections, one after the other, by day or by week."""

    def __init__(self, *, by_day: bool) -> None:
        self._by_day = by_day
        self._periods: dict[str, Period] = defaultdict(Period)
        self.kinds, self.sources, self.questions, self.models = (Things() for _ in range(4))

    @property
    def periods(self) -> dict[str, Period]:
        """The periods with a detection, in order."""
        return dict(sorted(self._periods.items()))

    def add(self, seen: SeenDetection) -> None:
        """Count a detection. Raises ConfigError for more periods than can be shown."""
        name = period_of(seen.at, by_day=self._by_day)
        period = self._periods[name]
        if len(self._periods) > MOST_PERIODS:
            raise ConfigError(
                f"the record is of more than {MOST_PERIODS} "
                f"{'days' if self._by_day else 'weeks'}: choose some with --since and --until"
                + (", or count --by week" if self._by_day else "")
            )
        claims, wrong = len(seen.claims), sum(claim.is_wrong for claim in seen.claims)
        period.detections += 1
        period.claims += claims
        period.wrong += wrong
        period.unread += seen.unread
        if not claims:
            return
        period.shares.add(1 - wrong / claims)
        masses = [claim.label_mass for claim in seen.claims if claim.label_mass is not None]
        if masses:
            period.masses.add(sum(masses) / len(masses))
        self.models.add(seen.model or "unknown", name, seen, claims=claims, wrong=wrong)
        if seen.question:
            self.questions.add(seen.question, name, seen, claims=claims, wrong=wrong)
        kinds: dict[str, int] = defaultdict(int)
        sources: dict[str, list[bool]] = defaultdict(list)
        for claim in seen.claims:
            for kind in claim.kinds:
                kinds[kind] += 1
            for source in claim.sources:
                sources[source].append(claim.is_wrong)
        for kind, count in kinds.items():
            self.kinds.add(kind, name, seen, claims=count, wrong=count)
        for source, are_wrong in sources.items():
            self.sources.add(source, name, seen, claims=len(are_wrong), wrong=sum(are_wrong))


def period_of(at: datetime, *, by_day: bool) -> str:
    """The name of a time's day, or of its week by ISO 8601, such as 2026-W48."""
    if by_day:
        return at.date().isoformat()
    year, week, _ = at.isocalendar()
    return f"{year}-W{week:02}"

"""What a batch job has found so far, counted from its results.

A result is a JSON object with row, id, report, error and versions.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

Result = Mapping[str, object]


@dataclass(slots=True)
class Tally:
    """Counts over results. Tokens are those of prompts: all of them, and those computed."""

    rows: int = 0
    reports: int = 0
    grounded: int = 0
    prompt_tokens: int = 0
    computed_tokens: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)

    def add(self, result: Result) -> None:
        """Count a result. Raises KeyError or TypeError for what is none."""
        error, report = result["error"], result["report"]
        self.rows += 1
        if error is not None:
            self.errors[str(_object(error)["reason"])] += 1
        if report is None:
            return
        found = _object(report)
        summary, usage = _object(found["summary"]), _object(_object(found["run"])["usage"])
        self.reports += 1
        self.grounded += summary["overall_grounded"] is True
        self.prompt_tokens += _count(usage["prompt_tokens"])
        self.computed_tokens += _count(usage["computed_tokens"])
        claims = found["claims"]
        if not isinstance(claims, list):
            raise TypeError("claims must be a list")
        self.verdicts.update(str(_object(claim)["verdict"]) for claim in claims)

    @property
    def grounded_share(self) -> float | None:
        """The share of the reports, in [0, 1], whose answer is grounded; None without any."""
        return self.grounded / self.reports if self.reports else None


def _object(found: object) -> Mapping[str, object]:
    if not isinstance(found, dict):
        raise TypeError("not an object")
    return found


def _count(found: object) -> int:
    if not isinstance(found, int):
        raise TypeError("not a count")
    return found

"""How well the time of calls is foreseen. Sums only; knows no call."""

from dataclasses import dataclass


@dataclass(slots=True)
class Predictions:
    """How well the time of calls was foreseen, in sums since the start. Times in seconds."""

    calls: int = 0
    actual_s: float = 0.0
    absolute_error_s: float = 0.0
    refused: int = 0
    """Calls that were not let in, since they or others would have been late."""

    def record(self, predicted_s: float, actual_s: float) -> None:
        """Count a call that is done."""
        self.calls += 1
        self.actual_s += actual_s
        self.absolute_error_s += abs(actual_s - predicted_s)

"""Whether a verifier that has learnt more may take the place of the one it began as."""

from groundwire_training.measuring import Change
from groundwire_verifier.numbers.metrics import Figure

MOST_FORGOTTEN = 0.03
"""What the AUROC on rows of the shipped mix may fall by."""


def refusal(own: Change, shipped: Change | None) -> str:
    """Why it may not, with the figures; empty if it may.

    On the rows of the user that were not learnt its AUROC must not be lower than at the start, by
    the interval of the difference; on those of the shipped mix not by more than MOST_FORGOTTEN.
    """
    reasons = []
    if own.gained.high is not None and own.gained.high < 0.0:
        reasons.append(f"on your rows that were not learnt ({own.rows}) AUROC fell {in_words(own)}")
    lost = 0.0 if shipped is None or shipped.gained.value is None else -shipped.gained.value
    if shipped is not None and lost > MOST_FORGOTTEN:
        reasons.append(
            f"on rows of the shipped mix that were not learnt ({shipped.rows}) it fell "
            f"{in_words(shipped)}, by more than {MOST_FORGOTTEN:g}"
        )
    return ", and ".join(reasons)


def in_words(change: Change) -> str:
    """From what to what, and the difference with its interval."""
    before, after = _figure(change.before), _figure(change.after)
    gained = change.gained
    if gained.value is None or gained.low is None or gained.high is None:
        return f"from {before} to {after}"
    interval = f"{gained.low:+.3f} to {gained.high:+.3f}"
    return f"from {before} to {after} ({gained.value:+.3f}, {interval})"


def _figure(figure: Figure) -> str:
    return "not known" if figure.value is None else f"{figure.value:.3f}"

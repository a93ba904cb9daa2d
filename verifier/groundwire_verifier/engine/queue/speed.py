"""How long an engine's step takes: a fixed time, and some more for each of its tokens."""

FADING = 0.97
"""How much of its weight an observed step keeps at each later one."""

LEAST_SPREAD = 0.01
"""Of the square of their tokens: with less variance steps are of one size, and noise would tell."""


class Speed:
    """What the last steps say, by least squares."""

    def __init__(self) -> None:
        # Weighted sums of 1, tokens, seconds, tokens squared, and tokens times seconds.
        self._sums: tuple[float, ...] = (0.0,) * 5

    def took(self, tokens: int, seconds: float, weight: float = 1.0) -> None:
        """Learn from a step of so many tokens that took so many seconds, with this weight."""
        new = (1.0, tokens, seconds, tokens * tokens, tokens * seconds)
        self._sums = tuple(
            FADING * old + weight * value for old, value in zip(self._sums, new, strict=True)
        )

    def step_and_token_s(self) -> tuple[float, float]:
        """Seconds of a step and seconds of each of its tokens, once a step is known."""
        weight, tokens, seconds, squares, products = self._sums
        spread = weight * squares - tokens * tokens
        is_wide = spread > LEAST_SPREAD * weight * squares
        slope = (weight * products - tokens * seconds) / spread if is_wide else 0.0
        fixed_s = (seconds - slope * tokens) / weight
        if tokens and (slope <= 0.0 or fixed_s < 0.0):
            # Steps of one size do not tell one from the other.
            return 0.0, seconds / tokens
        return fixed_s, slope

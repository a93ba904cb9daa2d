"""Whose work it is.

Knows a key, a weight and who is told of tokens. Does not know tokens of access, names or quotas.
A tenant goes along with the urgency of its calls, as far as whatever they wait for.
"""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Tenant:
    """Whoever shares an engine with others. Two with one `key` are the same.

    Of what several want at one time, each gets a part by its `weight`, which is above 0. `spend` is
    told how many tokens an engine, or an endpoint, computed for it; None where nobody counts.
    """

    key: str = ""
    weight: float = field(default=1.0, compare=False)
    spend: Callable[[int], None] | None = field(default=None, compare=False, repr=False)

    def pay(self, tokens: int) -> None:
        """Count so many tokens at once."""
        if self.spend is not None:
            self.spend(tokens)


EVERYONE = Tenant()
"""Where callers are not told apart, and whatever the server does for itself."""

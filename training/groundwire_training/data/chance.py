"""Where the draws of an epoch come from: for each thing that is drawn, a source of its own.

So an ingredient that is left out changes nothing of the others, and runs that are compared learn
the same.
"""

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Chance:
    """Sources of randomness by name; the same name gives the same draws."""

    name: str

    def within(self, part: object) -> "Chance":
        """The sources of one part, such as a context."""
        return Chance(f"{self.name}/{part}")

    def of(self, what: str) -> random.Random:
        """A source at its beginning."""
        return random.Random(f"{self.name}/{what}")

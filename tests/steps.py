"""Counts steps of work, where a test is about how work grows and a clock would tell the machine."""

import sys
from collections.abc import Callable


def calls_in(work: Callable[[], object]) -> int:
    """How many functions are called: the work, whatever else the machine does."""
    count = 0

    def note(frame: object, event: str, arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count

"""What a kind of labelled cases gives to the runner, and what it is given."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass

from groundwire import Client

Serve = Callable[..., AbstractContextManager[Client]]
"""A client of the server to measure, which is started with these flags unless one runs already."""


@dataclass(frozen=True, slots=True)
class Found:
    """The figures of a run: `data` as JSON, `lines` of a page under its title and the machine."""

    title: str
    data: Mapping[str, object]
    lines: list[str]


def share(hits: Iterable[bool]) -> str:
    """How many of all, and the share of them."""
    counted = list(hits)
    percent = f" ({sum(counted) / len(counted):.0%})" if counted else ""
    return f"{sum(counted)} of {len(counted)}{percent}"

"""Calls that never raise into the work they are to check.

    attempt = attempted(client.verify_answer, answer, sources)
    if attempt.result is None:
        ...  # not verified; attempt.error says why

An operation that goes on without its verification must not take a failed check for a passed one.
So an attempt that failed has no result at all. It takes any function, of this client or of the
caller's own.
"""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, ParamSpec, TypeVar

from groundwire.errors import error_kind

log = logging.getLogger("groundwire")

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Attempt(Generic[Result]):
    """What came of a call: its result or its error, never both."""

    result: Result | None
    """What the call returned; None: it failed."""
    error: Exception | None
    """What it raised, of whatever kind; None: it returned."""


def attempted(
    call: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
) -> Attempt[Result]:
    """Makes a call and never raises an Exception; what goes wrong is logged, without any text.

    Args:
        call: a method of `Client`, or any other function. One that returns a stream is to be
            read to its end inside: `attempted(lambda: list(client.verify_answer_stream(...)))`.
        args: its arguments.
        kwargs: its arguments with names, such as `timeout_s`.

    Returns:
        The result or the error. KeyboardInterrupt and SystemExit pass through.
    """
    try:
        return Attempt(call(*args, **kwargs), None)
    except Exception as error:  # noqa: BLE001 - that is what it is for
        return _failed(error)


async def attempted_async(
    call: Callable[Arguments, Awaitable[Result]],
    *args: Arguments.args,
    **kwargs: Arguments.kwargs,
) -> Attempt[Result]:
    """As `attempted`, of a method of `AsyncClient`. A cancelled task stays cancelled."""
    try:
        return Attempt(await call(*args, **kwargs), None)
    except Exception as error:  # noqa: BLE001 - that is what it is for
        return _failed(error)


def _failed(error: Exception) -> Attempt[Result]:
    log.warning("a call failed, and the work goes on without it: %s", error_kind(error))
    return Attempt(None, error)

"""Futures whose waiters may have left. Knows nothing of what they are for."""

import asyncio
from typing import TypeVar

T = TypeVar("T")


def retrieve(done: "asyncio.Future[T]") -> None:
    """Take note of what a future raised; for its done callbacks.

    Whoever waits is told as before. When all waiters were cancelled, asyncio would log the
    exception with its text, which could repeat the text of a request.
    """
    if not done.cancelled():
        done.exception()

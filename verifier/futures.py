"""Futures whose waiters may have left. Knows nothing of what they are for."""

import asyncio


def retrieve(done: "asyncio.Future[object]") -> None:
    """Take note of what a future raised; for its done callbacks.

    Whoever waits is told as before. When all waiters were cancelled, asyncio would log the
    exception with its text, which could repeat the text of a request.
    """
    if not done.cancelled():
        done.exception()

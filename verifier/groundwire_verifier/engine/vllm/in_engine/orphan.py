"""Ends the engine's processes when the server is gone.

A server that is killed outright cannot stop its engine, which would keep its memory and cores for
ever. `plugin.py` runs `register` in each of its processes, where a thread then waits for the
parent's end.
"""

import multiprocessing
import os
import threading

EXIT_ORPHANED = 1


def register() -> None:
    """In a process that was started by another one, exit as soon as that one is gone."""
    if multiprocessing.parent_process() is not None:
        threading.Thread(target=_exit_after_parent, name="groundwire-orphan", daemon=True).start()


def _exit_after_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(EXIT_ORPHANED)

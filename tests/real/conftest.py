"""What the tests on the real model share beside the server.

Rooms run in the order of their names: those that need the spare server whole come before `engine`,
which breaks it, so that it starts once.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from groundwire_server.models.store import SMALL_MODEL, resolve
from tests.real.spare import Spare
from tests.serving import Served


@pytest.fixture(scope="session")
def spares() -> Iterator[Spare]:
    """The spare server, for fixtures that break it for more than one test.

    It audits, has the model write answers of its own, and has a window that is soon filled.
    """
    flags = (
        "--memory-gate-enabled",
        "--trace-auditing-enabled",
        "--trace-auditing-executor", "generation",
        "--kv-memory-gib", "0.5",
        "--window-tokens", "2048",
    )  # fmt: skip
    with ExitStack() as stack:
        yield Spare(stack, *flags)


@pytest.fixture
def spare(spares: Spare) -> Served:
    """The spare server, as a test that leaves it whole needs it."""
    return spares.running()


@pytest.fixture(scope="session")
def model_folder(served: object) -> str:
    """The folder of the model that `served` has prepared."""
    cache = Path(os.environ.get("GROUNDWIRE_CACHE_DIR", "~/.cache/groundwire")).expanduser()
    return resolve(SMALL_MODEL, cache, print)

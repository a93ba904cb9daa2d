"""What the tests on the real model share beside the server."""

import os
from pathlib import Path

import pytest

from groundwire_server.models.store import DEFAULT_MODEL, resolve


@pytest.fixture(scope="session")
def model_folder(served: object) -> str:
    """The folder of the model that `served` has prepared."""
    cache = Path(os.environ.get("GROUNDWIRE_CACHE_DIR", "~/.cache/groundwire")).expanduser()
    return resolve(DEFAULT_MODEL, cache, print)

"""The embedded model's own tokeniser, loaded once, and a backend on a test's own engine."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from groundwire_server.config.settings import ServerSettings
from groundwire_server.models.store import SMALL_MODEL, prepare
from groundwire_verifier.engine.hf_tokenizer import HfTokenizer
from groundwire_verifier.engine.local import LocalBackend
from tests.scripted import MODEL, NEVER_HANGS_S, ScriptedEngine


@pytest.fixture
async def backend(engine: ScriptedEngine) -> AsyncIterator[LocalBackend]:
    """The backend of a test module that has an `engine`, started, with its warm-up forgotten."""
    backend = LocalBackend(MODEL, lambda: engine, NEVER_HANGS_S)
    await backend.start()
    engine.claims.clear()
    yield backend
    await backend.stop()


@pytest.fixture(scope="session")
def model_folder() -> Path:
    """The folder of the embedded model, which is prepared on the first run."""
    cache_dir = ServerSettings().cache_dir.expanduser()
    return prepare(SMALL_MODEL, cache_dir, print).path


@pytest.fixture(scope="session")
def raw_tokenizer(model_folder: Path) -> PreTrainedTokenizerFast:
    return AutoTokenizer.from_pretrained(model_folder)


@pytest.fixture(scope="session")
def hf_tokenizer(raw_tokenizer: PreTrainedTokenizerFast) -> HfTokenizer:
    return HfTokenizer(raw_tokenizer)

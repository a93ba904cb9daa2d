"""The embedded model's own tokeniser, loaded once."""

from pathlib import Path

import pytest
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from groundwire_server.config.settings import ServerSettings
from groundwire_server.models.store import DEFAULT_MODEL, prepare
from groundwire_verifier.backends.hf_tokenizer import HfTokenizer


@pytest.fixture(scope="session")
def model_folder() -> Path:
    """The folder of the embedded model, which is prepared on the first run."""
    cache_dir = ServerSettings().cache_dir.expanduser()
    return prepare(DEFAULT_MODEL, cache_dir, print).path


@pytest.fixture(scope="session")
def raw_tokenizer(model_folder: Path) -> PreTrainedTokenizerFast:
    return AutoTokenizer.from_pretrained(model_folder)


@pytest.fixture(scope="session")
def hf_tokenizer(raw_tokenizer: PreTrainedTokenizerFast) -> HfTokenizer:
    return HfTokenizer(raw_tokenizer)

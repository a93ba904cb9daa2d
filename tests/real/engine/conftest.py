"""What the tests of engines share."""

from pathlib import Path

import pytest

from tests.real.engine.two_tokens import ANOTHER, ONE


@pytest.fixture(scope="session")
def token_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The two tokens, as a server reads them."""
    file = tmp_path_factory.mktemp("tokens") / "tokens"
    file.write_text(f"{ONE}\n{ANOTHER}\n")
    return file

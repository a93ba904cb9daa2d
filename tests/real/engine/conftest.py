"""The server that the tests of engines share: an int8 copy, as a hub model, for two callers.

Files run in the order of their names: those that need it whole come before the one that breaks it,
so that it starts once.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from groundwire_server.models.store import SMALL_MODEL
from tests.real.engine.vllm_server import serving_vllm
from tests.real.spare import Spare

NAME, TAG, COMMIT = "an-org/a-verifier", "v1.2", "0123456789abcdef0123456789abcdef01234567"
ONE, ANOTHER = "violet-anvil-7", "amber-kettle-3"


@pytest.fixture(scope="session")
def int8_copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An int8 copy of the embedded model, made as a user would."""
    copy = tmp_path_factory.mktemp("copy") / "int8"
    program = (sys.executable, "-m", "groundwire_server.cli.main")
    made = subprocess.run(
        (*program, "model", "quantize", SMALL_MODEL, copy),
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    assert made.stdout.strip() == str(copy)
    return copy


@pytest.fixture(scope="session")
def int8_servers(int8_copy: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Spare]:
    """The copy at a revision of a hub model, for two tokens that share nothing.

    It lies where the hub's library keeps the download of a tag, and nothing is there of the main
    branch, so that an engine which asked for another revision would not start.
    """
    downloads, tokens = tmp_path_factory.mktemp("hub"), tmp_path_factory.mktemp("tokens") / "tokens"
    tokens.write_text(f"{ONE}\n{ANOTHER}\n")
    model = downloads / f"models--{NAME.replace('/', '--')}"
    snapshot, refs = model / "snapshots" / COMMIT, model / "refs"
    snapshot.mkdir(parents=True)
    refs.mkdir()
    (refs / TAG).write_text(COMMIT)
    for file in int8_copy.iterdir():
        (snapshot / file.name).symlink_to(file)
    flags = (
        "--model", NAME, "--revision", TAG, "--kv-memory-gib", "0.5",
        "--cache-scope", "token", "--auth-token-file", str(tokens),
        # It counts as hung only after four of its longest steps, which are short like this.
        "--batch-tokens", "512",
    )  # fmt: skip
    offline = {"HF_HUB_CACHE": str(downloads), "HF_HUB_OFFLINE": "1"}
    with ExitStack() as stack:
        yield Spare(stack, *flags, token=ONE, variables=offline)


@pytest.fixture(scope="module")
def vllm_server(model_folder: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of vLLM's own server on the embedded model."""
    with serving_vllm(model_folder, tmp_path_factory.mktemp("vllm") / "log") as url:
        yield url

"""A hub model at one of its revisions, from downloads as the hub's library keeps them."""

from pathlib import Path

import pytest

from groundwire import Client
from groundwire_server.config.settings import ServerSettings
from groundwire_server.models.store import DEFAULT_MODEL, prepare
from tests.serving import serving

NAME, TAG, COMMIT = "an-org/a-verifier", "v1.2", "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def downloads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The embedded model as a download of one tag. Nothing is there of the main branch."""
    prepared = prepare(DEFAULT_MODEL, ServerSettings().cache_dir.expanduser(), lambda _: None)
    model = tmp_path / f"models--{NAME.replace('/', '--')}"
    snapshot, refs = model / "snapshots" / COMMIT, model / "refs"
    snapshot.mkdir(parents=True)
    refs.mkdir()
    (refs / TAG).write_text(COMMIT)
    for file in prepared.path.iterdir():
        (snapshot / file.name).symlink_to(file)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.mark.usefixtures("downloads")
def test_weights_and_tokeniser_are_those_of_the_revision() -> None:
    flags = ("--model", NAME, "--revision", TAG, "--kv-memory-gib", "0.5")
    with serving(*flags) as server, Client(server.target, timeout_s=120) as client:
        info = client.server_info()
        (estimate,) = client.batch_estimate(["It is 42 m high."], "The tower is 42 m high.")
        assert info.model == NAME
        assert estimate.raw_probability is not None
        assert f"set revision to the full hash of a commit, not to {TAG}" in server.log

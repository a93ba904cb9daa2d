"""The revision of a hub model: what it means, and where it has no meaning."""

import logging
from pathlib import Path

import pytest

from groundwire_server.backends import create_backend
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError
from groundwire_server.models.store import DEFAULT_MODEL
from groundwire_server.models.weights_id import weights_id

NAME = "an-org/a-verifier"
FIRST, SECOND = "0123456789" * 4, "abcdef0123" * 4


def created(**settings: object) -> None:
    create_backend(ServerSettings.model_validate(settings), lambda _: None)


@pytest.fixture
def downloads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub's downloads of two commits, the newer of which is the main branch's."""
    model = tmp_path / f"models--{NAME.replace('/', '--')}"
    for commit, name in ((FIRST, "v1.2"), (SECOND, "main")):
        (model / "snapshots" / commit).mkdir(parents=True)
        (model / "snapshots" / commit / "config.json").write_text("{}")
        (model / "refs").mkdir(exist_ok=True)
        (model / "refs" / name).write_text(commit)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))


@pytest.mark.usefixtures("downloads")
@pytest.mark.parametrize(
    ("revision", "commit"), [(None, SECOND), ("main", SECOND), ("v1.2", FIRST), (FIRST, FIRST)]
)
def test_weights_are_known_by_the_commit_of_their_revision(
    revision: str | None, commit: str
) -> None:
    assert f"{NAME}@{commit}:" in weights_id(NAME, None, revision)


@pytest.mark.parametrize("model", [DEFAULT_MODEL, "."])
def test_only_a_hub_model_has_a_revision(model: str) -> None:
    with pytest.raises(ConfigError, match=r"^revision \(main\) is of a hub model, and model"):
        created(model=model, revision="main")


@pytest.mark.parametrize("revision", ["", "-x", "a b", "v1\n", "x" * 129])
def test_what_can_be_no_revision_is_refused(revision: str) -> None:
    with pytest.raises(ValueError, match="revision"):
        created(model=NAME, revision=revision)


@pytest.mark.parametrize("revision", [None, "main", "v1.2", FIRST[:7], FIRST.upper() + "0"])
def test_a_hub_model_that_can_change_by_itself_is_warned_of(
    revision: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    created(model=NAME, revision=revision)
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert "pin revision to the full hash of a commit" in record.getMessage()


@pytest.mark.parametrize(
    "settings", [{"model": NAME, "revision": FIRST}, {"model": DEFAULT_MODEL}, {"model": "."}]
)
def test_weights_that_stay_the_same_need_no_warning(
    settings: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    created(**settings)
    assert caplog.records == []

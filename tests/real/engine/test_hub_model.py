"""A hub model at one of its revisions, from downloads as the hub's library keeps them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire import Client, Source
from groundwire_server.config.settings import ServerSettings
from groundwire_server.models.store import DEFAULT_MODEL, prepare
from tests.real.engine.two_tokens import ANOTHER, CLAIM, NEXT_CLAIM, ONE, asking
from tests.serving import Served, serving

NAME, TAG, COMMIT = "an-org/a-verifier", "v1.2", "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(scope="module")
def hub_server(token_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A hub model at one of its revisions, from a download of a tag. Tokens share all.

    The downloads are as the hub's library keeps them, and nothing is there of the main branch.
    """
    downloads = tmp_path_factory.mktemp("hub")
    prepared = prepare(DEFAULT_MODEL, ServerSettings().cache_dir.expanduser(), lambda _: None)
    model = downloads / f"models--{NAME.replace('/', '--')}"
    snapshot, refs = model / "snapshots" / COMMIT, model / "refs"
    snapshot.mkdir(parents=True)
    refs.mkdir()
    (refs / TAG).write_text(COMMIT)
    for file in prepared.path.iterdir():
        (snapshot / file.name).symlink_to(file)
    flags = ("--model", NAME, "--revision", TAG, "--kv-memory-gib", "0.5")
    shared = ("--cache-scope", "server", "--auth-token-file", str(token_file))
    with pytest.MonkeyPatch.context() as variables:
        variables.setenv("HF_HUB_CACHE", str(downloads))
        variables.setenv("HF_HUB_OFFLINE", "1")
        with serving(*flags, *shared, token=ONE) as served:
            yield served


def test_weights_and_tokeniser_are_those_of_the_revision(hub_server: Served) -> None:
    with Client(hub_server.target, token=ONE, timeout_s=120) as client:
        info = client.server_info()
        (estimate,) = client.batch_estimate(["It is 42 m high."], "The tower is 42 m high.")
    assert info.model == NAME
    assert estimate.raw_probability is not None
    said = f"set revision to the full hash of a commit, not to {TAG}"
    assert said in hub_server.log


def test_all_tokens_share_where_the_scope_is_the_server(hub_server: Served) -> None:
    ask = asking(hub_server)
    first, own = ask(ONE, CLAIM), ask(ONE, NEXT_CLAIM)
    assert first.usage.cached_tokens == 0
    assert own.usage.cached_tokens > 0
    other, other_next = ask(ANOTHER, CLAIM), ask(ANOTHER, NEXT_CLAIM)
    assert [r.estimates[0].source for r in (other, other_next)] == [Source.CACHE] * 2

"""Providers of packages, as somebody writes them who does not know of the event loop."""

from pathlib import Path

import pytest

from groundwire_server.config.sources import ConfigError
from groundwire_server.corpus.corpora import ENTRY_POINTS, make_corpora
from groundwire_server.features.corpus.corpus_verification import GROUP, chosen_provider
from tests.scripted import scripted_settings

CODE = """
class Blocking:
    def retrieve(self, claim, top_k):
        return []

    def complete(self, prompt):
        return ""


class Waiting:
    async def retrieve(self, claim, top_k):
        return []

    async def complete(self, prompt):
        return ""


def blocking(*chosen):
    return Blocking()


def waiting(*chosen):
    return Waiting()


def nothing(*chosen):
    return None
"""


@pytest.fixture(autouse=True)
def _registered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module and its entry points, as pip would leave them."""
    (tmp_path / "groundwire_test_providers.py").write_text(CODE)
    about = tmp_path / "groundwire_test_providers-1.0.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Name: groundwire-test-providers\nVersion: 1.0.0\n")
    names = ("blocking", "waiting", "nothing")
    points = "\n".join(f"{name} = groundwire_test_providers:{name}" for name in names)
    (about / "entry_points.txt").write_text(f"[{ENTRY_POINTS}]\n{points}\n[{GROUP}]\n{points}\n")
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.parametrize("name", ["blocking", "nothing"])
def test_a_corpus_that_would_hold_the_event_loop_is_refused_at_the_start(name: str) -> None:
    settings = scripted_settings(retrieval_corpora=f"own=provider:{name}")
    with pytest.raises(ConfigError, match=f"retrieval_corpora: .*'{name}' .*`async def retrieve`"):
        make_corpora(settings)


@pytest.mark.parametrize("name", ["blocking", "nothing"])
def test_an_llm_that_would_hold_the_event_loop_is_refused_at_the_start(name: str) -> None:
    settings = scripted_settings(epistemic_risk_llm_provider=name)
    with pytest.raises(ConfigError, match=f"llm_provider: .*'{name}' .*`async def complete`"):
        chosen_provider(settings)


def test_coroutines_are_taken() -> None:
    assert chosen_provider(scripted_settings(epistemic_risk_llm_provider="waiting")) is not None
    assert make_corpora(scripted_settings(retrieval_corpora="own=provider:waiting")).keys() == {
        "own"
    }

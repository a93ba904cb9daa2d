"""A server inside the process of a notebook, with a scripted engine in place of a model."""

from collections.abc import Callable

import pytest

from groundwire import UnavailableError, verify_claim, verify_claims
from server import in_process as module
from server.in_process import in_process
from server.settings import ServerSettings
from tests.scripted import MODEL, NEVER_HANGS_S, ScriptedEngine
from tests.scripted_detection import believes
from verifier.backends.local import LocalBackend
from verifier.errors import BackendFailedError

EVIDENCE = "The tower is 330 m high."
CLAIM = "The tower is tall."


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> ScriptedEngine:
    engine = ScriptedEngine()
    engine.answer = believes({CLAIM: EVIDENCE})

    def create(settings: ServerSettings, progress: Callable[[str], None]) -> LocalBackend:
        return LocalBackend(MODEL, lambda: engine, NEVER_HANGS_S)

    monkeypatch.setattr(module, "create_backend", create)
    return engine


def test_the_functions_of_a_notebook_run_in_its_process(engine: ScriptedEngine) -> None:
    with in_process() as client:
        checked = verify_claim(CLAIM, EVIDENCE, 0.9, client=client)
        others = verify_claims(f"{CLAIM} The tower is green.", EVIDENCE, client=client)
    assert (checked.status, checked.claim) == ("SUPPORTED", CLAIM)
    assert checked.p0 is not None
    assert checked.p1 is not None
    assert checked.p1 > 0.9 > checked.p0
    assert [other.status for other in others] == ["SUPPORTED", "UNSUPPORTED"]


def test_the_end_of_the_block_ends_server_and_engine(engine: ScriptedEngine) -> None:
    with in_process() as client:
        assert client.server_info().model == MODEL
        target = client
    assert engine.shutdowns == 1
    with pytest.raises(Exception, match="closed"):
        target.server_info()


def test_settings_of_ones_own_hold(engine: ScriptedEngine) -> None:
    with in_process(ServerSettings(max_claims=3)) as client:
        assert client.server_info().limits.max_claims == 3


def test_a_model_that_cannot_be_loaded_raises_and_leaves_no_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail() -> ScriptedEngine:
        raise BackendFailedError("no such model")

    monkeypatch.setattr(
        module, "create_backend", lambda *_: LocalBackend(MODEL, fail, NEVER_HANGS_S)
    )
    with pytest.raises(BackendFailedError, match="no such model"), in_process():
        pass


def test_a_lost_engine_is_an_error_of_the_call(engine: ScriptedEngine) -> None:
    with in_process() as client:
        engine.die()
        with pytest.raises(UnavailableError):
            client.estimate("a")

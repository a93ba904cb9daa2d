"""A server inside the process of a notebook, with a scripted engine in place of a model."""

import gc
import os
import signal
import threading
from collections.abc import Callable, Iterator

import pytest

from groundwire import UnavailableError, verify_claim, verify_claims
from groundwire_server import in_process as module
from groundwire_server.config.environment import prepare_engine_environment
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError
from groundwire_server.in_process import in_process
from groundwire_verifier.domain.errors import BackendFailedError
from groundwire_verifier.engine.local import LocalBackend
from groundwire_verifier.engine.vllm.process import no_collection
from tests.scripted import MODEL, NEVER_HANGS_S, WAIT_LIMIT_S, ScriptedEngine
from tests.scripted_services.detection import believes

EVIDENCE = "The tower is 330 m high."
CLAIM = "The tower is tall."


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> ScriptedEngine:
    engine = ScriptedEngine()
    engine.answer = believes({CLAIM: EVIDENCE})

    def create(
        settings: ServerSettings, progress: Callable[[str], None]
    ) -> dict[str, LocalBackend]:
        return {"local": LocalBackend(MODEL, lambda: engine, NEVER_HANGS_S)}

    monkeypatch.setattr(module, "create_backends", create)
    return engine


def test_the_functions_of_a_notebook_run_in_its_process(engine: ScriptedEngine) -> None:
    with in_process() as client:
        checked = verify_claim(CLAIM, EVIDENCE, 0.9, client=client)
        others = verify_claims(f"{CLAIM} The tower is green.", EVIDENCE, client=client)
    assert (checked.verdict, checked.content) == ("SUPPORTED", CLAIM)
    assert checked.p0 is not None
    assert checked.p1 is not None
    assert checked.p1 > 0.9 > checked.p0
    assert [other.verdict for other in others] == ["SUPPORTED", "UNSUPPORTED"]


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


def test_an_uncalibrated_model_is_told_of_at_its_start(
    engine: ScriptedEngine, caplog: pytest.LogCaptureFixture
) -> None:
    with in_process() as client:
        assert client.server_info().uncalibrated
        assert verify_claim(CLAIM, EVIDENCE, client=client).confidence == 0.5
    assert "the backend local is uncalibrated" in caplog.text
    assert "asked for 0.5" in caplog.text
    assert "groundwire calibrate" in caplog.text


def test_a_bar_of_the_gate_that_no_fact_of_the_model_reaches_ends_the_start(
    engine: ScriptedEngine,
) -> None:
    settings = ServerSettings(memory_gate_min_confidence=0.6)
    with (
        pytest.raises(ConfigError, match=r"min_confidence \(0.6\) is above .* \(0.5\)"),
        in_process(settings),
    ):
        pass
    assert engine.shutdowns == 1
    with in_process(ServerSettings(memory_gate_min_confidence=0.5)) as client:
        assert client.server_info().uncalibrated


@pytest.mark.usefixtures("host")
def test_a_model_that_cannot_be_loaded_raises_and_leaves_no_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail() -> ScriptedEngine:
        raise BackendFailedError("no such model")

    monkeypatch.setattr(
        module, "create_backends", lambda *_: {"local": LocalBackend(MODEL, fail, NEVER_HANGS_S)}
    )
    with pytest.raises(BackendFailedError, match="no such model"), in_process():
        pass


@pytest.fixture
def host() -> Iterator[None]:
    """Whatever the test does, this process is afterwards as it was before."""
    variables = variables_now()
    yield
    assert variables_now() == variables
    assert gc.get_freeze_count() == 0
    # Those of the pool for work on texts wait for more, as asyncio's do.
    left = [t.name for t in threading.enumerate() if t.name.startswith("groundwire-")]
    assert not [name for name in left if not name.startswith("groundwire-work")]


def variables_now() -> dict[str, str]:
    return {name: v for name, v in os.environ.items() if name != "PYTEST_CURRENT_TEST"}


class Loading:
    """A load that changes its process as that of vLLM does, and ends when it is given up."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, then: Callable[[], None]) -> None:
        self.engine = ScriptedEngine()
        self.is_given_up = False
        self._then = then
        self._ended = threading.Event()
        monkeypatch.setattr(
            module,
            "create_backends",
            lambda *_: {"local": self._backend()},
        )

    def _backend(self) -> LocalBackend:
        return LocalBackend(MODEL, self._load, NEVER_HANGS_S, give_up=self._give_up)

    def _load(self) -> ScriptedEngine:
        prepare_engine_environment(3)
        with no_collection():
            self._then()
        if self._then is not nothing:
            assert self._ended.wait(WAIT_LIMIT_S)
        return self.engine

    def _give_up(self) -> None:
        self.is_given_up = True
        self._ended.set()


def nothing() -> None:
    pass


def ctrl_c() -> None:
    main = threading.main_thread().ident
    assert main is not None
    signal.pthread_kill(main, signal.SIGINT)


@pytest.mark.usefixtures("host")
def test_the_end_of_the_block_puts_the_process_back(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LD_PRELOAD", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TQDM_DISABLE", "0")
    Loading(monkeypatch, nothing)
    with in_process():
        assert os.environ["OMP_NUM_THREADS"] == "3"
        assert os.environ["TQDM_DISABLE"] == "0"
        assert gc.get_freeze_count() > 0
    assert "LD_PRELOAD" not in os.environ
    assert "OMP_NUM_THREADS" not in os.environ


def test_what_the_block_sets_itself_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    Loading(monkeypatch, nothing)
    with in_process():
        monkeypatch.setenv("OMP_NUM_THREADS", "5")
        monkeypatch.setenv("A_NOTEBOOKS_OWN", "x")
    assert (os.environ["OMP_NUM_THREADS"], os.environ["A_NOTEBOOKS_OWN"]) == ("5", "x")


@pytest.mark.usefixtures("host")
def test_what_the_host_froze_stays_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    Loading(monkeypatch, nothing)
    gc.freeze()
    try:
        before = gc.get_freeze_count()
        with in_process():
            pass
        assert 0 < gc.get_freeze_count() <= before
    finally:
        gc.unfreeze()


@pytest.mark.usefixtures("host")
def test_ctrl_c_while_it_loads_gives_the_load_up_and_ends_an_engine_that_came_yet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loading = Loading(monkeypatch, ctrl_c)
    with pytest.raises(KeyboardInterrupt), in_process():
        pytest.fail("it was interrupted before it served")
    assert loading.is_given_up
    assert loading.engine.shutdowns == 1


@pytest.mark.usefixtures("host")
def test_ctrl_c_while_it_warms_up_ends_the_engine(
    engine: ScriptedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: str) -> None:
        engine.hold()
        ctrl_c()

    engine.answer = interrupt
    with pytest.raises(KeyboardInterrupt), in_process():
        pytest.fail("it was interrupted before it served")
    assert engine.shutdowns == 1


@pytest.mark.usefixtures("host")
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ZeroDivisionError])
def test_an_error_in_the_block_ends_the_engine(
    engine: ScriptedEngine, error: type[BaseException]
) -> None:
    with pytest.raises(error), in_process():
        raise error
    assert engine.shutdowns == 1


def test_a_lost_engine_is_an_error_of_the_call(engine: ScriptedEngine) -> None:
    with in_process() as client:
        engine.die()
        with pytest.raises(UnavailableError):
            client.estimate("a")

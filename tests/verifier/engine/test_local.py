"""A local backend's life: loading, reads in flight, an engine that hangs or dies, the end."""

import asyncio
import threading

import pytest

from groundwire_verifier.domain.errors import (
    BackendFailedError,
    BackendLoadingError,
    PromptTooLongError,
    UnusableModelError,
)
from groundwire_verifier.domain.types import Instruction, Prompt, Question, TextPart
from groundwire_verifier.domain.urgency import WHENEVER
from groundwire_verifier.engine import local
from groundwire_verifier.engine.base import BackendState
from groundwire_verifier.engine.local import MIN_WINDOW_TOKENS, LocalBackend
from tests.scripted import MODEL, NEVER_HANGS_S, ScriptedEngine


@pytest.fixture(autouse=True)
def _quick_probes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "PROBE_INTERVAL_S", 0.002)


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine()


async def prompts_of(backend: LocalBackend, *claims: str) -> list[Prompt]:
    return await backend.encode([Question(claim, "") for claim in claims])


async def reading(
    backend: LocalBackend, engine: ScriptedEngine, *claims: str
) -> "asyncio.Task[object]":
    """A read whose prompts all wait in the engine."""
    engine.hold()
    task = asyncio.create_task(backend.read(await prompts_of(backend, *claims), {}, WHENEVER))
    await engine.until(lambda: len(engine.claims) == len(claims))
    return task


async def test_during_the_warm_up_it_is_still_loading(engine: ScriptedEngine) -> None:
    engine.hold()
    backend = LocalBackend(MODEL, lambda: engine, NEVER_HANGS_S)
    starting = asyncio.create_task(backend.start())
    await engine.until(lambda: len(engine.claims) > 0)
    with pytest.raises(BackendLoadingError):
        await backend.encode([])
    engine.release()
    await starting
    assert backend.state is BackendState.SERVING
    await backend.stop()


async def test_the_warm_up_leaves_no_cached_prefix(
    backend: LocalBackend, engine: ScriptedEngine
) -> None:
    assert engine.cache_clears == 1


async def test_loading_does_not_block_the_event_loop(engine: ScriptedEngine) -> None:
    loaded = threading.Event()

    def load() -> ScriptedEngine:
        assert loaded.wait(20)
        return engine

    backend = LocalBackend(MODEL, load, NEVER_HANGS_S)
    starting = asyncio.create_task(backend.start())
    await asyncio.sleep(0)  # the load waits for what this very loop does next
    loaded.set()
    await starting
    await backend.stop()


async def test_all_prompts_are_submitted_together(
    backend: LocalBackend, engine: ScriptedEngine
) -> None:
    claims = [f"claim {i}" for i in range(50)]
    task = await reading(backend, engine, *claims)
    assert engine.claims == claims
    engine.release()
    await task


async def test_a_failing_read_cancels_its_siblings_and_surfaces_as_itself(
    backend: LocalBackend, engine: ScriptedEngine
) -> None:
    engine.hold()
    bug = ZeroDivisionError("a bug")
    engine.errors = {"bad": bug}
    with pytest.raises(ZeroDivisionError) as caught:
        await backend.read(await prompts_of(backend, "a", "bad", "b"), {}, WHENEVER)
    assert caught.value is bug
    await engine.until(lambda: engine.cancelled == 2)
    assert backend.state is BackendState.SERVING


async def test_an_engine_that_hangs_fails_reads_in_flight(engine: ScriptedEngine) -> None:
    engine.step_tokens = 1
    backend = LocalBackend(MODEL, lambda: engine, 0.5)
    await backend.start()
    engine.claims.clear()
    task = await reading(backend, engine, "a")
    engine.hang()
    with pytest.raises(BackendFailedError, match=r"the engine hangs: no answer for 0\.5 s"):
        await task
    assert backend.state is BackendState.FAILED
    assert await backend.wait_failed() == "the engine hangs: no answer for 0.5 s"
    await backend.stop()


async def test_an_engine_may_be_silent_for_as_long_as_its_longest_steps_take(
    engine: ScriptedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "PROBE_INTERVAL_S", 0.002)
    engine.read_s, engine.step_tokens = 0.02, 1_000_000
    backend = LocalBackend(MODEL, lambda: engine, 0.01)
    await backend.start()
    engine.claims.clear()
    task = await reading(backend, engine, "a")
    engine.hang()
    await asyncio.wait([task], timeout=0.1)
    assert backend.state is BackendState.SERVING
    await backend.stop()
    with pytest.raises(BackendFailedError, match="the model was stopped"):
        await task


async def test_a_dead_engine_is_noticed_without_any_read(
    backend: LocalBackend, engine: ScriptedEngine
) -> None:
    engine.die()
    assert await backend.wait_failed() == "the engine died"
    assert backend.state is BackendState.FAILED
    with pytest.raises(BackendFailedError, match="the engine died"):
        _ = backend.info


async def test_an_engine_that_dies_fails_reads_in_flight(
    backend: LocalBackend, engine: ScriptedEngine
) -> None:
    task = await reading(backend, engine, "a", "b")
    engine.die()
    with pytest.raises(BackendFailedError, match="the engine died"):
        await task
    await backend.wait_failed()


async def test_stopping_twice_ends_the_engine_once(
    backend: LocalBackend, engine: ScriptedEngine
) -> None:
    await backend.stop()
    await backend.stop()
    assert engine.shutdowns == 1


async def test_a_backend_that_never_started_can_be_stopped(engine: ScriptedEngine) -> None:
    await LocalBackend(MODEL, lambda: engine, NEVER_HANGS_S).stop()
    assert engine.shutdowns == 0


async def test_a_window_that_is_too_small_is_refused() -> None:
    engine = ScriptedEngine(window_tokens=MIN_WINDOW_TOKENS)
    backend = LocalBackend(MODEL, lambda: engine, NEVER_HANGS_S)
    with pytest.raises(UnusableModelError, match="set window_tokens to at least"):
        await backend.start()
    await backend.stop()
    assert engine.shutdowns == 1


async def test_an_engine_that_fails_its_warm_up_is_ended_once(engine: ScriptedEngine) -> None:
    engine.errors = {"Claim 0.": ZeroDivisionError("a bug")}
    backend = LocalBackend(MODEL, lambda: engine, NEVER_HANGS_S)
    with pytest.raises(ZeroDivisionError):
        await backend.start()
    await backend.stop()
    assert engine.shutdowns == 1
    assert backend.state is BackendState.FAILED


async def test_an_engine_that_hangs_in_its_warm_up_fails_the_start(
    engine: ScriptedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "WARM_UP_TIMEOUT_S", 0.05)
    engine.hang()
    backend = LocalBackend(MODEL, lambda: engine, 0.01)
    with pytest.raises(BackendFailedError, match="did not warm up"):
        await backend.start()
    await backend.stop()
    assert engine.shutdowns == 1


async def test_a_model_that_cannot_be_loaded_says_why() -> None:
    def load() -> ScriptedEngine:
        raise BackendFailedError("no such file")

    backend = LocalBackend(MODEL, load, NEVER_HANGS_S)
    with pytest.raises(BackendFailedError, match="no such file"):
        await backend.start()
    await backend.stop()


INSTRUCTION = Instruction((TextPart("Say ", is_ours=True), TextPart("so.", is_ours=False)), "salt")


async def test_writing_fails_with_the_engine(backend: LocalBackend, engine: ScriptedEngine) -> None:
    engine.stuck_writing = True
    task = asyncio.create_task(backend.generate(INSTRUCTION, 4, {}, WHENEVER))
    await engine.until(lambda: bool(engine.written))
    engine.die()
    with pytest.raises(BackendFailedError):
        await task


async def test_what_does_not_fit_beside_its_answer_is_not_written_about(
    backend: LocalBackend, engine: ScriptedEngine
) -> None:
    long = Instruction((TextPart("x" * engine.window_tokens, is_ours=False),))
    with pytest.raises(PromptTooLongError, match="window"):
        await backend.generate(long, 4, {}, WHENEVER)
    assert engine.written == []

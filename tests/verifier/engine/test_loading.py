"""A load in a thread: what comes of it, and of an engine that nobody waits for any more."""

import asyncio
import threading

import pytest

from groundwire_verifier.engine.loading import is_loading, load_engine, wait_until_loaded
from tests.scripted import WAIT_LIMIT_S, ScriptedEngine


def nothing() -> None:
    pass


async def test_an_engine_is_loaded_in_a_thread() -> None:
    engine, threads = ScriptedEngine(), []

    def load() -> ScriptedEngine:
        threads.append(threading.current_thread())
        return engine

    assert await load_engine(load, nothing) is engine
    assert threads != [threading.current_thread()]
    wait_until_loaded()
    assert not is_loading()


async def test_a_load_that_nobody_waits_for_is_given_up_and_its_engine_ended() -> None:
    engine = ScriptedEngine()
    begun, given_up = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def load() -> ScriptedEngine:
        loop.call_soon_threadsafe(begun.set)
        assert given_up.wait(WAIT_LIMIT_S)
        return engine

    loading = asyncio.create_task(load_engine(load, given_up.set))
    await begun.wait()
    assert is_loading()
    loading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await loading
    wait_until_loaded()
    assert engine.shutdowns == 1


async def test_an_engine_that_came_in_the_moment_of_its_cancelling_is_ended() -> None:
    engine = ScriptedEngine()
    loading = asyncio.create_task(load_engine(lambda: engine, nothing))
    await asyncio.sleep(0)  # it has begun, and its thread tells the loop, which waits here
    wait_until_loaded()
    loading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await loading
    assert engine.shutdowns == 1


async def test_a_load_that_fails_after_it_was_given_up_tells_nobody() -> None:
    given_up = threading.Event()

    def load() -> ScriptedEngine:
        assert given_up.wait(WAIT_LIMIT_S)
        raise SystemExit

    loading = asyncio.create_task(load_engine(load, given_up.set))
    await asyncio.sleep(0)
    loading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await loading
    wait_until_loaded()

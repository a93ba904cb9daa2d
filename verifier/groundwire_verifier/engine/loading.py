"""Loading an engine without holding the event loop, or the process's exit, up."""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError

from groundwire_verifier.engine.queue.engine import Engine

LOADER_THREAD = "groundwire-loader"


async def load_engine(load: Callable[[], Engine], give_up: Callable[[], None]) -> Engine:
    """Run `load` in a thread that, unlike those of `asyncio.to_thread`, the exit does not join.

    It cannot be interrupted. When nobody waits for it any more, `give_up` is called, which may
    make it fail sooner, and an engine that comes yet is shut down.
    """
    loaded: Future[Engine] = Future()

    def run() -> None:
        try:
            engine = load()
        except BaseException as error:  # noqa: BLE001 - carried to the one who waits
            with contextlib.suppress(InvalidStateError):
                loaded.set_exception(error)
            return
        try:
            loaded.set_result(engine)
        except InvalidStateError:
            engine.shutdown()

    threading.Thread(target=run, name=LOADER_THREAD, daemon=True).start()
    try:
        return await asyncio.wrap_future(loaded)
    except asyncio.CancelledError:
        if loaded.cancel():
            give_up()
        elif loaded.exception() is None:
            await asyncio.to_thread(loaded.result().shutdown)
        raise


def is_loading() -> bool:
    """Whether a model is still being loaded, though nobody may wait for it any more."""
    return bool(_loaders())


def wait_until_loaded() -> None:
    """Return when no model is being loaded in this process any more."""
    for thread in _loaders():
        thread.join()


def _loaders() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == LOADER_THREAD]

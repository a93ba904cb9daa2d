"""Loading an engine without holding the event loop, or the process's exit, up.

Knows threads. Does not know what is loaded.
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable

from verifier.backends.engine import Engine
from verifier.errors import BackendFailedError

LOADER_THREAD = "groundwire-loader"


async def load_engine(load: Callable[[], Engine]) -> Engine:
    """Run `load` in a thread that, unlike those of `asyncio.to_thread`, the exit does not join."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Engine] = loop.create_future()

    def finish(engine: Engine | None, error: BaseException | None) -> None:
        if done.cancelled():
            return
        if engine is not None:
            done.set_result(engine)
        else:
            done.set_exception(error or BackendFailedError("the model was not loaded"))

    def run() -> None:
        engine, error = None, None
        try:
            engine = load()
        except BaseException as caught:  # noqa: BLE001 - carried to the one who waits
            error = caught
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(finish, engine, error)

    threading.Thread(target=run, name=LOADER_THREAD, daemon=True).start()
    return await done


def is_loading() -> bool:
    """Whether a model is still being loaded, though nobody may wait for it any more."""
    return any(thread.name == LOADER_THREAD for thread in threading.enumerate())

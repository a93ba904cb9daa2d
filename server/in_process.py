"""A server inside this process, for notebooks and scripts: one context manager, one client.

Knows how to run the server's loop in a thread. Everything else is the server as it is, so what is
asked here is answered as any other client is.
"""

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from importlib import metadata

from groundwire import Client
from server.app import start_server
from server.backends import create_backend
from server.settings import ServerSettings

CALL_TIMEOUT_S = 300.0


@contextlib.contextmanager
def in_process(settings: ServerSettings | None = None) -> Iterator[Client]:
    """Load a model in this process and give a client for it; the end of the block unloads it.

    `settings` without a `listen` of their own take a free port of loopback. Loading takes about a
    minute on a small machine. Raises ConfigError, UnusableModelError or BackendFailedError.

        with in_process() as client:
            print(verify_claim("The tower has two floors.", passage, client=client))
    """
    given = (settings or ServerSettings()).model_dump(exclude_unset=True)
    effective = ServerSettings.model_validate(
        {"listen": "127.0.0.1:0", "metrics_listen": "", **given}
    )
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="groundwire-server", daemon=True)
    thread.start()
    server = _Serving(effective)
    try:
        target = asyncio.run_coroutine_threadsafe(server.start(), loop).result()
        try:
            with Client(target, timeout_s=CALL_TIMEOUT_S) as client:
                yield client
        finally:
            asyncio.run_coroutine_threadsafe(server.stop(), loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


class _Serving:
    """The server and its backend, whose start and stop are separate calls on one loop."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._stack = contextlib.AsyncExitStack()

    async def start(self) -> str:
        settings = self._settings
        backend = create_backend(settings, lambda _: None)
        backends = {settings.backend_name: backend}
        version = metadata.version("groundwire")
        async with contextlib.AsyncExitStack() as stack:
            running = await stack.enter_async_context(start_server(settings, backends, version))
            stack.push_async_callback(backend.stop)
            await backend.start()
            running.set_serving(True)
            self._stack = stack.pop_all()
        return running.target

    async def stop(self) -> None:
        await self._stack.aclose()

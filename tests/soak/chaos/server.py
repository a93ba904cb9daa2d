"""The server of an event, on a scripted engine, in a process of its own.

    python -m tests.soak.chaos.server SETTINGS

SETTINGS is JSON, over those of a scripted server. Prints its target, and serves until SIGTERM.
It waits less long than a real one before it tries again what was away, so that a round is short.
"""

import asyncio
import json
import signal
import sys
from collections.abc import Mapping
from typing import Any

from groundwire_server.access import logins
from groundwire_server.app import start_server
from groundwire_server.durable_queue import queue
from groundwire_server.stores import redis_store
from groundwire_verifier.engine.local import LocalBackend
from groundwire_verifier.engine.queue.engine import TokenReading
from tests.scripted import MODEL, VERSION, scripted_settings
from tests.soak.chaos.claims import UnevenEngine, chance_of

STUCK = "Nobody ever reads this."
"""A claim for which the engine has no answer, ever."""
LOGIN_PAUSE_S = 0.5
"""The longest that a wrong token waits here."""
_HANG_TIMEOUT_S = 5.0
_REDIS_PAUSE_S = 0.3


class LastingEngine(UnevenEngine):
    """As the other, but it keeps nothing of what it was asked: its process's memory is measured."""

    async def read(self, *asked: Any) -> TokenReading:  # noqa: ANN401 - as they came
        """As the script has it, a while later."""
        for kept in (self.prompts, self.claims, self.trace_headers, self.cache_salts):
            kept.clear()
        return await super().read(*asked)


async def _serve(changes: Mapping[str, object]) -> None:
    redis_store.PAUSE_S = _REDIS_PAUSE_S
    logins.LONGEST_PAUSE_S = LOGIN_PAUSE_S
    queue.POLL_S, queue.HEAL_S = 0.05, 1.0
    engine = LastingEngine(chance_of("server"))
    engine.stuck = {STUCK}
    backend = LocalBackend(MODEL, lambda: engine, _HANG_TIMEOUT_S)
    over = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, over.set)
    async with start_server(scripted_settings(**changes), {"local": backend}, VERSION) as running:
        await backend.start()
        running.set_serving(True)
        print(running.target, flush=True)
        failed = asyncio.ensure_future(backend.wait_failed())
        await asyncio.wait(
            (failed, asyncio.ensure_future(over.wait())), return_when=asyncio.FIRST_COMPLETED
        )
        await backend.stop()


if __name__ == "__main__":
    asyncio.run(_serve(json.loads(sys.argv[1])))

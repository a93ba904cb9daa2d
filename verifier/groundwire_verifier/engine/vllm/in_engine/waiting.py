"""Has the engine's threads sleep instead of spin while they have to share their cores.

They spin while each has its core, the fastest way to wait for each other. Beside a busy loop 99 %
of calls are in time so, and 51 % of those of threads that always spin: they waste what they wait
for.

`plugin.py` runs `register` in each of the engine's processes, where a thread then looks at the
others every now and then.
"""

import threading
import time

from vllm.platforms import current_platform

from groundwire_verifier.engine.vllm.in_engine.cores import Team
from groundwire_verifier.engine.vllm.in_engine.crowding import Crowding
from groundwire_verifier.engine.vllm.in_engine.spinning import Spinning

LOOK_INTERVAL_S = 0.25


def register(threads: int) -> None:
    """On the CPU, look after `threads` threads that compute together, where OpenMP is libgomp."""
    if threads <= 1 or not current_platform.is_cpu():
        return
    try:
        spinning = Spinning(threads)
    except OSError:
        return
    threading.Thread(
        target=_watch, args=(spinning, Team(threads)), name="groundwire-waiting", daemon=True
    ).start()


def _watch(spinning: Spinning, team: Team) -> None:
    crowding = Crowding()
    while True:
        time.sleep(LOOK_INTERVAL_S)
        spinning.turn(on=not crowding.is_crowded(team.look()))

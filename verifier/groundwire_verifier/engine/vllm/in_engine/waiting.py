"""Has the engine's threads sleep instead of spin while they have to share their cores.

`plugin.py` runs `register` in each of the engine's processes, where a thread then looks at the
others every now and then.
"""

import threading
import time

from vllm.platforms import current_platform

from groundwire_verifier.engine.vllm.in_engine.cores import Team
from groundwire_verifier.engine.vllm.in_engine.crowding import Crowding
from groundwire_verifier.engine.vllm.in_engine.spinning import Spinning

AUTO, SPIN, SLEEP = "auto", "spin", "sleep"
LOOK_INTERVAL_S = 0.25


def register(how: str, threads: int) -> None:
    """On the CPU, have `threads` threads that compute together wait for each other like that.

    `how` is one of AUTO, SPIN and SLEEP. Without libgomp they go on as they do.
    """
    if how == SPIN or threads <= 1 or not current_platform.is_cpu():
        return
    try:
        spinning = Spinning(threads)
    except OSError:
        return
    if how == SLEEP:
        spinning.turn(on=False)
    else:
        threading.Thread(
            target=_watch, args=(spinning, Team(threads)), name="groundwire-waiting", daemon=True
        ).start()


def _watch(spinning: Spinning, team: Team) -> None:
    crowding = Crowding()
    while True:
        time.sleep(LOOK_INTERVAL_S)
        spinning.turn(on=not crowding.is_crowded(team.look()))

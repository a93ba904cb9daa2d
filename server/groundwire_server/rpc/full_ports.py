"""A line in the log while a port has all the connections that it may have.

gRPC turns one more away without a word, and an HTTP client that loses an idle one notices nothing
until its next call.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Mapping

log = logging.getLogger("groundwire.server")

LOOK_EVERY_S = 5.0
LOG_PAUSE_S = 60.0


def grpc_connections() -> int:
    """How many connections gRPC's ports of this process have. A look takes 2 µs for each.

    It is gRPC's own business how it tells, so this may raise anything.
    """
    from grpc._cython import cygrpc  # type: ignore[attr-defined]  # not in its stubs

    servers = json.loads(cygrpc.channelz_get_servers(0)).get("server", [])
    found = (
        cygrpc.channelz_get_server_sockets(int(each["ref"]["serverId"]), 0, 0) for each in servers
    )
    return sum(len(json.loads(sockets).get("socketRef", [])) for sockets in found)


async def tell_of_full(ports: Mapping[str, Callable[[], int]], most: int) -> None:
    """Look for ever which of the ports has `most` connections, and log it once in LOG_PAUSE_S.

    `ports` has, by its setting, what counts those of each. If one raises, the log says so once, and
    the look ends.
    """
    while True:
        try:
            full = [setting for setting, connections in ports.items() if connections() >= most]
        except Exception:
            log.exception("connections cannot be counted, so no line will say that a port is full")
            return
        for setting in full:
            log.warning(
                "%s: all %d connections are taken, so that one more is closed, or ends an idle "
                "one; keep whoever opens so many out before the server",
                setting,
                most,
            )
        await asyncio.sleep(LOG_PAUSE_S if full else LOOK_EVERY_S)

"""A line in the log while a port has all the connections that it may have.

gRPC turns one more away without a word, and an HTTP client that loses an idle one notices nothing
until its next call.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Mapping

from grpc._cython import cygrpc  # type: ignore[attr-defined]  # not in its stubs

log = logging.getLogger("groundwire.server")

LOOK_EVERY_S = 5.0
LOG_PAUSE_S = 60.0


def grpc_connections() -> int:
    """How many connections gRPC's ports of this process have. A look takes 2 µs for each."""
    servers = json.loads(cygrpc.channelz_get_servers(0)).get("server", [])
    return sum(_connections_of(int(each["ref"]["serverId"])) for each in servers)


def _connections_of(server: int) -> int:
    found = json.loads(cygrpc.channelz_get_server_sockets(server, 0, 0))
    return len(found.get("socketRef", []))


async def tell_of_full(ports: Mapping[str, Callable[[], int]], most: int) -> None:
    """Look for ever which of the ports has `most` connections, and log it once in LOG_PAUSE_S.

    `ports` has, by its setting, what counts those of each.
    """
    while True:
        full = [setting for setting, connections in ports.items() if connections() >= most]
        for setting in full:
            log.warning(
                "%s: all %d connections are taken, so that one more is closed, or ends an idle "
                "one; keep whoever opens so many out before the server",
                setting,
                most,
            )
        await asyncio.sleep(LOG_PAUSE_S if full else LOOK_EVERY_S)

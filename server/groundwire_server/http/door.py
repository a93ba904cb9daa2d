"""The HTTP door as a whole: the way to the server, the application, the port.

Imported only where the door is switched on, since its packages are an extra.
"""

import asyncio
import contextlib
import math
import os
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path

from grpc import aio

from groundwire_server.access.certificates import Certificates
from groundwire_server.access.logins import Logins
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError
from groundwire_server.http.application import hosts, listed, make_application
from groundwire_server.http.server import HttpServer
from groundwire_server.http.upstream import Connections, Upstream
from groundwire_server.rpc.calls import Calls


@contextlib.asynccontextmanager
async def open_door(
    settings: ServerSettings,
    server: aio.Server,
    services: Sequence[str],
    calls: Calls,
    *,
    logins: Logins | None,
    certificates: Certificates | None,
    calls_of_connection: int,
    serves: Callable[[], bool],
) -> AsyncIterator[HttpServer]:
    """Open the HTTP port in front of a server that has not started yet.

    That takes so many `calls_of_connection` at one time; `serves` is for probes. Raises
    ConfigError.
    """
    with _own_socket(server) as target:
        limit = settings.max_message_bytes
        options = (
            ("grpc.max_receive_message_length", limit),
            ("grpc.max_send_message_length", limit),
            # The client of the door decides whether to try again.
            ("grpc.enable_retries", 0),
            # Channels to one target would share a connection.
            ("grpc.use_local_subchannel_pool", 1),
        )
        # As many as admission may let in, and one for what it does not count, such as probes: so
        # the callers of HTTP, who have one way, do not keep each other from being seen by it.
        count = math.ceil(settings.max_pending_calls / calls_of_connection) + 1
        async with contextlib.AsyncExitStack() as opened:
            channels = [
                await opened.enter_async_context(aio.insecure_channel(target, options))
                for _ in range(count)
            ]
            upstream = Upstream(
                Connections(channels, calls_of_connection),
                tuple(services),
                logins,
                calls.telemetry,
                calls.admission,
                limit,
                settings.max_claims,
            )
            guarded = logins is not None or settings.tls_client_ca_file is not None
            address = settings.http_listen or ""
            allowed = hosts(settings.http_hosts, address, guarded=guarded)
            incoming: set[asyncio.Timeout] = set()
            origins = listed(settings.http_origins)
            application = make_application(upstream, origins, allowed, serves, incoming)
            yield HttpServer(application, address, settings, certificates, incoming)


@contextlib.contextmanager
def _own_socket(server: aio.Server) -> Iterator[str]:
    """A target of a server that only this process can reach, so that it needs no TLS.

    Its file is gone as soon as it is open: what sweeps TMPDIR finds nothing, and the descriptor
    leads to the socket for as long as the server runs.
    """
    with tempfile.TemporaryDirectory(prefix="groundwire-") as folder:
        path = Path(folder) / "rpc"
        try:
            server.add_insecure_port(f"unix:{path}")
        except RuntimeError as error:
            raise ConfigError(
                f"http_listen: no socket can be made at {path} (is TMPDIR too long?): {error}"
            ) from error
        opened = os.open(path, os.O_PATH)
    try:
        yield f"unix:/proc/self/fd/{opened}"
    finally:
        os.close(opened)

"""The HTTP door as a whole: the way to the calls, the application, the port.

Imported only where the door is switched on, since its packages are an extra.
"""

import asyncio
from collections.abc import Callable, Sequence

from groundwire_server.access.certificates import Certificates
from groundwire_server.access.logins import Logins
from groundwire_server.config.credentials import check_plaintext
from groundwire_server.config.settings import ServerSettings
from groundwire_server.doors.http.application import hosts, listed, make_application
from groundwire_server.doors.listen import HttpServer
from groundwire_server.doors.upstream import Upstream
from groundwire_server.rpc.dispatch import Dispatch


def open_door(
    settings: ServerSettings,
    dispatch: Dispatch,
    services: Sequence[str],
    *,
    logins: Logins | None,
    certificates: Certificates | None,
    serves: Callable[[], bool],
) -> HttpServer:
    """Open the HTTP port for calls of `dispatch`. `serves` is for probes. Raises ConfigError."""
    upstream = Upstream(dispatch, tuple(services), logins, settings.max_claims)
    guarded = logins is not None or settings.tls_client_ca_file is not None
    address = settings.http_listen or ""
    allowed = hosts(settings.http_hosts, address, guarded=guarded)
    incoming: set[asyncio.Timeout] = set()
    origins = listed(settings.http_origins)
    application = make_application(upstream, origins, allowed, serves, incoming)
    check_plaintext(settings, "http_listen", address)
    return HttpServer(application, "http_listen", address, certificates, incoming)

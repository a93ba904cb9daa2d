"""Addresses that a server listens on: which there are, and a socket for each of their families."""

import contextlib
import errno
import resource
import socket

from groundwire_server.config.sources import ConfigError

MAX_PORT = 65535
KEEP_ALIVE_S = 75
"""Longer than the 60 s for which balancers keep an idle connection: one that takes it up again just
as it is closed here would answer 502."""
HANDSHAKE_TIMEOUT_S = 20
"""How long a peer may take until its connection can carry calls."""
MAX_CONNECTIONS = 4000
"""Connections of one port at one time, and never more than a third of what the process may open:
they need no token, and the other port, files and the log need descriptors, too."""

_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104 - none is bound
_NO_FAMILY = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)


def host_and_port(setting: str, address: str) -> tuple[str, int]:
    """The parts of `host:port`, an IPv6 host without its brackets. Raises ConfigError."""
    host, colon, port = address.rpartition(":")
    if not colon or not (port.isascii() and port.isdecimal()) or int(port) > MAX_PORT:
        raise ConfigError(
            f"{setting}: {address} is no address: give host and port, such as 127.0.0.1:8080; "
            f"ports are 0 to {MAX_PORT}"
        )
    return host.strip("[]"), int(port)


def max_connections() -> int:
    """How many connections a port may have at one time."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return min(MAX_CONNECTIONS, soft // 3)


def own_target(setting: str, address: str) -> str:
    """Where this machine itself reaches who listens there. Raises ConfigError."""
    if address.startswith("unix:"):
        return address
    host, port = host_and_port(setting, address)
    host = _WILDCARDS.get(host, host)
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def bound_sockets(setting: str, address: str) -> list[socket.socket]:
    """Sockets on one port for each address of its host, as localhost has two. Raises ConfigError.

    Port 0 takes a free one.
    """
    host, port = host_and_port(setting, address)
    with contextlib.ExitStack() as opened:
        try:
            found = socket.getaddrinfo(
                host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )
            sockets: list[socket.socket] = []
            for number, (family, kind, protocol, _, own) in enumerate(found):
                chosen = sockets[0].getsockname()[1] if sockets else port
                try:
                    # Without its protocol named, asyncio does not know it for TCP and leaves
                    # Nagle's algorithm on, which holds the body of each response back for 40 ms.
                    one = opened.enter_context(socket.socket(family, kind, protocol))
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    if family == socket.AF_INET6 and len(found) > 1:
                        one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                    one.bind((own[0], chosen, *own[2:]))
                except OSError as error:
                    # A machine without IPv6 has localhost by IPv4 alone.
                    is_last = number + 1 == len(found)
                    if error.errno not in _NO_FAMILY or (is_last and not sockets):
                        raise
                else:
                    sockets.append(one)
        except OSError as error:
            raise ConfigError(
                f"{setting}: {address} cannot be used: is another server on it? Name another "
                f"address, such as 127.0.0.1:0 for a free port ({error})"
            ) from error
        opened.pop_all()
        return sockets

"""`groundwire mcp`: the door for agents, over stdin and stdout or over HTTP."""

import asyncio
import contextlib
import logging
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata

from groundwire import ConfigurationError
from groundwire_server.config.settings import ClientSettings, ServerSettings
from groundwire_server.config.sources import ConfigError
from groundwire_server.exit_codes import EXIT_OK
from groundwire_server.mcp.door import make_server
from groundwire_server.mcp.stdio import Wire
from groundwire_server.mcp.upstream import Upstream, elsewhere
from groundwire_server.mcp.web import WebAddress, WebServer
from groundwire_server.records.log_lines import TEXT_FORM
from groundwire_verifier.backends.base import Backend

log = logging.getLogger("groundwire.mcp")


@dataclass(frozen=True, slots=True)
class McpArguments:
    """What to open. No address of the web: stdin and stdout. No settings: a server elsewhere."""

    web: WebAddress | None
    server: ServerSettings | None


def run_mcp(client: ClientSettings, arguments: McpArguments) -> int:
    """Serve until the client leaves, or a signal. Returns the exit code. Raises ConfigError."""
    if arguments.web is not None:
        arguments.web.check()
        if client.token is not None:
            raise ConfigError(
                "token is set: over HTTP each client sends its own, in the header Authorization, "
                "or everyone who reaches the port would have that of this process; unset it"
            )
    # Before anything that starts a process, which would inherit the streams.
    wire = Wire() if arguments.web is None else None
    _log_to_stderr()
    if arguments.web is not None and client.cert_file is not None:
        log.warning(
            "cert_file is set: everyone who reaches the port calls the server with the certificate "
            "of this process; let the server ask for tokens as well"
        )
    backends: Mapping[str, Backend] = {}
    if arguments.server is not None:
        from groundwire_server.backends import create_backends

        backends = create_backends(arguments.server, lambda text: log.info("%s", text))
    try:
        asyncio.run(_serve(client, arguments, backends, wire))
    except ConfigurationError as error:
        raise ConfigError(str(error)) from error
    return EXIT_OK


def _log_to_stderr() -> None:
    logging.basicConfig(level=logging.INFO, format=TEXT_FORM)
    # They tell of each request, with texts of errors.
    for name in ("mcp", "uvicorn", "vllm", "httpx", "httpx2"):
        logging.getLogger(name).setLevel(logging.ERROR)


async def _serve(
    client: ClientSettings,
    arguments: McpArguments,
    backends: Mapping[str, Backend],
    wire: Wire | None,
) -> None:
    async with _upstream(client, arguments, backends) as upstream:
        server = make_server(upstream, metadata.version("groundwire-server"))
        if arguments.web is not None:
            web = WebServer(server, arguments.web)
            for number in (signal.SIGTERM, signal.SIGINT):
                asyncio.get_running_loop().add_signal_handler(number, web.stop)
            await web.serve()
        elif wire is not None:
            # Nothing but its end wakes who waits for stdin.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            await wire.serve(server)


def _upstream(
    client: ClientSettings, arguments: McpArguments, backends: Mapping[str, Backend]
) -> contextlib.AbstractAsyncContextManager[Upstream]:
    if arguments.server is None:
        token = client.token.get_secret_value() if client.token else None
        return elsewhere(client, token)
    from groundwire_server.mcp.inside import inside, inside_settings

    settings = inside_settings(arguments.server)
    return inside(settings, backends, client, has_own_token=arguments.web is None)

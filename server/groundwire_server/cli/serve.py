"""`groundwire serve` runs the server until a signal ends it."""

import argparse
import asyncio
import logging
from collections.abc import Mapping
from importlib import metadata

from groundwire_server.cli import flags
from groundwire_server.cli.ending import end_loading, ended
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import log_format_of
from groundwire_server.records.log_lines import formatter
from groundwire_server.records.log_output import log_output

add = flags.add_server_settings


def run(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Serve, and log from the first moment in the form that is set."""
    given = flags.settings_given(arguments)
    log_format = log_format_of(given, environment, arguments.config)
    with log_output(log_format) as output:
        lines = logging.StreamHandler(output)
        lines.setFormatter(formatter(log_format))
        logging.basicConfig(handlers=[lines])
        code = ended(lambda: _serve(flags.server(arguments, environment)))
    return end_loading(code)


def _serve(settings: ServerSettings) -> int:
    from groundwire_server.app import serve
    from groundwire_server.backends import create_backends

    logging.getLogger().setLevel(settings.log_level.upper())
    logging.getLogger("vllm").setLevel(logging.ERROR)
    if settings.log_level != "debug":
        # A line for each call to an endpoint, or to a Qdrant server.
        for name in ("httpx2", "httpx"):
            logging.getLogger(name).setLevel(logging.WARNING)
    log = logging.getLogger("groundwire.server")
    backends = create_backends(settings, lambda text: log.info("%s", text))
    return asyncio.run(serve(settings, backends, metadata.version("groundwire-server")))

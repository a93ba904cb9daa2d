"""The streams of MCP over stdin and stdout, which nothing else of this process may touch.

What anybody prints goes to stderr, and what anybody reads is empty. Bytes that are not UTF-8 are
marked, so that the call that they stand in is refused and no other.
"""

import codecs
import json
import logging
import os
from collections.abc import Mapping
from typing import Any

import anyio
from mcp.server import Server
from mcp.server.stdio import stdio_server

log = logging.getLogger("groundwire.mcp")

MARK = "\ufdd0"
"""What stands for bytes that are no text: no character, by Unicode for use within a program."""

_MARKING = "groundwire-marking"


def _marked(error: UnicodeError) -> tuple[str, int]:
    if isinstance(error, UnicodeDecodeError):
        return MARK, error.end
    raise error


codecs.register_error(_MARKING, _marked)


def was_not_utf8(arguments: Mapping[str, object]) -> bool:
    """Whether bytes that are no text stand in the arguments of a call."""
    return MARK in json.dumps(arguments, ensure_ascii=False)


class Wire:
    """Stdin and stdout of this process, taken from everybody else in it and from its children.

    It is taken before any other process is started, which would inherit them.
    """

    def __init__(self) -> None:
        self._from_client, self._to_client = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)

    async def serve(self, server: Server[dict[str, Any]]) -> None:
        """Serve until the client closes its end, or is gone."""
        try:
            with (
                os.fdopen(self._from_client, encoding="utf-8", errors=_MARKING) as lines,
                os.fdopen(self._to_client, "w", encoding="utf-8", newline="\n") as answers,
            ):
                streams = anyio.wrap_file(lines), anyio.wrap_file(answers)
                async with stdio_server(*streams) as (read, write):
                    await server.run(read, write, server.create_initialization_options())
        except* BrokenPipeError:
            log.info("the client is gone")

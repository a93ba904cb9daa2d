#!/usr/bin/env python3
"""Has schemathesis call every path of the OpenAPI document on a server of its own.

Outside the gate: schemathesis brings half a hundred packages, so it is installed apart:
`python3 -m venv build/fuzz && build/fuzz/bin/pip install schemathesis==4.32.5`, then
`.venv/bin/python scripts/fuzz_http.py build/fuzz/bin/schemathesis`. More arguments go to it. The
server's engine is scripted, with every feature on. Exits with schemathesis's code.
"""

import asyncio
import contextlib
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

from tests.scripted import Scripted, scripted_server  # noqa: E402

CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,"
    "response_schema_conformance,unsupported_method"
)
"""Left out is whether all that the schema allows is answered: a request has limits that JSON Schema
has no words for, such as texts that must not be empty. And whether all else is refused: protobuf
takes null for unset, and numbers as texts."""

STREAMS = "(Stream|/Watch[A-Za-z]+)$"
"""Their messages stand in envelopes, which it would take for JSON by their type."""


@contextlib.asynccontextmanager
async def everything_on(folder: Path) -> AsyncIterator[Scripted]:
    """A server with all features."""
    async with scripted_server(
        http_listen="127.0.0.1:0",
        memory_gate_enabled=True,
        trace_auditing_enabled=True,
        response_assessment_enabled=True,
        similarity_enabled=True,
        feedback_enabled=True,
        feedback_file=folder / "feedback.sqlite",
        output_verification_enabled=True,
        output_verification_store=str(folder / "outputs.sqlite"),
    ) as served:
        yield served


async def main(tool: str, *arguments: str) -> int:
    """Run it to its end."""
    with tempfile.TemporaryDirectory() as folder:
        async with everything_on(Path(folder)) as served:
            http = served.running.http
            address = f"http://{http.target if http is not None else ''}"
            command = [tool, "run", f"{address}/openapi.json", "--url", address]
            command += ["--checks", CHECKS, "--exclude-path-regex", STREAMS]
            # A deadline of its own choice would mostly be over before the call begins.
            command += ["-H", "Connect-Timeout-Ms: 20000", *arguments]
            process = await asyncio.create_subprocess_exec(*command)
            return await process.wait()


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:])))

"""What the client needs to be installed, and what it does with what is there."""

import json
import os
import subprocess
import sys
from pathlib import Path

import grpc
import pytest

import groundwire
from tests.client.scripted import AnyClient, ScriptedServer, bad_request, failing, settle

# Nothing but the standard library, grpcio, protobuf and the client can be imported.
BARE_CALL = """
import sys

class Block:
    allowed = {*sys.stdlib_module_names, "grpc", "google", "groundwire", "typing_extensions"}
    blocked = ("google.rpc", "google.api")

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in self.allowed or name.startswith(self.blocked):
            raise ModuleNotFoundError(f"no module named {name!r}", name=name)

sys.meta_path.insert(0, Block())

import asyncio, json
from groundwire import AsyncClient, Client, InvalidRequestError, verify_claim

with Client(sys.argv[1]) as client:
    probability = client.estimate("0.25").probability
    try:
        client.estimate("0.5")
    except InvalidRequestError as error:
        violations = [[each.field, each.description] for each in error.violations]
        reason = error.reason
    verdict = verify_claim("0.75", "context", client=client).verdict

async def call():
    async with AsyncClient(sys.argv[1]) as client:
        return (await client.estimate("0.75")).probability

print(json.dumps([probability, reason, violations, verdict, asyncio.run(call())]))
"""


def test_grpcio_and_protobuf_are_all_that_the_client_needs(server: ScriptedServer) -> None:
    details = (bad_request(claim="no visible character"),)
    refusal = failing(grpc.StatusCode.INVALID_ARGUMENT, "EMPTY_CLAIM", details=details)
    server.script(lambda _: None, refusal)
    folder = Path(groundwire.__file__).parents[1]

    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", BARE_CALL, server.target],
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.stderr == ""
    assert json.loads(done.stdout) == [
        0.25,
        "EMPTY_CLAIM",
        [["claim", "no visible character"]],
        "SUPPORTED",
        0.75,
    ]


async def test_the_current_trace_goes_with_the_call(
    client: AnyClient, server: ScriptedServer
) -> None:
    trace = pytest.importorskip("opentelemetry.trace")
    parent = trace.SpanContext(
        trace_id=0x0AF7651916CD43DD8448EB211C80319C,
        span_id=0xB7AD6B7169203331,
        is_remote=False,
        trace_flags=trace.TraceFlags(trace.TraceFlags.SAMPLED),
    )

    with trace.use_span(trace.NonRecordingSpan(parent)):
        await settle(client.estimate("0.5"))

    assert (
        server.received[0].metadata["traceparent"]
        == "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    )


async def test_without_a_trace_none_goes_with_the_call(
    client: AnyClient, server: ScriptedServer
) -> None:
    await settle(client.estimate("0.5"))

    assert "traceparent" not in server.received[0].metadata

"""What the HTTP door answers, byte for byte but for times and ids: `golden.json` beside this file.

python -m tests.server.http.test_golden      writes it anew, after a change that is meant
"""

import asyncio
import base64
import json
import re
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import verifier_backend_pb2 as pb
from tests.server.http.door import BACKEND, BATCH, JSON, Door, http_server, reason_in

GOLDEN = Path(__file__).with_name("golden.json")
BEARER = "copper-lantern-4-and-more"
STREAM = "/groundwire.v1.HallucinationDetection/VerifyAnswerStream"
ANSWER = "/groundwire.v1.HallucinationDetection/VerifyAnswer"
HEALTH = "/grpc.health.v1.Health"
CHECK = "/v1/hallucination-check"
PROTO, WEB = "application/proto", "application/grpc-web+proto"
CONNECT = "application/connect+json"
_VARYING = re.compile(r'"(\w*Duration|detectionId|identity)": ?"[^"]*"')
_HEADERS = (
    "content-type",
    "retry-after",
    "www-authenticate",
    "grpc-status",
    "grpc-message",
    "allow",
)

EVIDENCE = {"sources": [{"id": "S0", "document": {"text": "The tower has two floors."}}]}
TOWER = {"answer": "The tower has two floors [S0].", "evidence": EVIDENCE}
CHECKED = {
    "answer": TOWER["answer"],
    "sources": [{"id": "S0", "text": "The tower has two floors."}],
}


def enveloped(message: bytes) -> bytes:
    return struct.pack(">BI", 0, len(message)) + message


ESTIMATE = pb.BatchEstimateRequest(claims=["a"]).SerializeToString()
NO_ANSWER = detection_pb.VerifyAnswerStreamRequest().SerializeToString()
PLAIN: Mapping[str, tuple[str, str, bytes]] = {
    "batch": (BATCH, JSON, b'{"claims": ["a", "b"]}'),
    "info": (f"{BACKEND}/GetServerInfo", JSON, b"{}"),
    "empty": (BATCH, JSON, b""),
    "blank": (BATCH, JSON, b'{"claims": ["a", " "]}'),
    "many": (BATCH, JSON, json.dumps({"claims": ["a"] * 1001}).encode()),
    "long": (BATCH, JSON, json.dumps({"claims": ["x" * 300_000]}).encode()),
    "backend": (BATCH, JSON, b'{"claims": ["a"], "backend": "nobody"}'),
    "shape": (BATCH, JSON, b'{"claims": 3}'),
    "binary is no message": (BATCH, PROTO, b"\x0a\x01\xff"),
    "off": ("/groundwire.v1.MemoryGate/CheckFacts", JSON, b"{}"),
    "web is no message": (BATCH, WEB, enveloped(b"\x0a\x01\xff")),
    "web empty": (BATCH, WEB, enveloped(b"")),
    "no method": (f"{BACKEND}/Judge", JSON, b"{}"),
    "type": (BATCH, "text/plain", b"{}"),
    "answer": (ANSWER, JSON, json.dumps(TOWER).encode()),
    "stream": (STREAM, CONNECT, enveloped(json.dumps({"request": TOWER}).encode())),
    "stream empty": (STREAM, "application/connect+proto", enveloped(NO_ANSWER)),
    "stream empty, web": (STREAM, WEB, enveloped(NO_ANSWER)),
    "health": (f"{HEALTH}/Check", JSON, b"{}"),
    "health of ours": (f"{HEALTH}/Check", JSON, b'{"service": "groundwire.v1.MemoryGate"}'),
    "health of nobody": (f"{HEALTH}/Check", JSON, b'{"service": "nobody"}'),
    "health of a long name": (f"{HEALTH}/Check", JSON, json.dumps({"service": "x" * 300}).encode()),
    "check": (CHECK, JSON, json.dumps(CHECKED).encode()),
    "check without sources": (CHECK, JSON, json.dumps(CHECKED | {"sources": []}).encode()),
    "check of a blank": (CHECK, JSON, json.dumps(CHECKED | {"answer": " "}).encode()),
    "check of no shape": (CHECK, JSON, b'{"answer": 3}'),
}  # fmt: skip


def told(response: httpx.Response) -> dict[str, Any]:
    """What a client sees of a response."""
    body = response.content
    try:
        text = body.decode()
    except UnicodeDecodeError:
        text = base64.b64encode(body).decode()
    if response.headers["content-type"] == CONNECT:
        text = "\n".join(
            part.decode(errors="replace")
            for part in re.split(rb"[\x00\x02].{4}(?=\{)", body, flags=re.DOTALL)
        )
    headers = {name: response.headers[name] for name in _HEADERS if name in response.headers}
    return {
        "status": response.status_code,
        "headers": headers,
        "body": _VARYING.sub(r'"\1": 0', text),
    }


async def answers() -> dict[str, dict[str, Any]]:
    """What the door answers to each request."""
    found: dict[str, dict[str, Any]] = {}
    async with http_server() as door:
        for name, (path, kind, body) in PLAIN.items():
            found[name] = told(await door.post_raw(path, body, kind))
        web = await door.post_raw(BATCH, enveloped(ESTIMATE), WEB)
        found["web"] = {
            "status": web.status_code,
            "end": web.content[-40:].decode(errors="replace"),
        }
        found["watch"] = {"first": await _watched(door)}
        found["full"] = await _full(door)
    async with http_server(auth_token=BEARER) as door:
        for name, path in (
            ("token", BATCH),
            ("token of a check", CHECK),
            ("open", f"{HEALTH}/Check"),
        ):
            found[name] = told(await door.post(path, {}))
    async with http_server(max_message_bytes=2000) as door:
        claims = [str(i) for i in range(200)]
        large = await door.post(BATCH, {"claims": claims})
        # Its text counts bytes, of which the times have more or less.
        found["large response"] = {"status": large.status_code, "reason": reason_in(large)}
        found["large request"] = told(await door.post(BATCH, {"claims": ["x" * 3000]}))
    return found


async def _watched(door: Door) -> str:
    """The first state that a watcher is told."""
    header = {"content-type": "application/connect+json"}
    async with door.http.stream(
        "POST", f"{HEALTH}/Watch", content=enveloped(b"{}"), headers=header
    ) as response:
        async for part in response.aiter_bytes():
            return part[5:].decode()
    return ""


async def _full(door: Door) -> dict[str, Any]:
    """What a call is told that runs out of time."""
    door.served.engine.hold()
    header = {"connect-timeout-ms": "100"}
    late = await door.post(BATCH, {"claims": ["a"]}, header)
    door.served.engine.release()
    return {"status": late.status_code, "code": late.json()["code"]}


async def test_the_door_answers_as_it_did() -> None:
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    found = await answers()
    assert found.keys() == golden.keys()
    for name, answer in found.items():
        assert answer == golden[name], name


if __name__ == "__main__":
    text = json.dumps(asyncio.run(answers()), indent=1, ensure_ascii=False)
    GOLDEN.write_text(text + "\n", encoding="utf-8")

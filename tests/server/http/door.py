"""A real server with a scripted engine and its HTTP port, and a client of HTTP for it."""

import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from tests.scripted import WAIT_LIMIT_S, Scripted, scripted_server

JSON = "application/json"
BACKEND = "/groundwire.v1.VerifierBackend"
BATCH = f"{BACKEND}/BatchEstimate"


@dataclass(frozen=True)
class Door:
    """A server, and a client of its HTTP port."""

    served: Scripted
    http: httpx.AsyncClient

    @property
    def target(self) -> str:
        """Host and port."""
        assert self.served.running.http is not None
        return self.served.running.http.target

    async def post(
        self, path: str, body: object, headers: Mapping[str, str] | None = None
    ) -> httpx.Response:
        """Post a JSON value."""
        return await self.http.post(path, json=body, headers=headers)

    async def post_raw(self, path: str, body: bytes, kind: str = JSON) -> httpx.Response:
        """Post bytes as they are."""
        return await self.http.post(path, content=body, headers={"content-type": kind})


@contextlib.asynccontextmanager
async def http_server(**changes: object) -> AsyncIterator[Door]:
    """A server that answers HTTP on a free port of loopback."""
    settings = {"http_listen": "127.0.0.1:0", **changes}
    async with scripted_server(**settings) as served:  # type: ignore[arg-type]
        assert served.running.http is not None
        address = f"http://{served.running.http.target}"
        async with httpx.AsyncClient(base_url=address, timeout=WAIT_LIMIT_S) as client:
            yield Door(served, client)


def reason_in(response: httpx.Response) -> str:
    """The reason in an error of Connect; empty where it has none."""
    return str(_debug(response, "google.rpc.ErrorInfo").get("reason", ""))


def violations_in(response: httpx.Response) -> dict[str, str]:
    """Description by field in an error of Connect."""
    found = _debug(response, "google.rpc.BadRequest").get("fieldViolations", [])
    return {each.get("field", ""): each["description"] for each in found}


def _debug(response: httpx.Response, kind: str) -> dict[str, Any]:
    details = response.json()["details"]
    return next((dict(each["debug"]) for each in details if each["type"] == kind), {})

"""What describes the HTTP door: the OpenAPI document, the page that tries it out, docs/doors.md."""

import asyncio
import json
import re
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from groundwire_server.doors.failures import HTTP_STATUSES
from groundwire_server.doors.http.connect import methods_of
from groundwire_server.doors.http.documents import DOCS
from groundwire_server.features.declarations import SERVICES
from groundwire_server.rpc.dispatch import path
from tests.server.http.door import BATCH, Door, http_server

DOCUMENT = json.loads((DOCS / "openapi.json").read_text())


@pytest.fixture(name="door", scope="module")
async def shared_door() -> AsyncIterator[Door]:
    """One server for all tests here, none of which changes it."""
    async with http_server() as door:
        yield door


def references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(name := value.get("$ref"), str):
            yield name
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def test_every_method_of_the_contract_is_in_the_document() -> None:
    assert {path(method) for method in methods_of(SERVICES)} <= DOCUMENT["paths"].keys()


def test_the_probes_are_in_the_document() -> None:
    for probe, statuses in (("/healthz", {"200"}), ("/readyz", {"200", "503"})):
        operation = DOCUMENT["paths"][probe]["get"]
        assert set(operation["responses"]) == statuses
        assert operation["security"] == [{}]


def test_what_the_document_refers_to_is_there() -> None:
    names = set(references(DOCUMENT))
    assert names
    for name in names:
        section, _, key = name.removeprefix("#/components/").partition("/")
        assert key in DOCUMENT["components"][section], name


def test_a_request_takes_no_fields_that_are_not_in_the_document() -> None:
    body = DOCUMENT["paths"][BATCH]["post"]["requestBody"]["content"]["application/json"]
    assert body["schema"]["additionalProperties"] is False
    assert "skipResultCache" in body["schema"]["properties"]


def test_an_answer_may_hold_more_than_the_document_has() -> None:
    schema = DOCUMENT["components"]["schemas"]["groundwire.v1.BatchEstimateResponse"]
    assert "additionalProperties" not in schema


async def test_the_document_and_the_page_need_no_token() -> None:
    async with http_server(auth_token="sixteen-letters-1") as door:
        document = await door.http.get("/openapi.json")
        page = await door.http.get("/docs")
    assert document.json() == DOCUMENT
    assert document.headers["content-type"] == "application/json"
    assert page.headers["content-type"].startswith("text/html")


async def test_all_that_the_page_is_made_of_comes_from_here(door: Door) -> None:
    page = await door.http.get("/docs")
    parts = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert len([part for part in parts if not part.startswith("data:")]) == 3
    for part in parts:
        assert "//" not in part
        if not part.startswith("data:"):
            assert (await door.http.get(f"/{part}")).status_code == 200


@pytest.mark.parametrize("name", ["/docs", "/openapi.json", "/docs/page.js"])
async def test_a_browser_is_told_to_load_nothing_from_elsewhere(door: Door, name: str) -> None:
    policy = (await door.http.get(name)).headers["content-security-policy"]
    assert policy.startswith("default-src 'self';")
    assert "frame-ancestors 'none'" in policy


PAGE = (Path(__file__).parents[3] / "docs" / "doors.md").read_text(encoding="utf-8")
EXAMPLES = [block for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL) if "curl" in block]


def test_the_page_has_examples() -> None:
    assert len(EXAMPLES) >= 6


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not on PATH")
@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
async def test_an_example_is_answered_with_json(door: Door, example: str, tmp_path: Path) -> None:
    command = example.replace("http://127.0.0.1:8080", f"http://{door.target}")
    done = await asyncio.to_thread(
        subprocess.run,
        ["bash", "-euc", command],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "TOKEN": "any"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    answer = done.stdout or written_to(tmp_path)
    assert ("code" in json.loads(answer)) is ('" "' in example)


def written_to(folder: Path) -> str:
    (path,) = folder.iterdir()
    return path.read_text()


def test_every_status_that_an_error_can_have_is_on_the_page() -> None:
    rows = dict(re.findall(r"^\| ([0-9, ]+) \| (.*?) \|", PAGE, re.MULTILINE))
    told = {int(status) for statuses in rows for status in statuses.split(", ")}
    ours = {"UNAUTHENTICATED", "INVALID_ARGUMENT", "NOT_FOUND", "RESOURCE_EXHAUSTED", "UNAVAILABLE"}
    ours |= {"FAILED_PRECONDITION", "DEADLINE_EXCEEDED"}
    assert {status for code, status in HTTP_STATUSES.items() if code.name in ours} <= told

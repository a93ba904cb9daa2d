"""The page at `/`, as a browser gets it, from a real server with a scripted engine."""

import base64
import hashlib
import json
import re
from collections.abc import AsyncIterator

import httpx
import pytest

from groundwire.v1.errors_pb2 import ErrorReason
from groundwire_server.doors.chatbot.page_words import WORDS
from groundwire_verifier.verdicts.options import MAX_VERIFIED_CLAIMS
from tests.scripted import WAIT_LIMIT_S, Scripted, scripted_server


@pytest.fixture(scope="module")
async def served() -> AsyncIterator[Scripted]:
    async with scripted_server(http_listen="127.0.0.1:0") as served:
        yield served


async def page(served: Scripted, query: str = "", **headers: str) -> httpx.Response:
    http = served.running.http
    assert http is not None
    async with httpx.AsyncClient(base_url=f"http://{http.target}", timeout=WAIT_LIMIT_S) as client:
        response = await client.get(f"/{query}", headers=headers)
    assert response.status_code == 200
    return response


def policy(response: httpx.Response) -> dict[str, str]:
    """The values of the page's Content-Security-Policy by directive."""
    parts = response.headers["content-security-policy"].split("; ")
    return {name: value for name, _, value in (part.partition(" ") for part in parts)}


def hash_of(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


async def test_the_page_may_load_nothing_but_its_own_parts(served: Scripted) -> None:
    allowed = policy(await page(served))
    styles, scripts = allowed.pop("style-src"), allowed.pop("script-src")
    assert allowed == {
        "default-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "connect-src": "'self'",
        "frame-src": "blob:",
        "frame-ancestors": "'none'",
    }
    assert all(each.startswith("'sha256-") for each in (*styles.split(), *scripts.split()))


async def test_the_policy_knows_every_style_and_script_of_the_page(served: Scripted) -> None:
    response = await page(served)
    allowed = policy(response)
    for tag, directive in (("style", "style-src"), ("script", "script-src")):
        parts = re.findall(f"<{tag}>(.*?)</{tag}>", response.text, re.DOTALL)
        assert parts
        assert all(hash_of(part) in allowed[directive].split() for part in parts)


async def test_the_page_names_no_other_place(served: Scripted) -> None:
    text = (await page(served)).text
    assert re.findall(r'(?:src|href|action)="(?!\?language=)[^"]*"', text) == []
    assert "://" not in text
    assert "style=" not in text
    assert re.search(r"\son\w+=", text) is None


async def test_the_page_is_not_kept_by_anybody(served: Scripted) -> None:
    headers = (await page(served)).headers
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("query", "accepted", "language"),
    [
        ("", "he-IL,he;q=0.9,en;q=0.8", "he"),
        ("", "fr, he;q=0.5", "he"),
        ("", "fr", "en"),
        ("?language=he", "en", "he"),
        ("?language=%22%3E%3Cscript%3E", "he", "en"),
    ],
)
async def test_the_page_speaks_the_language_of_its_reader(
    served: Scripted, query: str, accepted: str, language: str
) -> None:
    text = (await page(served, query, **{"accept-language": accepted})).text
    words = WORDS[language]
    assert f'<html lang="{language}" dir="{words.direction}">' in text
    assert words.title in text


async def test_errors_are_told_in_hebrew_on_the_page_in_hebrew(served: Scripted) -> None:
    told = {}
    for language in ("he", "en"):
        text = (await page(served, f"?language={language}")).text
        (words,) = re.findall(r"data-words='([^']*)'", text)
        told[language] = json.loads(words)
    # English has the server's own words.
    assert told["en"] == {}
    reasons = {reason.removeprefix("ERROR_REASON_") for reason in ErrorReason.keys()}  # noqa: SIM118
    assert told["he"].keys() - {"BLANK", "LONG", "SAME_ID", "BAD_ID", "OTHER"} < reasons
    assert all(re.match("[א-ת]", text) for text in told["he"].values())


async def test_the_page_judges_as_the_other_doors_do(served: Scripted) -> None:
    text = (await page(served)).text
    assert 'policy: "budget"' in text
    assert f'data-claims="{MAX_VERIFIED_CLAIMS}"' in text


async def test_no_field_asks_for_a_token_where_none_is_wanted(served: Scripted) -> None:
    assert 'id="token"' not in (await page(served)).text


async def test_the_page_is_open_and_asks_for_the_token_that_calls_want() -> None:
    async with scripted_server(http_listen="127.0.0.1:0", auth_token="sixteen-letters-1") as served:
        text = (await page(served)).text
        assert 'id="token" type="password"' in text
        assert "sixteen" not in text


@pytest.mark.parametrize("language", WORDS)
async def test_every_input_has_a_name(served: Scripted, language: str) -> None:
    text = (await page(served, f"?language={language}")).text
    labelled = set(re.findall(r'<label for="([^"]+)"', text))
    inside = re.sub(r"<label>.*?</label>", "", text, flags=re.DOTALL)
    ids = re.findall(r'<(?:input|textarea)[^>]* id="([^"]+)"', inside)
    assert labelled == set(ids)
    assert len(re.findall(r"<(?:input|textarea)\b", inside)) == len(ids)

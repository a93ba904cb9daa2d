"""Claude Haiku through Anthropic's own client, against a server that speaks its API.

The service itself cannot be reached from here.
"""

import contextlib
import logging
from collections.abc import AsyncIterator

import pytest

from groundwire_server.config.settings import ServerSettings
from groundwire_server.endpoints.registry import endpoint_backends
from groundwire_verifier.domain.errors import (
    BackendBusyError,
    BackendRefusedError,
    BackendUnavailableError,
    BackendUnreachableError,
    UnusableModelError,
)
from groundwire_verifier.domain.types import (
    Instruction,
    JsonForm,
    Question,
    Reading,
    ReadingOrigin,
    TextPart,
)
from groundwire_verifier.domain.urgency import WHENEVER
from groundwire_verifier.engine.endpoints.backend import EndpointBackend
from groundwire_verifier.numbers.intervals import wilson
from tests.scripted_services.endpoint import (
    Reply,
    ScriptedEndpoint,
    as_json,
    scripted_endpoint,
    settings_on,
)

pytest.importorskip("anthropic", reason="the extra haiku is not installed")

KEY = "sk-ant-a-secret-of-some-length"
QUESTION = Question("The tower is tall.", "The tower is 330 m high.")


def message(text: str) -> Reply:
    return as_json(
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-haiku-5-5",
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 30, "output_tokens": 2, "cache_read_input_tokens": 10},
        }
    )


def settings_of_haiku(url: str, **changes: object) -> dict[str, object]:
    own: dict[str, object] = {"api": "anthropic", "key": KEY, "samples": 10}
    return settings_on(url, "haiku", "claude-haiku-5-5", backend_type="haiku", **(own | changes))


@contextlib.asynccontextmanager
async def haiku(**changes: object) -> AsyncIterator[tuple[ScriptedEndpoint, EndpointBackend]]:
    async with scripted_endpoint() as endpoint:
        endpoint.script = lambda _: message("YES")
        settings = settings_of_haiku(endpoint.url.removesuffix("/v1"), **changes)
        made = endpoint_backends(ServerSettings.model_validate(settings), lambda _: None)
        backend = made["haiku"]
        try:
            await backend.start()
            endpoint.requests.clear()
            yield endpoint, backend
        finally:
            await backend.stop()


async def read(backend: EndpointBackend) -> Reading:
    prompts = await backend.encode([QUESTION])
    return (await backend.read(prompts, {}, WHENEVER)).readings[0]


async def test_its_answers_are_sampled() -> None:
    async with haiku() as (endpoint, backend):
        answers = iter(["YES", "Yes", "**YES**", "NO", "Maybe"] * 2)
        endpoint.script = lambda _: message(next(answers))
        reading = await read(backend)
    assert len(endpoint.requests) == 10
    assert endpoint.requests[0].path == "/v1/messages"
    assert endpoint.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert endpoint.requests[0].body["thinking"] == {"type": "disabled"}
    assert endpoint.requests[0].body["model"] == "claude-haiku-5-5"
    assert endpoint.requests[0].text.endswith("Claim: The tower is tall.")
    assert reading.source is ReadingOrigin.SAMPLING
    assert reading.bounds is not None
    assert reading.bounds.probability == wilson(6, 8)
    assert (reading.prompt_tokens, reading.cached_tokens) == (400, 100)


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Reply(status=401), BackendRefusedError),
        (Reply(status=404), BackendRefusedError),
        (Reply(status=302, headers={"location": "http://127.0.0.1:1/"}), BackendRefusedError),
        (Reply(status=429, headers={"retry-after": "99"}), BackendBusyError),
        (Reply(status=529), BackendUnreachableError),
        (Reply(b"garbage"), BackendUnreachableError),
        (as_json({"content": "YES"}), BackendUnreachableError),
        (Reply(message("YES").body, cut=20), BackendUnreachableError),
        (Reply(b" " * 2_000_000), BackendUnreachableError),
        (Reply(hangs=True), BackendUnreachableError),
    ],
)
async def test_whatever_goes_wrong_is_an_error_without_key_and_text(
    reply: Reply, error: type[BackendUnavailableError], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with haiku(timeout_s=0.5 if reply.hangs else 20.0) as (endpoint, backend):
        endpoint.script = lambda _: reply
        with pytest.raises(error) as caught:
            await read(backend)
    assert KEY not in f"{caught.value!r} {caplog.text}"
    assert "tower" not in str(caught.value)


async def test_the_environment_changes_neither_key_nor_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "another-key")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "another-token")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
    async with haiku() as (endpoint, backend):
        await read(backend)
    sent = endpoint.requests[0].headers
    assert sent["authorization"] == f"Bearer {KEY}"
    assert not any("another" in value for value in sent.values())


async def test_its_own_client_tries_nothing_again() -> None:
    async with haiku() as (endpoint, backend):
        endpoint.script = lambda _: Reply(status=500)
        with pytest.raises(BackendUnreachableError):
            await read(backend)
    assert len(endpoint.requests) <= 10


async def test_a_wrong_key_is_found_at_the_start() -> None:
    async with scripted_endpoint() as endpoint:
        endpoint.script = lambda _: Reply(status=401)
        settings = ServerSettings.model_validate(settings_of_haiku(endpoint.url))
        backend = endpoint_backends(settings, lambda _: None)["haiku"]
        with pytest.raises(UnusableModelError, match="check the key of haiku"):
            await backend.start()
        await backend.stop()


async def test_what_is_to_have_a_form_is_asked_for_in_it() -> None:
    form = JsonForm("height", '{"type": "object"}')
    instruction = Instruction((TextPart("How high is the tower?", is_ours=True),), "", form)
    async with haiku() as (endpoint, backend):
        endpoint.script = lambda _: message("{}")
        assert await backend.generate(instruction, 12, {}, WHENEVER) == "{}"
        await backend.generate(Instruction(instruction.parts), 12, {}, WHENEVER)
    asked, plain = endpoint.requests
    assert asked.body["output_config"] == {
        "format": {"type": "json_schema", "schema": {"type": "object"}}
    }
    assert "output_config" not in plain.body

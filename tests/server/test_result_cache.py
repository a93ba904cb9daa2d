"""The result cache of a server: what is answered from it, what is not, and what is counted."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import hallucination_detection_pb2_grpc as detection_grpc
from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire.v1.verifier_backend_pb2_grpc import VerifierBackendStub
from groundwire_server.app import start_server
from groundwire_server.config.sources import ConfigError, show
from groundwire_server.stores.result_cache import make_result_cache
from groundwire_verifier.engine.local import LocalBackend
from tests.scripted import (
    MODEL,
    NEVER_HANGS_S,
    VERSION,
    Scripted,
    ScriptedEngine,
    scripted_server,
    scripted_settings,
)

KEY = "0123456789abcdef" * 4


@pytest.fixture
async def served() -> AsyncIterator[Scripted]:
    async with scripted_server(result_cache_entries=100, metrics_listen="127.0.0.1:0") as served:
        yield served


async def test_an_equal_claim_on_an_equal_context_is_answered_from_it(served: Scripted) -> None:
    first = await served.batch("a", "b", context="x")
    second = await served.batch("b", "c", context="x")
    assert served.engine.claims == ["a", "b", "c"]
    sources = [estimate.source for estimate in second.estimates]
    assert sources == [pb.ESTIMATE_SOURCE_CACHE, pb.ESTIMATE_SOURCE_MODEL]
    assert second.estimates[0].probability == first.estimates[1].probability


async def test_a_reading_is_forgotten_after_the_time_of_the_setting() -> None:
    async with scripted_server(result_cache_entries=100, cache_ttl="1ms") as served:
        sources = {(await served.batch("a")).estimates[0].source}
        while len(served.engine.claims) < 2:
            sources.add((await served.batch("a")).estimates[0].source)
    assert pb.ESTIMATE_SOURCE_MODEL in sources


async def test_a_call_that_skips_it_is_computed(served: Scripted) -> None:
    stub = VerifierBackendStub(served.channel)
    for _ in range(2):
        answer = await stub.EstimateProbability(
            pb.EstimateProbabilityRequest(claim="a", skip_result_cache=True)
        )
        assert answer.estimate.source == pb.ESTIMATE_SOURCE_MODEL
    assert served.engine.claims == ["a", "a"]


async def test_a_verification_uses_it_unless_it_skips_it(served: Scripted) -> None:
    stub = detection_grpc.HallucinationDetectionStub(served.channel)
    asked = []
    for skip in (False, False, True):
        await stub.VerifyClaims(
            detection_pb.VerifyClaimsRequest(
                claims=[detection_pb.ClaimInput(text="It rained.")],
                evidence=detection_pb.Evidence(context="Rain fell."),
                options=detection_pb.VerifyOptions(skip_result_cache=skip),
            )
        )
        asked.append(len(served.engine.prompts))
    assert asked[0] == asked[1] < asked[2]


def unstarted() -> LocalBackend:
    return LocalBackend(MODEL, ScriptedEngine, NEVER_HANGS_S)


async def refusal(**changes: str | Path) -> str:
    """What a server with these settings says instead of starting."""
    settings = scripted_settings(result_cache_entries=1, **changes)
    with pytest.raises(ConfigError) as error:
        async with start_server(settings, {"local": unstarted()}, VERSION):
            pass
    return str(error.value)


async def test_an_address_that_is_none_is_refused_at_the_start() -> None:
    text = await refusal(result_cache_url="nonsense", result_cache_key=KEY)
    assert text.startswith("result_cache_url holds no URL")


async def test_a_redis_without_a_key_is_refused_at_the_start() -> None:
    text = await refusal(result_cache_url="redis://127.0.0.1")
    assert text.startswith("result_cache_url needs result_cache_key, the same")


async def test_a_key_that_is_too_short_is_refused_and_not_told(tmp_path: Path) -> None:
    short = tmp_path / "key"
    short.write_text("  secret\n")
    text = await refusal(result_cache_key=f"file:{short}", result_cache_url="redis://127.0.0.1")
    assert text.startswith("result_cache_key holds 6 bytes")
    assert "secret" not in text


async def test_the_address_is_read_from_a_file_and_not_told(tmp_path: Path) -> None:
    file = tmp_path / "url"
    file.write_text("redis://:secret@10.0.0.1:6379/0\n")
    text = await refusal(result_cache_url=f"file:{file}", result_cache_key=KEY)
    assert text.startswith("result_cache_url is not loopback")
    assert "secret" not in text
    settings = scripted_settings(
        result_cache_entries=1,
        result_cache_url=f"file:{file}",
        result_cache_key=KEY,
        allow_plaintext=True,
    )
    assert make_result_cache(settings, unstarted()) is not None


@pytest.mark.parametrize(
    "url", ["redis://10.0.0.1:6379/0", "redis://redis", "redis:///0?host=10.0.0.1"]
)
async def test_plain_text_to_another_machine_is_asked_for_by_name(url: str) -> None:
    text = await refusal(result_cache_url=url, result_cache_key=KEY)
    assert text.startswith("result_cache_url is not loopback")
    settings = scripted_settings(
        result_cache_entries=1, result_cache_url=url, result_cache_key=KEY, allow_plaintext=True
    )
    assert make_result_cache(settings, unstarted()) is not None


@pytest.mark.parametrize(
    "url",
    [
        "rediss://redis.example",
        "unix:///run/redis",
        "redis://localhost",
        "redis://[::1]:1",
        "redis://",
    ],
)
async def test_what_stays_here_or_is_encrypted_is_not(url: str) -> None:
    settings = scripted_settings(result_cache_entries=1, result_cache_url=url, result_cache_key=KEY)
    assert make_result_cache(settings, unstarted()) is not None


def test_the_key_is_not_shown() -> None:
    assert KEY not in show(scripted_settings(result_cache_key=KEY))

"""Two callers of one server: what one of them can learn of what the other asked."""

from collections.abc import AsyncIterator
from contextvars import copy_context
from pathlib import Path

import pytest

from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import hallucination_detection_pb2_grpc as detection_grpc
from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire_server.access.callers import CALLER, CacheScope, Caller, bearer_token
from tests.scripted import Scripted, scripted_server, scripted_settings

ONE, ANOTHER = "violet-anvil-7", "amber-kettle-3"
SHARED_KEY = b"k" * 32
MODEL, CACHE = pb.ESTIMATE_SOURCE_MODEL, pb.ESTIMATE_SOURCE_CACHE
VERIFIED = detection_pb.VerifyClaimsRequest(
    claims=[detection_pb.ClaimInput(text="It rained.")],
    evidence=detection_pb.Evidence(context="Rain fell."),
)
ANSWER = detection_pb.VerifyAnswerRequest(
    answer="It rained a lot.", evidence=detection_pb.Evidence(context="Rain fell.")
)


@pytest.fixture
def tokens(tmp_path: Path) -> Path:
    path = tmp_path / "tokens"
    path.write_text(f"{ONE}\n{ANOTHER}\n")
    return path


@pytest.fixture
async def served(tokens: Path) -> AsyncIterator[Scripted]:
    async with scripted_server(result_cache_entries=100, auth_token_file=tokens) as served:
        yield served


async def source(served: Scripted, token: str | None) -> "pb.EstimateSource":
    """Where a server has the answer to one question from."""
    (estimate,) = (await served.batch("a", context="x", token=token)).estimates
    return estimate.source


def carrying(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),)


async def test_what_one_token_asked_is_computed_anew_for_another(served: Scripted) -> None:
    assert [await source(served, ONE) for _ in range(2)] == [MODEL, CACHE]
    assert [await source(served, ANOTHER) for _ in range(2)] == [MODEL, CACHE]
    mine, others = served.engine.cache_salts[-2:]
    assert mine
    assert others
    assert mine != others


async def test_a_salt_tells_no_token(served: Scripted) -> None:
    await source(served, ONE)
    assert ONE not in served.engine.cache_salts[-1]


async def test_a_verification_is_salted_in_all_its_prompts(served: Scripted) -> None:
    stub = detection_grpc.HallucinationDetectionStub(served.channel)
    served.engine.cache_salts.clear()
    await stub.VerifyClaims(VERIFIED, metadata=carrying(ONE))
    await stub.VerifyAnswer(ANSWER, metadata=carrying(ONE))
    stream = stub.VerifyAnswerStream(
        detection_pb.VerifyAnswerStreamRequest(request=ANSWER), metadata=carrying(ANOTHER)
    )
    async for _ in stream:
        pass
    salts = served.engine.cache_salts
    assert "" not in salts
    assert len(set(salts)) == 2


async def test_a_context_that_is_split_is_salted_in_all_its_chunks(served: Scripted) -> None:
    stub = detection_grpc.HallucinationDetectionStub(served.channel)
    request = detection_pb.VerifyClaimsRequest()
    request.CopyFrom(VERIFIED)
    request.evidence.context = "Rain fell on one day. " * 300
    request.options.split_long_context = True
    served.engine.cache_salts.clear()
    await stub.VerifyClaims(request, metadata=carrying(ONE))
    assert len(served.engine.cache_salts) > 2
    assert "" not in served.engine.cache_salts
    kept = served.backend._ready().encoder.contexts._kept
    assert "" not in {salt for salt, text in kept if "Rain" in text}


async def test_one_trust_domain_is_a_setting(tokens: Path) -> None:
    async with scripted_server(
        result_cache_entries=100, auth_token_file=tokens, cache_scope="server"
    ) as served:
        assert [await source(served, token) for token in (ONE, ANOTHER)] == [MODEL, CACHE]


async def test_where_no_token_is_asked_for_all_are_one() -> None:
    async with scripted_server(result_cache_entries=100) as served:
        assert [await source(served, token) for token in (None, ONE)] == [MODEL, CACHE]


def scope(shared_key: bytes | None = None) -> CacheScope:
    return CacheScope.of(scripted_settings(), shared_key, tokens=True)


def salt(scope: CacheScope, caller: Caller) -> str:
    """The salt of one call of a caller."""

    def salted() -> str:
        CALLER.set(caller)
        return scope.salt()

    return copy_context().run(salted)


class TestCacheScope:
    """Salts by themselves."""

    @pytest.mark.parametrize("caller", [Caller(token=ONE), Caller("acme")], ids=["token", "tenant"])
    def test_servers_with_one_key_give_a_caller_one_salt(self, caller: Caller) -> None:
        assert salt(scope(SHARED_KEY), caller) == salt(scope(SHARED_KEY), caller) != ""

    def test_without_a_key_salts_are_of_this_process(self) -> None:
        assert salt(scope(), Caller(token=ONE)) != salt(scope(), Caller(token=ONE))

    def test_a_salt_is_one_that_the_engine_takes(self) -> None:
        assert set(salt(scope(), Caller(token=ONE))) <= set("0123456789abcdef")

    def test_a_tenant_that_is_called_as_a_token_has_a_salt_of_its_own(self) -> None:
        one = scope()
        assert salt(one, Caller(ONE)) != salt(one, Caller(token=ONE))


@pytest.mark.parametrize(
    ("metadata", "token"),
    [
        (None, None),
        ((), None),
        ((("authorization", "Basic abc"),), None),
        ((("authorization", b"Bearer abc"),), None),
        ((("authorization", "bearer  abc "),), "abc"),
        ((("other", "x"), ("authorization", "Bearer abc")), "abc"),
    ],
)
def test_the_token_that_a_call_carries(
    metadata: tuple[tuple[str, str | bytes], ...] | None, token: str | None
) -> None:
    assert bearer_token(metadata) == token

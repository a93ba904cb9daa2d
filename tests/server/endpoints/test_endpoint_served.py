"""A whole server with a backend on an endpoint: estimates, verdicts, and what fails, over gRPC."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest
from grpc import aio

from groundwire import (
    AsyncClient,
    ClaimInput,
    Evidence,
    UnavailableError,
    VerifiedClaim,
    VerifyOptions,
)
from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire.v1.verifier_backend_pb2_grpc import VerifierBackendStub
from groundwire_server.app import start_server, started_backends
from groundwire_server.backends import create_backends
from groundwire_server.cli.main import main
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_OK
from groundwire_verifier.engine.base import Backend, BackendState
from groundwire_verifier.engine.local import LocalBackend
from tests.scripted import (
    MODEL,
    NEVER_HANGS_S,
    VERSION,
    WAIT_LIMIT_S,
    ScriptedEngine,
    reason_of,
    retry_s_of,
    scripted_settings,
    violations_of,
)
from tests.scripted_services.endpoint import (
    Reply,
    Request,
    Script,
    ScriptedEndpoint,
    answered,
    believing,
    listed,
    sampling,
    scripted_endpoint,
    settings_on,
)

EVIDENCE = Evidence.context("The tower is 330 m high.")


@dataclass(frozen=True)
class ServedEndpoint:
    """A server with a scripted engine (`local`) and a scripted endpoint (`external`)."""

    endpoint: ScriptedEndpoint
    target: str
    channel: aio.Channel
    client: AsyncClient

    async def estimate(self, backend: str = "external") -> pb.Estimate:
        request = pb.EstimateProbabilityRequest(claim="It is tall.", backend=backend)
        stub = VerifierBackendStub(self.channel)
        answer = await stub.EstimateProbability(request, timeout=WAIT_LIMIT_S)
        estimate: pb.Estimate = answer.estimate
        return estimate


def both(settings: ServerSettings) -> dict[str, Backend]:
    made = create_backends(settings, lambda _: None)
    engine = ScriptedEngine()
    return {
        name: LocalBackend(MODEL, lambda: engine, NEVER_HANGS_S) if name == "local" else backend
        for name, backend in made.items()
    }


@contextlib.asynccontextmanager
async def served(
    script: Script = believing, *, is_probed: bool = True, **changes: object
) -> AsyncIterator[ServedEndpoint]:
    """On entry the local backend serves, and the endpoint was probed, unless it is not to be."""
    async with scripted_endpoint() as endpoint:
        endpoint.script = script
        settings = scripted_settings(**settings_on(endpoint.url, **changes))
        backends = both(settings)
        async with (
            start_server(settings, backends, VERSION) as running,
            started_backends(running, backends, settings) as (started, _),
            aio.insecure_channel(running.target) as channel,
            AsyncClient(running.target, timeout_s=WAIT_LIMIT_S) as client,
        ):
            await started
            await endpoint.until(lambda: bool(endpoint.requests))
            async with asyncio.timeout(WAIT_LIMIT_S):
                # Nothing tells of it.
                while is_probed and backends["external"].state is BackendState.LOADING:  # noqa: ASYNC110
                    await asyncio.sleep(0)
            running.set_serving(True)
            yield ServedEndpoint(endpoint, running.target, channel, client)


async def test_a_call_chooses_its_backend() -> None:
    async with served() as server:
        assert (await server.client.server_info()).backends == ("local", "external")
        local, external = await server.estimate(""), await server.estimate("external")
    assert not local.HasField("min_probability")
    assert local.probability == pytest.approx(0.75)
    assert external.HasField("min_probability")
    assert external.probability == pytest.approx(2 / 3)
    assert external.min_probability < external.probability < external.max_probability


async def test_a_bar_that_samples_cannot_bear_ends_the_start_once_it_is_known_to_sample() -> None:
    with pytest.raises(ConfigError, match=r"the backend external: .*0.9.* 16 samples .*0.806"):
        async with served(
            sampling("YES"), backend_default="external", verify_default_confidence=0.9
        ):
            pass


async def test_a_sampled_backend_beside_the_default_is_told_of_and_serves(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with served(sampling("YES"), verify_default_confidence=0.9) as server:
        assert (await server.estimate("external")).HasField("probability")
    assert "the backend external: verify_default_confidence (0.9)" in caplog.text


async def test_an_unknown_backend_is_refused_with_the_names_of_all() -> None:
    async with served() as server:
        with pytest.raises(aio.AioRpcError) as caught:
            await server.estimate("self:some-model")
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "use one of: local, external" in violations_of(caught.value)["backend"]


def by_evidence(with_it: dict[str, float], without: dict[str, float]) -> Script:
    return lambda request: listed(request, with_it if "330 m" in request.text else without)


async def verified(server: ServedEndpoint, confidence: float = 0.9) -> VerifiedClaim:
    claim = ClaimInput("The tower is tall.", confidence=confidence)
    options = VerifyOptions(backend="external")
    (found,) = await server.client.verify_claims([claim], EVIDENCE, options=options)
    return found


async def test_verdicts_have_the_range_of_their_gap() -> None:
    with_it = {"YES": 0.98, "NO": 0.001, "maybe": 0.0001}
    async with served(by_evidence(with_it, {"NO": 0.9, "YES": 0.05, "maybe": 0.001})) as server:
        claim = await verified(server)
    assert claim.verdict == "SUPPORTED"
    assert claim.budget is not None
    assert claim.budget.min_gap_bits is not None
    assert claim.budget.max_gap_bits is not None
    assert claim.budget.min_gap_bits < claim.budget.gap_bits < claim.budget.max_gap_bits <= 0.0


async def test_a_list_that_leaves_too_much_open_supports_nothing() -> None:
    # P(NO) may be as high as what is left: .9 of 1.0 is below the confidence that is asked.
    with_it = {"YES": 0.9, "the": 0.05, "a": 0.049}
    async with served(by_evidence(with_it, {"NO": 0.9, "YES": 0.05, "maybe": 0.001})) as server:
        sure, unsure = await verified(server, 0.9), await verified(server, 0.999)
    assert sure.verdict == "SUPPORTED"
    assert (unsure.verdict, unsure.reason) == ("NOT_VERIFIED", "INTERVAL_TOO_WIDE")
    assert "it was not read exactly" in unsure.reason_text
    assert not unsure.grounded


def sampling_evidence(request: Request) -> Reply:
    if request.wants_log_probabilities:
        return Reply(status=400)
    count = request.body.get("n", 1)
    assert isinstance(count, int)
    return answered(request, *["YES" if "330 m" in request.text else "NO"] * count)


async def test_samples_support_a_claim_up_to_a_confidence_that_their_number_bears() -> None:
    # 30 of 30: the low end of the interval of Wilson is .887.
    async with served(sampling_evidence, samples=30) as server:
        fair, high = await verified(server, 0.85), await verified(server, 0.9)
    assert fair.verdict == "SUPPORTED"
    assert fair.posterior is not None
    assert (fair.posterior.source, fair.posterior.samples) == ("SAMPLING", 30)
    assert (high.verdict, high.reason) == ("NOT_VERIFIED", "INTERVAL_TOO_WIDE")


async def test_samples_that_fail_make_a_claim_unverified_and_never_unsupported() -> None:
    turn = 0

    def script(request: Request) -> Reply:
        nonlocal turn
        if request.wants_log_probabilities:
            return Reply(status=400)
        turn += 1
        return answered(request, "NO") if turn == 1 or turn % 4 == 0 else Reply(status=500)

    async with served(script) as server:
        claim = await verified(server)
    assert (claim.verdict, claim.reason) == ("NOT_VERIFIED", "TOO_FEW_SAMPLES")
    assert claim.posterior is not None
    assert claim.posterior.no_probability_reason == "TOO_FEW_SAMPLES"


@pytest.mark.parametrize(
    ("reply", "code", "reason"),
    [
        (Reply(status=500), grpc.StatusCode.UNAVAILABLE, "BACKEND_UNREACHABLE"),
        (Reply(b"garbage"), grpc.StatusCode.UNAVAILABLE, "BACKEND_UNREACHABLE"),
        (Reply(status=401), grpc.StatusCode.FAILED_PRECONDITION, "BACKEND_REFUSED"),
        (
            Reply(status=429, headers={"retry-after": "77"}),
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            "BACKEND_BUSY",
        ),
    ],
)
async def test_what_the_endpoint_fails_with_has_a_status_of_its_own(
    reply: Reply, code: grpc.StatusCode, reason: str
) -> None:
    async with served() as server:
        server.endpoint.script = lambda _: reply
        with pytest.raises(aio.AioRpcError) as caught:
            await server.estimate()
        assert (await server.estimate("local")).HasField("probability")
    assert (caught.value.code(), reason_of(caught.value)) == (code, reason)
    if reason == "BACKEND_BUSY":
        assert retry_s_of(caught.value) == pytest.approx(77.0)


async def test_clients_do_not_multiply_the_tries_of_the_server() -> None:
    async with served() as server:
        server.endpoint.requests.clear()
        server.endpoint.script = lambda _: Reply(status=500)
        with pytest.raises(UnavailableError):
            await server.client.estimate("It is tall.", backend="external")
    assert len(server.endpoint.requests) == 1


async def test_what_may_be_spent_in_a_day_ends_calls_and_names_the_next_day(
    tmp_path: Path,
) -> None:
    async with served(cache_dir=tmp_path, calls_a_day=3) as server:
        # The probe was the first call.
        await server.estimate()
        await server.estimate()
        with pytest.raises(aio.AioRpcError) as caught:
            await server.estimate()
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert reason_of(caught.value) == "SPENDING_LIMIT"
    assert 0.0 < retry_s_of(caught.value) <= 86400.0


@pytest.mark.parametrize("tokens", [10**30, -(10**30), -1])
async def test_a_usage_that_cannot_be_breaks_neither_response_nor_spending(
    tokens: int, tmp_path: Path
) -> None:
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}

    def script(request: Request) -> Reply:
        return listed(request, {"YES": 0.9, "NO": 0.05}, usage)

    async with served(script, cache_dir=tmp_path, tokens_a_day=10_000) as server:
        for _ in range(3):
            assert (await server.estimate()).HasField("probability")


async def test_an_endpoint_that_is_down_at_the_start_keeps_no_other_backend_from_serving() -> None:
    async with served(lambda _: Reply(status=503), is_probed=False) as server:
        assert (await server.estimate("local")).HasField("probability")
        with pytest.raises(aio.AioRpcError) as caught:
            await server.estimate("external")
    assert reason_of(caught.value) == "LOADING"


async def test_an_endpoint_that_refuses_at_the_start_is_told_to_its_callers_only(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with served(lambda _: Reply(status=403)) as server:
        assert (await server.estimate("local")).HasField("probability")
        with pytest.raises(aio.AioRpcError, match="check the key of external") as caught:
            await server.estimate("external")
    assert reason_of(caught.value) == "BACKEND_REFUSED"
    assert "the backend external does not serve" in caplog.text


async def test_the_command_line_shows_the_range_and_counts_its_low_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async with served() as server:
        common = ("estimate", "--target", server.target, "--backend", "external", "It is tall.")
        asked = [
            await asyncio.to_thread(main, [*common, *flags])
            for flags in ((), ("--json",), ("--fail-under", "0.6"), ("--fail-under", "0.5"))
        ]
    out = capsys.readouterr().out
    # Of .6 and .3, with .05 for each of five more forms, but only .05 left for all of them.
    assert "0.667 (0.632 to 0.684)" in out
    assert '"min_probability": 0.63' in out
    assert asked == [EXIT_OK, EXIT_OK, EXIT_OK, EXIT_OK]
    async with served(lambda request: listed(request, {"YES": 0.6, "NO": 0.3})) as server:
        common = ("estimate", "--target", server.target, "--backend", "external", "It is tall.")
        assert await asyncio.to_thread(main, [*common, "--fail-under", "0.65"]) == EXIT_BELOW


async def test_a_cut_off_in_the_middle_leaves_the_verdicts_that_are_known() -> None:
    claims = [f"Claim number {i}." for i in range(6)]
    asked = 0

    def script(request: Request) -> Reply:
        nonlocal asked
        asked += 1
        if asked > 5:  # the probe, and the prompts of two claims
            return Reply(status=500)
        return listed(request, {"YES": 0.9, "NO": 0.05, "maybe": 0.001})

    async with served(script, parallel=1) as server:
        result = await server.client.verify_claims(
            claims, EVIDENCE, options=VerifyOptions(backend="external")
        )
    reasons = [str(claim.reason) for claim in result]
    assert reasons.count("BACKEND_FAILED") == 4
    assert all(reason == "BACKEND_FAILED" for reason in reasons[2:])

"""The engine's death, as a supervisor and as a waiting client see it."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from groundwire import Client, UnavailableError
from server.exit_codes import EXIT_ENGINE_FAILED
from tests.serving import Served, serving

LONG_CONTEXT = "The river rose by a metre in the night. " * 400
EXIT_TIMEOUT_S = 60.0


def health(served: Served) -> str:
    with grpc.insecure_channel(served.target) as channel:
        response = health_pb2_grpc.HealthStub(channel).Check(
            health_pb2.HealthCheckRequest(), timeout=30
        )
    return str(health_pb2.HealthCheckResponse.ServingStatus.Name(response.status))


@pytest.mark.parametrize(
    ("number", "cause"),
    [(signal.SIGKILL, "the engine died"), (signal.SIGSTOP, "the engine hangs")],
    ids=["killed", "hung"],
)
def test_a_lost_engine_fails_waiting_calls_and_ends_the_process(
    number: signal.Signals, cause: str
) -> None:
    with serving("--hang-timeout-s", "6") as served:
        assert health(served) == "SERVING"
        (engine,) = served.engine_pids()
        with Client(served.target, timeout_s=120) as client, ThreadPoolExecutor(1) as threads:
            waiting = threads.submit(
                client.batch_estimate, [f"Claim {i}." for i in range(400)], LONG_CONTEXT
            )
            _wait_until_pending(served)
            os.kill(engine, number)

            with pytest.raises(UnavailableError) as caught:
                waiting.result(EXIT_TIMEOUT_S)

        assert served.process.wait(EXIT_TIMEOUT_S) == EXIT_ENGINE_FAILED
        assert cause in served.log
        # The client's retries may meet the closed port after the server's own answer.
        assert caught.value.reason in ("ENGINE_FAILED", "DRAINING", "")


def _wait_until_pending(served: Served) -> None:
    import urllib.request

    for _ in range(10_000):
        with urllib.request.urlopen(served.metrics_url, timeout=30) as response:  # noqa: S310
            lines = response.read().decode().splitlines()
        pending = [x for x in lines if x.startswith("groundwire_pending_claims")]
        if pending and float(pending[0].rsplit(" ", 1)[1]) > 0:
            return
    raise AssertionError("the call never reached the server")

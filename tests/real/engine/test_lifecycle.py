"""The engine's death, as a supervisor and as a waiting client see it."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from groundwire import Client, UnavailableError
from groundwire_server.exit_codes import EXIT_ENGINE_FAILED
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
        # Without retries: they would meet the closed port after the server's own answer.
        once = Client(served.target, timeout_s=120, options=(("grpc.enable_retries", 0),))
        with once as client, ThreadPoolExecutor(1) as threads:
            waiting = threads.submit(
                client.batch_estimate, [f"Claim {i}." for i in range(400)], LONG_CONTEXT
            )
            served.wait_until_pending()
            os.kill(engine, number)

            with pytest.raises(UnavailableError) as caught:
                waiting.result(EXIT_TIMEOUT_S)

        assert served.process.wait(EXIT_TIMEOUT_S) == EXIT_ENGINE_FAILED
        assert cause in served.log
        assert caught.value.reason == "ENGINE_FAILED"

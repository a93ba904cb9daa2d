"""What tests share: one real server with the real model, started once a session."""

import os
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import settings

from examples.gil_demo import build_index
from groundwire import AsyncClient, Client
from groundwire_server.durable_queue import queue
from tests.collector import Collector, collecting
from tests.serving import Served, free_port, serving

# No test asserts a wall-clock time, and by default Hypothesis would: 200 ms for each example.
settings.register_profile("gate", deadline=None)
settings.load_profile("gate")
SHARED = Path(os.environ.get("GROUNDWIRE_SHARED", Path(__file__).parents[2] / "shared"))


@pytest.fixture(scope="session", autouse=True)
def outputs_are_taken_at_once() -> Iterator[None]:
    """Servers in this process look often for outputs that wait; else a test waits for seconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(queue, "POLL_S", 0.05)
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of labelled data and golden vectors, which lies beside the checkout."""
    if not (SHARED / "data").is_dir():
        pytest.skip(
            f"no shared data at {SHARED}: put the data folder there or set GROUNDWIRE_SHARED"
        )
    return SHARED


@pytest.fixture(scope="session")
def collector() -> Iterator[Collector]:
    """An OpenTelemetry collector that keeps what it is sent."""
    with collecting() as collector:
        yield collector


@pytest.fixture(scope="session")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the server writes what it keeps of detections to."""
    return tmp_path_factory.mktemp("records")


@pytest.fixture(scope="session")
def python_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of the corpus in `examples/`, which the server has under the name `python`."""
    index = tmp_path_factory.mktemp("corpus") / "index"
    build_index(index)
    return index


@pytest.fixture(scope="session")
def http_target() -> str:
    """Host and port of the server's HTTP."""
    return f"127.0.0.1:{free_port()}"


@pytest.fixture(scope="session")
def served(
    collector: Collector,
    records: Path,
    python_index: Path,
    http_target: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Served]:
    """The server on the embedded model. Its one engine start is shared by the session."""
    with serving(
        "--http-listen",
        http_target,
        "--otlp-endpoint",
        collector.endpoint,
        "--memory-gate-enabled",
        "--trace-auditing-enabled",
        "--response-assessment-enabled",
        "--epistemic-risk-enabled",
        "--retrieval-corpora",
        f"python={python_index}",
        "--output-verification-enabled",
        "--output-verification-store",
        str(tmp_path_factory.mktemp("outputs") / "outputs.sqlite"),
        "--similarity-enabled",
        "--feedback-enabled",
        "--feedback-file",
        str(records / "feedback.sqlite"),
        "--audit-record-file",
        str(records / "audit.jsonl"),
        "--claim-extractor-backend",
        "local",
        # What the model ends at all it ends in a few seconds; some texts it never does.
        "--claim-extractor-timeout",
        "15s",
        # By default spans are sent every five seconds, and who looks at them would wait for that.
        variables={"OTEL_BSP_SCHEDULE_DELAY": "200"},
    ) as served:
        yield served
        _stop_with_a_call_in_flight(served)


def _stop_with_a_call_in_flight(served: Served) -> None:
    """The session's last check: SIGTERM lets a call finish, and the server exits with 0."""
    with Client(served.target, timeout_s=120) as client, ThreadPoolExecutor(1) as threads:
        claims = [f"Claim {i}." for i in range(20)]
        call = threads.submit(client.batch_estimate, claims, "The last call. " * 100)
        served.wait_until_pending()
        assert served.stop() == 0, served.log
        assert len(call.result(60)) == len(claims)


@pytest.fixture
def client(served: Served) -> Iterator[Client]:
    with Client(served.target, timeout_s=120) as client:
        yield client


@pytest.fixture
async def async_client(served: Served) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(served.target, timeout_s=120) as client:
        yield client

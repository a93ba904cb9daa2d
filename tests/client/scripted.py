"""A real gRPC server whose answers a test scripts, one step for each call."""

import inspect
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar, cast

import grpc
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from groundwire import AsyncClient, Client
from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire.v1.verifier_backend_pb2_grpc import (
    VerifierBackendServicer,
    add_VerifierBackendServicer_to_server,
)

AnyClient = Client | AsyncClient
# A message is the answer; a callable fails the call, or leaves it to the plain answer.
Step = Message | Callable[[grpc.ServicerContext], None]
Answer = TypeVar("Answer")

HOLD_LIMIT_S = 30.0
NO_PROBABILITY = "none"
USAGE = pb.Usage(prompt_tokens=40, cached_tokens=32, context_tokens=16, distinct_prompts=2)
TIMING = pb.Timing(
    queue_duration=Duration(nanos=250_000_000),
    inference_duration=Duration(seconds=1, nanos=500_000_000),
    total_duration=Duration(seconds=2),
)


async def settle(answer: Awaitable[Answer] | Answer) -> Answer:
    """The answer of either client: the blocking one has it, the other is awaited."""
    if inspect.isawaitable(answer):
        awaited: Answer = await answer
        return awaited
    return answer


@dataclass(frozen=True, slots=True)
class Received:
    """One call as the server saw it."""

    request: Message
    metadata: Mapping[str, str]
    time_remaining_s: float


class ScriptedServer(VerifierBackendServicer):
    """Takes the next step of its script for each call; without one, answers plainly.

    Plainly means that a claim is read as its own probability: "0.25" has 0.25,
    and "none" has no probability.
    """

    def __init__(
        self,
        credentials: grpc.ServerCredentials | None = None,
        address: str = "127.0.0.1:0",
    ) -> None:
        self.received: list[Received] = []
        self._script: deque[Step] = deque()
        self._pool = ThreadPoolExecutor(4)
        self._server = grpc.server(self._pool, options=[("grpc.so_reuseport", 0)])
        self._add_services(self._server)
        if credentials is None:
            port = self._server.add_insecure_port(address)
        else:
            port = self._server.add_secure_port(address, credentials)
        self.target = f"127.0.0.1:{port}"
        self._server.start()

    def script(self, *steps: Step) -> None:
        """Adds steps, one for each coming call."""
        self._script.extend(steps)

    def stop(self) -> None:
        """Stops at once and waits until it is done."""
        self._server.stop(None).wait()
        self._pool.shutdown()

    def EstimateProbability(
        self, request: pb.EstimateProbabilityRequest, context: grpc.ServicerContext
    ) -> pb.EstimateProbabilityResponse:
        return self._answer(request, context, estimate_response(request.claim))

    def BatchEstimate(
        self, request: pb.BatchEstimateRequest, context: grpc.ServicerContext
    ) -> pb.BatchEstimateResponse:
        return self._answer(request, context, batch_response(*request.claims))

    def GetServerInfo(
        self, request: pb.GetServerInfoRequest, context: grpc.ServicerContext
    ) -> pb.GetServerInfoResponse:
        return self._answer(request, context, info_response())

    def _add_services(self, server: grpc.Server) -> None:
        add_VerifierBackendServicer_to_server(self, server)

    def _answer(self, request: Message, context: grpc.ServicerContext, plain: Answer) -> Answer:
        step = self._next_step(request, context)
        if isinstance(step, Message):
            return cast(Answer, step)
        if step is not None:
            step(context)
        return plain

    def _next_step(self, request: Message, context: grpc.ServicerContext) -> Step | None:
        metadata = {str(key): str(value) for key, value in context.invocation_metadata()}
        self.received.append(Received(request, metadata, context.time_remaining()))
        return self._script.popleft() if self._script else None


class Hold:
    """A step that keeps its call until the client gives it up."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.given_up = threading.Event()

    def __call__(self, context: grpc.ServicerContext) -> None:
        context.add_callback(self.given_up.set)
        self.entered.set()
        self.given_up.wait(HOLD_LIMIT_S)


def failing(
    code: grpc.StatusCode,
    reason: str | None = None,
    message: str = "the message",
    *,
    domain: str = "groundwire",
    details: tuple[Message, ...] = (),
) -> Step:
    """A step that fails the call, with an ErrorInfo where there is a reason."""
    status = status_pb2.Status(code=code_pb2.Code.Value(code.name), message=message)
    infos = [] if reason is None else [error_details_pb2.ErrorInfo(reason=reason, domain=domain)]
    for detail in (*details, *infos):
        status.details.add().Pack(detail)

    def fail(context: grpc.ServicerContext) -> None:
        context.abort_with_status(rpc_status.to_status(status))

    return fail


def bad_request(**descriptions: str) -> Message:
    """A google.rpc.BadRequest with one violation for each field."""
    violations = [
        error_details_pb2.BadRequest.FieldViolation(field=field, description=description)
        for field, description in descriptions.items()
    ]
    return cast(Message, error_details_pb2.BadRequest(field_violations=violations))


def retry_after(seconds: int, nanos: int = 0) -> Message:
    """A google.rpc.RetryInfo."""
    delay = Duration(seconds=seconds, nanos=nanos)
    return cast(Message, error_details_pb2.RetryInfo(retry_delay=delay))


def estimate(claim: str) -> pb.Estimate:
    """The plain reading of a claim."""
    if claim == NO_PROBABILITY:
        return pb.Estimate(
            label_mass=0.01,
            source=pb.ESTIMATE_SOURCE_MODEL,
            no_probability_reason=pb.NO_PROBABILITY_REASON_LABEL_MASS_BELOW_FLOOR,
        )
    return pb.Estimate(
        probability=float(claim),
        label_mass=0.5,
        yes_log_probability=-0.75,
        no_log_probability=-1.5,
        source=pb.ESTIMATE_SOURCE_MODEL,
        raw_probability=float(claim),
    )


def estimate_response(claim: str) -> pb.EstimateProbabilityResponse:
    """The plain answer for one claim."""
    return pb.EstimateProbabilityResponse(
        estimate=estimate(claim),
        usage=USAGE,
        timing=TIMING,
        model="tiny",
        prompt_version="yes-no/1",
        backend="main",
    )


def batch_response(*claims: str) -> pb.BatchEstimateResponse:
    """The plain answer for many claims."""
    return pb.BatchEstimateResponse(
        estimates=[estimate(claim) for claim in claims],
        usage=USAGE,
        timing=TIMING,
        model="tiny",
        prompt_version="yes-no/1",
        backend="main",
    )


def info_response(state: int = pb.SERVER_STATE_SERVING) -> pb.GetServerInfoResponse:
    """The plain answer to GetServerInfo."""
    return pb.GetServerInfoResponse(
        server_version="0.1.0",
        state=cast(pb.ServerState, state),
        backends=["main", "other"],
        model="tiny",
        window_tokens=2048,
        dtype="bfloat16",
        prompt_version="yes-no/1",
        label_forms=[pb.LabelForm(label="YES", text=" Yes", token_id=7)],
        label_mass_floor=0.125,
        limits=pb.Limits(
            max_claims=32,
            max_claim_tokens=128,
            max_context_tokens=1024,
            max_text_characters=10_000,
            max_message_bytes=1_000_000,
            max_pending_claims=64,
            max_sources=16,
            max_prompts=200,
            max_evidence_characters=2_000_000,
            max_claims_characters=50_000,
            max_extracted_claims=500,
            max_question_characters=400,
            max_title_characters=300,
            max_id_characters=64,
            max_cited_ids=50,
            max_citation_styles=16,
            max_citation_prefixes=15,
            max_citation_prefix_characters=14,
            max_message_fields=10_000,
            max_pending_calls=48,
            max_pending_bytes=2_000_000,
            max_text_ids=700,
            max_marker_characters=90,
        ),
        identity="5e" * 32,
        calibration=pb.Calibration(
            method=pb.CALIBRATION_METHOD_PLATT,
            rows=500,
            data="claims of a test",
            operating_points=[pb.OperatingPoint(strictness=pb.STRICTNESS_STRICT, confidence=0.875)],
        ),
    )

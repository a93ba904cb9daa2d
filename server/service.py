"""The VerifierBackend service: requests to use cases, and estimates to responses.

Knows the contract and the order of a call: admit, plan, read. Exceptions pass through to the
interceptors.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

from google.protobuf.message import Message
from grpc import aio

from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire.v1 import verifier_backend_pb2_grpc as pb_grpc
from server import messages
from server.admission import Admission
from server.status import CallTimeoutError
from server.telemetry import Telemetry
from verifier import types
from verifier.backends.base import BackendState
from verifier.prompts import PROMPT_VERSION
from verifier.verify import FieldNames, Verifier

Context = aio.ServicerContext[Message, Message]


@dataclass(frozen=True, slots=True)
class ServiceConfig:
    """What the service itself needs to know. `max_call_s` bounds a call in seconds."""

    server_version: str
    max_message_bytes: int
    max_call_s: float


class VerifierBackendService(pb_grpc.VerifierBackendServicer):
    """Answers the three calls of the contract."""

    def __init__(
        self,
        verifier: Verifier,
        admission: Admission,
        telemetry: Telemetry,
        config: ServiceConfig,
    ) -> None:
        """Keep the parts."""
        self._verifier = verifier
        self._admission = admission
        self._telemetry = telemetry
        self._config = config

    async def EstimateProbability(  # noqa: N802 - named by the contract
        self, request: pb.EstimateProbabilityRequest, context: Context
    ) -> pb.EstimateProbabilityResponse:
        """Read one claim."""
        batch, total_s = await self._estimate(
            [request.claim], request.context, request.backend, FieldNames(batch=False), context
        )
        return pb.EstimateProbabilityResponse(
            estimate=messages.estimate(batch.estimates[0]),
            usage=messages.usage(batch),
            timing=messages.timing(batch, total_s),
            model=batch.model,
            prompt_version=batch.prompt_version,
            backend=batch.backend,
        )

    async def BatchEstimate(  # noqa: N802 - named by the contract
        self, request: pb.BatchEstimateRequest, context: Context
    ) -> pb.BatchEstimateResponse:
        """Read many claims on one context."""
        batch, total_s = await self._estimate(
            request.claims, request.context, request.backend, FieldNames(batch=True), context
        )
        return pb.BatchEstimateResponse(
            estimates=[messages.estimate(value) for value in batch.estimates],
            usage=messages.usage(batch),
            timing=messages.timing(batch, total_s),
            model=batch.model,
            prompt_version=batch.prompt_version,
            backend=batch.backend,
        )

    async def GetServerInfo(  # noqa: N802 - named by the contract
        self, request: pb.GetServerInfoRequest, context: Context
    ) -> pb.GetServerInfoResponse:
        """Describe the server, as far as it is loaded."""
        verifier = self._verifier
        backend = verifier.backends[verifier.default]
        state = messages.STATES[backend.state]
        if self._admission.draining and backend.state is not BackendState.FAILED:
            state = pb.SERVER_STATE_DRAINING
        response = pb.GetServerInfoResponse(
            server_version=self._config.server_version,
            state=state,
            backends=list(verifier.backends),
            model=backend.model,
            prompt_version=PROMPT_VERSION,
            label_mass_floor=verifier.label_mass_floor,
            limits=pb.Limits(
                max_claims=verifier.limits.claims,
                max_claim_tokens=verifier.limits.claim_tokens,
                max_text_characters=verifier.limits.text_characters,
                max_message_bytes=self._config.max_message_bytes,
                max_pending_claims=self._admission.limit,
            ),
        )
        if backend.state is BackendState.SERVING:
            info = backend.info
            response.window_tokens = info.window_tokens
            response.dtype = info.dtype
            response.label_forms.extend(messages.label_form(form) for form in info.label_forms)
            response.limits.max_context_tokens = verifier.limits.context_tokens(info)
        return response

    async def _estimate(
        self,
        claims: Sequence[str],
        text: str,
        backend: str,
        fields: FieldNames,
        context: Context,
    ) -> tuple[types.BatchEstimate, float]:
        began = time.monotonic()
        # Unset, gRPC gives no deadline; a call never runs longer than the server's own limit.
        remaining_s = context.time_remaining()
        limit_s = self._config.max_call_s
        left_s = limit_s if remaining_s is None else min(remaining_s, limit_s)
        span = self._telemetry.span
        try:
            async with asyncio.timeout(left_s):
                with self._admission.admit(len(claims)):
                    with span("groundwire.plan", {"groundwire.claims": len(claims)}):
                        plan = await self._verifier.plan(claims, text, backend, fields)
                    attributes: dict[str, str | int] = {
                        "groundwire.backend": plan.backend,
                        "groundwire.distinct_prompts": len(plan.prompts),
                        "groundwire.prompt_tokens": plan.prompt_tokens,
                    }
                    with span("groundwire.read", attributes):
                        headers = self._telemetry.trace_headers()
                        batch = await self._verifier.read(plan, headers)
        except TimeoutError:
            raise CallTimeoutError(
                f"the call took longer than the {left_s:.3g} s that it had; "
                "allow more time or send a smaller batch"
            ) from None
        self._telemetry.record_batch(batch)
        return batch, time.monotonic() - began

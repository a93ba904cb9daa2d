"""The VerifierBackend service: requests to use cases, and estimates to responses."""

import asyncio
import time
from collections.abc import Sequence

from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire.v1 import verifier_backend_pb2_grpc as pb_grpc
from groundwire_server.features.detection.messages import calibration, label_form, message, timing
from groundwire_server.features.detection.parts import Parts
from groundwire_server.rpc.calls import Context
from groundwire_server.rpc.wire import MAX_CITATION_STYLES, MAX_MESSAGE_FIELDS
from groundwire_verifier.checks.answers import (
    MAX_EXTRACTED_CLAIMS,
    MAX_PREFIX_CHARACTERS,
    MAX_PREFIXES,
    MAX_QUESTION_CHARACTERS,
    MAX_TEXT_IDS,
)
from groundwire_verifier.domain import checks, types
from groundwire_verifier.engine.base import BackendState
from groundwire_verifier.estimation import FieldNames
from groundwire_verifier.verdicts.options import (
    MAX_CITED_IDS,
    MAX_ID_CHARACTERS,
    MAX_MARKER_CHARACTERS,
    MAX_TITLE_CHARACTERS,
)


class VerifierBackendService(pb_grpc.VerifierBackendServicer):
    """Answers the three calls of the contract."""

    def __init__(self, parts: Parts, version: str) -> None:
        self._estimator = parts.estimator
        self._calls = parts.calls
        self._settings = parts.settings
        self._version = version

    async def EstimateProbability(  # noqa: N802 - named by the contract
        self, request: pb.EstimateProbabilityRequest, context: Context
    ) -> pb.EstimateProbabilityResponse:
        """Read one claim."""
        names = FieldNames(batch=False)
        batch, total_s = await self._estimate([request.claim], request, names)
        return message(
            pb.EstimateProbabilityResponse,
            batch,
            estimate=batch.estimates[0],
            timing=timing(batch.queue_s, batch.inference_s, total_s),
        )

    async def BatchEstimate(  # noqa: N802 - named by the contract
        self, request: pb.BatchEstimateRequest, context: Context
    ) -> pb.BatchEstimateResponse:
        """Read many claims on one context."""
        names = FieldNames(batch=True)
        batch, total_s = await self._estimate(request.claims, request, names)
        return message(
            pb.BatchEstimateResponse,
            batch,
            timing=timing(batch.queue_s, batch.inference_s, total_s),
        )

    async def GetServerInfo(  # noqa: N802 - named by the contract
        self, request: pb.GetServerInfoRequest, context: Context
    ) -> pb.GetServerInfoResponse:
        """Describe the server and one of its backends, as far as that is loaded."""
        estimator = self._estimator
        name = request.backend or estimator.default
        checks.raise_any(checks.backend(name, estimator.backends))
        backend = estimator.backends[name]
        state = f"SERVER_STATE_{backend.state.name}"
        if self._calls.admission.draining and backend.state is not BackendState.FAILED:
            state = "SERVER_STATE_DRAINING"
        response = pb.GetServerInfoResponse(
            server_version=self._version,
            state=state,
            backends=list(estimator.backends),
            model=backend.model,
            label_mass_floor=estimator.label_mass_floor,
            limits=pb.Limits(
                max_claims=estimator.limits.claims,
                max_claim_tokens=estimator.limits.claim_tokens,
                max_text_characters=estimator.limits.text_characters,
                max_message_bytes=self._settings.max_message_bytes,
                max_pending_claims=self._calls.admission.claims.limit,
                max_pending_calls=self._calls.admission.calls.limit,
                max_pending_bytes=self._calls.admission.bytes.limit,
                max_sources=estimator.limits.sources,
                max_prompts=estimator.limits.prompts,
                max_evidence_characters=estimator.limits.evidence_characters,
                max_claims_characters=estimator.limits.claims_characters,
                max_extracted_claims=MAX_EXTRACTED_CLAIMS,
                max_question_characters=MAX_QUESTION_CHARACTERS,
                max_title_characters=MAX_TITLE_CHARACTERS,
                max_id_characters=MAX_ID_CHARACTERS,
                max_cited_ids=MAX_CITED_IDS,
                max_citation_styles=MAX_CITATION_STYLES,
                max_citation_prefixes=MAX_PREFIXES,
                max_citation_prefix_characters=MAX_PREFIX_CHARACTERS,
                max_message_fields=MAX_MESSAGE_FIELDS,
                max_text_ids=MAX_TEXT_IDS,
                max_marker_characters=MAX_MARKER_CHARACTERS,
            ),
        )
        if backend.state is BackendState.SERVING:
            info = backend.info
            response.window_tokens = info.window_tokens
            response.dtype = info.dtype
            response.prompt_version = info.prompt_version
            response.identity = info.identity
            response.uncalibrated = info.calibration is None
            if info.calibration is not None:
                response.calibration.CopyFrom(calibration(info.calibration))
            response.label_forms.extend(label_form(form) for form in info.label_forms)
            response.limits.max_context_tokens = estimator.limits.context_tokens(info)
        return response

    async def _estimate(
        self,
        claims: Sequence[str],
        request: pb.EstimateProbabilityRequest | pb.BatchEstimateRequest,
        fields: FieldNames,
    ) -> tuple[types.BatchEstimate, float]:
        arrival = self._calls.arrival()
        with self._calls.admission.admit(len(claims)):
            with self._calls.telemetry.plan_span(len(claims)):
                plan = await self._estimator.plan(
                    claims,
                    request.context,
                    request.backend,
                    fields,
                    split_long_context=request.split_long_context,
                    cache_salt=self._calls.cache_scope.salt(),
                )
            with self._calls.telemetry.read_span(plan, len(plan.prompts)) as headers:
                batch = await self._estimator.read(
                    plan,
                    headers,
                    arrival.urgency(len(claims)),
                    skip_result_cache=request.skip_result_cache,
                )
        method = "BatchEstimate" if fields.batch else "EstimateProbability"
        total_s = time.monotonic() - arrival.at_s
        # After the answer, which nobody should wait longer for.
        record = self._calls.telemetry.record_batch
        asyncio.get_running_loop().call_soon(record, batch, method, total_s)
        return batch, total_s

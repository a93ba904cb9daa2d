"""The calls of VerifierBackend: probabilities of claims, and what a server is."""

from collections.abc import Iterable

from groundwire._wire.calls import Call
from groundwire._wire.fields import (
    by_number,
    check_texts,
    checked_text,
    duration_s,
    finite,
    optional,
    require,
    share,
)
from groundwire.errors import InvalidResponseError
from groundwire.results import (
    BatchResult,
    Calibration,
    CalibrationMethod,
    Chunk,
    Estimate,
    EstimateResult,
    LabelForm,
    Limits,
    NoProbabilityReason,
    ServerInfo,
    ServerState,
    Source,
    Strictness,
    Timing,
    Usage,
)
from groundwire.v1 import verifier_backend_pb2 as pb

_SOURCES = by_number(Source, pb.EstimateSource.items(), "ESTIMATE_SOURCE_")
_NO_PROBABILITY_REASONS = by_number(
    NoProbabilityReason, pb.NoProbabilityReason.items(), "NO_PROBABILITY_REASON_"
)
_STATES = by_number(ServerState, pb.ServerState.items(), "SERVER_STATE_")
STRICTNESSES = by_number(Strictness, pb.Strictness.items(), "STRICTNESS_")
_CALIBRATION_METHODS = by_number(
    CalibrationMethod, pb.CalibrationMethod.items(), "CALIBRATION_METHOD_"
)


def estimate(
    claim: str, context: str, backend: str, *, skip_result_cache: bool, split_long_context: bool
) -> Call[pb.EstimateProbabilityResponse, EstimateResult]:
    """The probability of one claim. Raises InvalidRequestError for text that is not Unicode."""
    check_texts({"claim": claim, "context": context, "backend": backend})
    request = pb.EstimateProbabilityRequest(
        claim=claim,
        context=context,
        backend=backend,
        skip_result_cache=skip_result_cache,
        split_long_context=split_long_context,
    )
    return Call(
        "VerifierBackend/EstimateProbability",
        request,
        pb.EstimateProbabilityResponse,
        _estimate_result,
    )


def batch_estimate(
    claims: Iterable[str],
    context: str,
    backend: str,
    *,
    skip_result_cache: bool,
    split_long_context: bool,
) -> Call[pb.BatchEstimateResponse, BatchResult]:
    """The probabilities of many claims. Raises as `estimate`; TypeError for a single str."""
    if isinstance(claims, str):
        raise TypeError("claims must be many texts, not one: use estimate() for one claim")
    texts = tuple(claims)
    named = {f"claims[{index}]": claim for index, claim in enumerate(texts)}
    check_texts(named | {"context": context, "backend": backend})
    request = pb.BatchEstimateRequest(
        claims=texts,
        context=context,
        backend=backend,
        skip_result_cache=skip_result_cache,
        split_long_context=split_long_context,
    )
    return Call(
        "VerifierBackend/BatchEstimate",
        request,
        pb.BatchEstimateResponse,
        lambda response: _batch_result(response, len(texts)),
    )


def server_info(backend: str = "") -> Call[pb.GetServerInfoResponse, ServerInfo]:
    """Which model answers, and the limits. Raises as `estimate`."""
    request = pb.GetServerInfoRequest(backend=checked_text("backend", backend))
    return Call("VerifierBackend/GetServerInfo", request, pb.GetServerInfoResponse, _server_info)


def _estimate_result(response: pb.EstimateProbabilityResponse) -> EstimateResult:
    """Reads the response for one claim. Raises InvalidResponseError."""
    require(response, "estimate", "usage", "timing")
    return EstimateResult(
        estimate=read_estimate(response.estimate),
        usage=read_usage(response.usage),
        timing=read_timing(response.timing),
        model=response.model,
        prompt_version=response.prompt_version,
        backend=response.backend,
    )


def _batch_result(response: pb.BatchEstimateResponse, claim_count: int) -> BatchResult:
    """Reads the response for this many claims. Raises InvalidResponseError."""
    require(response, "usage", "timing")
    if len(response.estimates) != claim_count:
        raise InvalidResponseError(
            f"{len(response.estimates)} estimates came back for {claim_count} claims"
        )
    return BatchResult(
        estimates=tuple(read_estimate(estimate) for estimate in response.estimates),
        usage=read_usage(response.usage),
        timing=read_timing(response.timing),
        model=response.model,
        prompt_version=response.prompt_version,
        backend=response.backend,
    )


def _server_info(response: pb.GetServerInfoResponse) -> ServerInfo:
    """Reads the description of a server. Raises InvalidResponseError."""
    require(response, "limits")
    limits = response.limits
    return ServerInfo(
        server_version=response.server_version,
        state=_STATES.get(response.state, ServerState.UNKNOWN),
        backends=tuple(response.backends),
        model=response.model,
        window_tokens=response.window_tokens,
        dtype=response.dtype,
        prompt_version=response.prompt_version,
        label_forms=tuple(
            LabelForm(form.label, form.text, form.token_id) for form in response.label_forms
        ),
        label_mass_floor=response.label_mass_floor,
        limits=Limits(
            max_claims=limits.max_claims,
            max_claim_tokens=limits.max_claim_tokens,
            max_context_tokens=limits.max_context_tokens,
            max_text_characters=limits.max_text_characters,
            max_message_bytes=limits.max_message_bytes,
            max_pending_claims=limits.max_pending_claims,
            max_sources=limits.max_sources,
            max_prompts=limits.max_prompts,
            max_evidence_characters=limits.max_evidence_characters,
            max_claims_characters=limits.max_claims_characters,
            max_extracted_claims=limits.max_extracted_claims,
            max_question_characters=limits.max_question_characters,
            max_title_characters=limits.max_title_characters,
            max_id_characters=limits.max_id_characters,
            max_cited_ids=limits.max_cited_ids,
            max_citation_styles=limits.max_citation_styles,
            max_citation_prefixes=limits.max_citation_prefixes,
            max_citation_prefix_characters=limits.max_citation_prefix_characters,
            max_message_fields=limits.max_message_fields,
            max_pending_calls=limits.max_pending_calls,
            max_pending_bytes=limits.max_pending_bytes,
            max_text_ids=limits.max_text_ids,
            max_marker_characters=limits.max_marker_characters,
        ),
        identity=response.identity,
        calibration=(
            _calibration(response.calibration) if response.HasField("calibration") else None
        ),
        uncalibrated=response.uncalibrated,
    )


def read_estimate(estimate: pb.Estimate) -> Estimate:
    """Reads the reading of one claim. Raises InvalidResponseError."""
    probability = estimate.probability if estimate.HasField("probability") else None
    reason = read_reason(estimate.no_probability_reason, answered=probability is not None)
    if probability is not None:
        share("probability", probability)
    return Estimate(
        probability=probability,
        label_mass=estimate.label_mass,
        yes_log_probability=(
            estimate.yes_log_probability if estimate.HasField("yes_log_probability") else None
        ),
        no_log_probability=(
            estimate.no_log_probability if estimate.HasField("no_log_probability") else None
        ),
        source=read_source(estimate.source),
        no_probability_reason=reason,
        raw_probability=_raw_probability(estimate, probability),
        calibrated=estimate.calibrated,
        chunk=_chunk(estimate.chunk) if estimate.HasField("chunk") else None,
        **_range(estimate, probability),
        max_label_mass=optional(estimate, "max_label_mass", share),
        samples=estimate.samples,
    )


def _range(estimate: pb.Estimate, probability: float | None) -> dict[str, float]:
    """In which range the server says that the probability lies, if it says so."""
    low = optional(estimate, "min_probability", share)
    high = optional(estimate, "max_probability", share)
    if low is None and high is None:
        return {}
    if low is None or high is None or probability is None or not low <= probability <= high:
        raise InvalidResponseError(f"a probability of {probability} in {low} to {high}")
    return {"min_probability": low, "max_probability": high}


def _chunk(chunk: pb.Chunk) -> Chunk:
    if not 0 <= chunk.index < chunk.count or not 0 <= chunk.start <= chunk.end:
        raise InvalidResponseError(f"chunk {chunk.index} of {chunk.count}")
    return Chunk(index=chunk.index, count=chunk.count, start=chunk.start, end=chunk.end)


def read_source(number: int) -> Source:
    """Where a reading came from."""
    return _SOURCES.get(number, Source.UNKNOWN)


def read_reason(number: int, *, answered: bool) -> NoProbabilityReason | None:
    """Why there is no answer; None if there is one. Raises InvalidResponseError for both."""
    if not answered:
        return _NO_PROBABILITY_REASONS.get(number, NoProbabilityReason.UNKNOWN)
    if number != pb.NO_PROBABILITY_REASON_UNSPECIFIED:
        raise InvalidResponseError(f"a probability and a reason for none, number {number}")
    return None


def _raw_probability(estimate: pb.Estimate, probability: float | None) -> float | None:
    if not estimate.HasField("raw_probability"):
        if estimate.calibrated and probability is not None:
            raise InvalidResponseError("a calibrated probability without the raw one")
        # An older server sends what it read, and that alone.
        return probability
    if probability is None:
        raise InvalidResponseError("a raw probability without a probability")
    raw = share("raw probability", estimate.raw_probability)
    if raw != probability and not estimate.calibrated:
        raise InvalidResponseError(f"{raw} became {probability} without a calibration")
    return raw


def _calibration(calibration: pb.Calibration) -> Calibration:
    return Calibration(
        method=_CALIBRATION_METHODS.get(calibration.method, CalibrationMethod.UNKNOWN),
        rows=calibration.rows,
        data=calibration.data,
        operating_points={
            STRICTNESSES[point.strictness]: share("operating point", point.confidence)
            for point in calibration.operating_points
            if point.strictness in STRICTNESSES
        },
        weights={
            each.feature: finite("feature weight", each.weight) for each in calibration.weights
        },
    )


def read_usage(usage: pb.Usage) -> Usage:
    """Reads the tokens of a call."""
    return Usage(
        prompt_tokens=usage.prompt_tokens,
        cached_tokens=usage.cached_tokens,
        context_tokens=usage.context_tokens,
        distinct_prompts=usage.distinct_prompts,
    )


def read_timing(timing: pb.Timing) -> Timing:
    """Reads the server's times, into seconds."""
    return Timing(
        queue_s=duration_s(timing.queue_duration),
        inference_s=duration_s(timing.inference_duration),
        total_s=duration_s(timing.total_duration),
    )

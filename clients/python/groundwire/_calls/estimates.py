"""The calls of VerifierBackend: probabilities of claims, and what a server is."""

from collections.abc import Iterable
from dataclasses import replace

from groundwire._wire.calls import Call
from groundwire._wire.fields import (
    check_texts,
    checked_text,
    duration_s,
    require,
    share,
)
from groundwire._wire.reading import read, reads
from groundwire.errors import InvalidResponseError
from groundwire.results import (
    BatchResult,
    Calibration,
    Chunk,
    Estimate,
    EstimateResult,
    NoProbabilityReason,
    ServerInfo,
    Strictness,
    Timing,
)
from groundwire.v1 import verifier_backend_pb2 as pb

_STRICTNESSES = {
    number: Strictness[name.removeprefix("STRICTNESS_")]
    for name, number in pb.Strictness.items()
    if number
}


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
    return read(EstimateResult, response)


def _batch_result(response: pb.BatchEstimateResponse, claim_count: int) -> BatchResult:
    """Reads the response for this many claims. Raises InvalidResponseError."""
    require(response, "usage", "timing")
    if len(response.estimates) != claim_count:
        raise InvalidResponseError(
            f"{len(response.estimates)} estimates came back for {claim_count} claims"
        )
    return read(BatchResult, response)


def _server_info(response: pb.GetServerInfoResponse) -> ServerInfo:
    """Reads the description of a server. Raises InvalidResponseError."""
    require(response, "limits")
    return read(ServerInfo, response)


@reads(Estimate)
def _estimate(message: pb.Estimate) -> Estimate:
    reason = message.no_probability_reason
    if message.HasField("probability") and reason != pb.NO_PROBABILITY_REASON_UNSPECIFIED:
        raise InvalidResponseError(f"a probability and a reason for none, number {reason}")
    found = read(
        Estimate,
        message,
        # May be no finite number: that of a label without any mass.
        label_mass=message.label_mass,
        yes_log_probability=(
            message.yes_log_probability if message.HasField("yes_log_probability") else None
        ),
        no_log_probability=(
            message.no_log_probability if message.HasField("no_log_probability") else None
        ),
        raw_probability=_raw_probability(message),
    )
    if found.probability is None and found.no_probability_reason is None:
        found = replace(found, no_probability_reason=NoProbabilityReason.UNKNOWN)
    _check_range(found)
    return found


def _check_range(found: Estimate) -> None:
    low, value, high = found.min_probability, found.probability, found.max_probability
    if low is None and high is None:
        return
    if low is None or high is None or value is None or not low <= value <= high:
        raise InvalidResponseError(f"a probability of {value} in {low} to {high}")


@reads(Chunk)
def _chunk(chunk: pb.Chunk) -> Chunk:
    if not 0 <= chunk.index < chunk.count or not 0 <= chunk.start <= chunk.end:
        raise InvalidResponseError(f"chunk {chunk.index} of {chunk.count}")
    return read(Chunk, chunk)


def _raw_probability(estimate: pb.Estimate) -> float | None:
    probability = None
    if estimate.HasField("probability"):
        probability = share("probability", estimate.probability)
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


@reads(Calibration)
def _calibration(calibration: pb.Calibration) -> Calibration:
    return read(
        Calibration,
        calibration,
        operating_points={
            _STRICTNESSES[point.strictness]: share("operating point", point.confidence)
            for point in calibration.operating_points
            if point.strictness in _STRICTNESSES
        },
    )


@reads(Timing)
def _timing(timing: pb.Timing) -> Timing:
    return Timing(
        queue_s=duration_s(timing.queue_duration),
        inference_s=duration_s(timing.inference_duration),
        total_s=duration_s(timing.total_duration),
    )

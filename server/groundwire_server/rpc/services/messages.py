"""Domain data as messages of the contract."""

from dataclasses import asdict

from google.protobuf import duration_pb2

from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire_verifier.backends.base import BackendState
from groundwire_verifier.domain.types import (
    Estimate,
    LabelForm,
    NoProbabilityReason,
    ReadingOrigin,
    Usage,
)
from groundwire_verifier.numbers.calibration import Calibration, Curve, Isotonic, Platt, Strictness

SOURCES = {
    ReadingOrigin.MODEL: pb.ESTIMATE_SOURCE_MODEL,
    ReadingOrigin.CACHE: pb.ESTIMATE_SOURCE_CACHE,
    ReadingOrigin.SAMPLING: pb.ESTIMATE_SOURCE_SAMPLING,
}
REASONS = {
    None: pb.NO_PROBABILITY_REASON_UNSPECIFIED,
    NoProbabilityReason.LABEL_MASS_BELOW_FLOOR: pb.NO_PROBABILITY_REASON_LABEL_MASS_BELOW_FLOOR,
    NoProbabilityReason.TOO_FEW_SAMPLES: pb.NO_PROBABILITY_REASON_TOO_FEW_SAMPLES,
}
METHODS: dict[type[Curve], pb.CalibrationMethod] = {
    Platt: pb.CALIBRATION_METHOD_PLATT,
    Isotonic: pb.CALIBRATION_METHOD_ISOTONIC,
}
STRICTNESSES = {
    Strictness.BALANCED: pb.STRICTNESS_BALANCED,
    Strictness.STRICT: pb.STRICTNESS_STRICT,
    Strictness.LENIENT: pb.STRICTNESS_LENIENT,
}
STATES = {
    BackendState.LOADING: pb.SERVER_STATE_LOADING,
    BackendState.SERVING: pb.SERVER_STATE_SERVING,
    BackendState.FAILED: pb.SERVER_STATE_FAILED,
}


def estimate(value: Estimate) -> pb.Estimate:
    """One estimate."""
    return pb.Estimate(
        probability=value.probability,
        raw_probability=value.raw_probability,
        calibrated=value.calibrated,
        label_mass=value.label_mass,
        yes_log_probability=value.yes_nats,
        no_log_probability=value.no_nats,
        source=SOURCES[value.source],
        no_probability_reason=REASONS[value.reason],
        chunk=None if value.chunk is None else pb.Chunk(**asdict(value.chunk)),
        min_probability=None if value.interval is None else value.interval.low,
        max_probability=None if value.interval is None else value.interval.high,
        max_label_mass=value.max_label_mass,
        samples=value.samples,
    )


def calibration(value: Calibration) -> pb.Calibration:
    """A calibration."""
    return pb.Calibration(
        method=METHODS[type(value.curve)],
        rows=value.rows,
        data=value.data,
        operating_points=[
            pb.OperatingPoint(strictness=number, confidence=value.operating_points[name])
            for name, number in STRICTNESSES.items()
            if name in value.operating_points
        ],
        weights=[
            pb.FeatureWeight(feature=feature.value, weight=weight)
            for feature, weight in value.weights.items()
        ],
    )


def usage(value: Usage) -> pb.Usage:
    """The token counts of a call."""
    return pb.Usage(
        prompt_tokens=value.prompt_tokens,
        cached_tokens=value.cached_tokens,
        context_tokens=value.context_tokens,
        distinct_prompts=value.distinct_prompts,
    )


def timing(queue_s: float, inference_s: float, total_s: float) -> pb.Timing:
    """Where the time of a call went, in seconds."""
    return pb.Timing(
        queue_duration=duration(queue_s),
        inference_duration=duration(inference_s),
        total_duration=duration(total_s),
    )


def label_form(form: LabelForm) -> pb.LabelForm:
    """One surface form of a label."""
    return pb.LabelForm(label=form.label.value, text=form.text, token_id=form.token_id)


def duration(seconds: float) -> duration_pb2.Duration:
    """A time in seconds."""
    message = duration_pb2.Duration()
    message.FromNanoseconds(int(seconds * 1e9))
    return message

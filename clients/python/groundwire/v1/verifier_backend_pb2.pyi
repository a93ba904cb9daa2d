import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class EstimateSource(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ESTIMATE_SOURCE_UNSPECIFIED: _ClassVar[EstimateSource]
    ESTIMATE_SOURCE_MODEL: _ClassVar[EstimateSource]
    ESTIMATE_SOURCE_CACHE: _ClassVar[EstimateSource]
    ESTIMATE_SOURCE_SAMPLING: _ClassVar[EstimateSource]

class NoProbabilityReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    NO_PROBABILITY_REASON_UNSPECIFIED: _ClassVar[NoProbabilityReason]
    NO_PROBABILITY_REASON_LABEL_MASS_BELOW_FLOOR: _ClassVar[NoProbabilityReason]
    NO_PROBABILITY_REASON_TOO_FEW_SAMPLES: _ClassVar[NoProbabilityReason]

class Strictness(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STRICTNESS_UNSPECIFIED: _ClassVar[Strictness]
    STRICTNESS_BALANCED: _ClassVar[Strictness]
    STRICTNESS_STRICT: _ClassVar[Strictness]
    STRICTNESS_LENIENT: _ClassVar[Strictness]

class CalibrationMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CALIBRATION_METHOD_UNSPECIFIED: _ClassVar[CalibrationMethod]
    CALIBRATION_METHOD_PLATT: _ClassVar[CalibrationMethod]
    CALIBRATION_METHOD_ISOTONIC: _ClassVar[CalibrationMethod]

class ServerState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SERVER_STATE_UNSPECIFIED: _ClassVar[ServerState]
    SERVER_STATE_LOADING: _ClassVar[ServerState]
    SERVER_STATE_SERVING: _ClassVar[ServerState]
    SERVER_STATE_DRAINING: _ClassVar[ServerState]
    SERVER_STATE_FAILED: _ClassVar[ServerState]
ESTIMATE_SOURCE_UNSPECIFIED: EstimateSource
ESTIMATE_SOURCE_MODEL: EstimateSource
ESTIMATE_SOURCE_CACHE: EstimateSource
ESTIMATE_SOURCE_SAMPLING: EstimateSource
NO_PROBABILITY_REASON_UNSPECIFIED: NoProbabilityReason
NO_PROBABILITY_REASON_LABEL_MASS_BELOW_FLOOR: NoProbabilityReason
NO_PROBABILITY_REASON_TOO_FEW_SAMPLES: NoProbabilityReason
STRICTNESS_UNSPECIFIED: Strictness
STRICTNESS_BALANCED: Strictness
STRICTNESS_STRICT: Strictness
STRICTNESS_LENIENT: Strictness
CALIBRATION_METHOD_UNSPECIFIED: CalibrationMethod
CALIBRATION_METHOD_PLATT: CalibrationMethod
CALIBRATION_METHOD_ISOTONIC: CalibrationMethod
SERVER_STATE_UNSPECIFIED: ServerState
SERVER_STATE_LOADING: ServerState
SERVER_STATE_SERVING: ServerState
SERVER_STATE_DRAINING: ServerState
SERVER_STATE_FAILED: ServerState

class EstimateProbabilityRequest(_message.Message):
    __slots__ = ("claim", "context", "backend", "skip_result_cache", "split_long_context")
    CLAIM_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    BACKEND_FIELD_NUMBER: _ClassVar[int]
    SKIP_RESULT_CACHE_FIELD_NUMBER: _ClassVar[int]
    SPLIT_LONG_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    claim: str
    context: str
    backend: str
    skip_result_cache: bool
    split_long_context: bool
    def __init__(self, claim: _Optional[str] = ..., context: _Optional[str] = ..., backend: _Optional[str] = ..., skip_result_cache: bool = ..., split_long_context: bool = ...) -> None: ...

class EstimateProbabilityResponse(_message.Message):
    __slots__ = ("estimate", "usage", "timing", "model", "prompt_version", "backend")
    ESTIMATE_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    TIMING_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    PROMPT_VERSION_FIELD_NUMBER: _ClassVar[int]
    BACKEND_FIELD_NUMBER: _ClassVar[int]
    estimate: Estimate
    usage: Usage
    timing: Timing
    model: str
    prompt_version: str
    backend: str
    def __init__(self, estimate: _Optional[_Union[Estimate, _Mapping]] = ..., usage: _Optional[_Union[Usage, _Mapping]] = ..., timing: _Optional[_Union[Timing, _Mapping]] = ..., model: _Optional[str] = ..., prompt_version: _Optional[str] = ..., backend: _Optional[str] = ...) -> None: ...

class BatchEstimateRequest(_message.Message):
    __slots__ = ("claims", "context", "backend", "skip_result_cache", "split_long_context")
    CLAIMS_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    BACKEND_FIELD_NUMBER: _ClassVar[int]
    SKIP_RESULT_CACHE_FIELD_NUMBER: _ClassVar[int]
    SPLIT_LONG_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    claims: _containers.RepeatedScalarFieldContainer[str]
    context: str
    backend: str
    skip_result_cache: bool
    split_long_context: bool
    def __init__(self, claims: _Optional[_Iterable[str]] = ..., context: _Optional[str] = ..., backend: _Optional[str] = ..., skip_result_cache: bool = ..., split_long_context: bool = ...) -> None: ...

class BatchEstimateResponse(_message.Message):
    __slots__ = ("estimates", "usage", "timing", "model", "prompt_version", "backend")
    ESTIMATES_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    TIMING_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    PROMPT_VERSION_FIELD_NUMBER: _ClassVar[int]
    BACKEND_FIELD_NUMBER: _ClassVar[int]
    estimates: _containers.RepeatedCompositeFieldContainer[Estimate]
    usage: Usage
    timing: Timing
    model: str
    prompt_version: str
    backend: str
    def __init__(self, estimates: _Optional[_Iterable[_Union[Estimate, _Mapping]]] = ..., usage: _Optional[_Union[Usage, _Mapping]] = ..., timing: _Optional[_Union[Timing, _Mapping]] = ..., model: _Optional[str] = ..., prompt_version: _Optional[str] = ..., backend: _Optional[str] = ...) -> None: ...

class Estimate(_message.Message):
    __slots__ = ("probability", "label_mass", "yes_log_probability", "no_log_probability", "source", "no_probability_reason", "raw_probability", "calibrated", "chunk", "min_probability", "max_probability", "max_label_mass", "samples")
    PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    LABEL_MASS_FIELD_NUMBER: _ClassVar[int]
    YES_LOG_PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    NO_LOG_PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    NO_PROBABILITY_REASON_FIELD_NUMBER: _ClassVar[int]
    RAW_PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    CALIBRATED_FIELD_NUMBER: _ClassVar[int]
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    MIN_PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    MAX_PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    MAX_LABEL_MASS_FIELD_NUMBER: _ClassVar[int]
    SAMPLES_FIELD_NUMBER: _ClassVar[int]
    probability: float
    label_mass: float
    yes_log_probability: float
    no_log_probability: float
    source: EstimateSource
    no_probability_reason: NoProbabilityReason
    raw_probability: float
    calibrated: bool
    chunk: Chunk
    min_probability: float
    max_probability: float
    max_label_mass: float
    samples: int
    def __init__(self, probability: _Optional[float] = ..., label_mass: _Optional[float] = ..., yes_log_probability: _Optional[float] = ..., no_log_probability: _Optional[float] = ..., source: _Optional[_Union[EstimateSource, str]] = ..., no_probability_reason: _Optional[_Union[NoProbabilityReason, str]] = ..., raw_probability: _Optional[float] = ..., calibrated: bool = ..., chunk: _Optional[_Union[Chunk, _Mapping]] = ..., min_probability: _Optional[float] = ..., max_probability: _Optional[float] = ..., max_label_mass: _Optional[float] = ..., samples: _Optional[int] = ...) -> None: ...

class Chunk(_message.Message):
    __slots__ = ("index", "count", "start", "end")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    index: int
    count: int
    start: int
    end: int
    def __init__(self, index: _Optional[int] = ..., count: _Optional[int] = ..., start: _Optional[int] = ..., end: _Optional[int] = ...) -> None: ...

class Usage(_message.Message):
    __slots__ = ("prompt_tokens", "cached_tokens", "context_tokens", "distinct_prompts")
    PROMPT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    CACHED_TOKENS_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    DISTINCT_PROMPTS_FIELD_NUMBER: _ClassVar[int]
    prompt_tokens: int
    cached_tokens: int
    context_tokens: int
    distinct_prompts: int
    def __init__(self, prompt_tokens: _Optional[int] = ..., cached_tokens: _Optional[int] = ..., context_tokens: _Optional[int] = ..., distinct_prompts: _Optional[int] = ...) -> None: ...

class Timing(_message.Message):
    __slots__ = ("queue_duration", "inference_duration", "total_duration")
    QUEUE_DURATION_FIELD_NUMBER: _ClassVar[int]
    INFERENCE_DURATION_FIELD_NUMBER: _ClassVar[int]
    TOTAL_DURATION_FIELD_NUMBER: _ClassVar[int]
    queue_duration: _duration_pb2.Duration
    inference_duration: _duration_pb2.Duration
    total_duration: _duration_pb2.Duration
    def __init__(self, queue_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., inference_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., total_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class GetServerInfoRequest(_message.Message):
    __slots__ = ("backend",)
    BACKEND_FIELD_NUMBER: _ClassVar[int]
    backend: str
    def __init__(self, backend: _Optional[str] = ...) -> None: ...

class GetServerInfoResponse(_message.Message):
    __slots__ = ("server_version", "state", "backends", "model", "window_tokens", "dtype", "prompt_version", "label_forms", "label_mass_floor", "limits", "identity", "calibration", "uncalibrated")
    SERVER_VERSION_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    BACKENDS_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    WINDOW_TOKENS_FIELD_NUMBER: _ClassVar[int]
    DTYPE_FIELD_NUMBER: _ClassVar[int]
    PROMPT_VERSION_FIELD_NUMBER: _ClassVar[int]
    LABEL_FORMS_FIELD_NUMBER: _ClassVar[int]
    LABEL_MASS_FLOOR_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    IDENTITY_FIELD_NUMBER: _ClassVar[int]
    CALIBRATION_FIELD_NUMBER: _ClassVar[int]
    UNCALIBRATED_FIELD_NUMBER: _ClassVar[int]
    server_version: str
    state: ServerState
    backends: _containers.RepeatedScalarFieldContainer[str]
    model: str
    window_tokens: int
    dtype: str
    prompt_version: str
    label_forms: _containers.RepeatedCompositeFieldContainer[LabelForm]
    label_mass_floor: float
    limits: Limits
    identity: str
    calibration: Calibration
    uncalibrated: bool
    def __init__(self, server_version: _Optional[str] = ..., state: _Optional[_Union[ServerState, str]] = ..., backends: _Optional[_Iterable[str]] = ..., model: _Optional[str] = ..., window_tokens: _Optional[int] = ..., dtype: _Optional[str] = ..., prompt_version: _Optional[str] = ..., label_forms: _Optional[_Iterable[_Union[LabelForm, _Mapping]]] = ..., label_mass_floor: _Optional[float] = ..., limits: _Optional[_Union[Limits, _Mapping]] = ..., identity: _Optional[str] = ..., calibration: _Optional[_Union[Calibration, _Mapping]] = ..., uncalibrated: bool = ...) -> None: ...

class Calibration(_message.Message):
    __slots__ = ("method", "rows", "data", "operating_points")
    METHOD_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    OPERATING_POINTS_FIELD_NUMBER: _ClassVar[int]
    method: CalibrationMethod
    rows: int
    data: str
    operating_points: _containers.RepeatedCompositeFieldContainer[OperatingPoint]
    def __init__(self, method: _Optional[_Union[CalibrationMethod, str]] = ..., rows: _Optional[int] = ..., data: _Optional[str] = ..., operating_points: _Optional[_Iterable[_Union[OperatingPoint, _Mapping]]] = ...) -> None: ...

class OperatingPoint(_message.Message):
    __slots__ = ("strictness", "confidence")
    STRICTNESS_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    strictness: Strictness
    confidence: float
    def __init__(self, strictness: _Optional[_Union[Strictness, str]] = ..., confidence: _Optional[float] = ...) -> None: ...

class LabelForm(_message.Message):
    __slots__ = ("label", "text", "token_id")
    LABEL_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TOKEN_ID_FIELD_NUMBER: _ClassVar[int]
    label: str
    text: str
    token_id: int
    def __init__(self, label: _Optional[str] = ..., text: _Optional[str] = ..., token_id: _Optional[int] = ...) -> None: ...

class Limits(_message.Message):
    __slots__ = ("max_claims", "max_claim_tokens", "max_context_tokens", "max_text_characters", "max_message_bytes", "max_pending_claims", "max_sources", "max_prompts", "max_evidence_characters", "max_claims_characters", "max_extracted_claims", "max_question_characters", "max_title_characters", "max_id_characters", "max_cited_ids", "max_citation_styles", "max_citation_prefixes", "max_citation_prefix_characters", "max_message_fields", "max_pending_calls", "max_pending_bytes", "max_text_ids", "max_marker_characters")
    MAX_CLAIMS_FIELD_NUMBER: _ClassVar[int]
    MAX_CLAIM_TOKENS_FIELD_NUMBER: _ClassVar[int]
    MAX_CONTEXT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    MAX_TEXT_CHARACTERS_FIELD_NUMBER: _ClassVar[int]
    MAX_MESSAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_PENDING_CLAIMS_FIELD_NUMBER: _ClassVar[int]
    MAX_SOURCES_FIELD_NUMBER: _ClassVar[int]
    MAX_PROMPTS_FIELD_NUMBER: _ClassVar[int]
    MAX_EVIDENCE_CHARACTERS_FIELD_NUMBER: _ClassVar[int]
    MAX_CLAIMS_CHARACTERS_FIELD_NUMBER: _ClassVar[int]
    MAX_EXTRACTED_CLAIMS_FIELD_NUMBER: _ClassVar[int]
    MAX_QUESTION_CHARACTERS_FIELD_NUMBER: _ClassVar[int]
    MAX_TITLE_CHARACTERS_FIELD_NUMBER: _ClassVar[int]
    MAX_ID_CHARACTERS_FIELD_NUMBER: _ClassVar[int]
    MAX_CITED_IDS_FIELD_NUMBER: _ClassVar[int]
    MAX_CITATION_STYLES_FIELD_NUMBER: _ClassVar[int]
    MAX_CITATION_PREFIXES_FIELD_NUMBER: _ClassVar[int]
    MAX_CITATION_PREFIX_CHARACTERS_FIELD_NUMBER: _ClassVar[int]
    MAX_MESSAGE_FIELDS_FIELD_NUMBER: _ClassVar[int]
    MAX_PENDING_CALLS_FIELD_NUMBER: _ClassVar[int]
    MAX_PENDING_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_TEXT_IDS_FIELD_NUMBER: _ClassVar[int]
    MAX_MARKER_CHARACTERS_FIELD_NUMBER: _ClassVar[int]
    max_claims: int
    max_claim_tokens: int
    max_context_tokens: int
    max_text_characters: int
    max_message_bytes: int
    max_pending_claims: int
    max_sources: int
    max_prompts: int
    max_evidence_characters: int
    max_claims_characters: int
    max_extracted_claims: int
    max_question_characters: int
    max_title_characters: int
    max_id_characters: int
    max_cited_ids: int
    max_citation_styles: int
    max_citation_prefixes: int
    max_citation_prefix_characters: int
    max_message_fields: int
    max_pending_calls: int
    max_pending_bytes: int
    max_text_ids: int
    max_marker_characters: int
    def __init__(self, max_claims: _Optional[int] = ..., max_claim_tokens: _Optional[int] = ..., max_context_tokens: _Optional[int] = ..., max_text_characters: _Optional[int] = ..., max_message_bytes: _Optional[int] = ..., max_pending_claims: _Optional[int] = ..., max_sources: _Optional[int] = ..., max_prompts: _Optional[int] = ..., max_evidence_characters: _Optional[int] = ..., max_claims_characters: _Optional[int] = ..., max_extracted_claims: _Optional[int] = ..., max_question_characters: _Optional[int] = ..., max_title_characters: _Optional[int] = ..., max_id_characters: _Optional[int] = ..., max_cited_ids: _Optional[int] = ..., max_citation_styles: _Optional[int] = ..., max_citation_prefixes: _Optional[int] = ..., max_citation_prefix_characters: _Optional[int] = ..., max_message_fields: _Optional[int] = ..., max_pending_calls: _Optional[int] = ..., max_pending_bytes: _Optional[int] = ..., max_text_ids: _Optional[int] = ..., max_marker_characters: _Optional[int] = ...) -> None: ...

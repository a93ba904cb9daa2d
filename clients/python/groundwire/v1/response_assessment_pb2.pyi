import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from groundwire.v1 import hallucination_detection_pb2 as _hallucination_detection_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class AssessmentLayer(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ASSESSMENT_LAYER_UNSPECIFIED: _ClassVar[AssessmentLayer]
    ASSESSMENT_LAYER_HEURISTIC: _ClassVar[AssessmentLayer]
    ASSESSMENT_LAYER_COMMON_SENSE: _ClassVar[AssessmentLayer]
    ASSESSMENT_LAYER_DETAILED: _ClassVar[AssessmentLayer]

class SuggestedAction(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SUGGESTED_ACTION_UNSPECIFIED: _ClassVar[SuggestedAction]
    SUGGESTED_ACTION_NONE: _ClassVar[SuggestedAction]
    SUGGESTED_ACTION_VERIFY: _ClassVar[SuggestedAction]
    SUGGESTED_ACTION_WARN: _ClassVar[SuggestedAction]
    SUGGESTED_ACTION_BLOCK: _ClassVar[SuggestedAction]

class LayerState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    LAYER_STATE_UNSPECIFIED: _ClassVar[LayerState]
    LAYER_STATE_RAN: _ClassVar[LayerState]
    LAYER_STATE_SKIPPED: _ClassVar[LayerState]
    LAYER_STATE_FAILED: _ClassVar[LayerState]

class LayerReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    LAYER_REASON_UNSPECIFIED: _ClassVar[LayerReason]
    LAYER_REASON_NOT_ASKED: _ClassVar[LayerReason]
    LAYER_REASON_NOT_FLAGGED: _ClassVar[LayerReason]
    LAYER_REASON_NO_TOOL_RESULT: _ClassVar[LayerReason]
    LAYER_REASON_NO_CLAIM: _ClassVar[LayerReason]
    LAYER_REASON_BACKEND_UNAVAILABLE: _ClassVar[LayerReason]
    LAYER_REASON_OUT_OF_TIME: _ClassVar[LayerReason]
    LAYER_REASON_NOT_ANSWERED: _ClassVar[LayerReason]
    LAYER_REASON_TOO_LONG: _ClassVar[LayerReason]
    LAYER_REASON_BUSY: _ClassVar[LayerReason]

class AssessmentReasonKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ASSESSMENT_REASON_KIND_UNSPECIFIED: _ClassVar[AssessmentReasonKind]
    ASSESSMENT_REASON_KIND_LIVE_DATA: _ClassVar[AssessmentReasonKind]
    ASSESSMENT_REASON_KIND_CURRENCY: _ClassVar[AssessmentReasonKind]
    ASSESSMENT_REASON_KIND_NUMBER: _ClassVar[AssessmentReasonKind]
    ASSESSMENT_REASON_KIND_VALUE_DIFFERS: _ClassVar[AssessmentReasonKind]
    ASSESSMENT_REASON_KIND_OVER_PRECISE: _ClassVar[AssessmentReasonKind]
    ASSESSMENT_REASON_KIND_UNCERTAIN: _ClassVar[AssessmentReasonKind]
    ASSESSMENT_REASON_KIND_MAKES_NO_SENSE: _ClassVar[AssessmentReasonKind]
    ASSESSMENT_REASON_KIND_CONTRADICTS_ITSELF: _ClassVar[AssessmentReasonKind]
    ASSESSMENT_REASON_KIND_LIVE_DATA_WITHOUT_CALL: _ClassVar[AssessmentReasonKind]
    ASSESSMENT_REASON_KIND_VAGUE_AS_FACT: _ClassVar[AssessmentReasonKind]
    ASSESSMENT_REASON_KIND_FABRICATED: _ClassVar[AssessmentReasonKind]
    ASSESSMENT_REASON_KIND_NOT_ANSWERED: _ClassVar[AssessmentReasonKind]
    ASSESSMENT_REASON_KIND_CLAIM_CONTRADICTED: _ClassVar[AssessmentReasonKind]
    ASSESSMENT_REASON_KIND_CLAIM_UNSUPPORTED: _ClassVar[AssessmentReasonKind]
    ASSESSMENT_REASON_KIND_CLAIM_UNREAD: _ClassVar[AssessmentReasonKind]
    ASSESSMENT_REASON_KIND_CLAIM_AGAINST_THE_REST: _ClassVar[AssessmentReasonKind]

class CommonSenseVerdict(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    COMMON_SENSE_VERDICT_UNSPECIFIED: _ClassVar[CommonSenseVerdict]
    COMMON_SENSE_VERDICT_OK: _ClassVar[CommonSenseVerdict]
    COMMON_SENSE_VERDICT_QUESTIONABLE: _ClassVar[CommonSenseVerdict]
    COMMON_SENSE_VERDICT_LIKELY_FABRICATED: _ClassVar[CommonSenseVerdict]
ASSESSMENT_LAYER_UNSPECIFIED: AssessmentLayer
ASSESSMENT_LAYER_HEURISTIC: AssessmentLayer
ASSESSMENT_LAYER_COMMON_SENSE: AssessmentLayer
ASSESSMENT_LAYER_DETAILED: AssessmentLayer
SUGGESTED_ACTION_UNSPECIFIED: SuggestedAction
SUGGESTED_ACTION_NONE: SuggestedAction
SUGGESTED_ACTION_VERIFY: SuggestedAction
SUGGESTED_ACTION_WARN: SuggestedAction
SUGGESTED_ACTION_BLOCK: SuggestedAction
LAYER_STATE_UNSPECIFIED: LayerState
LAYER_STATE_RAN: LayerState
LAYER_STATE_SKIPPED: LayerState
LAYER_STATE_FAILED: LayerState
LAYER_REASON_UNSPECIFIED: LayerReason
LAYER_REASON_NOT_ASKED: LayerReason
LAYER_REASON_NOT_FLAGGED: LayerReason
LAYER_REASON_NO_TOOL_RESULT: LayerReason
LAYER_REASON_NO_CLAIM: LayerReason
LAYER_REASON_BACKEND_UNAVAILABLE: LayerReason
LAYER_REASON_OUT_OF_TIME: LayerReason
LAYER_REASON_NOT_ANSWERED: LayerReason
LAYER_REASON_TOO_LONG: LayerReason
LAYER_REASON_BUSY: LayerReason
ASSESSMENT_REASON_KIND_UNSPECIFIED: AssessmentReasonKind
ASSESSMENT_REASON_KIND_LIVE_DATA: AssessmentReasonKind
ASSESSMENT_REASON_KIND_CURRENCY: AssessmentReasonKind
ASSESSMENT_REASON_KIND_NUMBER: AssessmentReasonKind
ASSESSMENT_REASON_KIND_VALUE_DIFFERS: AssessmentReasonKind
ASSESSMENT_REASON_KIND_OVER_PRECISE: AssessmentReasonKind
ASSESSMENT_REASON_KIND_UNCERTAIN: AssessmentReasonKind
ASSESSMENT_REASON_KIND_MAKES_NO_SENSE: AssessmentReasonKind
ASSESSMENT_REASON_KIND_CONTRADICTS_ITSELF: AssessmentReasonKind
ASSESSMENT_REASON_KIND_LIVE_DATA_WITHOUT_CALL: AssessmentReasonKind
ASSESSMENT_REASON_KIND_VAGUE_AS_FACT: AssessmentReasonKind
ASSESSMENT_REASON_KIND_FABRICATED: AssessmentReasonKind
ASSESSMENT_REASON_KIND_NOT_ANSWERED: AssessmentReasonKind
ASSESSMENT_REASON_KIND_CLAIM_CONTRADICTED: AssessmentReasonKind
ASSESSMENT_REASON_KIND_CLAIM_UNSUPPORTED: AssessmentReasonKind
ASSESSMENT_REASON_KIND_CLAIM_UNREAD: AssessmentReasonKind
ASSESSMENT_REASON_KIND_CLAIM_AGAINST_THE_REST: AssessmentReasonKind
COMMON_SENSE_VERDICT_UNSPECIFIED: CommonSenseVerdict
COMMON_SENSE_VERDICT_OK: CommonSenseVerdict
COMMON_SENSE_VERDICT_QUESTIONABLE: CommonSenseVerdict
COMMON_SENSE_VERDICT_LIKELY_FABRICATED: CommonSenseVerdict

class AssessResponseRequest(_message.Message):
    __slots__ = ("question", "response", "tool_calls", "layers", "language", "backend", "skip_result_cache")
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALLS_FIELD_NUMBER: _ClassVar[int]
    LAYERS_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    BACKEND_FIELD_NUMBER: _ClassVar[int]
    SKIP_RESULT_CACHE_FIELD_NUMBER: _ClassVar[int]
    question: str
    response: str
    tool_calls: _containers.RepeatedCompositeFieldContainer[ToolCall]
    layers: _containers.RepeatedScalarFieldContainer[AssessmentLayer]
    language: str
    backend: str
    skip_result_cache: bool
    def __init__(self, question: _Optional[str] = ..., response: _Optional[str] = ..., tool_calls: _Optional[_Iterable[_Union[ToolCall, _Mapping]]] = ..., layers: _Optional[_Iterable[_Union[AssessmentLayer, str]]] = ..., language: _Optional[str] = ..., backend: _Optional[str] = ..., skip_result_cache: bool = ...) -> None: ...

class ToolCall(_message.Message):
    __slots__ = ("name", "arguments", "result", "error", "duration")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    name: str
    arguments: str
    result: str
    error: str
    duration: _duration_pb2.Duration
    def __init__(self, name: _Optional[str] = ..., arguments: _Optional[str] = ..., result: _Optional[str] = ..., error: _Optional[str] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class AssessResponseResponse(_message.Message):
    __slots__ = ("is_likely_hallucination", "confidence", "suggested_action", "reasons", "layers", "common_sense", "claims", "user_text", "language", "run")
    IS_LIKELY_HALLUCINATION_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    SUGGESTED_ACTION_FIELD_NUMBER: _ClassVar[int]
    REASONS_FIELD_NUMBER: _ClassVar[int]
    LAYERS_FIELD_NUMBER: _ClassVar[int]
    COMMON_SENSE_FIELD_NUMBER: _ClassVar[int]
    CLAIMS_FIELD_NUMBER: _ClassVar[int]
    USER_TEXT_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    is_likely_hallucination: bool
    confidence: float
    suggested_action: SuggestedAction
    reasons: _containers.RepeatedCompositeFieldContainer[AssessmentReason]
    layers: _containers.RepeatedCompositeFieldContainer[LayerReport]
    common_sense: CommonSenseReport
    claims: _containers.RepeatedCompositeFieldContainer[_hallucination_detection_pb2.AnswerClaim]
    user_text: UserText
    language: str
    run: _hallucination_detection_pb2.Run
    def __init__(self, is_likely_hallucination: bool = ..., confidence: _Optional[float] = ..., suggested_action: _Optional[_Union[SuggestedAction, str]] = ..., reasons: _Optional[_Iterable[_Union[AssessmentReason, _Mapping]]] = ..., layers: _Optional[_Iterable[_Union[LayerReport, _Mapping]]] = ..., common_sense: _Optional[_Union[CommonSenseReport, _Mapping]] = ..., claims: _Optional[_Iterable[_Union[_hallucination_detection_pb2.AnswerClaim, _Mapping]]] = ..., user_text: _Optional[_Union[UserText, _Mapping]] = ..., language: _Optional[str] = ..., run: _Optional[_Union[_hallucination_detection_pb2.Run, _Mapping]] = ...) -> None: ...

class LayerReport(_message.Message):
    __slots__ = ("layer", "state", "reason", "score", "duration", "cut_characters")
    LAYER_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    CUT_CHARACTERS_FIELD_NUMBER: _ClassVar[int]
    layer: AssessmentLayer
    state: LayerState
    reason: LayerReason
    score: float
    duration: _duration_pb2.Duration
    cut_characters: int
    def __init__(self, layer: _Optional[_Union[AssessmentLayer, str]] = ..., state: _Optional[_Union[LayerState, str]] = ..., reason: _Optional[_Union[LayerReason, str]] = ..., score: _Optional[float] = ..., duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., cut_characters: _Optional[int] = ...) -> None: ...

class AssessmentReason(_message.Message):
    __slots__ = ("layer", "kind", "text")
    LAYER_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    layer: AssessmentLayer
    kind: AssessmentReasonKind
    text: str
    def __init__(self, layer: _Optional[_Union[AssessmentLayer, str]] = ..., kind: _Optional[_Union[AssessmentReasonKind, str]] = ..., text: _Optional[str] = ...) -> None: ...

class CommonSenseReport(_message.Message):
    __slots__ = ("makes_logical_sense", "has_contradictions", "verdict", "concerns", "answers")
    MAKES_LOGICAL_SENSE_FIELD_NUMBER: _ClassVar[int]
    HAS_CONTRADICTIONS_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    CONCERNS_FIELD_NUMBER: _ClassVar[int]
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    makes_logical_sense: bool
    has_contradictions: bool
    verdict: CommonSenseVerdict
    concerns: _containers.RepeatedScalarFieldContainer[AssessmentReasonKind]
    answers: _containers.RepeatedCompositeFieldContainer[CommonSenseAnswer]
    def __init__(self, makes_logical_sense: bool = ..., has_contradictions: bool = ..., verdict: _Optional[_Union[CommonSenseVerdict, str]] = ..., concerns: _Optional[_Iterable[_Union[AssessmentReasonKind, str]]] = ..., answers: _Optional[_Iterable[_Union[CommonSenseAnswer, _Mapping]]] = ...) -> None: ...

class CommonSenseAnswer(_message.Message):
    __slots__ = ("question", "kind", "answered", "shares", "concern")
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    ANSWERED_FIELD_NUMBER: _ClassVar[int]
    SHARES_FIELD_NUMBER: _ClassVar[int]
    CONCERN_FIELD_NUMBER: _ClassVar[int]
    question: str
    kind: AssessmentReasonKind
    answered: bool
    shares: _hallucination_detection_pb2.Stance
    concern: float
    def __init__(self, question: _Optional[str] = ..., kind: _Optional[_Union[AssessmentReasonKind, str]] = ..., answered: bool = ..., shares: _Optional[_Union[_hallucination_detection_pb2.Stance, _Mapping]] = ..., concern: _Optional[float] = ...) -> None: ...

class UserText(_message.Message):
    __slots__ = ("badge", "text", "hides_response")
    BADGE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    HIDES_RESPONSE_FIELD_NUMBER: _ClassVar[int]
    badge: str
    text: str
    hides_response: bool
    def __init__(self, badge: _Optional[str] = ..., text: _Optional[str] = ..., hides_response: bool = ...) -> None: ...

from groundwire.v1 import hallucination_detection_pb2 as _hallucination_detection_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GateDecision(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GATE_DECISION_UNSPECIFIED: _ClassVar[GateDecision]
    GATE_DECISION_ACCEPTED: _ClassVar[GateDecision]
    GATE_DECISION_REJECTED: _ClassVar[GateDecision]
    GATE_DECISION_ACCEPTED_UNVERIFIED: _ClassVar[GateDecision]
    GATE_DECISION_ACCEPTED_UNSUPPORTED: _ClassVar[GateDecision]

class GateReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GATE_REASON_UNSPECIFIED: _ClassVar[GateReason]
    GATE_REASON_GROUNDED: _ClassVar[GateReason]
    GATE_REASON_FACT_NOT_GROUNDED: _ClassVar[GateReason]
    GATE_REASON_CONTRADICTED: _ClassVar[GateReason]
    GATE_REASON_BELOW_MIN_CONFIDENCE: _ClassVar[GateReason]
    GATE_REASON_OUT_OF_TIME: _ClassVar[GateReason]
    GATE_REASON_OVERLOADED: _ClassVar[GateReason]
    GATE_REASON_BACKEND_UNAVAILABLE: _ClassVar[GateReason]
GATE_DECISION_UNSPECIFIED: GateDecision
GATE_DECISION_ACCEPTED: GateDecision
GATE_DECISION_REJECTED: GateDecision
GATE_DECISION_ACCEPTED_UNVERIFIED: GateDecision
GATE_DECISION_ACCEPTED_UNSUPPORTED: GateDecision
GATE_REASON_UNSPECIFIED: GateReason
GATE_REASON_GROUNDED: GateReason
GATE_REASON_FACT_NOT_GROUNDED: GateReason
GATE_REASON_CONTRADICTED: GateReason
GATE_REASON_BELOW_MIN_CONFIDENCE: GateReason
GATE_REASON_OUT_OF_TIME: GateReason
GATE_REASON_OVERLOADED: GateReason
GATE_REASON_BACKEND_UNAVAILABLE: GateReason

class Fact(_message.Message):
    __slots__ = ("text", "id", "confidence", "cited_ids", "evidence_index")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    CITED_IDS_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_INDEX_FIELD_NUMBER: _ClassVar[int]
    text: str
    id: str
    confidence: float
    cited_ids: _containers.RepeatedScalarFieldContainer[str]
    evidence_index: int
    def __init__(self, text: _Optional[str] = ..., id: _Optional[str] = ..., confidence: _Optional[float] = ..., cited_ids: _Optional[_Iterable[str]] = ..., evidence_index: _Optional[int] = ...) -> None: ...

class CheckFactsRequest(_message.Message):
    __slots__ = ("facts", "evidence", "backend", "skip_result_cache", "split_long_context")
    FACTS_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    BACKEND_FIELD_NUMBER: _ClassVar[int]
    SKIP_RESULT_CACHE_FIELD_NUMBER: _ClassVar[int]
    SPLIT_LONG_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    facts: _containers.RepeatedCompositeFieldContainer[Fact]
    evidence: _containers.RepeatedCompositeFieldContainer[_hallucination_detection_pb2.Evidence]
    backend: str
    skip_result_cache: bool
    split_long_context: bool
    def __init__(self, facts: _Optional[_Iterable[_Union[Fact, _Mapping]]] = ..., evidence: _Optional[_Iterable[_Union[_hallucination_detection_pb2.Evidence, _Mapping]]] = ..., backend: _Optional[str] = ..., skip_result_cache: bool = ..., split_long_context: bool = ...) -> None: ...

class CheckedFact(_message.Message):
    __slots__ = ("id", "decision", "reason", "reason_text", "confidence", "verdict")
    ID_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REASON_TEXT_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    id: str
    decision: GateDecision
    reason: GateReason
    reason_text: str
    confidence: float
    verdict: _hallucination_detection_pb2.ClaimVerdict
    def __init__(self, id: _Optional[str] = ..., decision: _Optional[_Union[GateDecision, str]] = ..., reason: _Optional[_Union[GateReason, str]] = ..., reason_text: _Optional[str] = ..., confidence: _Optional[float] = ..., verdict: _Optional[_Union[_hallucination_detection_pb2.ClaimVerdict, _Mapping]] = ...) -> None: ...

class CheckFactsResponse(_message.Message):
    __slots__ = ("facts", "run")
    FACTS_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    facts: _containers.RepeatedCompositeFieldContainer[CheckedFact]
    run: _hallucination_detection_pb2.Run
    def __init__(self, facts: _Optional[_Iterable[_Union[CheckedFact, _Mapping]]] = ..., run: _Optional[_Union[_hallucination_detection_pb2.Run, _Mapping]] = ...) -> None: ...

from groundwire.v1 import hallucination_detection_pb2 as _hallucination_detection_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class EvidenceVerdict(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EVIDENCE_VERDICT_UNSPECIFIED: _ClassVar[EvidenceVerdict]
    EVIDENCE_VERDICT_GROUNDED: _ClassVar[EvidenceVerdict]
    EVIDENCE_VERDICT_WEAK: _ClassVar[EvidenceVerdict]
    EVIDENCE_VERDICT_HALLUCINATED: _ClassVar[EvidenceVerdict]
    EVIDENCE_VERDICT_NOT_VERIFIED: _ClassVar[EvidenceVerdict]

class EvidenceReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EVIDENCE_REASON_UNSPECIFIED: _ClassVar[EvidenceReason]
    EVIDENCE_REASON_STRONG_EVIDENCE: _ClassVar[EvidenceReason]
    EVIDENCE_REASON_PARTIAL_EVIDENCE: _ClassVar[EvidenceReason]
    EVIDENCE_REASON_EVIDENCE_DIVIDED: _ClassVar[EvidenceReason]
    EVIDENCE_REASON_CONTRADICTED: _ClassVar[EvidenceReason]
    EVIDENCE_REASON_NO_EVIDENCE: _ClassVar[EvidenceReason]
    EVIDENCE_REASON_WEAK_EVIDENCE: _ClassVar[EvidenceReason]
    EVIDENCE_REASON_RETRIEVAL_FAILED: _ClassVar[EvidenceReason]
    EVIDENCE_REASON_LABEL_MASS_BELOW_FLOOR: _ClassVar[EvidenceReason]
    EVIDENCE_REASON_TOO_LONG: _ClassVar[EvidenceReason]
    EVIDENCE_REASON_NON_ASSERTIVE: _ClassVar[EvidenceReason]
    EVIDENCE_REASON_TOO_SHORT: _ClassVar[EvidenceReason]
    EVIDENCE_REASON_BEYOND_MAX_CLAIMS: _ClassVar[EvidenceReason]
    EVIDENCE_REASON_OUT_OF_TIME: _ClassVar[EvidenceReason]
    EVIDENCE_REASON_BACKEND_FAILED: _ClassVar[EvidenceReason]
    EVIDENCE_REASON_INCOMPLETE: _ClassVar[EvidenceReason]

class Relation(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RELATION_UNSPECIFIED: _ClassVar[Relation]
    RELATION_SUPPORTS: _ClassVar[Relation]
    RELATION_WEAK_SUPPORT: _ClassVar[Relation]
    RELATION_CONTRADICTS: _ClassVar[Relation]
    RELATION_UNRELATED: _ClassVar[Relation]
    RELATION_UNREAD: _ClassVar[Relation]

class Contradiction(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONTRADICTION_UNSPECIFIED: _ClassVar[Contradiction]
    CONTRADICTION_DIRECT_NEGATION: _ClassVar[Contradiction]
    CONTRADICTION_NUMERIC: _ClassVar[Contradiction]
    CONTRADICTION_TEMPORAL: _ClassVar[Contradiction]
    CONTRADICTION_ENTITY: _ClassVar[Contradiction]

class RelationDecidedBy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RELATION_DECIDED_BY_UNSPECIFIED: _ClassVar[RelationDecidedBy]
    RELATION_DECIDED_BY_MODEL: _ClassVar[RelationDecidedBy]
    RELATION_DECIDED_BY_RULE: _ClassVar[RelationDecidedBy]

class RawConfidenceSource(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RAW_CONFIDENCE_SOURCE_UNSPECIFIED: _ClassVar[RawConfidenceSource]
    RAW_CONFIDENCE_SOURCE_TEXT: _ClassVar[RawConfidenceSource]
    RAW_CONFIDENCE_SOURCE_MODEL: _ClassVar[RawConfidenceSource]
    RAW_CONFIDENCE_SOURCE_PLAIN: _ClassVar[RawConfidenceSource]

class Penalty(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PENALTY_UNSPECIFIED: _ClassVar[Penalty]
    PENALTY_NO_EVIDENCE: _ClassVar[Penalty]
    PENALTY_CONTRADICTION: _ClassVar[Penalty]
    PENALTY_WEAK_EVIDENCE: _ClassVar[Penalty]
    PENALTY_VAGUE_LANGUAGE: _ClassVar[Penalty]
EVIDENCE_VERDICT_UNSPECIFIED: EvidenceVerdict
EVIDENCE_VERDICT_GROUNDED: EvidenceVerdict
EVIDENCE_VERDICT_WEAK: EvidenceVerdict
EVIDENCE_VERDICT_HALLUCINATED: EvidenceVerdict
EVIDENCE_VERDICT_NOT_VERIFIED: EvidenceVerdict
EVIDENCE_REASON_UNSPECIFIED: EvidenceReason
EVIDENCE_REASON_STRONG_EVIDENCE: EvidenceReason
EVIDENCE_REASON_PARTIAL_EVIDENCE: EvidenceReason
EVIDENCE_REASON_EVIDENCE_DIVIDED: EvidenceReason
EVIDENCE_REASON_CONTRADICTED: EvidenceReason
EVIDENCE_REASON_NO_EVIDENCE: EvidenceReason
EVIDENCE_REASON_WEAK_EVIDENCE: EvidenceReason
EVIDENCE_REASON_RETRIEVAL_FAILED: EvidenceReason
EVIDENCE_REASON_LABEL_MASS_BELOW_FLOOR: EvidenceReason
EVIDENCE_REASON_TOO_LONG: EvidenceReason
EVIDENCE_REASON_NON_ASSERTIVE: EvidenceReason
EVIDENCE_REASON_TOO_SHORT: EvidenceReason
EVIDENCE_REASON_BEYOND_MAX_CLAIMS: EvidenceReason
EVIDENCE_REASON_OUT_OF_TIME: EvidenceReason
EVIDENCE_REASON_BACKEND_FAILED: EvidenceReason
EVIDENCE_REASON_INCOMPLETE: EvidenceReason
RELATION_UNSPECIFIED: Relation
RELATION_SUPPORTS: Relation
RELATION_WEAK_SUPPORT: Relation
RELATION_CONTRADICTS: Relation
RELATION_UNRELATED: Relation
RELATION_UNREAD: Relation
CONTRADICTION_UNSPECIFIED: Contradiction
CONTRADICTION_DIRECT_NEGATION: Contradiction
CONTRADICTION_NUMERIC: Contradiction
CONTRADICTION_TEMPORAL: Contradiction
CONTRADICTION_ENTITY: Contradiction
RELATION_DECIDED_BY_UNSPECIFIED: RelationDecidedBy
RELATION_DECIDED_BY_MODEL: RelationDecidedBy
RELATION_DECIDED_BY_RULE: RelationDecidedBy
RAW_CONFIDENCE_SOURCE_UNSPECIFIED: RawConfidenceSource
RAW_CONFIDENCE_SOURCE_TEXT: RawConfidenceSource
RAW_CONFIDENCE_SOURCE_MODEL: RawConfidenceSource
RAW_CONFIDENCE_SOURCE_PLAIN: RawConfidenceSource
PENALTY_UNSPECIFIED: Penalty
PENALTY_NO_EVIDENCE: Penalty
PENALTY_CONTRADICTION: Penalty
PENALTY_WEAK_EVIDENCE: Penalty
PENALTY_VAGUE_LANGUAGE: Penalty

class SearchCorpusRequest(_message.Message):
    __slots__ = ("query", "corpus", "max_passages")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    CORPUS_FIELD_NUMBER: _ClassVar[int]
    MAX_PASSAGES_FIELD_NUMBER: _ClassVar[int]
    query: str
    corpus: str
    max_passages: int
    def __init__(self, query: _Optional[str] = ..., corpus: _Optional[str] = ..., max_passages: _Optional[int] = ...) -> None: ...

class SearchCorpusResponse(_message.Message):
    __slots__ = ("passages", "corpus")
    PASSAGES_FIELD_NUMBER: _ClassVar[int]
    CORPUS_FIELD_NUMBER: _ClassVar[int]
    passages: _containers.RepeatedCompositeFieldContainer[_hallucination_detection_pb2.RetrievedSource]
    corpus: str
    def __init__(self, passages: _Optional[_Iterable[_Union[_hallucination_detection_pb2.RetrievedSource, _Mapping]]] = ..., corpus: _Optional[str] = ...) -> None: ...

class AnalyzeTextRequest(_message.Message):
    __slots__ = ("text", "corpus", "extract", "options")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    CORPUS_FIELD_NUMBER: _ClassVar[int]
    EXTRACT_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    text: str
    corpus: str
    extract: _hallucination_detection_pb2.ExtractOptions
    options: _hallucination_detection_pb2.VerifyOptions
    def __init__(self, text: _Optional[str] = ..., corpus: _Optional[str] = ..., extract: _Optional[_Union[_hallucination_detection_pb2.ExtractOptions, _Mapping]] = ..., options: _Optional[_Union[_hallucination_detection_pb2.VerifyOptions, _Mapping]] = ...) -> None: ...

class AnalyzeTextResponse(_message.Message):
    __slots__ = ("claims", "notice", "language", "corpus", "run", "rules")
    CLAIMS_FIELD_NUMBER: _ClassVar[int]
    NOTICE_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    CORPUS_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    claims: _containers.RepeatedCompositeFieldContainer[ClaimAnalysis]
    notice: str
    language: str
    corpus: str
    run: _hallucination_detection_pb2.Run
    rules: RiskRules
    def __init__(self, claims: _Optional[_Iterable[_Union[ClaimAnalysis, _Mapping]]] = ..., notice: _Optional[str] = ..., language: _Optional[str] = ..., corpus: _Optional[str] = ..., run: _Optional[_Union[_hallucination_detection_pb2.Run, _Mapping]] = ..., rules: _Optional[_Union[RiskRules, _Mapping]] = ...) -> None: ...

class ClaimAnalysis(_message.Message):
    __slots__ = ("claim", "verdict", "reason", "reason_text", "is_uncertain", "evidence", "numbers", "budget", "contradictions", "explanation")
    CLAIM_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REASON_TEXT_FIELD_NUMBER: _ClassVar[int]
    IS_UNCERTAIN_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    NUMBERS_FIELD_NUMBER: _ClassVar[int]
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    CONTRADICTIONS_FIELD_NUMBER: _ClassVar[int]
    EXPLANATION_FIELD_NUMBER: _ClassVar[int]
    claim: _hallucination_detection_pb2.Claim
    verdict: EvidenceVerdict
    reason: EvidenceReason
    reason_text: str
    is_uncertain: bool
    evidence: _containers.RepeatedCompositeFieldContainer[RelatedPassage]
    numbers: RiskNumbers
    budget: _hallucination_detection_pb2.ClaimVerdict
    contradictions: _containers.RepeatedScalarFieldContainer[Contradiction]
    explanation: str
    def __init__(self, claim: _Optional[_Union[_hallucination_detection_pb2.Claim, _Mapping]] = ..., verdict: _Optional[_Union[EvidenceVerdict, str]] = ..., reason: _Optional[_Union[EvidenceReason, str]] = ..., reason_text: _Optional[str] = ..., is_uncertain: bool = ..., evidence: _Optional[_Iterable[_Union[RelatedPassage, _Mapping]]] = ..., numbers: _Optional[_Union[RiskNumbers, _Mapping]] = ..., budget: _Optional[_Union[_hallucination_detection_pb2.ClaimVerdict, _Mapping]] = ..., contradictions: _Optional[_Iterable[_Union[Contradiction, str]]] = ..., explanation: _Optional[str] = ...) -> None: ...

class RelatedPassage(_message.Message):
    __slots__ = ("document", "title", "text", "start", "end", "similarity", "dated", "is_old", "relation", "sentence", "decided_by", "contradiction", "detail", "stance", "dated_by")
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    SIMILARITY_FIELD_NUMBER: _ClassVar[int]
    DATED_FIELD_NUMBER: _ClassVar[int]
    IS_OLD_FIELD_NUMBER: _ClassVar[int]
    RELATION_FIELD_NUMBER: _ClassVar[int]
    SENTENCE_FIELD_NUMBER: _ClassVar[int]
    DECIDED_BY_FIELD_NUMBER: _ClassVar[int]
    CONTRADICTION_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    STANCE_FIELD_NUMBER: _ClassVar[int]
    DATED_BY_FIELD_NUMBER: _ClassVar[int]
    document: str
    title: str
    text: str
    start: int
    end: int
    similarity: float
    dated: str
    is_old: bool
    relation: Relation
    sentence: str
    decided_by: RelationDecidedBy
    contradiction: Contradiction
    detail: str
    stance: _hallucination_detection_pb2.Stance
    dated_by: str
    def __init__(self, document: _Optional[str] = ..., title: _Optional[str] = ..., text: _Optional[str] = ..., start: _Optional[int] = ..., end: _Optional[int] = ..., similarity: _Optional[float] = ..., dated: _Optional[str] = ..., is_old: bool = ..., relation: _Optional[_Union[Relation, str]] = ..., sentence: _Optional[str] = ..., decided_by: _Optional[_Union[RelationDecidedBy, str]] = ..., contradiction: _Optional[_Union[Contradiction, str]] = ..., detail: _Optional[str] = ..., stance: _Optional[_Union[_hallucination_detection_pb2.Stance, _Mapping]] = ..., dated_by: _Optional[str] = ...) -> None: ...

class RiskNumbers(_message.Message):
    __slots__ = ("evidence_strength", "strength_low", "strength_high", "raw_confidence", "raw_source", "penalties", "calibrated_confidence", "risk")
    EVIDENCE_STRENGTH_FIELD_NUMBER: _ClassVar[int]
    STRENGTH_LOW_FIELD_NUMBER: _ClassVar[int]
    STRENGTH_HIGH_FIELD_NUMBER: _ClassVar[int]
    RAW_CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    RAW_SOURCE_FIELD_NUMBER: _ClassVar[int]
    PENALTIES_FIELD_NUMBER: _ClassVar[int]
    CALIBRATED_CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    RISK_FIELD_NUMBER: _ClassVar[int]
    evidence_strength: float
    strength_low: float
    strength_high: float
    raw_confidence: float
    raw_source: RawConfidenceSource
    penalties: _containers.RepeatedCompositeFieldContainer[AppliedPenalty]
    calibrated_confidence: float
    risk: float
    def __init__(self, evidence_strength: _Optional[float] = ..., strength_low: _Optional[float] = ..., strength_high: _Optional[float] = ..., raw_confidence: _Optional[float] = ..., raw_source: _Optional[_Union[RawConfidenceSource, str]] = ..., penalties: _Optional[_Iterable[_Union[AppliedPenalty, _Mapping]]] = ..., calibrated_confidence: _Optional[float] = ..., risk: _Optional[float] = ...) -> None: ...

class AppliedPenalty(_message.Message):
    __slots__ = ("penalty", "points")
    PENALTY_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    penalty: Penalty
    points: float
    def __init__(self, penalty: _Optional[_Union[Penalty, str]] = ..., points: _Optional[float] = ...) -> None: ...

class RiskRules(_message.Message):
    __slots__ = ("no_evidence_penalty", "contradiction_penalty", "weak_evidence_penalty", "vague_language_penalty", "hallucination_threshold", "grounded_threshold", "raw_weight")
    NO_EVIDENCE_PENALTY_FIELD_NUMBER: _ClassVar[int]
    CONTRADICTION_PENALTY_FIELD_NUMBER: _ClassVar[int]
    WEAK_EVIDENCE_PENALTY_FIELD_NUMBER: _ClassVar[int]
    VAGUE_LANGUAGE_PENALTY_FIELD_NUMBER: _ClassVar[int]
    HALLUCINATION_THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    GROUNDED_THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    RAW_WEIGHT_FIELD_NUMBER: _ClassVar[int]
    no_evidence_penalty: float
    contradiction_penalty: float
    weak_evidence_penalty: float
    vague_language_penalty: float
    hallucination_threshold: float
    grounded_threshold: float
    raw_weight: float
    def __init__(self, no_evidence_penalty: _Optional[float] = ..., contradiction_penalty: _Optional[float] = ..., weak_evidence_penalty: _Optional[float] = ..., vague_language_penalty: _Optional[float] = ..., hallucination_threshold: _Optional[float] = ..., grounded_threshold: _Optional[float] = ..., raw_weight: _Optional[float] = ...) -> None: ...

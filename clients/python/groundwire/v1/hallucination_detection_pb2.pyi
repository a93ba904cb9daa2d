from groundwire.v1 import verifier_backend_pb2 as _verifier_backend_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CitationStyle(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CITATION_STYLE_UNSPECIFIED: _ClassVar[CitationStyle]
    CITATION_STYLE_SQUARE: _ClassVar[CitationStyle]
    CITATION_STYLE_CARET: _ClassVar[CitationStyle]
    CITATION_STYLE_LENTICULAR: _ClassVar[CitationStyle]

class Extractor(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EXTRACTOR_UNSPECIFIED: _ClassVar[Extractor]
    EXTRACTOR_RULES: _ClassVar[Extractor]
    EXTRACTOR_MODEL: _ClassVar[Extractor]

class ExtractorFallback(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EXTRACTOR_FALLBACK_UNSPECIFIED: _ClassVar[ExtractorFallback]
    EXTRACTOR_FALLBACK_BACKEND_FAILED: _ClassVar[ExtractorFallback]
    EXTRACTOR_FALLBACK_OUT_OF_TIME: _ClassVar[ExtractorFallback]
    EXTRACTOR_FALLBACK_TOO_LONG: _ClassVar[ExtractorFallback]
    EXTRACTOR_FALLBACK_CUT_SHORT: _ClassVar[ExtractorFallback]
    EXTRACTOR_FALLBACK_MALFORMED: _ClassVar[ExtractorFallback]
    EXTRACTOR_FALLBACK_NOTHING_TRACED: _ClassVar[ExtractorFallback]

class ConfidenceSource(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONFIDENCE_SOURCE_UNSPECIFIED: _ClassVar[ConfidenceSource]
    CONFIDENCE_SOURCE_STATED: _ClassVar[ConfidenceSource]
    CONFIDENCE_SOURCE_INFERRED: _ClassVar[ConfidenceSource]
    CONFIDENCE_SOURCE_REQUEST: _ClassVar[ConfidenceSource]
    CONFIDENCE_SOURCE_DEFAULT: _ClassVar[ConfidenceSource]

class NonAssertiveReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    NON_ASSERTIVE_REASON_UNSPECIFIED: _ClassVar[NonAssertiveReason]
    NON_ASSERTIVE_REASON_QUESTION: _ClassVar[NonAssertiveReason]
    NON_ASSERTIVE_REASON_INSTRUCTION: _ClassVar[NonAssertiveReason]
    NON_ASSERTIVE_REASON_HEDGED: _ClassVar[NonAssertiveReason]
    NON_ASSERTIVE_REASON_CODE: _ClassVar[NonAssertiveReason]
    NON_ASSERTIVE_REASON_HEADING: _ClassVar[NonAssertiveReason]
    NON_ASSERTIVE_REASON_LEAD_IN: _ClassVar[NonAssertiveReason]
    NON_ASSERTIVE_REASON_ABSENCE: _ClassVar[NonAssertiveReason]

class Policy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    POLICY_UNSPECIFIED: _ClassVar[Policy]
    POLICY_BUDGET: _ClassVar[Policy]
    POLICY_GROUNDING_SCORE: _ClassVar[Policy]

class Read(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    READ_UNSPECIFIED: _ClassVar[Read]
    READ_AUTO: _ClassVar[Read]
    READ_PASSAGES: _ClassVar[Read]
    READ_WHOLE: _ClassVar[Read]

class TurnRole(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TURN_ROLE_UNSPECIFIED: _ClassVar[TurnRole]
    TURN_ROLE_SYSTEM: _ClassVar[TurnRole]
    TURN_ROLE_USER: _ClassVar[TurnRole]
    TURN_ROLE_ASSISTANT: _ClassVar[TurnRole]
    TURN_ROLE_TOOL: _ClassVar[TurnRole]

class EditKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EDIT_KIND_UNSPECIFIED: _ClassVar[EditKind]
    EDIT_KIND_VALUE_REPLACED: _ClassVar[EditKind]
    EDIT_KIND_NAME_REPLACED: _ClassVar[EditKind]
    EDIT_KIND_WORD_REPLACED: _ClassVar[EditKind]
    EDIT_KIND_CLAUSE_LEFT_OUT: _ClassVar[EditKind]
    EDIT_KIND_CITATION_CHANGED: _ClassVar[EditKind]
    EDIT_KIND_SENTENCE_LEFT_OUT: _ClassVar[EditKind]
    EDIT_KIND_REWRITTEN: _ClassVar[EditKind]

class DraftStopReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DRAFT_STOP_REASON_UNSPECIFIED: _ClassVar[DraftStopReason]
    DRAFT_STOP_REASON_CONTRADICTED: _ClassVar[DraftStopReason]
    DRAFT_STOP_REASON_SHARE_GROUNDED: _ClassVar[DraftStopReason]

class Verdict(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VERDICT_UNSPECIFIED: _ClassVar[Verdict]
    VERDICT_SUPPORTED: _ClassVar[Verdict]
    VERDICT_UNSUPPORTED: _ClassVar[Verdict]
    VERDICT_CONTRADICTED: _ClassVar[Verdict]
    VERDICT_PRIOR_KNOWLEDGE: _ClassVar[Verdict]
    VERDICT_NOT_VERIFIED: _ClassVar[Verdict]
    VERDICT_MISCITED: _ClassVar[Verdict]
    VERDICT_UNCERTAIN: _ClassVar[Verdict]

class VerdictReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VERDICT_REASON_UNSPECIFIED: _ClassVar[VerdictReason]
    VERDICT_REASON_BUDGET_COVERED: _ClassVar[VerdictReason]
    VERDICT_REASON_SCORE_REACHED: _ClassVar[VerdictReason]
    VERDICT_REASON_BUDGET_EXCEEDED: _ClassVar[VerdictReason]
    VERDICT_REASON_LOW_POSTERIOR: _ClassVar[VerdictReason]
    VERDICT_REASON_SCORE_MISSED: _ClassVar[VerdictReason]
    VERDICT_REASON_EVIDENCE_AGAINST: _ClassVar[VerdictReason]
    VERDICT_REASON_EVIDENCE_UNUSED: _ClassVar[VerdictReason]
    VERDICT_REASON_MODEL_SAYS_NO: _ClassVar[VerdictReason]
    VERDICT_REASON_HIGH_PRIOR: _ClassVar[VerdictReason]
    VERDICT_REASON_UNKNOWN_CITATION: _ClassVar[VerdictReason]
    VERDICT_REASON_LABEL_MASS_BELOW_FLOOR: _ClassVar[VerdictReason]
    VERDICT_REASON_NON_ASSERTIVE: _ClassVar[VerdictReason]
    VERDICT_REASON_TOO_SHORT: _ClassVar[VerdictReason]
    VERDICT_REASON_BEYOND_MAX_CLAIMS: _ClassVar[VerdictReason]
    VERDICT_REASON_TOO_LONG: _ClassVar[VerdictReason]
    VERDICT_REASON_OUT_OF_TIME: _ClassVar[VerdictReason]
    VERDICT_REASON_BACKEND_FAILED: _ClassVar[VerdictReason]
    VERDICT_REASON_OTHER_SOURCE: _ClassVar[VerdictReason]
    VERDICT_REASON_INTERVAL_TOO_WIDE: _ClassVar[VerdictReason]
    VERDICT_REASON_TOO_FEW_SAMPLES: _ClassVar[VerdictReason]
    VERDICT_REASON_INCOMPLETE: _ClassVar[VerdictReason]
    VERDICT_REASON_CORROBORATED: _ClassVar[VerdictReason]
    VERDICT_REASON_FALSE_ABSENCE: _ClassVar[VerdictReason]
    VERDICT_REASON_UNSTATED_CODE: _ClassVar[VerdictReason]
    VERDICT_REASON_CELL_SAYS_OTHERWISE: _ClassVar[VerdictReason]

class CitationStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CITATION_STATUS_UNSPECIFIED: _ClassVar[CitationStatus]
    CITATION_STATUS_NONE: _ClassVar[CitationStatus]
    CITATION_STATUS_KNOWN: _ClassVar[CitationStatus]
    CITATION_STATUS_UNKNOWN: _ClassVar[CitationStatus]

class PassageRelation(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PASSAGE_RELATION_UNSPECIFIED: _ClassVar[PassageRelation]
    PASSAGE_RELATION_SUPPORTS: _ClassVar[PassageRelation]
    PASSAGE_RELATION_CONTRADICTS: _ClassVar[PassageRelation]

class SpanKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SPAN_KIND_UNSPECIFIED: _ClassVar[SpanKind]
    SPAN_KIND_NUMBER: _ClassVar[SpanKind]
    SPAN_KIND_DATE: _ClassVar[SpanKind]
    SPAN_KIND_NAME: _ClassVar[SpanKind]
    SPAN_KIND_RELATION: _ClassVar[SpanKind]
    SPAN_KIND_QUANTIFIER: _ClassVar[SpanKind]
    SPAN_KIND_NEGATION: _ClassVar[SpanKind]
    SPAN_KIND_MODALITY: _ClassVar[SpanKind]
    SPAN_KIND_CAUSE: _ClassVar[SpanKind]
    SPAN_KIND_DETAIL: _ClassVar[SpanKind]

class DerivedOperation(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DERIVED_OPERATION_UNSPECIFIED: _ClassVar[DerivedOperation]
    DERIVED_OPERATION_COUNT: _ClassVar[DerivedOperation]
    DERIVED_OPERATION_SUM: _ClassVar[DerivedOperation]
    DERIVED_OPERATION_DIFFERENCE: _ClassVar[DerivedOperation]
    DERIVED_OPERATION_PRODUCT: _ClassVar[DerivedOperation]
    DERIVED_OPERATION_SHARE: _ClassVar[DerivedOperation]
    DERIVED_OPERATION_DATE: _ClassVar[DerivedOperation]

class Role(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ROLE_UNSPECIFIED: _ClassVar[Role]
    ROLE_CARRIES: _ClassVar[Role]
    ROLE_REDUNDANT: _ClassVar[Role]
    ROLE_DECORATION: _ClassVar[Role]
CITATION_STYLE_UNSPECIFIED: CitationStyle
CITATION_STYLE_SQUARE: CitationStyle
CITATION_STYLE_CARET: CitationStyle
CITATION_STYLE_LENTICULAR: CitationStyle
EXTRACTOR_UNSPECIFIED: Extractor
EXTRACTOR_RULES: Extractor
EXTRACTOR_MODEL: Extractor
EXTRACTOR_FALLBACK_UNSPECIFIED: ExtractorFallback
EXTRACTOR_FALLBACK_BACKEND_FAILED: ExtractorFallback
EXTRACTOR_FALLBACK_OUT_OF_TIME: ExtractorFallback
EXTRACTOR_FALLBACK_TOO_LONG: ExtractorFallback
EXTRACTOR_FALLBACK_CUT_SHORT: ExtractorFallback
EXTRACTOR_FALLBACK_MALFORMED: ExtractorFallback
EXTRACTOR_FALLBACK_NOTHING_TRACED: ExtractorFallback
CONFIDENCE_SOURCE_UNSPECIFIED: ConfidenceSource
CONFIDENCE_SOURCE_STATED: ConfidenceSource
CONFIDENCE_SOURCE_INFERRED: ConfidenceSource
CONFIDENCE_SOURCE_REQUEST: ConfidenceSource
CONFIDENCE_SOURCE_DEFAULT: ConfidenceSource
NON_ASSERTIVE_REASON_UNSPECIFIED: NonAssertiveReason
NON_ASSERTIVE_REASON_QUESTION: NonAssertiveReason
NON_ASSERTIVE_REASON_INSTRUCTION: NonAssertiveReason
NON_ASSERTIVE_REASON_HEDGED: NonAssertiveReason
NON_ASSERTIVE_REASON_CODE: NonAssertiveReason
NON_ASSERTIVE_REASON_HEADING: NonAssertiveReason
NON_ASSERTIVE_REASON_LEAD_IN: NonAssertiveReason
NON_ASSERTIVE_REASON_ABSENCE: NonAssertiveReason
POLICY_UNSPECIFIED: Policy
POLICY_BUDGET: Policy
POLICY_GROUNDING_SCORE: Policy
READ_UNSPECIFIED: Read
READ_AUTO: Read
READ_PASSAGES: Read
READ_WHOLE: Read
TURN_ROLE_UNSPECIFIED: TurnRole
TURN_ROLE_SYSTEM: TurnRole
TURN_ROLE_USER: TurnRole
TURN_ROLE_ASSISTANT: TurnRole
TURN_ROLE_TOOL: TurnRole
EDIT_KIND_UNSPECIFIED: EditKind
EDIT_KIND_VALUE_REPLACED: EditKind
EDIT_KIND_NAME_REPLACED: EditKind
EDIT_KIND_WORD_REPLACED: EditKind
EDIT_KIND_CLAUSE_LEFT_OUT: EditKind
EDIT_KIND_CITATION_CHANGED: EditKind
EDIT_KIND_SENTENCE_LEFT_OUT: EditKind
EDIT_KIND_REWRITTEN: EditKind
DRAFT_STOP_REASON_UNSPECIFIED: DraftStopReason
DRAFT_STOP_REASON_CONTRADICTED: DraftStopReason
DRAFT_STOP_REASON_SHARE_GROUNDED: DraftStopReason
VERDICT_UNSPECIFIED: Verdict
VERDICT_SUPPORTED: Verdict
VERDICT_UNSUPPORTED: Verdict
VERDICT_CONTRADICTED: Verdict
VERDICT_PRIOR_KNOWLEDGE: Verdict
VERDICT_NOT_VERIFIED: Verdict
VERDICT_MISCITED: Verdict
VERDICT_UNCERTAIN: Verdict
VERDICT_REASON_UNSPECIFIED: VerdictReason
VERDICT_REASON_BUDGET_COVERED: VerdictReason
VERDICT_REASON_SCORE_REACHED: VerdictReason
VERDICT_REASON_BUDGET_EXCEEDED: VerdictReason
VERDICT_REASON_LOW_POSTERIOR: VerdictReason
VERDICT_REASON_SCORE_MISSED: VerdictReason
VERDICT_REASON_EVIDENCE_AGAINST: VerdictReason
VERDICT_REASON_EVIDENCE_UNUSED: VerdictReason
VERDICT_REASON_MODEL_SAYS_NO: VerdictReason
VERDICT_REASON_HIGH_PRIOR: VerdictReason
VERDICT_REASON_UNKNOWN_CITATION: VerdictReason
VERDICT_REASON_LABEL_MASS_BELOW_FLOOR: VerdictReason
VERDICT_REASON_NON_ASSERTIVE: VerdictReason
VERDICT_REASON_TOO_SHORT: VerdictReason
VERDICT_REASON_BEYOND_MAX_CLAIMS: VerdictReason
VERDICT_REASON_TOO_LONG: VerdictReason
VERDICT_REASON_OUT_OF_TIME: VerdictReason
VERDICT_REASON_BACKEND_FAILED: VerdictReason
VERDICT_REASON_OTHER_SOURCE: VerdictReason
VERDICT_REASON_INTERVAL_TOO_WIDE: VerdictReason
VERDICT_REASON_TOO_FEW_SAMPLES: VerdictReason
VERDICT_REASON_INCOMPLETE: VerdictReason
VERDICT_REASON_CORROBORATED: VerdictReason
VERDICT_REASON_FALSE_ABSENCE: VerdictReason
VERDICT_REASON_UNSTATED_CODE: VerdictReason
VERDICT_REASON_CELL_SAYS_OTHERWISE: VerdictReason
CITATION_STATUS_UNSPECIFIED: CitationStatus
CITATION_STATUS_NONE: CitationStatus
CITATION_STATUS_KNOWN: CitationStatus
CITATION_STATUS_UNKNOWN: CitationStatus
PASSAGE_RELATION_UNSPECIFIED: PassageRelation
PASSAGE_RELATION_SUPPORTS: PassageRelation
PASSAGE_RELATION_CONTRADICTS: PassageRelation
SPAN_KIND_UNSPECIFIED: SpanKind
SPAN_KIND_NUMBER: SpanKind
SPAN_KIND_DATE: SpanKind
SPAN_KIND_NAME: SpanKind
SPAN_KIND_RELATION: SpanKind
SPAN_KIND_QUANTIFIER: SpanKind
SPAN_KIND_NEGATION: SpanKind
SPAN_KIND_MODALITY: SpanKind
SPAN_KIND_CAUSE: SpanKind
SPAN_KIND_DETAIL: SpanKind
DERIVED_OPERATION_UNSPECIFIED: DerivedOperation
DERIVED_OPERATION_COUNT: DerivedOperation
DERIVED_OPERATION_SUM: DerivedOperation
DERIVED_OPERATION_DIFFERENCE: DerivedOperation
DERIVED_OPERATION_PRODUCT: DerivedOperation
DERIVED_OPERATION_SHARE: DerivedOperation
DERIVED_OPERATION_DATE: DerivedOperation
ROLE_UNSPECIFIED: Role
ROLE_CARRIES: Role
ROLE_REDUNDANT: Role
ROLE_DECORATION: Role

class Span(_message.Message):
    __slots__ = ("start", "end")
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    start: int
    end: int
    def __init__(self, start: _Optional[int] = ..., end: _Optional[int] = ...) -> None: ...

class Source(_message.Message):
    __slots__ = ("id", "document", "range")
    ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    RANGE_FIELD_NUMBER: _ClassVar[int]
    id: str
    document: Document
    range: Span
    def __init__(self, id: _Optional[str] = ..., document: _Optional[_Union[Document, _Mapping]] = ..., range: _Optional[_Union[Span, _Mapping]] = ...) -> None: ...

class Document(_message.Message):
    __slots__ = ("text", "title")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    text: str
    title: str
    def __init__(self, text: _Optional[str] = ..., title: _Optional[str] = ...) -> None: ...

class Evidence(_message.Message):
    __slots__ = ("sources", "context")
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    sources: _containers.RepeatedCompositeFieldContainer[Source]
    context: str
    def __init__(self, sources: _Optional[_Iterable[_Union[Source, _Mapping]]] = ..., context: _Optional[str] = ...) -> None: ...

class ExtractOptions(_message.Message):
    __slots__ = ("citation_styles", "citation_prefixes", "min_assertion_confidence", "keep_compounds", "extractor", "known_ids")
    CITATION_STYLES_FIELD_NUMBER: _ClassVar[int]
    CITATION_PREFIXES_FIELD_NUMBER: _ClassVar[int]
    MIN_ASSERTION_CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    KEEP_COMPOUNDS_FIELD_NUMBER: _ClassVar[int]
    EXTRACTOR_FIELD_NUMBER: _ClassVar[int]
    KNOWN_IDS_FIELD_NUMBER: _ClassVar[int]
    citation_styles: _containers.RepeatedScalarFieldContainer[CitationStyle]
    citation_prefixes: _containers.RepeatedScalarFieldContainer[str]
    min_assertion_confidence: float
    keep_compounds: bool
    extractor: Extractor
    known_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, citation_styles: _Optional[_Iterable[_Union[CitationStyle, str]]] = ..., citation_prefixes: _Optional[_Iterable[str]] = ..., min_assertion_confidence: _Optional[float] = ..., keep_compounds: bool = ..., extractor: _Optional[_Union[Extractor, str]] = ..., known_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class Extraction(_message.Message):
    __slots__ = ("extractor", "fallback", "dropped_claims", "restored_claims", "backend", "model")
    EXTRACTOR_FIELD_NUMBER: _ClassVar[int]
    FALLBACK_FIELD_NUMBER: _ClassVar[int]
    DROPPED_CLAIMS_FIELD_NUMBER: _ClassVar[int]
    RESTORED_CLAIMS_FIELD_NUMBER: _ClassVar[int]
    BACKEND_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    extractor: Extractor
    fallback: ExtractorFallback
    dropped_claims: int
    restored_claims: int
    backend: str
    model: str
    def __init__(self, extractor: _Optional[_Union[Extractor, str]] = ..., fallback: _Optional[_Union[ExtractorFallback, str]] = ..., dropped_claims: _Optional[int] = ..., restored_claims: _Optional[int] = ..., backend: _Optional[str] = ..., model: _Optional[str] = ...) -> None: ...

class ExtractClaimsRequest(_message.Message):
    __slots__ = ("text", "source_ids", "options")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    SOURCE_IDS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    text: str
    source_ids: _containers.RepeatedScalarFieldContainer[str]
    options: ExtractOptions
    def __init__(self, text: _Optional[str] = ..., source_ids: _Optional[_Iterable[str]] = ..., options: _Optional[_Union[ExtractOptions, _Mapping]] = ...) -> None: ...

class ExtractClaimsResponse(_message.Message):
    __slots__ = ("claims", "language", "extraction", "rules")
    CLAIMS_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    EXTRACTION_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    claims: _containers.RepeatedCompositeFieldContainer[Claim]
    language: str
    extraction: Extraction
    rules: str
    def __init__(self, claims: _Optional[_Iterable[_Union[Claim, _Mapping]]] = ..., language: _Optional[str] = ..., extraction: _Optional[_Union[Extraction, _Mapping]] = ..., rules: _Optional[str] = ...) -> None: ...

class Claim(_message.Message):
    __slots__ = ("content", "span", "citations", "confidence", "confidence_source", "non_assertive_reason", "language")
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    SPAN_FIELD_NUMBER: _ClassVar[int]
    CITATIONS_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_SOURCE_FIELD_NUMBER: _ClassVar[int]
    NON_ASSERTIVE_REASON_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    content: str
    span: Span
    citations: _containers.RepeatedCompositeFieldContainer[Citation]
    confidence: float
    confidence_source: ConfidenceSource
    non_assertive_reason: NonAssertiveReason
    language: str
    def __init__(self, content: _Optional[str] = ..., span: _Optional[_Union[Span, _Mapping]] = ..., citations: _Optional[_Iterable[_Union[Citation, _Mapping]]] = ..., confidence: _Optional[float] = ..., confidence_source: _Optional[_Union[ConfidenceSource, str]] = ..., non_assertive_reason: _Optional[_Union[NonAssertiveReason, str]] = ..., language: _Optional[str] = ...) -> None: ...

class Citation(_message.Message):
    __slots__ = ("span", "ids")
    SPAN_FIELD_NUMBER: _ClassVar[int]
    IDS_FIELD_NUMBER: _ClassVar[int]
    span: Span
    ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, span: _Optional[_Union[Span, _Mapping]] = ..., ids: _Optional[_Iterable[str]] = ...) -> None: ...

class Thresholds(_message.Message):
    __slots__ = ("default_confidence", "min_posterior", "prior_margin", "max_gap_bits", "min_contradiction", "min_evidence_use", "score_bonus_posterior", "min_grounding_score", "min_grounded_ratio", "max_unsupported_posterior", "min_miscitation", "max_contradicted")
    DEFAULT_CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    MIN_POSTERIOR_FIELD_NUMBER: _ClassVar[int]
    PRIOR_MARGIN_FIELD_NUMBER: _ClassVar[int]
    MAX_GAP_BITS_FIELD_NUMBER: _ClassVar[int]
    MIN_CONTRADICTION_FIELD_NUMBER: _ClassVar[int]
    MIN_EVIDENCE_USE_FIELD_NUMBER: _ClassVar[int]
    SCORE_BONUS_POSTERIOR_FIELD_NUMBER: _ClassVar[int]
    MIN_GROUNDING_SCORE_FIELD_NUMBER: _ClassVar[int]
    MIN_GROUNDED_RATIO_FIELD_NUMBER: _ClassVar[int]
    MAX_UNSUPPORTED_POSTERIOR_FIELD_NUMBER: _ClassVar[int]
    MIN_MISCITATION_FIELD_NUMBER: _ClassVar[int]
    MAX_CONTRADICTED_FIELD_NUMBER: _ClassVar[int]
    default_confidence: float
    min_posterior: float
    prior_margin: float
    max_gap_bits: float
    min_contradiction: float
    min_evidence_use: float
    score_bonus_posterior: float
    min_grounding_score: float
    min_grounded_ratio: float
    max_unsupported_posterior: float
    min_miscitation: float
    max_contradicted: int
    def __init__(self, default_confidence: _Optional[float] = ..., min_posterior: _Optional[float] = ..., prior_margin: _Optional[float] = ..., max_gap_bits: _Optional[float] = ..., min_contradiction: _Optional[float] = ..., min_evidence_use: _Optional[float] = ..., score_bonus_posterior: _Optional[float] = ..., min_grounding_score: _Optional[float] = ..., min_grounded_ratio: _Optional[float] = ..., max_unsupported_posterior: _Optional[float] = ..., min_miscitation: _Optional[float] = ..., max_contradicted: _Optional[int] = ...) -> None: ...

class VerifyOptions(_message.Message):
    __slots__ = ("policy", "thresholds", "marker", "attribute_citations", "max_claims", "min_claim_characters", "include_non_assertive", "backend", "skip_result_cache", "split_long_context", "skip_non_evidence", "strictness", "read", "max_contradicted", "explain")
    POLICY_FIELD_NUMBER: _ClassVar[int]
    THRESHOLDS_FIELD_NUMBER: _ClassVar[int]
    MARKER_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTE_CITATIONS_FIELD_NUMBER: _ClassVar[int]
    MAX_CLAIMS_FIELD_NUMBER: _ClassVar[int]
    MIN_CLAIM_CHARACTERS_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_NON_ASSERTIVE_FIELD_NUMBER: _ClassVar[int]
    BACKEND_FIELD_NUMBER: _ClassVar[int]
    SKIP_RESULT_CACHE_FIELD_NUMBER: _ClassVar[int]
    SPLIT_LONG_CONTEXT_FIELD_NUMBER: _ClassVar[int]
    SKIP_NON_EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    STRICTNESS_FIELD_NUMBER: _ClassVar[int]
    READ_FIELD_NUMBER: _ClassVar[int]
    MAX_CONTRADICTED_FIELD_NUMBER: _ClassVar[int]
    EXPLAIN_FIELD_NUMBER: _ClassVar[int]
    policy: Policy
    thresholds: Thresholds
    marker: str
    attribute_citations: bool
    max_claims: int
    min_claim_characters: int
    include_non_assertive: bool
    backend: str
    skip_result_cache: bool
    split_long_context: bool
    skip_non_evidence: bool
    strictness: _verifier_backend_pb2.Strictness
    read: Read
    max_contradicted: int
    explain: bool
    def __init__(self, policy: _Optional[_Union[Policy, str]] = ..., thresholds: _Optional[_Union[Thresholds, _Mapping]] = ..., marker: _Optional[str] = ..., attribute_citations: bool = ..., max_claims: _Optional[int] = ..., min_claim_characters: _Optional[int] = ..., include_non_assertive: bool = ..., backend: _Optional[str] = ..., skip_result_cache: bool = ..., split_long_context: bool = ..., skip_non_evidence: bool = ..., strictness: _Optional[_Union[_verifier_backend_pb2.Strictness, str]] = ..., read: _Optional[_Union[Read, str]] = ..., max_contradicted: _Optional[int] = ..., explain: bool = ...) -> None: ...

class ClaimInput(_message.Message):
    __slots__ = ("text", "cited_ids", "confidence")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    CITED_IDS_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    text: str
    cited_ids: _containers.RepeatedScalarFieldContainer[str]
    confidence: float
    def __init__(self, text: _Optional[str] = ..., cited_ids: _Optional[_Iterable[str]] = ..., confidence: _Optional[float] = ...) -> None: ...

class VerifyClaimsRequest(_message.Message):
    __slots__ = ("claims", "evidence", "options")
    CLAIMS_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    claims: _containers.RepeatedCompositeFieldContainer[ClaimInput]
    evidence: Evidence
    options: VerifyOptions
    def __init__(self, claims: _Optional[_Iterable[_Union[ClaimInput, _Mapping]]] = ..., evidence: _Optional[_Union[Evidence, _Mapping]] = ..., options: _Optional[_Union[VerifyOptions, _Mapping]] = ...) -> None: ...

class VerifyClaimsResponse(_message.Message):
    __slots__ = ("verdicts", "run")
    VERDICTS_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    verdicts: _containers.RepeatedCompositeFieldContainer[ClaimVerdict]
    run: Run
    def __init__(self, verdicts: _Optional[_Iterable[_Union[ClaimVerdict, _Mapping]]] = ..., run: _Optional[_Union[Run, _Mapping]] = ...) -> None: ...

class VerifyAnswerRequest(_message.Message):
    __slots__ = ("answer", "evidence", "question", "extract", "options", "corpus", "language", "turns", "correct")
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    EXTRACT_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    CORPUS_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    TURNS_FIELD_NUMBER: _ClassVar[int]
    CORRECT_FIELD_NUMBER: _ClassVar[int]
    answer: str
    evidence: Evidence
    question: str
    extract: ExtractOptions
    options: VerifyOptions
    corpus: str
    language: str
    turns: _containers.RepeatedCompositeFieldContainer[Turn]
    correct: bool
    def __init__(self, answer: _Optional[str] = ..., evidence: _Optional[_Union[Evidence, _Mapping]] = ..., question: _Optional[str] = ..., extract: _Optional[_Union[ExtractOptions, _Mapping]] = ..., options: _Optional[_Union[VerifyOptions, _Mapping]] = ..., corpus: _Optional[str] = ..., language: _Optional[str] = ..., turns: _Optional[_Iterable[_Union[Turn, _Mapping]]] = ..., correct: bool = ...) -> None: ...

class Turn(_message.Message):
    __slots__ = ("role", "text", "id", "name")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    role: TurnRole
    text: str
    id: str
    name: str
    def __init__(self, role: _Optional[_Union[TurnRole, str]] = ..., text: _Optional[str] = ..., id: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class RetrievedSource(_message.Message):
    __slots__ = ("id", "document", "title", "text", "span", "similarity", "dated", "dated_by")
    ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    SPAN_FIELD_NUMBER: _ClassVar[int]
    SIMILARITY_FIELD_NUMBER: _ClassVar[int]
    DATED_FIELD_NUMBER: _ClassVar[int]
    DATED_BY_FIELD_NUMBER: _ClassVar[int]
    id: str
    document: str
    title: str
    text: str
    span: Span
    similarity: float
    dated: str
    dated_by: str
    def __init__(self, id: _Optional[str] = ..., document: _Optional[str] = ..., title: _Optional[str] = ..., text: _Optional[str] = ..., span: _Optional[_Union[Span, _Mapping]] = ..., similarity: _Optional[float] = ..., dated: _Optional[str] = ..., dated_by: _Optional[str] = ...) -> None: ...

class VerifyAnswerResponse(_message.Message):
    __slots__ = ("claims", "summary", "run", "extraction", "sources", "correction")
    CLAIMS_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    EXTRACTION_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    CORRECTION_FIELD_NUMBER: _ClassVar[int]
    claims: _containers.RepeatedCompositeFieldContainer[AnswerClaim]
    summary: AnswerSummary
    run: Run
    extraction: Extraction
    sources: _containers.RepeatedCompositeFieldContainer[RetrievedSource]
    correction: Correction
    def __init__(self, claims: _Optional[_Iterable[_Union[AnswerClaim, _Mapping]]] = ..., summary: _Optional[_Union[AnswerSummary, _Mapping]] = ..., run: _Optional[_Union[Run, _Mapping]] = ..., extraction: _Optional[_Union[Extraction, _Mapping]] = ..., sources: _Optional[_Iterable[_Union[RetrievedSource, _Mapping]]] = ..., correction: _Optional[_Union[Correction, _Mapping]] = ...) -> None: ...

class Correction(_message.Message):
    __slots__ = ("corrected_answer", "edits", "summary", "untried_claims")
    CORRECTED_ANSWER_FIELD_NUMBER: _ClassVar[int]
    EDITS_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    UNTRIED_CLAIMS_FIELD_NUMBER: _ClassVar[int]
    corrected_answer: str
    edits: _containers.RepeatedCompositeFieldContainer[Edit]
    summary: AnswerSummary
    untried_claims: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, corrected_answer: _Optional[str] = ..., edits: _Optional[_Iterable[_Union[Edit, _Mapping]]] = ..., summary: _Optional[_Union[AnswerSummary, _Mapping]] = ..., untried_claims: _Optional[_Iterable[int]] = ...) -> None: ...

class Edit(_message.Message):
    __slots__ = ("span", "replacement", "kind", "source_id", "source_span", "claim_index", "probability")
    SPAN_FIELD_NUMBER: _ClassVar[int]
    REPLACEMENT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    SOURCE_SPAN_FIELD_NUMBER: _ClassVar[int]
    CLAIM_INDEX_FIELD_NUMBER: _ClassVar[int]
    PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    span: Span
    replacement: str
    kind: EditKind
    source_id: str
    source_span: Span
    claim_index: int
    probability: float
    def __init__(self, span: _Optional[_Union[Span, _Mapping]] = ..., replacement: _Optional[str] = ..., kind: _Optional[_Union[EditKind, str]] = ..., source_id: _Optional[str] = ..., source_span: _Optional[_Union[Span, _Mapping]] = ..., claim_index: _Optional[int] = ..., probability: _Optional[float] = ...) -> None: ...

class VerifyAnswerStreamRequest(_message.Message):
    __slots__ = ("request",)
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    request: VerifyAnswerRequest
    def __init__(self, request: _Optional[_Union[VerifyAnswerRequest, _Mapping]] = ...) -> None: ...

class VerifyAnswerStreamResponse(_message.Message):
    __slots__ = ("found", "known", "report")
    FOUND_FIELD_NUMBER: _ClassVar[int]
    KNOWN_FIELD_NUMBER: _ClassVar[int]
    REPORT_FIELD_NUMBER: _ClassVar[int]
    found: ClaimsFound
    known: ClaimKnown
    report: VerifyAnswerResponse
    def __init__(self, found: _Optional[_Union[ClaimsFound, _Mapping]] = ..., known: _Optional[_Union[ClaimKnown, _Mapping]] = ..., report: _Optional[_Union[VerifyAnswerResponse, _Mapping]] = ...) -> None: ...

class ClaimsFound(_message.Message):
    __slots__ = ("claims",)
    CLAIMS_FIELD_NUMBER: _ClassVar[int]
    claims: _containers.RepeatedCompositeFieldContainer[AnswerClaim]
    def __init__(self, claims: _Optional[_Iterable[_Union[AnswerClaim, _Mapping]]] = ...) -> None: ...

class ClaimKnown(_message.Message):
    __slots__ = ("index", "verdict")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    index: int
    verdict: ClaimVerdict
    def __init__(self, index: _Optional[int] = ..., verdict: _Optional[_Union[ClaimVerdict, _Mapping]] = ...) -> None: ...

class VerifyDraftRequest(_message.Message):
    __slots__ = ("start", "text", "end")
    START_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    start: DraftStart
    text: str
    end: DraftEnd
    def __init__(self, start: _Optional[_Union[DraftStart, _Mapping]] = ..., text: _Optional[str] = ..., end: _Optional[_Union[DraftEnd, _Mapping]] = ...) -> None: ...

class DraftStart(_message.Message):
    __slots__ = ("request", "stop_at_contradicted", "min_share_grounded")
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    STOP_AT_CONTRADICTED_FIELD_NUMBER: _ClassVar[int]
    MIN_SHARE_GROUNDED_FIELD_NUMBER: _ClassVar[int]
    request: VerifyAnswerRequest
    stop_at_contradicted: bool
    min_share_grounded: float
    def __init__(self, request: _Optional[_Union[VerifyAnswerRequest, _Mapping]] = ..., stop_at_contradicted: bool = ..., min_share_grounded: _Optional[float] = ...) -> None: ...

class DraftEnd(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class VerifyDraftResponse(_message.Message):
    __slots__ = ("ready", "verdict", "settled", "stop", "report")
    READY_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    SETTLED_FIELD_NUMBER: _ClassVar[int]
    STOP_FIELD_NUMBER: _ClassVar[int]
    REPORT_FIELD_NUMBER: _ClassVar[int]
    ready: DraftReady
    verdict: DraftVerdict
    settled: DraftSettled
    stop: DraftStop
    report: VerifyAnswerResponse
    def __init__(self, ready: _Optional[_Union[DraftReady, _Mapping]] = ..., verdict: _Optional[_Union[DraftVerdict, _Mapping]] = ..., settled: _Optional[_Union[DraftSettled, _Mapping]] = ..., stop: _Optional[_Union[DraftStop, _Mapping]] = ..., report: _Optional[_Union[VerifyAnswerResponse, _Mapping]] = ...) -> None: ...

class DraftReady(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class DraftVerdict(_message.Message):
    __slots__ = ("index", "claim")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    CLAIM_FIELD_NUMBER: _ClassVar[int]
    index: int
    claim: AnswerClaim
    def __init__(self, index: _Optional[int] = ..., claim: _Optional[_Union[AnswerClaim, _Mapping]] = ...) -> None: ...

class DraftSettled(_message.Message):
    __slots__ = ("characters",)
    CHARACTERS_FIELD_NUMBER: _ClassVar[int]
    characters: int
    def __init__(self, characters: _Optional[int] = ...) -> None: ...

class DraftStop(_message.Message):
    __slots__ = ("reason", "index", "characters")
    REASON_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    CHARACTERS_FIELD_NUMBER: _ClassVar[int]
    reason: DraftStopReason
    index: int
    characters: int
    def __init__(self, reason: _Optional[_Union[DraftStopReason, str]] = ..., index: _Optional[int] = ..., characters: _Optional[int] = ...) -> None: ...

class AnswerClaim(_message.Message):
    __slots__ = ("claim", "verdict")
    CLAIM_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    claim: Claim
    verdict: ClaimVerdict
    def __init__(self, claim: _Optional[_Union[Claim, _Mapping]] = ..., verdict: _Optional[_Union[ClaimVerdict, _Mapping]] = ...) -> None: ...

class ClaimVerdict(_message.Message):
    __slots__ = ("verdict", "reason", "reason_text", "grounded", "warning", "citation_status", "cited_ids", "unknown_ids", "posterior", "prior", "confidence", "confidence_source", "budget", "grounding_score", "evidence_use", "stance", "citation_roles", "closed_book", "prior_title_ids", "other_sources", "unstated_values", "read_passages", "derived_values", "cited_alone", "deciding_passages", "unsupported_spans", "conflicts", "explained")
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REASON_TEXT_FIELD_NUMBER: _ClassVar[int]
    GROUNDED_FIELD_NUMBER: _ClassVar[int]
    WARNING_FIELD_NUMBER: _ClassVar[int]
    CITATION_STATUS_FIELD_NUMBER: _ClassVar[int]
    CITED_IDS_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_IDS_FIELD_NUMBER: _ClassVar[int]
    POSTERIOR_FIELD_NUMBER: _ClassVar[int]
    PRIOR_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_SOURCE_FIELD_NUMBER: _ClassVar[int]
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    GROUNDING_SCORE_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_USE_FIELD_NUMBER: _ClassVar[int]
    STANCE_FIELD_NUMBER: _ClassVar[int]
    CITATION_ROLES_FIELD_NUMBER: _ClassVar[int]
    CLOSED_BOOK_FIELD_NUMBER: _ClassVar[int]
    PRIOR_TITLE_IDS_FIELD_NUMBER: _ClassVar[int]
    OTHER_SOURCES_FIELD_NUMBER: _ClassVar[int]
    UNSTATED_VALUES_FIELD_NUMBER: _ClassVar[int]
    READ_PASSAGES_FIELD_NUMBER: _ClassVar[int]
    DERIVED_VALUES_FIELD_NUMBER: _ClassVar[int]
    CITED_ALONE_FIELD_NUMBER: _ClassVar[int]
    DECIDING_PASSAGES_FIELD_NUMBER: _ClassVar[int]
    UNSUPPORTED_SPANS_FIELD_NUMBER: _ClassVar[int]
    CONFLICTS_FIELD_NUMBER: _ClassVar[int]
    EXPLAINED_FIELD_NUMBER: _ClassVar[int]
    verdict: Verdict
    reason: VerdictReason
    reason_text: str
    grounded: bool
    warning: str
    citation_status: CitationStatus
    cited_ids: _containers.RepeatedScalarFieldContainer[str]
    unknown_ids: _containers.RepeatedScalarFieldContainer[str]
    posterior: _verifier_backend_pb2.Estimate
    prior: _verifier_backend_pb2.Estimate
    confidence: float
    confidence_source: ConfidenceSource
    budget: Budget
    grounding_score: float
    evidence_use: float
    stance: Stance
    citation_roles: _containers.RepeatedCompositeFieldContainer[CitationRole]
    closed_book: _verifier_backend_pb2.Estimate
    prior_title_ids: _containers.RepeatedScalarFieldContainer[str]
    other_sources: _containers.RepeatedCompositeFieldContainer[OtherSource]
    unstated_values: _containers.RepeatedScalarFieldContainer[str]
    read_passages: _containers.RepeatedCompositeFieldContainer[ReadPassage]
    derived_values: _containers.RepeatedCompositeFieldContainer[DerivedValue]
    cited_alone: _verifier_backend_pb2.Estimate
    deciding_passages: _containers.RepeatedCompositeFieldContainer[DecidingPassage]
    unsupported_spans: _containers.RepeatedCompositeFieldContainer[UnsupportedSpan]
    conflicts: _containers.RepeatedCompositeFieldContainer[SourceConflict]
    explained: bool
    def __init__(self, verdict: _Optional[_Union[Verdict, str]] = ..., reason: _Optional[_Union[VerdictReason, str]] = ..., reason_text: _Optional[str] = ..., grounded: bool = ..., warning: _Optional[str] = ..., citation_status: _Optional[_Union[CitationStatus, str]] = ..., cited_ids: _Optional[_Iterable[str]] = ..., unknown_ids: _Optional[_Iterable[str]] = ..., posterior: _Optional[_Union[_verifier_backend_pb2.Estimate, _Mapping]] = ..., prior: _Optional[_Union[_verifier_backend_pb2.Estimate, _Mapping]] = ..., confidence: _Optional[float] = ..., confidence_source: _Optional[_Union[ConfidenceSource, str]] = ..., budget: _Optional[_Union[Budget, _Mapping]] = ..., grounding_score: _Optional[float] = ..., evidence_use: _Optional[float] = ..., stance: _Optional[_Union[Stance, _Mapping]] = ..., citation_roles: _Optional[_Iterable[_Union[CitationRole, _Mapping]]] = ..., closed_book: _Optional[_Union[_verifier_backend_pb2.Estimate, _Mapping]] = ..., prior_title_ids: _Optional[_Iterable[str]] = ..., other_sources: _Optional[_Iterable[_Union[OtherSource, _Mapping]]] = ..., unstated_values: _Optional[_Iterable[str]] = ..., read_passages: _Optional[_Iterable[_Union[ReadPassage, _Mapping]]] = ..., derived_values: _Optional[_Iterable[_Union[DerivedValue, _Mapping]]] = ..., cited_alone: _Optional[_Union[_verifier_backend_pb2.Estimate, _Mapping]] = ..., deciding_passages: _Optional[_Iterable[_Union[DecidingPassage, _Mapping]]] = ..., unsupported_spans: _Optional[_Iterable[_Union[UnsupportedSpan, _Mapping]]] = ..., conflicts: _Optional[_Iterable[_Union[SourceConflict, _Mapping]]] = ..., explained: bool = ...) -> None: ...

class DecidingPassage(_message.Message):
    __slots__ = ("source_id", "span", "text", "relation", "probability")
    SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    SPAN_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    RELATION_FIELD_NUMBER: _ClassVar[int]
    PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    source_id: str
    span: Span
    text: str
    relation: PassageRelation
    probability: float
    def __init__(self, source_id: _Optional[str] = ..., span: _Optional[_Union[Span, _Mapping]] = ..., text: _Optional[str] = ..., relation: _Optional[_Union[PassageRelation, str]] = ..., probability: _Optional[float] = ...) -> None: ...

class UnsupportedSpan(_message.Message):
    __slots__ = ("span", "kind")
    SPAN_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    span: Span
    kind: SpanKind
    def __init__(self, span: _Optional[_Union[Span, _Mapping]] = ..., kind: _Optional[_Union[SpanKind, str]] = ...) -> None: ...

class SourceConflict(_message.Message):
    __slots__ = ("passage", "newer_id")
    PASSAGE_FIELD_NUMBER: _ClassVar[int]
    NEWER_ID_FIELD_NUMBER: _ClassVar[int]
    passage: DecidingPassage
    newer_id: str
    def __init__(self, passage: _Optional[_Union[DecidingPassage, _Mapping]] = ..., newer_id: _Optional[str] = ...) -> None: ...

class ReadPassage(_message.Message):
    __slots__ = ("source_id", "span")
    SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    SPAN_FIELD_NUMBER: _ClassVar[int]
    source_id: str
    span: Span
    def __init__(self, source_id: _Optional[str] = ..., span: _Optional[_Union[Span, _Mapping]] = ...) -> None: ...

class DerivedValue(_message.Message):
    __slots__ = ("value", "operation", "operands")
    VALUE_FIELD_NUMBER: _ClassVar[int]
    OPERATION_FIELD_NUMBER: _ClassVar[int]
    OPERANDS_FIELD_NUMBER: _ClassVar[int]
    value: str
    operation: DerivedOperation
    operands: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, value: _Optional[str] = ..., operation: _Optional[_Union[DerivedOperation, str]] = ..., operands: _Optional[_Iterable[str]] = ...) -> None: ...

class OtherSource(_message.Message):
    __slots__ = ("id", "probability", "carries")
    ID_FIELD_NUMBER: _ClassVar[int]
    PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    CARRIES_FIELD_NUMBER: _ClassVar[int]
    id: str
    probability: float
    carries: bool
    def __init__(self, id: _Optional[str] = ..., probability: _Optional[float] = ..., carries: bool = ...) -> None: ...

class Budget(_message.Message):
    __slots__ = ("required_bits", "observed_bits", "gap_bits", "required_exceeds_observed", "required_nats", "observed_nats", "gap_nats", "min_gap_bits", "max_gap_bits")
    REQUIRED_BITS_FIELD_NUMBER: _ClassVar[int]
    OBSERVED_BITS_FIELD_NUMBER: _ClassVar[int]
    GAP_BITS_FIELD_NUMBER: _ClassVar[int]
    REQUIRED_EXCEEDS_OBSERVED_FIELD_NUMBER: _ClassVar[int]
    REQUIRED_NATS_FIELD_NUMBER: _ClassVar[int]
    OBSERVED_NATS_FIELD_NUMBER: _ClassVar[int]
    GAP_NATS_FIELD_NUMBER: _ClassVar[int]
    MIN_GAP_BITS_FIELD_NUMBER: _ClassVar[int]
    MAX_GAP_BITS_FIELD_NUMBER: _ClassVar[int]
    required_bits: float
    observed_bits: float
    gap_bits: float
    required_exceeds_observed: bool
    required_nats: float
    observed_nats: float
    gap_nats: float
    min_gap_bits: float
    max_gap_bits: float
    def __init__(self, required_bits: _Optional[float] = ..., observed_bits: _Optional[float] = ..., gap_bits: _Optional[float] = ..., required_exceeds_observed: bool = ..., required_nats: _Optional[float] = ..., observed_nats: _Optional[float] = ..., gap_nats: _Optional[float] = ..., min_gap_bits: _Optional[float] = ..., max_gap_bits: _Optional[float] = ...) -> None: ...

class Stance(_message.Message):
    __slots__ = ("yes", "no", "unsure", "label_mass")
    YES_FIELD_NUMBER: _ClassVar[int]
    NO_FIELD_NUMBER: _ClassVar[int]
    UNSURE_FIELD_NUMBER: _ClassVar[int]
    LABEL_MASS_FIELD_NUMBER: _ClassVar[int]
    yes: float
    no: float
    unsure: float
    label_mass: float
    def __init__(self, yes: _Optional[float] = ..., no: _Optional[float] = ..., unsure: _Optional[float] = ..., label_mass: _Optional[float] = ...) -> None: ...

class CitationRole(_message.Message):
    __slots__ = ("id", "role", "drop", "alone")
    ID_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    DROP_FIELD_NUMBER: _ClassVar[int]
    ALONE_FIELD_NUMBER: _ClassVar[int]
    id: str
    role: Role
    drop: float
    alone: float
    def __init__(self, id: _Optional[str] = ..., role: _Optional[_Union[Role, str]] = ..., drop: _Optional[float] = ..., alone: _Optional[float] = ...) -> None: ...

class AnswerSummary(_message.Message):
    __slots__ = ("overall_grounded", "grounded_claims", "total_claims", "grounding_ratio", "warning", "language", "skipped_claims", "unverified", "verified_share", "unclaimed_lines", "uncertain_claims", "review_order", "thoughts", "abstained", "complete", "plain_instructions", "text_language", "rules", "language_covered", "conflicting_claims", "unexplained_claims")
    OVERALL_GROUNDED_FIELD_NUMBER: _ClassVar[int]
    GROUNDED_CLAIMS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_CLAIMS_FIELD_NUMBER: _ClassVar[int]
    GROUNDING_RATIO_FIELD_NUMBER: _ClassVar[int]
    WARNING_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_CLAIMS_FIELD_NUMBER: _ClassVar[int]
    UNVERIFIED_FIELD_NUMBER: _ClassVar[int]
    VERIFIED_SHARE_FIELD_NUMBER: _ClassVar[int]
    UNCLAIMED_LINES_FIELD_NUMBER: _ClassVar[int]
    UNCERTAIN_CLAIMS_FIELD_NUMBER: _ClassVar[int]
    REVIEW_ORDER_FIELD_NUMBER: _ClassVar[int]
    THOUGHTS_FIELD_NUMBER: _ClassVar[int]
    ABSTAINED_FIELD_NUMBER: _ClassVar[int]
    COMPLETE_FIELD_NUMBER: _ClassVar[int]
    PLAIN_INSTRUCTIONS_FIELD_NUMBER: _ClassVar[int]
    TEXT_LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_COVERED_FIELD_NUMBER: _ClassVar[int]
    CONFLICTING_CLAIMS_FIELD_NUMBER: _ClassVar[int]
    UNEXPLAINED_CLAIMS_FIELD_NUMBER: _ClassVar[int]
    overall_grounded: bool
    grounded_claims: int
    total_claims: int
    grounding_ratio: float
    warning: str
    language: str
    skipped_claims: int
    unverified: _containers.RepeatedCompositeFieldContainer[UnverifiedClaims]
    verified_share: float
    unclaimed_lines: int
    uncertain_claims: int
    review_order: _containers.RepeatedScalarFieldContainer[int]
    thoughts: int
    abstained: bool
    complete: bool
    plain_instructions: int
    text_language: str
    rules: str
    language_covered: bool
    conflicting_claims: int
    unexplained_claims: int
    def __init__(self, overall_grounded: bool = ..., grounded_claims: _Optional[int] = ..., total_claims: _Optional[int] = ..., grounding_ratio: _Optional[float] = ..., warning: _Optional[str] = ..., language: _Optional[str] = ..., skipped_claims: _Optional[int] = ..., unverified: _Optional[_Iterable[_Union[UnverifiedClaims, _Mapping]]] = ..., verified_share: _Optional[float] = ..., unclaimed_lines: _Optional[int] = ..., uncertain_claims: _Optional[int] = ..., review_order: _Optional[_Iterable[int]] = ..., thoughts: _Optional[int] = ..., abstained: bool = ..., complete: bool = ..., plain_instructions: _Optional[int] = ..., text_language: _Optional[str] = ..., rules: _Optional[str] = ..., language_covered: bool = ..., conflicting_claims: _Optional[int] = ..., unexplained_claims: _Optional[int] = ...) -> None: ...

class UnverifiedClaims(_message.Message):
    __slots__ = ("reason", "non_assertive_reason", "claims")
    REASON_FIELD_NUMBER: _ClassVar[int]
    NON_ASSERTIVE_REASON_FIELD_NUMBER: _ClassVar[int]
    CLAIMS_FIELD_NUMBER: _ClassVar[int]
    reason: VerdictReason
    non_assertive_reason: NonAssertiveReason
    claims: int
    def __init__(self, reason: _Optional[_Union[VerdictReason, str]] = ..., non_assertive_reason: _Optional[_Union[NonAssertiveReason, str]] = ..., claims: _Optional[int] = ...) -> None: ...

class Run(_message.Message):
    __slots__ = ("policy", "thresholds", "strictness", "model", "prompt_version", "backend", "usage", "timing", "non_evidence", "skip_non_evidence", "detection_id", "uncalibrated")
    POLICY_FIELD_NUMBER: _ClassVar[int]
    THRESHOLDS_FIELD_NUMBER: _ClassVar[int]
    STRICTNESS_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    PROMPT_VERSION_FIELD_NUMBER: _ClassVar[int]
    BACKEND_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    TIMING_FIELD_NUMBER: _ClassVar[int]
    NON_EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    SKIP_NON_EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    DETECTION_ID_FIELD_NUMBER: _ClassVar[int]
    UNCALIBRATED_FIELD_NUMBER: _ClassVar[int]
    policy: Policy
    thresholds: Thresholds
    strictness: _verifier_backend_pb2.Strictness
    model: str
    prompt_version: str
    backend: str
    usage: SharedUsage
    timing: _verifier_backend_pb2.Timing
    non_evidence: _containers.RepeatedCompositeFieldContainer[NonEvidence]
    skip_non_evidence: bool
    detection_id: str
    uncalibrated: bool
    def __init__(self, policy: _Optional[_Union[Policy, str]] = ..., thresholds: _Optional[_Union[Thresholds, _Mapping]] = ..., strictness: _Optional[_Union[_verifier_backend_pb2.Strictness, str]] = ..., model: _Optional[str] = ..., prompt_version: _Optional[str] = ..., backend: _Optional[str] = ..., usage: _Optional[_Union[SharedUsage, _Mapping]] = ..., timing: _Optional[_Union[_verifier_backend_pb2.Timing, _Mapping]] = ..., non_evidence: _Optional[_Iterable[_Union[NonEvidence, _Mapping]]] = ..., skip_non_evidence: bool = ..., detection_id: _Optional[str] = ..., uncalibrated: bool = ...) -> None: ...

class NonEvidence(_message.Message):
    __slots__ = ("source_id", "span", "kind")
    SOURCE_ID_FIELD_NUMBER: _ClassVar[int]
    SPAN_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    source_id: str
    span: Span
    kind: NonAssertiveReason
    def __init__(self, source_id: _Optional[str] = ..., span: _Optional[_Union[Span, _Mapping]] = ..., kind: _Optional[_Union[NonAssertiveReason, str]] = ...) -> None: ...

class SharedUsage(_message.Message):
    __slots__ = ("distinct_prompts", "prompt_tokens", "computed_tokens", "minimal_tokens", "block_tokens")
    DISTINCT_PROMPTS_FIELD_NUMBER: _ClassVar[int]
    PROMPT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    COMPUTED_TOKENS_FIELD_NUMBER: _ClassVar[int]
    MINIMAL_TOKENS_FIELD_NUMBER: _ClassVar[int]
    BLOCK_TOKENS_FIELD_NUMBER: _ClassVar[int]
    distinct_prompts: int
    prompt_tokens: int
    computed_tokens: int
    minimal_tokens: int
    block_tokens: int
    def __init__(self, distinct_prompts: _Optional[int] = ..., prompt_tokens: _Optional[int] = ..., computed_tokens: _Optional[int] = ..., minimal_tokens: _Optional[int] = ..., block_tokens: _Optional[int] = ...) -> None: ...

from groundwire.v1 import errors_pb2 as _errors_pb2
from groundwire.v1 import hallucination_detection_pb2 as _hallucination_detection_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class VerificationState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VERIFICATION_STATE_UNSPECIFIED: _ClassVar[VerificationState]
    VERIFICATION_STATE_QUEUED: _ClassVar[VerificationState]
    VERIFICATION_STATE_RUNNING: _ClassVar[VerificationState]
    VERIFICATION_STATE_DONE: _ClassVar[VerificationState]
    VERIFICATION_STATE_SKIPPED: _ClassVar[VerificationState]
    VERIFICATION_STATE_FAILED: _ClassVar[VerificationState]

class SkipReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SKIP_REASON_UNSPECIFIED: _ClassVar[SkipReason]
    SKIP_REASON_QUEUE_FULL: _ClassVar[SkipReason]
    SKIP_REASON_OVERLOADED: _ClassVar[SkipReason]
VERIFICATION_STATE_UNSPECIFIED: VerificationState
VERIFICATION_STATE_QUEUED: VerificationState
VERIFICATION_STATE_RUNNING: VerificationState
VERIFICATION_STATE_DONE: VerificationState
VERIFICATION_STATE_SKIPPED: VerificationState
VERIFICATION_STATE_FAILED: VerificationState
SKIP_REASON_UNSPECIFIED: SkipReason
SKIP_REASON_QUEUE_FULL: SkipReason
SKIP_REASON_OVERLOADED: SkipReason

class ConversationDocument(_message.Message):
    __slots__ = ("id", "text", "title")
    ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    id: str
    text: str
    title: str
    def __init__(self, id: _Optional[str] = ..., text: _Optional[str] = ..., title: _Optional[str] = ...) -> None: ...

class StatedFormat(_message.Message):
    __slots__ = ("json", "list", "max_characters")
    JSON_FIELD_NUMBER: _ClassVar[int]
    LIST_FIELD_NUMBER: _ClassVar[int]
    MAX_CHARACTERS_FIELD_NUMBER: _ClassVar[int]
    json: JsonFormat
    list: ListFormat
    max_characters: int
    def __init__(self, json: _Optional[_Union[JsonFormat, _Mapping]] = ..., list: _Optional[_Union[ListFormat, _Mapping]] = ..., max_characters: _Optional[int] = ...) -> None: ...

class JsonFormat(_message.Message):
    __slots__ = ("schema",)
    SCHEMA_FIELD_NUMBER: _ClassVar[int]
    schema: str
    def __init__(self, schema: _Optional[str] = ...) -> None: ...

class ListFormat(_message.Message):
    __slots__ = ("min_items", "max_items")
    MIN_ITEMS_FIELD_NUMBER: _ClassVar[int]
    MAX_ITEMS_FIELD_NUMBER: _ClassVar[int]
    min_items: int
    max_items: int
    def __init__(self, min_items: _Optional[int] = ..., max_items: _Optional[int] = ...) -> None: ...

class SubmitVerificationRequest(_message.Message):
    __slots__ = ("response", "turns", "documents", "format", "question", "extract", "options")
    RESPONSE_FIELD_NUMBER: _ClassVar[int]
    TURNS_FIELD_NUMBER: _ClassVar[int]
    DOCUMENTS_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    EXTRACT_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    response: str
    turns: _containers.RepeatedCompositeFieldContainer[_hallucination_detection_pb2.Turn]
    documents: _containers.RepeatedCompositeFieldContainer[ConversationDocument]
    format: StatedFormat
    question: str
    extract: _hallucination_detection_pb2.ExtractOptions
    options: _hallucination_detection_pb2.VerifyOptions
    def __init__(self, response: _Optional[str] = ..., turns: _Optional[_Iterable[_Union[_hallucination_detection_pb2.Turn, _Mapping]]] = ..., documents: _Optional[_Iterable[_Union[ConversationDocument, _Mapping]]] = ..., format: _Optional[_Union[StatedFormat, _Mapping]] = ..., question: _Optional[str] = ..., extract: _Optional[_Union[_hallucination_detection_pb2.ExtractOptions, _Mapping]] = ..., options: _Optional[_Union[_hallucination_detection_pb2.VerifyOptions, _Mapping]] = ...) -> None: ...

class SubmitVerificationResponse(_message.Message):
    __slots__ = ("status",)
    STATUS_FIELD_NUMBER: _ClassVar[int]
    status: VerificationStatus
    def __init__(self, status: _Optional[_Union[VerificationStatus, _Mapping]] = ...) -> None: ...

class GetVerificationRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class GetVerificationResponse(_message.Message):
    __slots__ = ("status",)
    STATUS_FIELD_NUMBER: _ClassVar[int]
    status: VerificationStatus
    def __init__(self, status: _Optional[_Union[VerificationStatus, _Mapping]] = ...) -> None: ...

class WatchVerificationRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class WatchVerificationResponse(_message.Message):
    __slots__ = ("status",)
    STATUS_FIELD_NUMBER: _ClassVar[int]
    status: VerificationStatus
    def __init__(self, status: _Optional[_Union[VerificationStatus, _Mapping]] = ...) -> None: ...

class VerificationStatus(_message.Message):
    __slots__ = ("id", "state", "read_claims", "total_claims", "skip_reason", "failure_reason", "state_text", "result")
    ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    READ_CLAIMS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_CLAIMS_FIELD_NUMBER: _ClassVar[int]
    SKIP_REASON_FIELD_NUMBER: _ClassVar[int]
    FAILURE_REASON_FIELD_NUMBER: _ClassVar[int]
    STATE_TEXT_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    id: str
    state: VerificationState
    read_claims: int
    total_claims: int
    skip_reason: SkipReason
    failure_reason: _errors_pb2.ErrorReason
    state_text: str
    result: VerifiedOutput
    def __init__(self, id: _Optional[str] = ..., state: _Optional[_Union[VerificationState, str]] = ..., read_claims: _Optional[int] = ..., total_claims: _Optional[int] = ..., skip_reason: _Optional[_Union[SkipReason, str]] = ..., failure_reason: _Optional[_Union[_errors_pb2.ErrorReason, str]] = ..., state_text: _Optional[str] = ..., result: _Optional[_Union[VerifiedOutput, _Mapping]] = ...) -> None: ...

class VerifiedOutput(_message.Message):
    __slots__ = ("report", "format_violations", "risk_bits", "unread_claims", "flagged", "flag_threshold_bits", "instruction")
    REPORT_FIELD_NUMBER: _ClassVar[int]
    FORMAT_VIOLATIONS_FIELD_NUMBER: _ClassVar[int]
    RISK_BITS_FIELD_NUMBER: _ClassVar[int]
    UNREAD_CLAIMS_FIELD_NUMBER: _ClassVar[int]
    FLAGGED_FIELD_NUMBER: _ClassVar[int]
    FLAG_THRESHOLD_BITS_FIELD_NUMBER: _ClassVar[int]
    INSTRUCTION_FIELD_NUMBER: _ClassVar[int]
    report: _hallucination_detection_pb2.VerifyAnswerResponse
    format_violations: _containers.RepeatedCompositeFieldContainer[FormatViolation]
    risk_bits: float
    unread_claims: int
    flagged: bool
    flag_threshold_bits: float
    instruction: str
    def __init__(self, report: _Optional[_Union[_hallucination_detection_pb2.VerifyAnswerResponse, _Mapping]] = ..., format_violations: _Optional[_Iterable[_Union[FormatViolation, _Mapping]]] = ..., risk_bits: _Optional[float] = ..., unread_claims: _Optional[int] = ..., flagged: bool = ..., flag_threshold_bits: _Optional[float] = ..., instruction: _Optional[str] = ...) -> None: ...

class FormatViolation(_message.Message):
    __slots__ = ("pointer", "description")
    POINTER_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    pointer: str
    description: str
    def __init__(self, pointer: _Optional[str] = ..., description: _Optional[str] = ...) -> None: ...

from groundwire.v1 import hallucination_detection_pb2 as _hallucination_detection_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class StepStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STEP_STATUS_UNSPECIFIED: _ClassVar[StepStatus]
    STEP_STATUS_ENTAILED: _ClassVar[StepStatus]
    STEP_STATUS_CONTRADICTED: _ClassVar[StepStatus]
    STEP_STATUS_NOT_IN_CONTEXT: _ClassVar[StepStatus]
    STEP_STATUS_UNVERIFIABLE: _ClassVar[StepStatus]

class UnverifiableReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    UNVERIFIABLE_REASON_UNSPECIFIED: _ClassVar[UnverifiableReason]
    UNVERIFIABLE_REASON_NON_ASSERTIVE: _ClassVar[UnverifiableReason]
    UNVERIFIABLE_REASON_PLAN: _ClassVar[UnverifiableReason]
    UNVERIFIABLE_REASON_NO_EVIDENCE: _ClassVar[UnverifiableReason]
    UNVERIFIABLE_REASON_LABEL_MASS_BELOW_FLOOR: _ClassVar[UnverifiableReason]
    UNVERIFIABLE_REASON_TOO_LONG: _ClassVar[UnverifiableReason]
    UNVERIFIABLE_REASON_OUT_OF_TIME: _ClassVar[UnverifiableReason]
    UNVERIFIABLE_REASON_BACKEND_FAILED: _ClassVar[UnverifiableReason]
    UNVERIFIABLE_REASON_INTERVAL_TOO_WIDE: _ClassVar[UnverifiableReason]
    UNVERIFIABLE_REASON_TOO_FEW_SAMPLES: _ClassVar[UnverifiableReason]
    UNVERIFIABLE_REASON_VAGUE: _ClassVar[UnverifiableReason]
    UNVERIFIABLE_REASON_TOOL_CALL: _ClassVar[UnverifiableReason]

class PostHocStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    POST_HOC_STATUS_UNSPECIFIED: _ClassVar[PostHocStatus]
    POST_HOC_STATUS_FOLLOWS: _ClassVar[PostHocStatus]
    POST_HOC_STATUS_MISMATCH: _ClassVar[PostHocStatus]
    POST_HOC_STATUS_NOT_CHECKED: _ClassVar[PostHocStatus]

class PostHocReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    POST_HOC_REASON_UNSPECIFIED: _ClassVar[PostHocReason]
    POST_HOC_REASON_SAME_ANSWER: _ClassVar[PostHocReason]
    POST_HOC_REASON_OTHER_ANSWER: _ClassVar[PostHocReason]
    POST_HOC_REASON_NO_ANSWER_DERIVED: _ClassVar[PostHocReason]
    POST_HOC_REASON_STEPS_SUPPORT: _ClassVar[PostHocReason]
    POST_HOC_REASON_STEPS_DO_NOT_SUPPORT: _ClassVar[PostHocReason]
    POST_HOC_REASON_OTHER_CONCLUSION: _ClassVar[PostHocReason]
    POST_HOC_REASON_NO_ANSWER: _ClassVar[PostHocReason]
    POST_HOC_REASON_NOT_ASKED: _ClassVar[PostHocReason]
    POST_HOC_REASON_UNREADABLE: _ClassVar[PostHocReason]
    POST_HOC_REASON_OUT_OF_TIME: _ClassVar[PostHocReason]
    POST_HOC_REASON_BACKEND_FAILED: _ClassVar[PostHocReason]

class PostHocExecutor(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    POST_HOC_EXECUTOR_UNSPECIFIED: _ClassVar[PostHocExecutor]
    POST_HOC_EXECUTOR_GENERATION: _ClassVar[PostHocExecutor]
    POST_HOC_EXECUTOR_READ: _ClassVar[PostHocExecutor]
STEP_STATUS_UNSPECIFIED: StepStatus
STEP_STATUS_ENTAILED: StepStatus
STEP_STATUS_CONTRADICTED: StepStatus
STEP_STATUS_NOT_IN_CONTEXT: StepStatus
STEP_STATUS_UNVERIFIABLE: StepStatus
UNVERIFIABLE_REASON_UNSPECIFIED: UnverifiableReason
UNVERIFIABLE_REASON_NON_ASSERTIVE: UnverifiableReason
UNVERIFIABLE_REASON_PLAN: UnverifiableReason
UNVERIFIABLE_REASON_NO_EVIDENCE: UnverifiableReason
UNVERIFIABLE_REASON_LABEL_MASS_BELOW_FLOOR: UnverifiableReason
UNVERIFIABLE_REASON_TOO_LONG: UnverifiableReason
UNVERIFIABLE_REASON_OUT_OF_TIME: UnverifiableReason
UNVERIFIABLE_REASON_BACKEND_FAILED: UnverifiableReason
UNVERIFIABLE_REASON_INTERVAL_TOO_WIDE: UnverifiableReason
UNVERIFIABLE_REASON_TOO_FEW_SAMPLES: UnverifiableReason
UNVERIFIABLE_REASON_VAGUE: UnverifiableReason
UNVERIFIABLE_REASON_TOOL_CALL: UnverifiableReason
POST_HOC_STATUS_UNSPECIFIED: PostHocStatus
POST_HOC_STATUS_FOLLOWS: PostHocStatus
POST_HOC_STATUS_MISMATCH: PostHocStatus
POST_HOC_STATUS_NOT_CHECKED: PostHocStatus
POST_HOC_REASON_UNSPECIFIED: PostHocReason
POST_HOC_REASON_SAME_ANSWER: PostHocReason
POST_HOC_REASON_OTHER_ANSWER: PostHocReason
POST_HOC_REASON_NO_ANSWER_DERIVED: PostHocReason
POST_HOC_REASON_STEPS_SUPPORT: PostHocReason
POST_HOC_REASON_STEPS_DO_NOT_SUPPORT: PostHocReason
POST_HOC_REASON_OTHER_CONCLUSION: PostHocReason
POST_HOC_REASON_NO_ANSWER: PostHocReason
POST_HOC_REASON_NOT_ASKED: PostHocReason
POST_HOC_REASON_UNREADABLE: PostHocReason
POST_HOC_REASON_OUT_OF_TIME: PostHocReason
POST_HOC_REASON_BACKEND_FAILED: PostHocReason
POST_HOC_EXECUTOR_UNSPECIFIED: PostHocExecutor
POST_HOC_EXECUTOR_GENERATION: PostHocExecutor
POST_HOC_EXECUTOR_READ: PostHocExecutor

class AuditTraceRequest(_message.Message):
    __slots__ = ("steps", "evidence", "question", "answer", "options", "check_post_hoc", "messages")
    STEPS_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    CHECK_POST_HOC_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    steps: _containers.RepeatedScalarFieldContainer[str]
    evidence: _hallucination_detection_pb2.Evidence
    question: str
    answer: str
    options: _hallucination_detection_pb2.VerifyOptions
    check_post_hoc: bool
    messages: _containers.RepeatedCompositeFieldContainer[ChatMessage]
    def __init__(self, steps: _Optional[_Iterable[str]] = ..., evidence: _Optional[_Union[_hallucination_detection_pb2.Evidence, _Mapping]] = ..., question: _Optional[str] = ..., answer: _Optional[str] = ..., options: _Optional[_Union[_hallucination_detection_pb2.VerifyOptions, _Mapping]] = ..., check_post_hoc: bool = ..., messages: _Optional[_Iterable[_Union[ChatMessage, _Mapping]]] = ...) -> None: ...

class ChatMessage(_message.Message):
    __slots__ = ("role", "content", "tool_calls", "tool_call_id", "name")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALLS_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALL_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    role: str
    content: str
    tool_calls: _containers.RepeatedCompositeFieldContainer[ChatToolCall]
    tool_call_id: str
    name: str
    def __init__(self, role: _Optional[str] = ..., content: _Optional[str] = ..., tool_calls: _Optional[_Iterable[_Union[ChatToolCall, _Mapping]]] = ..., tool_call_id: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class ChatToolCall(_message.Message):
    __slots__ = ("id", "type", "function")
    ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    FUNCTION_FIELD_NUMBER: _ClassVar[int]
    id: str
    type: str
    function: ChatFunction
    def __init__(self, id: _Optional[str] = ..., type: _Optional[str] = ..., function: _Optional[_Union[ChatFunction, _Mapping]] = ...) -> None: ...

class ChatFunction(_message.Message):
    __slots__ = ("name", "arguments")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    name: str
    arguments: str
    def __init__(self, name: _Optional[str] = ..., arguments: _Optional[str] = ...) -> None: ...

class AuditTraceResponse(_message.Message):
    __slots__ = ("steps", "first_unsupported_step", "post_hoc", "sound", "run", "rounds")
    STEPS_FIELD_NUMBER: _ClassVar[int]
    FIRST_UNSUPPORTED_STEP_FIELD_NUMBER: _ClassVar[int]
    POST_HOC_FIELD_NUMBER: _ClassVar[int]
    SOUND_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    steps: _containers.RepeatedCompositeFieldContainer[StepAudit]
    first_unsupported_step: int
    post_hoc: PostHoc
    sound: bool
    run: _hallucination_detection_pb2.Run
    rounds: int
    def __init__(self, steps: _Optional[_Iterable[_Union[StepAudit, _Mapping]]] = ..., first_unsupported_step: _Optional[int] = ..., post_hoc: _Optional[_Union[PostHoc, _Mapping]] = ..., sound: bool = ..., run: _Optional[_Union[_hallucination_detection_pb2.Run, _Mapping]] = ..., rounds: _Optional[int] = ...) -> None: ...

class StepAudit(_message.Message):
    __slots__ = ("status", "unverifiable_reason", "reason_text", "claims", "content", "verdict", "non_assertive_reason", "text")
    STATUS_FIELD_NUMBER: _ClassVar[int]
    UNVERIFIABLE_REASON_FIELD_NUMBER: _ClassVar[int]
    REASON_TEXT_FIELD_NUMBER: _ClassVar[int]
    CLAIMS_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    NON_ASSERTIVE_REASON_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    status: StepStatus
    unverifiable_reason: UnverifiableReason
    reason_text: str
    claims: int
    content: str
    verdict: _hallucination_detection_pb2.ClaimVerdict
    non_assertive_reason: _hallucination_detection_pb2.NonAssertiveReason
    text: str
    def __init__(self, status: _Optional[_Union[StepStatus, str]] = ..., unverifiable_reason: _Optional[_Union[UnverifiableReason, str]] = ..., reason_text: _Optional[str] = ..., claims: _Optional[int] = ..., content: _Optional[str] = ..., verdict: _Optional[_Union[_hallucination_detection_pb2.ClaimVerdict, _Mapping]] = ..., non_assertive_reason: _Optional[_Union[_hallucination_detection_pb2.NonAssertiveReason, str]] = ..., text: _Optional[str] = ...) -> None: ...

class PostHoc(_message.Message):
    __slots__ = ("status", "reason", "reason_text", "executor", "derived_answer", "verdict")
    STATUS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REASON_TEXT_FIELD_NUMBER: _ClassVar[int]
    EXECUTOR_FIELD_NUMBER: _ClassVar[int]
    DERIVED_ANSWER_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    status: PostHocStatus
    reason: PostHocReason
    reason_text: str
    executor: PostHocExecutor
    derived_answer: str
    verdict: _hallucination_detection_pb2.ClaimVerdict
    def __init__(self, status: _Optional[_Union[PostHocStatus, str]] = ..., reason: _Optional[_Union[PostHocReason, str]] = ..., reason_text: _Optional[str] = ..., executor: _Optional[_Union[PostHocExecutor, str]] = ..., derived_answer: _Optional[str] = ..., verdict: _Optional[_Union[_hallucination_detection_pb2.ClaimVerdict, _Mapping]] = ...) -> None: ...

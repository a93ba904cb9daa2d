from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FeedbackVerdict(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FEEDBACK_VERDICT_UNSPECIFIED: _ClassVar[FeedbackVerdict]
    FEEDBACK_VERDICT_GROUNDED: _ClassVar[FeedbackVerdict]
    FEEDBACK_VERDICT_NOT_GROUNDED: _ClassVar[FeedbackVerdict]
    FEEDBACK_VERDICT_UNSURE: _ClassVar[FeedbackVerdict]
FEEDBACK_VERDICT_UNSPECIFIED: FeedbackVerdict
FEEDBACK_VERDICT_GROUNDED: FeedbackVerdict
FEEDBACK_VERDICT_NOT_GROUNDED: FeedbackVerdict
FEEDBACK_VERDICT_UNSURE: FeedbackVerdict

class RecordFeedbackRequest(_message.Message):
    __slots__ = ("detection_id", "index", "verdict", "note")
    DETECTION_ID_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    detection_id: str
    index: int
    verdict: FeedbackVerdict
    note: str
    def __init__(self, detection_id: _Optional[str] = ..., index: _Optional[int] = ..., verdict: _Optional[_Union[FeedbackVerdict, str]] = ..., note: _Optional[str] = ...) -> None: ...

class RecordFeedbackResponse(_message.Message):
    __slots__ = ("replaced",)
    REPLACED_FIELD_NUMBER: _ClassVar[int]
    replaced: bool
    def __init__(self, replaced: bool = ...) -> None: ...

class EraseDetectionsRequest(_message.Message):
    __slots__ = ("detection_id", "all")
    DETECTION_ID_FIELD_NUMBER: _ClassVar[int]
    ALL_FIELD_NUMBER: _ClassVar[int]
    detection_id: str
    all: bool
    def __init__(self, detection_id: _Optional[str] = ..., all: bool = ...) -> None: ...

class EraseDetectionsResponse(_message.Message):
    __slots__ = ("feedback", "outputs", "audit_lines")
    FEEDBACK_FIELD_NUMBER: _ClassVar[int]
    OUTPUTS_FIELD_NUMBER: _ClassVar[int]
    AUDIT_LINES_FIELD_NUMBER: _ClassVar[int]
    feedback: int
    outputs: int
    audit_lines: int
    def __init__(self, feedback: _Optional[int] = ..., outputs: _Optional[int] = ..., audit_lines: _Optional[int] = ...) -> None: ...

from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor

class ErrorReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ERROR_REASON_UNSPECIFIED: _ClassVar[ErrorReason]
    ERROR_REASON_MALFORMED_REQUEST: _ClassVar[ErrorReason]
    ERROR_REASON_EMPTY_BATCH: _ClassVar[ErrorReason]
    ERROR_REASON_TOO_MANY_CLAIMS: _ClassVar[ErrorReason]
    ERROR_REASON_EMPTY_CLAIM: _ClassVar[ErrorReason]
    ERROR_REASON_CLAIM_TOO_LONG: _ClassVar[ErrorReason]
    ERROR_REASON_CONTEXT_TOO_LONG: _ClassVar[ErrorReason]
    ERROR_REASON_UNKNOWN_BACKEND: _ClassVar[ErrorReason]
    ERROR_REASON_INVALID_TOKEN: _ClassVar[ErrorReason]
    ERROR_REASON_QUEUE_FULL: _ClassVar[ErrorReason]
    ERROR_REASON_LOADING: _ClassVar[ErrorReason]
    ERROR_REASON_DRAINING: _ClassVar[ErrorReason]
    ERROR_REASON_ENGINE_FAILED: _ClassVar[ErrorReason]
    ERROR_REASON_DEADLINE_EXCEEDED: _ClassVar[ErrorReason]
    ERROR_REASON_INTERNAL: _ClassVar[ErrorReason]
    ERROR_REASON_EMPTY_TEXT: _ClassVar[ErrorReason]
    ERROR_REASON_TEXT_TOO_LONG: _ClassVar[ErrorReason]
    ERROR_REASON_INVALID_SOURCE: _ClassVar[ErrorReason]
    ERROR_REASON_INVALID_OPTION: _ClassVar[ErrorReason]
    ERROR_REASON_RESPONSE_TOO_LARGE: _ClassVar[ErrorReason]
    ERROR_REASON_OVERLOADED: _ClassVar[ErrorReason]
    ERROR_REASON_NOT_ENABLED: _ClassVar[ErrorReason]
    ERROR_REASON_TOO_MANY_STEPS: _ClassVar[ErrorReason]
    ERROR_REASON_BACKEND_BUSY: _ClassVar[ErrorReason]
    ERROR_REASON_SPENDING_LIMIT: _ClassVar[ErrorReason]
    ERROR_REASON_BACKEND_UNREACHABLE: _ClassVar[ErrorReason]
    ERROR_REASON_BACKEND_REFUSED: _ClassVar[ErrorReason]
    ERROR_REASON_QUEUE_UNAVAILABLE: _ClassVar[ErrorReason]
    ERROR_REASON_NOT_FOUND: _ClassVar[ErrorReason]
ERROR_REASON_UNSPECIFIED: ErrorReason
ERROR_REASON_MALFORMED_REQUEST: ErrorReason
ERROR_REASON_EMPTY_BATCH: ErrorReason
ERROR_REASON_TOO_MANY_CLAIMS: ErrorReason
ERROR_REASON_EMPTY_CLAIM: ErrorReason
ERROR_REASON_CLAIM_TOO_LONG: ErrorReason
ERROR_REASON_CONTEXT_TOO_LONG: ErrorReason
ERROR_REASON_UNKNOWN_BACKEND: ErrorReason
ERROR_REASON_INVALID_TOKEN: ErrorReason
ERROR_REASON_QUEUE_FULL: ErrorReason
ERROR_REASON_LOADING: ErrorReason
ERROR_REASON_DRAINING: ErrorReason
ERROR_REASON_ENGINE_FAILED: ErrorReason
ERROR_REASON_DEADLINE_EXCEEDED: ErrorReason
ERROR_REASON_INTERNAL: ErrorReason
ERROR_REASON_EMPTY_TEXT: ErrorReason
ERROR_REASON_TEXT_TOO_LONG: ErrorReason
ERROR_REASON_INVALID_SOURCE: ErrorReason
ERROR_REASON_INVALID_OPTION: ErrorReason
ERROR_REASON_RESPONSE_TOO_LARGE: ErrorReason
ERROR_REASON_OVERLOADED: ErrorReason
ERROR_REASON_NOT_ENABLED: ErrorReason
ERROR_REASON_TOO_MANY_STEPS: ErrorReason
ERROR_REASON_BACKEND_BUSY: ErrorReason
ERROR_REASON_SPENDING_LIMIT: ErrorReason
ERROR_REASON_BACKEND_UNREACHABLE: ErrorReason
ERROR_REASON_BACKEND_REFUSED: ErrorReason
ERROR_REASON_QUEUE_UNAVAILABLE: ErrorReason
ERROR_REASON_NOT_FOUND: ErrorReason

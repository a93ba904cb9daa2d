import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from groundwire.v1 import hallucination_detection_pb2 as _hallucination_detection_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CheckSimilarityRequest(_message.Message):
    __slots__ = ("answer", "contexts", "threshold")
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    CONTEXTS_FIELD_NUMBER: _ClassVar[int]
    THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    answer: str
    contexts: _containers.RepeatedScalarFieldContainer[str]
    threshold: float
    def __init__(self, answer: _Optional[str] = ..., contexts: _Optional[_Iterable[str]] = ..., threshold: _Optional[float] = ...) -> None: ...

class CheckSimilarityResponse(_message.Message):
    __slots__ = ("sentences", "short_sentences", "hallucination_score", "threshold", "embedder", "total_duration")
    SENTENCES_FIELD_NUMBER: _ClassVar[int]
    SHORT_SENTENCES_FIELD_NUMBER: _ClassVar[int]
    HALLUCINATION_SCORE_FIELD_NUMBER: _ClassVar[int]
    THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    EMBEDDER_FIELD_NUMBER: _ClassVar[int]
    TOTAL_DURATION_FIELD_NUMBER: _ClassVar[int]
    sentences: _containers.RepeatedCompositeFieldContainer[ComparedSentence]
    short_sentences: int
    hallucination_score: float
    threshold: float
    embedder: str
    total_duration: _duration_pb2.Duration
    def __init__(self, sentences: _Optional[_Iterable[_Union[ComparedSentence, _Mapping]]] = ..., short_sentences: _Optional[int] = ..., hallucination_score: _Optional[float] = ..., threshold: _Optional[float] = ..., embedder: _Optional[str] = ..., total_duration: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class ComparedSentence(_message.Message):
    __slots__ = ("text", "span", "similarity", "context_index", "supported")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    SPAN_FIELD_NUMBER: _ClassVar[int]
    SIMILARITY_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_INDEX_FIELD_NUMBER: _ClassVar[int]
    SUPPORTED_FIELD_NUMBER: _ClassVar[int]
    text: str
    span: _hallucination_detection_pb2.Span
    similarity: float
    context_index: int
    supported: bool
    def __init__(self, text: _Optional[str] = ..., span: _Optional[_Union[_hallucination_detection_pb2.Span, _Mapping]] = ..., similarity: _Optional[float] = ..., context_index: _Optional[int] = ..., supported: bool = ...) -> None: ...

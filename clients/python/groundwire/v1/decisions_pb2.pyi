from groundwire.v1 import verifier_backend_pb2 as _verifier_backend_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class OptionLabels(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OPTION_LABELS_UNSPECIFIED: _ClassVar[OptionLabels]
    OPTION_LABELS_LETTERS: _ClassVar[OptionLabels]
    OPTION_LABELS_NAMES: _ClassVar[OptionLabels]
OPTION_LABELS_UNSPECIFIED: OptionLabels
OPTION_LABELS_LETTERS: OptionLabels
OPTION_LABELS_NAMES: OptionLabels

class DecideRequest(_message.Message):
    __slots__ = ("state", "questions", "instructions", "backend", "skip_result_cache")
    STATE_FIELD_NUMBER: _ClassVar[int]
    QUESTIONS_FIELD_NUMBER: _ClassVar[int]
    INSTRUCTIONS_FIELD_NUMBER: _ClassVar[int]
    BACKEND_FIELD_NUMBER: _ClassVar[int]
    SKIP_RESULT_CACHE_FIELD_NUMBER: _ClassVar[int]
    state: str
    questions: _containers.RepeatedCompositeFieldContainer[DecisionQuestion]
    instructions: str
    backend: str
    skip_result_cache: bool
    def __init__(self, state: _Optional[str] = ..., questions: _Optional[_Iterable[_Union[DecisionQuestion, _Mapping]]] = ..., instructions: _Optional[str] = ..., backend: _Optional[str] = ..., skip_result_cache: bool = ...) -> None: ...

class DecisionQuestion(_message.Message):
    __slots__ = ("name", "instructions", "predicate", "choice", "score")
    NAME_FIELD_NUMBER: _ClassVar[int]
    INSTRUCTIONS_FIELD_NUMBER: _ClassVar[int]
    PREDICATE_FIELD_NUMBER: _ClassVar[int]
    CHOICE_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    name: str
    instructions: str
    predicate: PredicateQuestion
    choice: ChoiceQuestion
    score: ScoreQuestion
    def __init__(self, name: _Optional[str] = ..., instructions: _Optional[str] = ..., predicate: _Optional[_Union[PredicateQuestion, _Mapping]] = ..., choice: _Optional[_Union[ChoiceQuestion, _Mapping]] = ..., score: _Optional[_Union[ScoreQuestion, _Mapping]] = ...) -> None: ...

class PredicateQuestion(_message.Message):
    __slots__ = ("true_when", "false_when")
    TRUE_WHEN_FIELD_NUMBER: _ClassVar[int]
    FALSE_WHEN_FIELD_NUMBER: _ClassVar[int]
    true_when: str
    false_when: str
    def __init__(self, true_when: _Optional[str] = ..., false_when: _Optional[str] = ...) -> None: ...

class ChoiceQuestion(_message.Message):
    __slots__ = ("options", "labels")
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    options: _containers.RepeatedCompositeFieldContainer[DecisionOption]
    labels: OptionLabels
    def __init__(self, options: _Optional[_Iterable[_Union[DecisionOption, _Mapping]]] = ..., labels: _Optional[_Union[OptionLabels, str]] = ...) -> None: ...

class ScoreQuestion(_message.Message):
    __slots__ = ("levels",)
    LEVELS_FIELD_NUMBER: _ClassVar[int]
    levels: _containers.RepeatedCompositeFieldContainer[DecisionOption]
    def __init__(self, levels: _Optional[_Iterable[_Union[DecisionOption, _Mapping]]] = ...) -> None: ...

class DecisionOption(_message.Message):
    __slots__ = ("name", "description")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ...) -> None: ...

class DecideResponse(_message.Message):
    __slots__ = ("answers", "usage", "timing", "model", "backend")
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    TIMING_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    BACKEND_FIELD_NUMBER: _ClassVar[int]
    answers: _containers.RepeatedCompositeFieldContainer[DecisionAnswer]
    usage: _verifier_backend_pb2.Usage
    timing: _verifier_backend_pb2.Timing
    model: str
    backend: str
    def __init__(self, answers: _Optional[_Iterable[_Union[DecisionAnswer, _Mapping]]] = ..., usage: _Optional[_Union[_verifier_backend_pb2.Usage, _Mapping]] = ..., timing: _Optional[_Union[_verifier_backend_pb2.Timing, _Mapping]] = ..., model: _Optional[str] = ..., backend: _Optional[str] = ...) -> None: ...

class DecisionAnswer(_message.Message):
    __slots__ = ("name", "predicate", "options")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PREDICATE_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    name: str
    predicate: _verifier_backend_pb2.Estimate
    options: OptionsAnswer
    def __init__(self, name: _Optional[str] = ..., predicate: _Optional[_Union[_verifier_backend_pb2.Estimate, _Mapping]] = ..., options: _Optional[_Union[OptionsAnswer, _Mapping]] = ...) -> None: ...

class OptionsAnswer(_message.Message):
    __slots__ = ("probabilities", "likeliest", "score", "confidence", "label_mass", "source", "no_probability_reason")
    PROBABILITIES_FIELD_NUMBER: _ClassVar[int]
    LIKELIEST_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    LABEL_MASS_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    NO_PROBABILITY_REASON_FIELD_NUMBER: _ClassVar[int]
    probabilities: _containers.RepeatedScalarFieldContainer[float]
    likeliest: int
    score: float
    confidence: float
    label_mass: float
    source: _verifier_backend_pb2.EstimateSource
    no_probability_reason: _verifier_backend_pb2.NoProbabilityReason
    def __init__(self, probabilities: _Optional[_Iterable[float]] = ..., likeliest: _Optional[int] = ..., score: _Optional[float] = ..., confidence: _Optional[float] = ..., label_mass: _Optional[float] = ..., source: _Optional[_Union[_verifier_backend_pb2.EstimateSource, str]] = ..., no_probability_reason: _Optional[_Union[_verifier_backend_pb2.NoProbabilityReason, str]] = ...) -> None: ...

"""Values of the domain as messages of the contract.

The names of the domain's attributes and enums are those of the contract: `message` copies what has
the same name, and the functions here say what has another one.
"""

from collections.abc import Callable
from enum import Enum
from typing import Any, TypeVar

from google.protobuf import duration_pb2
from google.protobuf.descriptor import EnumDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire_verifier.domain.types import Estimate, LabelForm
from groundwire_verifier.numbers.calibration import Calibration, Curve, Isotonic, Platt, Strictness

METHODS: dict[type[Curve], pb.CalibrationMethod] = {
    Platt: pb.CALIBRATION_METHOD_PLATT,
    Isotonic: pb.CALIBRATION_METHOD_ISOTONIC,
}

Kind = TypeVar("Kind", bound=Message)
Value = TypeVar("Value")
# A FieldDescriptor, of whichever implementation protobuf has.
_Field = Any
_Writer = Callable[[Any], object]
_OWN: dict[type, Callable[[Any], Message]] = {}
_KNOWN: dict[object, tuple[tuple[str, _Writer], ...]] = {}


def writes(
    kind: type[Value],
) -> Callable[[Callable[[Value], Kind]], Callable[[Value], Kind]]:
    """Has every value of this type in a message written by the function below."""

    def named(writer: Callable[[Value], Kind]) -> Callable[[Value], Kind]:
        _OWN[kind] = writer
        return writer

    return named


def message(kind: type[Kind], value: object, /, **given: object) -> Kind:
    """A message of what is given and, of all its other fields, the value's attributes.

    What is None is left unset.
    """
    make: Callable[..., Kind] = kind
    if kind not in _KNOWN:
        _KNOWN[kind] = tuple((field.name, _writer(field)) for field in kind.DESCRIPTOR.fields)
    return make(
        **{
            name: write(given[name] if name in given else getattr(value, name))
            for name, write in _KNOWN[kind]
        }
    )


def _writer(field: _Field) -> _Writer:
    """What makes a field's value of one of the domain."""
    if field.enum_type is not None:
        prefix = prefix_of(field.enum_type)

        def one(value: Any) -> object:  # noqa: ANN401 - whatever the domain has
            return prefix + value.name if isinstance(value, Enum) else value

    elif field.message_type is not None:
        kind = GetMessageClass(field.message_type)

        def one(value: Any) -> object:  # noqa: ANN401 - whatever the domain has
            if isinstance(value, Message):
                return value
            own = _OWN.get(type(value))
            return message(kind, value) if own is None else own(value)

    else:
        return _same

    def write(value: Any) -> object:  # noqa: ANN401 - whatever the domain has
        if value is None:
            return None
        return [one(each) for each in value] if isinstance(value, (tuple, list)) else one(value)

    return write


def _same(value: object) -> object:
    return value


def prefix_of(named: EnumDescriptor) -> str:
    """What the names of a contract's enum begin with, such as `VERDICT_REASON_`."""
    return str(named.values_by_number[0].name).removesuffix("UNSPECIFIED")


@writes(Estimate)
def estimate(value: Estimate) -> pb.Estimate:
    interval = value.interval
    return message(
        pb.Estimate,
        value,
        yes_log_probability=value.yes_nats,
        no_log_probability=value.no_nats,
        no_probability_reason=value.reason,
        min_probability=None if interval is None else interval.low,
        max_probability=None if interval is None else interval.high,
    )


def calibration(value: Calibration) -> pb.Calibration:
    return message(
        pb.Calibration,
        value,
        method=METHODS[type(value.curve)],
        operating_points=[
            pb.OperatingPoint(
                strictness=f"STRICTNESS_{name.name}",
                confidence=value.operating_points[name],
            )
            for name in Strictness
            if name in value.operating_points
        ],
    )


def timing(queue_s: float, inference_s: float, total_s: float) -> pb.Timing:
    """Where the time of a call went, in seconds."""
    return pb.Timing(
        queue_duration=duration(queue_s),
        inference_duration=duration(inference_s),
        total_duration=duration(total_s),
    )


@writes(LabelForm)
def label_form(form: LabelForm) -> pb.LabelForm:
    """One surface form of a label."""
    return message(pb.LabelForm, form, label=form.label.value)


def duration(seconds: float) -> duration_pb2.Duration:
    found = duration_pb2.Duration()
    found.FromNanoseconds(int(seconds * 1e9))
    return found

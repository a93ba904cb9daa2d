"""What all groups of settings have in common: their base, and the types of their values.

A duration is `500ms`, `2s`, `10m`, `1h`, or a plain number of seconds.
"""

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

_UNITS_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_TEXT = re.compile(rf"({_NUMBER})({'|'.join(_UNITS_S)})?")
_SCHEMA_PATTERN = rf"^(?=.*[1-9]){_NUMBER}(?:{'|'.join(_UNITS_S)})?$"
"""What JSON Schema can say of such a text: its form, and that it is not zero."""

_EXAMPLES = ("500ms", "2s", "10m", "1h")
_MOST_SHOWN_CHARACTERS = 40


@dataclass(frozen=True, slots=True)
class DurationRange:
    """Marks a field of type `timedelta` as a duration from `least` to `most`, both included."""

    least: timedelta
    most: timedelta

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """How pydantic reads and writes such a field."""
        return core_schema.no_info_plain_validator_function(
            self._read,
            serialization=core_schema.plain_serializer_function_ser_schema(
                duration_text, when_used="json"
            ),
        )

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """What JSON Schema says of such a field. It cannot say the range of a text."""
        least_s, most_s = self.least.total_seconds(), self.most.total_seconds()
        return {
            "anyOf": [
                {"type": "string", "pattern": _SCHEMA_PATTERN},
                {"type": "number", "minimum": least_s, "maximum": most_s},
            ],
            "examples": list(_EXAMPLES),
        }

    def _read(self, value: object) -> timedelta:
        seconds = _seconds(value)
        if (
            seconds is None
            or not self.least.total_seconds() <= seconds <= self.most.total_seconds()
        ):
            *most, last = _EXAMPLES
            raise ValueError(
                f"takes a duration such as {', '.join(most)} or {last} (a plain number is "
                f"seconds) from {duration_text(self.least)} to {duration_text(self.most)}, "
                f"not {repr(value)[:_MOST_SHOWN_CHARACTERS]}"
            )
        return timedelta(seconds=seconds)


def _seconds(value: object) -> float | None:
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    match = _TEXT.fullmatch(value) if isinstance(value, str) else None
    return float(match[1]) * _UNITS_S[match[2] or "s"] if match else None


def duration_text(duration: timedelta) -> str:
    """A duration in the largest unit of which it is a whole number, in milliseconds at least."""
    microseconds = duration // timedelta(microseconds=1)
    for unit in ("h", "m", "s"):
        count, rest = divmod(microseconds, round(_UNITS_S[unit] * 1e6))
        if rest == 0:
            return f"{count}{unit}"
    milliseconds, rest = divmod(microseconds, 1000)
    return f"{milliseconds}.{rest:03d}".rstrip("0").rstrip(".") + "ms"


Positive = Annotated[int, Field(gt=0)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Seconds = Annotated[float, Field(gt=0.0)]
CacheDuration = Annotated[timedelta, DurationRange(timedelta(milliseconds=1), timedelta(days=365))]
OperationDuration = Annotated[
    timedelta, DurationRange(timedelta(milliseconds=100), timedelta(minutes=10))
]
RetentionDuration = Annotated[timedelta, DurationRange(timedelta(seconds=1), timedelta(days=3650))]


class Strict(BaseModel):
    """A group of settings; its docstring is the title under which help shows them."""

    rare: ClassVar[bool] = False
    """Whether these settings are rarely changed."""
    section: ClassVar[str | None] = None
    """Where editors propose these settings in the block `hallucination`: under the key that their
    names begin with. Empty: in the block itself. None: nowhere, though it takes them."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False
    )

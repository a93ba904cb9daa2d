"""What all groups of settings have in common: their base, and the types of their values."""

from datetime import timedelta
from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from groundwire_server.config.duration import DurationRange

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

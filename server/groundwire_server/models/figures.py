"""What a model of the catalogue costs and how often it is right, in a file beside its adapter.

Every figure is one that was measured, with machine and date; what was not measured is left out.
"""

import datetime
import tomllib
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

FILE_NAME = "figures.toml"


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Measured(_Strict):
    measured_on: str
    """The machine, or what was measured, in words."""
    date: datetime.date


class Memory(_Measured):
    """Of the whole server with its default settings, its prefix cache among it."""

    mib: int = Field(gt=0)


class OneClaim(_Measured):
    """One claim on a new source of 200 words, on two cores: the p95."""

    ms: int = Field(gt=0)


class Accuracy(_Measured):
    """At the strictness `balanced`."""

    false_supported: float = Field(ge=0.0, le=1.0)
    """The share of the unsupported claims that come out SUPPORTED."""
    recall: float = Field(ge=0.0, le=1.0)
    """The share of the supported claims that come out SUPPORTED."""


class Figures(_Strict):
    """All that is known of one model."""

    languages: tuple[str, ...] = ()
    memory: Memory | None = None
    one_claim: OneClaim | None = None
    accuracy: Accuracy | None = None


def read_figures(card: Path | None) -> Figures:
    """The figures in the folder of a model's card; none where there is no file."""
    path = None if card is None else card / FILE_NAME
    if path is None or not path.is_file():
        return Figures()
    return Figures.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))

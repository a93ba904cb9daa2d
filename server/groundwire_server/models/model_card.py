"""Which languages the card of a model names."""

import datetime
import re
import tomllib
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from groundwire_server.models.store import EMBEDDED_MODELS, is_hub_name

FILE_NAME = "figures.toml"

CARD_NAME = "README.md"
MAX_CARD_BYTES = 100_000

_HEAD = re.compile(r"---\s*\n(.*?)\n---", re.DOTALL)
_LANGUAGES = re.compile(r"^languages?:[ \t]*(\S.*)?\n?((?:[ \t]*-[ \t].*\n?)*)", re.MULTILINE)
_TAG = re.compile(r"(?<![\w-])[a-z]{2,3}(?=(?:-\w+)*(?:[\s,\]\"']|$))", re.IGNORECASE)


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


def is_no_verifier(model: str) -> bool:
    """Whether a model is an instruct model as it was published, which can write: an embedded one
    without an adapter of ours, or one of the hub. A folder may hold a verifier that was trained."""
    if embedded := EMBEDDED_MODELS.get(model):
        return embedded.adapter is None
    return is_hub_name(model)


def card_languages(model: str) -> tuple[str, ...]:
    """The languages of an embedded model, or of the folder of one, as tags without a region.

    A folder names them in the head of its README.md, as the hub has it. None where nothing does.
    """
    if embedded := EMBEDDED_MODELS.get(model):
        return read_figures(embedded.card).languages
    path = Path(model).expanduser() / CARD_NAME
    if not path.is_file():
        return ()
    with path.open("rb") as card:
        head = _HEAD.match(card.read(MAX_CARD_BYTES).decode("utf-8", "replace"))
    named = None if head is None else _LANGUAGES.search(head.group(1))
    if named is None:
        return ()
    tags = _TAG.findall(f"{named.group(1) or ''}\n{named.group(2)}")
    return tuple(dict.fromkeys(tag.lower() for tag in tags))

#!/usr/bin/env python3
"""Writes the tables of docs/configuration.md from the settings and their docstrings.

`scripts/generate` runs it. Each group of settings has a heading in the page, and below it a table,
whose rows are made; the words around the tables are written by hand.
"""

import re
import sys
from datetime import timedelta
from pathlib import Path
from typing import Literal, get_args, get_origin

from annotated_types import Ge, Le
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from groundwire_server.config.service_settings import BackendEntry
from groundwire_server.config.setting_types import DurationRange, duration_text
from groundwire_server.config.settings import GROUPS, ClientSettings

PAGE = Path(__file__).resolve().parents[1] / "docs" / "configuration.md"
TABLES: tuple[type[BaseModel], ...] = (*GROUPS, BackendEntry, ClientSettings)
HEAD = "| setting | default | meaning |\n| --- | --- | --- |\n"

_UNSET = re.compile(r" Unset: (?:none|no \w+)\.$")
"""What the column of defaults says, too."""
_SECTION = re.compile(r"^## (.+)\n", re.MULTILINE)
_CODE = re.compile(
    r"[a-z][a-z0-9]*(?:_[a-z]+)+|file:PATH|https?://\S+\w|rediss?://\S+\w|\[\{.*?\}\]"
)


def page(text: str) -> str:
    """The same page with the tables as the settings are.

    Raises ValueError where a group has no heading, or a heading no table.
    """
    tables = {(group.__doc__ or "").partition("\n")[0]: group for group in TABLES}
    before, *parts = _SECTION.split(text)
    made = [before]
    for title, part in zip(parts[::2], parts[1::2], strict=True):
        group = tables.pop(title, None)
        made.append(f"## {title}\n{part if group is None else _with_rows(part, group, title)}")
    if tables:
        raise ValueError(f"no heading in {PAGE} for: {', '.join(tables)}")
    return "".join(made)


def _with_rows(part: str, group: type[BaseModel], title: str) -> str:
    start, head, rest = part.partition(HEAD)
    if not head:
        raise ValueError(f"no table under '## {title}' in {PAGE}: write its head")
    rows = "".join(_row(name, field) for name, field in group.model_fields.items())
    return start + head + rows + re.sub(r"\A(?:\|.*\n)*", "", rest)


def _row(name: str, field: FieldInfo) -> str:
    text = _UNSET.sub("", " ".join((field.description or "").split()))
    choices = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
    if not all(re.search(rf"\b{choice}\b", text) for choice in choices):
        text += f" One of {', '.join(choices)}."
    text += _range(field)
    shown = _CODE.sub(r"`\g<0>`", text)
    return f"| `{name}` | {_default(field)} | {shown} |\n"


def _range(field: FieldInfo) -> str:
    """The range of a number or a duration with two ends; that of shares, [0, 1], is plain."""
    ends: list[object] = []
    for limit in field.metadata:
        if isinstance(limit, DurationRange):
            ends = [duration_text(limit.least), duration_text(limit.most)]
        elif isinstance(limit, Ge | Le):
            ends.append(limit.ge if isinstance(limit, Ge) else limit.le)
    return f" From {ends[0]} to {ends[1]}." if len(ends) == 2 and ends != [0.0, 1.0] else ""  # noqa: PLR2004


def _default(field: FieldInfo) -> str:
    """A default as a file would have it."""
    value: object = field.default
    if field.is_required():
        return "required"
    if value is None or value == ():
        return "unset"
    if value == "":
        return "empty"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, timedelta):
        return f"`{duration_text(value)}`"
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"


if __name__ == "__main__":
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE
    place.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

"""The model card: what a verifier was made of, and how good it is."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata, resources
from itertools import groupby

from jinja2 import Environment, StrictUndefined

from groundwire_training.data.rows import Row
from groundwire_training.data.user_rows import UserRows
from groundwire_training.examples.recipe import INGREDIENTS
from groundwire_training.measuring import PartFigures
from groundwire_training.options import Options
from groundwire_training.run import Progress
from groundwire_verifier.domain.types import LabelForm
from groundwire_verifier.numbers.metrics import Figure

FILE_NAME = "README.md"
_PACKAGES = ("torch", "transformers", "peft")


@dataclass(frozen=True, slots=True)
class Card:
    """What the card says. `parts` are the figures of each part of the rows by its name.

    `against_start` is the change of the AUROC in words, by the rows that were asked. `label_check`
    and `calibration` are sentences.
    """

    name: str
    base: str
    options: Options
    rows: UserRows
    progress: Progress
    targets: Sequence[str]
    forms: Sequence[LabelForm]
    parts: Mapping[str, PartFigures]
    against_start: Mapping[str, str]
    label_check: str
    calibration: str


def card_text(card: Card) -> str:
    """The card as Markdown."""
    template = Environment(
        autoescape=False,  # noqa: S701 - Markdown
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    ).from_string(resources.files(__package__).joinpath("card.md").read_text(encoding="utf-8"))
    left_out = card.options.without
    return template.render(
        name=card.name,
        base=card.base,
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        version=metadata.version("groundwire-server"),
        libraries=", ".join(f"{name} {metadata.version(name)}" for name in _PACKAGES),
        sources=_sources(card.rows),
        dev=bool(card.rows.dev),
        options=card.options,
        with_exchanges=card.options.exchanges > 0 and "assessment" not in left_out,
        targets=", ".join(card.targets),
        progress=card.progress,
        minutes=round(card.progress.trained_s / 60),
        ingredients=", ".join(name for name in INGREDIENTS if name not in left_out),
        parts=list(card.parts),
        against_start=card.against_start,
        lines=_lines(list(card.parts.values())),
        calibrated=any(part.ece_after is not None for part in card.parts.values()),
        forms=_forms(card.forms),
        label_check=card.label_check,
        calibration=card.calibration,
    )


def _sources(rows: UserRows) -> list[Mapping[str, object]]:
    names = dict.fromkeys(row.source for row in (*rows.train, *rows.held_out, *rows.dev))

    def of(name: str, part: Sequence[Row]) -> list[Row]:
        return [row for row in part if row.source == name]

    return [
        {
            "name": name.replace("|", "\\|").replace("\n", " "),
            "train": len(of(name, rows.train)),
            "supported": sum(row.supported for row in of(name, rows.train)),
            "contexts": len({row.context for row in of(name, rows.train)}),
            "held_out": len(of(name, rows.held_out)),
            "dev": len(of(name, rows.dev)),
        }
        for name in names
    ]


def _lines(parts: Sequence[PartFigures]) -> list[Mapping[str, object]]:
    told = (
        ("rows", [f"{part.rows}, {part.supported} supported" for part in parts]),
        ("contexts", [str(part.contexts) for part in parts]),
        ("not read", [str(part.skipped) for part in parts]),
        ("AUROC", [_figure(part.auroc) for part in parts]),
        ("AUROC of word overlap", [_figure(part.overlap_auroc) for part in parts]),
        ("balanced accuracy at .5", [_figure(part.balanced_accuracy) for part in parts]),
        ("calibration error (ECE) before", [f"{part.ece_before:.3f}" for part in parts]),
        ("calibration error (ECE) after", [_number(part.ece_after) for part in parts]),
        ("mean label mass", [f"{part.label_mass:.3f}" for part in parts]),
        ("rows above the floor of the label mass", [f"{part.above_floor:.1%}" for part in parts]),
    )
    return [{"name": name, "cells": cells} for name, cells in told]


def _figure(figure: Figure) -> str:
    if figure.value is None:
        return "not known"
    if figure.low is None or figure.high is None:
        return f"{figure.value:.3f}"
    return f"{figure.value:.3f} ({figure.low:.3f} to {figure.high:.3f})"


def _number(value: float | None) -> str:
    return "not known" if value is None else f"{value:.3f}"


def _forms(forms: Sequence[LabelForm]) -> str:
    ordered = sorted(forms, key=lambda form: form.label.value)
    return "; ".join(
        f"{label.value}: {', '.join(f'`{form.text}`' for form in group)}"
        for label, group in groupby(ordered, key=lambda form: form.label)
    )

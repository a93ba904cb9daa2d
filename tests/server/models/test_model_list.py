"""The list of models: figures that were measured, and none that were not."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from groundwire_server.cli.model.list import model_text
from groundwire_server.models.model_card import FILE_NAME, read_figures
from groundwire_server.models.store import (
    EMBEDDED_MODELS,
    QWEN_VERIFIER,
    embedded_models,
    list_models,
)


def listed(cache_dir: Path) -> dict[str, str]:
    """What is said of each model, by its full name."""
    return {entry.name: model_text(entry) for entry in list_models(cache_dir)}


def test_a_model_is_shown_with_what_was_measured(tmp_path: Path) -> None:
    text = listed(tmp_path)[EMBEDDED_MODELS["small"].name]
    assert "15% of unsupported claims and 26% of supported ones come out SUPPORTED" in text
    assert all(part in text for part in ("4,205 MiB", "languages: en, he", "not prepared"))


def test_a_figure_that_nobody_measured_is_left_out(tmp_path: Path) -> None:
    text = listed(tmp_path)[QWEN_VERIFIER]
    assert "disk 940 MB" in text
    assert "memory" not in text


@pytest.mark.parametrize("is_int8", [True, False])
def test_the_short_name_stands_beside_what_a_machine_serves_under_it(
    tmp_path: Path, is_int8: bool
) -> None:
    entries = list_models(tmp_path, catalogue=embedded_models(is_int8, is_int8))
    texts = {entry.name: model_text(entry) for entry in entries}
    assert texts[QWEN_VERIFIER].startswith("- " if is_int8 else "base ")
    copy = texts[f"{QWEN_VERIFIER}-int8"]
    assert copy.startswith("base " if is_int8 else "- ")
    assert f"710 MB beside {QWEN_VERIFIER}" in copy


def test_a_model_without_an_adapter_is_untrained(tmp_path: Path) -> None:
    assert "untrained" in listed(tmp_path)["qwen2.5-1.5b"]


def test_a_figure_without_machine_and_date_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("[memory]\nmib = 5\n")
    with pytest.raises(ValidationError, match="measured_on"):
        read_figures(tmp_path)


@pytest.mark.parametrize(
    "adapter", [m.adapter for m in EMBEDDED_MODELS.values() if m.adapter], ids=str
)
def test_every_adapter_that_ships_has_its_figures_and_a_card(adapter: Path) -> None:
    assert read_figures(adapter).languages
    assert (adapter / "README.md").is_file()

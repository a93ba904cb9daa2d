"""The list of models: figures that were measured, and none that were not."""

from pathlib import Path

import pytest
from pydantic import ValidationError
from rich.console import Console

from groundwire_server.cli.reports.models import model_table
from groundwire_server.models.figures import FILE_NAME, read_figures
from groundwire_server.models.store import EMBEDDED_MODELS, list_models


def listed(cache_dir: Path) -> dict[str, list[str]]:
    """What is said of each model, in its column, by its full name."""
    console = Console(width=250)
    with console.capture() as shown:
        console.print(model_table(list_models(cache_dir)))
    lines = [line.strip("│┃").split("│") for line in shown.get().splitlines() if "│" in line]
    columns = zip(*([cell.strip() for cell in line] for line in lines), strict=True)
    return {name: cells for name, *cells in columns}


def test_a_model_is_shown_with_what_was_measured(tmp_path: Path) -> None:
    cells = listed(tmp_path)[EMBEDDED_MODELS["small"].name]
    assert {"36%, 68%", "4,205 MiB", "en, he", "not prepared"} <= set(cells)


def test_a_figure_that_nobody_measured_is_said_to_be_none(tmp_path: Path) -> None:
    assert "not measured" in listed(tmp_path)[EMBEDDED_MODELS["base"].name]


def test_a_model_without_an_adapter_is_untrained(tmp_path: Path) -> None:
    assert "untrained" in listed(tmp_path)[EMBEDDED_MODELS["large"].name]


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

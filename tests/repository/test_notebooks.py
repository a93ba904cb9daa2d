"""The notebooks: small, and with what they printed as they ran from first to last cell."""

import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
MOST_BYTES = 300_000


def code_cells(notebook: Path) -> list[dict[str, Any]]:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_is_small(notebook: Path) -> None:
    assert notebook.stat().st_size < MOST_BYTES


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_ran_once_from_its_first_cell_to_the_last(notebook: Path) -> None:
    cells = code_cells(notebook)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_keeps_plots_and_neither_errors_nor_places_of_a_machine(notebook: Path) -> None:
    outputs = [output for cell in code_cells(notebook) for output in cell["outputs"]]
    assert {output["output_type"] for output in outputs} <= {"stream", "display_data"}
    assert any("image/png" in output.get("data", {}) for output in outputs)
    printed = "".join("".join(output.get("text", ())) for output in outputs)
    assert str(ROOT.parent) not in printed
    assert "site-packages" not in printed


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_says_first_what_to_install_and_to_start(notebook: Path) -> None:
    first = json.loads(notebook.read_text(encoding="utf-8"))["cells"][0]
    text = "".join(first["source"])
    assert first["cell_type"] == "markdown"
    assert "pip install ./clients/python" in text
    assert "groundwire serve" in text


def test_there_is_a_notebook() -> None:
    assert NOTEBOOKS

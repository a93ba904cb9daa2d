"""Every package that ships has a licence that a person has read, and the page tells it."""

import json
from pathlib import Path

import pytest

from scripts.licences import ALLOWED, PAGE, SETS, licences, page, reported, shipped


@pytest.mark.parametrize("name", SETS)
def test_each_shipped_package_names_licences_that_are_allowed(name: str) -> None:
    found = {key: set(text.split(", ")) for key, text in licences(shipped(name)).items()}
    assert found
    assert {key: each for key, each in found.items() if not each <= ALLOWED} == {}


def test_the_page_tells_them() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_what_is_not_installed_is_read_in_a_report_of_pip(tmp_path: Path) -> None:
    told = {"name": "A_Package", "version": "1", "classifier": ["License :: OSI :: MIT License"]}
    path = tmp_path / "report.json"
    path.write_text(json.dumps({"install": [{"metadata": told}]}))
    assert reported(path) == {"a-package 1": ("MIT",)}

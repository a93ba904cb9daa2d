"""The SBOM of each set that is shipped: every package of its lock, with hashes and licences."""

import json
from pathlib import Path
from typing import Any

import pytest

from scripts import sbom
from scripts.licences import ALLOWED, PAGE, SETS, Package, licences, page, reported, shipped


def components(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(json.dumps(sbom.document(name)))["components"]
    return found


@pytest.mark.parametrize("name", SETS)
def test_every_package_of_the_lock_is_in_it_and_no_other(name: str) -> None:
    found = [f"{each['name']} {each['version']}" for each in components(name)]
    assert found == [str(each) for each in shipped(name)]
    assert found


@pytest.mark.parametrize("name", sorted(SETS.keys() - {"go"}))
def test_every_wheel_has_its_hash(name: str) -> None:
    for each, package in zip(components(name), shipped(name), strict=True):
        (*hashes,) = (wheel["hashes"][0]["content"] for wheel in each["externalReferences"])
        assert tuple(hashes) == package.hashes
        assert all(len(text) == 64 for text in hashes)


def test_a_module_of_go_has_its_sum() -> None:
    sums = [each["properties"][0]["value"] for each in components("go")]
    assert all(text.startswith(sbom.GO_SUM) for text in sums)


@pytest.mark.parametrize("name", SETS)
def test_it_tells_the_licences_of_the_page(name: str) -> None:
    for each, told in zip(components(name), licences(shipped(name)).values(), strict=True):
        assert ", ".join(text for x in each["licenses"] for text in x["license"].values()) == told


def test_a_package_without_a_hash_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sbom, "shipped", lambda _: [Package("six", "1.17.0", ())])
    with pytest.raises(ValueError, match=r"six 1\.17\.0"):
        sbom.document("cpu")


def test_the_same_locks_make_the_same_document() -> None:
    assert sbom.document("extras") == sbom.document("extras")


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

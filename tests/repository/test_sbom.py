"""The SBOM of each set that is shipped: every package of its lock, with hashes and licences."""

import json
from typing import Any

import pytest

from scripts import sbom
from scripts.licences import SETS, Package, licences, shipped


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

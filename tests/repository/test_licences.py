"""Every package that ships has a licence that a person has read, and the page tells it."""

from scripts.licences import ALLOWED, PAGE, licences_of, page, shipped


def test_each_shipped_package_names_licences_that_are_allowed() -> None:
    found = {name: licences_of(name) for name in shipped()}
    assert {n: each for n, each in found.items() if not each or not set(each) <= ALLOWED} == {}


def test_the_page_tells_them() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()

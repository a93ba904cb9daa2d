"""Files that break the libraries which read a corpus: found by `python -m tests.soak.fuzz`."""

import io
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from groundwire_server.corpus import documents, indexing
from groundwire_server.corpus.chunk_places import ChunkPlace
from groundwire_server.corpus.documents import (
    FILE_TIME,
    Content,
    FileBytes,
    SkippedFile,
    UnreadableFileError,
    content_of,
)
from groundwire_server.text_work.one_process import OneProcess
from groundwire_server.text_work.pool import TextWorkerError
from tests.server.corpus.corpus_folder import TEXTS, CorpusFolder

TODAY = date(2026, 1, 1)
NESTED = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefg", "bcdefgh", strict=True)
)
"""Nine of nine of nine: 43 million values, were it ever written out."""


def content(name: str, text: str) -> Content:
    return content_of(name, FileBytes(text.encode(), "", TODAY))


def bounded_content(name: str, text: str) -> Content:
    """The same, or an error after 20 s of a processor: what has no end fails, and ends."""
    with closing(OneProcess(limit_s=20.0, most_bytes=1 << 30)) as process:
        return process.run(content_of, name, FileBytes(text.encode(), "", TODAY))


@pytest.mark.parametrize("facts", ["title: !!int ''", "a: !!timestamp x", "a: !!bool maybe"])
def test_front_matter_that_breaks_the_reader_is_text(facts: str) -> None:
    found = content("a.md", f"---\n{facts}\n---\nIt opened in 1889.\n")
    assert "It opened in 1889." in found.text
    assert found.dated_by == FILE_TIME


def test_front_matter_with_aliases_is_never_written_out() -> None:
    # Ten of ten of ten merged mappings, which take ten times as long with each line.
    levels = [f"l{at}: &l{at} {{<<: [{', '.join([f'*l{at - 1}'] * 10)}]}}" for at in range(1, 13)]
    facts = "\n".join(["l0: &l0 {x: 1}", *levels])
    found = bounded_content("a.md", f"---\n{facts}\n---\n# The tower\nIt opened in 1889.\n")
    assert found.title == "The tower"
    assert "l12" in found.text


def test_front_matter_that_is_too_long_is_text(monkeypatch: pytest.MonkeyPatch) -> None:
    front = "---\ntitle: The tower\n---\n"
    assert content("a.md", f"{front}a").title == "The tower"
    monkeypatch.setattr(documents, "MAX_FRONT_MATTER_CHARACTERS", 16)
    assert content("a.md", f"{front}a").text == f"{front}a"


@pytest.mark.parametrize("facts", [f"{NESTED}title: *h\ndate: *h", "title: 0x" + "f" * 9000])
def test_no_title_is_made_of_what_has_no_end(facts: str) -> None:
    found = bounded_content("a.md", f"---\n{facts}\n---\n# The tower\nIt opened in 1889.\n")
    assert found.title == "The tower"
    assert found.dated_by == FILE_TIME


def test_a_page_that_the_parser_rejects_is_left_out_with_a_reason() -> None:
    with pytest.raises(UnreadableFileError, match="no HTML that can be read"):
        content("a.html", "<p>The tower</p><![CDA[TA")


def test_a_flat_page_takes_no_longer_for_each_line_than_a_short_one() -> None:
    found = bounded_content("a.html", "<p>The tower<br>" + "<br>x" * 30_000)
    assert found.text.count("\n\n") == 30_000


def test_a_page_keeps_its_blocks_apart_and_leaves_out_what_nobody_reads() -> None:
    page = "<p>a <b>b</b>c</p>d<div>e<nav>f</nav><!-- g -->h<br>i</div><![CDATA[j]]>k"
    assert content("a.html", page).text == "a bc\n\nd\n\neh\n\ni\n\njk"


def nested_drawing(depth: int) -> bytes:
    """A PDF of 40 pages, on each of which a form draws the next one twice, and so on.

    pypdf stops at 5,000 forms of a page, which take it seconds.
    """
    writer = PdfWriter()
    names = {"Type": "Font", "Subtype": "Type1", "BaseFont": "Helvetica"}
    font = DictionaryObject({NameObject(f"/{k}"): NameObject(f"/{v}") for k, v in names.items()})
    fonts = DictionaryObject({NameObject("/F"): font})
    drawn, resources = b"BT /F 9 Tf (x) Tj ET", DictionaryObject({NameObject("/Font"): fonts})
    for _ in range(depth):
        form = DecodedStreamObject()
        form.set_data(drawn)
        form[NameObject("/Type")] = NameObject("/XObject")
        form[NameObject("/Subtype")] = NameObject("/Form")
        form[NameObject("/Resources")] = resources
        forms = DictionaryObject({NameObject("/X"): writer._add_object(form)})
        drawn, resources = b"/X Do /X Do", DictionaryObject({NameObject("/XObject"): forms})
    shown = DecodedStreamObject()
    shown.set_data(drawn)
    contents = writer._add_object(shown)
    for _ in range(40):
        page = writer.add_blank_page(300, 300)
        page[NameObject("/Contents")] = contents
        page[NameObject("/Resources")] = resources
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_a_file_that_takes_for_ever_is_left_out_and_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "MAX_READ_S", 3.0)
    folder = CorpusFolder(tmp_path, ChunkPlace())
    (folder.root / "bomb.pdf").write_bytes(nested_drawing(30))
    report = folder.indexer().run(folder.root, folder.index)
    reason = "takes more than 3 s of a processor to read: split it"
    assert report.skipped == (SkippedFile("bomb.pdf", reason),)
    assert report.added == len(TEXTS)


def test_a_work_that_takes_too_much_memory_is_an_error_and_the_next_one_is_done() -> None:
    with closing(OneProcess(limit_s=60.0, most_bytes=1 << 26)) as process:
        with pytest.raises(TextWorkerError, match="MemoryError"):
            process.run(bytes, 1 << 27)
        assert process.run(len, "abc") == 3

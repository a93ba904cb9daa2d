"""Files of a corpus that break the libraries which read them: found by `python -m bench.fuzz`."""

from datetime import date
from pathlib import Path

import pytest

from groundwire_server.corpus.documents import (
    FILE_TIME,
    Content,
    CorpusFile,
    FileBytes,
    UnreadableFileError,
    content_of,
)

TODAY = date(2026, 1, 1)
NESTED = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefg", "bcdefgh", strict=True)
)
"""Nine of nine of nine: 43 million values, were it ever written out."""


def content(name: str, text: str) -> Content:
    return content_of(CorpusFile(name, Path(name)), FileBytes(text.encode(), "", TODAY))


@pytest.mark.parametrize("facts", ["title: !!int ''", "a: !!timestamp x", "a: !!bool maybe"])
def test_front_matter_that_breaks_the_reader_is_text(facts: str) -> None:
    found = content("a.md", f"---\n{facts}\n---\nIt opened in 1889.\n")
    assert "It opened in 1889." in found.text
    assert found.dated_by == FILE_TIME


@pytest.mark.parametrize("facts", [f"{NESTED}title: *h\ndate: *h", "title: 0x" + "f" * 9000])
def test_no_title_is_made_of_what_has_no_end(facts: str) -> None:
    found = content("a.md", f"---\n{facts}\n---\n# The tower\nIt opened in 1889.\n")
    assert found.title == "The tower"
    assert found.dated_by == FILE_TIME


def test_a_page_that_the_parser_rejects_is_left_out_with_a_reason() -> None:
    with pytest.raises(UnreadableFileError, match="no HTML that can be read"):
        content("a.html", "<p>The tower</p><![CDA[TA")

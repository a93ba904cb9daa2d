"""The text of an HTML page, with its title and its date.

Knows Beautiful Soup, on the parser of the standard library. Loads nothing that the page names.
"""

from datetime import date

from bs4 import BeautifulSoup, Tag
from bs4.exceptions import ParserRejectedMarkup

from groundwire_server.corpus.documents import Content, UnreadableFileError, day_of, decoded

_NO_TEXT = ("script", "style", "noscript", "template", "nav", "svg", "head", "iframe", "form")
_BLOCKS = (
    "p", "div", "section", "article", "main", "header", "footer", "aside", "h1", "h2", "h3", "h4",
    "h5", "h6", "ul", "ol", "dl", "dt", "dd", "table", "tr", "blockquote", "pre", "figure",
    "figcaption", "br", "hr", "li",
)  # fmt: skip
_DATES = (
    "article:modified_time", "og:updated_time", "last-modified", "dcterms.modified",
    "article:published_time", "date", "dc.date", "dcterms.date", "dcterms.created", "datepublished",
    "pubdate",
)  # fmt: skip
_CHARSET = b"charset"


def html_content(data: bytes) -> Content:
    """Title, text by paragraphs, and the date of the page's meta elements.

    Raises UnreadableFileError for what is no page.
    """
    # What a page says of its encoding counts where it is not UTF-8; without a word it is guessed.
    says = _CHARSET in data[:4096].lower()
    try:
        soup = BeautifulSoup(data if says else decoded(data), "html.parser")
    except (AssertionError, RecursionError, ValueError, ParserRejectedMarkup) as error:
        raise UnreadableFileError(f"no HTML that can be read: {error}") from error
    title = soup.title.get_text(" ", strip=True) if soup.title else ""
    dated = _dated(soup)
    for gone in soup(_NO_TEXT):
        gone.decompose()
    for block in soup(_BLOCKS):
        block.insert_before("\n\n")
        block.insert_after("\n\n")
    lines = (" ".join(line.split()) for line in soup.get_text().split("\n"))
    text = "\n\n".join(line for line in lines if line)
    return Content(text, title, dated, "html meta" if dated else "")


def _dated(soup: BeautifulSoup) -> date | None:
    found: dict[str, date] = {}
    for meta in soup("meta"):
        if isinstance(meta, Tag):
            names = (meta.get("property"), meta.get("name"), meta.get("itemprop"))
            name = next((str(each).lower() for each in names if each), "")
            day = day_of(meta.get("content"))
            if day is not None:
                found.setdefault(name, day)
    return next((found[name] for name in _DATES if name in found), None)

"""The text of an HTML page, with its title and its date.

Loads nothing that the page names.
"""

from collections.abc import Iterator
from datetime import date

from bs4 import BeautifulSoup, CData, Tag
from bs4.element import NavigableString, PageElement
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
_BREAK = "\n\n"


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
    lines = (" ".join(line.split()) for line in "".join(_texts(soup)).split("\n"))
    text = "\n\n".join(line for line in lines if line)
    return Content(text, title, dated, "html meta" if dated else "")


def _texts(soup: BeautifulSoup) -> Iterator[str]:
    """All that is text, with a break before and after each block.

    One walk: a tree that is changed looks for each place in the list of its neighbours.
    """
    waiting: list[PageElement | str] = [soup]
    while waiting:
        at = waiting.pop()
        if isinstance(at, Tag):
            if at.name in _NO_TEXT:
                continue
            if at.name in _BLOCKS:
                yield _BREAK
                waiting.append(_BREAK)
            waiting.extend(reversed(at.contents))
        # Comments and declarations are of other types.
        elif type(at) in (str, NavigableString, CData):
            yield str(at)


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

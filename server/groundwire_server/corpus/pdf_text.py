"""The text of a PDF, with its title and its date.

Does not recognise scans, and opens no encrypted file.
"""

import io
import logging
from datetime import date

from pypdf import PdfReader

from groundwire_server.corpus.documents import Content, UnreadableFileError

MAX_PAGES = 5000

# It warns of each thing that a file has wrong; what matters is said once, by the error.
logging.getLogger("pypdf").setLevel(logging.CRITICAL)


def pdf_content(data: bytes) -> Content:
    """The text of all pages. Raises UnreadableFileError."""
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted:
            raise UnreadableFileError("an encrypted PDF: save it without a password")
        if len(reader.pages) > MAX_PAGES:
            raise UnreadableFileError(f"a PDF of more than {MAX_PAGES:,} pages: split it")
        pages = [page.extract_text() for page in reader.pages]
        title, dated = _facts(reader)
    except (UnreadableFileError, MemoryError):
        raise
    # A broken file can make the library raise anything.
    except Exception as error:
        raise UnreadableFileError(f"a PDF that is broken ({type(error).__name__})") from error
    return Content("\n\n".join(pages), title, dated, "pdf metadata" if dated else "")


def _facts(reader: PdfReader) -> tuple[str, date | None]:
    facts = reader.metadata
    if facts is None:
        return "", None
    try:
        time_told = facts.modification_date or facts.creation_date
    except ValueError:
        time_told = None
    return str(facts.title or ""), time_told.date() if time_told else None

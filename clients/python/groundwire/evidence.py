"""What claims are judged by: documents, or one context with ranges that can be cited.

Positions are characters, half-open. The server checks ids, ranges and lengths;
this module only gives the parts their form. Knows no protobuf.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Document:
    """A source of its own."""

    id: str
    """The id by which claims cite it, such as "S0": 1 to 64 characters, none of them white
    space, a bracket, a comma or a control character. Distinct among the documents."""
    text: str
    """Its text: at least one visible character, at most `Limits.max_text_characters`."""
    title: str = ""
    """Its title, on one line. It is shown to the model above the text and stays when the text
    is removed. Empty: none."""


@dataclass(frozen=True, slots=True)
class SourceRange:
    """A range of a context that can be cited. Ranges with one id are cited together."""

    id: str
    """The id by which claims cite it, as `Document.id`."""
    start: int
    """The first character in the context, from 0."""
    end: int
    """The character after the last one, above `start`."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What claims are judged by. Make it with `Evidence.documents` or `Evidence.context`."""

    sources: tuple[Document, ...] | tuple[SourceRange, ...]
    """The sources, at most `Limits.max_sources` of them: either documents, which are joined in
    their order, or ranges of the context. Empty: the context is one source as a whole."""
    context_text: str = ""
    """The text that the ranges point into; empty when the sources are documents."""

    @classmethod
    def documents(cls, documents: Mapping[str, str] | Iterable[Document | str]) -> "Evidence":
        """Evidence of several documents.

        Args:
            documents: the documents; or their texts by id; or their texts alone, which get the
                ids S0, S1, and so on, by their place. One str is a TypeError.
        """
        if isinstance(documents, str):
            raise TypeError("documents must be many texts, not one: use Evidence.context()")
        if isinstance(documents, Mapping):
            return cls(tuple(Document(key, text) for key, text in documents.items()))
        return cls(
            tuple(
                document if isinstance(document, Document) else Document(f"S{index}", document)
                for index, document in enumerate(documents)
            )
        )

    @classmethod
    def context(cls, text: str, ranges: Iterable[SourceRange] = ()) -> "Evidence":
        """Evidence of one text.

        Args:
            text: the context, at most `Limits.max_text_characters` characters.
            ranges: its parts that can be cited; none: the whole text is one source.
        """
        return cls(tuple(ranges), text)

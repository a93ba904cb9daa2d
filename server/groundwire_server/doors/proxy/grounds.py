"""What of a chat request an answer is judged by: its evidence, its question, the turns before.

What the model itself has said is evidence for nothing. A part of a request that has not the form of
OpenAI's is left out here: what is wrong with it is for the upstream to say.
"""

import html
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from groundwire import Document, Turn, TurnRole
from groundwire_server.doors.chatbot.shape import unread_names
from groundwire_server.rpc.status import MalformedRequestError
from groundwire_verifier.domain.checks import has_visible_character
from groundwire_verifier.verdicts.options import (
    MAX_ID_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    has_forbidden_character,
)

KINDS = ("tools", "blocks", "fields", "system")
"""What can be evidence: the results of tools; `<document>` and `<source>` blocks in what system,
developer, user and tools say; the fields of the request; all that system and developer say."""

FIELDS = ("documents", "sources")
"""Fields of the request that OpenAI's has not. Each holds a list of texts, or of objects with
`text` or `content`, and perhaps `id` and `title`."""

_TOOLS = ("tool", "function")
_OPERATOR = ("system", "developer")
_TURNS = {"user": TurnRole.USER, "assistant": TurnRole.ASSISTANT}
MAX_TAGS = 20_000
"""The most tags of blocks in a request: finding them lets nothing else go on."""

_TAG = re.compile(r"<(/?)(document|source)\b([^<>]{0,2000})>", re.IGNORECASE)
_HALF = re.compile(r"[\ud800-\udfff]")
_ATTRIBUTE = re.compile(r"\b(id|title)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Grounds:
    """What the answers to one request are judged by."""

    documents: tuple[Document, ...]
    """The evidence, each source with an id of its own; empty: there is none."""
    question: str
    """What the user has said last, without its blocks; empty: nothing."""
    turns: tuple[Turn, ...]
    """What user and assistant have said before, without blocks, in their order."""
    unread: tuple[str, ...] = ()
    """Ids and titles of sources that there is nothing to read in, which cite all the same."""


def grounds(request: Mapping[str, object], kinds: Collection[str]) -> Grounds:
    """What a request has of these KINDS, and what it asks.

    Raises MalformedRequestError for more than MAX_TAGS.
    """
    sources = _Sources()
    if "fields" in kinds:
        for name in FIELDS:
            for item in _listed(request.get(name)):
                sources.add_item(item)
    said: list[tuple[str, str]] = []
    tags_left = MAX_TAGS
    for message in _listed(request.get("messages")):
        if not isinstance(message, Mapping):
            continue
        named, text = message.get("role"), text_of(message.get("content"))
        role = named if isinstance(named, str) else ""
        is_tool, is_operator = role in _TOOLS, role in _OPERATOR
        if "blocks" in kinds and (is_tool or is_operator or role == "user"):
            tags = list(islice(_TAG.finditer(text), tags_left + 1))
            tags_left -= len(tags)
            if tags_left < 0:
                raise MalformedRequestError(
                    "messages",
                    f"have more than {MAX_TAGS:,} tags of <document> and <source>: send fewer, or "
                    "have the proxy take other --evidence than blocks",
                )
            blocks, text = _blocks(text, tags)
            for attributes, inner in blocks:
                sources.add(inner, attributes.get("id", ""), attributes.get("title", ""))
        if (is_tool and "tools" in kinds) or (is_operator and "system" in kinds):
            sources.add(text)
        elif role in _TURNS and has_visible_character(text):
            said.append((role, text.strip()))
    last = max((i for i, (role, _) in enumerate(said) if role == "user"), default=None)
    return Grounds(
        sources.documents(),
        "" if last is None else said[last][1],
        tuple(Turn(_TURNS[role], text) for role, text in said[:last]),
        sources.unread(),
    )


def text_of(content: object) -> str:
    """The text of a message's content, which is one, or a list of parts."""
    if isinstance(content, str):
        return whole_characters(content)
    parts = (part.get("text") for part in _listed(content) if isinstance(part, Mapping))
    return "\n".join(whole_characters(part) for part in parts if isinstance(part, str))


def whole_characters(text: str) -> str:
    """A text with U+FFFD in the place of each half of a character.

    Whoever cuts a text in UTF-16, as JavaScript does, leaves halves, which no message can hold.
    """
    return _HALF.sub("\ufffd", text)


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def _blocks(
    text: str, tags: Sequence[re.Match[str]]
) -> tuple[list[tuple[Mapping[str, str], str]], str]:
    """The attributes and the text of each block, and the text without them.

    A block ends at the first of the `tags` that closes it, and one that nothing closes is none.
    """
    last = {tag[2].lower(): tag.start() for tag in tags if tag[1]}
    blocks: list[tuple[Mapping[str, str], str]] = []
    rest: list[str] = []
    at = 0
    opened: re.Match[str] | None = None
    for tag in tags:
        name = tag[2].lower()
        if opened is None:
            if not tag[1] and last.get(name, -1) > tag.start():
                opened = tag
        elif tag[1] and name == opened[2].lower():
            rest.append(text[at : opened.start()])
            blocks.append((dict(_attributes(opened[3])), text[opened.end() : tag.start()]))
            at, opened = tag.end(), None
    return blocks, "".join((*rest, text[at:]))


def _attributes(text: str) -> Iterator[tuple[str, str]]:
    for found in _ATTRIBUTE.finditer(text):
        yield found[1].lower(), html.unescape(found[2] or found[3] or "")


@dataclass(slots=True)
class _Source:
    id: str
    title: str
    texts: dict[str, None]
    """Each once, in their order."""


@dataclass(slots=True)
class _Sources:
    """Sources in the order of the request. Texts with one id are one source."""

    _found: list[_Source] = field(default_factory=list)
    _named: dict[str, _Source] = field(default_factory=dict)
    _blank: list[Document] = field(default_factory=list)

    def add_item(self, item: object) -> None:
        if isinstance(item, Mapping):
            text = item.get("text", item.get("content"))
            own, title = item.get("id", ""), item.get("title", "")
            self.add(
                text_of(text),
                str(own) if isinstance(own, str | int) else "",
                title if isinstance(title, str) else "",
            )
        elif isinstance(item, str):
            self.add(whole_characters(item))

    def add(self, text: str, own_id: str = "", title: str = "") -> None:
        """A text, unless nothing in it can be read. An id that nobody could cite is a title."""
        own_id, title = whole_characters(own_id.strip()), whole_characters(title)
        if len(own_id) > MAX_ID_CHARACTERS or has_forbidden_character(own_id):
            own_id, title = "", title or own_id
        if not has_visible_character(text):
            self._blank.append(Document(own_id, text, title))
            return
        known = self._named.get(own_id)
        if known is None:
            known = _Source(own_id, " ".join(title.split())[:MAX_TITLE_CHARACTERS], {})
            self._found.append(known)
            if own_id:
                self._named[own_id] = known
        known.texts[text] = None

    def documents(self) -> tuple[Document, ...]:
        """All of them. One without an id gets S and its place, from 0, or the next that is free."""
        documents = []
        free = 0
        for place, source in enumerate(self._found):
            own = source.id
            if not own:
                free = max(free, place)
                while (own := f"S{free}") in self._named:
                    free += 1
                free += 1
            documents.append(Document(own, "\n\n".join(source.texts), source.title))
        return tuple(documents)

    def unread(self) -> tuple[str, ...]:
        """The names of those that are none, since nothing in them can be read."""
        names = unread_names((*self._blank, *self.documents()))
        return tuple(name for name in names if name not in self._named)

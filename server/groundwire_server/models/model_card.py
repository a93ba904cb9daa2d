"""Which languages the card of a model names."""

import re
from pathlib import Path

from groundwire_server.models.figures import read_figures
from groundwire_server.models.store import EMBEDDED_MODELS, is_hub_name

CARD_NAME = "README.md"
MAX_CARD_BYTES = 100_000

_HEAD = re.compile(r"---\s*\n(.*?)\n---", re.DOTALL)
_LANGUAGES = re.compile(r"^languages?:[ \t]*(\S.*)?\n?((?:[ \t]*-[ \t].*\n?)*)", re.MULTILINE)
_TAG = re.compile(r"(?<![\w-])[a-z]{2,3}(?=(?:-\w+)*(?:[\s,\]\"']|$))", re.IGNORECASE)


def is_no_verifier(model: str) -> bool:
    """Whether a model is an instruct model as it was published, which can write: an embedded one
    without an adapter of ours, or one of the hub. A folder may hold a verifier that was trained."""
    if embedded := EMBEDDED_MODELS.get(model):
        return embedded.adapter is None
    return is_hub_name(model)


def card_languages(model: str) -> tuple[str, ...]:
    """The languages of an embedded model, or of the folder of one, as tags without a region.

    A folder names them in the head of its README.md, as the hub has it. None where nothing does.
    """
    if embedded := EMBEDDED_MODELS.get(model):
        return read_figures(embedded.card).languages
    path = Path(model).expanduser() / CARD_NAME
    if not path.is_file():
        return ()
    with path.open("rb") as card:
        head = _HEAD.match(card.read(MAX_CARD_BYTES).decode("utf-8", "replace"))
    named = None if head is None else _LANGUAGES.search(head.group(1))
    if named is None:
        return ()
    tags = _TAG.findall(f"{named.group(1) or ''}\n{named.group(2)}")
    return tuple(dict.fromkeys(tag.lower() for tag in tags))

"""Server-sent events, cut out of a stream of bytes and left as they are."""

import codecs
import re
from dataclasses import dataclass

MAX_EVENT_BYTES = 4 << 20
"""The longest event that is looked into."""

DONE = b"[DONE]"
"""The data of the event that ends a stream of OpenAI's."""

_END = re.compile(rb"(?>\r\n|\n|\r)(?>\r\n|\n|\r)")
_LINE_END = re.compile(rb"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Event:
    """One event. The bytes of all events, one behind the other, are those of the stream."""

    raw: bytes
    """All of its bytes, with the blank line that ends it."""
    data: bytes | None
    """What its lines of data say; empty: it has none, as a comment; None: it is too long to be
    looked into."""


class EventCutter:
    """Cuts a stream into events as it comes."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._looked_at = 0
        self.is_too_long = False
        """Whether an event was longer than MAX_EVENT_BYTES. From there on nothing is cut."""

    def cut(self, part: bytes) -> list[Event]:
        """The events that end in the next part of the stream."""
        self._held += part
        found: list[Event] = []
        while not self.is_too_long and (end := _END.search(self._held, self._looked_at)):
            if end.end() == len(self._held) and end[0].endswith(b"\r"):
                break  # of `\r\n\r\n` the last byte may be still to come
            found.append(_event(bytes(self._held[: end.end()])))
            del self._held[: end.end()]
            self._looked_at = 0
        # The end of an event may have come by half.
        self._looked_at = max(0, len(self._held) - 3)
        self.is_too_long = self.is_too_long or len(self._held) > MAX_EVENT_BYTES
        if self.is_too_long:
            found.append(self.rest())
        return found

    def rest(self) -> Event:
        """What has come since the last event ended."""
        raw = bytes(self._held)
        self._held.clear()
        self._looked_at = 0
        return Event(raw, None) if self.is_too_long else _event(raw)


def _event(raw: bytes) -> Event:
    # A stream may begin with a mark that clients leave out.
    lines = _LINE_END.split(raw.removeprefix(codecs.BOM_UTF8))
    lines = [line for line in lines if line.startswith(b"data:")]
    data = b"\n".join(line.removeprefix(b"data:").removeprefix(b" ") for line in lines)
    return Event(raw, data)

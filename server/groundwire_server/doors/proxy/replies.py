"""What a chat completion says: the text of each choice, and where in the reply it stands.

Reads a whole reply and the pieces of a streamed one alike.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from groundwire import AnswerClaim, Correction, EditKind, Span, Verdict, VerdictReason
from groundwire_server.doors.chatbot.shape import LEFT_OUT
from groundwire_server.doors.proxy.grounds import whole_characters

MAX_REPLY_BYTES = 16 << 20
"""The longest reply that is read: a whole one, or what is held of a streamed one."""

MAX_TEXT_CHARACTERS = 2_000_000
"""The longest text of a choice that is kept; the server's own limit is lower."""

Json = dict[str, object]

_TOKENS = frozenset(("logprobs", "token_ids"))
"""What of a choice holds its text once more; the second is vLLM's."""

_OF_USAGE = frozenset(
    ("id", "object", "created", "model", "system_fingerprint", "service_tier", "usage", "timings")
)
"""All that a piece has which tells of the usage alone: what else it had could be a text."""


class UnreadableError(Exception):
    """A reply has not the form of a chat completion."""


@dataclass(frozen=True, slots=True)
class ReplyPart:
    """A part of a choice's text, and what of the reply holds it."""

    choice: int
    """The index of the choice, as the reply says."""
    span: Span
    """Where it stands in the choice's text."""
    holder: Json
    key: str
    """`holder[key]` is the text."""
    entry: Json
    """The choice, or its piece, that it stands in."""
    text: str
    """What is verified of it, which has its length."""


@dataclass(slots=True)
class _Choice:
    parts: list[str] = field(default_factory=list)
    characters: int = 0
    is_finished: bool = False


class Reply:
    """The choices of one reply, as far as it has come."""

    def __init__(self) -> None:
        self._choices: dict[int, _Choice] = {}
        self.head: Json = {}
        """What its first piece says of it: id, model and so on."""

    @property
    def choices(self) -> Sequence[int]:
        """The indexes of the choices that have begun, in their order."""
        return sorted(self._choices)

    @property
    def is_finished(self) -> bool:
        """Whether every choice says why it ended."""
        return bool(self._choices) and all(each.is_finished for each in self._choices.values())

    def text(self, choice: int) -> str:
        """What a choice has said so far."""
        return "".join(self._choices[choice].parts)

    def read(self, piece: Json, holder: str) -> list[ReplyPart]:
        """The passages of a piece, whose choices have their text below `holder`.

        Raises UnreadableError.
        """
        # Some upstreams tell of the usage in a piece without choices, and of nothing beside.
        tells_usage = "usage" in piece and piece.keys() <= _OF_USAGE
        if not self.head and ("id" in piece or not tells_usage):
            self.head = {name: piece.get(name) for name in ("id", "created", "model")}
        passages: list[ReplyPart] = []
        for place, entry in enumerate(() if tells_usage else _listed(piece, "choices")):
            if not isinstance(entry, dict):
                raise UnreadableError
            index = entry.get("index", place)
            if type(index) is not int:
                raise UnreadableError
            choice = self._choices.setdefault(index, _Choice())
            choice.is_finished = choice.is_finished or entry.get("finish_reason") is not None
            for where, key in _texts(entry.get(holder)):
                text = whole_characters(str(where[key]))
                start = choice.characters
                choice.characters += len(text)
                if choice.characters > MAX_TEXT_CHARACTERS:
                    raise UnreadableError
                choice.parts.append(text)
                if text:
                    span = Span(start, choice.characters)
                    passages.append(ReplyPart(index, span, where, key, entry, text))
        return passages


def parsed(data: bytes) -> Json:
    """A piece of a reply. Raises UnreadableError."""
    try:
        piece = json.loads(data.decode())
    except (ValueError, RecursionError):
        raise UnreadableError from None
    if not isinstance(piece, dict):
        raise UnreadableError
    return piece


def _listed(piece: Mapping[str, object], name: str) -> Sequence[object]:
    value = piece.get(name)
    if not isinstance(value, list):
        raise UnreadableError
    return value


def _texts(message: object) -> Iterator[tuple[Json, str]]:
    """Where the texts of a message are: its content, or the parts of it."""
    if message is None:
        return
    if not isinstance(message, dict):
        raise UnreadableError
    content = message.get("content")
    if isinstance(content, str):
        yield message, "content"
    elif isinstance(content, list):
        for part in content:
            if not isinstance(part, dict) or not isinstance(part.get("text", ""), str):
                raise UnreadableError
            if "text" in part:
                yield part, "text"
    elif content is not None:
        raise UnreadableError


@dataclass(frozen=True, slots=True)
class Hidden:
    """A part of a text that nobody should see."""

    span: Span
    instead: str | None = None
    """What is shown in its place: the words of a correction; None: the notice."""


def withheld(
    claims: Iterable[AnswerClaim], text: str, correction: Correction | None = None
) -> list[Hidden]:
    """What of a text nobody should see: the claims that are not grounded, in its order.

    What asserts nothing stays. What was not read does not. Of a claim that a correction puts right
    only the words that it replaces are hidden, once the corrected text has been verified.
    """
    wrong = [each for each in claims if not each.grounded and each.reason not in LEFT_OUT]
    edits = () if correction is None or correction.summary is None else correction.edits
    left_out = [each.span for each in edits if each.kind is EditKind.SENTENCE_LEFT_OUT]
    made = [each for each in edits if each.kind is not EditKind.SENTENCE_LEFT_OUT]
    spans: list[Span] = []
    for claim in sorted(wrong, key=lambda each: each.span.start):
        span = _with_its_end(claim, text)
        # A changed citation may stand before its claim, as in "According to [S0], ...".
        places = (span, *(each.span for each in claim.citations))
        is_put_right = _was_read(claim) and any(
            _meet(place, each.span) for place in places for each in made
        )
        if is_put_right and not any(_meet(span, each) for each in left_out):
            continue
        if spans and span.start <= spans[-1].end:
            spans[-1] = Span(spans[-1].start, max(span.end, spans[-1].end))
        else:
            spans.append(span)
    found = [Hidden(each) for each in spans]
    found += [
        Hidden(edit.span, edit.replacement)
        for edit in made
        if not any(_meet(edit.span, each) for each in spans)
    ]
    return sorted(found, key=lambda each: each.span.start)


def _was_read(claim: AnswerClaim) -> bool:
    """Whether a claim is one that a correction knows."""
    unknown = claim.reason is VerdictReason.UNKNOWN_CITATION
    return unknown or claim.verdict is not Verdict.NOT_VERIFIED


def _meet(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _with_its_end(claim: AnswerClaim, text: str) -> Span:
    """A claim with the citations and the stop behind it."""
    end = claim.span.end
    for citation in sorted(claim.citations, key=lambda each: each.span.start):
        if citation.span.end > end and not text[end : citation.span.start].strip(" .!?"):
            end = citation.span.end
    while end < len(text) and text[end] in ".!?\u2026":
        end += 1
    return Span(claim.span.start, end)


def shown(text: str, span: Span, hidden: Sequence[Hidden], notice: str) -> str:
    """What is shown of a part of a text. What stands instead is where something hidden begins."""
    parts: list[str] = []
    at = span.start
    for each in hidden:
        if each.span.end <= span.start or each.span.start >= span.end:
            continue
        parts.append(text[at : max(each.span.start, at)])
        if each.span.start >= span.start:
            parts.append(notice if each.instead is None else each.instead)
        at = min(each.span.end, span.end)
    parts.append(text[at : span.end])
    return "".join(parts)


@dataclass(frozen=True, slots=True)
class Veil:
    """What of the choices of a reply is hidden."""

    texts: Mapping[int, str]
    """All that each choice says."""
    hidden: Mapping[int, Sequence[Hidden]]
    notice: str
    """What is shown in place of what is hidden, where there is nothing better."""

    def meets(self, passages: Sequence[ReplyPart]) -> bool:
        """Whether a piece of the reply has anything of what is hidden."""
        return any(
            each.span.start < part.span.end and part.span.start < each.span.end
            for part in passages
            for each in self.hidden.get(part.choice, ())
        )

    def cover(self, passages: Sequence[ReplyPart]) -> bool:
        """Take what is hidden out of a piece of the reply, and say whether it held any.

        The tokens of a choice that has changed go with it, and their log-probabilities.
        """
        has_changed = False
        for each in passages:
            text = self.texts[each.choice]
            seen = shown(text, each.span, self.hidden.get(each.choice, ()), self.notice)
            if seen != each.text:
                each.holder[each.key] = seen
                for name in each.entry.keys() & _TOKENS:
                    each.entry[name] = None
                has_changed = True
        return has_changed

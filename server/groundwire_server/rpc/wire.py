"""Bytes to requests: how much is in them is known before any of it is expanded.

protobuf makes an object of every two bytes of a hostile message, and refuses a whole message for
one text that is not UTF-8 without saying which. So the fields are walked where they lie, as few
of them as a request can need, and only then parsed. Limits come in as a table.
"""

import functools
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message

from groundwire_server.rpc.status import MalformedRequestError, ResponseTooLargeError
from groundwire_verifier.domain.errors import InvalidInputError, InvalidReason, Violation

Request = TypeVar("Request")
Parsed = TypeVar("Parsed")

MAX_MESSAGE_FIELDS = 25_000
"""Fields of one message with all messages in it, known or not. 1,000 claims with 10 citations each,
on 1,000 documents, have 18,000."""

MAX_VARINT_BYTES = 10
MAX_TAG = (1 << 32) - 1
_VARINT, _FIXED64, _DELIMITED, _START_GROUP, _END_GROUP, _FIXED32 = range(6)
_CONTINUES = 128
_CONTINUED = bytes(range(_CONTINUES, 256))
"""The bytes of a varint that are not its last."""


@dataclass(frozen=True, slots=True)
class CountLimit:
    """The most values of a repeated field, why more are refused, and in words what they are."""

    most: int
    reason: InvalidReason
    what: str
    fix: str


@dataclass(frozen=True, slots=True)
class FieldLimits:
    """What the fields of a request may hold. Names are full names of the contract.

    `counts` has the repeated fields. A text longer than `text_bytes` has too many characters
    however it is encoded; `text_reasons` says why it is refused, TEXT_TOO_LONG where it has none.
    """

    counts: Mapping[str, CountLimit]
    text_bytes: int
    text_reasons: Mapping[str, InvalidReason]


_NO_LIMITS = FieldLimits({}, sys.maxsize, {})


class Parse(Protocol[Parsed]):
    """Makes a request of bytes; gives the one that is `made` of them, where one is."""

    def __call__(self, data: bytes, made: Parsed | None = None) -> Parsed:
        """Raises InvalidInputError or MalformedRequestError, which name what is wrong."""


def limited(parse: Callable[[bytes], Request], limits: FieldLimits) -> Parse[Request]:
    """`parse` for bytes of which nothing is known, which names what is wrong with them.

    It raises InvalidInputError or MalformedRequestError, before there is too much to parse.
    """
    # `parse` is the class method FromString of the request's type.
    descriptor: Descriptor = parse.__self__.DESCRIPTOR  # type: ignore[attr-defined]

    def deserialise(data: bytes, made: Request | None = None) -> Request:
        try:
            _Walk(data, limits).message(_layout(descriptor), 0, len(data), _Seen(), "")
            return parse(data) if made is None else made
        except (DecodeError, _WireFormatError):
            raise _explain(data, descriptor) from None

    return deserialise


def _explain(data: bytes, descriptor: Descriptor) -> MalformedRequestError:
    try:
        _Walk(data, _NO_LIMITS, checks_texts=True).message(
            _layout(descriptor), 0, len(data), _Seen(), ""
        )
    except MalformedRequestError as error:
        return error
    except _WireFormatError:
        pass
    return MalformedRequestError("", f"the bytes are no {descriptor.full_name} message")


class _WireFormatError(Exception):
    """The bytes are no fields."""


@dataclass(frozen=True, slots=True)
class _Field:
    """What is known of a field, and of which wire types it may be.

    `packs` says that one delimited piece may hold many numbers.
    """

    name: str
    full_name: str
    kinds: frozenset[int]
    repeated: bool
    text: bool
    packs: bool
    message: Descriptor | None


@dataclass(slots=True)
class _Seen:
    """How many values of each field came. protobuf merges messages of a field that holds one."""

    counts: dict[int, int] = field(default_factory=dict)
    merged: "dict[int, _Seen]" = field(default_factory=dict)


@functools.cache
def _layout(descriptor: Descriptor) -> dict[int, _Field]:
    """The fields of a message by their numbers."""
    return {known.number: _field(known) for known in descriptor.fields}


def _field(known: FieldDescriptor) -> _Field:
    delimited = known.cpp_type in (FieldDescriptor.CPPTYPE_STRING, FieldDescriptor.CPPTYPE_MESSAGE)
    packs = known.is_repeated and not delimited
    # Every repeated number of the contract is a varint.
    kinds = {_DELIMITED} if delimited else {_VARINT, _DELIMITED} if packs else set()
    return _Field(
        name=known.name,
        full_name=known.full_name,
        kinds=frozenset(kinds),
        repeated=known.is_repeated,
        text=known.type == FieldDescriptor.TYPE_STRING,
        packs=packs,
        message=known.message_type,
    )


class _Walk:
    """One way through the fields of a message and of all messages in it."""

    def __init__(self, data: bytes, limits: FieldLimits, *, checks_texts: bool = False) -> None:
        self._data = data
        self._limits = limits
        self._checks_texts = checks_texts
        self._left = MAX_MESSAGE_FIELDS

    def message(
        self, layout: Mapping[int, _Field], start: int, end: int, seen: _Seen, at: str
    ) -> None:
        """Count the fields of the message between two positions; `at` begins their paths.

        Raises InvalidInputError, MalformedRequestError or _WireFormatError.
        """
        for number, kind, first, last in self._fields(start, end):
            known = layout.get(number)
            # A field of another wire type is unknown to protobuf, so it does not count.
            if known is None or kind not in known.kinds:
                continue
            place = ""
            if known.repeated:
                index = seen.counts.get(number, 0)
                count = self._packed(first, last) if known.packs and kind == _DELIMITED else 1
                seen.counts[number] = index + count
                self._check_count(known, index + count, at)
                place = f"[{index}]"
            if known.message is not None:
                below = _Seen() if known.repeated else seen.merged.setdefault(number, _Seen())
                path = f"{at}{known.name}{place}."
                self.message(_layout(known.message), first, last, below, path)
            elif known.text:
                self._check_text(known, first, last, f"{at}{known.name}{place}")

    def _check_count(self, known: _Field, count: int, at: str) -> None:
        limit = self._limits.counts.get(known.full_name)
        if limit is not None and count > limit.most:
            text = f"holds more than {limit.most:,} {limit.what}, which is the limit: {limit.fix}"
            raise InvalidInputError((Violation(at + known.name, limit.reason, text),))

    def _check_text(self, known: _Field, first: int, last: int, path: str) -> None:
        size, most = last - first, self._limits.text_bytes
        if size > most:
            reason = self._limits.text_reasons.get(known.full_name, InvalidReason.TEXT_TOO_LONG)
            text = f"has {size:,} bytes; the limit is {most:,}, whatever its characters: shorten it"
            raise InvalidInputError((Violation(path, reason, text),))
        if self._checks_texts and not _is_utf8(self._data[first:last]):
            text = "is not valid UTF-8; send text encoded as UTF-8"
            raise MalformedRequestError(path, text)

    def _packed(self, first: int, last: int) -> int:
        """How many numbers are packed between two positions. Only varints are in the contract."""
        return len(self._data[first:last].translate(None, _CONTINUED))

    def _fields(self, at: int, end: int) -> Iterator[tuple[int, int, int, int]]:
        """Number, wire type and the place of the value of each field between two positions.

        What stands in a group is unknown: proto3 has none.
        """
        groups: list[int] = []
        while at < end:
            self._left -= 1
            if self._left < 0:
                text = f"holds more than {MAX_MESSAGE_FIELDS:,} fields in all: send a smaller one"
                raise MalformedRequestError("", f"the message {text}")
            tag, at = self._varint(at, end)
            number, kind = tag >> 3, tag & 7
            first = at
            if kind == _VARINT:
                _, at = self._varint(at, end)
            elif kind == _DELIMITED:
                size, first = self._varint(at, end)
                at = first + size
            elif kind in (_FIXED32, _FIXED64):
                at += 4 if kind == _FIXED32 else 8
            elif kind == _START_GROUP:
                groups.append(number)
            elif kind != _END_GROUP or not groups or groups.pop() != number:
                raise _WireFormatError
            if number == 0 or tag > MAX_TAG or at > end:
                raise _WireFormatError
            if not groups and kind != _END_GROUP:
                yield number, kind, first, at
        if groups:
            raise _WireFormatError

    def _varint(self, at: int, end: int) -> tuple[int, int]:
        """The number at a position, and the position behind it."""
        data, value = self._data, 0
        # Nearly all are of one byte.
        if at < end and data[at] < _CONTINUES:
            return data[at], at + 1
        for shift in range(0, 7 * MAX_VARINT_BYTES, 7):
            if at >= end:
                break
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            if byte < _CONTINUES:
                return value, at
        raise _WireFormatError


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


MAX_CITATION_STYLES = MAX_LAYERS = 16
"""Most citation styles, and most layers, of one request; there are three of each."""


@dataclass(frozen=True, slots=True)
class MessageLimits:
    """The limits on requests before they are parsed, and on responses once they are made.

    `grows_with` has, by a method's path, the field of its request that makes its response large;
    other responses stay small.
    """

    fields: FieldLimits
    message_bytes: int
    grows_with: Mapping[str, str]

    def written(self, response: Message, method: str) -> bytes:
        """The bytes of a response of a method. Raises ResponseTooLargeError.

        The transport would end the call without a reason.
        """
        data = response.SerializeToString()
        if len(data) > self.message_bytes:
            field = self.grows_with.get(method, "")
            raise ResponseTooLargeError(field, len(data), self.message_bytes)
        return data

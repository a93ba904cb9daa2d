"""The requests that `tests.soak.fuzz.wire` sends: bytes for a method, made by chance.

Wild messages have any of their fields, with values at the edges: most of them are refused at the
door. Tame ones have what a caller might mean, and so reach the code behind it. Both are sent as
they are, and with changed bytes.
"""

import random
from collections.abc import Iterator, Sequence

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from groundwire_verifier.checks.traces.messages import ROLES
from tests.soak.fuzz.mutation import TOKENS, mutated
from tests.soak.fuzz.request_targets import methods

DEPTH = 5
_PLAIN_SHARE, _TAME_SHARE = 0.5, 0.7
_NUMBERS = (0, 1, 2, 3, 100, -1, 2**31 - 1, -(2**31))
_REALS = (0.0, 0.5, 1.0, -1.0, 1e308, float("nan"), float("inf"))
_TEXTS = (
    "The tower is 330 m high [S0].",
    "It was built in 1889. It has two floors, and it is not the highest any more.",
    "Python 3.12 removed the GIL [S1].",
)
_TEXTS_OF = {
    "backend": "local",
    "corpus": "local",
    "language": "en",
    "citation_prefixes": "S",
    "arguments": '{"city": "Paris"}',
    "schema": '{"type": "object", "required": ["height"]}',
}
"""What a tame field of this name holds, where it is no text of anybody."""
_ROLES = sorted({*ROLES} - {"tool"})
"""Who speaks in a tame chat: the result of a tool needs the id of a call in the same chat."""
_BESIDE_EACH_OTHER = {
    "corpus": "evidence",
    "context": "sources",
    "range": "document",
    "error": "result",
    "tool_calls": "tool_call_id",
}
"""Fields that go without, in a message that has the other."""
_EITHER = ("steps", "messages")
"""Of these a tame message that could have both has one, the one as often as the other."""
_SELDOM = "all"
"""A switch that is seldom on: it would erase what the other calls ask for."""

_NEEDED = {
    FieldDescriptor.CPPTYPE_STRING,
    FieldDescriptor.CPPTYPE_ENUM,
    FieldDescriptor.CPPTYPE_MESSAGE,
}
"""Kinds of fields that a tame message seldom goes without."""

GivenIds = dict[str, list[str]]
"""The latest ids that a server has given, by the name of the field that takes them."""


class _Wild:
    """Any field or none, to fragments and to values at the edges."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def fill(self, message: Message, depth: int) -> None:
        """Set some of the fields of a message, and of those in it down to this depth."""
        described: Descriptor = message.DESCRIPTOR  # type: ignore[assignment] # the C one is alike
        choices = self._choices(described)
        chosen = self._chance.choice(choices) if choices else None
        for field in described.fields:
            if field is not chosen and (field in choices or self._is_left_out(field)):
                continue
            if field.message_type is not None:
                if depth == 0 or field.message_type.full_name.startswith("google.protobuf."):
                    continue
                if field.is_repeated:
                    for _ in range(self._count(field)):
                        self.fill(getattr(message, field.name).add(), depth - 1)
                else:
                    inner = getattr(message, field.name)
                    inner.SetInParent()
                    self.fill(inner, depth - 1)
            elif field.is_repeated:
                values = [self._value(field) for _ in range(self._count(field))]
                getattr(message, field.name).extend(values)
            else:
                setattr(message, field.name, self._value(field))

    def _choices(self, described: Descriptor) -> Sequence[FieldDescriptor]:
        """The fields of which a message has one: of the pieces of a stream the last set is left."""
        pieces = described.oneofs_by_name.get("piece")
        return () if pieces is None else pieces.fields

    def _is_left_out(self, field: FieldDescriptor) -> bool:
        return self._chance.random() < 0.5

    def _count(self, field: FieldDescriptor) -> int:
        return self._chance.choice((1, 1, 2, 5))

    def _value(  # noqa: PLR0911 - one for each kind of field
        self, field: FieldDescriptor
    ) -> object:
        if field.enum_type is not None:
            return self._chance.choice([value.number for value in field.enum_type.values] + [999])
        match field.cpp_type:
            case FieldDescriptor.CPPTYPE_STRING:
                if field.type == FieldDescriptor.TYPE_BYTES:
                    return self._chance.randbytes(4)
                words = b"".join(
                    self._chance.choices(TOKENS, k=self._chance.choice((1, 2, 6)))
                ).decode()
                return self._chance.choice(
                    ("S0", "The tower is 330 m high [S0].", "local", words, words)
                )
            case FieldDescriptor.CPPTYPE_BOOL:
                return self._chance.random() < 0.5
            case FieldDescriptor.CPPTYPE_DOUBLE | FieldDescriptor.CPPTYPE_FLOAT:
                return self._chance.choice(_REALS)
            case FieldDescriptor.CPPTYPE_UINT32 | FieldDescriptor.CPPTYPE_UINT64:
                return abs(self._chance.choice(_NUMBERS))
            case _:
                return self._chance.choice(_NUMBERS)


class _Tame(_Wild):
    """What a caller might mean. `ids` are those that the server has given."""

    def __init__(self, chance: random.Random, ids: GivenIds) -> None:
        super().__init__(chance)
        self._ids = ids

    def _choices(self, described: Descriptor) -> Sequence[FieldDescriptor]:
        if all(name in described.fields_by_name for name in _EITHER):
            return [described.fields_by_name[name] for name in _EITHER]
        return super()._choices(described)

    def _is_left_out(self, field: FieldDescriptor) -> bool:
        other, owner = _BESIDE_EACH_OTHER.get(field.name), field.containing_type
        if other is not None and owner is not None and other in owner.fields_by_name:
            return self._chance.random() < 0.95
        is_needed = field.is_repeated or field.cpp_type in _NEEDED
        return self._chance.random() < (0.02 if is_needed else 0.4)

    def _count(self, field: FieldDescriptor) -> int:
        # A list of kinds names each once; of options there are two or more.
        return 1 if field.enum_type is not None else self._chance.choice((2, 2, 3))

    def _value(self, field: FieldDescriptor) -> object:
        if field.enum_type is not None:
            return self._chance.choice([value.number for value in field.enum_type.values[1:]])
        match field.cpp_type:
            case FieldDescriptor.CPPTYPE_STRING:
                text = self._text(field.name)
                return text.encode() if field.type == FieldDescriptor.TYPE_BYTES else text
            case FieldDescriptor.CPPTYPE_BOOL:
                return self._chance.random() < (0.05 if field.name == _SELDOM else 0.5)
            case FieldDescriptor.CPPTYPE_DOUBLE | FieldDescriptor.CPPTYPE_FLOAT:
                return self._chance.choice((0.1, 0.5, 0.9))
            case _:
                return self._chance.choice((0, 0, 1) if field.name.endswith("index") else (1, 2, 3))

    def _text(self, name: str) -> str:
        if name in _TEXTS_OF:
            return _TEXTS_OF[name]
        if name == "role":
            return self._chance.choice(_ROLES)
        if (given := self._ids.get(name)) and self._chance.random() < 0.7:
            return self._chance.choice(given)
        if name == "name" or name.endswith(("id", "ids")):
            return f"S{self._chance.randrange(1000)}"
        fragment = b"".join(self._chance.choices(TOKENS, k=2)).decode()
        return f"{self._chance.choice(_TEXTS)} {self._chance.choice(('', fragment))}"


def inputs(
    seeds: Sequence[bytes], chance: random.Random, ids: GivenIds
) -> Iterator[tuple[str, bytes]]:
    """Methods with bytes for them, without an end: whole messages, and such with changes.

    `ids` are those that a server has given, of which more may come in between.
    """
    known = methods()
    paths = sorted(known)
    changed = mutated(seeds, chance)
    while True:
        path = chance.choice(paths)
        maker = _Tame(chance, ids) if chance.random() < _TAME_SHARE else _Wild(chance)
        message = known[path]()
        maker.fill(message, DEPTH)
        whole = message.SerializeToString()
        if chance.random() < _PLAIN_SHARE:
            yield path, whole
        elif chance.random() < 0.7:
            yield path, next(mutated([whole], chance))
        else:
            yield path, next(changed)

"""A conversation as evidence: which of its turns are, and under which ids they can be cited.

What the user, the operator, a tool or a document says is evidence. What the agent itself has said
before is not: an error would otherwise be evidence for its own repetition.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

from groundwire_verifier.domain import checks
from groundwire_verifier.domain.errors import InvalidReason, Violation
from groundwire_verifier.domain.evidence import Document
from groundwire_verifier.domain.types import Limits
from groundwire_verifier.verdicts.options import EvidenceInput, check_evidence

_SOURCE = re.compile(r"evidence\.sources\[(\d+)\](.*)")
_INSIDE = ".document"


class Role(Enum):
    """Who speaks in a turn."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation.

    Claims cite it by its `id`; empty: by its place. `name` is shown to the model as its title;
    empty: the role is.
    """

    role: Role
    text: str
    id: str = ""
    name: str = ""

    @property
    def is_evidence(self) -> bool:
        """Whether what it says can carry a claim."""
        return self.role is not Role.ASSISTANT and checks.has_visible_character(self.text)


@dataclass(frozen=True, slots=True)
class Conversation:
    """What an agent was given before it spoke, in order."""

    turns: tuple[Turn, ...] = ()
    documents: tuple[Document, ...] = ()

    @property
    def evidence(self) -> EvidenceInput:
        return EvidenceInput(self.sources)

    @property
    def sources(self) -> tuple[Document, ...]:
        """Documents first, so that evidence that grows keeps what it begins with."""
        return (*self.documents, *self._turns_as_sources().values())

    @property
    def said_by_user(self) -> tuple[str, ...]:
        """What the user has said, in order: the last of it is what the response answers."""
        return tuple(turn.text for turn in self.turns if turn.role is Role.USER)

    def check(self, limits: Limits) -> list[Violation]:
        """What is wrong with it, with the fields `turns` and `documents`."""
        # Before any is looked into for a visible character.
        if too_long := [
            found
            for i, turn in enumerate(self.turns)
            for found in checks.characters(turn.text, limits.text_characters, f"turns[{i}].text")
        ]:
            return too_long
        if not self.evidence.sources:
            text = "hold no evidence; send a document, or what the user or a tool has said"
            return [Violation("turns", InvalidReason.INVALID_SOURCE, text)]
        return [
            replace(found, field=self.own_field(found.field))
            for found in check_evidence(self.evidence, limits, "evidence")
        ]

    def own_field(self, field: str) -> str:
        """The field of the request that a field of its evidence was made of."""
        found = _SOURCE.fullmatch(field)
        if found is None:
            return "turns"
        fields = [f"documents[{i}]" for i in range(len(self.documents))]
        fields += [f"turns[{i}]" for i in self._turns_as_sources()]
        rest = found[2].removeprefix(_INSIDE)
        path = fields[int(found[1])]
        return path + (".name" if rest == ".title" and path.startswith("turns") else rest)

    def _turns_as_sources(self) -> Mapping[int, Document]:
        """The turns that are evidence, as sources by their indexes."""
        return {
            i: Document(turn.id or f"turn-{i + 1}", turn.text, turn.name or turn.role.value)
            for i, turn in enumerate(self.turns)
            if turn.is_evidence
        }

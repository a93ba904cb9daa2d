"""What of the evidence each claim of a request is read with: the whole, or passages of it.

Claims whose passages overlap are read with the same ones, as far as the budget allows, so that
their prompts share a prefix.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from groundwire_verifier.domain.evidence import Evidence, ReadPassage
from groundwire_verifier.domain.titles import Titles
from groundwire_verifier.verdicts.windows import Windows, window_characters

MOST_OPEN_EXCERPTS = 16
"""A claim's passages are compared with those of so many excerpts before it, the latest ones."""
MAX_EXCERPTS = 256
"""A request whose claims need more excerpts is read with the whole evidence, or refused if that is
too long: each excerpt is tokenised and read for itself."""

Asked = tuple[str, tuple[str, ...]]
"""The text of a claim, and the ids that it cites."""


@dataclass(frozen=True, eq=False)
class Excerpt:
    """A part of the evidence, or all of it: then `read_passages` is empty."""

    evidence: Evidence
    read_passages: tuple[ReadPassage, ...] = ()
    titles: Titles = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "titles", Titles(self.evidence.title_of))


class Excerpts:
    """The excerpt of each claim."""

    def __init__(self, evidence: Evidence, chosen: Mapping[Asked, Excerpt] | None = None) -> None:
        self.whole = Excerpt(evidence)
        self._chosen = dict(chosen or {})
        self._known = frozenset(evidence.ids)

    @classmethod
    def of_passages(
        cls, evidence: Evidence, claims: Collection[Asked], characters: int, *, may_be_whole: bool
    ) -> "Excerpts":
        """For each claim the passages that can matter, in so many characters of the evidence.

        Where the claim's words tell none it is read with the whole, if that may be; so are all
        claims of a request that needs more than MAX_EXCERPTS.
        """
        windows = Windows(evidence, window_characters(characters))
        groups: list[_Group] = []
        group_of: dict[Asked, int] = {}
        for asked in dict.fromkeys(claims):
            found = windows.for_claim(*asked, characters)
            if found is None:
                if may_be_whole:
                    continue
                found = windows.best(*asked, characters)
            own = _Group(set(found), set(windows.beside(asked[0])))
            group_of[asked] = _place(own, groups, windows, characters)
            if len(groups) > MAX_EXCERPTS:
                return cls(evidence)
        return cls._of_groups(evidence, windows, [group.windows for group in groups], group_of)

    @classmethod
    def of_rows(cls, evidence: Evidence, claims: Collection[Asked]) -> "Excerpts":
        """For each claim that names rows of a table the evidence without the rows beside them.

        The whole for other claims, and for all of a request that needs more than MAX_EXCERPTS.
        """
        windows = Windows(evidence)
        every = frozenset(range(len(windows.spans)))
        groups: dict[frozenset[int], int] = {}
        group_of: dict[Asked, int] = {}
        for asked in dict.fromkeys(claims):
            beside = windows.beside(asked[0])
            if beside:
                group_of[asked] = groups.setdefault(every - beside, len(groups))
            if len(groups) > MAX_EXCERPTS:
                return cls(evidence)
        return cls._of_groups(evidence, windows, list(groups), group_of)

    @classmethod
    def _of_groups(
        cls,
        evidence: Evidence,
        windows: Windows,
        groups: Sequence[Collection[int]],
        group_of: Mapping[Asked, int],
    ) -> "Excerpts":
        excerpts = [
            Excerpt(windows.keeping(group), windows.read_passages(group)) for group in groups
        ]
        return cls(evidence, {asked: excerpts[group] for asked, group in group_of.items()})

    def unknown_ids(self, cited_ids: Sequence[str]) -> tuple[str, ...]:
        """Those of these ids that no source has."""
        return tuple(i for i in cited_ids if i not in self._known)

    def of(self, claim: str, cited_ids: Sequence[str]) -> Excerpt:
        """That of a claim."""
        return self._chosen.get((claim, tuple(cited_ids)), self.whole)

    def all(self) -> list[Excerpt]:
        """The whole, and each other one."""
        return [self.whole, *dict.fromkeys(self._chosen.values())]


@dataclass(slots=True)
class _Group:
    """Windows that some claims are read with, and those that one of them is not to be read with."""

    windows: set[int]
    apart: set[int]

    def takes(self, other: "_Group") -> bool:
        """Whether both share windows, and neither holds what the other is not to be read with."""
        clash = self.windows & other.apart or other.windows & self.apart
        return not clash and not self.windows.isdisjoint(other.windows)


def _place(own: _Group, groups: list[_Group], windows: Windows, characters: int) -> int:
    """The group that has these windows: one that shares some and has room, or a new one."""
    first_open = max(0, len(groups) - MOST_OPEN_EXCERPTS)
    for number, group in enumerate(groups[first_open:], start=first_open):
        union = group.windows | own.windows
        fits = union == group.windows or windows.characters(union) <= characters
        if fits and group.takes(own):
            group.windows, group.apart = union, group.apart | own.apart
            return number
    groups.append(own)
    return len(groups) - 1

"""What of the evidence each claim of a request is read with: the whole, or passages of it.

Claims whose passages overlap are read with the same ones, as far as the budget allows, so that
their prompts share a prefix.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from groundwire_verifier.domain.evidence import Evidence, ReadPassage
from groundwire_verifier.domain.titles import Titles
from groundwire_verifier.verdicts.rows import find_tables, said_by
from groundwire_verifier.verdicts.windows import Windows, window_characters

MOST_OPEN_EXCERPTS = 16
"""A claim's passages are compared with those of so many excerpts before it, the latest ones."""
MAX_EXCERPTS = 256
"""A request whose claims need more excerpts is read with the whole evidence, or refused if that is
too long: each excerpt is tokenised and read for itself."""

MAX_EXCERPT_CHARACTERS = 200_000
"""So much is read in place of a short evidence whose rows claims name."""

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
        groups: list[set[int]] = []
        group_of: dict[Asked, int] = {}
        for asked in dict.fromkeys(claims):
            found = windows.for_claim(*asked, characters)
            if found is None:
                if may_be_whole:
                    continue
                found = windows.best(*asked, characters)
            group_of[asked] = _place(found, groups, windows, characters)
            if len(groups) > MAX_EXCERPTS:
                return cls(evidence)
        return cls._of_groups(evidence, windows, groups, group_of)

    @classmethod
    def of_rows(cls, evidence: Evidence, claims: Collection[Asked]) -> "Excerpts":
        """For each claim that names a row of a table the evidence without the rows beside it.

        The whole for other claims, and for all of a request whose excerpts would have more than
        MAX_EXCERPT_CHARACTERS together.
        """
        tables = find_tables(evidence)
        if not tables:
            return cls(evidence)
        windows = Windows(evidence, lines=[row.line for table in tables for row in table.rows])
        every = frozenset(range(len(windows.spans)))
        groups: dict[frozenset[int], int] = {}
        group_of: dict[Asked, int] = {}
        for asked in dict.fromkeys(claims):
            said = said_by(asked[0])
            beside = (row.line for table in tables for row in table.beside(said))
            away = {window for line in beside for window in windows.within(line)}
            if away:
                group_of[asked] = groups.setdefault(every - away, len(groups))
            if len(groups) * len(evidence.context) > MAX_EXCERPT_CHARACTERS:
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
        return self._chosen.get((claim, tuple(cited_ids)), self.whole)

    def all(self) -> list[Excerpt]:
        """The whole, and each other one."""
        return [self.whole, *dict.fromkeys(self._chosen.values())]


def _place(
    found: Collection[int], groups: list[set[int]], windows: Windows, characters: int
) -> int:
    """The group that has these windows: one that shares some and has room, or a new one."""
    first_open = max(0, len(groups) - MOST_OPEN_EXCERPTS)
    for number in range(first_open, len(groups)):
        union = groups[number] | set(found)
        overlaps = len(union) < len(groups[number]) + len(found)
        if overlaps and (union == groups[number] or windows.characters(union) <= characters):
            groups[number] = union
            return number
    groups.append(set(found))
    return len(groups) - 1

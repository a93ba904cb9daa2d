"""How far a negation reaches: not all, none but, only, all except, not only, not true that not.

A sentence says of some members of a group what they did, of others that they did not, and of others
nothing. What is claimed is held against that.
"""

import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from groundwire_training.made.twins import Twins, told_apart
from groundwire_training.made.words import NAMES

FEWEST, MOST = 3, 5
CLAIMS = 6
"""Of all that tell both apart, at most."""


@dataclass(frozen=True, slots=True)
class Known:
    """Which members did it, which did not; `not_all` where it is said that some did not."""

    members: Sequence[str]
    did: Collection[str]
    did_not: Collection[str]
    not_all: bool = False

    @property
    def all_did(self) -> bool:
        """Whether it is said of each member."""
        return len(self.did) == len(self.members)

    @property
    def none_did(self) -> bool:
        """Whether it is denied of each member."""
        return len(self.did_not) == len(self.members)

    def did_only(self, name: str) -> bool:
        """Whether this one did it, and each other is denied."""
        return set(self.did) == {name} and len(self.did_not) == len(self.members) - 1

    def did_all_but(self, name: str) -> bool:
        """Whether this one is denied, and each other did it."""
        return set(self.did_not) == {name} and len(self.did) == len(self.members) - 1


@dataclass(frozen=True, slots=True)
class Form:
    """How a sentence is said, by `name`; `{a}` and `{b}` are the members it names.

    `known` says what it tells: from the members, the first two of which it names.
    """

    name: str
    text: str
    known: Callable[[Sequence[str]], Known]


def _all(members: Sequence[str]) -> Known:
    return Known(members, members, ())


def _none(members: Sequence[str]) -> Known:
    return Known(members, (), members)


def _not_all(members: Sequence[str]) -> Known:
    return Known(members, (), (), not_all=True)


def _only(members: Sequence[str]) -> Known:
    return Known(members, members[:1], members[1:])


def _but(members: Sequence[str]) -> Known:
    return Known(members, members[1:], members[:1])


def _not_only(members: Sequence[str]) -> Known:
    return Known(members, members[:2], ())


def _denied(members: Sequence[str]) -> Known:
    return Known(members, (), members[:1])


def _denied_twice(members: Sequence[str]) -> Known:
    return Known(members, members[:1], ())


FORMS: Sequence[Form] = (
    Form("all", "All of the {many} {did}.", _all),
    Form("all", "Every {one} {did}.", _all),
    Form("none", "None of the {many} {did}.", _none),
    Form("none", "No {one} {did}.", _none),
    Form("not all", "Not all of the {many} {did}.", _not_all),
    Form("not all", "Not every {one} {did}.", _not_all),
    Form("none but", "None of the {many} but {a} {did}.", _only),
    Form("none but", "No {one} except {a} {did}.", _only),
    Form("only", "Only {a} {did}.", _only),
    Form("only", "Of the {many}, {a} alone {did}.", _only),
    Form("except", "All of the {many} except {a} {did}.", _but),
    Form("except", "With the exception of {a}, every {one} {did}.", _but),
    Form("except", "Every {one} but {a} {did}.", _but),
    Form("not only", "Not only {a} but also {b} {did}.", _not_only),
    Form("not only", "It was not only {a} who {did}, but {b}, too.", _not_only),
    Form("denied", "It is not true that {a} {did}.", _denied),
    Form("denied", "That {a} {did} is wrong.", _denied),
    Form("denied twice", "It is not true that {a} did not {do}.", _denied_twice),
    Form("denied twice", "It is wrong that {a} failed to {do}.", _denied_twice),
)
GROUPS: Sequence[tuple[str, str]] = (
    ("player", "players"), ("member", "members"), ("student", "students"), ("guest", "guests"),
    ("driver", "drivers"), ("judge", "judges"), ("neighbour", "neighbours"), ("nurse", "nurses"),
)  # fmt: skip
DEEDS: Sequence[tuple[str, str]] = (
    ("passed the test", "pass the test"), ("signed the letter", "sign the letter"),
    ("came to the meeting", "come to the meeting"), ("voted for the plan", "vote for the plan"),
    ("paid the fee", "pay the fee"), ("answered the call", "answer the call"),
    ("finished the course", "finish the course"), ("brought a ticket", "bring a ticket"),
    ("read the report", "read the report"), ("stayed until the end", "stay until the end"),
)  # fmt: skip


def scope(rng: random.Random) -> Twins:
    """The same group with two sentences about the same deed, of which one reaches otherwise."""
    members = rng.sample(NAMES, k=rng.randint(FEWEST, MOST))
    (one, many), (did, do) = rng.choice(GROUPS), rng.choice(DEEDS)
    forms = [rng.choice(FORMS)]
    forms.append(rng.choice([form for form in FORMS if form.name != forms[0].name]))
    listed = f"The {many} are {', '.join(members[:-1])} and {members[-1]}."
    told, contexts = [], []
    for form in forms:
        named = rng.sample(members, k=len(members))
        words = {"one": one, "many": many, "did": did, "do": do, "a": named[0], "b": named[1]}
        contexts.append(f"{listed} {form.text.format(**words)}")
        told.append(claims(form.known(named), one, many, did, do))
    first, second = told
    kinds = [claim for kind in first for claim in told_apart(kind, first[kind], second[kind])]
    chosen = rng.sample(kinds, k=min(CLAIMS, len(kinds)))
    return Twins((contexts[0], contexts[1]), tuple(chosen))


def claims(known: Known, one: str, many: str, did: str, do: str) -> dict[str, list[str]]:
    """Everything of these kinds that holds where so much is known."""
    return {
        "did": [f"{name} {did}." for name in known.did],
        "did not": [f"{name} did not {do}." for name in known.did_not],
        "all": [f"All of the {many} {did}."] * known.all_did,
        "none": [f"None of the {many} {did}."] * known.none_did,
        "not all": [f"Not every {one} {did}."] * (known.not_all or bool(known.did_not)),
        "only": [f"Only {name} {did}." for name in known.did if known.did_only(name)],
        "except": [
            f"All of the {many} except {name} {did}."
            for name in known.did_not
            if known.did_all_but(name)
        ],
    }

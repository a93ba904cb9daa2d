"""Pairs the numbers of the contract's enums with the members of the client's own.

Knows no single enum: a member has the name of its value without the prefix.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import TypeVar

Member = TypeVar("Member", bound=StrEnum)


def by_number(
    enum: type[Member], values: Iterable[tuple[str, int]], prefix: str
) -> dict[int, Member]:
    """The member for each number; the value that stands for "not set" has none."""
    return {
        number: enum[name.removeprefix(prefix)]
        for name, number in values
        if number and name.removeprefix(prefix) in enum.__members__
    }


def names_of(
    enum: type[Member], values: Iterable[tuple[str, int]], prefix: str
) -> dict[Member, str]:
    """The name in the contract of each member that can be sent."""
    return {member: prefix + member.name for member in by_number(enum, values, prefix).values()}

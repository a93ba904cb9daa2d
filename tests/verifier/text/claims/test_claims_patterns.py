r"""No pattern of the claim parser can blow up, as far as a pattern alone shows it.

Two ways to lose time are looked for in the parsed form of each:

- A long repeat may give characters back to what follows it and can start with one of them: every
  way to share them is tried. Such a repeat is to be possessive (`\s*+`), or to be followed by what
  it cannot hold.
- A search reads a long repeat, fails behind it, and reads it again from its next start, which lies
  inside of it. Such a pattern is to start with what the repeat cannot hold.

Both are on the safe side: lookarounds restrict nothing, and a group is known by the characters that
it can start with. What they do not see, the search in `test_claims_growth.py` may.
"""

import importlib
import pkgutil
import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from groundwire_verifier.text import claims
from groundwire_verifier.text.claims.wording.absence_forms import ENGLISH, HEBREW, compiled

MOST_GIVEN_BACK, MOST_READ_AGAIN = 64, 300
"""Repeats of no more characters bound the work themselves."""

SINGLE = {_constants.LITERAL, _constants.NOT_LITERAL, _constants.ANY, _constants.IN}
GIVING_BACK = {_constants.MAX_REPEAT, _constants.MIN_REPEAT}
REPEATS = {*GIVING_BACK, _constants.POSSESSIVE_REPEAT}
ALPHABET = frozenset(
    [*map(chr, range(0x100)), *"אבת׳״־،؟\u2003\u2028\u2010–—“”’‘…†•◦‣【】（），、；：。§😀"]
)
"""Characters that stand for all of their kinds."""

Node = tuple[Any, Any]
"""An operation of `re`'s own parser, and its argument."""


def own(node: Node) -> frozenset[str]:
    """The characters that a node of one character can be."""
    pattern = _compiler.compile(_parser.SubPattern(_parser.State(), [node]))
    return frozenset(c for c in ALPHABET if pattern.fullmatch(c))


def inner(node: Node) -> list[Sequence[Node]]:
    """What a node is made of; several for alternatives."""
    operation, argument = node
    if operation is _constants.BRANCH:
        return list(argument[1])
    if operation is _constants.ATOMIC_GROUP:
        return [argument]
    groups = {*REPEATS, _constants.SUBPATTERN, _constants.ASSERT, _constants.ASSERT_NOT}
    return [argument[-1]] if operation in groups else []


def starts(nodes: Sequence[Node]) -> tuple[frozenset[str], bool]:
    """The characters that a sequence can start with, and whether it can be empty."""
    found: frozenset[str] = frozenset()
    for node in nodes:
        operation, argument = node
        if operation in SINGLE:
            return found | own(node), False
        if operation is _constants.AT:
            if "BOUNDARY" not in str(argument):
                return found, False  # an end or a beginning: no character can follow
        elif operation is _constants.GROUPREF:
            found |= ALPHABET
        elif operation not in (_constants.ASSERT, _constants.ASSERT_NOT):
            first = [starts(nodes) for nodes in inner(node)]
            found = found.union(*(characters for characters, _ in first))
            optional = operation in REPEATS and argument[0] == 0
            if not optional and not any(empty for _, empty in first):
                return found, False
    return found, True


def held(nodes: Sequence[Node]) -> frozenset[str]:
    """All characters that a sequence can hold."""
    parts = (own(n) if n[0] in SINGLE else held([*_flat(inner(n))]) for n in nodes)
    return frozenset().union(*parts)


def _flat(sequences: Sequence[Sequence[Node]]) -> Iterator[Node]:
    for nodes in sequences:
        yield from nodes


def given_back(
    nodes: Sequence[Node], behind: frozenset[str] = frozenset(), *, repeated: bool = False
) -> Iterator[str]:
    """The long repeats that give characters back to what follows, which can start with them."""
    for i, node in enumerate(nodes):
        operation, argument = node
        first, empty = starts(nodes[i + 1 :])
        following = first | behind if empty else first
        within = repeated
        if operation in REPEATS:
            body, can_be_empty = starts(argument[2])
            long = argument[1] > MOST_GIVEN_BACK
            within = repeated or long
            if long and operation in GIVING_BACK and (body & following or can_be_empty):
                yield f"{argument} gives back {sorted(body & following)[:5]}"
            following = following | body
        elif operation is _constants.BRANCH and repeated:
            firsts = [starts(nodes)[0] for nodes in inner(node)]
            if any(one & other for one, other in combinations(firsts, 2)):
                yield f"alternatives of a long repeat start alike: {argument}"
        for part in inner(node):
            yield from given_back(part, following, repeated=within)


def read_again(
    nodes: Sequence[Node], before: Sequence[frozenset[str]] = (), *, fails: bool = False
) -> Iterator[str]:
    """The long repeats that can hold all before them, and behind which a search may fail."""
    lead = list(before)
    for i, node in enumerate(nodes):
        operation, argument = node
        rest = nodes[i + 1 :]
        may_fail = fails or any(n[0] not in REPEATS or n[1][0] > 0 for n in rest)
        if operation in REPEATS and argument[1] > MOST_READ_AGAIN and may_fail:
            characters = held(argument[2])
            if all(characters & start for start in lead):
                yield f"{argument} is read again"
        for part in inner(node):
            yield from read_again(part, lead, fails=may_fail)
        first, empty = starts([node])
        if not empty:
            lead.append(first)


def patterns() -> Iterator[tuple[str, str, re.Pattern[str], bool]]:
    """Module, name and pattern of all that the parser compiles, and whether it is searched for."""
    for info in pkgutil.walk_packages(claims.__path__, "groundwire_verifier.text.claims."):
        module = importlib.import_module(info.name)
        source = Path(str(module.__file__)).read_text(encoding="utf-8")
        for name, value in vars(module).items():
            # Searched for, unless each use of the name is a match.
            uses = re.findall(rf"(?<![\w.]){name}(?!\w)(?! = |: )(?!\.(?:full)?match\()", source)
            for pattern in _compiled(value):
                yield info.name.rpartition(".")[2], name, pattern, bool(uses)


def _compiled(value: object) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from _compiled(tuple(value.values()))
    elif isinstance(value, tuple):
        for item in value:
            yield from _compiled(item)


# The forms of absences compile when they are first tried, and are matched from the beginning.
ABSENCES = [("absence_forms", "form", compiled(form), False) for form in ENGLISH + HEBREW]
ALL = [*patterns(), *ABSENCES]


def faults(pattern: str, flags: int = 0, *, searched: bool = True) -> list[str]:
    nodes = list(_parser.parse(pattern, flags & ~re.UNICODE))
    return [*given_back(nodes), *(read_again(nodes) if searched else ())]


@pytest.mark.parametrize(
    ("pattern", "searched"),
    [a[2:] for a in ALL],
    ids=[f"{module}.{name}" for module, name, *_ in ALL],
)
def test_no_pattern_can_blow_up(pattern: re.Pattern[str], searched: bool) -> None:
    assert faults(pattern.pattern, pattern.flags, searched=searched) == []


def test_all_patterns_are_compiled_where_this_test_finds_them() -> None:
    found = 0
    for info in pkgutil.walk_packages(claims.__path__, "groundwire_verifier.text.claims."):
        source = Path(str(importlib.import_module(info.name).__file__)).read_text(encoding="utf-8")
        assert not re.findall(r"\bre\.(?:match|search|sub|split|find|fullmatch)\w*\(", source)
        assert not re.findall(r"^[ ]+.*=.*re\.compile\(", source, re.MULTILINE), info.name
        found += source.count("re.compile(")
    assert len(ALL) >= found


@pytest.mark.parametrize(
    "pattern",
    [
        r"\s*\.?\s*(?:\n|\Z)",
        r"[A-Za-z_]\w*(?:\[\w*\]|\.\w+|_\w*|\(\))[\w.\[\]]*\s*=",
        r"x(?:a+)+$",
        r"x(?:ab|a\w)*$",
        r"<\w+[^<>]*>",
        r"\s+$",
        r"\s++$",
        r"\([^)]*\)",
        r"x.*y",
        r"x(?:\s*)*y",
    ],
)
def test_what_blows_up_is_told(pattern: str) -> None:
    assert faults(pattern)


@pytest.mark.parametrize(
    ("pattern", "searched"),
    [
        (r"\s*+x", False),
        (r"x\s*+\.", True),
        (r"\[[^\[\]]{1,2000}\]", True),
        (r"\A\s*+x", True),
        (r"a+(?:,a+)*", True),
        (r"\w+", True),
    ],
)
def test_what_is_linear_is_not(pattern: str, searched: bool) -> None:
    assert faults(pattern, searched=searched) == []

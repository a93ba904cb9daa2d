"""Lists and tables: what a row says of its own thing, and how many rows there are.

The same records as a Markdown table, as lines of keys and values, or as a list. In the twin one
column's values have changed rows, so that each is still there, and there is a row more.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from groundwire_training.made.twins import Twins, told_apart
from groundwire_training.made.words import NAMES, capital, number_word

FEWEST, MOST = 3, 6
"""Rows of the shorter of both."""
OF_ROWS = 2
"""Claims on rows that hold in each of both contexts."""


@dataclass(frozen=True, slots=True)
class Column:
    """A label, values that differ from each other, and claims on one; `{name}` is the row's."""

    label: str
    values: Sequence[str]
    claims: Sequence[str]


@dataclass(frozen=True, slots=True)
class Kind:
    """What the rows are of: its word, its plural, names, and two columns or more."""

    one: str
    many: str
    names: Sequence[str]
    columns: Sequence[Column]


def _figures(numbers: range, form: str = "{}") -> tuple[str, ...]:
    return tuple(form.format(f"{number:,}") for number in numbers)


_TIMES = tuple(f"{hour}:{minute:02}" for hour in range(7, 22) for minute in (5, 20, 45))
_TOWNS = ("Oslo", "Lisbon", "Haifa", "Turin", "Ghent", "Porto", "Malmo", "Lyon", "Eilat", "Bergen")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_COLOURS = ("red", "green", "blue", "black", "white", "yellow", "grey", "brown", "orange")
KINDS: Sequence[Kind] = (
    Kind(
        "product",
        "products",
        ("lamp", "kettle", "chair", "radio", "blanket", "mirror", "ladder", "clock", "basket"),
        (
            Column(
                "price",
                _figures(range(12, 240, 7), "{} euros"),
                ("The {name} costs {value}.", "The price of the {name} is {value}."),
            ),
            Column("colour", _COLOURS, ("The {name} is {value}.", "The {name} comes in {value}.")),
            Column(
                "stock",
                _figures(range(3, 97, 4), "{} pieces"),
                ("Of the {name} there are {value} in stock.",),
            ),
        ),
    ),
    Kind(
        "employee",
        "employees",
        NAMES,
        (
            Column(
                "office", _TOWNS, ("{name} works in {value}.", "{name}'s office is in {value}.")
            ),
            Column(
                "role",
                ("engineer", "accountant", "editor", "lawyer", "analyst", "nurse", "translator"),
                ("{name}'s role is {value}.", "The role of {name} is {value}."),
            ),
            Column(
                "extension",
                _figures(range(113, 990, 29)),
                ("{name}'s extension is {value}.", "{name} has the extension {value}."),
            ),
        ),
    ),
    Kind(
        "train",
        "trains",
        tuple(f"R{number}" for number in range(11, 90, 6)),
        (
            Column(
                "departure",
                _TIMES,
                ("{name} departs at {value}.", "Train {name} leaves at {value}."),
            ),
            Column(
                "destination", _TOWNS, ("{name} goes to {value}.", "Train {name} is to {value}.")
            ),
            Column("platform", _figures(range(1, 15)), ("{name} leaves from platform {value}.",)),
        ),
    ),
    Kind(
        "town",
        "towns",
        _TOWNS,
        (
            Column(
                "market day",
                _DAYS,
                ("The market in {name} is on {value}.", "{name} has its market on {value}."),
            ),
            Column(
                "inhabitants",
                _figures(range(2_150, 98_000, 3_370)),
                (
                    "{name} has {value} inhabitants.",
                    "The number of inhabitants of {name} is {value}.",
                ),
            ),
            Column(
                "founded",
                tuple(map(str, range(1120, 1900, 37))),
                ("{name} was founded in {value}.",),
            ),
        ),
    ),
)

Rows = Sequence[Sequence[str]]
Layout = Callable[[Sequence[str], Rows], str]
"""From the labels, that of the name first, and the rows to a text."""
_COUNTS = ("The list has {} {}.", "{} {} are listed.", "There are {} {} in the list.")


def records(rng: random.Random) -> Twins:
    """Two tables or lists in the same layout."""
    kind = rng.choice(KINDS)
    columns = rng.sample(kind.columns, k=rng.randint(2, len(kind.columns)))
    longest = min(MOST, len(kind.names) - 1, *(len(column.values) - 1 for column in columns))
    count = rng.randint(FEWEST, longest)
    names = rng.sample(kind.names, k=count + 1)
    values = [rng.sample(column.values, k=count + 1) for column in columns]
    longer = [list(row) for row in zip(names, *values, strict=True)]
    at = rng.randrange(len(columns))
    shorter = _turned(longer[:count], at + 1, rng.randrange(1, count))
    layout, labels = rng.choice(LAYOUTS), [kind.one, *(column.label for column in columns)]
    head = rng.choice(("", f"{capital(kind.many)}:\n\n", f"These are the {kind.many}.\n\n"))
    asked, form = rng.sample(range(count), k=OF_ROWS), rng.choice(columns[at].claims)
    of_rows = (
        [capital(form.format(name=rows[i][0], value=rows[i][at + 1])) for i in asked]
        for rows in (shorter, longer)
    )
    counted = rng.choice(_COUNTS)
    of_counts = ([_counted(counted, kind, len(rows), rng)] for rows in (shorter, longer))
    return Twins(
        (head + layout(labels, shorter), head + layout(labels, longer)),
        (*told_apart("row", *of_rows), *told_apart("count", *of_counts)),
    )


def _turned(rows: Rows, column: int, by: int) -> Rows:
    """The rows with the values of one column moved to other rows."""
    return [
        [*row[:column], rows[(i + by) % len(rows)][column], *row[column + 1 :]]
        for i, row in enumerate(rows)
    ]


def _counted(form: str, kind: Kind, count: int, rng: random.Random) -> str:
    written = rng.choice((str(count), number_word(count)))
    return capital(form.format(written, kind.many))


def _as_table(labels: Sequence[str], rows: Rows) -> str:
    lines = [labels, ["---"] * len(labels), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _as_pairs(labels: Sequence[str], rows: Rows) -> str:
    return "\n\n".join(
        "\n".join(f"{label}: {value}" for label, value in zip(labels, row, strict=True))
        for row in rows
    )


def _as_list(labels: Sequence[str], rows: Rows) -> str:
    return "\n".join(
        f"- {capital(row[0])}: "
        + ", ".join(f"{label} {value}" for label, value in zip(labels[1:], row[1:], strict=True))
        for row in rows
    )


LAYOUTS: Sequence[Layout] = (_as_table, _as_pairs, _as_list)

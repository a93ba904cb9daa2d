"""How often a claim with another row's value is caught, with the whole table and with one row.

Tables of three plans, rooms or ferries are made by rule, and each row's own value and another row's
are claimed of it. Each claim is verified with all of its evidence (WHOLE) and by default (AUTO).
"""

import argparse
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from bench.cases.found import Found, Serve
from bench.tools.common import BenchError, markdown_table
from bench.tools.serving import server_in_words
from groundwire import Client, Evidence, Read, Verdict, VerifyOptions
from groundwire_verifier.numbers import metrics

TABLES, QUICK_TABLES = 40, 4
SEED = 7
ROWS = 3
KINDS = {
    "plan": ("Basic", "Team", "Plus", "Lite", "Gold"),
    "camera": ("Orin", "Tarn", "Vello", "Kest"),
    "room": ("Marsh", "Attic", "Loft", "Cellar"),
    "jacket": ("Dale", "Fell", "Moor", "Crag"),
    "ferry": ("Aalto", "Birke", "Corin"),
}
COLUMNS = {
    "Price": ("{} euros", "costs {} euros", range(10, 300)),
    "Weight": ("{} g", "weighs {} g", range(100, 900)),
    "Time": ("{} minutes", "takes {} minutes", range(10, 90)),
    "Seats": ("{}", "has {} seats", range(20, 400)),
    "Users": ("{}", "allows {} users", range(2, 60)),
}


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim with its p1 and its verdict, read in one of two ways."""

    claim: str
    supported: bool
    read: str
    p1: float
    verdict: str


def add(_: argparse.ArgumentParser) -> None:
    """No flags of its own."""


def measure(arguments: argparse.Namespace, serve: Serve) -> Found:
    """Verify the claims on every table in both ways."""
    chance = random.Random(SEED)  # noqa: S311 - made data, not a secret
    made = [_table(chance) for _ in range(QUICK_TABLES if arguments.quick else TABLES)]
    with serve() as client:
        server = server_in_words(client.server_info(), arguments.target)
        judged = [each for table, claims in made for each in _judge(client, table, claims)]
    data = {"server": server, "claims": [asdict(each) for each in judged]}
    lines = [f"- server: {server}", "", _page(judged)]
    return Found("Values of a table's rows", data, lines)


def _table(chance: random.Random) -> tuple[str, list[tuple[str, bool]]]:
    """A table with two columns of numbers, and two claims on each of its cells."""
    noun = chance.choice(list(KINDS))
    names = chance.sample(KINDS[noun], ROWS)
    columns = chance.sample(list(COLUMNS), 2)
    values = {column: chance.sample(COLUMNS[column][2], ROWS) for column in columns}
    lines = [f"| {noun.title()} | {' | '.join(columns)} |", "|---|---|---|"]
    claims: list[tuple[str, bool]] = []
    for row, name in enumerate(names):
        cells = [COLUMNS[column][0].format(values[column][row]) for column in columns]
        lines.append(f"| {name} | {' | '.join(cells)} |")
        for column in columns:
            other = (row + chance.randrange(1, ROWS)) % ROWS
            for value, supported in ((values[column][row], True), (values[column][other], False)):
                claims.append((f"The {noun} {name} {COLUMNS[column][1].format(value)}.", supported))
    return "\n".join(lines), claims


def _judge(client: Client, table: str, claims: Sequence[tuple[str, bool]]) -> list[Judged]:
    found: list[Judged] = []
    for read in (Read.WHOLE, Read.AUTO):
        verdicts = client.verify_claims(
            [claim for claim, _ in claims],
            Evidence.context(table),
            options=VerifyOptions(read=read),
        )
        for (claim, supported), verdict in zip(claims, verdicts, strict=True):
            if verdict.p1 is None:
                raise BenchError(f"{claim} was not read")
            found.append(Judged(claim, supported, read.value, verdict.p1, verdict.verdict.value))
    return found


def _page(judged: Sequence[Judged]) -> str:
    rows = []
    for read in dict.fromkeys(each.read for each in judged):
        own = [each for each in judged if each.read == read]
        labels = np.array([each.supported for each in own])
        auroc = float(metrics.auroc(np.array([each.p1 for each in own]), labels))
        said = np.array([each.verdict == Verdict.SUPPORTED.value for each in own])
        shares = [float(said[labels].mean()), float(said[~labels].mean())]
        rows.append([read, str(len(own)), f"{auroc:.2f}", *(f"{share:.2f}" for share in shares)])
    head = ["read", "claims", "AUROC of p1", "right ones SUPPORTED", "wrong ones SUPPORTED"]
    return markdown_table(head, rows)

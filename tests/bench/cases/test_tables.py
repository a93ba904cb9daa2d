"""What the tables are made of, and what is counted of their claims."""

import random

from bench.cases import tables
from groundwire import Verdict


def test_half_of_the_claims_have_another_rows_value() -> None:
    table, claims = tables._table(random.Random(1))  # noqa: S311 - made data
    rows = [line.strip("| ").split(" | ") for line in table.split("\n")[2:]]
    for claim, supported in claims:
        (own,) = (row for row in rows if f" {row[0]} " in claim)
        value = next(word for word in claim.split() if word.isdecimal())
        assert supported is any(value == cell.split()[0] for cell in own[1:])
    assert sum(supported for _, supported in claims) * 2 == len(claims)


def test_each_way_of_reading_is_counted_by_itself() -> None:
    judged = [
        tables.Judged("a", True, "AUTO", 0.9, Verdict.SUPPORTED.value),
        tables.Judged("b", False, "AUTO", 0.2, Verdict.UNSUPPORTED.value),
        tables.Judged("a", True, "WHOLE", 0.4, Verdict.UNCERTAIN.value),
        tables.Judged("b", False, "WHOLE", 0.6, Verdict.SUPPORTED.value),
    ]
    page = tables._page(judged)
    assert "| AUTO | 2 | 1.00 | 1.00 | 0.00 |" in page
    assert "| WHOLE | 2 | 0.00 | 0.00 | 1.00 |" in page

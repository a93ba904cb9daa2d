"""Every kind of the shared data has a group: all of its rows are read, which takes a while."""

import json
from pathlib import Path

from bench.tools.labelled import WRITTEN_SETS
from bench.tools.written.twins import HEADED, PLAIN, kind_groups, twin_records

MOST_GROUPS = 20


def test_every_kind_of_the_shared_data_is_in_one_of_a_few_groups(shared: Path) -> None:
    kinds: set[str] = set()
    for name in WRITTEN_SETS:
        if name in (HEADED, PLAIN):
            kinds |= {row["meta"]["kind"] for row in twin_records(shared / "data", name)}
            continue
        with (shared / "data" / f"{name}.jsonl").open(encoding="utf-8") as lines:
            kinds |= {json.loads(line)["meta"]["kind"] for line in lines}
    assert kinds - set(kind_groups()) == set()
    assert len(set(kind_groups().values())) <= MOST_GROUPS

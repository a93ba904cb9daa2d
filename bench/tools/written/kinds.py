"""The kinds of written claims, in groups: `bench/data/kind_groups.json`.

A kind is what was changed or done to make a claim.
"""

import json
from collections.abc import Mapping
from functools import cache

from bench.tools.common import ROOT

KIND_GROUPS = ROOT / "bench" / "data" / "kind_groups.json"
OTHER_KIND = "kinds without a group"


@cache
def kind_groups() -> Mapping[str, str]:
    """The group of each kind."""
    groups = json.loads(KIND_GROUPS.read_text(encoding="utf-8"))
    return {kind: group for group, kinds in groups.items() for kind in kinds}

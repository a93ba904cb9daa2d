"""Which rows are learnt when: each set as often as its table says, evenly over the run.

The mix is gone through in rounds. Each takes the next share of every set's contexts, in an order
that the seed fixes, so that no context comes again before all others of its set have come. A run
that is killed makes only one round again. Knows rows. Does not know what is asked about them.
"""

from collections import defaultdict
from collections.abc import Sequence

from training.data.chance import Chance
from training.data.rows import Row, by_context
from training.data.sets import DATA_SETS, HEBNLI_ENGLISH

ROUNDS = 8
"""So many rounds go through the mix once."""
_PASSES = {data_set.name: data_set.passes for data_set in (*DATA_SETS, HEBNLI_ENGLISH)}


def round_rows(rows: Sequence[Row], number: int, seed: int) -> list[Row]:
    """The rows of one round, counted from 0."""
    by_set: dict[str, list[list[Row]]] = defaultdict(list)
    for group in by_context(rows):
        by_set[group[0].source].append(group)
    chosen: list[Row] = []
    for name, groups in by_set.items():
        ordered = list(groups)
        Chance(f"mix/{seed}").of(name).shuffle(ordered)
        share = _PASSES[name] * len(ordered) / ROUNDS
        for at in range(round(number * share), round((number + 1) * share)):
            chosen += ordered[at % len(ordered)]
    return chosen

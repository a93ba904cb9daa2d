"""Which rows are learnt when: each source as often as is asked for, evenly over the run.

The mix is gone through in rounds. Each takes the next share of every source's contexts, in an order
that the seed fixes, so that no context comes again before all others of its source have come. A run
that is killed makes only one round again.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from groundwire_training.data.chance import Chance
from groundwire_training.data.rows import Row, by_context

ROUNDS = 8
"""So many rounds go through the mix once."""


def round_rows(
    rows: Sequence[Row], number: int, seed: int, passes: Mapping[str, float]
) -> list[Row]:
    """The rows of one round, counted from 0.

    `passes` says how often each source is learnt while the mix is gone through once; those that it
    does not name, once.
    """
    by_source: dict[str, list[list[Row]]] = defaultdict(list)
    for group in by_context(rows):
        by_source[group[0].source].append(group)
    chosen: list[Row] = []
    for name, groups in by_source.items():
        ordered = list(groups)
        Chance(f"mix/{seed}").of(name).shuffle(ordered)
        share = passes.get(name, 1.0) * len(ordered) / ROUNDS
        for at in range(round(number * share), round((number + 1) * share)):
            chosen += ordered[at % len(ordered)]
    return chosen

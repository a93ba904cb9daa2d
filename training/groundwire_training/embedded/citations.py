"""Choose from where on MISCITED can be believed, and write that bar into a calibration.

`groundwire calibrate` cannot choose it, since its rows have one source. Here sentences of whole
answers that were not learnt from, all of them right, are asked with the source that they cite and,
as a wrong citation, with another one of the same answer. It needs no server: it reads the prompts
of a verdict in the training's batches.
"""

import argparse
import json
import random
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.tools.common import data_file
from bench.tools.written.twins import HEADED, TWINS_FILE
from groundwire_server.models import calibrations
from groundwire_training.data.rows import is_held_out
from groundwire_training.embedded.choice import Choice, add_choice
from groundwire_training.embedded.evaluate import answers
from groundwire_training.examples.trees import Tree, ask
from groundwire_training.learning.packing import LABELS
from groundwire_verifier.domain.claims import CitationSyntax, ClaimOptions
from groundwire_verifier.domain.evidence import DEFAULT_MARKER, Document, Evidence
from groundwire_verifier.domain.types import Label
from groundwire_verifier.numbers.calibration import Bar, Calibration, Strictness, sigmoid
from groundwire_verifier.numbers.finding_bars import (
    CONTRADICTED_RIGHT,
    NEVER,
    at_base_rate,
    believable,
)
from groundwire_verifier.numbers.metrics import Floats
from groundwire_verifier.text.claims.extract import extract_claims
from groundwire_verifier.verdicts.policy import Observation, Policy, Thresholds, decide
from groundwire_verifier.verdicts.types import Verdict

SEED = 7


@dataclass(frozen=True, slots=True)
class Cited:
    """A right sentence with a citation, on the sources of its answer.

    `cited` are the ids that the claim is asked with, and `right` says whether they are its own.
    """

    evidence: Evidence
    claim: str
    cited: frozenset[str]
    right: bool

    @property
    def contexts(self) -> tuple[str, ...]:
        """What p1, p0, the closed-book probability and that of the cited ones alone are read on."""
        every = frozenset(self.evidence.ids)
        removed = (frozenset[str](), self.cited, every, every - self.cited)
        return tuple(self.evidence.without(ids, DEFAULT_MARKER) for ids in removed)


def main() -> int:
    """Read, choose, print, and write."""
    parser = argparse.ArgumentParser(
        prog="python -m groundwire_training.embedded.citations", description=__doc__
    )
    add_choice(parser)
    parser.add_argument("--run", type=Path, required=True, metavar="DIR", help="a run's folder")
    parser.add_argument(
        "--calibration", type=Path, required=True, metavar="FILE", help="gets the bar"
    )
    parser.add_argument("--answers", type=int, metavar="N", help="some N answers; default: all")
    arguments = parser.parse_args()
    file = calibrations.read(arguments.calibration)
    cases = cited_sentences(arguments.answers)
    base = Choice(arguments.model, arguments.base).base()
    raw = probabilities(base, arguments.run / "adapter", cases)
    scores = finding_scores(cases, file.calibration, raw)
    right = np.array([case.right for case in cases])
    weights = at_base_rate(np.ones(len(cases)), right)
    found = believable(scores, [(~right, CONTRADICTED_RIGHT, weights)])
    bar = float(np.nextafter(scores[found].min(), 0.0)) if found.any() else NEVER
    for name, of in (("right", right), ("wrong", ~right)):
        print(
            f"{name} citations: {of.sum()}; MISCITED without a bar {(scores[of] > 0).mean():.3f}, "
            f"with it {found[of].mean():.3f}"
        )
    print(f"the bar: {bar:.3f}")
    bars = {**file.bars, Bar.MISCITATION: bar}
    calibrations.write(file.model_copy(update={"bars": bars}), arguments.calibration)
    return 0


def cited_sentences(most: int | None) -> list[Cited]:
    """Each right sentence with a citation, asked with it and with another; of some answers."""
    with data_file(TWINS_FILE).open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    kept = [row for row in rows if row["split"] == "dev" or is_held_out(row["id"])]
    kept = [row for row in kept if len(row["sources"]) > 1]
    drawn = random.Random(SEED).sample(kept, len(kept))
    return [case for row in drawn[:most] for case in _cases(row)]


def _cases(row: Mapping[str, Any]) -> Iterable[Cited]:
    chance = random.Random(f"{SEED}/{row['id']}")
    documents = [Document(s["id"], s["text"], s.get("title", "")) for s in row["sources"]]
    evidence = Evidence.of_documents(documents)
    options = ClaimOptions(CitationSyntax(known_ids=frozenset(evidence.ids)), split_compounds=False)
    for sentence in dict.fromkeys(pair[0] for pair in row["pairs"]):
        claims = extract_claims(sentence, options)
        own = frozenset(i for claim in claims for i in claim.cited_ids) & frozenset(evidence.ids)
        others = sorted(frozenset(evidence.ids) - own)
        if len(claims) != 1 or not own or not others:
            continue
        claim = claims[0].content
        yield Cited(evidence, claim, own, right=True)
        yield Cited(evidence, claim, frozenset({chance.choice(others)}), right=False)


def probabilities(base: str, adapter: Path, cases: Sequence[Cited]) -> Floats:
    """P(YES), as the model gives it, on each of the contexts of each case: (cases, 4)."""
    claims: dict[str, dict[str, None]] = {}
    for case in cases:
        for context in case.contexts:
            claims.setdefault(context, {})[case.claim] = None
    trees = [
        Tree(context, tuple(ask(claim, supported=True, ingredient="gold") for claim in of), HEADED)
        for context, of in claims.items()
    ]
    nats = answers(base, adapter, trees).nats
    log_odds = nats[:, LABELS.index(Label.YES)] - nats[:, LABELS.index(Label.NO)]
    order = [(tree.context, leaf.claim) for tree in trees for leaf in tree.leaves]
    read = dict(zip(order, sigmoid(log_odds).tolist(), strict=True))
    return np.array([[read[context, case.claim] for context in case.contexts] for case in cases])


def finding_scores(cases: Sequence[Cited], calibration: Calibration, raw: Floats) -> Floats:
    """p0 less the closed-book probability where a claim is MISCITED without a bar, else 0."""
    point = calibration.operating_points[Strictness.BALANCED]
    anything = Thresholds(
        default_confidence=point, min_posterior=min(0.5, point), min_miscitation=0.0
    )
    found = []
    for p1, p0, closed_book, alone in calibration.curve.apply(raw):
        observed = Observation(
            p1, p0, point, citing=True, closed_book=closed_book, cited_alone=alone
        )
        verdict = decide(observed, Policy.BUDGET, anything).verdict
        found.append(p0 - closed_book if verdict is Verdict.MISCITED else 0.0)
    return np.array(found)


if __name__ == "__main__":
    sys.exit(main())

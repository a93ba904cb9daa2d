"""The bench of assessments: its data, how concerns are counted, its scores, and what it tells."""

import json

import numpy as np

from bench.cases.assessment import load_exchanges
from bench.tools.assessment import HELD_OUT
from bench.tools.assessment.figures import ANY, concern_figures, concern_table
from groundwire_training.examples.assessment import CASES
from groundwire_training.examples.cases import read_cases
from groundwire_verifier.checks.assessment.common_sense import CommonSense

FEWEST = 40
EXCHANGES = load_exchanges()
KINDS = {"advice", "live, given", "live, not given", "live, other", "nonsense"}
FINE = {"advice", "live, given"}


def test_there_are_enough_exchanges_of_every_kind() -> None:
    assert len(EXCHANGES) >= FEWEST
    assert len({exchange.id for exchange in EXCHANGES}) == len(EXCHANGES)
    for language in ("en", "he"):
        assert {each.kind for each in EXCHANGES if each.language == language} == KINDS


def test_the_labels_of_an_exchange_fit_each_other() -> None:
    for exchange in EXCHANGES:
        assert exchange.made_up == (exchange.kind not in FINE), exchange.id
        for call in exchange.tool_calls:
            assert ("result" in call) != ("error" in call)


HELD = read_cases(HELD_OUT)


def test_there_are_enough_cases_with_each_concern_in_each_language() -> None:
    assert len(HELD) * len(CommonSense) >= 300
    right = np.array([[label.value for label in case.answers if label] for case in HELD])
    hebrew = np.array([case.language == "he" for case in HELD])
    for column, worrying in zip(right.T, ("NO", "YES", "YES", "YES", "YES"), strict=True):
        assert (column == worrying).sum() >= 15
        assert (column[hebrew] == worrying).sum() >= 3


def test_no_held_out_exchange_is_learnt() -> None:
    learnt = read_cases(CASES / "assessment.jsonl")
    texts = {text for case in learnt for text in (case.exchange.question, case.exchange.response)}
    phrases = json.dumps(
        json.loads((CASES / "phrases.json").read_text(encoding="utf-8")), ensure_ascii=False
    )
    for case in HELD:
        assert not texts & {case.exchange.question, case.exchange.response}
        assert case.exchange.response not in phrases


def test_figures_follow_from_the_concerns() -> None:
    known = [case for case in HELD if None not in case.answers]
    worry = {"NO": (1.0, 0.0), "YES": (0.0, 1.0), "UNSURE": (0.5, 0.5)}
    perfect = np.array(
        [[worry[a.value][i > 0] for i, a in enumerate(case.answers) if a] for case in known]
    )
    for each in concern_figures(known, perfect, 0.75):
        assert each.auroc.value == each.precision == each.recall == 1.0
    silent = concern_figures(known, np.zeros_like(perfect), 0.5)
    assert {(each.auroc.value, each.precision, each.recall) for each in silent} == {
        (0.5, None, 0.0)
    }
    assert {each.question for each in silent} == {ANY, *(question.name for question in CommonSense)}
    assert concern_table(silent).count("\n") == 1 + len(silent)

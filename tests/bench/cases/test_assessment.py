"""The bench of assessments: its data, its scores, and what it tells."""

from bench.cases.assessment import Assessed, heuristic_times_ms, load_exchanges, report

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


def test_a_report_counts_actions_and_times() -> None:
    fine, wrong = EXCHANGES[0], next(each for each in EXCHANGES if each.made_up)
    found = [
        Assessed(
            exchange=exchange,
            action=action,
            confidence=0.5,
            reasons=[],
            scores={"HEURISTIC": score, "COMMON_SENSE": score, "DETAILED": None},
            states={"HEURISTIC": "RAN", "COMMON_SENSE": "RAN", "DETAILED": "NOT_FLAGGED"},
            layer_s={"HEURISTIC": 0.001, "COMMON_SENSE": time_s, "DETAILED": 0.0},
            reads=5,
            total_s=time_s,
        )
        for exchange, action, score, time_s in (
            (fine, "NONE", 0.1, 0.2),
            (wrong, "WARN", 0.9, 1.2),
        )
    ]
    text = "\n".join(report(found, {"all": (0.5, 1.0)}))
    assert "layers 2 and 3 within 500 ms + N x 100 ms for their N reads: 1 of 2 (50%)" in text
    assert "| warned | 1 of 1 (100%) | 1 of 1 (100%) |" in text
    assert "the third layer ran in 0 of 2 (0%)" in text
    assert "| COMMON_SENSE | 2 | 700.0 | 1200.0 |" in text


def test_the_first_layer_is_timed_on_its_longest_texts() -> None:
    times = heuristic_times_ms(EXCHANGES[:2], 1)
    assert len(times) == 3
    assert all(0.0 < median <= largest for median, largest in times.values())

"""The bench of assessments: its data, its scores, and what it tells."""

from bench.cases.assessment import load_exchanges

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

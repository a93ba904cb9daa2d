"""The bench where parts go at a random moment: its rounds end, and it can find a fault."""

import pytest

from tests.soak import chaos
from tests.soak.chaos import CALLS, EVENTS, KILLED, LEFT, MISREAD, Tally, chance_of


@pytest.mark.parametrize("event", EVENTS)
async def test_every_call_of_a_round_has_an_outcome(event: str) -> None:
    tally = Tally(event)
    await chaos.scripted_round(tally, chance_of("2"))
    assert tally.rounds == 1
    assert tally.outcomes.total() == CALLS
    assert tally.faults == []


async def test_an_untrue_claim_that_is_supported_is_at_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def gullible(prompt: str) -> tuple[float, float]:
        return (0.97, 0.01) if "The bridge of" in prompt.partition("\nClaim: ")[0] else (0.1, 0.8)

    monkeypatch.setattr(chaos, "answered", gullible)
    monkeypatch.setattr(chaos, "LATEST_S", 5.0)
    tally = Tally(LEFT)
    await chaos.scripted_round(tally, chance_of("4"))
    assert any(fault.startswith("WRONG") for fault in tally.faults)


def test_what_a_model_misreads_is_counted_and_no_fault() -> None:
    tally = Tally(KILLED)
    chaos.note(tally, ["WRONG: a claim", "whole", "INTERNAL"], by_a_model=True)
    assert tally.outcomes == {MISREAD: 1, "whole": 1, "INTERNAL": 1}
    assert tally.faults == ["INTERNAL"]

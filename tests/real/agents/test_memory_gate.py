"""The memory gate on the real model: its decisions, and what it does without an engine."""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from groundwire import (
    CheckedFact,
    Client,
    FactInput,
    GateDecision,
    GateReason,
    GateResult,
    MemoryGate,
)
from groundwire_server.exit_codes import EXIT_ENGINE_FAILED
from tests.serving import Served, serving

EXIT_TIMEOUT_S = 60.0
CALL_TIMEOUT_S = 30.0
"""Far more than the gate takes: whatever comes before it is the gate's own doing."""

BRIDGE = "The bridge of Arden opened in 1932. It is 503 metres long and carries eight lanes."
TRUE = FactInput("The bridge of Arden opened in 1932.", id="a", evidence=BRIDGE)
FALSE = FactInput("The bridge of Arden opened in 1871.", id="b", evidence=BRIDGE)
ELSEWHERE = FactInput(
    "The bridge of Arden opened in 1932.", id="c", evidence="Ada keeps bees in her garden."
)
UNVERIFIED = GateDecision.ACCEPTED_UNVERIFIED
UNREAD = {GateReason.OUT_OF_TIME, GateReason.OVERLOADED, GateReason.BACKEND_UNAVAILABLE}


def test_the_real_model_tells_facts_apart_by_their_evidence(served: Served) -> None:
    with Client(served.target, timeout_s=CALL_TIMEOUT_S) as client:
        # The first read of a context can take longer than a decision may.
        client.verify_claims([TRUE.text], BRIDGE)
        result = client.check_facts([TRUE, FALSE, ELSEWHERE])
    assert [fact.id for fact in result] == ["a", "b", "c"]
    assert [fact.is_verified for fact in result] == [True, False, False]
    assert [fact.decision for fact in result.rejected] == [GateDecision.REJECTED] * 2


def test_a_confidence_follows_from_the_numbers_beside_it(served: Served) -> None:
    facts = [
        FactInput(text, confidence=stated, evidence=BRIDGE)
        for text in (TRUE.text, FALSE.text, "The bridge is 503 metres long.", "It is green.")
        for stated in (0.2, 0.5, 0.9)
    ]
    with Client(served.target, timeout_s=CALL_TIMEOUT_S) as client:
        result = client.check_facts(facts)
    for sent, fact in zip(facts, result, strict=True):
        if fact.decision is UNVERIFIED:
            continue
        assert fact.claim is not None
        budget, use = fact.claim.budget, fact.claim.evidence_use
        assert budget is not None
        assert use is not None
        assert fact.stated_confidence == sent.confidence
        paid = budget.observed_bits >= budget.required_bits
        share = 1.0 if paid else budget.observed_bits / budget.required_bits
        share = share if use > 0 else 0.0
        assert fact.confidence == pytest.approx(min(fact.stated_confidence, share))


@pytest.fixture(scope="module")
def own() -> Iterator[Served]:
    """A server whose engine may be frozen and killed."""
    with serving("--memory-gate-enabled") as served:
        yield served


def many(title: str) -> list[FactInput]:
    """Facts with long evidence, each with its own, that take the engine a while."""
    filler = "lies on a river that rises in the night. " * 30
    return [
        FactInput(f"The bridge of {title} {i} is long.", evidence=f"{title} {i} {filler}")
        for i in range(40)
    ]


def in_the_middle(
    served: Served, client: Client, title: str, harm: Callable[[], None]
) -> GateResult:
    """What a call comes to whose engine is harmed while it is in the server."""
    with ThreadPoolExecutor(1) as threads:
        call = threads.submit(client.check_facts, many(title))
        served.wait_until_pending()
        harm()
        return call.result()


def test_a_frozen_engine_leaves_a_decision_on_every_fact(own: Served) -> None:
    (engine,) = own.engine_pids()
    with Client(own.target, timeout_s=CALL_TIMEOUT_S) as client:
        try:
            result = in_the_middle(own, client, "Arden", lambda: os.kill(engine, signal.SIGSTOP))
            frozen = client.check_facts([TRUE, FALSE])
        finally:
            os.kill(engine, signal.SIGCONT)
        assert len(result) == len(many("Arden"))
        assert UNREAD & {fact.reason for fact in result}
        assert [fact.decision for fact in frozen] == [UNVERIFIED] * 2
        assert all(0.0 < fact.confidence < fact.stated_confidence for fact in frozen)
        # It goes on where it was, and decides again.
        client.verify_claims([TRUE.text], BRIDGE)
        assert [fact.is_verified for fact in client.check_facts([TRUE, FALSE])] == [True, False]


def test_a_killed_engine_leaves_a_decision_on_every_fact(own: Served) -> None:
    (engine,) = own.engine_pids()
    with Client(own.target, timeout_s=CALL_TIMEOUT_S) as client:
        result = in_the_middle(own, client, "Brea", lambda: os.kill(engine, signal.SIGKILL))
        assert len(result) == len(many("Brea"))
        assert UNREAD & {fact.reason for fact in result}
        assert own.process.wait(EXIT_TIMEOUT_S) == EXIT_ENGINE_FAILED
        # Now there is no server any more, and a write goes on without it.
        stored: list[CheckedFact] = []
        MemoryGate(client).write([TRUE, FALSE], stored.append)
    assert [fact.reason for fact in stored] == [GateReason.NO_ANSWER] * 2
    assert "The bridge" not in own.log

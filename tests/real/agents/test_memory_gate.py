"""The memory gate on the real model: its decisions, and what it does while the engine is frozen."""

import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from groundwire import (
    Client,
    FactInput,
    GateDecision,
    GateResult,
)
from tests.real.long_requests import UNREAD, long_facts
from tests.serving import Served

CALL_TIMEOUT_S = 30.0
"""Far more than the gate takes: whatever comes before it is the gate's own doing."""

BRIDGE = "The bridge of Arden opened in 1932. It is 503 metres long and carries eight lanes."
TRUE = FactInput("The bridge of Arden opened in 1932.", id="a", evidence=BRIDGE)
FALSE = FactInput("The bridge of Arden opened in 1871.", id="b", evidence=BRIDGE)
ELSEWHERE = FactInput(
    "The bridge of Arden opened in 1932.", id="c", evidence="Ada keeps bees in her garden."
)
UNVERIFIED = GateDecision.ACCEPTED_UNVERIFIED


def test_the_real_model_tells_facts_apart_by_their_evidence(served: Served) -> None:
    with Client(served.target, timeout_s=CALL_TIMEOUT_S) as client:
        for fact in (TRUE, FALSE, ELSEWHERE):
            # On a busy machine the first read can take longer than a decision may.
            client.verify_claims([fact.text], fact.evidence or "")
        result = client.check_facts([TRUE, FALSE, ELSEWHERE])
    assert [fact.id for fact in result] == ["a", "b", "c"]
    assert [fact.is_verified for fact in result] == [True, False, False]
    assert [fact.decision for fact in result.rejected] == [GateDecision.REJECTED] * 2


def in_the_middle(
    served: Served, client: Client, title: str, harm: Callable[[], None]
) -> GateResult:
    """What a call comes to whose engine is harmed while it is in the server."""
    with ThreadPoolExecutor(1) as threads:
        call = threads.submit(client.check_facts, long_facts(title))
        served.wait_until_pending()
        harm()
        return call.result()


def test_a_frozen_engine_leaves_a_decision_on_every_fact(served: Served) -> None:
    # Nobody has read them, so that no cache knows them.
    unread = f"{BRIDGE} It is painted red."
    facts = [replace(fact, evidence=unread) for fact in (TRUE, FALSE)]
    (engine,) = served.engine_pids()
    with Client(served.target, timeout_s=CALL_TIMEOUT_S) as client:
        try:
            result = in_the_middle(served, client, "Arden", lambda: os.kill(engine, signal.SIGSTOP))
            frozen = client.check_facts(facts)
        finally:
            os.kill(engine, signal.SIGCONT)
        assert len(result) == len(long_facts("Arden"))
        assert UNREAD & {fact.reason for fact in result}
        assert [fact.decision for fact in frozen] == [UNVERIFIED] * 2
        assert all(0.0 < fact.confidence < fact.stated_confidence for fact in frozen)
        # It goes on where it was, and decides again.
        client.verify_claims([TRUE.text], unread)
        assert [fact.is_verified for fact in client.check_facts(facts)] == [True, False]

"""The memory gate in both clients: what is sent, what is made of decisions, what is refused."""

import copy
import logging
import pickle
from collections.abc import Callable

import grpc
import pytest

from groundwire import (
    AsyncClient,
    AsyncMemoryGate,
    CheckedFact,
    Client,
    ConfigurationError,
    Document,
    Evidence,
    FactInput,
    FactNotGroundedError,
    GateDecision,
    GateReason,
    GateResult,
    InvalidRequestError,
    MemoryGate,
    NotEnabledError,
    Verdict,
    WrittenFacts,
    check_facts,
)
from groundwire.v1 import hallucination_detection_pb2 as detection_pb
from groundwire.v1 import memory_gate_pb2 as pb
from tests.client.plain_answers import NO_PROBABILITY, changed_fact, gate_response
from tests.client.scripted import AnyClient, Hold, ScriptedServer, Step, failing, settle

GOOD, BAD, UNREAD = "0.75", "0.125", NO_PROBABILITY
NOT_ENABLED = failing(grpc.StatusCode.FAILED_PRECONDITION, "NOT_ENABLED")
REFUSED = failing(grpc.StatusCode.INVALID_ARGUMENT, "CLAIM_TOO_LONG")
TOO_LARGE = failing(grpc.StatusCode.RESOURCE_EXHAUSTED)
BUSY = failing(grpc.StatusCode.RESOURCE_EXHAUSTED, "QUEUE_FULL")
DEAD = failing(grpc.StatusCode.INTERNAL, "INTERNAL")
UNVERIFIED = GateDecision.ACCEPTED_UNVERIFIED

Change = Callable[[pb.CheckedFact], object]


async def checked(client: AnyClient, *facts: str | FactInput) -> GateResult:
    return await settle(client.check_facts(facts, "context"))


async def written(
    client: AnyClient,
    store: Callable[[CheckedFact], object],
    *facts: str | FactInput,
    **arguments: float,
) -> WrittenFacts:
    """What the gate of either client makes of facts."""
    if isinstance(client, AsyncClient):
        gate = AsyncMemoryGate(client, **arguments)  # type: ignore[arg-type]
        return await gate.write(facts, store, "context")
    return MemoryGate(client, **arguments).write(facts, store, "context")  # type: ignore[arg-type]


async def test_a_fact_is_sent_with_all_that_it_has(
    client: AnyClient, server: ScriptedServer
) -> None:
    fact = FactInput(GOOD, id="a", confidence=0.5, cited_ids=("S0",))
    await settle(
        client.check_facts(
            [fact, BAD], "context", backend="other", skip_result_cache=True, split_long_context=True
        )
    )
    assert server.received[0].request == pb.CheckFactsRequest(
        facts=[pb.Fact(text=GOOD, id="a", confidence=0.5, cited_ids=["S0"]), pb.Fact(text=BAD)],
        evidence=[detection_pb.Evidence(context="context")],
        backend="other",
        skip_result_cache=True,
        split_long_context=True,
    )


async def test_equal_evidence_is_sent_once(client: AnyClient, server: ScriptedServer) -> None:
    own = Evidence.documents([Document("S0", "text")])
    facts = [
        FactInput(GOOD, evidence=own),
        FactInput(GOOD),
        FactInput(GOOD, evidence=Evidence.documents(["text"])),
        FactInput(GOOD, evidence=Evidence.context("context")),
    ]
    await settle(client.check_facts(facts, "context"))
    request = server.received[0].request
    assert isinstance(request, pb.CheckFactsRequest)
    assert [fact.evidence_index for fact in request.facts] == [0, 1, 0, 1]
    assert [len(piece.sources) for piece in request.evidence] == [1, 0]


async def test_a_fact_without_any_evidence_is_refused_with_its_field(client: AnyClient) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        await settle(client.check_facts([FactInput(GOOD, evidence="x"), GOOD]))
    assert caught.value.violations[0].field == "facts[1].evidence"


async def test_one_text_is_no_list_of_facts(client: AnyClient) -> None:
    with pytest.raises(TypeError, match="many facts"):
        await settle(client.check_facts(GOOD, "context"))


async def test_a_list_is_no_evidence(client: AnyClient) -> None:
    with pytest.raises(TypeError, match=r"use Evidence\.documents"):
        await settle(client.check_facts([GOOD], ["text"]))  # type: ignore[arg-type]


async def test_a_checked_fact_is_flat(client: AnyClient) -> None:
    good, bad, unread = await checked(client, FactInput(GOOD, id="a", confidence=0.5), BAD, UNREAD)
    assert (good.id, good.text, good.decision, good.reason) == ("a", GOOD, "ACCEPTED", "GROUNDED")
    assert (good.confidence, good.stated_confidence) == (0.5, 0.5)
    assert (good.p1, good.p0, good.verdict) == (0.75, 0.25, Verdict.SUPPORTED)
    assert (good.required_bits, good.observed_bits, good.gap_bits) == (1.5, 2.0, -0.5)
    assert (bad.decision, bad.reason) == ("REJECTED", "FACT_NOT_GROUNDED")
    assert (unread.decision, unread.verdict) == (UNVERIFIED, Verdict.NOT_VERIFIED)
    assert (unread.gap_bits, unread.observed_bits) == (None, None)
    assert [fact.is_accepted for fact in (good, bad, unread)] == [True, False, True]
    assert [fact.is_verified for fact in (good, bad, unread)] == [True, False, False]
    assert str(bad) == f"REJECTED {BAD!r}: 0.12, the reason"


async def test_a_result_knows_what_to_store(client: AnyClient) -> None:
    result = await checked(client, GOOD, BAD, UNREAD)
    assert [fact.text for fact in result.accepted] == [GOOD, UNREAD]
    assert [fact.text for fact in result.rejected] == [BAD]
    assert result.run is not None
    assert result.run.backend == "main"


async def test_a_rejected_fact_is_an_exception_where_that_is_asked_for(client: AnyClient) -> None:
    result = await checked(client, GOOD, BAD, "0.25")
    with pytest.raises(FactNotGroundedError) as caught:
        result.raise_if_rejected()
    assert [fact.text for fact in caught.value.facts] == [BAD, "0.25"]
    assert str(caught.value) == "FACT_NOT_GROUNDED: the reason (and 1 more)"
    for copied in (copy.copy(caught.value), pickle.loads(pickle.dumps(caught.value))):  # noqa: S301
        assert str(copied) == str(caught.value)
    (await checked(client, GOOD, UNREAD)).raise_if_rejected()


async def test_a_gate_that_is_off_is_an_error_of_its_own(
    client: AnyClient, server: ScriptedServer
) -> None:
    server.script(NOT_ENABLED)
    with pytest.raises(NotEnabledError):
        await checked(client, GOOD)


def setting(name: str, value: object) -> Change:
    return lambda fact: setattr(fact, name, value)


async def test_a_decision_that_the_client_does_not_know_is_not_to_store(
    client: AnyClient, server: ScriptedServer
) -> None:
    server.script(changed_fact(setting("decision", 99), GOOD))
    (fact,) = await checked(client, GOOD)
    assert (fact.decision, fact.is_accepted) == (GateDecision.UNKNOWN, False)


async def test_only_what_passes_is_stored_in_order_with_its_confidence(client: AnyClient) -> None:
    stored: list[tuple[str, float]] = []

    def store(fact: CheckedFact) -> None:
        stored.append((fact.text, fact.confidence))

    result = await written(client, store, FactInput(GOOD, confidence=0.5), BAD, UNREAD)
    assert stored == [(GOOD, 0.5), (UNREAD, 0.25)]
    assert [fact.text for fact in result.stored] == [GOOD, UNREAD]
    assert [fact.text for fact in result.rejected] == [BAD]
    with pytest.raises(FactNotGroundedError):
        result.raise_if_rejected()


async def test_what_nobody_verified_is_skipped_by_choice(client: AnyClient) -> None:
    stored: list[CheckedFact] = []
    result = await written(client, stored.append, GOOD, UNREAD, store_unverified=False)
    assert [fact.text for fact in stored] == [GOOD]
    assert [fact.text for fact in result.skipped] == [UNREAD]
    result.raise_if_rejected()


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        (NOT_ENABLED, "NotEnabledError (NOT_ENABLED)"),
        (BUSY, "ServerBusyError (QUEUE_FULL)"),
        (DEAD, "InternalError (INTERNAL)"),
        (gate_response(), "InvalidResponseError"),
    ],
)
async def test_a_call_that_fails_never_raises_into_a_write(
    client: AnyClient,
    server: ScriptedServer,
    caplog: pytest.LogCaptureFixture,
    step: Step,
    kind: str,
) -> None:
    server.script(step)
    stored: list[CheckedFact] = []
    facts = (FactInput(GOOD, id="zebra", confidence=0.8), BAD)
    with caplog.at_level(logging.INFO, "groundwire"):
        await written(client, stored.append, *facts)
    assert [(fact.decision, fact.reason) for fact in stored] == [(UNVERIFIED, "NO_ANSWER")] * 2
    assert [fact.confidence for fact in stored] == [0.4, 0.475]
    assert stored[0].id == "zebra"
    assert caplog.messages == [f"2 facts are unverified: {kind}"]


async def test_a_server_that_does_not_answer_holds_no_write_up(
    client: AnyClient, server: ScriptedServer
) -> None:
    hold = Hold()
    server.script(hold)
    stored: list[CheckedFact] = []
    await written(client, stored.append, GOOD, timeout_s=0.3)
    hold.given_up.set()
    assert [fact.reason for fact in stored] == [GateReason.NO_ANSWER]


async def test_a_server_that_is_gone_holds_no_write_up(
    connect: Callable[..., AnyClient], server: ScriptedServer
) -> None:
    server.stop()
    stored: list[CheckedFact] = []
    await written(connect(server.target), stored.append, GOOD, timeout_s=0.5)
    assert [fact.decision for fact in stored] == [UNVERIFIED]


@pytest.mark.parametrize("step", [REFUSED, TOO_LARGE])
async def test_a_request_that_is_wrong_does_not_open_the_gate(
    client: AnyClient, server: ScriptedServer, step: Step
) -> None:
    server.script(step)
    stored: list[CheckedFact] = []
    result = await written(client, stored.append, GOOD, BAD)
    assert stored == []
    assert [fact.reason for fact in result.rejected] == [GateReason.INVALID_REQUEST] * 2
    assert [fact.confidence for fact in result.rejected] == [0.0] * 2


async def test_what_the_store_raises_is_the_callers(client: AnyClient) -> None:
    def store(fact: CheckedFact) -> None:
        raise ZeroDivisionError(fact.text)

    with pytest.raises(ZeroDivisionError):
        await written(client, store, GOOD)


async def test_a_store_may_be_a_coroutine(server: ScriptedServer) -> None:
    stored: list[CheckedFact] = []

    async def store(fact: CheckedFact) -> None:
        stored.append(fact)

    async with AsyncClient(server.target) as client:
        await AsyncMemoryGate(client).write([GOOD], store, "context")
    assert [fact.text for fact in stored] == [GOOD]


def test_the_time_out_of_a_gate_is_short(server: ScriptedServer) -> None:
    with Client(server.target, timeout_s=300) as client:
        MemoryGate(client).check([GOOD], "context")
    assert server.received[0].time_remaining_s < 3.5


@pytest.mark.parametrize(
    "arguments", [{"timeout_s": 0.0}, {"unverified_factor": 1.5}, {"unverified_factor": -0.1}]
)
def test_a_gate_refuses_arguments_that_cannot_be(arguments: dict[str, float]) -> None:
    with Client() as client, pytest.raises(ConfigurationError):
        MemoryGate(client, **arguments)  # type: ignore[arg-type]


def test_a_notebook_checks_facts_in_one_line(server: ScriptedServer) -> None:
    with Client(server.target) as client:
        result = check_facts([GOOD, BAD], "context", client=client)
    assert [fact.decision for fact in result] == ["ACCEPTED", "REJECTED"]

"""The one-line checks for a notebook."""

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any, cast

import pytest

from groundwire import (
    AnswerClaim,
    AuditedStep,
    Client,
    Evidence,
    Verdict,
    VerifiedClaim,
    notebook,
    verify_claim,
    verify_claims,
)
from groundwire.v1 import hallucination_detection_pb2 as pb
from tests.client.plain_answers import NO_PROBABILITY
from tests.client.scripted import ScriptedServer


@pytest.fixture
def used(server: ScriptedServer) -> Iterator[Client]:
    """A client that a notebook has made itself."""
    with Client(server.target) as client:
        yield client


def test_one_claim_is_checked(used: Client) -> None:
    checked = verify_claim("0.75", "context", client=used)

    assert (checked.content, checked.verdict) == ("0.75", Verdict.SUPPORTED)
    assert (checked.p1, checked.p0, checked.gap_bits) == (0.75, 0.25, -0.5)


NAMES_OF_SPEC_08_32 = ("p0", "p1", "required_bits", "observed_bits", "budget_gap", "status")


@pytest.mark.parametrize("kind", [VerifiedClaim, AnswerClaim, AuditedStep])
def test_each_result_of_a_repl_has_the_names_that_were_asked_for(kind: type[object]) -> None:
    names = {*dir(kind), *(field.name for field in fields(cast(Any, kind)))}
    assert names.issuperset(NAMES_OF_SPEC_08_32)


def test_the_gap_and_the_verdict_go_by_the_names_of_the_specification(used: Client) -> None:
    checked = verify_claim("0.75", "context", client=used)

    assert (checked.budget_gap, checked.status) == (checked.gap_bits, checked.verdict)
    assert checked.budget_gap == -0.5


def test_the_confidence_goes_with_the_claim(server: ScriptedServer, used: Client) -> None:
    verify_claim("0.75", Evidence.documents(["text"]), 0.5, client=used)

    assert server.received[0].request == pb.VerifyClaimsRequest(
        claims=[pb.ClaimInput(text="0.75", confidence=0.5)],
        evidence=pb.Evidence(sources=[pb.Source(id="S0", document=pb.Document(text="text"))]),
    )


def test_a_claim_that_was_not_read_has_no_numbers(used: Client) -> None:
    checked = verify_claim(NO_PROBABILITY, "context", client=used)

    assert checked.verdict is Verdict.NOT_VERIFIED
    assert (checked.p1, checked.budget, checked.gap_bits) == (None, None, None)


def test_all_claims_of_a_text_are_checked_in_its_order(used: Client) -> None:
    checked = verify_claims("0.75 0.125", "context", client=used)

    assert [(each.content, each.verdict) for each in checked] == [
        ("0.75", "SUPPORTED"),
        ("0.125", "UNSUPPORTED"),
    ]


def test_as_many_claims_are_checked_as_the_server_takes(
    server: ScriptedServer, used: Client
) -> None:
    verify_claims("0.75", "context", client=used)

    request = server.received[-1].request
    assert isinstance(request, pb.VerifyAnswerRequest)
    assert request.options == pb.VerifyOptions(max_claims=32, min_claim_characters=0)


def test_a_given_client_stays_open(used: Client) -> None:
    verify_claim("0.75", "context", client=used)

    assert used.server_info().model == "tiny"


def test_without_a_client_the_default_target_is_asked(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make(timeout_s: float) -> Client:
        return Client(server.target, timeout_s=timeout_s)

    monkeypatch.setattr(notebook, "Client", make)

    assert verify_claim("0.75", "context").p1 == 0.75


def test_a_checked_claim_is_shown_on_one_line(used: Client) -> None:
    checked = verify_claim("0.75", "context", client=used)

    assert str(checked) == "SUPPORTED '0.75': p0 0.250, p1 0.750, bits 2.00 of 1.50, gap -0.50"
    assert repr(checked) == f"<{checked}>"


def test_a_claim_that_was_not_read_says_so(used: Client) -> None:
    checked = verify_claim(NO_PROBABILITY, "context", client=used)

    assert str(checked) == "NOT_VERIFIED 'none': not read"


def test_a_claim_cannot_write_to_the_terminal(used: Client) -> None:
    checked = replace(verify_claim("0.75", "context", client=used), content="a\x1b[2Jb\nc")

    assert str(checked).isprintable()

"""Another model than the embedded one: an int8 copy, from a hub's revision, for two callers."""

import pytest

from groundwire import BatchResult, Client, Source
from tests.real.engine.conftest import ANOTHER, NAME, ONE, TAG
from tests.real.spare import Spare
from tests.serving import Served

CONTEXT = "The lighthouse on Cape Arden was finished in 1871 and is 42 metres high."
CLAIMS = (
    "The lighthouse on Cape Arden is 42 metres high.",
    "The lighthouse on Cape Arden was finished in 1917.",
    "The lighthouse was finished in 1871.",
    "The lighthouse is in Norway.",
)
NEAR = 0.15
"""Probability. Eight bits move it by some hundredths; a copy made wrongly, by far more."""

LONG_CONTEXT = "The windmill at Thornby was finished in 1871 and is 42 metres high. " * 8
CLAIM, NEXT_CLAIM = "The windmill is 42 metres high.", "The windmill was built in 1871."


def asked(served: Served, token: str, claim: str) -> BatchResult:
    """What the server reads of a claim on LONG_CONTEXT for a caller."""
    with Client(served.target, token=token, timeout_s=120) as client:
        return client.batch_estimate([claim], LONG_CONTEXT)


def test_an_int8_copy_is_served_and_says_nearly_the_same(
    served: Served, int8_servers: Spare
) -> None:
    with Client(served.target, timeout_s=120) as client:
        own = [estimate.raw_probability for estimate in client.batch_estimate(CLAIMS, CONTEXT)]
    with Client(int8_servers.running().target, token=ONE, timeout_s=120) as client:
        found = client.batch_estimate(CLAIMS, CONTEXT)
    assert not any(estimate.calibrated for estimate in found)
    for before, estimate in zip(own, found, strict=True):
        assert before is not None
        assert estimate.probability is not None
        assert abs(estimate.probability - before) < NEAR


def test_weights_and_tokeniser_are_those_of_the_revision(int8_servers: Spare) -> None:
    running = int8_servers.running()
    with Client(running.target, token=ONE, timeout_s=120) as client:
        assert client.server_info().model == NAME
    assert f"pin revision to the full hash of a commit; now it is {TAG}" in running.log


def test_a_token_shares_prefixes_and_readings_with_itself_alone(int8_servers: Spare) -> None:
    running = int8_servers.running()
    first, own = asked(running, ONE, CLAIM), asked(running, ONE, NEXT_CLAIM)
    assert first.usage.cached_tokens == 0
    assert own.usage.cached_tokens > 0
    other, other_next = asked(running, ANOTHER, CLAIM), asked(running, ANOTHER, NEXT_CLAIM)
    assert [r.estimates[0].source for r in (other, other_next)] == [Source.MODEL] * 2
    assert other.usage.cached_tokens == 0
    assert other_next.usage.cached_tokens == own.usage.cached_tokens
    # Another salt, another way through the cache, and the same answer.
    assert other.estimates[0].probability == pytest.approx(first.estimates[0].probability, abs=0.01)

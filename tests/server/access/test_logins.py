"""Who is let in, and how those who are not are slowed. No test waits: a pause is only noted."""

import asyncio

import pytest

from groundwire_server.access import logins as module
from groundwire_server.access.callers import Caller
from groundwire_server.access.logins import (
    FIRST_PAUSE_S,
    FORGOTTEN_S,
    FREE_FAILURES,
    LONGEST_PAUSE_S,
    MAX_PEERS,
    Logins,
    network_of,
)
from groundwire_server.config.access import KnownToken, hashed

OWN, OF_ACME = "violet-anvil-7", "amber-kettle-3"
TOKENS = (
    KnownToken("auth_token_file: line 1", hashed(OWN)),
    KnownToken("auth_token_file: line 2", hashed(OF_ACME), "acme"),
)
PEER = "ipv4:10.0.0.7:4711"


class Pauses:
    """A clock that moves only when a test says so, and the pauses that were asked for."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.asked_s: list[float] = []

    async def pause(self, seconds: float) -> None:
        self.asked_s.append(seconds)


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


@pytest.fixture
def logins(pauses: Pauses) -> Logins:
    return Logins(TOKENS, clock=lambda: pauses.now_s, pause=pauses.pause)


def carrying(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),)


async def fail(logins: Logins, times: int, peer: str = PEER) -> None:
    for _ in range(times):
        await logins.refuse("grpc", peer)


def test_a_token_of_a_tenant_makes_its_caller_that_tenant(logins: Logins) -> None:
    assert logins.caller(carrying(OF_ACME)) == Caller("acme")


def test_a_token_of_no_tenant_makes_a_caller_of_its_own(logins: Logins) -> None:
    assert logins.caller(carrying(OWN)) == Caller(token=OWN)


@pytest.mark.parametrize("token", ["", "wrong", OWN + "x", OWN[:-1]])
def test_any_other_token_makes_no_caller(logins: Logins, token: str) -> None:
    assert logins.caller(carrying(token)) is None


def test_the_hash_of_nothing_opens_to_nobody() -> None:
    logins = Logins([KnownToken("auth_token_file: line 1", hashed(""))])
    assert logins.caller(None) is None
    assert logins.caller(carrying("")) is None


def test_a_token_that_was_replaced_lets_in_nobody(logins: Logins) -> None:
    logins.replace(TOKENS[1:])
    assert logins.caller(carrying(OWN)) is None
    assert logins.caller(carrying(OF_ACME)) == Caller("acme")


def test_no_tokens_at_all_never_take_the_place_of_some(logins: Logins) -> None:
    with pytest.raises(ValueError, match="there is no token"):
        logins.replace(())
    assert logins.caller(carrying("wrong")) is None
    assert logins.caller(carrying(OWN)) is not None


async def test_each_further_failure_of_a_peer_waits_twice_as_long(
    logins: Logins, pauses: Pauses
) -> None:
    await fail(logins, FREE_FAILURES)
    assert pauses.asked_s == []
    await fail(logins, 3)
    assert pauses.asked_s == [FIRST_PAUSE_S, 2 * FIRST_PAUSE_S, 4 * FIRST_PAUSE_S]


async def test_no_failure_waits_longer_than_the_longest_pause(
    logins: Logins, pauses: Pauses
) -> None:
    await fail(logins, FREE_FAILURES + 50)
    assert max(pauses.asked_s) == LONGEST_PAUSE_S


async def test_a_peer_that_was_quiet_begins_anew(logins: Logins, pauses: Pauses) -> None:
    await fail(logins, FREE_FAILURES + 1)
    pauses.now_s += FORGOTTEN_S + 1.0
    await fail(logins, FREE_FAILURES)
    assert len(pauses.asked_s) == 1


async def test_other_peers_do_not_wait_for_it(logins: Logins, pauses: Pauses) -> None:
    await fail(logins, FREE_FAILURES + 1)
    await fail(logins, FREE_FAILURES, "ipv4:10.0.0.8:4711")
    assert len(pauses.asked_s) == 1


async def test_another_port_is_the_same_peer(logins: Logins, pauses: Pauses) -> None:
    await fail(logins, FREE_FAILURES)
    await fail(logins, 1, "ipv4:10.0.0.7:4712")
    assert pauses.asked_s == [FIRST_PAUSE_S]


async def test_a_right_token_never_waits_for_wrong_ones_of_its_peer(
    logins: Logins, pauses: Pauses
) -> None:
    await fail(logins, FREE_FAILURES + 5)
    before = len(pauses.asked_s)
    assert logins.caller(carrying(OWN)) is not None
    assert len(pauses.asked_s) == before


async def test_failures_are_counted_by_door(logins: Logins) -> None:
    await fail(logins, 2)
    await logins.refuse("http", PEER)
    assert logins.failed == {"grpc": 2, "http": 1}


async def test_no_more_peers_are_remembered_than_the_limit(logins: Logins) -> None:
    for number in range(MAX_PEERS + 10):
        await fail(logins, 1, f"ipv4:10.0.{number // 256}.{number % 256}:1")
    assert len(logins._peers) == MAX_PEERS


async def test_no_more_refusals_wait_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_PAUSED", 2)
    never = asyncio.Event()

    async def pause(_: float) -> None:
        await never.wait()

    logins = Logins(TOKENS, pause=pause)
    await fail(logins, FREE_FAILURES)
    waiting = [asyncio.create_task(logins.refuse("grpc", PEER)) for _ in range(2)]
    await asyncio.sleep(0)
    await logins.refuse("grpc", PEER)  # ends at once
    assert not any(task.done() for task in waiting)
    for task in waiting:
        task.cancel()
    await asyncio.wait(waiting)
    assert logins._paused == 0


@pytest.mark.parametrize(
    ("peer", "network"),
    [
        ("ipv4:10.0.0.7:4711", "10.0.0.7"),
        ("10.0.0.7:4711", "10.0.0.7"),
        ("ipv6:%5B2001:db8:1:2::7%5D:4711", "2001:db8:1:2::/64"),
        ("ipv6:[2001:db8:1:2:ffff::1]:4711", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::7:4711", "2001:db8:1:2::/64"),
        ("ipv6:%5B::ffff:10.0.0.7%5D:1", "10.0.0.7"),
        ("ipv6:%5Bfe80::1%25eth0%5D:1", "fe80::/64"),
        ("unix:/run/x.sock", "unix"),
        ("unix:", "unix"),
        ("", "unix"),
    ],
)
def test_what_is_remembered_of_a_peer(peer: str, network: str) -> None:
    assert network_of(peer) == network

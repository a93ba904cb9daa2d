"""Who is let in, by bearer token, and what becomes of those who are not.

A wrong token is refused, and a peer that sends many waits longer for each refusal. Whoever has a
right one is let in at once, also from behind the same proxy: its token is looked at first. A token
cannot be guessed at any rate, so this is against the work and the noise of trying.
"""

import asyncio
import hmac
import ipaddress
import time
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from urllib.parse import unquote

from groundwire_server.access.callers import Caller, Metadata, bearer_token
from groundwire_server.config.access import KnownToken, hashed

FREE_FAILURES = 3
"""Failures in a row that are answered at once: a wrong setting is found soon by who made it."""

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 5.0
"""How long the next one waits; each further one twice as long, up to the longest."""

FORGOTTEN_S = 60.0
"""After so long without a failure a peer begins anew."""

MAX_PEERS = 1024
"""Peers that are remembered; the one that failed longest ago is forgotten for the next."""

MAX_PAUSED = 256
"""Refusals that wait at one time; further ones are sent at once, since each costs memory."""


class Logins:
    """The bearer tokens that calls are let in with: at least one. `failed` counts by door."""

    def __init__(
        self,
        tokens: Sequence[KnownToken],
        *,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._tokens = tuple(tokens)
        self._clock = clock
        self._pause = pause
        self._paused = 0
        # How often each peer failed in a row, and when it did last.
        self._peers: OrderedDict[str, tuple[int, float]] = OrderedDict()
        self.failed: Counter[str] = Counter()

    def replace(self, tokens: Sequence[KnownToken]) -> None:
        """Let in with these from now on. Calls that are in go on.

        Raises ValueError for none, which would let in nobody, or everybody.
        """
        if not tokens:
            raise ValueError("there is no token")
        self._tokens = tuple(tokens)

    def caller(self, metadata: Metadata | None) -> Caller | None:
        """Who calls; None for a call that may not come in."""
        token = bearer_token(metadata)
        digest = hashed(token or "")
        # Every digest is compared, and they are equal in length, so the time tells nothing of
        # which one matched, or how much of it.
        found = [known for known in self._tokens if hmac.compare_digest(digest, known.digest)]
        if not token or not found:
            return None
        return Caller(found[0].tenant) if found[0].tenant else Caller(token=token)

    async def refuse(self, door: str, peer: str) -> None:
        """Count a call that may not come in, and wait until it is told so."""
        self.failed[door] += 1
        pause_s = self._pause_s(network_of(peer))
        if pause_s <= 0.0 or self._paused >= MAX_PAUSED:
            return
        self._paused += 1
        try:
            await self._pause(pause_s)
        finally:
            self._paused -= 1

    def _pause_s(self, network: str) -> float:
        now_s = self._clock()
        count, last_s = self._peers.pop(network, (0, now_s))
        count = 1 if now_s - last_s > FORGOTTEN_S else count + 1
        self._peers[network] = count, now_s
        if len(self._peers) > MAX_PEERS:
            self._peers.popitem(last=False)
        if count <= FREE_FAILURES:
            return 0.0
        doublings = min(count - FREE_FAILURES - 1, 16)
        return float(min(FIRST_PAUSE_S * 2**doublings, LONGEST_PAUSE_S))


def network_of(peer: str) -> str:
    """What is remembered of a peer, which is an address with its port, as gRPC or HTTP names it.

    Of IPv6 the first 64 bits, of which one machine has all addresses.
    """
    text = unquote(peer).removeprefix("ipv4:").removeprefix("ipv6:")
    host = text.rpartition(":")[0].strip("[]").partition("%")[0]
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "unix"
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, 64), strict=False))

"""Admission: how many calls, how many bytes of requests and how many claims the server takes on.

Of each tenant it takes what that may have, see `accounts`. Knows counts. Does not know what a claim
costs, or gRPC.

A request is counted when it is whole. If unfinished ones were, a peer that never ends them would
keep all others out. They are bounded by connection: RECEIVED_OF_CONNECTION (`rpc.reception`) of at
most `max_message_bytes` each, and one window of flow control for each further one of its
MAX_CALLS_OF_CONNECTION calls (`app`). How many connections there are is not for the server to
bound. A request that is counted here takes some times its bytes, since a text is kept as bytes
and as characters.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from groundwire_server.config.access import NO_QUOTAS, Quotas
from groundwire_server.rpc.accounts import Accounts, AllPlaces
from groundwire_server.rpc.places import Places


class DrainingError(Exception):
    """The server is stopping and takes no new call."""

    def __init__(self) -> None:
        super().__init__("the server is stopping; try again, or another server")


class Admission:
    """Counts what is in the server, and refuses a call that would go beyond a limit."""

    def __init__(
        self, max_calls: int, max_bytes: int, max_claims: int, quotas: Quotas = NO_QUOTAS
    ) -> None:
        """At most so much at one time, and of each tenant what its quota says."""
        self.calls = Places("calls", max_calls)
        self.bytes = Places("bytes of requests", max_bytes)
        self.claims = Places("claims", max_claims)
        self.accounts = Accounts(quotas, AllPlaces(max_calls, max_bytes, max_claims))
        """What each tenant has used, and may."""
        self.draining = False

    @property
    def pending(self) -> int:
        """The claims that wait or run."""
        return self.claims.pending

    @contextmanager
    def admit_request(self, size_bytes: int) -> Iterator[None]:
        """Hold a place for a call whose request is there, until its response is gone.

        Raises QueueFullError, also for a quota.
        """
        account = self.accounts.current
        with account.admit_request(size_bytes), self.calls.hold(1), self.bytes.hold(size_bytes):
            yield

    @contextmanager
    def admit(self, claims: int) -> Iterator[None]:
        """Hold places for so many claims.

        Raises QueueFullError, also for a quota, or DrainingError.
        """
        self.raise_if_draining()
        with self.accounts.current.admit(claims), self.claims.hold(claims):
            yield

    def raise_if_draining(self) -> None:
        """For calls that read no claim. Raises DrainingError."""
        if self.draining:
            raise DrainingError

"""What each tenant may use and has used: its rates, its part of the places, its weight.

A rate is a bucket that fills at it, and holds what comes in BURST_S. A call is let in when the
bucket has what it takes, or is full; it may leave a debt then, which has to fill up first. So a
large call is possible at any rate, and in the long run no rate is exceeded. Tokens are counted as
they are computed: a call comes in while there is no debt of them.
"""

import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field

from groundwire_server.access.callers import CALLER, Caller
from groundwire_server.config.access import OTHER, Quota, Quotas
from groundwire_server.rpc.admission import MIN_RETRY_S, Admission, QueueFullError
from groundwire_verifier.domain.urgency import Tenant

BURST_S = 1.0
SHARE_RETRY_S = 1.0
"""When to come again who holds its part of the places: nobody knows how long its calls take."""

LONGEST_RETRY_S = 365 * 24 * 3600.0
"""The longest delay that is sent: a Duration ends after some ten thousand years."""

MAX_ACCOUNTS = 10_000
"""Accounts that are kept; then the one that was used least recently goes, unless it holds places.
Each is of a token that was let in."""

Clock = Callable[[], float]
TenantHold = AbstractContextManager[None]
NO_HOLD: TenantHold = nullcontext()


class QuotaExceededError(QueueFullError):
    """A tenant has used what it may for now: `quota`, as the file of tenants names it, is `limit`.

    It may come again in `retry_s` seconds.
    """

    def __init__(self, tenant: str, quota: str, limit: float, retry_s: float) -> None:
        retry_s = min(max(retry_s, MIN_RETRY_S), LONGEST_RETRY_S)
        whose = f"tenant {tenant}" if tenant else "this caller"
        Exception.__init__(
            self,
            f"{whose} has used its {quota}, which is {limit:g}; "
            f"try again in {retry_s:.1f} s, or send less at once",
        )
        self.tenant = tenant
        self.quota = quota
        self.limit = limit
        self.retry_s = retry_s


class Bucket:
    """What may be used at a rate, which is above 0, a second."""

    def __init__(self, per_s: float, clock: Clock = time.monotonic) -> None:
        self.per_s = per_s
        self._clock = clock
        self.most = max(1.0, per_s * BURST_S)
        self._level = self.most
        self._at_s = clock()

    def wait_s(self, amount: float) -> float:
        """Seconds until so much may be used; 0.0 if it may now."""
        return max(0.0, min(amount, self.most) - self._filled()) / self.per_s

    def take(self, amount: float) -> None:
        """Use so much, whatever is left."""
        self._level = self._filled() - amount

    @property
    def debt(self) -> float:
        """What was used before it was there; 0.0 if nothing."""
        return max(0.0, -self._filled())

    def _filled(self) -> float:
        now_s = self._clock()
        self._level = min(self.most, self._level + (now_s - self._at_s) * self.per_s)
        self._at_s = now_s
        return self._level


@dataclass(slots=True)
class Totals:
    """What the tenants of one label have used since the start. `refused` is by quota."""

    claims: int = 0
    tokens: int = 0
    refused: Counter[str] = field(default_factory=Counter)


class Account:
    """What one tenant may use, whatever its tokens. `name` is empty for one without."""

    def __init__(self, name: str, owner: str, admission: Admission, clock: Clock) -> None:
        self.name = name
        self.owner = owner
        self._admission = admission
        self._clock = clock
        self.calls = self.bytes = self.claims = 0
        """The places that it holds, under any quota."""
        # Those of services that have some besides, by their units.
        self._parts: Counter[str] = Counter()
        self._calls_rate: Bucket | None = None
        self._claims_rate: Bucket | None = None
        self._tokens_rate: Bucket | None = None
        self.limit(Quota(), "", Totals())

    def limit(self, quota: Quota, label: str, totals: Totals) -> None:
        """Hold it against a quota from now on, and count in `totals` of its label.

        What it owes under the quota before, it owes still.
        """
        self._quota, self.label, self._totals = quota, label, totals
        self._calls_rate = self._bucket(quota.calls_per_s, self._calls_rate)
        self._claims_rate = self._bucket(quota.claims_per_s, self._claims_rate)
        self._tokens_rate = self._bucket(quota.tokens_per_s, self._tokens_rate)
        self.tenant = Tenant(self.owner, quota.weight, self._spend)

    @contextmanager
    def admit_request(self, size_bytes: int, places: TenantHold = NO_HOLD) -> Iterator[None]:
        """Count a call, and hold its places, once it has the `places` of the server.

        Raises QuotaExceededError.
        """
        self._check_share(self.calls, 1, self._admission.calls.limit)
        self._check_share(self.bytes, size_bytes, self._admission.bytes.limit)
        self._check_rate("calls_per_s", self._calls_rate, 1)
        # What the full server refuses costs nothing.
        with places:
            if self._calls_rate is not None:
                self._calls_rate.take(1)
            self.calls += 1
            self.bytes += size_bytes
            try:
                yield
            finally:
                self.calls -= 1
                self.bytes -= size_bytes

    @contextmanager
    def admit_text(self, size_bytes: int, places: TenantHold = NO_HOLD) -> Iterator[None]:
        """Hold its bytes of a text, once it has the `places` of the server; see Admission.

        It is a call if no request comes of it. Raises QuotaExceededError.
        """
        self._check_share(self.bytes, size_bytes, self._admission.bytes.limit)
        self._check_rate("calls_per_s", self._calls_rate, 1)
        with places:
            self.bytes += size_bytes
            is_read = False
            try:
                yield
                is_read = True
            finally:
                self.bytes -= size_bytes
                if not is_read and self._calls_rate is not None:
                    self._calls_rate.take(1)

    @contextmanager
    def admit_part(self, unit: str, amount: int, of_all: int, places: TenantHold) -> Iterator[None]:
        """Hold other places than those of calls; see Admission. Raises QuotaExceededError."""
        self._check_share(self._parts[unit], amount, of_all)
        with places:
            self._parts[unit] += amount
            try:
                yield
            finally:
                self._parts[unit] -= amount

    @contextmanager
    def admit(self, claims: int, places: TenantHold = NO_HOLD) -> Iterator[None]:
        """Count claims, and hold their places, once they have the `places` of the server.

        Raises QuotaExceededError.
        """
        self._check_share(self.claims, claims, self._admission.claims.limit)
        self._check_tokens()
        self._check_rate("claims_per_s", self._claims_rate, claims)
        with places:
            if self._claims_rate is not None:
                self._claims_rate.take(claims)
            self._totals.claims += claims
            self.claims += claims
            try:
                yield
            finally:
                self.claims -= claims

    def check_later(self, *parts: tuple[int, int, int]) -> None:
        """Whether it may submit work that is done later.

        Each of `parts` is what it has of something already, what it wants, and all that there is.
        Raises QuotaExceededError.
        """
        for held, amount, of_all in parts:
            self._check_share(held, amount, of_all)
        self._check_tokens()

    def _check_tokens(self) -> None:
        self._check_rate("tokens_per_s", self._tokens_rate, 0)

    def _spend(self, tokens: int) -> None:
        self._totals.tokens += tokens
        if self._tokens_rate is not None:
            self._tokens_rate.take(tokens)

    def _check_share(self, held: int, amount: int, of_all: int) -> None:
        share = self._quota.queue_share
        # One is let in whatever its size: else it never would be.
        if share is not None and held and held + amount > share * of_all:
            self._refuse("queue_share", share, SHARE_RETRY_S)

    def _check_rate(self, name: str, bucket: Bucket | None, amount: int) -> None:
        if bucket is not None and (wait_s := bucket.wait_s(amount)) > 0.0:
            self._refuse(name, bucket.per_s, wait_s)

    def _refuse(self, quota: str, limit: float, retry_s: float) -> None:
        self._totals.refused[quota] += 1
        raise QuotaExceededError(self.name, quota, limit, retry_s)

    def _bucket(self, per_s: float | None, before: Bucket | None) -> Bucket | None:
        if per_s is None:
            return None
        if before is not None and before.per_s == per_s:
            return before
        bucket = Bucket(per_s, self._clock)
        if before is not None and before.debt > 0.0:
            # From empty: who owes has nothing left of a burst.
            bucket.take(bucket.most + before.debt)
        return bucket


class Accounts:
    """The accounts of all tenants, and what those of one label have used, in `totals`."""

    def __init__(self, quotas: Quotas, admission: Admission, clock: Clock = time.monotonic) -> None:
        self._quotas = quotas
        self._admission = admission
        self._clock = clock
        self._accounts: OrderedDict[str, Account] = OrderedDict()
        self.totals: dict[str, Totals] = {}
        self.configure(quotas)

    def configure(self, quotas: Quotas) -> None:
        """Hold all tenants against these quotas from now on; what they hold they keep."""
        self._quotas = quotas
        self._names = {Caller(name).owner: name for name in quotas.by_name}
        # A name that went stays: a counter never falls.
        for label in (OTHER, *quotas.by_name):
            self.totals.setdefault(label, Totals())
        for account in self._accounts.values():
            self._limit(account)

    @property
    def current(self) -> Account:
        """Of the call that is being served."""
        caller = CALLER.get()
        return self._account(caller.owner, caller.tenant)

    def of(self, owner: str) -> Account:
        """Of whoever has submitted work, by `Caller.owner`."""
        return self._account(owner, self._names.get(owner, ""))

    def pending_claims(self) -> Counter[str]:
        """The claims that wait or run, by label."""
        found = Counter(dict.fromkeys(self.totals, 0))
        for account in self._accounts.values():
            found[account.label] += account.claims
        return found

    def _account(self, owner: str, name: str) -> Account:
        account = self._accounts.get(owner)
        if account is None:
            account = self._accounts[owner] = Account(name, owner, self._admission, self._clock)
            self._limit(account)
            self._drop_old(account)
        elif name and not account.name:
            # Its work in the background came first, after a start.
            account.name = name
            self._limit(account)
        self._accounts.move_to_end(owner)
        return account

    def _limit(self, account: Account) -> None:
        account.name = account.name or self._names.get(account.owner, "")
        label = self._quotas.label(account.name)
        account.limit(self._quotas.of(account.name), label, self.totals[label])

    def _drop_old(self, new: Account) -> None:
        if len(self._accounts) > MAX_ACCOUNTS:
            others = (each for each in self._accounts.values() if each is not new)
            idle = (each.owner for each in others if not each.calls)
            if (oldest := next(idle, None)) is not None:
                del self._accounts[oldest]


def _is_known() -> bool:
    """Whether the call has a caller; that of a service which is open to all is nobody's."""
    return CALLER.get() != Caller()


class TenantAdmission(Admission):
    """Admission that holds each call against the quota of its tenant, too."""

    def __init__(self, max_calls: int, max_bytes: int, max_claims: int, quotas: Quotas) -> None:
        """At most so much at one time, and of each tenant what its quota says."""
        super().__init__(max_calls, max_bytes, max_claims)
        self.accounts = Accounts(quotas, self)

    @property
    def tenant(self) -> str:
        """As Admission."""
        return self.accounts.current.label if _is_known() else ""

    @contextmanager
    def admit_request(self, size_bytes: int) -> Iterator[None]:
        """As Admission. Raises QuotaExceededError, too."""
        with self.accounts.current.admit_request(size_bytes, super().admit_request(size_bytes)):
            yield

    @contextmanager
    def admit_text(self, size_bytes: int) -> Iterator[None]:
        """As Admission. Raises QuotaExceededError, too."""
        places = super().admit_text(size_bytes)
        with self.accounts.current.admit_text(size_bytes, places) if _is_known() else places:
            yield

    def admit_part(self, unit: str, amount: int, of_all: int, places: TenantHold) -> TenantHold:
        """As Admission. Raises QuotaExceededError, too."""
        return self.accounts.current.admit_part(unit, amount, of_all, places)

    @contextmanager
    def admit(self, claims: int) -> Iterator[None]:
        """As Admission. Raises QuotaExceededError, too."""
        self.raise_if_draining()
        with self.accounts.current.admit(claims, super().admit(claims)):
            yield

"""Rates and accounts by themselves, on a clock that moves only when a test says so."""

import pytest
from google.rpc import error_details_pb2

from groundwire_server.access.callers import Caller
from groundwire_server.config.access import OTHER, Quota, Quotas
from groundwire_server.rpc import accounts as module
from groundwire_server.rpc.accounts import Account, Accounts, Bucket, QuotaExceededError
from groundwire_server.rpc.admission import Admission, QueueFullError
from groundwire_server.rpc.status import status_of


class Clock:
    """Stands for the monotonic clock."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


def accounts_with(clock: Clock, **quotas: Quota) -> Accounts:
    return Accounts(Quotas(by_name=quotas), Admission(100, 1000, 100), clock)


def acme(accounts: Accounts) -> Account:
    return accounts.of(Caller("acme").owner)


def calls_let_in(account: Account, clock: Clock, *, seconds: float, every_s: float) -> int:
    count = 0
    for _ in range(round(seconds / every_s)):
        clock.now_s += every_s
        try:
            with account.admit_request(1):
                count += 1
        except QuotaExceededError:
            continue
    return count


def test_a_bucket_is_full_at_first_and_holds_what_comes_in_a_second(clock: Clock) -> None:
    bucket = Bucket(10.0, clock)
    clock.now_s += 1000.0
    bucket.take(10)
    assert bucket.wait_s(1) == pytest.approx(0.1)


def test_what_is_larger_than_a_bucket_waits_until_it_is_full(clock: Clock) -> None:
    bucket = Bucket(10.0, clock)
    assert bucket.wait_s(50) == 0.0
    bucket.take(50)
    assert bucket.wait_s(50) == pytest.approx(5.0)
    assert bucket.wait_s(0) == pytest.approx(4.0)


@pytest.mark.parametrize("per_s", [0.5, 3.0, 20.0])
def test_in_the_long_run_no_rate_is_exceeded(clock: Clock, per_s: float) -> None:
    account = acme(accounts_with(clock, acme=Quota(calls_per_s=per_s)))
    count = calls_let_in(account, clock, seconds=100.0, every_s=0.01)
    assert count == pytest.approx(100.0 * per_s, rel=0.03)


@pytest.mark.parametrize("per_s", [1e-12, 1e-308])
def test_a_rate_that_is_next_to_nothing_is_told_as_any_other(clock: Clock, per_s: float) -> None:
    account = acme(accounts_with(clock, acme=Quota(calls_per_s=per_s)))
    with account.admit_request(1), pytest.raises(QuotaExceededError) as caught:
        account.admit_request(1).__enter__()
    info = status_of(caught.value).packed().details[1]
    assert info.Unpack(retry := error_details_pb2.RetryInfo())
    assert retry.retry_delay.ToSeconds() == 365 * 24 * 3600


def test_a_text_that_becomes_no_request_is_a_call_and_holds_its_share(clock: Clock) -> None:
    account = acme(accounts_with(clock, acme=Quota(calls_per_s=2.0, queue_share=0.5)))
    with account.admit_text(400):
        with pytest.raises(QuotaExceededError, match="queue_share"), account.admit_text(200):
            pass
        with account.admit_request(100):
            pass
    with pytest.raises(ZeroDivisionError), account.admit_text(400):
        raise ZeroDivisionError
    for admit in (account.admit_text, account.admit_request):
        with pytest.raises(QuotaExceededError, match="calls_per_s"), admit(1):
            pass
    clock.now_s += 0.5
    with account.admit_text(600):
        pass


def test_tokens_are_paid_for_before_the_next_claim(clock: Clock) -> None:
    account = acme(accounts_with(clock, acme=Quota(tokens_per_s=100.0)))
    with account.admit(1):
        account.tenant.pay(600)
    with pytest.raises(QuotaExceededError) as caught, account.admit(1):
        pass
    assert caught.value.retry_s == pytest.approx(5.0)
    clock.now_s += 5.01
    with account.admit(1):
        pass


def test_a_tenant_has_the_weight_of_its_quota(clock: Clock) -> None:
    accounts = accounts_with(clock, acme=Quota(weight=3.0))
    assert acme(accounts).tenant.weight == 3.0
    assert accounts.of(Caller("zeta").owner).tenant.weight == 1.0


def test_other_quotas_hold_from_then_on_and_what_is_held_stays(clock: Clock) -> None:
    accounts = accounts_with(clock, acme=Quota())
    with acme(accounts).admit(60):
        accounts.configure(Quotas(by_name={"acme": Quota(queue_share=0.5)}))
        with pytest.raises(QuotaExceededError), acme(accounts).admit(1):
            pass
    with acme(accounts).admit(40):
        assert accounts.pending_claims()["acme"] == 40


def test_a_tenant_is_known_by_its_name_once_the_file_has_it(clock: Clock) -> None:
    accounts = accounts_with(clock)
    assert acme(accounts).label == OTHER
    accounts.configure(Quotas(by_name={"acme": Quota(weight=2.0)}))
    assert (acme(accounts).label, acme(accounts).tenant.weight) == ("acme", 2.0)


def test_what_was_counted_under_a_name_that_went_stays(clock: Clock) -> None:
    accounts = accounts_with(clock, acme=Quota())
    with acme(accounts).admit(5):
        pass
    accounts.configure(Quotas())
    with acme(accounts).admit(2):
        pass
    assert {label: totals.claims for label, totals in accounts.totals.items()} == {
        "acme": 5,
        OTHER: 2,
    }


def test_of_many_accounts_those_that_hold_nothing_are_dropped(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_ACCOUNTS", 3)
    accounts = accounts_with(clock, acme=Quota(calls_per_s=0.001))
    with acme(accounts).admit_request(1):
        for number in range(20):
            accounts.of(Caller(token=f"token {number}").owner)
        with pytest.raises(QuotaExceededError), acme(accounts).admit_request(1):
            pass
    assert len(accounts._accounts) == 3


def test_where_all_accounts_hold_places_one_more_is_kept(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_ACCOUNTS", 1)
    accounts = accounts_with(clock, acme=Quota())
    with acme(accounts).admit_request(1):
        zeta = accounts.of(Caller("zeta").owner)
        assert accounts.of(Caller("zeta").owner) is zeta


def test_what_the_full_server_refuses_costs_no_quota(clock: Clock) -> None:
    account = acme(accounts_with(clock, acme=Quota(calls_per_s=1.0, claims_per_s=1.0)))
    full = Admission(1, 1000, 1)
    with full.admit_request(1), full.admit(1):
        for _ in range(5):
            with pytest.raises(QueueFullError), account.admit_request(1, full.admit_request(1)):
                pass
            with pytest.raises(QueueFullError), account.admit(1, full.admit(1)):
                pass
    with account.admit_request(1, full.admit_request(1)), account.admit(1, full.admit(1)):
        assert account.claims == 1


@pytest.mark.parametrize("per_s", [10.0, 5.0])
def test_new_quotas_forgive_no_debt(clock: Clock, per_s: float) -> None:
    accounts = accounts_with(clock, acme=Quota(claims_per_s=10.0))
    with acme(accounts).admit(60):
        pass
    accounts.configure(Quotas(by_name={"acme": Quota(claims_per_s=per_s)}))
    with pytest.raises(QuotaExceededError) as caught, acme(accounts).admit(1):
        pass
    assert caught.value.retry_s == pytest.approx((50.0 + 1.0) / per_s)

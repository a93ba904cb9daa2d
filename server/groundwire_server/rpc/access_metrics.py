"""The instruments of access: what tenants use, failed logins, and files that are read again.

A tenant that the operator named is called by its name, all others together by one: no caller can
make a label. No token and no address of a peer leaves by it.
"""

from collections.abc import Iterable, Sequence

from opentelemetry.metrics import CallbackOptions, Meter, Observation

from groundwire_server.access.logins import Logins
from groundwire_server.access.rotation import Rotated
from groundwire_server.rpc.accounts import Accounts


def observe_tenants(meter: Meter, accounts: Accounts) -> None:
    """Show what each tenant has used, holds, and was refused, read when metrics are collected."""

    def claims(_: CallbackOptions) -> Iterable[Observation]:
        for label, totals in accounts.totals.items():
            yield Observation(totals.claims, {"tenant": label})

    def tokens(_: CallbackOptions) -> Iterable[Observation]:
        for label, totals in accounts.totals.items():
            yield Observation(totals.tokens, {"tenant": label})

    def refused(_: CallbackOptions) -> Iterable[Observation]:
        for label, totals in accounts.totals.items():
            for quota, count in totals.refused.items():
                yield Observation(count, {"tenant": label, "quota": quota})

    def pending(_: CallbackOptions) -> Iterable[Observation]:
        for label, count in accounts.pending_claims().items():
            yield Observation(count, {"tenant": label})

    meter.create_observable_counter(
        "groundwire.tenant.claims", [claims], "{claim}", "Claims that calls of a tenant brought."
    )
    meter.create_observable_counter(
        "groundwire.tenant.tokens", [tokens], "{token}", "Tokens that were computed for a tenant."
    )
    meter.create_observable_counter(
        "groundwire.tenant.refusals", [refused], "{refusal}", "Refusals of a tenant, by its quota."
    )
    meter.create_observable_gauge(
        "groundwire.tenant.pending.claims", [pending], "{claim}", "Claims that wait or run."
    )


def observe_logins(meter: Meter, logins: Logins) -> None:
    """Show how many calls came without a known token, by door."""

    def failed(_: CallbackOptions) -> Iterable[Observation]:
        for door in ("grpc", "http"):
            yield Observation(logins.failed[door], {"door": door})

    meter.create_observable_counter(
        "groundwire.logins.failed", [failed], "{call}", "Calls without a known token, by door."
    )


def observe_rotation(meter: Meter, rotated: Sequence[Rotated]) -> None:
    """Show how often files were read again, and which hold what cannot be used."""

    def reloads(_: CallbackOptions) -> Iterable[Observation]:
        for each in rotated:
            yield Observation(each.taken, {"files": each.name, "result": "taken"})
            yield Observation(each.refused, {"files": each.name, "result": "refused"})

    def stale(_: CallbackOptions) -> Iterable[Observation]:
        for each in rotated:
            yield Observation(int(each.is_stale), {"files": each.name})

    meter.create_observable_counter(
        "groundwire.reloads", [reloads], "{reload}", "Changed files that were taken, or refused."
    )
    meter.create_observable_gauge(
        "groundwire.files.stale", [stale], "",
        "1 while files hold what cannot be used, so that what was there before is in force.",
    )  # fmt: skip

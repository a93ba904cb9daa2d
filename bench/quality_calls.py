"""The calls of the quality bench, a few side by side, and what each said of its rows.

Knows the client. A call that fails leaves its rows in the result, with the error and no figures.
Does not know what figures are made of the rows.
"""

import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from bench.tools.common import say
from bench.tools.labelled import Call, Row
from groundwire import (
    Client,
    InvalidResponseError,
    RpcFailedError,
    UnavailableError,
    VerifiedClaim,
)

CALLS_IN_FLIGHT = 2
PROGRESS_EVERY_S = 10.0


@dataclass(frozen=True, slots=True)
class Figures:
    """What a row is and what was read for it; its texts are left out.

    `p1` and `p0` are None where there is no probability, and `error` says why its call failed.
    `raw_p1` is p1 before calibration.
    """

    id: str
    context: int
    supported: bool
    word_overlap: float
    p1: float | None = None
    p0: float | None = None
    raw_p1: float | None = None
    gap_bits: float | None = None
    label_mass_p1: float | None = None
    label_mass_p0: float | None = None
    verdict: str | None = None
    reason: str | None = None
    error: str | None = None

    @property
    def is_read(self) -> bool:
        """Whether both probabilities are there."""
        return self.p1 is not None and self.p0 is not None


def ask(client: Client, name: str, calls: Sequence[Call]) -> list[Figures]:
    """Make the calls of one set; the figures of all its rows, in the order of the calls.

    Once the server is gone, the calls that are left are not made and count as failed, too.
    """
    asker = _Asker(client, name, sum(len(call.rows) for call in calls))
    with ThreadPoolExecutor(CALLS_IN_FLIGHT) as threads:
        return [figures for found in threads.map(asker.ask, calls) for figures in found]


class _Asker:
    """Makes calls from several threads and tells how far it is."""

    def __init__(self, client: Client, name: str, rows: int) -> None:
        self._client = client
        self._name = name
        self._rows = rows
        self._lock = threading.Lock()
        self._gone: str | None = None
        self._done = self._failed = 0
        self._told_s = time.monotonic()

    def ask(self, call: Call) -> list[Figures]:
        """The figures of one call's rows."""
        error = self._gone
        verified: Sequence[VerifiedClaim | None] = [None] * len(call.rows)
        if error is None:
            try:
                verified = self._client.verify_claims(call.claims, call.evidence).claims
            except (RpcFailedError, InvalidResponseError) as failure:
                error = str(failure)
                if isinstance(failure, UnavailableError):
                    self._gone = f"not asked, since the server had gone: {error}"
        self._tell(len(call.rows), error is not None)
        pairs = zip(call.rows, verified, strict=True)
        return [figures_of(row, claim, error) for row, claim in pairs]

    def _tell(self, rows: int, failed: bool) -> None:
        with self._lock:
            self._done += rows
            self._failed += failed
            now_s = time.monotonic()
            if self._done == self._rows or now_s > self._told_s + PROGRESS_EVERY_S:
                self._told_s = now_s
                say(f"{self._name}: {self._done} of {self._rows} rows, {self._failed} failed calls")


def figures_of(row: Row, claim: VerifiedClaim | None, error: str | None) -> Figures:
    """The figures of a row, with its verified claim or with the error of its call."""
    bare = (row.id, row.context_number, row.supported, row.word_overlap)
    if claim is None:
        return Figures(*bare, error=error)
    return Figures(
        *bare,
        p1=claim.p1,
        p0=claim.p0,
        raw_p1=None if claim.posterior is None else claim.posterior.raw_probability,
        gap_bits=claim.gap_bits,
        label_mass_p1=None if claim.posterior is None else claim.posterior.label_mass,
        label_mass_p0=None if claim.prior is None else claim.prior.label_mass,
        verdict=claim.verdict.value,
        reason=claim.reason.value,
    )

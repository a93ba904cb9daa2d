"""A running server is asked about labelled rows; a row whose call fails says why."""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from groundwire import (
    AnswerReport,
    Client,
    InvalidRequestError,
    InvalidResponseError,
    NotEnabledError,
    RpcFailedError,
    ServerBusyError,
    ServerInfo,
    Source,
    UnauthenticatedError,
    UnavailableError,
    Verdict,
    VerifiedClaim,
    VerifyOptions,
)
from groundwire_server.batch.verifying import OF_THE_BACKEND, OF_THE_JOB, Patience, wanting
from groundwire_server.cli.evaluation.rows import LabelledRow
from groundwire_server.reports.content import SEVERITY


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a server said of a row.

    `verdict` and `reason` are empty where the call failed, and `error` says why. `p1` and `p0`, in
    [0, 1], are None where there is no probability. Those of an answer are of its claim with the
    least p1.
    """

    verdict: str = ""
    reason: str = ""
    p1: float | None = None
    p0: float | None = None
    error: str = ""

    @property
    def is_supported(self) -> bool:
        """Whether a program that acts on verdicts lets it pass."""
        return self.verdict == Verdict.SUPPORTED

    @property
    def failure(self) -> str:
        """Why there is no probability; empty where there is one."""
        if self.error:
            return self.error
        return f"{self.verdict}, {self.reason}" if self.p1 is None else ""


@dataclass(frozen=True, slots=True)
class Said:
    """What a server said of all rows, in their order, and how long each call took."""

    server: ServerInfo
    outcomes: tuple[Outcome, ...]
    seconds: tuple[float, ...]
    """Of each call that was answered, but for those whose readings were all remembered."""


def ask(
    client: Client,
    rows: Sequence[LabelledRow],
    options: VerifyOptions,
    parallel: int,
    advance: Callable[[int], None],
) -> Said:
    """Ask about all rows, `parallel` calls at one time; `advance` hears of each call's rows.

    Claims on the same evidence go into one call. Raises GroundwireError where no call can succeed,
    such as without a token.
    """
    info = client.server_info(backend=options.backend)
    asker = _Asker(client, options)
    outcomes: dict[int, Outcome] = {}

    def answered(call: list[int]) -> Iterable[tuple[int, Outcome]]:
        found = asker.ask([rows[i] for i in call])
        advance(len(call))
        return zip(call, found, strict=True)

    with ThreadPoolExecutor(parallel, thread_name_prefix="groundwire-evaluate") as pool:
        try:
            for found in pool.map(answered, _calls(rows, info.limits.max_claims)):
                outcomes.update(found)
        finally:
            asker.stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
    ordered = tuple(outcomes[i] for i in range(len(rows)))
    return Said(info, ordered, tuple(asker.seconds))


def _calls(rows: Sequence[LabelledRow], max_claims: int) -> list[list[int]]:
    """The indexes of the rows of each call, where the first row of its evidence stands."""
    groups: dict[object, list[int]] = {}
    for i, row in enumerate(rows):
        groups.setdefault(("answer", i) if row.answer else row.evidence_key, []).append(i)
    return [
        group[start : start + max_claims]
        for group in groups.values()
        for start in range(0, len(group), max_claims)
    ]


class _Asker:
    """Makes calls from several threads."""

    def __init__(self, client: Client, options: VerifyOptions) -> None:
        self._client = client
        self._options = options
        self._gone = ""
        self.stopped = threading.Event()
        self.seconds: list[float] = []

    def ask(self, rows: Sequence[LabelledRow]) -> list[Outcome]:
        """What the server says of the rows of one call.

        One text that is refused costs no other row: each is asked by itself then.
        """
        if self._gone:
            return [Outcome(error=self._gone)] * len(rows)
        try:
            return self._ask(rows)
        except (UnauthenticatedError, NotEnabledError):
            raise
        except InvalidRequestError as error:
            if error.reason in OF_THE_JOB:
                raise
            if len(rows) == 1:
                return [Outcome(error=str(error))]
            return [outcome for row in rows for outcome in self.ask([row])]
        except UnavailableError as error:
            if error.reason not in OF_THE_BACKEND:
                self._gone = f"not asked, since the server had gone: {error}"
            return [Outcome(error=str(error))] * len(rows)
        except (RpcFailedError, InvalidResponseError) as error:
            return [Outcome(error=str(error))] * len(rows)

    def _ask(self, rows: Sequence[LabelledRow]) -> list[Outcome]:
        patience = Patience(self.stopped)
        while True:
            began_s = time.perf_counter()
            try:
                found, claims = self._answers(rows)
            except ServerBusyError as error:
                patience.wait(error)
                continue
            took_s = time.perf_counter() - began_s
            # How long the server takes to remember says nothing of the model.
            if {each.posterior.source for each in claims if each.posterior} != {Source.CACHE}:
                self.seconds.append(took_s)
            return found

    def _answers(
        self, rows: Sequence[LabelledRow]
    ) -> tuple[list[Outcome], Sequence[VerifiedClaim]]:
        """What is said of the rows, and the claims that were asked about."""
        first = rows[0]
        if first.answer:
            report = self._client.verify_answer(
                first.answer, first.evidence, question=first.question, options=self._options
            )
            return [_of_answer(report)], report.claims
        claims = [row.claim_input for row in rows]
        found = self._client.verify_claims(claims, first.evidence, options=self._options)
        return [_of_claim(claim) for claim in found], found.claims


def _of_claim(claim: VerifiedClaim) -> Outcome:
    return Outcome(claim.verdict, claim.reason, claim.p1, claim.p0)


def _of_answer(report: AnswerReport) -> Outcome:
    """An answer is SUPPORTED where it is grounded; else it has the verdict of its gravest claim."""
    if problem := wanting(report):
        return Outcome(error=f"{problem['reason']}: {problem['message']}")
    claims = [report.claims[i] for i in report.summary.review_order] or report.claims
    gravest = max(claims, key=lambda claim: SEVERITY.index(claim.verdict))
    read = [claim for claim in claims if claim.p1 is not None]
    least = min(read, key=lambda claim: claim.p1 or 0.0, default=gravest)
    return Outcome(
        Verdict.SUPPORTED if report.overall_grounded else gravest.verdict,
        gravest.reason,
        least.p1,
        least.p0,
    )

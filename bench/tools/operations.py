"""What an agent waits for: one claim, a gate's decision, a submit and an audit of ten steps, timed
one call at a time, cold and warm.
"""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bench.tools.answers import Visit
from bench.tools.common import BenchError, markdown_table, nearest_rank, target_s
from groundwire import Client, Document, Evidence, UnverifiableReason, VerificationState

SERVER_FLAGS = (
    "--memory-gate-enabled",
    "--trace-auditing-enabled",
    "--output-verification-enabled",
)
COLD, WARM = "cold", "warm"
STEPS = 10
Check = Callable[[], float]
_END_OF_CLAIM = re.compile(r"(?<=\]\.) ")


@dataclass(frozen=True, slots=True)
class Operation:
    """A call of one kind. `target_s` is what it may take at the p95, in seconds."""

    name: str
    target_s: float
    call: Callable[[Client, Sequence[Document], Sequence[str]], Check]
    """Makes the call on sources and claims on them. What it returns is done after the clock has
    stopped: it tells the share of claims that was read, and raises BenchError where nothing was."""


@dataclass(frozen=True, slots=True)
class OperationCell:
    """All calls of one operation that were cold, or warm; `read` is the share of claims read."""

    operation: str
    kind: str
    n: int
    p50_s: float
    p95_s: float
    target_s: float
    is_within_target: bool
    read: float


def _one_claim(client: Client, sources: Sequence[Document], claims: Sequence[str]) -> Check:
    (verdict,) = client.verify_claims(claims[:1], Evidence.documents(sources))

    def check() -> float:
        if verdict.p1 is None or verdict.p0 is None:
            raise BenchError(f"a claim was not read: {verdict.reason_text}")
        return 1.0

    return check


def _gate(client: Client, sources: Sequence[Document], claims: Sequence[str]) -> Check:
    result = client.check_facts(claims, Evidence.documents(sources))

    def check() -> float:
        # A decision comes in 2 s, whatever was read by then.
        read = sum(fact.p1 is not None for fact in result)
        if not read:
            raise BenchError(f"no fact was read: {result[0].reason_text}")
        return read / len(result)

    return check


def _submit(client: Client, sources: Sequence[Document], claims: Sequence[str]) -> Check:
    sent = client.submit_verification(" ".join(claims), documents=sources)

    def check() -> float:
        # Nothing else is to be timed while this is read.
        *_, last = client.watch_verification(sent.id)
        if last.state is not VerificationState.DONE:
            raise BenchError(f"an output was not verified: {last.state_text}")
        return 1.0

    return check


def _audit(client: Client, sources: Sequence[Document], claims: Sequence[str]) -> Check:
    audit = client.audit_trace(claims, Evidence.documents(sources))

    def check() -> float:
        if len(audit) != STEPS:
            raise BenchError(f"{len(audit)} steps were audited and not {STEPS}")
        for step in audit:
            if step.unverifiable_reason is UnverifiableReason.OUT_OF_TIME:
                raise BenchError(f"a step was not read: {step.reason_text}")
        return 1.0

    return check


OPERATIONS = (
    Operation("one claim", 0.5, _one_claim),
    Operation("ten facts at the gate", 2.0, _gate),
    Operation("submit", 0.02, _submit),
    Operation("audit of ten steps", target_s(STEPS), _audit),
)


def measure(
    client: Client, next_visit: Callable[[], Visit], repeats: int
) -> tuple[OperationCell, ...]:
    """Time each operation so often on sources that the server never saw, and on them again.

    The visits may be those that were made before.

    Raises BenchError where a call did not do its work.
    """
    taken: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for number in range(repeats + 1):
        visit = next_visit()
        for operation in OPERATIONS:
            # The data does not last for sources of their own; another first title makes them new.
            named = f"{operation.name}, {number}"
            sources = [
                replace(source, title=f"{named}: {source.title}") for source in visit.sources
            ]
            for kind, answer in zip((COLD, WARM), visit.answers, strict=True):
                claims = _END_OF_CLAIM.split(answer)
                began_s = time.perf_counter()
                check = operation.call(client, sources, claims)
                elapsed_s = time.perf_counter() - began_s
                read = check()
                # The first calls of a server are slower; they are not counted.
                if number:
                    taken.setdefault((operation.name, kind), []).append((elapsed_s, read))
    return tuple(
        _cell(operation, kind, taken[operation.name, kind])
        for operation in OPERATIONS
        for kind in (COLD, WARM)
    )


def _cell(operation: Operation, kind: str, taken: Sequence[tuple[float, float]]) -> OperationCell:
    taken_s = [elapsed_s for elapsed_s, _ in taken]
    p95_s = nearest_rank(taken_s, 0.95)
    return OperationCell(
        operation=operation.name,
        kind=kind,
        n=len(taken_s),
        p50_s=nearest_rank(taken_s, 0.5),
        p95_s=p95_s,
        target_s=operation.target_s,
        is_within_target=p95_s <= operation.target_s,
        read=sum(read for _, read in taken) / len(taken),
    )


def table(cells: Sequence[OperationCell]) -> str:
    """The cells as markdown, in milliseconds."""
    return markdown_table(
        ["operation", "sources", "target", "p50", "p95", "n", "p95 within target", "claims read"],
        [
            [
                cell.operation,
                cell.kind,
                *(f"{1000 * s:,.0f}" for s in (cell.target_s, cell.p50_s, cell.p95_s)),
                str(cell.n),
                "yes" if cell.is_within_target else "**no**",
                f"{cell.read:.0%}",
            ]
            for cell in cells
        ],
    )

"""In front of a store of facts: only what passes the gate is written, and nothing holds it up.

    gate = MemoryGate(client)
    written = gate.write(facts, store=save, evidence="The bridge opened in 1932.")

What goes wrong with the verification is logged and never raised: facts that nobody could check are
stored with a reduced confidence, or skipped, as the caller chooses. A request that is wrong is no
such failure: its facts are rejected, since a bad one would open the gate for the others. Errors of
the store are the caller's own and pass through.
"""

import inspect
import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from groundwire._wire.settings import checked_timeout_s
from groundwire.async_client import AsyncClient
from groundwire.client import Client
from groundwire.errors import (
    ConfigurationError,
    GroundwireError,
    InvalidRequestError,
    ResourceExhaustedError,
    error_kind,
)
from groundwire.facts import (
    CheckedFact,
    FactInput,
    GateDecision,
    GateReason,
    GateResult,
    raise_if_any,
)
from groundwire.inputs import Evidence

log = logging.getLogger("groundwire")

DEFAULT_GATE_TIMEOUT_S = 2.5
"""The server decides within 2 s; the rest is for the way there and back."""

PLAIN_CONFIDENCE = 0.95
"""What a fact counts as stated with that states nothing, where no server says otherwise."""


@dataclass(frozen=True, slots=True)
class WrittenFacts:
    """What became of the facts of one write."""

    stored: tuple[CheckedFact, ...]
    """What the store was called for, in order."""
    rejected: tuple[CheckedFact, ...]
    """What the gate rejected."""
    skipped: tuple[CheckedFact, ...]
    """What nobody could verify, where the gate does not store that."""

    def raise_if_rejected(self) -> None:
        """Raises FactNotGroundedError, with all rejected facts, if there is any."""
        raise_if_any(self.rejected)


@dataclass(frozen=True, slots=True)
class _Rules:
    """What a gate does with facts that nobody could verify."""

    timeout_s: float
    store_unverified: bool
    unverified_factor: float

    def __post_init__(self) -> None:
        checked_timeout_s(self.timeout_s)
        if not 0.0 <= self.unverified_factor <= 1.0:
            raise ConfigurationError(
                f"unverified_factor must be in [0, 1], not {self.unverified_factor!r}"
            )

    def without_answer(
        self, facts: Iterable[str | FactInput], error: GroundwireError
    ) -> GateResult:
        """The decisions where a call failed. The log gets the kind of the error, and no text."""
        given = [FactInput(fact) if isinstance(fact, str) else fact for fact in facts]
        kind = error_kind(error)
        # What is too large is wrong, too, and can be made so by whoever wrote the evidence.
        if isinstance(error, InvalidRequestError | ResourceExhaustedError):
            log.error("%d facts rejected, since their request is refused: %s", len(given), kind)
            decision, reason = GateDecision.REJECTED, GateReason.INVALID_REQUEST
            text, factor = f"the request is refused: {kind}", 0.0
        else:
            log.warning("%d facts are unverified: %s", len(given), kind)
            decision, reason = GateDecision.ACCEPTED_UNVERIFIED, GateReason.NO_ANSWER
            factor = self.unverified_factor
            text = f"no decision came: {kind}; unverified, with {factor:g} times its confidence"
        return GateResult(
            tuple(_undecided(fact, decision, reason, text, factor) for fact in given), run=None
        )

    def sort(self, result: GateResult) -> WrittenFacts:
        """What is to become of the facts."""
        stored: list[CheckedFact] = []
        skipped: list[CheckedFact] = []
        for fact in result.accepted:
            unverified = fact.decision is GateDecision.ACCEPTED_UNVERIFIED
            (skipped if unverified and not self.store_unverified else stored).append(fact)
        return WrittenFacts(tuple(stored), result.rejected, tuple(skipped))


class MemoryGate:
    """Checks facts before a store is called for them. Threads may share it."""

    def __init__(
        self,
        client: Client,
        *,
        timeout_s: float = DEFAULT_GATE_TIMEOUT_S,
        store_unverified: bool = True,
        unverified_factor: float = 0.5,
    ) -> None:
        """Makes a gate of a client, which stays the caller's to close.

        Args:
            client: what asks the server.
            timeout_s: the most that a check may take, in seconds; above 0.
            store_unverified: store facts that nobody could verify, whoever decided so; False:
                they are skipped.
            unverified_factor: in [0, 1]; what the stated confidence of a fact is multiplied with
                if the call fails. Where the server answers, its own setting counts.

        Raises:
            ConfigurationError: an argument cannot be used.
        """
        self._client = client
        self._rules = _Rules(timeout_s, store_unverified, unverified_factor)

    def check(
        self, facts: Iterable[str | FactInput], evidence: Evidence | str | None = None
    ) -> GateResult:
        """As `Client.check_facts`, and a call that fails has decisions, too."""
        given = _given(facts)
        try:
            return self._client.check_facts(given, evidence, timeout_s=self._rules.timeout_s)
        except GroundwireError as error:
            return self._rules.without_answer(given, error)

    def write(
        self,
        facts: Iterable[str | FactInput],
        store: Callable[[CheckedFact], object],
        evidence: Evidence | str | None = None,
    ) -> WrittenFacts:
        """Checks facts, and calls `store` for each that passes, in order.

        `CheckedFact.confidence` is what to store it with, and `is_verified` whether it is to be
        marked. What `store` raises ends the write and passes through.
        """
        written = self._rules.sort(self.check(facts, evidence))
        for fact in written.stored:
            store(fact)
        return written


class AsyncMemoryGate:
    """The same for asyncio."""

    def __init__(
        self,
        client: AsyncClient,
        *,
        timeout_s: float = DEFAULT_GATE_TIMEOUT_S,
        store_unverified: bool = True,
        unverified_factor: float = 0.5,
    ) -> None:
        """As `MemoryGate`."""
        self._client = client
        self._rules = _Rules(timeout_s, store_unverified, unverified_factor)

    async def check(
        self, facts: Iterable[str | FactInput], evidence: Evidence | str | None = None
    ) -> GateResult:
        """As `MemoryGate.check`."""
        given = _given(facts)
        try:
            return await self._client.check_facts(given, evidence, timeout_s=self._rules.timeout_s)
        except GroundwireError as error:
            return self._rules.without_answer(given, error)

    async def write(
        self,
        facts: Iterable[str | FactInput],
        store: Callable[[CheckedFact], Awaitable[object] | object],
        evidence: Evidence | str | None = None,
    ) -> WrittenFacts:
        """As `MemoryGate.write`; what `store` returns is awaited where it can be."""
        written = self._rules.sort(await self.check(facts, evidence))
        for fact in written.stored:
            done = store(fact)
            if inspect.isawaitable(done):
                await done
        return written


def _given(facts: Iterable[str | FactInput]) -> list[str | FactInput]:
    """The facts as a list, which can be read twice. One str is left to the client to refuse."""
    if isinstance(facts, str):
        raise TypeError("facts must be many facts, not one: pass a list with one fact")
    return list(facts)


def _undecided(
    fact: FactInput, decision: GateDecision, reason: GateReason, text: str, factor: float
) -> CheckedFact:
    stated = PLAIN_CONFIDENCE if fact.confidence is None else fact.confidence
    # Nobody has checked it; written so that NaN is none.
    stated = stated if 0.0 <= stated <= 1.0 else 0.0
    return CheckedFact(
        id=fact.id,
        text=fact.text,
        decision=decision,
        reason=reason,
        reason_text=text,
        confidence=stated * factor,
        stated_confidence=stated,
        claim=None,
    )

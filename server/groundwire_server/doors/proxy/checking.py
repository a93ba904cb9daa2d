"""Asks the Groundwire server whether a reply is grounded, and makes the report on it."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from enum import StrEnum

from groundwire import (
    AnswerClaim,
    AnswerReport,
    AsyncClient,
    DraftSettled,
    DraftVerdict,
    ErrorReason,
    Evidence,
    ExtractOptions,
    GroundwireError,
    RpcFailedError,
    VerifyOptions,
)
from groundwire.attempts import attempted_async
from groundwire_server.doors.chatbot.shape import checked_correction, hallucination_check
from groundwire_server.doors.proxy.grounds import Grounds
from groundwire_server.doors.proxy.replies import Hidden, Json, Reply, withheld
from groundwire_verifier.domain.checks import has_visible_character

KEEP_ALIVE_S = 30.0
"""How often the server hears of a text that does not go on: it gives one up after 120 s."""

LONGEST_S = 3600.0
"""How long a text may take to be written; the server's own limit is lower."""


class Draft:
    """One text. The server reads the evidence while the text is still to come."""

    def __init__(
        self,
        client: AsyncClient,
        asked: Grounds,
        options: VerifyOptions,
        moved: Callable[[], None],
    ) -> None:
        """Begins at once. `moved` is called when more of the text is settled."""
        self.settled = 0
        """How much of the text is verified, in characters."""
        self.characters = 0
        """How much of the text has come."""
        self._claims: dict[int, AnswerClaim] = {}
        self._pieces: asyncio.Queue[str | None] = asyncio.Queue()
        self._moved = moved
        self._verifying = asyncio.create_task(self._verify(client, asked, options))
        # Whoever asks for the report hears of an error; nobody need ask.
        self._verifying.add_done_callback(lambda task: task.cancelled() or task.exception())

    def add(self, text: str) -> None:
        """The next characters."""
        self.characters += len(text)
        self._pieces.put_nowait(text)

    def hidden(self, text: str) -> Sequence[Hidden]:
        """What of the settled text is not grounded. `text` is all that has come."""
        return withheld(self._claims.values(), text)

    async def report(self) -> AnswerReport:
        """The report on the text, which is whole. Raises what the client raises."""
        self._pieces.put_nowait(None)
        return await self._verifying

    async def close(self) -> None:
        """Give it up."""
        self._verifying.cancel()
        await asyncio.wait((self._verifying,))

    async def _verify(
        self, client: AsyncClient, asked: Grounds, options: VerifyOptions
    ) -> AnswerReport:
        events = client.verify_draft(
            self._text(),
            Evidence.documents(asked.documents),
            question=asked.question,
            turns=asked.turns,
            extract=ExtractOptions(known_ids=asked.unread),
            options=options,
            timeout_s=LONGEST_S,
        )
        async with aclosing(events):
            async for event in events:
                if isinstance(event, AnswerReport):
                    return event
                if isinstance(event, DraftVerdict):
                    self._claims[event.index] = event.claim
                elif isinstance(event, DraftSettled):
                    self.settled = event.characters
                    self._moved()
        raise AssertionError("a draft without an error ends with its report")

    async def _text(self) -> AsyncGenerator[str]:
        while True:
            piece: str | None = ""
            with contextlib.suppress(TimeoutError):
                piece = await asyncio.wait_for(self._pieces.get(), KEEP_ALIVE_S)
            if piece is None:
                return
            yield piece


MAX_CHOICES = 8
"""The most choices of a reply that are verified."""


class Status(StrEnum):
    """What is known of a choice, or of all of them."""

    GROUNDED = "GROUNDED"
    """The server calls it grounded."""
    NOT_GROUNDED = "NOT_GROUNDED"
    """It was verified, and is not."""
    NO_EVIDENCE = "NO_EVIDENCE"
    """The request holds nothing to judge it by."""
    NO_TEXT = "NO_TEXT"
    """It says nothing: it calls tools, or refuses."""
    UNCHECKED = "UNCHECKED"
    """It could not be verified."""


_WORST_FIRST = (
    Status.UNCHECKED,
    Status.NOT_GROUNDED,
    Status.NO_EVIDENCE,
    Status.GROUNDED,
)


class Fault(StrEnum):
    """Why a reply is UNCHECKED, where the reason is not the server's."""

    TOO_MANY_CHOICES = "TOO_MANY_CHOICES"
    """The choice is beyond the first MAX_CHOICES."""
    UPSTREAM_CUT_OFF = "UPSTREAM_CUT_OFF"
    """The upstream ended its stream before the reply was whole."""
    UPSTREAM_STALLED = "UPSTREAM_STALLED"
    """The upstream fell silent."""
    UPSTREAM_UNREADABLE = "UPSTREAM_UNREADABLE"
    """What the upstream sent is not a chat completion, or too long to be read."""


@dataclass(frozen=True, slots=True)
class CheckedChoice:
    """What is known of one choice."""

    index: int
    status: Status
    reason: str | None = None
    """Why it is UNCHECKED: a Fault or a reason of the server's; else None."""
    text: str = ""
    """What was verified."""
    report: AnswerReport | None = None
    """The server's report; None: there is none."""
    hidden: Sequence[Hidden] = ()
    """What of the text is known not to be grounded."""

    def as_json(self) -> Json:
        """The report that the client gets."""
        report = self.report
        check = None if report is None else hallucination_check(self.text, report)
        correction = None if report is None else checked_correction(self.text, report)
        return {
            "index": self.index,
            "status": self.status,
            "reason": self.reason,
            "warning": report.warning or None if report else None,
            "detection_id": report.detection_id if report else None,
            "hallucination_check": None if check is None else check.model_dump(mode="json"),
            "correction": None if correction is None else correction.model_dump(mode="json"),
        }


@dataclass(frozen=True, slots=True)
class Checked:
    """What is known of a reply."""

    choices: tuple[CheckedChoice, ...]
    fault: Fault | None = None
    """What befell the reply as a whole; None: it came whole."""

    @property
    def status(self) -> Status:
        """The worst of its choices, of which those without text do not count."""
        if self.fault is not None:
            return Status.UNCHECKED
        found = {each.status for each in self.choices}
        return next((status for status in _WORST_FIRST if status in found), Status.NO_TEXT)

    @property
    def reason(self) -> str | None:
        """Why it is UNCHECKED; None: it is not."""
        if self.fault is not None:
            return self.fault
        return next((each.reason for each in self.choices if each.reason is not None), None)

    def as_json(self) -> Json:
        """The field `groundwire` of a reply."""
        return {
            "status": self.status,
            "grounded": self.status is Status.GROUNDED,
            "reason": self.reason,
            "choices": [each.as_json() for each in self.choices],
        }

    def hidden(self) -> Mapping[int, Sequence[Hidden]]:
        """What of each choice is known not to be grounded."""
        return {each.index: each.hidden for each in self.choices}


class Checking:
    """Checks one reply, as it comes or when it is there. Leave it with `async with`."""

    def __init__(
        self,
        client: AsyncClient,
        asked: Grounds,
        options: VerifyOptions,
        timeout_s: float,
        *,
        corrects: bool,
    ) -> None:
        """`timeout_s` is how long it may take from the end of the reply.

        If it `corrects`, a reply that is not grounded is put right as well.
        """
        self._client = client
        self._asked = asked
        self._options = options
        self._timeout_s = timeout_s
        self._corrects = corrects
        self._drafts: dict[int, Draft] = {}
        self.moved = asyncio.Event()
        """Set when more is settled; whoever waits for it clears it."""

    async def __aenter__(self) -> "Checking":
        return self

    async def __aexit__(self, *_: object) -> None:
        for draft in self._drafts.values():
            await draft.close()

    @property
    def has_evidence(self) -> bool:
        """Whether there is anything to judge a reply by."""
        return bool(self._asked.documents)

    def expect(self, choice: int) -> None:
        """Have a choice verified while it comes, if it can be."""
        if self.has_evidence and choice not in self._drafts and len(self._drafts) < MAX_CHOICES:
            self._drafts[choice] = Draft(self._client, self._asked, self._options, self.moved.set)

    def add(self, choice: int, text: str) -> None:
        """The next characters of a choice."""
        self.expect(choice)
        if choice in self._drafts:
            self._drafts[choice].add(text)

    def settled(self, choice: int) -> int:
        """How many characters of a choice are verified."""
        return self._drafts[choice].settled if choice in self._drafts else 0

    def hidden(self, choice: int, text: str) -> Sequence[Hidden]:
        """What of its settled characters is not grounded. `text` is all that has come of it."""
        return self._drafts[choice].hidden(text) if choice in self._drafts else ()

    async def result(self, reply: Reply, fault: Fault | None) -> Checked:
        """What is known of a reply that has ended. It never raises: what fails is UNCHECKED."""
        choices = enumerate(reply.choices)
        found = [self._choice(place, index, reply.text(index)) for place, index in choices]
        return Checked(tuple(await asyncio.gather(*found)), fault)

    async def _choice(self, place: int, index: int, text: str) -> CheckedChoice:
        if not has_visible_character(text):
            return CheckedChoice(index, Status.NO_TEXT)
        if not self.has_evidence:
            return CheckedChoice(index, Status.NO_EVIDENCE)
        if place >= MAX_CHOICES:
            return CheckedChoice(index, Status.UNCHECKED, Fault.TOO_MANY_CHOICES)
        attempt = await attempted_async(self._report, index, text)
        if attempt.result is None:
            # What was found on the way stays found.
            hidden = self.hidden(index, text)
            return CheckedChoice(index, Status.UNCHECKED, _reason(attempt.error), hidden=hidden)
        is_grounded = attempt.result.overall_grounded
        status = Status.GROUNDED if is_grounded else Status.NOT_GROUNDED
        hidden = withheld(attempt.result.claims, text, attempt.result.correction)
        return CheckedChoice(index, status, None, text, attempt.result, hidden)

    async def _report(self, index: int, text: str) -> AnswerReport:
        loop = asyncio.get_running_loop()
        until_s = loop.time() + self._timeout_s
        drafted: AnswerReport | None = None
        try:
            async with asyncio.timeout_at(until_s):
                draft = self._drafts.get(index)
                # It has nothing of a reply that did not come as the stream that was asked for.
                if draft is not None and draft.characters == len(text):
                    # A long text may outlive the server's limit of a call, and one more call is
                    # cheap: what the draft has read is known.
                    with contextlib.suppress(GroundwireError):
                        drafted = await draft.report()
                if drafted is not None and not (self._corrects and withheld(drafted, text)):
                    return drafted
                return await self._client.verify_answer(
                    text,
                    Evidence.documents(self._asked.documents),
                    question=self._asked.question,
                    turns=self._asked.turns,
                    extract=ExtractOptions(known_ids=self._asked.unread),
                    options=self._options,
                    correct=self._corrects,
                    # So that the server ends in time with what it knows by then.
                    timeout_s=until_s - loop.time(),
                )
        except (GroundwireError, TimeoutError):
            if drafted is None:
                raise
            return drafted


def _reason(error: Exception | None) -> str:
    """The server's reason, or the kind of the error. No text: it could be anybody's."""
    if isinstance(error, RpcFailedError):
        return error.reason or error.code.name
    return (
        ErrorReason.DEADLINE_EXCEEDED if isinstance(error, TimeoutError) else type(error).__name__
    )

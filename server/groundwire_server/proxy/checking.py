"""Whether a reply is grounded, as the Groundwire server has it, and what is told of it."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from groundwire import AnswerReport, AsyncClient, Evidence, RpcFailedError, Span
from groundwire.attempts import attempted_async
from groundwire_server.http.chatbot.shape import hallucination_check
from groundwire_server.proxy.grounds import Grounds
from groundwire_server.proxy.replies import Json, Reply, withheld
from groundwire_verifier.domain.checks import has_visible_character

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

    @property
    def hidden(self) -> Sequence[Span]:
        """What of the text is not grounded."""
        return withheld(self.report, self.text) if self.report is not None else ()

    def as_json(self) -> Json:
        """What a client is told of it."""
        report = self.report
        check = None if report is None else hallucination_check(self.text, report)
        return {
            "index": self.index,
            "status": self.status,
            "reason": self.reason,
            "warning": report.warning or None if report else None,
            "detection_id": report.detection_id if report else None,
            "hallucination_check": None if check is None else check.model_dump(mode="json"),
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

    def hidden(self) -> Mapping[int, Sequence[Span]]:
        """What of each choice is not grounded."""
        return {each.index: each.hidden for each in self.choices}


async def check(
    client: AsyncClient, asked: Grounds, reply: Reply, fault: Fault | None = None
) -> Checked:
    """Verify all choices beside each other. It never raises: what fails is UNCHECKED."""
    found = await asyncio.gather(
        *(
            _check_choice(client, asked, index, reply.text(index))
            if place < MAX_CHOICES
            else _too_many(index)
            for place, index in enumerate(reply.choices)
        )
    )
    return Checked(tuple(found), fault)


async def _check_choice(
    client: AsyncClient, asked: Grounds, index: int, text: str
) -> CheckedChoice:
    if not has_visible_character(text):
        return CheckedChoice(index, Status.NO_TEXT)
    if not asked.documents:
        return CheckedChoice(index, Status.NO_EVIDENCE)
    attempt = await attempted_async(
        client.verify_answer,
        text,
        Evidence.documents(asked.documents),
        question=asked.question,
        turns=asked.turns,
    )
    if attempt.result is None:
        return CheckedChoice(index, Status.UNCHECKED, _reason(attempt.error))
    is_grounded = attempt.result.overall_grounded
    status = Status.GROUNDED if is_grounded else Status.NOT_GROUNDED
    return CheckedChoice(index, status, None, text, attempt.result)


async def _too_many(index: int) -> CheckedChoice:
    return CheckedChoice(index, Status.UNCHECKED, Fault.TOO_MANY_CHOICES)


def _reason(error: Exception | None) -> str:
    """The server's reason, or the kind of the error. No text: it could be anybody's."""
    if isinstance(error, RpcFailedError):
        return error.reason or error.code.name
    return type(error).__name__

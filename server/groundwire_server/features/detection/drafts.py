"""Answers that are verified while they are being written.

The text so far is looked at whenever it has grown by enough. What is read for one look is
remembered for the next, so that the report, which is made as that of any answer, reads only what is
new.
"""

import asyncio
import functools
import re
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire_server.features.detection import detection_messages as messages
from groundwire_server.features.detection import detection_requests as requests
from groundwire_server.features.detection.answering import Answering
from groundwire_server.features.detection.parts import Parts
from groundwire_server.rpc.admission import QueueFullError
from groundwire_server.rpc.status import MalformedRequestError
from groundwire_verifier.checks.answers import AnswerClaims, AnswerInput, check_draft
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.claims import Claim
from groundwire_verifier.domain.errors import DeadlineUnreachableError, InvalidReason, Violation
from groundwire_verifier.domain.tasks import retrieve
from groundwire_verifier.verdicts.questions import ClaimTask
from groundwire_verifier.verdicts.types import (
    SKIPPED,
    UNREAD,
    AnswerClaim,
    ClaimVerdict,
    Reason,
    Verdict,
)
from groundwire_verifier.verification import VerificationInput

START = "start.request"
READ_AHEAD = "The evidence is here."
"""A claim that is asked so that the evidence is in the engine's cache."""

LEAST_GROWTH = 1 / 64
"""The share by which a text grows before it is looked at again, so that all looks together cost no
more than so many at the end. It matters from some 5,000 characters on."""

_MAY_END = re.compile(r"[^\w\s,'\u2019\"-]|\n")
"""What stands at or behind the end of each sentence: a text without it is not looked at."""

LEAST_COUNTED = 3
"""How many claims a share of grounded ones needs."""


@dataclass(frozen=True, slots=True)
class _Start:
    """How a draft is verified. `answer` has no text yet."""

    request: pb.VerifyAnswerRequest
    answer: AnswerInput
    skip_result_cache: bool
    stops_at_contradicted: bool
    min_share_grounded: float | None


@dataclass(frozen=True, slots=True)
class _Look:
    """The claims of the text so far that are complete, each with its index; `tasks` are those that
    are read. Nobody has been told of it yet."""

    characters: int
    claims: tuple[tuple[int, AnswerClaim], ...]
    tasks: Mapping[int, ClaimTask]


class Drafts:
    """Verifies drafts with `parts`, and reports on them as `answering` does on answers."""

    def __init__(self, parts: Parts, answering: Answering) -> None:
        self._parts = parts
        self._answering = answering

    async def verify(
        self, pieces: AsyncIterator[pb.VerifyDraftRequest]
    ) -> AsyncGenerator[pb.VerifyDraftResponse]:
        """All that is known of a draft, as it gets known.

        Raises InvalidInputError, MalformedRequestError for pieces that are not in their order, and
        what a call of VerifyAnswer does.
        """
        self._parts.calls.admission.let_in()
        start = self._start(await anext(pieces))
        answering = self._answering.remembering(skip_result_cache=start.skip_result_cache)
        draft = _Draft(self._parts, answering, start)
        await draft.read_ahead()
        yield pb.VerifyDraftResponse(ready=pb.DraftReady())
        received = asyncio.create_task(draft.receive(pieces))
        received.add_done_callback(draft.wake)
        look: asyncio.Task[_Look | None] | None = None
        tasks: set[asyncio.Task[object]] = {received}
        try:
            while await draft.grows(received):
                look = asyncio.create_task(draft.look())
                look.add_done_callback(retrieve)
                tasks.add(look)
                await asyncio.wait((look, received), return_when=asyncio.FIRST_COMPLETED)
                if not look.done():
                    # The end has come: the report reads the rest, together with this look.
                    received.result()
                    break
                tasks.discard(look)
                for response in draft.told(look.result()):
                    yield response
            async for response in draft.finish(look):
                yield response
        finally:
            for task in tasks:
                task.cancel()
            # Places are given back when the work has really ended.
            await asyncio.wait(tasks)

    def _start(self, first: pb.VerifyDraftRequest) -> _Start:
        if first.WhichOneof("piece") != "start":
            raise MalformedRequestError("start", "is not the first piece: send it before any text")
        start, verifier = first.start, self._parts.verifier
        answer = requests.answer_input(start.request, self._parts.defaults, verifier, START)
        refused = {
            "answer": ("send it as text, piece by piece", start.request.answer),
            "corpus": ("send the evidence", start.request.corpus),
        }
        checks.raise_any(
            [
                Violation(
                    f"{START}.{field}", InvalidReason.INVALID_OPTION, f"must be empty here: {fix}"
                )
                for field, (fix, value) in refused.items()
                if value
            ]
        )
        share = start.min_share_grounded if start.HasField("min_share_grounded") else None
        if share is not None:
            checks.raise_any(checks.shares({"start.min_share_grounded": share}))
        check_draft(answer, verifier.limits, verifier.backends)
        self._parts.finder.asks_model(start.request.extract, f"{START}.extract")
        # What this call remembers is its own, and is no result cache.
        options = replace(answer.options, skip_result_cache=False)
        return _Start(
            start.request,
            replace(answer, options=options, answer_field="text"),
            answer.options.skip_result_cache,
            start.stop_at_contradicted,
            share,
        )


class _Draft:
    """One draft: its text so far, and what is known of its claims."""

    def __init__(self, parts: Parts, answering: Answering, start: _Start) -> None:
        self._parts = parts
        self._answering = answering
        self._start = start
        self._pieces: list[str] = []
        self._characters = 0
        self._looked_at = 0
        self._may_end = False
        self._woken = asyncio.Event()
        self._settled = 0
        self._known: dict[ClaimTask, ClaimVerdict] = {}
        self._sent: dict[int, tuple[Claim, ClaimTask | None, Verdict, Reason]] = {}
        self._stopped = False

    async def read_ahead(self) -> None:
        """Have the evidence read. Raises InvalidInputError if it cannot be."""
        answer = self._start.answer
        options = answer.options
        task = ClaimTask(
            READ_AHEAD,
            (),
            options.thresholds.default_confidence,
            options.confidence_source,
            language="en",
        )
        fields = f"{START}.evidence", f"{START}.options"
        batch = VerificationInput((task,), answer.evidence.build(), options, *fields)
        async with self._answering.planned(batch, self._parts.calls.arrival(), 1) as planned:
            await self._answering.read_ahead(planned)

    async def receive(self, pieces: AsyncIterator[pb.VerifyDraftRequest]) -> None:
        """Take the text as it comes, to its end. Raises as `Drafts.verify`."""
        most = self._parts.verifier.limits.text_characters
        async for piece in pieces:
            match piece.WhichOneof("piece"):
                case "end":
                    return
                case "text" if piece.text:
                    self._pieces.append(piece.text)
                    self._characters += len(piece.text)
                    self._may_end = self._may_end or bool(_MAY_END.search(piece.text))
                case "text":
                    continue
                case "start":
                    raise MalformedRequestError("start", "comes a second time: send it once")
                case _:
                    raise MalformedRequestError("piece", "is not set: send text or end")
            if self._characters > most:
                words = checks.too_long(self._characters, most, "characters", "the answer")
                checks.raise_any([Violation("text", InvalidReason.TEXT_TOO_LONG, words)])
            self._woken.set()
        words = "did not come, so nobody knows whether the text is whole: send it behind the text"
        raise MalformedRequestError("end", words)

    def wake(self, _: object) -> None:
        """Have `grows` look again."""
        self._woken.set()

    async def grows(self, received: "asyncio.Task[None]") -> bool:
        """Wait until there is enough text to look at; False at the end, or once it has stopped.

        Raises what `receive` does.
        """
        while not (self._stopped or received.done()):
            if self._may_end and self._characters > self._looked_at * (1 + LEAST_GROWTH):
                return True
            self._woken.clear()
            await self._woken.wait()
        if not self._stopped:
            received.result()
        return False

    def _so_far(self) -> AnswerInput:
        self._pieces = ["".join(self._pieces)]
        self._looked_at = self._characters
        return replace(self._start.answer, answer=self._pieces[0])

    async def look(self) -> _Look | None:
        """Verify the claims that are complete by now; None where there is nothing new.

        Where the server has no room or no time now, it waits for as long as the server asks for,
        so that the next look, which then needs no more text, comes no sooner.
        """
        answer, finder = self._so_far(), self._parts.finder
        complete = await finder.complete_characters(answer)
        if complete <= self._settled:
            return None
        chosen, batch = await finder.choose_so_far(answer)
        tasks = {
            index: task
            for index, task in zip(chosen.indexes, chosen.tasks, strict=True)
            if chosen.claims[index].claim.span.end <= complete
        }
        asked = tuple(dict.fromkeys(tasks.values()))
        if not self._known.keys() >= set(asked):
            options = replace(batch.options, explain=False)
            try:
                # With those that are known: which passages a claim is read with depends on all.
                await self._read(replace(batch, tasks=asked, options=options))
            except (QueueFullError, DeadlineUnreachableError) as error:
                if error.retry_s is not None:
                    await asyncio.sleep(error.retry_s)
                    self._looked_at = 0
                return None
        claims = enumerate(_judged(chosen, tasks, self._known))
        whole = tuple((i, each) for i, each in claims if each.claim.span.end <= complete)
        return _Look(complete, whole, tasks)

    def told(self, look: _Look | None) -> list[pb.VerifyDraftResponse]:
        """What a look has found that was not sent before."""
        if look is None:
            return []
        told = self._changed(look.claims, look.tasks)
        if all(each.verdict is not None for _, each in look.claims):
            self._settled = look.characters
            rest = "".join(self._pieces)[look.characters :]
            self._may_end = bool(_MAY_END.search(rest))
            told.append(_settled(look.characters))
        if (stop := self._stop(look.claims)) is not None:
            self._stopped = True
            told.append(pb.VerifyDraftResponse(stop=stop))
        return told

    async def _read(self, batch: VerificationInput) -> None:
        arrival, count = self._parts.calls.arrival(), len(batch.tasks)
        planned = self._answering.planned(batch, arrival, count, remembered=self._known)
        async with planned as plan:
            # Nothing is explained before the report.
            done = await self._answering.read(plan, [])
        verdicts = zip(batch.tasks, done.verdicts, strict=True)
        self._known |= {task: each for task, each in verdicts if each.reason not in UNREAD}

    async def finish(
        self, look: "asyncio.Task[_Look | None] | None"
    ) -> AsyncIterator[pb.VerifyDraftResponse]:
        """The report on the text, behind what is new in it; the last look may still go on."""
        call = self._parts.calls.detecting("VerifyDraft")
        if self._stopped:
            answer = replace(self._start.answer, answer=self._pieces[0])
        else:
            answer = self._so_far()
        request = pb.VerifyAnswerRequest()
        request.CopyFrom(self._start.request)
        request.answer = answer.answer
        read = functools.partial(
            self._answering.answered, answer, request, call.arrival, self._known
        )
        try:
            answered = await read()
        except QueueFullError:
            if look is None or look.done():
                raise
            # The places that are missing may be those of its own look.
            await asyncio.wait((look,))
            answered = await read()
        if not self._stopped:
            found, verdicts = answered.found, answered.verification.verdicts
            tasks = dict(zip(found.indexes, found.tasks, strict=True))
            known = dict(zip(found.tasks, verdicts, strict=True))
            for response in self._changed(tuple(enumerate(_judged(found, tasks, known))), tasks):
                yield response
            yield _settled(len(answer.answer))
        report = self._answering.report(call, request, answered)
        yield pb.VerifyDraftResponse(report=report)

    def _changed(
        self, claims: Sequence[tuple[int, AnswerClaim]], tasks: Mapping[int, ClaimTask]
    ) -> list[pb.VerifyDraftResponse]:
        """What has not been sent yet of claims that have a verdict, each with its index."""
        told = []
        for index, each in claims:
            if each.verdict is None:
                continue
            # How its readings came, and their last digits, are no news.
            now = each.claim, tasks.get(index), each.verdict.verdict, each.verdict.reason
            if self._sent.get(index) != now:
                self._sent[index] = now
                verdict = pb.DraftVerdict(index=index, claim=messages.answer_claim(each))
                told.append(pb.VerifyDraftResponse(verdict=verdict))
        return told

    def _stop(self, claims: Sequence[tuple[int, AnswerClaim]]) -> pb.DraftStop | None:
        counted = [
            (index, each.verdict)
            for index, each in claims
            if each.verdict is not None and each.verdict.reason not in SKIPPED
        ]
        contradicted = [i for i, each in counted if each.verdict is Verdict.CONTRADICTED]
        ungrounded = [i for i, each in counted if not each.grounded]
        share = self._start.min_share_grounded
        if self._start.stops_at_contradicted and contradicted:
            reason, index = pb.DRAFT_STOP_REASON_CONTRADICTED, contradicted[0]
        elif (
            share is not None
            and len(counted) >= LEAST_COUNTED
            and len(counted) - len(ungrounded) < share * len(counted)
        ):
            reason, index = pb.DRAFT_STOP_REASON_SHARE_GROUNDED, ungrounded[-1]
        else:
            return None
        return pb.DraftStop(reason=reason, index=index, characters=self._looked_at)


def _settled(characters: int) -> pb.VerifyDraftResponse:
    return pb.VerifyDraftResponse(settled=pb.DraftSettled(characters=characters))


def _judged(
    found: AnswerClaims,
    tasks: Mapping[int, ClaimTask],
    known: Mapping[ClaimTask, ClaimVerdict],
) -> list[AnswerClaim]:
    """The claims with the verdicts that are known; `tasks` are those that are read."""
    return [
        replace(each, verdict=known.get(tasks[i])) if i in tasks else each
        for i, each in enumerate(found.claims)
    ]

"""The call that verifies an answer while it is being written."""

from collections.abc import Iterable

from groundwire._calls.answers import answer_request, read_answer_claims, read_report
from groundwire._wire.calls import TalkCall
from groundwire._wire.fields import checked_text, require
from groundwire._wire.reading import read
from groundwire.errors import InvalidResponseError
from groundwire.inputs import Evidence, ExtractOptions, VerifyOptions
from groundwire.outputs import Turn
from groundwire.reports import (
    AnswerReport,
    DraftEvent,
    DraftSettled,
    DraftStop,
    DraftVerdict,
)
from groundwire.v1 import hallucination_detection_pb2 as pb


def verify_draft(
    evidence: Evidence | str,
    question: str,
    extract: ExtractOptions | None,
    options: VerifyOptions | None,
    *,
    language: str = "",
    turns: Iterable[Turn] = (),
    correct: bool = False,
    stop_at_contradicted: bool = False,
    min_share_grounded: float | None = None,
) -> TalkCall[pb.VerifyDraftResponse, DraftEvent]:
    """What is known of a draft. Raises as `extract_claims`."""
    request = answer_request(
        "start.request.",
        "",
        evidence,
        question=question,
        extract=extract,
        options=options,
        language=language,
        turns=turns,
        correct=correct,
    )
    start = pb.DraftStart(
        request=request,
        stop_at_contradicted=stop_at_contradicted,
        min_share_grounded=min_share_grounded,
    )
    return TalkCall(
        "HallucinationDetection/VerifyDraft",
        pb.VerifyDraftRequest(start=start),
        pb.VerifyDraftResponse,
        _Draft,
    )


class _Draft:
    """The pieces of one draft, and what is known of it. The report is kept until the call is over.

    No span may reach beyond what was sent.
    """

    def __init__(self) -> None:
        self._sent = 0
        self._stop: DraftStop | None = None
        self._report: AnswerReport | None = None

    def piece(self, text: str) -> pb.VerifyDraftRequest:
        """The request with the next piece."""
        request = pb.VerifyDraftRequest(text=checked_text("text", text))
        self._sent += len(text)
        return request

    def whole(self) -> pb.VerifyDraftRequest:
        """The request that says that the text is whole."""
        return pb.VerifyDraftRequest(end=pb.DraftEnd())

    def read(
        self, response: pb.VerifyDraftResponse
    ) -> tuple[DraftVerdict | DraftSettled | DraftStop, ...]:
        """Reads the next response. The report gives no event: `end` returns it."""
        if self._report is not None:
            raise InvalidResponseError("the stream goes on after its report")
        match response.WhichOneof("event"):
            case "ready":
                return ()
            case "verdict":
                require(response.verdict, "claim")
                (claim,) = read_answer_claims([response.verdict.claim], self._sent)
                return (DraftVerdict(_index(response.verdict.index), claim),)
            case "settled":
                return (DraftSettled(self._characters(response.settled.characters)),)
            case "stop":
                self._stop = self._stopped(response.stop)
                return (self._stop,)
            case "report":
                on = self._sent if self._stop is None else self._stop.characters
                self._report = read_report(response.report, on)
                return ()
        raise InvalidResponseError("a piece of the stream without an event")

    @property
    def is_over(self) -> bool:
        """Whether the report was read."""
        return self._report is not None

    def end(self) -> tuple[AnswerReport]:
        """The report of a call that is over."""
        if self._report is None:
            raise InvalidResponseError("the stream ended without a report")
        return (self._report,)

    def _stopped(self, message: pb.DraftStop) -> DraftStop:
        if self._stop is not None:
            raise InvalidResponseError("the draft stops twice")
        _index(message.index)
        self._characters(message.characters)
        return read(DraftStop, message)

    def _characters(self, characters: int) -> int:
        if not 0 <= characters <= self._sent:
            raise InvalidResponseError(f"{characters} characters of a text of {self._sent}")
        return characters


def _index(index: int) -> int:
    if index < 0:
        raise InvalidResponseError(f"a verdict of claim {index}")
    return index

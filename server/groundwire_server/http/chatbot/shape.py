"""The chatbot's shape: what it sends of an answer, and what it is told of each claim.

Knows the JSON of both, and how a report of the server becomes it. Decides nothing: what is
grounded, how much of an answer is, and every warning are the server's. docs/chatbot.md says more.
"""

from pydantic import BaseModel, ConfigDict, Field

from groundwire import AnswerClaim, AnswerReport, DerivedValue, Document, VerdictReason

LEFT_OUT = frozenset({VerdictReason.NON_ASSERTIVE, VerdictReason.TOO_SHORT})
"""Reasons of claims that are none to a chatbot, such as a greeting: the warning counts them."""

_SHAPE = ConfigDict(extra="forbid", strict=True, frozen=True, use_attribute_docstrings=True)


class CheckedSource(BaseModel):
    """A source that an answer was given."""

    model_config = _SHAPE

    id: str
    """The id by which the answer cites it, such as S0: [S0]."""
    text: str
    """Its text."""
    title: str | None = None
    """Its title; null or left out: it has none."""


class HallucinationCheckRequest(BaseModel):
    """Check an answer claim by claim against the sources that it was given. What could not be
    verified is not grounded. With `text/html` first in the header Accept the answer is the report
    as a page."""

    model_config = _SHAPE

    answer: str
    """The answer, with its citations."""
    sources: tuple[CheckedSource, ...]
    """The sources, at least one, each with an id of its own."""
    question: str | None = None
    """The question that was answered; null or left out: claims are read by themselves."""
    language: str | None = None
    """The language of all warnings, en or he; null or left out: that of the answer."""


class CheckedClaim(BaseModel):
    """What is known of one claim. It has a warning exactly if it is not grounded."""

    model_config = _SHAPE

    text: str
    """The claim as a sentence of its own."""
    citing: tuple[str, ...]
    """The ids that it cites, whether there are such sources or not."""
    p1: float | None = Field(ge=0, le=1)
    """The probability that it is true with all sources; null: it was not read."""
    p0: float | None = Field(ge=0, le=1)
    """The same without the sources that it cites, or without any if it cites none; null: it was
    not read."""
    confidence: float | None = Field(ge=0, le=1)
    """The grounding score; null exactly if p1 or p0 is."""
    grounded: bool
    """Whether it is grounded in the sources. What was not read, cites a source that is not there,
    or could not be judged is not."""
    warning: str | None
    """What to tell the reader of it; null exactly if it is grounded."""
    unstated_values: tuple[str, ...]
    """Its numbers, amounts, dates and times that the sources it cites, or all if it cites none, do
    not state. They decide nothing."""
    derived_values: tuple[DerivedValue, ...]
    """Those that follow from what these sources state, such as a sum. They decide nothing."""


class HallucinationCheck(BaseModel):
    """What is known of an answer."""

    model_config = _SHAPE

    overall_grounded: bool
    """Whether at least one claim is grounded, the ratio is at least the server's
    min_grounded_ratio, and no claim was left unread."""
    abstained: bool
    """Whether the answer says that the sources do not answer, and nothing else that counts. It is
    not grounded, and nothing in it is made up."""
    grounded_claims: int = Field(ge=0)
    """Claims that are grounded."""
    total_claims: int = Field(ge=0)
    """Claims that count: those listed, less those that were left unread."""
    grounding_ratio: float | None = Field(ge=0, le=1)
    """grounded_claims / total_claims; null where no claim counts."""
    claims: tuple[CheckedClaim, ...]
    """The claims of the answer, in its order, without what asserts nothing or is too short."""


class HallucinationCheckResponse(BaseModel):
    """An answer that was checked, whatever was found."""

    model_config = _SHAPE

    success: bool = Field(default=True, json_schema_extra={"const": True})
    """True: the check was done. What it found stands below."""
    response: str
    """The answer, as it was sent."""
    sources: tuple[CheckedSource, ...]
    """The sources, as they were sent."""
    hallucination_check: HallucinationCheck
    """What is known of the answer."""
    warning: str | None
    """What to tell the reader of the answer as a whole; null: all of it was verified and is
    grounded."""


class FieldFault(BaseModel):
    """A field of the request, and what is wrong with it."""

    model_config = _SHAPE

    field: str
    """The field, such as sources[1].id; empty: the body as a whole."""
    message: str
    """What is wrong with it, and how to mend it."""


class CheckError(BaseModel):
    """Why an answer was not checked."""

    model_config = _SHAPE

    reason: str
    """A name of groundwire.v1.ErrorReason without its prefix, such as INVALID_SOURCE."""
    message: str
    """The same in words."""
    field: str | None
    """The first field that is wrong; null: none is."""
    fields: tuple[FieldFault, ...]
    """Every field that is wrong, as far as the server looked."""
    retry_after_s: float | None
    """After how many seconds to try again; null: nobody knows."""


class HallucinationCheckFailure(BaseModel):
    """An answer that was not checked: nothing is known of it, and nothing of it is grounded."""

    model_config = _SHAPE

    success: bool = Field(default=False, json_schema_extra={"const": False})
    """False: there is no check."""
    error: CheckError
    """Why."""


def documents(request: HallucinationCheckRequest) -> tuple[Document, ...]:
    """The sources of a request, in its order."""
    return tuple(Document(each.id, each.text, each.title or "") for each in request.sources)


def checked_response(
    request: HallucinationCheckRequest, report: AnswerReport
) -> HallucinationCheckResponse:
    """What a chatbot is told of an answer that the server has reported on."""
    summary = report.summary
    return HallucinationCheckResponse(
        response=request.answer,
        sources=request.sources,
        hallucination_check=HallucinationCheck(
            overall_grounded=summary.overall_grounded,
            abstained=summary.abstained,
            grounded_claims=summary.grounded_claims,
            total_claims=summary.total_claims,
            grounding_ratio=summary.grounding_ratio if summary.total_claims else None,
            claims=tuple(_claim(each) for each in report.claims if each.reason not in LEFT_OUT),
        ),
        warning=summary.warning or None,
    )


def _claim(claim: AnswerClaim) -> CheckedClaim:
    return CheckedClaim(
        text=claim.content,
        citing=claim.cited_ids,
        p1=claim.p1,
        p0=claim.p0,
        confidence=claim.grounding_score,
        grounded=claim.grounded,
        warning=claim.warning or None,
        unstated_values=claim.unstated_values,
        derived_values=claim.derived_values,
    )

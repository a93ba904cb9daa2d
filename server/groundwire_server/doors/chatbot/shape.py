"""The chatbot's shape: what it sends of an answer, and what it is told of each claim.

What is grounded and every warning are the server's; docs/doors.md#a-chatbots-check says more.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from groundwire import (
    AnswerClaim,
    AnswerReport,
    Claim,
    DecidingPassage,
    DerivedValue,
    Document,
    ExtractResult,
    Policy,
    Span,
    Strictness,
    Turn,
    TurnRole,
    Verdict,
    VerdictReason,
    VerifyOptions,
)
from groundwire_verifier.domain.checks import has_visible_character
from groundwire_verifier.verdicts.explanations import warnings_in
from groundwire_verifier.verdicts.options import MAX_ID_CHARACTERS

LEFT_OUT = frozenset({VerdictReason.NON_ASSERTIVE, VerdictReason.TOO_SHORT})
"""Reasons of claims that are none to a chatbot, such as a greeting: the warning counts them."""

NO_SOURCES = "NO_SOURCES"
"""The reason of claims that there is nothing to read with."""

MAX_CLAIMS, MIN_CLAIM_CHARACTERS = 10, 15
"""The most claims of an answer that are verified, and the fewest characters of one, by default."""

_MAX_INT32 = 2**31 - 1

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


def _in_lower_case(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


_Name = BeforeValidator(_in_lower_case)


class CheckOptions(BaseModel):
    """How an answer is checked. What is null or left out is as it says."""

    model_config = _SHAPE

    policy: Annotated[Literal["grounding_score", "budget"] | None, _Name] = None
    """The rule for "grounded"; null: grounding_score, by which `confidence` is what decides."""
    strictness: Annotated[Literal["balanced", "strict", "lenient"] | None, _Name] = None
    """How sure a claim has to be; null: the server's. It counts with the policy budget."""
    max_claims: int | None = Field(default=None, ge=1, le=_MAX_INT32)
    """The most claims that are verified; the rest is listed as not checked, and the answer is then
    not grounded. null: 10."""
    max_contradicted: int | None = Field(default=None, ge=0, le=_MAX_INT32)
    """The most contradicted claims with which an answer is still grounded; null: the server's, by
    default any number."""
    split_long_context: bool | None = None
    """Whether long sources are read in chunks; false: what is too long for the model is read by the
    passages that can matter. null: true."""
    explain: bool | None = None
    """Whether each claim says why it has its verdict. null: true for the report as a page, else
    false."""
    correct: bool | None = None
    """Whether a corrected answer is suggested, which takes more time. It changes no verdict. null:
    false."""


class SaidBefore(BaseModel):
    """A turn of the conversation before the answer. It is evidence for nothing."""

    model_config = _SHAPE

    role: Literal["system", "user", "assistant", "tool"]
    """Who speaks."""
    text: str
    """What is said."""


class HallucinationCheckRequest(BaseModel):
    """Check an answer claim by claim against the sources that it was given. What could not be
    verified is not grounded. With `text/html` first in the header Accept the answer is the report
    as a page, and with `text/event-stream` the verdicts as they come."""

    model_config = _SHAPE

    answer: str
    """The answer, with its citations."""
    sources: tuple[CheckedSource, ...]
    """The sources, each with an id of its own. One without a visible character is skipped, and
    named in the response; what cites it is not grounded. Without any nothing is grounded."""
    question: str | None = None
    """The question that was answered; null or left out: claims are read by themselves."""
    turns: tuple[SaidBefore, ...] | None = None
    """The conversation before the answer, in its order. A question that goes on with the one before
    is read with it; without a question a claim that begins with a pronoun, and a short answer, are
    read with the user's last turn. Null or left out: none."""
    language: str | None = None
    """The language of all warnings, en or he; null or left out: that of the answer."""
    options: CheckOptions | None = None
    """How it is checked; null or left out: as the requirement of a chatbot has it."""


class CheckedPassage(BaseModel):
    """A sentence of a source that decides a claim, or says otherwise."""

    model_config = _SHAPE

    source_id: str
    """The id of the source."""
    text: str
    """The sentence."""
    start: int = Field(ge=0)
    """Where it begins in the source's text, in code points, from 0."""
    end: int = Field(ge=0)
    """Where it ends: the code point after the last one."""
    relation: str
    """SUPPORTS or CONTRADICTS."""
    probability: float | None = Field(ge=0, le=1)
    """The probability of the claim with this sentence alone; null: there is none."""


class CheckedConflict(CheckedPassage):
    """A sentence of another source that says otherwise than a claim which is SUPPORTED."""

    newer_id: str
    """The id of the newer source, this one or that of the first deciding passage; empty: not
    known."""


class UnsupportedWords(BaseModel):
    """Words of a claim that the sources do not bear out."""

    model_config = _SHAPE

    kind: str | None
    """What they are, such as NUMBER; null: the claim as a whole, of which nothing could be singled
    out."""
    start: int = Field(ge=0)
    """Where they begin in the answer, in code points, from 0."""
    end: int = Field(ge=0)
    """Where they end: the code point after the last one."""
    start_utf16: int = Field(ge=0)
    """The same as `start` in units of UTF-16."""
    end_utf16: int = Field(ge=0)
    """The same as `end`."""


class ClaimExplanation(BaseModel):
    """Why a claim has its verdict. It changes none."""

    model_config = _SHAPE

    deciding_passages: tuple[CheckedPassage, ...]
    """Sentences of the sources that decide it, the surest first."""
    unsupported: tuple[UnsupportedWords, ...]
    """The words that the sources do not bear out, in the order of the answer."""
    conflicts: tuple[CheckedConflict, ...]
    """Sentences of other sources that say otherwise, though it is SUPPORTED, or another source
    states it."""
    complete: bool
    """Whether all of it was read before the time or the 64 readings of an answer ended."""


class CheckedClaim(BaseModel):
    """What is known of one claim. It has a warning exactly if it is not grounded."""

    model_config = _SHAPE

    text: str
    """The claim as a sentence of its own."""
    start: int = Field(ge=0)
    """Where its own characters begin in the answer, in code points, from 0."""
    end: int = Field(ge=0)
    """Where they end: the code point after the last one."""
    start_utf16: int = Field(ge=0)
    """The same as `start` in units of UTF-16, as JavaScript, Java and C# count."""
    end_utf16: int = Field(ge=0)
    """The same as `end`."""
    citing: tuple[str, ...]
    """The ids that it cites, whether there are such sources or not."""
    p1: float | None = Field(ge=0, le=1)
    """The probability that it is true with all sources; null: it was not read."""
    p0: float | None = Field(ge=0, le=1)
    """The same without the sources that it cites, or without any if it cites none; null: it was
    not read."""
    confidence: float | None = Field(ge=0, le=1)
    """The grounding score, from p1 and p0; where other sources say the same as those it cites, from
    these alone and from none. null exactly if p1 or p0 is."""
    verdict: str
    """The verdict, such as SUPPORTED; docs/verdicts.md has all of them."""
    reason: str
    """How it came about, such as SCORE_REACHED; NO_SOURCES where there was nothing to read."""
    carried_by: tuple[str, ...]
    """The ids of the sources that carry it: those that a grounded claim cites, together, and others
    that do so alone. Empty: none is known to, or it is grounded without citing."""
    grounded: bool
    """Whether it is grounded in the sources. What was not read, cites a source that is not there,
    or could not be judged is not."""
    warning: str | None
    """What to tell the reader of it; null exactly if it is grounded."""
    unstated_values: tuple[str, ...]
    """Its numbers, amounts, dates and times that the sources it cites, or all if it cites none, do
    not state, which decide nothing; before them its flags, parameters, paths and versions of code
    that these do not have, by which it is not grounded."""
    derived_values: tuple[DerivedValue, ...]
    """Those that follow from what these sources state, such as a sum. They decide nothing."""
    explanation: ClaimExplanation | None
    """Why it has this verdict; null: it was not asked for, or the claim was not read."""


class HallucinationCheck(BaseModel):
    """What is known of an answer."""

    model_config = _SHAPE

    overall_grounded: bool
    """Whether at least one claim is grounded, the ratio is at least the server's
    min_grounded_ratio, by default 0.7, no more are contradicted than may be, and no claim was left
    unread."""
    complete: bool
    """Whether no claim was left unread: beyond max_claims, out of time, or since the engine
    failed."""
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


class CheckedEdit(BaseModel):
    """One change of an answer."""

    model_config = _SHAPE

    claim: int = Field(ge=0)
    """The claim that it corrects, by its index in `hallucination_check.claims`."""
    kind: str
    """What it does, such as VALUE_REPLACED; docs/verdicts.md has all of them."""
    start: int = Field(ge=0)
    """Where what it replaces begins in the answer, in code points, from 0."""
    end: int = Field(ge=0)
    """Where that ends: the code point after the last one."""
    start_utf16: int = Field(ge=0)
    """The same as `start` in units of UTF-16."""
    end_utf16: int = Field(ge=0)
    """The same as `end`."""
    replacement: str
    """What stands there instead; empty: nothing."""
    source_id: str
    """The id of the source that carries it; empty: something is left out."""
    probability: float | None = Field(ge=0, le=1)
    """The probability of the claim with this edit; null: its sentence is left out."""


class CheckedCorrection(BaseModel):
    """An answer put right, as far as its sources say how."""

    model_config = _SHAPE

    corrected_answer: str
    """The answer with all edits made; empty: nothing of it could stay."""
    edits: tuple[CheckedEdit, ...]
    """In the order of the answer, without overlap. Empty: no claim that was read had to be
    corrected."""
    overall_grounded: bool | None
    """Whether the corrected answer is grounded, verified as the answer was; null: it was not
    verified, since the time ended or the engine failed."""
    untried_claims: tuple[int, ...]
    """The claims for which not all was tried before the time or the readings ended, by their index
    in `hallucination_check.claims`."""


class HallucinationCheckResponse(BaseModel):
    """An answer that was checked, whatever was found."""

    model_config = _SHAPE

    success: bool = Field(default=True, json_schema_extra={"const": True})
    """True: the check was done. What it found stands below."""
    response: str
    """The answer, as it was sent."""
    sources: tuple[CheckedSource, ...]
    """The sources, as they were sent."""
    skipped_sources: tuple[str, ...]
    """The ids of those that have no visible character, and were left out."""
    hallucination_check: HallucinationCheck
    """What is known of the answer."""
    correction: CheckedCorrection | None
    """The answer put right; null: it was not asked for, or there is no source to read."""
    warning: str | None
    """What to tell the reader of the answer as a whole; null: all of it was verified and is
    grounded, in a language that the model's card covers."""


class FieldFault(BaseModel):
    """A field of the request, and what is wrong with it."""

    model_config = _SHAPE

    field: str
    """The field, such as sources[1].id; empty: the body as a whole."""
    message: str
    """What is wrong with it, and how to fix it."""


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


@dataclass(frozen=True, slots=True)
class Utf16:
    """Where the characters of a text stand that are two units of UTF-16."""

    wide: Sequence[int]

    @classmethod
    def of(cls, text: str) -> "Utf16":
        return cls([i for i, character in enumerate(text) if character > "\uffff"])

    def unit(self, place: int) -> int:
        """The units before a code point."""
        return place + bisect_left(self.wide, place)


def read_places(request: HallucinationCheckRequest) -> tuple[int, ...]:
    """The indexes of the sources that there is something to read in."""
    return tuple(i for i, each in enumerate(request.sources) if has_visible_character(each.text))


def documents(request: HallucinationCheckRequest) -> tuple[Document, ...]:
    """The sources of a request, in its order."""
    return tuple(Document(each.id, each.text, each.title or "") for each in request.sources)


def verify_options(request: HallucinationCheckRequest, most_claims: int) -> VerifyOptions:
    """How the server is to verify, which takes at most so many claims."""
    chosen = request.options or CheckOptions()
    return VerifyOptions(
        policy=Policy((chosen.policy or "grounding_score").upper()),
        strictness=Strictness(chosen.strictness.upper()) if chosen.strictness else None,
        max_claims=chosen.max_claims or min(MAX_CLAIMS, most_claims),
        max_contradicted=chosen.max_contradicted,
        min_claim_characters=MIN_CLAIM_CHARACTERS,
        split_long_context=chosen.split_long_context is not False,
        explain=chosen.explain is True,
    )


def turns(request: HallucinationCheckRequest) -> tuple[Turn, ...]:
    """The conversation of a request, in its order."""
    return tuple(Turn(TurnRole(each.role.upper()), each.text) for each in request.turns or ())


def checked_response(
    request: HallucinationCheckRequest, report: AnswerReport
) -> HallucinationCheckResponse:
    """What a chatbot is told of an answer that the server has reported on."""
    is_explained = request.options is not None and request.options.explain is True
    return HallucinationCheckResponse(
        response=request.answer,
        sources=request.sources,
        skipped_sources=_skipped(request),
        hallucination_check=hallucination_check(request.answer, report, is_explained=is_explained),
        correction=checked_correction(request.answer, report),
        warning=report.warning or None,
    )


def hallucination_check(
    answer: str, report: AnswerReport, *, is_explained: bool = False
) -> HallucinationCheck:
    """What is known of an answer that the server has reported on."""
    summary, units = report.summary, Utf16.of(answer)
    return HallucinationCheck(
        overall_grounded=summary.overall_grounded,
        complete=summary.complete,
        abstained=summary.abstained,
        grounded_claims=summary.grounded_claims,
        total_claims=summary.total_claims,
        grounding_ratio=summary.grounding_ratio if summary.total_claims else None,
        claims=tuple(
            _claim(report.claims[i], units, is_explained=is_explained) for i in _listed(report)
        ),
    )


def _listed(report: AnswerReport) -> tuple[int, ...]:
    """The indexes of the claims that the response shows."""
    return tuple(i for i, each in enumerate(report.claims) if each.reason not in LEFT_OUT)


def checked_correction(answer: str, report: AnswerReport) -> CheckedCorrection | None:
    """The answer put right; None: the report has no correction."""
    correction = report.correction
    if correction is None:
        return None
    units, summary = Utf16.of(answer), correction.summary
    # Claims that are not listed were not read, and what was not read is not corrected.
    own = {index: place for place, index in enumerate(_listed(report))}
    return CheckedCorrection(
        corrected_answer=correction.corrected_answer,
        edits=tuple(
            CheckedEdit(
                claim=own[each.claim_index],
                kind=each.kind.value,
                **_places(each.span, units),
                replacement=each.replacement,
                source_id=each.source_id,
                probability=each.probability,
            )
            for each in correction.edits
        ),
        overall_grounded=summary.overall_grounded if summary else None,
        untried_claims=tuple(own[index] for index in correction.untried_claims),
    )


def response_without_sources(
    request: HallucinationCheckRequest, found: ExtractResult
) -> HallucinationCheckResponse:
    """The response to an answer without sources. None of its claims is grounded."""
    units = Utf16.of(request.answer)
    claims = [each for each in found.claims if each.non_assertive_reason is None]
    words = warnings_in(request.language or found.language)
    return HallucinationCheckResponse(
        response=request.answer,
        sources=request.sources,
        skipped_sources=_skipped(request),
        hallucination_check=HallucinationCheck(
            overall_grounded=False,
            complete=True,
            abstained=False,
            grounded_claims=0,
            total_claims=len(claims),
            grounding_ratio=0.0 if claims else None,
            claims=tuple(_unread(each, request.language, units) for each in claims),
        ),
        correction=None,
        warning=words.answer_without_claims,
    )


def _skipped(request: HallucinationCheckRequest) -> tuple[str, ...]:
    read = set(read_places(request))
    return tuple(each.id for i, each in enumerate(request.sources) if i not in read)


def unread_names(sources: Iterable[Document]) -> tuple[str, ...]:
    """The ids and titles of those sources that there is nothing to read in, which cite all the
    same. A title that another source has, too, is that one's."""
    ids: list[str] = []
    blank: list[str] = []
    titles: set[str] = set()
    for each in sources:
        title = each.title.strip()
        if has_visible_character(each.text):
            titles.add(title.casefold())
        else:
            ids.append(each.id.strip())
            blank.append(title)
    own = [title for title in blank if title.casefold() not in titles]
    names = dict.fromkeys([*ids, *own])
    return tuple(name for name in names if 0 < len(name) <= MAX_ID_CHARACTERS)


def _unread(claim: Claim, language: str | None, units: Utf16) -> CheckedClaim:
    words = warnings_in(language or claim.language)
    return CheckedClaim(
        text=claim.content,
        **_places(claim.span, units),
        citing=claim.cited_ids,
        p1=None,
        p0=None,
        confidence=None,
        verdict=Verdict.NOT_VERIFIED.value,
        reason=NO_SOURCES,
        carried_by=(),
        grounded=False,
        warning=words.not_verified,
        unstated_values=(),
        derived_values=(),
        explanation=None,
    )


def _places(span: Span, units: Utf16) -> dict[str, int]:
    return {
        "start": span.start,
        "end": span.end,
        "start_utf16": units.unit(span.start),
        "end_utf16": units.unit(span.end),
    }


def _explanation(claim: AnswerClaim, units: Utf16) -> ClaimExplanation:
    return ClaimExplanation(
        deciding_passages=tuple(map(_passage, claim.deciding_passages)),
        unsupported=tuple(
            UnsupportedWords(
                kind=None if each.kind is None else each.kind.value, **_places(each.span, units)
            )
            for each in claim.unsupported_spans
        ),
        conflicts=tuple(
            CheckedConflict(**dict(_passage(each.passage)), newer_id=each.newer_id)
            for each in claim.conflicts
        ),
        complete=claim.explained,
    )


def _passage(passage: DecidingPassage) -> CheckedPassage:
    return CheckedPassage(
        source_id=passage.source_id,
        text=passage.text,
        start=passage.span.start,
        end=passage.span.end,
        relation=passage.relation.value,
        probability=passage.probability,
    )


def _claim(claim: AnswerClaim, units: Utf16, *, is_explained: bool) -> CheckedClaim:
    is_read = claim.posterior is not None
    return CheckedClaim(
        text=claim.content,
        **_places(claim.span, units),
        citing=claim.cited_ids,
        p1=claim.p1,
        p0=claim.p0,
        confidence=claim.grounding_score,
        verdict=claim.verdict.value,
        reason=claim.reason.value,
        carried_by=(*(claim.cited_ids if claim.grounded else ()), *claim.carried_by),
        grounded=claim.grounded,
        warning=claim.warning or None,
        unstated_values=claim.unstated_values,
        derived_values=claim.derived_values,
        explanation=_explanation(claim, units) if is_explained and is_read else None,
    )

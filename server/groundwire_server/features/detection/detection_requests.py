"""Requests of the HallucinationDetection service as inputs of the use cases."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from enum import Enum
from typing import TypeVar

from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper

from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1 import verifier_backend_pb2 as backend_pb
from groundwire_server.features.detection.messages import prefix_of
from groundwire_verifier.checks.answers import AnswerInput
from groundwire_verifier.checks.outputs.conversation import Role, Turn
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.claims import (
    BracketStyle,
    CitationSyntax,
    ClaimOptions,
    ConfidenceSource,
    Span,
)
from groundwire_verifier.domain.errors import InvalidReason, Violation
from groundwire_verifier.domain.evidence import Document, SourceRange
from groundwire_verifier.domain.types import Limits
from groundwire_verifier.numbers.calibration import Calibration, Strictness
from groundwire_verifier.text.claims.wording.sentence import language_of
from groundwire_verifier.verdicts.options import (
    EvidenceInput,
    Read,
    VerifyOptions,
    check_cited_ids,
    check_evidence,
    check_options,
)
from groundwire_verifier.verdicts.policy import Policy, Thresholds
from groundwire_verifier.verdicts.questions import ClaimTask
from groundwire_verifier.verification import VerificationInput, Verifier

Choice = TypeVar("Choice", bound=Enum)


Defaults = Callable[[Calibration | None, Strictness | None], VerifyOptions]
"""What a request gets that chooses nothing but a strictness, from a model calibrated so."""


def answer_input(
    request: pb.VerifyAnswerRequest, defaults: Defaults, verifier: Verifier, field: str
) -> AnswerInput:
    """An answer to verify; `field` is where the request itself stands. Raises InvalidInputError."""
    at = f"{field}." if field else ""
    options = verify_options(request.options, defaults, verifier, f"{at}options")
    return AnswerInput(
        answer=request.answer,
        evidence=evidence_input(request.evidence, f"{at}evidence"),
        question=request.question,
        extract=extract_options(request.extract, f"{at}extract"),
        options=replace(
            options,
            split_long_context=bool(request.corpus) or options.split_long_context,
            # A correction takes what it puts in from the sentences that decide.
            explain=request.correct or options.explain,
        ),
        prefix=at,
        corpus=request.corpus,
        language=request.language,
        turns=_user_turns(request.turns, verifier.limits, at),
        answer_field=f"{at}answer",
    )


def _user_turns(messages: Iterable[pb.Turn], limits: Limits, at: str) -> tuple[str, ...]:
    """What the user has said. Raises InvalidInputError for a turn that is too long."""
    turns = [turn(each, f"{at}turns[{i}]") for i, each in enumerate(messages)]
    most = limits.text_characters
    for i, each in enumerate(turns):
        checks.raise_any(checks.characters(each.text, most, f"{at}turns[{i}].text"))
    return tuple(each.text for each in turns if each.role is Role.USER)


def turn(message: pb.Turn, field: str) -> Turn:
    """A turn of a conversation. Raises InvalidInputError for an unknown role."""
    role = choice_of(Role, pb.TurnRole, message.role, f"{field}.role")
    return Turn(role, message.text, message.id, message.name)


def claims_input(
    request: pb.VerifyClaimsRequest, defaults: Defaults, verifier: Verifier
) -> VerificationInput:
    """Claims to verify, checked as far as that needs no model. Raises InvalidInputError."""
    limits = verifier.limits
    evidence = evidence_input(request.evidence, "evidence")
    options = verify_options(request.options, defaults, verifier, "options")
    stated = {
        i: claim.confidence
        for i, claim in enumerate(request.claims)
        if claim.HasField("confidence")
    }
    checks.raise_any(
        [
            *checks.claims([c.text for c in request.claims], limits, _claim_field),
            *(
                violation
                for i, claim in enumerate(request.claims)
                for violation in check_cited_ids(claim.cited_ids, f"claims[{i}].cited_ids")
            ),
            *checks.shares({f"claims[{i}].confidence": value for i, value in stated.items()}),
            *check_evidence(evidence, limits, "evidence"),
            *check_options(options, limits, verifier.backends, "options"),
        ]
    )
    tasks = tuple(
        ClaimTask(
            text=claim.text,
            cited_ids=tuple(dict.fromkeys(claim.cited_ids)),
            confidence=stated.get(i, options.thresholds.default_confidence),
            confidence_source=(
                ConfidenceSource.REQUEST if i in stated else options.confidence_source
            ),
            language=language_of(claim.text),
        )
        for i, claim in enumerate(request.claims)
    )
    return VerificationInput(tasks, evidence.build(), options, "evidence", "claims", _claim_field)


def extract_options(
    message: pb.ExtractOptions, field: str, source_ids: Sequence[str] = ()
) -> ClaimOptions:
    """How a text is split. Raises InvalidInputError for an unknown style or too long an id."""
    checks.raise_any(
        [
            *check_cited_ids(source_ids, "source_ids"),
            *check_cited_ids(message.known_ids, f"{field}.known_ids", least=1),
        ]
    )
    syntax = CitationSyntax(known_ids=frozenset((*source_ids, *message.known_ids)))
    if message.citation_styles:
        styles = frozenset(
            choice_of(BracketStyle, pb.CitationStyle, number, f"{field}.citation_styles[{i}]")
            for i, number in enumerate(message.citation_styles)
        )
        syntax = replace(syntax, styles=styles)
    if message.citation_prefixes:
        syntax = replace(syntax, prefixes=tuple(message.citation_prefixes))
    options = ClaimOptions(citations=syntax, split_compounds=not message.keep_compounds)
    if message.HasField("min_assertion_confidence"):
        options = replace(options, min_assertion_confidence=message.min_assertion_confidence)
    return options


def evidence_input(message: pb.Evidence, field: str) -> EvidenceInput:
    """Evidence as it was sent. Raises InvalidInputError for a source that is nothing."""
    sources: list[Document | SourceRange] = []
    for i, source in enumerate(message.sources):
        match source.WhichOneof("kind"):
            case "document":
                document = source.document
                sources.append(Document(source.id, document.text, document.title))
            case "range":
                span = Span(source.range.start, source.range.end)
                sources.append(SourceRange(source.id, span))
            case _:
                path = f"{field}.sources[{i}]"
                text = "is neither a document nor a range; set one of them"
                checks.raise_any([Violation(path, InvalidReason.INVALID_SOURCE, text)])
    return EvidenceInput(tuple(sources), message.context)


def verify_options(
    message: pb.VerifyOptions, defaults: Defaults, verifier: Verifier, field: str
) -> VerifyOptions:
    """The defaults with what the message sets. Raises InvalidInputError for an unknown choice."""
    strictness = None
    if message.strictness:
        strictness = choice_of(
            Strictness, backend_pb.Strictness, message.strictness, f"{field}.strictness"
        )
    options = defaults(verifier.calibration(message.backend), strictness)
    if message.thresholds.HasField("default_confidence"):
        options = replace(options, strictness=None, confidence_source=ConfidenceSource.REQUEST)
    options = replace(
        options,
        thresholds=_thresholds(message.thresholds, options.thresholds),
        attribute_citations=message.attribute_citations,
        include_non_assertive=message.include_non_assertive,
        backend=message.backend,
        skip_result_cache=message.skip_result_cache,
        split_long_context=message.split_long_context,
        explain=message.explain,
    )
    if message.policy:
        policy = choice_of(Policy, pb.Policy, message.policy, f"{field}.policy")
        options = replace(options, policy=policy)
    if message.read:
        options = replace(options, read=choice_of(Read, pb.Read, message.read, f"{field}.read"))
    if message.HasField("marker"):
        options = replace(options, marker=message.marker)
    if message.HasField("skip_non_evidence"):
        options = replace(options, skip_non_evidence=message.skip_non_evidence)
    if message.HasField("max_contradicted"):
        most = message.max_contradicted
        options = replace(options, thresholds=replace(options.thresholds, max_contradicted=most))
    if message.HasField("max_claims"):
        options = replace(options, max_claims=message.max_claims)
    if message.HasField("min_claim_characters"):
        options = replace(options, min_claim_characters=message.min_claim_characters)
    return options


def _thresholds(message: pb.Thresholds, defaults: Thresholds) -> Thresholds:
    given = {field.name: value for field, value in message.ListFields()}
    return Thresholds(**{**asdict(defaults), **given})


def choice_of(choices: type[Choice], named: EnumTypeWrapper, number: int, field: str) -> Choice:
    """The member whose name the contract gives this number. Raises InvalidInputError."""
    prefix = prefix_of(named.DESCRIPTOR)
    known = {named.Value(f"{prefix}{choice.name}"): choice for choice in choices}
    if number not in known:
        names = ", ".join(f"{prefix}{choice.name}" for choice in choices)
        text = f"has the unknown value {number}; use one of: {names}"
        checks.raise_any([Violation(field, InvalidReason.INVALID_OPTION, text)])
    return known[number]


def _claim_field(index: int) -> str:
    return f"claims[{index}].text"

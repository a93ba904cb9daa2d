"""Writes what several calls are given into their requests: evidence, and options."""

from collections.abc import Iterable, Sequence
from dataclasses import fields

from groundwire._wire.fields import (
    checked_int32,
    checked_option,
    checked_text,
    checked_texts,
    names_of,
    sent_name,
)
from groundwire.claims import Extractor
from groundwire.errors import ErrorReason
from groundwire.inputs import (
    CitationStyle,
    Document,
    Evidence,
    ExtractOptions,
    Policy,
    Read,
    SourceRange,
    Thresholds,
    VerifyOptions,
)
from groundwire.outputs import Turn, TurnRole
from groundwire.results import Strictness
from groundwire.v1 import hallucination_detection_pb2 as pb
from groundwire.v1 import verifier_backend_pb2 as backend_pb

_STYLES = names_of(CitationStyle, pb.CitationStyle.keys(), "CITATION_STYLE_")
_EXTRACTORS = names_of(Extractor, pb.Extractor.keys(), "EXTRACTOR_")
_POLICIES = names_of(Policy, pb.Policy.keys(), "POLICY_")
_READS = names_of(Read, pb.Read.keys(), "READ_")
_STRICTNESSES = names_of(Strictness, backend_pb.Strictness.keys(), "STRICTNESS_")
_ROLES = names_of(TurnRole, pb.TurnRole.keys(), "TURN_ROLE_")


def sent_evidence(path: str, evidence: Evidence | str) -> pb.Evidence:
    given = as_evidence(evidence)
    sources: Sequence[Document | SourceRange] = given.sources
    return pb.Evidence(
        sources=[
            _source(f"{path}.sources[{index}]", source) for index, source in enumerate(sources)
        ],
        context=checked_text(f"{path}.context", given.context_text),
    )


def sent_turns(path: str, turns: Iterable[Turn]) -> list[pb.Turn]:
    return [
        pb.Turn(
            role=sent_name(f"{path}[{index}].role", turn.role, _ROLES),
            text=checked_text(f"{path}[{index}].text", turn.text),
            id=checked_text(f"{path}[{index}].id", turn.id),
            name=checked_text(f"{path}[{index}].name", turn.name),
        )
        for index, turn in enumerate(turns)
    ]


def as_evidence(evidence: Evidence | str) -> Evidence:
    """Evidence, of which a text alone is one source. Raises TypeError for anything else."""
    given = Evidence.context(evidence) if isinstance(evidence, str) else evidence
    if not isinstance(given, Evidence):
        raise TypeError("evidence must be Evidence or one text: use Evidence.documents() for more")
    return given


def _source(path: str, source: Document | SourceRange) -> pb.Source:
    name = checked_text(f"{path}.id", source.id)
    if isinstance(source, Document):
        document = pb.Document(
            text=checked_text(f"{path}.document.text", source.text),
            title=checked_text(f"{path}.document.title", source.title),
        )
        return pb.Source(id=name, document=document)
    reason = ErrorReason.INVALID_SOURCE
    span = pb.Span(
        start=checked_int32(f"{path}.range.start", source.start, reason),
        end=checked_int32(f"{path}.range.end", source.end, reason),
    )
    return pb.Source(id=name, range=span)


def sent_extract_options(path: str, options: ExtractOptions | None) -> pb.ExtractOptions | None:
    if options is None:
        return None
    return pb.ExtractOptions(
        citation_styles=[_STYLES[style] for style in options.citation_styles],
        citation_prefixes=checked_texts(f"{path}.citation_prefixes", options.citation_prefixes),
        min_assertion_confidence=options.min_assertion_confidence,
        keep_compounds=options.keep_compounds,
        extractor=sent_name(f"{path}.extractor", options.extractor, _EXTRACTORS),
        known_ids=checked_texts(f"{path}.known_ids", options.known_ids),
    )


def sent_verify_options(path: str, options: VerifyOptions | None) -> pb.VerifyOptions | None:
    if options is None:
        return None
    fewest = options.min_claim_characters
    message = pb.VerifyOptions(
        policy=sent_name(f"{path}.policy", options.policy, _POLICIES),
        thresholds=_thresholds(f"{path}.thresholds", options.thresholds),
        strictness=sent_name(f"{path}.strictness", options.strictness, _STRICTNESSES),
        marker=None if options.marker is None else checked_text(f"{path}.marker", options.marker),
        attribute_citations=options.attribute_citations,
        max_claims=checked_option(f"{path}.max_claims", options.max_claims),
        max_contradicted=checked_option(f"{path}.max_contradicted", options.max_contradicted),
        min_claim_characters=checked_option(f"{path}.min_claim_characters", fewest),
        include_non_assertive=options.include_non_assertive,
        backend=checked_text(f"{path}.backend", options.backend),
        skip_result_cache=options.skip_result_cache,
        split_long_context=options.split_long_context,
        read=sent_name(f"{path}.read", options.read, _READS),
        explain=options.explain,
    )
    if options.skip_non_evidence is not None:
        message.skip_non_evidence = options.skip_non_evidence
    return message


def _thresholds(path: str, thresholds: Thresholds | None) -> pb.Thresholds | None:
    if thresholds is None:
        return None
    checked_option(f"{path}.max_contradicted", thresholds.max_contradicted)
    return pb.Thresholds(
        **{each.name: getattr(thresholds, each.name) for each in fields(Thresholds)}
    )

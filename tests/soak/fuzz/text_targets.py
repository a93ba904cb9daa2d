"""What is fuzzed of the code that reads texts of others: each target takes bytes and checks rules.

A target raises for anything that a caller would not expect: an exception that the code does not
declare, or a result that breaks a rule which holds for every text.
"""

from itertools import pairwise

from groundwire_verifier.checks.assessment.assessment import AssessmentInput
from groundwire_verifier.checks.assessment.exchange import Exchange, ToolCall
from groundwire_verifier.checks.assessment.heuristics import heuristic_findings
from groundwire_verifier.checks.assessment.patterns import Patterns
from groundwire_verifier.checks.assessment.requests import check_exchange, cut_to
from groundwire_verifier.checks.assessment.tool_values import asked_figures, given_fields
from groundwire_verifier.checks.model_claims.extraction import UnusableAnswerError, read_answer
from groundwire_verifier.checks.model_claims.tracing import trace
from groundwire_verifier.checks.outputs.formats import (
    JsonFormat,
    ListFormat,
    StatedFormat,
    count_items,
    differences,
)
from groundwire_verifier.checks.similarity.texts import comparison_texts
from groundwire_verifier.checks.traces.matching import answers_match
from groundwire_verifier.checks.traces.step_claims import claims_of_steps
from groundwire_verifier.domain.claims import BracketStyle, CitationSyntax, ClaimOptions, Span
from groundwire_verifier.domain.errors import InvalidInputError
from groundwire_verifier.domain.evidence import Document, Evidence, SourceRange
from groundwire_verifier.domain.titles import Titles
from groundwire_verifier.domain.types import Limits
from groundwire_verifier.text.claims.extract import extract_claims, first_claims
from groundwire_verifier.text.claims.non_evidence import find_non_evidence
from groundwire_verifier.text.quantities.dates import find_dates, find_months
from groundwire_verifier.text.quantities.figures import find_figures, folded
from groundwire_verifier.text.quantities.values import stated
from groundwire_verifier.verdicts.options import EvidenceInput, check_evidence

MAX_IDS = 1000
LIMITS = Limits(claims=1000, claim_tokens=512, text_characters=200_000)
SEPARATOR = "\x1f"
"""Stands between the fields of a target that takes several."""

_MARKER = "[EVIDENCE REMOVED]"
_PATTERNS = Patterns()


def text_of(data: bytes) -> str:
    """The text of an input: no request can hold half of a surrogate pair."""
    return data.decode("utf-8", "replace")


def fields_of(data: bytes, count: int) -> list[str]:
    """The first `count` fields of an input; those that are not there are empty."""
    found = text_of(data).split(SEPARATOR, count - 1)
    return found + [""] * (count - len(found))


def claims(data: bytes) -> None:
    """An answer into its claims."""
    text = text_of(data)
    found = extract_claims(text)
    for claim in found:
        assert 0 <= claim.span.start < claim.span.end <= len(text)
        assert claim.content == claim.content.strip() != ""
        assert claim.confidence is None or 0.0 <= claim.confidence.value <= 1.0
        assert all(citation.ids for citation in claim.citations)
    assert all(one.span.end <= other.span.start for one, other in pairwise(found))


def citations(data: bytes) -> None:
    """An answer with citation styles, prefixes and ids of its own: styles, prefix, id, text."""
    styles, prefix, known, text = fields_of(data, 4)
    chosen = frozenset(list(BracketStyle)[len(styles) % 3 :])
    known_ids = frozenset({known} if known.strip() else ())
    syntax = CitationSyntax(chosen, (prefix[:16], ""), known_ids)
    options = ClaimOptions(syntax, split_compounds=len(styles) % 2 == 0)
    found = first_claims(text, options, MAX_IDS, MAX_IDS)
    for claim in found or ():
        for citation in claim.citations:
            assert 0 <= citation.span.start < citation.span.end <= len(text)
            assert len(citation.ids) <= MAX_IDS


def evidence(data: bytes) -> None:
    """Documents, and what is left of them: id, title, text, the same of another, what is cited."""
    first, title, text, second, other_title, other = fields_of(data, 6)
    documents = (Document(first, text, title), Document(second, other, other_title))
    refused = check_evidence(EvidenceInput(documents), LIMITS, "evidence")
    ranges = (SourceRange("a", Span(0, len(title))), SourceRange("b", Span(1, len(text))))
    check_evidence(EvidenceInput(ranges, text), LIMITS, "evidence")
    if refused:
        return
    joined = Evidence.of_documents(documents)
    headings = joined.context[: joined.passages[0].start]
    # Neither an id nor a title may look like another source.
    assert "\n" not in headings[:-1]
    assert joined.text_of(first) == text
    place = joined.passages[0]
    elsewhere = f"{joined.context[: place.start]}\n{joined.context[place.end :]}"
    is_told_apart = len(text) > len(_MARKER) and text not in elsewhere and text.strip()
    assert text not in joined.without({first}, _MARKER, {first}) or not is_told_apart
    marked = joined.non_evidence(find_non_evidence(joined.passage_texts))
    shorter = joined.leaving_out(marked)
    assert shorter.ids == joined.ids
    assert len(shorter.context) <= len(joined.context)
    Titles({first: title, second: other_title}).stating(text)


def quantities(data: bytes) -> None:
    """Numbers, units and dates of two answers, and whether they are the same."""
    one, other = fields_of(data, 2)
    assert answers_match(one, one)
    assert answers_match(one, other) == answers_match(other, one)
    stated(one)
    for figure in find_figures(one, 2):
        assert 0 <= figure.span.start < figure.span.end <= len(one)
    plain = folded(one)
    assert len(plain) == len(one)
    list(find_dates(plain))
    assert all(1 <= month <= 12 for month in find_months(plain))


def steps(data: bytes) -> None:
    """The steps of a chain of reasoning."""
    texts = text_of(data).split(SEPARATOR)[:100]
    for include in (False, True):
        found = claims_of_steps(texts, include)
        assert [step.text for step in found] == texts


def exchange(data: bytes) -> None:
    """A response with a tool call: question, name, arguments, result, error, response."""
    question, name, arguments, result, error, response = fields_of(data, 6)
    calls = (ToolCall(name, arguments, result, error),)
    asked = Exchange(question, response, calls)
    try:
        check_exchange(AssessmentInput(asked), ())
    except InvalidInputError as refused:
        assert refused.violations
        return
    given_fields(calls)
    asked_figures(question, calls)
    heuristic_findings(asked, _PATTERNS)
    cut, lost = cut_to(asked, 200)
    assert lost >= 0
    assert cut.response == response


def written_claims(data: bytes) -> None:
    """What a model wrote when it was to find the claims of a text: text, what it wrote."""
    text, answer = fields_of(data, 2)
    try:
        written = read_answer(answer)
    except UnusableAnswerError:
        return
    whole = Span(0, len(text))
    for claim in trace(text, "", extract_claims(text), [(whole, written)]).claims:
        assert 0 <= claim.span.start < claim.span.end <= len(text)


def formats(data: bytes) -> None:
    """A response that was to be JSON, or a list."""
    text = text_of(data)
    assert count_items(text) >= 0
    for kind in (JsonFormat(), ListFormat(2, 3)):
        assert all(each.description for each in differences(text, StatedFormat(kind, 100)))


def comparison(data: bytes) -> None:
    """An answer and a context into what is compared by similarity."""
    answer, context = fields_of(data, 2)
    texts = comparison_texts(answer, [context, context * 3])
    assert len(texts.passages) == len(texts.context_of)


TEXT_TARGETS = {
    "claims": claims,
    "citations": citations,
    "evidence": evidence,
    "quantities": quantities,
    "steps": steps,
    "exchange": exchange,
    "written_claims": written_claims,
    "formats": formats,
    "comparison": comparison,
}

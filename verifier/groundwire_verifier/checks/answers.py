"""The use case of an answer: its claims, which of them are verified, and the report on it."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from groundwire_verifier.checks.model_claims.extraction import BY_RULES, Extraction
from groundwire_verifier.domain import checks
from groundwire_verifier.domain.claims import (
    Claim,
    ClaimOptions,
    Confidence,
    ConfidenceSource,
    Ending,
    NonAssertive,
    Span,
    as_answer,
)
from groundwire_verifier.domain.errors import InvalidInputError, InvalidReason, Violation
from groundwire_verifier.domain.evidence import Document
from groundwire_verifier.domain.types import Limits
from groundwire_verifier.text.claims.answer_talk import is_bare_answer
from groundwire_verifier.text.claims.conversation import (
    is_option,
    points_back,
    question_of,
    with_option,
)
from groundwire_verifier.text.claims.markup.left_out import find_left_out
from groundwire_verifier.text.claims.wording.confidence_words import PLAIN
from groundwire_verifier.text.claims.wording.sentence import (
    GENERIC,
    LATIN_CHARACTERS,
    latin_characters,
    rules_for,
)
from groundwire_verifier.text.quantities.code_tokens import code_tokens
from groundwire_verifier.verdicts.explanations import LANGUAGES, answer_warning
from groundwire_verifier.verdicts.instructions import TOLD, according_to_sources, is_checkable
from groundwire_verifier.verdicts.judging import unread_verdict
from groundwire_verifier.verdicts.options import (
    EvidenceInput,
    VerifyOptions,
    check_evidence,
    check_options,
)
from groundwire_verifier.verdicts.policy import Thresholds
from groundwire_verifier.verdicts.questions import ClaimTask
from groundwire_verifier.verdicts.types import (
    SKIPPED,
    UNREAD,
    AnswerClaim,
    AnswerSummary,
    ClaimVerdict,
    Reason,
    UnverifiedClaims,
    Verdict,
)

MAX_EXTRACTED_CLAIMS = 10_000
"""The most claims of one text, whatever becomes of them, so that a response has a size."""

MAX_TEXT_IDS = 20_000
"""The most ids that one text's claims cite, ranges written out and each claim counted.

A range is eight characters and may be a hundred ids, and a citation may belong to many claims.
"""

MAX_QUESTION_CHARACTERS = 1000
MAX_SHORT_CHARACTERS = 40
"""An answer to a question that is no longer is read with it, however short it is."""
_SHORT_KINDS = (None, NonAssertive.LEAD_IN, NonAssertive.HEADING, NonAssertive.CODE)
_JOINING_ANSWERS = frozenset({"or", "and", "או"})
MAX_PREFIXES = 16
MAX_PREFIX_CHARACTERS = 16

_ASSERTS_NOTHING = (Reason.NON_ASSERTIVE, Reason.TOO_SHORT)
_FAULTS = (Verdict.CONTRADICTED, Verdict.MISCITED)
_FREE, _TAKEN = 1, 2
"""A letter or digit that belongs to nothing so far, and any character that does. 0: another one."""


@dataclass(frozen=True, slots=True)
class AnswerInput:
    """An answer to verify, as a caller sends it.

    `prefix` stands before the fields of the request, such as `request.`, where errors name them.
    With a `corpus` the evidence is empty, since it is found for the claims. An empty `language` of
    warnings is that of the answer and of each claim. `turns` are what the user has said before, in
    order; they are no evidence. `answer_field` is where errors say that the answer stands.
    """

    answer: str
    evidence: EvidenceInput
    question: str = ""
    extract: ClaimOptions = ClaimOptions()  # noqa: RUF009 - frozen
    options: VerifyOptions = VerifyOptions()  # noqa: RUF009 - frozen
    prefix: str = ""
    corpus: str = ""
    language: str = ""
    turns: tuple[str, ...] = ()
    answer_field: str = "answer"


@dataclass(frozen=True, slots=True)
class AnswerClaims:
    """An answer's claims, those that are skipped with their verdicts; and what is to be verified.

    `tasks` belong to the claims at `indexes`. `extraction` says how the claims were found.
    """

    answer: str
    claims: tuple[AnswerClaim, ...]
    indexes: tuple[int, ...]
    tasks: tuple[ClaimTask, ...]
    language: str
    extraction: Extraction = BY_RULES


@dataclass(frozen=True, slots=True)
class Coverage:
    """The share of a text, in [0, 1], that was verified; and its lines that no claim touches."""

    verified_share: float
    unclaimed_lines: int


def check_extracted(claims: Sequence[Claim] | None, field: str) -> Sequence[Claim]:
    """The claims that `first_claims` found in a text, which stands in `field`.

    Raises InvalidInputError if there are more than MAX_EXTRACTED_CLAIMS, or if they cite more than
    MAX_TEXT_IDS.
    """
    if claims is None:
        words = (
            f"cites more than {MAX_TEXT_IDS:,} ids, which is the limit, with ranges written out "
            "and each claim counted: split it, or cite fewer"
        )
        raise InvalidInputError((Violation(field, InvalidReason.TEXT_TOO_LONG, words),))
    if len(claims) > MAX_EXTRACTED_CLAIMS:
        words = f"holds more than {MAX_EXTRACTED_CLAIMS:,} claims, which is the limit: split it"
        raise InvalidInputError((Violation(field, InvalidReason.TOO_MANY_CLAIMS, words),))
    return claims


def extract_took_too_long(field: str, limit_s: float) -> InvalidInputError:
    """The error of a text, in `field`, to split which takes over `limit_s` seconds of work."""
    words = (
        f"takes more than {limit_s:g} s of a processor, the limit, to be split into claims: "
        "send it in parts"
    )
    return InvalidInputError((Violation(field, InvalidReason.TEXT_TOO_LONG, words),))


def check_extract(text: str, options: ClaimOptions, limits: Limits, field: str, path: str) -> None:
    """Check a text, which stands in `field`, and options in `path`. Raises InvalidInputError."""
    checks.raise_any(
        [*checks.visible_text(text, limits, field), *_extract_violations(options, path)]
    )


def check_answer(request: AnswerInput, limits: Limits, backends: Collection[str]) -> None:
    """Check a request whole, as far as that needs no model. Raises InvalidInputError."""
    text = checks.visible_text(request.answer, limits, request.answer_field)
    checks.raise_any(text + _asked_violations(request, limits, backends))


def check_draft(request: AnswerInput, limits: Limits, backends: Collection[str]) -> None:
    """Check all of a request but its answer, which is still being written.

    Raises InvalidInputError.
    """
    checks.raise_any(_asked_violations(request, limits, backends))


def _asked_violations(
    request: AnswerInput, limits: Limits, backends: Collection[str]
) -> list[Violation]:
    at = request.prefix
    found: list[Violation] = []
    if not request.corpus:
        found += check_evidence(request.evidence, limits, f"{at}evidence")
    elif request.evidence != EvidenceInput():
        words = "stands beside a corpus; send one of them"
        found.append(Violation(f"{at}evidence", InvalidReason.INVALID_SOURCE, words))
    if len(request.question) > MAX_QUESTION_CHARACTERS:
        words = (
            f"has {len(request.question):,} characters; the limit is {MAX_QUESTION_CHARACTERS:,}, "
            "since each claim is read with it: shorten the question"
        )
        found.append(Violation(f"{at}question", InvalidReason.TEXT_TOO_LONG, words))
    found += check_language(request.language, f"{at}language")
    found += _extract_violations(request.extract, f"{at}extract")
    return found + check_options(request.options, limits, backends, f"{at}options")


def check_language(language: str, field: str) -> list[Violation]:
    """What is wrong with a language of warnings that stands in `field`; empty is none."""
    if not language or language in LANGUAGES:
        return []
    words = f"is no language of warnings; use one of: {', '.join(LANGUAGES)}"
    return [Violation(field, InvalidReason.INVALID_OPTION, words)]


def extract_options(request: AnswerInput, source_ids: Sequence[str]) -> ClaimOptions:
    """How an answer is split into claims: `source_ids` can be cited whatever they look like.

    So can the titles of sources that no other one has.
    """
    titles = Counter(
        source.title.strip().casefold()
        for source in request.evidence.sources
        if isinstance(source, Document) and source.title.strip()
    )
    citations = replace(
        request.extract.citations,
        known_ids=request.extract.citations.known_ids.union(source_ids),
        titles={
            title: source.id
            for source in request.evidence.sources
            # Two sources of one title cannot be told apart by it.
            if isinstance(source, Document)
            and titles[title := source.title.strip().casefold()] == 1
        },
    )
    return replace(request.extract, citations=citations)


def choose_claims(
    request: AnswerInput,
    source_ids: Sequence[str],
    extracted: Sequence[Claim],
    extraction: Extraction = BY_RULES,
) -> AnswerClaims:
    """Choose from the claims of an answer, which were found so, those to verify.

    The first `max_claims` that assert something and are long enough are chosen.
    """
    options = request.options
    known_ids = frozenset(source_ids)
    claims: list[AnswerClaim] = []
    indexes: list[int] = []
    tasks: list[ClaimTask] = []
    question = request.question.strip()
    if request.turns:
        question = question_of(question, request.turns, MAX_QUESTION_CHARACTERS)
    answers = bool(question) and _answers_shortly(extracted)
    is_code = answers and _is_code(extracted[0])
    if answers:
        # A yes or no is talk without its question, and too short for a claim of its own.
        ending = Ending.WHOLE if is_option(extracted[0].content) else extracted[0].ending
        extracted = [replace(extracted[0], non_assertive=None, ending=ending), *extracted[1:]]
    for i, claim in enumerate(extracted):
        is_answer = answers and i == 0
        # A question that is sent is that of each claim; one of the conversation where it has to be.
        is_read_with_it = question and (
            request.question.strip() or is_answer or points_back(claim.content)
        )
        task = _task(claim, request, question if is_read_with_it else "")
        if is_code and task.own:
            # Read as the answer that it is, and compared token by token as other code.
            task = replace(task, kind=NonAssertive.CODE)
        least = 1 if is_answer else options.min_claim_characters
        skipped = _reason_to_skip(claim, task.kind, options, least, chosen=len(tasks))
        shown = with_confidence(claim, options.plain_confidence)
        if skipped is None:
            claims.append(AnswerClaim(shown, None))
            indexes.append(i)
            tasks.append(task)
        else:
            unknown_ids = tuple(i for i in task.cited_ids if i not in known_ids)
            claims.append(AnswerClaim(shown, unread_verdict(task, *skipped, unknown_ids)))
    return AnswerClaims(
        request.answer,
        tuple(claims),
        tuple(indexes),
        tuple(tasks),
        request.language or language_of(extracted),
        extraction,
    )


def _answers_shortly(extracted: Sequence[Claim]) -> bool:
    """Whether an answer is one short phrase, which is read together with its question, or begins
    with a yes or no.

    `**Oslen**` and `42` in the marks of code are, too.
    """
    if len(extracted) != 1:
        return bool(extracted) and is_bare_answer(extracted[0].content)
    claim = extracted[0]
    talk = claim.non_assertive is NonAssertive.LEAD_IN and not (
        is_bare_answer(claim.content) or is_option(claim.content)
    )
    asserts = claim.non_assertive in _SHORT_KINDS
    return asserts and not talk and len(claim.content) <= MAX_SHORT_CHARACTERS


def _is_code(answer: Claim) -> bool:
    """Whether a short answer is nothing but code: `--force`, `--force or -f`."""
    if answer.non_assertive is NonAssertive.CODE:
        return True
    words = {word.strip("`.,;") for word in answer.content.split()} - _JOINING_ANSWERS
    return bool(words) and words.issubset(code_tokens(answer.content))


def report_on(
    found: AnswerClaims,
    verdicts: Sequence[ClaimVerdict],
    thresholds: Thresholds,
    card_languages: Collection[str] = (),
) -> tuple[list[AnswerClaim], AnswerSummary]:
    """All claims of an answer with the verdicts of those that were to verify, and its summary.

    `card_languages` are the languages that the model's card names; none if it names none.
    """
    claims = list(found.claims)
    for i, verdict in zip(found.indexes, verdicts, strict=True):
        claims[i] = replace(claims[i], verdict=verdict)
    return claims, summarise(found.answer, claims, found.language, thresholds, card_languages)


def summarise(
    answer: str,
    claims: Sequence[AnswerClaim],
    language: str,
    thresholds: Thresholds,
    card_languages: Collection[str] = (),
) -> AnswerSummary:
    """The answer as a whole.

    It is never grounded without a claim that is, nor while claims are unread.
    """
    verdicts = [claim.verdict for claim in claims if claim.verdict is not None]
    counted = [verdict for verdict in verdicts if verdict.reason not in SKIPPED]
    grounded = sum(verdict.grounded for verdict in counted)
    ratio = grounded / len(counted) if counted else 0.0
    complete = not any(map(_stands_unread, claims))
    contradicted = sum(each.verdict is Verdict.CONTRADICTED for each in counted)
    most = thresholds.max_contradicted
    left_out = find_left_out(answer)
    covered = coverage(answer, claims, left_out.spans)
    absent = any(
        each.claim.non_assertive is NonAssertive.ABSENCE
        and each.verdict is not None
        and each.verdict.reason is Reason.NON_ASSERTIVE
        for each in claims
    )
    unverified = _unverified(claims)
    text_language = language_of([each.claim for each in claims])
    explained = [each.explanation for each in verdicts if each.explanation is not None]
    summary = AnswerSummary(
        overall_grounded=(
            grounded > 0
            and ratio >= thresholds.min_grounded_ratio
            and (most is None or contradicted <= most)
            and complete
        ),
        grounded_claims=grounded,
        total_claims=len(counted),
        skipped_claims=len(verdicts) - len(counted),
        grounding_ratio=ratio,
        warning="",
        language=language,
        unverified=unverified,
        verified_share=covered.verified_share,
        unclaimed_lines=covered.unclaimed_lines,
        uncertain_claims=sum(each.verdict is Verdict.UNCERTAIN for each in counted),
        review_order=review_order(claims),
        complete=complete,
        thoughts=left_out.thoughts,
        abstained=absent and not counted and complete,
        plain_instructions=sum(
            each.claims for each in unverified if each.non_assertive is NonAssertive.INSTRUCTION
        ),
        text_language=text_language,
        rules=rules_for(text_language),
        language_covered=text_language in card_languages if card_languages else None,
        conflicting_claims=sum(
            bool(each.conflicts) and each.verdict is Verdict.SUPPORTED for each in verdicts
        ),
        unexplained_claims=sum(not each.complete for each in explained),
    )
    return replace(summary, warning=answer_warning(summary, thresholds.min_grounded_ratio))


def _stands_unread(each: AnswerClaim) -> bool:
    """Whether nothing is known of a claim that keeps its answer from being grounded by that."""
    verdict = each.verdict
    if verdict is None or verdict.verdict is not Verdict.NOT_VERIFIED:
        return False
    told = each.claim.non_assertive in TOLD and verdict.reason is not Reason.NON_ASSERTIVE
    # Nobody knows what is short in a language without rules.
    generic = rules_for(each.claim.language) == GENERIC
    dropped = verdict.reason is Reason.TOO_SHORT and generic
    return told or dropped or verdict.reason in UNREAD


def _unverified(claims: Sequence[AnswerClaim]) -> tuple[UnverifiedClaims, ...]:
    """The claims without a verdict of the model, counted by reason, in the order of the reasons."""
    counts = Counter(
        (
            each.verdict.reason,
            each.claim.non_assertive if each.verdict.reason is Reason.NON_ASSERTIVE else None,
        )
        for each in claims
        if each.verdict is not None and each.verdict.verdict is Verdict.NOT_VERIFIED
    )
    return tuple(
        UnverifiedClaims(reason, kind, counts[reason, kind])
        for reason in Reason
        for kind in (None, *NonAssertive)
        if (reason, kind) in counts
    )


def language_of(claims: Sequence[Claim]) -> str:
    """The language that most of the claims' characters are in; English if there is none."""
    sizes: dict[str, int] = {"en": 0}
    for claim in claims:
        sizes[claim.language] = sizes.get(claim.language, 0) + len(claim.content)
    return max(sizes, key=lambda language: sizes[language])


def with_confidence(claim: Claim, plain: Confidence) -> Claim:
    """The claim with the confidence `plain` if it states none."""
    return replace(claim, confidence=claim.confidence or plain)


def asked_confidence(stated: Confidence | None, plain: float) -> float:
    """The confidence, in [0, 1], that the budget asks for; of a plain claim it is `plain`.

    A hedge is taken for what it is worth, but never asks for more than no hedge. Words of certainty
    are worth more than PLAIN on a scale that has PLAIN for a plain claim: what is above it is
    stretched from there to `plain`. A number above it that the text states is taken as it is.
    """
    if stated is None:
        return plain
    if stated.value <= PLAIN:
        return min(stated.value, plain)
    if stated.source is ConfidenceSource.STATED:
        return stated.value
    return plain + (stated.value - PLAIN) * (1.0 - plain) / (1.0 - PLAIN)


def _task(claim: Claim, request: AnswerInput, question: str) -> ClaimTask:
    """What is read of a claim: it answers `question`, which may be empty."""
    confidence, options = claim.confidence, request.options
    told = options.verify_instructions and is_checkable(claim)
    content = according_to_sources(claim.content, claim.language) if told else claim.content
    text = as_answer(question, with_option(question, content)) if question else content
    is_taken_over = claim.missing or (question and is_bare_answer(content))
    return ClaimTask(
        text=claim.missing or text,
        cited_ids=claim.cited_ids,
        confidence=asked_confidence(confidence, options.thresholds.default_confidence),
        confidence_source=(confidence or options.plain_confidence).source,
        language=request.language or claim.language,
        unfinished=claim.ending is Ending.OPEN,
        kind=claim.non_assertive if claim.missing or told else None,
        # `Yes.` claims what its question says.
        own=claim.content if text != claim.content and not is_taken_over else "",
    )


def _reason_to_skip(
    claim: Claim, kind: NonAssertive | None, options: VerifyOptions, least: int, *, chosen: int
) -> tuple[Reason, str] | None:
    """Why a claim is not verified, with the detail for its text; None if it is.

    It needs `least` characters, and `chosen` claims come before it. `kind` is that of one that is
    read though it is no plain assertion, however short it is.
    """
    if claim.non_assertive is not None and kind is None and not options.include_non_assertive:
        return Reason.NON_ASSERTIVE, claim.non_assertive.value
    if rules_for(claim.language) == GENERIC:
        least = min(least, LATIN_CHARACTERS)
    if kind is None and latin_characters(claim.content) < least:
        return Reason.TOO_SHORT, str(least)
    if claim.ending is Ending.CUT:
        return Reason.INCOMPLETE, ""
    if chosen >= options.max_claims:
        return Reason.BEYOND_MAX_CLAIMS, str(options.max_claims)
    return None


def _extract_violations(options: ClaimOptions, path: str) -> list[Violation]:
    found = checks.shares({f"{path}.min_assertion_confidence": options.min_assertion_confidence})
    prefixes = options.citations.prefixes
    letters = all(p.isalpha() and len(p) <= MAX_PREFIX_CHARACTERS for p in prefixes if p)
    if len(prefixes) > MAX_PREFIXES or not letters:
        text = f"takes {MAX_PREFIXES} prefixes, each of at most {MAX_PREFIX_CHARACTERS} letters"
        found.append(Violation(f"{path}.citation_prefixes", InvalidReason.INVALID_OPTION, text))
    return found


def review_order(claims: Sequence[AnswerClaim]) -> tuple[int, ...]:
    """The indexes of the claims that assert something, by how likely each is wrong.

    A claim that was read comes by 1 - p1; of equal ones first what is contradicted or miscited.
    Claims without a probability follow, in the order of the text. All verdicts stand in one order,
    since a claim that came out SUPPORTED may be likelier wrong than one that did not.
    """
    verdicts = [
        (i, claim.verdict)
        for i, claim in enumerate(claims)
        if claim.verdict is not None and claim.verdict.reason not in _ASSERTS_NOTHING
    ]
    return tuple(i for i, verdict in sorted(verdicts, key=lambda pair: _key(pair[1])))


def _key(verdict: ClaimVerdict) -> tuple[bool, float, bool]:
    p1 = None if verdict.posterior is None else verdict.posterior.probability
    return (p1 is None, p1 or 0.0, verdict.verdict not in _FAULTS)


def coverage(text: str, claims: Sequence[AnswerClaim], left_out: Sequence[Span] = ()) -> Coverage:
    """What the claims of a text cover of it; what is `left_out` is no part of it.

    The share is that of verified claims' spans, and 0 for a text without letters and digits. A
    line counts as unclaimed if it holds one, but no part of a claim or of a citation.
    """
    marks = bytearray(map(str.isalnum, text))
    _take(marks, left_out)
    _take(marks, (citation.span for each in claims for citation in each.claim.citations))
    letters = marks.count(_FREE)
    # The verified ones first: where claims overlap, what one of them covers was read.
    _take(marks, (each.claim.span for each in claims if _is_verified(each)))
    left = marks.count(_FREE)
    _take(marks, (each.claim.span for each in claims if not _is_verified(each)))
    return Coverage((letters - left) / letters if letters else 0.0, _unclaimed_lines(text, marks))


def _is_verified(each: AnswerClaim) -> bool:
    return each.verdict is not None and each.verdict.verdict is not Verdict.NOT_VERIFIED


def _take(marks: bytearray, spans: Iterable[Span]) -> None:
    for span in spans:
        marks[span.start : span.end] = bytes([_TAKEN]) * (span.end - span.start)


def _unclaimed_lines(text: str, marks: bytearray) -> int:
    count = start = 0
    for line in text.split("\n"):
        end = start + len(line)
        count += marks.find(_FREE, start, end) >= 0 > marks.find(_TAKEN, start, end)
        start = end + 1
    return count

"""What is said of an answer as a whole: when it is grounded, what was left out, and in what words.

The verdicts are made by hand; `tests/server/answers/test_verify_answer.py` has those of a server.
"""

from collections.abc import Sequence

import pytest

from groundwire_verifier.checks.answers import Coverage, coverage, review_order, summarise
from groundwire_verifier.domain.claims import Citation, Claim, ConfidenceSource, NonAssertive, Span
from groundwire_verifier.domain.types import Estimate, ReadingOrigin
from groundwire_verifier.verdicts.explanations import WARNINGS, answer_warning
from groundwire_verifier.verdicts.judging import unread_verdict
from groundwire_verifier.verdicts.policy import Thresholds
from groundwire_verifier.verdicts.questions import ClaimTask
from groundwire_verifier.verdicts.types import (
    UNREAD as LEFT_UNREAD,
)
from groundwire_verifier.verdicts.types import (
    AnswerClaim,
    AnswerSummary,
    CitationStatus,
    ClaimVerdict,
    Reason,
    UnverifiedClaims,
    Verdict,
)

UNREAD = (
    Reason.UNKNOWN_CITATION,
    Reason.LABEL_MASS_BELOW_FLOOR,
    Reason.TOO_SHORT,
    Reason.BEYOND_MAX_CLAIMS,
    Reason.TOO_LONG,
    Reason.OUT_OF_TIME,
    Reason.BACKEND_FAILED,
)
KINDS = (*UNREAD, *(kind for kind in NonAssertive if kind is not NonAssertive.ABSENCE))
"""What a warning names as not checked. What an absence says is missing was asked for."""


def read(verdict: Verdict = Verdict.SUPPORTED, p1: float = 0.5) -> ClaimVerdict:
    return ClaimVerdict(
        verdict=verdict,
        reason=Reason.BUDGET_COVERED,
        reason_text="",
        grounded=verdict is Verdict.SUPPORTED,
        warning="",
        citation_status=CitationStatus.NONE,
        cited_ids=(),
        unknown_ids=(),
        confidence=0.95,
        confidence_source=ConfidenceSource.REQUEST,
        posterior=Estimate(p1, p1, False, 0.9, None, None, ReadingOrigin.MODEL, None),
    )


def unread(reason: Reason) -> ClaimVerdict:
    task = ClaimTask("x", (), 0.95, ConfidenceSource.REQUEST, "en")
    detail = NonAssertive.CODE.value if reason is Reason.NON_ASSERTIVE else ""
    return unread_verdict(task, reason, detail)


def claim(
    text: str, part: str, verdict: ClaimVerdict, *cited: str, kind: NonAssertive | None = None
) -> AnswerClaim:
    """A claim at the first place of this part, with these citations at theirs."""
    citations = tuple(Citation(span_of(text, each), ("S0",)) for each in cited)
    return AnswerClaim(Claim(part, span_of(text, part), citations, None, kind, "en"), verdict)


def span_of(text: str, part: str) -> Span:
    start = text.index(part)
    return Span(start, start + len(part))


def summary_of(
    *verdicts: ClaimVerdict, min_grounded_ratio: float = 0.7, max_contradicted: int | None = None
) -> AnswerSummary:
    """The summary of an answer of claims with these verdicts."""
    text = " ".join(f"claim{i}" for i in range(len(verdicts)))
    claims = [claim(text, f"claim{i}", verdict) for i, verdict in enumerate(verdicts)]
    thresholds = Thresholds(
        min_grounded_ratio=min_grounded_ratio, max_contradicted=max_contradicted
    )
    return summarise(text, claims, "en", thresholds)


def told(
    unverified: Sequence[UnverifiedClaims] = (),
    *,
    grounded: int = 10,
    total: int = 10,
    skipped: int = 0,
    share: float = 0.5,
    lines: int = 0,
    uncertain: int = 0,
    language: str = "en",
) -> str:
    """The warning of an answer that asks for seven grounded claims of ten."""
    summary = AnswerSummary(
        overall_grounded=False,
        grounded_claims=grounded,
        total_claims=total,
        skipped_claims=skipped,
        grounding_ratio=grounded / max(total, 1),
        warning="",
        language=language,
        unverified=tuple(unverified),
        verified_share=share,
        unclaimed_lines=lines,
        uncertain_claims=uncertain,
        review_order=(),
        complete=not any(each.reason in LEFT_UNREAD for each in unverified),
    )
    return answer_warning(summary, 0.7)


def some(kind: Reason | NonAssertive, claims: int) -> UnverifiedClaims:
    if isinstance(kind, NonAssertive):
        return UnverifiedClaims(Reason.NON_ASSERTIVE, kind, claims)
    return UnverifiedClaims(kind, None, claims)


@pytest.mark.parametrize(
    "reason", [Reason.BEYOND_MAX_CLAIMS, Reason.OUT_OF_TIME, Reason.BACKEND_FAILED]
)
def test_claims_that_are_left_unread_keep_an_answer_from_being_grounded(reason: Reason) -> None:
    good = [read()] * 10
    assert summary_of(*good).overall_grounded
    summary = summary_of(*good, unread(reason))
    assert summary.skipped_claims == 1
    assert summary.grounding_ratio == 1.0
    assert not summary.overall_grounded
    assert (summary_of(*good).complete, summary.complete) == (True, False)


@pytest.mark.parametrize("reason", [Reason.TOO_SHORT, Reason.UNKNOWN_CITATION])
def test_what_is_left_out_or_cannot_be_read_leaves_an_answer_complete(reason: Reason) -> None:
    assert summary_of(read(), unread(reason)).complete


@pytest.mark.parametrize(
    ("most", "contradicted", "grounded"),
    [(None, 3, True), (0, 0, True), (0, 1, False), (2, 2, True), (2, 3, False)],
)
def test_more_contradicted_claims_than_are_allowed_fail_an_answer(
    most: int | None, contradicted: int, grounded: bool
) -> None:
    verdicts = [read()] * 7 + [read(Verdict.CONTRADICTED)] * contradicted
    assert summary_of(*verdicts, max_contradicted=most).overall_grounded is grounded


@pytest.mark.parametrize("reason", [Reason.TOO_LONG, Reason.UNKNOWN_CITATION])
def test_a_claim_that_cannot_be_read_counts_and_is_not_grounded(reason: Reason) -> None:
    summary = summary_of(read(), unread(reason))
    assert (summary.total_claims, summary.grounding_ratio) == (2, 0.5)
    assert not summary.overall_grounded


def test_every_claim_without_a_reading_is_counted_by_its_kind() -> None:
    text = "a b c d e"
    claims = [
        claim(text, "a", read(Verdict.UNSUPPORTED)),
        claim(text, "b", unread(Reason.NON_ASSERTIVE), kind=NonAssertive.CODE),
        claim(text, "c", unread(Reason.TOO_SHORT)),
        claim(text, "d", unread(Reason.NON_ASSERTIVE), kind=NonAssertive.CODE),
        claim(text, "e", unread(Reason.UNKNOWN_CITATION), kind=NonAssertive.QUESTION),
    ]
    assert summarise(text, claims, "en", Thresholds()).unverified == (
        UnverifiedClaims(Reason.UNKNOWN_CITATION, None, 1),
        UnverifiedClaims(Reason.NON_ASSERTIVE, NonAssertive.CODE, 2),
        UnverifiedClaims(Reason.TOO_SHORT, None, 1),
    )


def test_the_share_is_that_of_letters_and_digits_in_verified_claims() -> None:
    text = "- **abc** [S0], maybe def."
    whole = coverage(text, [claim(text, "abc", read(), "[S0]")])
    assert whole.verified_share == pytest.approx(3 / 11)
    both = [claim(text, "abc", read(), "[S0]"), claim(text, "def", unread(Reason.TOO_SHORT))]
    assert coverage(text, both).verified_share == pytest.approx(3 / 11)


def test_what_two_claims_share_counts_once_and_as_verified() -> None:
    text = "abcdef"
    claims = [claim(text, "abcd", unread(Reason.TOO_LONG)), claim(text, "cdef", read())]
    assert coverage(text, claims).verified_share == pytest.approx(4 / 6)
    assert coverage(text, claims[1:] * 2).verified_share == pytest.approx(4 / 6)


@pytest.mark.parametrize("text", ["...", "😀"])
def test_of_a_text_without_letters_nothing_is_verified(text: str) -> None:
    assert coverage(text, [claim(text, text, read())]) == Coverage(0.0, 0)


def test_a_line_without_any_part_of_a_claim_is_counted() -> None:
    text = "One\nclaim. And\n---\n[S0]\n[1]: http://a.example 'Two'\n~~~ Three\n~~~"
    claims = [claim(text, "One\nclaim.", read(), "[S0]")]
    assert coverage(text, claims).unclaimed_lines == 2


@pytest.mark.parametrize("language", WARNINGS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_words_for_one_and_for_many(
    language: str, kind: Reason | NonAssertive
) -> None:
    one, many = (told([some(kind, count)], language=language) for count in (1, 23))
    assert "23" in many
    assert "23" not in one
    assert one != many.replace("23", "1")


@pytest.mark.parametrize(
    ("language", "grounded", "total", "words"),
    [
        ("en", 9, 10, "Parts of this answer need a check: 1 of 10 statements is not grounded"),
        ("en", 8, 10, "Parts of this answer need a check: 2 of 10 statements are not grounded"),
        ("en", 1, 10, "Much of this answer needs a check: 9 of 10 statements are not grounded"),
        ("en", 0, 1, "Much of this answer needs a check: the only statement that was checked is"),
        ("he", 9, 10, "חלק מהתשובה דורש בדיקה: טענה אחת מתוך 10 אינה מבוססת על המקורות."),
        ("he", 8, 10, "חלק מהתשובה דורש בדיקה: 2 מתוך 10 טענות אינן מבוססות על המקורות."),
        ("he", 0, 1, "חלקים רבים בתשובה דורשים בדיקה: הטענה היחידה שנספרה אינה מבוססת"),
    ],
)
def test_the_numbers_agree_with_their_words(
    language: str, grounded: int, total: int, words: str
) -> None:
    assert told(grounded=grounded, total=total, language=language).startswith(words)


@pytest.mark.parametrize(
    ("language", "skipped", "words"),
    [
        ("en", 1, "2 of 10 statements are not grounded in the sources, 1 more was not verified."),
        ("en", 3, "2 of 10 statements are not grounded in the sources, 3 more were not verified."),
        ("he", 1, "2 מתוך 10 טענות אינן מבוססות על המקורות, ועוד אחת לא אומתה."),
        ("he", 3, "2 מתוך 10 טענות אינן מבוססות על המקורות, ועוד 3 לא אומתו."),
    ],
)
def test_what_does_not_count_stands_beside_what_does(
    language: str, skipped: int, words: str
) -> None:
    assert told(grounded=8, skipped=skipped, language=language).endswith(words)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        (
            "en",
            "This answer was not checked in full. Not checked: 3 questions, 1 piece of code, "
            "1 statement beyond the maximum, 2 lines without a statement. "
            "28% of the text was verified.",
        ),
        (
            "he",
            "התשובה לא נבדקה במלואה. ללא בדיקה: 3 שאלות, קטע קוד אחד, "
            "טענה אחת מעבר למספר המרבי, 2 שורות ללא טענה. היקף האימות: 28% מהטקסט.",
        ),
    ],
)
def test_a_warning_names_all_that_was_left_out(language: str, words: str) -> None:
    unverified = [
        some(NonAssertive.QUESTION, 3),
        some(NonAssertive.CODE, 1),
        some(Reason.BEYOND_MAX_CLAIMS, 1),
    ]
    assert told(unverified, share=0.289, lines=2, language=language) == words


@pytest.mark.parametrize(
    ("language", "words"),
    [
        (
            "en",
            "3 of 10 statements are not grounded in the sources (2 uncertain), 1 more",
        ),
        ("he", "3 מתוך 10 טענות אינן מבוססות על המקורות (לא ודאיות: 2), ועוד אחת לא"),
    ],
)
def test_what_is_uncertain_is_counted_among_what_is_not_grounded(language: str, words: str) -> None:
    assert words in told(grounded=7, uncertain=2, skipped=1, language=language)


def test_the_likeliest_wrong_claim_is_to_be_reviewed_first() -> None:
    verdicts = [
        read(Verdict.SUPPORTED, 0.9),
        unread(Reason.NON_ASSERTIVE),
        read(Verdict.UNSUPPORTED, 0.2),
        unread(Reason.UNKNOWN_CITATION),
        read(Verdict.SUPPORTED, 0.6),
        read(Verdict.PRIOR_KNOWLEDGE, 0.9),
        unread(Reason.BEYOND_MAX_CLAIMS),
        read(Verdict.UNCERTAIN, 0.47),
        read(Verdict.MISCITED, 0.9),
        read(Verdict.CONTRADICTED, 0.2),
        unread(Reason.TOO_SHORT),
    ]
    claims = [claim("a", "a", verdict) for verdict in verdicts]
    assert review_order(claims) == (9, 2, 7, 4, 8, 0, 5, 3, 6)


def test_lines_without_a_claim_alone_are_worth_a_warning() -> None:
    assert told(lines=1, share=0.999) == (
        "Not checked: 1 line without a statement. 99% of the text was verified."
    )

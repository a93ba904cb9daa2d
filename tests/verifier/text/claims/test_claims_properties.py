"""What holds for any text at all."""

from itertools import islice, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire_verifier.domain.claims import Claim, ClaimOptions
from groundwire_verifier.text.claims.extract import extract_claims, iterate_claims

FRAGMENTS = (
    "Curie was born in X", " and ", "died in Y", ". ", "? ", "\n", "\n\n", "- ", "1. ", "# ", "> ",
    "| ", "|---|\n", "`", "```\n", "[S0]", "[S0-S3]", "[1]", "[^1]", "【1】", "[", "]", "(", ")",
    "](", "http://a.b/c", "a@b.c", '"', "“", "”", "״", "'", "’", "נולד ב", " ונפטר ", 'צה"ל',
    "I think that ", "80% ", "may ", "Dr. ", "U.S. ", "x[0] = 5", "\u200f", "\u202e", "\x00",
    "\x1c",
    "\u0301", "😀",
    "\r\n", "\t", ":", ";", ", but ", "**", "_", "…", "。", "\u2028", "If ", "SELECT * FROM a;",
    "Note that ", "שימו לב ש", "אולי ", "I am 80% sure that ", "the ", "is ",
    "[a](b)", "[1]: x\n", "ß", "İ", "ﬁ", "<br>",
)  # fmt: skip
texts = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join),
    st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=5)), max_size=30).map("".join),
)


def check(text: str, claims: tuple[Claim, ...]) -> None:
    for claim in claims:
        assert 0 <= claim.span.start < claim.span.end <= len(text)
        own = claim.span.of(text)
        assert own
        assert own == own.strip()
        assert claim.content == claim.content.strip()
        assert any(c.isalnum() for c in claim.content)
        assert claim.language in ("en", "he", "und")
        if claim.confidence is not None:
            assert 0.0 <= claim.confidence.value <= 1.0
            assert claim.confidence.span.of(text).strip()
        for citation in claim.citations:
            assert citation.ids
            assert citation.span.of(text)[0] in "[【"
            assert citation.span.of(text)[-1] in "]】"
        assert list(claim.citations) == sorted(claim.citations, key=lambda c: c.span)
    for one, next_one in pairwise(claims):
        assert one.span.end <= next_one.span.start


@settings(max_examples=200)
@given(texts)
def test_any_text_gives_claims_that_are_found_in_it(text: str) -> None:
    check(text, extract_claims(text))


@given(texts)
def test_the_same_holds_without_splitting(text: str) -> None:
    check(text, extract_claims(text, ClaimOptions(split_compounds=False)))


def test_a_caller_can_stop_at_a_limit() -> None:
    claims = iterate_claims("It works. " * 50)
    assert len(list(islice(claims, 3))) == 3
    assert len(list(claims)) == 47


@given(st.lists(st.sampled_from(["It works", ". ", " [S0]", "[S1, S2]", " and was ", "\n"])))
def test_no_content_holds_a_citation_that_was_read(pieces: list[str]) -> None:
    for claim in extract_claims("".join(pieces)):
        assert "[" not in claim.content

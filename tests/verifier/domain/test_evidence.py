"""What is removed from a context, and what stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire_verifier.domain.claims import NonAssertive, Span
from groundwire_verifier.domain.evidence import Document, Evidence, SourceRange

MARKER = "[GONE]"
DOCUMENTS = (
    Document("S0", "The tower is 330 m high.", "Height"),
    Document("S1", "It opened in 1889."),
    Document("S2", "It stands in Paris.", "Place\nand more"),
)


@pytest.fixture
def evidence() -> Evidence:
    return Evidence.of_documents(DOCUMENTS)


def test_documents_stand_in_their_order_below_ids_and_titles(evidence: Evidence) -> None:
    assert evidence.context == (
        "[S0] Height\nThe tower is 330 m high.\n\n"
        "[S1]\nIt opened in 1889.\n\n"
        "[S2] Place and more\nIt stands in Paris."
    )
    assert [r.span.of(evidence.context) for r in evidence.ranges] == [d.text for d in DOCUMENTS]


def test_documents_can_be_added_below_a_context() -> None:
    context = Evidence.of_context("It rained.", [SourceRange("S0", Span(3, 9))])
    both = context.and_documents([Document("T1", "It was wet.")])
    assert both.context == "It rained.\n\n[T1]\nIt was wet."
    assert both.ids == ("S0", "T1")
    assert both.text_of("T1") == "It was wet."
    assert both.without({"S0", "T1"}, MARKER) == "It [GONE].\n\n[T1]\n[GONE]"


def test_replacing_keeps_headings_ids_order_and_what_is_not_cited(evidence: Evidence) -> None:
    assert evidence.without({"S0", "S2"}, MARKER) == (
        "[S0] Height\n[GONE]\n\n[S1]\nIt opened in 1889.\n\n[S2] Place and more\n[GONE]"
    )


def test_ranges_that_touch_or_overlap_are_removed_once() -> None:
    ranges = [SourceRange(i, Span(*s)) for i, s in (("a", (2, 5)), ("b", (4, 7)), ("a", (7, 8)))]
    evidence = Evidence.of_context("0123456789", ranges)
    assert evidence.without({"a", "b"}, MARKER) == "01[GONE]89"


texts = st.text(min_size=1, max_size=40)


@given(st.lists(texts, min_size=1, max_size=6), st.data())
def test_whatever_is_removed_the_rest_stays_as_it_is(parts: list[str], data: st.DataObject) -> None:
    evidence = Evidence.of_documents([Document(f"S{i}", text) for i, text in enumerate(parts)])
    ids = data.draw(st.sets(st.sampled_from(evidence.ids), min_size=1))
    scrubbed = evidence.without(ids, "\x00")
    expected = "\n\n".join(
        f"[S{i}]\n" + ("\x00" if f"S{i}" in ids else text) for i, text in enumerate(parts)
    )
    assert scrubbed == expected


def test_a_title_is_removed_as_its_text_is(evidence: Evidence) -> None:
    scrubbed = evidence.without({"S0"}, MARKER, title_ids={"S0"})
    heading, *_ = scrubbed.split("\n")
    assert heading == f"[S0] {MARKER}"
    assert scrubbed.endswith(evidence.context[evidence.context.index("\n\n[S1]") :])


line = st.text(st.characters(exclude_categories=("Z", "C")), max_size=12)


@given(st.lists(st.tuples(texts, line), min_size=1, max_size=6), st.data())
def test_whatever_titles_are_removed_ids_order_and_the_rest_stay_as_they_are(
    parts: list[tuple[str, str]], data: st.DataObject
) -> None:
    documents = [Document(f"S{i}", text, title) for i, (text, title) in enumerate(parts)]
    evidence = Evidence.of_documents(documents)
    ids = data.draw(st.sets(st.sampled_from(evidence.ids), min_size=1))
    titles = data.draw(st.sets(st.sampled_from(sorted(ids))))
    scrubbed = evidence.without(ids, "\x00", title_ids=titles)

    def heading(document: Document) -> str:
        title = "\x00" if document.id in titles and document.title else document.title
        return f"[{document.id}] {title}".rstrip(" ")

    assert scrubbed == "\n\n".join(
        f"{heading(d)}\n" + ("\x00" if d.id in ids else d.text) for d in documents
    )


QUESTION = (Span(0, 6), NonAssertive.QUESTION)


def test_a_sentence_without_evidence_is_told_in_its_document() -> None:
    evidence = Evidence.of_documents([Document("a", "It is."), Document("b", "Is it? It is.")])
    (found,) = evidence.non_evidence([(), (QUESTION,)])
    assert (found.source_id, found.span, found.kind) == ("b", *QUESTION)
    assert found.place.of(evidence.context) == "Is it?"


def test_in_a_context_it_belongs_to_the_first_source_that_has_a_part_of_it() -> None:
    ranges = [SourceRange("a", Span(5, 9)), SourceRange("b", Span(0, 9))]
    evidence = Evidence.of_context("Is it? It is. Is it?", ranges)
    sentences = [QUESTION, (Span(14, 20), NonAssertive.QUESTION)]
    assert [each.source_id for each in evidence.non_evidence([sentences])] == ["a", ""]


def test_leaving_sentences_out_keeps_the_sources() -> None:
    evidence = Evidence.of_documents(
        [Document("a", "Is it? It is.", "Title"), Document("b", "Is it?"), Document("c", "Yes.")]
    )
    left = evidence.leaving_out(evidence.non_evidence([[QUESTION], [QUESTION], []]))
    assert left.context == "[a] Title\nIt is.\n\n[b]\n\n\n[c]\nYes."
    assert left.without({"a"}, MARKER, title_ids={"a"}) == (
        "[a] [GONE]\n[GONE]\n\n[b]\n\n\n[c]\nYes."
    )
    assert left.without({"b"}, MARKER) == ("[a] Title\nIt is.\n\n[b]\n[GONE]\n\n[c]\nYes.")


def test_a_line_of_which_nothing_is_left_goes() -> None:
    evidence = Evidence.of_context("Is it? Is it? \nIt is. Is it?\nIt was.\nIs it?")
    starts = (0, 7, 22, 37)
    found = [(Span(at, at + 6), NonAssertive.QUESTION) for at in starts]
    assert evidence.leaving_out(evidence.non_evidence([found])).context == "It is.\nIt was.\n"


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9)), max_size=6),
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 9)), min_size=1, max_size=6),
)
def test_what_is_left_of_a_range_is_its_text_without_the_sentences(
    cuts: list[tuple[int, int]], ranges: list[tuple[int, int]]
) -> None:
    text = "abcdefghijklmnopqrstuvwxyz0123456789ABCD"
    spans: list[Span] = []
    for start, length in sorted(cuts):
        if not spans or start >= spans[-1].end:
            spans.append(Span(start, start + length))
    sources = [SourceRange(str(i), Span(s, s + n)) for i, (s, n) in enumerate(ranges)]
    evidence = Evidence.of_context(text, sources)
    found = evidence.non_evidence([[(span, NonAssertive.QUESTION) for span in spans]])
    gone = "".join(span.of(text) for span in spans)
    left = evidence.leaving_out(found)
    for before, after in zip(evidence.ranges, left.ranges, strict=True):
        wanted = "".join(c for c in before.span.of(text) if c not in gone)
        assert after.span.of(left.context) == wanted

"""Which passages of long evidence can matter for a claim, and where they stand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire_verifier.domain.claims import NonAssertive, Span
from groundwire_verifier.domain.evidence import Document, Evidence, SourceRange
from groundwire_verifier.verdicts.windows import Windows
from tests.steps import calls_in

FILLER = "Nothing of note was said about the weather on that long day. " * 12
BUDGET = 800
TEXTS = st.text(alphabet="ab .\n!שמ0", min_size=1, max_size=300).filter(str.strip)


def evidence_of(*texts: str) -> Evidence:
    return Evidence.of_documents([Document(f"S{i}", text) for i, text in enumerate(texts)])


def chosen(evidence: Evidence, claim: str, *cited: str, characters: int = BUDGET) -> str:
    windows = Windows(evidence)
    found = windows.for_claim(claim, cited, characters)
    assert found is not None
    return windows.keeping(found).context


@pytest.mark.parametrize(
    ("claim", "right", "wrong"),
    [
        ("Anna Berg won the prize.", "In May the prize went to Anna Berg.", "Olav won the prize."),
        ("The bridge is 312 m long.", "Its length is 312 m.", "The bridge is old and long, 99 m."),
        ("המפעל בחיפה נסגר.", "בשנה שעברה נסגר המפעל שבחיפה.", "המפעל בעכו נפתח."),
        ("ההכנסות עמדו על 4,500 שקל.", "סך ההכנסות היה 4500 שקל.", "ההכנסות ירדו."),
        ("Kohl met Ada in Bonn.", "Kohl and Ada met in Bonn.", "Kohl and Eva met in Bonn."),
        ("東京タワーは赤い。", "東京タワーは赤い塔です。", "大阪城は白い城です。"),
    ],
)
def test_the_passage_with_the_claims_rare_words_is_found(
    claim: str, right: str, wrong: str
) -> None:
    evidence = evidence_of(*([FILLER] * 4), wrong, *([FILLER] * 3), right, FILLER)
    text = chosen(evidence, claim)
    assert right in text
    assert text.startswith("[S4]") or text.startswith("[S8]")


def test_a_question_counts_as_the_claim_does() -> None:
    evidence = evidence_of(FILLER, "The Arden bridge opened in May.", FILLER)
    assert "Arden" in chosen(evidence, "When did the Arden bridge open? It was spring.")


def test_a_title_counts_for_the_passages_below_it() -> None:
    documents = [
        Document("S0", "It opened in May. " * 20, "Bonn"),
        Document("S1", "It opened in May. " * 20, "Arden"),
        Document("S2", FILLER),
    ]
    text = chosen(Evidence.of_documents(documents), "The one in Arden opened in May.")
    assert text.startswith("[S1] Arden\nIt opened")


def test_of_each_cited_source_a_passage_is_read_whatever_it_says() -> None:
    evidence = evidence_of(*([FILLER] * 5), "Anna won the prize.")
    text = chosen(evidence, "Anna won the prize.", "S1", "S3", characters=100)
    assert [f"[S{i}]" in text for i in range(6)] == [False, True, False, True, False, False]


def test_a_budget_holds_but_for_the_first_passage() -> None:
    evidence = evidence_of(*(f"{FILLER} Anna won the prize." for _ in range(9)))
    assert len(chosen(evidence, "Anna won the prize.", characters=1500)) < 1600
    assert "Anna" in chosen(evidence, "Anna won the prize.", characters=10)


def test_words_that_the_evidence_does_not_hold_choose_nothing() -> None:
    windows = Windows(evidence_of(FILLER, FILLER))
    assert windows.for_claim("המגדל נפתח בשנת 1889", (), BUDGET) is None
    assert windows.best("המגדל נפתח בשנת 1889", (), 500) == {0}


def test_related_passages_share_words_with_the_claim() -> None:
    windows = Windows(evidence_of("Anna won.", "It rained in Bonn.", "The prize was Anna's."))
    assert windows.related("Anna won the prize.") == {0, 2}
    assert windows.related("Whales feed on krill.") == frozenset()


def test_passages_do_not_cross_the_ends_of_sources() -> None:
    context = "Before. First fact here. Second fact there. After."
    spans = [Span(8, 24), Span(25, 43)]
    evidence = Evidence.of_context(
        context, [SourceRange(f"S{i}", span) for i, span in enumerate(spans)]
    )
    windows = Windows(evidence)
    assert [span.of(context) for span in windows.spans] == [
        "Before.",
        "First fact here.",
        "Second fact there.",
        "After.",
    ]
    assert windows.of_no_source() == {0, 3}
    found = windows.read_passages({0, 1, 3})
    assert [(each.source_id, each.span.of(context)) for each in found] == [
        ("", "Before."),
        ("S0", "First fact here."),
        ("", "After."),
    ]


def test_ranges_keep_what_they_cover_when_passages_are_kept() -> None:
    context = "One. " * 200 + "The key. " + "Two. " * 200
    evidence = Evidence.of_context(context, [SourceRange("S0", Span(0, len(context)))])
    windows = Windows(evidence)
    kept = windows.keeping({0, len(windows.spans) - 1})
    assert kept.ids == ("S0",)
    assert kept.text_of("S0") == kept.context
    assert kept.context.count("\n") == 1


@given(texts=st.lists(TEXTS, min_size=1, max_size=4), size=st.integers(5, 60), data=st.data())
def test_kept_passages_are_exactly_those_of_the_callers_texts(
    texts: list[str], size: int, data: st.DataObject
) -> None:
    evidence = evidence_of(*texts)
    windows = Windows(evidence, size)
    numbers = data.draw(st.sets(st.sampled_from(range(len(windows.spans)))))
    kept = windows.keeping(numbers)
    by_id = {f"S{i}": text for i, text in enumerate(texts)}
    read = windows.read_passages(numbers)
    for passage in read:
        shown = passage.span.of(by_id[passage.source_id])
        assert shown == shown.strip() != ""
        assert shown in kept.text_of(passage.source_id)
    assert all(0 < span.end - span.start <= size for span in windows.spans)
    # Nothing else is kept but headings.
    letters = sum(len("".join(p.span.of(by_id[p.source_id]).split())) for p in read)
    assert sum(len("".join(kept.text_of(i).split())) for i in kept.ids) == letters
    every = windows.keeping(range(len(windows.spans)))
    assert "".join(every.context.split()) == "".join(evidence.context.split())


@given(text=st.lists(st.sampled_from(["Is it so? ", "It is 3. ", "Go! ", "\n", "  "]), min_size=1))
def test_positions_are_those_of_the_text_that_was_sent(text: list[str]) -> None:
    joined = "".join(text)
    if not joined.strip():
        return
    evidence = Evidence.of_documents([Document("A", joined), Document("B", joined)])
    found, at = [], 0
    for part in text:
        if part.strip() and part != "It is 3. ":
            found.append((Span(at, at + len(part.strip())), NonAssertive.QUESTION))
        at += len(part)
    left = evidence.leaving_out(evidence.non_evidence([found, found]))
    windows = Windows(left, 20)
    for number, span in enumerate(windows.spans):
        (passage,) = windows.read_passages({number})
        sent = passage.span.of(joined)
        assert (sent[0], sent[-1]) == (left.context[span.start], left.context[span.end - 1])
        assert sent.count("It is 3.") == span.of(left.context).count("It is 3.")


def test_work_grows_with_the_text_and_not_with_sources_times_text() -> None:
    text = "word " * 4000

    def steps(count: int) -> int:
        ranges = [SourceRange(f"S{i}", Span(i, len(text))) for i in range(count)]
        return calls_in(lambda: Windows(Evidence.of_context(text, ranges)))

    assert steps(800) < 3 * steps(100)

"""Which brackets are citations, which ids they name, and which claims they belong to."""

import pytest

from groundwire_verifier.domain.claims import (
    BracketStyle,
    CitationSyntax,
    ClaimOptions,
    Languages,
    NonAssertive,
)
from groundwire_verifier.text.claims.extract import extract_claims, iterate_claims
from groundwire_verifier.text.claims.markup.citations import MAX_RANGE, TooManyIdsError

PLAIN = ClaimOptions()
HANDBOOK = ClaimOptions(citations=CitationSyntax(known_ids=frozenset({"handbook"})))


def cited(text: str, options: ClaimOptions = PLAIN) -> list[tuple[str, tuple[str, ...]]]:
    return [(claim.content, claim.cited_ids) for claim in extract_claims(text, options)]


@pytest.mark.parametrize(
    ("written", "ids"),
    [
        ("[S0]", ("S0",)),
        ("[S0, S1]", ("S0", "S1")),
        ("[S0; S1]", ("S0", "S1")),
        ("[S0][S1]", ("S0", "S1")),
        ("[S0] [S1]", ("S0", "S1")),
        ("[S0-S2]", ("S0", "S1", "S2")),
        ("[S0–S2]", ("S0", "S1", "S2")),
        ("[S0–2]", ("S0", "S1", "S2")),
        ("[1-3]", ("1", "2", "3")),
        ("[1, 3-4]", ("1", "3", "4")),
        ("[1]", ("1",)),
        ("[^1]", ("1",)),
        ("【1】", ("1",)),
        ("【1†source】", ("1",)),
        ("【4:0†source】", ("4:0",)),
        ("([S0])", ("S0",)),
        ("[S7, S999]", ("S7", "S999")),
        ("[S2-S2]", ("S2",)),
        ("[S3-S1]", ("S3", "S1")),
        ("[1, 2]", ("1", "2")),
    ],
)
def test_a_citation_names_its_ids(written: str, ids: tuple[str, ...]) -> None:
    assert cited(f"It returns forty {written}.") == [("It returns forty.", ids)]


@pytest.mark.parametrize(
    "text",
    [
        "The call `a[1]` returns [text](http://a.b/1) of it.",
        "The list a[i] is short.",
        "The item x[0] is short.",
        "The value row_2[1] is short.",
        "The interval [0, 1] is closed.",
        "He wrote [sic] of it.",
        "In [1945] it ended.",
        "It links to [1](http://a.b).",
        "The link [text][1] is old.",
        "The list is [1, 2, 3].",
        "The vector [1, 2, 3] is long.",
        "Use of arr[1] is rare.",
    ],
)
def test_other_brackets_are_no_citations(text: str) -> None:
    (claim,) = extract_claims(text)
    assert claim.citations == ()


@pytest.mark.parametrize(
    "text",
    [
        "It returns 42. [S0] It retries. [S1]",
        "It returns 42.[S0] It retries.[S1]",
        "It returns 42.[S0]It retries.[S1]",
        "It returns 42 [S0]. It retries [S1].",
        "[S0] It returns 42. [S1] It retries.",
        "[S0] It returns 42. It retries. [S1]",
        "- It returns 42. [S0]\n- It retries. [S1]",
        "It returns 42.\n[S0]\nIt retries. [S1]",
    ],
)
def test_each_sentence_has_its_own(text: str) -> None:
    assert cited(text) == [("It returns 42.", ("S0",)), ("It retries.", ("S1",))]


def test_a_citation_does_not_leave_its_paragraph() -> None:
    assert cited("It works.\n\n[S0] It fails.") == [("It works.", ()), ("It fails.", ("S0",))]


def test_a_range_that_is_too_wide_names_its_ends() -> None:
    ((_, ids),) = cited(f"It works [S1-S{MAX_RANGE + 1}].")
    assert ids == ("S1", f"S{MAX_RANGE + 1}")
    ((_, ids),) = cited(f"It works [S1-S{MAX_RANGE}].")
    assert len(ids) == MAX_RANGE


def test_a_known_id_is_one_in_any_form() -> None:
    assert cited("It works [handbook].", HANDBOOK) == [("It works.", ("handbook",))]
    assert cited("It works [manual].", HANDBOOK) == [("It works [manual].", ())]


def test_an_unknown_id_beside_a_certain_one_is_kept() -> None:
    assert cited("It works [S0, manual].") == [("It works.", ("S0", "manual"))]


def test_styles_and_prefixes_can_be_left_out() -> None:
    syntax = CitationSyntax(styles=frozenset({BracketStyle.CARET}), prefixes=("D",))
    options = ClaimOptions(citations=syntax)
    assert cited("It [D1] works [^D2] well 【D3】.", options) == [
        ("It [D1] works well 【D3】.", ("D2",))
    ]


def test_definitions_are_neither_claims_nor_citations() -> None:
    text = "It works [^1].\n\n[^1]: A note.\n[2]: http://a.b/c\n[^3]: <http://a.b/d> 'Title'"
    works, note = extract_claims(text)
    assert (works.content, works.cited_ids) == ("It works.", ("1",))
    assert (note.content, note.citations) == ("A note.", ())
    assert note.non_assertive is NonAssertive.LEAD_IN


def test_a_citation_before_a_colon_leads_its_claim() -> None:
    text = "[S0]: The tower is 330 m tall.\n[S1]: It opened in 1889."
    assert cited(text) == [("The tower is 330 m tall.", ("S0",)), ("It opened in 1889.", ("S1",))]


@pytest.mark.parametrize(
    "written",
    ["**[S0]**", "*[S0]*", "[[S0]]", "[[S0]](http://a.b/c)", "[S0](http://a.b/c)", "^[S0]",
     "<sup>[S0]</sup>", "([S0])", "(see [S0])", "(source: [S0])", "(**[S0]**)"],
)  # fmt: skip
def test_what_is_around_a_citation_goes_with_it(written: str) -> None:
    for text in (f"The tower is tall {written}.", f"The tower is tall. {written}"):
        assert cited(text) == [("The tower is tall.", ("S0",))]
    assert cited(f"The tower {written} is tall.") == [("The tower is tall.", ("S0",))]


@pytest.mark.parametrize(
    ("written", "ids"),
    [
        ("[S0 and S1]", ("S0", "S1")),
        ("[S0, page 5]", ("S0",)),
        ("[S0, p. 5]", ("S0",)),
        ("[S0, pp. 5-7]", ("S0",)),
        ("[source: S0]", ("S0",)),
        ("[Source S0]", ("S0",)),
        ("[Source 1]", ("1",)),
        ("[Sources: S0, S7]", ("S0", "S7")),
        ("[s0]", ("s0",)),
    ],
)
def test_other_written_forms_are_read_as_written(written: str, ids: tuple[str, ...]) -> None:
    known = ClaimOptions(citations=CitationSyntax(known_ids=frozenset({"S0"})))
    assert cited(f"The tower is tall {written}.", known) == [("The tower is tall.", ids)]


@pytest.mark.parametrize("text", ["The tower is tall.\n\n[S0]", "- The tower is tall.\n\n([S0])",
                                  "The tower is tall.\n\nSource: [S0]"])  # fmt: skip
def test_a_paragraph_of_citations_belongs_to_the_claim_before(text: str) -> None:
    assert cited(text) == [("The tower is tall.", ("S0",))]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("[S0] says the tower is tall.", "The tower is tall."),
        ("[S0] states that towers are tall.", "Towers are tall."),
        ("[S0] and [S1] agree that the tower is tall.", "The tower is tall."),
        ("Both [S0] and [S1] say that the tower is tall.", "The tower is tall."),
        ("[S0] does not mention the tower.", "[S0] does not mention the tower."),
        ("[S0] denies that the tower is tall.", "[S0] denies that the tower is tall."),
    ],
)
def test_a_citation_that_is_a_subject_leaves_a_sentence(text: str, content: str) -> None:
    (claim,) = extract_claims(text)
    assert claim.content == content
    assert claim.cited_ids[0] == "S0"


def test_a_list_of_sources_asserts_nothing() -> None:
    text = "Sources:\n[1] Smith 2020\n[2] Jones 2021"
    reasons = {claim.non_assertive for claim in extract_claims(text)}
    assert reasons == {NonAssertive.HEADING, NonAssertive.LEAD_IN}
    *_, claim = extract_claims("Sources:\n[1] The tower was closed in 1990.")
    assert claim.non_assertive is None


def test_parts_share_the_citations_of_their_sentence() -> None:
    assert cited("Curie was born in Warsaw and died in Passy [S0].") == [
        ("Curie was born in Warsaw.", ("S0",)),
        ("Curie died in Passy.", ("S0",)),
    ]


def test_a_part_with_citations_of_its_own_keeps_to_them() -> None:
    assert cited("Curie was born in Warsaw [S0] and died in Passy [S1].") == [
        ("Curie was born in Warsaw.", ("S0",)),
        ("Curie died in Passy.", ("S1",)),
    ]


def test_a_span_leaves_out_the_citations_at_its_ends() -> None:
    text = "[S9] It returns 42 [S0] quickly [S1]."
    (claim,) = extract_claims(text)
    assert claim.span.of(text) == "It returns 42 [S0] quickly"
    assert claim.content == "It returns 42 quickly."
    assert [c.span.of(text) for c in claim.citations] == ["[S9]", "[S0]", "[S1]"]


@pytest.mark.parametrize(
    "text",
    [
        "According to [S0], it works.",
        "As [S0] says, it works.",
        "In [S0], it works.",
    ],
)
def test_a_lead_that_is_nothing_without_its_citation_goes_with_it(text: str) -> None:
    assert cited(text) == [("It works.", ("S0",))]


def test_a_list_of_citations_leaves_no_commas() -> None:
    assert cited("It works ([S0], [S1]) today.") == [("It works today.", ("S0", "S1"))]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("According to [S0] the tower is tall.", "According to [S0] the tower is tall."),
        ("The claim in [S0] is wrong.", "The claim in [S0] is wrong."),
        ("In [S0] the tower is called tall.", "In [S0] the tower is called tall."),
        ("This is what it is made of [S0].", "This is what it is made of."),
    ],
)
def test_a_citation_that_a_preposition_leads_to_is_a_word(text: str, content: str) -> None:
    (claim,) = extract_claims(text)
    assert claim.content == content
    assert claim.cited_ids == ("S0",)


def test_the_ids_of_a_text_have_a_limit() -> None:
    text = "It works [S1-S100]. It stops [S1]."
    assert sum(len(claim.cited_ids) for claim in iterate_claims(text, max_ids=101)) == 101
    with pytest.raises(TooManyIdsError):
        list(iterate_claims(text, max_ids=100))


def test_ids_count_before_they_belong_to_a_claim() -> None:
    paragraphs = "\n\n[S1-S100]" * 30
    with pytest.raises(TooManyIdsError):
        list(iterate_claims(paragraphs, max_ids=2999))


def test_ids_count_for_each_claim_that_a_citation_belongs_to() -> None:
    cited = "It was born in X and was raised in Y [S1-S100]."
    assert len(list(iterate_claims(cited, max_ids=200))) == 2
    with pytest.raises(TooManyIdsError):
        list(iterate_claims(cited, max_ids=199))


def cited_known(text: str, *known: str) -> list[tuple[str, tuple[str, ...]]]:
    options = ClaimOptions(citations=CitationSyntax(known_ids=frozenset(known)))
    return [(claim.content, claim.cited_ids) for claim in extract_claims(text, options)]


@pytest.mark.parametrize(
    ("text", "known", "ids"),
    [
        ("The tower is 84 m high.¹ It leans by 2 degrees.²", ("1", "2"), [("1",), ("2",)]),
        ("The tower was built in 1902 ¹. It leans by 2 degrees ¹ ².", ("1", "2"),
         [("1",), ("1", "2")]),
        ("The tower leans by 2 degrees ¹³ ².", ("13", "2"), [("13", "2")]),
        ("המגדל נבנה בשנת 1902 ².", ("1", "2"), [("2",)]),
        ("The tower was built in 1902 (1). It leans (2)!", ("1", "2"), [("1",), ("2",)]),
        ("It leans by 2 degrees (source 2). It fell (Doc 1).", ("1", "2"), [("2",), ("1",)]),
        ("The tower is 84 m high (S0, S1).", ("S0", "S1"), [("S0", "S1")]),
        ("Rent is 900 【4:0†lease.pdf】.", ("lease.pdf",), [("lease.pdf",)]),
        ("Sales rose by 4 % ^[report 2025.pdf, notes-26.md].", ("report 2025.pdf", "notes-26.md"),
         [("report 2025.pdf", "notes-26.md")]),
        ("The lease ends in May [Vertrag [v2], final].", ("Vertrag [v2], final", "S0"),
         [("Vertrag [v2], final",)]),
        ("המגדל גבוה (חוזה שכירות).", ("חוזה שכירות",), [("חוזה שכירות",)]),
        ("It leans [https://a.example/b?c=d]. It fell (https://a.example/b?c=d, S0).",
         ("https://a.example/b?c=d", "S0"),
         [("https://a.example/b?c=d",), ("https://a.example/b?c=d", "S0")]),
    ],
)  # fmt: skip
def test_known_ids_are_cited_in_all_the_forms_that_models_write(
    text: str, known: tuple[str, ...], ids: list[tuple[str, ...]]
) -> None:
    found = cited_known(text, *known)
    assert [each for _, each in found] == ids
    assert not any(mark in content for content, _ in found for mark in "¹²()[]【^")


@pytest.mark.parametrize(
    "text",
    [
        "It has two sides (1) and a roof.",
        "The value is (1).",
        "The plot covers 10 m² of land.",
        "The plot covers 10 km ².",
        "The plot covers x ², no more.",
        "The sum is f(1).",
        "The call a[1] fails.",
        "In Python, A[1] is the second item.",
        "המערך a[1] ריק.",
        "a[1] is empty.",
        "The value x[1] is empty.",
        "The entry y[1] is empty.",
        "For each A[1] there is a row.",
        "(1) The tower is high.",
        "Its picture is at the museum [https://b.example/1].",
    ],
)
def test_a_number_that_cites_nothing_stays_a_number(text: str) -> None:
    assert [ids for _, ids in cited_known(text, "1", "2")] == [()]


@pytest.mark.parametrize(
    "text",
    [
        "Vitamin C[1] helps.",
        "They chose plan A[1].",
        "Is it a[1]?",
        "ויטמין C[1] עוזר.",
        "It is 5 m[1] high.",
        "It weighs 84.5 g[1] or so.",
        "It went 3 km/h[1] there.",
        "It was 40 °C[1] outside.",
        "Type-A[1] people run.",
        "She got a B[1] in May.",
        "Le pont a[1] été fermé.",
        "Il y a[1] trois ponts.",
        "Le pont, vieux, a[1] cédé.",
        "El pan y[1] la sal.",
        "Il pane e[1] il sale.",
    ],
)
def test_a_number_at_a_letter_that_is_no_variable_cites(text: str) -> None:
    assert [ids for _, ids in cited_known(text, "1", "2")] == [("1",)]


@pytest.mark.parametrize("text", ["It was built in 1902 (1).", "It is 84 m high.¹"])
def test_forms_of_no_known_id_stay_text(text: str) -> None:
    assert cited_known(text, "S0") == [(text, ())]


def test_a_list_of_references_says_which_source_a_number_is() -> None:
    text = "Rent is 900 [1]. It rose [2].\n\nReferences:\n[1]: lease.pdf\n[2] notes 26.md"
    assert [ids for _, ids in cited_known(text, "lease.pdf", "notes 26.md")][:2] == [
        ("lease.pdf",),
        ("notes 26.md",),
    ]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Rent is 900 [1].\n\nSources:\n1. mast.pdf\n2. b.pdf", ("mast.pdf",)),
        ("Rent is 900 [2].\n\n**References**\n- [1] mast.pdf\n- [2] b.pdf", ("b.pdf",)),
        ("שכר הדירה הוא 900 [2].\n\n## מקורות\n1) mast.pdf\n2) b.pdf", ("b.pdf",)),
        ("Rent is 900 [1].\n\nSteps:\n1. mast.pdf\n2. b.pdf", ("1",)),
        ("Rent is 900 [1].\n\nSources:\n1. other.pdf\n2. b.pdf", ("1",)),
        ("שכר הדירה הוא 900 [3].\n\nמקורות:\n1. mast.pdf\n2. b.pdf", ("3",)),
    ],
)
def test_an_entry_of_a_list_of_sources_says_which_one_its_number_is(
    text: str, ids: tuple[str, ...]
) -> None:
    assert cited_known(text, "mast.pdf", "b.pdf")[0][1] == ids


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("השער עשוי ברזל [מסמך 2].", ("2",)),
        ("השער עשוי ברזל (מסמך 2).", ("2",)),
        ("השער עשוי ברזל (מקורות 1 ו-2).", ("1", "2")),
        ("השער עשוי ברזל [מסמכים 1 ו־2].", ("1", "2")),
        ("Das Tor ist aus Eisen [Dokument 2].", ("2",)),
        ("Das Tor ist aus Eisen (Dokumente 1 und 2).", ("1", "2")),
        ("השער עשוי ברזל (מסמך 7).", ()),
        ("השער עשוי ברזל (מסמך שנכתב ב-2).", ()),
        ("Das Tor ist aus Eisen (Dokument der Stufe 2).", ()),
    ],
)
def test_a_source_is_called_a_document_in_other_languages_too(
    text: str, ids: tuple[str, ...]
) -> None:
    assert cited_known(text, "1", "2")[0][1] == ids


NAMED = ClaimOptions(
    citations=CitationSyntax(
        known_ids=frozenset(("S0", "1", "2")),
        titles={"tower guide": "S0", "lease, 2nd edition": "2"},
    )
)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("It leans (Source 1, Source 2).", ("1", "2")),
        ("It leans <sup>1</sup>.", ("1",)),
        ("It leans⁽¹⁾.", ("1",)),
        ("It leans [#1].", ("1",)),
        ("It leans [id: S0].", ("S0",)),
        ("Er ist schief [Quelle 1].", ("1",)),
        ("It leans [Tower guide].", ("S0",)),
        ("It leans (source: Tower Guide).", ("S0",)),
        ("It leans 【4:0†Tower guide】.", ("S0",)),
        ("It leans [Lease, 2nd edition].", ("2",)),
        ("It leans (see source 2).", ("2",)),
        ("It leans (see S0).", ("S0",)),
        ("הוא נוטה (ראו מקור 2).", ("2",)),
        ("It leans (see the source).", ()),
        ("It leans [9].\n\nSources:\n[9]: Tower guide", ("S0",)),
        ("It leans <sup>7</sup>.", ()),
        ("It leans (see the guide).", ()),
        ("It leans (tower).", ()),
    ],
)
def test_a_source_is_cited_by_number_or_title_in_any_form(text: str, ids: tuple[str, ...]) -> None:
    assert extract_claims(text, NAMED)[0].cited_ids == ids


SOURCES = ClaimOptions(citations=CitationSyntax(known_ids=frozenset({"S1", "doc-2", "3", "river"})))


@pytest.mark.parametrize(
    ("text", "content", "ids"),
    [
        ("According to S1, the river rose.", "The river rose.", ("S1",)),
        ("As S1 says, the river rose.", "The river rose.", ("S1",)),
        ("As S1 and doc-2 say, the river rose.", "The river rose.", ("S1", "doc-2")),
        ("According to S1 and doc-2, the river rose.", "The river rose.", ("S1", "doc-2")),
        ("Per doc-2, the river rose in May.", "The river rose in May.", ("doc-2",)),
        ("According to source S1, the river rose.", "The river rose.", ("S1",)),
        ("According to the document 3, the river rose.", "The river rose.", ("3",)),
        ("לפי S1, הנהר עלה במאי.", "הנהר עלה במאי.", ("S1",)),
        ("על פי מקור S1, הנהר עלה במאי.", "הנהר עלה במאי.", ("S1",)),
        ("- According to S1, the river rose.", "The river rose.", ("S1",)),
    ],
)
def test_a_source_that_a_sentence_names_before_what_it_says_is_cited(
    text: str, content: str, ids: tuple[str, ...]
) -> None:
    assert cited(text, SOURCES) == [(content, ids)]


@pytest.mark.parametrize(
    "text",
    [
        "According to S1 Motors, the car is red.",
        "According to S7, the river rose.",
        "According to river, the road is closed.",
        "Per 3, the price is lower.",
        "As S1, the driver stopped in May.",
        "The board voted, as S1 says, in May.",
        "לפי S1 מוטורס, המכונית אדומה.",
        "לפי river, הכביש סגור.",
    ],
)
def test_what_is_no_id_of_a_source_or_a_part_of_a_longer_name_is_not_cited(text: str) -> None:
    assert cited(text, SOURCES) == [(text, ())]


def test_a_source_that_is_named_so_is_not_cited_where_its_line_cites_otherwise() -> None:
    text = "According to S1, the river rose [doc-2].\nAccording to S1, the road fell."
    assert [ids for _, ids in cited(text, SOURCES)] == [("doc-2",), ("S1",)]
    assert cited("According to S1, it is `a, b`.", SOURCES)[0][1] == ()


@pytest.mark.parametrize("mark", ["- [ ]", "- [x]", "* [X]", "1. [x]"])
def test_the_mark_of_a_task_is_no_citation_and_no_part_of_its_claim(mark: str) -> None:
    options = ClaimOptions(citations=CitationSyntax(known_ids=frozenset({"x", "X", "S1"})))
    assert cited(f"{mark} The wall was painted in May [S1].", options) == [
        ("The wall was painted in May.", ("S1",))
    ]


def test_numbers_with_names_at_the_end_are_a_list_of_references_without_a_title() -> None:
    text = "Rent is 900 [1]. It rose [2].\n\n[1]: lease.pdf\n[2]: notes.md"
    options = ClaimOptions(citations=CitationSyntax(known_ids=frozenset(("lease.pdf", "notes.md"))))
    claims = [claim for claim in extract_claims(text, options) if not claim.non_assertive]
    assert [claim.cited_ids for claim in claims] == [("lease.pdf",), ("notes.md",)]


def test_a_sentence_behind_a_number_in_brackets_is_a_claim() -> None:
    claims = extract_claims("[1]: The rent is 900 euros.\n[2]: It rose in May.")
    assert [claim.non_assertive for claim in claims] == [None, None]


@pytest.mark.parametrize(
    ("language", "text", "content"),
    [
        ("en", "The river rose, according to [S0].", "The river rose."),
        ("en", "The river rose according to [S0].", "The river rose."),
        ("en", "The river rose, according to source [S0], by 2 m.", "The river rose by 2 m."),
        ("en", "The roof is slate, see [S0].", "The roof is slate."),
        ("en", "The tower is tall, as described in [S0].", "The tower is tall."),
        ("en", "Per source [S0], the path is 4 km long.", "The path is 4 km long."),
        ("he", "המעלית מחזיקה שמונה אנשים, לפי [S0].", "המעלית מחזיקה שמונה אנשים."),
        ("he", "לפי [S0] המעלית מחזיקה שמונה אנשים.", "המעלית מחזיקה שמונה אנשים."),
        ("en", "The fee — see [S0].", "The fee."),
        ("en", "From [S0]: the fee is 12 euros.", "The fee is 12 euros."),
        ("en", "Source [S0] says the fee is 12 euros.", "The fee is 12 euros."),
        ("he", "הנהר עלה, כפי שמצוין ב-[S0].", "הנהר עלה."),
        ("he", "הדמי, לפי [S0], הם 12 אירו.", "הדמי הם 12 אירו."),
        ("en", "As listed in [S0], the fee is 12 euros.", "The fee is 12 euros."),
        ("en", "The fee is 12 euros (as per [S0]).", "The fee is 12 euros."),
        ("he", "דמי הכניסה הם 12 אירו (על פי [S0]).", "דמי הכניסה הם 12 אירו."),
        ("he", "כפי שפורסם ב-[S0] האולם נסגר בחצות.", "האולם נסגר בחצות."),
        ("de", "Der Saal ist voll (gemäß [S0]).", "Der Saal ist voll."),
        ("de", "Der Saal ist voll (Quelle: [S0]).", "Der Saal ist voll."),
        ("de", "Der Saal fasst laut [S0] 300 Personen.", "Der Saal fasst 300 Personen."),
        ("de", "Der Saal fasst 300 Personen (siehe [S0]).", "Der Saal fasst 300 Personen."),
        ("fr", "Selon [S0], la salle est pleine.", "La salle est pleine."),
        ("fr", "La salle est pleine, d'après [S0].", "La salle est pleine."),
        ("es", "La sala tiene 300 plazas, según [S0].", "La sala tiene 300 plazas."),
        ("it", "La sala ha 300 posti, come indicato in [S0].", "La sala ha 300 posti."),
        ("pt", "De acordo com [S0], a sala tem 300 lugares.", "A sala tem 300 lugares."),
        ("nl", "De zaal is vol, volgens [S0].", "De zaal is vol."),
        ("ru", "Согласно [S0], зал вмещает 300 человек.", "Зал вмещает 300 человек."),
        ("zh", "根据[S0]，大厅可容纳300人。", "大厅可容纳300人。"),
        ("ja", "[S0]によると、ホールの定員は300人です。", "ホールの定員は300人です。"),
    ],
)
def test_words_that_only_lead_to_a_citation_are_no_part_of_the_claim(
    language: str, text: str, content: str
) -> None:
    assert cited(text, ClaimOptions(languages=Languages(language, language))) == [
        (content, ("S0",))
    ]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Laut [S0] beträgt die Miete 900 Euro."),
        ("de", "Wie in [S0] angegeben, beträgt die Miete 900 Euro."),
        ("de", "[S0] zufolge beträgt die Miete 900 Euro."),
        ("nl", "Volgens [S0] bedraagt de huur 900 euro."),
        ("sv", "Enligt [S0], är hyran 900 euro."),
        ("da", "Ifølge [S0] er huslejen 900 euro."),
        ("de", "[S0] besagt, dass die Miete 900 Euro beträgt."),
        ("fr", "Comme le précise [S0], le loyer est de 900 euros."),
        ("cs", "Podle [S0] činí nájem 900 eur."),
        ("fi", "[S0] mukaan vuokra on 900 euroa."),
        ("ko", "[S0]에 따르면 임대료는 900유로입니다."),
        ("uk", "Згідно з [S0], плата становить 900 євро."),
        ("ar", "كما ورد في [S0]، الإيجار 900 يورو."),
        ("zh", "资料[S0]显示，租金为900欧元。"),
        ("he", "ב-[S0] כתוב שהגשר נסגר."),
    ],
)
def test_a_lead_stays_where_no_sentence_would_be_left(language: str, text: str) -> None:
    options = ClaimOptions(languages=Languages(language, language))
    assert cited(text, options) == [(text, ("S0",))]


def test_a_citation_beside_a_whole_sentence_leaves_it() -> None:
    options = ClaimOptions(languages=Languages("de"))
    for written in ("Laut [S0]: {}.", "[S0] {}.", "{} [S0]."):
        text = written.format("Der Turm ist hoch")
        assert cited(text, options) == [("Der Turm ist hoch.", ("S0",))]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("The plan went ahead, according to S0.", "The plan went ahead."),
        ("התוכנית אושרה, לפי S0.", "התוכנית אושרה."),
        ("Die Halle ist voll laut S0.", "Die Halle ist voll."),
    ],
)
def test_a_source_is_named_without_brackets_behind_a_statement(text: str, content: str) -> None:
    known = ClaimOptions(citations=CitationSyntax(known_ids=frozenset({"S0"})))
    assert cited(text, known) == [(content, ("S0",))]


@pytest.mark.parametrize(
    "text",
    ["The car won, according to S0 Motors.", "The result varies, according to S9."],
)
def test_what_no_source_is_called_is_a_part_of_the_claim(text: str) -> None:
    known = ClaimOptions(citations=CitationSyntax(known_ids=frozenset({"S0"})))
    assert cited(text, known) == [(text, ())]

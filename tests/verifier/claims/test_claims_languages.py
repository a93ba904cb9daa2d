"""Texts in languages without rules of their own: generic ones read them."""

import pytest

from groundwire_verifier.claims.extract import extract_claims
from groundwire_verifier.domain.claims import ClaimOptions, Languages, NonAssertive


def kinds(text: str, language: str) -> list[str]:
    """What each claim is, `CLAIM` for an assertion; the language is that of all of the text."""
    found = extract_claims(text, ClaimOptions(languages=Languages(language, language)))
    assert {claim.language for claim in found} == {language}
    return ["CLAIM" if c.non_assertive is None else c.non_assertive.name for c in found]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Das Museum hat drei Etagen:\n\n- Es regnet oft\n- Kinder zahlen nichts"),
        ("de", "Nehmen Sie zwei Tabletten. Öffnen Sie die Tür. Die Karte gilt zwei Tage."),
        (
            "fr",
            "Le musée ouvre à 9 h. Il est certain que la carte est gratuite. Peut-être ferme-t-il.",
        ),
        ("es", "Abre a las 9. Cierra a las 17. La entrada es gratuita"),
        ("nl", "Het zwembad is open. De kaart kost 6 euro. Kinderen mogen er gratis in"),
        ("zh", "桥上禁止停车。桥长503米。青溪桥建于1931年。"),
        ("ru", "Музей открыт с 9 до 17. Билет стоит 500 рублей. Дети проходят бесплатно."),
        ("ar", "المتحف مفتوح من التاسعة. سعر التذكرة ٥٠ ريالا. الأطفال مجانا مع أهلهم."),
        ("ja", "美術館は9時に開きます。入場料は500円です。駐車場はありません。"),
    ],
)
def test_every_sentence_of_another_language_is_a_claim(language: str, text: str) -> None:
    assert kinds(text, language) == ["CLAIM"] * 3


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("de", "Gibt es Rabatt?"),
        ("el", "Πότε ανοίγει το μουσείο;"),
        ("el", "Πότε ανοίγει το μουσείο\u037e"),
        ("es", "¿Hay aparcamiento?"),
        ("ar", "هل التذكرة مجانية؟"),
        ("zh", "桥宽吗？"),
    ],
)
def test_a_question_is_told_by_the_marks_of_all_scripts(language: str, question: str) -> None:
    assert kinds(question, language) == ["QUESTION"]


@pytest.mark.parametrize(
    ("language", "text", "kind"),
    [
        ("de", "Hier sind die wichtigsten Punkte:\n\n- Der Eintritt ist frei", "LEAD_IN"),
        ("de", "Gerne!\n\nDer Eintritt ist frei.", "LEAD_IN"),
        ("de", "## Wichtige Hinweise zum Besuch\n\nDer Eintritt ist frei.", "HEADING"),
        ("de", "Preise\n\nDer Eintritt ist frei.", "HEADING"),
        ("fr", "Bonjour !\n\nL'entrée est gratuite.", "LEAD_IN"),
        ("zh", "以下是要点：\n\n- 桥上禁止停车", "LEAD_IN"),
        ("de", "## Eintritt: 12 Euro\n\nDer Eintritt ist frei.", "CLAIM"),
        ("de", "Nur 12 Euro!\n\nDer Eintritt ist frei.", "CLAIM"),
        ("de", "Das Museum ist geschlossen\n\nDer Eintritt ist frei.", "CLAIM"),
        ("fr", "Le musée a fermé ses portes définitivement !\n\nL'entrée est gratuite.", "CLAIM"),
        ("zh", "美术馆一共有三层楼和两个花园：\n\n- 桥上禁止停车", "CLAIM"),
    ],
)
def test_cries_and_titles_are_told_by_their_form(language: str, text: str, kind: str) -> None:
    assert kinds(text, language) == [kind, "CLAIM"]


def test_words_that_mean_something_in_english_mean_nothing_in_another_language() -> None:
    text = "Das Museum bietet Führungen an"
    (german,) = extract_claims(text, ClaimOptions(languages=Languages("de")))
    (english,) = extract_claims(text)
    assert (german.ending.name, english.ending.name) == ("WHOLE", "CUT")

    text = "Un certain nombre de salles est possible"
    (french,) = extract_claims(text, ClaimOptions(languages=Languages("fr")))
    assert french.confidence is None


def test_a_sentence_in_another_script_than_the_text_keeps_its_rules() -> None:
    text = "桥长503米。 Open the door. הכניסה חינם לילדים."
    found = extract_claims(text, ClaimOptions(languages=Languages(other="zh")))
    assert [claim.language for claim in found] == ["zh", "en", "he"]
    assert found[1].non_assertive is NonAssertive.INSTRUCTION


def test_a_table_of_another_language_is_told_without_english_words() -> None:
    text = "| Tarif | Preis |\n|---|---|\n| Basis | 10 € |\n| Pro | 20 € |"
    found = extract_claims(text, ClaimOptions(languages=Languages("de")))
    assert [c.content for c in found if c.non_assertive is None] == [
        "Basis, Preis: 10 €.",
        "Pro, Preis: 20 €.",
    ]

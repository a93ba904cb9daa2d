"""Texts in languages without rules of their own: generic ones read them."""

import pytest

from groundwire_verifier.domain.claims import ClaimOptions, Languages, NonAssertive
from groundwire_verifier.text.claims.extract import extract_claims


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


ABSENCES = [
    ("fr", "Les documents ne précisent pas le prix de l'entrée.", "le prix de l'entrée"),
    ("fr", "Je n'ai pas trouvé d'information sur le parking dans les documents.", "le parking"),
    ("fr", "Le manuel ne dit pas combien de temps dure la garantie.", "combien de temps"),
    ("de", "Wie viel der Eintritt kostet, geht aus den Quellen nicht hervor.", "wie viel"),
    ("de", "Leider enthält der Text keine Informationen zu den Öffnungszeiten.", "Öffnungszeiten"),
    ("de", "Der Preis wird im Text nicht erwähnt.", "der Preis"),
    ("es", "El manual no dice cuánto dura la garantía.", "cuánto dura la garantía"),
    ("es", "No he encontrado información sobre el aparcamiento en los documentos.", "aparcamiento"),
    ("it", "Il prezzo non è indicato nelle fonti.", "il prezzo"),
    ("it", "Non ho trovato informazioni sul parcheggio nei documenti.", "parcheggio"),
    ("pt", "Os documentos não informam quanto custa a entrada.", "quanto custa a entrada"),
    ("pt", "Não há informações sobre o horário no texto.", "o horário"),
    ("nl", "Ik kon in de documenten geen informatie over parkeren vinden.", "parkeren"),
    ("nl", "In de bronnen staat niet hoeveel de toegang kost.", "hoeveel de toegang kost"),
    ("ru", "В документах не указано, сколько стоит вход.", "сколько стоит вход"),
    ("ru", "Я не нашёл в документах информации о парковке.", "парковке"),
    ("ar", "لا تذكر المستندات سعر الدخول.", "سعر الدخول"),
    ("ar", "لم أجد في المستندات أي معلومات عن مواقف السيارات.", "مواقف السيارات"),
    ("zh", "资料中没有说明门票的价格。", "门票的价格"),
    ("zh", "很抱歉，文档未提及营业时间。", "营业时间"),
    ("ja", "資料には入館料の記載がありません。", "入館料"),
    ("ja", "申し訳ありませんが、営業時間についての情報は見つかりませんでした。", "営業時間"),
    ("fr", "Aucun document ne mentionne la date de livraison.", "la date de livraison"),
    ("fr", "Le document est muet sur les frais de dossier.", "les frais de dossier"),
    ("de", "Zum Preis finden sich in den Dokumenten keine Angaben.", "Preis"),
    ("de", "Im Dokument wird nicht gesagt, wie viel der Eintritt kostet.", "wie viel"),
    ("de", "Die Quellen sagen nichts darüber, wer die Reparaturen zahlt.", "wer die Reparaturen"),
    ("es", "No se encontró información sobre el precio en los documentos.", "el precio"),
    ("it", "Non è indicato quanto costa l'ingresso.", "quanto costa"),
    ("pt", "Não foram encontradas informações sobre estacionamento.", "estacionamento"),
    ("nl", "Er staat in de tekst niet hoe laat het museum opent.", "hoe laat"),
    ("ru", "О гарантии в тексте ничего не говорится.", "гарантии"),
    ("ar", "لم يتم ذكر السعر في المستندات.", "السعر"),
    ("zh", "根据现有资料无法确定开放时间。", "开放时间"),
    ("ja", "資料からは開館時間はわかりません。", "開館時間"),
]


@pytest.mark.parametrize(("language", "text", "missing"), ABSENCES)
def test_that_the_sources_do_not_say_something_is_no_claim_but_is_asked(
    language: str, text: str, missing: str
) -> None:
    (found,) = extract_claims(text, ClaimOptions(languages=Languages(language, language)))
    assert found.non_assertive is NonAssertive.ABSENCE
    assert missing in found.missing


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("fr", "Il n'y a pas de parking au musée."),
        ("fr", "Les documents ne précisent pas le prix, bien que l'entrée soit gratuite."),
        ("de", "Im Museum gibt es keine Toiletten."),
        ("de", "Der Vertrag enthält keine Kündigungsfrist, aber der Mieter muss zahlen."),
        ("es", "La puerta no está cerrada."),
        ("it", "Non ci sono parcheggi davanti al museo."),
        ("it", "Non ho trovato il cane."),
        ("it", "Non è indicato per bambini sotto i 12 anni."),
        ("pt", "O medicamento não é indicado para crianças."),
        ("fr", "Ce médicament n'est pas indiqué chez l'enfant."),
        ("nl", "Er staat niet veel water in de kelder."),
        ("ru", "Мне не удалось найти ключ."),
        ("pt", "O museu não abre à segunda-feira."),
        ("nl", "Er is geen parkeerplaats bij het museum."),
        ("ru", "В музее нет парковки."),
        ("ar", "لا توجد مواقف للسيارات."),
        ("zh", "该公司没有提供退款。"),
        ("ja", "駐車場はありません。"),
    ],
)
def test_what_is_not_there_in_the_world_is_a_claim(language: str, text: str) -> None:
    assert kinds(text, language) == ["CLAIM"]


@pytest.mark.parametrize(
    ("language", "lacking", "stating"),
    [
        (
            "de",
            "Der Preis und die Dauer der Führung sind in den Unterlagen nicht angegeben.",
            "Die Führung dauert lang und der Preis ist in den Unterlagen nicht angegeben.",
        ),
        (
            "de",
            "Die Quellen sagen nicht, wann der Kurs beginnt und was er kostet.",
            "Die Quellen sagen nicht, wann der Kurs beginnt und er kostet 90 Euro.",
        ),
        (
            "fr",
            "Les documents ne précisent pas le nom du gardien et l'adresse.",
            "Les documents ne précisent pas le nom du gardien et le loyer est de 700 euros.",
        ),
        (
            "fr",
            "La date du bail n'est pas précisée dans le contrat.",
            "Le bail court toujours alors que la date n'est pas précisée dans le contrat.",
        ),
        (
            "fr",
            "Aucune information n'est donnée ici.",
            "Aucune information n'est donnée et il coûte 9 €.",
        ),
        (
            "es",
            "Las fuentes no indican el precio y la duración de la visita.",
            "La visita dura dos horas y el precio no se menciona.",
        ),
        (
            "it",
            "Le fonti non indicano il prezzo e la durata della visita.",
            "Le fonti non indicano il prezzo e il museo chiude alle cinque.",
        ),
        (
            "pt",
            "As fontes não informam o preço e a duração da visita.",
            "A visita dura duas horas e o preço não é mencionado.",
        ),
        (
            "nl",
            "De bronnen vermelden de prijs en de duur niet.",
            "Het regent en de prijs wordt niet vermeld.",
        ),
        (
            "ru",
            "В документах не указаны цена и срок.",
            "Он курит и возраст в документах не указан.",
        ),
        (
            "ar",
            "لا تذكر المصادر السعر والمدة.",
            "لا تذكر المصادر السعر ويغلق المتحف في الخامسة.",
        ),
        ("zh", "文中没有说明门票价格。", "门票十元而年龄文中没有说明。"),
        (
            "ja",
            "資料には料金の記載がありません。",
            "料金は十ユーロですが年齢は資料には記載がありません。",
        ),
    ],
)
def test_a_statement_joined_to_an_absence_is_a_claim(
    language: str, lacking: str, stating: str
) -> None:
    assert (kinds(lacking, language), kinds(stating, language)) == (["ABSENCE"], ["CLAIM"])


@pytest.mark.parametrize(
    ("language", "lacking", "stating"),
    [
        (
            "it",
            "Le fonti non dicono quando il teatro fu aperto e chi lo progettò.",
            "Le fonti non dicono quando aprì il teatro e chi lo progettò fu Ugo Neri.",
        ),
        (
            "pt",
            "As fontes não dizem quando o teatro foi aberto e quem o projetou.",
            "As fontes não dizem quando o teatro abriu e quem o projetou foi Hugo Reis.",
        ),
        (
            "nl",
            "De bronnen zeggen niet wanneer het theater opende en wie de architect was.",
            "De bronnen zeggen niet wanneer het theater opende en wie het ontwierp was Huig Smit.",
        ),
        (
            "ar",
            "لا تذكر المصادر متى افتتح المسرح ومن صممه.",
            "لا تذكر المصادر متى افتتح المسرح ومن صممه هو المهندس سالم.",
        ),
        (
            "ru",
            "В документах не указана цена билета и дата концерта.",
            "В документах не указана цена билета и дата близка.",
        ),
        (
            "ar",
            "لا تذكر المستندات سعر التذكرة ومدة الجولة.",
            "لا تذكر المستندات سعر التذكرة ومدة الجولة ساعتان.",
        ),
        (
            "de",
            "Die Unterlagen nennen weder den Preis noch die Dauer der Führung.",
            "Die Unterlagen nennen weder den Preis noch dauert die Führung lange.",
        ),
        (
            "fr",
            "Les documents n'indiquent ni le prix ni la durée de la visite.",
            "Les documents n'indiquent ni le prix et la visite dure une heure.",
        ),
    ],
)
def test_what_answers_a_question_that_an_absence_asks_is_a_claim(
    language: str, lacking: str, stating: str
) -> None:
    assert (kinds(lacking, language), kinds(stating, language)) == (["ABSENCE"], ["CLAIM"])


def test_an_absence_in_a_language_without_forms_is_a_claim() -> None:
    assert kinds("Dokumenterne nævner ikke prisen.", "da") == ["CLAIM"]

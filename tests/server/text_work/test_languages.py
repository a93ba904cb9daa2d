"""What names the language of a text: scripts, and words that are common in one."""

import pytest

from groundwire_server.text_work.languages import LOOKED_AT_CHARACTERS, languages_of


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The museum opens at nine, and a ticket costs 12 euros."),
        ("en", "Oslen"),
        ("en", "42"),
        ("en", "Café Müller, São Paulo"),
        ("en", "In the Rue de la Paix there is a café; it is open on Sundays."),
        ("de", "Das Museum öffnet um neun Uhr, und die Karte kostet 12 Euro."),
        ("fr", "Le musée ouvre à neuf heures et l'entrée est gratuite pour les enfants."),
        ("es", "El museo abre a las nueve y la entrada es gratuita para los niños."),
        ("pt", "O museu abre às nove e a entrada não é gratuita para as crianças."),
        ("it", "Il museo apre alle nove e l'ingresso è gratuito per i bambini."),
        ("it", "La biblioteca chiude alle 19:30. Il prestito dura 30 giorni."),
        ("fr", "La bibliothèque ferme à 19:30. Le prêt dure 30 jours."),
        ("es", "El contrato dura 12 meses. La fianza es de 800 euros."),
        ("nl", "Het museum gaat om negen uur open en een kaart kost 12 euro."),
        ("sv", "Museet öppnar klockan nio och en biljett är inte gratis för barn."),
        ("fi", "Museo avataan kello yhdeksän, ja lippu on lapsille ilmainen, mutta ei kaikille."),
        ("pl", "Muzeum jest otwarte od dziewiątej do piątej i nie ma parkingu."),
        ("cs", "Muzeum je otevřeno od devíti do pěti a vstup pro děti je zdarma."),
        ("hu", "A múzeum kilenckor nyit, és a belépő nem ingyenes, de olcsó."),
        ("ro", "Muzeul este deschis de la nouă și nu are parcare pentru vizitatori."),
        ("tr", "Müze saat dokuzda açılır ve giriş çocuklar için ücretsiz."),
        ("vi", "Bảo tàng mở cửa từ chín giờ và không có bãi đỗ xe."),
        ("id", "Museum ini buka dari pukul sembilan dan tidak ada tempat parkir."),
    ],
)
def test_a_text_in_latin_letters_is_named_by_its_common_words(language: str, text: str) -> None:
    assert languages_of(text).latin == language


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ru", "Музей открыт с девяти, но билет стоит дорого. Он работает весь год."),
        ("uk", "Музей відчинено з дев'ятої, його відвідує багато людей."),
        ("bg", "Музеят е отворен от девет часа, а входът е свободен, защото е събота."),
        ("ar", "المتحف مفتوح من التاسعة والدخول مجاني للأطفال."),
        ("fa", "موزه از ساعت نه باز است و ورود برای کودکان رایگان است."),
        ("zh", "博物馆九点开门，儿童免费。"),
        ("ja", "博物館は九時に開きます。"),
        ("ko", "박물관은 아홉 시에 문을 엽니다."),
        ("el", "Το μουσείο ανοίγει στις εννέα."),
        ("hi", "संग्रहालय नौ बजे खुलता है।"),
        ("th", "พิพิธภัณฑ์เปิดเวลาเก้าโมง"),
        ("ka", "მუზეუმი ცხრა საათზე იხსნება."),
        ("und", "The museum opens at nine."),
        ("und", "המוזיאון נפתח בתשע."),
    ],
)
def test_a_text_in_another_script_is_named_by_its_letters(language: str, text: str) -> None:
    assert languages_of(text).other == language


def test_an_english_text_with_a_sentence_in_german_is_english() -> None:
    english = "The house stands in a park, and it was built in 1931. " * 3
    assert languages_of(f"{english} Das Haus ist geschlossen.").latin == "en"


def test_only_the_start_of_a_long_text_is_looked_at() -> None:
    start = "The house is in the park. " * (LOOKED_AT_CHARACTERS // 20)
    assert languages_of(start + "Das Haus ist nicht in dem Park. " * 5000).latin == "en"


@pytest.mark.parametrize(
    "text",
    [
        "Muzeul este deschis zilnic.",
        "Muzium dibuka setiap hari.",
        "Makumbusho hufunguliwa kila siku.",
        "Ang museo ay bukas araw-araw.",
        "Não sei.",
    ],
)
def test_a_short_text_without_a_word_of_english_is_of_no_known_language(text: str) -> None:
    assert languages_of(text).latin == "und"


@pytest.mark.parametrize(
    "text",
    [
        "Oslen",
        "Cats sleep.",
        "Press Enter.",
        "Ada Lovelace, 1815",
        "Annual pass price: 90 euros",
        "Admission costs nine euros",
        "Rivers flow north.",
    ],
)
def test_a_short_text_that_may_be_english_counts_as_english(text: str) -> None:
    assert languages_of(text).latin == "en"

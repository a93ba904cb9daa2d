"""The rules know headings, instructions, cut-off endings and talk in any wording."""

import pytest

from groundwire_verifier.domain.claims import ClaimOptions, Ending, Languages, NonAssertive
from groundwire_verifier.text.claims.extract import extract_claims
from groundwire_verifier.verdicts.instructions import is_checkable

BELOW = "\n\nThe club was founded in Bern."


def options(language: str) -> ClaimOptions:
    return ClaimOptions(languages=Languages(language))


@pytest.mark.parametrize(
    ("heading", "language"),
    [
        ("## Membership costs 90 euros", "en"),
        ("## The bakery closes at seven", "en"),
        ("## The ferry sails at eight", "en"),
        ("## Rents climbed by nine percent", "en"),
        ("**The pass runs for 24 months**", "en"),
        ("Entry costs ten pounds\n----------------------", "en"),
        ("## דמי החבר מגיעים ל-90 שקלים", "en"),
        ("## האחריות לשלוש שנים", "en"),
        ("## הספרייה סגורה בימי שני", "en"),
        ("**ההרשמה נמשכת שבועיים**", "en"),
        ("## Die Karte gilt zwei Tage", "de"),
        ("## Das Museum schließt um sechs", "de"),
    ],
)
def test_a_heading_that_states_something_is_a_claim(heading: str, language: str) -> None:
    first, *_ = extract_claims(heading + BELOW, options(language))
    assert first.non_assertive is None


@pytest.mark.parametrize(
    ("heading", "language"),
    [
        ("## Annual costs 2026", "en"),
        ("## Five reasons to visit", "en"),
        ("## Section 12: Deposits", "en"),
        ("**Overview of costs**", "en"),
        ("## מחירים 2026", "en"),
        ("## שלב 2: תוצאות", "en"),
        ("## שלוש סיבות לבקר", "en"),
        ("## Kapitel zwei", "de"),
        ("## Übersicht der Kosten", "de"),
    ],
)
def test_a_title_is_no_claim(heading: str, language: str) -> None:
    first, *_ = extract_claims(heading + BELOW, options(language))
    assert first.non_assertive is NonAssertive.HEADING


@pytest.mark.parametrize(
    "text",
    [
        "Halve the dose if you feel dizzy.",
        "Skip every other dose.",
        "Take a quarter tablet at night.",
        "Use a couple of drops in each eye.",
        "Take the syrup nightly.",
        "Take your child to the gate by nine o'clock.",
        "קח רבע טבליה בערב.",
        "השקו את הצמח מדי שבוע.",
    ],
)
def test_an_instruction_with_an_amount_in_words_can_be_read(text: str) -> None:
    assert any(each.non_assertive is None or is_checkable(each) for each in extract_claims(text))


@pytest.mark.parametrize(
    "text",
    ["Open the door.", "Double-check the lid.", "Turn the key to the left.", "פתחו את הדלת."],
)
def test_a_plain_instruction_holds_nothing_to_read(text: str) -> None:
    (claim,) = extract_claims(text)
    assert claim.non_assertive is NonAssertive.INSTRUCTION
    assert not is_checkable(claim)


@pytest.mark.parametrize(
    ("text", "language", "ending"),
    [
        ("The shop opens at nine. The set includes", "en", Ending.CUT),
        ("The shop opens at nine. The annual pass costs", "en", Ending.CUT),
        ("The shop opens at nine. The tenant must", "en", Ending.CUT),
        ("החנות נפתחת בתשע. המחיר כולל", "en", Ending.CUT),
        ("החנות נפתחת בתשע. הספר נכתב על ידי", "en", Ending.CUT),
        ("Der Laden öffnet um neun. Sie ist Teil von der", "de", Ending.CUT),
        ("Der Laden öffnet um neun. Der Eintritt kostet", "de", Ending.CUT),
        ("The shop opens at nine. I know what it costs", "en", Ending.OPEN),
        ("The shop opens at nine. Nobody covers the costs", "en", Ending.OPEN),
        ("The shop opens at nine. Yes, it is", "en", Ending.OPEN),
        ("החנות נפתחת בתשע. זה המחיר הכולל", "en", Ending.OPEN),
        ("Der Laden öffnet um neun. Ich weiß, was es kostet", "de", Ending.OPEN),
        ("Der Laden öffnet um neun. Um elf fängt die Führung an", "de", Ending.OPEN),
    ],
)
def test_a_last_word_that_asks_for_another_is_cut_off(
    text: str, language: str, ending: Ending
) -> None:
    assert extract_claims(text, options(language))[-1].ending is ending


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("You can copy it with the icon.", "en"),
        ("You can save this answer using the share button.", "en"),
        ("Below is an overview of the prices.", "en"),
        ("The following is a comparison of the plans.", "en"),
        ("ניתן להוריד את הטבלה באמצעות הכפתור.", "en"),
        ("Unten finden Sie eine Übersicht.", "de"),
        ("Im Folgenden eine Zusammenfassung der Preise:", "de"),
        ("[1] mast.pdf\n[2] sail.pdf", "en"),
        ("- [S1] prices-2026.csv\n- [S2] rules.md", "en"),
    ],
)
def test_talk_about_the_window_and_a_list_of_files_assert_nothing(text: str, language: str) -> None:
    claims = extract_claims(text, options(language))
    assert all(each.non_assertive is NonAssertive.LEAD_IN for each in claims)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("You can copy 40 pages a day.", "en"),
        ("The icon was painted in 1410.", "en"),
        ("Below is the crypt of Saint Anne.", "en"),
        ("[1] mast.pdf was written in 1990.", "en"),
        ("Es gibt drei Etagen:\n- oben\n- unten", "de"),
        ("Das Haus hat neun Zimmer:\n- Küche\n- Bad", "de"),
    ],
)
def test_what_states_something_is_no_talk(text: str, language: str) -> None:
    assert extract_claims(text, options(language))[0].non_assertive is None


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Das weiß ich leider nicht.", "de"),
        ("Ich kann den Preis nicht ermitteln.", "de"),
        ("Der Bericht schweigt zur Ursache des Brandes.", "de"),
        ("Je ne sais pas.", "fr"),
        ("Je n'ai pas pu localiser la date.", "fr"),
        ("No lo sé.", "es"),
        ("Non riesco a trovare la data.", "it"),
        ("Não sei.", "und"),
        ("Ik weet niet wanneer het museum sluit.", "nl"),
        ("Dazu habe ich keine Informationen.", "de"),
        ("Diese Frage kann ich anhand der Dokumente nicht beantworten.", "de"),
        ("Cela ne figure pas dans les documents fournis.", "fr"),
        ("No lo encontré en los documentos.", "es"),
        ("Nel testo non si parla del prezzo.", "it"),
        ("У меня нет доступа к этой информации.", "ru"),
        ("В контексте отсутствует информация о цене.", "ru"),
        ("Ik heb de prijs niet gevonden in de documenten.", "nl"),
        ("わかりません。", "ja"),
        ("提供された情報では回答できません。", "ja"),
        ("我不知道。", "zh"),
        ("文档中没有相关信息。", "zh"),
        ("Die Frage kann ich leider nicht beantworten.", "de"),
        ("Leider kann ich das nicht sagen.", "de"),
        ("Ich kann die Frage anhand der Dokumente nicht beantworten.", "de"),
        ("Cette information ne m'est pas connue.", "fr"),
        ("Эта информация мне недоступна.", "ru"),
        ("Deze informatie is mij niet bekend.", "nl"),
        ("Le document passe sous silence le prix.", "fr"),
        ("Je n'ai pas vu de date dans le texte.", "fr"),
        ("Die Quelle lässt den Preis offen.", "de"),
        ("La fuente guarda silencio sobre el precio.", "es"),
        ("Il documento lascia in sospeso il prezzo.", "it"),
        ("O documento deixa em aberto o preço.", "pt"),
        ("De tekst laat de prijs in het midden.", "nl"),
        ("Документ умалчивает о цене.", "ru"),
    ],
)
def test_an_abstention_is_known_in_other_languages(text: str, language: str) -> None:
    (claim,) = extract_claims(text, options(language))
    assert claim.non_assertive is NonAssertive.ABSENCE


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Ich kann den Schlüssel nicht finden.", "de"),
        ("Der Zeuge weiß nicht, wer die Tür öffnete.", "de"),
        ("Le témoin ne sait pas qui a ouvert la porte.", "fr"),
        ("Non riesco a trovare il gatto.", "it"),
        ("Cela n'est pas permis dans le contrat.", "fr"),
        ("No lo encontré en la calle.", "es"),
        ("In città non si parla del sindaco.", "it"),
        ("В посёлке отсутствует больница.", "ru"),
        ("У меня нет доступа к крыше.", "ru"),
        ("この情報には誤りはありません。", "ja"),
        ("彼には理由がわかりません。", "ja"),
        ("我不知道他去了北京。", "zh"),
        ("城市中没有相关的商店。", "zh"),
        ("Die Frage kann er leider nicht beantworten.", "de"),
        ("Эта дорога мне неизвестна.", "ru"),
        ("Le maire passe sous silence le prix.", "fr"),
        ("Der Wirt lässt die Küche offen.", "de"),
        ("El juez deja abierto el caso.", "es"),
        ("De gids laat de deur open.", "nl"),
    ],
)
def test_what_is_not_found_in_the_world_is_a_claim(text: str, language: str) -> None:
    (claim,) = extract_claims(text, options(language))
    assert claim.non_assertive is None


def test_what_stands_behind_but_is_a_claim_in_other_languages() -> None:
    text = "Ich konnte den Preis nicht finden, aber das Museum öffnet um neun Uhr."
    first, second = extract_claims(text, options("de"))
    assert (first.non_assertive, first.missing) == (
        NonAssertive.ABSENCE,
        "In den Quellen steht: den Preis.",
    )
    assert (second.non_assertive, second.content) == (None, "Das Museum öffnet um neun Uhr.")


@pytest.mark.parametrize(
    ("announces", "states", "language"),
    [
        (
            "Here is a list of the villages in the valley.",
            "Here is a list of villages burned by the army.",
            "en",
        ),
        (
            "Here are the details you wanted about the seeds.",
            "Here are the four seeds that sprouted.",
            "en",
        ),
        ("Here's how the lock works:", "Here's the lock the thieves opened:", "en"),
        (
            "Below is a table of the fees listed in the contract.",
            "Below is a table of fees raised in March.",
            "en",
        ),
        ("Here is a detailed overview of the fees.", "Here is the fee that was waived.", "en"),
        ("להלן סיכום של שלבי ההרשמה.", "להלן סיכום של הבקשות שהוועדה דחתה.", "he"),
        ("הנה הפרטים שביקשת:", "הנה הכפרים שנשרפו:", "he"),
        (
            "Hier ist eine Liste der Gebühren.",
            "Hier ist eine Liste der Dörfer, die brannten.",
            "de",
        ),
        ("Voici la liste des villages.", "Voici la liste des villages brûlés par l'armée.", "fr"),
        ("Aquí está la lista de pueblos.", "Aquí está la lista de pueblos quemados por él.", "es"),
        ("Ecco la lista dei paesi.", "Ecco la lista dei paesi bruciati dai soldati.", "it"),
        ("הנה שכר הדירה:", "הנה הדירות שנהרסו:", "he"),
        ("להלן הקבצים ששלחת:", "להלן הגשרים ששרפת:", "he"),
        ("להלן ארבעה שטרות:", "להלן בית שנהרס:", "he"),
        ("להלן תוצאות שימושיות:", "להלן הבקשות שהמועצה דחתה:", "he"),
        ("Here are the tools required:", "Here are the tools required by the law:", "en"),
        ("Here are some ideas that may help:", "Here are some pills that killed:", "en"),
        ("Here are lines quoted from the text:", "Here are ships raised from the sea:", "en"),
        ("Here is a summary of what changed:", "Here is the law the king changed:", "en"),
        ("Here is your list of men:", "Here are the young men who drowned:", "en"),
        ("Here is a query that sums:", "Here is the program that killed ten:", "en"),
        ("Here is how it works:", "Here is how the firm fell in 1970:", "en"),
        ("Here is why:", "Here is why the firm fell: it ran dry:", "en"),
        ("Here are 12 tips:", "Here are 12 villages without roads:", "en"),
        ("Voici ce que dit le texte :", "Voici la liste des rois qui ont perdu la guerre :", "fr"),
        ("Aquí está lo que hallé en la fuente:", "Aquí está la lista que arde en Roma:", "es"),
        ("Ecco i dati dal documento:", "Ecco i paesi bruciati dai soldati:", "it"),
        ("Hier ist die Liste, die Sie wollten:", "Hier ist die Liste, die sie wollten:", "de"),
        ("Here are the points you raised:", "Here are the guards you bribed:", "en"),
        ("Here is the draft I prepared:", "Here are the bridges I burned:", "en"),
        ("Here are the rules you must follow:", "Here is the ring you found in 1950:", "en"),
        ("Here is a plan that fits your needs:", "Here are your trees that died:", "en"),
        ("Hier sind Schritte, die Sie gehen müssen:", "Hier sind Tiere, die Sie jagten:", "de"),
        ("Voici ce que vous devez savoir :", "Voici les ponts que vous avez brûlés :", "fr"),
        ("Aquí están los pasos que debes seguir:", "Aquí están los que usted mató:", "es"),
        ("Ecco le cose che puoi fare:", "Ecco i boschi che hai bruciato:", "it"),
        ("Aqui está a lista que você pediu:", "Aqui está a ponte que você queimou:", "pt"),
        ("Hier zijn de stappen die u moet zetten:", "Hier zijn de bossen die hij kapte:", "nl"),
        ("Вот список, который вы просили:", "Вот список, который вы сожгли:", "ru"),
        ("إليك القائمة التي طلبتها:", "إليك القرى التي أحرقها الجيش:", "ar"),
        ("Ecco i consigli che devi seguire:", "Ecco le multe che devi pagare:", "it"),
        ("Ecco i dati che hai chiesto:", "Ecco i nemici che hai voluto colpire:", "it"),
        ("Aquí están los datos que pediste:", "Aquí están las cartas que puedes quemar:", "es"),
        ("Voici les règles que vous devez suivre :", "Voici l'amende que vous devez payer :", "fr"),
        ("Hier sind Punkte, die Sie kennen sollten:", "Hier ist, was Sie zahlen müssen:", "de"),
        ("Here are the forms you need:", "Here are the fines you owe:", "en"),
        ("Here is what you can do:", "Here is what you owe the bank:", "en"),
        ("Here is the letter you gave me:", "Here are the letters you gave the spy:", "en"),
        ("Here is the report you shared:", "Here are the bombs you made:", "en"),
        ("Here are the steps you should follow:", "Here are the taxes you must pay:", "en"),
        ("Here is the text you sent to me:", "Here is the gold you sent to Rome:", "en"),
        ("הנה השאלות שהעלית:", "הנה העדים שהזכרת בחקירתך:", "he"),
        ("Ecco quando nacque e chi lo educò:", "Ecco quando nacque e chi lo educò fu Ugo:", "it"),
        ("Aqui está quem o criou:", "Aqui está onde viveu e quem o criou foi Rui:", "pt"),
        ("إليك متى ولد ومن علمه:", "إليك متى ولد ومن علمه هو سالم الكبير:", "ar"),
    ],
)
def test_a_line_that_points_to_what_follows_is_talk_unless_it_states_something_of_it(
    announces: str, states: str, language: str
) -> None:
    kinds = [
        extract_claims(line + BELOW, options(language))[0].non_assertive
        for line in (announces, states)
    ]
    assert kinds == [NonAssertive.LEAD_IN, None]


def test_the_items_below_such_a_line_say_what_it_states() -> None:
    found = extract_claims("Here are the seeds that sprouted:\n\n- Clover\n- Rye")
    line = "Here are the seeds that sprouted"
    assert [each.content for each in found] == [f"{line}.", f"{line}: Clover", f"{line}: Rye"]


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("The storm sank two ferries", "en"),
        ("## Allergens", "en"),
        ("Ingredients", "en"),
        ("היא אסורה במקרים הבאים", "he"),
        ("Here are the reasons for the loss", "en"),
        ("Four of the mills burned", "en"),
        ("התרופות הבאות נכשלו בניסוי", "he"),
        ("Les navires suivants ont coulé", "fr"),
        ("Not included", "en"),
        ("לא צוין במסמך", "he"),
    ],
)
def test_a_name_below_a_line_says_what_the_line_says_of_it(line: str, language: str) -> None:
    end = "" if "#" in line else ":"
    found = extract_claims(f"{line}{end}\n\n- Fog\n- The mill has two wheels", options(language))
    assert found[1].content == f"{line.lstrip('# ')}: Fog"


@pytest.mark.parametrize(
    ("states", "talk"),
    [
        ("Great whales migrate south each winter.", "Great points on the lease."),
        ("Interesting rocks lie on the shore.", "Interesting question about the shore."),
        ("That's all we can carry.", "That's all we can say about the load."),
        ("Good news: the lease ends in May.", "Good point."),
        ("Hope Street is closed on Sundays.", "Hope this helps!"),
        ("I'd say the lease ends in May.", "I'd say so."),
        ("I can confirm it works.", "I can confirm it."),
        ("I would add that it hardly rains.", "I can say it again."),
        ("I'd argue it's too dear.", "I can tell you more about the fees."),
        ("אני יכול לאשר שהמשאבה פועלת.", "אני יכול לאשר את זה."),
        ("תודה נשלחה לתורמים.", "תודה שפנית אלינו."),
        ("בהצלחה רבה הסתיים הניסוי במאי.", "תודה על השאלה."),
    ],
)
def test_words_that_open_talk_may_open_a_statement(states: str, talk: str) -> None:
    kinds = [extract_claims(each)[0].non_assertive for each in (states, talk)]
    assert kinds == [None, NonAssertive.LEAD_IN]


@pytest.mark.parametrize(
    ("states", "lacks", "language"),
    [
        ("El contrato no incluye el agua.", "El texto no incluye información sobre ello.", "es"),
        ("O contrato não inclui a água.", "O texto não inclui informações sobre isso.", "pt"),
        ("החוזה אינו כולל מים.", "החוזה אינו כולל מידע על מים.", "he"),
        ("El paquete no incluye la cena.", "El documento no incluye el precio.", "es"),
        ("O pacote não inclui o jantar.", "O documento não inclui o preço.", "pt"),
        ("Le forfait n'inclut pas le dîner.", "Le document n'inclut pas le prix.", "fr"),
        ("Il pacchetto non include la cena.", "Il testo non include la data.", "it"),
        ("Das Paket enthält das Essen nicht.", "Das Dokument enthält den Preis nicht.", "de"),
        ("The lease does not include the price of gas.", "The page does not show the price.", "en"),
        ("El contrato no incluye el precio.", "El contrato no incluye detalles.", "es"),
        ("Le bail n'inclut pas les frais.", "Le guide n'inclut pas les horaires.", "fr"),
        ("La fattura non include il costo.", "La fattura non precisa il costo.", "it"),
        ("Der Mietvertrag enthält die Kosten nicht.", "Der Mietvertrag nennt sie nicht.", "de"),
        ("החוזה אינו כולל שעות נוספות.", "המדריך אינו כולל את שעות הפתיחה.", "he"),
        ("החבילה אינה כוללת ארוחה.", "המסמך אינו כולל את המחיר.", "he"),
        ("The crew wasn't able to find land.", "I wasn't able to find a date in the text.", "en"),
        ("It is not known who built the mill.", "I do not know who built the mill.", "en"),
        ("לא ידוע מי בנה את הטחנה.", "לא ידוע לי מי בנה את הטחנה.", "he"),
    ],
)
def test_what_is_not_there_is_a_claim_but_for_information_in_a_text(
    states: str, lacks: str, language: str
) -> None:
    kinds = [extract_claims(e, options(language))[0].non_assertive for e in (states, lacks)]
    assert kinds == [None, NonAssertive.ABSENCE]


@pytest.mark.parametrize(
    ("title", "item", "content"),
    [
        (
            "Not included",
            "Meals: eggs and tea",
            "Not included, Meals: eggs and tea",
        ),
        ("Included", "Meals: eggs, bread and tea", "Meals: eggs, bread and tea"),
        ("לא כלול", "ארוחות: בוקר וערב", "לא כלול, ארוחות: בוקר וערב"),
        ("כלול", "ארוחות: בוקר וצהריים וערב", "ארוחות: בוקר וצהריים וערב"),
    ],
)
def test_an_item_with_a_label_is_read_with_a_title_that_denies_it(
    title: str, item: str, content: str
) -> None:
    assert extract_claims(f"## {title}\n\n- {item}")[-1].content == content


@pytest.mark.parametrize(
    ("line", "plain", "items", "language"),
    [
        ("Three claims were refuted", "Three claims were checked", "The pond froze.", "en"),
        ("Not sold here", "Sold here", "Lamp oil", "en"),
        ("Until 1990", "Key findings", "The quay was closed.", "en"),
        ("If the seal is broken", "Here are the rules", "The claim lapses.", "en"),
        ("Common myths", "Common questions, answered", "The well is bottomless.", "en"),
        ("שתי טענות הופרכו", "שתי טענות נבדקו", "הבריכה קפאה בחורף.", "he"),
        ("לא נמכר כאן", "נמכר כאן", "שמן למנורות", "he"),
        ("עד 1990", "הממצאים", "הרציף היה סגור.", "he"),
        ("Falsch ist", "Die Ergebnisse", "Der Teich fror zu.", "de"),
    ],
)
def test_a_line_that_denies_or_limits_its_items_is_read_with_them(
    line: str, plain: str, items: str, language: str
) -> None:
    denied, free = (
        extract_claims(f"{each}:\n- {items}", options(language))[-1].content
        for each in (line, plain)
    )
    assert denied == f"{line}: {items}"
    assert free in (items, f"{plain}: {items}")
    assert free == items or not items.endswith(".")


@pytest.mark.parametrize(
    ("limits", "goes_on"),
    [
        ("In winter", "In addition"),
        ("At night", "At a glance"),
        ("For members", "For more details"),
        ("Within the walls", "Within the document"),
        ("If it rains", "If you want details"),
        ("אחרי החגים", "אחרי הכול"),
    ],
)
def test_a_line_that_goes_on_or_names_the_text_limits_nothing(limits: str, goes_on: str) -> None:
    limited, free = (
        extract_claims(f"{each}:\n- The gate is shut.")[-1].content for each in (limits, goes_on)
    )
    assert limited == f"{limits}: The gate is shut."
    assert free == "The gate is shut."


def test_items_below_a_title_within_a_list_are_read_with_what_denies_it() -> None:
    inner = "- Meals\n  - Supper is at eight.\n- Not covered\n  - Laundry of guests is done."
    found = [each.content for each in extract_claims(f"Not included:\n{inner}")]
    assert "Not included: Meals: Supper is at eight." in found
    assert "Not included: Not covered: Laundry of guests is done." in found
    assert "Supper is at eight." in [e.content for e in extract_claims(f"Included:\n{inner}")]


@pytest.mark.parametrize("item", ["Bats are blind.", "Blind bats", "Bats\n  - are blind."])
def test_a_line_between_two_lists_stands_above_the_second_one(item: str) -> None:
    at_margin = extract_claims(f"Wrong:\n- {item}\n**Right:**\n- Bats see well.")
    within = extract_claims(f"Wrong:\n- {item}\n- Right:\n  - Bats see well.")
    assert at_margin[-1].content == "Bats see well."
    assert within[-1].content == "Wrong: Right: Bats see well."


def test_items_that_were_found_stay_as_they_are_below_what_was_not() -> None:
    found = extract_claims("I don't know the price, but here is what I found:\n\n- Red walls")
    assert found[1].content == "Red walls"


def test_a_sentence_below_a_line_that_states_something_stays_as_it_is() -> None:
    found = extract_claims("The storm sank two ferries:\n\n- The Aurora lost its mast\n- Belle")
    assert [each.content for each in found[1:]] == [
        "The Aurora lost its mast",
        "The storm sank two ferries: Belle",
    ]


@pytest.mark.parametrize(
    ("announces", "states"),
    [
        ("Three steps are needed:", "Three towers were built:"),
        ("שלושה שלבים נדרשים לכך:", "שלושה שומרים נפצעו בלילה:"),
        ("There are three stages:", "The course has three stages:"),
        ("Here are four factors:", "The audit names four factors:"),
        ("יש שלושה שלבים:", "לקורס יש שלושה שלבים:"),
    ],
)
def test_what_something_else_has_so_many_of_is_a_claim(announces: str, states: str) -> None:
    kinds = [extract_claims(line + BELOW)[0].non_assertive for line in (announces, states)]
    assert kinds == [NonAssertive.LEAD_IN, None]


@pytest.mark.parametrize(
    ("offers", "states", "language"),
    [
        (
            "Wenn Sie weitere Fragen haben, stehe ich gerne zur Verfügung.",
            "Wenn die Miete steigt, endet der Vertrag.",
            "de",
        ),
        (
            "N'hésitez pas à me contacter si vous avez des questions !",
            "N'hésitez pas à me contacter : le bail prend fin en mai.",
            "fr",
        ),
        (
            "No dudes en preguntar si necesitas algo más.",
            "No dudes en preguntar si necesitas algo y el parque abre tarde.",
            "es",
        ),
        ("Fammi sapere se ti serve altro!", "Fammi sapere, il parco chiude tardi!", "it"),
        ("Espero ter ajudado!", "Espero ter ajudado, o parque abre tarde hoje.", "pt"),
        ("Laat het me weten als je meer zoekt.", "Laat het me weten: de huur stijgt.", "nl"),
        (
            "Если у вас есть вопросы, дайте мне знать.",
            "Если аренда вырастет, договор закончится.",
            "ru",
        ),
        ("لا تتردد في السؤال إذا احتجت المزيد.", "لا تتردد في السؤال، الحديقة مغلقة اليوم.", "ar"),
        ("أخبرني إذا احتجت المزيد.", "أخبرني الطبيب أن الجرعة كبيرة.", "ar"),
        ("Ich helfe gerne weiter!", "Ich helfe gerne weiter und die Miete steigt.", "de"),
        ("Ich helfe Ihnen gerne weiter.", "Ich helfe Ihnen gerne weiter am Montag.", "de"),
        (
            "Falls Sie mehr brauchen, stehe ich zur Verfügung.",
            "Als die Mühle brannte, stand sie leer und ich stehe zur Verfügung.",
            "de",
        ),
        (
            "Wir stehen jederzeit zur Verfügung.",
            "Als das Haus fiel, stehe ich zur Verfügung.",
            "de",
        ),
        ("Sono qui per aiutarti.", "Sono a disposizione sei letti nuovi.", "it"),
        ("N'hésitez pas à me demander.", "N'hésitez pas à contacter le juge corrompu.", "fr"),
        ("N'hésite pas à nous contacter.", "N'hésite pas à solliciter une bourse.", "fr"),
        ("No dudes en preguntarme.", "No dudes en consultar al notario.", "es"),
        ("Espero que esto te ayude.", "Espero que te ayude esta ley injusta.", "es"),
        ("Estoy aquí para ayudarte.", "Estoy aquí para ayudar al juez preso.", "es"),
        ("Estou à disposição.", "Estou à disposição do tribunal.", "pt"),
        ("Ik help je graag verder.", "Ik help je graag elke zondag.", "nl"),
        ("Spero di esserti stato utile!", "Spero di esserti stato fedele sempre.", "it"),
        ("J'espère que cela vous aide !", "J'espère que cela vous aide à payer.", "fr"),
        ("Надеюсь, это поможет!", "Надеюсь, это поможет пациентам с мигренью.", "ru"),
        ("お気軽にご質問ください。", "駐車場は無料で、お気軽にご質問ください。", "ja"),
    ],
)
def test_an_offer_at_the_end_is_talk_unless_something_is_said_beside_it(
    offers: str, states: str, language: str
) -> None:
    kinds = [extract_claims(each, options(language))[0].non_assertive for each in (offers, states)]
    assert kinds == [NonAssertive.LEAD_IN, None]


@pytest.mark.parametrize(
    ("talk", "states"),
    [
        ("I can confirm this for you.", "I can confirm that the weir collapsed."),
        ("I'm happy to compare the two.", "I'm afraid the shop was closed."),
        ("I recommend checking the label.", "I recommend 15 ml a day."),
        ("I have read the details.", "Ann has read the details."),
        ("Good to know.", "It is good to know two languages."),
        ("אוכל להסביר זאת בפירוט.", "האוכל מספיק לשלושה."),
        ("המידע לקוח מהמסמך המצורף.", "המידע נמכר לחברה."),
        ("Thanks for asking!", "Thanks to the levee, the town was spared."),
        ("Thank you for your patience.", "Thank you for asking, the fee is due on Monday."),
        ("You asked about pets.", "You asked about pets, which the lease bans."),
        ("I hope that answers your question.", "I hope the ward, closed in 2009, reopens."),
        ("Thanks to you it works.", "Thanks to penicillin they lived."),
        ("Thanks, I will look into it.", "Thanks, it shuts at six."),
        ("I can confirm whether it sank.", "I can confirm it sank in the harbour and was raised."),
        ("I can confirm it for you.", "I can confirm Rosa was promoted."),
        ("I'm afraid I misread it.", "I'm afraid your visa was denied."),
        ("I'm sorry that I misread it.", "I'm sorry that the mill is derelict."),
        ("I'm sorry for the mix-up.", "I'm sorry, your parcel was returned."),
        ("I can confirm that for you.", "I can confirm, going by the log, that the raft was lost."),
        ("I can't confirm that for you.", "I can confirm that the raft was not lost."),
        ("I read the documents twice.", "I read the documents and the rent was halved."),
        ("I recommend consulting a doctor.", "I recommend the tram because the road is flooded."),
        ("I recommend checking twice.", "I recommend taking three drops."),
        ("I recommend asking a lawyer.", "I recommend Dr. Roth, who sees patients at home."),
        ("You asked about the rent.", "You asked about the rent and it is forty euros."),
        ("אני שמח לעזור.", "אני שמח לבשר שהבקשה התקבלה."),
        ("אשמח לענות לך.", "אשמח לעדכן אותך שהבקשה נדחתה."),
        ("אשמח לסייע.", "אשמח לבשר: הבקשה אושרה."),
        ("תודה, אשמח לעזור.", "תודה, נועה התפטרה."),
        ("תודה על השאלה.", "תודה, המעלית לא פועלת."),
        ("תודה על השאלה והסבלנות.", "תודה והמעלית תקינה."),
        ("סליחה, טעיתי.", "סליחה, גן הילדים סגור."),
        ("בדקתי וסיכמתי.", "בדקתי ומפעל השקד נסגר."),
        ("קראתי את המסמכים ששלחת.", "קראתי את המסמך והאגרה תוכפל."),
        ("בדקתי ומצאתי.", "בדקתי ומצאתי שהרכבת מאחרת."),
        ("שאלת על הפיקדון.", "שאלת על הפיקדון: הוא מאה שקלים."),
        ("אני ממליץ לבדוק באתר.", "אני ממליץ על 15 מיליליטר."),
        ("אשמח לסכם את החוזה.", "אשמח לציין שהחוזה הוארך."),
        ("אשמח לענות על כל שאלה שתהיה.", "קראתי את החוזה והפיקדון הוא 900 אירו."),
        ("שאלה מצוינת!", "שאלה מצוינת: הסכר נבנה ב-1950."),
        ("נעבור על הסעיפים אחד אחד.", "נעבור לגור בחיפה בשנת 2031."),
        ("סליחה על הבלבול, הנה הגרסה המתוקנת.", "סליחה על הבלבול, התשובה הנכונה היא 5."),
        ("תודה רבה, המשך יום נעים!", "תודה לסכר, העיר ניצלה."),
        ("בטח, אשמח לעזור.", "בטח שהסכר קרס."),
        ("Let me know if it leaks.", "Let me know if it leaks, which old pipes often do."),
        ("Let me know, and I'll check.", "Let me know which plan suits, and the bank will sign."),
        ("Feel free to ask: I'm happy to help.", "Feel free to park: the yard is open all night."),
    ],
)
def test_what_is_told_beside_talk_is_a_claim(talk: str, states: str) -> None:
    kinds = [extract_claims(each)[0].non_assertive for each in (talk, states)]
    assert kinds == [NonAssertive.LEAD_IN, None]


@pytest.mark.parametrize(
    ("act", "states"),
    [
        ("Take the bridge.", "Take the bridge: it was closed by the storm."),
        ("Consider these points: price and size.", "Consider the mill: the owner has left."),
        ("What time is it.", "What counts is that the owner has left."),
        ("How many people are there.", "How well it sells was not examined."),
        ("What is the deposit.", "What remains of the mill is the chimney."),
        ("קח לדוגמה את הגשר.", "קח לדוגמה את הגשר: הוא נסגר בחורף."),
        ("Call the clerk.", "Call the clerk, who keeps the key."),
        ("Tell the guard, where needed.", "Tell the guard, where Ada works now."),
        ("Ask who pays, who signs, and who keeps it.", "Ask Bo, who signs."),
        ("For a refund, call us.", "For a penny one could stay, read and eat."),
        ("היעדרו מהשיעור.", "היעדרו של שחקן אינו עולה דבר."),
        ("Wait until it boils.", "Wait until it boils, which takes an hour."),
        ("Add the eggs, and the butter.", "Lift the lid, and it clicks."),
    ],
)
def test_a_statement_that_an_instruction_or_a_question_leads_to_is_a_claim(
    act: str, states: str
) -> None:
    kinds = [extract_claims(each)[0].non_assertive for each in (act, states)]
    assert kinds[0] in (NonAssertive.INSTRUCTION, NonAssertive.QUESTION)
    assert kinds[1] is None

"""A sentence that says that the sources do not say something is found, with what that is."""

import pytest

from groundwire_verifier.domain.claims import ClaimOptions, Languages, NonAssertive
from groundwire_verifier.text.claims.extract import extract_claims


def found(text: str) -> list[tuple[str, NonAssertive | None]]:
    return [(claim.content, claim.non_assertive) for claim in extract_claims(text)]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        (
            "The manual does not say how long the guarantee lasts.",
            "The sources say how long the guarantee lasts.",
        ),
        (
            "I couldn't find the price of the annual pass in the documents.",
            "The sources state the price of the annual pass.",
        ),
        ("There is no information about parking in the sources.", "The sources state parking."),
        ("The deposit is not mentioned in the lease.", "The sources state the deposit."),
        (
            "The sources don't say whether dogs are allowed [S0].",
            "The sources say whether dogs are allowed.",
        ),
        (
            "Based on the provided files, I cannot tell when the mill was built.",
            "The sources say when the mill was built.",
        ),
        (
            "Neither document mentions who painted the hall.",
            "The sources say who painted the hall.",
        ),
        (
            "The handbook you sent never says that interns are paid.",
            "The sources say that interns are paid.",
        ),
        ("The manual does not say.", ""),
        ("I'm sorry, but I cannot answer that.", ""),
        ("I don't have enough information to answer this question.", ""),
        ("המדריך אינו מציין כמה זמן נמשכת האחריות.", "במקורות כתוב כמה זמן נמשכת האחריות."),
        ("לא מצאתי את מחיר המנוי במסמכים.", "במקורות יש מידע על מחיר המנוי."),
        ("אין במקורות מידע על החניה.", "במקורות יש מידע על החניה."),
        ("במסמכים לא כתוב מתי נפתח הגשר.", "במקורות כתוב מתי נפתח הגשר."),
        ("אין לי מספיק מידע כדי לענות.", ""),
        ("The brochure gives no opening hours.", "The sources state opening hours."),
        ("The leaflet contains no phone number.", "The sources state phone number."),
        ("N/A", ""),
        ("Unknown.", ""),
        ("אין בעלון שעות פתיחה.", "במקורות יש מידע על שעות פתיחה."),
        ("לא צוין.", ""),
    ],
)
def test_what_is_said_to_be_missing_can_be_asked_for(text: str, asked: str) -> None:
    (claim,) = extract_claims(text)
    assert (claim.non_assertive, claim.missing) == (NonAssertive.ABSENCE, asked)


@pytest.mark.parametrize(
    "text",
    [
        "The bridge was not found until 1990.",
        "The policy gives no discount to students.",
        "The contract contains no clause on notice.",
        "The painter is unknown in Norway.",
        "אין בחוזה סעיף על ביטול.",
        "No survivors were found in the cave.",
        "The suspect was not named by the police.",
        "The policy does not cover water damage.",
        "The ticket does not include a meal.",
        "There is no lift in the building.",
        "There is no evidence that the drug works.",
        "The witness could not see the car.",
        "The treaty is silent on fishing rights.",
        "It was not known who built the mill.",
        "בבניין אין מעלית.",
        "הכרטיס אינו כולל ארוחה.",
    ],
)
def test_what_is_not_there_in_the_world_is_a_claim(text: str) -> None:
    assert NonAssertive.ABSENCE not in [reason for _, reason in found(text)]


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        (
            "The documents do not mention the cause, although it was because of fog.",
            "It was because of fog.",
        ),
        (
            "The reason is not stated in the documents (it was because of fog).",
            "It was because of fog.",
        ),
        ("While the report does not say why, the ferry was late.", "The ferry was late."),
        ("The leaflet does not mention the fee, which is 5 €.", "It is 5 €."),
        (
            "The guide gives no details on the guarantee; it lasts two years.",
            "It lasts two years.",
        ),
        ("המסמכים לא מזכירים את הסיבה, אף שזה היה בגלל ערפל.", "זה היה בגלל ערפל."),
        ("המסמך אינו מציין את המחיר, אבל הגשר נפתח ב-1932.", "הגשר נפתח ב-1932."),
    ],
)
def test_what_stands_beside_it_in_the_sentence_is_a_claim(text: str, stated: str) -> None:
    claims = found(text)
    assert {reason for _, reason in claims} == {NonAssertive.ABSENCE, None}
    assert (stated, None) in claims


def test_each_part_has_its_own_place_and_citations() -> None:
    text = "The files do not say who built it [S0], but it opened in 1790 [S1]."
    absence, stated = extract_claims(text)
    assert (absence.cited_ids, stated.cited_ids) == (("S0",), ("S1",))
    assert stated.span.of(text) == "it opened in 1790"


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("I'm afraid the sources don't mention the price.", "The sources state the price."),
        ("How long it lasts is not stated in the manual.", "The sources say how long it lasts."),
        ("Nowhere does the report mention the fee.", "The sources state the fee."),
        ("The contract specifies no notice period.", "The sources state notice period."),
        ("Based on the given context, the answer cannot be determined.", ""),
        (
            "It cannot be determined from the text when it opened.",
            "The sources say when it opened.",
        ),
        (
            "No price is given for the family ticket.",
            "The sources state price for the family ticket.",
        ),
        ("No prices for children are listed.", "The sources state prices for children."),
        (
            "The price list doesn't show what a locker costs.",
            "The sources say what a locker costs.",
        ),
        ("No deadline is indicated.", "The sources state deadline."),
        ("No mention is made of a lifeguard in the leaflet.", "The sources state a lifeguard."),
        ("לא ניתן לקבוע מהמסמכים כמה עולה הכרטיס.", "במקורות כתוב כמה עולה הכרטיס."),
        ("אף אחד מהמסמכים אינו מזכיר החזר כספי.", "במקורות יש מידע על החזר כספי."),
    ],
)
def test_other_ways_to_say_that_the_sources_are_silent(text: str, asked: str) -> None:
    (claim,) = extract_claims(text)
    assert (claim.non_assertive, claim.missing) == (NonAssertive.ABSENCE, asked)


@pytest.mark.parametrize(
    "text",
    [
        "How long does it last?",
        "The shop sells no bread.",
        "No discount is given to groups.",
        "The study does not show any effect on sleep.",
        "No prizes are given for second place.",
        "Nowhere else is the water so clear.",
        "The result cannot be changed.",
    ],
)
def test_their_twins_are_none(text: str) -> None:
    (claim,) = extract_claims(text)
    assert claim.non_assertive is not NonAssertive.ABSENCE


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("I was unable to find out the fee.", "The sources state the fee."),
        ("I have not come across any mention of pets.", "The sources state pets."),
        ("That detail is not available to me.", ""),
        ("I'm sorry, I don't have that information.", ""),
        ("After reading the files, I could not spot the date.", "The sources state the date."),
        ("The required details are missing.", ""),
        (
            "It is impossible for me to say who signed the deed.",
            "The sources say who signed the deed.",
        ),
        (
            "The leaflet leaves open who pays for the repairs.",
            "The sources say who pays for the repairs.",
        ),
        (
            "Who owns the barn cannot be inferred from the letter.",
            "The sources say who owns the barn.",
        ),
        ("The handbook keeps quiet about overtime.", "The sources state overtime."),
        ("The statute is silent on dogs.", "The sources state dogs."),
        ("Nothing in the deed speaks of a well.", "The sources state a well."),
        ("The documents make no reference to a fine.", "The sources state a fine."),
        ("לא הצלחתי לאתר את גובה הקנס.", "במקורות יש מידע על גובה הקנס."),
        ("גובה הקנס לא נמצא במסמכים.", "במקורות יש מידע על גובה הקנס."),
        ("אינני יודעת.", ""),
        ("המידע הזה אינו זמין לי.", ""),
        ("החוברת שותקת לגבי תנאי הביטול.", "במקורות יש מידע על תנאי הביטול."),
        ("לא ניתן ללמוד מהחוזה מי משלם.", "במקורות כתוב מי משלם."),
        ("במסמכים שקיבלתי אין התייחסות לדמי החניה.", "במקורות יש מידע על דמי החניה."),
        ("אין במסמך אזכור לביטוח.", "במקורות יש מידע על ביטוח."),
    ],
)
def test_an_abstention_is_known_in_other_words(text: str, asked: str) -> None:
    (claim,) = extract_claims(text)
    assert (claim.non_assertive, claim.missing) == (NonAssertive.ABSENCE, asked)


@pytest.mark.parametrize(
    "text",
    [
        "The diver was unable to locate the wreck.",
        "The painting was stolen in 1990. It is missing.",
        "The chapel is not available to tourists.",
        "The nurse leaves the window open at night.",
        "Mushrooms cannot be gathered from the park.",
        "The senator kept quiet about the bribe.",
        "The cause is unknown to science.",
        "It was impossible to reach the peak before 1950.",
        "הארנק לא נמצא בתחנה.",
        "הבלשית לא הצליחה לאתר את הרכב.",
        "המנהלת שותקת לגבי הפרשה.",
        "המעלית אינה זמינה לאורחים.",
    ],
)
def test_what_somebody_else_could_not_do_is_a_claim(text: str) -> None:
    assert all(claim.non_assertive is None for claim in extract_claims(text))


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        (
            "I could not find the fee but the pass is valid for a year.",
            "The pass is valid for a year.",
        ),
        ("I cannot determine the fee; the shop opens at nine.", "The shop opens at nine."),
        ("לא הצלחתי לאתר את המחיר, אבל הכרטיס תקף שנה.", "הכרטיס תקף שנה."),
    ],
)
def test_what_stands_beside_an_abstention_is_a_claim(text: str, stated: str) -> None:
    first, second = found(text)
    assert first[1] is NonAssertive.ABSENCE
    assert second == (stated, None)


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("The sources do not say: adults pay 10 euros.", "Adults pay 10 euros."),
        ("I could not find the fee: all visitors pay nothing.", "All visitors pay nothing."),
        ("I am not aware of any exceptions: pets are allowed.", "Pets are allowed."),
        ("לא מצאתי את המחיר: הכניסה עולה עשרה שקלים.", "הכניסה עולה עשרה שקלים."),
    ],
)
def test_what_stands_behind_the_colon_of_an_abstention_is_a_claim(text: str, stated: str) -> None:
    first, second = found(text)
    assert first[1] is NonAssertive.ABSENCE
    assert second == (stated, None)


@pytest.mark.parametrize(
    "text",
    [
        "I could not find these: the price, the date.",
        "The document does not mention it: https://example.com/a.",
        "The manual does not say when: at 12:30 or later?",
    ],
)
def test_a_colon_is_no_word_of_what_is_missing(text: str) -> None:
    assert len(extract_claims(text)) == 1


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("I read that the pact was signed in May but I couldn't find the year.", 1),
        ("We tried the drug on mice and it works, but I could not find a study.", 1),
        ("After the king died of poison, it cannot be determined who ruled.", 1),
        ("As of May the hall is closed, the sources do not say why.", 1),
        ("To cancel you must write a letter, the lease does not say when.", 1),
        ("Despite the ban on cars in town, the leaflet does not mention parking.", 1),
        ("After a careful search, I could not find the year.", 0),
        ("Having looked through all the sources, I could not find the year.", 0),
        ("I searched all the documents and could not find the year.", 0),
        ("Going by the leaflet, it is not possible to say how long it takes.", 0),
    ],
)
def test_what_an_abstention_begins_with_is_left_out_only_if_it_states_nothing(
    text: str, stated: int
) -> None:
    assert sum(claim.non_assertive is None for claim in extract_claims(text)) == stated


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("I could not find the price and the hall is closed on Mondays.", 1),
        ("I was unable to locate the fee and the pass is valid for a year.", 1),
        ("I could not find the fee because it was abolished by the mayor.", 1),
        ("The sources do not say who pays and when it is due.", 0),
        ("The sources do not state the price and the date.", 0),
        ("The sources do not mention the names and ages of people who died.", 0),
        ("The sources do not give the price and do not say when it is due.", 0),
    ],
)
def test_what_is_added_to_an_abstention_without_a_comma_is_a_claim(text: str, stated: int) -> None:
    assert sum(claim.non_assertive is None for claim in extract_claims(text)) == stated


@pytest.mark.parametrize(
    ("lists", "asked", "states", "claim"),
    [
        (
            "I could not find: the fee, the deadline.",
            "The sources state the fee, the deadline.",
            "I could not find it: the page was removed in May.",
            "The page was removed in May.",
        ),
        (
            "I can't verify: the name of the donor.",
            "The sources state the name of the donor.",
            "I can't verify: the shop opens at ten.",
            "The shop opens at ten.",
        ),
        (
            "לא הצלחתי לאתר: שם התורם, מועד ההגשה.",
            "במקורות יש מידע על שם התורם, מועד ההגשה.",
            "לא הצלחתי לאתר: העמוד הוסר במאי.",
            "העמוד הוסר במאי.",
        ),
    ],
)
def test_behind_a_colon_stands_what_was_not_found_or_a_claim(
    lists: str, asked: str, states: str, claim: str
) -> None:
    (lacking,) = extract_claims(lists)
    assert (lacking.non_assertive, lacking.missing) == (NonAssertive.ABSENCE, asked)
    assert found(states)[1:] == [(claim, None)]


@pytest.mark.parametrize(
    "text",
    [
        "I cannot confirm: the deposit, 40 euros.",
        "I cannot confirm: the founder, Maria Lenz.",
        "I could not determine: the date of the flood, drowning many.",
        "I could not confirm: the library now shut.",
        "I could not verify: opening at noon.",
        "I could not verify: opening at seven.",
        "לא הצלחתי למצוא: מספר המבקרים צנח.",
        "לא הצלחתי למצוא: שעות הפתיחה 8 עד 4.",
        "לא הצלחתי לקבוע: סכום הפיקדון 300 שקלים.",
        "לא הצלחתי לקבוע: המחיר הוכפל.",
    ],
)
def test_what_may_state_something_behind_such_a_colon_is_a_claim(text: str) -> None:
    assert found(text)[-1][1] is None


@pytest.mark.parametrize(
    "text",
    [
        "I could not find: the opening hours, the name of the building.",
        "I could not verify: the mayor of Basel, the price of a ticket.",
        "לא הצלחתי למצוא: מחיר הסיור ומועד ההרשמה.",
    ],
)
def test_a_list_behind_such_a_colon_is_none(text: str) -> None:
    assert [kind for _, kind in found(text)] == [NonAssertive.ABSENCE]


@pytest.mark.parametrize(
    ("missing", "states", "language"),
    [
        (
            "Die genaue Lage des Hofes und die Miete sind in den Dokumenten nicht angegeben.",
            "Der Hof brennt und die Miete sind in den Dokumenten nicht angegeben.",
            "de",
        ),
        ("文中没有说明是否同时营业。", "文中没有说明价格而馆已关闭。", "zh"),
        ("لا يذكر العقد الاسم ومبلغ الإيجار.", "لا يذكر العقد الاسم والمبلغ يغطي الماء.", "ar"),
        ("لا تذكر الوثائق الاسم والمدة.", "لا تذكر الوثائق السعر والمدة تتجاوز الشهر.", "ar"),
        (
            "В договоре не указаны дата и цена аренды.",
            "В договоре не указаны дата и цена низкая.",
            "ru",
        ),
        (
            "В тексте не указаны имя и срок договора.",
            "В тексте не указаны имя и сумма крайняя.",
            "ru",
        ),
        (
            "В тексте не указаны имя и время прибытия.",
            "В тексте не указаны имя и цена хороша.",
            "ru",
        ),
        ("在报告中没有发现退款政策。", "没有发现相关数据造假。", "zh"),
        ("我没有找到关于退款的资料。", "我没有找到数据线。", "zh"),
        ("资料中没有找到地址。", "我们没有发现内容物有毒。", "zh"),
    ],
)
def test_a_natural_and_elsewhere_hides_no_statement(
    missing: str, states: str, language: str
) -> None:
    languages = ClaimOptions(languages=Languages(language))
    kinds = [extract_claims(each, languages)[0].non_assertive for each in (missing, states)]
    assert kinds == [NonAssertive.ABSENCE, None]


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("החוברת לא מציינת את שעות הפתיחה והכניסה חינם.", "הכניסה חינם."),
        ("החוברת לא מציינת את שעות הפתיחה, והסיור נמשך שעה.", "הסיור נמשך שעה."),
        ("לא ברור מהמכתב מי פוטר והערעור בבדיקה.", "הערעור בבדיקה."),
        ("לא ברור מהמכתב מי פוטר ומדוע.", ""),
        ("המסמך לא מפרט את המינון והמטופל אלרגי לאגוזים.", "המטופל אלרגי לאגוזים."),
        ("החוברת לא מציינת את שעות הפתיחה ואת מחיר הכניסה.", ""),
        ("החוברת לא מציינת את שעות הפתיחה והכניסה לגן.", ""),
        ("המקורות לא אומרים מתי נבנה הגשר ומי תכנן אותו.", ""),
    ],
)
def test_a_hebrew_and_adds_a_statement_or_more_that_is_missing(text: str, stated: str) -> None:
    (_, kind), *rest = found(text)
    assert kind is NonAssertive.ABSENCE
    assert rest == ([(stated, None)] if stated else [])


@pytest.mark.parametrize(
    ("lacking", "claim"),
    [
        ("Not stated in the lease: the deposit and the fee", "Not included: the fee and the tax"),
        ("**Not mentioned:** opening hours", "**Not covered:** broken windows"),
        ("לא צוין בחוזה: גובה הפיקדון", "לא כלול במחיר: ארוחת בוקר"),
        ("Not mentioned in the policy: the excess", "Not covered by the policy: flood, fire"),
        ("Not specified in the agreement: the fee", "Not covered in the agreement: screens, theft"),
        ("Not found in the contract: the date", "Not included in the document: the annex"),
    ],
)
def test_a_label_may_say_what_a_text_lacks_or_deny_what_follows_it(
    lacking: str, claim: str
) -> None:
    (_, absent), *more = found(lacking)
    assert (absent, more) == (NonAssertive.ABSENCE, [])
    assert found(claim) == [(claim.replace("*", ""), None)]


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("I could not find the fare, it was waived in June.", "It was waived in June."),
        ("I could not find the fare, the date or the address.", ""),
        (
            "The leaflet gives no date and names Ida Moss as the guide.",
            "Names Ida Moss as the guide.",
        ),
        ("The leaflet gives no date and no price.", ""),
        ("The records do not say who won and who lost was Ida Moss.", "lost was Ida Moss."),
        ("The records do not say who won and who lost.", ""),
        ("There is no information on parking as the lot was sold.", "The lot was sold."),
        ("The records do not mention fines as such.", ""),
        ("המסמך לא מציין מחיר כי הכניסה חופשית.", "הכניסה חופשית."),
        ("לא נאמר במסמך כי הגשר נסגר.", ""),
        ("לא מצאתי תאריך, היריד נערך במאי.", "היריד נערך במאי."),
        ("אין במסמכים מידע על התשלום, המועד או הקבלן.", ""),
        ("במקורות לא כתוב מי ניצח ומי שהפסיד הוא דן.", "מי שהפסיד הוא דן."),
        ("במקורות לא כתוב מי ניצח ומי הפסיד.", ""),
        ("לא ברור מהמכתב מי חתם כי רון השחית את הדף.", "רון השחית את הדף."),
        ("לא ברור מהדוח מתי פרצה השרפה משום שהיומן אבד.", "היומן אבד."),
        ("לא ברור מהדוח למה הסכר קרס למרות שהמהנדס הזהיר.", "המהנדס הזהיר."),
        ("לא ברור מהחוזה מי הדייר שהוא בעל הבית.", "שהוא בעל הבית."),
        ("לא ברור מהדוח מי זכה ומי שזכה היא נועה.", "מי שזכה היא נועה."),
        ("החוזה לא מציין מי ערב, ובמקרה של ספק רון מכריע.", "במקרה של ספק רון מכריע."),
        ("לא ברור מהחוזה מי ערב ומאחר שרון פשט רגל הערבות בטלה.", "הערבות בטלה."),
        ("החוזה לא מציין מי ערב, ואם רון איחר הערבות בטלה.", "הערבות בטלה."),
        ("לא ברור מהחוזה מי הדייר ומי הבעלים.", ""),
        ("החוזה לא מציין מתי נפתח השער ואיפה.", ""),
    ],
)
def test_what_is_joined_to_an_absence_states_something_or_is_missing_too(
    text: str, stated: str
) -> None:
    (_, kind), *rest = found(text)
    assert kind is NonAssertive.ABSENCE
    assert len(rest) == bool(stated)
    assert all(content.endswith(stated) for content, _ in rest)

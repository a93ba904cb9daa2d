"""The languages of a text, by its scripts and by words that every text of a language holds.

Looks at the start of a text only, and decides by counts, so that its cost is bounded and its answer
can be told. A text that gives no sign of another language counts as English, unless it has several
words and none of them is English: its language is unknown.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import replace

from groundwire_verifier.domain.claims import Claim, ClaimOptions, Languages
from groundwire_verifier.text.claims.complete import complete_characters
from groundwire_verifier.text.claims.extract import first_claims
from groundwire_verifier.text.claims.wording import english
from groundwire_verifier.text.claims.wording.sentence import (
    DEFAULT_LANGUAGE,
    UNKNOWN_LANGUAGE,
    word_set,
)

LOOKED_AT_CHARACTERS = 10_000
LEAST_SIGNS = 2
"""The fewest different words of another language than English that a text in it holds."""

LEAST_TEXT_WORDS = 5
"""From so many words on, none of them a common one of English, one such word is enough."""

_WORD = re.compile(r"[^\W\d_]+")
_WORDS = {
    "en": "the a an is are was were of in on at to for and or but with by from that it has have "
    "had as this be not its they he she his her their which can may must will would there "
    "when if you than only each all one two no do does i we my your "
    "per pro plus yes about up out over into more how what who us any some other after before "
    "between during both were been being did them so very also then",
    "de": "der die das und ist nicht ein eine einen einem einer eines den dem des von mit für "
    "auf im zu zum zur sich auch bei nach aus wird werden wurde hat haben sind war als wie "
    "nur oder aber bis ab es er sie wir ich kein keine am vom über unter zwei drei "
    "kann muss",
    "fr": "le la les à un une des du de et est sont pas ne que qui dans pour par sur avec au aux "
    "ce cette il elle ils elles sa son ses leur été être ont plus ou mais où en chaque "
    "deux trois je vous nous se y l d n c j qu",
    "es": "el la los las un una unos unas de del y es son no que en para por con se al su sus lo "
    "como más pero está están fue fueron tiene tienen hay desde hasta sin sobre también "
    "cada dos tres o si yo usted ha he lo esa ese sé",
    "pt": "o a os as um uma de do da dos das e é são não que em no na nos nas para por com se ao "
    "à seu sua seus suas como mais mas está foi foram tem têm há até sem sobre também cada "
    "dois duas pelo pela eu você",
    "it": "il lo la à i gli le un uno una di del della dei delle dello degli e è sono non che in "
    "nel nella per da dal dalla con si al alla come più ma ha hanno sul sulla fino senza "
    "anche ogni due tre ho l dell nell all era alle ai agli dalle dai nei nelle sulle sui "
    "chiude apre giorni",
    "nl": "de het een en is niet van in op te voor met aan dat die er bij uit door naar om zijn "
    "was werd worden wordt heeft hebben kan moet ook als maar of tot per geen twee drie ik "
    "je u wij hij ze deze dit over",
    "sv": "och att det är en ett som på för av med inte den de till har om från vid kan ska var "
    "men eller under över efter också varje två tre jag du vi han hon sin blev mellan i "
    "när",
    "da": "og at det er en et som på for af med ikke den de til har om fra ved kan skal var men "
    "eller under over efter også hver to tre jeg du vi han hun sin blev mellem i når der",
    "nb": "og at det er en et som på for av med ikke den de til har om fra ved kan skal var men "
    "eller under over etter også hver to tre jeg du vi han hun sin ble mellom i når fra "
    "hverdag",
    "fi": "ja on ei se että ovat oli olla joka mutta tai kun kuin myös sen hän he ne tämä vain "
    "kanssa mukaan noin kaksi kolme voi saa minä sinä ennen jälkeen kello jos",
    "et": "ja on ei see et ta ka kui oli mis aga või ning kuid oma tema nad selle kuni ainult "
    "kaks kolm saab mina iga pärast enne kell ole",
    "pl": "i w z na do nie się jest są że to o po za od dla przez oraz ale jak tylko był była "
    "było być może który która które lub ma mają przed każdy dwa trzy ja ze co tak",
    "cs": "a v se na je že s z do o k i to pro po od za ve ale jako jen byl byla bylo jsou nebo "
    "má mají který která které každý dva tři není ze si u",
    "sk": "a v sa na je že s z do o k i to pre po od za vo ale ako len bol bola bolo sú alebo má "
    "majú ktorý ktorá ktoré každý dva tri nie zo si u",
    "sl": "in je v na se da za so ne z s po od pri do pa kot ki bil bila bilo ali ima imajo samo "
    "vsak dva tri ni ter iz ob",
    "hr": "i je u na se da za su ne s po od pri do a kao koji koja koje bio bila bilo ili ima "
    "imaju samo svaki dva tri nije iz te što",
    "hu": "a az és egy nem hogy is van volt vagy csak de meg ez azt mint már minden két három "
    "után előtt lehet nincs ha között ki el lesz kell",
    "ro": "și în de la cu nu este sunt un o pe a al ale din care că se pentru mai sau dar fost "
    "are au fiecare doi două trei până după între lui lor cel cea este",
    "tr": "ve bir bu da de için ile olarak olan var yok değil çok daha gibi kadar her ne mi en "
    "sonra önce iki üç ya ama oldu ise tarafından saat yalnızca sadece",
    "vi": "và là của có không được các những một trong cho với từ đến này khi người ở đã sẽ cũng "
    "như về tại hai ba mỗi chỉ vào năm",
    "id": "dan yang di ke dari untuk dengan pada adalah ini itu tidak akan atau oleh dalam juga "
    "sebagai telah dapat hanya setiap dua tiga saya anda bisa ada sampai hingga buka",
    "sw": "na ya wa kwa ni la za katika cha kuwa si hii hiyo au pia kila mbili tatu lakini ina "
    "ana saa hadi kutoka",
    "lt": "ir yra ne į iš su kad o tai kaip bet ar buvo nuo iki po už tik dėl kiekvienas du trys "
    "jis ji šis gali turi per arba",
    "lv": "un ir ne no ar ka par bet vai bija līdz pēc uz tikai kā katrs divi trīs viņš šis var "
    "pie kas lai nav",
    "sq": "dhe në është të një për me nga që nuk janë ka si por ose deri pas vetëm çdo dy tre ky "
    "kjo i e ishte",
    "ca": "el la els les un una i és són no que en per amb de del dels al als es seu seva com "
    "més però està va té tenen hi fins sense també cada dos tres o si aquest aquesta",
}  # fmt: skip
_ENGLISH = (
    english.IMPERATIVES
    | english.THIRD
    | english.PASTS
    | english.PLURAL_VERBS
    | word_set(
        "price prices cost fee fees year years month months week weeks day days hour hours minute "
        "minutes daily open closed new old first last long high free name names number date time "
        "people water house city world part percent dollars euros pounds true false red blue green "
        "black white small large big good bad north south east west king queen"
    )
)
_ENGLISH_ENDS = ("ing", "ed", "ly", "ness", "ship", "ght", "tion")
"""Words and endings that tell English, where none of its commonest words is there."""

_KNOWN = {language: frozenset(words.split()) for language, words in _WORDS.items()}
_HELD_BY: Mapping[str, tuple[str, ...]] = {
    word: tuple(language for language, known in _KNOWN.items() if word in known)
    for known in _KNOWN.values()
    for word in known
}
_MARKS: Mapping[str, tuple[str, ...]] = {
    letter: tuple(languages.split())
    for letters, languages in {
        "ß": "de", "ä": "de sv fi et", "ö": "de sv fi hu tr et", "ü": "de hu tr et",
        "ñ¿¡": "es", "ãõ": "pt", "œêèç": "fr", "ìò": "it", "å": "sv da nb", "øæ": "da nb",
        "łżźśćń": "pl", "řěů": "cs", "ľĺŕô": "sk", "őű": "hu", "ășțşţ": "ro", "ğış": "tr",
        "đ": "hr vi", "ơưạảấầẩậắằặẹẻếềểệỉịọỏốồổộớờởợụủứừửựỳỹ": "vi", "ėųįū": "lt",
        "ēīķļņģ": "lv", "ë": "sq nl",
    }.items()
    for letter in letters
}  # fmt: skip
_MARK_WEIGHT = 0.4

_SCRIPTS: tuple[tuple[str, str], ...] = (
    ("ja", "\u3040-\u30ff\u31f0-\u31ff"), ("ko", "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"),
    ("zh", "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"), ("ru", "\u0400-\u052f"),
    ("ar", "\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufeff"), ("el", "\u0370-\u03ff"),
    ("hi", "\u0900-\u097f"), ("bn", "\u0980-\u09ff"), ("pa", "\u0a00-\u0a7f"),
    ("gu", "\u0a80-\u0aff"), ("ta", "\u0b80-\u0bff"), ("te", "\u0c00-\u0c7f"),
    ("kn", "\u0c80-\u0cff"), ("ml", "\u0d00-\u0d7f"), ("si", "\u0d80-\u0dff"),
    ("th", "\u0e00-\u0e7f"), ("lo", "\u0e80-\u0eff"), ("my", "\u1000-\u109f"),
    ("ka", "\u10a0-\u10ff"), ("hy", "\u0530-\u058f"), ("am", "\u1200-\u137f"),
    ("km", "\u1780-\u17ff"),
)  # fmt: skip
"""The language of most texts in a script. Kana stands before Han, which it is mixed with."""
_IN_SCRIPT = tuple((language, re.compile(f"[{letters}]")) for language, letters in _SCRIPTS)
_TOLD_BY: Mapping[str, tuple[tuple[str, str], ...]] = {
    "ru": (("uk", "іїєґ"), ("be", "ў"), ("sr", "ђћџјљњ"), ("mk", "ѓќѕ"), ("kk", "әғқңөұүһ")),
    "ar": (("ur", "ٹڈڑےںہ"), ("fa", "پچژگی")),
}
"""Letters of other languages of a script."""

_NOT_BULGARIAN = re.compile("[ыэё]")
_TELLING_SHARE = 0.01


def languages_of(text: str) -> Languages:
    """The languages of a text: of what is in Latin letters, and of what is in others."""
    start = text[:LOOKED_AT_CHARACTERS]
    # Names are of no language.
    common = sum(map(str.islower, _WORD.findall(start)))
    start = start.lower()
    return Languages(_latin(start, common), UNKNOWN_LANGUAGE if start.isascii() else _other(start))


def named_claims(
    text: str, options: ClaimOptions, count: int, max_ids: int
) -> tuple[Claim, ...] | None:
    """What `first_claims` finds in a text of the languages that it is in."""
    return first_claims(text, replace(options, languages=languages_of(text)), count, max_ids)


def named_complete(text: str, options: ClaimOptions, max_ids: int) -> int:
    """What `complete_characters` finds in a text of the languages that it is in."""
    return complete_characters(text, replace(options, languages=languages_of(text)), max_ids)


def _latin(text: str, common: int) -> str:
    """The language of the words in Latin letters, of which `common` have no capital.

    A word of many languages says little of each.
    """
    weights: dict[str, float] = defaultdict(float)
    words: Counter[str] = Counter()
    of_text = Counter(_WORD.findall(text))
    for word, count in of_text.items():
        holding = _HELD_BY.get(word, ())
        for language in holding:
            weights[language] += count / len(holding)
            # One letter may be a unit, or what is left of `it's`.
            words[language] += len(word) > 1
    marks: Counter[str] = Counter()
    for letter, count in Counter("" if text.isascii() else text).items():
        for language in _MARKS.get(letter, ()):
            marks[language] += count
    for language, count in marks.items():
        # Marks decide between languages whose words are there: a name has such letters, too.
        weights[language] += _MARK_WEIGHT * min(count, LEAST_SIGNS + 4 * weights[language])
    # Of languages with equal signs, the one that is named first.
    best = max(_WORDS, key=lambda language: weights[language])
    if weights[best] <= weights[DEFAULT_LANGUAGE]:
        unknown = common > LEAST_SIGNS and of_text.total() >= LEAST_TEXT_WORDS
        english_words = words[DEFAULT_LANGUAGE] or _looks_english(of_text)
        return UNKNOWN_LANGUAGE if unknown and not english_words else DEFAULT_LANGUAGE
    in_english = words[DEFAULT_LANGUAGE]
    plain = in_english or of_text.total() < LEAST_TEXT_WORDS
    marked = words[best] > 0 and marks[best] >= LEAST_SIGNS
    enough = words[best] >= LEAST_SIGNS or marked or (not plain and words[best] + marks[best] > 0)
    # A common word of another language, and none of English: it is another one that nobody knows.
    thin = words[best] > 0 and common > 0 and not in_english and not _looks_english(of_text)
    return best if enough else UNKNOWN_LANGUAGE if thin else DEFAULT_LANGUAGE


def _looks_english(words: Collection[str]) -> bool:
    """Whether words that are not the commonest of English show it nevertheless."""
    return any(word in _ENGLISH or word.endswith(_ENGLISH_ENDS) for word in words)


def _other(text: str) -> str:
    """The language of the letters of one of the other scripts; unknown where there are none."""
    counts = {language: len(script.findall(text)) for language, script in _IN_SCRIPT}
    if counts["ja"]:
        counts["ja"] += counts["zh"]
    best = max(counts, key=lambda language: counts[language])
    if not counts[best]:
        return UNKNOWN_LANGUAGE
    signs = Counter(text)
    for language, letters in _TOLD_BY.get(best, ()):
        if sum(signs[letter] for letter in letters) > counts[best] * _TELLING_SHARE:
            return language
    if best == "ru" and signs["ъ"] >= LEAST_SIGNS and not _NOT_BULGARIAN.search(text):
        return "bg"
    return best

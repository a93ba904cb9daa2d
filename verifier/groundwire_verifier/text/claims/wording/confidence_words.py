"""Words of confidence: what they are worth, and what they are mistaken for.

`May 5`, `the might of Rome` and `staff may leave` state no confidence; the words around tell. When
nothing tells the readings apart, it is a trap: a statement that is taken for a hedge is not
verified at all.
"""

from collections.abc import Callable

from groundwire_verifier.text.claims.wording.english import PASTS
from groundwire_verifier.text.claims.wording.sentence import Sentence, word_set

PLAIN = 0.95
"""What a statement without such words is worth on the scale of these values."""

CERTAIN, ALMOST_CERTAIN, LIKELY, THOUGHT = 0.97, 0.95, 0.75, 0.7
OPINION, SEEMING = 0.65, 0.6
EVEN, POSSIBLE, UNCLEAR, DOUBTED = 0.5, 0.4, 0.3, 0.2

FRAMES = {
    "i think": THOUGHT, "i believe": THOUGHT, "i guess": EVEN, "i suppose": EVEN,
    "i suspect": THOUGHT, "i assume": THOUGHT, "we think": THOUGHT, "we believe": THOUGHT,
    "i am sure": ALMOST_CERTAIN, "i'm sure": ALMOST_CERTAIN, "i am certain": CERTAIN,
    "i'm certain": CERTAIN, "i am confident": ALMOST_CERTAIN, "i'm confident": ALMOST_CERTAIN,
    "it is likely that": LIKELY, "it's likely that": LIKELY, "it is probable that": LIKELY,
    "it is very likely that": 0.85, "it is certain that": CERTAIN,
    "there is no doubt that": CERTAIN, "it is possible that": POSSIBLE,
    "it's possible that": POSSIBLE, "it may be that": POSSIBLE, "it is unlikely that": DOUBTED,
    "it's unlikely that": DOUBTED, "i doubt that": DOUBTED, "perhaps": POSSIBLE,
    "maybe": POSSIBLE, "possibly": POSSIBLE, "probably": LIKELY, "presumably": LIKELY,
    "most likely": LIKELY, "very likely": 0.85, "certainly": CERTAIN, "definitely": CERTAIN,
    "undoubtedly": CERTAIN, "without a doubt": CERTAIN, "without doubt": CERTAIN,
    "without any doubt": CERTAIN, "no doubt": CERTAIN, "almost certainly": 0.9,
    "in my opinion": OPINION, "reportedly": OPINION, "allegedly": OPINION, "arguably": OPINION,
    "i am pretty sure": 0.8, "i'm pretty sure": 0.8, "it is almost certain that": 0.9,
    "it's almost certain that": 0.9, "it is doubtful that": UNCLEAR, "it seems that": SEEMING,
    "it appears that": SEEMING, "נראה": OPINION, "קרוב לוודאי": 0.85, "לכאורה": SEEMING,
    "אני חושב": THOUGHT, "אני חושבת": THOUGHT, "אני מאמין": THOUGHT, "אני מאמינה": THOUGHT,
    "אני סבור": THOUGHT, "אני סבורה": THOUGHT, "לדעתי": THOUGHT, "אני משער": THOUGHT,
    "אני די בטוח": 0.85, "אני די בטוחה": 0.85, "אני בטוח": ALMOST_CERTAIN,
    "אני בטוחה": ALMOST_CERTAIN, "אין ספק": CERTAIN,
    "ללא ספק": CERTAIN, "בלי ספק": CERTAIN, "בהחלט": CERTAIN, "בוודאות": CERTAIN,
    "בוודאי": ALMOST_CERTAIN, "כנראה": LIKELY, "ככל הנראה": LIKELY, "סביר להניח": LIKELY,
    "אולי": POSSIBLE, "ייתכן": POSSIBLE, "יתכן": POSSIBLE, "ייתכן כי": POSSIBLE,
    "יתכן כי": POSSIBLE, "יכול להיות": POSSIBLE, "אפשר": POSSIBLE, "ייתכן מאוד": EVEN,
}  # fmt: skip
"""Phrases that may stand before a statement without being part of it, and what they are worth."""

PHRASES = FRAMES | {
    "unlikely to": 0.25, "seems": SEEMING, "seem": SEEMING, "appears to": SEEMING,
    "appear to": SEEMING, "it is doubtful": UNCLEAR, "it's doubtful": UNCLEAR,
    "almost certain": 0.9, "i don't think": UNCLEAR, "i do not think": UNCLEAR,
    "i don't believe": UNCLEAR, "i do not believe": UNCLEAR, "אני לא חושב": UNCLEAR,
    "אני לא חושבת": UNCLEAR, "might": EVEN, "may": EVEN, "could": EVEN, "likely": LIKELY,
    "surely": 0.9,
    "i am not sure": UNCLEAR, "i'm not sure": UNCLEAR, "i am not certain": UNCLEAR,
    "i'm not certain": UNCLEAR, "i am unsure": UNCLEAR, "i don't know": UNCLEAR,
    "i do not know": UNCLEAR, "it is unclear": UNCLEAR, "it's unclear": UNCLEAR,
    "it remains unclear": UNCLEAR, "it is not clear": UNCLEAR, "it isn't clear": UNCLEAR,
    "it's not clear": UNCLEAR, "it is uncertain": UNCLEAR, "it is not certain": UNCLEAR,
    "it is not impossible that": UNCLEAR,
    "לא ברור": UNCLEAR, "לא בטוח": UNCLEAR, "לא בטוחה": UNCLEAR,
    "אני לא יודע": UNCLEAR, "אני לא בטוח": UNCLEAR, "אני לא בטוחה": UNCLEAR,
    "עשוי": EVEN, "עשויה": EVEN, "עשויים": EVEN, "עשויות": EVEN, "עלול": EVEN, "עלולה": EVEN,
    "עלולים": EVEN, "עלולות": EVEN,
}  # fmt: skip


_ADVERBS = word_set("not also well even still already soon never only then now later")
_THINGS = word_set("it this that there which these those")
_STATES = word_set("be have seem appear exist need")
_CAUSES = word_set(
    "cause lead result affect contain indicate suggest mean explain reflect damage harm trigger"
)
_CHANGES = word_set(
    "become get vary differ occur happen fail rain increase decrease reduce depend improve help "
    "prevent change collapse break worsen rise fall flood stop start drop grow crash burst leak "
    "melt freeze last cost work"
)
"""Verbs of things rather than of persons: what things do to others, and what happens to them.
Before an object these are a person's, too: `Lodgers may change the lock.`"""

_PARTICIPLES = word_set(
    "been gone done lost left begun come become made found built sold sent hit set let put cut "
    "shut kept held paid read run lent spent hung brought bought drunk lit sung fed led met dug "
    "won cast worn"
)
_BEFALLEN = word_set(
    "caused affected damaged delayed needed required lost related linked associated interested "
    "surprised broken blocked infected injured involved triggered explained influenced "
    "mistaken tired confused concerned disappointed misled exposed stolen killed hurt wounded "
    "destroyed forgotten based attributed hidden overestimated underestimated biased outdated "
    "located situated stuck corrupted expired compromised open often even prolonged worsened "
    "increased reduced followed experienced accompanied argued down own "
    "happen"
)
"""What befalls something: who is permitted to do nothing with it."""
_HUMANS = word_set(
    "customer passenger company user member student tenant landlord party parties judge court "
    "doctor nurse teacher parent child children patient visitor guest driver owner worker staff "
    "citizen person people man men woman women player buyer seller client applicant resident "
    "candidate agency agencies authority authorities government minister president king queen "
    "bank firm team council board committee police officer manager employer contractor supplier "
    "author editor reader writer operator holder lender borrower insurer bearer anyone everyone "
    "nobody somebody adult minor individual business businesses states parliament senate congress "
    "university school participant subscriber administrator developer publisher licensor vendor"
)
_NEUTRAL_HE = word_set("זה עדיין אני כלל גם עוד אבל")
_ADVERBS_IN_LAMED = word_set("לרוב לגמרי לחלוטין לפחות לבן לבנה לבנים לבנות לבד למעשה")
MOST_BEFORE_INFINITIVE = 4
"""How many words behind a Hebrew `may` an infinitive is looked for."""
_CLAUSE_STARTS_HE = word_set("אם האם מה מי מתי איך מדוע למה איפה היכן כיצד כמה כי עד אילו איזה")

_DETERMINERS = word_set("a an the this that his her its their our your my some any of")
_BEFORE_A_MONTH = word_set("in of by since until on last next early late mid from to")
_POSSIBLE_AFTER_COULD = word_set(
    "be have also potentially possibly cause lead become result mean indicate fail happen affect "
    "make explain lose take break change create damage prevent reduce increase"
)


def _is_noun_might(sentence: Sentence, at: int) -> bool:
    before, after = sentence.lower(at - 1), sentence.lower(at + 1)
    return at == 0 or before in _DETERMINERS | {"military", "and"} or after in ("of", "is", "was")


def _is_month_or_permission(sentence: Sentence, at: int) -> bool:
    word = sentence.words[at]
    before, after = sentence.lower(at - 1), sentence.lower(at + 1)
    name = word.text != "may" or at == 0
    return name or before in _BEFORE_A_MONTH or after[:1].isdigit() or _permits(sentence, at)


def _permits(sentence: Sentence, at: int) -> bool:
    """Whether `may` grants something, or there is no clear sign that it does not."""
    subject = sentence.lower(at - 1)
    verb = at + 1
    while sentence.lower(verb) in _ADVERBS:
        verb += 1
    word, after = sentence.lower(verb), sentence.lower(verb + 1)
    participle = _is_participle(after)
    if not word or (word == "have" and participle):
        return False
    if word == "be" and _is_participle(_behind_adverbs(sentence, verb + 1)):
        return _is_done(sentence, verb)
    if subject in _THINGS:
        return False
    if subject in ("you", "users"):
        return True
    if subject in ("i", "he", "she", "they", "we"):
        return word not in _STATES
    if _is_human(subject):
        return not (word == "be" and not participle)
    has_object = after in _DETERMINERS or after[:1].isdigit()
    return word not in _STATES | _CAUSES and (word not in _CHANGES or has_object)


def _is_done(sentence: Sentence, verb: int) -> bool:
    """Whether somebody does it to something: `Bicycles may be carried`, not `it may be delayed`."""
    done = _behind_adverbs(sentence, verb + 1)
    return sentence.lower(verb) == "be" and _is_participle(done) and done not in _BEFALLEN


def _behind_adverbs(sentence: Sentence, at: int) -> str:
    while sentence.lower(at) in _ADVERBS or sentence.lower(at).endswith("ly"):
        at += 1
    return sentence.lower(at)


def _is_participle(word: str) -> bool:
    return word.endswith(("ed", "en", "wn")) or word in PASTS or word in _PARTICIPLES


def _is_human(noun: str) -> bool:
    stem = noun.removesuffix("s")
    return stem in _HUMANS or noun in _HUMANS or stem.endswith(("ee", "ist", "ian"))


def _is_ability(sentence: Sentence, at: int) -> bool:
    return sentence.lower(at + 1) not in _POSSIBLE_AFTER_COULD or _is_done(sentence, at + 1)


def _is_adjective(sentence: Sentence, at: int) -> bool:
    before = sentence.lower(at - 1)
    after = sentence.lower(at + 2 if sentence.lower(at) == "most" else at + 1)
    if at == 0 and after not in _DETERMINERS | {"it", "he", "she", "they"}:
        return True
    if before == "most":
        before = sentence.lower(at - 2)
    return before in _DETERMINERS or before in ("more", "less", "as", "not", "equally", "how")


def _is_belief_in(sentence: Sentence, at: int) -> bool:
    return sentence.lower(at + 2) in ("in", "so", "of", "about")


def _is_start_of_no_clause(sentence: Sentence, at: int) -> bool:
    """`המגדל לא בטוח לשימוש` says something about the tower; `לא בטוח שהוא בא` about itself."""
    after = sentence.lower(at + 2)
    opens = at == 0 or sentence.lower(at - 1) in _NEUTRAL_HE or "," in sentence.words[at].gap
    return not opens or not (after[:1] == "ש" or after in _CLAUSE_STARTS_HE)


def _is_denied(sentence: Sentence, at: int) -> bool:
    return sentence.lower(at - 1) in ("not", "לא")


def _is_permission(sentence: Sentence, at: int) -> bool:
    """Without a clause behind it, `אפשר` allows and `נראה` is seen."""
    return sentence.lower(at + 1)[:1] != "ש"


def _is_made(sentence: Sentence, at: int) -> bool:
    """`עשוי להיסגר` may close; `עשוי מעץ`, without an infinitive, is made of wood."""
    behind = sentence.lowers[at + 1 : at + 1 + MOST_BEFORE_INFINITIVE]
    to = next((i for i, word in enumerate(behind) if _opens_infinitive(word)), None)
    return to is None or any(word.startswith("מ") and word != "מאוד" for word in behind[:to])


def _opens_infinitive(word: str) -> bool:
    return len(word) > 2 and word[0] == "ל" and word not in _ADVERBS_IN_LAMED


_TRAPS: dict[str, Callable[[Sentence, int], bool]] = {
    "might": _is_noun_might,
    "may": _is_month_or_permission,
    "could": _is_ability,
    "likely": _is_adjective,
    "most": _is_adjective,
    "i": _is_belief_in,
    "we": _is_belief_in,
    "certainly": _is_denied,
    "definitely": _is_denied,
    "בהחלט": _is_denied,
    "ייתכן": _is_denied,
    "יתכן": _is_denied,
    "יכול": _is_denied,
    "נראה": _is_permission,
    "לא": _is_start_of_no_clause,
    "seem": _is_denied,
    "seems": _is_denied,
    "appear": _is_denied,
    "אפשר": _is_permission,
    "עשוי": _is_made,
    "עשויה": _is_made,
    "עשויים": _is_made,
    "עשויות": _is_made,
}


def is_trap(sentence: Sentence, at: int, last: int) -> bool:
    """Whether the phrase from `at` to `last` says nothing about confidence here."""
    trap = _TRAPS.get(sentence.lower(at))
    if trap is _is_start_of_no_clause and last - at != 2:
        return False
    return trap is not None and trap(sentence, at)

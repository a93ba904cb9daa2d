"""Hebrew questions and instructions.

An unpointed imperative often reads as a past form or a noun as well; where what follows does not
tell them apart, it is no instruction.
"""

from groundwire_verifier.text.claims.wording import hebrew as he
from groundwire_verifier.text.claims.wording.sentence import Sentence

YEAR_DIGITS = 4
SHORT_LETTERS = 4


def _is_relative(word: str) -> bool:
    return len(word) > 2 and word[0] == "ש" and word not in he.RELATIVE_EXCEPTIONS


def asks(sentence: Sentence) -> bool:
    """Whether a sentence without a question mark is a question."""
    opening, second = sentence.lower(0), sentence.lower(1)
    if opening in he.QUESTION_PARTICLES:
        # The same letters are `the mother`.
        return second != "של" and second[:1] != "ו" and not sentence.ends_as_statement
    if opening in ("איזה", "איזו", "כמה") and "!" in sentence.tail:
        return False
    if opening not in he.QUESTION_WORDS | he.OPEN_WORDS or _is_relative(second):
        return False
    has_predicate = any(word.lower in he.PREDICATES for word in sentence.words[1:])
    if has_predicate:
        return False
    return opening in he.QUESTION_WORDS or not sentence.ends_as_statement


def _is_infinitive(word: str) -> bool:
    """Whether a word with an initial ל is surely an infinitive and no noun."""
    if word in he.INFINITIVES:
        return True
    if word[:2] != "לה" or len(word) < 5 or word.endswith(("ים", "ות", "ה")):
        return False
    return word[2] in "תישסצז" or word[-2] == "י"


def _has_object(verb: str, second: str) -> bool:
    """Whether what follows tells an imperative from a noun or a past form."""
    if not second:
        return verb not in he.AMBIGUOUS
    if second in he.OBJECTS or second in he.REFERENCES.get(verb, ()):
        return True
    return any(second.startswith(letter) for letter in he.LETTERS.get(verb, ()))


def _is_dated(sentence: Sentence) -> bool:
    """Whether it names a year, so that a verb in it tells what happened."""
    return any(len(word) == YEAR_DIGITS and word.isdigit() for word in sentence.lowers)


def _is_commanding(verb: str) -> bool:
    """Whether a word has the vowel of an order to one man: `משוך`; `כתוב` is also `written`."""
    return len(verb) == SHORT_LETTERS and verb[2] == "ו" and verb not in he.NO_IMPERATIVES


def _may_command_one(verb: str) -> bool:
    """Whether it may be an order to one man: `הרם`, `החלף`, `שחרר`, but not `כתב` nor `הקים`."""
    if verb in he.PASTS or len(verb) > SHORT_LETTERS or "י" in verb:
        return False
    return len(verb) == SHORT_LETTERS or verb[:1] == "ה"


def _orders(sentence: Sentence) -> bool:
    """Whether the form of the first word, or who else is named, makes it an order."""
    opening, second = sentence.lower(0), sentence.lower(1)
    if opening in he.NO_IMPERATIVES:
        return False
    # `הבטחנו` speaks of us, `הזמינו` does not; `תוכלו` tells what is possible.
    causing = opening.startswith("ה") and opening.endswith("ינו") and opening != "היינו"
    us = (opening.endswith("נו") and not causing) or opening.startswith("ת")
    plural = opening.endswith("ו") and not us and opening not in he.PASTS
    if plural and opening.startswith("הי") and len(opening) > SHORT_LETTERS + 1:
        return True  # `היזהרו`; a past form begins with נ
    if second == "את":
        return _is_commanding(opening) or (opening[-1:] == "י" and opening[-2:] != "תי")
    # `הזמינו מקום מראש`; a definite noun behind a verb is its subject: `הגיעו החבילות שלכם`.
    reader = not he.READER.isdisjoint(sentence.lowers[1:])
    return plural and len(opening) >= SHORT_LETTERS and reader and second[:1] != "ה"


def is_step(sentence: Sentence) -> bool:
    """Whether a numbered step begins with an infinitive, or with a plural imperative.

    Elsewhere that may be a past form.
    """
    opening, second = sentence.lower(0), sentence.lower(1)
    if _is_infinitive(opening) or (opening[:1] == "ל" and second == "את"):
        return True
    if _is_commanding(opening) and not _is_dated(sentence):
        return True
    if second == "את" and _may_command_one(opening):
        return not _is_dated(sentence)
    # `מכסים ומבשלים`, `מערבבים את`: how recipes tell.
    if opening[:1] == "מ" and opening.endswith("ים"):
        return second == "את" or (second[:2] == "ומ" and second.endswith("ים"))
    return len(opening) > 3 and opening.endswith("ו") and opening not in he.PASTS


def _behind_lead(sentence: Sentence) -> int:
    """The first word behind what orders steps, or the first word of all."""
    if sentence.lowers[:2] in (("אחר", "כך"), ("לאחר", "מכן"), ("בשורה", "התחתונה")):
        return 2 if len(sentence.words) > 2 else 0
    return int(sentence.lower(0) in he.ORDER_LEADS and len(sentence.words) > 1)


def instructs(sentence: Sentence) -> bool:
    """Whether a sentence tells somebody to do something."""
    sentence = sentence.from_word(_behind_lead(sentence))
    opening, second = sentence.lower(0), sentence.lower(1)
    if second in he.COPULAS or second == "של":
        return False
    if opening in he.POLITE:
        return True
    if _orders(sentence):
        return not _is_dated(sentence)
    if opening == "לא" and _is_infinitive(second):
        return True
    if opening in he.NEVER:
        return instructs(sentence.from_word(1))
    if opening in he.NEGATIVE_IMPERATIVES and second[:1] in ("ת", "נ"):
        return True
    if opening in he.OBLIGATIONS:
        third = sentence.lower(2)
        opinion = second in he.OPINIONS or _is_relative(third) or third == "כי"
        return _is_infinitive(second) and not opinion
    if opening in he.IMPERATIVES_BEFORE:
        allowed = he.IMPERATIVES_BEFORE[opening]
        return second in allowed
    if opening in he.SURE_IMPERATIVES and second:
        return True
    if opening in he.IMPERATIVES:
        return not _is_dated(sentence) and _has_object(opening, second)
    comma = sentence.first_comma
    if opening in he.SUBORDINATORS | {"כדי"} and comma < len(sentence.words):
        sentence = sentence.from_word(comma)
        turns = sentence.lower(0) in he.TURNING and sentence.lower(1)[:1] in ("ל", "א")
        return turns or instructs(sentence)
    return False

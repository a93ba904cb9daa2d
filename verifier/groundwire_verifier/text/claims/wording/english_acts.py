"""English questions and instructions.

A first word alone decides nothing: `Will Smith won an award.` is a claim, since another verb
follows, and so is `Restart times were low.`
"""

import re

from groundwire_verifier.text.claims.wording import english as en
from groundwire_verifier.text.claims.wording.english_verbs import is_finite, is_past
from groundwire_verifier.text.claims.wording.sentence import Sentence, word_set

MOST_ASKED_WORDS = 2
"""Words of what is asked for before its verb, where no mark tells that it is asked."""
MIN_COMMAND_WORDS = 3
_MASKED = re.compile(r"Xx+")
"""What stands for code in a masked text."""

_BEHIND = {
    "be": word_set("sure careful aware mindful patient"),
    "do": en.OBJECTS | en.DETERMINERS | {"not"},
    "have": en.DETERMINERS,
    "make": word_set("sure certain"),
}
"""Verbs that are imperatives before certain words."""

_TIMES = word_set("seconds minutes hours days weeks")
_OBJECT_STARTS = word_set("the a an your all any each every it them")
_NO_VERBS = (
    en.PREPOSITIONS | en.SUBORDINATORS | en.DETERMINERS | en.PRONOUNS | en.AUXILIARIES | en.PASTS
) | word_set(
    "half twice double quite such many not only even also here there then during despite via per "
    "plus minus unlike like rather almost nearly and or but given among amongst amid throughout "
    "beneath underneath beside besides beyond above below towards toward upon inside outside "
    "opposite past round together altogether overall worth save except whereas regarding hence "
    "thus neither nor"
)


def asks(sentence: Sentence) -> bool:
    """Whether a sentence without a question mark is a question."""
    first = 0
    while sentence.lower(first) in ("and", "but", "so", "or", "well", "then", "okay", "also"):
        first += 1
    sentence = sentence.from_word(first)
    opening = sentence.lower(0)
    if opening.removesuffix("'s") in en.WH:
        # `WHO estimates suggest ...` is a name.
        return not sentence.words[0].text[1:].isupper() and _asks_with_wh(sentence)
    return opening in en.AUXILIARIES and _asks_with_auxiliary(sentence)


def _asks_with_wh(sentence: Sentence) -> bool:
    opening, second = sentence.lower(0), sentence.lower(1)
    contracted = opening.endswith("'s")
    if contracted:
        return second != "more" and not _has_second_verb(sentence, 1)
    if second in en.PRONOUNS or second in en.DETERMINERS or second in ("to", "more"):
        return False
    comma = sentence.first_comma
    verb = next(
        (
            i
            for i in range(1, comma)
            if sentence.lower(i) in en.AUXILIARIES or is_past(sentence.lower(i))
        ),
        None,
    )
    if verb is None or (opening == "what" and sentence.lower(verb + 1) == "more"):
        return False
    counts = second in ("many", "much")
    if verb > MOST_ASKED_WORDS + counts and sentence.ends_as_statement:
        # `What remains of the mill is shown.`; not `What time is it.`
        return False
    if verb > 1 and sentence.lower(verb + 1) == "that" and sentence.ends_as_statement:
        # `What counts is that sales fell.`
        return False
    if opening in ("why", "when", "where") and verb > 1:
        # Without the verb in second place it is a title or a clause: `Why Nations Fail was ...`.
        return False
    if sentence.words[verb].text[:1].isupper():
        return False
    if opening == "which" and verb == 1:
        explains = sentence.lower(2) in ("why", "because", "how", "what", "where", "when")
        return not explains and not sentence.ends_as_statement
    if sentence.lower(verb) in en.DO:
        return True
    if sentence.lower(verb) not in en.AUXILIARIES and opening not in ("who", "what", "which"):
        return False
    return not _has_second_verb(sentence, verb + 1)


def _has_second_verb(sentence: Sentence, first: int) -> bool:
    """Whether a wh-clause that ended before is the subject of another verb."""
    for i in range(first, len(sentence.words)):
        word = sentence.lower(i)
        if word in ("that", "which", "who", "whose", "if", "when", "because"):
            return False
        # A participle follows its auxiliary, so only a sure auxiliary counts.
        if word in en.BE or word in ("has", "does", "did", "had") or word in en.SURE_THIRD:
            return True
    return False


def _asks_with_auxiliary(sentence: Sentence) -> bool:
    opening, second = sentence.lower(0), sentence.lower(1)
    if len(sentence.words) < 3 or second in en.AUXILIARIES | {"not", "be"}:
        return False
    if opening == "do" and second in en.OBJECTS:
        return False
    if opening == "don't" and second not in en.PRONOUNS:
        return False
    if opening in ("had", "should", "were") and sentence.first_comma < len(sentence.words):
        return False
    if second in en.PRONOUNS:
        return True
    if opening == "have":
        return False
    if "," in sentence.words[1].gap or second[:1].isdigit():
        return False
    if opening in en.BE or opening in ("has", "hasn't"):
        return second not in en.PREPOSITIONS
    stop = next(
        (i for i in range(2, len(sentence.words)) if sentence.lower(i) in en.SUBORDINATORS),
        len(sentence.words),
    )
    if any(i < stop for i in _finites(sentence, 2)) and opening not in ("have", "had"):
        return False
    if _is_noun_phrase_start(sentence, 1):
        return True
    return opening not in en.NAME_LIKE | {"have", "had"} or not sentence.ends_as_statement


def _finites(sentence: Sentence, first: int) -> list[int]:
    """Where verbs stand that only a main clause or a relative one can have."""
    return [
        i
        for i in range(first, len(sentence.words))
        if sentence.lower(i) in en.SURE_FINITE
        or sentence.lower(i) in en.SURE_THIRD
        or is_past(sentence.lower(i))
    ]


def _is_noun_phrase_start(sentence: Sentence, at: int) -> bool:
    if at >= len(sentence.words):
        return False
    word = sentence.words[at]
    return word.lower in en.DETERMINERS or word.text[:1].isupper()


def instructs(sentence: Sentence) -> bool:
    """Whether a sentence tells somebody to do something."""
    if _is_imperative(sentence) or _recommends(sentence):
        return True
    comma = sentence.first_comma
    if sentence.lower(0) in en.CLAUSE_LEADS and comma < len(sentence.words):
        # `For a penny one could stay, read and eat.`
        able = sentence.lower(0) in en.PREPOSITIONS and any(
            sentence.lower(i) in en.MODALS and sentence.lower(i - 1) in en.PRONOUNS | {"one"}
            for i in range(2, comma)
        )
        return not able and _is_imperative(sentence.from_word(comma))
    return False


def _recommends(sentence: Sentence) -> bool:
    """Whether it says what the reader may want to do."""
    wants = sentence.lower(2) in ("want", "wish", "like", "prefer")
    modal = sentence.lower(1) in ("may", "might", "could", "would", "will")
    return sentence.lower(0) == "you" and modal and wants and sentence.lower(3) == "to"


def is_step(sentence: Sentence) -> bool:
    """Whether a numbered step begins with an imperative, with an object of any form behind it."""
    verb = sentence.lower(0)
    finite = any(is_finite(sentence, i) for i in range(1, len(sentence.words)))
    return verb in en.IMPERATIVES and len(sentence.words) > 1 and not finite


def _is_imperative(sentence: Sentence) -> bool:
    first = 0
    while (
        sentence.lower(first) in en.IMPERATIVE_LEADS
        or _leads_as_manner(sentence, first)
        or _calls(sentence, first)
    ):
        first += 1
    led = first > 0
    sentence = sentence.from_word(first)
    verb, second = sentence.lower(0), sentence.lower(1)
    if verb == "please":
        return True
    if not second and not sentence.ends_as_statement:
        return False
    if verb == "let's" or (verb == "don't" and second not in en.PRONOUNS):
        return bool(second)
    if second in _BEHIND.get(verb, ()):
        return True
    if verb not in en.IMPERATIVES:
        return _is_unlisted_imperative(sentence) or (
            led and second == "if" and sentence.lower(2) == "you"
        )
    if verb == "do":
        return False
    if second and "," in sentence.words[1].gap and not (led and verb != "put"):
        return False  # "Wait, ..." and "Simply put, ..." only open what follows
    if verb == "let" and second:
        return True
    if sentence.words[0].text[1:].isupper() and len(verb) > 1:
        return False
    evident = verb in en.SURE_IMPERATIVES or led or _has_object(sentence) or _tells_you(sentence)
    return evident and not _has_subject_reading(sentence)


def _calls(sentence: Sentence, at: int) -> bool:
    """Whether a comma sets a first word off: `Right, let's go.`"""
    calls = sentence.lower(at) in ("right", "okay", "ok", "alright")
    return calls and at + 1 < len(sentence.words) and "," in sentence.words[at + 1].gap


def _leads_as_manner(sentence: Sentence, at: int) -> bool:
    """Whether an adverb stands before an imperative and its object: `Gradually add the milk.`"""
    manner = sentence.lower(at).endswith("ly") and sentence.lower(at + 1) in en.IMPERATIVES
    return manner and _has_object(sentence.from_word(at + 1))


def _tells_you(sentence: Sentence) -> bool:
    """Whether a verb without a subject goes on with `if you ...`: `Book early if you can.`"""
    for i in range(1, len(sentence.words) - 1):
        if sentence.lower(i) in en.CONDITIONALS | {"before", "after", "so"}:
            return sentence.lower(i + 1) in ("you", "you're", "your")
        if is_finite(sentence, i):
            return False
    return False


def _is_unlisted_imperative(sentence: Sentence) -> bool:
    """Whether a first word can only be a verb, since its object follows: `Gather your records.`"""
    if len(sentence.words) < MIN_COMMAND_WORDS:
        return False
    word = sentence.words[0]
    if word.lower in _NO_VERBS or word.lower.endswith(("ed", "ing", "ly", "s")):
        return False
    if not word.text[1:].islower() or not word.text.isalpha():
        return False
    second, third = sentence.words[1], sentence.words[2]
    if second.gap != " " or second.text not in _OBJECT_STARTS or third.text[:1].isupper():
        return False
    for i in range(2, len(sentence.words)):
        if sentence.lower(i) in en.SUBORDINATORS or sentence.lower(i) in en.PRONOUNS:
            return True
        if is_finite(sentence, i):
            return False
    return True


def _has_object(sentence: Sentence) -> bool:
    """Whether the second word can only follow a verb: `Check the logs.`, not `Check valves ...`."""
    verb, second = sentence.lower(0), sentence.lower(1)
    if not second or second in en.DETERMINERS | en.OBJECTS | {"whatever", "whichever"}:
        return True
    if second in en.NUMBERS or (verb, second) in en.VERB_PARTICLES:
        return True
    third = sentence.lower(2)
    if _MASKED.fullmatch(sentence.words[1].text) or (verb == "try" and second.endswith("ing")):
        return True
    if second == "for" and third.isdigit():
        return sentence.lower(3) in _TIMES
    if second in en.PARTICLES and third in en.DETERMINERS | en.OBJECTS:
        return True
    # `Get at least three quotes`, `Rinse and wash as usual`.
    if (second, third) in (("at", "least"), ("up", "to")):
        return True
    if second in ("and", "or") and third in en.IMPERATIVES:
        return not any(is_finite(sentence, i) for i in range(len(sentence.words)))
    if verb in en.CLAUSE_IMPERATIVES and second in ("that", "if", "whether", "how", "what"):
        return True
    named = all(word.text[:1].isupper() or word.text.isdigit() for word in sentence.words[1:])
    return named and verb in en.SCREEN_VERBS


def _has_subject_reading(sentence: Sentence) -> bool:
    """Whether the first word is a noun: a verb of the main clause follows."""
    verb, second = sentence.lower(0), sentence.lower(1)
    if second in en.SURE_FINITE and second not in ("could", "would", "should"):
        return True
    takes_clause = verb in en.CLAUSE_IMPERATIVES
    determined = second in en.DETERMINERS or second in en.OBJECTS
    if takes_clause and (determined or second in en.SUBORDINATORS or second in en.PRONOUNS):
        return second in ("the", "a") and _names_a_title(sentence)
    if second in ("the", "a") and _names_a_title(sentence):
        return True
    for i in range(1, len(sentence.words)):
        word = sentence.words[i]
        if word.lower in en.SUBORDINATORS or word.lower in ("and", "or", "you", "he", "they", "we"):
            return False
        if "," in word.gap or ":" in word.gap or ";" in word.gap:
            return False
        if word.lower in en.SURE_FINITE:
            return True
        if determined:
            continue
        if word.lower in en.THIRD and (i == 1 or word.lower in en.SURE_THIRD):
            return i > 1 or word.lower in en.SURE_THIRD
        if word.lower in en.PASTS and (i > 1 or word.lower != "left"):
            return True
        last = i == len(sentence.words) - 1
        if is_past(word.lower) and i > 1 and not last:
            return True
        if i == 2 and word.lower in en.PLURAL_VERBS and second.endswith("s"):
            return True
    return False


def _names_a_title(sentence: Sentence) -> bool:
    """Whether capitalised words run from the first one up to a finite verb."""
    for i in range(1, len(sentence.words)):
        word = sentence.words[i]
        if word.lower in en.SURE_FINITE or (is_past(word.lower) and word.text.islower()):
            return i > 1 and sentence.words[i - 1].text[:1].isupper()
        if not (word.text[:1].isupper() or word.lower in ("the", "of", "and")):
            return False
    return False

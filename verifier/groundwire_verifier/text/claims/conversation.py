"""What stands before a question or a claim and is needed to understand it.

The turns of a conversation give an answer its whole question. This module also says which claims
need that question, or the claim before them. Nothing of a conversation is evidence.
"""

import itertools
import re
from collections.abc import Sequence

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.text.claims.wording import english as en
from groundwire_verifier.text.claims.wording import hebrew as he
from groundwire_verifier.text.claims.wording.english_verbs import (
    is_finite,
    is_past,
)
from groundwire_verifier.text.claims.wording.sentence import (
    Sentence,
    language_of,
    read_words,
    word_set,
)

MAX_TURN_CHARACTERS = 300
"""Of a longer turn its last question is read alone."""

MAX_BEGINNING_CHARACTERS = 80
"""How much of a claim is looked at for how it begins."""

MAX_PHRASE_WORDS = 4
MAX_FRAGMENT_WORDS = 2
"""A question of so few words that has no verb and asks nothing by itself names only what is new in
it: `children?`."""

_SENTENCE_MARKS = ".!?\n"
_MARKS = ("?", "؟", "？")
_GOING_ON = word_set(
    "and or but also plus then גם או אבל אז et mais und oder aber auch y pero también ma anche и а"
)
_ABOUT = frozenset(
    {("what", "about"), ("how", "about"), ("what", "if"), ("מה", "עם"), ("מה", "לגבי")}
    | {("ומה", "עם"), ("ומה", "לגבי")}
)
_POINTING = word_set(
    "it its it's they their they're them he his he's him she she's her hers this that that's these "
    "those הוא היא הם הן זה זו זאת אלה אלו אותו אותה אותם אותן לו לה להם להן בו בה בהם בהן "
    "ממנו ממנה מהם שלו שלה שלהם שלהן עליו עליה עליהם"
)
"""Words that mean something which was named before."""

_POINTING_ON = _POINTING - word_set("this that that's these those זה זו זאת אלה אלו לו")
"""Those of them that still do so behind other words."""
_POINTING_ELSEWHERE = word_set(
    "er sie elle elles il ils él ella ellos ellas egli lei hij zij ele ela eles он она они oni ona "
    "ihr ihre ihrem ihren ihrer sein seine seinem seinen seiner son sa ses leur leurs su sus suo "
    "sua suoi sue seu seus suas zijn haar hun jego jej ich его её ее их"
)
_MEANT_AMONG = word_set("both neither latter former likewise same other others born known")
"""English words that mean some of what was named before, or have no subject before a name."""
_PLACED = word_set(
    "that this those these same later following next previous earlier afterwards afterward then "
    "thereafter another since until אותה באותה אותו באותו מאוחר כעבור לאחר הבאה הבא הקודמת הקודם "
    "שלאחר מאז"
)
"""Words that place a claim by a value of the one before: `the following year`."""
_MOST_PLACED = 5
"""How many first words of a claim may do so."""
_LEAST_NAME = 4
"""Of fewer letters a first word with a capital may be a preposition, or an article."""
_MOST_VERB_HE, _MOST_NAMES_HE = 3, 2
"""Letters of a Hebrew word that may be an unknown verb, and names between a name so short and its
verb."""
_BOTH_HE = word_set("שניהם שתיהן שניהן כולם כולן")
_VERB_FIRST_HE = re.compile(r"ו?(?:הת[א-ת]{2,}|(?!ה)[א-ת]{3,}[הו])")
"""A Hebrew verb of the past, or a noun that looks like one."""

_LEADS_HE = re.compile(r"[בלמכ](?!ת\Z)|\d|(?:אחרי|שנת|שם|היום|כיום|אז|יותר|אחר|כך|שנים|שנה)\Z")
_NO_VERB_HE = word_set("כל לא אין יש גם רק אם זה עם על של או")

_ASKING = word_set("what when where who whom whose which why how since")
_BEFORE_PHRASES_HE = ("ל", "ב", "מ", "כ")
_WITH_VAV = word_set(
    "וטרינר וטרינרית ועד ועדה ועדת ועידה ועידת ויזה ויטמין ויטמינים וילה וילון וירוס וידאו ורוד "
    "ורד ורדים ותק וסת ווטסאפ וולט וואט ודאי ודאית ויכוח ויתור ויתורים"
)
"""Hebrew words that begin with the letter which is "and" before others."""

_OPTION = re.compile(r"(?:option |answer |אפשרות |תשובה )?\(?(?P<name>[A-H1-9א-ח])[).:]?\.?", re.I)
_JOINT = re.compile(r"(?:(?<=\s)(?:or|and|או))\Z")
_BESIDE = " \n\t,;/?("
_OFFERED = re.compile(r"(?<![\w.])\(?(?P<name>[A-Ha-h1-9א-ח])[).:]\s")
_ASSENT = word_set("yes no well sure כן לא")


def question_of(question: str, turns: Sequence[str], most_characters: int) -> str:
    """What an answer answers, in at most `most_characters` besides a longer question itself.

    `turns` are what the user has said before, in order; where `question` is empty, the last one is
    it. A question that goes on with the one before is read behind that.
    """
    asked = [said for turn in turns if (said := _said(turn))]
    if question.strip():
        whole = question.strip()
        if asked and asked[-1] == _said(whole):
            asked.pop()
    elif asked:
        whole = asked.pop()
    else:
        return ""
    latest = whole
    while asked and is_follow_up(latest):
        latest = asked.pop()
        if len(latest) + 1 + len(whole) > most_characters:
            break
        whole = f"{latest} {whole}"
    return whole


def is_follow_up(question: str) -> bool:
    """Whether a question can only be understood after another one: `And for children?`."""
    sentence = read_words(question, Span(0, len(question)))
    if not sentence.words:
        return False
    if sentence.lower(0) in _GOING_ON or sentence.lowers[:2] in _ABOUT:
        return True
    if not _POINTING.isdisjoint(sentence.lowers):
        return True
    count = len(sentence.words)
    is_fragment = count <= MAX_FRAGMENT_WORDS and question.rstrip().endswith(_MARKS)
    if language_of(question) == "he":
        return _goes_on_in_hebrew(sentence, is_fragment=is_fragment)
    if count > MAX_PHRASE_WORDS or any(is_finite(sentence, i) for i in range(count)):
        return False
    return is_fragment or sentence.lower(0) in en.PREPOSITIONS | _ASKING


def is_option(answer: str) -> bool:
    """Whether an answer is the letter or the number of an option and nothing more: `B)`."""
    return _OPTION.fullmatch(answer.strip()) is not None


def with_option(question: str, answer: str) -> str:
    """An answer that names an option, with what the question says under it: `B) Saturday`."""
    chosen = _OPTION.fullmatch(answer.strip())
    if chosen is None:
        return answer
    offered = list(_OFFERED.finditer(question))
    for each, following in zip(offered, (*offered[1:], None), strict=False):
        end = following.start() if following else len(question)
        said = _JOINT.sub("", question[each.end() : end].strip(_BESIDE)).strip(_BESIDE)
        if each["name"].lower() == chosen["name"].lower() and said:
            return f"{chosen['name']}) {said}"
    return answer


def points_back(claim: str) -> bool:
    """Whether a claim begins with a word that means something which was named before."""
    sentence = _beginning(claim)
    at = 1 if sentence.lower(0) in _ASSENT else 0
    return sentence.lower(at) in _POINTING


def leans_back(claim: str, *, is_in_english: bool) -> bool:
    """Whether a claim speaks of what a claim before it names: by a pronoun, or without a subject.

    `She died in 1950.`, `In 1950 she left.`, `Died in 1950.`, `נפטרה ב-1950.` Some claims that do
    not are taken for such ones, and in a language without rules all that begin with no long name.
    """
    if points_back(claim):
        return True
    sentence = _beginning(claim)
    if not sentence.words:
        return False
    if language_of(claim) == "he":
        return _leans_back_in_hebrew(sentence)
    if not is_in_english:
        if not _POINTING_ELSEWHERE.isdisjoint(sentence.lowers):
            return True
        names = [word.text[:1].isupper() for word in sentence.words[:2]]
        return names != [True, True] or len(sentence.lower(0)) < _LEAST_NAME
    first = sentence.lower(0)
    if is_past(first) or (first in en.AUXILIARIES and not claim.rstrip().endswith("?")):
        return True
    # `Lives in Rome`, `Owns the house`: a plural that looks so is taken for a verb.
    is_verb = first.endswith("s") and first not in en.AUXILIARIES
    if is_verb and sentence.lower(1) in en.PREPOSITIONS | en.DETERMINERS:
        return True
    # A name before the pronoun is what it means.
    for at, word in enumerate(sentence.words):
        if sentence.lower(at) in _POINTING_ON | _MEANT_AMONG:
            return True
        if at and word.text[:1].isupper():
            return False
    return False


def leans_on_value(claim: str) -> bool:
    """Whether a claim is placed by a value of one before it: `That year the war began.`"""
    return not _PLACED.isdisjoint(_beginning(claim).lowers[:_MOST_PLACED])


def known_thing(claim: str) -> str:
    """The thing that a claim begins with as known, which one before it may have named; or empty.

    `The company was sold.`, `החברה נמכרה.`
    """
    sentence = _beginning(claim)
    if sentence.lower(0) == "the":
        is_name = any(word.text[:1].isupper() for word in sentence.words[1:3])
        return "" if is_name else sentence.lower(1)
    first = sentence.lower(0)
    is_known = first.startswith("ה") and first not in he.PASTS | _POINTING
    return first[1:] if is_known and not _VERB_FIRST_HE.fullmatch(first) else ""


def _beginning(claim: str) -> Sentence:
    beginning = claim[:MAX_BEGINNING_CHARACTERS]
    return read_words(beginning, Span(0, len(beginning)))


def _leans_back_in_hebrew(sentence: Sentence) -> bool:
    lowers = sentence.lowers
    if not _POINTING_ON.isdisjoint(lowers) or _VERB_FIRST_HE.fullmatch(lowers[0]):
        return True
    if lowers[0] in _BOTH_HE:
        return True
    # `In the year 1950`, before a verb.
    leads = sum(1 for _ in itertools.takewhile(_LEADS_HE.match, lowers))
    for at in dict.fromkeys((0, leads)):
        first = sentence.lower(at).removeprefix("ו")
        following = lowers[at + 1 : at + 1 + _MOST_NAMES_HE]
        if first in he.PASTS | he.PREDICATES:
            return True
        # So short a word is a verb where none is behind it: `wrote books`, and not `Dan wrote`.
        is_short = 0 < len(first) <= _MOST_VERB_HE and first.isalpha() and first not in _NO_VERB_HE
        if is_short and (he.PASTS | he.PREDICATES).isdisjoint(following):
            return True
    return False


def _goes_on_in_hebrew(sentence: Sentence, *, is_fragment: bool) -> bool:
    first = sentence.lower(0)
    if first.startswith("ו") and len(first) > 2 and first not in _WITH_VAV:
        return True
    if len(sentence.words) == 1:
        return True
    asks = first in he.QUESTION_WORDS | he.OPEN_WORDS
    is_short = len(sentence.words) <= MAX_FRAGMENT_WORDS
    return not asks and (is_fragment or (is_short and first.startswith(_BEFORE_PHRASES_HE)))


def _said(turn: str) -> str:
    """What of a turn is read as a question; empty: nothing."""
    if len(turn) > MAX_TURN_CHARACTERS:
        turn = _last_question(turn[-MAX_TURN_CHARACTERS:])
    return " ".join(turn.split())


def _last_question(text: str) -> str:
    """The last sentence that ends in a question mark; empty: there is none."""
    said, mark, _ = text.rpartition("?")
    said = said.rstrip("?")
    start = max(said.rfind(each) for each in _SENTENCE_MARKS) + 1
    return said[start:] + mark if said[start:].strip() else ""

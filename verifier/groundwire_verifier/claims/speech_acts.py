"""What a sentence does: asserts, asks, instructs, or talks about the answer itself.

Knows what holds in every language (question marks, labels, quotes) and the phrases and shapes of
talk about the answer. The rest is with `english_acts` and `hebrew_acts`. What is not surely one of
these asserts something: `The tower is 330 m tall:` is a claim, and so is whatever cites a source.
"""

import re

from groundwire_verifier.claims.markup.blocks import REFERENCE_TITLES
from groundwire_verifier.claims.wording import english as en
from groundwire_verifier.claims.wording import english_acts, hebrew_acts
from groundwire_verifier.claims.wording import hebrew as he
from groundwire_verifier.claims.wording.english_verbs import is_finite
from groundwire_verifier.claims.wording.sentence import QUOTES, Sentence, word_set
from groundwire_verifier.domain.claims import NonAssertive

MAX_WORDS = 200
"""How far into a sentence its verbs are looked for."""

MAX_LABEL_WORDS = 3

_DASH = re.compile(r"\s[-–—]\s")


def speech_act(sentence: Sentence, language: str, *, cited: bool) -> NonAssertive | None:
    """Why a sentence asserts nothing, or None if it asserts. `cited`: it names a source."""
    sentence = sentence.up_to(MAX_WORDS)
    if not sentence.words:
        return None
    if _is_marked_question(sentence):
        return NonAssertive.QUESTION
    if _is_lead_in(sentence, language, cited=cited):
        return NonAssertive.LEAD_IN
    if sentence.words[0].inside and not sentence.words[-1].inside:
        # `"Go," he said.` tells what somebody else asked for.
        return None
    sentence = sentence.from_word(_label_end(sentence))
    acts = hebrew_acts if language == "he" else english_acts
    if acts.asks(sentence):
        return NonAssertive.QUESTION
    return NonAssertive.INSTRUCTION if acts.instructs(sentence) else None


def _is_marked_question(sentence: Sentence) -> bool:
    _, mark, after = sentence.tail.replace("؟", "?").rpartition("?")
    if not mark:
        return False
    closes = any(c in QUOTES + ")]'’" for c in after)
    opens_first = any(c in QUOTES + "([" for c in sentence.words[0].gap)
    return not closes or opens_first


def _label_end(sentence: Sentence) -> int:
    """The first word behind a label, as in `Tip: use it.`, or the first word of all."""
    for i in range(1, min(len(sentence.words), MAX_LABEL_WORDS + 1)):
        if ":" in sentence.words[i].gap or _DASH.search(sentence.words[i].gap):
            return i
        if sentence.lower(i) in en.DETERMINERS:
            break
    return 0


MAX_GREETING_WORDS = 6
MAX_REFUSAL_WORDS = 24
MAX_TITLE_WORDS = 6

_ANNOUNCEMENTS = REFERENCE_TITLES | {
    "in short", "in summary", "in brief", "to summarize", "to summarise", "to sum up",
    "for example",     "for instance", "note", "notes", "answer", "summary",
    "that is", "in other words", "examples",
    "as follows", "the steps are as follows", "the answer is as follows", "tl;dr", "tl dr",
    "לסיכום", "בקצרה", "לדוגמה", "למשל", "דוגמאות", "סיכום", "תשובה", "הערה", "כדלקמן", "כלומר",
}  # fmt: skip
_PRESENTERS = ("is", "are")
_PRESENTERS_HE = word_set("להלן הנה לפניך לפניכם")

_SOFTENERS = (
    "i'm sorry but", "i am sorry but", "i'm sorry", "i am sorry", "sorry but", "sorry",
    "unfortunately", "based on the provided sources", "based on the sources",
    "based on the given sources", "based on the provided context", "based on the context",
    "מצטער אבל", "אני מצטער אבל", "מצטער", "לצערי",
)  # fmt: skip
_REFUSALS = (
    "i cannot answer", "i can't answer", "i can not answer", "i'm unable to answer",
    "i am unable to answer", "i don't have enough", "i do not have enough",
    "i don't have information", "i do not have information", "i don't have any information",
    "i do not have any information", "i don't have sufficient", "i do not have sufficient",
    "there is not enough information to answer", "there isn't enough information to answer",
    "אין לי מספיק מידע", "אין לי מידע", "אין מספיק מידע", "אני לא יכול לענות",
    "אני לא יכולה לענות", "איני יכול לענות", "איני יכולה לענות", "לא ניתן לענות",
    "אי אפשר לענות", "אין במקורות מידע", "אין במקורות מספיק מידע",
)  # fmt: skip
_SOURCES = ("the sources", "the provided", "the given sources", "the context", "the documents")
_CONTRASTS = word_set("but however although though אבל אולם אך")


def _is_lead_in(sentence: Sentence, language: str, *, cited: bool) -> bool:
    """Whether a sentence talks about the answer. `cited` tells whether it names a source."""
    opening = " ".join(sentence.lowers[:MAX_GREETING_WORDS])
    if _ends_in_colon(sentence):
        short = len(sentence.words) <= MAX_GREETING_WORDS
        return (short and opening in _ANNOUNCEMENTS) or (
            not cited and _announces(sentence, language)
        )
    if cited:
        return False
    lists = he if language == "he" else en
    short = len(sentence.words) < MAX_GREETING_WORDS
    return (
        (short and opening in lists.GREETINGS)
        or opening.startswith(lists.CLOSINGS)
        or _refuses(sentence)
    )


def _ends_in_colon(sentence: Sentence) -> bool:
    return sentence.tail.rstrip(" *_").endswith((":", "："))


def _announces(sentence: Sentence, language: str) -> bool:
    first, second = sentence.lower(0), sentence.lower(1)
    if language == "he":
        return first in _PRESENTERS_HE
    if first == "here's" or (first == "here" and second in _PRESENTERS):
        return True
    return _is_title(sentence)


def _is_title(sentence: Sentence) -> bool:
    """Whether a line is a noun phrase, as far as can be seen: `Key points:`, not `Whales eat:`."""
    words = sentence.words
    if len(words) > MAX_TITLE_WORDS or sentence.lower(0) in en.PRONOUNS:
        return False
    if any(is_finite(sentence, i) for i in range(len(words))):
        return False
    plurals = (i for i in range(len(words) - 1) if words[i].lower.endswith("s"))
    return all(sentence.lower(i + 1) in en.PREPOSITIONS | {"and", "or"} for i in plurals)


def _refuses(sentence: Sentence) -> bool:
    if len(sentence.words) > MAX_REFUSAL_WORDS or sentence.words[0].inside:
        return False
    text = " ".join(sentence.lowers)
    if text in ("i don't know", "i do not know", "אני לא יודע", "אני לא יודעת"):
        return True
    softener = next((s for s in _SOFTENERS if text.startswith(s + " ")), "")
    text = text[len(softener) :].strip()
    if not _CONTRASTS.isdisjoint(text.split()):
        return False
    if text.startswith(_REFUSALS):
        return True
    answers = " to answer this" in text or " to answer that" in text or " to answer the" in text
    return text.startswith(_SOURCES) and " not " in text and answers

"""What a sentence does: asserts, asks, instructs, or talks about the answer itself.

What holds in every language stands here: question marks, labels, quotes. The rest is with
`answer_talk`, `english_acts` and `hebrew_acts`. What is not surely one of these asserts
something.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from groundwire_verifier.domain.claims import NonAssertive
from groundwire_verifier.text.claims.answer_talk import is_talk
from groundwire_verifier.text.claims.wording import english as en
from groundwire_verifier.text.claims.wording import english_acts, hebrew_acts
from groundwire_verifier.text.claims.wording import hebrew as he
from groundwire_verifier.text.claims.wording.english_verbs import is_finite, may_be_third
from groundwire_verifier.text.claims.wording.sentence import GENERIC, QUOTES, Sentence, rules_for

MAX_WORDS = 200
"""How far into a sentence its verbs are looked for."""

MAX_LABEL_WORDS = 3
MIN_CLAUSE_WORDS = 3
REASONS = frozenset(("because", "כי", "משום", "מפני", "מכיוון"))
"""Words that put a reason behind an instruction, and a reason asserts."""
_ADDING = frozenset(("which", "who", "whose", "where", "אשר"))
"""Behind a comma they say more of what stands before it: `Call the clerk, who keeps the key.`"""

_QUESTION_MARKS = str.maketrans(dict.fromkeys("؟？\u037e՞፧⸮⁇⁈", "?"))
"""Those of other scripts: Arabic, Chinese and Japanese, Greek, Armenian, Ethiopic."""

_DASH = re.compile(r"\s[-–—]\s")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a sentence stands: in a block with more below it; in a step that has a number."""

    before_more: bool = False
    numbered: bool = False


def speech_act(
    sentence: Sentence, language: str, place: Place, *, cited: bool
) -> NonAssertive | None:
    """Why a sentence asserts nothing, or None if it asserts. `cited`: it names a source."""
    sentence = sentence.up_to(MAX_WORDS)
    if not sentence.words:
        return None
    # The Greek question mark is written as a semicolon.
    greek = language == "el" and sentence.tail.rstrip().endswith(";")
    if greek or _is_marked_question(sentence):
        return NonAssertive.QUESTION
    if is_talk(sentence, language, cited=cited, before_more=place.before_more):
        return NonAssertive.LEAD_IN
    if rules_for(language) == GENERIC:
        return None
    if sentence.words[0].inside and not sentence.words[-1].inside:
        # `"Go," he said.` tells what somebody else asked for.
        return None
    behind = _label_end(sentence)
    if behind and is_finite(sentence, behind):
        # `Induced coma - is brought about by doctors`: the label is the subject.
        return None
    sentence = sentence.from_word(behind)
    acts = hebrew_acts if language == "he" else english_acts
    if acts.asks(sentence):
        return NonAssertive.QUESTION
    step = place.numbered and acts.is_step(sentence)
    if not (step or acts.instructs(sentence)):
        return None
    explained = any(_explains(sentence, i, acts.instructs) for i in range(1, len(sentence.words)))
    return None if explained else NonAssertive.INSTRUCTION


def _explains(sentence: Sentence, at: int, instructs: Callable[[Sentence], bool]) -> bool:
    """Whether a statement follows an instruction: `Check it - you need the balance.`"""
    word = sentence.words[at]
    if word.lower in REASONS or ("," in word.gap and word.lower in ("as", "since")):
        return True
    if "," in word.gap and word.lower in _ADDING:
        # Not `where possible`, nor one more of what to ask: `who pays, who signs`.
        is_whole = word.lower != "where" or len(sentence.words) - at >= MIN_CLAUSE_WORDS
        return is_whole and word.lower not in sentence.lowers[:at]
    subject = sentence.lower(at + 1) in en.PRONOUNS | en.DETERMINERS
    if "," in word.gap and word.lower == "but" and subject:
        return True
    if "," in word.gap and word.lower == "and" and subject and sentence.lower(at + 1) != "you":
        # `Lift the lid, and it clicks.`; not `Add the eggs, and the butter.`
        rest = sentence.from_word(at + 1)
        return rest.lower(0) in en.PRONOUNS or _holds_a_verb(rest)
    colon = ":" in word.gap and word.gap != ":"
    if not (_DASH.search(word.gap) or ";" in word.gap or colon):
        return False
    rest = sentence.from_word(at)
    if colon:
        # `Take the bridge: it closed.`; not `Do this: the lid, then the base`
        named = rest.lower(0) in en.PRONOUNS | en.DETERMINERS or rest.lower(0) in he.PRONOUNS
        return named and _holds_a_verb(rest) and not instructs(rest)
    if rest.lower(0) in en.PRONOUNS | en.DETERMINERS:
        return True
    return len(rest.words) >= MIN_CLAUSE_WORDS and not instructs(rest) and _holds_a_verb(rest)


def _holds_a_verb(sentence: Sentence) -> bool:
    verbs = (
        is_finite(sentence, i) or may_be_third(sentence, i) for i in range(1, len(sentence.words))
    )
    # A Hebrew verb has no form of its own; a definite noun that opens is a subject.
    return any(verbs) or sentence.lower(0)[:1] == "ה"


def _is_marked_question(sentence: Sentence) -> bool:
    _, mark, after = sentence.tail.translate(_QUESTION_MARKS).rpartition("?")
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
        if sentence.lower(i) in en.DETERMINERS or is_finite(sentence, i):
            break
    return 0

"""Sentences that say that the sources do not say something, and what that is.

`The manual does not say how long the guarantee lasts` can be wrong as any other sentence. What it
says is missing can be asked for: `The sources say how long the guarantee lasts.` What stands behind
a conjunction, in a relative clause or in brackets beside it is a statement of its own.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from groundwire_verifier.text.claims import hebrew_talk
from groundwire_verifier.text.claims.answer_talk import main_clause, says_itself
from groundwire_verifier.text.claims.wording import english as en
from groundwire_verifier.text.claims.wording import hebrew as he
from groundwire_verifier.text.claims.wording.absence_forms import (
    BEFORE_EN,
    ENGLISH,
    HEBREW,
    NOT_TOLD,
    POINTERS,
    SEARCHED_EN,
    WHERE_EN,
    WHERE_HE,
    compiled,
    denies,
)
from groundwire_verifier.text.claims.wording.english_verbs import (
    is_adverb,
    is_finite,
    may_be_third,
)
from groundwire_verifier.text.claims.wording.sentence import Sentence, word_set
from groundwire_verifier.text.quantities.number_words import NUMBER_WORDS

MAX_ABSENCE_WORDS = 60
MIN_STATEMENT_WORDS = 2

_ASKING = en.WH | word_set("whether if that")
_CUTTERS = word_set(
    "but and so yet nor although though even while whereas because since as however which who "
    "אבל אך אולם כי שכן משום מפני למרות אף אם ואילו"
)
"""Words that begin a clause behind a comma."""

_OPPOSING = word_set("although though whereas but אבל אך אולם ואילו")
"""Those of them that begin one without a comma, too."""

_LISTING = word_set("following these this things details points information stated mentioned known")
"""Words before a colon and what they stand for: `I could not find these: the price, the date`."""

_FINDING = word_set(
    "find locate identify spot determine confirm verify establish "
    "למצוא לאתר לזהות לקבוע לאשר מצאתי איתרתי זיהיתי"
)
"""Words before a colon that what was not found stands behind: `I could not find: the price`."""

_NAMING = en.DETERMINERS | word_set(
    "prices price dates date names name address hours number numbers opening "
    "שם שמות מחיר מחירים תאריך תאריכי מועד מועדי שעות שעת מספר מספרי כתובת סכום עלות משך סיבת פרטי"
)
"""What begins a list of it. Anything else may be a statement: `I could not find it: it is gone`."""

_REASONS_HE = word_set("כי מאחר משום מפני היות כיוון מכיוון אלא מלבד למרות")
"""Words that begin a statement behind what is missing."""

_WHICH_HE = word_set("שהוא שהיא שהם שהן")
_JOINED_HE = word_set("אם במקרה מאחר משום מפני כיוון מכיוון למרות כאשר לכן לפיכך")
"""Words that a Hebrew `and` opens a statement with."""

_BETWEEN_HE = re.compile(r", ו?| ו")
_ITEM_HE = re.compile(r"(?!ה\w+ ה)\w+(?: ה\w+)?(?: של ה?\w+)?")
"""Things without a verb: `שם התורם, מועד ההגשה`; not `מספר הנרשמים ירד`."""

_ADDING = word_set("and so because since as unless")
"""Those that begin one without a comma where it has a subject and a verb of its own."""

_CONJUNCTIONS = (
    "i'm afraid that", "i am afraid that", "i'm afraid", "i am afraid", "even though",
    "i regret that", "i'm sorry that", "i'm sorry", "i am sorry", "i regret to say that",
    "although", "though", "while", "whereas", "because", "since", "as", "however",
    "but", "and", "so", "yet", "אף על פי", "אף כי", "אם כי", "אף", "למרות", "אבל", "אך", "אולם",
    "כי", "שכן", "משום", "מפני", "ואילו",
)  # fmt: skip
_BEFORE_THAT = word_set("אף למרות משום מפני פי")
"""Words before a clause that `ש` opens: `אף שהגשר נסגר`."""

_THEN = word_set("cannot can't could couldn't did didn't found have was")
"""Verbs behind `I searched and`."""

_NOUNS_IN_SHIN = word_set("שעה שעות שעת שמות שנה שנת שטח שכר שיעור שירות")
"""Their first letter is no `that`."""
_OPENING = word_set("although though while whereas even אף למרות")
_GIVEN = re.compile(r" (?:is|are|was|were) \w+(?= (?:for|of|on) )")
"""In the middle of what is missing: `No price is given for children.`"""
_BRACKETS_AND_DASHES = ";—–()"


NOT_SAID = (0, 0, 0)
"""What is missing, where a sentence does not tell."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a sentence: its words from `first` to `last`, which is left out.

    What it says begins at the word `body`, behind conjunctions, and `skip` characters of it. If it
    `states` nothing, `missing` are the words of what it says is missing and how many characters of
    them are none of it; empty where it does not tell.
    """

    first: int
    last: int
    body: int
    states: bool
    missing: tuple[int, int, int] = NOT_SAID
    skip: int = 0


def find_absences(sentence: Sentence, language: str) -> list[Piece]:
    """The parts of a sentence of which one says that the sources do not say something; else none.

    Talk beside it, such as a regret, is a part of it.
    """
    if len(sentence.words) > MAX_ABSENCE_WORDS or not denies(sentence):
        return []
    pieces: list[Piece] = []
    absent = False
    for first, last in _clauses(sentence):
        clause = sentence.up_to(last).from_word(first)
        body = _body(clause)
        said = clause.from_word(body)
        missing = _missing_from(said, language)
        if missing is None and last < len(sentence.words) and _finds_nothing(said, language):
            missing = NOT_SAID
        absent = absent or missing is not None
        short = len(said.words) < MIN_STATEMENT_WORDS
        states = missing is None and not (
            short or says_itself(said, language) or SEARCHED_EN.match(" ".join(said.lowers))
        )
        at = first + body
        begin, end, within = missing or NOT_SAID
        words = (at + begin, at + end, within) if end else NOT_SAID
        opens = body > 0 and clause.lower(body - 1) in _BEFORE_THAT and said.lower(0)[:1] == "ש"
        opens = opens or (body == 0 and first > 0 and states and _adds_he(sentence, first))
        piece = Piece(first, last, at, states, words, int(opens))
        if pieces and pieces[-1].states is states:
            before = pieces.pop()
            kept = before.missing if before.missing[1] else piece.missing
            piece = replace(before, last=last, missing=kept)
        pieces.append(piece)
    return pieces if absent else []


def as_question(missing: str, language: str) -> str:
    """That the sources say what a sentence says is missing: a claim that can be read."""
    missing = _GIVEN.sub("", missing)
    first = missing.split(maxsplit=1)[0].lower()
    if language == "he":
        opens = len(first) > 2 and first[0] == "ש" and first not in _NOUNS_IN_SHIN
        asks = first in hebrew_talk.ASKING or opens
        return f"במקורות {'כתוב' if asks else 'יש מידע על'} {missing}."
    if first in _ASKING | en.DETERMINERS:
        missing = missing[0].lower() + missing[1:]
    return f"The sources {'say' if first in _ASKING else 'state'} {missing}."


def _clauses(sentence: Sentence) -> Iterator[tuple[int, int]]:
    words = sentence.words
    starts = [0]
    ahead = sentence.first_comma if words[0].lower in _OPENING else 0
    for i in range(1, len(words)):
        gap, word = words[i].gap, words[i].lower
        # Hebrew writes `that` and `which` with the next word.
        joins = word in _CUTTERS or (len(word) > 2 and word[0] == "ש")
        opposes = word in _OPPOSING and i > MIN_STATEMENT_WORDS and not words[i].inside
        marked = any(c in gap for c in _BRACKETS_AND_DASHES) or ("," in gap and joins)
        # `I found no price: all enter free`; not `I could not find these: the price, the date`.
        # Not that of a time, nor before a list of what is missing.
        colon = ":" in gap and gap != ":" and not words[i].inside
        goes_on = colon and words[i - 1].lower not in _LISTING and denies(sentence.up_to(i))
        goes_on = goes_on and not (_lists_missing(sentence, i) or _labels(sentence, i))
        adds = _adds(sentence, i) or _adds_he(sentence, i) or _splices(sentence, i)
        if i == ahead or marked or opposes or goes_on or adds:
            starts.append(i)
    return zip(starts, [*starts[1:], len(words)], strict=True)


def _lists_missing(sentence: Sentence, at: int) -> bool:
    """Whether behind a colon stands a list of what was not found, and no statement."""
    listed = sentence.from_word(at)
    names = listed.lower(0) in _NAMING or listed.lower(0).removeprefix("ה") in _NAMING
    found = sentence.lower(at - 1) in _FINDING and names
    if not (found or NOT_TOLD.match(" ".join(sentence.lowers[:at]))):
        return False
    if "א" <= listed.lower(0)[:1] <= "ת":
        written = "".join("," * ("," in word.gap) + " " + word.lower for word in listed.words)
        return not hebrew_talk.has_verb(listed.lowers) and all(
            map(_ITEM_HE.fullmatch, _BETWEEN_HE.split(written.strip()))
        )
    return not any(_may_state(listed, i) for i in range(len(listed.words)))


def _labels(sentence: Sentence, at: int) -> bool:
    """Whether what stands before a colon is a label that denies what follows it, and no absence of
    a text: `Not included: breakfast and towels`."""
    return sentence.lower(0) == "not" and not NOT_TOLD.match(" ".join(sentence.lowers[:at]))


def _may_state(listed: Sentence, at: int) -> bool:
    """Whether a word in a list may say something of what it names: `the fee, 90 euros`."""
    before, word, behind = (listed.lower(i) for i in (at - 1, at, at + 1))
    if is_finite(listed, at) or may_be_third(listed, at) or is_adverb(word):
        return True
    if word in NUMBER_WORDS or any(map(str.isdigit, word)):
        return True
    doing = word.endswith("ing") and before not in en.DETERMINERS | {"of"}
    if doing and (at > 0 or behind in en.PREPOSITIONS):
        return True
    apart = at > 0 and "," in listed.words[at].gap
    named = at > 0 and not listed.words[at].text.islower() and before not in ("of", "the")
    return named or (apart and word in ("a", "an"))


def _finds_nothing(clause: Sentence, language: str) -> bool:
    """Whether a clause before a colon says that nothing was found: `I could not find it: ...`."""
    found = not _FINDING.isdisjoint(clause.lowers[-2:])
    return found and denies(clause) and says_itself(clause, language)


def _adds(sentence: Sentence, at: int) -> bool:
    """Whether a word without a comma adds a statement to what is missing: `and the pass is free`.

    Another question may go on with what is missing, as in `who pays and when it is due`, but not
    one that is answered: `who won and who lost was Ann`. Or the text says something else: `gives no
    date and names Ann`.
    """
    lowers = sentence.lowers
    behind = sentence.words[at + 2].text if at + 2 < len(lowers) else ""
    if lowers[at] == "and" and denies(sentence.up_to(at)) and not sentence.words[at].inside:
        named = behind[:1].isupper() or behind.lower() in en.DETERMINERS | {"that"}
        if sentence.lower(at + 1) in en.THIRD and named and behind.lower() != "no":
            return True
        first = next((i for i in range(at + 2, len(lowers)) if is_finite(sentence, i)), len(lowers))
        if sentence.lower(at + 1) in ("who", "what") and not en.BE.isdisjoint(lowers[first + 1 :]):
            return True
    verb = next((i for i in range(at + 1, len(lowers)) if is_finite(sentence, i)), at + 1)
    return (
        sentence.lower(at) in _ADDING
        and at > MIN_STATEMENT_WORDS
        and not sentence.words[at].inside
        and denies(sentence.up_to(at))
        and verb > at + 1
        and _ASKING.isdisjoint(lowers[at:verb])
    )


def _adds_he(sentence: Sentence, at: int) -> bool:
    """Whether a word with a Hebrew `and` adds a statement to what is missing.

    `והכניסה חינם` says something of what is definite, `ומשך הסיור שעה` holds an amount; `ואת שעות
    הפתיחה`, `ומתי הוא נפתח` are missing, too.
    """
    said = hebrew_talk.behind_and(sentence, at)
    asked = [word.lower for word in sentence.words[at + 2 : -1]]
    if sentence.lower(at)[1:] in hebrew_talk.ASKING and sentence.lower(at)[0] == "ו":
        # `ומי שניצח הוא דן`
        return denies(sentence.up_to(at)) and not he.PRONOUNS.isdisjoint(asked)
    if not said or at <= MIN_STATEMENT_WORDS or not denies(sentence.up_to(at)):
        return False
    if said[0] in _JOINED_HE:
        return True
    if sentence.words[at].inside or hebrew_talk.has_verb(said):
        return True
    # Behind a question, a noun is no second thing that is missing: `מי חתם והחוזה בתוקף`.
    goes_on = "ה" if not hebrew_talk.ASKING.isdisjoint(sentence.lowers[:at]) else "הובלכש"
    return any(
        before[0] == "ה" and word[0] not in goes_on and word not in hebrew_talk.GOING_ON
        for before, word in pairwise(said)
    )


def _splices(sentence: Sentence, at: int) -> bool:
    """Whether a comma alone, or a Hebrew word for a reason without one, parts a statement from what
    is missing: `I found no fee, it was waived`."""
    word, before = sentence.words[at], sentence.lower(at - 1)
    if word.inside or at < MIN_STATEMENT_WORDS or not denies(sentence.up_to(at)):
        return False
    if word.lower in _REASONS_HE:
        # `לא נאמר כי הגשר נסגר`
        return word.lower != "כי" or not hebrew_talk.tells(before)
    if word.lower in _WHICH_HE and before[:1] == "ה":
        # `מי השוכר שהוא הבעלים`
        return True
    if "," not in word.gap:
        return False
    return hebrew_talk.states_from(sentence, at) or (
        word.lower in en.PRONOUNS and is_finite(sentence, at + 1)
    )


def _body(clause: Sentence) -> int:
    """The first word behind a conjunction, or behind what stands before an absence."""
    said = " ".join(clause.lowers)
    pairs = pairwise(clause.lowers)
    joined = (i for i, (word, next_) in enumerate(pairs) if word == "and" and next_ in _THEN)
    then = next(joined, 0)
    if then and SEARCHED_EN.match(" ".join(clause.lowers[:then])):
        return then + 1
    comma = clause.first_comma
    if comma < len(clause.words) and BEFORE_EN.match(" ".join(clause.lowers[:comma])):
        return comma
    for conjunction in _CONJUNCTIONS:
        if said.startswith(conjunction + " "):
            return min(conjunction.count(" ") + 1, len(clause.words) - 1)
    return 0


def _missing_from(clause: Sentence, language: str) -> tuple[int, int, int] | None:
    """The words of what a clause says is missing, and how many characters of them are none of it;
    None: it does not."""
    said = main_clause(clause)
    skipped = len(clause.words) - len(said.words)
    label = said.behind_label
    if label and _lists_missing(said, label):
        return (skipped + label, len(clause.words), 0)
    if label and _labels(said, label):
        return None
    tokens = [*said.lowers[:label], ":", *said.lowers[label:]] if label else list(said.lowers)
    text = " ".join(tokens)
    forms, where = (HEBREW, WHERE_HE) if language == "he" else (ENGLISH, WHERE_EN)
    for form in forms if denies(said) else ():
        match = compiled(form).match(text)
        if match is None:
            continue
        groups = {name: match.start(name) for name, found in match.groupdict().items() if found}
        if not groups:
            return NOT_SAID
        start = next(iter(groups.values()))
        if "x" in groups:
            end = match.end("x")
        else:
            place = where.search(text, start)
            end = place.start() if place is not None else len(text)
        if POINTERS["he" if forms is HEBREW else "en"].match(text, start, end):
            return NOT_SAID
        # What is missing may begin behind a prefix letter of its first word: `אזכור לחניה`.
        word = text.rfind(" ", 0, start) + 1
        first = skipped + _count(text[:word])
        last = first + _count(text[start:end])
        comma = next((i for i in range(first + 1, last) if "," in clause.words[i].gap), last)
        return (first, comma, start - word)
    return None


def _count(text: str) -> int:
    """How many words a part of what is matched has; the colon of a label is none."""
    return sum(word not in ("", ":") for word in text.split(" "))

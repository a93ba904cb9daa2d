"""Compound sentences: where a sentence holds several statements, and which subject they share."""

from collections.abc import Callable
from dataclasses import dataclass

from groundwire_verifier.text.claims.wording import english as en
from groundwire_verifier.text.claims.wording.english_verbs import (
    holds_a_clause,
    is_adverb,
    is_finite,
    is_past,
    may_be_third,
    second_verb,
)
from groundwire_verifier.text.claims.wording.hebrew_clauses import cuts
from groundwire_verifier.text.claims.wording.sentence import Sentence, word_set

MAX_WORDS = 150
"""A longer sentence is kept whole."""

MAX_SUBJECT_WORDS = 12
MAX_SUBJECT_CHARACTERS = 300
"""A longer subject is not repeated, since its parts would hold many times the text."""

MAX_CLAUSE_SUBJECT_WORDS = 8

_BINDERS = word_set(
    "that which who whom whose where when while whether because although though how why what "
    "between both either neither"
)
"""Words that tie what follows them to what stands before, so no cut is sure behind them."""

_TIES = _BINDERS | en.REPORTING
_WIDE = en.CONDITIONALS | word_set("according says say said told")
"""Words that say something about the whole sentence, wherever they stand in it."""

_LEADS = en.PREPOSITIONS | word_set(
    "despite according unlike like because given except amid among upon per beside besides beyond "
    "above below towards toward while although though rarely seldom hardly scarcely little nor "
    "not no none nobody nothing neither few only never today yesterday there here"
)
"""First words that are true of every part, or deny every part."""

_ANAPHORS = word_set(
    "there here it them him this these those such so latter former same one ones too either"
)
"""Words that mean nothing without another part."""

_REFERRING = word_set("he she it they we his her its their this that these those")
_UNFINISHED = en.AUXILIARIES | en.DETERMINERS | en.THIRD
_DETERMINING = en.DETERMINERS | en.PREPOSITIONS | en.OBJECTS
_CLAUSE_STARTS = en.PRONOUNS | en.DETERMINERS
_JOINERS = _BINDERS | {"and", "or", "but"}
MIN_NAME_LETTERS = 3
_NO_NAME_BEHIND = word_set("of and or a an")
_CONCEDING = word_set("while although though whereas")
"""Behind a comma they join a clause that is stated like the one before."""

_NO_SUBJECT = (
    en.AUXILIARIES
    | en.PREPOSITIONS
    | en.SUBORDINATORS
    | en.PASTS
    | word_set("so neither nor then also not no")
)
"""Words that no subject begins with behind `and`."""

_OF_EVENTS = word_set(
    "means meant led leads caused causes made makes resulted results allowed allows helped helps "
    "surprised enabled enables explains explained shows showed happened happens suggests suggested"
)
"""Verbs by which a relative clause may speak of all that stands before it."""


@dataclass(frozen=True, slots=True)
class Part:
    """Words `first` to `last` (exclusive) of a sentence, and the words of the subject they lack.

    `skip` characters of the first word are a conjunction that is written as part of it. Where the
    subject stands in the part itself, the rest of its statement begins at the word `body`.
    """

    first: int
    last: int
    subject: tuple[int, int] | None = None
    skip: int = 0
    body: int | None = None


def split_clauses(sentence: Sentence, language: str) -> list[Part]:
    """Cut a sentence into the parts that are statements of their own; often there is one."""
    whole = [Part(0, len(sentence.words))]
    if len(sentence.words) > MAX_WORDS:
        return whole
    parts = _split(sentence, language, whole)
    if len(parts) == 1:
        return parts
    return whole if any(_has_long_subject(sentence, part) for part in parts) else parts


def _has_long_subject(sentence: Sentence, part: Part) -> bool:
    if part.subject is None:
        return False
    first, last = part.subject
    length = sentence.words[last - 1].end - sentence.words[first].start
    return length > MAX_SUBJECT_CHARACTERS


def _split(sentence: Sentence, language: str, whole: list[Part]) -> list[Part]:
    if language == "he":
        verb, starts = cuts(sentence)
        if not starts:
            return whole
        ends = zip(starts, [*starts[1:], len(sentence.words)], strict=True)
        return [Part(0, starts[0]), *(Part(i, end, (0, verb), skip=1) for i, end in ends)]
    if not _WIDE.isdisjoint(sentence.lowers):
        return whole
    led = _has_lead(sentence)
    parts = whole if led else _split_en(sentence)
    *before, last = parts
    if last.subject is not None:
        return parts
    return [*before, *(_relative(sentence, last, led=led) or [last])]


def _relative(sentence: Sentence, part: Part, *, led: bool) -> list[Part]:
    """The part and the relative clause in it or behind it, if it is sure of whom that speaks."""
    for i in range(part.first + 1, part.last - 1):
        word = sentence.words[i]
        if word.lower not in ("which", "who") or "," not in word.gap or word.inside:
            continue
        verb = i + 1
        while is_adverb(sentence.lower(verb)):
            verb += 1
        if verb >= part.last or not _starts_relative(sentence, verb):
            return []
        if any(is_finite(sentence, k) or may_be_third(sentence, k) for k in range(part.first, i)):
            return _relative_behind(sentence, part, i)
        return [] if led else _relative_within(sentence, part, i)
    return []


def _starts_relative(sentence: Sentence, verb: int) -> bool:
    lower = sentence.lower(verb)
    return is_finite(sentence, verb) and lower not in _OF_EVENTS | en.MODALS


def _relative_behind(sentence: Sentence, part: Part, at: int) -> list[Part]:
    """`It lies in Lyon, | which has two rivers.`: a name right before the comma is meant."""
    first = at
    while first > part.first and _in_name(sentence, first - 1, at):
        first -= 1
    while first < at and not sentence.words[first].text[:1].isupper():
        first += 1
    before = sentence.lower(first - 1)
    named = sum(len(word.text) for word in sentence.words[first:at]) >= MIN_NAME_LETTERS
    if not named or before in _NO_NAME_BEHIND or before[:1].isdigit() or before.endswith("'s"):
        return []
    if sentence.lower(at) == "which" and before in ("by", "with"):
        return []  # a person, as far as can be seen
    if any("," in sentence.words[i].gap for i in range(at + 1, part.last)):
        return []
    if before in en.DETERMINERS:
        first -= 1
    return [
        Part(part.first, at, part.subject, part.skip),
        Part(at, part.last, (first, at), body=at + 1),
    ]


def _in_name(sentence: Sentence, at: int, end: int) -> bool:
    """Whether a word goes on a name to its left: `University of Oxford`, without a comma in it."""
    word = sentence.words[at]
    if word.inside or (at + 1 < end and "," in sentence.words[at + 1].gap):
        return False
    return word.text[:1].isupper() or word.lower in ("of", "de", "von", "van")


def _relative_within(sentence: Sentence, part: Part, at: int) -> list[Part]:
    """`The mill, which was built in 1790, | is closed.`: the subject of both is the same."""
    subject = (part.first, at)
    words = sentence.lowers[part.first : at]
    if any("," in sentence.words[i].gap for i in range(part.first + 1, at)):
        return []
    plain = (en.PREPOSITIONS | _BINDERS | {"and", "or"}).isdisjoint(words)
    if not plain or len(words) > MAX_CLAUSE_SUBJECT_WORDS or words[0] in _LEADS:
        return []
    for i in range(at + 2, part.last):
        if "," in sentence.words[i].gap and not sentence.words[i].inside:
            verb = i
            while is_adverb(sentence.lower(verb)):
                verb += 1
            if verb < part.last and (is_finite(sentence, verb) or may_be_third(sentence, verb)):
                return [
                    Part(part.first, i, subject, body=at + 1),
                    Part(i, part.last, subject),
                ]
            return []
    return []


def _has_lead(sentence: Sentence) -> bool:
    """Whether words that are true of all its parts stand first: `In mice, ...`, `Had he ...`."""
    opening = sentence.lower(0)
    return (
        opening in _LEADS
        or opening in en.AUXILIARIES
        or (is_adverb(opening) and sentence.words[0].text[:1].isupper())
        or (opening.endswith("ing") and sentence.first_comma < len(sentence.words))
    )


def _split_en(sentence: Sentence) -> list[Part]:
    parts: list[Part] = []
    start, subject = 0, None
    own_subject: tuple[int, int] | None = None
    subject_of: tuple[int, int] | None = None
    verbs: _MainVerbs | None = None
    for i in range(1, len(sentence.words)):
        word = sentence.words[i]
        if word.inside or i <= start:
            continue
        joined = word.lower in ("and", "but")
        semicolon = ";" in word.gap
        comma = "," in word.gap
        if not (joined or semicolon or comma):
            continue
        verbs = verbs or _MainVerbs(sentence)
        verb = verbs.between(start, i, has_subject=subject is None)
        if verb is None:
            continue
        if subject is None and subject_of != (start, verb):
            own_subject, subject_of = _subject(sentence, start, verb), (start, verb)
        follows = i + 1 if joined or (word.lower in _CONCEDING and comma) else i
        cut: Part | None = None
        if semicolon or (comma and follows > i):
            cut = _clause(sentence, start, follows, listed=not semicolon)
        elif joined:
            cut = _plain_clause(sentence, start, follows) if is_finite(sentence, verb) else None
        if cut is None and own_subject and (joined or _is_serial(sentence, i)):
            cut = _predicate(sentence, verb, i, follows, own_subject)
        if cut is not None:
            parts.append(Part(start, i, subject))
            start, subject = cut.first, cut.subject
            own_subject = subject
    parts.append(Part(start, len(sentence.words), subject))
    return parts


class _Next:
    """The first word from a place on of which something holds. The places asked for only rise."""

    def __init__(self, holds: Callable[[int], bool], count: int) -> None:
        self._holds = holds
        self._count = count
        self._found = -1

    def at(self, place: int) -> int:
        """The word's index; the number of words if there is none."""
        if self._found < place:
            words = range(place, self._count)
            self._found = next((i for i in words if self._holds(i)), self._count)
        return self._found


class _MainVerbs:
    """The main verbs of a sentence's parts.

    A part is asked about once for each conjunction that may end it, so what does not depend on its
    end is looked for once: hundreds of conjunctions in one sentence cost no more than words.
    """

    def __init__(self, sentence: Sentence) -> None:
        count = len(sentence.words)
        self._sentence = sentence
        self._ties = _Next(lambda i: sentence.lowers[i] in _TIES, count)
        self._finite = _Next(lambda i: is_finite(sentence, i), count)
        self._third = _Next(lambda i: may_be_third(sentence, i), count)
        self._holds_clause: dict[tuple[int, int], bool] = {}
        self._second: dict[int, int] = {}

    def between(self, start: int, end: int, *, has_subject: bool) -> int | None:
        """A part's first finite verb, if nothing in the part ties its end to something else."""
        if self._ties.at(start) < end:
            return None
        first = start + 1 if has_subject else start
        verb = self._finite.at(first)
        if verb >= end and has_subject:
            # A noun in another sentence, but here nothing else can be the verb.
            verb = self._third.at(first)
        if verb >= end or (has_subject and self._is_behind_clause(start, verb)):
            return None
        if verb not in self._second:
            self._second[verb] = second_verb(self._sentence, verb)
        return None if self._second[verb] < end else verb

    def _is_behind_clause(self, start: int, verb: int) -> bool:
        if (start, verb) not in self._holds_clause:
            self._holds_clause[start, verb] = holds_a_clause(self._sentence, start, verb)
        return self._holds_clause[start, verb]


def _subject(sentence: Sentence, start: int, verb: int) -> tuple[int, int] | None:
    """The words before a verb without an apposition in them; none behind an adverbial."""
    first, last = start, verb
    commas = [i for i in range(start + 1, verb + 1) if "," in sentence.words[i].gap]
    if sentence.lower(start) in _LEADS:
        return None
    while last > first + 1 and is_adverb(sentence.lower(last - 1)):
        last -= 1
    joined = any(sentence.lower(i) in ("and", "or") for i in range(first, last))
    if commas and not joined:
        if len(commas) != 2 or commas[1] != verb:
            return None
        last = commas[0]
    if not 0 < last - first <= MAX_SUBJECT_WORDS or sentence.lower(first) == "there":
        return None
    if sentence.lower(last - 1) == "only":
        return None
    if any(sentence.words[i].inside for i in range(first, last)):
        return None
    return first, last


def _is_serial(sentence: Sentence, at: int) -> bool:
    """Whether a comma before `at` is one of a list that ends in `, and`."""
    if "," not in sentence.words[at].gap:
        return False
    past = is_past(sentence.lower(at))
    if not past and sentence.lower(at) not in en.THIRD:
        return False
    behind_and = (
        sentence.lower(i + 1)
        for i in range(at + 1, len(sentence.words))
        if sentence.lower(i) == "and"
    )
    return any(is_past(word) if past else word in en.THIRD for word in behind_and)


def _predicate(
    sentence: Sentence, left: int, connector: int, follows: int, subject: tuple[int, int]
) -> Part | None:
    """A second predicate for the subject: `A was born in X | and died in Y`."""
    verb = follows
    while is_adverb(sentence.lower(verb)):
        verb += 1
    if verb >= len(sentence.words) or sentence.words[verb].inside or connector - left < 2:
        return None
    before = sentence.lower(connector - 1)
    if before in _UNFINISHED or before.endswith("ed"):
        return None
    if not _ANAPHORS.isdisjoint(sentence.lowers[verb:]):
        return None
    starts = _starts_predicate(sentence, left, verb)
    return Part(follows, len(sentence.words), subject) if starts else None


def _starts_predicate(sentence: Sentence, left: int, verb: int) -> bool:
    word, first_verb = sentence.lower(verb), sentence.lower(left)
    following = sentence.lower(verb + 1)
    if sentence.words[verb].text[:1].isupper():
        return False
    if word in en.MODALS:
        is_base = following in en.IMPERATIVES or following in ("be", "not", "have")
        return is_base and word not in ("may", "might")
    if word in en.SURE_FINITE or word in en.PURE_PASTS:
        return True
    determined = (
        following in _DETERMINING
        or following[:1].isdigit()
        or sentence.words[min(verb + 1, len(sentence.words) - 1)].text[:1].isupper()
    )
    if is_past(word):
        # Behind an auxiliary it may be a second participle: `was built and painted`.
        born = sentence.lower(left + 1) == "born" and word not in en.BIRTH_PARTICIPLES
        active = born or (first_verb not in en.AUXILIARIES and is_past(first_verb))
        return active and (word in en.PASTS or determined)
    if word in en.SURE_THIRD:
        return bool(following)
    third = word in en.THIRD and not is_past(first_verb)
    prepositional = following in ("to", "from", "into", "through", "at") and first_verb in en.THIRD
    return third and (following in en.DETERMINERS or prepositional)


def _clause(sentence: Sentence, start: int, first: int, *, listed: bool) -> Part | None:
    """A second clause with a subject of its own: `A fell, | and B rose`."""
    if first >= len(sentence.words) or sentence.words[first].inside:
        return None
    word = sentence.words[first]
    starts = word.lower in _CLAUSE_STARTS or word.text[:1].isupper() or word.text[:1].isdigit()
    if not starts or _refers_back(sentence, start, first):
        return None
    in_list = listed and any("," in sentence.words[i].gap for i in range(start + 1, first - 1))
    for i in range(first + 1, min(len(sentence.words), first + MAX_CLAUSE_SUBJECT_WORDS)):
        if set(",;:") & set(sentence.words[i].gap) or sentence.lower(i) in _BINDERS:
            return None
        if is_finite(sentence, i):
            lower = sentence.lower(i)
            if in_list and is_past(lower) and lower not in en.PASTS:
                return None
            return Part(first, len(sentence.words))
    return None


def _refers_back(sentence: Sentence, start: int, first: int) -> bool:
    """Whether a clause begins with a pronoun that may mean somebody in the part before it."""
    opening = sentence.lower(first)
    if opening not in _REFERRING or opening == sentence.lower(start):
        return False
    if sentence.lower(start) not in en.PRONOUNS:
        return True
    # `He left early, but she stayed.`: nobody else is named.
    return any(
        sentence.words[i].text[:1].isupper() or sentence.lower(i) in en.DETERMINERS
        for i in range(start + 1, first - 1)
    )


def _plain_clause(sentence: Sentence, start: int, first: int) -> Part | None:
    """A second clause behind a bare `and`: a short subject and a verb that no noun looks like."""
    opening = sentence.lower(first)
    if opening in _NO_SUBJECT or _refers_back(sentence, start, first):
        return None
    for i in range(first + 1, min(len(sentence.words), first + MAX_CLAUSE_SUBJECT_WORDS)):
        word = sentence.words[i]
        joins = word.lower in _JOINERS or word.lower in en.SUBORDINATORS
        if word.inside or set(",;:") & set(word.gap) or joins:
            return None
        if is_past(word.lower) and word.lower != "had":
            return None
        sure = word.lower in en.BE or word.lower in ("has", "had") or word.lower in en.SURE_THIRD
        if sure and sentence.lower(i - 1) not in en.DETERMINERS | en.PREPOSITIONS:
            return Part(first, len(sentence.words))
    return None

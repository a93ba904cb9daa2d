"""How sure a sentence says it is: from a number that it states, or from its wording.

Words of confidence are told from what they are mistaken for (`May 5`, `the might of Rome`, `80%
of users`).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from groundwire_verifier.domain.claims import Confidence, ConfidenceSource, Span
from groundwire_verifier.text.claims.wording.confidence_words import FRAMES, PHRASES, is_trap
from groundwire_verifier.text.claims.wording.english_verbs import is_finite, may_be_third
from groundwire_verifier.text.claims.wording.sentence import Sentence, word_set


def _index() -> dict[str, list[tuple[tuple[str, ...], float, bool]]]:
    index: dict[str, list[tuple[tuple[str, ...], float, bool]]] = {}
    for phrase, value in PHRASES.items():
        words = tuple(phrase.split())
        index.setdefault(words[0], []).append((words, value, phrase in FRAMES))
    for entries in index.values():
        entries.sort(key=lambda entry: -len(entry[0]))
    return index


FRACTION_DIGITS = 6
"""How exact a stated number is taken: 99.9% is 0.999."""

MAX_NUMBER_CHARACTERS = 7
"""A longer number before a per cent sign is no percentage."""

_BY_FIRST_WORD = _index()

MIN_CLAUSE_WORDS = 3
_CONTRACTED = word_set("it's that's there's he's she's they're we're you're")
_RELATIVES = word_set("which who that")
_BELOW = _RELATIVES | word_set(
    "because since as before after until unless although though whereas whom whose where when"
)
_JOINERS = word_set("and but so while though although אך אבל אולם ולכן")


@dataclass(frozen=True, slots=True)
class Hit:
    """Confidence that words `first` to `last` (exclusive) state. A frame stands apart from it."""

    confidence: Confidence
    first: int
    last: int
    is_frame: bool


def find_confidence(sentence: Sentence) -> list[Hit]:
    """Find all that a sentence says about its confidence, outside of quotes, in order."""
    stated = list(_stated(sentence))
    taken = {i for hit in stated for i in range(hit.first, hit.last)}
    return sorted([*stated, *_inferred(sentence, taken)], key=lambda hit: hit.first)


def decide(hits: list[Hit]) -> Confidence | None:
    """The one confidence of a statement: a stated one first, else the lowest."""
    stated = [h for h in hits if h.confidence.source is ConfidenceSource.STATED]
    if not hits:
        return None
    return min(stated or hits, key=lambda hit: hit.confidence.value).confidence


def covers_all(sentence: Sentence, hits: list[Hit]) -> bool:
    """Whether each clause of a sentence says how sure it is, or words before all of them do."""
    if not hits or (hits[0].is_frame and hits[0].first <= 1):
        return True
    if _stands_below(sentence, hits[0].first):
        return False
    cuts = [0]
    for i in range(1, len(sentence.words)):
        gap = sentence.words[i].gap
        joined = "," in gap and sentence.lower(i) in _JOINERS
        if joined or any(c in gap for c in ";:—"):
            cuts.append(i)
    ends = [*cuts[1:], len(sentence.words)]
    for start, end in zip(cuts, ends, strict=True):
        clause = sentence.lowers[start].isascii() and not any(
            is_finite(sentence, i) or sentence.lowers[i] in _CONTRACTED for i in range(start, end)
        )
        own = any(start <= hit.first < end for hit in hits)
        if end - start >= MIN_CLAUSE_WORDS and not clause and not own:
            return False
    return True


def _stands_below(sentence: Sentence, first: int) -> bool:
    """Whether a word is of a clause below a main one: `The dam, which may leak, was built in 1950`,
    `He stays in, since it may rain`."""
    if first > 1 and sentence.lower(first - 1) in _RELATIVES:
        return True
    verb = next(
        (i for i in range(1, first) if is_finite(sentence, i) or may_be_third(sentence, i)), first
    )
    return any(sentence.lower(i) in _BELOW for i in range(verb + 1, first))


def _hit(
    sentence: Sentence,
    place: tuple[int, int],
    value: float,
    source: ConfidenceSource,
    *,
    is_frame: bool,
) -> Hit:
    words = sentence.words
    first, last = place
    end = words[last - 1].end
    behind = words[last].gap if last < len(words) else sentence.tail
    percent = words[last - 1].text[0].isdigit() and behind.startswith("%")
    span = Span(words[first].start, end + percent)
    return Hit(Confidence(value, source, span), first, last, is_frame)


def _inferred(sentence: Sentence, taken: set[int]) -> Iterator[Hit]:
    free_from = 0
    for i, word in enumerate(sentence.words):
        entries = _BY_FIRST_WORD.get(word.lower)
        if entries is None or i < free_from:
            continue
        for words, value, is_frame in entries:
            last = i + len(words)
            if sentence.lowers[i:last] == words:
                free = taken.isdisjoint(range(i, last)) and not word.inside
                if free and not is_trap(sentence, i, last):
                    inferred = ConfidenceSource.INFERRED
                    yield _hit(sentence, (i, last), value, inferred, is_frame=is_frame)
                    free_from = last
                break


_SURE = word_set("sure certain confident convinced positive")
_QUALIFIERS = word_set("about around roughly approximately only at least almost nearly over some")
_CONFIDENCE = word_set("confidence certainty probability")
_CHANCE = word_set("chance probability likelihood")
_SURE_HE = word_set("בטוח בטוחה בטוחים")
_CONFIDENCE_HE = word_set("בביטחון בוודאות בהסתברות בסבירות סיכוי")


def _stated(sentence: Sentence) -> Iterator[Hit]:
    words = sentence.words
    for i, word in enumerate(words):
        if not word.text[0].isdigit():
            continue
        last = i + 1
        following = words[last].gap if last < len(words) else sentence.tail
        percent = following.startswith("%")
        if sentence.lower(last) in ("percent", "אחוז", "אחוזים"):
            percent, last = True, last + 1
        if not percent:
            continue
        first, value = _number(sentence, i)
        if word.inside:
            place = _aside(sentence, first, last)
        else:
            place = _context(sentence, _unqualified(sentence, first), last)
        if value is not None and place is not None:
            stated = ConfidenceSource.STATED
            yield _hit(sentence, place, value, stated, is_frame=not word.inside)


def _number(sentence: Sentence, at: int) -> tuple[int, float | None]:
    """The first word of a number or of a range, and its value: the middle of a range."""
    high = _fraction(sentence.words[at].text)
    before, gap = sentence.lower(at - 1), sentence.words[at].gap
    low_at = at - 2 if before == "to" else at - 1
    joined = before == "to" or gap.strip() in ("-", "–", "—", "%-", "%–")
    if high is None or not joined or not sentence.lower(low_at)[:1].isdigit():
        return at, high
    low = _fraction(sentence.words[low_at].text)
    return low_at, None if low is None else round((low + high) / 2, FRACTION_DIGITS)


def _unqualified(sentence: Sentence, at: int) -> int:
    while sentence.lower(at - 1) in _QUALIFIERS:
        at -= 1
    return at


def _fraction(digits: str) -> float | None:
    if len(digits) > MAX_NUMBER_CHARACTERS or not digits.isascii():
        return None
    try:
        percent = float(digits.replace(",", "."))
    except ValueError:
        return None
    return round(percent / 100, FRACTION_DIGITS) if percent <= 100 else None


def _aside(sentence: Sentence, number: int, last: int) -> tuple[int, int] | None:
    """A remark in brackets and no more: `(confidence: 90%)`, `(80% confidence)`."""
    words = sentence.words
    behind = words[last].gap if last < len(words) else sentence.tail
    if sentence.lower(number - 1) in _CONFIDENCE and "(" in words[number - 1].gap:
        return (number - 1, last) if ")" in behind else None
    if sentence.lower(last) not in _CONFIDENCE | _SURE or "(" not in words[number].gap:
        return None
    behind = words[last + 1].gap if last + 1 < len(words) else sentence.tail
    return (number, last + 1) if ")" in behind else None


def _context(sentence: Sentence, number: int, last: int) -> tuple[int, int] | None:
    """The words around a percentage that make it a confidence, or None if nothing does."""
    after, before = sentence.lower(last), sentence.lower(number - 1)
    then, earlier = sentence.lower(last + 1), sentence.lower(number - 2)
    if after in _SURE and before in ("am", "i'm", "are", "we're"):
        first = number - 1 if before in ("i'm", "we're") else number - 2
        return max(0, first), last + 1
    if (
        after in _SURE
        and then == "that"
        and (before == "it's" or (earlier, before) == ("it", "is"))
    ):
        return number - 1 if before == "it's" else number - 2, last + 1
    if after == "likely":
        return max(0, number - 2) if before == "is" else number, last + 1
    if after in _CONFIDENCE and before == "with" and then != "interval":
        return number - 1, last + 1
    if after in _CHANCE and before in ("a", "an") and then == "that":
        if earlier == "there's":
            return number - 2, last + 1
        there = sentence.lower(number - 3) == "there"
        return number - 3 if there else number - 1, last + 1
    return _context_he(sentence, number, last)


def _context_he(sentence: Sentence, number: int, last: int) -> tuple[int, int] | None:
    at = number - 1
    while at >= 0 and sentence.lower(at) in ("ב", "של"):
        at -= 1
    if sentence.lower(at) in _SURE_HE:
        return (at - 1 if sentence.lower(at - 1) in ("אני", "אנחנו") else at), last
    if sentence.lower(at) in _CONFIDENCE_HE and at < number - 1:
        return (at - 1 if sentence.lower(at - 1) == "יש" else at), last
    if sentence.lower(last) in _SURE_HE and sentence.lower(number - 1) in ("אני", "אנחנו"):
        return number - 1, last + 1
    return None

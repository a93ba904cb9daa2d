"""How sure a sentence says it is: from a number that it states, or from its wording.

Knows the words of confidence and what they are mistaken for (`May 5`, `the might of Rome`,
`80% of users`). Does not know what is done about a low value.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from verifier.claims.types import Confidence, ConfidenceSource, Span
from verifier.claims.words import Sentence, word_set

CERTAIN, ALMOST_CERTAIN, LIKELY, THOUGHT = 0.97, 0.95, 0.75, 0.7
EVEN, POSSIBLE, UNCLEAR, DOUBTED = 0.5, 0.4, 0.3, 0.2

MAX_PHRASE_WORDS = 7

_FRAMES = {
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
    "without any doubt": CERTAIN, "no doubt": CERTAIN, "almost certainly": ALMOST_CERTAIN,
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

_PHRASES = _FRAMES | {
    "might": EVEN, "may": EVEN, "could": EVEN, "likely": LIKELY, "surely": 0.9,
    "i am not sure": UNCLEAR, "i'm not sure": UNCLEAR, "i am not certain": UNCLEAR,
    "i'm not certain": UNCLEAR, "i am unsure": UNCLEAR, "i don't know": UNCLEAR,
    "i do not know": UNCLEAR, "it is unclear": UNCLEAR, "it's unclear": UNCLEAR,
    "it remains unclear": UNCLEAR, "it is not clear": UNCLEAR, "it isn't clear": UNCLEAR,
    "it's not clear": UNCLEAR, "it is uncertain": UNCLEAR, "it is not certain": UNCLEAR,
    "it is unknown": UNCLEAR, "it is not known": UNCLEAR, "it is not impossible that": UNCLEAR,
    "לא ברור": UNCLEAR, "לא בטוח": UNCLEAR, "לא בטוחה": UNCLEAR, "לא ידוע": UNCLEAR,
    "אני לא יודע": UNCLEAR, "אני לא בטוח": UNCLEAR, "אני לא בטוחה": UNCLEAR,
    "עשוי": EVEN, "עשויה": EVEN, "עשויים": EVEN, "עשויות": EVEN, "עלול": EVEN, "עלולה": EVEN,
    "עלולים": EVEN, "עלולות": EVEN,
}  # fmt: skip


def _index() -> dict[str, list[tuple[tuple[str, ...], float, bool]]]:
    index: dict[str, list[tuple[tuple[str, ...], float, bool]]] = {}
    for phrase, value in _PHRASES.items():
        words = tuple(phrase.split())
        index.setdefault(words[0], []).append((words, value, phrase in _FRAMES))
    for entries in index.values():
        entries.sort(key=lambda entry: -len(entry[0]))
    return index


_BY_FIRST_WORD = _index()


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
                trap = _TRAPS.get(words[0])
                free = taken.isdisjoint(range(i, last)) and not word.inside
                if free and not (trap and trap(sentence, i)):
                    inferred = ConfidenceSource.INFERRED
                    yield _hit(sentence, (i, last), value, inferred, is_frame=is_frame)
                    free_from = last
                break


_DETERMINERS = word_set("a an the this that his her its their our your my some any of")
_BEFORE_A_MONTH = word_set("in of by since until on last this next early late mid from to")
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
    permission = before in ("you", "users")
    return name or permission or before in _BEFORE_A_MONTH or after[:1].isdigit()


def _is_ability(sentence: Sentence, at: int) -> bool:
    return sentence.lower(at + 1) not in _POSSIBLE_AFTER_COULD


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


def _is_denied(sentence: Sentence, at: int) -> bool:
    return sentence.lower(at - 1) in ("not", "לא")


def _is_permission(sentence: Sentence, at: int) -> bool:
    return sentence.lower(at + 1)[:1] != "ש"


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
    "אפשר": _is_permission,
}


_SURE = word_set("sure certain confident convinced positive")
_CONFIDENCE = word_set("confidence certainty probability")
_CHANCE = word_set("chance probability likelihood")
_SURE_HE = word_set("בטוח בטוחה בטוחים")
_CONFIDENCE_HE = word_set("בביטחון בוודאות בהסתברות בסבירות סיכוי")


def _stated(sentence: Sentence) -> Iterator[Hit]:
    words = sentence.words
    for i, word in enumerate(words):
        if word.inside or not word.text[0].isdigit():
            continue
        last = i + 1
        following = words[last].gap if last < len(words) else sentence.tail
        percent = following.startswith("%")
        if sentence.lower(last) in ("percent", "אחוז", "אחוזים"):
            percent, last = True, last + 1
        if not percent:
            continue
        value = _fraction(word.text)
        place = _context(sentence, i, last)
        if value is not None and place is not None:
            stated = ConfidenceSource.STATED
            yield _hit(sentence, place, value, stated, is_frame=True)


def _fraction(digits: str) -> float | None:
    if len(digits) > MAX_PHRASE_WORDS or not digits.isascii():
        return None
    try:
        percent = float(digits.replace(",", "."))
    except ValueError:
        return None
    return percent / 100 if percent <= 100 else None


def _context(sentence: Sentence, number: int, last: int) -> tuple[int, int] | None:
    """The words around a percentage that make it a confidence, or None if nothing does."""
    after, before = sentence.lower(last), sentence.lower(number - 1)
    if after in _SURE and before in ("am", "i'm", "are", "we're"):
        first = number - 1 if before in ("i'm", "we're") else number - 2
        return max(0, first), last + 1
    if after == "likely":
        return max(0, number - 2) if before == "is" else number, last + 1
    if after in _CONFIDENCE and before == "with" and sentence.lower(last + 1) != "interval":
        return number - 1, last + 1
    if after in _CHANCE and before == "a" and sentence.lower(last + 1) == "that":
        there = sentence.lower(number - 3) == "there" or sentence.lower(number - 2) == "there's"
        start = number - 3 if sentence.lower(number - 3) == "there" else number - 2
        return (max(0, start) if there else number - 1), last + 1
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

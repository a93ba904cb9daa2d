"""What differs between a claim and a sentence of the evidence that is otherwise like it.

Numbers, dates, names and denials are compared by rule, in English, in Hebrew, and as far as their
denials and words of time are known in eight other languages.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from groundwire_verifier.checks.corpus.findings import Contradiction
from groundwire_verifier.checks.corpus.risk_words import words_in
from groundwire_verifier.domain.titles import STOP_WORDS, WORD, stem, stems
from groundwire_verifier.text.claims.markup.boundaries import find_sentences
from groundwire_verifier.text.claims.wording.sentence import language_of, word_set
from groundwire_verifier.text.quantities.dates import MONTH_NAMES, Date, find_dates
from groundwire_verifier.text.quantities.figures import MAX_DIGITS, find_figures, folded
from groundwire_verifier.text.quantities.number_words import NUMBER_WORDS, read_number
from groundwire_verifier.text.quantities.times import find_times
from groundwire_verifier.text.quantities.units import CURRENCIES
from groundwire_verifier.text.quantities.values import Quantity, stated

MIN_ALIKE = 0.5
"""The share of a claim's other words that a sentence needs to be otherwise alike."""
LEAST_MATTER = 2
"""The fewest words beside values that two sentences need in common to speak of the same."""
MIN_HELD = 0.8
"""The share of them that the whole passage needs: what a pronoun stands for is said before."""

MIN_SAME, MOST_REPLACED = 0.65, 2
"""The share of its other words that a sentence needs where one thing differs, and the most words
that may stand in the place of others."""
_FREE = word_set("free gratis חינם בחינם")
_FREE_STEMS = frozenset(map(stem, _FREE))

_DENIALS = word_set(
    "not never neither nor none cannot without nothing nobody isn't wasn't aren't weren't don't "
    "doesn't didn't can't won't hasn't haven't hadn't stop stops stopped cease ceases ceased fail "
    "fails failed refuse refuses refused deny denies denied lack lacks lacked "
    "nicht nie kein keine keinen keinem keiner niet geen لا لم ليس "
    "לא אין איננו איננה אינו אינה אינם אינן בלי ללא מעולם חדל חדלה חדלו הפסיק הפסיקה הפסיקו"
)
_DENY_ONCE = word_set("no jamais nunca non não не нет")
"""However many of them, they deny once: `no cerró nunca`."""
_NE, _BESIDE_NE = "ne", word_set("pas plus rien jamais personne aucun aucune")
"""`Ne` denies beside one of these; not in `n'ouvre que le lundi`, nor in Italian."""
_DENIAL_STEMS = frozenset(map(stem, _DENIALS | _DENY_ONCE | {_NE, "pas"}))
_FRENCH_NOT = re.compile(r"(?<!\w)n['\u2019](?=\w)", re.IGNORECASE)
_MAY_CONTRAST = re.compile(
    r"unlike|contrast|opposed|contrary|whereas|in place of|instead of|בניגוד|שלא כמו|לעומת|ואילו",
    re.IGNORECASE,
)
_CONTRAST = re.compile(
    r"\b(?:unlike|(?:in contrast|as opposed|contrary) to|instead of|in place of"
    r"|בניגוד ל|שלא כמו|לעומת )[^,.;]*+(?:,\s*(?:(?:which|who|whose|that|where)\b|ש)[^,.;]*+)?"
    r"|,?\s*\b(?:whereas|ואילו)\b[^.;]*+",
    re.IGNORECASE,
)
"""What a sentence says of another thing than its own: `unlike X, which never ...`."""

_HEADING = re.compile(r"^(?:[^\s:]+\s){0,5}[^\s:]+:\s+")
_WHEN = stems(
    "now new newly since current currently today updated revised version edition revision "
    "catalogue still am pm כיום כעת עכשיו היום מעודכן מעודכנת חדש חדשה גרסה מהדורה נכון "
    "jetzt nun désormais maintenant ahora ora adesso agora nu теперь сейчас الآن"
)
"""Words of when something holds."""

_SEASON = (
    rf"(?:(?:early|late|mid|this|last|next)[ -])?(?:spring|summer|autumn|fall|winter|{MONTH_NAMES})"
)
_SINCE = re.compile(
    r"\b(?:since|as of|from|starting(?: in)?|effective|seit|ab|depuis|[àa] partir de|desde|dal?"
    rf"|sinds|vanaf)\s+(?:\d{{1,2}}\.?\s+(?:de\s+)?)?{_SEASON}"
    r"(?:\s+\d{4})?(?:\s+on(?:wards?)?)?\b(?!\s+(?:to|until|till|through|bis|à|au|al?|hasta)\b),?\s*"
    r"|(?<!\w)(?:החל מ-?|מאז (?:ה)?|נכון ל-?)"
    rf"(?:\d{{1,2}} ב)?(?:ה?אביב|ה?קיץ|ה?סתיו|ה?חורף|{MONTH_NAMES})"
    r"(?:\s+\d{4})?(?!\w),?\s*",
    re.IGNORECASE,
)
"""From when on something holds: `Since spring`, `החל ממאי`."""
_OPPOSITES = tuple(
    (re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE), same)
    for words, same in (
        ("no longer|not any ?more|nicht mehr|niet meer|ya no|non più|já não|больше не", "not"),
        ("כבר לא|שוב לא", "לא"),
        ("(?<=is )closed|(?<=are )closed", "not open"),
        ("forbidden|prohibited|banned", "not allowed"),
        ("permitted", "allowed"),
        ("excluded", "not included"),
        ("unavailable", "not available"),
        ("optional|voluntary", "not required"),
        ("mandatory|compulsory|obligatory", "required"),
        ("סגור", "לא פתוח"),
        ("סגורה", "לא פתוחה"),
        ("סגורים|סגורות", "לא פתוחים"),
        ("פתוחות", "פתוחים"),
        ("אסור", "לא מותר"),
        ("אסורה", "לא מותרת"),
    )
)
"""Words that say the opposite of another one, in its words."""

_BLOCKS = re.compile(r"\n\s*\n|^[ \t]*#+[ \t][^\n]*$|^[ \t]*[-*][ \t]+", re.MULTILINE)
_YEAR = re.compile(r"(?<![\d.,/-])(?:1\d{3}|20\d{2})(?![\d/-]|[.,]\d)")
_BEFORE_YEAR = re.compile(
    r"(?:\b(?:in|since|until|till|by|from|to|between|and|of|during|before|after|around|about|year|"
    r"january|february|march|april|may|june|july|august|september|october|november|december)"
    r"|[-\u2013(,]|(?:^|\s)[ובמלשכה]{0,3}(?:שנת|שנה|עד|מאז|משנת|בשנת|לשנת|של)?-?)\s*$",
    re.IGNORECASE,
)
MAX_BEFORE_YEAR = 40
"""Characters before a year that are looked at: more than a word of time and its spaces."""

_BOUND = re.compile(
    r"(?<!\w)(over|under|above|below|(?:more|less|fewer|later|earlier) than|up to|über|unter"
    r"|mehr als|weniger als|bis zu|plus de|moins de|más de|menos de|oltre|più di|meno di|mais de"
    r"|более|менее|свыше|מעל|מתחת ל|עד|יותר מ|פחות מ|[<>≤≥])[\s-]*[^\w\s]?"
    rf"(?=\d|(?:{'|'.join(sorted(NUMBER_WORDS))})(?!\w))",
    re.IGNORECASE,
)
"""Before a value it says that it may be more, or less."""

_YEARS = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
_DIGIT = re.compile(r"\d")
_NAMED_NUMBER = re.compile(r"\b([A-Z][A-Za-z]*)[ -](\d[\d.]*)(?![\d:%°])")
"""`PEP 703`, `Python 3.12`, `VX-7`: a number that is a part of a name, and counts nothing."""
_NO_NAMES = word_set(
    "january february march april may june july august september october november december "
    "about around nearly almost only some over under exactly"
)


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs, with both sides in words of the claim's language."""

    type: Contradiction
    detail: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """A claim beside the sentence of a passage that speaks of it most.

    `alike` is the share, in [0, 1], of the claim's words beside what differs that the sentence has,
    and `held` that which the passage has. `difference` is None where none was found.
    """

    sentence: str
    alike: float
    held: float
    difference: Difference | None

    @property
    def is_alike(self) -> bool:
        """Whether the sentence says the same as the claim, but for what differs."""
        return self.alike >= MIN_ALIKE and self.held >= MIN_HELD

    @property
    def states_it(self) -> bool:
        """Whether it holds all of the claim's words, and nothing was found that differs."""
        return self.difference is None and self.alike >= MIN_ALIKE and self.held >= 1.0


def compare(claim: str, passage: str, title: str = "") -> Comparison:
    """A claim beside the sentence of a passage that speaks of it most.

    A passage with a sentence that states the claim whole, with all its values, differs in nothing.
    """
    said = _Said(claim)
    sentences = list(sentences_of(passage))
    compared = [(_Said(sentence), sentence) for sentence in sentences]
    if not compared:
        return Comparison("", 0.0, 0.0, None)
    best, sentence = max(compared, key=lambda pair: _likeness(said, pair[0]))
    everywhere = stems(f"{title} {passage}")
    difference = _difference(said, best, everywhere)
    others = said.plain(difference)
    return Comparison(
        sentence,
        _share(others, best.stems),
        _share(others, everywhere),
        difference,
    )


def is_same_with_other_value(claim: str, sentence: str) -> bool:
    """Whether a sentence has all words of a claim and no more, and one other value of its kind.

    What a sentence says of when it holds, and a heading before a colon, count as no words.
    `Over 8 km` may be 9 km, but is not `over 9 km`.
    """
    bounds, others = (set(map(str.casefold, _BOUND.findall(each))) for each in (claim, sentence))
    if bounds != others:
        return False
    said, other = _Said(_SINCE.sub("", claim)), _Said(without_heading(sentence))
    if not said.has_matter or other.matter != said.matter or said.denials != other.denials:
        return False
    return len(_other_kinds(said, other)) == 1


def is_same_denied(claim: str, sentence: str) -> bool:
    """Whether a sentence has all words of a claim and no more, and one of the two denies it."""
    said = _Said(_in_same_words(_SINCE.sub("", claim)))
    other = _Said(_in_same_words(without_heading(sentence)))
    is_same = said.has_matter and other.matter == said.matter
    return is_same and said.value_stems == other.value_stems and said.denials != other.denials


def may_disagree(claim: str, stating: str, sentence: str) -> bool:
    """Whether a sentence speaks of the same as one that states a claim, and one thing differs.

    `stating` may be the claim itself. That is a denial, a value, a name, or at most MOST_REPLACED
    words; where two differ, it is of something else: `The Marl bridge is open` is of no other.
    """
    said, other = _said_plainly(stating), _said_plainly(sentence)
    missing, others = said.names.keys() - other.stems, other.names.keys() - said.stems
    values = _other_kinds(said, other)
    kinds = said.sole_values().keys() | other.sole_values().keys()
    is_paid = said.is_free != other.is_free and kinds & CURRENCIES
    differ = (
        said.denials % 2 != other.denials % 2,
        bool(values or is_paid) or _other_bare_number(said, other),
        bool(missing and others),
    )
    if sum(differ) > 1 or len(values) > 1:
        return False
    subject = _said_plainly(claim).subject
    if missing and others:
        # What is named otherwise is not the subject, unless another name is of both.
        if said.names.keys() <= missing and (subject in missing or said.has_names_apart):
            return False
    elif subject not in other.stems:
        return False
    plain, held = said.matter - said.names.keys(), other.matter - other.names.keys()
    if is_paid:
        plain, held = plain - _FREE_STEMS, held - _FREE_STEMS
    if _share(plain, other.matter) < MIN_SAME:
        return False
    lost, new = plain - held, held - plain
    return any(differ) or (0 < len(lost) <= MOST_REPLACED and 0 < len(new) <= MOST_REPLACED)


def _other_kinds(one: "_Said", other: "_Said") -> set[str]:
    """The kinds of which both have one value, and not the same."""
    ours, theirs = one.sole_values(), other.sole_values()
    differ = {kind for kind in ours.keys() & theirs.keys() if ours[kind].isdisjoint(theirs[kind])}
    paid = [kinds & CURRENCIES for kinds in (ours.keys(), theirs.keys())]
    if [len(kinds) for kinds in paid] == [1, 1] and paid[0] != paid[1]:
        # `20 dollars` and `20 euros`; 18 euros may be as much.
        (own,), (their,) = paid
        differ |= {"currency"} if ours[own] == theirs[their] else set()
    return differ


def _other_bare_number(one: "_Said", other: "_Said") -> bool:
    """Whether two sentences have one number each, not the same, of the same word, which is a unit
    in one of them only: `5 days`, `10 business days`."""
    if len(one.numbers) != 1 or len(other.numbers) != 1:
        return False
    (ours,), (theirs,) = one.numbers, other.numbers
    known, bare = (one, other) if theirs.unit is None else (other, one)
    return (
        (ours.unit is None) != (theirs.unit is None)
        and ours.magnitude != theirs.magnitude
        and not (known.units - known.value_stems).isdisjoint(bare.stems)
    )


def holds_all_of(claim: str, sentence: str) -> bool:
    """Whether a sentence has all words of a claim, perhaps with more, and denies as much."""
    said, other = _Said(_in_same_words(claim)), _Said(_in_same_words(sentence))
    return said.matter <= other.matter and said.denials == other.denials


def have_alike_headings(one: str, other: str) -> bool:
    """Whether two sentences have the same heading before a colon, or none, but for a year."""
    headings = (_HEADING.match(one), _HEADING.match(other))
    first, second = (stems(_YEARS.sub("", each.group())) if each else set() for each in headings)
    return first - _WHEN == second - _WHEN


def without_heading(sentence: str) -> str:
    """A sentence without a heading before a colon, and without from when on it holds."""
    return _SINCE.sub("", _HEADING.sub("", sentence))


def _said_plainly(text: str) -> "_Said":
    return _Said(_in_same_words(without_heading(text)))


def _in_same_words(text: str) -> str:
    text = _FRENCH_NOT.sub("ne ", text)
    for pattern, same in _OPPOSITES:
        text = pattern.sub(same, text)
    return text


def sentences_of(passage: str) -> Iterator[str]:
    """The sentences of a passage, without its headings and signs of lists."""
    for block in _BLOCKS.split(passage):
        text = " ".join(block.split())
        for span in find_sentences(text, language_of(text)) if text else ():
            if sentence := span.of(text).strip():
                yield sentence


class _Said:
    """What a sentence says: its words, values, names and denials."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.language = language_of(text)
        self.words = [match.group() for match in WORD.finditer(text)]
        self.stems = stems(text)
        self.years = _years(text)
        values = stated(_NAMED_NUMBER.sub(_without_number, text)).values
        self.dates = [value for value in values if isinstance(value, Date)]
        self.numbers = [
            value
            for value in values
            if isinstance(value, Quantity) and value.size not in self.years
        ]
        # `Unlike the old mill, which never ran, it ...`: what another thing does not do.
        own = _CONTRAST.sub(" ", text) if _MAY_CONTRAST.search(text) else text
        self.denials = _denials(own)
        self.names = _names(self.words)

    @cached_property
    def units(self) -> set[str]:
        """The stems of months and units: `3 May` and `4 June` are of the same matter."""
        plain = folded(self.text)
        spans = [span for span, _ in find_dates(plain)] + [each.span for each in find_times(plain)]
        spans += [figure.span for figure in find_figures(self.text) if figure.unit]
        return stems(" ".join(span.of(self.text) for span in spans))

    @property
    def matter(self) -> set[str]:
        """The stems of its words beside values, denials, and words of when it holds."""
        return self.stems - self.value_stems - self.units - _WHEN - _DENIAL_STEMS

    @property
    def has_matter(self) -> bool:
        """Whether it has enough words to say what its values are of."""
        matter = self.matter
        return bool(matter) and len(matter | (self.units - self.value_stems)) >= LEAST_MATTER

    @property
    def subject(self) -> str:
        """The stem of its first word that is no value; empty if there is none."""
        matter = self.matter
        found = (stem(word.casefold()) for word in self.words)
        return next((each for each in found if each in matter), "")

    @property
    def has_names_apart(self) -> bool:
        """Whether it names more than one thing: another word stands between two names."""
        places = [at for at, word in enumerate(self.words) if stem(word.casefold()) in self.names]
        return bool(places) and places[-1] - places[0] >= len(places)

    @property
    def is_free(self) -> bool:
        """Whether it says that something costs nothing."""
        return not _FREE.isdisjoint(word.casefold() for word in self.words)

    @property
    def value_stems(self) -> set[str]:
        """The stems of words that hold a digit, or are a number in words."""
        return {
            word
            for word in self.stems
            if (_DIGIT.search(word) and not _is_named(word, self.text)) or read_number([word])[1]
        } | {stem(word.casefold()) for word in self.words if read_number([word.casefold()])[1]}

    def sole_values(self) -> dict[str, frozenset[object]]:
        """Each value that is the only one of its kind, as all that it can be."""
        found: dict[str, list[frozenset[object]]] = {}
        for number in self.numbers:
            kind = number.unit.dimension if number.unit else "number"
            found.setdefault(kind, []).append(frozenset({number.size}))
        for year in self.years:
            found.setdefault("year", []).append(frozenset({year}))
        for day in self.dates:
            found.setdefault("date", []).append(frozenset(day.readings))
        for time in find_times(folded(self.text)):
            found.setdefault("time of day", []).append(frozenset(time.minutes))
        return {kind: values[0] for kind, values in found.items() if len(values) == 1}

    def plain(self, difference: Difference | None) -> set[str]:
        """The stems without what may differ: denials, and values or names as the type says."""
        left = self.stems - _DENIAL_STEMS
        if difference is None or difference.type is Contradiction.DIRECT_NEGATION:
            return left
        if difference.type is Contradiction.ENTITY:
            return left - self.names.keys() if self.names else left
        return left - self.value_stems


def _denials(text: str) -> int:
    """How often a text denies."""
    plain = _FRENCH_NOT.sub("ne ", text).casefold().replace("\u2019", "'")
    words = [match.group() for match in WORD.finditer(plain)]
    has_ne = _NE in words and not _BESIDE_NE.isdisjoint(words)
    once = has_ne or not _DENY_ONCE.isdisjoint(words)
    return once + sum(word in _DENIALS for word in words)


def _without_number(match: re.Match[str]) -> str:
    word = match.group(1)
    is_common = word.casefold() in STOP_WORDS or word.casefold() in _NO_NAMES
    return match.group() if is_common else word


def _is_named(word: str, text: str) -> bool:
    """Whether a word of digits is a part of a name, which may not differ."""
    return any(
        match.group(2).rstrip(".") == word and _without_number(match) != match.group()
        for match in _NAMED_NUMBER.finditer(text)
    )


def _names(words: list[str]) -> dict[str, str]:
    """The words of a sentence that are capitalised within it, by their stems.

    The first one counts if it is no common word. Hebrew has no capitals, and so no such names.
    """
    found = {}
    for at, word in enumerate(words):
        if word[0].isupper() and word.casefold() not in STOP_WORDS and (at or _is_name(words)):
            found[stem(word.casefold())] = word
    return found


def _is_name(words: list[str]) -> bool:
    """Whether a sentence begins with a name: two capitals in a row, or an abbreviation."""
    return words[0].isupper() or (len(words) > 1 and words[1][0].isupper())


def _years(text: str) -> set[int]:
    """The years that a sentence names: four digits behind a word of time, or at its beginning."""
    return {
        int(match.group())
        for match in _YEAR.finditer(text)
        if _BEFORE_YEAR.search(text[max(0, match.start() - MAX_BEFORE_YEAR) : match.start()])
    }


def _likeness(claim: _Said, sentence: _Said) -> float:
    """How much of a claim a sentence speaks of; among equals the shorter sentence."""
    shared = len(claim.stems & sentence.stems)
    return shared / (len(claim.stems) + 0.25 * len(sentence.stems) + 1.0)


def _difference(claim: _Said, sentence: _Said, everywhere: set[str]) -> Difference | None:
    """The first thing that differs: a time, a number, a name, a denial."""
    if found := _other_time(claim, sentence):
        return Difference(Contradiction.TEMPORAL, found)
    if found := _other_number(claim, sentence):
        return Difference(Contradiction.NUMERIC, found)
    if found := _other_name(claim, sentence, everywhere):
        return Difference(Contradiction.ENTITY, found)
    if (claim.denials - sentence.denials) % 2:
        return Difference(Contradiction.DIRECT_NEGATION, words_in(claim.language).denied)
    return None


def _other_time(claim: _Said, sentence: _Said) -> str:
    missing = claim.years - sentence.years
    others = sentence.years - claim.years
    if missing and others:
        return _other_value(claim, _listed(missing), _listed(others))
    if claim.dates and sentence.dates:
        wrong = [d for d in claim.dates if not any(_agree(d, other) for other in sentence.dates)]
        if wrong:
            return words_in(claim.language).other_date
    return ""


def _agree(one: Date, other: Date) -> bool:
    """Whether two dates may be the same day, as far as both say."""
    return any(
        all(a is None or b is None or a == b for a, b in zip(first, second, strict=True))
        for first in one.readings
        for second in other.readings
    )


def _other_number(claim: _Said, sentence: _Said) -> str:
    for number in claim.numbers:
        kind = number.unit.dimension if number.unit else None
        alike = [
            other
            for other in sentence.numbers
            if (other.unit.dimension if other.unit else None) == kind
        ]
        if alike and all(other.size != number.size for other in alike):
            theirs = _listed(float(other.magnitude) for other in alike)
            return _other_value(claim, _listed([float(number.magnitude)]), theirs)
    return ""


def _other_name(claim: _Said, sentence: _Said, everywhere: set[str]) -> str:
    """A name in place of another one: of a person that the sentence does not name."""
    missing = [name for key, name in claim.names.items() if key not in sentence.stems]
    others = [name for key, name in sentence.names.items() if key not in claim.stems]
    known = [name for key, name in claim.names.items() if key in everywhere]
    if missing and others and (len(known) < len(claim.names) or not _about(claim, sentence)):
        foreign = [name for key, name in claim.names.items() if key not in everywhere]
        named = " ".join(foreign or missing)
        return _other_value(claim, named, " ".join(others))
    return ""


def _other_value(claim: _Said, ours: str, theirs: str) -> str:
    return words_in(claim.language).other_value.format(claim=ours, evidence=theirs)


def _about(claim: _Said, sentence: _Said) -> bool:
    """Whether the sentence names anything that the claim does."""
    return any(key in sentence.stems for key in claim.names)


def _share(wanted: set[str], held: set[str]) -> float:
    return len(wanted & held) / len(wanted) if wanted else 1.0


def _listed(values: "set[int] | Iterator[float] | list[float]") -> str:
    return ", ".join(f"{value:.{MAX_DIGITS}g}" for value in sorted(values))

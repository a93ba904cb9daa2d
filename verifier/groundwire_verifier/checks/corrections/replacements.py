"""What of a claim can be replaced by what the sentence that decides it has in its place.

Only what stands in that sentence is put into a claim: its values for those that it does not state,
its names, and its small words. Each is of the kind of what it replaces.
"""

import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, groupby, islice, pairwise, product
from types import MappingProxyType

from groundwire_verifier.checks.corpus.comparison import compare
from groundwire_verifier.checks.corrections.correction import EditKind
from groundwire_verifier.checks.explanations.constituents import (
    MOST_LOOKED_AT,
    Constituent,
    constituents,
    names_in,
    put,
    small_words_by,
)
from groundwire_verifier.domain.claims import Span
from groundwire_verifier.domain.titles import STOP_WORDS, stems
from groundwire_verifier.text.claims.wording.sentence import is_english, language_of, word_set
from groundwire_verifier.text.quantities.dates import (
    MONTHS,
    are_of_one_language,
    as_form,
    find_dates,
    find_months,
    months_in,
)
from groundwire_verifier.text.quantities.figures import find_figures, folded, is_year
from groundwire_verifier.text.quantities.number_words import as_counted
from groundwire_verifier.text.quantities.times import find_times
from groundwire_verifier.text.quantities.unstated import LEAST_TOLD, StatedValues
from groundwire_verifier.text.quantities.values import stated
from groundwire_verifier.verdicts.types import SpanKind

CONTEXT_CHARACTERS = 30
"""Characters on both sides of a value or a name that tell what it is of, up to a comma."""
LEAST_SHARED = 2
"""A sentence of the same as a claim has this many of its words."""
MOST_BETWEEN = 4
"""More words than this between the same words are no longer one thing that differs."""
MOST_PLACES = 3
"""In more places than this a claim and a sentence do not say the same."""
MOST_VALUES = 8
"""A sentence with more values that differ is of another thing. Of names the first ones count."""

_TOKEN = re.compile(r"\d+(?:[.,:/]\d+)*|[^\W\d_]+|\s+|.", re.DOTALL)
_BREAK = re.compile(r"[,;.](?!\d)")
_STATEMENTS = re.compile(
    r"[,;.](?!\d)|(?<!\w)(?:(?:and|but|while|whereas|und|aber|et|mais|y|pero|e)(?!\w)|\u05d5(?=\w))",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<!\w)[-\u2212]?\d+(?:[.,:]\d+)*|\d+(?:[.,:]\d+)*")
_VERSION = re.compile(r"(?<![\w.])v?\d+(?:\.\d+){2,}(?!\w)")
_PARTS = re.compile(
    r"[\s-]+(?:thirds?|quarters?|(?:fif|six|seven|eigh|nin|ten)ths?|halves|half|שליש\w*|רבע\w*|חמישיות"
    r"|שישיות|שמיניות|עשיריות|drittel|viertel|fünftel|tiers|quarts?|tercios?|cuartos?|terzi|quarti"
    r"|terços?)(?!\w)",
    re.IGNORECASE,
)
"""Behind a number they are of one value with it."""
_OUT_OF = re.compile(r"\s+(?:in|out of|von|auf|sur|su|מתוך)\s+", re.IGNORECASE)
_GERMAN = word_set(
    "der das und ist nicht eine einen für von vom zum zur im wird sind gibt bei mit auf davon"
)
_TIMES_NOTHING = word_set("hundred thousand million billion trillion dozen hundreds thousands")
"""They stand for no number alone: `Million euros` at the head of a table."""
_ARTICLES = word_set("the a an der die das den dem ein eine einen einem einer")
_ONE = word_set("1 one אחד אחת ein eine un une uno una um uma один одна")
_JOINING = word_set("and or und oder")
_BEFORE = re.compile(rf"(\w+)(?:\s+|-)(?:(?:{'|'.join(_ARTICLES)})\s+)*$", re.IGNORECASE)
_BEHIND = re.compile(r"\s+(\w+)")
_CANNOT = re.compile(r"\b(?:can['\u2019]t|can not)\b", re.IGNORECASE)
_NOT = re.compile(r"n['\u2019]t\b")
_LETTERS_BEFORE = re.compile(r"[א-ת]+$")
_LETTERS_HYPHEN = re.compile(r"(?<!\w)[א-ת]{1,2}-$")
_HEBREW_DENIAL = re.compile(r"(?<!\w)(?:לא|אינו|אינה|אינם|אינן|איננו|איננה)\s+(\w+)")
_ARTICLE = re.compile(r"(?<![\w.])(an?)(?=\W{1,4}\Z)", re.IGNORECASE)
_SOUNDS_OPEN = re.compile(
    r"\W?(?:8|1[18](?:(?!\d)|(?=,\d{3}(?!\d)))|[aeio](?!ne?\b|nce|u|we)(?=[a-z]{2}))", re.IGNORECASE
)
_SOUNDS_CLOSED = re.compile(
    r"\W?(?:(?!1[18]\d\d(?!\d))[0-79]|[b-df-gj-np-tv-z][a-z]{2})", re.IGNORECASE
)
"""1860 may be a year, or one thousand and more."""
_PLACE = re.compile(r"(?P<word>\w+(?:[\"'\u2019\u05f3\u05f4-]\w+)*)|[,;:.!?()\[\]\u2013\u2014|]")
_PREFIX = r"[ובלמשהכ]{0,2}"
"""Letters that are written with a Hebrew word."""
_DATES = ("date", "month")


@dataclass(frozen=True, slots=True)
class Change:
    """Other words in place of a part of a claim."""

    span: Span
    other: str
    kind: EditKind


@dataclass(frozen=True, slots=True)
class _Found:
    """A value or a name: where it stands, and of what kind it is."""

    span: Span
    kind: tuple[Hashable, ...]


def changed(claim: str, changes: Sequence[Change]) -> str:
    """The claim with all changes made, none of which overlap."""
    for change in sorted(changes, key=lambda each: each.span, reverse=True):
        claim = put(claim, change.span, change.other)
    return " ".join(claim.split())


def agreeing(claim: str, changes: Sequence[Change]) -> tuple[Change, ...]:
    """The changes, with `a` or `an` before them as what they put in begins."""
    made: list[Change] = []
    for change in changes:
        article = _ARTICLE.search(claim, max(0, change.span.start - 6), change.span.start)
        if article is not None and is_english(claim):
            own = article.group()
            is_open = _SOUNDS_OPEN.match(change.other) is not None
            is_known = is_open or _SOUNDS_CLOSED.match(change.other) is not None
            if is_known and is_open != (len(own) > 1):
                made.append(Change(Span(*article.span()), own[0] + "n" * is_open, change.kind))
        made.append(change)
    return tuple(made)


@dataclass(frozen=True)
class Compared:
    """A claim beside a sentence that may decide it.

    `unstated` are the values of the claim that no source states: none of them stays. `derived` are
    those that follow from stated ones: all of them do.
    """

    claim: str
    sentence: str
    unstated: Collection[str] = ()
    derived: Collection[str] = ()

    @cached_property
    def _given(self) -> list[_Found]:
        """The values of the sentence that the claim does not state."""
        return _missing(_values(self.sentence), self.sentence, self.claim)

    @cached_property
    def _own(self) -> list[_Found]:
        """The values of the claim that are not derived."""
        bare = _bare(self.derived)
        return [v for v in _values(self.claim) if v.span.of(self.claim).strip() not in bare]

    @cached_property
    def _missing(self) -> list[_Found]:
        """Those of them that the sentence does not state."""
        return _missing(self._own, self.claim, self.sentence)

    @cached_property
    def _elsewhere(self) -> Mapping[_Found, set[_Found]]:
        """For each value given the values of the claim that stand in another statement of the
        sentence, where that of the value has one of their kind: where each of two years has sales
        of its own, they go together."""
        claim, sentence, values = self.claim, self.sentence, _values(self.sentence)
        marks = [Span(*match.span()) for match in _STATEMENTS.finditer(sentence)]
        edges = [Span(0, 0), *marks, Span(len(sentence), len(sentence))]
        stated_there = [each for each in self._own if each not in set(self._missing)]
        found: dict[_Found, set[_Found]] = {}
        for start, end in pairwise(edges) if marks and stated_there else ():
            statement = Span(start.end, end.start)
            held = [each for each in values if each.span.overlaps(statement)]
            given = [each for each in held if each in set(self._given)]
            absent = _missing(stated_there, claim, statement.of(sentence)) if given else ()
            for new in given:
                kinds = {each.kind for each in held if each != new}
                found[new] = {each for each in absent if each.kind in kinds}
        return found

    @cached_property
    def _names(self) -> tuple[list[_Found], list[_Found]]:
        """The names that the claim alone has, and those that the sentence alone has."""
        if language_of(self.claim) != language_of(self.sentence):
            return [], []
        absent = _unshared(self.claim, self.sentence)[:MOST_VALUES]
        return absent, _unshared(self.sentence, self.claim)[:MOST_VALUES]

    def likely(self) -> Iterator[tuple[Change, ...]]:
        """What makes the claim say what the sentence says, the likeliest first."""
        claim, sentence, missing, given = self.claim, self.sentence, self._missing, self._given
        if len(missing) > MOST_VALUES or len(given) > MOST_VALUES:
            return
        kind = EditKind.VALUE_REPLACED
        wrong = [each for each in missing if each.span.of(claim).strip() in _bare(self.unstated)]
        # Other values of the claim may stand in another sentence.
        apart = self._elsewhere
        values = list(_matched(claim, wrong or missing, sentence, given, kind, elsewhere=apart))
        if not wrong and len(missing) > 1:
            alone = [_matched(claim, [e], sentence, given, kind, elsewhere=apart) for e in missing]
            values = [*chain.from_iterable(alone), *values]
        yield from values
        if language_of(claim) != language_of(sentence):
            return
        absent, others = self._names
        names = list(_matched(claim, absent, sentence, others, EditKind.NAME_REPLACED))
        if values and names and not _overlap((*values[0], *names[0])):
            yield (*values[0], *names[0])
        if self.unstated:
            return
        yield from names
        for change in (*_small_words(claim, sentence), *_between(claim, sentence)):
            yield (change,)

    def less_likely(self) -> Iterator[tuple[Change, ...]]:
        """Further ways to make the claim say what the sentence says, one thing at a time.

        They are one of several names that are missing, a value or a name beside the one that the
        claim took from the sentence, a denial, and words in a few places. A claim with a value that
        no source states stays wrong by them, so that there are none.
        """
        if self.unstated:
            return
        claim, sentence = self.claim, self.sentence
        shared = [each for each in self._own if each not in set(self._missing)]
        kind = EditKind.VALUE_REPLACED
        yield from _beside(claim, shared, sentence, self._given, kind, elsewhere=self._elsewhere)
        is_of_the_same = len(stems(claim) & stems(sentence)) >= LEAST_SHARED
        if language_of(claim) == language_of(sentence):
            yield from self._other_names(is_of_a_row=is_of_the_same)
        for change in (
            *_denials(claim, sentence, is_of_the_same),
            *_between(claim, sentence, MOST_PLACES),
        ):
            yield (change,)

    def _other_names(self, *, is_of_a_row: bool) -> Iterator[tuple[Change, ...]]:
        claim, sentence, kind = self.claim, self.sentence, EditKind.NAME_REPLACED
        absent, names = self._names
        for one in absent:
            yield from _matched(claim, [one], sentence, _alike(claim, one, sentence, names), kind)
        for one, name in product(absent, names if is_of_a_row else ()):
            if _is_of_a_shape(one.span.of(claim), name.span.of(sentence)):
                change = _replaced(claim, one, sentence, name, kind)
                if change is not None:
                    yield (change,)
        unshared = set(_unshared(claim, sentence))
        for one in [each for each in _names(claim) if each not in unshared]:
            alike = _alike(claim, one, sentence, names)
            yield from _beside(claim, [one], sentence, alike, kind)

    def contradicted(self) -> Iterator[tuple[Change, ...]]:
        """What makes the claim say what the sentence says, which is known to contradict it: small
        words of the sentence, wherever they stand there, and a denial."""
        if self.unstated:
            return
        claim = self.claim
        for span, word in small_words_by(claim, self.sentence):
            yield (Change(span, _in_case(span.of(claim), word), EditKind.WORD_REPLACED),)
        denies, denied = (stated(each).negations > 0 for each in (self.sentence, claim))
        for part in constituents(claim, MOST_LOOKED_AT) if denies != denied else ():
            if part.kind is SpanKind.NEGATION and (stated(part.without).negations > 0) != denied:
                other = _in_case(part.cut.of(claim), part.other)
                yield (Change(part.cut, other, EditKind.WORD_REPLACED),)


def _beside(
    claim: str,
    shared: Sequence[_Found],
    sentence: str,
    given: Sequence[_Found],
    kind: EditKind,
    *,
    elsewhere: Mapping[_Found, set[_Found]] = MappingProxyType({}),
) -> Iterator[tuple[Change, ...]]:
    """What a claim and a sentence share, replaced by what stands there more as it does here."""
    if len(given) > MOST_VALUES:
        return
    for one in shared[:MOST_VALUES]:
        words = re.escape(one.span.of(claim))
        there = [_Found(Span(*m.span()), one.kind) for m in re.finditer(words, sentence)]
        near = max((_near(claim, one, sentence, each) for each in there), default=0)
        apt = [each for each in given if _near(claim, one, sentence, each) >= near]
        yield from _matched(claim, [one], sentence, apt, kind, elsewhere=elsewhere)


def _values(text: str) -> list[_Found]:
    plain = folded(text)
    found: list[_Found] = []
    for span, date in find_dates(plain):
        shapes = frozenset(tuple(part is None for part in each) for each in date.readings)
        # The full stop may be that of its sentence.
        end = span.start + len(span.of(text).rstrip("."))
        found.append(_Found(Span(span.start, end), ("date", shapes)))
    found += [
        _Found(span, ("month",))
        for span in months_in(text)
        if not any(span.overlaps(date.span) for date in found)
    ]
    found += [_Found(each.span, ("time",)) for each in find_times(plain)]
    for figure in find_figures(text, LEAST_TOLD):
        written = figure.span.of(text).strip()
        dimension = "" if figure.unit is None else figure.unit.dimension
        kind = ("year",) if is_year(written) else ("figure", dimension)
        span = _stripped(text, figure.span)
        last = found[-1] if found and kind == ("figure", "") else None
        if (
            last is not None
            and last.kind == kind
            and _OUT_OF.fullmatch(text, last.span.end, span.start)
        ):
            # `Six in ten` is one value.
            found[-1] = _Found(Span(last.span.start, span.end), ("parts",))
            continue
        if _OUT_OF.search(written):
            kind = ("parts",)
        if written.casefold() in _TIMES_NOTHING:
            continue
        if parts := _PARTS.match(text, span.end):
            span, kind = Span(span.start, parts.end()), ("parts",)
        found.append(_Found(span, kind))
    found += [_Found(Span(*match.span()), ("version",)) for match in _VERSION.finditer(text)]
    return sorted(found, key=lambda each: each.span)


def _missing(values: Sequence[_Found], text: str, other: str) -> list[_Found]:
    """The values of a text that the other one does not state, nor says what they follow from."""
    unstated = _bare(StatedValues([other]).unstated_in(text, is_told=True).values)
    plain = folded(other)
    months = set(find_months(plain))
    read = [month for _, date in find_dates(plain) for _, month, _ in date.readings]
    months |= {month for month in read if month is not None}

    def is_missing(value: str, kind: Hashable) -> bool:
        if kind == "month":
            return MONTHS[value.lower()] not in months
        if kind == "parts":
            return value.casefold() not in other.casefold()
        return value in unstated

    return [each for each in values if is_missing(each.span.of(text).strip(), each.kind[0])]


def _bare(values: Iterable[str]) -> set[str]:
    """Values as `_values` has them: without the full stop of a sentence."""
    return {value.rstrip(".") for value in values}


def _names(text: str) -> list[_Found]:
    """The names of a text that are no part of a value. German writes all nouns as names."""
    if len(_GERMAN.intersection(text.casefold().split())) > 1:
        return []
    values = _values(text)
    return [
        _Found(span, ("name",))
        for span in names_in(text)
        if not any(span.overlaps(value.span) for value in values)
    ]


def _alike(claim: str, one: _Found, sentence: str, names: Sequence[_Found]) -> list[_Found]:
    """The names that stand beside the same word as one of the claim, and in whose clause all the
    values of the claim are."""
    values = _values(claim)
    return [
        name
        for name in names
        if _is_same_place(claim, one.span, sentence, name.span, is_name=True)
        and not _missing(values, claim, _clause(sentence, name.span))
    ]


def _is_of_a_shape(one: str, other: str) -> bool:
    """Whether two names have as many words, more than one: a person's in a row with others."""
    count = len(one.split())
    return count > 1 and count == len(other.split()) and one.istitle() == other.istitle()


def _clause(text: str, span: Span) -> str:
    """The part between two commas that a span is in."""
    before = _BREAK.split(text[: span.start])[-1]
    return before + span.of(text) + _BREAK.split(text[span.end :])[0]


def _is_same_place(
    claim: str, own: Span, sentence: str, other: Span, *, is_name: bool = False
) -> bool:
    """Whether the same word stands right before or right behind both.

    Articles are looked past. Behind a name a word such as `in` tells nothing of it.
    """
    before = _word_before(claim[: own.start])
    behind = _word_behind(claim[own.end :])
    if before not in _JOINING and _is_same(before, _word_before(sentence[: other.start])):
        return True
    tells = not is_name or behind not in STOP_WORDS
    return tells and _is_same(behind, _word_behind(sentence[other.end :]))


def _word_before(text: str) -> str:
    match = _BEFORE.search(_LETTERS_BEFORE.sub("", text))
    word = "" if match is None else match.group(1).casefold()
    return "" if word in _ARTICLES else word


def _word_behind(text: str) -> str:
    match = _BEHIND.match(text)
    return "" if match is None else match.group(1).casefold()


def _is_same(one: str, other: str) -> bool:
    """Whether two words are the same but for their endings."""
    return bool(one) and (one == other or (bool(stems(one)) and stems(one) == stems(other)))


def _unshared(text: str, other: str) -> list[_Found]:
    """The names of a text of which a word is not in the other one."""
    words = set(re.findall(r"\w+", other.casefold()))
    return [
        name
        for name in _names(text)
        if not words.issuperset(re.findall(r"\w+", name.span.of(text).casefold()))
    ]


def _matched(
    claim: str,
    missing: Sequence[_Found],
    sentence: str,
    given: Sequence[_Found],
    kind: EditKind,
    *,
    elsewhere: Mapping[_Found, set[_Found]] = MappingProxyType({}),
) -> Iterator[tuple[Change, ...]]:
    """All that is missing from a sentence, each replaced by what is of its kind there.

    `elsewhere` are the values of the claim that do not go with one which is given.

    What stands in the same words is taken. The only one that is missing is tried with all that
    stand so. Of several of a kind none is taken without such words.
    """
    near = {(one, other): _near(claim, one, sentence, other) for one in missing for other in given}
    kinds = Counter(other.kind for other in given)
    pairs = sorted(
        (
            (one, other)
            for (one, other), shared in near.items()
            if _are_alike(claim, one, sentence, other) and (shared or kinds[other.kind] == 1)
            if elsewhere.get(other, set()) <= set(missing)
        ),
        key=lambda pair: (-near[pair], pair[1].span, pair[0].span),
    )
    if len(missing) == 1:
        for one, other in pairs:
            if near[one, other] < near[pairs[0]]:
                break
            if (change := _replaced(claim, one, sentence, other, kind)) is not None:
                yield (change,)
        return
    taken: dict[_Found, _Found] = {}
    for one, other in pairs:
        if one not in taken and other not in taken.values():
            taken[one] = other
    changes = [_replaced(claim, one, sentence, other, kind) for one, other in taken.items()]
    made = tuple(change for change in changes if change is not None)
    if made and len(made) == len(missing):
        yield made


def _are_alike(claim: str, one: _Found, sentence: str, other: _Found) -> bool:
    """Whether one can take the place of the other: they are of one kind, or a date tells as much as
    the other and more."""
    if one.kind == other.kind:
        return True
    own, before = one.span.of(claim), claim[: one.span.start]
    return other.kind[0] == "date" and as_form(own, other.span.of(sentence), before) != ""


def _near(claim: str, one: _Found, sentence: str, other: _Found) -> int:
    """How many words two values have in common around them."""
    return len(_around(claim, one.span) & _around(sentence, other.span))


def _around(text: str, span: Span) -> set[str]:
    before = _BREAK.split(text[max(0, span.start - CONTEXT_CHARACTERS) : span.start])[-1]
    behind = _BREAK.split(text[span.end : span.end + CONTEXT_CHARACTERS])[0]
    return stems(f"{before} {behind}")


def _replaced(
    claim: str, one: _Found, sentence: str, other: _Found, kind: EditKind
) -> Change | None:
    """One in place of the other, in as few characters as may be; None if it is of no use.

    In the words of another language nothing is put in but digits.
    """
    own, new = one.span.of(claim), other.span.of(sentence)
    before = claim[: one.span.start]
    is_formed = one.kind != other.kind
    if not is_formed and one.kind[0] in _DATES:
        is_formed = not are_of_one_language(own, before, new, sentence[: other.span.start])
    if is_formed:
        new = as_form(own, new, before)
    if not new or own == new:
        return None
    ours, theirs = _NUMBER.findall(own), _NUMBER.findall(new)
    is_alike = one.kind[0] == "figure" and _unit(own) == _unit(new)
    if is_alike and _is_one(own) != _is_one(new):
        # What is counted has another form, which only a unit brings along.
        return None if _unit(own) is None else _least(one.span, own, new, kind)
    if is_alike and len(ours) == len(theirs) == 1:
        new = own.replace(ours[0], theirs[0])
    new = as_counted(own, new, claim[one.span.end :])
    change = _joined(claim, _least(one.span, own, new, kind))
    is_foreign = not is_formed and language_of(claim) != language_of(sentence)
    return None if is_foreign and any(map(str.isalpha, change.other)) else change


def _is_one(value: str) -> bool:
    return value.casefold().partition(" ")[0] in _ONE


def _joined(claim: str, change: Change) -> Change:
    """The change with a hyphen between a letter that is written with a Hebrew word and digits,
    which a word in their place has not."""
    at = change.span.start
    if _LETTERS_BEFORE.search(claim[:at]) and change.other[:1].isdigit():
        return replace(change, other=f"-{change.other}")
    hyphen = _LETTERS_HYPHEN.search(claim[:at])
    if hyphen is not None and _LETTERS_BEFORE.match(change.other[:1]):
        return replace(change, span=Span(at - 1, change.span.end))
    return change


def _unit(value: str) -> object:
    return next((each.unit for each in find_figures(value)), None)


def _least(span: Span, own: str, new: str, kind: EditKind) -> Change:
    """The change of one text into another without the words that both begin and end with."""
    ours, theirs = _TOKEN.findall(own), _TOKEN.findall(new)
    first = 0
    while first < min(len(ours), len(theirs)) - 1 and ours[first] == theirs[first]:
        first += 1
    last = 0
    most = min(len(ours), len(theirs)) - first - 1
    while last < most and ours[-1 - last] == theirs[-1 - last]:
        last += 1
    start = span.start + len("".join(ours[:first]))
    end = span.end - len("".join(ours[len(ours) - last :]))
    return Change(Span(start, end), "".join(theirs[first : len(theirs) - last]), kind)


def _small_words(claim: str, sentence: str) -> Iterator[Change]:
    """Small words of a claim that the sentence does not have, by those that it has."""
    yield from _denials(claim, sentence, compare(claim, sentence).is_alike)
    for span, word in small_words_by(claim, sentence):
        places = re.finditer(rf"(?<!\w){_PREFIX}({re.escape(word)})(?!\w)", sentence, re.IGNORECASE)
        if any(_is_same_place(claim, span, sentence, Span(*m.span())) for m in places):
            yield Change(span, _in_case(span.of(claim), word), EditKind.WORD_REPLACED)


def _denials(claim: str, sentence: str, is_of_the_same: bool) -> Iterator[Change]:
    """What makes a claim deny as a sentence of the same does, or no longer deny."""
    denies = stated(sentence).negations > 0
    if not is_of_the_same or denies == (stated(claim).negations > 0):
        return
    for part in constituents(claim, MOST_LOOKED_AT):
        is_denial = part.kind is SpanKind.NEGATION
        if not is_denial or not _has_denial(claim, part, sentence):
            continue
        if (stated(part.without).negations > 0) == denies:
            other = _in_case(part.cut.of(claim), part.other)
            yield Change(part.cut, other, EditKind.WORD_REPLACED)
    denials = islice(_HEBREW_DENIAL.finditer(sentence), MOST_VALUES) if denies else ()
    for denial in denials:
        for place in re.finditer(rf"(?<!\w){re.escape(denial.group(1))}(?!\w)", claim):
            yield Change(Span(*place.span()), denial.group(), EditKind.WORD_REPLACED)


def _has_denial(claim: str, part: Constituent, sentence: str) -> bool:
    """Whether a sentence has what stands in place of a part, and the same word behind it."""
    behind = _word_behind(claim[part.cut.end :])
    plain = _NOT.sub(" not", _CANNOT.sub("cannot", sentence))
    if not part.other:
        before = _word_before(claim[: part.cut.start])
        return any(
            _is_same(before, _word_before(plain[: m.start()]))
            and _is_same(behind, m.group().casefold())
            for m in re.finditer(r"\w+", plain)
        )
    places = re.finditer(rf"(?<!\w){re.escape(part.other)}(?!\w)", plain, re.IGNORECASE)
    return any(_is_same(behind, _word_behind(plain[m.end() :])) for m in places)


@dataclass(frozen=True, slots=True)
class _Place:
    """A word of a text and its stem; both are empty for a mark and for the ends of the text."""

    span: Span
    word: str
    stem: str


def _places(text: str) -> list[_Place]:
    found = [_Place(Span(0, 0), "", "")]
    for match in _PLACE.finditer(text):
        word = (match["word"] or "").casefold()
        found.append(_Place(Span(*match.span()), word, min(stems(word), default=word)))
    return [*found, _Place(Span(len(text), len(text)), "", "")]


def _between(claim: str, sentence: str, most_runs: int = 1) -> Iterator[Change]:
    """The words that a claim alone has, by those that the sentence has between the same words.

    They stand in so few places that nearly all else of the claim is in the sentence, and none of
    them is a value. So names are replaced in writing without capitals, too.
    """
    own, there = _places(claim), _places(sentence)
    known = {each.stem for each in there}
    absent = [i for i, each in enumerate(own) if each.stem not in known]
    # Of numbers that follow each other this difference is the same.
    runs = [
        [i for _, i in run]
        for _, run in groupby(enumerate(absent), key=lambda each: each[1] - each[0])
    ]
    shared = len(stems(claim) & stems(sentence))
    is_same = shared >= LEAST_SHARED and (len(runs) == 1 or len(absent) <= shared)
    for run in runs if is_same and len(runs) <= most_runs else ():
        if len(run) <= MOST_BETWEEN:
            yield from _framed(claim, own, Span(run[0], run[-1]), sentence, there)


def _framed(
    claim: str,
    own: Sequence[_Place],
    run: Span,
    sentence: str,
    there: Sequence[_Place],
) -> Iterator[Change]:
    """The words of one place of a claim by those that stand between the same words there."""
    first, last, stated_here = run.start, run.end, {each.stem for each in own}
    span = Span(own[first].span.start, own[last].span.end)
    is_framed = own[first - 1].word or own[last + 1].word
    if not is_framed or _values(span.of(claim)):
        return
    for at, before in enumerate(there[:-1], start=1):
        if before.word != own[first - 1].word:
            continue
        end = at
        while end - at < MOST_BETWEEN and there[end].stem not in stated_here:
            end += 1
        if end == at or there[end].word != own[last + 1].word:
            continue
        new = Span(there[at].span.start, there[end - 1].span.end).of(sentence)
        if not _values(new):
            begins = not claim[: span.start].strip() and claim[span.start].isupper()
            new = new[0].upper() + new[1:] if begins else new
            yield Change(span, new, EditKind.WORD_REPLACED)


def _in_case(own: str, new: str) -> str:
    """New words with a capital exactly if what they replace has one."""
    first = new[:1].upper() if own[:1].isupper() else new[:1].lower()
    return first + new[1:]


def _overlap(changes: Sequence[Change]) -> bool:
    spans = sorted(change.span for change in changes)
    return any(one.end > other.start for one, other in pairwise(spans))


def _stripped(text: str, span: Span) -> Span:
    words = span.of(text)
    start = span.start + len(words) - len(words.lstrip())
    return Span(start, span.end - (len(words) - len(words.rstrip())))

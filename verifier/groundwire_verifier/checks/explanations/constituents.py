"""The parts of a claim that can be wrong by themselves, each with the claim without it.

A part is left out, made general (`some`, `something`), or turned round (`before` for `after`): if
the evidence then bears the claim out, it was this part that it did not bear out. English and
Hebrew have rules of their own; what a comma or a bracket sets off is found in every language.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, pairwise

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.domain.titles import STOP_WORDS
from groundwire_verifier.text.claims.wording.sentence import language_of
from groundwire_verifier.text.quantities.dates import find_dates
from groundwire_verifier.text.quantities.decades import find_decades
from groundwire_verifier.text.quantities.figures import find_figures, folded
from groundwire_verifier.text.quantities.times import find_times
from groundwire_verifier.verdicts.types import SpanKind

LEAST_WORDS_LEFT = 2
"""A claim with fewer words than this says nothing that could be read."""
MOST_LOOKED_AT = 100
MOST_BEFORE = 24
"""Characters before a date or a name that are looked at for the words that belong to it."""
MOST_TAIL_WORDS = 14
MOST_PHRASE_WORDS = 8
"""A longer phrase is a clause, of which more than one thing can be wrong."""


@dataclass(frozen=True, slots=True)
class Constituent:
    """A part of a claim: where it stands there, what it is, and the claim without it.

    That is the claim with `other` in place of `cut`, which has the words that go with the part. An
    empty `other` leaves it out.
    """

    span: Span
    kind: SpanKind
    cut: Span
    other: str
    without: str


def constituents(claim: str, most: int) -> list[Constituent]:
    """The parts of a claim, at most `most`; each text without one is once.

    Values come first, then small words, causes, names and details. Of a claim with very many parts
    only the first MOST_LOOKED_AT are looked at.
    """
    words = _words_of(claim)
    found: dict[str, Constituent] = {}
    for each in islice(_parts(claim, words), MOST_LOOKED_AT):
        if len(each.without.split()) >= LEAST_WORDS_LEFT and each.without != claim.strip():
            found.setdefault(each.without, each)
        if len(found) == most:
            break
    return list(found.values())


def tails(claim: str) -> list[Constituent]:
    """From each phrase of a claim with more than one behind it to the next mark, or to the end."""
    begins = _words_of(claim).phrases
    starts = [match.start() for match in islice(begins.finditer(claim), MOST_LOOKED_AT)]
    stops = [*(match.start() for match in _SET_OFF.finditer(claim)), _body_end(claim)]
    found: list[Constituent] = []
    for start, following in pairwise((*starts, len(claim))):
        stop = stops[bisect_right(stops, start)] if start < stops[-1] else start
        span = _trimmed(claim, Span(start, stop))
        part = _part(claim, span, SpanKind.DETAIL, span)
        is_tail = following < span.end and len(span.of(claim).split()) <= MOST_TAIL_WORDS
        if is_tail and start > 0 and len(part.without.split()) > LEAST_WORDS_LEFT:
            found.append(part)
    return found


def value_parts(claim: str, values: Iterable[str]) -> list[Constituent]:
    """The parts of a claim that are these values, in its order."""
    words = _words_of(claim)
    kinds = {each.span: each.kind for each in _values(claim, words)}
    found: list[Constituent] = []
    for value in values:
        bare = value.strip().rstrip(".")
        span = next((each for each in kinds if each.of(claim).strip().rstrip(".") == bare), None)
        if span is None:
            at = claim.find(value)
            span = None if at < 0 else Span(at, at + len(value))
        if span is not None:
            kind = kinds.get(span, SpanKind.NUMBER)
            found.append(_part(claim, _trimmed(claim, span), kind, span, words.general[kind]))
    return sorted(found, key=lambda each: each.span.start)


def names_in(text: str) -> list[Span]:
    """Where the names of a text stand, with initials; of Hebrew, words in Latin letters."""
    found = []
    for each in _names(text, _words_of(text)):
        start = each.span.start
        initials = _INITIALS.search(text[max(0, start - MOST_BEFORE) : start])
        found.append(Span(start - (len(initials.group()) if initials else 0), each.span.end))
    return found


def small_words_by(claim: str, sentence: str) -> Iterator[tuple[Span, str]]:
    """Small words of a claim, each with one that a sentence has in its place.

    They say how many, how surely, or how two things stand. That they stand in one line of the
    tables says that one can take the place of the other. What the sentence has, too, stays. Of
    what denies only those count that stand for each other, as `with` and `without` do.
    """
    for kind, pattern, others in _words_of(claim).swaps:
        for match in pattern.finditer(claim):
            own = match["word"].casefold()
            if _has_word(sentence, own):
                continue
            given = {own, *others.get(own, ())}
            alike = [word for word, swapped in others.items() if not given.isdisjoint(swapped)]
            for word in dict.fromkeys((*others.get(own, ()), *alike)):
                if kind is SpanKind.NEGATION and own not in others.get(word, ()):
                    continue
                if word and _has_word(sentence, word) and not _has_word(claim, word):
                    yield Span(match.start("word"), match.end("word")), word


def _has_word(text: str, word: str) -> bool:
    """Whether a word is there; of Hebrew also behind the letters that are written with it."""
    before = "" if word.isascii() else "[ובלמשהכ]{0,2}"
    pattern = rf"(?<!\w){before}{re.escape(word)}(?!\w)"
    return re.search(pattern, text, re.IGNORECASE) is not None


_BEGINS = r"(?<!\w)(?<!\w['’׳״\"])"
"""Where a word begins, and not the rest of one with a mark in it: `d'Or`, `צ'כי`."""


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of one language by which parts are found.

    `swaps` are tried in place of what they match. `causes` begin a clause that goes on to the next
    comma; `phrases` begin one that goes on to the next of its like.
    """

    general: Mapping[SpanKind, str]
    swaps: tuple[tuple[SpanKind, re.Pattern[str], Mapping[str, tuple[str, ...]]], ...]
    causes: re.Pattern[str]
    phrases: re.Pattern[str]
    before_time: re.Pattern[str]
    names: re.Pattern[str]
    denied: re.Pattern[str] | None


def _swap(
    kind: SpanKind, table: str, prefix: str = ""
) -> tuple[SpanKind, re.Pattern[str], Mapping[str, tuple[str, ...]]]:
    """From lines `word, word > other / other`; `-` stands for nothing.

    With `=` in place of `>` the other way round holds, too.
    """
    others: dict[str, tuple[str, ...]] = {}
    for line in filter(None, (part.strip() for part in table.strip().splitlines())):
        left, sign, right = re.split(r"\s*([>=])\s*", line)
        names = [name.strip() for name in left.split(",")]
        given = tuple("" if other == "-" else other.strip() for other in right.split("/"))
        for name in names:
            others[name] = (*others.get(name, ()), *given)
        if sign == "=":
            for name in given:
                others[name] = (*others.get(name, ()), *names)
    longest = "|".join(map(re.escape, sorted(others, key=len, reverse=True)))
    # `May` is a month.
    longest = re.sub(r"\bmay\b", "(?-i:may)", longest)
    pattern = rf"{_BEGINS}{prefix}(?P<word>{longest})(?!\w)"
    return kind, re.compile(pattern, re.IGNORECASE), others


_NAME = re.compile(
    r"(?:(?<=\s)|(?<=[\"“(\[/-]))[A-Z][\w'’&.-]*\w(?:\s+(?:(?:of|the|de|van|von|der)\s+)?"
    r"[A-Z0-9][\w'’&.-]*\w)*|(?<!\S)(?:[A-Z]\.\s+)?[A-Z]\w+(?:\s+[A-Z]\w+)+|(?<!\S)--?[\w-]+"
)
_LATIN = re.compile(r"(?<![\w])[A-Za-z][\w.'&-]*(?:\s+[A-Za-z][\w.'&-]*)*")
_ENGLISH = _Words(
    general={
        SpanKind.NUMBER: "some",
        SpanKind.DATE: "some time",
        SpanKind.NAME: "something",
    },
    swaps=(
        _swap(
            SpanKind.NEGATION,
            """
            is not, isn't > is
            are not, aren't > are
            was not, wasn't > was
            were not, weren't > were
            cannot, can not, can't > can
            must not, may not > may
            will not, won't > will
            has not, hasn't > has
            have not, haven't > have
            do not, don't > do
            does not, doesn't > does
            did not, didn't > did
            not, no longer > -
            without = with
            still = no longer
            never > sometimes
            none > some
            no > some
            neither > both
            nor > or
            """,
        ),
        _swap(
            SpanKind.QUANTIFIER,
            """
            all, every, each, any, both, most, many, several > some
            always, usually, often > sometimes
            only, exactly, at least, at most, more than, less than, fewer than, up to > -
            at least = at most
            whole, entire > part of the
            everyone, everybody, anyone, anybody > someone
            everything, anything > something
            everywhere > somewhere
            completely, entirely, fully > partly
            few > many
            """,
        ),
        _swap(
            SpanKind.MODALITY,
            """
            must, has to, have to, shall > should / may
            should > may
            may, can, could, might > must
            is required, are required, is obliged, are obliged > is allowed
            is forbidden, are forbidden, is prohibited, are prohibited > should be avoided
            mandatory, compulsory > optional
            optional, voluntary > mandatory
            required > recommended
            recommended > required
            will > may
            definitely, certainly, surely > possibly
            already > not yet
            has been decided, was decided > is planned
            """,
        ),
        _swap(
            SpanKind.RELATION,
            """
            before = after
            more = less
            above = below
            higher = lower
            increased = decreased
            increase = decrease
            increases = decreases
            rose = fell
            rises = falls
            rise = fall
            grew = shrank
            gained = lost
            improved = worsened
            including = except
            larger = smaller
            longer = shorter
            earlier = later
            first = last
            second, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth > first
            upper = lower
            highest = lowest
            largest, biggest = smallest
            longest = shortest
            oldest = newest
            earliest = latest
            fastest = slowest
            faster = slower
            older = newer
            best = worst
            over = under
            inside = outside
            left = right
            start = end
            starts = ends
            same > different
            minimum = maximum
            north = south
            east = west
            cheaper = dearer
            buys = sells
            open = closed
            """,
        ),
    ),
    causes=re.compile(
        r"(?<!\w)(?:because(?: of)?|due to|owing to|thanks to|as a result of|in order to|so that"
        r"|so as to|since|for the reason that|which is why|which means that|caused by|on account of"
        r"|therefore|to (?:save|avoid|prevent|keep|make|allow|reduce|protect|ensure|help))(?!\w)",
        re.IGNORECASE,
    ),
    phrases=re.compile(
        _BEGINS + r"(?:(?:together|along|ahead|instead|apart|away|mainly|mostly|as well|thanks) )?"
        r"(?:in|on|at|by|for|from|to|with|within|without|until|since|during|through|under"
        r"|over|after|before|between|among|against|into|as|per|of|and|or|but|who|which|that|when"
        r"|where|while|if|whether|unless)(?!\w)",
        re.IGNORECASE,
    ),
    before_time=re.compile(
        r"(?:\b(?:in|on|at|by|from|since|until|before|after|around|as of)(?: the)?\s+)$",
        re.IGNORECASE,
    ),
    names=_NAME,
    denied=re.compile(
        r"\b(?P<word>is|are|was|were|has|have|had|can|could|will|would|(?-i:may)|must|should|does|do|did)"
        r"\b(?!\s+(?:not|n't|never|no)\b)(?P<then>(?:\s+(?:been|be|also))*\s+\w+)",
        re.IGNORECASE,
    ),
)

_HEBREW = _Words(
    general={
        SpanKind.NUMBER: "כמה",
        SpanKind.DATE: "זמן כלשהו",
        SpanKind.NAME: "משהו",
    },
    swaps=(
        _swap(
            SpanKind.NEGATION,
            """
            לא, אינו, אינה, אינם, אינן, איננו, איננה, אל > -
            אין = יש
            בלי, ללא = עם
            מעולם, לעולם > לפעמים
            """,
            "ו?ש?",
        ),
        _swap(
            SpanKind.QUANTIFIER,
            """
            כל, רוב, מרבית > חלק מ
            כולם, כולן > חלקם
            תמיד, בדרך כלל > לפעמים
            רק, בלבד, אך ורק, לפחות, לכל היותר, לכל הפחות, עד, יותר מ > -
            לגמרי, לחלוטין > חלקית
            כמה > רבים
            שניהם, שתיהן > אחד מהם
            """,
            "[ובלמש]{0,2}",
        ),
        _swap(
            SpanKind.MODALITY,
            """
            חייב, חייבת, צריך, צריכה > רשאי
            חייבים, חייבות, צריכים, צריכות > רשאים
            יש > אפשר
            אפשר, ניתן, מותר > אסור / חובה
            אסור > מותר / לא מומלץ
            רשאי, רשאית, יכול, יכולה > חייב
            רשאים, רשאיות, יכולים, יכולות > חייבים
            מומלץ > חובה
            חובה > מומלץ
            כבר > עדיין לא
            בוודאי, בהכרח > אולי
            """,
            "ו?ש?ה?",
        ),
        _swap(
            SpanKind.RELATION,
            """
            לפני = אחרי
            לאחר > לפני
            יותר = פחות
            מעל = מתחת
            עלה = ירד
            עלתה = ירדה
            עלו = ירדו
            גדל = קטן
            גדול = קטן
            גדולה = קטנה
            גבוה = נמוך
            גבוהה = נמוכה
            ארוך = קצר
            ארוכה = קצרה
            גדלה = קטנה
            זול = יקר
            זולה = יקרה
            מוקדם = מאוחר
            עליון = תחתון
            עליונה = תחתונה
            צפון = דרום
            מזרח = מערב
            ימין = שמאל
            כולל = למעט
            ראשון = אחרון
            ראשונה = אחרונה
            שני, שלישי, רביעי, חמישי, שישי, שביעי, שמיני > ראשון
            שנייה, שלישית, רביעית, חמישית, שישית, שביעית > ראשונה
            צפונית = דרומית
            מזרחית = מערבית
            בתוך = מחוץ
            פתוח = סגור
            השתפר = הורע
            """,
            "[ובלמשה]{0,2}",
        ),
    ),
    causes=re.compile(
        r"(?<!\w)ו?(?:בגלל|כדי|על מנת|מפני ש|משום ש|מכיוון ש|כיוון ש|מאחר ש|עקב|בשל|הודות ל|לכן"
        r"|כתוצאה מ|מסיבה|בעקבות|לשם|כי(?!\w))",
    ),
    phrases=re.compile(
        _BEGINS + r"(?:ו?(?:של|על|עם|בלי|ללא|בין|אצל|לפי|במשך|לאחר|לפני|אחרי|תחת|מול|עד|אם|כאשר|או"
        r"|אבל|בתוך|מתוך|דרך|אך)|ש\w{3,}|ו\w{3,}|ב\w{3,}|ל\w{3,}|מ\w{4,})(?!\w)",
    ),
    before_time=re.compile(r"(?:(?<!\w)(?:ב|ל|מ|עד|מאז|לפני|אחרי)-?\s*)$"),
    names=_LATIN,
    denied=None,
)

_NO_ENTITY = "".join(f"(?<!&{name})" for name in ("amp", "lt", "gt", "nbsp", "quot", "apos", "#39"))
"""Before a semicolon that is a mark, and not the end of `&nbsp;`."""
_SET_OFF = re.compile(rf"\([^()]*\)|\[[^\[\]]*\]|(?:[,:\u2013\u2014،、，；]|{_NO_ENTITY};)(?!\d)")
_COMMA = re.compile(rf",|{_NO_ENTITY};")
_END = re.compile(r"[.!?…]*\s*$")
_ITEM = re.compile(r"\s*(?:\(\w{1,3}\)|\d+(?:\.\d+)*[.)]?|[a-zA-Z][.)])\s+")
"""The number of a section or an item, behind which each first word has a capital."""
_INITIALS = re.compile(r"(?<!\w)(?:[A-Z]\.\s?)+$")
_TITLES = re.compile(r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof)\.?\s+)$")


def _words_of(claim: str) -> _Words:
    return _HEBREW if language_of(claim) == "he" else _ENGLISH


def _parts(claim: str, words: _Words) -> Iterator[Constituent]:
    values = list(_values(claim, words))
    yield from values
    for kind, pattern, others in words.swaps:
        for match in pattern.finditer(claim):
            span = Span(match.start("word"), match.end("word"))
            for other in others.get(match["word"].casefold(), ()):
                yield _part(claim, span, kind, span, other)
    if words.denied is not None:
        for match in words.denied.finditer(claim):
            verb = Span(match.start("word"), match.end("word"))
            word = match["word"]
            denial = f"{word}not" if word.casefold() == "can" else f"{word} not"
            yield _part(claim, Span(*match.span()), SpanKind.NEGATION, verb, denial)
    for span in _clauses(claim, words.causes):
        yield _part(claim, span, SpanKind.CAUSE, span)
    for name in _names(claim, words):
        if not any(name.span.overlaps(value.span) for value in values):
            yield name
    for span in _set_off(claim):
        yield _part(claim, _trimmed(claim, span), SpanKind.DETAIL, span)
    cuts = [each.span for each in values]
    for span in _phrases(claim, words.phrases):
        if not any(each.start <= span.start < each.end for each in cuts):
            yield _part(claim, span, SpanKind.DETAIL, span)


def _values(claim: str, words: _Words) -> Iterator[Constituent]:
    plain = folded(claim)
    times = [span for span, _ in find_dates(plain)]
    times += [each.span for each in find_times(plain)] + [e.span for e in find_decades(plain)]
    for found in times:
        # At its end the full stop is that of the claim, too.
        ends = found.end >= len(claim.rstrip())
        span = Span(found.start, found.start + len(found.of(claim).rstrip("." if ends else "")))
        before = words.before_time.search(claim[max(0, span.start - MOST_BEFORE) : span.start])
        cut = Span(span.start - (0 if before is None else len(before.group())), span.end)
        general = "" if before is not None else words.general[SpanKind.DATE]
        yield _part(claim, _trimmed(claim, span), SpanKind.DATE, cut, general)
    for figure in find_figures(claim):
        span = figure.span
        if any(span.overlaps(other) for other in times):
            continue
        is_year = re.fullmatch(r"1\d{3}|20\d{2}", span.of(claim)) is not None
        kind = SpanKind.DATE if is_year else SpanKind.NUMBER
        yield _part(claim, _trimmed(claim, span), kind, span, f" {words.general[kind]} ")


def _names(claim: str, words: _Words) -> Iterator[Constituent]:
    for match in words.names.finditer(claim):
        begins = _ITEM.fullmatch(claim[: match.start()]) and match.group().isalpha()
        if begins or match.group().casefold() in STOP_WORDS:
            continue
        title = _TITLES.search(claim[max(0, match.start() - MOST_BEFORE) : match.start()])
        start = match.start() - (0 if title is None else len(title.group()))
        span = Span(start, match.end())
        general = words.general[SpanKind.NAME]
        yield _part(claim, span, SpanKind.NAME, span, general)


def _clauses(claim: str, begins: re.Pattern[str]) -> Iterator[Span]:
    """From each of what begins one to the next comma, or to the end without its mark."""
    for match in begins.finditer(claim):
        comma = _COMMA.search(claim, match.end())
        end = _body_end(claim) if comma is None else comma.start()
        start = match.start()
        if not claim[:start].strip() and comma is not None:
            end = comma.end()
        yield _trimmed(claim, Span(start, end))


def _set_off(claim: str) -> Iterator[Span]:
    """What brackets hold, and what stands between two commas, or behind the last one."""
    marks = list(_SET_OFF.finditer(claim))
    for match in marks:
        if match.end() - match.start() > 1:
            yield Span(*match.span())
    edges = [match.start() for match in marks if match.end() - match.start() == 1]
    for start, end in pairwise((*edges, _body_end(claim))):
        yield Span(start, end)


def _phrases(claim: str, begins: re.Pattern[str]) -> Iterator[Span]:
    """From each of what begins one to the next comma or the next of its like."""
    starts = [match.start() for match in begins.finditer(claim)]
    stops = sorted({*starts, *(m.start() for m in _SET_OFF.finditer(claim)), _body_end(claim)})
    for start in reversed(starts):
        end = next((stop for stop in stops if stop > start), _body_end(claim))
        span = _trimmed(claim, Span(start, end))
        if 1 < len(span.of(claim).split()) <= MOST_PHRASE_WORDS:
            yield span


def _body_end(claim: str) -> int:
    match = _END.search(claim)
    return len(claim) if match is None else match.start()


def _trimmed(claim: str, span: Span) -> Span:
    """The span without the blanks and commas around it."""
    words = span.of(claim)
    start = span.start + len(words) - len(words.lstrip(" ,;:\u2013\u2014\t\n"))
    end = span.end - (len(words) - len(words.rstrip(" ,;:\t\n")))
    return Span(start, end) if start < end else span


def _part(claim: str, span: Span, kind: SpanKind, cut: Span, other: str = "") -> Constituent:
    return Constituent(span, kind, cut, other, _tidy(put(claim, cut, other)))


def put(text: str, span: Span, other: str) -> str:
    """The text with other words in place of a span."""
    return text[: span.start] + other + text[span.end :]


def _tidy(text: str) -> str:
    """The text without what cutting leaves: doubled blanks, and marks behind a blank."""
    joined = re.sub(r"\s+([,;:.!?…])", r"\1", " ".join(text.split()))
    return re.sub(r"^[,;:]\s*|([,;:])(?=[,;:.!?…])", "", joined)

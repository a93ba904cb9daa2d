"""The numbers of a text, each with its place, its unit, and how exactly it is written.

Dates, decades, times, ordinals, and the numbers of names are no figures. Fast, since whole
responses and results are looked through. Does not compare figures.
"""

import math
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.text.claims.wording.sentence import word_set
from groundwire_verifier.text.quantities.dates import MONTHS, find_dates
from groundwire_verifier.text.quantities.decades import find_decades
from groundwire_verifier.text.quantities.number_words import (
    AND,
    FRENCH_HUNDREDS,
    HAN_DIGITS,
    HEBREW_AND,
    HEBREW_PREFIXES,
    MULTIPLIERS,
    NUMBER_WORDS,
    PARTS,
    TWELVE_BEGINS,
    read_amount,
    read_han,
)
from groundwire_verifier.text.quantities.times import find_times
from groundwire_verifier.text.quantities.units import (
    ALONE,
    CURRENCIES,
    DOLLARS,
    DUALS,
    TWO_WORDS,
    UNITS,
    WORDS_LIKE_UNITS,
    Unit,
)

MAX_DIGITS = 15
"""A longer run of digits is an id of something, and no figure."""

YEARS = range(1000, 2200)
"""A number of these without a unit and a comma is a year: 2020 does not stand for 2019."""

SCALES = {
    name: scale
    for names, scale in (
        ("hundred מאות", 1e2),
        ("thousand thousands k אלף אלפים", 1e3),
        ("million millions mn mln מיליון מיליונים", 1e6),
        ("billion billions bn מיליארד מיליארדים", 1e9),
        ("trillion trillions tn טריליון", 1e12),
        ("dozen תריסר", 12.0),
        ("lakh lakhs", 1e5),
        ("crore crores", 1e7),
        ("tausend mille mila mil duizend тыс тысяч тысячи ألف آلاف", 1e3),
        ("mio millionen millón millones milione milioni milhão milhões miljoen млн миллион", 1e6),
        ("миллиона миллионов مليون ملايين", 1e6),
        ("mrd milliarde milliarden milliard milliards miliardo miliardi bilhão bilhões", 1e9),
        ("miljard млрд миллиард миллиарда миллиардов مليار", 1e9),
        ("万 萬", 1e4),
        ("亿 億", 1e8),
    )
    for name in names.split()
}
"""What multiplies the number before it, wherever it stands."""
_MONEY_SCALES = {"m": 1e6, "mm": 1e6, "b": 1e9, "t": 1e12}
"""What does so of money only."""
_SCALE_BEHIND = re.compile(
    rf"[$€£₪¥₹]?[\d.,]+ ?(?P<name>{'|'.join([*SCALES, *_MONEY_SCALES])})(?!\w)"
)
_MYRIADS = frozenset("万萬億亿")
_MAY_BE_SCALES = frozenset("mb")
"""Without money, `5m` and `5B` can be both."""
_LENGTHWISE = word_set(
    "long wide high tall deep thick apart away above below square cubic race sprint"
)
"""Behind `5 m` they say that it is metres."""
_LETTERS = {"c": UNITS["°c"], "f": UNITS["°f"], "w": UNITS["watt"], "v": UNITS["volt"]}
"""Units where they are capitals and stand at a number: `12C`, `230 V`."""

_DEGREES = UNITS["°"]
_TEMPERATURES = frozenset({UNITS["°c"], UNITS["°f"]})
_CURRENCIES = "|".join(
    re.escape(name)
    for name in sorted(UNITS, key=len, reverse=True)
    if UNITS[name].is_currency and name.isascii() and len(name) == len("usd")
)
HAN_AND_KANA = "\u3040-\u30ff\u3400-\u9fff"
"""Letters of scripts that part no words: `期限为60天`."""
_UNPARTED_UNITS = (name for name in UNITS if re.match(f"[{HAN_AND_KANA}]", name))
_UNPARTED = rf"(?!{'|'.join(WORDS_LIKE_UNITS.split())})"
_UNPARTED += rf"(?:{'|'.join(sorted(_UNPARTED_UNITS, key=len, reverse=True))})"
_WORD = r"[^\W\d_]+(?:['\"][^\W\d_]+)?"
_COUNTRIES = "|".join(sorted((name[:-1] for name in UNITS if name[1:].endswith("$")), key=len))
_NO_SIGN = rf"(?!(?:{_COUNTRIES})\$\s?\d)"
"""The sign of the number behind it is no word behind the one before it: `5 and NT$ 300`."""
_TWO_WORD_COUNTRIES = "|".join(country for country in DOLLARS if " " in country)
_UNIT = rf"(?:{_COUNTRIES})\$(?!\w)|"
_UNIT += rf"[cdkm]?m[23](?!\w)|°\s?[cf](?!\w)|°|[%¢₽]|[$€£₪¥₹](?!\d)|[万萬億亿]|{_UNPARTED}"
_UNIT += rf"|(?:{_TWO_WORD_COUNTRIES})(?!\w)|{_NO_SIGN}{_WORD}"
_VULGAR = "½¼¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_NO_BREAK = "\u00a0\u2009\u202f"
"""Spaces that stand inside of a number, or between it and its unit."""
_GROUPS = (
    # 1,250.50 and 12,50,000; 1.250,50; 1'250.50; 1 250,50. A longer row of numbers with plain
    # spaces is one of a table.
    r"[1-9]\d{0,2}(?:,\d{3})+(?!\d)(?:\.\d+)?"
    r"|(?<!\d,)[1-9]\d?(?:,\d{2}){1,4},\d{3}(?![\d,])(?:\.\d+)?"
    r"|[1-9]\d{0,2}(?:\.\d{3})+,\d+|[1-9]\d{0,2}(?:\.\d{3}){2,}(?![\d.]\d)"
    r"|[1-9]\d{0,2}(?:'\d{3})+(?!\d)(?:[.,]\d{1,2}(?!\d))?"
    rf"|[1-9]\d{{0,2}}(?:[{_NO_BREAK}]\d{{3}})+(?!\d)(?:[.,]\d{{1,2}}(?!\d))?"
    r"|(?<!\d )[1-9]\d{0,2}(?: \d{3}){1,4}(?!\d| \d)(?:[.,]\d{1,2}(?!\d))?"
)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_POWERS = (
    # `3 x 10^6`, `10⁶`, `1.5e3`.
    r"(?:\d+(?:\.\d+|,\d{1,2})?\s?[x×*·]\s?)?10\^-?\d{1,2}(?![\w.])"
    r"|\d+(?:\.\d+|,\d{1,2})?\s?[x×*·]\s?10⁻?[⁰¹²³⁴-⁹]{1,2}"
    r"|10(?:⁻?(?:[⁴-⁹]|[¹²³⁴-⁹][⁰¹²³⁴-⁹])|⁻[¹²³]|[²³])(?![⁰¹²³⁴-⁹])|\d+(?:\.\d+)?e[+-]?\d{1,2}(?!\w)"
)
_MAY_BE_NOTED = frozenset({"10²", "10³"})
"""A power, or a 10 with a note."""
_HAS_POWER = re.compile("[e^⁰¹²³⁴-⁹]")
_POWER = re.compile(
    r"(?P<base>-?[\d.]*?)\s?(?:[x×*·]\s?)?(?:10\^?(?P<of_ten>-?\d+)|e(?P<exponent>[+-]?\d+))"
)
_PART_BEHIND, _PART_BEFORE = re.compile(r":\d"), re.compile(r"\d:")
_MINUTES = re.compile(
    r"(?:[0-5]\dm?| ?[0-5]?\d ?m)(?!\w)| [0-5]\d(?= ?(?:[.;!?)](?!\d)|,(?!\d)|\Z))"
)
"""Behind hours, as in `1h30`, `1h 30m`, and at an end `1 h 30`."""
_MOST_PENCE_DIGITS = 2
_MINUS = re.compile(rf"(?<!\d )(?<![^\W\d_])[{HEBREW_PREFIXES}]?-?(?:minus|מינוס) $")
_MINUS_CHARACTERS = 12
_BELOW_ZERO = re.compile(
    r"(?: degrees?)? below (?:zero|freezing)(?: (?P<scale>celsius|fahrenheit))?(?!\w)"
    r"| מתחת לאפס(?!\w)"
)
_GOES_ON = re.compile(r" ?|,? and |, | ו-?")
"""Between the parts of an amount in two units: `1 hour 30 minutes`."""
_CENTS = range(10, 100)
_ENDS = re.compile(
    r"\s*\Z|[.,;:!?)](?!\d)| (?:for|per|an?|each|and|or|in|on|at|to|by|with|every|plus|is)(?!\w)"
)
"""Behind a number that counts nothing."""
_TO = frozenset({"-", " - ", " to ", " עד ", " bis ", " à ", " a "})
_PLAIN_GAPS = frozenset({"", " "})
_IN_TWO_UNITS = frozenset({"time", "months", "length", "mass", "volume"}) | CURRENCIES
_SOLD_IN_PACKS = frozenset({"mass", "volume"})
"""`1 kg and 500 g` of it are two amounts."""
_DECIMAL_COMMA = r"(?<!\d,)(?:\d+,(?:\d{1,2}|\d{4,})|0,\d{3})(?![\d,]\d)(?!\d)"
_POINT_GROUP = re.compile(r"-?[1-9]\d{0,2}\.\d{3}")
"""`1.250` can be one and a quarter, or one thousand two hundred and fifty."""
_COMMA_GROUPS = re.compile(r"-?[1-9]\d{0,2}(?:,\d{2,3})*,\d{3}")
_SPACES = f" {_NO_BREAK}"
_GAPS = re.compile(rf"[{_SPACES}]")
_GAP = f"[ {_NO_BREAK}-]"
_FILL = "\u2060"
"""A joiner of words, which has no width: stands where the marks of mathematics were."""
_MATH = re.compile(
    r"(?<![-\w$\\])(?:\$|\\\()(?P<number>-?\d(?:[\d.,]|\{,\}|\\,(?=\d)){0,20}"
    r"(?: ?\\(?:times|cdot) ?10\^\{?-?\d{1,2}\}?)?)"
    r"(?:(?P<gap>(?:\\[,;: ]|[~ ])?\\(?:mathrm|text|mbox)\{ ?|\\(?=%))"
    r"(?P<unit>[^{}$\\\n]{1,20})\}?)?"
    r"(?:\$(?![\w$])|\\\))"
)
"""`$440$`, `$440\\,\\mathrm{m}$` and `\\(1{,}440\\)` are numbers of mathematics, no dollars."""
_IN_MATH = {"{,}": ",", "\\,": "\u202f", "\\times": "x", "\\cdot": "x", "{": "", "}": ""}
"""What a number of mathematics is written with, and the same in plain text."""
_BEHIND = (
    rf"(?P<unit>{_UNIT})"
    rf"(?:\.?[ -](?:d[ei] |d')?(?P<then>{_NO_SIGN}{_WORD})"
    rf"|\.?[ ]?(?P<then_sign>[$€£₪¥₹]|{_UNPARTED})(?!\s?\d))?"
)
_FIGURE = re.compile(
    rf"(?:(?P<sign>[$€£₪¥₹]|(?<!\w)(?:rs\.?|(?:{_COUNTRIES})\$))\s?|(?<!\w)(?P<code>{_CURRENCIES})\s)?"
    rf"(?P<number>(?:(?<![\w)])(?<!\d[%$€£₪¥₹])(?<!\d\s[%$€£₪¥₹])-)?(?<![\d.])(?<![^\W{HAN_AND_KANA}])(?<!\d')(?:{_POWERS}|{_GROUPS}|{_DECIMAL_COMMA}|\d+(?:\.\d+)?)"
    rf"|(?=[{_VULGAR}]))"
    rf"(?P<part> and a half(?!\w)| וחצי(?!\w)|[ -]?[{_VULGAR}]|[ -][1-9]/(?:\d|1\d)(?![\d/.,])"
    rf"|/(?:[1-9]|1\d|20)(?![\d/.\w]))?(?:{_FILL}{{0,24}}(?:{_GAP}{_FILL}{{0,12}})?{_BEHIND})?"
)
_ORDINAL = re.compile(r"(?:st|nd|rd|th)(?!\w)")
_NAME_BEFORE = re.compile(r"(?P<word>[A-Za-z][A-Za-z\d]{0,19})(?:-\d[\d.]{0,5})?-$")
_NAME_CHARACTERS = 28
_ALWAYS = "24/7"
_BEFORE_NOUN = "שני"
"""Two before its noun, and the second behind it."""
_NOUN_BEHIND = re.compile(r"[\s\u05be\"'\u201c\u201e(*_-]{1,4}\w")
_DAY_BEFORE = re.compile(
    r"(?<!\w)[ובלמהכש]{0,3}(?:יום|ימי|ימים) (?:ו?(?:ראשון|שלישי|רביעי|חמישי|שישי|שבת),? ){0,3}$"
)
_NO_NAMES = word_set("pre post mid sub non early late circa under over top") | frozenset(MONTHS)
"""In front of a hyphen and a number they make no name."""
_NAME_BEHIND = re.compile(r"-[A-Z]{1,2}(?![\w$])|[GD](?!\w)|\([a-z]\)|\.\d")
"""Right behind digits they make a name: `10-K`, `5G`, `3D`, `401(k)`, `1.2.3`."""
_NUMBER_WORD = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
_NUMBER_WORD += rf"|{TWELVE_BEGINS}(?=[ -]עשר(?!\w))"
_NUMBER_WORD += rf"|(?:{'|'.join(f'(?<={word} )' for word in FRENCH_HUNDREDS)})cents?"
_PART = rf"(?:{'|'.join(PARTS)})[ -](?:of )?(?:an? )?(?=(?:{'|'.join(MULTIPLIERS)})(?!\w))"
_IN_WORDS = re.compile(
    rf"(?<![^\W\d_])(?P<prefix>[{HEBREW_PREFIXES}]{{0,2}})"
    rf"(?P<number>(?:{_PART})?(?:{_NUMBER_WORD})"
    rf"(?:[ -](?:(?:{'|'.join(sorted(AND))}) (?:an? )?|{HEBREW_AND})?(?:{_NUMBER_WORD})(?!\w)"
    r"| and a half| וחצי){0,8}+)(?!\w)"
    # `treinta y uno` is not thirty, nor is `deux cent quatre-vingts` 204.
    r"(?![ -](?:vingts|(?:y|e|et) (?:une?|uno|uma?|onze))(?!\w))"
    # What is behind is looked at only: it can be the next number.
    rf"(?=(?:{_GAP}{_BEHIND})?)"
)
_OTHER_HUNDREDS = re.compile(
    r"(?<!\w)(?:cien|cent|mil|mille|\w{0,9}(?:cient|cent|zent|nient|nhent)[oa]s?)(?: (?:y|e|et))? $"
)
"""Before a number they begin one that is not read: `ciento treinta y dos`."""
_OTHER_HUNDREDS_CHARACTERS = 20
_HAN_NUMBER = re.compile(rf"(?P<number>[{HAN_DIGITS}]+)(?P<unit>{_UNPARTED})?")
_HALF_OF = re.compile(
    r"(?<!\w)(?<!and )(?<!and a )(?:(?P<half>half|חצי)|(?P<quarter>a quarter|quarter|רבע)"
    r"|three quarters)"
    rf" (?:of )?(?:an? )?(?P<unit>{_WORD})"
)
"""`half an hour`, `a quarter of a litre`."""
_ALONE = "|".join(
    name for name in ALONE if name.isascii() and name.isalpha() and len(name) > len("mm")
)
_SINGLE = "שעה|שנה|יום|שבוע|חודש|דקה|קילו|ליטר|מטר|קילומטר|טון"
_ONE_OF_UNIT = re.compile(
    rf"(?<!\w)(?:(?P<article>an?|one) (?P<unit>{_ALONE})(?P<half> and a half)?"
    rf"|[{HEBREW_PREFIXES}]{{0,2}}(?:(?P<dual>{'|'.join(DUALS)})|(?P<single>{_SINGLE})(?= ו))"
    r"(?P<more> וחצי| ורבע)?)(?!\w)"
)
"""`an hour`, `a year and a half`, `שעתיים`, `שעה וחצי`."""
_BELOW = {
    name: below
    for below, names in enumerate(
        (
            "half halves חצי מחצית", "third thirds שליש שלישים שלישי",
            "quarter quarters fourth fourths רבע רבעים רבעי", "fifth fifths חמישית חמישיות",
            "sixth sixths שישית שישיות", "seventh sevenths שביעית שביעיות",
            "eighth eighths שמינית שמיניות", "ninth ninths תשיעית תשיעיות",
            "tenth tenths עשירית עשיריות",
        ),
        start=2,
    )
    for name in names.split()
}  # fmt: skip
_BARE_SHARES = frozenset({"half", "חצי", "מחצית", "שליש", "רבע", "חמישית", "עשירית"})
"""They need no number before them."""
_SMALL = {word: read_amount([word])[0] for word in NUMBER_WORDS if word not in MULTIPLIERS}
_SMALL |= {"a": Fraction(1), "an": Fraction(1)}
_MOST_OF_SHARE = 10
_FOLD = re.compile(
    rf"(?<!\w)(?:(?P<number>{'|'.join(w for w in _SMALL if w.isascii() and len(w) > len('an'))})"
    r"-?fold|(?P<verb>doubl|tripl|quadrupl)(?:ed|ing))(?!\w)"
)
"""`threefold`, `tripled`: `3-fold`."""
_FOLD_VERBS = {"doubl": 2, "tripl": 3, "quadrupl": 4}
_SMALL_WORD = "|".join(
    sorted((w for w in _SMALL if 0 < _SMALL[w] <= _MOST_OF_SHARE), key=len, reverse=True)
)
_SHARE = re.compile(
    rf"(?<!\w)(?<!\band a )(?<!first )(?<!second )(?<!last )(?<!latter )[בלמשהכ]{{0,2}}"
    rf"(?:(?:(?P<above>{_SMALL_WORD}|\d)[ -])?(?P<below>{'|'.join(_BELOW)})"
    rf"|(?P<few>{_SMALL_WORD}|\d{{1,2}})(?: in| out of| מכל| מתוך) (?:every )?"
    rf"(?P<many>{_SMALL_WORD}|\d{{1,3}}))(?![\w/])"
    rf"(?! (?:of )?(?:an? )?(?:{'|'.join(sorted(MULTIPLIERS))})(?!\w))"
)
"""`half`, `two thirds`, `one in five`, `מחצית`, `שני שלישים`."""
_RATES = {
    **dict.fromkeys(
        ("km", "kms", "kilometres", "kilometers", 'ק"מ', "קילומטר", "קילומטרים"), "kmh"
    ),
    **dict.fromkeys(("miles", "mile", "מייל"), "mph"),
    **dict.fromkeys(("m", "metres", "meters", "מטר", "מטרים"), "mps"),
}
_HOURLY = frozenset(name for name, unit in _RATES.items() if unit != "mps")
_RATE = re.compile(
    r"\s?(?:/|per |an? |each |לכל |[לב])\s?"
    r"(?:(?P<hour>h(?:our|r)?|שעה)|s(?:ec|econd)?|שנייה|שניה)(?!\w)"
)
"""What makes a speed of a length: `18 km/h`, `90 kilometres an hour`, `70 ק"מ לשעה`."""
_OF_A_WHOLE = re.compile(
    r" (?:of (?!(?:an?|the|each|every|this|last|next) "
    r"(?:hour|day|week|month|year|decade|century|season|game|match)\b|\d)"
    r"|(?:the|its|their|his|her|our|all) |מ|מן |ה(?!שנה|חודש|יום|שבוע|מאה|עונה|משחק))"
)
_WORD_BEHIND = re.compile(rf" (?P<word>{_WORD})")
_ABOUT = re.compile(
    r"(?:(?:about|around|roughly|nearly|almost|over|under|than|least|most|to|some|approximately|"
    r"just|other|the|every|כמעט|בערך|לפחות|מעל|עד|יותר מ-?|פחות מ-?) |(?<!\w)כ-?|מ-?)$"
)
_ABOUT_CHARACTERS = len("approximately ")
_MOST_PARTS, _THIRD_DECIMALS = 20, 2
_WORDS = re.compile(r"[^ -]+")
_ARTICLES = frozenset({"a", "an", "of"})
_VAGUE = frozenset({"thousands", "מאות", "אלפים"})
"""They say how great a number is, and not which: `thousands came`, `מאות אלפים`."""
_VAGUE_BEFORE = re.compile(
    r"(?:\b(?:few|several|many|half|quarters?|thirds?|tens|dozens|hundreds|thousands)"
    r"|(?<!\w)(?:כמה|מספר|חצי|רבע|רבעי|עשרות|מאות|אלפי))(?: of)?(?: an?)? $"
)
"""Before `million`, it is not one million."""
_VAGUE_CHARACTERS = 20
_CENTURY_WORD, _CENTURY_PREFIXES = "מאה", frozenset("בלמ")
"""`במאה` is in a century, or for a hundred: a number with its unit only."""
_DEFINITE = "ה"
"""Before a number it makes an ordinal: `העשרים`."""
_FOLDED = str.maketrans(
    "\u2019\u2018\u05f3\u05f4\u201d\u201c\u2212\u2013\u2014\u05be\u066a\u066b\u066c",
    "'''\"\"\"----%.,",
)
# Digits of Arabic, Persian, Hindi and Bengali.
_FOLDED |= {
    zero + digit: ord("0") + digit for zero in (0x660, 0x6F0, 0x966, 0x9E6) for digit in range(10)
}


@dataclass(frozen=True, slots=True)
class Figure:
    """A number as it is written: `12 °C`, `$1,000`, `two metres`.

    `decimals` are the digits behind its point, `zeros` those at the end of a whole number: 3 of
    1000. `span` is where it stands, with its unit. `others` is what else can be meant: `5m` is 5
    metres or 5 million.
    """

    magnitude: float
    decimals: int
    zeros: int
    unit: Unit | None
    span: Span
    others: tuple["Figure", ...] = ()

    @property
    def readings(self) -> tuple["Figure", ...]:
        """It, and what else can be meant."""
        return self, *self.others


def find_figures(text: str, least_bare_word: int | None = None) -> Iterator[Figure]:
    """The figures of a text in their order.

    A number in words without a unit counts from `least_bare_word` on, and never if that is None:
    `one of them` is no amount. `An hour` and a bare `half` do where one does.
    """
    written = folded(text)
    plain = _MATH.sub(_without_marks, written)
    others = [
        spans
        for spans in (
            [decade.span for decade in find_decades(plain)],
            [time.span for time in find_times(plain)],
            [span for span, _ in find_dates(plain)],
        )
        if spans
    ]
    maths = [] if plain == written else [Span(*each.span()) for each in _MATH.finditer(written)]
    least = math.inf if least_bare_word is None else least_bare_word
    units = list(_of_units(plain))
    single = {figure for figure in units if figure.magnitude == 1.0}
    found: list[Figure] = []
    # `million` behind digits is a part of theirs.
    for figures in (
        units,
        _shares(plain) if least <= 1 else _shares_of_a_whole(plain) if least < math.inf else (),
        _all_in_digits(text, plain),
        (each for each in _folds(plain) if each.magnitude >= least),
        (each for each in _in_han(plain) if each.unit or each.magnitude >= least),
        (each for each in _in_words(text, plain) if each.unit or each.magnitude >= least),
    ):
        spans = [*others, sorted((each.span for each in found), key=lambda span: span.start)]
        found += [each for each in figures if not any(is_within(each.span, s) for s in spans)]
    found = [_signed(each, plain) for each in sorted(found, key=lambda each: each.span.start)]
    for figure in _put_together(found, plain):
        if least <= 1 or figure not in single:
            yield _with_others(replace(figure, span=_whole(figure.span, maths)), plain)


def _whole(span: Span, maths: Sequence[Span]) -> Span:
    """The place of a figure with the marks of mathematics that it stands in."""
    at = bisect_right(maths, span.start, key=lambda each: each.start) - 1
    is_in = at >= 0 and span.start < maths[at].end
    return Span(maths[at].start, max(span.end, maths[at].end)) if is_in else span


def _with_others(figure: Figure, plain: str) -> Figure:
    """A figure in pounds, which are a weight, too, or in dollars, which may be of any country."""
    if figure.unit == UNITS["$"] and "us" not in figure.span.of(plain):
        more = (replace(figure, unit=Unit(each), others=()) for each in DOLLARS)
        return replace(figure, others=(*figure.others, *more))
    if figure.unit != UNITS["pounds"] or "pound" not in figure.span.of(plain):
        return figure
    return replace(figure, others=(*figure.others, replace(figure, unit=UNITS["lb"], others=())))


def is_within(span: Span, others: Sequence[Span]) -> bool:
    """Whether it begins in one of the others, which are in order and do not overlap."""
    at = bisect_right(others, span.start, key=lambda other: other.start)
    return at > 0 and span.start < others[at - 1].end


def is_year(written: str) -> bool:
    """Whether a number that is written so is one of YEARS."""
    return written.isdecimal() and len(written) == len("2026") and int(written) in YEARS


def folded(text: str) -> str:
    """A text in lower case with plain quotes and dashes; each character stays where it is."""
    plain = text.translate(_FOLDED)
    lower = plain.lower()
    if len(lower) == len(plain):
        return lower
    return "".join(low if len(low := c.lower()) == 1 else c for c in plain)


def _without_marks(math: re.Match[str]) -> str:
    """A number of mathematics with its unit, each at its place."""
    opens = _FILL * (math.start("number") - math.start())
    gap = _FILL * len(math["gap"] or "")
    number = math["number"]
    for written, plain in _IN_MATH.items():
        number = number.replace(written, plain)
    kept = opens + number + gap + (math["unit"] or "")
    return kept + _FILL * (len(math.group()) - len(kept))


def figure_of(number: str, unit: Unit | None = None, span: Span = Span(0, 0)) -> Figure | None:  # noqa: B008 - frozen
    """The figure of a number in digits, perhaps with commas; None for what is none."""
    plain = number.replace(",", "")
    whole, _, decimals = plain.partition(".")
    if not 0 < len(plain) <= MAX_DIGITS or not whole.removeprefix("-").isdecimal():
        return None
    if decimals and not decimals.isdecimal():
        return None
    return Figure(float(plain), len(decimals), 0 if decimals else _zeros(whole), unit, span)


def _all_in_digits(text: str, plain: str) -> Iterator[Figure]:
    end = 0
    for match in _FIGURE.finditer(plain):
        number = Span(*match.span("number"))
        is_taken = number.start < end
        if is_taken or _is_of_name(text, number) or _ORDINAL.match(plain, number.end):
            continue
        figure = _in_digits(text, match)
        if figure is not None:
            end = figure.span.end
            yield figure


def _of_units(plain: str) -> Iterator[Figure]:
    """Units that are one or two by themselves, and what is added to them."""
    for match in _ONE_OF_UNIT.finditer(plain):
        more = 0.25 if match["more"] == " ורבע" else 0.5 if match["more"] or match["half"] else 0.0
        if match["article"] == "one" and not more:
            continue
        name = match["unit"] or match["single"]
        unit = UNITS[name] if name else DUALS[match["dual"]]
        decimals = 2 if match["more"] == " ורבע" else 1 if more else 0
        start = next(match.start(each) for each in ("article", "single", "dual") if match[each])
        yield Figure((1 if name else 2) + more, decimals, 0, unit, Span(start, match.end()))


def _shares(plain: str) -> Iterator[Figure]:
    """Shares in words, as percent, and as what else they can be."""
    for match in _SHARE.finditer(plain):
        start = next(match.start(name) for name in ("few", "above", "below") if match[name])
        of_unit = _HALF_OF.match(plain, start)
        if of_unit is not None and of_unit["unit"] in UNITS:
            continue
        if not (match["above"] or match["few"] or match["below"] in _BARE_SHARES):
            continue
        few, many = _small(match["few"] or match["above"] or "a"), Fraction(1)
        many = Fraction(_BELOW[match["below"]]) if match["below"] else _small(match["many"])
        if not 0 < few < many:
            continue
        bare = Figure(float(few / many), _THIRD_DECIMALS, 0, None, Span(start, match.end()))
        share = _with_percent(bare)
        parts = (replace(bare, magnitude=float(n), decimals=0) for n in (few, many))
        percent, *others = reversed(share.readings)
        yield replace(percent, others=(*others, *(parts if match["few"] else ())))


def _shares_of_a_whole(plain: str) -> Iterator[Figure]:
    """The shares in words that say what they are of, rounded to percent: `two thirds of them`,
    `one in five pupils`.

    Those of a time, and what is about so much, are left out.
    """
    for share in _shares(plain):
        before = plain[max(0, share.span.start - _ABOUT_CHARACTERS) : share.span.start]
        counts = len(share.others) > 1
        if counts:
            behind = _WORD_BEHIND.match(plain, share.span.end)
            is_of_whole = behind is not None and behind["word"] not in UNITS
        else:
            is_of_whole = _OF_A_WHOLE.match(plain, share.span.end) is not None
        if is_of_whole and not _ABOUT.search(before):
            yield replace(share, decimals=0)


def _small(written: str) -> Fraction:
    return Fraction(int(written)) if written.isdecimal() else _SMALL[written]


def _with_percent(figure: Figure) -> Figure:
    """A part of one, which is read as percent, too."""
    percent = replace(figure, magnitude=100 * figure.magnitude, unit=UNITS["%"], others=())
    return replace(figure, others=(*figure.others, percent))


def _signed(figure: Figure, plain: str) -> Figure:
    """A figure that words make negative: `minus 5`, `5 degrees below zero`."""
    start, end = figure.span.start, figure.span.end
    before = _MINUS.search(plain[max(0, start - _MINUS_CHARACTERS) : start])
    if before is not None:
        start -= len(before.group())
    unit, behind = figure.unit, None
    if unit is None or unit == _DEGREES or unit in _TEMPERATURES:
        behind = _BELOW_ZERO.match(plain, end)
    if behind is not None:
        end = behind.end()
        unit = UNITS[behind["scale"]] if behind["scale"] else unit or _DEGREES
    if (before or behind) is None or figure.magnitude <= 0.0:
        return figure
    return replace(figure, magnitude=-figure.magnitude, unit=unit, span=Span(start, end), others=())


def _put_together(figures: Sequence[Figure], plain: str) -> Iterator[Figure]:
    """Amounts in two units as one: `1 hour 30 minutes`."""
    held: Figure | None = None
    for figure in figures:
        if held is not None and _goes_on(held, figure, plain):
            held = _sum(held, figure)
            continue
        if held is not None and plain[held.span.end - 1 : figure.span.start] in _MYRIADS:
            # `3億2000万円`
            amount = held.magnitude + figure.magnitude
            held = replace(figure, magnitude=amount, span=Span(held.span.start, figure.span.end))
            continue
        if held is not None and _are_cents(held, figure, plain):
            amount = held.magnitude + figure.magnitude / 100
            span = Span(held.span.start, figure.span.end)
            held = replace(held, magnitude=amount, decimals=2, zeros=0, span=span)
            continue
        if held is not None and _is_range(held, figure, plain):
            scale = _scale_of(figure, plain)
            scaled = () if scale is None else (replace(_scaled(held, scale), unit=figure.unit),)
            held = replace(held, unit=figure.unit, others=(*held.others, held, *scaled))
        if held is not None:
            yield held
        held = figure
    if held is not None:
        yield held


def _goes_on(first: Figure, second: Figure, plain: str) -> bool:
    """Whether a figure adds to the one before it, in a smaller unit."""
    one, other = first.unit, second.unit
    between = plain[first.span.end : second.span.start]
    if one is None or other is None or one.dimension != other.dimension:
        return False
    if one.dimension not in _IN_TWO_UNITS or not _GOES_ON.fullmatch(between):
        return False
    if one.dimension in _SOLD_IN_PACKS and between not in _PLAIN_GAPS:
        return False
    return first.decimals == 0 and 0.0 < second.magnitude * float(other.scale) < float(one.scale)


def _are_cents(first: Figure, second: Figure, plain: str) -> bool:
    """Whether a bare number behind whole money is its hundredths: `1 pound 50`."""
    is_whole = first.unit is not None and first.unit.is_currency and first.unit.scale == 1
    is_below = second.unit is None and second.magnitude in _CENTS and first.decimals == 0
    between = plain[first.span.end : second.span.start]
    return is_whole and is_below and between == " " and bool(_ENDS.match(plain, second.span.end))


def _is_range(first: Figure, second: Figure, plain: str) -> bool:
    """Whether a bare number is the beginning of a range with a unit or a scale, as in
    `from 60 to 75 euros`, or one without the scale of its end: `$1.2 to $1.5 million`."""
    between = plain[first.span.end : second.span.start]
    scale = _scale_of(second, plain)
    if scale is None and (first.unit is not None or second.unit is None):
        return False
    if scale is not None and (first.unit not in (None, second.unit) or _scale_of(first, plain)):
        return False
    if between == " and ":
        return plain.endswith("between ", 0, first.span.start)
    return between in _TO


def _scale_of(figure: Figure, plain: str) -> float | None:
    """What a word or a letter in a figure multiplies its number by, if there is one."""
    scale = _SCALE_BEHIND.match(plain, figure.span.start, figure.span.end)
    return None if scale is None else (SCALES | _MONEY_SCALES)[scale["name"]]


def _sum(first: Figure, second: Figure) -> Figure:
    in_second = _in_smaller(first, second.unit)
    span = Span(first.span.start, second.span.end)
    return replace(second, magnitude=in_second + second.magnitude, zeros=0, span=span, others=())


def _in_smaller(figure: Figure, unit: Unit | None) -> float:
    if figure.unit is None or unit is None:
        raise AssertionError("what goes on has a unit")
    return float(Fraction(figure.magnitude) * figure.unit.scale / unit.scale)


def _in_words(text: str, plain: str) -> Iterator[Figure]:
    for part in _HALF_OF.finditer(plain):
        unit = UNITS.get(part["unit"])
        if unit is not None:
            size, decimals = (0.5, 1) if part["half"] else (0.25 if part["quarter"] else 0.75, 2)
            yield Figure(size, decimals, 0, unit, Span(*part.span()))
    for spelled in _IN_WORDS.finditer(plain):
        found = [
            word
            for word in _WORDS.finditer(plain, *spelled.span("number"))
            if word.group() not in _ARTICLES
        ]
        words = [word.group() for word in found]
        start = spelled.start()
        if _is_vague(plain, start, words[0]) or _OTHER_HUNDREDS.search(
            plain, max(0, start - _OTHER_HUNDREDS_CHARACTERS), start
        ):
            continue
        at = 0
        while at < len(words):
            number, used = read_amount(words[at:])
            behind = words[at + used] if at + used < len(words) else ""
            is_next = behind in AND or behind.startswith(HEBREW_AND)
            if not used or (behind and not is_next):
                # Not one number, and perhaps not two: `nineteen forty-five`.
                break
            unit, end = None, found[at + used - 1].end()
            scale = SCALES.get(spelled["unit"] or "")
            if not behind and scale is not None:
                # `treinta mil`
                number *= Fraction(scale)
                unit, end = _then(spelled)
                end = end if unit else spelled.end("unit")
                if spelled["then"] in SCALES or spelled["then"] in NUMBER_WORDS:
                    break
            elif not behind:
                unit, end = _unit(text, spelled, end)
            is_ordinal = _is_ordinal(spelled["prefix"], words) or _is_second(plain, spelled)
            if unit is not None or at or not is_ordinal:
                start = found[at].start() + words[at].startswith(HEBREW_AND)
                yield _of_words(number, unit, Span(start, end))
            at += used + (behind in AND)


def _folds(plain: str) -> Iterator[Figure]:
    for match in _FOLD.finditer(plain):
        times = _FOLD_VERBS.get(match["verb"] or "") or _SMALL[match["number"]]
        yield _of_words(Fraction(times), UNITS["fold"], Span(*match.span()))


def _in_han(plain: str) -> Iterator[Figure]:
    for match in _HAN_NUMBER.finditer(plain):
        number = read_han(match["number"])
        unit = UNITS.get(match["unit"] or "")
        if number is not None and (unit or number):
            end = match.end() if unit else match.end("number")
            yield _of_words(Fraction(number), unit, Span(match.start(), end))


def _of_words(number: Fraction, unit: Unit | None, span: Span) -> Figure:
    """The figure of a number that has halves or quarters at most."""
    decimals = number.denominator.bit_length() - 1
    zeros = 0 if decimals else _zeros(str(number))
    return Figure(float(number), decimals, zeros, unit, span)


def _is_vague(plain: str, start: int, first: str) -> bool:
    """Whether number words say how great a number is, and not which."""
    if first not in MULTIPLIERS:
        return False
    before = plain[max(0, start - _VAGUE_CHARACTERS) : start]
    return first in _VAGUE or _VAGUE_BEFORE.search(before) is not None


def _is_ordinal(prefix: str, words: Sequence[str]) -> bool:
    """Whether a Hebrew number without a unit tells which one it is, or can: a century, the 20th."""
    is_century = words == [_CENTURY_WORD] and prefix[-1:] in _CENTURY_PREFIXES
    return _DEFINITE in prefix or is_century


def _is_second(plain: str, spelled: re.Match[str]) -> bool:
    """Whether a Hebrew two tells which one it is: a Monday, or what no noun follows."""
    if spelled["number"] != _BEFORE_NOUN:
        return False
    before = plain[max(0, spelled.start() - _VAGUE_CHARACTERS) : spelled.start()]
    return not _NOUN_BEHIND.match(plain, spelled.end()) or _DAY_BEFORE.search(before) is not None


def _is_of_name(text: str, number: Span) -> bool:
    """Whether digits are a part of a name: `COVID-19`, `QX-7B`, `10-K`, `5G`."""
    if _NAME_BEHIND.match(text, number.end) or text.startswith(_ALWAYS, number.start):
        return True
    if number.start >= len("24/") and text.startswith(_ALWAYS, number.start - len("24/")):
        return True
    if text[number.start - 1 : number.start] != "-" or is_year(number.of(text)):
        return False
    before = _NAME_BEFORE.search(text, max(0, number.start - _NAME_CHARACTERS), number.start)
    if before is None:
        return False
    word = before["word"]
    unit = UNITS.get(word.lower())
    is_currency = unit is not None and unit.is_currency
    is_name = word.lower() != word or not word.isalpha()
    return is_name and not is_currency and word.lower() not in _NO_NAMES


def _in_digits(text: str, match: re.Match[str]) -> Figure | None:
    written = match["number"]
    has_power = _HAS_POWER.search(written) is not None
    number = _power(written) if has_power else figure_of(_plain_number(written) or "0")
    if number is None:
        return None
    magnitude, decimals, zeros = number.magnitude, number.decimals, number.zeros
    before = match["sign"] or match["code"]
    number_end = match.end("number")
    part = match["part"] or ""
    if part:
        of_part, decimals, zeros = *_part(part, magnitude), 0
        magnitude = of_part if part[0] == "/" else magnitude + math.copysign(of_part, magnitude)
        number_end = match.end("part")
    scale = _scale(match, number_end)
    if scale is None:
        end_of_scale = number_end
        unit, end = _unit(text, match, number_end)
    else:
        magnitude, decimals = magnitude * scale, 0
        zeros, end_of_scale = _zeros(f"{magnitude:.0f}"), match.end("unit")
        unit, end = _then(match)
        end = end if unit else end_of_scale
    if before and not (unit and unit.is_currency):
        unit, end = UNITS[before], end_of_scale
    start = match.start() if before else match.start("number")
    minutes = _MINUTES.match(match.string, end) if unit == UNITS["h"] else None
    if minutes is not None:
        magnitude = magnitude * 60 + int(re.sub(r"\D", "", minutes.group()))
        unit, end = UNITS["min"], minutes.end()
    if _PART_BEHIND.match(text, number_end) or _PART_BEFORE.match(text, start - 2):
        # No part of `40:30` is about so much.
        zeros = 0
    figure = Figure(magnitude, decimals, zeros, unit, Span(start, end))
    if before and match["unit"] == "mil":
        # A thousand in Spanish; `$5 mil` may be millions.
        figure = replace(figure, others=(_scaled(figure, 1e3),))
    if scale is None and not before and match["unit"] in _MAY_BE_SCALES:
        figure = _with_scale_that_may_be(figure, text, match, number_end)
    if scale is None and _POINT_GROUP.fullmatch(written):
        figure = _with_group(figure, written)
    if written in _MAY_BE_NOTED:
        ten = replace(figure, magnitude=10.0, zeros=1)
        figure = replace(figure, others=(*figure.others, ten))
    if part and unit is None and 0.0 < magnitude < 1.0:
        figure = _with_percent(figure)
    parts = f"{written}{part}" if part.startswith("/") else written
    return _with_parts(figure, parts) if re.search("[ ,/]", parts) and not has_power else figure


def _part(part: str, whole: float) -> tuple[float, int]:
    """What such a part behind a number is, or adds to it, and its decimals."""
    sign = part.strip(" -")
    if "/" in sign:
        above, below = sign.split("/")
        fraction = Fraction(int(above or whole), int(below))
    else:
        fraction = Fraction(unicodedata.numeric(sign) if len(sign) == 1 else 0.5)
        fraction = fraction.limit_denominator(_MOST_PARTS)
    decimals = next((n for n in (1, 2, 3) if (fraction * 10**n).denominator == 1), _THIRD_DECIMALS)
    return float(fraction), decimals


def _power(written: str) -> Figure | None:
    """The figure of a number with a power of ten; None of one that is too great or too small."""
    match = _POWER.fullmatch(written.translate(_SUPERSCRIPTS).replace(",", "."))
    if match is None:
        return None
    exponent = int(match["of_ten"] or match["exponent"])
    base = match["base"] + "1" if match["base"] in ("", "-") else match["base"]
    if not -MAX_DIGITS < exponent < MAX_DIGITS:
        return None
    magnitude = float(Fraction(base) * Fraction(10) ** exponent)
    decimals = max(0, len(base.partition(".")[2]) - exponent)
    zeros = 0 if decimals else _zeros(f"{magnitude:.0f}")
    return Figure(magnitude, decimals, zeros, None, Span(0, 0))


def _plain_number(written: str) -> str:
    """A number in digits without what parts its thousands, and with a point before its decimals."""
    number = _joined(written)
    if len(number) != len(written):
        # Thousands are parted by spaces or apostrophes, so that a comma can part decimals only.
        return number.replace(",", ".")
    if "," not in number:
        return number.replace(".", "") if number.count(".") > 1 else number
    if number.rfind(".") < number.find(","):
        is_grouped = "." not in number and _COMMA_GROUPS.fullmatch(number)
        return number.replace(",", "") if is_grouped else number.replace(".", "").replace(",", ".")
    return number.replace(",", "")


def _joined(number: str) -> str:
    return re.sub(rf"['{_SPACES}]", "", number)


def _scaled(figure: Figure, scale: float) -> Figure:
    magnitude = figure.magnitude * scale
    return replace(figure, magnitude=magnitude, decimals=0, zeros=_zeros(f"{magnitude:.0f}"))


def _scale(match: re.Match[str], number_end: int) -> float | None:
    """What the word or the letter behind a number multiplies it by; None if it does not."""
    name = match["unit"] or ""
    scale = SCALES.get(name) or _MONEY_SCALES.get(name)
    if scale is None or name in SCALES:
        return scale
    if match["sign"] or match["code"]:
        is_meant = name == "m" or match.start("unit") == number_end
    else:
        then, _ = _then(match)
        is_money = then is not None and then.is_currency
        is_other = then is not None and name == "m" and len(match["then"] or "") > len("km")
        is_meant = (is_money and name != "mm") or is_other
    return scale if is_meant else None


def _with_scale_that_may_be(
    figure: Figure, text: str, match: re.Match[str], number_end: int
) -> Figure:
    """A figure with `m` or `b` behind it, where no money tells what that is."""
    is_capital = text[slice(*match.span("unit"))].isupper()
    is_close = match.start("unit") == number_end
    scaled = replace(_scaled(figure, _MONEY_SCALES[match["unit"]]), unit=None)
    if match["unit"] == "b":
        return replace(figure, others=(scaled,)) if is_close else figure
    if match["then"] in _LENGTHWISE or not (is_close or is_capital):
        return figure
    first, second = (scaled, figure) if is_capital else (figure, scaled)
    return replace(first, others=(second,))


def _with_group(figure: Figure, written: str) -> Figure:
    """A figure such as `1.250`, which is also read with parted thousands: of money at first."""
    grouped = figure_of(written.replace(".", ""), figure.unit, figure.span)
    if grouped is None:
        return figure
    if figure.unit is not None and figure.unit.is_currency:
        return replace(grouped, others=(figure,))
    return replace(figure, others=(*figure.others, grouped))


def _with_parts(figure: Figure, written: str) -> Figure:
    """A figure of several numbers, as 12 345 and 3,5 and 3/4 are: without a unit it may be them."""
    if figure.unit or _COMMA_GROUPS.fullmatch(written):
        return figure
    parts = re.split("[ ,/]", written)
    if " " in written and any(part.startswith("0") for part in parts):
        return figure
    others = [replace(part, span=figure.span) for each in parts if (part := figure_of(each))]
    return replace(figure, others=(*figure.others, *others))


def _unit(text: str, match: re.Match[str], number_end: int) -> tuple[Unit | None, int]:
    """The unit behind a number, and where the figure ends."""
    name = _GAPS.sub("", match["unit"] or "")
    unit = UNITS.get(name)
    if unit is None and name in _LETTERS and text[slice(*match.span("unit"))].isupper():
        unit = _LETTERS[name]
    rate = _RATE.match(text, match.end("unit")) if name in _RATES else None
    if rate is not None and (name in _HOURLY) == bool(rate["hour"]):
        return UNITS[_RATES[name]], rate.end()
    then, then_end = _then(match)
    two_words = TWO_WORDS.get((name, match["then"] or ""))
    if two_words is not None:
        return two_words, then_end
    if name == "per":
        return None, number_end
    is_close = match.start("unit") == number_end
    if name == "p" and is_close and number_end - match.start("number") <= _MOST_PENCE_DIGITS:
        return UNITS["pence"], match.end("unit")
    if unit is None and then is not None and then.is_currency:
        # `281 Swiss francs`
        return then, then_end
    if unit is None:
        return None, number_end
    if unit == _DEGREES and then in _TEMPERATURES:
        return then, then_end
    return unit, match.end("unit")


def _then(match: re.Match[str]) -> tuple[Unit | None, int]:
    """The unit that stands one word further, and where it ends."""
    return UNITS.get(match["then"] or match["then_sign"] or ""), max(
        match.end("then"), match.end("then_sign")
    )


def _zeros(digits: str) -> int:
    stripped = digits.rstrip("0")
    return len(digits) - len(stripped) if stripped not in ("", "-") else 0

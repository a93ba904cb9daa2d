"""Numbers in words, in English and in Hebrew: `two hundred and five`, `שלוש מאות ועשרים`.

Of other languages small ones are read (`sechs`, `treinta y dos`, `deux cents`, `九`), where English
has no such word.
"""

import itertools
import math
import re
from collections.abc import Sequence
from fractions import Fraction

_ONES = (
    "zero אפס", "one אחת אחד", "two שתיים שניים שתים שתי שני", "three שלוש שלושה שלושת",
    "four ארבע ארבעה ארבעת", "five חמש חמישה חמשת", "six שש שישה ששה ששת", "seven שבע שבעה שבעת",
    "eight שמונה שמונת", "nine תשע תשעה תשעת", "ten עשר עשרה עשרת", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = (
    "twenty עשרים", "thirty שלושים", "forty fourty ארבעים", "fifty חמישים", "sixty שישים ששים",
    "seventy שבעים", "eighty שמונים", "ninety תשעים",
)  # fmt: skip
_MULTIPLIERS = {
    12: "dozen תריסר",
    100: "hundred מאות",
    1000: "thousand thousands אלף אלפים",
    10**6: "million מיליון",
    10**9: "billion מיליארד",
    10**12: "trillion טריליון",
}
_ELSEWHERE = {
    2: "zwei deux dos dois duas twee два две dwa dwie",
    3: "drei trois tres três tre drie три trzy",
    4: "vier quatre cuatro quatro quattro четыре cztery",
    5: "fünf cinq cinco cinque vijf пять pięć",
    6: "sechs seis zes шесть sześć",
    7: "sieben siete sette sete zeven семь siedem",
    8: "acht huit ocho oito восемь osiem",
    9: "neun neuf nueve nove negen девять dziewięć",
    10: "zehn dix diez dez dieci tien десять dziesięć",
    11: "undici одиннадцать",
    12: "zwölf douze doce dodici twaalf двенадцать dwanaście",
    13: "dreizehn treize trece tredici dertien treze тринадцать",
    14: "vierzehn quatorze catorce quattordici veertien catorze четырнадцать",
    15: "fünfzehn quinze quindici vijftien пятнадцать",
    16: "sechzehn dieciséis sedici zestien dezesseis шестнадцать",
    17: "siebzehn diecisiete diciassette zeventien dezessete семнадцать",
    18: "achtzehn dieciocho diciotto achttien dezoito восемнадцать",
    19: "neunzehn diecinueve diciannove negentien dezenove девятнадцать",
    20: "zwanzig vingt veinte vinte venti twintig двадцать dwadzieścia",
    30: "dreißig trente treinta trinta trenta dertig тридцать trzydzieści",
    40: "vierzig quarante cuarenta quaranta veertig quarenta сорок",
    50: "fünfzig cinquante cincuenta cinquanta vijftig cinquenta пятьдесят",
    60: "sechzig soixante sesenta sessanta zestig sessenta шестьдесят",
    70: "siebzig setenta settanta zeventig семьдесят",
    80: "achtzig ochenta ottanta tachtig oitenta восемьдесят",
    90: "neunzig noventa novanta negentig девяносто",
}
_ADDED = (
    {name: value for value, names in enumerate(_ONES) for name in names.split()}
    | {name: 20 + 10 * at for at, names in enumerate(_TENS) for name in names.split()}
    | {name: value for value, names in _ELSEWHERE.items() for name in names.split()}
    | {"מאה": 100, "מאתיים": 200}
)
_TWO_THOUSAND = "אלפיים"
_TIMES = {name: value for value, names in _MULTIPLIERS.items() for name in names.split()} | {
    _TWO_THOUSAND: 1000
}
FRENCH_HUNDREDS = ("deux", "trois", "quatre", "cinq", "sept", "huit", "neuf")
"""Behind them `cents` are hundreds."""
AND = frozenset({"and", "y", "e", "et"})
NUMBER_WORDS = frozenset({*_ADDED, *_TIMES})
"""All words that numbers are made of, in lower case."""

HEBREW_PREFIXES = "ובלמשהכ"
"""One of these letters may stand before a Hebrew number word."""
HEBREW_AND = "ו"
"""The one that may stand before a later word of a number."""
PARTS = {
    "half": Fraction(1, 2), "חצי": Fraction(1, 2),
    "quarter": Fraction(1, 4), "רבע": Fraction(1, 4),
}  # fmt: skip
"""What may stand before a word such as `million`: `half a million`."""
HALVES = frozenset({"half", "חצי"})
"""What may stand behind a number: `two and a half`."""
TWELVE_BEGINS, TEENS_END = "שנים", frozenset({"עשר", "עשרה"})
"""The first means years, and two before ten only. Those of the second end 13 as `three ten`."""
MULTIPLIERS = frozenset(_TIMES)
"""The words that multiply what stands before them, and are amounts by themselves: `a million`."""
_TEN, _HUNDRED, _THOUSAND = 10, 100, 1000
_FEMININE = ("", "", "שתי", "שלוש", "ארבע", "חמש", "שש", "שבע", "שמונה", "תשע", "עשר")
_MASCULINE = (
    "", "", "שני", "שלושה", "ארבעה", "חמישה", "שישה", "שבעה", "שמונה", "תשעה", "עשרה",
)  # fmt: skip
"""How Hebrew counts things of each gender, by their number."""
_OF_THE_MANY = ("שני", "שלושת", "ארבעת", "חמשת", "ששת", "שבעת", "שמונת", "תשעת", "עשרת")
"""How it counts things of the masculine that are known, from two on: `the three boys`."""
_ONE_AND_TWO = (("אחד", "שניים", "שני"), ("אחת", "שתיים", "שתי"))
"""One and two, and two before what it counts, of the masculine and of the feminine."""
_EIGHT = _FEMININE[8]
_COUNTS_FEMININE = frozenset({*_FEMININE[2:], "אחת", "שתיים", "שתים"} - {_EIGHT})
_COUNTS_MASCULINE = frozenset({*_MASCULINE[2:], "אחד", "שניים", "ששה"} - {_EIGHT})
"""Eight is written alike."""
_HEBREW = re.compile("[א-ת]")
_COUNTED_NOUN = re.compile(r"\s+(?!ו)[א-ת]+(?:ים|ות)(?![א-ת])")
_KNOWN_NOUN = re.compile(r"\s+ה[א-ת]")
_HAN_DIGITS = {digit: value for value, digit in enumerate("〇一二三四五六七八九")}
_HAN_DIGITS |= {"零": 0, "两": 2}
_HAN_TIMES = {"十": _TEN, "百": _HUNDRED, "千": _THOUSAND}
HAN_DIGITS = "".join((*_HAN_DIGITS, *_HAN_TIMES))
"""What Chinese and Japanese write numbers with."""


def read_number(words: Sequence[str]) -> tuple[int, int]:
    """The number that `words` begin with, and of how many of them it is made; 0 if of none.

    `five hundred and six hundred` are two: nothing is multiplied that is greater already.
    """
    total, current, used, least = 0, 0, 0, math.inf
    # Where the number ends if what is added behind begins another one.
    whole: tuple[int, int] | None = None
    for at, word in enumerate(words):
        form, is_joined = _form(word, at)
        is_joined |= at > 0 and words[at - 1] in AND
        value = 2 if _begins_twelve(form, words[at + 1 :]) else _ADDED.get(form)
        if is_joined and total + current:
            whole = total + current, used
        is_french = form in ("cent", "cents") and _at(words, at - 1) in FRENCH_HUNDREDS
        if form in _TIMES or is_french:
            times = _HUNDRED if is_french else _TIMES[form]
            least_amount = 2 if form == _TWO_THOUSAND else 1
            if total and not (current or is_joined) and times > least:
                # `two thousand million`
                total, least = total * times, times
            elif not _multiplies(times, current, least):
                return whole or (total + current, used)
            elif times >= _THOUSAND:
                total, current, least = total + (current or least_amount) * times, 0, times
            else:
                current = (current or 1) * times
            whole = None
        elif value is not None and _fits(value, current, form, is_joined):
            current += value
        elif word in AND and at and total + current >= (_HUNDRED if word == "and" else 2 * _TEN):
            continue
        else:
            break
        used = at + 1
    return total + current, used


def read_amount(words: Sequence[str]) -> tuple[Fraction, int]:
    """Like `read_number`, with halves: `half million`, `three and half million`, `מיליון וחצי`.

    Articles are left out of the words. 0 of them where a half can be of more than one thing.
    """
    part = PARTS.get(words[0]) if words else None
    if part is not None:
        times, used = _multiplied(words[1:])
        return (part * times, used + 1) if used else (Fraction(0), 0)
    number, used = read_number(words)
    behind = used + (used > 0 and _at(words, used) == "and")
    half, is_joined = _form(_at(words, behind), behind)
    if half not in HALVES or not (is_joined or behind > used > 0):
        return Fraction(number), used
    times, more = _multiplied(words[behind + 1 :])
    last = _TIMES.get(_form(words[used - 1], used - 1)[0], 1)
    if more or number < _HUNDRED:
        last = 1
    elif last < _THOUSAND:
        return Fraction(0), 0
    return (number + Fraction(last, 2)) * times, behind + 1 + more


def as_counted(own: str, other: str, behind: str) -> str:
    """A number in Hebrew words as it counts what `own` counts; whatever else it is stays.

    `behind` is what stands behind `own`: a noun that is counted, or something else. In place of
    digits there are digits, and so where nobody can tell the gender of what is counted.
    """
    words, own_words = other.split(), own.split()
    value, used = read_number(words)
    if not _HEBREW.search(other) or used < len(words):
        return other
    if own.isdigit():
        return str(value)
    has_gender = value % _HUNDRED % _TEN > 0 or value % _HUNDRED == _TEN
    if not (has_gender and _HEBREW.search(own)) or read_number(own_words)[1] < len(own_words):
        return other
    # The unit tells: `five ten` is 15, and `twenty and five` 25.
    unit = own_words[0] if own_words[-1] in TEENS_END else own_words[-1].removeprefix(HEBREW_AND)
    if own in _OF_THE_MANY and (own != _MASCULINE[2] or _KNOWN_NOUN.match(behind)):
        return _OF_THE_MANY[value - 2] if value in range(2, _TEN + 1) else str(value)
    if value > _HUNDRED or (unit in _COUNTS_FEMININE) == (unit in _COUNTS_MASCULINE):
        return str(value)
    is_before = _COUNTED_NOUN.match(behind) is not None
    return _counted(value, is_feminine=unit in _COUNTS_FEMININE, is_before=is_before)


def _counted(value: int, *, is_feminine: bool, is_before: bool) -> str:
    """A number below a hundred as it counts things of a gender.

    Two has a form of its own where it stands right before what it counts.
    """
    forms = (_FEMININE if is_feminine else _MASCULINE)[3:]
    one, two, before = _ONE_AND_TWO[is_feminine]
    if value <= _TEN:
        return ("", one, before if is_before else two, *forms)[value]
    if value < 2 * _TEN:
        teen = ("", one, "שתים" if is_feminine else TWELVE_BEGINS, *forms)[value - _TEN]
        return f"{teen} {'עשרה' if is_feminine else 'עשר'}"
    tens = next(filter(_HEBREW.match, _TENS[value // _TEN - 2].split()))
    unit = value % _TEN
    return f"{tens} {HEBREW_AND}{('', one, two, *forms)[unit]}" if unit else tens


def _at(words: Sequence[str], at: int) -> str:
    return words[at] if at < len(words) else ""


def _multiplied(words: Sequence[str]) -> tuple[int, int]:
    """What words such as `million` multiply by, and how many of them there are."""
    found = list(itertools.takewhile(MULTIPLIERS.__contains__, words))
    return math.prod(_TIMES[word] for word in found), len(found)


def _form(word: str, at: int) -> tuple[str, bool]:
    """A word as the tables have it, without the Hebrew prefix letter that may stand before it, and
    whether that joins it to the words before. Behind the first word only `and` does not end it."""
    if word in _ADDED or word in _TIMES or word in PARTS or word == TWELVE_BEGINS:
        return word, False
    prefix = word[:1]
    is_joined = at > 0 and prefix == HEBREW_AND
    has_prefix = is_joined or (at == 0 and prefix != "" and prefix in HEBREW_PREFIXES)
    return (word[1:] if has_prefix else word), is_joined


def _begins_twelve(form: str, behind: Sequence[str]) -> bool:
    return form == TWELVE_BEGINS and _at(behind, 0) == "עשר"


def _multiplies(times: int, current: int, least: float) -> bool:
    """Whether a word such as `hundred` goes on with a number, and does not belong to another."""
    return times < least and (times >= _THOUSAND or current < _HUNDRED)


def _fits(value: int, current: int, form: str, is_joined: bool) -> bool:
    """Whether a number goes on with a word, and does not end before it.

    `twenty one` is one number, `one two` is two. In Hebrew 13 is `three ten`.
    """
    if form in TEENS_END and not is_joined and 0 < current % _HUNDRED < _TEN:
        return True
    if value < _TEN:
        return current % _TEN == 0 and current % _HUNDRED != _TEN
    return current % (_HUNDRED if value < _HUNDRED else _THOUSAND) == 0


def read_han(digits: str) -> int | None:
    """A number below ten thousand in Chinese digits: `十二`, `三百`; None for what is none."""
    total, held = 0, None
    for digit in digits:
        times = _HAN_TIMES.get(digit)
        if times is None:
            if held:
                return None
            held = _HAN_DIGITS[digit]
        else:
            total, held = total + (1 if held is None else held) * times, None
    return total + (held or 0)

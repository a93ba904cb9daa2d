"""The times of day that a text names: `17:00`, `5 pm`, `half past nine`, `חמש אחר הצהריים`.

A time without a half of the day can be two, unless its text counts 24 hours elsewhere.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.text.quantities.number_words import HAN_DIGITS, read_han
from groundwire_verifier.text.quantities.units import UNITS

DAY_HOURS, HOUR_MINUTES = 24, 60
DAY_MINUTES = DAY_HOURS * HOUR_MINUTES
HALF_AN_HOUR = HOUR_MINUTES // 2
_NOON_H = 12
_LONGEST_H = 6
_EVENING_BEGINS_H = 6
"""An hour at night from here on is before midnight."""

_HOURS = {
    name: hour
    for hour, names in enumerate(
        (
            "one אחת", "two שתיים", "three שלוש", "four ארבע", "five חמש", "six שש", "seven שבע",
            "eight שמונה", "nine תשע", "ten עשר", "eleven", "twelve",
        ),
        start=1,
    )
    for name in names.split()
} | {"אחת עשרה": 11, "שתים עשרה": 12, "שתיים עשרה": 12}  # fmt: skip
_PAST = {
    "half": 30, "quarter": 15, "a quarter": 15, "five": 5, "ten": 10, "twenty": 20,
    "twenty-five": 25, "וחצי": 30, "ורבע": 15, "ועשרה": 10, "ועשרים": 20,
}  # fmt: skip
_MARKS = {
    "am": r"am(?!\w)|a\.\s?m(?!\w)\.?|in the morning(?!\w)|בבוקר(?!\w)|לפנות בוקר(?!\w)",
    "pm": r"pm(?!\w)|p\.\s?m(?!\w)\.?|in the (?:afternoon|evening)(?!\w)|אחר הצהריי?ם(?!\w)"
    r"|אחה\"צ(?!\w)|בערב(?!\w)",
    "night": r"at night(?!\w)|בלילה(?!\w)",
    "noon": r"בצהריי?ם(?!\w)",
    "clock": r"o'clock(?!\w)|uhr(?!\w)",
    "hours": r"(?:h|heures?|horas?|ore|uur|час(?:а|ов)?)(?!\w)",
}
"""What tells the half of the day behind an hour. The last two tell only that it is an hour, and the
last of all does so behind a word such as `à`: else it is how long something takes."""
_AT_HOURS = re.compile(r"(?<!\w)(?:à|dès|vers|às|as|las|alle|om|tot|o|в|до|с) $")
_AT_24 = re.compile(r"(?<!\w)(?:à|alle|um|om|в) $")
_HALF_ELSEWHERE = re.compile(
    r"[^.,;]{0,12}(?:abend|nachm|morgen|früh|sera|pomer|mattin|soir|matin|après|avond|middag|ochtend"
    r"|вечера|утра|дня|ночи)"
)
"""What stands before a time where 24 hours are counted, and what may stand behind one where not."""
_HAN_TIME = re.compile(
    r"(?P<half>上午|下午|午前|午後|早上|晚上|凌晨)?"
    rf"(?P<hour>\d{{1,2}}|[{HAN_DIGITS}]{{1,3}})[点點時时](?![间間])(?:(?P<minute>\d{{1,2}})分|(?P<is_half>半))?"
)
_HAN_HALVES = {
    "上午": "am", "午前": "am", "早上": "am", "凌晨": "am",
    "下午": "pm", "午後": "pm", "晚上": "pm",
}  # fmt: skip
_MARK = "|".join(f"(?P<{name}>{pattern})" for name, pattern in _MARKS.items())
_HOUR_WORD = "|".join(sorted(_HOURS, key=len, reverse=True))
_ENGLISH_PAST = "|".join(sorted(filter(str.isascii, _PAST), key=len, reverse=True))
_HEBREW_PAST = "|".join(name for name in _PAST if not name.isascii())
_TIME = re.compile(
    r"(?:(?<![a-z\d.:,/_$€£₪¥])|(?<=\dt))"
    r"(?:(?:12 )?(?P<sole>noon|midday|midnight)(?!\w)|(?<![^\W\d_])(?P<sole_he>ב?חצות)(?!\w)"
    r"|(?:(?<=at )|(?<=by )|(?<=from )|(?<=until )|(?<=till )|(?<=before )|(?<=after )|(?=0)"
    r"|(?<=בשעה ))(?P<clock_hour>[01]\d|2[0-3])(?P<clock_minute>[0-5]\d)"
    r"(?:[ -]?(?:hours|hrs|h)(?!\w)|(?<=בשעה \d{4})(?![\d.,:]*\d))"
    r"|(?:(?P<from>\d{1,2})(?:\s?-\s?| to | until | till |\s?עד\s))?"
    rf"(?:(?P<at>בשעה[ -]))?(?:(?P<past>{_ENGLISH_PAST})(?P<unit> minutes)? (?P<side>past|to) )?"
    r"(?:(?P<hour>\d{1,2})(?:(?P<colon>[:h])(?P<minute>[0-5]\d)(?::[0-5]\d)?(?!\d)"
    r"|\.(?P<dotted>[0-5]\d)(?=\s?(?:[ap]\.?m(?!\w)|uhr(?!\w)))|(?![\d.,:]*\d))"
    rf"|(?<![^\W\d_])ב?-?(?P<word>{_HOUR_WORD})(?![^\W\d_])(?: (?P<behind>{_HEBREW_PAST})(?!\w))?)"
    rf"(?:[\s-]?(?:{_MARK}))?)"
)
_BEFORE_CHARACTERS = 8
_AT = re.compile(r"(?<!\w)(?:at|by|before|until|till|after) $")
_OF_SOMETHING = re.compile(
    rf"\s?(?:%|[°$€£₪]|-|(?:{'|'.join(filter(str.isalpha, UNITS))}|people|years?|times|hundred"
    r"|thousand|million)(?!\w))"
)
"""Behind `ten to twelve` it makes an amount."""
_MAY_BE_ONE = re.compile(
    r"\d[:h]\d|\d ?(?:h|heures?|horas?|ore|uur|час(?:а|ов)?)(?!\w)|\d{4}[ -]?h"
    r"|[\d\w][\s-]?[ap]\.?\s?m(?!\w)|o'clock|uhr"
    r"|\b(?:noon|midday|midnight|night|past|morning|afternoon|evening|to)\b|בשעה|חצות|בבוקר|בוקר|צהרי|אחה|בערב|בלילה"
)
"""Stands in every time, and is looked for faster."""


@dataclass(frozen=True, slots=True)
class Time:
    """A time of day by the minutes of the day that it can be, in [0, DAY_MINUTES)."""

    minutes: frozenset[int]
    span: Span


def find_times(text: str) -> tuple[Time, ...]:
    """The times of a text in lower case with plain quotes and dashes, in their order."""
    if han := tuple(_han_times(text)):
        return han
    if _MAY_BE_ONE.search(text) is None:
        return ()
    found = [match for match in _TIME.finditer(text) if _is_time(match)]
    is_of_24 = any(map(_is_of_24, found))
    return tuple(time for match in found for time in _times(match, is_of_24))


def _han_times(text: str) -> Iterator[Time]:
    for match in _HAN_TIME.finditer(text):
        written = match["hour"]
        hour = int(written) if written.isdecimal() else read_han(written)
        if hour is not None and hour <= DAY_HOURS:
            minutes = HALF_AN_HOUR if match["is_half"] else int(match["minute"] or 0)
            mark = _HAN_HALVES.get(match["half"] or "", "")
            yield Time(_readings(hour, minutes, mark, is_of_24=False), Span(*match.span()))


def _is_time(match: re.Match[str]) -> bool:
    if match["sole"] or match["sole_he"] or match["clock_hour"]:
        return True
    mark = _mark(match)
    hour = int(match["hour"] or _HOURS.get(match["word"] or "", 0))
    before = match.string[max(0, match.start() - _BEFORE_CHARACTERS) : match.start()]
    if mark == "hours" and (match["word"] or not _AT_HOURS.search(before)):
        return False
    # `five to ten` is an amount more often than a time; `at five to ten` is none of anything.
    is_past = match["side"] == "past" or match["unit"] or "quarter" in (match["past"] or "")
    if match["side"] == "to" and _AT.search(before):
        is_past = is_past or _OF_SOMETHING.match(match.string, match.end()) is None
    is_told = match["colon"] or match["dotted"] or mark or match["at"] or is_past
    if match["colon"] == "h" and hour <= _LONGEST_H:
        # `1h30` is how long something takes.
        return False
    is_half = mark in ("am", "pm") and not match["colon"]
    return bool(is_told) and hour <= (_NOON_H if is_half else DAY_HOURS)


def _mark(match: re.Match[str]) -> str:
    return next((name for name in _MARKS if match[name]), "")


def _is_of_24(match: re.Match[str]) -> bool:
    """Whether a time is written as where 24 hours are counted: `17:00`, `09:30`."""
    if match["clock_hour"]:
        return True
    hour = match["hour"]
    before = match.string[max(0, match.start() - _BEFORE_CHARACTERS) : match.start()]
    if match["colon"] and _AT_24.search(before):
        return _HALF_ELSEWHERE.match(match.string, match.end()) is None
    return bool(hour) and not _mark(match) and (int(hour) > _NOON_H or hour.startswith("0"))


def _times(match: re.Match[str], is_of_24: bool) -> Iterator[Time]:
    if sole := match["sole"] or match["sole_he"]:
        minutes = _NOON_H * HOUR_MINUTES if sole in ("noon", "midday") else 0
        yield Time(frozenset({minutes}), Span(*match.span()))
        return
    if match["clock_hour"]:
        minutes = int(match["clock_hour"]) * HOUR_MINUTES + int(match["clock_minute"])
        yield Time(frozenset({minutes}), Span(*match.span()))
        return
    begin = match.start()
    if match["from"] and int(match["from"]) <= DAY_HOURS:
        yield Time(_readings(int(match["from"]), 0, "", is_of_24), Span(*match.span("from")))
    if match["from"]:
        begin = min(match.start(name) for name in ("at", "past", "hour", "word") if match[name])
    hour = int(match["hour"]) if match["hour"] else _HOURS[match["word"]]
    minutes = int(match["minute"] or match["dotted"] or 0)
    minutes += _PAST.get(match["behind"] or "", 0)
    past = _PAST.get(match["past"] or "", 0)
    minutes += -past if match["side"] == "to" else past
    yield Time(_readings(hour, minutes, _mark(match), is_of_24), Span(begin, match.end()))


def _readings(hour: int, minutes: int, mark: str, is_of_24: bool) -> frozenset[int]:
    """The minutes of the day that an hour and minutes can be, by the mark behind them."""
    if hour > _NOON_H or hour == 0 or (is_of_24 and mark in ("", "clock", "hours")):
        hours = {hour}
    elif mark == "am":
        hours = {hour % _NOON_H}
    elif mark == "pm" or (mark == "night" and _EVENING_BEGINS_H <= hour < _NOON_H):
        hours = {hour % _NOON_H + _NOON_H}
    elif mark == "night":
        hours = {hour % _NOON_H}
    elif mark == "noon":
        hours = {hour + _NOON_H if hour < _EVENING_BEGINS_H else hour}
    else:
        hours = {hour % _NOON_H, hour % _NOON_H + _NOON_H}
    return frozenset((each * HOUR_MINUTES + minutes) % DAY_MINUTES for each in hours)

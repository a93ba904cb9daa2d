"""Whether two answers say the same, however they are written.

Numbers with and without units, thousands separators and number words, dates, articles, case,
punctuation, yes and no count for nothing; English and Hebrew. One answer may say more than the
other, as a sentence does around its number. Where it cannot be told, they do not match: an answer
that is flagged wrongly can be looked at, and one that passes wrongly is not.
"""

from groundwire_verifier.text.quantities.dates import Date
from groundwire_verifier.text.quantities.values import Quantity, Stated, Value, stated

_HEBREW_PREFIXES = "והבלכמש"
_MIN_STEM = 2
_YEARS = range(1000, 3000)


def answers_match(first: str, second: str) -> bool:
    """Whether two answers say the same. Symmetric, and true of any text and itself."""
    if first.strip() == second.strip():
        return True
    a, b = stated(first), stated(second)
    if a.says_yes is not None and b.says_yes is not None:
        if a.says_yes is not b.says_yes:
            return False
        if a.is_bare or b.is_bare:
            return True
    elif (a.says_yes is not None and a.is_bare) or (b.says_yes is not None and b.is_bare):
        # A bare yes says nothing that a statement could be compared with.
        return False
    if a.negations % 2 != b.negations % 2:
        return False
    return _holds(a, b) or _holds(b, a)


def _holds(longer: Stated, shorter: Stated) -> bool:
    """Whether one answer says all that the other does, and nothing else in its place."""
    if not (shorter.values or shorter.words):
        return False
    words = [_forms(word) for word in longer.words]
    if any(all(_forms(word).isdisjoint(form) for form in words) for word in shorter.words):
        return False
    return _holds_values(longer.values, shorter.values)


def _holds_values(longer: tuple[Value, ...], shorter: tuple[Value, ...]) -> bool:
    if not shorter:
        return True
    if len(shorter) == 1:
        # What is computed stands behind what it is computed from.
        comparable = [value for value in longer if _are_comparable(value, shorter[0])]
        return bool(comparable) and _are_equal(comparable[-1], shorter[0])
    left = list(longer)
    for value in shorter:
        equal = next((other for other in left if _are_equal(other, value)), None)
        if equal is None:
            return False
        left.remove(equal)
    return not left


def _are_comparable(first: Value, second: Value) -> bool:
    if isinstance(first, Quantity) and isinstance(second, Quantity):
        return (
            first.unit is None
            or second.unit is None
            or first.unit.dimension == second.unit.dimension
        )
    return not (isinstance(first, Quantity) and first.unit) and not (
        isinstance(second, Quantity) and second.unit
    )


def _are_equal(first: Value, second: Value) -> bool:
    if isinstance(first, Date) and isinstance(second, Date):
        return any(
            all(x is None or y is None or x == y for x, y in zip(a, b, strict=True))
            for a in first.readings
            for b in second.readings
        )
    if isinstance(first, Quantity) and isinstance(second, Quantity):
        if first.unit is None or second.unit is None:
            return first.magnitude == second.magnitude
        return first.unit.dimension == second.unit.dimension and first.size == second.size
    date, number = (first, second) if isinstance(first, Date) else (second, first)
    return (
        isinstance(date, Date)
        and isinstance(number, Quantity)
        and number.unit is None
        and number.magnitude in _YEARS
        and any(year == number.magnitude for year, _, _ in date.readings)
    )


def _forms(word: str) -> frozenset[str]:
    """A word without its plural ending, or, in Hebrew, also without prefix letters."""
    if "\u05d0" <= word[0] <= "\u05ea":
        forms = {word}
        for at in (1, 2):
            if len(word) - at > _MIN_STEM and all(c in _HEBREW_PREFIXES for c in word[:at]):
                forms.add(word[at:])
        return frozenset(forms)
    is_plural = len(word) > _MIN_STEM + 1 and word.endswith("s") and not word.endswith("ss")
    return frozenset({word, word[:-1]} if is_plural else {word})

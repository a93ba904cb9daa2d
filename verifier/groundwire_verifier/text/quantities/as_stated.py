"""A claim with its values written as given texts write them: `750 ml` as `0.75 litres`.

The value is the same, so nothing else is claimed. What can be read in several ways, or is only
rounded, stays as it is, and so does `330 m` beside 330 metres, which a model reads as well. A bare
number may be a version, a section or a code: `3.10` is not `3.1`, nor `0051` 51.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.text.quantities.figures import SCALES, Figure
from groundwire_verifier.text.quantities.number_words import NUMBER_WORDS
from groundwire_verifier.text.quantities.units import Unit
from groundwire_verifier.text.quantities.unstated import LEAST_WORD, Values, values_in

DIGITS = 9
"""To how many digits two amounts are alike."""
MOST_CHARACTERS = 40
"""Of a value as a text writes it; a longer one is not taken."""
MOST_ADDED = 200
"""So much longer a claim may become."""

_NUMBER = re.compile(r"\d+(?:[.,:']\d+)*+")
_WORD = re.compile(r"[^\W\d_]+")
_CODE = re.compile(r"(?<![\d.,])0\d")
"""A leading zero: of a code, not of an amount."""
_JOINED_BEFORE = re.compile(r"(?:[\w\u05be-]|\ban? )\Z", re.IGNORECASE)
_JOINED_BEHIND = re.compile(r"[\w\u05be-]")
_Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class _Value:
    """A value with what it is; amounts in one unit also have one `scale`."""

    span: Span
    key: _Key
    scale: float = 1.0


class Writing:
    """How some texts write their values, for claims with values only; `look` looks through one."""

    def __init__(self, texts: Sequence[str], look: Callable[[str], Values] = values_in) -> None:
        self._texts = texts
        self._look = look

    def of(self, claim: str) -> str:
        """The claim with its values as the texts write them; one that stands there so stays."""
        values = _values(claim, values_in(claim), is_source=False)
        if not values:
            return claim
        found, forms = self._found
        told = claim
        for each in reversed(values):
            own = _form(each.span.of(claim))
            if own.casefold() in forms or _is_joined(claim, each.span):
                continue
            written = found.get((*each.key, each.scale)) or found.get(each.key)
            if written is not None and _is_plainer(own, written):
                told = told[: each.span.start] + written + told[each.span.end :]
        return told if len(told) <= len(claim) + MOST_ADDED else claim

    @cached_property
    def _found(self) -> tuple[dict[_Key, str], set[str]]:
        """How the texts write each value, and all forms that stand there, in lower case."""
        found: dict[_Key, str] = {}
        forms: set[str] = set()
        for text in self._texts:
            for each in _values(text, self._look(text), is_source=True):
                form = _form(each.span.of(text))
                if len(form) > MOST_CHARACTERS:
                    continue
                forms.add(form.casefold())
                # The first place counts.
                found.setdefault(each.key, form)
                found.setdefault((*each.key, each.scale), form)
        return found, forms


def _form(written: str) -> str:
    return " ".join(written.split())


def _is_joined(claim: str, span: Span) -> bool:
    """Whether a value is a part of a longer word: `20-odd`, `2020-05-02T17:00`, `a thousand`."""
    before = claim[max(0, span.start - 3) : span.start]
    return bool(_JOINED_BEFORE.search(before) or _JOINED_BEHIND.match(claim, span.end))


def _is_plainer(own: str, written: str) -> bool:
    """Whether a form has another number than `own`, in letters of the same script, if in any."""
    scripts = {c.isascii() for c in own + written if c.isalpha()}
    return scripts != {True, False} and _NUMBER.findall(own) != _NUMBER.findall(written)


def _is_narrower(unit: Unit, words: Sequence[str]) -> bool:
    """Whether money or a share may be written in more words than its unit has."""
    names = [word for word in words if word.casefold() not in SCALES]
    return (unit.is_currency or unit.dimension == "percent") and len(names) > 1


def _values(text: str, values: Values, *, is_source: bool) -> list[_Value]:
    """Those of a text's values that are certain, in their order."""
    found = [_Value(span, ("number", float(year))) for span, year in values.years]
    for figure in values.figures:
        if not figure.others and (key := _key(figure, text, is_source=is_source)) is not None:
            found.append(_Value(figure.span, key, _scale(figure)))
    for time in values.times:
        if len(time.minutes) == 1:
            found.append(_Value(time.span, ("time of day", *time.minutes)))
    for span, date in values.dates:
        if len(date.readings) == 1 and all(*date.readings):
            found.append(_Value(span, ("date", *date.readings)))
    return sorted(found, key=lambda value: value.span)


def _key(figure: Figure, text: str, *, is_source: bool) -> _Key | None:
    """What an amount is; None where it is a code, hardly a number, or more than its unit says."""
    written = figure.span.of(text)
    words = [word for word in written.split() if _WORD.search(word)]
    has_digits = _NUMBER.search(written) is not None
    if _CODE.search(written):
        return None
    size = float(f"{figure.magnitude * _scale(figure):.{DIGITS}g}")
    if figure.unit is None:
        if not has_digits and figure.magnitude < LEAST_WORD:
            return None
        # `3.10` and `3.1` are two versions, but 1,250 and 1 250 one number.
        is_version = not words and figure.decimals
        return ("number", size, figure.decimals) if is_version else ("number", size)
    if (
        not has_digits
        and figure.magnitude == 1.0
        and NUMBER_WORDS.isdisjoint(written.casefold().split())
    ):
        # `twice a day`
        return None
    if (is_source or has_digits) and _is_narrower(figure.unit, words):
        # `Canadian dollars`, `basis points`: more than the unit of a claim says.
        return None
    return (figure.unit.dimension, size)


def _scale(figure: Figure) -> float:
    return float(figure.unit.scale) if figure.unit else 1.0

"""A claim with its values written as given texts write them: `750 ml` as `0.75 litres`.

The value is the same, so nothing else is claimed. What can be read in several ways, or is only
rounded, stays as it is, and so does `330 m` beside 330 metres, which a model reads as well. A bare
number may be a version, a section or a code: `3.10` is not `3.1`, nor `0051` 51.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.text.quantities.dates import find_dates
from groundwire_verifier.text.quantities.figures import SCALES, find_figures, folded
from groundwire_verifier.text.quantities.times import find_times
from groundwire_verifier.text.quantities.units import Unit
from groundwire_verifier.text.quantities.unstated import LEAST_WORD

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
    """How some texts write their values; they are looked through once, if at all."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts

    def of(self, claim: str) -> str:
        """The claim with its values as the texts write them; one that stands there so stays."""
        values = sorted(_values(claim, is_source=False), key=lambda value: value.span, reverse=True)
        if not values:
            return claim
        found, forms = self._found
        told = claim
        for each in values:
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
            for each in _values(text, is_source=True):
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


def _values(text: str, *, is_source: bool) -> Iterator[_Value]:
    plain = folded(text)
    for figure in find_figures(text, LEAST_WORD):
        written = figure.span.of(text)
        if figure.others or _CODE.search(written):
            continue
        scale = float(figure.unit.scale) if figure.unit else 1.0
        size = float(f"{figure.magnitude * scale:.{DIGITS}g}")
        key: _Key = (figure.unit.dimension if figure.unit else "number", size)
        words = [word for word in written.split() if _WORD.search(word)]
        if figure.unit is None and not words and figure.decimals:
            # `3.10` and `3.1` are two versions, but 1,250 and 1 250 one number.
            key = (*key, figure.decimals)
        elif (
            figure.unit is not None
            and (is_source or _NUMBER.search(written))
            and _is_narrower(figure.unit, words)
        ):
            # `Canadian dollars`, `basis points`: more than the unit of a claim says.
            continue
        yield _Value(figure.span, key, scale)
    for time in find_times(plain):
        if len(time.minutes) == 1:
            yield _Value(time.span, ("time of day", *time.minutes))
    for span, date in find_dates(plain):
        if len(date.readings) == 1 and all(*date.readings):
            yield _Value(span, ("date", *date.readings))

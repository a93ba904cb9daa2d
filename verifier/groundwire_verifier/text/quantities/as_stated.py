"""A claim with its values written as given texts write them: `750 ml` as `0.75 litres`.

The value is the same, so nothing else is claimed. What can be read in several ways, or is only
rounded, stays as it is, and so does `330 m` beside 330 metres, which a model reads as well.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from groundwire_verifier.domain.claims import Span
from groundwire_verifier.text.quantities.dates import find_dates
from groundwire_verifier.text.quantities.figures import find_figures, folded
from groundwire_verifier.text.quantities.times import find_times

LEAST_WORD = 13
"""The least number in words without a unit that is written anew."""
DIGITS = 9
"""To how many digits two amounts are alike."""

_NUMBER = re.compile(r"\d+(?:[.,:']\d+)*+")
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
        self._written: dict[_Key, str] | None = None

    def of(self, claim: str) -> str:
        """The claim with its values as the texts write them; one that stands there so stays."""
        others = [each for each in _values(claim) if not self._has(each.span.of(claim).strip())]
        if not others:
            return claim
        if self._written is None:
            self._written = dict(self._found())
        for each in sorted(others, key=lambda value: value.span, reverse=True):
            written = self._written.get((*each.key, each.scale)) or self._written.get(each.key)
            if written is not None and _is_plainer(each.span.of(claim), written):
                claim = claim[: each.span.start] + written + claim[each.span.end :]
        return claim

    def _has(self, written: str) -> bool:
        pattern = re.compile(rf"(?<!\w){re.escape(written)}(?!\w)", re.IGNORECASE)
        return any(map(pattern.search, self._texts))

    def _found(self) -> Iterator[tuple[_Key, str]]:
        # The first place counts, which is the last one here.
        for text in reversed(self._texts):
            for each in reversed(list(_values(text))):
                written = each.span.of(text).strip()
                yield each.key, written
                yield (*each.key, each.scale), written


def _is_plainer(own: str, written: str) -> bool:
    """Whether a form has another number than `own`, in letters of the same script, if in any."""
    scripts = {c.isascii() for c in own + written if c.isalpha()}
    return scripts != {True, False} and _NUMBER.findall(own) != _NUMBER.findall(written)


def _values(text: str) -> Iterator[_Value]:
    plain = folded(text)
    for figure in find_figures(text, LEAST_WORD):
        if not figure.others:
            scale = float(figure.unit.scale) if figure.unit else 1.0
            size = float(f"{figure.magnitude * scale:.{DIGITS}g}")
            kind = figure.unit.dimension if figure.unit else "number"
            yield _Value(figure.span, (kind, size), scale)
    for time in find_times(plain):
        if len(time.minutes) == 1:
            yield _Value(time.span, ("time of day", *time.minutes))
    for span, date in find_dates(plain):
        if len(date.readings) == 1 and all(*date.readings):
            yield _Value(span, ("date", *date.readings))

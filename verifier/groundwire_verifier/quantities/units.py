"""Units, as English and Hebrew write them, with what one of each is in the base unit."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: one of it is `scale` of the base unit of its `dimension`."""

    dimension: str
    scale: Fraction = Fraction(1)

    @property
    def is_currency(self) -> bool:
        """Whether it is money."""
        return self.dimension in CURRENCIES


CURRENCIES = frozenset(
    {
        "dollar", "euro", "pound", "shekel", "franc", "yen", "yuan", "rupee", "canadian_dollar",
        "australian_dollar",
    }
)  # fmt: skip
"""The dimensions that are money."""

_NAMES = {
    ("length", "1"): "m metre metres meter meters מ מטר מטרים",
    ("length", "1000"): 'km kms kilometre kilometres kilometer kilometers ק"מ קילומטר קילומטרים',
    ("length", "0.01"): 'cm centimetre centimetres centimeter centimeters ס"מ סנטימטר סנטימטרים',
    ("length", "0.001"): 'mm millimetre millimetres millimeter millimeters מ"מ מילימטר מילימטרים',
    ("length", "1609.344"): "mi mile miles מייל מיילים",
    ("length", "0.3048"): "ft foot feet רגל",
    ("length", "0.0254"): "inch inches אינץ",
    ("mass", "1"): "g gram grams גרם גרמים",
    ("mass", "1000"): 'kg kgs kilo kilos kilogram kilograms ק"ג קילו קילוגרם קילוגרמים',
    ("mass", "0.001"): 'mg milligram milligrams מ"ג מיליגרם',
    ("mass", "1000000"): "tonne tonnes ton tons טון טונות",
    ("volume", "1"): "l litre litres liter liters ליטר ליטרים",
    ("volume", "0.001"): 'ml millilitre millilitres milliliter milliliters מ"ל מיליליטר מיליליטרים',
    ("time", "1"): "s sec secs second seconds שנייה שניות שניה",
    ("time", "60"): "min mins minute minutes דקה דקות",
    ("time", "3600"): "h hr hrs hour hours שעה שעות",
    ("time", "86400"): "day days יום ימים",
    ("time", "604800"): "week weeks שבוע שבועות",
    ("months", "1"): "month months חודש חודשים",
    ("months", "12"): "year years שנה שנים",
    ("celsius", "1"): "°c celsius צלזיוס",
    ("fahrenheit", "1"): "°f fahrenheit פרנהייט",
    ("angle", "1"): "° degree degrees מעלה מעלות",
    ("data", "0.001"): "kb kilobyte kilobytes",
    ("data", "1"): "mb megabyte megabytes",
    ("data", "1000"): "gb gigabyte gigabytes",
    ("data", "1000000"): "tb terabyte terabytes",
    ("time", "1209600"): "fortnight fortnights",
    ("percent", "1"): "% percent אחוז אחוזים",
    ("percent", "0.01"): "bp bps",
    ("dollar", "1"): "$ usd dollar dollars דולר דולרים",
    ("dollar", "0.01"): "cent cents ¢ סנט סנטים",
    ("euro", "1"): "€ eur euro euros אירו יורו",
    ("pound", "1"): '£ gbp pound pounds ליש"ט',
    ("pound", "0.01"): "penny pence פני",
    ("franc", "1"): "chf franc francs פרנק פרנקים",
    ("yen", "1"): "¥ jpy yen ין",
    ("yuan", "1"): "cny rmb yuan יואן",
    ("rupee", "1"): "inr rupee rupees רופי",
    ("canadian_dollar", "1"): "cad",
    ("australian_dollar", "1"): "aud",
    ("shekel", "1"): '₪ nis ils shekel shekels שקל שקלים ש"ח',
    ("shekel", "0.01"): "agora agorot אגורה אגורות",
}


def _units() -> Iterator[tuple[str, Unit]]:
    for (dimension, scale), names in _NAMES.items():
        for name in names.split():
            yield name, Unit(dimension, Fraction(scale))


UNITS = dict(_units())
"""The units by each of their names and signs, in lower case."""

TWO_WORDS = {
    ("per", "cent"): UNITS["%"],
    ("percentage", "point"): UNITS["%"],
    ("percentage", "points"): UNITS["%"],
    ("basis", "point"): UNITS["bp"],
    ("basis", "points"): UNITS["bp"],
}
"""Units of which neither word is one by itself."""

DUALS = {
    "שעתיים": UNITS["שעות"],
    "יומיים": UNITS["ימים"],
    "שבועיים": UNITS["שבועות"],
    "חודשיים": UNITS["חודשים"],
    "שנתיים": UNITS["שנים"],
}
"""Hebrew words that are two of a unit."""

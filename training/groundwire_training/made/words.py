"""Names and number words for texts that are made. Data only."""

from collections.abc import Sequence

NAMES: Sequence[str] = (
    "Ada", "Boris", "Carla", "Dmitri", "Edith", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Karin",
    "Leon", "Mira", "Noam", "Olga", "Pavel", "Rosa", "Samir", "Tamar", "Uri", "Vera", "Walter",
    "Yael", "Zoe",
)  # fmt: skip
HEBREW_NAMES: Sequence[str] = (
    "אבנר", "בועז", "גדעון", "דוד", "זאב", "חיים", "יואב", "כרמי", "מיכאל", "נדב", "עמוס", "פנחס",
    "צבי", "רון", "שאול", "תומר",
)  # fmt: skip
"""Names of men."""
NUMBER_WORDS: Sequence[str] = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
)  # fmt: skip


def number_word(value: int) -> str:
    """The word of a number up to twelve, and the digits of any other."""
    return NUMBER_WORDS[value] if 0 <= value < len(NUMBER_WORDS) else f"{value:,}"


def capital(text: str) -> str:
    """The text with its first letter large; what follows stays as it is."""
    return text[:1].upper() + text[1:]


def sentence(text: str, **values: object) -> str:
    """A text with its values, as a sentence."""
    return f"{capital(text.format(**values))}."

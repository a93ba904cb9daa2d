"""Words that lead to a citation: `According to [S0], ...`, `... (see [S0])`, `..., per [S0].`

A word stands here once. Each public name is a piece of a pattern, for one place of such words.
`markup/citations.py` reads ids behind them, `markup/citation_places.py` cuts them out with the
citation, and `frames.py` leaves them out before a statement.
"""


def _any_of(*groups: tuple[str, ...]) -> str:
    return f"(?:{'|'.join(word for group in groups for word in group)})"


_ACCORDING = ("according to", "as per")
_ACCORDING_HE = ("לפי", "על פי")
_ACCORDING_ELSEWHERE = (
    "selon", "d['’]après", "según", "de acuerdo con", "de acordo com", "согласно", "по данным",
    "według", "zgodnie z", "بحسب", "حسب", "وفق[اً]* ل",
)  # fmt: skip
_ACCORDING_OR_ELSE = ("secondo", "segundo", "conforme(?: a)?", "in base a")
"""They also mean something else, such as `second`."""
_ACCORDING_VERB_SECOND = ("laut", "gemäß", "volgens", "enligt", "ifølge")
"""The verb comes first behind them."""
_ACCORDING_HAN = ("根据", "根據", "据", "按照")

_AS_TOLD = ("based on", r"as \w{4,12} (?:in|by)")
_AS_TOLD_HE = ("על סמך", r"כפי ש\w{2,12} ב-?", "כאמור ב-?", "בהתאם ל-?")
_AS_TOLD_ELSEWHERE = (r"(?:comme|come|como) \w{4,12} (?:in|dans|en|em)", "как указано в")
_AS_TOLD_VERB_SECOND = (r"wie \w{4,12} in",)

_LOOK = (
    "see also", "see", r"cf\.?", "siehe", r"vgl\.", "voir", "véase", "ver", "vedi", "zie", r"см\.",
    "参见", "見", "انظر", "ראו", "ראה",
)  # fmt: skip
_PER = ("per",)
_THROUGH = (*_PER, "via")
"""Words of many meanings: `10 euros per` a source needs its own."""

SOURCE = _any_of((
    "sources?", "src", "docs?", "documents?", r"refs?\.?", "references?", "citations?", "ids?",
    "quellen?", "dokumente?", "fuentes?", "fonti", "fonte", "bron", "källa", "kilde", "źródło",
    "kaynak", "источник", "来源", "出典", "מקורות", "מקור", "מסמכים", "מסמך",
))  # fmt: skip
"""What a source is called before its id: `[source S0]`."""
LOOK = _any_of(_LOOK)
"""They tell the reader where to look: `[see S0]`."""
BEFORE_SOURCE = _any_of(_LOOK, _THROUGH, _ACCORDING, _ACCORDING_HE)
"""`[per source S0]`"""

BEFORE_ANYWHERE = _any_of(
    _ACCORDING_HE,
    _ACCORDING_ELSEWHERE,
    _ACCORDING_OR_ELSE,
    _ACCORDING_HAN,
    _AS_TOLD_HE,
    _AS_TOLD_ELSEWHERE,
    ("כפי שמצוין",),
)
"""`Selon [S0] ...`: no comma has to follow; without the id they belong to the wrong word."""
BEFORE_WITH_COLON = _any_of(_ACCORDING_VERB_SECOND, _AS_TOLD_VERB_SECOND, ("nach",))
"""`Laut [S0]: ...`"""
BEFORE_WITH_COMMA = _any_of(_ACCORDING, _AS_TOLD, _THROUGH, ("as", "in", "from"))
"""`According to [S0], ...`"""

BEHIND_ANYWHERE = _any_of(_ACCORDING_VERB_SECOND, _ACCORDING_ELSEWHERE)
"""`... selon [S0] ...`"""
BEHIND_AT_THE_END = _any_of(
    _ACCORDING,
    _ACCORDING_HE,
    _ACCORDING_OR_ELSE,
    _AS_TOLD,
    _AS_TOLD_HE,
    _AS_TOLD_ELSEWHERE,
    _AS_TOLD_VERB_SECOND,
)
"""`... according to [S0].`"""
BEHIND_A_COMMA = _any_of(_LOOK, _THROUGH, ("as in", "nach"))
"""`..., see [S0].`"""
BEHIND_A_WIDE_COMMA = _any_of(_ACCORDING_HAN, _ACCORDING_ELSEWHERE)

LABEL = _any_of(
    _LOOK,
    _THROUGH,
    _ACCORDING,
    _ACCORDING_HE,
    _ACCORDING_OR_ELSE,
    ("cited in", BEHIND_ANYWHERE, SOURCE),
)
"""`(see [S0])`, `Source: [S0]`"""

SPOKEN_BEFORE = _any_of(_ACCORDING, _ACCORDING_HE, _PER)
"""`According to S0, ...`, without brackets."""
SPOKEN_BEHIND = _any_of(_ACCORDING, _ACCORDING_HE, _PER, _ACCORDING_OR_ELSE, (BEHIND_ANYWHERE,))
"""`..., according to S0.`"""

"""Which instructions and pieces of code hold something that sources can bear out.

`Take two tablets every four hours` does, `Open the door` does not. Code always does: it names what
it calls.
"""

import re

from groundwire_verifier.domain.claims import Claim, NonAssertive
from groundwire_verifier.text.claims.wording.sentence import DEFAULT_LANGUAGE
from groundwire_verifier.text.quantities.code_tokens import code_tokens
from groundwire_verifier.text.quantities.figures import find_figures, folded
from groundwire_verifier.text.quantities.times import find_times

TOLD = frozenset((NonAssertive.INSTRUCTION, NonAssertive.CODE))
LEAST_NUMBER = 2
"""The least number in words that counts as a figure: `the right one` is none."""

_ACCORDING = {"he": "לפי המקורות: "}
_ACCORDING_ELSE = "According to the sources: "
_NAME = re.compile(r"(?<=[\w,;)] )[^\W\d_a-z]\w+")
"""A word with a capital behind another word. `I` is too short for one."""

_LATIN = re.compile(r"[A-Za-z]{2,}")
_DOSE = re.compile(
    r"\b(?:one|half an?) [^\W\d_]+ (?:an?|per|every|each|daily|before|after|at)\b"
    r"|\b(?:half|halve|double(?!-| ?check| ?click| ?tap)|triple|quadruple|twice|thrice|nightly|"
    r"hourly|daily|weekly|monthly|yearly|annually|a couple|a pair|a dozen|alternate|every other|"
    r"(?:an?|one|two|three) (?:third|quarter|fifth|eighth)s?)\b"
    r"|\b(?:every|each|per) (?:second|third|hour|day|night|morning|evening|week|month|year|meal|"
    r"dose)\b"
    r"|\b(?:an?|one) (?:glass|cup|teaspoon|tablespoon|spoonful|pinch|drop|dash|tablet|capsule|pill|"
    r"vial|sachet|ampoule|puff)\b"
    r"|(?<!\w)(?:חצי|רבע|שליש|תריסר|הכפילו|הכפילי|הכפל|(?:חצו|חצה|חצי) את (?:המנה|הכמות|הכדור|"
    r"הטבליה))(?!\w)"
    r"|(?<!\w)(?:מדי|בכל|כל) (?:שעה|יום|לילה|בוקר|ערב|שבוע|חודש|שנה|ארוחה|מנה שנייה)(?!\w)"
    r"|\b(?:once|twice|one (?:\w+ )?time) (?:an?|per|every|each|daily|weekly)\b"
    r"|(?<!\w)(?:אחד|אחת|חצי \w+) (?:ב(?:יום|שבוע|שעה|לילה|בוקר|ערב)|כל |לפני |אחרי |ליום|פעם)"
    r"|(?<!\w)(?:פעם|פעמיים) (?:אחת )?(?:ב(?:יום|שבוע|שעה|חודש)|כל )",
    re.IGNORECASE,
)
"""An amount without a number: `one tablet a day`, `halve the dose`, `every other night`."""


def is_checkable(claim: Claim) -> bool:
    """Whether a claim is an instruction or code that can be read: it holds a figure or a name."""
    text = claim.content
    if claim.non_assertive is NonAssertive.CODE:
        return True
    if claim.non_assertive is not NonAssertive.INSTRUCTION:
        return False
    names = _NAME if claim.language == DEFAULT_LANGUAGE else _LATIN
    return (
        any(map(str.isdigit, text))
        or "`" in text
        or names.search(text) is not None
        or next(iter(find_figures(text, LEAST_NUMBER)), None) is not None
        or bool(find_times(folded(text)))
        or bool(code_tokens(text))
        or _DOSE.search(text) is not None
    )


def according_to_sources(text: str, language: str) -> str:
    """An instruction or code as what the sources say."""
    return _ACCORDING.get(language, _ACCORDING_ELSE) + text

"""Sentences that only say what is going to be done, such as `I need the price of a ticket first.`

What is not surely a plan asserts something: a sentence that also gives a result is none.
"""

import re

_LABEL = (
    r"(?:(?:step\s*\d+|thought|plan|action|reasoning|שלב\s*\d+|מחשבה|תכנית|תוכנית)\s*[:.)-]\s*)?"
)
_OPENING = (
    r"(?:(?:so|now|ok|okay|well|first|firstly|second|secondly|third|next|then|finally|lastly|"
    r"after that|before that|to begin|to start|also)\b,?\s+)*"
)
_ACTS = (
    "add|answer|ask|begin|calculate|check|combine|compare|compute|confirm|consider|convert|count|"
    "derive|determine|divide|establish|examine|figure|find|identify|inspect|know|list|locate|"
    "look|multiply|open|query|read|recall|retrieve|review|search|see|solve|start|subtract|sum|"
    "take|think|understand|use|verify|work"
)
_HURRY = r"(?:(?:now|next|first|then|just|also|simply)\s+)?"
_WHO = r"(?:i|we)"
_ENGLISH = re.compile(
    rf"{_LABEL}{_OPENING}(?:"
    rf"{_WHO}\s+{_HURRY}(?:(?:need|have|want|plan|ought|am going|are going)\s+to\s+{_HURRY}"
    rf"(?:{_ACTS})\b|need\s+(?:the|a|an|to|its|their|both|more)\b)"
    rf"|{_WHO}(?:'m|'re)\s+going\s+to\s+{_HURRY}(?:{_ACTS})\b"
    rf"|{_WHO}(?:'ll|\s+(?:will|shall|should|must|can|could))\s+{_HURRY}(?:{_ACTS})\b"
    rf"|let(?:'s|\s+(?:me|us))\s+{_HURRY}(?:{_ACTS})\b"
    rf"|(?:the|my|our)\s+(?:(?:next|first|last)\s+)?(?:step|plan|goal|task|idea)\s+is\s+to\s+\w+"
    rf"|to\s+(?:{_ACTS})\b[^,]*,\s*{_WHO}\b"
    rf"|it\s+(?:is|'s|remains)\s+(?:best|time|necessary|needed)?\s*to\s+(?:{_ACTS})\b"
    r")",
    re.IGNORECASE,
)
_OPENING_HE = (
    r"(?:(?:קודם כול|קודם כל|קודם|תחילה|ראשית|שנית|עכשיו|כעת|אחר כך|לאחר מכן|אז|לבסוף|"
    r"בשלב הבא|בשלב ראשון|לסיום)\s*,?\s+)*"
)
_ACTS_HE = (
    "לאתר|לבדוק|לבחון|לברר|לגלות|לדעת|להבין|להוסיף|להמיר|להשוות|לחבר|לחלק|לחסר|לחפש|לחשב|"
    "לכפול|למצוא|לספור|לעיין|לקרוא|לראות"
)
_FUTURE_HE = (
    "אאתר|אבדוק|אבחן|אברר|אוסיף|אחבר|אחלק|אחסר|אחפש|אחשב|אכפול|אמצא|אספור|אקרא|אשווה|"
    "נאתר|נבדוק|נברר|נוסיף|נחבר|נחסר|נחפש|נכפול|נספור|נשווה"
)
_HEBREW = re.compile(
    rf"{_LABEL}{_OPENING_HE}(?:"
    rf"(?:(?:אני|אנחנו|אנו)\s+)?(?:צריך|צריכה|צריכים|רוצה|רוצים|נצטרך|אצטרך|עליי|עלי|עלינו|"
    rf"יש|כדאי|נשאר|נותר|חייב|חייבים)\s+(?:{_ACTS_HE})\b"
    rf"|(?:{_FUTURE_HE})\b"
    r"|(?:בוא|בואו|הבה)\s+\w+"
    rf"|כדי\s+(?:{_ACTS_HE})\b[^,]*,\s*(?:אני|אנחנו|אנו|צריך|יש|נ\w+|א\w+)\b"
    r")"
)
_RESULT = re.compile(
    r"=|\bthat\b|\b(?:which|this|it)\s+(?:gives|makes|is|equals|means|leaves|yields)\b"
    r"|\bso\s+(?:the|it|that|there)\b|\b(?:because|since)\b|[;:].*\d|ולכן|שזה|כלומר|שווה|מכיוון",
    re.IGNORECASE,
)


def is_plan(sentence: str) -> bool:
    """Whether a sentence only says what its writer is going to do, and gives no result."""
    text = sentence.strip().replace("\u2019", "'")
    begins = _ENGLISH.match(text) or _HEBREW.match(text)
    return begins is not None and _RESULT.search(text, begins.end()) is None

"""What code names that a source can bear out: flags, parameters, paths and versions.

They stand in a text only as they are; a flag or a parameter also by its bare name.
"""

import re
from collections.abc import Sequence
from itertools import chain

_FLAG = re.compile(r"(?<![\w-])(?:--?[A-Za-z][\w-]{0,60}|/[A-Z]{1,2}(?![\w/]))")
_PARAMETER = re.compile(
    r"(?<![\w.$-])(?P<set>[A-Za-z_][\w.-]{1,60})"
    r"(?:=(?=[^\s=])|[ \t]{1,8}=[ \t]{1,8}(?=[\d\"']|(?:true|false|on|off)\b))"
    r"|^[ \t]{0,40}(?:- )?(?P<key>[A-Za-z_][\w.-]{1,60}):[ \t]+\S"
    r"|[\"'](?P<quoted>[A-Za-z_][\w.-]{1,60})[\"'][ \t]{0,8}:",
    re.IGNORECASE | re.MULTILINE,
)
"""`retries=9`, `retry_limit = 9`, `retries: 9`, `{"retries": 9}`. What is set to more than a plain
value, as in `client = connect()`, is a variable of the code's own."""
_PATH = re.compile(
    r"https?://[^\s\"'<>)]{1,300}"
    r"|(?<![\w/.:])(?:~|\.{1,2}|\$\w{1,30})?(?:/[\w.@+-]{1,100}){1,20}/?(?![\w/])"
    r"|(?<![\w/])[A-Za-z]:\\[\w\\.-]{1,200}"
    r"|(?<![\w/.-])[\w-]{1,60}\.(?:json|ya?ml|toml|conf|cfg|ini|sh|bat|ps1|py|js|ts|go|rs|java|txt|"
    r"md|csv|log|env|xml|html?|css|sql|lock|service|exe|jar|tar|gz|zip|key|pem)(?![\w/])"
)
_VERSION = re.compile(r"(?<![\w./])v\d{1,4}(?:\.\d{1,4}){0,3}(?![\w.]\w)")
_IN_TICKS = re.compile(
    r"`(?P<name>[A-Za-z]\w{0,40}(?:_|(?<=[a-z])(?=[A-Z])|[.-](?=\w))[\w.-]{1,40})`"
)
"""A name that no word is written like: `max_retries`, `maxRetries`."""
_TICKED = re.compile(r"`([^`\n]{1,300})`")
_THING = r"(?:flag|option|parameter|argument|switch|setting|command|path|file|key|version|field)s?"
_HAS = (
    "have|support|accept|take|offer|provide|recogni[sz]e|know|include|define|contain|list|mention"
)
_THERE_IS = "supported|available|accepted|recogni[sz]ed|documented|defined|mentioned|listed"
_ENDS = r"(?=[.,;:!?)]|\s*\Z| (?:in|for|of|to|here|at all|and|or)\b| ב)"
_DENIED_BEFORE = re.compile(
    rf"(?:(?<!with )(?<!default is )\bno|(?<!\bdo )(?:not|n't|never|cannot) (?:{_HAS})"
    r"(?: (?:an?|any|the))?"
    r"|\black(?:s|ed)?(?: (?:an?|any|the))?"
    r"|(?<!\w)(?:אין|לא (?:קיים|קיימת)"
    r"|(?:לא|אינו|אינה) (?:תומך|תומכת|מקבל|מקבלת|מכיר|מכירה)(?: ב-?)?))"
    rf"(?: (?:such|as|{_THING}|ה?(?:דגל|אפשרות|פרמטר)|named|called|בשם)){{0,4}}[ -]?\Z",
    re.IGNORECASE,
)
_DENIED_BEFORE_ENDS = re.compile(rf"(?: {_THING})?(?:{_ENDS}| (?:is|are) (?:{_THERE_IS})\b)")
"""`There is no`, `does not support the flag`: they deny that there is what follows them."""
_DENIED_BEHIND = re.compile(
    rf"(?: {_THING})? (?:(?:does not|doesn't|do not|don't) exist"
    r"|(?:is not|isn't|are not|aren't) (?:an? |any )?(?:valid |known |real |existing )?"
    rf"(?:{_THING}|{_THERE_IS})"
    r"|(?:לא|אינו|אינה) (?:קיים|קיימת|נתמך|נתמכת|מוכר|מוכרת))"
    r"(?=[.,;:!?)]|\s*\Z| (?:in|by(?! default)|here|at all)\b)",
    re.IGNORECASE,
)
"""`does not exist`, `is not a valid flag`: they deny it of what stands before them."""
_ASSUMED = re.compile(
    r"\b(?:if|when|unless|where|should)\b[^.;]*\Z|(?<!\w)אם [^.;]*\Z", re.IGNORECASE
)
"""`If there is no` takes it that there may be."""
_DENIAL_CHARACTERS = 80
_SHORT = 3
"""A shorter name is looked up only with its marks: `-v`."""


def code_tokens(text: str) -> tuple[str, ...]:
    """The flags, parameters, paths and versions of a text, distinct, in its order."""
    found = {
        match.start(): match.group().rstrip(".")
        for match in chain(_FLAG.finditer(text), _VERSION.finditer(text))
    }
    for match in _PARAMETER.finditer(text):
        named = match.lastindex or 0
        found[match.start(named)] = match[named]
    for match in _IN_TICKS.finditer(text):
        found[match.start("name")] = match["name"]
    for match in _PATH.finditer(text):
        found[match.start()] = match.group().rstrip(".")
    letters = (token for _, token in sorted(found.items()) if any(map(str.isalpha, token)))
    return tuple(dict.fromkeys(letters))


def ticked_tokens(text: str) -> tuple[str, ...]:
    """Those that stand between back-ticks in a sentence. A lone name there may be any word.

    What the sentence says there is not is left out: no source that bears it out need name it.
    """
    told = (each for each in _TICKED.finditer(text) if not _is_denied(text, each))
    return tuple(dict.fromkeys(chain.from_iterable(code_tokens(each[1]) for each in told)))


def _is_denied(text: str, ticked: re.Match[str]) -> bool:
    before = text[max(0, ticked.start() - _DENIAL_CHARACTERS) : ticked.start()]
    behind = text[ticked.end() : ticked.end() + _DENIAL_CHARACTERS]
    if _ASSUMED.search(before):
        return False
    is_object = _DENIED_BEFORE.search(before) and _DENIED_BEFORE_ENDS.match(behind)
    return bool(is_object or _DENIED_BEHIND.match(behind))


def missing_from(sources: Sequence[str], tokens: Sequence[str]) -> tuple[str, ...]:
    """Those tokens that no source has."""
    return tuple(token for token in tokens if not any(_has(source, token) for source in sources))


def _has(source: str, token: str) -> bool:
    bare = token.lstrip("-")
    return _stands_in(source, token) or (len(bare) >= _SHORT and _stands_in(source, bare))


def _stands_in(source: str, token: str) -> bool:
    at = source.find(token)
    while at >= 0:
        end = at + len(token)
        whole = not _goes_on(source[at - 1 : at]) and not _goes_on(source[end : end + 1])
        if whole or not (token[0].isalnum() or token[-1].isalnum()):
            return True
        at = source.find(token, at + 1)
    return False


def _goes_on(character: str) -> bool:
    return character.isalnum() or character in ("_", "-")

"""What of a claim can be left out so that it says less, and never more, than it did."""

import re
from collections.abc import Sequence

from groundwire_verifier.checks.explanations.constituents import (
    MOST_LOOKED_AT,
    Constituent,
    constituents,
    tails,
)
from groundwire_verifier.domain.claims import Span
from groundwire_verifier.text.claims.wording import english as en
from groundwire_verifier.text.claims.wording import hebrew as he
from groundwire_verifier.text.claims.wording.english_verbs import is_finite, may_be_third
from groundwire_verifier.text.claims.wording.sentence import (
    is_english,
    language_of,
    read_words,
    word_set,
)
from groundwire_verifier.text.quantities.dates import MONTH_NAMES
from groundwire_verifier.text.quantities.values import stated
from groundwire_verifier.verdicts.types import SpanKind

_RESTRICTS = re.compile(
    r"\b(?:if|unless|only|except|excluding|until|when|while|before|after|provided|without|but|apart"
    r"|aside|other than|save|bar|barring|besides|as \w+ as|assuming|given|subject|in case|at least"
    r"|depending|under|consent|approval|condition)\b"
    r"|(?<!\w)[ובלמהכ]{0,2}(?:אם|אלא|רק|למעט|חוץ|עד|כאשר|בתנאי|תנאי|לפני|אחרי|לאחר|בלי|ללא|אבל|אך|כש\w+"
    r"|פרט|מלבד|כפוף|כל עוד|הנחה|להוציא|אישור|הסכמת|הסכמה|תלוי)(?!\w)",
    re.IGNORECASE,
)
_RESTRICTS_FIRST = re.compile(
    r"[\s,;(]*(?:(?:or|nor|for(?! which\b| whom\b))\b|(?:או|עבור|בשביל)(?!\w))", re.IGNORECASE
)
_GENERAL = re.compile(
    r"\b(?:all|each|any|every|(?:any|every)(?:one|body|thing|where)|always|only|most(?:ly)?|usually"
    r"|both|few|no|none|nobody|nothing|nowhere|(?-i:may)|can|could|allowed|permitted|or)\b"
    r"|(?<!\w)[ובלמשהכ]{0,2}(?:כל|כולם|כולן|תמיד|רק|רוב|מרבית|לרוב|מותר|מותרת|רשאי\w*|יכול\w*|ניתן|אפשר"
    r"|או|לא|אין|אינ\w+|אף|מעולם|לעולם)(?!\w)",
    re.IGNORECASE,
)
"""A claim with such a word can say more once a part is gone: `All shops close on Sundays.`"""
_SUBORDINATE = re.compile(
    r"(?:if|when|while|once|since|as|because|although|though|unless|until|after|before)\b"
    r"|(?:אם|כאשר|כש\w+|מכיוון|מאחר|אף|אחרי|לאחר|לפני)(?!\w)",
    re.IGNORECASE,
)
_LEADS = re.compile(r"[במ](?:-?\d|[א-ת]{2,})|ל(?:אחרונה|בסוף|פי|עומת)(?!\w)|היום|כעת|כיום|עם(?!\w)")
_LEADING = word_set(
    "today yesterday tomorrow now then later meanwhile however overall finally first instead also "
    "moreover currently originally recently eventually afterwards there here unlike despite per"
)
_CONDITION = re.compile(r"if\b|אם(?!\w)", re.IGNORECASE)
_ADDS = re.compile(r"[\s,;]*(?:and\b\s*|\u05d5(?=\w))", re.IGNORECASE)
_EXPLAINS = re.compile(
    r"(?:(?:\w+ of|of|for|in|by|to|with|from|at|on) )?(?:which|whom)\b|(?:who|whose)\b"
    r"|\w+ of them\b|as (?:the|an?|it|he|she|they|we) (?:\w+ ){0,4}(?:is|are|was|were|said)\b"
    r"|וב(?:הם|הן|יניהם|יניהן)(?!\w)",
    re.IGNORECASE,
)
"""What a comma sets off so tells more of what is named, or why, and restricts nothing."""
_EXPLAINED = re.compile(rf",\s*(?:{_EXPLAINS.pattern}|ש\w{{3,}})", re.IGNORECASE)
"""What is before it may be what it tells more of."""
_LEANS = re.compile(r"(?:of )?(?:which|whom|them)\b|(?:as|per)\b", re.IGNORECASE)
"""What begins so stands for nothing without the word before it, unless a comma sets it off."""
_PREDICATES = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|could|will|would|(?-i:may)|might|must|should|does|do|did)\b",
    re.IGNORECASE,
)
"""Behind a comma, and within a phrase, they belong to what the claim began with."""
_OWN_CLAUSE = re.compile(
    r"(?:and|but|who|that|where|when|while|because|since|so|after|before|until|to)\b", re.IGNORECASE
)
_NEEDS_MORE = word_set(
    "a after against along among an and are as at be because been before behind being beneath "
    "between but by during for from had has have if in instead into is like nor of on onto or "
    "since spite than that the to toward towards under until up upon via was were when where "
    "which while who with within without "
    "את של על עם או גם וגם כמו כי כדי מאשר אבל אך אם עד ועד בין לפי במשך אחרי לפני ובהם ובהן "
    "תמורת כלפי לגבי הוא היא הם הן"
)
"""Words that a claim does not end with, nor a phrase of it."""
_GOES_ON = re.compile(
    r"(?:and|or|of|than|that|who|whose|which|where)\b|(?:to|until|till|through)\s+\d|(?:או|של|עד|מאשר)(?!\w)|\u05d5\w",
    re.IGNORECASE,
)
"""What follows so goes on with what is before it."""
_ENDS_A_RANGE = re.compile(
    r"(?:to|and|or|until|till|through)\b|(?:או|\u05d5?עד)(?!\w)|[ול]", re.IGNORECASE
)
"""Before a value it goes on with the one before: `3 to 4 days`, `7 votes to 5`."""
_PAIRS = re.compile(
    r"\b(?:between|both|either|neither)\s+(?:\S+\s+){1,5}\Z|(?<!\w)\u05d5?ש?בין\s+(?:\S+\s+){1,5}\Z",
    re.IGNORECASE,
)
_SECOND_OF_A_PAIR = re.compile(r"(?:and|or|nor)\b|[ול]-?\w|או(?!\w)", re.IGNORECASE)
_FROM_A_TIME = re.compile(
    rf"\bfrom\s+(?:{MONTH_NAMES}|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\s+\Z"
    rf"|(?<!\w)מ(?:{MONTH_NAMES}|יום\s+\w+)\s+\Z",
    re.IGNORECASE,
)
"""What is open from May to July is not open from May on."""
_WORDS = re.compile(r"\w+(?:[\"'\u05f3\u05f4-]\w+)*")
_MAY_BE_A_VERB = re.compile(
    r"(?!ב(?:שנ|חודש|יום|ימי|שבוע|מהלך|תחיל|סוף|אמצע|עקבות|אמצעות|ידי|גלל)|ל(?:אחר|פני|פי|שם)(?!\w)|מאז)"
    r"(?:[ובלש][א-ת]{3,}|מ[א-ת]{4,})"
)
"""A Hebrew word with a letter before it, or a verb that begins so."""
_VERBS = he.PASTS | he.COPULAS | he.PREDICATES
_AMOUNTS = re.compile(
    r"\b(?:no|not) (?:more|less|fewer|later|earlier|longer) than\b", re.IGNORECASE
)
"""They deny nothing."""
_LEFT_OUT = (SpanKind.CAUSE, SpanKind.DETAIL, SpanKind.DATE)
_VALUES = (SpanKind.NUMBER, SpanKind.DATE)


def clauses(claim: str) -> list[Constituent]:
    """The parts without which a claim says less than it did, those that commas set off first.

    Without a condition it would say more, and so it may without a part of what is denied or said of
    all, unless commas set that off and it explains. What restricts is not known in a language
    without rules.
    """
    found: dict[str, tuple[bool, int, int, Constituent]] = {}
    if language_of(claim) != "he" and not is_english(claim):
        return []
    parts = constituents(claim, MOST_LOOKED_AT)
    values = [part.span for part in parts if part.kind in _VALUES]
    for part in (*parts, *tails(claim)):
        cut = part.cut.of(claim)
        explains = part.kind is SpanKind.CAUSE or _EXPLAINS.match(part.span.of(claim)) is not None
        if part.kind not in _LEFT_OUT or part.other.strip() or _restricts(cut, explains=explains):
            continue
        is_set_off = _is_set_off(claim, part.span)
        if _is_torn(claim, part, is_set_off=is_set_off) or _tears_a_pair(claim, part.cut, values):
            continue
        if part.kind is not SpanKind.CAUSE and _loses_its_verb(claim, part, is_set_off=is_set_off):
            continue
        if is_set_off and not explains and _is_main(claim, part.span):
            continue
        is_apart = is_set_off or part.kind is SpanKind.CAUSE
        # Within a condition less is a weaker condition.
        before = claim[: part.span.start].rpartition(",")[2]
        is_open = _is_open(part.without) or _RESTRICTS.search(before) is not None
        if (is_set_off and explains) or not is_open:
            place = (0, 0) if is_apart else (-part.span.start, -part.span.end)
            found.setdefault(part.without, (not is_apart, *place, part))
    return [part for *_, part in sorted(found.values(), key=lambda each: each[:3])]


def _is_open(text: str) -> bool:
    """Whether a text denies, or speaks of all: with a part less, it may say more."""
    left = _AMOUNTS.sub("", text)
    return stated(left).negations > 0 or _GENERAL.search(left) is not None


def _is_torn(claim: str, part: Constituent, *, is_set_off: bool) -> bool:
    """Whether the words around a part, or its own, stand for nothing without each other."""
    own = part.span.of(claim)
    if is_set_off and _PREDICATES.match(own):
        return True
    has_clause = part.kind is SpanKind.CAUSE or _OWN_CLAUSE.match(own) is not None
    if not is_set_off and (_LEANS.match(own) or (not has_clause and _PREDICATES.search(own))):
        return True
    before = claim[: part.cut.start].rsplit(None, 1)[-1:]
    behind = claim[part.cut.end :].lstrip()
    if any(word.casefold() in _NEEDS_MORE for word in before):
        return True
    if is_set_off:
        return False
    # What stands behind the first words of a clause that a comma begins goes with them.
    begins_clause = claim[: part.cut.start].rstrip().endswith(",")
    return begins_clause or bool(_GOES_ON.match(behind) or _EXPLAINED.match(behind))


def _tears_a_pair(claim: str, cut: Span, values: Sequence[Span]) -> bool:
    """Whether a part of a value goes, or the second of two that are one thing."""
    held = [each for each in values if cut.start <= each.start and each.end <= cut.end]
    if any(each.overlaps(cut) for each in values if each not in held):
        return True
    own = cut.of(claim).lstrip()
    if _SECOND_OF_A_PAIR.match(own) and _PAIRS.search(f"{claim[: cut.start].rstrip()} "):
        return True
    joined = _ENDS_A_RANGE.match(own)
    if joined is not None and _FROM_A_TIME.search(f"{claim[: cut.start].rstrip()} "):
        return True
    if joined is None or not held:
        return False
    start = cut.end - len(own) + joined.end()
    follows = not claim[start : min(held).start].strip(" -")
    before = [each.end for each in values if each.end <= cut.start]
    return follows and bool(before) and len(claim[max(before) : cut.start].split()) <= 1


def _loses_its_verb(claim: str, part: Constituent, *, is_set_off: bool) -> bool:
    """Whether what is left has no verb of its own, as far as the words tell."""
    cut, whole = part.cut, Span(0, len(claim))
    is_last = not any(map(str.isalnum, claim[cut.end :]))
    # A clause behind the first comma explains; the statement itself comes later.
    told = _EXPLAINED.search(claim, 0, cut.start)
    if is_set_off and told is None:
        return False
    if language_of(claim) == "he":
        return is_last if is_set_off else _may_be_the_verb(claim, part.span)
    sentence = read_words(claim, whole)
    verbs: list[int] = []
    is_within = False
    for at, word in enumerate(sentence.words):
        # What a clause within the claim does is not what the claim says.
        is_within = word.lower in en.SUBORDINATORS or (is_within and "," not in word.gap)
        if not is_within and (is_finite(sentence, at) or may_be_third(sentence, at)):
            verbs.append(word.start)
    apart = [_clause_at(claim, match.start()) for match in _EXPLAINED.finditer(claim)]
    verbs = [at for at in verbs if not any(each.start <= at < each.end for each in apart)]
    if verbs:
        return all(cut.start <= at < cut.end for at in verbs)
    return not is_last or told is not None


def _clause_at(claim: str, comma: int) -> Span:
    """From a comma to the next one, or to the end."""
    end = claim.find(",", comma + 1)
    return Span(comma, len(claim) if end < 0 else end)


def _may_be_the_verb(claim: str, part: Span) -> bool:
    """Whether a part begins with the first Hebrew word that is a phrase, or the verb: `בנתה` is no
    `נתה` with a letter before it."""
    words = list(_WORDS.finditer(claim))
    first = next((i for i, each in enumerate(words) if not _MAY_BE_A_VERB.match(each.group())), 0)
    for each in words[first:]:
        if each.group() in _VERBS:
            return False
        if _MAY_BE_A_VERB.match(each.group()):
            return each.start() == part.start
    return False


def _is_main(claim: str, part: Span) -> bool:
    """Whether a part follows a clause that the claim begins with and that says nothing alone."""
    before = claim[: part.start].rstrip(" ,")
    if "," in before:
        return False
    if _SUBORDINATE.match(before) is None:
        return _says_when_or_where(before)
    sentence = read_words(claim, part)
    words = range(len(sentence.words))
    has_verb = sentence.lower(0) in en.PRONOUNS or any(is_finite(sentence, at) for at in words)
    # What is asked for on a condition begins with no form of a verb that is known.
    return has_verb or _CONDITION.match(before) is not None


def _says_when_or_where(words: str) -> bool:
    """Whether words before a comma have no verb, and lead to one: `From May on`, `Today`."""
    if language_of(words) == "he":
        return _LEADS.match(words) is not None
    sentence = read_words(words, Span(0, len(words)))
    first = sentence.lower(0)
    has_verb = any(
        is_finite(sentence, at) or may_be_third(sentence, at) for at in range(len(sentence.words))
    )
    return not has_verb and (first in en.PREPOSITIONS or first in _LEADING)


def _restricts(part: str, *, explains: bool) -> bool:
    """Whether a part says when or of what the rest holds. One that adds something does not, though
    it has a condition of its own."""
    if _RESTRICTS_FIRST.match(part) or (_is_open(part) and not explains):
        return True
    added = _ADDS.match(part)
    if added is None:
        return _RESTRICTS.search(part) is not None
    return _RESTRICTS.match(part, added.end()) is not None


def _is_set_off(claim: str, part: Span) -> bool:
    before, behind = claim[: part.start].rstrip(" ,"), claim[part.end :].lstrip()
    return "," in claim[len(before) : part.start + 1] and behind[:1] in ("", *",.!?;")

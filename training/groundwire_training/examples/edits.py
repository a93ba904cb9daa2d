"""Near misses: a true claim with one thing changed, so that its evidence no longer supports it.

Rules on words, for English; those for Hebrew are apart. An edit never makes a word of the claim's
own evidence true by accident: what is put in comes from elsewhere.
"""

import calendar
import itertools
import random
import re
from collections.abc import Callable, Mapping, Sequence

from groundwire_training.examples.bounds import is_bound
from groundwire_training.examples.hebrew import HEBREW_EDITS
from groundwire_training.examples.numbers import NUMBER

_NAME = re.compile(r"\b(?:[A-Z][\w'’-]+)(?:\s+(?:of|the|de|van|von|and)?\s*[A-Z][\w'’-]+)*")
_ORDERED = re.compile(r"\b(?:\w+ed|by|from|to|than|of)\b")
_MONTHS = tuple(calendar.month_name)[1:]
_OPPOSITES = [
    ("increase", "decrease"), ("increased", "decreased"), ("increases", "decreases"),
    ("rose", "fell"), ("higher", "lower"), ("more", "less"), ("most", "fewest"), ("first", "last"),
    ("before", "after"), ("older", "younger"), ("larger", "smaller"), ("largest", "smallest"),
    ("early", "late"), ("earlier", "later"), ("north", "south"), ("northern", "southern"),
    ("east", "west"), ("eastern", "western"), ("male", "female"), ("man", "woman"),
    ("father", "mother"), ("son", "daughter"), ("brother", "sister"), ("husband", "wife"),
    ("won", "lost"), ("winner", "runner-up"), ("accepted", "rejected"), ("agreed", "refused"),
    ("agrees", "refuses"), ("approved", "rejected"), ("supports", "opposes"),
    ("supported", "opposed"), ("with", "without"), ("can", "cannot"), ("always", "never"),
    ("all", "none"), ("many", "few"), ("better", "worse"), ("best", "worst"), ("good", "bad"),
    ("success", "failure"), ("successful", "unsuccessful"), ("positive", "negative"),
    ("public", "private"), ("buy", "sell"), ("bought", "sold"), ("open", "closed"),
    ("opened", "closed"), ("joined", "left"), ("began", "ended"), ("started", "stopped"),
    ("born", "buried"), ("teacher", "student"), ("employer", "employee"), ("parent", "child"),
    ("above", "below"), ("inside", "outside"), ("easy", "difficult"), ("fast", "slow"),
    ("cheap", "expensive"), ("strong", "weak"), ("interested", "uninterested"),
    ("satisfied", "dissatisfied"), ("outperforms", "underperforms"), ("improves", "worsens"),
    ("same", "different"), ("similar", "different"), ("necessary", "unnecessary"),
    ("introduced", "abolished"), ("created", "destroyed"), ("founded", "dissolved"),
]  # fmt: skip
_SWAPS = dict(_OPPOSITES) | {b: a for a, b in _OPPOSITES}
_NEGATED = {
    "is": "is not", "are": "are not", "was": "was not", "were": "were not", "has": "has not",
    "have": "have not", "had": "had not", "will": "will not", "can": "cannot", "did": "did not",
    "does": "does not", "could": "could not", "would": "would not", "should": "should not",
}  # fmt: skip
_PASTS = [
    ("removed", "remove"), ("released", "release"), ("included", "include"), ("won", "win"),
    ("started", "start"), ("became", "become"), ("made", "make"), ("received", "receive"),
    ("played", "play"), ("moved", "move"), ("wrote", "write"), ("published", "publish"),
    ("married", "marry"), ("died", "die"), ("joined", "join"), ("opened", "open"),
    ("founded", "found"), ("directed", "direct"), ("produced", "produce"), ("signed", "sign"),
    ("appeared", "appear"), ("worked", "work"), ("studied", "study"), ("served", "serve"),
    ("lived", "live"), ("met", "meet"), ("took", "take"), ("gave", "give"), ("led", "lead"),
    ("held", "hold"), ("wanted", "want"), ("used", "use"), ("developed", "develop"),
    ("created", "create"), ("reached", "reach"), ("returned", "return"), ("agreed", "agree"),
    ("refused", "refuse"), ("found", "find"), ("began", "begin"), ("ended", "end"),
    ("left", "leave"), ("said", "say"), ("called", "call"), ("asked", "ask"), ("kept", "keep"),
    ("sold", "sell"), ("bought", "buy"), ("built", "build"), ("grew", "grow"), ("fell", "fall"),
    ("rose", "rise"), ("increased", "increase"), ("decreased", "decrease"), ("helped", "help"),
    ("attended", "attend"), ("graduated", "graduate"), ("starred", "star"), ("ran", "run"),
    ("recorded", "record"), ("changed", "change"), ("stopped", "stop"), ("supported", "support"),
]  # fmt: skip
_NOT_PAST = {past: f"did not {base}" for past, base in _PASTS}
_PAST = {negated: past for past, negated in _NOT_PAST.items()}
_POSITIVE = {negated: plain for plain, negated in _NEGATED.items()}
_UNITS = [
    ("million", "billion"), ("thousand", "million"), ("kilometres", "metres"),
    ("kilometers", "meters"), ("miles", "feet"), ("hours", "minutes"), ("days", "weeks"),
    ("months", "years"), ("weeks", "months"), ("years", "decades"),
    ("dollars", "euros"), ("seconds", "minutes"),
]  # fmt: skip
_UNIT_SWAPS = dict(_UNITS) | {b: a for a, b in _UNITS}
_OVERCLAIMS = [
    ("some", "all"), ("many", "all"), ("most", "all"), ("often", "always"), ("may", "must"),
    ("might", "will"), ("one of the", "the"), ("several", "all"),
    ("sometimes", "always"), ("usually", "always"), ("nearly", "more than"),
]  # fmt: skip
_DENIED = re.compile(
    r"(?:\b(?:not|never|no|nor|neither|cannot|without)|n['’]t)\s+(?:\w+\s+)?$", re.I
)
"""Before a word whose opposite says no less: what did not open may not have closed either."""
_INFINITIVE = re.compile(
    r"\b(?:to|do|does|did|will|would|can|could|may|might|must|shall|should|let|helped?)\s+$", re.I
)
_AT = re.compile(r"\bat\s+$", re.I)

Fits = Callable[[re.Match[str]], bool]
"""Whether a word that a rule has found is one that it may change."""
Edit = Callable[[str, Sequence[str], random.Random], str | None]
"""From a claim and names of elsewhere to the changed claim, or None where the rule does not fit."""


def near_miss(
    claim: str, names: Sequence[str], rng: random.Random, language: str = "en"
) -> tuple[str, str] | None:
    """A changed claim and the rule that changed it, or None where no rule fits.

    A language without rules of its own has none.
    """
    rules = list(_RULES.get(language, {}).items())
    rng.shuffle(rules)
    for name, edit in rules:
        changed = edit(claim, names, rng)
        if changed is not None and changed != claim:
            return changed, name
    return None


def names_in(text: str) -> list[str]:
    """Capitalised names that do not begin a sentence, each once."""
    found = []
    for match in _NAME.finditer(text):
        before = text[: match.start()].rstrip()
        if before and before[-1] not in ".!?:\n\"'" and match.group() not in _MONTHS:
            found.append(match.group())
    return list(dict.fromkeys(found))


def _number(claim: str, _: Sequence[str], rng: random.Random) -> str | None:
    matches = [m for m in NUMBER.finditer(claim) if not is_bound(claim, m.start(), m.end())]
    if not matches:
        return None
    match = rng.choice(matches)
    digits = match.group().replace(",", "")
    if "." in digits:
        changed = (
            f"{float(digits) * rng.choice((0.5, 0.8, 1.2, 2.0)):.{len(digits.split('.')[1])}f}"
        )
    else:
        value = int(digits)
        is_year = 1000 <= value <= 2100 and "," not in match.group()
        steps = (-30, -10, -3, -2, -1, 1, 2, 3, 10, 20) if is_year else (-3, -2, -1, 1, 2, 3, 5)
        step = rng.choice(steps)
        scaled = (
            value + step if is_year or value < 20 else round(value * rng.choice((0.5, 0.7, 1.3, 2)))
        )
        changed = f"{max(scaled, 0):,}" if "," in match.group() else str(max(scaled, 0))
    return claim[: match.start()] + changed + claim[match.end() :]


def _month(claim: str, _: Sequence[str], rng: random.Random) -> str | None:
    others = {m: rng.choice([o for o in _MONTHS if o != m]) for m in _MONTHS}
    # Written small, "may" and "march" are no months.
    return _replace_word(
        claim,
        others,
        rng,
        lambda m: m.group()[0].isupper() and not is_bound(claim, m.start(), m.end()),
    )


def _name(claim: str, names: Sequence[str], rng: random.Random) -> str | None:
    own = [m for m in _NAME.finditer(claim) if len(m.group()) > 3]
    own = own[1:] or own
    others = [name for name in names if name not in claim]
    if not own or not others:
        return None
    match = rng.choice(own)
    # A name of about the same length is more likely of the same kind.
    near = sorted(others, key=lambda name: abs(len(name) - len(match.group())))[:5]
    return claim[: match.start()] + rng.choice(near) + claim[match.end() :]


def _roles(claim: str, _: Sequence[str], rng: random.Random) -> str | None:
    found = [m for m in _NAME.finditer(claim) if len(m.group()) > 3]
    # Between "and", "or" or commas the order means nothing.
    pairs = [
        (a, b)
        for a, b in itertools.pairwise(found)
        if a.group() != b.group() and _ORDERED.search(claim[a.end() : b.start()])
    ]
    if not pairs:
        return None
    a, b = rng.choice(pairs)
    between = claim[a.end() : b.start()]
    return f"{claim[: a.start()]}{b.group()}{between}{a.group()}{claim[b.end() :]}"


def _opposite(claim: str, _: Sequence[str], rng: random.Random) -> str | None:
    def fits(match: re.Match[str]) -> bool:
        before = claim[: match.start()]
        if _DENIED.search(before) or _AT.search(before):
            return False
        # It is an adjective in the table: its opposite is no verb.
        return match.group().lower() != "open" or not _INFINITIVE.search(before)

    return _replace_word(claim, _SWAPS, rng, fits)


def _unit(claim: str, _: Sequence[str], rng: random.Random) -> str | None:
    return _replace_word(claim, _UNIT_SWAPS, rng, lambda m: not is_bound(claim, m.start(), m.end()))


def _overclaim(claim: str, _: Sequence[str], rng: random.Random) -> str | None:
    # "May" is the month, and "at most" no claim about most.
    return _replace_word(
        claim,
        dict(_OVERCLAIMS),
        rng,
        lambda m: m.group() != "May" and not _AT.search(claim[: m.start()]),
    )


def _negation(claim: str, _: Sequence[str], rng: random.Random) -> str | None:
    # "did not win" before "did not": the longer one says the verb itself.
    undone = _replace_word(claim, _PAST, rng) or _replace_word(claim, _POSITIVE, rng)
    first, second = rng.sample((_NEGATED, _NOT_PAST), k=2)
    return undone or _replace_word(claim, first, rng) or _replace_word(claim, second, rng)


def _replace_word(
    claim: str, table: dict[str, str], rng: random.Random, fits: Fits = bool
) -> str | None:
    """One of the table's words that fits replaced; every match does, if nothing else is said."""
    found = [
        (match, after)
        for before, after in table.items()
        # No part of "can't" is a word.
        for match in re.finditer(rf"\b{re.escape(before)}\b(?!['’]t\b)", claim, re.IGNORECASE)
        if fits(match)
    ]
    if not found:
        return None
    match, after = rng.choice(found)
    after = after.capitalize() if match.group()[0].isupper() and after[0].islower() else after
    return claim[: match.start()] + after + claim[match.end() :]


EDITS: dict[str, Edit] = {
    "number": _number,
    "month": _month,
    "name": _name,
    "roles": _roles,
    "opposite": _opposite,
    "unit": _unit,
    "overclaim": _overclaim,
    "negation": _negation,
}
_RULES: dict[str, Mapping[str, Edit]] = {"en": EDITS, "he": HEBREW_EDITS}

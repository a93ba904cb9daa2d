"""The labels in a list of the most likely next tokens, with bounds for what fell out of it.

An endpoint tells the probabilities of its k most likely tokens only. A form of a label that is not
among them is not impossible: it is censored, at most as likely as the least likely token of the
list. So a label has a range, and so has the probability.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from groundwire_verifier.domain.errors import ImplausibleAnswerError
from groundwire_verifier.domain.labels import SURFACE_FORMS
from groundwire_verifier.domain.types import Bounds, Label, LabelNats
from groundwire_verifier.numbers.intervals import Interval

TOLERANCE = 1e-3
"""How far above 1 the listed probabilities may add up to, by rounding."""

ROUNDING = 1e-6
"""What is left of 1 at the least: an endpoint that says 1 has rounded."""

NOT_TOLD_NATS = -1000.0
"""At or below this a log-probability stands for one that is not told, as -9999 does."""

WORD_MARKS = "\u0120\u2581"
"""How tokenisers like those of GPT and of Llama write a space, where a server does not undo it."""


@dataclass(frozen=True, slots=True)
class ListedToken:
    """One of the most likely next tokens: its text, and ln P of it in nats."""

    text: str
    nats: float


def started_forms(text: str) -> dict[Label, frozenset[str]]:
    """The surface forms of each label that a token can be the start of; empty for most tokens.

    As for a model on this machine, a form of several tokens counts by its first one: `Y` starts
    `YES`. A form with a space before it, and the same without, are two.
    """
    word = text.replace(WORD_MARKS[0], " ").replace(WORD_MARKS[1], " ")
    spaced = word[:1] == " "
    word = word.strip()
    if not word.isalpha():
        return {}
    found = {
        label: frozenset(
            form
            for form in forms
            if form.strip().startswith(word) and form.startswith(" ") == spaced
        )
        for label, forms in SURFACE_FORMS.items()
    }
    return {label: forms for label, forms in found.items() if forms}


def read_labels(tokens: Sequence[ListedToken]) -> tuple[LabelNats, Bounds]:
    """The log-probabilities of the labels in nats, and in which range what follows from them lies.

    A label without a listed form has its bound for a value, and never zero. Raises
    ImplausibleAnswerError for what cannot be a list of probabilities.
    """
    listed = _checked(tokens)
    least = min(listed.values())
    rest = max(ROUNDING, 1.0 - math.fsum(listed.values()))
    sums = dict.fromkeys(Label, 0.0)
    unlisted = {label: set(forms) for label, forms in SURFACE_FORMS.items()}
    for text, share in listed.items():
        for label, forms in started_forms(text).items():
            sums[label] += share
            unlisted[label] -= forms
    # Each form that is not listed is at most as likely as the last of the list, and all that is not
    # listed has what is left together.
    hidden = {label: min(rest, len(unlisted[label]) * least) for label in Label}
    yes = Interval(min(1.0, sums[Label.YES]), min(1.0, sums[Label.YES] + hidden[Label.YES]))
    no = Interval(min(1.0, sums[Label.NO]), min(1.0, sums[Label.NO] + hidden[Label.NO]))
    missing = [label for label in Label if sums[label] == 0.0]
    shares = {
        label: min(hidden[label], rest / len(missing)) if label in missing else sums[label]
        for label in Label
    }
    nats = LabelNats(*(_ln(shares[label]) for label in (Label.YES, Label.NO, Label.UNSURE)))
    mass_low = min(1.0, yes.low + no.low)
    mass_high = min(1.0, mass_low + min(rest, hidden[Label.YES] + hidden[Label.NO]))
    probability = Interval(_share(yes.low, no.high, 0.0), _share(yes.high, no.low, 1.0))
    return nats, Bounds(probability, Interval(mass_low, mass_high))


def _checked(tokens: Sequence[ListedToken]) -> dict[str, float]:
    """The probabilities by text; a token that is listed twice in the same way is one."""
    listed: dict[str, float] = {}
    for text, nats in dict.fromkeys((token.text, token.nats) for token in tokens):
        # Written so that NaN is refused, too.
        if not nats <= TOLERANCE:
            raise ImplausibleAnswerError("a log-probability is above 0 or no number")
        if nats > NOT_TOLD_NATS:
            listed[text] = listed.get(text, 0.0) + min(1.0, math.exp(nats))
    if not listed or max(listed.values()) == 0.0:
        raise ImplausibleAnswerError("it lists no token with a probability")
    if math.fsum(listed.values()) > 1.0 + TOLERANCE:
        raise ImplausibleAnswerError("the probabilities of its tokens add up to more than 1")
    return listed


def _share(part: float, other: float, empty: float) -> float:
    return part / (part + other) if part + other > 0.0 else empty


def _ln(share: float) -> float:
    return math.log(share) if share > 0.0 else -math.inf

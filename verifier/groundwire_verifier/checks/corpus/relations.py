"""What a passage is to a claim: the model's reading, and what differs in an alike sentence.

The model chooses among YES, NO and UNSURE. Where its reading is not firm, a number, a date, a name
or a denial that differs in an otherwise alike sentence decides a contradiction, and the relation
says so; and a NO to a sentence that holds all words of the claim, and differs in nothing, is none.
"""

from datetime import date, timedelta

from groundwire_verifier.checks.corpus.comparison import Comparison
from groundwire_verifier.checks.corpus.findings import (
    Contradiction,
    DecidedBy,
    RelatedPassage,
    Relation,
)
from groundwire_verifier.checks.corpus.passages import Passage
from groundwire_verifier.verdicts.types import Stance

MIN_SUPPORT, MIN_WEAK_SUPPORT = 0.7, 0.4
"""The shares of YES, in [0, 1], from which a passage supports a claim, and supports it weakly."""
MIN_CONTRADICTION = 0.5
"""The share of NO from which a passage contradicts a claim."""
FIRM = 0.95
"""The share of YES or NO from which no rule on what differs overrules the model."""
MIN_SHARED_WORDS = 0.6
"""The share of a claim's words that a passage has whose NO counts: a small model says NO to what is
merely near."""
OLD_AFTER = timedelta(days=730)


def is_old(passage: Passage, today: date) -> bool:
    """Whether the document of a passage is too old to go unmarked."""
    return passage.dated is not None and today - passage.dated > OLD_AFTER


def relate(
    passage: Passage,
    compared: Comparison,
    stance: Stance | None,
    *,
    is_old: bool,
) -> RelatedPassage:
    """What a passage is to the claim that it was compared with.

    `stance` is None where the model gave no answer: then nothing is known, whatever differs.
    """
    relation = _reading(stance, compared)
    difference = compared.difference
    by_rule = (
        stance is not None
        and relation is not Relation.CONTRADICTS
        and difference is not None
        and compared.is_alike
        and stance.yes < FIRM
    )
    if by_rule:
        relation = Relation.CONTRADICTS
    against = relation is Relation.CONTRADICTS
    type_ = difference.type if difference is not None else Contradiction.DIRECT_NEGATION
    return RelatedPassage(
        passage=passage,
        relation=relation,
        sentence=compared.sentence,
        decided_by=DecidedBy.RULE if by_rule else DecidedBy.MODEL,
        contradiction=type_ if against else None,
        detail=difference.detail if against and difference is not None else "",
        stance=stance,
        is_old=is_old,
    )


def _reading(stance: Stance | None, compared: Comparison) -> Relation:
    if stance is None:
        return Relation.UNREAD
    is_about = compared.held >= MIN_SHARED_WORDS
    states_it = compared.states_it and stance.no < FIRM
    if stance.no >= MIN_CONTRADICTION and is_about and not states_it:
        return Relation.CONTRADICTS
    if stance.yes >= MIN_SUPPORT:
        return Relation.SUPPORTS
    if stance.yes >= MIN_WEAK_SUPPORT:
        return Relation.WEAK_SUPPORT
    return Relation.UNRELATED

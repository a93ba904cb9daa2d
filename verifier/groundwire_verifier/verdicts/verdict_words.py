"""Which words a language has for verdicts. A language is a file beside this one."""

from collections.abc import Mapping
from dataclasses import dataclass

from groundwire_verifier.domain.claims import NonAssertive
from groundwire_verifier.verdicts.types import Reason


@dataclass(frozen=True, slots=True)
class Counted:
    """A number of things in words: `one` for a single one, else `many` with its {count}."""

    one: str
    many: str

    def of(self, count: int) -> str:
        """The words for `count` of these things."""
        return self.one if count == 1 else self.many.format(count=count)


@dataclass(frozen=True, slots=True)
class Warnings:
    """The warnings that a reader sees, in one language."""

    uncertain: str
    unsupported: str
    contradicted: str
    miscited: str
    prior_knowledge: str
    not_verified: str
    unknown_citation: str
    not_checked: str
    answer_without_claims: str
    answer_of_thoughts: str
    answer_abstains: str
    answer_not_grounded: str
    answer_partly_grounded: str
    answer_unread: str
    only_bad: str
    one_bad: str
    many_bad: str
    of_which_uncertain: str
    skipped: Counted
    left_out: str
    verified_share: str
    unverified: Mapping[Reason | NonAssertive, Counted]
    unclaimed_lines: Counted
    language_not_covered: str


@dataclass(frozen=True, slots=True)
class Reasons:
    """How verdicts come about, in one language, with the numbers that decided.

    `decided` and `unread` have an entry for each reason that they can be asked for. The names in
    braces are those that `explanations.reason_text` and `unread_text` fill in.
    """

    read: str
    needed: str
    needed_with_gap: str
    needed_score: str
    closed_book: str
    stance: str
    carried_by_others: str
    carried_by: str
    alone: str
    not_confirmed: str
    decided: Mapping[Reason, str]
    unread: Mapping[Reason, str]
    kinds: Mapping[NonAssertive, str]


@dataclass(frozen=True, slots=True)
class FactReasons:
    """How decisions on facts come about, in one language; `why` is the reason of the verdict."""

    carried: str
    not_carried: str
    says_otherwise: str
    below_minimum: str
    let_through: str
    out_of_time: str
    overloaded: str
    backend_failed: str
    stored_unverified: str

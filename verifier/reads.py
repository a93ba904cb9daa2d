"""Which questions a claim needs: with its evidence, without it, and what options ask beside.

Knows evidence and removals. Does not know what readings mean.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from verifier.claims.types import ConfidenceSource
from verifier.evidence import Evidence, Removal
from verifier.options import VerifyOptions
from verifier.types import Question, Template
from verifier.verdicts import Reason

MOST_READS_A_CLAIM = 3
"""With the evidence, without it, and the stance."""


@dataclass(frozen=True, slots=True)
class ClaimTask:
    """A claim to verify. `text` is what the model is asked about; `confidence` is in [0, 1]."""

    text: str
    cited_ids: tuple[str, ...]
    confidence: float
    confidence_source: ConfidenceSource
    language: str


@dataclass(frozen=True, slots=True)
class ClaimReads:
    """The questions of one claim, by their number; None where a removal is not possible.

    `without` has the question with one cited source removed, `alone` the one with all other cited
    sources removed, both by id.
    """

    posterior: int
    prior: int
    stance: int
    envelope: Mapping[Removal, int | None]
    without: Mapping[str, int | None]
    alone: Mapping[str, int | None]

    @property
    def first(self) -> set[int]:
        """The questions that are read in any case; the stance is asked when it is needed."""
        extra = (*self.envelope.values(), *self.without.values(), *self.alone.values())
        return {self.posterior, self.prior, *(i for i in extra if i is not None)}


class ReadPlanner:
    """Collects the distinct questions of claims on one piece of evidence."""

    def __init__(self, evidence: Evidence, options: VerifyOptions, cache_salt: str = "") -> None:
        """Start without questions."""
        self.evidence = evidence
        self._options = options
        self._cache_salt = cache_salt
        self._known = frozenset(evidence.ids)
        self._numbers: dict[Question, int] = {}
        self._contexts: dict[tuple[frozenset[str], Removal, frozenset[str]], str | None] = {}

    @property
    def questions(self) -> list[Question]:
        """The questions so far; their numbers are their indexes."""
        return list(self._numbers)

    def most_reads(self, tasks: Sequence[ClaimTask]) -> int:
        """How many prompts these claims may need, equal ones not yet made one."""
        each = MOST_READS_A_CLAIM + (len(Removal) - 1 if self._options.envelope else 0)
        singles = sum(len(task.cited_ids) for task in tasks)
        return each * len(tasks) + (2 * singles if self._options.attribute_citations else 0)

    def unknown_ids(self, task: ClaimTask) -> tuple[str, ...]:
        """The cited ids that no source has."""
        return tuple(i for i in task.cited_ids if i not in self._known)

    def add(self, task: ClaimTask) -> ClaimReads | Reason:
        """The questions of a claim, or why it cannot be read."""
        if self.unknown_ids(task):
            return Reason.UNKNOWN_CITATION
        # A claim without citations may rest on anything, so everything is removed for its prior.
        cited = frozenset(task.cited_ids) or self._known
        own = self._options.removal
        prior = self._ask(task, cited, own)
        if prior is None:
            return Reason.NO_DONOR
        singles = task.cited_ids if self._options.attribute_citations else ()
        removals = Removal if self._options.envelope else ()
        return ClaimReads(
            posterior=self._number(task.text, self.evidence.context, Template.YES_NO),
            prior=prior,
            stance=self._number(task.text, self.evidence.context, Template.YES_NO_UNSURE),
            envelope={removal: self._ask(task, cited, removal) for removal in removals},
            without={i: self._ask(task, frozenset({i}), own) for i in singles},
            alone={i: self._ask(task, cited - {i}, own) for i in singles},
        )

    def _ask(self, task: ClaimTask, removed: frozenset[str], removal: Removal) -> int | None:
        # What a claim cites is no donor, also where only a part of it is removed.
        cited = frozenset(task.cited_ids) if removal is Removal.DONOR else frozenset()
        key = (removed, removal, cited)
        if key not in self._contexts:
            marker = self._options.marker
            self._contexts[key] = (
                self.evidence.without(removed, removal, marker, no_donors=cited)
                if removed
                else self.evidence.context
            )
        context = self._contexts[key]
        return None if context is None else self._number(task.text, context, Template.YES_NO)

    def _number(self, claim: str, context: str, template: Template) -> int:
        question = Question(
            claim, context, template, self._options.split_long_context, self._cache_salt
        )
        return self._numbers.setdefault(question, len(self._numbers))

"""Which questions a claim needs: with its evidence, without it, and what options ask beside.

Knows evidence and removals. Does not know what readings mean.
"""

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from groundwire_verifier.domain.claims import ConfidenceSource
from groundwire_verifier.domain.evidence import Evidence, Removal
from groundwire_verifier.domain.titles import Titles
from groundwire_verifier.domain.types import Question, Template
from groundwire_verifier.quantities.unstated import StatedValues
from groundwire_verifier.verdicts.options import VerifyOptions
from groundwire_verifier.verdicts.types import Reason

MOST_QUESTIONS_A_CLAIM = 3
"""With the evidence, without it, and the stance or, where p0 is high, without any source."""


@dataclass(frozen=True, slots=True)
class ClaimTask:
    """A claim to verify. `text` is what the model is asked about; `confidence` is in [0, 1].

    One that may be `unfinished` is never contradicted: nobody knows how it goes on.
    """

    text: str
    cited_ids: tuple[str, ...]
    confidence: float
    confidence_source: ConfidenceSource
    language: str
    unfinished: bool = False


@dataclass(frozen=True, slots=True)
class ClaimQuestions:
    """The questions of one claim, by their number; None where a removal is not possible.

    `without` has the question with one cited source removed, `alone` the one with all other cited
    sources removed, both by id. `prior_title_ids` are the sources whose titles are removed for the
    prior, too, since they state the claim. `unstated_values` are those of the claim that what it
    cites does not state, or, of a claim without citations, no source. `first` are all that are
    asked in any case: all but the stance, which is asked when it is needed, and
    None where the model cannot be asked for it.
    """

    posterior: int
    prior: int
    stance: int | None
    first: frozenset[int]
    envelope: Mapping[Removal, int | None]
    without: Mapping[str, int | None]
    alone: Mapping[str, int | None]
    prior_title_ids: tuple[str, ...]
    unstated_values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Version:
    """The context without some sources, and, of these, without the titles of some.

    `cited` is no donor, also where it stays. Most claims are stated by no title, so they share
    their versions with the other claims that cite the same.
    """

    removed: frozenset[str]
    titles: frozenset[str]
    removal: Removal
    cited: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Versions:
    """The contexts of one claim beside the whole one, as ClaimQuestions has them."""

    prior: _Version
    envelope: Mapping[Removal, _Version]
    without: Mapping[str, _Version]
    alone: Mapping[str, _Version]

    def all(self) -> set[_Version]:
        return {
            self.prior,
            *self.envelope.values(),
            *self.without.values(),
            *self.alone.values(),
        }


class Questionnaire:
    """Collects the distinct questions of claims on one piece of evidence.

    `has_stances` says whether the model can be asked to choose among YES, NO and UNSURE.
    """

    def __init__(
        self,
        evidence: Evidence,
        options: VerifyOptions,
        cache_salt: str = "",
        *,
        has_stances: bool = True,
    ) -> None:
        self.evidence = evidence
        self._has_stances = has_stances
        self._options = options
        self._cache_salt = cache_salt
        self._known = frozenset(evidence.ids)
        self.titles = Titles({t.id: t.span.of(evidence.context) for t in evidence.titles})
        self._numbers: dict[Question, int] = {}
        self._contexts: dict[_Version, str | None] = {}
        self._stated: dict[tuple[str, ...], StatedValues] = {}

    @property
    def questions(self) -> list[Question]:
        """The questions so far; their numbers are their indexes."""
        return list(self._numbers)

    def most_questions(self, tasks: Sequence[ClaimTask]) -> int:
        """How many questions these claims may need, equal ones not yet made one."""
        each = MOST_QUESTIONS_A_CLAIM + (len(Removal) - 1 if self._options.envelope else 0)
        singles = sum(len(task.cited_ids) for task in tasks)
        return each * len(tasks) + (2 * singles if self._options.attribute_citations else 0)

    def most_characters(self, tasks: Sequence[ClaimTask]) -> int:
        """How many characters the distinct contexts of these claims may have. None is made."""
        ranges = Counter(source.id for source in self.evidence.ranges)
        versions = {
            version
            for task in tasks
            if not self.unknown_ids(task)
            for version in self._versions(task).all()
            if version.removed
        }
        whole = len(self.evidence.context)
        # Only a marker can be longer than what it stands for.
        markers = sum(
            len(self._options.marker)
            * (len(version.titles) + sum(ranges[source_id] for source_id in version.removed))
            for version in versions
            if version.removal is Removal.REPLACE
        )
        return whole * (1 + len(versions)) + markers

    def on_whole_context(self, tasks: Sequence[ClaimTask]) -> list[Question]:
        """One question about all of the evidence; none if no claim can be read."""
        splits = self._options.split_long_context
        known = (task for task in tasks if not self.unknown_ids(task))
        return [
            Question(task.text, self.evidence.context, splits=splits, cache_salt=self._cache_salt)
            for task in itertools.islice(known, 1)
        ]

    def unknown_ids(self, task: ClaimTask) -> tuple[str, ...]:
        """The cited ids that no source has."""
        return tuple(i for i in task.cited_ids if i not in self._known)

    def add(self, task: ClaimTask) -> ClaimQuestions | Reason:
        """The questions of a claim, or why it cannot be read."""
        if self.unknown_ids(task):
            return Reason.UNKNOWN_CITATION
        versions = self._versions(task)
        prior = self._ask(task, versions.prior)
        if prior is None:
            return Reason.NO_DONOR
        posterior = self._number(task.text, self.evidence.context, Template.YES_NO)
        stance = None
        if self._has_stances:
            stance = self._number(task.text, self.evidence.context, Template.YES_NO_UNSURE)
        envelope = {key: self._ask(task, value) for key, value in versions.envelope.items()}
        without = {key: self._ask(task, value) for key, value in versions.without.items()}
        alone = {key: self._ask(task, value) for key, value in versions.alone.items()}
        extra = (*envelope.values(), *without.values(), *alone.values())
        return ClaimQuestions(
            posterior=posterior,
            prior=prior,
            stance=stance,
            first=frozenset((posterior, prior, *(i for i in extra if i is not None))),
            envelope=envelope,
            without=without,
            alone=alone,
            prior_title_ids=tuple(filter(versions.prior.titles.__contains__, self.titles.ids)),
            unstated_values=self._stated_by(task.cited_ids).missing_from(task.text),
        )

    def _stated_by(self, cited_ids: tuple[str, ...]) -> StatedValues:
        """What the cited sources say, or all of them, with their titles."""
        if cited_ids not in self._stated:
            cited = [
                source.span.of(self.evidence.context)
                for source in (*self.evidence.ranges, *self.evidence.titles)
                if source.id in cited_ids
            ]
            self._stated[cited_ids] = StatedValues(cited if cited_ids else [self.evidence.context])
        return self._stated[cited_ids]

    def _versions(self, task: ClaimTask) -> _Versions:
        # A claim without citations may rest on anything, so everything is removed for its prior.
        cited = frozenset(task.cited_ids) or self._known
        own = self._options.removal
        singles = task.cited_ids if self._options.attribute_citations else ()
        removals = Removal if self._options.envelope else ()
        stating = self.titles.stating(task.text)

        def version(removed: frozenset[str], removal: Removal) -> _Version:
            # What a claim cites is no donor, also where only a part of it is removed.
            kept = frozenset(task.cited_ids) if removal is Removal.DONOR else frozenset()
            return _Version(removed, removed & stating, removal, kept)

        return _Versions(
            prior=version(cited, own),
            envelope={removal: version(cited, removal) for removal in removals},
            without={i: version(frozenset({i}), own) for i in singles},
            alone={i: version(cited - {i}, own) for i in singles},
        )

    def _ask(self, task: ClaimTask, version: _Version) -> int | None:
        if version not in self._contexts:
            self._contexts[version] = (
                self.evidence.without(
                    version.removed,
                    version.removal,
                    self._options.marker,
                    no_donors=version.cited,
                    title_ids=version.titles,
                )
                if version.removed
                else self.evidence.context
            )
        context = self._contexts[version]
        return None if context is None else self._number(task.text, context, Template.YES_NO)

    def _number(self, claim: str, context: str, template: Template) -> int:
        question = Question(
            claim, context, template, self._options.split_long_context, self._cache_salt
        )
        return self._numbers.setdefault(question, len(self._numbers))

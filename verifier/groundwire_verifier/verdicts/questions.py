"""Which questions a claim needs: with its evidence, without it, and what options ask beside."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from groundwire_verifier.domain.claims import ConfidenceSource, NonAssertive
from groundwire_verifier.domain.types import Question, Template
from groundwire_verifier.text.quantities.unstated import Unstated
from groundwire_verifier.verdicts.cells import Cell
from groundwire_verifier.verdicts.excerpts import Excerpt, Excerpts
from groundwire_verifier.verdicts.instructions import TOLD
from groundwire_verifier.verdicts.looks import Looks
from groundwire_verifier.verdicts.options import PriorReading, VerifyOptions
from groundwire_verifier.verdicts.types import Reason
from groundwire_verifier.verdicts.windows import Windows

MOST_QUESTIONS_A_CLAIM = 3
"""With the evidence, without it, and the stance or, where p0 is high, without any source."""


@dataclass(frozen=True, slots=True)
class ClaimTask:
    """A claim to verify. `confidence` is in [0, 1].

    The model is asked about `text`, or, where it differs, about `as_stated`: the same with its
    values as what it cites writes them. `own` is the part of `text` that alone is claimed: values
    of its question are not the claim's, and code is read as it stands. Empty: all of it.

    One that may be `unfinished` is never contradicted: nobody knows how it goes on. `kind` is what
    it is where it is no plain assertion; the text of an ABSENCE is that the sources say what it
    says they do not.
    """

    text: str
    cited_ids: tuple[str, ...]
    confidence: float
    confidence_source: ConfidenceSource
    language: str
    unfinished: bool = False
    kind: NonAssertive | None = None
    as_stated: str = ""
    own: str = ""

    @property
    def asked(self) -> str:
        """What the model is asked about."""
        return self.as_stated or self.text


def with_values_as_stated(tasks: Sequence[ClaimTask], looks: Looks) -> tuple[ClaimTask, ...]:
    """The claims as the model is asked about them."""

    def told(task: ClaimTask) -> ClaimTask:
        written = as_stated(task.text, task, looks)
        # A correction may come from a claim whose values were written anew.
        return replace(task, as_stated="" if written == task.text else written)

    return tuple(map(told, tasks))


def as_stated(words: str, task: ClaimTask, looks: Looks) -> str:
    """Words of a claim with their values as the sources that it cites write them, or, without
    citations, as any source does. Those of instructions and code stay as they are."""
    return words if task.kind is not None else looks.writing(task.cited_ids).of(words)


@dataclass(frozen=True, slots=True)
class ClaimQuestions:
    """The questions of one claim, by their number.

    `excerpt` is the evidence that they are about.
    `without` has the question with one cited source removed, `alone` the one with all other cited
    sources removed, both by id. `prior_title_ids` are the sources whose titles are removed for the
    prior, too, since they state the claim. `unstated` are the values of the claim that what it
    cites does not state, or, of a claim without citations, no source. `cell_against` is a cell of
    a table there that says otherwise. `first` are all that are
    asked in any case: all but the stance, which is asked when it is needed, and
    None where the model cannot be asked for it.
    """

    excerpt: Excerpt
    posterior: int
    prior: int
    stance: int | None
    first: frozenset[int]
    without: Mapping[str, int]
    alone: Mapping[str, int]
    prior_title_ids: tuple[str, ...]
    unstated: Unstated
    cell_against: Cell | None


@dataclass(frozen=True, slots=True)
class _Version:
    """The context without some sources, and, of these, without the titles of some.

    Most claims are stated by no title, so they share their versions with the other claims that cite
    the same. `related` are the windows to which what stays is cut; None where all of it stays.
    """

    excerpt: Excerpt
    removed: frozenset[str]
    titles: frozenset[str]
    related: frozenset[int] | None = None


@dataclass(frozen=True, slots=True)
class _Versions:
    """The contexts of one claim beside the whole one, as ClaimQuestions has them."""

    prior: _Version
    without: Mapping[str, _Version]
    alone: Mapping[str, _Version]

    def all(self) -> set[_Version]:
        return {self.prior, *self.without.values(), *self.alone.values()}


def most_questions(tasks: Sequence[ClaimTask], options: VerifyOptions) -> int:
    """How many questions these claims may need, equal ones not yet made one."""
    singles = sum(len(task.cited_ids) for task in tasks)
    each = MOST_QUESTIONS_A_CLAIM * len(tasks)
    return each + (2 * singles if options.attribute_citations else 0)


class Questionnaire:
    """Collects the distinct questions of claims on one piece of evidence, or on excerpts of it.

    `has_stances` says whether the model can be asked to choose among YES, NO and UNSURE.
    """

    def __init__(
        self,
        excerpts: Excerpts,
        looks: Looks,
        options: VerifyOptions,
        cache_salt: str = "",
        *,
        has_stances: bool = True,
    ) -> None:
        self._excerpts = excerpts
        self._looks = looks
        self._has_stances = has_stances
        self._options = options
        self._cache_salt = cache_salt
        self._numbers: dict[Question, int] = {}
        self._contexts: dict[_Version, str] = {}
        self._versions_of: dict[ClaimTask, _Versions] = {}
        self._windows: dict[Excerpt, Windows] = {}

    @property
    def questions(self) -> list[Question]:
        """The questions so far; their numbers are their indexes."""
        return list(self._numbers)

    def most_characters(self, tasks: Sequence[ClaimTask]) -> int:
        """How many characters the distinct contexts of these claims may have. None is made."""
        versions = {
            version
            for task in tasks
            if not self.unknown_ids(task)
            for version in self._versions(task).all()
            if version.removed
        }
        excerpts = self._excerpts.all()
        ranges = {
            excerpt: Counter(source.id for source in excerpt.evidence.ranges)
            for excerpt in {version.excerpt for version in versions}
        }
        contexts = sum(len(each.evidence.context) for each in excerpts)
        contexts += sum(len(version.excerpt.evidence.context) for version in versions)
        # Only a marker can be longer than what it stands for.
        markers = sum(
            len(self._options.marker)
            * (
                len(version.titles)
                + sum(ranges[version.excerpt][source_id] for source_id in version.removed)
            )
            for version in versions
        )
        return contexts + markers

    def unknown_ids(self, task: ClaimTask) -> tuple[str, ...]:
        """The cited ids that no source has."""
        return self._excerpts.unknown_ids(task.cited_ids)

    def add(self, task: ClaimTask) -> ClaimQuestions | Reason:
        """The questions of a claim, or why it cannot be read."""
        if self.unknown_ids(task):
            return Reason.UNKNOWN_CITATION
        versions = self._versions(task)
        prior = self._ask(task, versions.prior)
        excerpt = versions.prior.excerpt
        posterior = self._number(task.asked, excerpt.evidence.context, Template.YES_NO)
        stance = None
        if self._has_stances and task.kind is not NonAssertive.ABSENCE:
            stance = self._number(task.asked, excerpt.evidence.context, Template.YES_NO_UNSURE)
        without = {key: self._ask(task, value) for key, value in versions.without.items()}
        alone = {key: self._ask(task, value) for key, value in versions.alone.items()}
        return ClaimQuestions(
            excerpt=excerpt,
            posterior=posterior,
            prior=prior,
            stance=stance,
            first=frozenset((posterior, prior, *without.values(), *alone.values())),
            without=without,
            alone=alone,
            prior_title_ids=tuple(filter(versions.prior.titles.__contains__, excerpt.titles.ids)),
            unstated=self._looks.stated(task.cited_ids).unstated_in(
                task.own or task.text, is_told=task.kind in TOLD
            ),
            cell_against=self._looks.cells(task.cited_ids).against(task.text)
            if task.kind is None
            else None,
        )

    def _versions(self, task: ClaimTask) -> _Versions:
        if task not in self._versions_of:
            self._versions_of[task] = self._find_versions(task)
        return self._versions_of[task]

    def _find_versions(self, task: ClaimTask) -> _Versions:
        excerpt = self._excerpts.of(task.text, task.cited_ids)
        # A claim without citations may rest on anything, so everything is removed for its prior.
        cited = frozenset(task.cited_ids) or frozenset(excerpt.evidence.ids)
        singles = task.cited_ids if self._options.attribute_citations else ()
        stating = excerpt.titles.stating(task.text)

        def version(removed: frozenset[str], *, is_prior: bool) -> _Version:
            related = self._related(task, excerpt, cited, removed) if is_prior else None
            return _Version(excerpt, removed, removed & stating, related)

        return _Versions(
            prior=version(cited, is_prior=True),
            without={i: version(frozenset({i}), is_prior=False) for i in singles},
            # Compared with the prior.
            alone={i: version(cited - {i}, is_prior=True) for i in singles},
        )

    def _related(
        self, task: ClaimTask, excerpt: Excerpt, cited: frozenset[str], removed: frozenset[str]
    ) -> frozenset[int] | None:
        """The windows that p0 is read with, the cited ones among them; None where that is all.

        What no source covers stays. There are none where nothing stays.
        """
        if self._options.prior_reading is PriorReading.WHOLE:
            return None
        if excerpt not in self._windows:
            self._windows[excerpt] = Windows(excerpt.evidence)
        windows = self._windows[excerpt]
        own = frozenset(w for source_id in cited for w in windows.of_source(source_id))
        staying = (windows.related(task.text) - own) | windows.of_no_source()
        return staying | own if staying or removed < cited else frozenset()

    def _ask(self, task: ClaimTask, version: _Version) -> int:
        if version not in self._contexts:
            self._contexts[version] = self._context(version)
        return self._number(task.asked, self._contexts[version], Template.YES_NO)

    def _context(self, version: _Version) -> str:
        evidence, marker = version.excerpt.evidence, self._options.marker
        if not version.removed:
            return evidence.context
        if version.related is not None:
            if not version.related:
                # One form, so that all claims share it.
                return marker
            evidence = self._windows[version.excerpt].keeping(version.related)
        return evidence.without(version.removed, marker, version.titles)

    def _number(self, claim: str, context: str, template: Template) -> int:
        question = Question(
            claim, context, template, self._options.split_long_context, self._cache_salt
        )
        return self._numbers.setdefault(question, len(self._numbers))

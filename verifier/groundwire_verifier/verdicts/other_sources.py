"""Which questions tell a right citation from a wrong one and from prior knowledge where p0 is high.

A claim that is believed without its cited sources rests on them and on others that say the same, on
another source, or on none. So it is read without any source, closed book, with the cited sources
alone, and with each of the likeliest other sources alone.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from groundwire_verifier.domain.types import Question
from groundwire_verifier.verdicts.excerpts import Excerpts
from groundwire_verifier.verdicts.options import VerifyOptions
from groundwire_verifier.verdicts.questions import ClaimTask

MOST_OTHER_SOURCES = 8
"""The most sources that are read alone for one claim: those that share most words with it."""

FEWEST_PROMPTS = 2
"""What has to be read to tell anything: closed book, and with the cited sources alone."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class SourceQuestions:
    """A claim without any source, with those that it cites alone, and with one source alone that it
    does not cite, by id."""

    closed_book: Question
    cited_alone: Question
    alone: Mapping[str, Question]

    @property
    def all(self) -> list[Question]:
        """The questions, in this order."""
        return [self.closed_book, self.cited_alone, *self.alone.values()]


class OtherSources:
    """The sources that claims are read with, for those that do not cite them."""

    def __init__(self, excerpts: Excerpts, options: VerifyOptions, cache_salt: str) -> None:
        self._excerpts = excerpts
        self._options = options
        self._cache_salt = cache_salt
        self._words: dict[str, frozenset[str]] = {}

    @property
    def most_characters(self) -> int:
        """The most characters that the context of one question can have."""
        evidence = self._excerpts.whole.evidence
        removed = len(evidence.ranges) + len(evidence.titles)
        return len(evidence.context) + len(self._options.marker) * removed

    def of(self, task: ClaimTask) -> tuple[str, ...]:
        """The sources that a claim could have cited instead; none if it cites nothing."""
        ids = self._excerpts.of(task.text, task.cited_ids).evidence.ids
        return tuple(i for i in ids if i not in task.cited_ids) if task.cited_ids else ()

    def questions(self, task: ClaimTask, most: int) -> SourceQuestions:
        """The questions of a claim that cites; at most `most`, which is at least FEWEST_PROMPTS."""
        others = self._likeliest(task, min(MOST_OTHER_SOURCES, most - FEWEST_PROMPTS))
        return SourceQuestions(
            closed_book=self._question(task, frozenset()),
            cited_alone=self._question(task, frozenset(task.cited_ids)),
            alone={i: self._question(task, frozenset({i})) for i in others},
        )

    def _likeliest(self, task: ClaimTask, count: int) -> Sequence[str]:
        others = self.of(task)
        if len(others) <= count:
            return others
        words = _words(task.text)

        def shared(source_id: str) -> int:
            if source_id not in self._words:
                self._words[source_id] = _words(self._excerpts.whole.evidence.text_of(source_id))
            return len(words & self._words[source_id])

        return sorted(others, key=shared, reverse=True)[:count]

    def _question(self, task: ClaimTask, kept: frozenset[str]) -> Question:
        options = self._options
        excerpt = self._excerpts.of(task.text, task.cited_ids)
        removed = frozenset(excerpt.evidence.ids) - kept
        stating = removed & excerpt.titles.stating(task.text)
        context = excerpt.evidence.without(removed, options.marker, stating)
        return Question(
            task.asked, context, splits=options.split_long_context, cache_salt=self._cache_salt
        )


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))

"""The values of named features: what the texts of a claim and its evidence tell by themselves.

Words are compared by their stems, without stop words and, in Hebrew, without prefixes (see
`groundwire_verifier.domain.titles`). The evidence is the text that the model reads with the claim:
for a prior that from which the cited sources have been taken out.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from groundwire_verifier.claims.wording.sentence import language_of
from groundwire_verifier.domain.titles import STOP_WORDS, WORD, stem, stems
from groundwire_verifier.numbers.calibration import Calibration
from groundwire_verifier.numbers.features import Feature
from groundwire_verifier.numbers.metrics import Floats
from groundwire_verifier.quantities.unstated import StatedValues

MOST_UNSTATED = 2
"""More values that are stated nowhere say no more."""

_SENTENCE_END = re.compile(r"(?<=[.!?\u2026])\s+|[\r\n]+")
_QUESTION = re.compile(r".*\?", re.DOTALL)
_BARE_ANSWERS = frozenset(map(stem, ("yes", "true", "false", "כן", "נכון")))
"""Answers without a word that evidence could have; `no` is a stop word."""


def features_of(features: Sequence[Feature], pairs: Iterable[tuple[str, str]]) -> Floats:
    """The values of claims with their evidence, (pairs, features).

    Takes a while where evidence is long: not for an event loop.
    """
    texts = _Texts()
    wanted = [_VALUES[feature] for feature in features]
    rows = [[value(texts.pair(*pair)) for value in wanted] for pair in pairs]
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(wanted))


def shifts_nats(calibration: Calibration, pairs: Iterable[tuple[str, str]]) -> Floats:
    """How far the texts of claims with their evidence move the raw log-odds, in nats, (pairs,)."""
    values = features_of(tuple(calibration.weights), pairs)
    return values @ np.array(list(calibration.weights.values()), dtype=np.float64)


class _Claim:
    """What a claim says: of a question with its answer the answer.

    A bare yes or no has no words that evidence could have: there it is the question, too.
    """

    def __init__(self, text: str) -> None:
        question = _QUESTION.match(text)
        self.is_answer = question is not None
        self.said = text if question is None else text[question.end() :]
        if self.is_answer and stems(self.said) <= _BARE_ANSWERS:
            self.said = text
        self.stems = stems(self.said)
        self.names = {
            stem(word.casefold())
            for word in WORD.findall(self.said)[1:]
            if word[0].isupper() and word.casefold() not in STOP_WORDS
        }
        self.language = language_of(text)


class _Evidence:
    """The words of a text, by sentence, and its values."""

    def __init__(self, text: str, sentences: Iterable[frozenset[str]]) -> None:
        self.characters = len(text)
        self.stated = StatedValues([text])
        places: dict[str, list[int]] = {}
        for place, words in enumerate(sentences):
            for word in words:
                places.setdefault(word, []).append(place)
        # Arrays: a thousand claims may share their words with a thousand sentences.
        self.places = {word: np.array(found) for word, found in places.items()}

    def most_in_a_sentence(self, words: Iterable[str]) -> int:
        """How many of these words the sentence has that has most of them."""
        known = [self.places[word] for word in words if word in self.places]
        return int(np.bincount(np.concatenate(known)).max()) if known else 0


_Pair = tuple[_Claim, _Evidence]


class _Texts:
    """Claims and evidence, each looked through once; versions of a text share their sentences."""

    def __init__(self) -> None:
        self._claims: dict[str, _Claim] = {}
        self._evidence: dict[str, _Evidence] = {}
        self._sentences: dict[str, frozenset[str]] = {}

    def pair(self, claim: str, evidence: str) -> _Pair:
        if claim not in self._claims:
            self._claims[claim] = _Claim(claim)
        if evidence not in self._evidence:
            sentences = map(self._words, _SENTENCE_END.split(evidence))
            self._evidence[evidence] = _Evidence(evidence, sentences)
        return self._claims[claim], self._evidence[evidence]

    def _words(self, sentence: str) -> frozenset[str]:
        if sentence not in self._sentences:
            self._sentences[sentence] = frozenset(stems(sentence))
        return self._sentences[sentence]


def _share(part: int, whole: int) -> float:
    """Of nothing, nothing is missing."""
    return part / whole if whole else 1.0


def _sentence_coverage(pair: _Pair) -> float:
    claim, evidence = pair
    return _share(evidence.most_in_a_sentence(claim.stems), len(claim.stems))


def _coverage(pair: _Pair) -> float:
    claim, evidence = pair
    return _share(len(claim.stems & evidence.places.keys()), len(claim.stems))


def _name_coverage(pair: _Pair) -> float:
    claim, evidence = pair
    return _share(len(claim.names & evidence.places.keys()), len(claim.names))


def _unstated_values(pair: _Pair) -> float:
    claim, evidence = pair
    return float(min(MOST_UNSTATED, len(evidence.stated.missing_from(claim.said))))


_VALUES: Mapping[Feature, Callable[[_Pair], float]] = {
    Feature.SENTENCE_COVERAGE: _sentence_coverage,
    Feature.COVERAGE: _coverage,
    Feature.NAME_COVERAGE: _name_coverage,
    Feature.UNSTATED_VALUES: _unstated_values,
    Feature.QUESTION_FORM: lambda pair: float(pair[0].is_answer),
    Feature.HEBREW: lambda pair: float(pair[0].language == "he"),
    Feature.EVIDENCE_LENGTH: lambda pair: math.log1p(pair[1].characters),
    Feature.CLAIM_LENGTH: lambda pair: math.log1p(len(pair[0].stems)),
}

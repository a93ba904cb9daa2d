"""A component of Haystack that scores answers by how much of them is grounded in their contexts.

    evaluator = GroundednessEvaluator("127.0.0.1:50051")
    evaluator.run(questions=[...], contexts=[[...]], predicted_answers=[...])["score"]

Its inputs and outputs are those of Haystack's own evaluators: `score`, `individual_scores`,
`results`, and NaN with the status `error` for what could not be evaluated.
"""

import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from enum import StrEnum
from typing import Any, NamedTuple, TypedDict

from groundwire._wire.settings import DEFAULT_TARGET, TLS
from groundwire.async_client import AsyncClient
from groundwire.client import Client
from groundwire.errors import GroundwireError, error_kind
from groundwire.evaluators import missing_extra
from groundwire.evaluators.judgement import Judgement, judge
from groundwire.inputs import Evidence, Policy, Read, Thresholds, VerifyOptions
from groundwire.results import Strictness

try:
    from haystack import component, default_from_dict, default_to_dict
    from haystack.utils import Secret
except ModuleNotFoundError as error:
    raise missing_extra("haystack", error) from error

log = logging.getLogger("groundwire")

DEFAULT_TIMEOUT_S = 300.0
"""For one answer: a small machine may read many claims."""


_ENUMS: Mapping[str, type[StrEnum]] = {
    "policy": Policy,
    "strictness": Strictness,
    "read": Read,
}


class _Row(NamedTuple):
    """What is asked about one answer."""

    answer: str
    sources: Evidence
    question: str


class _Connection(TypedDict):
    """How either client reaches the server."""

    token: str | None
    timeout_s: float
    tls: TLS | None
    allow_plaintext: bool


@component
class GroundednessEvaluator:
    """Asks a Groundwire server, for each answer, how much of it is grounded in its contexts.

    The contexts of an answer are its sources S0, S1, and so on. Its score is the share of its
    claims that are grounded, in [0, 1]. An answer of which no claim was verified, or some were left
    unread, an error and a time-out are never a score: they raise, or are NaN.

    It can be saved with its pipeline, and be loaded by
    `Pipeline.loads(text, allowed_modules=["groundwire"])`.
    """

    def __init__(
        self,
        target: str = DEFAULT_TARGET,
        *,
        token: Secret | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        tls: TLS | None = None,
        allow_plaintext: bool = False,
        options: VerifyOptions | None = None,
        correct: bool = False,
        with_question: bool = False,
        pass_abstentions: bool = True,
        raise_on_failure: bool = True,
    ) -> None:
        """Makes a component; each run connects, and closes its connection.

        Args:
            target: the server, as `Client` takes it.
            token: the server's bearer token; None: none is sent.
            timeout_s: the time-out for each answer, in seconds; above 0.
            tls: as `Client` takes it.
            allow_plaintext: as `Client` takes it.
            options: how claims are verified; None: the server's defaults. Of an answer with more
                claims than `VerifyOptions.max_claims`, by default 64, some would be left unread.
            correct: whether to put the answer right, too: `corrected_answer` of its result.
            with_question: read each claim with the question. It helps answers that say nothing
                without it ("In 1348."); whole sentences are read better alone.
            pass_abstentions: let an answer pass that says that its sources do not answer, and
                nothing else that counts.
            raise_on_failure: raise on the first answer that cannot be evaluated; False: give it NaN
                and leave it out of `score`.
        """
        self.target = target
        self.token = token
        self.timeout_s = timeout_s
        self.tls = tls
        self.allow_plaintext = allow_plaintext
        self.options = options
        self.correct = correct
        self.with_question = with_question
        self.pass_abstentions = pass_abstentions
        self.raise_on_failure = raise_on_failure

    @component.output_types(
        score=float, individual_scores=list[float], results=list[dict[str, Any]]
    )
    def run(
        self, questions: list[str], contexts: list[list[str]], predicted_answers: list[str]
    ) -> dict[str, Any]:
        """Evaluates answers, one after the other.

        Args:
            questions: what was asked, one for each answer, for `with_question`.
            contexts: the texts that each answer was given.
            predicted_answers: the answers.

        Returns:
            `score`, the mean of all scores, NaN without any; `individual_scores`, one for each
            answer; `results`, a dict for each: `status` (evaluated or error), `score`, `grounded`
            (whether it passes), `reason`, `statements` (its claims that count),
            `statement_scores` (1 grounded, 0 not), `verdicts`, `corrected_answer` (None unless
            `correct`), and `detection_id`.

        Raises:
            ValueError: the lists are not equally long.
            GroundwireError: an answer could not be evaluated, if `raise_on_failure`.
        """
        results = []
        with Client(self.target, **self._connection()) as client:
            for row in self._rows(questions, contexts, predicted_answers):
                try:
                    report = client.verify_answer(
                        row.answer,
                        row.sources,
                        question=row.question,
                        correct=self.correct,
                        options=self.options,
                    )
                    results.append(
                        _evaluated(judge(report, pass_abstentions=self.pass_abstentions))
                    )
                except GroundwireError as error:
                    results.append(self._failed(error))
        return _outputs(results)

    @component.output_types(
        score=float, individual_scores=list[float], results=list[dict[str, Any]]
    )
    async def run_async(
        self, questions: list[str], contexts: list[list[str]], predicted_answers: list[str]
    ) -> dict[str, Any]:
        """As `run`; cancelling it cancels the call in the server."""
        results = []
        async with AsyncClient(self.target, **self._connection()) as client:
            for row in self._rows(questions, contexts, predicted_answers):
                try:
                    report = await client.verify_answer(
                        row.answer,
                        row.sources,
                        question=row.question,
                        correct=self.correct,
                        options=self.options,
                    )
                    results.append(
                        _evaluated(judge(report, pass_abstentions=self.pass_abstentions))
                    )
                except GroundwireError as error:
                    results.append(self._failed(error))
        return _outputs(results)

    def to_dict(self) -> dict[str, Any]:
        """The component as plain values; a token is saved by the name of its variable."""
        tls = self.tls and {name: path and str(path) for name, path in asdict(self.tls).items()}
        plain: dict[str, Any] = default_to_dict(
            self,
            target=self.target,
            token=self.token,
            timeout_s=self.timeout_s,
            tls=tls,
            allow_plaintext=self.allow_plaintext,
            options=self.options and _plain_options(self.options),
            correct=self.correct,
            with_question=self.with_question,
            pass_abstentions=self.pass_abstentions,
            raise_on_failure=self.raise_on_failure,
        )
        return plain

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "GroundednessEvaluator":
        """The component of what `to_dict` gave."""
        given = dict(data["init_parameters"])
        if given.get("tls") is not None:
            given["tls"] = TLS(**given["tls"])
        if given.get("options") is not None:
            given["options"] = _options(given["options"])
        made: GroundednessEvaluator = default_from_dict(cls, {**data, "init_parameters": given})
        return made

    def _connection(self) -> _Connection:
        return _Connection(
            token=None if self.token is None else self.token.resolve_value(),
            timeout_s=self.timeout_s,
            tls=self.tls,
            allow_plaintext=self.allow_plaintext,
        )

    def _rows(
        self, questions: Sequence[str], contexts: Sequence[list[str]], answers: Sequence[str]
    ) -> Iterator[_Row]:
        if not len(questions) == len(contexts) == len(answers):
            raise ValueError(
                "questions, contexts and predicted_answers must be equally long, not "
                f"{len(questions)}, {len(contexts)} and {len(answers)}"
            )
        asked = questions if self.with_question else [""] * len(questions)
        return map(_Row, answers, map(Evidence.documents, contexts), asked)

    def _failed(self, error: GroundwireError) -> dict[str, Any]:
        if self.raise_on_failure:
            raise error
        log.warning(
            "an answer was not evaluated, and is left out of the score: %s", error_kind(error)
        )
        return {
            "status": "error",
            "score": math.nan,
            "grounded": False,
            "reason": str(error),
            "statements": [],
            "statement_scores": [],
            "verdicts": [],
            "corrected_answer": None,
            "detection_id": "",
        }


def _evaluated(judgement: Judgement) -> dict[str, Any]:
    return {
        "status": "evaluated",
        "score": judgement.score,
        "grounded": judgement.grounded,
        "reason": judgement.reason,
        "statements": [claim.content for claim in judgement.claims],
        "statement_scores": [int(claim.grounded) for claim in judgement.claims],
        "verdicts": [str(claim.verdict) for claim in judgement.claims],
        "corrected_answer": judgement.corrected_answer,
        "detection_id": judgement.report.detection_id,
    }


def _outputs(results: list[dict[str, Any]]) -> dict[str, Any]:
    scores = [result["score"] for result in results]
    known = [score for score in scores if not math.isnan(score)]
    return {
        "score": sum(known) / len(known) if known else math.nan,
        "individual_scores": scores,
        "results": results,
    }


def _plain_options(options: VerifyOptions) -> dict[str, Any]:
    """Options as values that YAML can write, without those that are left to the server."""
    plain = {name: str(v) if isinstance(v, StrEnum) else v for name, v in _set(options).items()}
    if options.thresholds is not None:
        plain["thresholds"] = _set(options.thresholds)
    return plain


def _set(values: VerifyOptions | Thresholds) -> dict[str, Any]:
    return {name: value for name, value in asdict(values).items() if value is not None}


def _options(plain: dict[str, Any]) -> VerifyOptions:
    """The options of what `_plain_options` gave."""
    given = dict(plain)
    for name, kind in _ENUMS.items():
        if name in given:
            given[name] = kind(given[name])
    if "thresholds" in given:
        given["thresholds"] = Thresholds(**given["thresholds"])
    return VerifyOptions(**given)

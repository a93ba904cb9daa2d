"""A metric of DeepEval: how much of an answer is grounded in its retrieval context.

For example:

    evaluate(test_cases, [GroundednessMetric(client)])
"""

import asyncio

from groundwire.client import Client
from groundwire.evaluators import missing_extra
from groundwire.evaluators.judgement import judge, with_threshold
from groundwire.inputs import Evidence, VerifyOptions
from groundwire.reports import AnswerReport

try:
    from deepeval.errors import MissingTestCaseParamsError
    from deepeval.metrics import BaseMetric
    from deepeval.test_case import LLMTestCase
except ModuleNotFoundError as error:
    raise missing_extra("deepeval", error) from error


class GroundednessMetric(BaseMetric):  # type: ignore[no-untyped-call, unused-ignore]
    """Asks a Groundwire server how much of `actual_output` is grounded in `retrieval_context`.

    The score is the share of claims that are grounded, in [0, 1]. An answer of which no claim was
    verified, or some were left unread, an error and a time-out have no score and never succeed:
    they raise, and are errors of the metric where `ErrorConfig(ignore_errors=True)` goes on.
    """

    include_reason = True
    verbose_mode = False
    # What DeepEval reads; its own class has them, too.
    threshold: float
    score: float | None
    reason: str | None
    success: bool | None
    verbose_logs: str | None
    evaluation_model: str | None

    def __init__(
        self,
        client: Client,
        threshold: float = 0.7,
        *,
        options: VerifyOptions | None = None,
        correct: bool = False,
        with_question: bool = False,
        pass_abstentions: bool = True,
    ) -> None:
        """Makes a metric of a client, which stays the caller's to close; threads may share it.

        Args:
            client: what asks the server, with the time-out for one test case.
            threshold: the share of grounded claims, in [0, 1], from which a test case succeeds. At
                0, too, at least one claim has to be grounded.
            options: how claims are verified; None: the server's defaults. Of an answer with more
                claims than `VerifyOptions.max_claims`, by default 64, some would be left unread.
            correct: whether to put the answer right, too: the last line of `reason`.
            with_question: read each claim with the test case's input. It helps answers that say
                nothing without it ("In 1348."); whole sentences are read better alone.
            pass_abstentions: let an answer pass that says that its sources do not answer, and
                nothing else that counts.
        """
        # DeepEval copies a metric by the attributes that have the names of these arguments.
        self.client = client
        self.threshold = threshold
        self.options = options
        self.correct = correct
        self.with_question = with_question
        self.pass_abstentions = pass_abstentions

    @property
    def __name__(self) -> str:
        return "Groundedness"

    def measure(self, test_case: LLMTestCase, *_: object, **__: object) -> float:
        """Scores a test case, and sets `score`, `reason` and `success`.

        Raises:
            MissingTestCaseParamsError: it has no answer, or no retrieval context.
            GroundwireError: it could not be evaluated.
        """
        self._forget()
        return self._scored(self._asked(test_case))

    async def a_measure(self, test_case: LLMTestCase, *_: object, **__: object) -> float:
        """As `measure`; the call is made in a thread, since DeepEval runs loops of its own."""
        self._forget()
        return self._scored(await asyncio.to_thread(self._asked, test_case))

    def is_successful(self) -> bool:
        """Whether the last test case was evaluated and passed."""
        return self.success is True

    def _forget(self) -> None:
        """Leaves nothing of the test case before that could be taken for this one's."""
        self.score = self.reason = self.verbose_logs = None
        self.success = False

    def _asked(self, test_case: LLMTestCase) -> AnswerReport:
        if test_case.actual_output is None or test_case.retrieval_context is None:
            raise MissingTestCaseParamsError(
                f"actual_output and retrieval_context are needed for the {self.__name__} metric"
            )
        texts = [t if isinstance(t, str) else t.context for t in test_case.retrieval_context]
        return self.client.verify_answer(
            test_case.actual_output,
            Evidence.documents(texts),
            question=test_case.input if self.with_question else "",
            options=with_threshold(self.options, self.threshold),
            correct=self.correct,
        )

    def _scored(self, report: AnswerReport) -> float:
        judgement = judge(report, pass_abstentions=self.pass_abstentions)
        self.evaluation_model = report.run.model
        self.score, self.reason = judgement.score, judgement.reason
        self.success = judgement.grounded
        self.verbose_logs = "\n".join(map(str, judgement.claims))
        return judgement.score

"""A metric of Ragas: how much of a response is grounded in its retrieved contexts.

For example:

    evaluate(dataset, metrics=[GroundednessMetric(client)])
"""

import asyncio

from groundwire.client import Client
from groundwire.evaluators import missing_extra
from groundwire.evaluators.judgement import judge
from groundwire.inputs import Evidence, VerifyOptions

try:
    from langchain_core.callbacks import Callbacks
    from ragas import RunConfig, SingleTurnSample
    from ragas.metrics.base import MetricType, SingleTurnMetric
except ModuleNotFoundError as error:
    raise missing_extra("ragas", error) from error


class GroundednessMetric(SingleTurnMetric):
    """Asks a Groundwire server how much of `response` is grounded in `retrieved_contexts`.

    The score is the share of claims that are grounded, in [0, 1]. A response of which no claim was
    verified, or some were left unread, an error and a time-out have no score: they raise, and are
    NaN where `evaluate` does not raise exceptions, which is its default.
    """

    def __init__(
        self,
        client: Client,
        *,
        name: str = "groundedness",
        options: VerifyOptions | None = None,
        with_question: bool = False,
        pass_abstentions: bool = True,
    ) -> None:
        """Makes a metric of a client, which stays the caller's to close; threads may share it.

        Args:
            client: what asks the server, with the time-out for one sample.
            name: its column in what `evaluate` returns.
            options: how claims are verified; None: the server's defaults. Of a response with more
                claims than `VerifyOptions.max_claims`, by default 64, some would be left unread.
            with_question: read each claim with the sample's `user_input`. It helps responses that
                say nothing without it ("In 1348."); whole sentences are read better alone.
            pass_abstentions: score a response with 1 that says that its contexts do not answer,
                and nothing else that counts; False: no claim of it was verified.
        """
        needs = {"response", "retrieved_contexts"} | ({"user_input"} if with_question else set())
        super().__init__(_required_columns={MetricType.SINGLE_TURN: needs}, name=name)
        self._client = client
        self._options = options
        self._with_question = with_question
        self._pass_abstentions = pass_abstentions

    def init(self, run_config: RunConfig) -> None:
        """Takes nothing of Ragas' settings: the time-out of a call is the client's."""

    async def _single_turn_ascore(self, sample: SingleTurnSample, callbacks: Callbacks) -> float:
        """The score of a sample; the call is made in a thread, since Ragas has loops of its own."""
        report = await asyncio.to_thread(
            self._client.verify_answer,
            sample.response or "",
            Evidence.documents(sample.retrieved_contexts or ()),
            question=(sample.user_input or "") if self._with_question else "",
            options=self._options,
        )
        return judge(report, pass_abstentions=self._pass_abstentions).score

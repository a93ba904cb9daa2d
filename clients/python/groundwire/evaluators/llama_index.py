"""An evaluator of LlamaIndex: how much of a response is grounded in its contexts.

For example:

    GroundednessEvaluator(client).evaluate_response(query, response)
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from groundwire.client import Client
from groundwire.errors import GroundwireError
from groundwire.evaluators import missing_extra
from groundwire.evaluators.judgement import judge
from groundwire.inputs import Evidence, VerifyOptions

try:
    from llama_index.core.evaluation import BaseEvaluator, EvaluationResult
    from llama_index.core.prompts.mixin import PromptDictType
except ModuleNotFoundError as error:
    raise missing_extra("llama-index", error) from error


class GroundednessEvaluator(BaseEvaluator):
    """Asks a Groundwire server how much of a response is grounded in its contexts.

    `score` is the share of claims that are grounded, in [0, 1], `passing` the server's decision,
    `feedback` names each claim that is not grounded. A response of which no claim was verified, or
    some were left unread, an error and a time-out give `invalid_result` with `invalid_reason`, no
    score, and `passing` False.
    """

    def __init__(
        self,
        client: Client,
        *,
        options: VerifyOptions | None = None,
        correct: bool = False,
        with_question: bool = False,
        pass_abstentions: bool = True,
    ) -> None:
        """Makes an evaluator of a client, which stays the caller's to close; threads may share it.

        Args:
            client: what asks the server, with the time-out for one response.
            options: how claims are verified, and from which `Thresholds.min_grounded_ratio` a
                response passes; None: the server's defaults. Of a response with more claims than
                `VerifyOptions.max_claims`, by default 64, some would be left unread.
            correct: whether to put the answer right, too: the last line of `feedback`.
            with_question: read each claim with the query. It helps answers that say nothing
                without it ("In 1348."); whole sentences are read better alone.
            pass_abstentions: let an answer pass that says that its sources do not answer, and
                nothing else that counts.
        """
        self._client = client
        self._options = options
        self._correct = correct
        self._with_question = with_question
        self._pass_abstentions = pass_abstentions

    def evaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **_: object,
    ) -> EvaluationResult:
        """Evaluates a response.

        Args:
            query: what was asked, for `with_question`; None: not known.
            response: the response.
            contexts: the texts that it was given.

        Raises:
            ValueError: there is no response, or there are no contexts.
        """
        if contexts is None or response is None:
            raise ValueError("contexts and response must be provided")
        asked: dict[str, Any] = {"query": query, "response": response, "contexts": contexts}
        try:
            judgement = judge(
                self._client.verify_answer(
                    response,
                    Evidence.documents(contexts),
                    question=(query or "") if self._with_question else "",
                    options=self._options,
                    correct=self._correct,
                ),
                pass_abstentions=self._pass_abstentions,
            )
        except GroundwireError as error:
            return EvaluationResult(
                **asked, passing=False, invalid_result=True, invalid_reason=str(error)
            )
        return EvaluationResult(
            **asked,
            passing=judgement.grounded,
            score=judgement.score,
            feedback=judgement.reason,
        )

    async def aevaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **_: object,
    ) -> EvaluationResult:
        """As `evaluate`; the call is made in a thread, since LlamaIndex runs loops of its own."""
        return await asyncio.to_thread(self.evaluate, query, response, contexts)

    def _get_prompts(self) -> PromptDictType:
        """None: the server has the prompts."""
        return {}

    def _update_prompts(self, prompts_dict: PromptDictType) -> None:
        """Nothing: the server has the prompts."""

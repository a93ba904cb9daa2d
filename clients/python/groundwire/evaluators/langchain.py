"""A gate for agents of LangChain, and a step of a chain, that have an answer verified.

    create_agent(model, tools, middleware=[GroundednessGate(client)])
    chain = retrieval_chain | GroundednessCheck(client)

Through the gate only an answer passes that the server calls grounded. What becomes of the others
the caller chooses: they are withheld, marked, or sent back to the model. The step adds the report
to what the chain has found, and leaves the rest to the chain.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Literal, NotRequired
from uuid import uuid4

from groundwire.async_client import AsyncClient
from groundwire.attempts import Attempt, attempted, attempted_async
from groundwire.client import Client
from groundwire.errors import ConfigurationError, error_kind
from groundwire.evaluators import missing_extra
from groundwire.evaluators.judgement import SKIPPED
from groundwire.inputs import Document, Evidence, VerifyOptions
from groundwire.reports import AnswerReport

try:
    from langchain.agents.middleware import AgentMiddleware, AgentState, hook_config
    from langchain.agents.middleware.types import PrivateStateAttr
    from langchain_core.documents import Document as Retrieved
    from langchain_core.messages import (
        AIMessage,
        BaseMessage,
        HumanMessage,
        RemoveMessage,
        ToolMessage,
    )
    from langchain_core.runnables import Runnable, RunnableConfig
    from langgraph.runtime import Runtime
except ModuleNotFoundError as error:
    raise missing_extra("langchain", error) from error

METADATA = "groundwire"
"""The key in `response_metadata` of an answer that says what became of it."""

WITHHELD = "This answer was withheld, since it could not be shown to be grounded in its sources."
UNVERIFIED = "This answer could not be verified."
INSTRUCTION = (
    "Your answer was checked against what the tools returned. These statements in it are not "
    "grounded there. Answer again: correct them by what the tools returned or leave them out, keep "
    "the rest as it is, and do not mention this check."
)


class GateState(AgentState[Any]):
    """The state of an agent with a gate."""

    # Without LangChain's types this is no TypedDict to mypy.
    groundwire_sent_back: NotRequired[  # type: ignore[valid-type, unused-ignore]
        Annotated[list[str], PrivateStateAttr]
    ]
    """The ids of the answers that were sent back for the one to come, each followed by that of its
    instruction."""


def tool_results(state: GateState) -> Evidence:
    """What the tools of a conversation returned, as the sources S0, S1, and so on.

    What a tool failed with is no evidence, and neither is what anybody else said.
    """
    texts = [
        str(message.text)
        for message in state["messages"]
        if isinstance(message, ToolMessage) and message.status != "error"
    ]
    return Evidence.documents([text for text in texts if text.strip()])


class GroundednessGate(AgentMiddleware[GateState, Any, Any]):
    """Verifies the answer of an agent against its sources, after the model and before its user.

    An answer is a message of the model without a tool call. One that is not grounded, or that could
    not be verified for whatever reason, does not pass. `response_metadata["groundwire"]` of the
    message that is returned says what became of it. Put the gate first: LangChain runs the hooks
    after a model in reverse, so that the first sees what is returned.

    What is streamed while a model writes it has been read before any gate sees it, and what a tool
    with `return_direct` returns is no answer of a model.
    """

    state_schema = GateState

    def __init__(
        self,
        client: Client | AsyncClient,
        *,
        ungrounded: Literal["block", "annotate", "retry"] = "block",
        pass_abstentions: bool = True,
        max_retries: int = 1,
        after_retries: Literal["block", "annotate"] = "block",
        sources: Callable[[GateState], Evidence | str] = tool_results,
        options: VerifyOptions | None = None,
        timeout_s: float | None = None,
        withheld: str = WITHHELD,
        unverified: str = UNVERIFIED,
        instruction: str = INSTRUCTION,
    ) -> None:
        """Makes a gate of a client, which stays the caller's to close.

        Args:
            client: what asks the server. An AsyncClient serves `agent.ainvoke` alone; a Client
                serves both, from a thread where the agent is asynchronous.
            ungrounded: what becomes of an answer that is not grounded. `block`: `withheld` takes
                its place. `annotate`: a warning is appended to it. `retry`: the model gets
                `instruction` with the statements that are not grounded, and answers again. An
                answer that could not be verified is not sent back.
            pass_abstentions: let an answer pass that says that its sources do not answer, and
                nothing else that counts.
            max_retries: how often an answer is sent back, at least 1.
            after_retries: what becomes of an answer that is not grounded even then, or that is not
                sent back. Answers that were sent back are removed from the conversation.
            sources: what an answer is judged by; by default what the tools returned.
            options: how claims are verified; None: the server's defaults. An answer with more
                claims than `VerifyOptions.max_claims`, by default 64, does not pass.
            timeout_s: the time-out of one verification, in seconds; None: the client's.
            withheld: what is returned in place of an answer.
            unverified: the warning where the server gives none, since it could not be asked.
            instruction: what the model is told, before the statements.

        Raises:
            ConfigurationError: an argument cannot be used.
        """
        super().__init__()
        if ungrounded not in ("block", "annotate", "retry"):
            raise ConfigurationError(f"ungrounded must be block, annotate or retry: {ungrounded!r}")
        if after_retries not in ("block", "annotate"):
            raise ConfigurationError(f"after_retries must be block or annotate: {after_retries!r}")
        if max_retries < 1:
            raise ConfigurationError(f"max_retries must be at least 1, not {max_retries!r}")
        self._client = client
        self._retries = max_retries if ungrounded == "retry" else 0
        self._passes_abstentions = pass_abstentions
        self._annotates = (after_retries if ungrounded == "retry" else ungrounded) == "annotate"
        self._sources = sources
        self._options = options
        self._timeout_s = timeout_s
        self._withheld = withheld
        self._unverified = unverified
        self._instruction = instruction

    @hook_config(can_jump_to=["model"])
    def after_model(self, state: GateState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Verifies the last message, if it is an answer.

        Raises:
            ConfigurationError: the gate has an AsyncClient, or the agent gave a structured
                response, which cannot be verified.
        """
        if (answer := _answer(state)) is None:
            return None
        if isinstance(self._client, AsyncClient):
            raise ConfigurationError(
                "the gate has an AsyncClient: use ainvoke, or give it a Client"
            )
        attempt = attempted(
            self._client.verify_answer,
            str(answer.text),
            self._sources(state),
            options=self._options,
            timeout_s=self._timeout_s,
        )
        return self._decide(state, answer, attempt)

    @hook_config(can_jump_to=["model"])
    async def aafter_model(self, state: GateState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """As `after_model`; with an AsyncClient, cancelling it cancels the call in the server."""
        if not isinstance(self._client, AsyncClient):
            return await asyncio.to_thread(self.after_model, state, runtime)
        if (answer := _answer(state)) is None:
            return None
        attempt = await attempted_async(
            self._client.verify_answer,
            str(answer.text),
            self._sources(state),
            options=self._options,
            timeout_s=self._timeout_s,
        )
        return self._decide(state, answer, attempt)

    def _decide(
        self, state: GateState, answer: AIMessage, attempt: Attempt[AnswerReport]
    ) -> dict[str, Any]:
        """Sends the answer back, or says what is returned and takes away what was sent back."""
        report = attempt.result
        abstains = report is not None and self._passes_abstentions and report.summary.abstained
        passes = abstains or (report is not None and report.overall_grounded)
        sent_back = state.get("groundwire_sent_back") or []
        if not passes and len(sent_back) < 2 * self._retries and (faults := _faults(report)):
            told = HumanMessage("\n".join([self._instruction, *faults]), id=str(uuid4()))
            ids = [*sent_back, str(answer.id), str(told.id)]
            return {"messages": [told], "groundwire_sent_back": ids, "jump_to": "model"}
        warning = self._unverified if report is None else report.warning
        if not passes and not self._annotates:
            returned = AIMessage(self._withheld, id=answer.id, name=answer.name)
        elif warning and self._annotates and not abstains:
            returned = answer.model_copy(update={"content": _with_note(answer.content, warning)})
        else:
            returned = answer.model_copy()
        returned.response_metadata = {
            **returned.response_metadata,
            METADATA: {
                "grounded": report is not None and report.overall_grounded,
                "abstained": report is not None and report.summary.abstained,
                "grounding_ratio": None if report is None else report.grounding_ratio,
                "warning": warning,
                "detection_id": "" if report is None else report.detection_id,
                "error": None if attempt.error is None else error_kind(attempt.error),
                "sent_back": len(sent_back) // 2,
            },
        }
        left = {message.id for message in state["messages"]}
        removed = [RemoveMessage(id=id) for id in sent_back if id in left]
        return {"messages": [*removed, returned], "groundwire_sent_back": []}


def _answer(state: GateState) -> AIMessage | None:
    """The last message of the model; None: it calls tools, and so is no answer yet."""
    if state.get("structured_response") is not None:
        raise ConfigurationError(
            "a structured response cannot be verified: make the agent without response_format"
        )
    said = (m for m in reversed(state["messages"]) if isinstance(m, AIMessage))
    last = next(said, None)
    return None if last is None or last.tool_calls else last


def _faults(report: AnswerReport | None) -> list[str]:
    """The statements that count and are not grounded, each with the server's warning."""
    return [
        f"- {claim.content}: {claim.warning}"
        for claim in report or ()
        if claim.reason not in SKIPPED and not claim.grounded
    ]


def _with_note(
    content: str | list[str | dict[str, Any]], note: str
) -> str | list[str | dict[str, Any]]:
    """A message's content with a paragraph more."""
    if isinstance(content, str):
        return f"{content}\n\n{note}"
    return [*content, {"type": "text", "text": f"\n\n{note}"}]


class GroundednessCheck(Runnable[Mapping[str, Any], dict[str, Any]]):
    """A step of a chain: verifies its answer by what was retrieved, and adds the report.

    It takes what a retrieval chain gives, a dict with the answer and its documents, and gives the
    same with an `AnswerReport` under `groundwire`. The documents are the sources S0, S1, and so on,
    with their titles. It raises what the client raises: an answer that could not be verified does
    not go on as if it had been.
    """

    def __init__(
        self,
        client: Client | AsyncClient,
        *,
        answer_key: str = "answer",
        sources_key: str = "context",
        question_key: str | None = None,
        output_key: str = METADATA,
        correct: bool = False,
        options: VerifyOptions | None = None,
        timeout_s: float | None = None,
    ) -> None:
        """Makes a step of a client, which stays the caller's to close.

        Args:
            client: what asks the server. An AsyncClient serves `ainvoke` alone; a Client serves
                both, from a thread in `ainvoke`.
            answer_key: where the answer is: a text or a message.
            sources_key: where its sources are: documents of LangChain, texts, or one text.
            question_key: where the question is, to read each claim with it; None: claims are read
                by themselves.
            output_key: where the report goes.
            correct: whether to put the answer right, too: `AnswerReport.correction`.
            options: how claims are verified; None: the server's defaults.
            timeout_s: the time-out of one verification, in seconds; None: the client's.
        """
        self._client = client
        self._answer_key = answer_key
        self._sources_key = sources_key
        self._question_key = question_key
        self._output_key = output_key
        self._correct = correct
        self._options = options
        self._timeout_s = timeout_s

    def invoke(
        self, input: Mapping[str, Any], config: RunnableConfig | None = None, **_: object
    ) -> dict[str, Any]:
        """Verifies one answer.

        Raises:
            ConfigurationError: the step has an AsyncClient, or the input lacks a key.
            GroundwireError: the answer could not be verified.
        """
        if isinstance(self._client, AsyncClient):
            raise ConfigurationError(
                "the check has an AsyncClient: use ainvoke, or give it a Client"
            )
        answer, evidence, question = self._read(input)
        report = self._client.verify_answer(
            answer,
            evidence,
            question=question,
            correct=self._correct,
            options=self._options,
            timeout_s=self._timeout_s,
        )
        return {**input, self._output_key: report}

    async def ainvoke(
        self, input: Mapping[str, Any], config: RunnableConfig | None = None, **_: object
    ) -> dict[str, Any]:
        """As `invoke`; with an AsyncClient, cancelling it cancels the call in the server."""
        if not isinstance(self._client, AsyncClient):
            return await asyncio.to_thread(self.invoke, input)
        answer, evidence, question = self._read(input)
        report = await self._client.verify_answer(
            answer,
            evidence,
            question=question,
            correct=self._correct,
            options=self._options,
            timeout_s=self._timeout_s,
        )
        return {**input, self._output_key: report}

    def _read(self, found: Mapping[str, Any]) -> tuple[str, Evidence | str, str]:
        """The answer, its evidence, and the question or an empty text."""
        wanted = [self._answer_key, self._sources_key, self._question_key]
        if missing := [key for key in wanted if key is not None and key not in found]:
            raise ConfigurationError(
                f"the input has no {missing[0]!r}: name the key with answer_key, sources_key or "
                "question_key"
            )
        sources = found[self._sources_key]
        evidence = sources if isinstance(sources, str) else _retrieved(sources)
        question = "" if self._question_key is None else _text(found[self._question_key])
        return _text(found[self._answer_key]), evidence, question


def _text(said: str | BaseMessage) -> str:
    return said if isinstance(said, str) else str(said.text)


def _retrieved(sources: Iterable[Retrieved | str]) -> Evidence:
    """What was retrieved, with the titles that it has."""
    given = [Retrieved(each) if isinstance(each, str) else each for each in sources]
    return Evidence.documents(
        Document(f"S{i}", each.page_content, " ".join(str(each.metadata.get("title", "")).split()))
        for i, each in enumerate(given)
    )

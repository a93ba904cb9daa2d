"""A gate for agents of LangChain, and a step of a chain, that have an answer verified.

    create_agent(model, tools, middleware=[GroundednessGate(client)])
    chain = retrieval_chain | GroundednessCheck(client)

Through the gate only an answer passes that the server calls grounded. What becomes of the others
the caller chooses: they are withheld, marked, or sent back to the model. An answer that is streamed
is verified while the model writes it. The step adds the report to what the chain has found, and
leaves the rest to the chain.
"""

import asyncio
import math
from collections import OrderedDict
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from queue import SimpleQueue
from typing import Annotated, Any, Literal, NotRequired
from uuid import uuid4

from groundwire.async_client import AsyncClient
from groundwire.attempts import Attempt, attempted, attempted_async
from groundwire.client import Client
from groundwire.errors import ConfigurationError, error_kind
from groundwire.evaluators import missing_extra
from groundwire.evaluators.judgement import SKIPPED
from groundwire.inputs import Document, Evidence, VerifyOptions
from groundwire.reports import AnswerReport, DraftEvent, DraftSettled, DraftStop, DraftVerdict
from groundwire.verdicts import AnswerClaim, VerdictReason

try:
    from langchain.agents.middleware import (
        AgentMiddleware,
        AgentState,
        ModelRequest,
        ModelResponse,
        hook_config,
    )
    from langchain.agents.middleware.types import PrivateStateAttr
    from langchain_core.documents import Document as Retrieved
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import (
        AIMessage,
        AIMessageChunk,
        BaseMessage,
        HumanMessage,
        RemoveMessage,
        ToolMessage,
        message_chunk_to_message,
    )
    from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
    from langchain_core.runnables import Runnable, RunnableConfig
    from langchain_core.runnables.config import ContextThreadPoolExecutor
    from langchain_core.runnables.utils import AddableDict
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

MOST_DRAFTED = 1000
"""Answers whose report waits for the end of their model's turn. Without it one is asked for
anew."""
_NOTHING_TO_CHECK = frozenset({VerdictReason.NON_ASSERTIVE, VerdictReason.TOO_SHORT})
_NO_SOURCES = (Evidence(()), "")
_WITHOUT_TEXT: Mapping[str, Any] = {"content": "", "additional_kwargs": {}}
_UNHEARD: RunnableConfig = {"callbacks": []}
"""What a model is called with, so that nobody hears what it says before it is shown."""


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

    An answer that is streamed is verified while it is written, by the sources that are there when
    the model is called. With `block` its text is shown up to the first statement that is not
    grounded, with `retry` not before all of it is verified, and with `annotate` at once; the rest
    follows if the answer passes, and else `withheld` or the warning does.

    What a tool with `return_direct` returns is no answer of a model.
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
        self._shows_at_once = ungrounded == "annotate"
        self._shows_grounded = ungrounded == "block"
        self._drafted: OrderedDict[str, _Drafted] = OrderedDict()

    def wrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], ModelResponse[Any]],
    ) -> ModelResponse[Any]:
        """Has the model's answer verified while it is streamed."""
        return handler(self._overheard(request))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """As `wrap_model_call`."""
        return await handler(self._overheard(request))

    def _overheard(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        return request.override(
            model=_Overheard(
                inner=request.model,
                gate=self,
                state=request.state,
                profile=request.model.profile,
                # The model itself has one, if any.
                cache=False,
            )
        )

    @hook_config(can_jump_to=["model"])
    def after_model(self, state: GateState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Verifies the last message, if it is an answer.

        Raises:
            ConfigurationError: the gate has an AsyncClient, or the agent gave a structured
                response, which cannot be verified.
        """
        if (answer := _answer(state)) is None:
            return None
        if (drafted := self._drafted.pop(str(answer.id), None)) is not None:
            return self._decide(state, drafted.answer, drafted.attempt)
        return self._decide(state, answer, self._verified(str(answer.text), self._sources(state)))

    @hook_config(can_jump_to=["model"])
    async def aafter_model(self, state: GateState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """As `after_model`; with an AsyncClient, cancelling it cancels the call in the server."""
        if not isinstance(self._client, AsyncClient):
            return await asyncio.to_thread(self.after_model, state, runtime)
        if (answer := _answer(state)) is None:
            return None
        if (drafted := self._drafted.pop(str(answer.id), None)) is not None:
            return self._decide(state, drafted.answer, drafted.attempt)
        attempt = await self._averified(str(answer.text), self._sources(state))
        return self._decide(state, answer, attempt)

    def _verified(self, text: str, sources: Evidence | str) -> Attempt[AnswerReport | None]:
        return attempted(
            self._blocking.verify_answer,
            text,
            sources,
            options=self._options,
            timeout_s=self._timeout_s,
        )

    async def _averified(self, text: str, sources: Evidence | str) -> Attempt[AnswerReport | None]:
        if not isinstance(self._client, AsyncClient):
            return await asyncio.to_thread(self._verified, text, sources)
        return await attempted_async(
            self._client.verify_answer,
            text,
            sources,
            options=self._options,
            timeout_s=self._timeout_s,
        )

    @property
    def _blocking(self) -> Client:
        if isinstance(self._client, AsyncClient):
            raise ConfigurationError(
                "the gate has an AsyncClient: use ainvoke or astream, or give it a Client"
            )
        return self._client

    def _keep(self, drafted: "_Drafted") -> None:
        """Keep a report until the end of its model's turn."""
        self._drafted[str(drafted.answer.id)] = drafted
        while len(self._drafted) > MOST_DRAFTED:
            self._drafted.popitem(last=False)

    def _passes(self, report: AnswerReport | None) -> bool:
        return report is not None and (report.overall_grounded or self._abstains(report))

    def _abstains(self, report: AnswerReport) -> bool:
        return self._passes_abstentions and report.summary.abstained

    def _faults(self, state: GateState, report: AnswerReport | None) -> list[str]:
        """What the answer is sent back with; empty if it is not."""
        sent_back = state.get("groundwire_sent_back") or []
        if self._passes(report) or len(sent_back) >= 2 * self._retries:
            return []
        return _faults(report)

    def _note(self, report: AnswerReport | None) -> str:
        """What is appended to an answer that is shown; it may be empty."""
        if not self._annotates or (report is not None and self._abstains(report)):
            return ""
        return self._unverified if report is None else report.warning

    def _last_words(self, state: GateState, report: AnswerReport | None) -> tuple[bool, str]:
        """Whether the rest of a streamed answer is shown, and what is said behind it."""
        if self._faults(state, report):
            return False, ""
        if self._passes(report) or self._annotates:
            return True, self._note(report)
        return False, self._withheld

    def _decide(
        self, state: GateState, answer: AIMessage, attempt: Attempt[AnswerReport | None]
    ) -> dict[str, Any]:
        """Sends the answer back, or says what is returned and takes away what was sent back."""
        report = attempt.result
        sent_back = state.get("groundwire_sent_back") or []
        if faults := self._faults(state, report):
            told = HumanMessage("\n".join([self._instruction, *faults]), id=str(uuid4()))
            ids = [*sent_back, str(answer.id), str(told.id)]
            return {"messages": [told], "groundwire_sent_back": ids, "jump_to": "model"}
        if not self._passes(report) and not self._annotates:
            returned = AIMessage(self._withheld, id=answer.id, name=answer.name)
        elif note := self._note(report):
            returned = answer.model_copy(update={"content": _with_note(answer.content, note)})
        else:
            returned = answer.model_copy()
        returned.response_metadata = {
            **returned.response_metadata,
            METADATA: {
                "grounded": report is not None and report.overall_grounded,
                "abstained": report is not None and report.summary.abstained,
                "grounding_ratio": None if report is None else report.grounding_ratio,
                "warning": self._unverified if report is None else report.warning,
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


@dataclass(frozen=True, slots=True)
class _Drafted:
    """A whole answer, and what came of verifying it while it was written."""

    answer: AIMessage
    attempt: Attempt[AnswerReport | None]


class _NoAnswerError(Exception):
    """There is no answer to verify: the model calls a tool, or its stream ended before its time."""


_Piece = str | None | _NoAnswerError
"""Of an answer that is being written; None is its end."""


def _read_draft(
    client: Client,
    pieces: SimpleQueue[_Piece],
    sources: Evidence | str,
    settings: Mapping[str, Any],
    take: Callable[[DraftEvent], None],
) -> AnswerReport | None:
    """Verify pieces as they come; `take` gets what is known before the report.

    None: there is no answer, after all. Raises what the client does.
    """

    def texts() -> Iterator[str]:
        while (piece := pieces.get()) is not None:
            if isinstance(piece, _NoAnswerError):
                raise piece
            yield piece

    try:
        for event in client.verify_draft(texts(), sources, **settings):
            if isinstance(event, AnswerReport):
                return event
            take(event)
    except _NoAnswerError:
        pass
    return None


async def _aread_draft(
    client: AsyncClient,
    pieces: asyncio.Queue[_Piece],
    sources: Evidence | str,
    settings: Mapping[str, Any],
    take: Callable[[DraftEvent], None],
) -> AnswerReport | None:
    """As `_read_draft`."""

    async def texts() -> AsyncIterator[str]:
        while (piece := await pieces.get()) is not None:
            if isinstance(piece, _NoAnswerError):
                raise piece
            yield piece

    try:
        async for event in client.verify_draft(texts(), sources, **settings):
            if isinstance(event, AnswerReport):
                return event
            take(event)
    except _NoAnswerError:
        pass
    return None


class _Draft:
    """An answer that a gate's model is writing: what of it is held back, and what is known of it.

    `text` is all that was written. Calls that verify it run beside those that add to it.
    """

    def __init__(self, gate: GroundednessGate, state: GateState) -> None:
        self._gate = gate
        self._state = state
        self.sources = gate._sources(state)
        self._chunks: list[AIMessageChunk] = []
        self._shown = 0
        self._shown_characters = 0
        self._may_be_shown = math.inf if gate._shows_at_once else 0
        self._claims: dict[int, AnswerClaim] = {}
        self._is_whole = False

    @property
    def text(self) -> str:
        return "".join(str(chunk.text) for chunk in self._chunks)

    @property
    def is_answer(self) -> bool:
        """Whether it is whole and calls no tool."""
        return self._is_whole and not any(chunk.tool_call_chunks for chunk in self._chunks)

    def add(
        self, said: AIMessage, put: Callable[[_Piece], object]
    ) -> Iterator[ChatGenerationChunk]:
        """Take what the model says next; gives what may be shown by now."""
        chunk = (
            said
            if isinstance(said, AIMessageChunk)
            else AIMessageChunk(**said.model_dump(exclude={"type"}))
        )
        self._chunks.append(chunk)
        if text := str(chunk.text):
            put(text)
        for held in self._chunks[self._shown :]:
            end = self._shown_characters + len(str(held.text))
            if end > self._may_be_shown:
                break
            self._shown, self._shown_characters = self._shown + 1, end
            yield ChatGenerationChunk(message=held)

    def whole(self) -> None:
        """Know that the model has said all."""
        self._is_whole = True

    def end(self) -> _Piece:
        """What ends the pieces."""
        return None if self.is_answer else _NoAnswerError()

    def check(self, client: Client, pieces: SimpleQueue[_Piece]) -> Attempt[AnswerReport | None]:
        """Verify the pieces as they come. The result is None if they are no answer."""
        return attempted(self._read, client, pieces)

    def _read(self, client: Client, pieces: SimpleQueue[_Piece]) -> AnswerReport | None:
        if self.sources in _NO_SOURCES:
            return None
        return _read_draft(client, pieces, self.sources, self._settings, self._take)

    async def acheck(
        self, client: AsyncClient, pieces: asyncio.Queue[_Piece]
    ) -> Attempt[AnswerReport | None]:
        """As `check`."""
        return await attempted_async(self._aread, client, pieces)

    async def _aread(
        self, client: AsyncClient, pieces: asyncio.Queue[_Piece]
    ) -> AnswerReport | None:
        if self.sources in _NO_SOURCES:
            return None
        return await _aread_draft(client, pieces, self.sources, self._settings, self._take)

    @property
    def _settings(self) -> Mapping[str, Any]:
        return {"options": self._gate._options, "timeout_s": self._gate._timeout_s}

    def _take(self, event: DraftEvent) -> None:
        match event:
            case DraftVerdict():
                self._claims[event.index] = event.claim
            case DraftSettled() if self._gate._shows_grounded and all(
                claim.grounded or claim.reason in _NOTHING_TO_CHECK
                for claim in self._claims.values()
                if claim.span.end <= event.characters
            ):
                self._may_be_shown = event.characters

    def rest(self, attempt: Attempt[AnswerReport | None]) -> Iterator[ChatGenerationChunk]:
        """What is left to show, once it is known what becomes of the answer."""
        held = self._chunks[self._shown :]
        if not self.is_answer:
            yield from (ChatGenerationChunk(message=chunk) for chunk in held)
            return
        first, *others = self._chunks
        answer = message_chunk_to_message(first + others if others else first)
        if isinstance(answer, AIMessage):
            self._gate._keep(_Drafted(answer, attempt))
        is_shown, behind = self._gate._last_words(self._state, attempt.result)
        for chunk in held:
            # What a chunk says beside its text, such as the tokens used, is not withheld.
            left = chunk if is_shown else chunk.model_copy(update=_WITHOUT_TEXT)
            yield ChatGenerationChunk(message=left)
        if behind:
            gap = "\n\n" if is_shown or self._shown_characters else ""
            yield ChatGenerationChunk(message=AIMessageChunk(content=gap + behind, id=first.id))


class _Overheard(BaseChatModel):
    """A model whose answer is verified while it streams, for a gate. See `GroundednessGate`."""

    inner: Any
    gate: Any
    state: Any

    @property
    def _llm_type(self) -> str:
        return "groundwire"

    def bind_tools(self, tools: Sequence[Any], **settings: object) -> "_Overheard":
        bound: _Overheard = self.model_copy(
            update={"inner": self.inner.bind_tools(tools, **settings)}
        )
        return bound

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: object = None,
        **settings: object,
    ) -> ChatResult:
        said = self.inner.invoke(messages, _UNHEARD, stop=stop, **settings)
        return ChatResult(generations=[ChatGeneration(message=said)])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: object = None,
        **settings: object,
    ) -> ChatResult:
        said = await self.inner.ainvoke(messages, _UNHEARD, stop=stop, **settings)
        return ChatResult(generations=[ChatGeneration(message=said)])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: object = None,
        **settings: object,
    ) -> Iterator[ChatGenerationChunk]:
        client = self.gate._blocking
        draft = _Draft(self.gate, self.state)
        pieces: SimpleQueue[_Piece] = SimpleQueue()
        with ContextThreadPoolExecutor(max_workers=1) as threads:
            checked = threads.submit(draft.check, client, pieces)
            try:
                for said in self.inner.stream(messages, _UNHEARD, stop=stop, **settings):
                    yield from draft.add(said, pieces.put)
                draft.whole()
            finally:
                pieces.put(draft.end())
            attempt = checked.result()
        if draft.is_answer and attempt.result is None:
            attempt = self.gate._verified(draft.text, draft.sources)
        yield from draft.rest(attempt)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: object = None,
        **settings: object,
    ) -> AsyncIterator[ChatGenerationChunk]:
        draft = _Draft(self.gate, self.state)
        pieces: SimpleQueue[_Piece] | asyncio.Queue[_Piece]
        client = self.gate._client
        if isinstance(client, AsyncClient):
            pieces = asyncio.Queue()
            checked = asyncio.create_task(draft.acheck(client, pieces))
        else:
            pieces = SimpleQueue()
            checked = asyncio.create_task(asyncio.to_thread(draft.check, client, pieces))
        try:
            async for said in self.inner.astream(messages, _UNHEARD, stop=stop, **settings):
                for shown in draft.add(said, pieces.put_nowait):
                    yield shown
            draft.whole()
        finally:
            pieces.put_nowait(draft.end())
            attempt = await checked
        if draft.is_answer and attempt.result is None:
            attempt = await self.gate._averified(draft.text, draft.sources)
        for shown in draft.rest(attempt):
            yield shown


class GroundednessCheck(Runnable[Mapping[str, Any], dict[str, Any]]):
    """A step of a chain: verifies its answer by what was retrieved, and adds the report.

    It takes what a retrieval chain gives, a dict with the answer and its documents, and gives the
    same with an `AnswerReport` under `groundwire`. The documents are the sources S0, S1, and so on,
    with their titles. It raises what the client raises: an answer that could not be verified does
    not go on as if it had been.

    Of a chain that streams, all passes as it comes, and the report comes last. The answer is
    verified while it is written, from when its sources are known; it may be a text or messages.
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
        stop_at_contradicted: bool = False,
        options: VerifyOptions | None = None,
        timeout_s: float | None = None,
    ) -> None:
        """Makes a step of a client, which stays the caller's to close.

        Args:
            client: what asks the server. An AsyncClient serves `ainvoke` and `astream` alone; a
                Client serves all, from a thread where the chain is asynchronous.
            answer_key: where the answer is: a text or a message.
            sources_key: where its sources are: documents of LangChain, texts, or one text.
            question_key: where the question is, to read each claim with it; None: claims are read
                by themselves.
            output_key: where the report goes.
            correct: whether to put the answer right, too: `AnswerReport.correction`.
            stop_at_contradicted: end a stream at the first claim that comes out CONTRADICTED. The
                report is then on the answer up to there, of which some more may have passed.
            options: how claims are verified; None: the server's defaults.
            timeout_s: the time-out of one verification, in seconds; None: the client's. An answer
                that takes longer to write is verified once it is whole.
        """
        self._client = client
        self._answer_key = answer_key
        self._sources_key = sources_key
        self._question_key = question_key
        self._output_key = output_key
        self._correct = correct
        self._stops = stop_at_contradicted
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
        return {**input, self._output_key: self._verified(self._read(input))}

    async def ainvoke(
        self, input: Mapping[str, Any], config: RunnableConfig | None = None, **_: object
    ) -> dict[str, Any]:
        """As `invoke`; with an AsyncClient, cancelling it cancels the call in the server."""
        return {**input, self._output_key: await self._averified(self._read(input))}

    def transform(
        self,
        input: Iterator[Mapping[str, Any]],
        config: RunnableConfig | None = None,
        **_: object,
    ) -> Iterator[dict[str, Any]]:
        """Verifies an answer while a chain streams it. Raises as `invoke`, once it is whole."""
        client = self._blocking
        draft = _StepDraft(self)
        pieces: SimpleQueue[_Piece] = SimpleQueue()
        end: _Piece = _NoAnswerError()
        checked: Future[Attempt[AnswerReport | None]] | None = None
        with ContextThreadPoolExecutor(max_workers=1) as threads:
            try:
                for chunk in input:
                    if text := draft.add(chunk):
                        pieces.put(text)
                        checked = checked or threads.submit(draft.check, client, pieces)
                    yield dict(chunk)
                    if draft.is_stopped:
                        break
                end = None
            finally:
                pieces.put(end)
                # Else the model would write on.
                if isinstance(input, Generator):
                    input.close()
            report = draft.report(checked.result()) if checked else None
        if report is None:
            report = self._verified(self._read(draft.found))
        yield {self._output_key: report}

    async def atransform(
        self,
        input: AsyncIterator[Mapping[str, Any]],
        config: RunnableConfig | None = None,
        **_: object,
    ) -> AsyncIterator[dict[str, Any]]:
        """As `transform`; with an AsyncClient, cancelling it cancels the call in the server."""
        client = self._client
        draft = _StepDraft(self)
        pieces: SimpleQueue[_Piece] | asyncio.Queue[_Piece]
        if isinstance(client, AsyncClient):
            pieces = asyncio.Queue()
            check = partial(draft.acheck, client, pieces)
        else:
            pieces = SimpleQueue()
            check = partial(asyncio.to_thread, draft.check, client, pieces)
        end: _Piece = _NoAnswerError()
        checked: asyncio.Task[Attempt[AnswerReport | None]] | None = None
        try:
            async for chunk in input:
                if text := draft.add(chunk):
                    pieces.put_nowait(text)
                    checked = checked or asyncio.create_task(check())
                yield dict(chunk)
                if draft.is_stopped:
                    break
            end = None
        finally:
            pieces.put_nowait(end)
            # Else the model would write on.
            if isinstance(input, AsyncGenerator):
                await input.aclose()
            attempt = await checked if checked else None
        report = draft.report(attempt) if attempt else None
        if report is None:
            report = await self._averified(self._read(draft.found))
        yield {self._output_key: report}

    def _verified(self, asked: "_Asked") -> AnswerReport:
        return self._blocking.verify_answer(
            asked.answer, asked.evidence, **self._settings(asked), timeout_s=self._timeout_s
        )

    async def _averified(self, asked: "_Asked") -> AnswerReport:
        if not isinstance(self._client, AsyncClient):
            return await asyncio.to_thread(self._verified, asked)
        return await self._client.verify_answer(
            asked.answer, asked.evidence, **self._settings(asked), timeout_s=self._timeout_s
        )

    @property
    def _blocking(self) -> Client:
        if isinstance(self._client, AsyncClient):
            raise ConfigurationError(
                "the check has an AsyncClient: use ainvoke or astream, or give it a Client"
            )
        return self._client

    def _settings(self, asked: "_Asked") -> dict[str, Any]:
        return {"question": asked.question, "correct": self._correct, "options": self._options}

    def _read(self, found: Mapping[str, Any]) -> "_Asked":
        """What is to be verified. Raises ConfigurationError for a key that is not there."""
        if missing := [key for key in self._keys if key not in found]:
            raise ConfigurationError(
                f"the input has no {missing[0]!r}: name the key with answer_key, sources_key or "
                "question_key"
            )
        sources = found[self._sources_key]
        evidence = sources if isinstance(sources, str) else _retrieved(sources)
        question = "" if self._question_key is None else _text(found[self._question_key])
        return _Asked(_text(found[self._answer_key]), evidence, question)

    @property
    def _keys(self) -> list[str]:
        keys = (self._answer_key, self._sources_key, self._question_key)
        return [key for key in keys if key is not None]


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a step verifies. A question that is not known is empty."""

    answer: str
    evidence: Evidence | str
    question: str


class _StepDraft:
    """What a chain has streamed into a step, and the draft of its answer.

    `is_stopped` says that no more is wanted.
    """

    def __init__(self, step: GroundednessCheck) -> None:
        self._step = step
        self._begun = _Asked("", "", "")
        self._texts: list[str] = []
        self._sent = 0
        self._others = AddableDict()
        self.is_stopped = False

    @property
    def found(self) -> Mapping[str, Any]:
        """All of what is to be verified so far."""
        answer = {self._step._answer_key: "".join(self._texts)} if self._texts else {}
        return {**self._others, **answer}

    def add(self, chunk: Mapping[str, Any]) -> str:
        """Take what comes next; gives what of the answer is to be verified now."""
        answer_key, *keys = self._step._keys
        if (said := chunk.get(answer_key)) is not None:
            self._texts.append(_text(said))
        if others := {key: chunk[key] for key in keys if key in chunk}:
            self._others = self._others + AddableDict(others)
        if not self._others.keys() >= set(keys):
            return ""
        text = "".join(self._texts[self._sent :])
        self._sent = len(self._texts)
        if text and not self._begun.answer:
            self._begun = self._step._read(self.found)
        return text

    def check(self, client: Client, pieces: SimpleQueue[_Piece]) -> Attempt[AnswerReport | None]:
        """Verify the pieces as they come."""
        return attempted(
            lambda: _read_draft(client, pieces, self._begun.evidence, self._settings, self._take)
        )

    async def acheck(
        self, client: AsyncClient, pieces: asyncio.Queue[_Piece]
    ) -> Attempt[AnswerReport | None]:
        """As `check`."""
        return await attempted_async(
            lambda: _aread_draft(client, pieces, self._begun.evidence, self._settings, self._take)
        )

    def report(self, attempt: Attempt[AnswerReport | None]) -> AnswerReport | None:
        """The report of the draft; None if it is not that on what has come since."""
        asked = self._step._read(self.found)
        return attempt.result if asked == replace(self._begun, answer=asked.answer) else None

    @property
    def _settings(self) -> Mapping[str, Any]:
        return {
            **self._step._settings(self._begun),
            "stop_at_contradicted": self._step._stops,
            "timeout_s": self._step._timeout_s,
        }

    def _take(self, event: DraftEvent) -> None:
        self.is_stopped = self.is_stopped or isinstance(event, DraftStop)


def _text(said: str | BaseMessage) -> str:
    return said if isinstance(said, str) else str(said.text)


def _retrieved(sources: Iterable[Retrieved | str]) -> Evidence:
    """What was retrieved, with the titles that it has."""
    given = [Retrieved(each) if isinstance(each, str) else each for each in sources]
    return Evidence.documents(
        Document(f"S{i}", each.page_content, " ".join(str(each.metadata.get("title", "")).split()))
        for i, each in enumerate(given)
    )

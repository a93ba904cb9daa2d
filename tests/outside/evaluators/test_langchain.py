"""The gate in an agent of LangChain itself, against real servers."""

import asyncio
import re
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from typing import Any, Literal

import pytest
from langchain.agents import create_agent
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    ToolMessage,
)
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import (
    Runnable,
    RunnableGenerator,
    RunnableLambda,
    RunnablePassthrough,
)
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from groundwire import (
    AnswerReport,
    AsyncClient,
    Client,
    ConfigurationError,
    Evidence,
    GroundwireError,
    Verdict,
)
from groundwire.evaluators.langchain import (
    INSTRUCTION,
    UNVERIFIED,
    WITHHELD,
    GroundednessCheck,
    GroundednessGate,
)
from tests.outside.evaluators.texts import (
    CONTEXTS,
    DENIED,
    ENDLESS,
    GROUNDED,
    HALF,
    HEBREW_CONTEXTS,
    HEBREW_HALF,
    MADE_UP,
    PARTLY_ENDLESS,
    UNREADABLE,
)

Ask = Callable[..., Awaitable[dict[str, Any]]]


class Model(GenericFakeChatModel):
    """Says what it is given, and remembers what it was told."""

    heard: list[list[BaseMessage]]

    def bind_tools(self, tools: object, **_: object) -> "Model":
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **_: object,
    ) -> ChatResult:
        self.heard.append(messages)
        return super()._generate(messages, stop, run_manager)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **_: object,
    ) -> Iterator[ChatGenerationChunk]:
        """Word by word; a call of a tool at once."""
        said = self._generate(messages, stop, run_manager).generations[0].message
        chunk = AIMessageChunk(**said.model_dump(exclude={"type"}))
        if chunk.tool_call_chunks:
            yield ChatGenerationChunk(message=chunk)
            return
        for word in re.split(r"(?<= )", str(said.text)):
            yield ChatGenerationChunk(message=AIMessageChunk(word))


def looking_up() -> AIMessage:
    call = {"name": "look_up", "args": {"about": "the tower"}, "id": "1"}
    return AIMessage("", tool_calls=[call])


@tool
def look_up(about: str) -> str:
    """Say what is known."""
    return " ".join(CONTEXTS)


@tool("look_up")
def failing(about: str) -> str:
    """Say what is known."""
    raise ValueError(" ".join(CONTEXTS))


def model(*answers: str) -> Model:
    said: Iterator[AIMessage | str] = iter([looking_up(), *answers])
    return Model(messages=said, heard=[])


def messages(text: str = "Who built the tower?") -> dict[str, Any]:
    return {"messages": [HumanMessage(text)]}


@pytest.fixture(params=["sync", "async", "async-by-threads"])
def ask(request: pytest.FixtureRequest, client: Client, async_client: AsyncClient) -> Ask:
    """Runs an agent with a gate in each way that there is, and gives its last state."""

    make_gate: Callable[..., GroundednessGate] = GroundednessGate

    async def run(speaker: Model, **options: object) -> dict[str, Any]:
        used = async_client if request.param == "async" else client
        gate = make_gate(used, **options)
        agent = create_agent(speaker, [look_up], middleware=[gate])
        state: dict[str, Any]
        if request.param == "sync":
            state = agent.invoke(messages())
        else:
            state = await agent.ainvoke(messages())
        return state

    return run


def outcome(state: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = state["messages"][-1].response_metadata["groundwire"]
    return told


async def test_an_answer_that_is_grounded_is_returned_as_it_is(ask: Ask) -> None:
    state = await ask(model(GROUNDED))

    assert state["messages"][-1].content == GROUNDED
    assert outcome(state)["grounded"] is True
    assert outcome(state)["grounding_ratio"] == 1.0
    assert [m.type for m in state["messages"]] == ["human", "ai", "tool", "ai"]


async def test_an_answer_that_is_not_grounded_is_withheld(ask: Ask) -> None:
    state = await ask(model(MADE_UP))

    assert state["messages"][-1].content == WITHHELD
    assert "Romans" not in str(state)
    assert outcome(state)["grounded"] is False
    assert "check" in outcome(state)["warning"]


async def test_an_answer_that_is_not_grounded_is_marked(ask: Ask) -> None:
    state = await ask(model(HALF), ungrounded="annotate")

    text = state["messages"][-1].content
    assert text.startswith(f"{HALF}\n\n")
    assert "1 of 2 statements is not grounded in the sources" in text
    assert outcome(state)["grounded"] is False


async def test_an_answer_that_is_not_grounded_is_sent_back_with_its_faults(ask: Ask) -> None:
    speaker = model(HALF, GROUNDED)

    state = await ask(speaker, ungrounded="retry")

    told = speaker.heard[-1]
    assert told[-2].content == HALF
    assert told[-1].content == (
        f"{INSTRUCTION}\n- It was built by the Romans.: The sources do not support this."
    )
    assert state["messages"][-1].content == GROUNDED
    assert outcome(state)["sent_back"] == 1


async def test_what_was_sent_back_is_not_in_the_conversation_that_is_returned(ask: Ask) -> None:
    state = await ask(model(HALF, GROUNDED), ungrounded="retry")
    assert [m.type for m in state["messages"]] == ["human", "ai", "tool", "ai"]
    assert "Romans" not in str(state)


@pytest.mark.parametrize("max_retries", [1, 3])
async def test_an_answer_is_sent_back_so_often_and_then_withheld(
    ask: Ask, max_retries: int
) -> None:
    speaker = model(*[MADE_UP] * 5)

    state = await ask(speaker, ungrounded="retry", max_retries=max_retries)

    assert len(speaker.heard) == 2 + max_retries
    assert state["messages"][-1].content == WITHHELD
    assert "Romans" not in str(state)


async def test_after_its_retries_an_answer_may_be_marked(ask: Ask) -> None:
    state = await ask(model(MADE_UP, HALF), ungrounded="retry", after_retries="annotate")
    assert state["messages"][-1].content.startswith(HALF)
    assert len(state["messages"][-1].content) > len(HALF)


@pytest.mark.parametrize("ungrounded", ["block", "retry"])
@pytest.mark.parametrize("answer", [UNREADABLE, PARTLY_ENDLESS, ENDLESS, "", "Who asks?"])
async def test_what_was_not_verified_is_withheld(ask: Ask, answer: str, ungrounded: str) -> None:
    state = await ask(model(*[answer] * 3), timeout_s=1, ungrounded=ungrounded)
    assert state["messages"][-1].content == WITHHELD
    assert outcome(state)["grounded"] is False


@pytest.mark.parametrize("ungrounded", ["block", "retry"])
def test_without_a_server_an_answer_is_withheld(
    lost: Client, ungrounded: Literal["block", "retry"]
) -> None:
    gate = GroundednessGate(lost, ungrounded=ungrounded)
    state = create_agent(model(GROUNDED), [look_up], middleware=[gate]).invoke(messages())
    assert state["messages"][-1].content == WITHHELD
    assert outcome(state)["error"].startswith("DeadlineExceededError")
    assert outcome(state)["grounding_ratio"] is None


def test_without_a_server_an_answer_is_marked_as_unverified(lost: Client) -> None:
    gate = GroundednessGate(lost, ungrounded="annotate")
    state = create_agent(model(GROUNDED), [look_up], middleware=[gate]).invoke(messages())
    assert state["messages"][-1].content == f"{GROUNDED}\n\n{UNVERIFIED}"
    assert outcome(state)["grounded"] is False


def test_content_in_blocks_is_marked_by_a_block_more(lost: Client) -> None:
    blocks: list[str | dict[str, Any]] = [{"type": "text", "text": GROUNDED}]
    speaker = Model(messages=iter([AIMessage(blocks)]), heard=[])
    gate = GroundednessGate(lost, ungrounded="annotate")
    state = create_agent(speaker, middleware=[gate]).invoke(messages())
    assert state["messages"][-1].text == f"{GROUNDED}\n\n{UNVERIFIED}"


def test_without_what_tools_returned_nothing_is_grounded(client: Client) -> None:
    speaker = Model(messages=iter([AIMessage(GROUNDED)]), heard=[])
    agent = create_agent(speaker, middleware=[GroundednessGate(client)])
    assert agent.invoke(messages(GROUNDED))["messages"][-1].content == WITHHELD


def test_what_a_tool_failed_with_is_no_evidence(client: Client) -> None:
    state = messages()
    failed = ToolMessage(" ".join(CONTEXTS), tool_call_id="1", status="error")
    state["messages"] += [looking_up(), failed]
    speaker = Model(messages=iter([AIMessage(GROUNDED)]), heard=[])
    agent = create_agent(speaker, [failing], middleware=[GroundednessGate(client)])
    assert agent.invoke(state)["messages"][-1].content == WITHHELD


def test_the_caller_may_name_the_sources(client: Client) -> None:
    def sources(state: object) -> Evidence:
        return Evidence.documents({"guide": " ".join(CONTEXTS)})

    speaker = Model(messages=iter([AIMessage("The tower has nine floors [guide].")]), heard=[])
    agent = create_agent(speaker, middleware=[GroundednessGate(client, sources=sources)])
    assert agent.invoke(messages())["messages"][-1].content == "The tower has nine floors [guide]."


def test_a_conversation_that_is_kept_goes_on_with_new_retries(client: Client) -> None:
    speaker = model(MADE_UP, GROUNDED, MADE_UP, GROUNDED)
    gate = GroundednessGate(client, ungrounded="retry")
    agent = create_agent(speaker, [look_up], middleware=[gate], checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}

    agent.invoke(messages(), config)
    state = agent.invoke(messages("Say it again."), config)

    assert [m.content for m in state["messages"] if m.type == "ai"][1:] == [GROUNDED, GROUNDED]
    assert outcome(state)["sent_back"] == 1
    assert "Romans" not in str(state)


def test_a_structured_response_is_refused(client: Client) -> None:
    schema = {
        "title": "Height",
        "description": "A height",
        "type": "object",
        "properties": {"metres": {"type": "number"}},
    }
    call = {"name": "Height", "args": {"metres": 330}, "id": "1"}
    speaker = Model(messages=iter([AIMessage("", tool_calls=[call])]), heard=[])
    agent = create_agent(speaker, response_format=schema, middleware=[GroundednessGate(client)])
    with pytest.raises(ConfigurationError, match="structured"):
        agent.invoke(messages())


def test_a_gate_with_an_asynchronous_client_is_not_for_invoke(target: str) -> None:
    agent = create_agent(
        model(GROUNDED), [look_up], middleware=[GroundednessGate(AsyncClient(target))]
    )
    with pytest.raises(ConfigurationError, match="ainvoke"):
        agent.invoke(messages())


@pytest.mark.parametrize(
    "wrong", [{"ungrounded": "pass"}, {"after_retries": "retry"}, {"max_retries": 0}]
)
def test_arguments_that_cannot_be_used_are_refused(client: Client, wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(wrong))):
        GroundednessGate(client, **wrong)


def retrieved(answer: str) -> dict[str, Any]:
    context = [Document(text, metadata={"title": "A\nguide"}) for text in CONTEXTS]
    return {"input": "Who built it?", "context": context, "answer": answer}


@pytest.mark.parametrize(("answer", "grounded"), [(GROUNDED, True), (MADE_UP, False)])
def test_a_step_of_a_chain_adds_the_report_on_its_answer(
    client: Client, answer: str, grounded: bool
) -> None:
    chain = RunnableLambda(retrieved) | GroundednessCheck(client)
    found = chain.invoke(answer)
    assert found["groundwire"].overall_grounded is grounded
    assert found["answer"] == answer


async def test_a_step_runs_asynchronously_with_either_client(
    client: Client, async_client: AsyncClient
) -> None:
    for each in (client, async_client):
        found = await GroundednessCheck(each).ainvoke(retrieved(HALF))
        assert found["groundwire"].grounding_ratio == 0.5


def test_a_step_puts_the_answer_right_where_it_is_asked(client: Client) -> None:
    correction = (
        GroundednessCheck(client, correct=True).invoke(retrieved(HALF))["groundwire"].correction
    )
    assert correction.edits
    assert correction.summary.grounding_ratio == 1.0
    assert GroundednessCheck(client).invoke(retrieved(HALF))["groundwire"].correction is None


async def test_a_step_with_an_asynchronous_client_does_not_block(async_client: AsyncClient) -> None:
    with pytest.raises(ConfigurationError, match="use ainvoke"):
        GroundednessCheck(async_client).invoke(retrieved(HALF))


def test_a_step_takes_messages_and_texts_under_other_keys(client: Client) -> None:
    check = GroundednessCheck(
        client, answer_key="said", sources_key="texts", question_key="asked", output_key="report"
    )
    found = check.invoke({"said": AIMessage(GROUNDED), "texts": CONTEXTS, "asked": "Who?"})
    assert found["report"].overall_grounded


def test_a_step_names_the_key_that_its_input_lacks(client: Client) -> None:
    with pytest.raises(ConfigurationError, match=r"no 'context'.*sources_key"):
        GroundednessCheck(client).invoke({"answer": GROUNDED})


def test_a_step_that_cannot_verify_raises(lost: Client) -> None:
    with pytest.raises(GroundwireError):
        GroundednessCheck(lost).invoke(retrieved(GROUNDED))


Streamed = Callable[..., Awaitable[list[dict[str, Any]]]]


@pytest.fixture(params=["sync", "async", "async-by-threads"])
def streamed(request: pytest.FixtureRequest, client: Client, async_client: AsyncClient) -> Streamed:
    """Streams a chain that ends with the step, in each way that there is, and gives its chunks."""

    make_step: Callable[..., GroundednessCheck] = GroundednessCheck

    async def run(
        chain: Runnable[str, Any], seen: list[dict[str, Any]] | None = None, **options: object
    ) -> list[dict[str, Any]]:
        seen = [] if seen is None else seen
        used = async_client if request.param == "async" else options.pop("client", client)
        whole = chain | make_step(used, **options)
        if request.param == "sync":
            for chunk in whole.stream("Who built it?"):
                seen.append(chunk)
        else:
            async for chunk in whole.astream("Who built it?"):
                seen.append(chunk)
        return seen

    return run


def speaking(answer: str, contexts: Sequence[str] = CONTEXTS) -> Runnable[str, Any]:
    """A retrieval chain whose model says this, word by word."""
    found = [Document(text) for text in contexts]
    speaker = Model(messages=iter([answer]), heard=[])
    chain: Runnable[str, Any] = RunnablePassthrough.assign(context=lambda _: found).assign(
        answer=RunnableLambda(str) | speaker | StrOutputParser()
    )
    return RunnableLambda(lambda asked: {"input": asked}) | chain


def giving(chunks: Callable[[], Iterable[dict[str, Any]]]) -> Runnable[str, Any]:
    """A chain that gives these, in both ways."""

    def give(_: Iterator[str]) -> Iterator[dict[str, Any]]:
        yield from chunks()

    async def agive(_: AsyncIterator[str]) -> AsyncIterator[dict[str, Any]]:
        given = iter(chunks())
        while (chunk := await asyncio.to_thread(next, given, None)) is not None:
            yield chunk

    return RunnableGenerator(give, agive)


def what_it_says(report: AnswerReport) -> dict[str, Any]:
    """A report without what differs from call to call: its id, its times, and what was cached."""
    claims = [(each.content, each.span, each.verdict, each.reason, each.warning) for each in report]
    return {"claims": claims, "summary": report.summary, "warning": report.warning}


@pytest.mark.parametrize(
    ("answer", "contexts"), [(HALF, CONTEXTS), (GROUNDED, CONTEXTS), (HEBREW_HALF, HEBREW_CONTEXTS)]
)
async def test_a_streamed_answer_passes_as_it_comes_and_its_report_is_that_of_the_whole(
    streamed: Streamed, client: Client, answer: str, contexts: list[str]
) -> None:
    chunks = await streamed(speaking(answer, contexts), question_key="input")

    assert "".join(chunk.get("answer", "") for chunk in chunks) == answer
    assert len([chunk for chunk in chunks if chunk.get("answer")]) == len(answer.split())
    report = client.verify_answer(answer, Evidence.documents(contexts), question="Who built it?")
    assert what_it_says(chunks[-1]["groundwire"]) == what_it_says(report)
    assert not any("groundwire" in chunk for chunk in chunks[:-1])


async def test_a_contradicted_claim_ends_a_stream_that_would_go_on(streamed: Streamed) -> None:
    ended = threading.Event()

    def endless() -> Iterator[dict[str, Any]]:
        yield {"context": CONTEXTS}
        yield {"answer": GROUNDED + " " + DENIED}
        for _count in range(1000):
            yield {"answer": "It has "}
            if ended.wait(0.02):
                break
        yield {"answer": "many endless stairs."}

    *chunks, last = await streamed(giving(endless), stop_at_contradicted=True)
    ended.set()
    assert "stairs" not in str(chunks)
    assert [claim.verdict for claim in last["groundwire"]][:3] == [
        Verdict.SUPPORTED,
        Verdict.SUPPORTED,
        Verdict.CONTRADICTED,
    ]


@pytest.mark.parametrize("way", ["sync", "async", "async-by-threads"])
async def test_a_contradicted_claim_ends_the_model_that_writes(
    client: Client, async_client: AsyncClient, way: str
) -> None:
    step = GroundednessCheck(async_client if way == "async" else client, stop_at_contradicted=True)
    is_closed = False

    def endless() -> Iterator[dict[str, Any]]:
        nonlocal is_closed
        try:
            yield {"context": CONTEXTS, "answer": GROUNDED + " " + DENIED}
            while True:
                time.sleep(0.02)
                yield {"answer": "It has "}
        finally:
            is_closed = True

    async def aendless() -> AsyncIterator[dict[str, Any]]:
        nonlocal is_closed
        try:
            yield {"context": CONTEXTS, "answer": GROUNDED + " " + DENIED}
            while True:
                await asyncio.sleep(0.02)
                yield {"answer": "It has "}
        finally:
            is_closed = True

    # Held here, so that nothing but the step closes it.
    if way == "sync":
        writing = endless()
        for chunk in step.transform(writing):
            assert is_closed == ("groundwire" in chunk)
    else:
        awriting = aendless()
        async for chunk in step.atransform(awriting):
            assert is_closed == ("groundwire" in chunk)
    assert is_closed


@pytest.mark.parametrize("way", ["sync", "async"])
async def test_a_report_without_claims_is_made_once(
    client: Client, async_client: AsyncClient, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def twice(*_: object, **__: object) -> None:
        raise AssertionError("verified again")

    monkeypatch.setattr(Client, "verify_answer", twice)
    monkeypatch.setattr(AsyncClient, "verify_answer", twice)
    chunks: list[dict[str, Any]] = [{"context": CONTEXTS}, {"answer": "."}, {"answer": ".."}]

    async def given() -> AsyncIterator[dict[str, Any]]:
        for chunk in chunks:
            yield chunk

    if way == "sync":
        *_, last = GroundednessCheck(client).transform(iter(chunks))
    else:
        *_, last = [c async for c in GroundednessCheck(async_client).atransform(given())]
    assert len(last["groundwire"]) == 0


def test_the_messages_of_a_streamed_answer_are_not_put_together_at_each_chunk(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def together(*_: object) -> None:
        raise AssertionError("put together")

    monkeypatch.setattr(AIMessageChunk, "__add__", together)
    words = [{"answer": AIMessageChunk(f"{word} ")} for word in GROUNDED.split()]
    *_, last = GroundednessCheck(client).transform(iter([{"context": CONTEXTS}, *words]))
    assert last["groundwire"].overall_grounded


async def test_a_contradicted_claim_ends_no_stream_unless_it_is_asked(streamed: Streamed) -> None:
    *chunks, last = await streamed(speaking(DENIED + GROUNDED))
    assert "".join(chunk.get("answer", "") for chunk in chunks) == DENIED + GROUNDED
    assert last["groundwire"].grounding_ratio == 2 / 3


async def test_a_chain_that_fails_midway_raises_and_gives_no_report(streamed: Streamed) -> None:
    def failing() -> Iterator[dict[str, Any]]:
        yield {"context": CONTEXTS}
        yield {"answer": "The Galata Tower has nine floors. It"}
        raise ValueError("the model fell over")

    seen: list[dict[str, Any]] = []
    with pytest.raises(ValueError, match="fell over"):
        await streamed(giving(failing), seen=seen)
    assert len(seen) == 2
    assert "groundwire" not in str(seen)


@pytest.mark.parametrize(
    "chunks",
    [
        [{"answer": "It was built "}, {"answer": "by the Genoese."}, {"context": CONTEXTS}],
        [{"context": CONTEXTS[:1]}, {"answer": "It was built by the Genoese."},
         {"context": CONTEXTS[1:]}],
        [{"context": CONTEXTS}, {"answer": AIMessageChunk("It was built ")},
         {"answer": AIMessageChunk("by the Genoese.")}],
        [{"context": CONTEXTS, "answer": "It was built by the Genoese."}],
    ],
    ids=["sources last", "more sources behind the answer", "messages", "all at once"],
)  # fmt: skip
async def test_an_answer_is_judged_by_all_that_its_chain_has_given(
    streamed: Streamed, chunks: list[dict[str, Any]]
) -> None:
    given = await streamed(giving(lambda: chunks))
    assert given[:-1] == chunks
    assert given[-1]["groundwire"].overall_grounded


async def test_a_streamed_answer_is_put_right_where_it_is_asked(streamed: Streamed) -> None:
    *_, last = await streamed(speaking(HALF), correct=True)
    assert last["groundwire"].correction.edits


async def test_a_streamed_answer_that_cannot_be_verified_raises(lost: Client) -> None:
    def chain() -> Runnable[str, Any]:
        return speaking(GROUNDED) | GroundednessCheck(lost)

    with pytest.raises(GroundwireError):
        list(chain().stream("Who built it?"))
    with pytest.raises(GroundwireError):
        await anext(chunk async for chunk in chain().astream("") if "groundwire" in chunk)


async def test_a_stream_without_its_sources_names_the_key(streamed: Streamed) -> None:
    with pytest.raises(ConfigurationError, match=r"no 'context'.*sources_key"):
        await streamed(giving(lambda: [{"answer": GROUNDED}]))


def test_a_step_with_an_asynchronous_client_is_not_for_stream(async_client: AsyncClient) -> None:
    with pytest.raises(ConfigurationError, match="astream"):
        list((speaking(GROUNDED) | GroundednessCheck(async_client)).stream("Who built it?"))


Shown = Callable[..., Awaitable[list[str]]]


@pytest.fixture(params=["sync", "async", "async-by-threads"])
def shown(request: pytest.FixtureRequest, client: Client, async_client: AsyncClient) -> Shown:
    """Streams an agent with a gate in each way that there is, and gives what is shown of answers,
    and the text of the last message."""

    make_gate: Callable[..., GroundednessGate] = GroundednessGate

    async def run(speaker: Model, **options: object) -> list[str]:
        used = async_client if request.param == "async" else options.pop("client", client)
        agent = create_agent(speaker, [look_up], middleware=[make_gate(used, **options)])
        pieces: list[str] = []
        last = ""

        def take(mode: str, event: Any) -> None:  # noqa: ANN401 - each mode has its own
            nonlocal last
            if mode == "messages" and isinstance(event[0], AIMessageChunk):
                pieces.append(str(event[0].text))
            elif mode == "values":
                last = str(event["messages"][-1].text)

        modes: Any = ["messages", "values"]
        if request.param == "sync":
            for mode, event in agent.stream(messages(), stream_mode=modes):
                take(mode, event)
        else:
            async for mode, event in agent.astream(messages(), stream_mode=modes):
                take(mode, event)
        return ["".join(pieces), last]

    return run


async def test_a_grounded_answer_is_streamed_as_it_is(shown: Shown) -> None:
    assert await shown(model(GROUNDED)) == [GROUNDED, GROUNDED]


async def test_a_stream_shows_nothing_of_what_is_withheld(shown: Shown) -> None:
    assert await shown(model(MADE_UP)) == [WITHHELD, WITHHELD]


async def test_a_stream_ends_before_the_first_statement_that_is_not_grounded(shown: Shown) -> None:
    streamed, last = await shown(model(HALF))
    assert last == WITHHELD
    assert "Romans" not in streamed
    assert streamed.endswith(WITHHELD)


async def test_a_stream_of_an_answer_to_be_marked_ends_with_its_mark(shown: Shown) -> None:
    streamed, last = await shown(model(HALF), ungrounded="annotate")
    assert streamed == last
    assert streamed.startswith(f"{HALF}\n\n")


async def test_a_stream_shows_nothing_of_an_answer_that_is_sent_back(shown: Shown) -> None:
    speaker = model(HALF, GROUNDED)
    assert await shown(speaker, ungrounded="retry") == [GROUNDED, GROUNDED]
    assert len(speaker.heard) == 3


@pytest.mark.parametrize("answer", [UNREADABLE, PARTLY_ENDLESS, ENDLESS, "Who asks?"])
async def test_a_stream_shows_nothing_that_was_not_verified(shown: Shown, answer: str) -> None:
    streamed, last = await shown(model(answer), timeout_s=1)
    assert last == WITHHELD
    assert streamed.endswith(WITHHELD)
    assert "floors" not in streamed


async def test_without_a_server_a_stream_shows_nothing(lost: Client) -> None:
    agent = create_agent(model(GROUNDED), [look_up], middleware=[GroundednessGate(lost)])
    events = agent.stream(messages(), stream_mode="messages")
    texts = [str(m.text) for m, _ in events if isinstance(m, AIMessageChunk)]
    assert "".join(texts) == WITHHELD


def test_a_verified_sentence_is_shown_while_the_next_one_is_written(client: Client) -> None:
    seen = threading.Event()

    class Waiting(Model):
        def _stream(self, *_: object, **__: object) -> Iterator[ChatGenerationChunk]:
            yield ChatGenerationChunk(message=AIMessageChunk("The Galata Tower has nine floors. "))
            for _count in range(1000):
                yield ChatGenerationChunk(message=AIMessageChunk("It was "))
                if seen.wait(0.02):
                    break
            yield ChatGenerationChunk(message=AIMessageChunk("built by the Romans."))

    state = messages()
    state["messages"] += [looking_up(), ToolMessage(" ".join(CONTEXTS), tool_call_id="1")]
    speaker = Waiting(messages=iter([]), heard=[])
    agent = create_agent(speaker, [look_up], middleware=[GroundednessGate(client)])
    shown = []
    for message, _ in agent.stream(state, stream_mode="messages"):
        shown.append((str(message.text), seen.is_set()))
        if "nine floors" in shown[-1][0]:
            seen.set()
    assert ("The Galata Tower has nine floors. ", False) in shown
    assert "Romans" not in str(shown)


def test_what_a_model_raises_while_it_streams_is_raised(client: Client) -> None:
    class Failing(Model):
        def _stream(self, *_: object, **__: object) -> Iterator[ChatGenerationChunk]:
            yield ChatGenerationChunk(message=AIMessageChunk(MADE_UP))
            raise ValueError("the model fell over")

    agent = create_agent(
        Failing(messages=iter([]), heard=[]), [look_up], middleware=[GroundednessGate(client)]
    )
    state = messages()
    state["messages"] += [looking_up(), ToolMessage(" ".join(CONTEXTS), tool_call_id="1")]
    events = agent.stream(state, stream_mode="messages")
    with pytest.raises(ValueError, match="fell over"):
        list(events)


def test_a_gate_with_an_asynchronous_client_is_not_for_stream(target: str) -> None:
    agent = create_agent(
        model(GROUNDED), [look_up], middleware=[GroundednessGate(AsyncClient(target))]
    )
    with pytest.raises(ConfigurationError, match="astream"):
        list(agent.stream(messages(), stream_mode="messages"))

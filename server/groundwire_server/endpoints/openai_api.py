"""An OpenAI-compatible server as an endpoint: vLLM, SGLang, llama.cpp, LM Studio, OpenAI.

Two calls give a next token: `chat/completions` and `completions`.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import httpx2
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from groundwire_server.endpoints.attempts import Answer, Attempts, FailedAttemptError, Failure
from groundwire_server.endpoints.http_client import failure_of, failure_of_status
from groundwire_verifier.domain.errors import BackendRefusedError, ImplausibleAnswerError
from groundwire_verifier.domain.types import JsonForm
from groundwire_verifier.domain.urgency import WHENEVER, Urgency
from groundwire_verifier.engine.endpoints.backend import Abilities, EndpointUsage, Listing, Sampled
from groundwire_verifier.engine.endpoints.byte_tokenizer import PIECE_BYTES
from groundwire_verifier.engine.endpoints.top_tokens import ListedToken

TOP_TOKENS = (20, 5)
"""How many of the most likely tokens are asked for; the first that is not refused holds."""

SAMPLE_TOKENS = 5
"""Tokens of a sampled answer: YES, also in bold, has at most so many."""

PROBE_TEXT = "Is the following claim true? Answer YES or NO.\nClaim: Two is an even number."
PROBE_SAMPLES = 2
MAX_SAMPLES_A_CALL = 128
"""What servers take for `n`."""


class Part(BaseModel):
    """A part of an answer; what is not read is not looked at."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class _Cached(Part):
    cached_tokens: int | None = None


class _Usage(Part):
    prompt_tokens: int | None = None
    total_tokens: int | None = None
    prompt_tokens_details: _Cached | None = None


class Whole(Part):
    """An answer."""

    usage: _Usage | None = None


class _Top(Part):
    token: str
    logprob: float


class _Place(Part):
    top_logprobs: tuple[_Top, ...] = ()


class _ChatLogProbs(Part):
    content: tuple[_Place, ...] | None = None


class _Message(Part):
    content: str | None = None


class _ChatChoice(Part):
    message: _Message
    logprobs: _ChatLogProbs | None = None


class _Chat(Whole):
    choices: tuple[_ChatChoice, ...] = Field(min_length=1)


class _TextLogProbs(Part):
    top_logprobs: tuple[dict[str, float] | None, ...] | None = None


class _TextChoice(Part):
    text: str
    logprobs: _TextLogProbs | None = None


class _Text(Whole):
    choices: tuple[_TextChoice, ...] = Field(min_length=1)


W = TypeVar("W", bound=Whole)


@dataclass(frozen=True, slots=True)
class Address:
    """Where an endpoint is, by whom it is called, and for which model.

    `name` is that of the endpoint; `url` ends before
    `/chat/completions`. An empty `key` sends none.
    """

    name: str
    url: str
    model: str
    key: str


@dataclass(frozen=True, slots=True)
class Calls:
    """How one model is called, for answers or for vectors."""

    address: Address
    client: httpx2.AsyncClient
    attempts: Attempts

    async def post(
        self, kind: type[W], path: str, asked: Mapping[str, object], tokens: int, urgency: Urgency
    ) -> W:
        """The answer to a call that takes about so many tokens. Raises what `Attempts.run` does."""
        address = self.address
        body = {"model": address.model, **asked}
        headers = {"authorization": f"Bearer {address.key}"} if address.key else {}
        url = f"{address.url.rstrip('/')}/{path}"

        async def attempt() -> Answer[W]:
            try:
                response = await self.client.post(url, json=body, headers=headers)
            except httpx2.HTTPError as error:
                raise failure_of(error) from None
            if response.status_code != httpx2.codes.OK:
                after = response.headers.get("retry-after")
                raise failure_of_status(response.status_code, after, address.name)
            try:
                whole = kind.model_validate_json(response.content)
            except ValidationError:
                # Without what it held: that may be anything.
                raise FailedAttemptError(
                    "an answer that is not in the form of this API", Failure.TRANSIENT, billed=True
                ) from None
            return Answer(whole, whole.usage.total_tokens if whole.usage else None)

        return await self.attempts.run(attempt, tokens, urgency)

    async def close(self) -> None:
        """Close the connections and what is written down; all models behind one address end."""
        await self.client.aclose()
        self.attempts.close()


@dataclass(frozen=True, slots=True)
class Shape:
    """One way to ask: by which call, and what it names the most tokens of an answer."""

    is_chat: bool
    limit_name: str = "max_tokens"

    @property
    def path(self) -> str:
        """The end of the address."""
        return "chat/completions" if self.is_chat else "completions"


SHAPES = (
    Shape(is_chat=True),
    Shape(is_chat=True, limit_name="max_completion_tokens"),
    Shape(False),
)
"""In the order in which they are tried: a model that was made for turns answers best in one."""


class OpenAiEndpoint:
    """Implements `groundwire_verifier.engine.endpoints.backend.Endpoint` over HTTP."""

    def __init__(
        self, address: Address, client: httpx2.AsyncClient, attempts: Attempts, api: str = "auto"
    ) -> None:
        """`api` is `auto`, `chat` or `completions`."""
        self._name = address.name
        self._calls = Calls(address, client, attempts)
        self._shapes = [
            s for s in SHAPES if api in ("auto", "chat" if s.is_chat else "completions")
        ]
        self._shape = self._shapes[0]
        self._top_tokens = 0
        self._knows_forms = True

    async def probe(self) -> Abilities:
        """Try each way to ask, the best first, until one is not refused.

        Raises BackendRefusedError with what was said to the last one.
        """
        refused: BackendRefusedError | None = None
        for shape, top in self._ways():
            self._shape, self._top_tokens = shape, top
            try:
                found = await self._try()
            except BackendRefusedError as error:
                refused = refused or error
            except ImplausibleAnswerError:
                continue  # it was asked for log-probabilities, and left them out
            else:
                return found
        raise refused or BackendRefusedError(
            f"the endpoint {self._name} gives neither log-probabilities nor answers"
        )

    def _ways(self) -> Iterator[tuple[Shape, int]]:
        for top in TOP_TOKENS:
            yield from ((shape, top) for shape in self._shapes)
        yield from ((shape, 0) for shape in self._shapes)

    async def _try(self) -> Abilities:
        shape, top = self._shape, self._top_tokens
        found = Abilities(shape.path, shape.is_chat, top)
        if top:
            await self.list_tokens(PROBE_TEXT, WHENEVER)
            return found
        sampled = await self.sample(PROBE_TEXT, PROBE_SAMPLES, WHENEVER)
        many = len(sampled.answers) == PROBE_SAMPLES
        return replace(found, samples_a_call=MAX_SAMPLES_A_CALL if many else 1)

    async def list_tokens(self, text: str, urgency: Urgency) -> Listing:
        """The most likely next tokens. The sampling temperature changes none of them."""
        body: dict[str, object] = {self._shape.limit_name: 1, "temperature": 0}
        if self._shape.is_chat:
            body |= {"logprobs": True, "top_logprobs": self._top_tokens}
            chat = await self._call(_Chat, text, body, 1, urgency)
            content = chat.choices[0].logprobs and chat.choices[0].logprobs.content
            first = content[0].top_logprobs if content else ()
            tokens = tuple(ListedToken(each.token, each.logprob) for each in first)
            usage = chat.usage
        else:
            body |= {"logprobs": self._top_tokens}
            whole = await self._call(_Text, text, body, 1, urgency)
            tops = whole.choices[0].logprobs and whole.choices[0].logprobs.top_logprobs
            tokens = tuple(ListedToken(*each) for each in ((tops and tops[0]) or {}).items())
            usage = whole.usage
        if not tokens:
            raise ImplausibleAnswerError(f"the endpoint {self._name} tells no log-probabilities")
        return Listing(tokens, _usage(usage))

    async def sample(self, text: str, count: int, urgency: Urgency) -> Sampled:
        """Answers at temperature 1. One without a text is an empty one, which says no label."""
        body: dict[str, object] = {self._shape.limit_name: SAMPLE_TOKENS, "temperature": 1}
        if count > 1:
            body["n"] = count
        answers: list[str | None]
        if self._shape.is_chat:
            chat = await self._call(_Chat, text, body, count * SAMPLE_TOKENS, urgency)
            answers, usage = [choice.message.content for choice in chat.choices], chat.usage
        else:
            whole = await self._call(_Text, text, body, count * SAMPLE_TOKENS, urgency)
            answers, usage = [choice.text for choice in whole.choices], whole.usage
        return Sampled(tuple(answer or "" for answer in answers[:count]), _usage(usage))

    async def write(
        self, text: str, most_tokens: int, urgency: Urgency, form: JsonForm | None = None
    ) -> str:
        """The answer at temperature 0; in a form only if the server knows what one is."""
        body: dict[str, object] = {self._shape.limit_name: most_tokens, "temperature": 0}
        if form is None or not self._knows_forms:
            return await self._write(text, body, most_tokens, urgency)
        try:
            return await self._write(text, body | _response_format(form), most_tokens, urgency)
        except BackendRefusedError:
            written = await self._write(text, body, most_tokens, urgency)
            # It was the form that it refused.
            self._knows_forms = False
            return written

    async def _write(
        self, text: str, body: Mapping[str, object], most_tokens: int, urgency: Urgency
    ) -> str:
        if self._shape.is_chat:
            chat = await self._call(_Chat, text, body, most_tokens, urgency)
            return next((choice.message.content or "" for choice in chat.choices), "")
        whole = await self._call(_Text, text, body, most_tokens, urgency)
        return next((choice.text or "" for choice in whole.choices), "")

    async def close(self) -> None:
        """Close the connections and what is written down; all models behind one address end."""
        await self._calls.close()

    async def _call(
        self,
        kind: type[W],
        text: str,
        parameters: Mapping[str, object],
        answer_tokens: int,
        urgency: Urgency,
    ) -> W:
        asked: dict[str, object] = (
            {"messages": [{"role": "user", "content": text}]}
            if self._shape.is_chat
            else {"prompt": text}
        )
        tokens = len(text.encode()) // PIECE_BYTES + answer_tokens
        return await self._calls.post(
            kind, self._shape.path, {**asked, **parameters}, tokens, urgency
        )


def _response_format(form: JsonForm) -> dict[str, object]:
    schema = {"name": form.name, "strict": True, "schema": json.loads(form.schema)}
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


def _usage(usage: _Usage | None) -> EndpointUsage:
    if usage is None:
        return EndpointUsage()
    details = usage.prompt_tokens_details
    return EndpointUsage(usage.prompt_tokens, details.cached_tokens if details else None)

"""Claude through Anthropic's own client as an endpoint. It tells no log-probabilities.

The package `anthropic` is an extra. Its own retries are off, and its HTTP client is the one that
all endpoints have.
"""

import json

import anthropic
import httpx2
from anthropic.types import OutputConfigParam

from groundwire_server.endpoints.attempts import Answer, Attempts, FailedAttemptError, Failure
from groundwire_server.endpoints.http_client import failure_of, failure_of_status
from groundwire_server.endpoints.openai_api import PROBE_TEXT, SAMPLE_TOKENS, Address
from groundwire_verifier.domain.errors import BackendRefusedError, BackendUnreachableError
from groundwire_verifier.domain.types import JsonForm
from groundwire_verifier.domain.urgency import WHENEVER, Urgency
from groundwire_verifier.engine.endpoints.backend import Abilities, EndpointUsage, Listing, Sampled
from groundwire_verifier.engine.endpoints.byte_tokenizer import PIECE_BYTES


class AnthropicEndpoint:
    """Implements `groundwire_verifier.engine.endpoints.backend.Endpoint` with the Messages API."""

    def __init__(self, address: Address, client: httpx2.AsyncClient, attempts: Attempts) -> None:
        self._address = address
        self._client = client
        self._attempts = attempts
        self._messages = anthropic.AsyncAnthropic(
            api_key=address.key,
            base_url=address.url,
            http_client=client,
            max_retries=0,
            # Spans of its own could hold the text of a request.
            open_telemetry=False,
            _strict_response_validation=True,
        ).messages

    async def probe(self) -> Abilities:
        """One answer shows that address, key and model are right."""
        await self.sample(PROBE_TEXT, 1, WHENEVER)
        return Abilities("messages", is_chat=True, top_tokens=0, samples_a_call=1)

    async def list_tokens(self, text: str, urgency: Urgency) -> Listing:
        """It lists none. Raises BackendUnreachableError."""
        raise BackendUnreachableError(f"{self._address.name} tells no log-probabilities")

    async def sample(self, text: str, count: int, urgency: Urgency) -> Sampled:
        """One answer, at the temperature that the API samples with when none is named: 1."""
        return await self._ask(text, SAMPLE_TOKENS, urgency)

    async def write(
        self, text: str, most_tokens: int, urgency: Urgency, form: JsonForm | None = None
    ) -> str:
        """An answer as it is sampled: this API names no other way."""
        try:
            written = await self._ask(text, most_tokens, urgency, form)
        except BackendRefusedError:
            if form is None:
                raise
            # Older models know no forms.
            written = await self._ask(text, most_tokens, urgency)
        return next(iter(written.answers), "")

    async def _ask(
        self, text: str, most_tokens: int, urgency: Urgency, form: JsonForm | None = None
    ) -> Sampled:
        output: OutputConfigParam | anthropic.Omit = anthropic.omit
        if form is not None:
            output = {"format": {"type": "json_schema", "schema": json.loads(form.schema)}}

        async def attempt() -> Answer[Sampled]:
            try:
                message = await self._messages.create(
                    model=self._address.model,
                    max_tokens=most_tokens,
                    # Thoughts would take the few tokens that an answer has.
                    thinking={"type": "disabled"},
                    output_config=output,
                    messages=[{"role": "user", "content": text}],
                )
            except anthropic.APIStatusError as error:
                raise failure_of_status(
                    error.status_code, error.response.headers.get("retry-after"), self._address.name
                ) from None
            except anthropic.APIConnectionError as error:
                cause = error.__cause__
                if isinstance(cause, httpx2.HTTPError):
                    raise failure_of(cause) from None
                raise FailedAttemptError("no whole response", Failure.TRANSIENT) from None
            except (anthropic.AnthropicError, ValueError):
                raise FailedAttemptError(
                    "an answer that is not in the form of this API", Failure.TRANSIENT, billed=True
                ) from None
            answer = "".join(part.text for part in message.content if part.type == "text")
            usage = message.usage
            cached = usage.cache_read_input_tokens or 0
            read = usage.input_tokens + cached
            return Answer(
                Sampled((answer,), EndpointUsage(read, cached)),
                read + usage.output_tokens,
            )

        tokens = len(text.encode()) // PIECE_BYTES + most_tokens
        return await self._attempts.run(attempt, tokens, urgency)

    async def close(self) -> None:
        """Close the connections and what is written down."""
        await self._client.aclose()
        self._attempts.close()

"""An LLM provider for Groundwire, as a package of its own: a chat server on this machine.

Install it beside the server, and choose it by its name:

    pip install ./examples/llm_provider
    groundwire serve --epistemic-risk-enabled true --epistemic-risk-llm-provider chat \\
        --epistemic-risk-llm-model NAME

It posts to a server that speaks the API of OpenAI, by default on port 8000 of this machine, and
needs nothing beside the standard library.
"""

import asyncio
import json
import os
import urllib.request
from dataclasses import dataclass

TIMEOUT_S = 20.0
MAX_TOKENS = 200
DEFAULT_URL = "http://127.0.0.1:8000/v1"


@dataclass(frozen=True, slots=True)
class ChatProvider:
    """Writes what a chat server answers. `url` is its address up to /v1."""

    url: str
    model: str
    temperature: float

    async def complete(self, prompt: str) -> str:
        """What the model answers to a prompt. Raises OSError, ValueError or KeyError."""
        return await asyncio.to_thread(self._post, prompt)

    def _post(self, prompt: str) -> str:
        body = {
            "model": self.model,
            "temperature": self.temperature,
            "max_tokens": MAX_TOKENS,
            "messages": [{"role": "user", "content": prompt}],
        }
        request = urllib.request.Request(  # noqa: S310 - the operator's own address
            f"{self.url}/chat/completions",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:  # noqa: S310
            answer = json.load(response)
        return str(answer["choices"][0]["message"]["content"])


def make_provider(model: str, temperature: float) -> ChatProvider:
    """What the entry point names: called once, when the server starts."""
    return ChatProvider(os.environ.get("EXAMPLE_LLM_URL", DEFAULT_URL), model, temperature)

"""The ways to have claims read by a model that a bench compares, behind one call.

`groundwire`: this server. `completions`: vLLM's own HTTP server, one completion of one token a
claim with its log-probabilities, as a user would write it. `scoring`: the same server's
`/generative_scoring`, all claims of a context in one request.
"""

import argparse
import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, Protocol

import aiohttp

from bench.tools.common import ROOT, BenchError, say
from bench.tools.corpus import Corpus
from bench.tools.serving import START_TIMEOUT_S, free_address, serving, stop
from groundwire import AsyncClient, GroundwireError, RpcFailedError
from groundwire_server.config.environment import has_cpu_build, prepare_engine_environment
from groundwire_server.config.settings import ServerSettings
from groundwire_verifier.domain.types import Prompt
from groundwire_verifier.engine.vllm import BLOCK_TOKENS, HEAD_DTYPE, STEP_PROMPTS

STOP_TIMEOUT_S = 30.0
SERVED_NAME = "served"
KV_BYTES = 2 << 30
GPU_SHARE_OF_THREE = 0.28
RANDOM_WEIGHTS = "dummy"
GPU_KV_GIB = 6
"""Of each of two servers that start beside each other, which could not tell what is left."""
TOP_LOG_PROBS = 20
"""What vLLM's completions give at most by default; a label may still be missing among them."""


def add_model_flags(parser: argparse.ArgumentParser) -> None:
    """The flags that say which model all contenders serve."""
    parser.add_argument("--model", default=ServerSettings().model, help="the model to serve")
    parser.add_argument(
        "--load-format",
        choices=("auto", "dummy"),
        default="auto",
        help="dummy: random weights, to measure speed without any",
    )


class CallFailedError(Exception):
    """A call got no answer; the text says why in one word."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Tokens of a call; 0 where the way does not tell."""

    prompt_tokens: int = 0
    cached_tokens: int = 0


class Contender(Protocol):
    """One way to have claims read."""

    async def ask(self, claims: Sequence[str], context: str, timeout_s: float) -> Cost:
        """Have all claims read. Raises CallFailedError."""


class GroundwireContender:
    """`groundwire serve`, over gRPC."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def ask(self, claims: Sequence[str], context: str, timeout_s: float) -> Cost:
        """One BatchEstimate."""
        try:
            result = await self._client.batch_estimate(claims, context, timeout_s=timeout_s)
        except RpcFailedError as error:
            raise CallFailedError(error.reason or type(error).__name__) from error
        except GroundwireError as error:
            raise CallFailedError(type(error).__name__) from error
        return Cost(result.usage.prompt_tokens, result.usage.cached_tokens)


class _Http:
    """What the two ways through vLLM's HTTP server share. The session knows its address."""

    def __init__(self, session: aiohttp.ClientSession, corpus: Corpus) -> None:
        self._session = session
        self._corpus = corpus

    async def _post(self, path: str, body: Mapping[str, object], timeout_s: float) -> None:
        timeout = aiohttp.ClientTimeout(total=timeout_s)
        try:
            async with self._session.post(path, json=body, timeout=timeout) as response:
                await response.read()
                if response.status != 200:
                    raise CallFailedError(f"HTTP {response.status}")
        except TimeoutError as error:
            raise CallFailedError("DEADLINE_EXCEEDED") from error
        except aiohttp.ClientError as error:
            raise CallFailedError(type(error).__name__) from error


class CompletionsContender(_Http):
    """One completion of one token a claim, all at once."""

    async def ask(self, claims: Sequence[str], context: str, timeout_s: float) -> Cost:
        """One completion a claim."""
        prompts = self._corpus.prompts(claims, context)
        bodies = [
            {
                "model": SERVED_NAME,
                "prompt": list(prompt.token_ids),
                "max_tokens": 1,
                "temperature": 0.0,
                "logprobs": TOP_LOG_PROBS,
            }
            for prompt in prompts
        ]
        await asyncio.gather(*(self._post("/v1/completions", b, timeout_s) for b in bodies))
        return Cost(sum(len(prompt.token_ids) for prompt in prompts))


class ScoringContender(_Http):
    """All claims as the items of one query, which is the context."""

    async def ask(self, claims: Sequence[str], context: str, timeout_s: float) -> Cost:
        """One request for all claims."""
        prompts = self._corpus.prompts(claims, context)
        shared = _shared_tokens(prompts, self._corpus)
        body = {
            "model": SERVED_NAME,
            "query": list(prompts[0].token_ids[:shared]),
            "items": [list(prompt.token_ids[shared:]) for prompt in prompts],
            "label_token_ids": [form.token_id for form in self._corpus.label_forms()],
            "apply_softmax": False,
            "add_special_tokens": False,
        }
        await self._post("/generative_scoring", body, timeout_s)
        return Cost(sum(len(prompt.token_ids) for prompt in prompts))


def _shared_tokens(prompts: Sequence[Prompt], corpus: Corpus) -> int:
    """Tokens of the head and the context, which all prompts begin with."""
    return len(corpus.encoder.head) + prompts[0].context_tokens


@contextlib.asynccontextmanager
async def groundwire_contender(
    model: str, load_format: str, *flags: str, start_timeout_s: float = START_TIMEOUT_S
) -> AsyncIterator[GroundwireContender]:
    """A server of our own with the default settings but for the format of the weights and `flags`.

    Raises BenchError if it does not serve.
    """
    say(f"starting groundwire serve with {model}")
    memory = [] if has_cpu_build() else ["--gpu-memory-share", str(GPU_SHARE_OF_THREE)]
    own = ["--load-format", load_format, *memory, *flags]
    with serving(model, *own, start_timeout_s=start_timeout_s) as target:
        async with AsyncClient(target) as client:
            yield GroundwireContender(client)


@contextlib.asynccontextmanager
async def vllm_session(corpus: Corpus, load_format: str) -> AsyncIterator[aiohttp.ClientSession]:
    """vLLM's HTTP server with the engine settings of ours, and a session at its address.

    Raises BenchError if it does not serve.
    """
    say("starting vLLM's HTTP server")
    with _vllm_server(corpus, load_format) as server:
        async with _session_at(server) as session:
            await _until_it_serves(session, server, START_TIMEOUT_S)
            yield session


@contextlib.asynccontextmanager
async def both_servers(
    corpus: Corpus, quantization: str | None, start_timeout_s: float
) -> AsyncIterator[dict[str, Contender]]:
    """Our server and vLLM's with the same random weights, by the names of the ways to ask them.

    They start at the same time, which saves half of it. Where vLLM's does not serve, its ways are
    not there, and the reason is told. Raises BenchError if ours does not serve.
    """
    flags = ["--quantization", quantization] if quantization else []
    on_gpu = not has_cpu_build()
    ours = ["--kv-memory-gib", str(GPU_KV_GIB)] if on_gpu else []
    others = [f"--kv-cache-memory-bytes={GPU_KV_GIB << 30}"] if on_gpu else []
    end_s = time.monotonic() + start_timeout_s
    model = str(corpus.model_path)
    with _vllm_server(corpus, RANDOM_WEIGHTS, *flags, *others) as server:
        async with (
            groundwire_contender(
                model, RANDOM_WEIGHTS, *flags, *ours, start_timeout_s=start_timeout_s
            ) as groundwire,
            _session_at(server) as session,
        ):
            ways: dict[str, Contender] = {"groundwire": groundwire}
            try:
                await _until_it_serves(session, server, max(1.0, end_s - time.monotonic()))
            except BenchError as error:
                say(str(error))
            else:
                ways["completions"] = CompletionsContender(session, corpus)
                ways["scoring"] = ScoringContender(session, corpus)
            yield ways


def _session_at(server: "_VllmServer") -> aiohttp.ClientSession:
    return aiohttp.ClientSession(server.url, connector=aiohttp.TCPConnector(limit=0))


@dataclass(frozen=True, slots=True)
class _VllmServer:
    url: str
    process: subprocess.Popen[bytes]
    log: IO[bytes]

    def failed(self, why: str) -> BenchError:
        self.log.seek(0)
        text = self.log.read().decode(errors="replace")[-4000:]
        return BenchError(f"vLLM's server does not serve: {why}\n{text}")


@contextlib.contextmanager
def _vllm_server(corpus: Corpus, load_format: str, *flags: str) -> Iterator[_VllmServer]:
    port = int(free_address().rpartition(":")[2])
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [*_vllm_command(corpus, port), "--load-format", load_format, *flags],
            stdout=log,
            stderr=log,
            env=engine_environment(),
            cwd=ROOT,
        )
        try:
            yield _VllmServer(f"http://127.0.0.1:{port}", process, log)
        finally:
            stop(process, STOP_TIMEOUT_S)


def _vllm_command(corpus: Corpus, port: int) -> list[str]:
    settings = ServerSettings()
    return [
        *(sys.executable, "-m", "vllm.entrypoints.openai.api_server"),
        *("--host", "127.0.0.1", "--port", str(port)),
        *("--model", str(corpus.model_path), "--served-model-name", SERVED_NAME),
        *("--max-num-batched-tokens", str(settings.batch_tokens)),
        *("--max-num-seqs", str(STEP_PROMPTS)),
        *("--block-size", str(BLOCK_TOKENS)),
        *("--hf-overrides", f'{{"head_dtype": "{HEAD_DTYPE}"}}'),
        *("--uvicorn-log-level", "warning"),
        *(f"--{name.replace('_', '-')}={value}" for name, value in memory_of_three().items()),
        *(["--enforce-eager"] if has_cpu_build() else []),
    ]


def memory_of_three() -> dict[str, float]:
    """vLLM's setting of its memory, such that three engines fit beside each other."""
    if has_cpu_build():
        return {"kv_cache_memory_bytes": KV_BYTES}
    return {"gpu_memory_utilization": GPU_SHARE_OF_THREE}


def engine_arguments(corpus: Corpus) -> dict[str, Any]:
    """What vLLM's `LLM` is given to run as our engine does."""
    settings = ServerSettings()
    return {
        "model": str(corpus.model_path),
        "hf_overrides": {"head_dtype": HEAD_DTYPE},
        "max_num_batched_tokens": settings.batch_tokens,
        "max_num_seqs": STEP_PROMPTS,
        "block_size": BLOCK_TOKENS,
        **memory_of_three(),
        "enforce_eager": has_cpu_build(),
        "enable_prefix_caching": True,
    }


def engine_environment() -> dict[str, str]:
    """For vLLM alone: the threads that our server gives its engine, and none of our plugins."""
    before = dict(os.environ)
    try:
        prepare_engine_environment(None)
        return {**os.environ, "VLLM_PLUGINS": ""}
    finally:
        os.environ.clear()
        os.environ.update(before)


async def _until_it_serves(
    session: aiohttp.ClientSession, server: _VllmServer, timeout_s: float
) -> None:
    end_s = time.monotonic() + timeout_s
    while time.monotonic() < end_s:
        if server.process.poll() is not None:
            raise server.failed(f"it ended with {server.process.returncode}")
        with contextlib.suppress(aiohttp.ClientError):
            async with session.get("/health") as response:
                if response.status == 200:
                    return
        await asyncio.sleep(0.5)
    raise server.failed(f"no answer within {timeout_s:.0f} s")

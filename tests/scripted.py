"""An engine that a test scripts, and a real server on loopback that answers with it."""

import asyncio
import contextlib
import json
import math
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from google.protobuf.message import Message
from google.rpc import error_details_pb2
from grpc import aio
from grpc_status import rpc_status
from pydantic import PrivateAttr

from groundwire.v1 import verifier_backend_pb2 as pb
from groundwire.v1.verifier_backend_pb2_grpc import VerifierBackendStub
from groundwire_server.app import NO_CORPORA, RunningServer, start_server
from groundwire_server.config.settings import ServerSettings
from groundwire_verifier.checks.corpus.passages import EvidenceProvider
from groundwire_verifier.domain.errors import BackendFailedError
from groundwire_verifier.domain.prompts import PLAIN_ANSWER_LEAD
from groundwire_verifier.domain.types import INSTRUCT, ChatTurn, JsonForm, Limits, Profile
from groundwire_verifier.engine.local import LocalBackend
from groundwire_verifier.engine.queue.engine import EngineTurn, TokenReading
from groundwire_verifier.numbers.calibration import Calibration

MODEL = "scripted-model"
VERSION = "1.2.3"
WAIT_LIMIT_S = 20.0
NEVER_HANGS_S = 60.0
YES_AND_NO = (0.6, 0.2)


class CharacterTokenizer:
    """One token a character, so that a prompt can be read back as text."""

    def encode_template(self, text: str) -> list[int]:
        return [ord(c) for c in text]

    def encode_texts(self, texts: Sequence[str]) -> list[list[int]]:
        return [self.encode_template(text) for text in texts]

    def decode_token(self, token_id: int) -> str:
        return chr(token_id)

    def decode(self, token_ids: Sequence[int]) -> str:
        return "".join(map(chr, token_ids))

    def marker_span(self, text: str) -> tuple[int, int] | None:
        return None

    def render_chat(self, turns: Sequence[ChatTurn], template_values: str) -> str | None:
        return None


class ScriptedEngine:
    """Reads each claim as its entry in `answers`, P(YES) and P(NO), or as YES_AND_NO.

    `answer` may give P(YES), P(NO) and P(UNSURE) for a whole prompt, before that. Each read takes
    `read_s`. `hold` keeps reads waiting until `release`; those of claims in `stuck`, and of prompts
    that hold a text in `stuck_at`, never end while it lives; `errors` fails the reads of single
    claims. `write` gives the text that is generated after a prompt, which a hold keeps waiting,
    too, and which never ends if `stuck_writing`.
    """

    def __init__(self, window_tokens: int = 4096) -> None:
        self.tokenizer = CharacterTokenizer()
        self.window_tokens = window_tokens
        self.dtype = "bfloat16"
        self.numerics = "scripted"
        self.block_tokens = 16
        self.cache_tokens = 100_000
        self.step_tokens = 100_000
        self.step_prompts = 1000
        self.answers: dict[str, tuple[float, float]] = {}
        self.errors: dict[str, Exception] = {}
        self.stuck: set[str] = set()
        self.stuck_at: set[str] = set()
        self.answer: Callable[[str], tuple[float, ...] | None] = lambda _: None
        self.write: Callable[[str], str] = lambda _: ""
        self.written: list[str] = []
        self.turns: list[EngineTurn] = []
        self.forms: list[JsonForm | None] = []
        self.stuck_writing = False
        self.claims: list[str] = []
        self.prompts: list[str] = []
        self.trace_headers: list[Mapping[str, str]] = []
        self.cache_salts: list[str] = []
        self.read_s = 0.0
        self.cancelled = 0
        self.shutdowns = 0
        self.cache_clears = 0
        self._dead = asyncio.Event()
        self._hung = False
        self._open = asyncio.Event()
        self._open.set()
        self._changed = asyncio.Event()

    def hold(self) -> None:
        self._open.clear()

    def release(self) -> None:
        self._open.set()

    def hang(self) -> None:
        """Answer neither reads nor probes any more."""
        self._hung = True
        self.hold()

    def die(self) -> None:
        """Fail all reads and probes from now on."""
        self._dead.set()
        self.release()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for a condition on what the engine has seen."""
        async with asyncio.timeout(WAIT_LIMIT_S):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    async def read(
        self,
        prompt_ids: Sequence[int],
        wanted_ids: Sequence[int],
        trace_headers: Mapping[str, str],
        turn: EngineTurn,
        cache_salt: str,
    ) -> TokenReading:
        began_s = time.monotonic()
        prompt = "".join(map(chr, prompt_ids))
        claim = _claim(prompt)
        self.prompts.append(prompt)
        self.claims.append(claim)
        self.trace_headers.append(trace_headers)
        self.cache_salts.append(cache_salt)
        self._changed.set()
        if claim in self.errors:
            raise self.errors[claim]
        try:
            await self._open.wait()
            if claim in self.stuck or any(text in prompt for text in self.stuck_at):
                await self._dead.wait()
            await asyncio.sleep(self.read_s)
        except asyncio.CancelledError:
            self.cancelled += 1
            self._changed.set()
            raise
        self._raise_if_dead()
        answer = self.answer(prompt) or self.answers.get(claim, YES_AND_NO)
        # Without a third number the model is never unsure.
        by_letter = dict(zip("ynu", (*answer, 0.0), strict=False))
        letters = [chr(i).lower() for i in wanted_ids]
        nats = [_ln(by_letter.get(c, 0.0) / letters.count(c)) for c in letters]
        return TokenReading(tuple(nats), 1, began_s, time.monotonic())

    async def generate(
        self,
        prompt_ids: Sequence[int],
        most_tokens: int,
        trace_headers: Mapping[str, str],
        turn: EngineTurn,
        cache_salt: str,
        *,
        form: JsonForm | None,
    ) -> tuple[int, ...]:
        prompt = "".join(map(chr, prompt_ids))
        self.written.append(prompt)
        self.turns.append(turn)
        self.forms.append(form)
        self.cache_salts.append(cache_salt)
        self._changed.set()
        try:
            await self._open.wait()
            if self.stuck_writing:
                await self._dead.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            self._changed.set()
            raise
        self._raise_if_dead()
        return tuple(map(ord, self.write(prompt)))[:most_tokens]

    async def ping(self) -> None:
        self._raise_if_dead()
        if self._hung:
            await asyncio.Event().wait()

    async def clear_cache(self) -> None:
        self.cache_clears += 1

    def shutdown(self) -> None:
        self.shutdowns += 1

    def _raise_if_dead(self) -> None:
        if self._dead.is_set():
            raise BackendFailedError("the engine died")


def _claim(prompt: str) -> str:
    return prompt.partition("\nClaim: ")[2].removesuffix(PLAIN_ANSWER_LEAD)


def _ln(probability: float) -> float:
    return math.log(probability) if probability > 0.0 else -math.inf


@dataclass(frozen=True)
class Scripted:
    """A running server, its engine, and a channel to it."""

    running: RunningServer
    engine: ScriptedEngine
    backend: LocalBackend
    channel: aio.Channel

    async def batch(
        self,
        *claims: str,
        context: str = "",
        backend: str = "",
        token: str | None = None,
        timeout_s: float = WAIT_LIMIT_S,
    ) -> pb.BatchEstimateResponse:
        request = pb.BatchEstimateRequest(claims=claims, context=context, backend=backend)
        metadata = (("authorization", f"Bearer {token}"),) if token is not None else ()
        stub = VerifierBackendStub(self.channel)
        return await stub.BatchEstimate(request, timeout=timeout_s, metadata=metadata)

    async def until_idle(self) -> None:
        """Wait until no claim waits or runs."""
        async with asyncio.timeout(WAIT_LIMIT_S):
            while self.running.calls.admission.pending:  # noqa: ASYNC110 - a few turns of the loop
                await asyncio.sleep(0)

    async def info(self) -> pb.GetServerInfoResponse:
        stub = VerifierBackendStub(self.channel)
        return await stub.GetServerInfo(pb.GetServerInfoRequest(), timeout=WAIT_LIMIT_S)

    async def raw(self, method: str, data: bytes) -> bytes:
        """Call a method of the service with bytes as they are."""
        path = f"/groundwire.v1.VerifierBackend/{method}"
        call: aio.UnaryUnaryMultiCallable[bytes, bytes] = self.channel.unary_unary(path)
        return await call(data, timeout=WAIT_LIMIT_S)


class ScriptedSettings(ServerSettings):
    """Settings of a server that has other limits than those that ship."""

    _less: Mapping[str, int] = PrivateAttr(default_factory=dict)

    @property
    def limits(self) -> Limits:
        return replace(super().limits, **self._less)


def scripted_settings(
    limits: Mapping[str, int] = MappingProxyType({}), /, **changes: object
) -> ServerSettings:
    """The settings of a server on free ports of loopback; `limits` are those that differ."""
    defaults: dict[str, object] = {
        "listen": "127.0.0.1:0",
        "metrics_listen": "",
        "shutdown_grace_s": WAIT_LIMIT_S,
        # Most tests look at what the engine is asked.
        "result_cache_entries": 0,
    }
    settings = ScriptedSettings.model_validate(defaults | changes)
    settings._less = limits
    return settings


@contextlib.asynccontextmanager
async def scripted_server(
    *,
    loaded: bool = True,
    calibration: Calibration | None = None,
    engine: ScriptedEngine | None = None,
    corpora: Mapping[str, EvidenceProvider] = NO_CORPORA,
    profile: Profile = INSTRUCT,
    languages: tuple[str, ...] = (),
    limits: Mapping[str, int] = MappingProxyType({}),
    **changes: object,
) -> AsyncIterator[Scripted]:
    """A real server with a scripted engine; SERVING on entry if `loaded`."""
    engine = engine or ScriptedEngine()
    backend = LocalBackend(
        MODEL,
        lambda: engine,
        NEVER_HANGS_S,
        calibrations=lambda _: calibration,
        profile=profile,
        languages=languages,
    )
    # Without a calibration claims would be asked for half of that; tests script what 0.95 needs.
    sure: dict[str, object] = {} if calibration else {"verify_default_confidence": 0.95}
    settings = scripted_settings(limits, **(sure | changes))
    async with start_server(settings, {"local": backend}, VERSION, corpora) as running:
        if loaded:
            await backend.start()
            engine.claims.clear()
            engine.prompts.clear()
            running.set_serving(True)
        async with aio.insecure_channel(running.target) as channel:
            try:
                yield Scripted(running, engine, backend, channel)
            finally:
                await backend.stop()


def reason_of(error: aio.AioRpcError) -> str:
    """The reason in an error's ErrorInfo, whose domain has to be ours."""
    info = error_details_pb2.ErrorInfo()
    assert _unpack(error, info), "the error has no ErrorInfo"
    assert info.domain == "groundwire"
    return str(info.reason)


def violations_of(error: aio.AioRpcError) -> dict[str, str]:
    """Description by field of an error's BadRequest."""
    request = error_details_pb2.BadRequest()
    assert _unpack(error, request), "the error has no BadRequest"
    return {v.field: v.description for v in request.field_violations}


def retry_s_of(error: aio.AioRpcError) -> float:
    """Seconds of an error's RetryInfo."""
    retry = error_details_pb2.RetryInfo()
    assert _unpack(error, retry), "the error has no RetryInfo"
    return float(retry.retry_delay.ToNanoseconds() / 1e9)


def _unpack(error: aio.AioRpcError, into: Message) -> bool:
    status = rpc_status.from_call(error)
    assert status is not None, "the error has no details"
    return any(detail.Unpack(into) for detail in status.details)


@contextlib.contextmanager
def scripted_process(
    answers: Mapping[str, tuple[float, float]], **changes: object
) -> Iterator[str]:
    """The same in a process of its own, for callers that block; gives its target."""
    command = [sys.executable, "-m", "tests.scripted", json.dumps([answers, changes])]
    with subprocess.Popen(
        command,
        cwd=Path(__file__).resolve().parents[1],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        yield process.stdout.readline().strip()
        process.stdin.close()


async def _serve_until_stdin_ends(
    answers: Mapping[str, tuple[float, float]], changes: Mapping[str, object]
) -> None:
    async with scripted_server(**changes) as served:  # type: ignore[arg-type]
        served.engine.answers = dict(answers)
        print(served.running.target, flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_serve_until_stdin_ends(*json.loads(sys.argv[1])))

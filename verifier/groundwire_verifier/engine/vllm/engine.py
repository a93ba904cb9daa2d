"""vLLM as an engine, on the CPU or on GPUs.

The only file that imports vllm, which takes seconds and reads the environment: import this module
late, after vLLM's variables are set (`groundwire_server.config.environment`).
"""

import asyncio
import contextlib
import itertools
import logging
import math
import multiprocessing
import signal
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from vllm import SamplingParams
from vllm import __version__ as vllm_version
from vllm.config import StructuredOutputsConfig
from vllm.engine.arg_utils import AsyncEngineArgs
from vllm.inputs.engine import tokens_input
from vllm.outputs import RequestOutput
from vllm.platforms import current_platform
from vllm.sampling_params import RequestOutputKind, StructuredOutputsParams
from vllm.tokenizers import get_tokenizer
from vllm.v1.engine.async_llm import AsyncLLM
from vllm.v1.engine.exceptions import EngineDeadError
from vllm.v1.executor.uniproc_executor import UniProcExecutor

from groundwire_verifier.domain.errors import BackendFailedError
from groundwire_verifier.domain.tasks import retrieve
from groundwire_verifier.domain.types import JsonForm
from groundwire_verifier.engine.hf_tokenizer import FastTokenizer, HfTokenizer
from groundwire_verifier.engine.native_dtype import cpu_dtype
from groundwire_verifier.engine.queue.engine import EngineTurn, TokenReading
from groundwire_verifier.engine.vllm import BLOCK_TOKENS, HEAD_DTYPE, STEP_PROMPTS
from groundwire_verifier.engine.vllm.in_engine.scheduler import SLACK_S, PacedScheduler
from groundwire_verifier.engine.vllm.process import GROUP_SIGNALS, EngineOrigin, without_script

GIB = 1 << 30
STOP_TIMEOUT_S = 5.0
DEATH_CHECK_INTERVAL_S = 0.25
ENGINE_DIED = "the engine died"
KILLED = "; -9 mostly means that the kernel ended it for want of memory, see `dmesg`"
ENGINE_NAME = "EngineCore"
"""What vLLM calls its engine's process, whose workers end by its end, see `in_engine.orphan`."""
GRAMMARS = "guidance"
"""The library that holds a text to its form. vLLM's default needs Triton, which no CPU has."""


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """How vLLM runs. `model` is a folder or a hub name.

    `revision` is the commit, tag or branch of a hub model, its main branch if None.
    `dtype` "auto" is the model's own, but float32 on a CPU that would emulate it.
    `window_tokens` None takes the model's own. `batch_tokens` is the most tokens of one step.
    `kv_memory_gib` None is what `gpu_memory_share` leaves on a GPU; a CPU needs a number.
    `otlp_endpoint` makes vLLM send spans of its own. `forms` has it hold to the form of a text that
    it writes, for which it loads the tokeniser, too.
    """

    model: str
    revision: str | None = None
    dtype: str = "auto"
    window_tokens: int | None = None
    batch_tokens: int = 2048
    kv_memory_gib: float | None = None
    gpu_memory_share: float = 0.85
    tensor_parallel_size: int = 1
    quantization: str | None = None
    otlp_endpoint: str | None = None
    load_format: str = "auto"
    forms: bool = False

    def engine_args(self) -> AsyncEngineArgs:
        """The same settings in vLLM's words."""
        on_cpu = current_platform.is_cpu()
        return AsyncEngineArgs(
            model=self.model,
            revision=self.revision,
            tokenizer_revision=self.revision,
            # Prompts come as tokens, and `VllmEngine` has a tokeniser; a grammar needs one, too.
            skip_tokenizer_init=not self.forms,
            structured_outputs_config=StructuredOutputsConfig(
                backend=GRAMMARS, disable_any_whitespace=True
            ),
            dtype=cpu_dtype(self.dtype) if on_cpu else self.dtype,
            hf_overrides={"head_dtype": HEAD_DTYPE},
            max_model_len=self.window_tokens,
            max_num_batched_tokens=self.batch_tokens,
            max_num_seqs=STEP_PROMPTS,
            block_size=BLOCK_TOKENS,
            kv_cache_memory_bytes=int(self.kv_memory_gib * GIB) if self.kv_memory_gib else None,
            gpu_memory_utilization=self.gpu_memory_share,
            tensor_parallel_size=self.tensor_parallel_size,
            quantization=self.quantization,
            load_format=self.load_format,
            enforce_eager=on_cpu,
            enable_prefix_caching=True,
            scheduling_policy="priority",
            scheduler_cls=PacedScheduler if on_cpu else None,
            otlp_traces_endpoint=self.otlp_endpoint,
            enable_log_requests=False,
            use_tqdm_on_load=False,
            # On the CPU vLLM would start one more process, only to set OpenMP's variables there.
            # They are set already, and a process less halves the start.
            distributed_executor_backend=(
                UniProcExecutor if on_cpu and self.tensor_parallel_size == 1 else None
            ),
        )


class VllmEngine:
    """Implements `groundwire_verifier.engine.queue.engine.Engine`."""

    def __init__(self, config: EngineConfig, origin: EngineOrigin | None) -> None:
        """Load the model. Blocks for tens of seconds: call it in a thread.

        The engine is forked of `origin`, which ends with it; None has vLLM spawn it. Raises
        BackendFailedError with vLLM's reason.
        """
        self._origin = origin
        # The engine's processes inherit this thread's mask.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, GROUP_SIGNALS)
        try:
            with (
                ThreadPoolExecutor(1) as beside,
                without_script(),
                contextlib.nullcontext() if origin is None else origin.forking(),
            ):
                tokenizer = beside.submit(get_tokenizer, config.model, revision=config.revision)
                self._engine = AsyncLLM.from_engine_args(config.engine_args())
            self._tokenizer = self._with(tokenizer)
        except (ValueError, RuntimeError, OSError, EOFError) as error:
            killed = KILLED if "-9" in str(error) else ""
            raise BackendFailedError(f"vLLM could not load the model: {error}{killed}") from error
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        self._traced = config.otlp_endpoint is not None
        self._holds_to_forms = config.forms
        self._step_tokens = config.batch_tokens
        self._numbers = itertools.count()

    def _with(self, tokenizer: "Future[FastTokenizer]") -> HfTokenizer:
        """The tokeniser that was loaded beside the engine, which ends if there is none."""
        try:
            found = HfTokenizer(tokenizer.result())
            found.fill_word_memory()
            return found
        except BaseException:
            self.shutdown()
            raise

    @property
    def tokenizer(self) -> HfTokenizer:
        """The model's tokeniser."""
        return self._tokenizer

    @property
    def window_tokens(self) -> int:
        """The model's window."""
        return int(self._engine.vllm_config.model_config.max_model_len)

    @property
    def block_tokens(self) -> int:
        """Tokens of one block of the prefix cache."""
        return BLOCK_TOKENS

    @property
    def dtype(self) -> str:
        """The data type of the weights."""
        return str(self._engine.vllm_config.model_config.dtype).removeprefix("torch.")

    @property
    def numerics(self) -> str:
        """vLLM's version, the device, the data types of weights and head, and how they compute."""
        config = self._engine.vllm_config
        model, eager = config.model_config, config.model_config.enforce_eager
        return (
            f"vllm {vllm_version} on {current_platform.device_name}: weights {model.dtype}, "
            f"head {model.head_dtype}, quantization {model.quantization}, eager {eager}"
        )

    @property
    def cache_tokens(self) -> int:
        """Tokens that the prefix cache holds."""
        return (self._engine.vllm_config.cache_config.num_gpu_blocks or 0) * BLOCK_TOKENS

    @property
    def step_tokens(self) -> int:
        """Most tokens that one step computes."""
        return self._step_tokens

    @property
    def step_prompts(self) -> int:
        """Most prompts that one step computes."""
        return STEP_PROMPTS

    async def read(
        self,
        prompt_ids: Sequence[int],
        wanted_ids: Sequence[int],
        trace_headers: Mapping[str, str],
        turn: EngineTurn,
        cache_salt: str,
    ) -> TokenReading:
        """Read the log-probabilities of the wanted tokens after a prompt, in one step or more."""
        sampling = SamplingParams(
            max_tokens=1,
            temperature=0.0,
            detokenize=False,
            # Exactly these, over the full vocabulary; `logprobs` beside it would cut to a top.
            logprob_token_ids=list(wanted_ids),
            skip_clone=True,
            extra_args=_extra_args(turn),
        )
        output = await self._run(prompt_ids, sampling, trace_headers, turn, cache_salt)
        if output.metrics is None:
            raise RuntimeError("vLLM ended a request without its times")
        (log_probs,) = output.outputs[0].logprobs
        return TokenReading(
            log_probs_nats=tuple(log_probs[i].logprob for i in wanted_ids),
            cached_tokens=output.num_cached_tokens or 0,
            scheduled_s=output.metrics.scheduled_ts,
            done_s=output.metrics.last_token_ts,
        )

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
        """Write the likeliest next tokens, up to the end of the turn."""
        sampling = _Unchecked(
            max_tokens=most_tokens,
            temperature=0.0,
            detokenize=False,
            # vLLM has no tokeniser that would tell it; what the model itself names it adds.
            stop_token_ids=list(self._tokenizer.end_ids),
            output_kind=RequestOutputKind.FINAL_ONLY,
            extra_args=_extra_args(turn),
            structured_outputs=_grammar(form) if self._holds_to_forms else None,
        )
        output = await self._run(prompt_ids, sampling, trace_headers, turn, cache_salt)
        return tuple(output.outputs[0].token_ids)

    async def _run(
        self,
        prompt_ids: Sequence[int],
        sampling: SamplingParams,
        trace_headers: Mapping[str, str],
        turn: EngineTurn,
        cache_salt: str,
    ) -> RequestOutput:
        """The last output of a request. Cancelling it stops the request."""
        stream = self._engine.generate(
            tokens_input(list(prompt_ids), cache_salt=cache_salt or None),
            sampling,
            str(next(self._numbers)),
            # vLLM sends them to another process, and packs no other kind of mapping.
            trace_headers=dict(trace_headers) if self._traced else None,
            priority=turn.priority,
        )
        output: RequestOutput | None = None
        try:
            async for part in stream:
                output = part
        except EngineDeadError as error:
            raise BackendFailedError(ENGINE_DIED) from error
        if output is None or not output.finished:
            raise RuntimeError("vLLM ended a request without an output")
        return output

    async def ping(self) -> None:
        """Return when the engine is between two steps. Raises BackendFailedError if it is dead."""
        # The cheapest question that the engine's own loop has to answer.
        answer = asyncio.ensure_future(self._engine.is_sleeping())
        answer.add_done_callback(retrieve)
        try:
            # vLLM leaves the question open for ever when the engine dies before it answers.
            while not answer.done():
                if self._engine.errored:
                    raise BackendFailedError(ENGINE_DIED)
                await asyncio.wait((answer,), timeout=DEATH_CHECK_INTERVAL_S)
            answer.result()
        except EngineDeadError as error:
            raise BackendFailedError(ENGINE_DIED) from error
        finally:
            answer.cancel()

    async def clear_cache(self) -> None:
        """Forget all cached prefixes."""
        await self._engine.reset_prefix_cache()

    def shutdown(self) -> None:
        """End vLLM's processes. They have no more to do, and no signal but SIGKILL reaches them."""
        # vLLM reports the end of its process, which is what is asked for here, as an error.
        logging.getLogger("vllm").setLevel(logging.CRITICAL)
        if self._origin is not None:
            self._origin.end()
        else:
            for child in multiprocessing.active_children():
                if child.name.startswith(ENGINE_NAME):
                    child.kill()
        self._engine.shutdown(STOP_TIMEOUT_S)
        # Left to the interpreter's exit, the engine's finaliser would find its modules gone.
        del self._engine


class _Unchecked(SamplingParams):  # type: ignore[misc]
    """Parameters whose form vLLM takes as it is.

    Its check imports a package of one more library of grammars, which is not installed with the
    CPU's build. The forms are our own, and hold what every library knows.
    """

    def _validate_structured_outputs(self, *_: object) -> None:
        """Accept it."""


def _grammar(form: JsonForm | None) -> StructuredOutputsParams | None:
    """A form in vLLM's words."""
    if form is None:
        return None
    grammar = StructuredOutputsParams(json=form.schema)
    # What vLLM's check would write down.
    grammar._backend = GRAMMARS
    return grammar


def _extra_args(turn: EngineTurn) -> dict[str, float] | None:
    """What the scheduler is told of a request."""
    return None if math.isinf(turn.slack_s) else {SLACK_S: turn.slack_s}

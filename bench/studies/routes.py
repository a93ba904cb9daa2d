"""The ways to read labels from vLLM that are compared: what each asks of the engine, and one
process's work on one of them.

As a program it takes the name of a route, a file with a job and a file for the outcome. Each route
has a process of its own, since vLLM takes its model's form and its plugins once for a process.
"""

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from groundwire_server.config.environment import prepare_engine_environment

if TYPE_CHECKING:
    from vllm.engine.arg_utils import AsyncEngineArgs
    from vllm.v1.engine.async_llm import AsyncLLM

COLD, WARM = "cold", "warm"
TokenIds = list[int]


@dataclass(frozen=True, slots=True)
class Route:
    """A way to read labels.

    `head_dtype` None is the server's. `pooling_method` makes it the pooling route. `plugins` keeps
    the plugins that are installed for vLLM, the project's own among them.
    """

    name: str
    text: str
    head_dtype: str | None = None
    pooling_method: str | None = None
    plugins: bool = False


ROUTES = (
    Route("generate-model-head", "generate one token, head in the model's type", "model"),
    Route("generate-float32-head", "generate one token, vLLM's float32 head", "float32"),
    Route("generate-as-server", "generate one token, as the server does it", plugins=True),
    Route(
        "pooling-two-tokens",
        "pooling, one Yes and one No token",
        pooling_method="from_2_way_softmax",
    ),
    Route("pooling-all-forms", "pooling, every label form", pooling_method="no_post_processing"),
)


@dataclass(frozen=True, slots=True)
class Batch:
    """Prompts to be timed together, and another prompt on their context to warm the cache."""

    prompts: list[TokenIds]
    other: TokenIds


@dataclass(frozen=True, slots=True)
class Job:
    """What a process does on its route, as token ids.

    `wanted` are the label tokens and `names` their names; `two_names` are those of the No and the
    Yes token of the two-token route. `warm_ups` are repeats before those that count.
    """

    model_path: str
    wanted: list[int]
    names: list[str]
    two_names: list[str]
    batches: list[Batch]
    accuracy: list[TokenIds]
    repeats: int
    warm_ups: int

    @classmethod
    def load(cls, path: Path) -> "Job":
        """Read a job that `save` wrote."""
        data = json.loads(path.read_text(encoding="utf-8"))
        return cls(**{**data, "batches": [Batch(**batch) for batch in data["batches"]]})

    def save(self, path: Path) -> None:
        """Write the job as JSON."""
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Timing:
    """The seconds that each of the repeats of one batch took."""

    kind: str
    claims: int
    seconds: list[float]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a process found on its route.

    `scores` has a row for each accuracy prompt: the log-probabilities or logits of the wanted
    tokens in nats or, with two tokens, the one difference of their logits. `tasks` is what the
    engine says it can do.
    """

    start_s: float
    timings: list[Timing]
    scores: list[list[float]]
    tasks: list[str]

    @classmethod
    def load(cls, path: Path) -> "Outcome":
        """Read an outcome that `save` wrote."""
        data = json.loads(path.read_text(encoding="utf-8"))
        return cls(**{**data, "timings": [Timing(**timing) for timing in data["timings"]]})

    def save(self, path: Path) -> None:
        """Write the outcome as JSON."""
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")


def _engine_args(route: Route, job: Job) -> "AsyncEngineArgs":
    from groundwire_verifier.vllm.engine import EngineConfig

    config = EngineConfig(job.model_path)
    if route.pooling_method is None:
        return replace(config, head_dtype=route.head_dtype or config.head_dtype).engine_args()
    is_two = route.pooling_method == "from_2_way_softmax"
    overrides = {
        "classifier_from_token": job.two_names if is_two else job.names,
        "method": route.pooling_method,
    }
    args = config.engine_args()
    return replace(args, runner="pooling", convert="classify", hf_overrides=overrides)


class RouteReader:
    """Reads scores after prompts on one route."""

    def __init__(self, engine: "AsyncLLM", route: Route, wanted: Sequence[int]) -> None:
        self._engine = engine
        self._wanted = list(wanted)
        self._read_one = self._generate if route.pooling_method is None else self._pool
        self._number = 0

    async def read(self, prompts: Sequence[TokenIds]) -> list[list[float]]:
        """Scores after each prompt, all submitted together."""
        return await asyncio.gather(*(self._read_one(prompt) for prompt in prompts))

    async def time(self, kind: str, batch: Batch) -> float:
        """The seconds that a batch takes from an emptied cache; warm, its context is read first."""
        await self._engine.reset_prefix_cache()
        if kind == WARM:
            await self.read([batch.other])
        began_s = time.perf_counter()
        await self.read(batch.prompts)
        return time.perf_counter() - began_s

    async def read_apart(self, prompts: Sequence[TokenIds]) -> list[list[float]]:
        """Scores after each prompt, read alone and cold, so that no batching moves them."""
        rows = []
        for prompt in prompts:
            await self._engine.reset_prefix_cache()
            rows += await self.read([prompt])
        return rows

    def _next_id(self) -> str:
        self._number += 1
        return str(self._number)

    async def _generate(self, prompt: TokenIds) -> list[float]:
        from vllm import SamplingParams
        from vllm.inputs.engine import tokens_input

        parameters = SamplingParams(
            max_tokens=1,
            temperature=0.0,
            detokenize=False,
            logprob_token_ids=self._wanted,
            skip_clone=True,
        )
        scores: list[float] = []
        async for output in self._engine.generate(
            tokens_input(prompt), parameters, self._next_id()
        ):
            (log_probs,) = output.outputs[0].logprobs
            scores = [float(log_probs[i].logprob) for i in self._wanted]
        return scores

    async def _pool(self, prompt: TokenIds) -> list[float]:
        from vllm import PoolingParams
        from vllm.inputs.engine import tokens_input

        parameters = PoolingParams(task="classify", use_activation=False)
        scores: list[float] = []
        async for output in self._engine.encode(tokens_input(prompt), parameters, self._next_id()):
            scores = [float(value) for value in output.outputs.data.flatten().tolist()]
        return scores


async def _work(route: Route, job: Job) -> Outcome:
    from vllm.v1.engine.async_llm import AsyncLLM

    began_s = time.perf_counter()
    engine = AsyncLLM.from_engine_args(_engine_args(route, job))
    try:
        reader = RouteReader(engine, route, job.wanted)
        await reader.read([job.batches[0].other])
        start_s = time.perf_counter() - began_s
        timings = []
        for kind in (COLD, WARM):
            for batch in job.batches:
                runs = [await reader.time(kind, batch) for _ in range(job.warm_ups + job.repeats)]
                timings.append(Timing(kind, len(batch.prompts), runs[job.warm_ups :]))
        scores = await reader.read_apart(job.accuracy)
        tasks = [str(task) for task in await engine.get_supported_tasks()]
    finally:
        engine.shutdown()
    return Outcome(start_s, timings, scores, tasks)


def main(name: str, job_file: Path, outcome_file: Path) -> None:
    """Do a job on a route and write the outcome."""
    prepare_engine_environment(None, None)
    (route,) = (route for route in ROUTES if route.name == name)
    asyncio.run(_work(route, Job.load(job_file))).save(outcome_file)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))

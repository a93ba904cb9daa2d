"""A batch job on a Ray cluster, by Ray Data: a verifier with a model of its own on each machine.

The plan of the job has the rows in groups already, so nothing is shuffled: a shard is some whole
groups, and goes to one actor as it is. This process reads the shards and writes the results, so
that the cluster needs no common file system, and a job goes on as on one machine. What an actor had
that is lost, or whose engine is, is done again, in bounds.
"""

import json
import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import ray
from ray.data import ActorPoolStrategy, DataContext
from ray.exceptions import RayError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from groundwire_server.batch.plan import Plan
from groundwire_server.batch.row_files import RowFile
from groundwire_server.batch.rows import parse_row
from groundwire_server.batch.tally import Result
from groundwire_server.batch.verifying import LostEngineError, LostServerError, RowVerifier
from groundwire_server.batch.work import ActorJob, verified
from groundwire_server.exit_codes import EXIT_ENGINE_FAILED

LEAST_ROWS, MOST_ROWS = 16, 512
"""Rows of a shard. A group that is larger than the most is more than one shard."""

SHARDS_AN_ACTOR = 16
"""How many shards an actor gets in a job that is not large, so that all end together."""

MOST_RETRIES = 5
"""How often a shard is tried again whose actor was lost: a row of it may be why. Ray counts up to
two for one loss, since it also tries while the actor is being started again."""

READERS = 2
"""Shards that are read at one time."""

Batch = Mapping[str, "np.ndarray[tuple[int, ...], np.dtype[np.generic]]"]


class ShardVerifier:
    """An actor: a server inside of its process, which loads its model once."""

    def __init__(self, job: ActorJob) -> None:
        from groundwire_server.in_process import in_process

        logging.getLogger("vllm").setLevel(logging.ERROR)
        self._job = job
        # It ends with the process.
        self._stack = ExitStack()
        client = self._stack.enter_context(in_process(job.settings))
        self._verifier = RowVerifier(client, job.options, job.timeout_s)

    def __call__(self, shard: Batch) -> dict[str, list[str]]:
        """The results of a shard, as JSON."""
        lines = zip(shard["number"], shard["line"], strict=True)
        rows = (parse_row(int(number), line) for number, line in lines)
        results = verified(self._verifier, rows, self._job.parallel)
        try:
            return {"result": [json.dumps(result, ensure_ascii=False) for result in results]}
        except LostEngineError as error:
            # Ray starts the actor again, with an engine, and gives it the shard again.
            print(f"groundwire run: {error}", file=sys.stderr, flush=True)
            os._exit(EXIT_ENGINE_FAILED)


@dataclass(frozen=True, slots=True)
class _RowReader:
    """Reads shards on the machine that the file is on."""

    path: Path

    def __call__(self, shards: Batch) -> dict[str, list[int] | list[bytes]]:
        with self.path.open("rb") as opened:
            file = RowFile(opened, self.path)
            pairs = [
                (int(number), file.line(int(number), int(offset)))
                for numbers, offsets in zip(shards["numbers"], shards["offsets"], strict=True)
                for number, offset in zip(numbers, offsets, strict=True)
            ]
        return {"number": [number for number, _ in pairs], "line": [line for _, line in pairs]}


def verified_on_ray(
    address: str, plan: Plan, path: Path, job: ActorJob, begun: Callable[[], None]
) -> Iterator[Result]:
    """The results as they come; `path` is the file of JSON lines that the plan is of.

    `begun` is called when the cluster is there, before its models are.

    Raises LostServerError if the cluster cannot be reached, or the job cannot go on there.
    """
    # Ray tells of lost workers on stdout, also when it ends; the summary of the job is alone there.
    with redirect_stdout(sys.stderr):
        try:
            ray.init(address, log_to_driver=False, logging_level=logging.ERROR)
        except (RayError, OSError, RuntimeError, ValueError) as error:
            raise LostServerError(f"--ray {address}: {error}") from error
        try:
            DataContext.get_current().enable_progress_bars = False
            begun()
            yield from _results(plan, path, job)
        except RayError as error:
            raise LostServerError(f"--ray {address}: {error}") from error
        finally:
            ray.shutdown()


def _results(plan: Plan, path: Path, job: ActorJob) -> Iterator[Result]:
    actors, resources = _actors()
    size = len(plan.numbers) // (actors * SHARDS_AN_ACTOR)
    shards = [
        {"numbers": plan.numbers[begin:end], "offsets": plan.offsets[begin:end]}
        for begin, end in plan.shards(min(max(size, LEAST_ROWS), MOST_ROWS))
    ]
    here = ray.get_runtime_context().get_node_id()
    results = (
        ray.data.from_items(shards, override_num_blocks=len(shards))
        .map_batches(
            _RowReader(path),
            batch_size=None,
            concurrency=READERS,
            num_cpus=0,
            scheduling_strategy=NodeAffinitySchedulingStrategy(here, soft=False),
        )
        .map_batches(
            ShardVerifier,
            batch_size=None,
            fn_constructor_args=(job,),
            # Two shards overlap, so that the engine has rows while one of them ends.
            compute=ActorPoolStrategy(
                size=actors,
                max_tasks_in_flight_per_actor=4,
                max_concurrent_calls_per_actor=2,
                enable_true_multi_threading=True,
            ),
            scheduling_strategy="SPREAD",
            # Without a bound a row that no engine survives would be tried for ever.
            max_task_retries=MOST_RETRIES,
            **resources,
        )
    )
    for batch in results.iter_batches(batch_size=None, prefetch_batches=0):
        for line in batch["result"]:
            yield json.loads(line)


def _actors() -> tuple[int, Mapping[str, float]]:
    """How many actors there are, and what each takes: a GPU, or a machine where there is none."""
    gpus = int(ray.cluster_resources().get("GPU", 0))
    if gpus:
        return gpus, {"num_gpus": 1, "num_cpus": 1}
    cpus = [int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]]
    able = [count for count in cpus if count]
    if not able:
        raise LostServerError("no machine of the Ray cluster has a CPU to give")
    return len(able), {"num_cpus": min(able)}

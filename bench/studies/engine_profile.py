"""Where the engine's time goes: `python -m bench.studies.engine_profile`.

Measured: one batch of N claims on a known context of 300 tokens, read by vLLM in this process with
the engine's settings and our head, under torch's profiler: the share of each kind of operator, and
of what is none (Python: scheduling, preparing, dispatching). The floor of `bench.studies.floor`
counts the linear layers, attention and the head; the rest is what this machine's time has beside
it.

Not measured: our scheduler and gRPC, which other benches time.
"""

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.tools.common import (
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    results_folder,
    write_results,
)
from bench.tools.contenders import engine_arguments
from bench.tools.corpus import Corpus
from groundwire_server.config.environment import prepare_engine_environment
from groundwire_server.config.settings import ServerSettings

CONTEXT_TOKENS = 300
REPEATS = {1: 16, 16: 6, 64: 4}
WARM_UPS = 3
LINEAR, HEAD, ATTENTION, REST, OUTSIDE = (
    "linear layers", "head", "attention and its cache", "other operators", "outside operators",
)  # fmt: skip
KINDS = (LINEAR, HEAD, ATTENTION, REST, OUTSIDE)


@dataclass(frozen=True, slots=True)
class Row:
    """One batch size: seconds without the profiler, and each kind's share of those with it."""

    claims: int
    elapsed_s: float
    shares: dict[str, float]


def main() -> int:
    """Parse the flags, measure, write."""
    parser = bench_parser("studies.engine_profile", "Where the engine's time goes.")
    return guarded(lambda: _bench(parser.parse_args()))


def _bench(arguments: argparse.Namespace) -> None:
    # The engine in this process, so that the profiler sees it.
    os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
    prepare_engine_environment(None, None)
    run = describe_run(arguments.quick)
    corpus = Corpus(ServerSettings().model)
    read = _reader(corpus)
    rows = [
        _row(read, corpus, claims, 2 if arguments.quick else repeats)
        for claims, repeats in REPEATS.items()
    ]
    folder = results_folder("engine-profile", arguments.out, run)
    data = {"run": asdict(run), "rows": [asdict(row) for row in rows]}
    text = ["# Where the engine's time goes", "", *run.lines(), "", report(rows)]
    write_results(folder, "engine_profile", data, "\n".join(text))


def _reader(corpus: Corpus) -> Callable[[int, str], float]:
    """Reads so many claims on a context, and gives the seconds that it took."""
    from vllm import LLM, SamplingParams
    from vllm.inputs import TokensPrompt

    from groundwire_verifier.vllm.in_engine import head

    head.register()  # vLLM's plug-in does so in a process of the engine's own
    engine = LLM(**engine_arguments(corpus), skip_tokenizer_init=True)
    wanted = [form.token_id for form in corpus.label_forms()]
    parameters = SamplingParams(
        max_tokens=1, temperature=0.0, detokenize=False, logprob_token_ids=wanted
    )

    def read(claims: int, context: str) -> float:
        prompts = [
            TokensPrompt(prompt_token_ids=list(prompt.token_ids))
            for prompt in corpus.prompts(corpus.claims(claims), context)
        ]
        began_s = time.perf_counter()
        engine.generate(prompts, parameters, use_tqdm=False)
        return time.perf_counter() - began_s

    return read


def _row(read: Callable[[int, str], float], corpus: Corpus, claims: int, repeats: int) -> Row:
    from torch.profiler import ProfilerActivity, profile

    context = corpus.context(CONTEXT_TOKENS)
    for _ in range(WARM_UPS):
        read(claims, context)
    plain_s = statistics.median(read(claims, context) for _ in range(repeats))
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as profiler:
        profiled_s = sum(read(claims, context) for _ in range(repeats))
    seconds: dict[str, float] = dict.fromkeys(KINDS, 0.0)
    vocabulary = _vocabulary(corpus)
    for event in profiler.key_averages(group_by_input_shape=True):
        seconds[_kind(event, vocabulary)] += event.self_cpu_time_total / 1e6
    seconds[OUTSIDE] = profiled_s - sum(seconds.values())
    return Row(claims, plain_s, {kind: seconds[kind] / profiled_s for kind in KINDS})


def _kind(event: Any, vocabulary: int) -> str:  # noqa: ANN401 - torch's own
    name = str(event.key)
    if "attention" in name or "attn" in name or "kv_cache" in name:
        return ATTENTION
    if "onednn" in name or name in {"aten::mm", "aten::addmm", "aten::linear"}:
        return HEAD if any(vocabulary in shape for shape in event.input_shapes) else LINEAR
    return REST


def _vocabulary(corpus: Corpus) -> int:
    config = json.loads(Path(corpus.model_path, "config.json").read_text(encoding="utf-8"))
    return int(config["vocab_size"])


def report(rows: list[Row]) -> str:
    """A row a batch size."""
    header = ["N, on a known context", "seconds", *KINDS]
    lines = [
        [str(row.claims), f"{row.elapsed_s:.3f}", *(f"{row.shares[kind]:.0%}" for kind in KINDS)]
        for row in rows
    ]
    return markdown_table(header, lines) + (
        f"\n\nContext of {CONTEXT_TOKENS} tokens. Seconds: medians without the profiler. Shares: "
        "of the time with it, each operator's own."
    )


if __name__ == "__main__":
    sys.exit(main())

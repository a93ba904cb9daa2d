"""What the ways to read labels from vLLM cost on this machine, and how exact they are.

Measured for each route, in a fresh process, one after the other, on the same token ids with the
server's engine settings: the seconds of 1, 10 and 32 prompts on one context of 300 tokens, cold
and warm, and how far P(YES) is from a float32 Transformers forward pass on the same weights.

Every repeat of a batch has the same prompts, after an emptied cache, so that the routes and not the
prompts make the difference. Not measured: the server around the engine (see bench.overhead), and
whether the answers are right.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench.studies.routes import COLD, ROUTES, WARM, Batch, Job, Outcome, Route
from bench.tools.common import (
    ROOT,
    BenchError,
    Run,
    bare_environment,
    bench_parser,
    describe_run,
    guarded,
    markdown_table,
    results_folder,
    say,
    write_results,
)
from groundwire_server.config.environment import prepare_engine_environment
from groundwire_server.config.settings import ServerSettings
from groundwire_verifier.domain.labels import (
    FloatArray,
    label_log_probabilities,
    probability_and_mass,
)
from groundwire_verifier.domain.types import Label, LabelForm, Prompt

if TYPE_CHECKING:
    from bench.tools.corpus import Corpus

CONTEXT_TOKENS = 300
CLAIMS = (1, 10, 32)
ACCURACY_CONTEXT_TOKENS = (60, 150, 300, 500, 800)
"""Lengths of the contexts of the accuracy prompts, in turn."""
FULL_REPEATS, QUICK_REPEATS = 9, 1
FULL_WARM_UPS, QUICK_WARM_UPS = 2, 1
FULL_PROMPTS, QUICK_PROMPTS = 50, 10
ROUTE_TIMEOUT_S = 900.0
PLUGIN_GROUP = "vllm.general_plugins"
DISTINCT_DECIMALS = 7
NAMES = [route.name for route in ROUTES]


@dataclass(frozen=True, slots=True)
class Found:
    """What was found of one route. The medians go by kind and batch size, in CLAIMS' order.

    `difference_*` are of the probability of YES from the float32 reference over the same label
    tokens; `distinct` counts the different probabilities among the prompts.
    """

    route: str
    text: str
    start_s: float
    cold_medians_s: tuple[float, ...]
    warm_medians_s: tuple[float, ...]
    difference_max: float
    difference_mean: float
    distinct: int
    prompts: int
    has_label_mass: bool
    can_generate: bool


def main() -> int:
    """Parse the flags, measure, write."""
    parser = bench_parser("studies.read_routes", "Cost and exactness of the ways to read labels.")
    parser.add_argument("--model", default=ServerSettings().model, help="the model to read")
    parser.add_argument("--route", action="append", choices=NAMES, help="only this one; repeatable")
    arguments = parser.parse_args()
    return guarded(lambda: _bench(arguments))


def _bench(arguments: argparse.Namespace) -> None:
    prepare_engine_environment(None, None)  # before torch is imported
    from bench.tools.corpus import Corpus

    run = describe_run(arguments.quick)
    corpus = Corpus(arguments.model)
    forms = corpus.label_forms()
    # The two-token route has room for one form of each label: the first of one token.
    two = tuple(_plain_form(forms, label) for label in (Label.NO, Label.YES))
    accuracy = _accuracy_prompts(corpus, QUICK_PROMPTS if arguments.quick else FULL_PROMPTS)
    repeats = QUICK_REPEATS if arguments.quick else FULL_REPEATS
    job = Job(
        model_path=corpus.model_path,
        wanted=[form.token_id for form in forms],
        names=corpus.token_names([form.token_id for form in forms]),
        two_names=corpus.token_names([form.token_id for form in two]),
        batches=[_batch(corpus, count) for count in CLAIMS],
        accuracy=[list(prompt.token_ids) for prompt in accuracy],
        repeats=repeats,
        warm_ups=QUICK_WARM_UPS if arguments.quick else FULL_WARM_UPS,
    )
    outcomes = {
        route: _run(route, job) for route in ROUTES if route.name in (arguments.route or NAMES)
    }
    say("reading the accuracy prompts with Transformers in float32")
    from groundwire_verifier.backends.reference import ReferenceModel

    reference = ReferenceModel(corpus.model_path)
    expected, _ = probability_and_mass(reference.label_nats(accuracy, forms))
    expected_two, _ = probability_and_mass(reference.label_nats(accuracy, two))
    found = [
        _found(route, outcome, forms, expected_two if _is_two(outcome) else expected)
        for route, outcome in outcomes.items()
    ]
    data = {
        "run": asdict(run),
        "model": arguments.model,
        "plugins": _plugins(),
        "repeats": repeats,
        "context_tokens": CONTEXT_TOKENS,
        "claims": CLAIMS,
        "two_tokens": job.two_names,
        "label_tokens": job.names,
        "routes": [asdict(row) for row in found],
        "timings": {r.name: [asdict(t) for t in o.timings] for r, o in outcomes.items()},
    }
    folder = results_folder("read_routes", arguments.out, run)
    write_results(folder, "read_routes", data, _report(run, arguments.model, repeats, found))


def _plain_form(forms: Sequence[LabelForm], label: Label) -> LabelForm:
    return next(form for form in forms if form.label is label and form.text == label.value.title())


def _batch(corpus: "Corpus", count: int) -> Batch:
    context = corpus.context(CONTEXT_TOKENS)
    *prompts, other = corpus.prompts(corpus.claims(count + 1), context)
    return Batch([list(prompt.token_ids) for prompt in prompts], list(other.token_ids))


def _accuracy_prompts(corpus: "Corpus", count: int) -> list[Prompt]:
    lengths = [ACCURACY_CONTEXT_TOKENS[i % len(ACCURACY_CONTEXT_TOKENS)] for i in range(count)]
    return [
        prompt
        for length in lengths
        for prompt in corpus.prompts(corpus.claims(1), corpus.context(length))
    ]


def _run(route: Route, job: Job) -> Outcome:
    say(f"{route.name}: {route.text}")
    began_s = time.monotonic()
    environment = bare_environment()
    if not route.plugins:
        environment["VLLM_PLUGINS"] = ""
    with tempfile.TemporaryDirectory(prefix="groundwire-bench-") as name:
        job_file, outcome_file = Path(name, "job.json"), Path(name, "outcome.json")
        job.save(job_file)
        command = [sys.executable, "-m", "bench.studies.routes", route.name]
        try:
            done = subprocess.run(
                [*command, str(job_file), str(outcome_file)],
                env=environment,
                cwd=ROOT,
                check=False,
                timeout=ROUTE_TIMEOUT_S,
            )
        except subprocess.TimeoutExpired as error:
            raise BenchError(f"{route.name} took more than {ROUTE_TIMEOUT_S:.0f} s") from error
        if done.returncode != 0:
            raise BenchError(f"{route.name} ended with code {done.returncode}; see above")
        outcome = Outcome.load(outcome_file)
        say(f"{route.name}: {time.monotonic() - began_s:.0f} s, {outcome.start_s:.0f} s to start")
        return outcome


def _is_two(outcome: Outcome) -> bool:
    return len(outcome.scores[0]) == 1


def _found(
    route: Route, outcome: Outcome, forms: Sequence[LabelForm], expected: FloatArray
) -> Found:
    scores = np.array(outcome.scores, dtype=np.float64)
    if _is_two(outcome):
        probabilities = 1.0 / (1.0 + np.exp(-scores[:, 0]))
    else:
        probabilities, _ = probability_and_mass(label_log_probabilities(scores, forms))
    difference = np.abs(probabilities - expected)
    medians = {(t.kind, t.claims): statistics.median(t.seconds) for t in outcome.timings}
    can_generate = "generate" in outcome.tasks
    return Found(
        route=route.name,
        text=route.text,
        start_s=outcome.start_s,
        cold_medians_s=tuple(medians[COLD, count] for count in CLAIMS),
        warm_medians_s=tuple(medians[WARM, count] for count in CLAIMS),
        difference_max=float(difference.max()),
        difference_mean=float(difference.mean()),
        distinct=len(set(np.round(probabilities, DISTINCT_DECIMALS).tolist())),
        prompts=len(probabilities),
        # Only generation normalises over the whole vocabulary, which the mass needs.
        has_label_mass=can_generate,
        can_generate=can_generate,
    )


def _plugins() -> list[str]:
    return sorted(point.value for point in metadata.entry_points(group=PLUGIN_GROUP))


def _report(run: Run, model: str, repeats: int, found: Sequence[Found]) -> str:
    header = ["route"]
    header += [f"{kind} N = {count}" for kind in (COLD, WARM) for count in CLAIMS]
    header += ["largest difference of P", "mean", "distinct P", "label mass", "text", "start, s"]
    lines = [
        "# Ways to read the labels",
        "",
        *run.lines(),
        f"- model: {model}; context of {CONTEXT_TOKENS} tokens; {repeats} repeats, medians",
        f"- vLLM plugins on the server's route: {', '.join(_plugins()) or 'none'}",
        "",
        markdown_table(header, [_row(row) for row in found]),
        "",
        "Times in milliseconds, all N prompts submitted together to vLLM, from an emptied cache; "
        "warm runs then read the context once before. Differences are of P(YES) from a float32 "
        f"Transformers pass over the same label tokens, on {found[0].prompts} prompts of mixed "
        "length, read one by one and cold. Distinct P: how many different values those prompts "
        "got. Pooling reads raw logits, so it has no label mass, and its engine writes no text.",
    ]
    return "\n".join(lines)


def _row(found: Found) -> list[str]:
    times_s = (*found.cold_medians_s, *found.warm_medians_s)
    return [
        found.text,
        *(f"{value * 1000:,.0f}" for value in times_s),
        f"{found.difference_max:.4f}",
        f"{found.difference_mean:.4f}",
        f"{found.distinct} of {found.prompts}",
        "yes" if found.has_label_mass else "no",
        "yes" if found.can_generate else "no",
        f"{found.start_s:.0f}",
    ]


if __name__ == "__main__":
    sys.exit(main())

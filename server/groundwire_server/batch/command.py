"""`groundwire run`: verifies a file of answers, and goes on where it was interrupted."""

import contextlib
import json
import logging
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from groundwire import (
    Client,
    ConfigurationError,
    GroundwireError,
    InvalidRequestError,
    NotEnabledError,
    UnauthenticatedError,
    VerifyOptions,
)
from groundwire_server.batch.output import Job, Output
from groundwire_server.batch.plan import Plan, make_plan
from groundwire_server.batch.row_files import RowFile, open_rows
from groundwire_server.batch.tally import Result, Tally
from groundwire_server.batch.verifying import (
    LostEngineError,
    LostServerError,
    RowVerifier,
    failure_in,
    versions_in,
)
from groundwire_server.batch.work import ActorJob, verified
from groundwire_server.client_connection import connect
from groundwire_server.config.extras import how_to_install
from groundwire_server.config.settings import ClientSettings, ServerSettings
from groundwire_server.config.sources import ConfigError
from groundwire_server.exit_codes import (
    EXIT_BELOW,
    EXIT_CONFIG,
    EXIT_ENGINE_FAILED,
    EXIT_OK,
    EXIT_UNAVAILABLE,
)

WAIT_FOR_SERVER_S = 120.0
"""Seconds for a server to load its model."""

MOST_FAILED_IN_A_ROW = 100
"""Rows that may fail one after the other before somebody has to look at why."""

MOST_LOSSES = 3
"""How often the engine may fail at a row, the last times with no other row under way."""


@dataclass(frozen=True, slots=True)
class RunArguments:
    """What `groundwire run` is called with."""

    input: Path
    out: Path
    options: VerifyOptions
    parallel: int
    """Rows under way at one time; with `ray`, of each of the two shards of an actor."""
    timeout_s: float
    """Of the call for one row."""
    as_json: bool
    server: ClientSettings | None
    """The server to ask; None: one in this process."""
    inside: ServerSettings
    """The settings of the one in this process, or in each actor."""
    ray: str | None
    """The Ray cluster whose machines do the work; None: this process does it."""


@dataclass(frozen=True, slots=True)
class Summary:
    """A job as it stands. Counts are of all results, those of earlier runs included.

    `seconds`, and what is told for a second, are of this run without the start of its model; None
    where it did nothing.
    """

    rows: int
    rejected: int
    left: int
    errors: dict[str, int]
    grounded_share: float | None
    verdicts: dict[str, int]
    prompt_tokens: int
    computed_tokens: int
    done_now: int
    seconds: float | None
    rows_per_s: float | None
    prompt_tokens_per_s: float | None


def run_batch(arguments: RunArguments) -> int:
    """Run the job, print its summary, and return the exit code. Raises ConfigError."""
    if not arguments.out.parent.is_dir():
        raise ConfigError(f"--out: there is no folder {arguments.out.parent}")
    if not arguments.input.is_file():
        raise ConfigError(f"there is no file {arguments.input}")
    if arguments.parallel < 1:
        raise ConfigError("--parallel: must be at least 1")
    try:
        return _run(arguments)
    except ConfigurationError as error:
        raise ConfigError(str(error)) from error
    except (GroundwireError, LostServerError) as error:
        wrong = isinstance(error, InvalidRequestError | UnauthenticatedError | NotEnabledError)
        lost = EXIT_ENGINE_FAILED if arguments.server is None else EXIT_UNAVAILABLE
        return _interrupted(arguments, str(error), EXIT_CONFIG if wrong else lost)
    except OSError as error:
        return _interrupted(arguments, f"{error.strerror or error}", EXIT_UNAVAILABLE)


def _interrupted(arguments: RunArguments, why: str, code: int) -> int:
    print(
        f"groundwire run: interrupted: {why}. What is done is in {arguments.out}; the same "
        "command goes on from there",
        file=sys.stderr,
    )
    return code


def _run(arguments: RunArguments) -> int:
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
    )
    with (
        Output(arguments.out) as output,
        open_rows(arguments.input, output.spool_path) as file,
        bar if console.is_terminal else nullcontext(),
    ):
        plan = _begin(arguments, file, output, bar)
        left = plan.without(output.done)
        rows = len(plan.numbers)
        speed = _Speed(output.tally)
        if len(left.numbers):
            task = bar.add_task("loading the model", total=rows, completed=output.tally.rows)

            def begun() -> None:
                speed.begin()
                bar.update(task, description="rows")

            with closing(_results(arguments, output, left, file, begun)) as results:
                for result in _while_it_works(results):
                    output.write(result)
                    bar.advance(task)
            speed.end()
        summary = speed.summary(output.tally, plan.rejected, rows)
    _print(console, arguments, output, summary)
    return EXIT_BELOW if summary.rejected or summary.errors else EXIT_OK


def _begin(arguments: RunArguments, file: RowFile, output: Output, bar: Progress) -> Plan:
    """Look at the rows, and take up the job."""
    reading = bar.add_task("reading rows", total=None)
    with tempfile.TemporaryFile(dir=arguments.out.parent) as rejected:
        plan = make_plan(file, rejected, lambda count: bar.update(reading, completed=count))
        bar.remove_task(reading)
        # As they come back from the file.
        options = json.loads(json.dumps(asdict(arguments.options)))
        output.begin(Job(plan.digest, options, {}))
        if plan.rejected:
            rejected.seek(0)
            output.write_rejected(lambda target: shutil.copyfileobj(rejected, target))
    return plan


def _results(
    arguments: RunArguments, output: Output, left: Plan, file: RowFile, begun: Callable[[], None]
) -> Generator[Result, None, None]:
    """The results of what is left; `begun` is called when a model is there."""
    if arguments.ray is None:
        with _client(arguments) as client:
            verifier = RowVerifier(client, arguments.options, arguments.timeout_s)
            output.made_with(verifier.versions)
            begun()
            yield from _verified_here(verifier, output, left, file, arguments.parallel)
        return
    from groundwire_server.in_process import alone

    job = ActorJob(
        alone(arguments.inside), arguments.options, arguments.parallel, arguments.timeout_s
    )
    for result in _on_ray(arguments.ray, left, file, job, begun):
        output.made_with(versions_in(result))
        yield result


def _while_it_works(results: Iterator[Result]) -> Iterator[Result]:
    """The results, until too many in a row have failed. Raises LostServerError then."""
    failed = 0
    for result in results:
        yield result
        failure = failure_in(result)
        failed = 0 if failure is None else failed + 1
        if failed == MOST_FAILED_IN_A_ROW:
            raise LostServerError(
                f"{failed} rows failed one after the other, the last with {failure}"
            )


def _verified_here(
    verifier: RowVerifier, output: Output, left: Plan, file: RowFile, parallel: int
) -> Iterator[Result]:
    """First the rows that may have failed an engine before, one by one; then all others."""
    suspects = output.suspects
    try:
        yield from verified(verifier, left.only(suspects).rows(file), 1)
        yield from verified(verifier, left.without(suspects).rows(file), parallel)
    except LostEngineError as error:
        losses = output.count_loss([row.number for row in error.rows])
        yield from (
            verifier.given_up(row) for row in error.rows if losses[row.number] >= MOST_LOSSES
        )
        raise


def _on_ray(
    address: str, left: Plan, file: RowFile, job: ActorJob, begun: Callable[[], None]
) -> Iterator[Result]:
    try:
        from groundwire_server.batch.on_ray import verified_on_ray
    except ImportError as error:
        raise ConfigError(
            f"--ray needs the extra ray ({error}): {how_to_install('ray')}"
        ) from error
    return verified_on_ray(address, left, file.path, job, begun)


@contextlib.contextmanager
def _client(arguments: RunArguments) -> Iterator[Client]:
    if arguments.server is not None:
        with connect(arguments.server) as client:
            client.wait_until_serving(WAIT_FOR_SERVER_S)
            yield client
        return
    # It takes seconds to import.
    from groundwire_server.in_process import alone, in_process

    logging.getLogger("vllm").setLevel(logging.ERROR)
    with in_process(alone(arguments.inside)) as client:
        yield client


class _Speed:
    """What this run has done, beside what was there before."""

    def __init__(self, tally: Tally) -> None:
        self._rows_before, self._tokens_before = tally.rows, tally.prompt_tokens
        self._began_s: float | None = None
        self._seconds: float | None = None

    def begin(self) -> None:
        self._began_s = time.perf_counter()

    def end(self) -> None:
        if self._began_s is not None:
            self._seconds = time.perf_counter() - self._began_s

    def summary(self, tally: Tally, rejected: int, rows: int) -> Summary:
        """Of all `rows` that are none of the rejected ones."""
        done, tokens = tally.rows - self._rows_before, tally.prompt_tokens - self._tokens_before
        seconds = self._seconds
        return Summary(
            rows=tally.rows,
            rejected=rejected,
            left=rows - tally.rows,
            errors=dict(tally.errors),
            grounded_share=tally.grounded_share,
            verdicts=dict(tally.verdicts),
            prompt_tokens=tally.prompt_tokens,
            computed_tokens=tally.computed_tokens,
            done_now=done,
            seconds=seconds,
            rows_per_s=done / seconds if seconds else None,
            prompt_tokens_per_s=tokens / seconds if seconds else None,
        )


def _print(console: Console, arguments: RunArguments, output: Output, summary: Summary) -> None:
    if arguments.as_json:
        print(json.dumps(asdict(summary), indent=2))
        return
    share = summary.grounded_share
    lines = [f"{summary.rows:,} rows" + ("" if share is None else f", {share:.1%} grounded")]
    lines += [
        _counted("claims", summary.verdicts),
        _counted("without a full report", summary.errors),
    ]
    if summary.rejected:
        lines.append(f"{summary.rejected:,} rejected, each with its reason: {output.rejected_path}")
    lines.append(
        f"{summary.prompt_tokens:,} tokens of prompts, {summary.computed_tokens:,} of them computed"
    )
    if summary.rows_per_s is not None and summary.prompt_tokens_per_s is not None:
        lines.append(
            f"{summary.done_now:,} rows now, {summary.rows_per_s:,.1f} rows and "
            f"{summary.prompt_tokens_per_s:,.0f} tokens of prompts a second"
        )
    for line in filter(None, lines):
        console.print(line, soft_wrap=True, markup=False, highlight=False)
    print(output.path)


def _counted(of: str, counts: dict[str, int]) -> str:
    """The counts on one line, the largest first; empty where there are none."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    told = ", ".join(f"{count:,} {name}" for name, count in ordered)
    return f"{of}: {told}" if told else ""

"""`groundwire train`: makes a verifier of an embedded one, or of another causal model.

The steps: learn, merge, measure, compare with the start, calibrate, check, and write the card.
"""

import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path

import torch
from rich.console import Console

from groundwire_server.cli.calibration.report import draw, plot_beside, print_report
from groundwire_server.config.sources import ConfigError
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_OK
from groundwire_server.models import calibrations
from groundwire_server.models.fitting import CalibrationReport, fit_report
from groundwire_server.models.store import EMBEDDED_MODELS, resolve
from groundwire_server.models.weights_id import weights_id
from groundwire_training import card as cards
from groundwire_training.base import prompts_of
from groundwire_training.data.mix import ROUNDS
from groundwire_training.data.rehearsal import (
    SOURCE,
    Rehearsal,
    read_rehearsal,
    rehearsal_passes,
)
from groundwire_training.data.rows import Row, by_context
from groundwire_training.data.user_rows import UserRows, read_user_rows
from groundwire_training.examples.recipe import INGREDIENTS
from groundwire_training.examples.trees import Tree, ask
from groundwire_training.gate import in_words, refusal
from groundwire_training.learning.learner import RANK
from groundwire_training.learning.packing import pack
from groundwire_training.learning.reading import LabelReader, load_model
from groundwire_training.learning.sameness import require_sameness
from groundwire_training.measuring import (
    Change,
    Measured,
    PartFigures,
    change,
    figures,
    measure,
)
from groundwire_training.memory import is_tight, keep_memory
from groundwire_training.merging import put_in_place, write_merged
from groundwire_training.options import Options, rows_sha256
from groundwire_training.run import Material, Plan, Progress, Run, packed_round
from groundwire_training.run_folder import ADAPTER, RunFolder
from groundwire_verifier.domain.estimates import LABEL_MASS_FLOOR
from groundwire_verifier.domain.prompts import PROMPT_VERSION, PromptEncoder
from groundwire_verifier.domain.types import LabelForm
from groundwire_verifier.numbers.calibration import CalibrationError

RUN, MERGED = "run", "merged"
MOST_BELOW_FLOOR = 0.02
"""The share of held-out rows whose label mass may be below the server's floor."""
CHECKED_CLAIMS = 2
HELD_OUT, DEV = "held-out rows", "dev rows"
REHEARSAL = 0.3
"""The share of the contexts that are of the shipped mix, where an embedded verifier goes on."""


@dataclass(frozen=True, slots=True)
class TrainArguments:
    """What to train, on what, and how. One of `passes`, `tokens` and `minutes` is the length.

    `checkpointing` None leaves it to the memory of the GPU.
    `rehearsal`, from 0 to below 1, is the share of the contexts that are of the shipped mix; None
    takes REHEARSAL for an embedded verifier, and else none.
    """

    base: str
    data: Path
    out: Path
    cache_dir: Path
    passes: float
    tokens: int | None
    minutes: float | None
    rank: int | None
    learning_rate: float
    seed: int
    max_tokens: int
    max_context_tokens: int
    frozen_layers: int
    exchanges: float
    rehearsal: float | None
    without: tuple[str, ...]
    checkpointing: bool | None
    compiled: bool


def train(arguments: TrainArguments) -> int:
    """Train, or go on, and write the model's folder. Returns the exit code.

    Raises ConfigError, ModelStoreError or UnusableModelError.
    """
    keep_memory()
    unknown = set(arguments.without) - set(INGREDIENTS)
    if unknown:
        raise ConfigError(f"--without: {min(unknown)} is none of {', '.join(INGREDIENTS)}")
    rows = _read_rows(arguments.data)
    base = _base_folder(arguments)
    goes_on = is_shipped(arguments.base)
    share = arguments.rehearsal if arguments.rehearsal is not None else REHEARSAL * goes_on
    rehearsal = read_rehearsal() if share or goes_on else None
    encoder, forms = prompts_of(str(base))
    material = _material(
        base, encoder, forms, rows.train, rehearsal=rehearsal if share else None, share=share
    )
    options = _options(arguments, base, material.rows, share)
    options.keep(arguments.out / RUN)
    if goes_on:
        _say(f"going on from the adapter that ships as {arguments.base}")
    run = _trained(arguments, material)
    if run is None:
        _say("ended before its length; the same command goes on")
        return EXIT_BELOW
    _say("merging")
    merged = arguments.out / RUN / MERGED
    write_merged(str(base), arguments.out / RUN / ADAPTER, merged)
    compared = _compared(arguments, base, merged, rows, rehearsal)
    why_not = refusal(compared.own, compared.shipped)
    if why_not:
        shutil.rmtree(merged)
        print(
            f"groundwire: REFUSED, no model is written: {why_not}. The adapter is in "
            f"{arguments.out / RUN / ADAPTER}. Give more rows, a lower --learning-rate, fewer "
            "--passes, or a higher --rehearsal.",
            file=sys.stderr,
        )
        return EXIT_BELOW
    for stale in (calibrations.FILE_NAME, cards.FILE_NAME):
        (arguments.out / stale).unlink(missing_ok=True)
    put_in_place(merged, arguments.out)
    return _finish(arguments, options, rows, run, compared)


def _read_rows(data: Path) -> UserRows:
    rows = read_user_rows(data)
    for name, part in (("learn from", rows.train), ("hold out", rows.held_out)):
        if len({row.supported for row in part}) != len((True, False)):
            raise ConfigError(
                f"--data: the rows to {name} ({len(part)}) need both labels; one context in twelve "
                "is held out, so give more contexts"
            )
    return rows


def is_shipped(base: str) -> bool:
    """Whether a base is an embedded verifier: its model has the adapter that ships merged in."""
    return base in EMBEDDED_MODELS and EMBEDDED_MODELS[base].adapter is not None


def start_of(base: str) -> str:
    """The model whose weights learn: int8 ones do not, but those that they are a copy of."""
    return EMBEDDED_MODELS[base].original.name if base in EMBEDDED_MODELS else base


def _material(
    base: Path,
    encoder: PromptEncoder,
    forms: Sequence[LabelForm],
    rows: Sequence[Row],
    *,
    rehearsal: Rehearsal | None,
    share: float,
) -> Material:
    """The user's rows and, for this share of the contexts, those of the shipped mix."""
    rehearsed = () if rehearsal is None else rehearsal.train
    passes = {SOURCE: rehearsal_passes(share, rows, rehearsed)} if rehearsed else {}
    return Material((*rows, *rehearsed), str(base), base.resolve().name, encoder, forms, passes)


@dataclass(frozen=True, slots=True)
class _Compared:
    """What the start and the merged model say to rows that were not learnt.

    `parts` are the merged model's. `shipped` is None where the shipped mix is not asked.
    """

    parts: Mapping[str, Measured]
    own: Change
    shipped: Change | None


def _compared(
    arguments: TrainArguments, base: Path, merged: Path, rows: UserRows, rehearsal: Rehearsal | None
) -> _Compared:
    parts = {HELD_OUT: rows.held_out, DEV: rows.dev, SOURCE: rehearsal.kept if rehearsal else ()}
    asked = {name: part for name, part in parts.items() if part}
    _say(f"reading {sum(map(len, asked.values()))} rows that were not learnt, before and after")
    before, after = (_measured(folder, asked, arguments) for folder in (base, merged))
    own = [name for name in (HELD_OUT, DEV) if name in asked]
    return _Compared(
        after,
        change([before[name] for name in own], [after[name] for name in own]),
        change([before[SOURCE]], [after[SOURCE]]) if rehearsal else None,
    )


def _base_folder(arguments: TrainArguments) -> Path:
    found = Path(resolve(start_of(arguments.base), arguments.cache_dir, _say)).expanduser()
    if not found.is_dir():
        raise ConfigError(
            f"--base: {arguments.base} is no folder. Download the model first, such as by "
            "`hf download ORG/NAME --local-dir FOLDER`"
        )
    if found.resolve() == arguments.out.resolve():
        raise ConfigError("--out: the folder of the base would be written over; name another")
    return found


def _options(
    arguments: TrainArguments, base: Path, rows: Sequence[Row], rehearsal: float
) -> Options:
    return Options(
        base=weights_id(str(base), None),
        data=rows_sha256(rows),
        seed=arguments.seed,
        rank=arguments.rank or RANK,
        learning_rate=arguments.learning_rate,
        max_tokens=arguments.max_tokens,
        max_context_tokens=arguments.max_context_tokens,
        frozen_layers=arguments.frozen_layers,
        exchanges=arguments.exchanges,
        rehearsal=rehearsal,
        without=tuple(sorted(arguments.without)),
    )


@dataclass(frozen=True, slots=True)
class _Trained:
    """The figures of a finished run; the model itself is no longer in memory."""

    progress: Progress
    targets: tuple[str, ...]


def _trained(arguments: TrainArguments, material: Material) -> _Trained | None:
    """Train to the end; None if the process was asked to end before."""
    plan = _plan(arguments, material)
    made_by = f"groundwire-server {metadata.version('groundwire-server')}"
    run = Run(plan, RunFolder(arguments.out / RUN, made_by), material, _say)
    tree = _longest(material.rows, material.encoder, plan.max_context_tokens)
    apart = require_sameness(run.learner.reader, material.encoder, tree, plan.max_context_tokens)
    _say(f"packed questions are read as prompts of their own (logits {apart:.2%} apart)")
    _say(f"{len(material.rows)} rows; {plan.tokens or 'so many'} tokens to learn from")
    if not run.train():
        return None
    return _Trained(run.progress, run.learner.targets)


def _plan(arguments: TrainArguments, material: Material) -> Plan:
    weights_bytes = sum(p.stat().st_size for p in Path(material.base).glob("*.safetensors"))
    checkpointing = arguments.checkpointing
    if checkpointing is None and torch.cuda.is_available():
        memory_bytes = torch.cuda.get_device_properties(0).total_memory
        checkpointing = is_tight(weights_bytes, memory_bytes)
    plan = Plan(
        minutes=arguments.minutes or 0.0,
        tokens=arguments.tokens,
        max_tokens=arguments.max_tokens,
        learning_rate=arguments.learning_rate,
        seed=arguments.seed,
        without=arguments.without,
        rank=arguments.rank,
        compiled=arguments.compiled,
        exchanges=arguments.exchanges,
        frozen_layers=arguments.frozen_layers,
        checkpointing=checkpointing or False,
        max_context_tokens=arguments.max_context_tokens,
    )
    if plan.tokens is not None or arguments.minutes is not None:
        return plan
    once = sum(
        len(packed.token_ids)
        for number in range(ROUNDS)
        for packed in packed_round(plan, material, number)
    )
    if not once:
        raise ConfigError(
            "--data: no context is short enough to learn from; see --max-context-tokens"
        )
    return replace(plan, tokens=max(1, round(arguments.passes * once)))


def _longest(rows: Sequence[Row], encoder: PromptEncoder, max_context_tokens: int) -> Tree:
    """A tree on the longest context that can be learnt from."""
    groups = sorted(by_context(rows), key=lambda group: len(group[0].context), reverse=True)
    for group in groups:
        leaves = tuple(ask(row.claim, row.supported, "gold") for row in group[:CHECKED_CLAIMS])
        tree = Tree(group[0].context, leaves, group[0].source)
        if pack(tree, encoder, max_context_tokens) is not None:
            return tree
    raise ConfigError("--data: no context is short enough to learn from; see --max-context-tokens")


def _finish(
    arguments: TrainArguments,
    options: Options,
    rows: UserRows,
    run: _Trained,
    compared: _Compared,
) -> int:
    """Calibrate the merged model, check its labels, and write the card."""
    out, floor = arguments.out, LABEL_MASS_FLOOR
    encoder, forms = prompts_of(str(out))
    held_out = compared.parts[HELD_OUT]
    report, why_not = _fitted(held_out, rows.held_out)
    told = report.calibrated if report is not None else None
    parts = {HELD_OUT: figures(held_out, told, floor)}
    curve = report.calibration.curve if report is not None else None
    for name in [name for name in (DEV, SOURCE) if name in compared.parts]:
        part = compared.parts[name]
        parts[name] = figures(
            part, None if curve is None else curve.apply(part.readings.rows.raw), floor
        )
    if report is not None:
        _write_calibration(report, out, encoder)
    label_check, passed = _label_check(parts[HELD_OUT], floor)
    text = cards.card_text(
        cards.Card(
            name=out.resolve().name,
            base=Path(arguments.base).resolve().name,
            options=options,
            rows=rows,
            progress=run.progress,
            targets=run.targets,
            forms=forms,
            parts=parts,
            against_start={
                name: in_words(found)
                for name, found in (("your rows", compared.own), (SOURCE, compared.shipped))
                if found is not None
            },
            label_check=label_check,
            calibration=_calibration_in_words(report, why_not),
        )
    )
    (out / cards.FILE_NAME).write_text(text, encoding="utf-8")
    print(label_check)
    if report is None:
        print(f"groundwire: no calibration: {why_not}", file=sys.stderr)
    print(f"Model card: {out / cards.FILE_NAME}\nTo serve it: groundwire serve --model {out}")
    return EXIT_OK if passed and report is not None else EXIT_BELOW


def _measured(
    folder: Path, parts: Mapping[str, Sequence[Row]], arguments: TrainArguments
) -> dict[str, Measured]:
    """What the model in a folder says to each part of the rows."""
    encoder, forms = prompts_of(str(folder))
    reader = LabelReader(load_model(str(folder)).eval(), forms)
    try:
        return {
            name: measure(reader, encoder, part, arguments.max_context_tokens)
            for name, part in parts.items()
        }
    except ValueError as error:
        raise ConfigError(f"--data: {error}; see --max-context-tokens") from error


def _fitted(held_out: Measured, rows: tuple[Row, ...]) -> tuple[CalibrationReport | None, str]:
    """The calibration, or why there is none."""
    supported = sum(row.supported for row in rows)
    contexts = len({row.context for row in rows})
    data = f"{supported} supported, {len(rows) - supported} not, on {contexts} held-out contexts"
    try:
        return fit_report(held_out.readings, data, {}), ""
    except CalibrationError as error:
        return None, str(error)


def _write_calibration(report: CalibrationReport, out: Path, encoder: PromptEncoder) -> None:
    """Beside the weights, for which the server finds it there."""
    identity = encoder.identity(weights_id(str(out), None))
    file = calibrations.CalibrationFile.of(
        report.calibration, identity, out.resolve().name, PROMPT_VERSION
    )
    path = out / calibrations.FILE_NAME
    calibrations.write(file, path)
    draw(report, plot_beside(path))
    print_report(report, path, Console(highlight=False))


def _label_check(found: PartFigures, floor: float) -> tuple[str, bool]:
    below = 1.0 - found.above_floor
    passed = below <= MOST_BELOW_FLOOR
    said = "passed" if passed else "FAILED"
    text = (
        f"Label check {said}: {found.label_mass:.3f} of the probability is on YES and NO in the "
        f"mean, and {below:.1%} of the held-out rows are below the server's floor of {floor:g}, "
        "which means not verified."
    )
    return (text if passed else f"{text} Train longer, or with another base."), passed


def _calibration_in_words(report: CalibrationReport | None, why_not: str) -> str:
    if report is None:
        return f"None: {why_not}."
    return (
        f"`{calibrations.FILE_NAME}`, fitted on {report.calibration.data}; a server that is "
        "started with this folder uses it. `calibration.svg` draws it."
    )


def _say(text: str) -> None:
    """Tell the one who waits."""
    print(f"groundwire: {text}", file=sys.stderr, flush=True)

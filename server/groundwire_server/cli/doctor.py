"""`groundwire doctor`: loads the model as the server would and says what is wrong with it.

The probes are a few plain facts with a true and a false claim each: enough to see that a model does
not answer, far too few to rank models.
"""

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

import numpy as np
from rich.console import Console
from rich.table import Table

from groundwire_server.backends import create_backend
from groundwire_server.cli import flags
from groundwire_server.config.service_settings import LOCAL
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError, expanded
from groundwire_server.exit_codes import EXIT_BELOW, EXIT_OK
from groundwire_server.models.profiles.choice import direction
from groundwire_server.models.store import resolve
from groundwire_verifier.domain.estimates import LABEL_MASS_FLOOR
from groundwire_verifier.domain.labels import probability_and_mass
from groundwire_verifier.domain.types import Profile, Question
from groundwire_verifier.domain.urgency import WHENEVER
from groundwire_verifier.engine.local import LocalBackend
from groundwire_verifier.estimation import Estimator
from groundwire_verifier.numbers.calibration import Calibration
from groundwire_verifier.numbers.metrics import auroc

LOW_MASS = 0.9
MIN_AUROC = 0.8
MAX_TURNED_AUROC = 0.2
MAX_REFERENCE_NATS = 0.25
SPEED_CLAIMS = 10
SPEED_REPEATS = 3

PROBES = (
    ("The museum opened in 1994 and has two floors.", "opened in 1994", "opened in 1949"),
    ("Ada met Boris in Lisbon before she moved to Oslo.", "met in Lisbon", "met in Oslo"),
    ("The pump stops when the tank holds 40 litres.", "stops at 40 litres", "stops at 90 litres"),
    ("Rain fell on three of the seven days.", "It rained on three days", "It rained every day"),
    ("The library does not support Windows.", "Windows is unsupported", "Windows is supported"),
    ("Maria, a chemist, married the painter Jon.", "Maria is a chemist", "Jon is a chemist"),
    ("Exports fell by 12 percent while imports rose.", "Exports fell", "Imports fell"),
    ("The bridge is 300 metres long and was built by Rossi.", "Rossi built it", "Verdi built it"),
)
"""Context, a claim that it supports, and one that it speaks against."""


@dataclass(frozen=True, slots=True)
class Report:
    """What the doctor found. `findings` is empty when nothing is wrong."""

    model: str
    dtype: str
    window_tokens: int
    profile: str
    label_forms: tuple[str, ...]
    calibration: str
    label_mass_mean: float
    label_mass_min: float
    probe_auroc: float
    reference_max_nats: float
    load_s: float
    cold_batch_s: float
    warm_batch_s: float
    findings: tuple[str, ...]


def add(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    flags.add_server_settings(parser)
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(arguments: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Examine the model that a server with these settings would load."""
    return asyncio.run(examine(flags.server(arguments, environment), as_json=arguments.json))


async def examine(settings: ServerSettings, *, as_json: bool) -> int:
    """Load, measure, print. Returns 0 when nothing is wrong and 1 otherwise.

    Raises ModelStoreError, UnusableModelError or BackendFailedError if the model does not load.
    """
    console = Console(stderr=True, highlight=False)
    if not settings.has_local_model:
        raise ConfigError(
            f"backend_type ({settings.backend_type}) has no model on this machine to examine"
        )
    backend = create_backend(settings, console.print)
    began = time.monotonic()
    try:
        await backend.start()
        report = await _measure(backend, settings, time.monotonic() - began, console)
    finally:
        await backend.stop()
    if as_json:
        print(json.dumps(asdict(report), ensure_ascii=False, indent=2))
    else:
        _print(report)
    return EXIT_BELOW if report.findings else EXIT_OK


async def _measure(
    backend: LocalBackend, settings: ServerSettings, load_s: float, console: Console
) -> Report:
    questions = [Question(claim + ".", context) for context, *claims in PROBES for claim in claims]
    console.print("reading the probes")
    prompts = await backend.encode(questions)
    read = (await backend.read(prompts, {}, WHENEVER)).readings
    nats = np.array([(r.yes_nats, r.no_nats) for r in read])
    _, masses = probability_and_mass(nats)
    log_odds = nats[:, 0] - nats[:, 1]
    console.print("reading them again with Transformers in float32")
    from groundwire_verifier.engine.reference import ReferenceModel

    model = resolve(settings.model, expanded(settings.cache_dir, "cache_dir"), console.print)
    reference = await asyncio.to_thread(ReferenceModel, model, settings.revision)
    expected = await asyncio.to_thread(reference.label_nats, prompts, backend.info.label_forms)
    console.print("measuring speed")
    cold_s, warm_s = await _speed(backend, settings)
    return _with_findings(
        Report(
            model=backend.model,
            dtype=backend.info.dtype,
            window_tokens=backend.info.window_tokens,
            profile=_profile_in_words(backend.info.profile),
            label_forms=tuple(f.text for f in backend.info.label_forms),
            calibration=_in_words(backend.info.calibration),
            label_mass_mean=float(masses.mean()),
            label_mass_min=float(masses.min()),
            probe_auroc=float(auroc(log_odds, np.arange(len(log_odds)) % 2 == 0)),
            reference_max_nats=float(np.abs(nats - expected[:, :2]).max()),
            load_s=load_s,
            cold_batch_s=cold_s,
            warm_batch_s=warm_s,
            findings=(),
        ),
        LABEL_MASS_FLOOR,
    )


def _profile_in_words(profile: Profile) -> str:
    return f"{profile.name}, prompt {profile.prompt_version}: {direction(profile)}"


def _in_words(calibration: Calibration | None) -> str:
    if calibration is None:
        return "uncalibrated: probabilities are as the model gives them"
    return f"{type(calibration.curve).__name__}, fitted on {calibration.data}"


async def _speed(backend: LocalBackend, settings: ServerSettings) -> tuple[float, float]:
    """Median seconds for a batch of ten claims on a context of some 300 tokens, cold and warm."""
    estimator = Estimator({LOCAL: backend}, settings.limits, label_mass_floor=0.0)
    context = " ".join(f"{text} ({i})" for i in range(3) for text, *_ in PROBES)
    claims = [f"{PROBES[i % len(PROBES)][1]} in case {i}." for i in range(SPEED_CLAIMS)]
    cold: list[float] = []
    warm: list[float] = []
    for i in range(SPEED_REPEATS):
        await backend.clear_cache()
        for times in (cold, warm):
            began = time.monotonic()
            await estimator.read(await estimator.plan(claims, f"Case {i}. {context}"), {}, WHENEVER)
            times.append(time.monotonic() - began)
    return statistics.median(cold), statistics.median(warm)


def _with_findings(report: Report, floor: float) -> Report:
    found = []
    if report.label_mass_mean < LOW_MASS:
        found.append(
            f"Only {report.label_mass_mean:.0%} of the probability falls on YES and NO (the least "
            f"was {report.label_mass_min:.0%}): the model was not tuned to answer this question. "
            f"Below {floor:.0%} an estimate has no probability."
        )
    if report.probe_auroc < MIN_AUROC:
        found.append(
            f"True claims score above false ones in only {report.probe_auroc:.0%} of the pairs "
            "(50% is chance): do not build verdicts on this model."
        )
    if report.probe_auroc <= MAX_TURNED_AUROC:
        found.append(
            "True claims score below false ones: yes and no look swapped. Check `inverted` in the "
            f"profile ({report.profile})."
        )
    if report.reference_max_nats > MAX_REFERENCE_NATS:
        found.append(
            f"vLLM's log-probabilities differ from Transformers' in float32 by up to "
            f"{report.reference_max_nats:.2f} nats (at most {MAX_REFERENCE_NATS} is expected): "
            "try dtype float32, and check the quantisation."
        )
    return replace(report, findings=tuple(found))


def _print(report: Report) -> None:
    console = Console(highlight=False)
    table = Table("what", "measured", show_header=False)
    forms = " ".join(repr(text) for text in report.label_forms)
    for name, value in (
        ("model", f"{report.model}, {report.dtype}, window {report.window_tokens} tokens"),
        ("profile", report.profile),
        ("label forms", forms),
        ("calibration", report.calibration),
        ("label mass", f"mean {report.label_mass_mean:.3f}, least {report.label_mass_min:.3f}"),
        ("true above false", f"{report.probe_auroc:.2f} of pairs (0.5 is chance)"),
        ("against float32", f"at most {report.reference_max_nats:.3f} nats apart"),
        ("load", f"{report.load_s:.1f} s"),
        ("10 claims, cold", f"{report.cold_batch_s * 1000:.0f} ms"),
        ("10 claims, warm", f"{report.warm_batch_s * 1000:.0f} ms"),
    ):
        table.add_row(name, value)
    console.print(table)
    for finding in report.findings:
        console.print(f"! {finding}")
    if not report.findings:
        console.print("Nothing is wrong.")

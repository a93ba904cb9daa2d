"""From settings to a backend."""

import functools
import logging
import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from groundwire_server.config.environment import has_cpu_build, prepare_engine_environment
from groundwire_server.config.extras import how_to_install
from groundwire_server.config.service_settings import (
    CALIBRATION_AUTO,
    CALIBRATION_OFF,
    LOCAL,
    PROFILE_AUTO,
)
from groundwire_server.config.settings import EVERY, ServerSettings
from groundwire_server.config.sources import ConfigError, expanded
from groundwire_server.models.calibrations import find, read_named
from groundwire_server.models.kv_memory import GIB, cpu_kv_memory_gib
from groundwire_server.models.model_card import card_languages, is_no_verifier
from groundwire_server.models.profiles.choice import chosen_profile
from groundwire_server.models.store import (
    DEFAULT_MODEL,
    EMBEDDED_MODELS,
    SMALL_MODEL,
    is_hub_name,
    resolve,
)
from groundwire_server.models.weights_id import weights_id
from groundwire_verifier.domain.errors import BackendFailedError
from groundwire_verifier.domain.types import Profile
from groundwire_verifier.engine.base import Backend
from groundwire_verifier.engine.local import LocalBackend
from groundwire_verifier.engine.queue.engine import Engine
from groundwire_verifier.engine.vllm.in_engine.cores import memory_limit_bytes
from groundwire_verifier.engine.vllm.process import EngineOrigin, no_collection
from groundwire_verifier.numbers.calibration import Calibration

log = logging.getLogger("groundwire.server")

HANG_TIMEOUT_S = 15.0
"""Silence after which the engine counts as hung; more if four of its longest steps take longer."""

_COMMIT = re.compile("[0-9a-f]{40}")


def create_backends(
    settings: ServerSettings, progress: Callable[[str], None]
) -> dict[str, Backend]:
    """The backends of the settings by name, the default first; none is started.

    `progress` is told in words what takes time. Raises ConfigError.
    """
    found: dict[str, Backend] = {}
    types = (LOCAL, EVERY, *(entry.name for entry in settings.backends))
    if settings.backend_type not in types:
        raise ConfigError(
            f"backend_type: there is no {settings.backend_type!r} in backends; add it there, or "
            f"use one of: {', '.join(types)}"
        )
    if settings.has_local_model:
        found[LOCAL] = create_backend(settings, progress)
    elif settings.profile != PROFILE_AUTO:
        raise ConfigError(
            f"profile ({settings.profile}) is of the model on this machine, and backend_type "
            f"({settings.backend_type}) has none: remove profile"
        )
    if settings.backends and settings.backend_type != LOCAL:
        try:
            from groundwire_server.endpoints.registry import endpoint_backends
        except ImportError as error:
            raise ConfigError(
                f"backends on endpoints need an HTTP client ({error}): "
                f"{how_to_install('endpoints')}"
            ) from error
        of_endpoints = endpoint_backends(settings, functools.partial(_endpoint_curve, settings))
        if LOCAL in of_endpoints and LOCAL in found:
            raise ConfigError(
                f"one of backends has the name of the model on this machine ({LOCAL}): choose "
                "another"
            )
        found |= of_endpoints
    default = settings.backend_default or next(iter(found))
    chosen = {
        "backend_default": default,
        "memory_gate_backend": settings.memory_gate_backend,
        "trace_auditing_backend": settings.trace_auditing_backend,
        "response_assessment_backend": settings.response_assessment_backend,
        "output_verification_backend": settings.output_verification_backend,
        "claim_extractor_backend": settings.claim_extractor_backend,
    }
    for setting, name in chosen.items():
        if name is not None and name not in found:
            raise ConfigError(
                f"{setting}: there is no backend {name!r}; use one of: {', '.join(found)}"
            )
    return {default: found[default], **found}


def _endpoint_curve(settings: ServerSettings, identity: str) -> Calibration | None:
    """A calibration in a file that is named is that of the local model."""
    wanted = CALIBRATION_OFF if settings.calibration == CALIBRATION_OFF else CALIBRATION_AUTO
    return find(identity, wanted, settings.cache_dir)


def create_backend(settings: ServerSettings, progress: Callable[[str], None]) -> LocalBackend:
    """The local backend of the settings, not yet started; its model is prepared when it starts.

    `progress` is told in words what takes time. Raises ConfigError.
    """
    _check_revision(settings)
    # For which model it is, is known once that is loaded; whether it can be read is known now.
    read_named(settings.calibration)

    profile = _profile(settings)
    loader = _Loader(settings, progress)

    def calibration(identity: str) -> Calibration | None:
        folder = Path(settings.model)
        found = find(
            identity,
            settings.calibration,
            settings.cache_dir,
            folder if folder.is_dir() else None,
        )
        if found is not None:
            progress(f"calibrated on {found.rows} claims")
        return found

    return LocalBackend(
        public_name(settings.model),
        loader.load,
        HANG_TIMEOUT_S,
        lambda: _weights_id(settings),
        calibration,
        give_up=loader.give_up,
        profile=profile,
        languages=card_languages(settings.model),
        writes=profile.is_in_own_words and is_no_verifier(settings.model),
    )


def _profile(settings: ServerSettings) -> Profile:
    """The profile of the local model, which has to do all that it is set up for."""
    profile = chosen_profile(settings.profile, public_name(settings.model))
    if settings.has_local_extractor and not profile.is_in_own_words:
        raise ConfigError(
            f"claim_extractor_backend: the model on this machine only answers the question of its "
            f"profile ({profile.name}) and splits no texts: name another backend, or set "
            "claim_extractor to rules"
        )
    return profile


def _check_revision(settings: ServerSettings) -> None:
    """Refuse a revision of what has none, and warn of a hub model that can change by itself."""
    model, revision = settings.model, settings.revision
    if not is_hub_name(model):
        if revision is not None:
            raise ConfigError(
                f"revision ({revision}) is of a hub model, and model ({model}) is none: remove"
                " revision, or name a hub model such as org/name"
            )
    elif _COMMIT.fullmatch(revision or "") is None:
        log.warning(
            "the weights of %s can change between two starts: pin revision to the full hash of a"
            " commit; now it is %s",
            model,
            revision or "unset, which means the moving main branch",
        )


class _Loader:
    """Loads the engine of the settings, once."""

    def __init__(self, settings: ServerSettings, progress: Callable[[str], None]) -> None:
        self._settings = settings
        self._progress = progress
        self._origin: EngineOrigin | None = None
        self._is_given_up = False

    def give_up(self) -> None:
        """Nobody wants the engine any more: end its process, which fails the load."""
        self._is_given_up = True
        if self._origin is not None:
            self._origin.end()

    def load(self) -> Engine:
        """Prepare the model, import vLLM and start it. Blocks; see `VllmEngine` for the errors."""
        # Before half a gigabyte is downloaded for nothing.
        if find_spec("vllm") is None:
            raise _no_engine("No module named 'vllm'")
        prepare_engine_environment(self._settings.cpu_threads)
        if has_cpu_build():
            self._origin = EngineOrigin()
        try:
            return self._load()
        except BaseException:
            if self._origin is not None:
                self._origin.end()
            raise

    def _load(self) -> Engine:
        settings = self._settings
        self._go_on()
        model = resolve(settings.model, expanded(settings.cache_dir, "cache_dir"), self._progress)
        self._go_on()
        try:
            with no_collection():
                from groundwire_verifier.engine.vllm.engine import EngineConfig, VllmEngine
        except ImportError as error:
            raise _no_engine(str(error)) from error

        self._go_on()
        kv_memory_gib = settings.kv_memory_gib
        if has_cpu_build():
            kv_memory_gib = kv_memory_gib or cpu_kv_memory_gib(model, settings.window_tokens)
            warn_of_memory(Path(model), kv_memory_gib)
            say_which_default(settings.model)
        self._progress("starting vLLM")
        config = EngineConfig(
            model=model,
            revision=settings.revision,
            dtype=settings.dtype,
            window_tokens=settings.window_tokens,
            batch_tokens=settings.batch_tokens,
            kv_memory_gib=kv_memory_gib,
            gpu_memory_share=settings.gpu_memory_share,
            tensor_parallel_size=settings.tensor_parallel_size,
            quantization=settings.quantization,
            load_format=settings.load_format,
            otlp_endpoint=settings.otlp_endpoint,
            # For nothing else: a tokeniser of vLLM's own takes time to load.
            forms=settings.has_local_extractor,
        )
        return VllmEngine(config, self._origin)

    def _go_on(self) -> None:
        if self._is_given_up:
            raise BackendFailedError("the load was given up")


def _no_engine(cause: str) -> BackendFailedError:
    return BackendFailedError(
        f"vLLM is not installed ({cause}): {how_to_install('cpu')}, or the extra gpu, see "
        "docs/deployment.md"
    )


def warn_of_memory(model: Path, kv_gib: float) -> None:
    """Log where a container's limit cannot bear the model and its cache: the kernel kills without a
    word."""
    limit_bytes = memory_limit_bytes()
    weights_gib = sum(file.stat().st_size for file in model.glob("*.safetensors")) / GIB
    if limit_bytes is not None and weights_gib + kv_gib > limit_bytes / GIB:
        log.warning(
            "the model takes %.1f GiB and its prefix cache %.1f, and this container may have %.1f "
            "GiB of memory: lower kv_memory_gib, or raise the limit",
            weights_gib,
            kv_gib,
            limit_bytes / GIB,
        )


def say_which_default(model: str) -> None:
    """Log it where the default is not the model that is right most often."""
    if model == DEFAULT_MODEL and EMBEDDED_MODELS[model].name == SMALL_MODEL:
        log.warning(
            "serving small, as this CPU has no AVX-512 VNNI: --model base is right more often, and "
            "takes seconds a claim here"
        )


def _weights_id(settings: ServerSettings) -> str:
    found = weights_id(settings.model, settings.quantization, settings.revision)
    # Random weights are those of no model, so that nothing fitted for one is used with them.
    return found if settings.load_format == "auto" else f"{found}:{settings.load_format}"


def public_name(model: str) -> str:
    """What clients see of a model: no path of this machine."""
    if model in EMBEDDED_MODELS:
        return EMBEDDED_MODELS[model].name
    path = Path(model).expanduser()
    return path.resolve().name if path.exists() else model

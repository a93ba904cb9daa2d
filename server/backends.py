"""From settings to a backend. Knows which settings the engine takes; imports it late."""

from collections.abc import Callable
from pathlib import Path

from server.calibrations import find
from server.environment import has_cpu_build, prepare_engine_environment
from server.model_store import EMBEDDED_MODELS, resolve
from server.settings import ServerSettings
from server.weights_id import weights_id
from verifier.backends import vllm_process
from verifier.backends.engine import Engine
from verifier.backends.local import LocalBackend
from verifier.calibration import Calibration
from verifier.errors import BackendFailedError


def create_backend(settings: ServerSettings, progress: Callable[[str], None]) -> LocalBackend:
    """The local backend of the settings, not yet started; its model is prepared when it starts.

    `progress` is told in words what takes time.
    """

    def load() -> Engine:
        prepare_engine_environment(settings.cpu_threads, settings.eager)
        if has_cpu_build():
            vllm_process.begin()
        model = resolve(settings.model, settings.cache_dir.expanduser(), progress)
        try:
            with vllm_process.no_collection():
                from verifier.backends.vllm_engine import EngineConfig, VllmEngine
        except ImportError as error:
            raise BackendFailedError(
                f"vLLM is not installed ({error}); install groundwire with the cpu or gpu extra"
            ) from error

        progress("starting vLLM")
        return VllmEngine(
            EngineConfig(
                model=model,
                dtype=settings.dtype,
                head_dtype=settings.head_dtype,
                window_tokens=settings.window_tokens,
                batch_tokens=settings.batch_tokens,
                batch_reads=settings.batch_reads,
                block_tokens=settings.kv_block_tokens,
                kv_memory_gib=settings.kv_memory_gib,
                gpu_memory_share=settings.gpu_memory_share,
                tensor_parallel_size=settings.tensor_parallel_size,
                quantization=settings.quantization,
                load_format=settings.load_format,
                eager=settings.eager,
                otlp_endpoint=settings.otlp_endpoint,
            )
        )

    def calibration(identity: str) -> Calibration | None:
        found = find(identity, settings.calibration, settings.cache_dir)
        progress("no calibration fits" if found is None else f"calibrated on {found.rows} claims")
        return found

    return LocalBackend(
        public_name(settings.model),
        load,
        settings.hang_timeout_s,
        lambda: _weights_id(settings),
        calibration,
    )


def _weights_id(settings: ServerSettings) -> str:
    found = weights_id(settings.model, settings.quantization)
    # Random weights are those of no model, so that nothing fitted for one is used with them.
    return found if settings.load_format == "auto" else f"{found}:{settings.load_format}"


def public_name(model: str) -> str:
    """What clients see of a model: no path of this machine."""
    if model in EMBEDDED_MODELS:
        return model
    path = Path(model).expanduser()
    return path.resolve().name if path.exists() else model

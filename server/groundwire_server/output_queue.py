"""From settings to output verification: its rules, and its queue where it is switched on.

DBOS is imported only where it is needed.
"""

from groundwire_server.config.extras import how_to_install
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError, read_secret
from groundwire_server.durable_queue.pieces import Bounds
from groundwire_server.rpc.services.outputs.output_verification import Background, OutputConfig
from groundwire_server.rpc.services.outputs.output_work import OutputRules, OutputWork
from groundwire_server.rpc.services.parts import Parts
from groundwire_server.rpc.telemetry import Telemetry

DEFAULT_STORE = "~/.local/share/groundwire/outputs.sqlite"


def output_rules(settings: ServerSettings) -> OutputRules:
    """How outputs are verified."""
    return OutputRules(
        settings.output_verification_flag_threshold_bits,
        settings.output_verification_yield_claims,
        settings.hallucination_timeout.total_seconds(),
        settings.output_verification_retention.total_seconds(),
    )


def output_config(settings: ServerSettings) -> OutputConfig:
    """Which outputs are taken."""
    return OutputConfig(
        settings.off_switch("output_verification"),
        settings.output_verification_backend or "",
        settings.output_verification_max_queued,
        settings.output_verification_max_queued_bytes,
    )


async def start_queue(
    settings: ServerSettings, parts: Parts, telemetry: Telemetry
) -> Background | None:
    """The queue of the settings, which goes on with what it has; None where it is switched off.

    `parts` are those of the background.

    Raises ConfigError.
    """
    if settings.off_switch("output_verification") is not None:
        return None
    try:
        import jsonschema  # noqa: F401 - found missing now, and not by the first schema

        from groundwire_server.durable_queue.queue import DurableQueue
        from groundwire_server.durable_queue.store import open_store
    except ImportError as error:
        raise ConfigError(
            f"output_verification_enabled needs packages that are not installed ({error}): "
            f"{how_to_install('queue')}"
        ) from error
    address = read_secret(
        "output_verification_store",
        settings.output_verification_store,
        settings.output_verification_store_file,
    )
    store = open_store(
        DEFAULT_STORE if address is None else address[1],
        allow_plaintext=settings.allow_plaintext,
    )
    bounds = Bounds(
        settings.output_verification_retention.total_seconds(),
        settings.output_verification_max_results,
        settings.output_verification_parallel,
    )
    work = OutputWork(parts, output_rules(settings))
    queue = DurableQueue(store, work.run, bounds, parts.verifier.backends)
    await queue.start()
    telemetry.observe_queue(lambda: queue.pieces, lambda: queue.bytes)
    return Background(queue, work)

"""The queue of output verification, where that is switched on.

DBOS is imported only where it is needed.
"""

from groundwire_server.config.extras import how_to_install
from groundwire_server.config.sources import ConfigError, read_secret
from groundwire_server.durable_queue.queued_work import Bounds
from groundwire_server.features.detection.parts import Parts
from groundwire_server.features.outputs.output_verification import Background
from groundwire_server.features.outputs.output_work import OutputRules, OutputWork

MAX_RESULTS = 10_000
"""Most results that are kept; the oldest go first."""
DEFAULT_STORE = "~/.local/share/groundwire/outputs.sqlite"


async def start_queue(parts: Parts) -> Background:
    """The queue of the settings, which goes on with what it has.

    `parts` are those of the background. Raises ConfigError.
    """
    settings = parts.settings
    try:
        import jsonschema  # noqa: F401 - found missing now, and not by the first schema

        from groundwire_server.durable_queue.queue import DurableQueue
        from groundwire_server.durable_queue.store import open_store
    except ImportError as error:
        raise ConfigError(
            f"output_verification_enabled needs packages that are not installed ({error}): "
            f"{how_to_install('queue')}"
        ) from error
    address = read_secret("output_verification_store", settings.output_verification_store)
    store = open_store(
        DEFAULT_STORE if address is None else address,
        allow_plaintext=settings.allow_plaintext,
    )
    bounds = Bounds(
        settings.output_verification_retention.total_seconds(),
        MAX_RESULTS,
    )
    rules = OutputRules(
        settings.output_verification_flag_threshold_bits,
        parts.timeout_s,
        settings.output_verification_retention.total_seconds(),
    )
    work = OutputWork(parts, rules)
    queue = DurableQueue(store, work.run, bounds, parts.verifier.backends)
    await queue.start()
    parts.calls.telemetry.observe_queue(lambda: queue.pieces, lambda: queue.bytes)
    return Background(queue, work)

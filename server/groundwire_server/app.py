"""The server's life: start, serve, drain, end."""

import asyncio
import contextlib
import logging
import resource
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grpc import aio

from groundwire_server.access.certificates import Certificates
from groundwire_server.access.logins import Logins
from groundwire_server.access.rotation import Rotation
from groundwire_server.config.addresses import (
    HANDSHAKE_TIMEOUT_S,
    KEEP_ALIVE_S,
    host_and_port,
    max_connections,
)
from groundwire_server.config.credentials import check_bare, check_metrics_address, exposures
from groundwire_server.config.extras import how_to_install
from groundwire_server.config.settings import ServerSettings
from groundwire_server.config.sources import ConfigError
from groundwire_server.corpus.corpora import make_corpora
from groundwire_server.doors.entrance import Entrance
from groundwire_server.exit_codes import EXIT_ENGINE_FAILED, EXIT_OK
from groundwire_server.features.declarations import (
    SERVICES,
    Resources,
    add_services,
    make_parts,
    message_limits,
)
from groundwire_server.features.outputs.output_verification import Background
from groundwire_server.records.log_output import written_counts
from groundwire_server.records.records import Records, make_records
from groundwire_server.rpc.access_metrics import (
    observe_logins,
    observe_rotation,
    observe_tenants,
)
from groundwire_server.rpc.accounts import Accounts, TenantAdmission
from groundwire_server.rpc.admission import MAX_CALLS_OF_CONNECTION, Admission
from groundwire_server.rpc.calls import Calls
from groundwire_server.rpc.dispatch import Dispatch
from groundwire_server.rpc.full_ports import grpc_connections, tell_of_full
from groundwire_server.rpc.health import NAME as HEALTH
from groundwire_server.rpc.health import Health
from groundwire_server.rpc.interceptors import TokenInterceptor
from groundwire_server.rpc.reflection import NAME as REFLECTION
from groundwire_server.rpc.reflection import Reflection
from groundwire_server.rpc.telemetry import Telemetry, TelemetryConfig
from groundwire_server.stores.result_cache import make_result_cache
from groundwire_server.text_work.pool import TextWorks
from groundwire_verifier.checks.corpus.passages import EvidenceProvider
from groundwire_verifier.domain.errors import BackendUnavailableError, UnusableModelError
from groundwire_verifier.engine.base import Backend
from groundwire_verifier.engine.local import LocalBackend
from groundwire_verifier.engine.result_cache import ResultCache
from groundwire_verifier.estimation import Estimator

if TYPE_CHECKING:  # its packages are an extra
    from groundwire_server.doors.listen import HttpServer

log = logging.getLogger("groundwire.server")

NO_CORPORA: Mapping[str, EvidenceProvider] = {}

ENGINE_FAILED_GRACE_S = 1.0
MAX_CONNECTION_AGE_S = 600.0
"""When a connection is this old, its client is asked to open another one, and calls in flight get
`max_call_s` to finish. Then it is closed: a response that nobody reads stays in memory with its
connection, even when its call's time is up and its places are free again."""

PROBE_TIMEOUT_S = 3.0
"""How long the event loop may take to answer a probe of the metrics port."""

END_TIMEOUT_S, DRAIN_POLL_S = 1.0, 0.05
"""How long the end waits for peers that do not read, and how often it looks for calls in flight."""

MIN_PING_INTERVAL_S = 5.0
"""How often a peer may ask for a sign of life while no data comes: clients and Envoy do each 10 s,
and so find out that a connection leads nowhere. gRPC's own limit is 5 minutes, beyond which it
closes the connection, with all calls that take a while."""


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A started server. `target` is where clients reach it."""

    target: str
    metrics_port: int | None
    server: aio.Server
    http: "HttpServer | None"
    health: Health
    calls: Calls
    outputs: Background | None
    default: str
    rotation: Rotation

    def set_serving(self, serving: bool) -> None:
        """Tell the health service, for the server as a whole and for each service."""
        self.health.set_serving(serving)
        if serving:
            self.begin_outputs(self.default)

    def begin_outputs(self, backend: str) -> None:
        """Begin the outputs for a backend that has started.

        Not before: a piece is not to blame for a server that ends while its model loads.
        """
        if self.outputs is not None:
            self.outputs.queue.begin(backend)

    async def drain(self, grace_s: float) -> None:
        """Take no new calls, let those in flight finish, end the others, and close the port."""
        self.calls.admission.draining = True
        self.health.close()
        most_s = grace_s + END_TIMEOUT_S
        async with asyncio.TaskGroup() as stopping:
            stopping.create_task(self.server.stop(most_s))
            stopping.create_task(self._leave_peers(grace_s))
            if self.http is not None:
                stopping.create_task(self.http.drain(most_s))

    async def _leave_peers(self, grace_s: float) -> None:
        """Once no call is in flight, wait a moment only for peers that do not read.

        gRPC would hold their streams, such as those that watch the health, for all of the grace.
        Calls that are still in flight after it end with a reason; gRPC and uvicorn give none.
        """
        try:
            async with asyncio.timeout(grace_s):
                while self.calls.admission.calls.pending:  # noqa: ASYNC110 - at the end only
                    await asyncio.sleep(DRAIN_POLL_S)
        except TimeoutError:
            self.calls.end()
        await self.server.stop(END_TIMEOUT_S)


@contextlib.asynccontextmanager
async def start_server(
    settings: ServerSettings,
    backends: Mapping[str, Backend],
    version: str,
    corpora: Mapping[str, EvidenceProvider] = NO_CORPORA,
) -> AsyncIterator[RunningServer]:
    """Open the port and answer, NOT_SERVING, before any backend is loaded.

    `corpora` are there beside those of the settings, by name. On leaving, calls in flight get
    `shutdown_grace_s`. Raises ConfigError.
    """
    entrance, health = Entrance(settings), Health(SERVICES)
    for exposure in exposures(settings, entrance.tokens):
        log.warning("%s", exposure)
    async with contextlib.AsyncExitStack() as ends:
        calls, resources = await _resources(
            ends, settings, backends, version, entrance=entrance, health=health
        )
        resources.corpora = {**resources.corpora, **corpora}
        dispatch = Dispatch(calls, message_limits(settings), health)
        server = _grpc_server(settings, entrance.logins, calls.telemetry)
        target = _bind(server, settings, entrance.certificates)
        http = _http(settings, dispatch, entrance, health)
        await add_services(dispatch, resources)
        for answering in (dispatch, health, Reflection((*SERVICES, HEALTH, REFLECTION))):
            answering.add_to(server)
        rotation = Rotation(entrance.rotated(calls.accounts))
        ends.push_async_callback(rotation.close)
        _observe_access(calls.telemetry, entrance, calls.accounts, rotation)
        running = RunningServer(
            target,
            calls.telemetry.metrics_port,
            server,
            http,
            health,
            calls,
            resources.outputs,
            resources.parts.estimator.default,
            rotation,
        )
        await server.start()
        ports = {"listen": grpc_connections}
        if http is not None:
            http.start()
            ports["http_listen"] = http.connections
        watching = asyncio.create_task(tell_of_full(ports, max_connections()))
        try:
            yield running
        finally:
            watching.cancel()
            await running.drain(settings.shutdown_grace_s)


async def _resources(
    ends: contextlib.AsyncExitStack,
    settings: ServerSettings,
    backends: Mapping[str, Backend],
    version: str,
    *,
    entrance: Entrance,
    health: Health,
) -> tuple[Calls, Resources]:
    """What calls are answered with, made before a port is open; `ends` closes it."""
    admission, accounts = _admission(settings, entrance)
    caches = {
        name: cache
        for name, backend in backends.items()
        if (cache := make_result_cache(settings, backend)) is not None
    }
    estimator = Estimator(backends, settings.limits, caches)
    telemetry = _telemetry(settings, version, health)
    ends.callback(telemetry.close)
    records = make_records(settings, version)
    ends.push_async_callback(records.close)
    _observe(telemetry, admission, backends, caches, records)
    for cache in caches.values():
        ends.push_async_callback(cache.close_store)
    calls = Calls(
        admission, telemetry, settings.max_call_s, entrance.scope, records.sinks, accounts
    )
    texts = TextWorks.for_calls(), TextWorks.background()
    for processes in texts:
        ends.push_async_callback(processes.close)
    parts, later = (make_parts(settings, estimator, calls, processes) for processes in texts)
    corpora = await asyncio.to_thread(make_corpora, settings)
    return calls, Resources(parts, later, version, records, corpora, ends)


async def serve(settings: ServerSettings, backends: Mapping[str, Backend], version: str) -> int:
    """Serve until a signal or the failure of an engine. Returns the process's exit code.

    The first of `backends` is the default: the server serves once that does. Raises
    ConfigError, UnusableModelError, or BackendFailedError if its model cannot be loaded.
    """
    _take_all_descriptors()
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    # Files are read again by themselves when they change. All that is started from here on ignores
    # it, too.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    async with start_server(settings, backends, version) as running:
        stopped = asyncio.create_task(stop.wait())
        try:
            return await _serve_backends(running, backends, stopped, settings)
        finally:
            stopped.cancel()


def _take_all_descriptors() -> None:
    """Each connection needs one; a shell gives a process 1,024, and lets it have many more."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


@contextlib.asynccontextmanager
async def started_backends(
    running: RunningServer, backends: Mapping[str, Backend], settings: ServerSettings
) -> AsyncIterator[tuple[asyncio.Task[None], asyncio.Task[str]]]:
    """Start all backends; gives the start of the first, and the first failure of any.

    The first raises ConfigError where it could support no claim by the settings. What another fails
    to start with is logged, and outputs for it are begun beside the first's start. On leaving all
    are stopped.
    """
    first, *others = backends.items()
    started = asyncio.create_task(_start(*first, settings))
    beside = [asyncio.create_task(_start_beside(running, *other, settings)) for other in others]
    failed = asyncio.create_task(_first_failed(list(backends.values())))
    try:
        yield started, failed
    finally:
        for task in (failed, started, *beside):
            task.cancel()
        for backend in backends.values():
            await backend.stop()
        log.info("stopped")


async def _start(name: str, backend: Backend, settings: ServerSettings) -> None:
    """Start a backend, and hold the settings against what it turned out to be."""
    await backend.start()
    calibration = backend.info.calibration
    if (why := settings.unreachable(calibration, backend.info.samples)) is not None:
        raise ConfigError(f"the backend {name}: {why}")
    if calibration is None:
        asked = settings.verification(None).thresholds.default_confidence
        log.warning(
            "the backend %s is uncalibrated: claims that state no confidence are asked for %g, and "
            "probabilities are as the model gives them; `groundwire calibrate` fits a calibration",
            name,
            asked,
        )


async def _start_beside(
    running: RunningServer, name: str, backend: Backend, settings: ServerSettings
) -> None:
    try:
        await _start(name, backend, settings)
        log.info("the backend %s serves %s", name, backend.model)
    except ConfigError as error:
        # Whoever names it may ask for less.
        log.error("%s", error)
    except (UnusableModelError, BackendUnavailableError) as error:
        log.error("the backend %s does not serve: %s", name, error)
    # Also for one that is away: it comes back by itself, and until then each piece is put off.
    running.begin_outputs(name)


async def _first_failed(backends: Sequence[Backend]) -> str:
    waits = [asyncio.create_task(backend.wait_failed()) for backend in backends]
    try:
        done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        return done.pop().result()
    finally:
        for wait in waits:
            wait.cancel()


async def _serve_backends(
    running: RunningServer,
    backends: Mapping[str, Backend],
    stopped: asyncio.Task[bool],
    settings: ServerSettings,
) -> int:
    backend = next(iter(backends.values()))
    log.info("listening on %s; loading %s", running.target, backend.model)
    async with started_backends(running, backends, settings) as (started, failed):
        await asyncio.wait((started, stopped, failed), return_when=asyncio.FIRST_COMPLETED)
        if started.done():
            started.result()
            running.set_serving(True)
            log.info("serving %s on %s", backend.model, running.target)
            await asyncio.wait((stopped, failed), return_when=asyncio.FIRST_COMPLETED)
        if failed.done():
            log.error("%s; exiting with code %d", failed.result(), EXIT_ENGINE_FAILED)
            await running.drain(ENGINE_FAILED_GRACE_S)
            return EXIT_ENGINE_FAILED
        log.info("stopping; %d claims are in flight", running.calls.admission.pending)
        await running.drain(settings.shutdown_grace_s)
        return EXIT_OK


def _admission(settings: ServerSettings, entrance: Entrance) -> tuple[Admission, Accounts | None]:
    most = (settings.max_pending_calls, settings.max_pending_bytes, settings.max_pending_claims)
    if entrance.logins is None:
        return Admission(*most), None
    admission = TenantAdmission(*most, entrance.quotas)
    return admission, admission.accounts


def _telemetry(settings: ServerSettings, version: str, health: Health) -> Telemetry:
    check_metrics_address(settings)
    check_bare("otlp_endpoint", settings.otlp_endpoint)
    loop = asyncio.get_running_loop()

    async def serves() -> bool:
        return health.serves

    def ask() -> bool:
        return asyncio.run_coroutine_threadsafe(serves(), loop).result(PROBE_TIMEOUT_S)

    config = TelemetryConfig(version, settings.metrics_listen, settings.otlp_endpoint)
    return Telemetry(config, ask)


def _observe(
    telemetry: Telemetry,
    admission: Admission,
    backends: Mapping[str, Backend],
    caches: Mapping[str, ResultCache],
    records: Records,
) -> None:
    telemetry.observe_pending(admission)
    telemetry.observe_serving(backends)
    for name, backend in backends.items():
        if isinstance(backend, LocalBackend):
            telemetry.observe_predictions(name, backend.predictions)
            telemetry.observe_predicted_wait(name, backend.predicted_wait_s)
    for name, cache in caches.items():
        telemetry.observe_result_cache(name, cache.counts)
    if (written := written_counts()) is not None:
        telemetry.observe_records("log", written)
    for worker in records.workers:
        telemetry.observe_records(worker.name, worker.counts)


def _observe_access(
    telemetry: Telemetry, entrance: Entrance, accounts: Accounts | None, rotation: Rotation
) -> None:
    if accounts is not None:
        observe_tenants(telemetry.meter, accounts)
    if entrance.logins is not None:
        observe_logins(telemetry.meter, entrance.logins)
    observe_rotation(telemetry.meter, rotation.rotated)


def _grpc_server(
    settings: ServerSettings, logins: Logins | None, telemetry: Telemetry
) -> aio.Server:
    return aio.server(
        interceptors=[] if logins is None else [TokenInterceptor(logins, telemetry)],
        options=[
            ("grpc.so_reuseport", 0),
            # It would give each call a window of 4 MiB and more before anybody reads it. Whoever is
            # read gets room for the whole message without it.
            ("grpc.http2.bdp_probe", 0),
            # Anybody may connect. One too many is closed: its client gets UNAVAILABLE, and tries
            # again. Who has no call loses its place, and gets one anew with its next call.
            ("grpc.max_allowed_incoming_connections", max_connections()),
            ("grpc.max_connection_idle_ms", int(KEEP_ALIVE_S * 1000)),
            ("grpc.server_handshake_timeout_ms", int(HANDSHAKE_TIMEOUT_S * 1000)),
            ("grpc.max_connection_age_ms", int(MAX_CONNECTION_AGE_S * 1000)),
            ("grpc.max_connection_age_grace_ms", int(settings.max_call_s * 1000)),
            ("grpc.max_concurrent_streams", MAX_CALLS_OF_CONNECTION),
            ("grpc.http2.min_ping_interval_without_data_ms", int(MIN_PING_INTERVAL_S * 1000)),
            # Envoy asks between calls, too.
            ("grpc.keepalive_permit_without_calls", 1),
            ("grpc.max_receive_message_length", settings.max_message_bytes),
            ("grpc.max_send_message_length", settings.max_message_bytes),
        ],
    )


def _http(
    settings: ServerSettings, dispatch: Dispatch, entrance: Entrance, health: Health
) -> "HttpServer | None":
    """The HTTP port, where it is switched on."""
    if settings.http_listen is None:
        return None
    try:
        from groundwire_server.doors.http.application import open_door
    except ImportError as error:
        raise ConfigError(
            f"http_listen needs packages that are not installed ({error}): {how_to_install('http')}"
        ) from error
    return open_door(
        settings,
        dispatch,
        (*SERVICES, HEALTH),
        logins=entrance.logins,
        certificates=entrance.certificates,
        serves=lambda: health.serves,
    )


def _bind(server: aio.Server, settings: ServerSettings, certificates: Certificates | None) -> str:
    if not settings.listen.startswith("unix:"):
        host_and_port("listen", settings.listen)
    try:
        port = (
            server.add_secure_port(settings.listen, certificates.for_grpc())
            if certificates is not None
            else server.add_insecure_port(settings.listen)
        )
    except RuntimeError as error:
        raise ConfigError(
            f"listen: {settings.listen} cannot be used: is another server on it? Name another "
            f"address, such as 127.0.0.1:0 for a free port ({error})"
        ) from error
    return f"{settings.listen.rpartition(':')[0]}:{port}"

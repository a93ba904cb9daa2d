"""A server inside this process, for notebooks and scripts: one context manager, one client."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from importlib import metadata

from groundwire import Client
from groundwire_server.app import NO_CORPORA, start_server, started_backends
from groundwire_server.backends import create_backends
from groundwire_server.config.environment import restored_environment
from groundwire_server.config.settings import ServerSettings
from groundwire_verifier.checks.corpus.passages import EvidenceProvider
from groundwire_verifier.engine.loading import wait_until_loaded

CALL_TIMEOUT_S = 300.0


@contextlib.contextmanager
def in_process(
    settings: ServerSettings | None = None,
    corpora: Mapping[str, EvidenceProvider] = NO_CORPORA,
) -> Iterator[Client]:
    """Load a model in this process and give a client for it; the end of the block unloads it.

    `corpora` are evidence providers of the caller, which requests may name beside those of the
    settings.

    `settings` without a `listen` of their own take a free port of loopback. Loading takes about a
    minute on a small machine. The end, and Ctrl-C or an error at any moment before it, ends the
    engine and puts the process's variables back; Ctrl-C waits for imports that are under way, and
    a second one leaves the rest to be done beside. Raises ConfigError, UnusableModelError or
    BackendFailedError.

        with in_process() as client:
            print(verify_claim("The tower has two floors.", passage, client=client))
    """
    given = (settings or ServerSettings()).model_dump(exclude_unset=True)
    effective = ServerSettings.model_validate(
        {"listen": "127.0.0.1:0", "metrics_listen": "", **given}
    )
    server = _Server(effective, corpora)
    thread = threading.Thread(target=server.run, name="groundwire-server", daemon=True)
    try:
        thread.start()
        with Client(server.target(), timeout_s=CALL_TIMEOUT_S) as client:
            yield client
    finally:
        server.stop()
        # Interrupted before it has begun, a thread cannot be joined, and has nothing to do either.
        with contextlib.suppress(RuntimeError):
            thread.join()


def alone(settings: ServerSettings) -> ServerSettings:
    """The same for a server that only this process calls: on loopback, without other doors."""
    given = settings.model_dump(exclude_unset=True)
    shut = dict.fromkeys(
        (
            "tls_cert_file",
            "tls_key_file",
            "tls_client_ca_file",
            "auth_token",
            "auth_token_file",
            "tenants_file",
            "http_listen",
        )
    )
    own = {"listen": "127.0.0.1:0", "metrics_listen": "", **shut}
    return ServerSettings.model_validate(given | own)


class _Server:
    """The server and its backend in a thread, which cleans up after itself, whoever waits."""

    def __init__(self, settings: ServerSettings, corpora: Mapping[str, EvidenceProvider]) -> None:
        self._settings = settings
        self._corpora = corpora
        self._target: Future[str] = Future()
        self._stopping: Future[None] = Future()

    def target(self) -> str:
        """Where clients reach it, once it serves. Raises what the start failed with."""
        return self._target.result()

    def stop(self) -> None:
        """Have `run` end, wherever it is."""
        self._stopping.cancel()

    def run(self) -> None:
        """Serve until `stop`."""
        try:
            with restored_environment() as loaded:
                try:
                    asyncio.run(self._serve(loaded))
                finally:
                    wait_until_loaded()
        except BaseException as error:
            # Only now that all is undone: who waits for it may leave at once.
            if self._target.done():
                raise
            self._target.set_exception(error)

    async def _serve(self, loaded: Callable[[], None]) -> None:
        settings = self._settings
        backends = create_backends(settings, lambda _: None)
        async with (
            start_server(
                settings, backends, metadata.version("groundwire-server"), self._corpora
            ) as running,
            started_backends(running, backends, settings) as (starting, _),
        ):
            stopping = asyncio.wrap_future(self._stopping)
            try:
                await asyncio.wait((starting, stopping), return_when=asyncio.FIRST_COMPLETED)
                if starting.done():
                    await starting
                    running.set_serving(True)
                    loaded()
                    self._target.set_result(running.target)
                    await asyncio.wait((stopping,))
            finally:
                stopping.cancel()
